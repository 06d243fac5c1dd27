package program

import (
	"encoding/binary"
	"sync/atomic"

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
// and each of the Steps holds.
type Shape struct {
	Reach uint64 // bytes from the table's start to the end of its furthest known field; at least 4
	Mask  uint64 // alignment minus one of the table's most aligned present field; at least 3
	Want  uint64

	// Bad says that no table of this shape is sound: a required field is
	// absent, or two fields ask for alignments that exclude each other.
	Bad bool

	// Flat says that no step leads to another table: all of them can be run
	// where the table is met.
	Flat bool

	// Plain says that the steps are vectors whose elements need no alignment
	// beyond that of the length word, and nothing else: Vectors has them in
	// short. Most leaves of most trees are plain.
	Plain   bool
	Vectors []PlainVector

	// Bytes is what such a table counts for without what its steps count:
	// Reach, and for plain shapes also the length words.
	Bytes uint64

	Steps []Step

	key   string // the vtable's bytes, as far as known fields go
	table *Table
}

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

// PlainVector is a step of a plain shape.
type PlainVector struct {
	Slot uint32 // where the offset is in the table
	Size uint32 // of an element
}

// Hint is a guess at a shape: the last two that were met in one place. It is
// shared by all runs.
type Hint struct{ last, before atomic.Pointer[Shape] }

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

// The step ops. From StepTable on they may lead to other tables.
const (
	StepVector StepOp = iota // vector of elements of Size bytes
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

// Descends reports whether the step may lead to a table.
func (op StepOp) Descends() bool { return op >= StepTable }

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
	s := &Shape{Reach: rule.OffsetSize, Mask: rule.OffsetSize - 1, Flat: true, table: t, key: string(t.VTableKey(vtable))}
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
		s.Bad = s.Bad || slot(int(id)) == 0
	}
	for id := range t.Fields {
		f := &t.Fields[id]
		off := slot(id)
		if f.Op == Skipped {
			continue
		}
		if off == 0 {
			// A union's value may be there without its tag: it reads as NONE,
			// and nobody follows it. A vector of tags without values, or of
			// values without tags, has no such reading.
			if f.Op == UnionVector && slot(id-1) != 0 {
				s.add(Step{Op: StepImpossible})
			}
			continue
		}
		s.Reach = max(s.Reach, uint64(off)+uint64(f.Size))
		if flags&SkipAlignment == 0 {
			s.align(uint64(off), uint64(f.Align))
		}
		s.follow(f, off, id, slot, flags)
	}
	s.Plain = true
	for i := range s.Steps {
		step := &s.Steps[i]
		s.Plain = s.Plain && step.Op == StepVector && step.Mask < rule.OffsetSize
		s.Vectors = append(s.Vectors, PlainVector{uint32(step.Slot), step.Size})
	}
	s.Bytes = s.Reach
	if s.Plain {
		s.Bytes += rule.OffsetSize * uint64(len(s.Vectors))
	} else {
		s.Vectors = nil
	}
	return s
}

// align adds the condition that (position + off) is a multiple of a.
func (s *Shape) align(off, a uint64) {
	mask := a - 1
	want := -off & mask
	// The weaker of the two conditions must be implied by the stronger.
	common := mask & s.Mask
	if (want^s.Want)&common != 0 {
		s.Bad = true
	}
	if mask > s.Mask {
		s.Mask, s.Want = mask, want
	}
}

func (s *Shape) add(step Step) {
	s.Steps = append(s.Steps, step)
	s.Flat = s.Flat && !step.Op.Descends()
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
