package program

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"unsafe"

	"github.com/fbverify/go/schema/fbs"
)

const shapeSchema = `
struct Three { a:ubyte; b:ubyte; c:ubyte; }
union U { E }
table E {}
table R {
  bytes:[ubyte]; ints:[int]; longs:[long]; threes:[Three]; // 0 to 3
  e:E; text:string; texts:[string]; es:[E]; us:[U];        // 4 to 9
  nested:[ubyte] (nested_flatbuffer: "E"); number:long;    // 10, 11
  far:[ubyte] (vector64); empty:E (required);              // 12, 13
}
root_type R;
`

func rootTable(t *testing.T, text string) *Table {
	t.Helper()
	s, err := fbs.ParseFS(fstest.MapFS{"t.fbs": {Data: []byte(text)}}, "t.fbs")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(s, s.Root)
	if err != nil {
		t.Fatal(err)
	}
	return p.Root
}

// vtable is one whose slots have the values given, in bytes.
func vtable(slots ...uint16) []byte {
	b := binary.LittleEndian.AppendUint16(nil, uint16(4+2*len(slots)))
	b = binary.LittleEndian.AppendUint16(b, 0)
	for _, s := range slots {
		b = binary.LittleEndian.AppendUint16(b, s)
	}
	return b
}

// at is a vtable that has the fields given, one after the other, each at a multiple
// of eight, and the required one.
func at(ids ...int) []byte {
	slots := make([]uint16, 14)
	slots[13] = 4
	for i, id := range ids {
		slots[id] = uint16(8 + 8*i)
	}
	return vtable(slots...)
}

// TestShapesSayWhatIsToBeDone for what there may be in a table.
func TestShapesSayWhatIsToBeDone(t *testing.T) {
	r := rootTable(t, strings.ReplaceAll(shapeSchema, " (required)", ""))
	without := func(ids ...int) []byte {
		b := at(ids...)
		binary.LittleEndian.PutUint16(b[4+2*13:], 0)
		return b
	}
	for _, c := range []struct {
		name                     string
		vtable                   []byte
		flags                    Flags
		vectors, steps           int
		child, mask, want, bytes uint64
		simple, even, containers bool
	}{
		{"nothing", without(), 0, 0, 0, 0, 3, 0, 4, true, true, true},
		{"nothing, alignment skipped", without(), SkipAlignment, 0, 0, 0, 0, 0, 4, true, true, true},
		{"bytes", without(0), 0, 1, 0, 0, 3, 0, 16, true, true, true},
		{"ints", without(1), 0, 1, 0, 0, 3, 0, 16, true, true, true},
		{"longs", without(2), 0, 0, 1, 0, 3, 0, 12, false, true, false},
		{"longs, alignment skipped", without(2), SkipAlignment, 1, 0, 0, 0, 0, 16, true, true, true},
		{"threes", without(3), 0, 1, 0, 0, 3, 0, 16, true, false, true},
		{"threes before bytes", without(0, 3), 0, 2, 0, 0, 3, 0, 28, true, false, true},
		{"threes before a nested buffer that is skipped", without(3, 10), SkipNested, 2, 0, 0, 3, 0, 28, true, false, true},
		{"bytes and ints", without(0, 1), 0, 2, 0, 0, 3, 0, 28, true, true, true},
		{"a table", without(4), 0, 0, 1, 8, 3, 0, 12, true, true, false},
		{"a table and bytes", without(4, 0), 0, 1, 1, 8, 3, 0, 24, true, true, false},
		{"two tables", vtable(0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 16), 0, 0, 2, 0, 3, 0, 20, false, true, false},
		{"a table and a string", without(4, 5), 0, 0, 2, 0, 3, 0, 20, false, true, false},
		{"a string", without(5), 0, 0, 1, 0, 3, 0, 12, false, true, false},
		{"strings", without(6), 0, 0, 1, 0, 3, 0, 12, false, true, true},
		{"tables", without(7), 0, 0, 1, 0, 3, 0, 12, false, true, true},
		{"unions", without(8, 9), 0, 0, 1, 0, 3, 0, 20, false, true, true},
		{"unions without values", without(8), 0, 0, 1, 0, 3, 0, 12, false, true, false},
		{"unions without types", without(9), 0, 0, 1, 0, 3, 0, 12, false, true, false},
		{"a nested buffer", without(10), 0, 0, 1, 0, 3, 0, 12, false, true, true},
		{"a nested buffer that is skipped", without(10), SkipNested, 1, 0, 0, 3, 0, 16, true, true, true},
		{"a number", without(11), 0, 0, 0, 0, 7, 0, 16, true, true, true},
		{"a number and ints", without(11, 1), 0, 1, 0, 0, 7, 0, 24, true, true, true},
		{"a vector with a long length", without(12), 0, 0, 1, 0, 7, 0, 16, false, true, false},
		{"a number at four", vtable(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4), 0, 0, 0, 0, 7, 4, 12, true, true, true},
	} {
		s := r.Shape(c.vtable, c.flags)
		if len(s.Vectors) != c.vectors || len(s.Steps) != c.steps || s.Child != c.child || s.Mask != c.mask || s.Want != c.want || s.Bytes != c.bytes ||
			s.Simple != c.simple || s.Even != c.even || s.Containers != c.containers {
			t.Errorf("%s: %d vectors, %d steps, child %d, mask %d, want %d, bytes %d, simple %v, even %v, containers %v; want %+v",
				c.name, len(s.Vectors), len(s.Steps), s.Child, s.Mask, s.Want, s.Bytes, s.Simple, s.Even, s.Containers, c)
		}
		if s.Reach == Never {
			t.Errorf("%s: never sound", c.name)
		}
		for i := range s.Steps {
			step := &s.Steps[i]
			if (step.Next != nil) != (step.Table != nil) {
				t.Errorf("%s: step %d has a hint for tables %v, and leads to tables %v", c.name, i, step.Next != nil, step.Table != nil)
			}
			if step.Op == StepVector && step.Mask != 7 || (step.Op == StepString || step.Op == StepTable) && step.Mask != 0 {
				t.Errorf("%s: elements behind step %d have the mask %d", c.name, i, step.Mask)
			}
		}
	}
}

