package machine

import (
	"github.com/fbverify/go/fbverify/internal/kernel"
	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/rule"
)

// tableAt checks the table that the offset at `at` leads to.
func (m *machine) tableAt(at uint64, t *program.Table, hint *program.Hint, depth int) bool {
	b := m.buffer()
	pos, ok := b.follow(at)
	m.Tables++
	if !ok || depth > m.maxDepth || m.Tables > m.maxTables {
		return false
	}
	vt := b.vtable(pos)
	shape := m.find(vt, t, hint, depth)
	return shape != nil && m.table(pos, shape, depth)
}

// table checks a table of which the shape is known, whose first four bytes are inside
// the buffer, and all that it leads to. This is where the time goes for trees of
// tables that are not alike. It calls as little as it can, and not for the last table
// that a table leads to: it goes round for that one.
func (m *machine) table(pos uint64, s *program.Shape, depth int) bool {
next:
	if !m.head(pos, s) {
		return false
	}
	steps := s.Steps
	for i := range steps {
		step := &steps[i]
		at := pos + uint64(step.Slot)
		t, hint := step.Table, step.Next
		switch step.Op {
		case program.StepTable:
		case program.StepUnion: // nearly always a table behind a byte
			var member *program.Member
			if step.Union.Bytes {
				member = step.Union.ByByte(m.buffer().u8(at))
			} else {
				member = m.wideTagged(at, step.Union)
			}
			if member == nil {
				m.pass(at, step.Union)
				continue
			}
			at = pos + uint64(step.Slot2)
			if member.Op != program.SubTable {
				if !m.member(member, at, depth+1) {
					return false
				}
				continue
			}
			t, hint = member.Table, m.shapes.Hint(member.Table)
		case program.StepTables: // offsets are aligned where their number is
			b := m.buffer()
			head, ok := b.follow(at)
			if !ok || head&m.Align != 0 {
				return false
			}
			count := uint64(b.u32(head))
			if 4*count > b.n-4-head {
				return false
			}
			m.Bytes += 4 + 4*count
			if count > 0 && !m.tables(head+4, count, step, depth+1) {
				return false
			}
			continue
		case program.StepVector:
			b := m.buffer()
			head, ok := b.follow(at)
			if !ok || head&m.Align != 0 {
				return false
			}
			count := uint64(b.u32(head))
			bytes := count * uint64(step.Size) // both are below 1<<32
			if head += 4; bytes > b.n-head || head&uint64(step.Mask) != 0 && count != 0 {
				return false
			}
			m.Bytes += 4 + bytes
			continue
		case program.StepNested:
			if !m.nestedAt(at, step.Table, depth+1) {
				return false
			}
			continue
		default:
			if !m.step(at, pos, step, depth+1) {
				return false
			}
			continue
		}

		// A table behind the offset at `at`.
		b := m.buffer()
		uo := uint64(b.u32(at))
		if uo-1 >= b.n-4-at {
			return false
		}
		at += uo
		m.Tables++
		if depth >= m.maxDepth || m.Tables > m.maxTables {
			return false
		}
		vt := b.vtable(at)
		shape := m.known(vt, t)
		if shape == nil {
			shape = hint.Last()
			if shape.Long || !m.peeks(vt) || !shape.Begins(b.u64(vt), b.u64(vt+8)) {
				if shape = m.find(vt, t, hint, depth+1); shape == nil {
					return false
				}
			}
		}
		switch {
		case len(shape.Steps) == 0:
			if !m.head(at, shape) {
				return false
			}
		case i == len(steps)-1:
			pos, s, depth = at, shape, depth+1
			goto next
		default:
			if !m.table(at, shape, depth+1) {
				return false
			}
		}
	}
	return true
}

// head checks a table of which the shape is known, whose first four bytes are inside
// the buffer, and its vectors and strings, but not its steps.
func (m *machine) head(pos uint64, s *program.Shape) bool {
	if !s.Holds(pos, m.N) {
		return false
	}
	m.Bytes += s.Bytes
	if m.Left -= s.Work; m.Left < 0 {
		return false
	}
	if len(s.Vectors) > 0 {
		bytes, ok := s.SoundVectors(m.P, pos, m.N, m.Align)
		if !ok {
			return false
		}
		m.Bytes += bytes
	}
	if len(s.Texts) == 0 {
		return true
	}
	done, bytes, positions := kernel.Names(m.P, m.N, pos, s.Texts)
	m.Bytes += bytes + 5*uint64(done) // with length words and NULs
	if m.Text -= int64(bytes); m.Text < 0 || positions&m.Align != 0 {
		return false
	}
	return done == len(s.Texts) || m.texts(pos, s.Texts[done:])
}

