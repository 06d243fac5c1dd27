// Package fbread is what generated views are made of: reads of tables, vectors,
// strings and structs that check nothing, because a verification already has.
//
// A view is the proof of what it reads: a Weapon is a table that a verification
// found to be a Weapon. It does not convert to a view of another type. What it is
// made of, a [Table], says nothing about its type; the functions here read a Table
// as whatever they are told. So the way from a view to its Table is called
// [Unchecked], and whoever writes that word vouches for the slots and types that
// the Table is read with. Generated code does so by the schema. Programs have no
// need to.
//
// What each read takes for granted is said in one file, unsafe.go; programs built
// with -tags fbdebug check it and panic where it does not hold.
//
// A slot is the position of a field's entry in a vtable, in bytes: 4 + 2*id.
// Generated code passes it as a constant.
package fbread

import "unsafe"

// Of is what a generated view T is defined as: "type Weapon fbread.Of[Weapon]".
// The pointer that takes no room makes each view a type of its own, which no
// conversion leads to from another.
type Of[T any] struct {
	_ [0]*T
	t Table
}

// View is the constraint that a view T meets as View[T], and no other type.
type View[T any] interface {
	~struct {
		_ [0]*T
		t Table
	}
}

// Unchecked returns the table that v is a view of. Whoever reads it must know that
// the slots and types they read it with are those of its schema.
func Unchecked[T View[T]](v T) Table { return Of[T](v).t }

// As returns t as a view. Whoever calls it must know that t is such a table.
func As[T View[T]](t Table) T { return T(Of[T]{t: t}) }

// Absent returns the view of a table that is not there: reads of it give
// defaults, so that chains of reads need no checks between.
func Absent[T View[T]]() T { return T(Of[T]{t: absentTable}) }

// Present tells whether t is a table of the buffer, and not an absent one.
func Present(t Table) bool { return t.p != nil }

// Has tells whether the field at slot is stored in t.
func Has(t Table, slot uint16) bool { return field(t, slot) != 0 }

// Output1 is there for code that fbgen wrote for this version of the package, and
// names it: code for another version does not compile.
const Output1 = true

// AddressUnchecked returns where t lies, nil when it is absent. What may be read around
// it is what the schema of its type says, and nothing tells where the buffer ends.
func AddressUnchecked(t Table) unsafe.Pointer { return t.p }
