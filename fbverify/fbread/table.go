// Package fbread is what generated views are made of: reads of tables, vectors,
// strings and structs that check nothing, because a verification already has.
//
// Nothing here is safe on bytes that no verification has accepted. What each
// read takes for granted is said in one file, unsafe.go; programs built with
// -tags fbdebug check it and panic where it does not hold.
//
// A slot is the position of a field's entry in a vtable, in bytes: 4 + 2*id.
// Generated code passes it as a constant.
package fbread

// Present tells whether t is a table of the buffer. An absent table, as reading
// an absent field gives it, reads as if every field had its default, so that
// chains of reads need no checks between.
func Present(t Table) bool { return t.p != nil }

// Has tells whether the field at slot is stored in t.
func Has(t Table, slot uint16) bool { return field(t, slot) != 0 }

// Absent returns a table whose reads all give defaults.
func Absent() Table { return absentTable }
