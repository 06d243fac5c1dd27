package bytemap

import (
	"sort"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/schema"
)

// Map is what the bytes of one FlatBuffer are for. Positions count from the first byte of Buf,
// the size prefix where there is one.
type Map struct {
	Buf     []byte
	Type    *fbverify.Type
	Objects []Object // in the order in which they were met; the first is the buffer itself
	Spans   []Span   // in the order of the bytes

	// Faults are what the verifier says, in the order of their offsets.
	Faults []*fbverify.Error

	asked []int // see LeadingIn
}

// ObjectKind says what an object is.
type ObjectKind uint8

// The kinds of objects.
const (
	Buffer ObjectKind = iota // the whole, or one nested in it: prefix, root offset, identifier
	Table
	VTable
	Vector
	String
	Struct // one that an offset leads to: the member of a union
)

var objectNames = [...]string{"buffer", "table", "vtable", "vector", "string", "struct"}

// String returns the kind in one word.
func (k ObjectKind) String() string { return objectNames[k] }

// Object is a run of bytes that an offset leads to.
type Object struct {
	Kind   ObjectKind
	Pos    int // of its first byte: for a table the offset to its vtable
	Size   int // bytes from Pos on, as it says of itself
	Parent int // object whose bytes led here first; -1 for the whole buffer
	Refs   int // offsets that lead here
	Depth  int // of a table: 1 for a root
	VTable int // of a table: its vtable; -1 where that is damaged

	// Field is the field of the parent that led here, and Index the element of it, -1
	// where it is no element.
	Field *schema.Field
	Index int

	Def   *schema.Object // of a table or struct; of a buffer its root's; of a vtable its first table's
	Type  schema.Type    // of a vector
	Count int            // elements of a vector, bytes of a string, entries of a vtable

	head int // the number of the span of its first bytes, in the order of telling
}

// Kind says what a span's bytes are.
type Kind uint8

// The kinds of spans.
const (
	SizePrefix Kind = iota
	RootOffset
	Identifier
	VTableSize
	TableSize
	Slot        // a vtable's entry for a field
	UnknownSlot // a vtable's entry for a field that the schema does not know
	VTableOffset
	Scalar       // a number, alone or in a struct or array
	Offset       // a field that leads elsewhere
	UnknownField // bytes of a field that the schema does not know
	Length       // of a vector or string
	Elements
	Text
	Terminator
	Padding
	Gap      // nothing leads here
	Trailing // after the end of a size-prefixed message
	LeftOut  // nobody asked for it

	Kinds = int(iota) // how many there are
)

var kindNames = [Kinds]string{
	"size-prefix", "root-offset", "identifier", "vtable-size", "table-size", "vtable-entry", "unknown-entry",
	"vtable-offset", "scalar", "offset", "unknown-field", "length", "elements", "text", "terminator", "padding", "gap", "trailing", "left-out",
}

// String returns the kind as one word with dashes. The words do not change between
// releases.
func (k Kind) String() string { return kindNames[k] }

// Span is some bytes with one meaning.
type Span struct {
	Pos, Size int
	Kind      Kind
	Object    int // whose bytes they are; -1 for gaps, and for padding between objects

	// Field is the field that a Slot, Scalar or Offset is for. In a struct it is the field
	// of the innermost struct, and Sub leads there: ".position.x", "[3]".
	Field *schema.Field
	Sub   string
	Type  schema.Type // of a Scalar, and of the elements of Elements

	// Target is the object that an offset leads to; -1 where it leads nowhere that is sound.
	Target int
}

// End returns the position after the span.
func (s *Span) End() int { return s.Pos + s.Size }

// SpanAt returns the index of the span that has the byte at pos; the last where pos is past
// the end, -1 where there is none.
func (m *Map) SpanAt(pos int) int {
	i := sort.Search(len(m.Spans), func(i int) bool { return m.Spans[i].End() > pos })
	return min(i, len(m.Spans)-1)
}

// FaultsIn returns the faults whose offset is in span i. Those of positions past the end
// are in the last span.
func (m *Map) FaultsIn(i int) []*fbverify.Error {
	s := &m.Spans[i]
	from := sort.Search(len(m.Faults), func(j int) bool { return m.Faults[j].Offset >= s.Pos })
	if i == len(m.Spans)-1 {
		return m.Faults[from:]
	}
	to := sort.Search(len(m.Faults), func(j int) bool { return m.Faults[j].Offset >= s.End() })
	return m.Faults[from:to]
}
