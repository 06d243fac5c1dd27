//go:build !fbdebug

package fbread

import "unsafe"

// debug is whether preconditions are checked.
const debug = false

// Table is a place in a buffer: a table's position and its vtable's. What kind of
// table is there, nobody vouches for: it can only be had through a function that
// says Unchecked. The zero Table cannot be read from.
type Table struct{ p, vt unsafe.Pointer }

// Fixed is a place in a buffer: the position of a table whose vtable was compared
// with a known one ([Match]). Which one, nobody vouches for, as with [Table].
type Fixed struct{ p unsafe.Pointer }

// bounds is where the buffer of a table lies; only debug builds carry it.
type bounds struct{}

func (t Table) bounds() bounds                      { return bounds{} }
func (f Fixed) bounds() bounds                      { return bounds{} }
func newTable(_ bounds, p, vt unsafe.Pointer) Table { return Table{p, vt} }
func newFixed(_ bounds, p unsafe.Pointer) Fixed     { return Fixed{p} }
func newBounds(buf []byte) bounds                   { return bounds{} }

// check does nothing: debug builds panic when the n bytes at p are not all in
// the buffer.
func (bounds) check(p unsafe.Pointer, off, n uintptr, what string) {}
