package machine

import (
	"github.com/fbverify/go/fbverify/internal/kernel"
	"github.com/fbverify/go/fbverify/internal/program"
)

// follow follows the offset at `at`, whose own bytes are inside the buffer, to
// something whose first four bytes are inside it too. Nobody has looked at its
// alignment yet; reading at a misaligned position does no harm.
//
// With room the bytes between `at` and the last four of the buffer, the offset
// may be 1 to room: one comparison, since 0-1 wraps around.
func (m *machine) follow(at uint64) (pos uint64, ok bool) {
	uo := uint64(m.u32(at))
	return at + uo, uo-1 < m.N-4-at
}

// table checks the table that the offset at `at` leads to.
func (m *machine) table(at uint64, t *program.Table, hint *program.Hint, depth int) bool {
	pos, ok := m.follow(at)
	m.Tables++
	if !ok || depth > m.maxDepth || m.Tables > m.maxTables {
		return false
	}
	shape := m.shape(pos-uint64(int64(int32(m.u32(pos)))), t, hint)
	return shape != nil && m.body(pos, shape, depth)
}

// body checks a table with a known shape, whose first four bytes are inside the
// buffer, and all that it leads to.
func (m *machine) body(pos uint64, shape *program.Shape, depth int) bool {
	if shape.Reach > m.N-pos || pos&shape.Mask != shape.Want {
		return false
	}
	if m.Inline -= int64(shape.Reach); m.Inline < 0 {
		return false
	}
	m.Bytes += shape.Bytes
	if len(shape.Vectors) > 0 && !m.vectors(pos, shape) {
		return false
	}
	return len(shape.Steps) == 0 || m.steps(pos, shape, depth)
}

// vectors checks the vectors of numbers of a table whose head was checked.
func (m *machine) vectors(pos uint64, shape *program.Shape) bool {
	unaligned := pos
	for i := range shape.Vectors {
		v := &shape.Vectors[i]
		at := pos + uint64(v.Slot)
		room := m.N - 4 - at // the slot is inside the buffer
		uo := uint64(m.u32(at))
		if uo-1 >= room {
			return false
		}
		at += uo
		size := uint64(m.u32(at)) * uint64(v.Size) // both are below 1<<32
		if size > room-uo {
			return false
		}
		unaligned |= at
		m.Bytes += size
	}
	return unaligned&m.Align == 0
}

// worthLearning is how many elements must be left for a new kind to be made known
// to the kernel: for fewer, that and the kernel's own start cost more.
const worthLearning = 2

// siblings checks the elements of a vector of tables whose offsets lie from `at`
// to end. This is where the time goes. Those of the two kinds met last are left
// to the kernel; others are made known to it, or checked here. Kinds are kept
// for the next vector behind the same step, since that mostly has the same.
func (m *machine) siblings(at, end uint64, s *program.Step, depth int) bool {
	learned := uint64(0) // the last element that was made known
	vtable, shape := kernel.NoVTable, (*program.Shape)(nil)
	for {
		if m.kindsOf == s && depth < m.maxDepth {
			m.At, m.End = at, end
			m.Siblings()
			if m.Tables > m.maxTables {
				return false
			}
			at = m.At
		}
		if at >= end {
			return true
		}
		pos, ok := m.follow(at)
		if !ok {
			return false
		}
		if vt := pos - uint64(int64(int32(m.u32(pos)))); vt != vtable {
			if shape = m.shape(vt, s.Table, s.Next); shape == nil {
				return false
			}
			vtable = vt
		}
		if shape.Simple && learned != at && end-at >= 4*worthLearning && depth < m.maxDepth && m.learn(pos, vtable, shape, s) {
			learned = at
			continue
		}
		if !m.body(pos, shape, depth) {
			return false
		}
		at += 4
	}
}

// learn makes the kind of a table known to the kernel, if it can do those.
func (m *machine) learn(pos, vt uint64, shape *program.Shape, s *program.Step) bool {
	k := kernel.Kind{VTable: vt, Shape: &shape.Shape}
	if shape.Child != 0 {
		if shape.Reach > m.N-pos {
			return false
		}
		child, ok := m.follow(pos + shape.Child)
		if !ok {
			return false
		}
		k.ChildVTable = child - uint64(int64(int32(m.u32(child))))
		step := &shape.Steps[0]
		below := m.shape(k.ChildVTable, step.Table, step.Next)
		if below == nil || len(below.Steps) > 0 {
			return false
		}
		k.ChildShape = &below.Shape
	}
	if m.kindsOf != s {
		m.kindsOf = s
		m.Kinds[0].VTable = kernel.NoVTable
	}
	m.Kinds[1] = m.Kinds[0]
	m.Kinds[0] = k
	return true
}

// steps runs the steps of a table whose head and vectors of numbers were checked.
func (m *machine) steps(pos uint64, shape *program.Shape, depth int) bool {
	steps := shape.Steps // the machine writes to memory: say that these stay
	for i := range steps {
		s := &steps[i]
		at := pos + uint64(s.Slot)
		if s.Op == program.StepString { // the most frequent by far
			if !m.str(at) {
				return false
			}
			continue
		}
		ok := false
		switch s.Op {
		case program.StepTable:
			ok = m.table(at, s.Table, s.Next, depth+1)
		case program.StepTables: // offsets are aligned where their number is
			var head uint64
			if head, ok = m.follow(at); !ok || head&m.Align != 0 {
				return false
			}
			count := uint64(m.u32(head))
			if 4*count > m.N-4-head {
				return false
			}
			m.Bytes += 4 + 4*count
			ok = count == 0 || m.tablesFrom(head+4, count, s, depth+1)
		case program.StepVector:
			_, _, ok = m.elements(at, uint64(s.Size), uint64(s.Mask))
		case program.StepStrings:
			ok = m.strings(at)
		case program.StepUnion: // nearly always a table behind a byte: without the calls of tagged and member
			var member *program.Member
			if s.Union.Bytes {
				member = s.Union.ByByte(m.u8(at))
			} else {
				member = m.wideTagged(at, s.Union)
			}
			if member != nil && member.Op == program.SubTable {
				ok = m.table(pos+uint64(s.Slot2), member.Table, &m.shapes.Last[member.Table.ID], depth+1)
			} else {
				ok = m.member(member, pos+uint64(s.Slot2), depth+1)
			}
		case program.StepUnions:
			ok = m.unions(at, pos+uint64(s.Slot2), s.Union, depth+1)
		case program.StepNested:
			var data, size uint64
			data, size, ok = m.elements(at, 1, 0)
			ok = ok && m.laterNested(data, size, s.Table, depth+1)
		case program.StepNoUnion:
			ok = m.tagged(at, s.Union) == nil
		case program.StepWide:
			ok = m.wideStep(at, s, depth+1)
		}
		if !ok { // StepImpossible, too
			return false
		}
	}
	return true
}

// tablesFrom checks a vector of tables whose offsets start at data, one at least,
// or puts it aside for several goroutines.
func (m *machine) tablesFrom(data, count uint64, s *program.Step, depth int) bool {
	m.Tables += count
	if depth > m.maxDepth || m.Tables > m.maxTables {
		return false
	}
	if 4*count >= m.split {
		m.wide = append(m.wide, part{s, data, data + 4*count, depth})
		return true
	}
	return m.siblings(data, data+4*count, s, depth)
}
