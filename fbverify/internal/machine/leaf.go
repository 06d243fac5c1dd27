package machine

import (
	"math/bits"
	"unicode/utf8"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/rule"
)

// leaf runs a step that cannot lead to another table.
func (m *machine) leaf(pos uint64, s *program.Step, depth int32) bool {
	at := pos + uint64(s.Slot)
	switch s.Op {
	case program.StepVector:
		_, _, ok := m.elements(at, uint64(s.Size), uint64(s.Mask))
		return ok
	case program.StepString:
		return m.str(at)
	case program.StepStrings:
		return m.strings(at)
	case program.StepNested:
		data, size, ok := m.elements(at, 1, 0)
		return ok && m.laterNested(data, size, s.Table, depth+1)
	case program.StepNoUnion:
		return s.Union.Member(m.tag(at, s.Union)) == nil
	}
	return false // StepImpossible
}

// target follows the offset at `at`, whose own bytes are inside the buffer, to
// a length word that is inside it too.
func (m *machine) target(at uint64) (pos uint64, ok bool) {
	uo := uint64(m.u32(at))
	pos = at + uo
	return pos, uo != 0 && pos&m.align == 0 && pos+4 <= m.n
}

// elements checks a vector of elements of `size` bytes, aligned by mask, and
// returns where its elements start and how many there are. An empty vector may
// be misaligned: old writers left them so, and nothing is read there.
func (m *machine) elements(at, size, mask uint64) (data, count uint64, ok bool) {
	pos, ok := m.target(at)
	if !ok {
		return 0, 0, false
	}
	count = uint64(m.u32(pos))
	data = pos + 4
	// Both factors are below 1<<32, so the product does not overflow.
	bytes := count * size
	if bytes > m.n-data || data&mask != 0 && count != 0 {
		return 0, 0, false
	}
	m.bytes += 4 + bytes
	return data, count, true
}

// tables32 checks the head of a vector of tables and returns the bounds of its
// offsets.
func (m *machine) tables32(at uint64, depth int32) (first, end uint64, ok bool) {
	data, count, ok := m.elements(at, 4, m.align)
	if !ok {
		return 0, 0, false
	}
	return data, data + 4*count, m.countTables(count, depth)
}

// countTables counts the elements of a vector of tables before they are met.
func (m *machine) countTables(count uint64, depth int32) bool {
	m.tables += count
	return count == 0 || depth <= m.maxDepth && m.tables <= m.maxTables
}

// unionVector checks the two vectors of a vector of unions and returns the
// bounds of the values' offsets, and where the tags start.
func (m *machine) unionVector(tagsAt, valuesAt uint64, u *program.Union) (first, end, tags uint64, ok bool) {
	tags, n, ok := m.elements(tagsAt, uint64(u.TagSize), uint64(u.TagSize-1)&m.elemAlign())
	if !ok {
		return 0, 0, 0, false
	}
	values, count, ok := m.elements(valuesAt, 4, m.align)
	if !ok || n != count {
		return 0, 0, 0, false
	}
	m.items += count
	return values, values + 4*count, tags, m.items <= m.maxItems
}

// elemAlign is a mask for alignments: all of it, or nothing when alignment is
// skipped.
func (m *machine) elemAlign() uint64 { return -(m.align & 1) }

// member checks the value of a union, at the end of the offset at `at`. Of a
// table it checks the head and returns its place and shape: the steps are for
// the caller. Tags that the schema does not know are a newer writer's, and never
// followed.
func (m *machine) member(u *program.Union, tag int64, at uint64, depth int32) (uint64, *program.Shape, bool) {
	member := u.Member(tag)
	if member == nil {
		return 0, nil, true
	}
	switch member.Op {
	case program.SubTable:
		pos, shape := m.child(at, member.Table, &m.shapes.Last[member.Table.ID], depth)
		return pos, shape, shape != nil
	case program.String:
		return 0, nil, m.str(at)
	}
	uo := uint64(m.u32(at))
	pos := at + uo
	m.bytes += uint64(member.Size)
	return 0, nil, uo != 0 && pos&uint64(member.Align-1)&m.elemAlign() == 0 && rule.Fits(pos, uint64(member.Size), m.n)
}

