package program

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/fbverify/go/fbverify/internal/kernel"
	"github.com/fbverify/go/fbverify/internal/mem"
	"github.com/fbverify/go/fbverify/internal/rule"
)

// Flags are the exceptions of a verification that change what a shape checks.
type Flags uint8

// The flags.
const (
	SkipUTF8 Flags = 1 << iota
	SkipAlignment
	SkipTerminator
	SkipNested

	NumFlags = 1 << iota
)

// Shape is what a table type and the bytes of one vtable have in common for all
// their tables: how far a table reaches, how it must be aligned, and what there
// is to follow. A table of a shape is sound when
//
//	position + Reach <= length of the buffer
//	position & Mask == Want
//
// and each of the Vectors, of the Texts and of the Steps holds.
type Shape struct {
	// What kernels know of it.
	//
	// Reach is the number of bytes from the table's start to the end of its
	// furthest known field, at least 4; or Never when no table of this shape is
	// sound: a required field is absent, or two fields ask for alignments that
	// exclude each other. Mask is the alignment minus one of the table's most
	// aligned present field, at least 3. Bytes is what such a table counts for
	// without what its steps count: Reach, and the length words of Vectors. Work is
	// what it takes of a walk's budget: its bytes, and where slots share theirs as many as the
	// offsets would take that are followed.
	//
	// Vectors are the vectors whose elements need no alignment beyond that of
	// the length word, and nothing else. Most leaves of most trees hold only
	// those and Texts. Child is the slot of the only other step, where that is a table.
	kernel.Shape

	// Steps is the rest of what is to follow. Those that lead to one table come last.
	Steps []Step

	// Long says that sixteen bytes of a vtable do not tell whether it is that of the shape:
	// there are more, or fields that the schema does not know.
	Long bool

	// Passing says that the shape is only lent: the next vtable may take its place.
	Passing bool

	// The vtable's bytes, as far as known fields go: sixteen of them as two numbers
	// under masks, and where there are more, the last sixteen. Few vtables are longer.
	word, mask [2]uint64
	tail       [2]uint64
	key        string
	size       uint64 // of the whole vtable
	table      *Table
}

// Never is a Reach that no buffer has.
const Never = ^uint64(0)

// Step is one offset to follow, or one union to look at.
type Step struct {
	Op    StepOp
	Slot  uint16 // where the offset, or the union's tag, is in the table
	Slot2 uint16 // where the union's value is; 0 when it is absent
	Size  uint32 // of an element
	Mask  uint32 // alignment minus one of an element

	Table *Table
	Union *Union
	Field *Field

	// Next is the shape that a table behind this step had when one was last
	// looked for: most often the next one has it too.
	Next *Hint
}

// Hint is a guess at a shape: the one that was met in a place. It is shared by all
// runs. Use [NewHint].
type Hint struct{ last atomic.Pointer[Shape] }

// none is the shape of no vtable: no number without bits has one, and no size is one.
var none = &Shape{word: [2]uint64{1, 1}, key: "\x01\x00", size: Never}

// NewHint returns a hint that fits no vtable.
func NewHint() *Hint {
	h := new(Hint)
	h.last.Store(none)
	return h
}

// Peek is how many bytes of a vtable, and of the buffer behind it, [Shape.Begins]
// wants to see.
const Peek = 16

// Last returns the shape that the hint holds, never nil.
func (h *Hint) Last() *Shape { return h.last.Load() }

// Set makes s what the hint holds.
func (h *Hint) Set(s *Shape) { h.last.Store(s) }

// Empty reports whether the hint holds nothing yet.
func (h *Hint) Empty() bool { return h.last.Load() == none }

// Begins reports whether a vtable that starts with these sixteen bytes may be that
// of s. It is, unless s is Long, which is for [Shape.Ends] to say.
func (s *Shape) Begins(a, b uint64) bool {
	return (a&s.mask[0]^s.word[0])|(b&s.mask[1]^s.word[1]) == 0
}

// IsOf reports whether s is a shape of tables of type t.
func (s *Shape) IsOf(t *Table) bool { return s.table == t }

// Size returns the number of bytes of the shape's vtable.
func (s *Shape) Size() uint64 { return s.size }

