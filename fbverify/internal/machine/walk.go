package machine

import (
	"github.com/fbverify/go/fbverify/internal/program"
)

// walk works off the stack; false means that the buffer is refused, or the walk
// given up.
func (m *machine) walk() bool {
	for len(m.stack) > 0 {
		f := &m.stack[len(m.stack)-1]
		switch {
		case f.shape != nil:
			pos, shape, step, depth := f.pos, f.shape, f.step, f.depth
			m.stack = m.stack[:len(m.stack)-1]
			if !m.steps(pos, shape, int(step), depth) {
				return false
			}
		case f.union != nil:
			if !m.unions() {
				return false
			}
		default:
			if !m.vector() {
				return false
			}
		}
	}
	return m.bytes <= m.maxBytes
}

func (m *machine) push(f frame) { m.stack = append(m.stack, f) }

// pushTable checks a table's head and leaves its steps to the walk.
func (m *machine) pushTable(pos uint64, t *program.Table, depth int32) bool {
	m.tables++
	shape := m.head(pos, t, &m.shapes.Last[t.ID], depth)
	if shape == nil {
		return false
	}
	if len(shape.Steps) > 0 {
		m.push(frame{shape: shape, pos: pos, depth: depth})
	}
	return true
}

// head checks all of a table but its steps: position, vtable, reach, alignment.
func (m *machine) head(pos uint64, t *program.Table, hint *program.Hint, depth int32) *program.Shape {
	if pos&m.align != 0 || pos+4 > m.n || depth > m.maxDepth || m.tables > m.maxTables {
		return nil
	}
	shape := m.shape(pos-uint64(int64(int32(m.u32(pos)))), t, hint)
	if shape == nil || pos+shape.Reach > m.n || pos&shape.Mask != shape.Want {
		return nil
	}
	m.bytes += shape.Reach
	return shape
}

// child checks the table that the offset at `at` leads to, and its steps unless
// there is something to descend into: that is left to the walk. The offset's
// own bytes are known to be inside the buffer.
func (m *machine) child(at uint64, t *program.Table, hint *program.Hint, depth int32) bool {
	uo := uint64(m.u32(at))
	if uo == 0 {
		return false
	}
	m.tables++
	shape := m.head(at+uo, t, hint, depth)
	if shape == nil {
		return false
	}
	if shape.Flat {
		return m.flat(at+uo, shape, depth)
	}
	m.push(frame{shape: shape, pos: at + uo, depth: depth})
	return true
}

// vector checks the elements of the vector of tables on top of the stack, until
// it ends or an element has to be descended into.
func (m *machine) vector() bool {
	f := &m.stack[len(m.stack)-1]
	b, n, align := m.buffer, m.n, m.align
	at, end, t, hint, depth := f.pos, f.end, f.table, f.hint, f.depth
	var shape *program.Shape // of the sibling before
	vtable := ^uint64(0)     // and where its vtable is
	for ; at < end; at += 4 {
		uo := uint64(b.u32(at))
		pos := at + uo
		if uo == 0 || pos&align != 0 || pos+4 > n {
			return false
		}
		if vt := pos - uint64(int64(int32(b.u32(pos)))); vt != vtable {
			if shape = m.shape(vt, t, hint); shape == nil {
				return false
			}
			vtable = vt
		}
		if pos+shape.Reach > n || pos&shape.Mask != shape.Want {
			return false
		}
		m.bytes += shape.Reach
		if shape.Flat {
			if !m.flat(pos, shape, depth) {
				return false
			}
			continue
		}
		// The frame goes on with the next element once those above it are done.
		before := len(m.stack)
		m.stack[before-1].pos = at + 4
		if !m.steps(pos, shape, 0, depth) {
			return false
		}
		if len(m.stack) > before {
			return true
		}
	}
	m.stack = m.stack[:len(m.stack)-1]
	return true
}

// unions does the same for a vector of unions.
func (m *machine) unions() bool {
	for {
		top := len(m.stack) - 1
		f := &m.stack[top]
		if f.pos == f.end {
			m.stack = m.stack[:top]
			return true
		}
		at, tag, u, depth := f.pos, f.tag, f.union, f.depth
		f.pos += 4
		f.tag += uint64(u.TagSize)
		if !m.member(u, m.tag(tag, u), at, depth) {
			return false
		}
		if len(m.stack) > top+1 {
			return true
		}
	}
}

// flat runs the steps of a flat shape.
func (m *machine) flat(pos uint64, shape *program.Shape, depth int32) bool {
	b, n, align := m.buffer, m.n, m.align
	for i := range shape.Steps {
		s := &shape.Steps[i]
		if s.Op != program.StepPower {
			if !m.leaf(pos, s, depth) {
				return false
			}
			continue
		}
		at := pos + uint64(s.Slot)
		uo := uint64(b.u32(at))
		at += uo
		if uo == 0 || at&align != 0 || at+4 > n {
			return false
		}
		size := uint64(b.u32(at)) << (s.Shift & 63)
		at += 4
		if size > n-at || at&uint64(s.Mask) != 0 && size != 0 {
			return false
		}
		m.bytes += size + 4
	}
	return true
}

// steps runs the steps of a shape from step i on. Where there is something to
// descend into, it leaves frames for that, and for the rest of the steps, on the
// stack.
func (m *machine) steps(pos uint64, shape *program.Shape, i int, depth int32) bool {
	for ; i < len(shape.Steps); i++ {
		s := &shape.Steps[i]
		if !s.Op.Descends() {
			if !m.leaf(pos, s, depth) {
				return false
			}
			continue
		}
		// The rest of the steps goes below what this one may leave.
		before := len(m.stack)
		if i+1 < len(shape.Steps) {
			m.push(frame{shape: shape, pos: pos, step: int32(i + 1), depth: depth})
		}
		mark := len(m.stack)
		at := pos + uint64(s.Slot)
		var ok bool
		switch s.Op {
		case program.StepTable:
			ok = m.child(at, s.Table, s.Next, depth+1)
		case program.StepTables:
			ok = m.tableVector(at, s, depth+1)
		case program.StepUnion:
			ok = m.member(s.Union, m.tag(at, s.Union), pos+uint64(s.Slot2), depth+1)
		case program.StepUnions:
			ok = m.unionVector(at, pos+uint64(s.Slot2), s.Union, depth+1)
		case program.StepWide:
			ok = m.wideStep(at, s, depth+1)
		}
		if !ok {
			return false
		}
		if len(m.stack) > mark {
			return true
		}
		m.stack = m.stack[:before]
	}
	return true
}