// tag reads a union's tag; its bytes are inside the buffer.
func (m *machine) tag(at uint64, u *program.Union) int64 {
	var v uint64
	switch u.TagSize {
	case 1:
		v = uint64(m.u8(at))
	case 2:
		v = uint64(m.u16(at))
	case 4:
		v = uint64(m.u32(at))
	default:
		v = m.u64(at)
	}
	if u.Signed {
		unused := 64 - 8*u.TagSize
		return int64(v<<unused) >> unused
	}
	return int64(v)
}

// str checks the string that the offset at `at` leads to.
func (m *machine) str(at uint64) bool {
	pos, ok := m.target(at)
	return ok && m.text(pos+4, uint64(m.u32(pos)), 4)
}

// text checks the bytes of a string whose length word, of `head` bytes, was
// read already.
func (m *machine) text(data, size, head uint64) bool {
	end := uint64(1)
	if m.flags&program.SkipTerminator != 0 {
		end = 0
	}
	// data <= n, since the length word is inside the buffer.
	if size > m.n-data || size+end > m.n-data || end != 0 && m.u8(data+size) != 0 {
		return false
	}
	m.bytes += head + size + end
	if m.flags&program.SkipUTF8 != 0 {
		return true
	}
	if m.textBytes += size; m.textBytes > m.maxText {
		return false
	}
	return utf8.Valid(m.slice(data, size))
}

func (m *machine) strings(at uint64) bool {
	data, count, ok := m.elements(at, 4, m.align)
	if !ok {
		return false
	}
	return m.stringElements(data, count)
}

func (m *machine) stringElements(data, count uint64) bool {
	if m.items += count; m.items > m.maxItems {
		return false
	}
	for at := data; at < data+4*count; at += 4 {
		if !m.str(at) {
			return false
		}
	}
	return true
}

// laterNested puts a nested buffer on the list of those still to walk.
func (m *machine) laterNested(data, size uint64, t *program.Table, depth int32) bool {
	// A nested buffer takes twelve bytes and more; counting it as three elements
	// keeps the list of them in proportion.
	if m.items += 3; m.items > m.maxItems {
		return false
	}
	m.nested = append(m.nested, nested{m.origin + data, size, t, depth})
	return true
}

// wideStep does what the steps above do, for a field with a 64-bit offset or a
// 64-bit length. For a vector of tables it returns the bounds of its offsets.
func (m *machine) wideStep(at uint64, s *program.Step, depth int32) (first, end uint64, ok bool) {
	f := s.Field
	var uo uint64
	if f.Wide {
		uo = m.u64(at)
	} else {
		uo = uint64(m.u32(at))
	}
	head := uint64(rule.OffsetSize)
	if f.Long {
		head = rule.Offset64Size
	}
	pos, carry := bits.Add64(at, uo, 0)
	if uo == 0 || carry != 0 || pos&(head-1)&m.elemAlign() != 0 || pos&m.align != 0 || !rule.Fits(pos, head, m.n) {
		return 0, 0, false
	}
	var count uint64
	if f.Long {
		count = m.u64(pos)
	} else {
		count = uint64(m.u32(pos))
	}
	data := pos + head
	if f.Op == program.String {
		return 0, 0, m.text(data, count, head)
	}
	if !rule.VectorFits(data, count, uint64(s.Size), m.n) || data&uint64(s.Mask) != 0 && count != 0 {
		return 0, 0, false
	}
	m.bytes += head + count*uint64(s.Size)
	switch f.Op {
	case program.TableVector:
		return data, data + 4*count, m.countTables(count, depth)
	case program.StringVector:
		return 0, 0, m.stringElements(data, count)
	case program.NestedBuffer:
		return 0, 0, m.flags&program.SkipNested != 0 || m.laterNested(data, count, f.Table, depth)
	}
	return 0, 0, f.Op == program.ScalarVector
}
