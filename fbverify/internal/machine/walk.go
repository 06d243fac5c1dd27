package machine

import "github.com/fbverify/go/fbverify/internal/program"

// noVTable is what no table's position minus its vtable offset gives, however
// hostile: that is below 1<<62, or a negative int32 that wrapped around.
const noVTable = uint64(1) << 63

// follow follows the offset at `at`, whose own bytes are inside the buffer, to
// something whose first four bytes are inside it too. Nobody has looked at its
// alignment yet; reading at a misaligned position does no harm.
//
// With room the bytes between `at` and the last four of the buffer, the offset
// may be 1 to room: one comparison, since 0-1 wraps around.
func (m *machine) follow(at uint64) (pos uint64, ok bool) {
	uo := uint64(m.u32(at))
	return at + uo, uo-1 < m.n-4-at
}

// table checks the table that the offset at `at` leads to.
func (m *machine) table(at uint64, t *program.Table, hint *program.Hint, depth int) bool {
	pos, ok := m.follow(at)
	m.tables++
	if !ok || depth > m.maxDepth || m.tables > m.maxTables {
		return false
	}
	shape := m.shape(pos-uint64(int64(int32(m.u32(pos)))), t, hint)
	if shape == nil || shape.Reach > m.n-pos || pos&shape.Mask != shape.Want {
		return false
	}
	if m.inlineLeft -= int64(shape.Reach); m.inlineLeft < 0 {
		return false
	}
	return m.vectors(pos, shape) && (len(shape.Steps) == 0 || m.steps(pos, shape, depth))
}

// vectors checks the vectors of numbers of a table whose head was checked, and
// counts them and the table's own bytes.
func (m *machine) vectors(pos uint64, shape *program.Shape) bool {
	b := m.buffer
	unaligned, bytes := pos, shape.Bytes
	for i := range shape.Vectors {
		v := &shape.Vectors[i]
		at := pos + uint64(v.Slot)
		room := b.n - 4 - at // the slot is inside the buffer
		uo := uint64(b.u32(at))
		if uo-1 >= room {
			return false
		}
		at += uo
		size := uint64(b.u32(at)) * uint64(v.Size) // both are below 1<<32
		if size > room-uo {
			return false
		}
		unaligned |= at
		bytes += size
	}
	m.bytes += bytes
	return unaligned&m.align == 0
}

// siblings checks the elements of a vector of tables whose offsets lie from `at`
// to end.
//
// This is where the time goes, so the code of table and vectors stands here once
// more, with what does not change kept in variables, and alignments gathered and
// looked at once for each table.
func (m *machine) siblings(at, end uint64, s *program.Step, depth int) bool {
	b, align, inline, sum := m.buffer, m.align, m.inlineLeft, uint64(0)
	shape, other := (*program.Shape)(nil), (*program.Shape)(nil)
	vtable, older := noVTable, noVTable
	for ; at < end; at += 4 {
		uo := uint64(b.u32(at))
		if uo-1 >= b.n-4-at {
			return false
		}
		pos := at + uo
		if vt := pos - uint64(int64(int32(b.u32(pos)))); vt != vtable {
			// Siblings often alternate between two vtables.
			shape, other, vtable, older = other, shape, older, vtable
			if vt != vtable {
				if shape = m.shape(vt, s.Table, s.Next); shape == nil {
					return false
				}
				vtable = vt
			}
		}
		if shape.Reach > b.n-pos || pos&shape.Mask != shape.Want {
			return false
		}
		if inline -= int64(shape.Reach); inline < 0 {
			m.inlineLeft = inline
			return false
		}
		unaligned, bytes := pos, shape.Bytes
		for i := range shape.Vectors {
			v := &shape.Vectors[i]
			at := pos + uint64(v.Slot)
			room := b.n - 4 - at
			uo := uint64(b.u32(at))
			if uo-1 >= room {
				return false
			}
			at += uo
			size := uint64(b.u32(at)) * uint64(v.Size)
			if size > room-uo {
				return false
			}
			unaligned |= at
			bytes += size
		}
		if unaligned&align != 0 {
			return false
		}
		sum += bytes
		if len(shape.Steps) > 0 {
			m.inlineLeft = inline
			if !m.steps(pos, shape, depth) {
				return false
			}
			inline = m.inlineLeft
		}
	}
	m.inlineLeft = inline
	m.bytes += sum
	return true
}

// steps runs the steps of a table whose head and vectors of numbers were checked.
func (m *machine) steps(pos uint64, shape *program.Shape, depth int) bool {
	for i := range shape.Steps {
		s := &shape.Steps[i]
		at := pos + uint64(s.Slot)
		ok := false
		switch s.Op {
		case program.StepTable:
			ok = m.table(at, s.Table, s.Next, depth+1)
		case program.StepTables:
			var data, count uint64
			if data, count, ok = m.elements(at, 4, m.align); ok && count > 0 {
				ok = m.tablesFrom(data, count, s, depth+1)
			}
		case program.StepVector:
			_, _, ok = m.elements(at, uint64(s.Size), uint64(s.Mask))
		case program.StepString:
			ok = m.str(at)
		case program.StepStrings:
			ok = m.strings(at)
		case program.StepUnion:
			ok = m.member(s.Union, m.tag(at, s.Union), pos+uint64(s.Slot2), depth+1)
		case program.StepUnions:
			ok = m.unions(at, pos+uint64(s.Slot2), s.Union, depth+1)
		case program.StepNested:
			var data, size uint64
			data, size, ok = m.elements(at, 1, 0)
			ok = ok && m.laterNested(data, size, s.Table, depth+1)
		case program.StepNoUnion:
			ok = s.Union.Member(m.tag(at, s.Union)) == nil
		case program.StepWide:
			ok = m.wideStep(at, s, depth+1)
		}
		if !ok { // StepImpossible, too
			return false
		}
	}
	return true
}

// tablesFrom checks a vector of tables whose offsets start at data, or puts it
// aside for several goroutines.
func (m *machine) tablesFrom(data, count uint64, s *program.Step, depth int) bool {
	m.tables += count
	if count != 0 && depth > m.maxDepth || m.tables > m.maxTables {
		return false
	}
	if 4*count >= m.split {
		m.wide = append(m.wide, part{s, data, data + 4*count, depth})
		return true
	}
	return m.siblings(data, data+4*count, s, depth)
}
