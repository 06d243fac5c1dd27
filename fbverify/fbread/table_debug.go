//go:build fbdebug

package fbread

import (
	"fmt"
	"unsafe"
)

// debug is whether preconditions are checked.
const debug = true

// Table is a place in a buffer: a table's position and its vtable's and, in this
// debug build, the bounds of the buffer. What kind of table is there, nobody
// vouches for: it can only be had through a function that says Unchecked. The zero
// Table cannot be read from.
type Table struct {
	p, vt unsafe.Pointer
	b     bounds
}

// Fixed is a place in a buffer: the position of a table whose vtable was compared
// with a known one ([Match]) and, in this debug build, the bounds of the buffer.
// Which vtable, nobody vouches for, as with [Table].
type Fixed struct {
	p unsafe.Pointer
	b bounds
}

// bounds is where the buffer of a table lies. Its zero value is an empty buffer
// that nothing can be read from.
type bounds struct {
	base unsafe.Pointer
	size uintptr
}

func (t Table) bounds() bounds                      { return t.b }
func (f Fixed) bounds() bounds                      { return f.b }
func newTable(b bounds, p, vt unsafe.Pointer) Table { return Table{p, vt, b} }
func newFixed(b bounds, p unsafe.Pointer) Fixed     { return Fixed{p, b} }

func newBounds(buf []byte) bounds {
	return bounds{unsafe.Pointer(unsafe.SliceData(buf)), uintptr(len(buf))}
}

// check panics when the n bytes at p+off are not all in the buffer.
func (b bounds) check(p unsafe.Pointer, off, n uintptr, what string) {
	at := uintptr(p) - uintptr(b.base) + off
	if p == nil || at > b.size || n > b.size-at {
		panic(fmt.Sprintf("fbread: %s: %d bytes at offset %d of a buffer of %d bytes: the buffer was not verified, or was written to since",
			what, n, int64(at), b.size))
	}
}
