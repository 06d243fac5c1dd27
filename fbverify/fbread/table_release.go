//go:build !fbdebug

package fbread

import "unsafe"

// debug is whether preconditions are checked.
const debug = false

// Table is the position of a table and of its vtable in a buffer. Generated
// views are defined types over it ("type Layout fbread.Table"), so they convert
// to and from it at no cost. The zero Table cannot be read from; see [Absent].
type Table struct{ p, vt unsafe.Pointer }

// View is the constraint that every defined type over [Table] meets, and no
// other type.
type View interface {
	~struct{ p, vt unsafe.Pointer }
}

// Fixed is the position of a table whose fields are known to be at constant
// offsets, because its vtable was compared with a [Layout]. Generated fixed
// views are defined types over it.
type Fixed struct{ p unsafe.Pointer }

// FixedView is the constraint that every defined type over [Fixed] meets, and
// no other type.
type FixedView interface {
	~struct{ p unsafe.Pointer }
}

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

// boundsOf is bounds in a generic type: its position in Vector is told apart by
// T so that Vector[A] does not convert to Vector[B].
type boundsOf[T any] struct{ bounds }
