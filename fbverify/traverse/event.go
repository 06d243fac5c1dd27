package traverse

import "github.com/fbverify/go/schema"

// What says what an event is about.
type What uint8

// What a traversal meets.
const (
	// Buffer is the whole, or a buffer nested in it: its bytes, with the size
	// prefix. Data is where its root offset is.
	Buffer What = iota

	// Table is a table. Object is its type.
	Table

	// VTable is the vtable of the table that was entered last, told before the
	// fields. Object is the type of that table. It is Seen where a table of this
	// type had it before.
	VTable

	// Field is a field that a table has, at its inline bytes: a scalar, a struct,
	// an array, a union's tag, or an offset. What the offset leads to is the next
	// event. Deprecated fields are told, and never followed. Behind the fields that
	// the schema knows come those that it does not: Field is nil then, and Size 0,
	// since only where they start is known.
	Field

	// Vector is a vector of anything; of a vector of unions both the tags and the
	// values are one each. Elements have no events of their own, but what their
	// offsets lead to has.
	Vector

	// String is a string.
	String

	// Struct is a struct behind an offset: the member of a union.
	Struct
)

var names = [...]string{"buffer", "table", "vtable", "field", "vector", "string", "struct"}

// String returns what it is in one word.
func (w What) String() string { return names[w] }

// None is a position that there is not.
const None = -1

// Event is something that a traversal meets. Positions count from the first byte
// of the slice that is traversed, also in nested buffers; all of them are inside it.
type Event struct {
	What What

	// Pos is where its first byte is: of a table the offset to its vtable, of a
	// vector and a string the length, of a field its inline bytes.
	Pos int

	// Size is the number of its bytes from Pos on, all of them inside the buffer:
	// of a table as many as its vtable declares, and at least 4; of a string with
	// the NUL behind it, where there is one.
	Size int

	// At is where the offset is that led here, None for the whole buffer and for a
	// nested one. For a field it is None.
	At int

	// Depth is how deep tables nest: 1 for the root table and its fields, and for
	// the vectors and strings that it leads to. Of a buffer it is that of its root.
	Depth int

	// Seen says that the object was entered before, or that a listener skipped it.
	Seen bool

	// Sound says that all its bytes can be told: false of a table whose vtable is
	// broken, and of a vector or string that reaches past the end. They are not
	// entered, and Size has only the bytes of the vtable offset or the length.
	Sound bool

	// Field is the field whose offset led here, directly or by an element of its
	// vector; of a Field event the field itself. nil for a root table and the whole
	// buffer. A nested buffer, and the vector that holds it, have the vector's field.
	Field *schema.Field

	// Index is the element whose offset led here, None where it was no element.
	Index int

	// Member is the member of a union that led here, nil elsewhere.
	Member *schema.EnumValue

	// Object is the type of a table or a struct, and of a field the type of its
	// table; of a buffer that of its root table.
	Object *schema.Object

	// Data is where the elements of a vector and the bytes of a string start, and
	// of a buffer its root offset. Count is how many there are; elements of a
	// vector take ElemSize bytes each.
	Data, Count, ElemSize int

	// VTable is where the vtable of a table is, and VTableSize how many bytes it
	// says it has, all of them inside the buffer. None and 0 where it is broken.
	VTable, VTableSize int

	// Target is where the offset of a field leads, None where it is no offset,
	// where it leads outside the buffer, and where nobody follows it.
	Target int

	// As is a number for what an object or a vtable is read as: with Pos it is the Place
	// that Traversal.Look takes. Of a field it is 0.
	As uint32

	// Tags is, of the vector of a union's values, where its tags are; None of
	// other vectors. There are Count of them.
	Tags int
}

// End returns the position behind the last byte.
func (e *Event) End() int { return e.Pos + e.Size }

// Answer is what a listener answers to an event.
type Answer uint8

// The answers.
const (
	// Go goes into what was not seen before.
	Go Answer = iota

	// Skip does not go into it. Of a field, its offset is not followed.
	Skip

	// Again goes into it though it was seen.
	Again

	// Stop ends the traversal. No event follows, also no Leave.
	Stop
)

// Listener is told what a traversal meets.
type Listener interface {
	// Enter is told of something, and answers whether to go into it. Events of
	// what is broken come before the fault.
	Enter(e *Event) Answer

	// Leave is told that a buffer, a table or a vector which was entered has been
	// traversed.
	Leave(e *Event)
}

// FaultListener is a Listener that wants to know what is broken.
type FaultListener interface {
	Listener

	// Fault is told of a broken rule. The error is an *fbverify.Error.
	Fault(err error)
}
