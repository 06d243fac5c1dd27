package machine

import (
	"math/bits"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/rule"
)

// elements checks a vector of elements of `size` bytes, aligned by mask, and
// returns where its elements start and how many there are. An empty vector may
// be misaligned: some writers leave them so, and nothing is read there.
func (m *machine) elements(at, size, mask uint64) (data, count uint64, ok bool) {
	pos, ok := m.buffer().follow(at)
	if !ok || pos&m.Align != 0 {
		return 0, 0, false
	}
	count = uint64(m.buffer().u32(pos))
	data = pos + 4
	// Both factors are below 1<<32, so the product does not overflow.
	bytes := count * size
	if bytes > m.N-data || data&mask != 0 && count != 0 {
		return 0, 0, false
	}
	m.Bytes += 4 + bytes
	return data, count, true
}

// unions checks a vector of unions, which is two vectors: the offset at tagsAt
// leads to that of tags, the one at valuesAt to that of offsets to values.
func (m *machine) unions(tagsAt, valuesAt uint64, u *program.Union, depth int) bool {
	tags, n, ok := m.elements(tagsAt, uint64(u.TagSize), uint64(u.TagSize-1)&m.elemAlign())
	if !ok {
		return false
	}
	values, count, ok := m.elements(valuesAt, 4, m.Align)
	if !ok || n != count {
		return false
	}
	if m.Left -= elementBytes * int64(count); m.Left < 0 {
		return false
	}
	for i := range count {
		tag := tags + i*uint64(u.TagSize)
		if member := m.tagged(tag, u); member == nil {
			m.pass(tag, u)
		} else if !m.member(member, values+4*i, depth) {
			return false
		}
	}
	return true
}

// pass notes that the value of a union is not followed, whose tag at `at` is that of no
// member: a newer writer's, or NONE.
func (m *machine) pass(at uint64, u *program.Union) {
	for i := range uint64(u.TagSize) {
		m.unknown = m.unknown || m.buffer().u8(at+i) != 0
	}
}

// elemAlign is a mask for alignments: all of it, or nothing when alignment is
// skipped.
func (m *machine) elemAlign() uint64 { return -(m.Align & 1) }

// member checks the value of a union, at the end of the offset at `at`.
func (m *machine) member(member *program.Member, at uint64, depth int) bool {
	switch member.Op {
	case program.SubTable:
		// The hint of a type stands for its tables elsewhere; elements are more like one another.
		b := m.buffer()
		pos, ok := b.follow(at)
		if !ok {
			return false
		}
		shape := m.known(b.vtable(pos), member.Table)
		if shape == nil {
			return m.tableAt(at, member.Table, m.shapes.Hint(member.Table), depth)
		}
		m.Tables++
		return depth <= m.maxDepth && m.Tables <= m.maxTables && m.table(pos, shape, depth)
	case program.String:
		return m.str(at)
	}
	uo := uint64(m.buffer().u32(at))
	pos := at + uo
	m.Bytes += uint64(member.Size)
	return uo != 0 && pos&uint64(member.Align-1)&m.elemAlign() == 0 && rule.Fits(pos, uint64(member.Size), m.N)
}

// tagged returns the member that the tag at `at` stands for, nil for NONE and
// unknown ones. The tag's bytes are inside the buffer.
func (m *machine) tagged(at uint64, u *program.Union) *program.Member {
	if u.Bytes {
		return u.ByByte(m.buffer().u8(at))
	}
	return m.wideTagged(at, u)
}

// wideTagged is tagged for tags that are no unsigned bytes.
func (m *machine) wideTagged(at uint64, u *program.Union) *program.Member {
	var v uint64
	switch u.TagSize {
	case 1:
		v = uint64(m.buffer().u8(at))
	case 2:
		v = uint64(m.buffer().u16(at))
	case 4:
		v = uint64(m.buffer().u32(at))
	default:
		v = m.buffer().u64(at)
	}
	if u.Signed {
		unused := 64 - 8*u.TagSize
		return u.Member(int64(v<<unused) >> unused)
	}
	return u.Member(int64(v))
}

// wideStep does what the other steps do, for a field with a 64-bit offset or a
// 64-bit length.
func (m *machine) wideStep(at uint64, s *program.Step, depth int) bool {
	f := s.Field
	var uo uint64
	if f.Wide {
		uo = m.buffer().u64(at)
	} else {
		uo = uint64(m.buffer().u32(at))
	}
	head := uint64(rule.OffsetSize)
	if f.Long {
		head = rule.Offset64Size
	}
	pos, carry := bits.Add64(at, uo, 0)
	if uo == 0 || carry != 0 || pos&(head-1)&m.elemAlign() != 0 || pos&m.Align != 0 || !rule.Fits(pos, head, m.N) {
		return false
	}
	var count uint64
	if f.Long {
		count = m.buffer().u64(pos)
	} else {
		count = uint64(m.buffer().u32(pos))
	}
	data := pos + head
	if f.Op == program.String {
		return m.text(data, count, head)
	}
	if !rule.VectorFits(data, count, uint64(s.Size), m.N) || data&uint64(s.Mask) != 0 && count != 0 {
		return false
	}
	m.Bytes += head + count*uint64(s.Size)
	if f.Op == program.NestedBuffer {
		return m.flags&program.SkipNested != 0 || m.nested(data, count, f.Table, depth)
	}
	return f.Op == program.ScalarVector // no schema has other vectors behind such offsets
}
