// Package fbread is what generated views are made of: reads of tables, vectors,
// strings and structs that check nothing, because a verification already has.
//
// Nothing here is safe on bytes that no verification has accepted.
package fbread

import "unsafe"

// Table is the position of a table and of its vtable in a buffer. Generated
// views are defined types over it ("type Layout fbread.Table"), so they convert
// to and from it at no cost.
type Table struct{ p, vt unsafe.Pointer }

// View is the constraint that every defined type over Table meets, and no other
// type.
type View interface {
	~struct{ p, vt unsafe.Pointer }
}