// TestShapesOfTablesThatAreNeverSound: the required field is absent, or alignments
// exclude one another.
func TestShapesOfTablesThatAreNeverSound(t *testing.T) {
	r := rootTable(t, shapeSchema)
	if s := r.Shape(at(0), 0); s.Reach == Never {
		t.Error("with the required field: never sound")
	}
	if s := r.Shape(vtable(8), 0); s.Reach != Never {
		t.Error("without the required field: sound")
	}
	r = rootTable(t, "struct S { x:long; } table R { a:long; b:S; c:[int]; } root_type R;")
	for _, c := range []struct {
		slots []uint16
		flags Flags
		never bool
	}{
		{[]uint16{4, 12}, 0, false}, {[]uint16{4, 16}, 0, true}, {[]uint16{4, 16}, SkipAlignment, false},
		{[]uint16{8, 0, 4}, 0, false}, {[]uint16{8, 0, 6}, 0, true}, {[]uint16{0, 0, 6}, 0, true}, {[]uint16{0, 0, 6}, SkipAlignment, false},
	} {
		if s := r.Shape(vtable(c.slots...), c.flags); (s.Reach == Never) != c.never {
			t.Errorf("%v, flags %d: never sound is %v", c.slots, c.flags, s.Reach == Never)
		}
	}
}

// TestHintsAreTakenForTheVTablesTheyAreOf and for no others: of two shapes that a hint
// holds each is found by its bytes, if they are all in the buffer.
func TestHintsAreTakenForTheVTablesTheyAreOf(t *testing.T) {
	var text strings.Builder
	for i := range 20 {
		fmt.Fprintf(&text, "f%d:int; ", i)
	}
	r := rootTable(t, "table R { "+text.String()+"} root_type R;")
	slots := func(n int, last uint16) []byte {
		s := make([]uint16, n)
		if n > 0 {
			s[n-1] = last
		}
		return vtable(s...)
	}
	for n := range 30 {
		for m := range 30 {
			var h Hint
			one, two := slots(n, 8), slots(m, 4)
			if h.Find(one) != nil || h.Last() != nil {
				t.Fatal("an empty hint knows a vtable")
			}
			first, second := r.Shape(one, 0), r.Shape(two, 0)
			h.Set(first)
			guess := func(b []byte, room int) *Shape {
				padded := append(append([]byte(nil), b...), make([]byte, Peek)...)
				return h.Guess(unsafe.Pointer(&padded[0]), uint64(room))
			}
			if h.Find(one) != first || h.Last() != first || guess(one, max(len(one), Peek)) != first {
				t.Errorf("of %d slots: not found as the only one", n)
			}
			h.Set(second)
			if n > 20 && m > 20 { // what the schema does not know makes no difference
				continue
			}
			// The shorter may be how the longer begins, but says so in its first word.
			if n == m && (n == 0 || n > 20) {
				continue
			}
			if h.Find(one) != first || h.Find(two) != second || h.Last() != second || guess(two, max(len(two), Peek)) != second {
				t.Errorf("of %d and %d slots: not both found", n, m)
			}
			// Where sixteen bytes do not tell the two apart, the first is not guessed.
			if alike := n == m && len(one) > Peek; (guess(one, max(len(one), Peek)) == nil) != alike {
				t.Errorf("of %d and %d slots: the one before is guessed %v", n, m, !alike)
			}
			if len(one) > Peek && guess(one, len(one)-1) != nil {
				t.Errorf("of %d slots: found though it is cut off", n)
			}
			for i := range min(len(one), 4+2*20) {
				other := append([]byte(nil), one...)
				other[i] ^= 0x40
				if s := guess(other, max(len(one), Peek)); s != nil && !s.Is(other) {
					t.Errorf("of %d slots with byte %d changed: found", n, i)
				}
			}
			// Begins is for those of which sixteen bytes tell all.
			padded := append(append([]byte(nil), one...), make([]byte, Peek)...)
			a, b := binary.LittleEndian.Uint64(padded), binary.LittleEndian.Uint64(padded[8:])
			if got, want := first.Begins(a, b, uint64(len(one))), len(one) <= Peek; got != want {
				t.Errorf("of %d slots: begins %v", n, got)
			}
			if first.Begins(a, b, uint64(len(one)-1)) || first.Begins(a^1, b, Never) {
				t.Errorf("of %d slots: begins where it is cut off, or another", n)
			}
		}
	}
}
