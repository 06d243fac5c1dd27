// Package arrowguard opens Arrow streams and files from strangers with arrow-go's own readers.
//
// arrow-go reads the FlatBuffers of a file through accessors that check little, so a damaged
// file panics in them or makes them allocate what a number says. [NewReader],
// [NewFileReader] and [NewMappedFileReader] take what the functions of the same names in
// arrow/ipc take, and return the same readers. Between the bytes and the reader stands a
// guard: each FlatBuffer is verified before arrow-go sees it, and so is what a FlatBuffer
// cannot say of itself:
//
//   - a schema's types are ones that arrow-go knows, with the parameters and the children
//     that they need, and nest no deeper than it allows;
//   - a batch has the nodes and buffers of its schema's columns, no count is negative, and no
//     buffer is shorter than its column needs;
//   - buffers lie in the body, and a compressed one does not say that it is larger than its
//     codec could have made it;
//   - dictionaries are those of the schema, and blocks lie in the file.
//
// What was verified is what is read: a file's metadata is verified in the bytes that the very
// read returned which arrow-go asked for. The bytes of a mapped file are verified when it is
// opened, and must not change after that.
//
// What the values of a column say, as the offsets of strings, the indices into a dictionary
// or the ids of a union, is not looked at: it is arrow-go's to check as it reads them.
//
// An error that the guard has found is an [*Error].
package arrowguard
