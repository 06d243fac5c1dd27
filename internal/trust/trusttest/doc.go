// Package trusttest is what tests of trust share, in the library's module and in those
// beside it: numbers of seeds, memory whose neighbours cannot be read, schemas and small
// files, and hostile buffers. Only tests import it.
package trusttest
