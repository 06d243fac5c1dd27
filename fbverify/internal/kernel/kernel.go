// Package kernel holds the inner loops of verification that are worth writing
// for a machine's own instructions.
//
// A kernel never decides that a buffer is wrong. It says how many of the
// elements it was given are good, from the first on, and what those count for;
// the portable code of package machine looks at the next one and judges it. So a
// kernel may stop wherever it likes, and has no errors to report.
//
// What to use is chosen once ([Level]). The build tag fbportable leaves out all
// but the portable code.
package kernel

import "unsafe"

// Shape is what kernels know of a table type and a vtable: see program.Shape,
// which says what the numbers mean. The assembly code reads it.
type Shape struct {
	Reach, Mask, Want, Bytes uint64

	// Work is what a table takes of Run.Left.
	Work int64

	// Vectors are the vectors of bytes or numbers to check.
	Vectors []Vector

	// Texts are the slots of strings that must end with a NUL. Kernels take those that
	// are UTF-8 besides, as most are, whether that is asked or not.
	Texts []uint16

	// Child is where the offset to a table is that is to be checked too, 0
	// when there is none.
	Child uint64

	// Simple says that there is nothing to follow but Vectors, Texts and Child.
	Simple bool
	// Even says that the sizes of all elements of Vectors are powers of two.
	Even bool
}

// Vector is one offset to a vector of bytes or numbers in the tables of a shape.
type Vector struct {
	Slot  uint32 // where the offset is in the table, in its first Reach bytes
	Size  uint32 // of an element, 1 to 1<<16
	Shift uint32 // log2 of Size where that is a power of two
	_     uint32
}

// Kind is a kind of tables: their vtable, by position, and its shape, which is a
// simple one; and if that has a child, the same of the child, whose shape is
// simple and has none.
type Kind struct {
	VTable      uint64
	Shape       *Shape
	ChildVTable uint64
	ChildShape  *Shape
}

// NoVTable is what no table's position minus its vtable offset gives, however
// hostile: that is below 1<<62, or a negative int32 that wrapped around.
const NoVTable = uint64(1) << 63

// Run is a vector of tables to look at, and the counts of the walk it is part
// of. The assembly code reads and writes it.
type Run struct {
	P unsafe.Pointer // of the buffer's first byte
	N uint64         // its length, at least 4 and below 1<<63

	At, End uint64 // where the offsets to the tables still to look at lie, inside the buffer

	Bytes  uint64 // counted so far
	Tables uint64 // likewise; of these tables only their children are still to be counted
	Left   int64  // work that may still be done, see Shape.Work
	Text   int64  // bytes of strings that may still be looked at, good or not

	Kinds [2]Kind // the tables that are known; NoVTable where there is none

	Align uint64 // alignment minus one of what offsets lead to
}

// Siblings looks at the tables for as long as they are of the Kinds, sound, and
// within the budget. It moves At, and counts.
func (r *Run) Siblings() {
	if r.At < r.End {
		siblings(r)
	}
}
