// Package input is how every verb of fbinspect gets at its data: the schema and
// root type that the flags name, and the file that an argument names.
//
// A file is read where it lies, through an [io.ReaderAt]; standard input, which
// cannot be read twice, is first kept in memory or, when it is large, in a
// temporary file that has no name.
package input
