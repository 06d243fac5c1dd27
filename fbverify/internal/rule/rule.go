// Package rule states the rules of the FlatBuffers wire format, each once.
//
// The traversal (says what is wrong) decides by the functions here, and so does the
// machine (answers yes or no) where it is not about speed. The machine's innermost
// loops and the kernels state the same in fewer instructions, once in Go and once in
// assembly; tests hold both to the traversal. All positions and sizes
// are uint64 counted from the first byte of the buffer; the functions are
// written so that no argument, however hostile, makes them overflow, given
// that the buffer length n is below 1<<63.
package rule

// Sizes and limits of the wire format.
const (
	OffsetSize   = 4         // of a uoffset, an soffset and a vector's length
	Offset64Size = 8         // of a 64-bit offset and of a 64-bit vector's length
	VTableHeader = 4         // the vtable's own size and the table's size, two bytes each
	MaxBuffer    = 1<<31 - 1 // bytes of a buffer without 64-bit offsets
)

// Fits reports whether size bytes at pos lie inside a buffer of n bytes.
func Fits(pos, size, n uint64) bool { return pos <= n && size <= n-pos }

// Aligned reports whether pos is a multiple of align, a power of two.
func Aligned(pos, align uint64) bool { return pos&(align-1) == 0 }

// VectorFits reports whether count elements of size bytes at pos lie inside a
// buffer of n bytes. size is at least 1.
//
// count is below 1<<63 and size below 1<<16, so a product could overflow: the
// division cannot.
func VectorFits(pos, count, size, n uint64) bool { return pos <= n && count <= (n-pos)/size }

// Terminated reports whether a string of count bytes at pos, and the byte after
// it, lie inside a buffer of n bytes. What that byte holds is for the caller.
func Terminated(pos, count, n uint64) bool { return Fits(pos, 1, n) && count < n-pos }

// MaxTables is the limit on tables met when the caller sets none: every table
// of a buffer without sharing takes at least four bytes, so no such buffer of n
// bytes is ever refused.
func MaxTables(n uint64) uint64 { return max(1_000_000, n/4) }

// MaxDepth is the limit on nested tables when the caller sets none.
const MaxDepth = 64
