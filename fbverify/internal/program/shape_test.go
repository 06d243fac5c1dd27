package program

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
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
	p, err := Compile(s, s.Root, false)
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
		simple, even             bool
	}{
		{"nothing", without(), 0, 0, 0, 0, 3, 0, 4, true, true},
		{"nothing, alignment skipped", without(), SkipAlignment, 0, 0, 0, 0, 0, 4, true, true},
		{"bytes", without(0), 0, 1, 0, 0, 3, 0, 16, true, true},
		{"ints", without(1), 0, 1, 0, 0, 3, 0, 16, true, true},
		{"longs", without(2), 0, 0, 1, 0, 3, 0, 12, false, true},
		{"longs, alignment skipped", without(2), SkipAlignment, 1, 0, 0, 0, 0, 16, true, true},
		{"threes", without(3), 0, 1, 0, 0, 3, 0, 16, true, false},
		{"threes before bytes", without(0, 3), 0, 2, 0, 0, 3, 0, 28, true, false},
		{"threes before a nested buffer that is skipped", without(3, 10), SkipNested, 2, 0, 0, 3, 0, 28, true, false},
		{"bytes and ints", without(0, 1), 0, 2, 0, 0, 3, 0, 28, true, true},
		{"a table", without(4), 0, 0, 1, 8, 3, 0, 12, true, true},
		{"a table and bytes", without(4, 0), 0, 1, 1, 8, 3, 0, 24, true, true},
		{"two tables", vtable(0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 16), 0, 0, 2, 0, 3, 0, 20, false, true},
		{"a table and a string", without(4, 5), 0, 0, 1, 8, 3, 0, 20, true, true},
		{"a string", without(5), 0, 0, 0, 0, 3, 0, 12, true, true},
		{"a string that may have no NUL", without(5), SkipTerminator, 0, 1, 0, 3, 0, 12, false, true},
		{"strings", without(6), 0, 0, 1, 0, 3, 0, 12, false, true},
		{"tables", without(7), 0, 0, 1, 0, 3, 0, 12, false, true},
		{"unions", without(8, 9), 0, 0, 1, 0, 3, 0, 20, false, true},
		{"unions without values", without(8), 0, 0, 1, 0, 3, 0, 12, false, true},
		{"unions without types", without(9), 0, 0, 1, 0, 3, 0, 12, false, true},
		{"a nested buffer", without(10), 0, 0, 1, 0, 3, 0, 12, false, true},
		{"a nested buffer that is skipped", without(10), SkipNested, 1, 0, 0, 3, 0, 16, true, true},
		{"a number", without(11), 0, 0, 0, 0, 7, 0, 16, true, true},
		{"a number and ints", without(11, 1), 0, 1, 0, 0, 7, 0, 24, true, true},
		{"a vector with a long length", without(12), 0, 0, 1, 0, 7, 0, 16, false, true},
		{"a number at four", vtable(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4), 0, 0, 0, 0, 7, 4, 12, true, true},
	} {
		s := r.Shape(c.vtable, c.flags)
		if len(s.Vectors) != c.vectors || len(s.Steps) != c.steps || s.Child != c.child || s.Mask != c.mask || s.Want != c.want || s.Bytes != c.bytes ||
			s.Simple != c.simple || s.Even != c.even {
			t.Errorf("%s: %d vectors, %d steps, child %d, mask %d, want %d, bytes %d, simple %v, even %v; want %+v",
				c.name, len(s.Vectors), len(s.Steps), s.Child, s.Mask, s.Want, s.Bytes, s.Simple, s.Even, c)
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

// TestHintsAreTakenForTheVTablesTheyAreOf and for no others: the shape that a hint
// holds is told from all others by what is read of a vtable, if that is in the buffer.
func TestHintsAreTakenForTheVTablesTheyAreOf(t *testing.T) {
	const known = 40
	var text strings.Builder
	for i := range known {
		fmt.Fprintf(&text, "f%d:int; ", i)
	}
	r := rootTable(t, "table R { "+text.String()+"} root_type R;")
	h := NewHint()
	guess := func(b []byte, room int) *Shape {
		padded := append(append([]byte(nil), b...), make([]byte, Peek)...)
		s := h.Last()
		if s.Begins(binary.LittleEndian.Uint64(padded), binary.LittleEndian.Uint64(padded[8:])) && (!s.Long || s.Ends(unsafe.Pointer(&padded[0]), uint64(room))) {
			return s
		}
		return nil
	}
	var all [][]byte
	for n := range known + 5 {
		for _, last := range []uint16{0, 4, 8} {
			slots := make([]uint16, n)
			if n > 0 {
				slots[n-1] = last
			}
			all = append(all, vtable(slots...))
		}
	}
	for _, one := range all {
		if !h.Empty() || guess(one, Peek) != nil || h.Last().Is(one) {
			t.Fatal("an empty hint knows a vtable")
		}
	}
	for _, one := range all {
		h = NewHint()
		s := r.Shape(one, 0)
		if h.Set(s); h.Empty() || h.Last() != s || guess(one, max(len(one), Peek)) != s || s.Size() != uint64(len(one)) {
			t.Errorf("of %d bytes: not found", len(one))
		}
		if len(one) > Peek && guess(one, len(one)-1) != nil {
			t.Errorf("of %d bytes: found though it is cut off", len(one))
		}
		for _, other := range all {
			// What the schema does not know makes no difference, but the size does.
			if same := string(r.VTableKey(one)) == string(r.VTableKey(other)); (guess(other, 1<<30) == s) != same || s.Is(other) != same {
				t.Errorf("of %d bytes: taken for %v: %v", len(one), other, !same)
			}
		}
		for i := range len(r.VTableKey(one)) {
			other := append([]byte(nil), one...)
			other[i] ^= 0x40
			if guess(other, 1<<30) != nil {
				t.Errorf("of %d bytes with byte %d changed: found", len(one), i)
			}
		}
	}
}

// TestLentShapesAreThoseThatAreCompiled, whatever was lent before, and cost nothing once
// the loan is large enough.
func TestLentShapesAreThoseThatAreCompiled(t *testing.T) {
	s, err := fbs.ParseFS(fstest.MapFS{"t.fbs": {Data: []byte(strings.ReplaceAll(shapeSchema, " (required)", ""))}}, "t.fbs")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(s, s.Root, false)
	if err != nil {
		t.Fatal(err)
	}
	shapes, loan := p.Shapes(0), new(Loan)
	rng := rand.New(rand.NewPCG(1, 2))
	var all [][]byte
	for range 300 {
		slots := make([]uint16, rng.IntN(16))
		for i := range slots {
			slots[i] = uint16(4 * rng.IntN(6))
		}
		all = append(all, vtable(slots...))
	}
	for _, vt := range all {
		got, want := shapes.Lend(loan, p.Root, vt, 0), p.Root.Shape(vt, 0)
		if !got.Passing || want.Passing {
			t.Fatal("which one is lent is not said")
		}
		for i := range got.Steps {
			if next := got.Steps[i].Next; next != nil && next != &shapes.Last[got.Steps[i].Table.ID] {
				t.Error("a step of a lent shape has a hint of its own")
			}
			got.Steps[i].Next, want.Steps[i].Next = nil, nil
		}
		if fmt.Sprint(got.Shape, got.Steps) != fmt.Sprint(want.Shape, want.Steps) {
			t.Errorf("%v: lent %v %v, compiled %v %v", vt, got.Shape, got.Steps, want.Shape, want.Steps)
		}
		if !h(shapes, got, vt) {
			t.Errorf("%v: a lent shape takes a vtable for its own", vt)
		}
	}
	if n := testing.AllocsPerRun(10, func() {
		for _, vt := range all {
			shapes.Lend(loan, p.Root, vt, 0)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// h reports whether a lent shape is not found by its vtable.
func h(c *Shapes, s *Shape, vt []byte) bool { return s.key == "" && c.Find(s.table, vt) == nil }

// TestPlacesAreTakenFromOthersRarely: where all are taken, one run in sixteen takes one.
func TestPlacesAreTakenFromOthersRarely(t *testing.T) {
	r := rootTable(t, "table R { x:int; } root_type R;")
	c := &Shapes{seed: [2]uint64{1, 0x9e3779b97f4a7c15}}
	kept := 0
	for i := range uint16(4000) {
		vt := vtable(4 * i)
		if c.HasRoom(r, vt) {
			c.Keep(r.Shape(vt, 0))
			if kept++; c.Find(r, vt) == nil {
				t.Fatal("what was kept is not found")
			}
		}
	}
	if kept < shapeSlots*9/10 || kept > shapeSlots {
		t.Errorf("%d shapes have room", kept)
	}
	turns := 0
	for range 10 * crowdedRuns {
		if c.Turn() {
			turns++
		}
	}
	if turns != 10 {
		t.Errorf("%d turns of %d", turns, 10*crowdedRuns)
	}
}

// TestAHintIsNotTakenForAVTableWhoseDifferenceAnotherSlotHas: each slot of a long vtable is
// changed in each bit, to what another slot of it holds too: no bit of a difference may be
// hidden by an equal one elsewhere.
func TestAHintIsNotTakenForAVTableWhoseDifferenceAnotherSlotHas(t *testing.T) {
	var text strings.Builder
	for i := range 40 {
		fmt.Fprintf(&text, "f%d:int; ", i)
	}
	r := rootTable(t, "table R { "+text.String()+"} root_type R;")
	for size := 18; size <= 40; size += 2 {
		for _, fill := range []uint16{0, 4, 0xffff} {
			vtable := make([]byte, size)
			binary.LittleEndian.PutUint16(vtable, uint16(size))
			for at := 4; at < size; at += 2 {
				binary.LittleEndian.PutUint16(vtable[at:], fill&uint16(-(at/2%2)))
			}
			s := r.Shape(vtable, 0)
			for bit := 32; bit < 8*size; bit++ {
				other := append([]byte(nil), vtable...)
				other[bit/8] ^= 1 << (bit % 8)
				padded := append(other, make([]byte, Peek)...)
				if s.Begins(binary.LittleEndian.Uint64(padded), binary.LittleEndian.Uint64(padded[8:])) && (!s.Long || s.Ends(unsafe.Pointer(&padded[0]), uint64(size))) {
					t.Fatalf("%d bytes of %#x: a vtable that differs in bit %d is taken for the same", size, fill, bit)
				}
			}
		}
	}
}