// step runs a step that leads to no single table, and to no vector of them, for the table at pos.
// What is below is at depth.
func (m *machine) step(at, pos uint64, s *program.Step, depth int) bool {
	switch s.Op {
	case program.StepString:
		return m.str(at)
	case program.StepBinary:
		return m.binary(at)
	case program.StepStrings:
		return m.strings(at)
	case program.StepUnions:
		return m.unions(at, pos+uint64(s.Slot2), s.Union, depth)
	case program.StepNoUnion:
		return m.tagged(at, s.Union) == nil
	case program.StepWide:
		return m.wideStep(at, s, depth)
	}
	return false // StepImpossible
}

// tables checks a vector of tables whose offsets start at data, one at least,
// or puts it aside for several goroutines.
func (m *machine) tables(data, count uint64, s *program.Step, depth int) bool {
	m.Tables += count
	if m.Left -= rule.OffsetSize * int64(count); m.Left < 0 || depth > m.maxDepth || m.Tables > m.maxTables {
		return false
	}
	if 4*count >= m.split {
		m.wide = append(m.wide, part{s, data, data + 4*count, depth})
		return true
	}
	if count < worthAKernel {
		return m.each(data, data+4*count, s, depth)
	}
	return m.siblings(data, data+4*count, s, depth)
}

// worthAKernel is how many elements a vector of tables has for it to be left to the kernel:
// for fewer, that costs more than it saves.
const worthAKernel = 6

// worthLearning is how many elements must be left for a new kind to be made known
// to the kernel: for fewer, that and the kernel's own start cost more.
const worthLearning = 2

// siblings checks the elements of a vector of tables whose offsets lie from `at`
// to end. Those of the two kinds met last are left
// to the kernel; others are made known to it, or checked here. Kinds are kept
// for the next vector behind the same step, since that mostly has the same.
func (m *machine) siblings(at, end uint64, s *program.Step, depth int) bool {
	b := m.buffer()
	learned := uint64(0) // the last element that was made known
	mixed := 0           // counts up where the kernel gets nowhere, since kinds are many
	vtable, shape := kernel.NoVTable, (*program.Shape)(nil)
	for {
		if m.kindsOf == s && depth < m.maxDepth {
			m.At, m.End = at, end
			m.Siblings()
			if m.Tables > m.maxTables {
				return false
			}
			if mixed++; m.At-at > 4*worthLearning {
				mixed = 0
			}
			at = m.At
		}
		if at >= end {
			return true
		}
		if mixed >= tooMixed {
			if m.memory == nil {
				m.memory = newMemory()
			}
			return m.each(at, end, s, depth)
		}
		pos, ok := b.follow(at)
		if !ok {
			return false
		}
		if vt := b.vtable(pos); vt != vtable {
			if shape = m.known(vt, s.Table); shape == nil {
				if shape = m.find(vt, s.Table, s.Next, depth); shape == nil {
					return false
				}
			}
			vtable = vt
		}
		if shape.Simple && end-at >= 4*worthLearning && depth < m.maxDepth && learned != at && (shape.Child != 0 || !m.knows(vtable, s)) && m.learn(pos, vtable, shape, s, depth) {
			learned = at
			continue
		}
		if !m.table(pos, shape, depth) {
			return false
		}
		at += 4
	}
}

// tooMixed is how often the kernel may be asked in vain.
const tooMixed = 8

// each is siblings without the kernel.
func (m *machine) each(at, end uint64, s *program.Step, depth int) bool {
	for ; at < end; at += 4 {
		b := m.buffer()
		pos, ok := b.follow(at)
		if !ok {
			return false
		}
		vt := b.vtable(pos)
		shape := m.known(vt, s.Table)
		if shape == nil {
			if shape = m.find(vt, s.Table, s.Next, depth); shape == nil {
				return false
			}
		}
		if len(shape.Steps) == 0 {
			ok = m.head(pos, shape)
		} else {
			ok = m.table(pos, shape, depth)
		}
		if !ok {
			return false
		}
	}
	return true
}

// knows reports whether the kernel knows tables with a vtable behind a step.
func (m *machine) knows(vtable uint64, s *program.Step) bool {
	return m.kindsOf == s && (m.Kinds[0].VTable == vtable || m.Kinds[1].VTable == vtable)
}

// learn makes the kind of a table known to the kernel, if it can do those. A shape that
// is only lent is nothing to remember.
func (m *machine) learn(pos, vt uint64, shape *program.Shape, s *program.Step, depth int) bool {
	if shape.Passing {
		return false
	}
	k := kernel.Kind{VTable: vt, Shape: &shape.Shape}
	if shape.Child != 0 {
		b := m.buffer()
		if shape.Reach > b.n-pos {
			return false
		}
		child, ok := b.follow(pos + shape.Child)
		if !ok {
			return false
		}
		k.ChildVTable = b.vtable(child)
		step := &shape.Steps[0]
		below := m.known(k.ChildVTable, step.Table)
		if below == nil {
			below = m.find(k.ChildVTable, step.Table, step.Next, depth+1)
		}
		if below == nil || len(below.Steps) > 0 || below.Passing {
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
