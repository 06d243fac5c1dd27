package program

import (
	"encoding/binary"
	"math/bits"
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
// and each of the Vectors and of the Steps holds.
type Shape struct {
	// What kernels know of it.
	//
	// Reach is the number of bytes from the table's start to the end of its
	// furthest known field, at least 4; or Never when no table of this shape is
	// sound: a required field is absent, or two fields ask for alignments that
	// exclude each other. Mask is the alignment minus one of the table's most
	// aligned present field, at least 3. Bytes is what such a table counts for
	// without what its steps count: Reach, and the length words of Vectors.
	//
	// Vectors are the vectors whose elements need no alignment beyond that of
	// the length word, and nothing else. Most leaves of most trees hold only
	// those. Child is the slot of the only step, where that is a table.
	kernel.Shape

	// Steps is the rest of what is to follow.
	Steps []Step

	// Containers says that Steps lead to vectors of strings, of tables and of
	// unions, and to nested buffers, if to anything.
	Containers bool

	// The vtable's bytes, as far as known fields go. The first sixteen are kept
	// as two numbers with masks, since few vtables are longer.
	word, mask [2]uint64
	key        string
	size       uint64 // of the whole vtable
	short      uint64 // the same, or Never when word does not hold all of key
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

// Hint is a guess at a shape: the last two that were met in one place. It is
// shared by all runs.
type Hint struct{ last, before atomic.Pointer[Shape] }

// Peek is how many bytes of a vtable, and of the buffer behind it, [Shape.Begins]
// wants to see.
const Peek = 16

// Last returns the last shape, nil at first.
func (h *Hint) Last() *Shape { return h.last.Load() }

// Begins reports whether a vtable that starts with these sixteen bytes, and has
// room bytes of the buffer before it ends, is that of s. It is for vtables of
// which sixteen bytes tell all; for longer ones it says no.
func (s *Shape) Begins(a, b, room uint64) bool {
	return (a^s.word[0])&s.mask[0]|(b^s.word[1])&s.mask[1] == 0 && s.short <= room
}

// Guess returns the shape of the vtable at p if it is one of the two, and nil
// otherwise. The buffer ends room bytes from there, which are at least sixteen.
func (h *Hint) Guess(p unsafe.Pointer, room uint64) *Shape {
	a, b := mem.Load64(p, 0), mem.Load64(p, 8)
	s := h.last.Load()
	if s == nil || (a^s.word[0])&s.mask[0]|(b^s.word[1])&s.mask[1] != 0 {
		if s = h.before.Load(); s == nil || (a^s.word[0])&s.mask[0]|(b^s.word[1])&s.mask[1] != 0 {
			return nil
		}
	}
	if s.size > room || len(s.key) > Peek && string(unsafe.Slice((*byte)(p), len(s.key))) != s.key {
		return nil
	}
	return s
}

// Find returns the shape of the vtable if it is one of the two, and nil
// otherwise.
func (h *Hint) Find(vtable []byte) *Shape {
	if s := h.last.Load(); s.Is(vtable) {
		return s
	}
	if s := h.before.Load(); s.Is(vtable) {
		return s
	}
	return nil
}

// Set makes s the last one.
func (h *Hint) Set(s *Shape) {
	h.before.Store(h.last.Load())
	h.last.Store(s)
}

// StepOp is what a step does.
type StepOp uint8

// The step ops.
const (
	StepVector StepOp = iota // vector of elements of Size bytes that are aligned
	StepString
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
	s := &Shape{table: t, size: uint64(len(vtable))}
	s.Reach, s.Mask, s.Even = rule.OffsetSize, rule.OffsetSize-1, true
	s.setKey(t.VTableKey(vtable))
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
			s.add(Step{Op: StepImpossible})
		}
		s.follow(f, off, id, slot, flags)
	}
	s.Bytes = s.Reach + rule.OffsetSize*uint64(len(s.Vectors))
	if len(s.Steps) == 1 && s.Steps[0].Op == StepTable {
		s.Child = uint64(s.Steps[0].Slot)
	}
	s.Containers = true
	for i := range s.Steps {
		switch s.Steps[i].Op {
		case StepStrings, StepTables, StepUnions, StepNested:
		default:
			s.Containers = false
		}
	}
	s.Simple = len(s.Steps) == 0 || s.Child != 0
	if bad {
		s.Reach = Never
	}
	return s
}

// setKey keeps the vtable's bytes.
func (s *Shape) setKey(key []byte) {
	s.key = string(key)
	var word, mask [Peek]byte
	for i := range copy(word[:], key) {
		mask[i] = 0xff
	}
	s.short = s.size
	if len(key) > Peek {
		s.short = Never
	}
	for i := range s.word {
		s.word[i] = binary.LittleEndian.Uint64(word[8*i:])
		s.mask[i] = binary.LittleEndian.Uint64(mask[8*i:])
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

func (s *Shape) add(step Step) {
	if step.Op == StepVector && step.Mask < rule.OffsetSize {
		s.Vectors = append(s.Vectors, kernel.Vector{
			Slot: uint32(step.Slot), Size: step.Size, Shift: uint32(bits.TrailingZeros32(step.Size)),
		})
		s.Even = s.Even && step.Size&(step.Size-1) == 0
		return
	}
	s.Steps = append(s.Steps, step)
}

// follow adds the step for a present field.
func (s *Shape) follow(f *Field, off uint16, id int, slot func(int) uint16, flags Flags) {
	step := Step{Slot: off, Size: f.ElemSize, Table: f.Table, Union: f.Union, Field: f}
	if f.Table != nil {
		step.Next = new(Hint)
	}
	if flags&SkipAlignment == 0 && f.ElemAlign > 0 {
		step.Mask = f.ElemAlign - 1
	}
	if f.Wide || f.Long {
		step.Op = StepWide
		s.add(step)
		return
	}
	switch f.Op {
	case Inline, UnionTagVector:
		return // tags in a vector are checked with their values
	case UnionTag:
		if slot(id+1) == 0 {
			step.Op = StepNoUnion
			s.add(step)
		}
		return
	case UnionValue:
		tag := slot(id - 1)
		if tag == 0 {
			return
		}
		step.Op, step.Slot, step.Slot2 = StepUnion, tag, off
	case UnionVector:
		tag := slot(id - 1)
		if tag == 0 {
			step.Op = StepImpossible
		} else {
			step.Op, step.Slot, step.Slot2 = StepUnions, tag, off
		}
	case String:
		step.Op = StepString
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
	s.add(step)
}