// Ends reports whether the vtable at p, which begins as that of s, also goes on
// like it. Peek bytes can be read from p on, and room in all.
func (s *Shape) Ends(p unsafe.Pointer, room uint64) bool {
	k := uintptr(len(s.key))
	if s.size > room {
		return false
	}
	if k <= Peek {
		return true
	}
	if (mem.Load64(p, k-16)^s.tail[0])|(mem.Load64(p, k-8)^s.tail[1]) != 0 {
		return false
	}
	return k <= 2*Peek || unsafe.String((*byte)(p), k) == s.key
}

// StepOp is what a step does.
type StepOp uint8

// The step ops.
const (
	StepVector StepOp = iota // vector of elements of Size bytes that are aligned
	StepText                 // a string, of which all is asked
	StepString               // a string, of which less is asked
	StepBinary               // a string of any bytes
	StepStrings
	StepNested
	StepNoUnion    // a union's tag without a value
	StepImpossible // half a vector of unions: never sound

	StepTable
	StepTables
	StepUnion
	StepUnions
	StepWide // anything with a 64-bit offset or length: Field tells what; rare
)

// last is one for what leads to one table, and nought for the rest.
func (op StepOp) last() int {
	if op == StepTable || op == StepUnion {
		return 1
	}
	return 0
}

// VTableKey returns the part of a vtable's bytes that a shape of t depends on:
// its size word and the slots of known fields. The declared table size, the
// second word, matters to Strict only.
func (t *Table) VTableKey(vtable []byte) []byte {
	return vtable[:min(len(vtable), rule.VTableHeader+2*len(t.Fields))]
}

// Is reports whether s, which may be nil, is the shape of the vtable for its own
// table type.
func (s *Shape) Is(vtable []byte) bool {
	if s == nil {
		return false
	}
	k := len(s.key)
	return k <= len(vtable) && string(vtable[:k]) == s.key
}

// Shape compiles a vtable, given from its first byte to its last (its size word
// was checked to be even, at least 4, and inside the buffer).
func (t *Table) Shape(vtable []byte, flags Flags) *Shape {
	s := &Shape{}
	s.compile(t, vtable, flags, func(*Table) *Hint { return NewHint() })
	s.setKey(string(t.VTableKey(vtable)))
	return s
}

// Loan is the memory of a shape that is only lent.
type Loan struct {
	shape   Shape
	vectors []kernel.Vector
	texts   []uint16
	steps   []Step
}

// Lend is Shape without an allocation, once the loan is large enough: what it held
// before is gone. Such a shape does not know its vtable, and its steps share the hints
// that the tables have.
func (c *Shapes) Lend(l *Loan, t *Table, vtable []byte, flags Flags) *Shape {
	s := &l.shape
	*s = Shape{Passing: true, Steps: l.steps[:0]}
	s.Vectors, s.Texts = l.vectors[:0], l.texts[:0]
	s.compile(t, vtable, flags, func(t *Table) *Hint { return &c.Last[t.ID] })
	l.vectors, l.texts, l.steps = s.Vectors, s.Texts, s.Steps
	return s
}

// compile fills s, which is empty.
func (s *Shape) compile(t *Table, vtable []byte, flags Flags, hint func(*Table) *Hint) {
	s.table, s.size = t, uint64(len(vtable))
	s.Reach, s.Mask, s.Even = rule.OffsetSize, rule.OffsetSize-1, true
	bad := false
	if flags&SkipAlignment != 0 {
		s.Mask = 0
	}
	slot := func(id int) uint16 {
		if at := rule.VTableHeader + 2*id; at+2 <= len(vtable) {
			return binary.LittleEndian.Uint16(vtable[at:])
		}
		return 0
	}
	for _, id := range t.Required {
		bad = bad || slot(int(id)) == 0
	}
	slots := vtable[rule.VTableHeader:]
	for id := 0; id < len(t.Fields) && 2*id < len(slots); id++ {
		// Most slots of long vtables are of absent fields: four at a time.
		if id%4 == 0 && len(slots)-2*id >= 8 && binary.LittleEndian.Uint64(slots[2*id:]) == 0 {
			id += 3
			continue
		}
		f := &t.Fields[id]
		off := binary.LittleEndian.Uint16(slots[2*id:])
		if f.Op == Skipped || off == 0 {
			continue
		}
		s.Reach = max(s.Reach, uint64(off)+uint64(f.Size))
		if flags&SkipAlignment == 0 {
			bad = !s.align(uint64(off), uint64(f.Align)) || bad
		}
		// A union's value may be there without its tag: it reads as NONE, and
		// nobody follows it. A vector of tags without values, or of values
		// without tags, has no such reading.
		if f.Op == UnionTagVector && slot(id+1) == 0 {
			s.Steps = append(s.Steps, Step{Op: StepImpossible})
		}
		if step, ok := stepOf(f, off, id, slot, flags); ok {
			s.add(step, flags, hint)
		}
	}
	s.Bytes = s.Reach + rule.OffsetSize*uint64(len(s.Vectors))
	offsets := rule.OffsetSize * uint64(1+len(s.Vectors)+len(s.Texts)+len(s.Steps))
	s.Work = int64(max(s.Reach, offsets))
	slices.SortStableFunc(s.Steps, func(a, b Step) int { return a.Op.last() - b.Op.last() })
	if len(s.Steps) == 1 && s.Steps[0].Op == StepTable {
		s.Child = uint64(s.Steps[0].Slot)
	}
	s.Simple = len(s.Steps) == 0 || s.Child != 0
	if bad {
		s.Reach = Never
	}
}

// setKey keeps the vtable's bytes.
func (s *Shape) setKey(key string) {
	s.key = key
	s.Long = s.size > Peek
	var word, mask, tail [Peek]byte
	for i := range copy(word[:], key) {
		mask[i] = 0xff
	}
	copy(tail[:], key[max(0, len(key)-Peek):])
	for i := range s.word {
		s.word[i] = binary.LittleEndian.Uint64(word[8*i:])
		s.mask[i] = binary.LittleEndian.Uint64(mask[8*i:])
		s.tail[i] = binary.LittleEndian.Uint64(tail[8*i:])
	}
}

// align adds the condition that (position + off) is a multiple of a. It returns
// whether that can be.
func (s *Shape) align(off, a uint64) bool {
	mask := a - 1
	want := -off & mask
	// The weaker of the two conditions must be implied by the stronger.
	common := mask & s.Mask
	possible := (want^s.Want)&common == 0
	if mask > s.Mask {
		s.Mask, s.Want = mask, want
	}
	return possible
}

// add adds a step, where it can be checked best.
func (s *Shape) add(step Step, flags Flags, hint func(*Table) *Hint) {
	switch {
	case step.Op == StepVector && step.Mask < rule.OffsetSize:
		s.Vectors = append(s.Vectors, kernel.Vector{
			Slot: uint32(step.Slot), Size: step.Size, Shift: uint32(bits.TrailingZeros32(step.Size)),
		})
		s.Even = s.Even && step.Size&(step.Size-1) == 0
		return
	case step.Op == StepString && flags&SkipTerminator == 0:
		s.Texts = append(s.Texts, step.Slot)
		return
	case step.Table != nil:
		step.Next = hint(step.Table)
	}
	s.Steps = append(s.Steps, step)
}

// stepOf returns the step for a present field, if there is anything to follow.
func stepOf(f *Field, off uint16, id int, slot func(int) uint16, flags Flags) (step Step, ok bool) {
	step = Step{Slot: off, Size: f.ElemSize, Table: f.Table, Union: f.Union, Field: f}
	if flags&SkipAlignment == 0 && f.ElemAlign > 0 {
		step.Mask = f.ElemAlign - 1
	}
	if f.Wide || f.Long {
		step.Op = StepWide
		return step, true
	}
	switch f.Op {
	case Inline, UnionTagVector:
		return step, false // tags in a vector are checked with their values
	case UnionTag:
		step.Op = StepNoUnion
		return step, slot(id+1) == 0
	case UnionValue:
		tag := slot(id - 1)
		step.Op, step.Slot, step.Slot2 = StepUnion, tag, off
		return step, tag != 0
	case UnionVector:
		tag := slot(id - 1)
		if tag == 0 {
			step.Op = StepImpossible
		} else {
			step.Op, step.Slot, step.Slot2 = StepUnions, tag, off
		}
	case String:
		step.Op = StepString
	case Binary:
		step.Op = StepBinary
	case SubTable:
		step.Op = StepTable
	case ScalarVector, NestedBuffer:
		step.Op = StepVector
		if f.Op == NestedBuffer && flags&SkipNested == 0 {
			step.Op = StepNested
		}
	case StringVector:
		step.Op = StepStrings
	case TableVector:
		step.Op = StepTables
	}
	return step, true
}
