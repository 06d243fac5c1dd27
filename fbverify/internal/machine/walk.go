package machine

import (
	"github.com/fbverify/go/fbverify/internal/program"
)

// frame is a table with steps still to do, or a vector with elements still to
// do.
type frame struct {
	step  *program.Step  // that leads to the vector; nil for a table
	shape *program.Shape // of the table; of the last element of a vector of tables
	pos   uint64         // of the table, or of the next element
	end   uint64         // of a vector's elements
	aux   uint64         // a vector of tables: the vtable of the last element; of unions: the next tag
	next  int32          // step of the table
	depth int32          // of the table, or of the elements
}

func (m *machine) push(f frame) { m.stack = append(m.stack, f) }

// walk works off the stack; false means that the buffer is refused, or the walk
// given up.
func (m *machine) walk() bool {
	for len(m.stack) > 0 {
		f := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		ok := false
		switch {
		case f.step == nil:
			ok = m.steps(f.pos, f.shape, int(f.next), f.depth)
		case f.step.Op == program.StepUnions:
			ok = m.unions(&f)
		default:
			ok = m.vector(&f)
		}
		if !ok {
			return false
		}
	}
	return m.bytes <= m.maxBytes
}

// vector checks the elements of a vector of tables, until it ends or one has to
// be descended into.
func (m *machine) vector(f *frame) bool {
	at, shape, vtable := f.pos, f.shape, f.aux
	other, older := (*program.Shape)(nil), noVTable
	for at < f.end {
		pos, ok := m.follow(at)
		if !ok {
			return false
		}
		if vt := pos - uint64(int64(int32(m.u32(pos)))); vt != vtable {
			// Siblings often alternate between two vtables.
			shape, other, vtable, older = other, shape, older, vtable
			if vt != vtable {
				if shape = m.shape(vt, f.step.Table, f.step.Next); shape == nil {
					return false
				}
				vtable = vt
			}
		}
		if shape.Plain {
			if at, ok = m.plain(at, f.end, shape, vtable); !ok {
				return false
			}
			continue
		}
		if pos+shape.Reach > m.n || pos&shape.Mask != shape.Want {
			return false
		}
		at += 4
		m.bytes += shape.Reach
		mark := len(m.stack)
		if !m.steps(pos, shape, 0, f.depth) {
			return false
		}
		if len(m.stack) > mark {
			if at < f.end {
				m.insert(mark, frame{step: f.step, shape: shape, pos: at, end: f.end, aux: vtable, depth: f.depth})
			}
			break
		}
	}
	return true
}

// follow follows the offset at `at` to a table whose first four bytes are in the
// buffer, and aligned.
func (m *machine) follow(at uint64) (pos uint64, ok bool) {
	uo := uint64(m.u32(at))
	pos = at + uo
	return pos, uo != 0 && pos&m.align == 0 && pos+4 <= m.n
}

// plain checks elements of a vector of tables from the one at `at` on, for as
// long as they have the vtable given, whose shape is plain. It returns where it
// stopped.
//
// This is where the time goes. Reading at a misaligned position does no harm, so
// alignments are gathered and looked at once for each table.
func (m *machine) plain(at, end uint64, shape *program.Shape, vtable uint64) (next uint64, ok bool) {
	b := m.buffer
	for ; at < end; at += 4 {
		uo := uint64(b.u32(at))
		pos := at + uo
		if uo == 0 || pos+4 > b.n {
			return 0, false
		}
		if pos-uint64(int64(int32(b.u32(pos)))) != vtable {
			break
		}
		if pos+shape.Reach > b.n || pos&shape.Mask != shape.Want {
			return 0, false
		}
		unaligned, bytes := pos, shape.Bytes
		for _, v := range shape.Vectors {
			at := pos + uint64(v.Slot)
			uo := uint64(b.u32(at))
			at += uo
			if uo == 0 || at+4 > b.n {
				return 0, false
			}
			size := uint64(b.u32(at)) * uint64(v.Size)
			if size > b.n-at-4 {
				return 0, false
			}
			unaligned |= at
			bytes += size
		}
		if unaligned&m.align != 0 {
			return 0, false
		}
		m.bytes += bytes
	}
	return at, true
}

// insert puts a frame below those from mark on, so that it is come back to when
// they are done.
func (m *machine) insert(mark int, f frame) {
	m.stack = append(m.stack, frame{})
	copy(m.stack[mark+1:], m.stack[mark:])
	m.stack[mark] = f
}

// steps runs the steps of a shape from step i on. A table behind them that has
// nothing to descend into is done at once; for any other, and for the elements
// of a vector, frames are left on the stack, above one for the rest of the steps.
func (m *machine) steps(pos uint64, shape *program.Shape, i int, depth int32) bool {
	for ; i < len(shape.Steps); i++ {
		s := &shape.Steps[i]
		here := pos + uint64(s.Slot)
		if s.Op == program.StepVector {
			if _, _, ok := m.elements(here, uint64(s.Size), uint64(s.Mask)); !ok {
				return false
			}
			continue
		}
		if s.Op == program.StepTable {
			child, childShape := m.child(here, s.Table, s.Next, depth+1)
			if childShape == nil {
				return false
			}
			if !childShape.Flat {
				m.rest(pos, shape, i+1, depth)
				m.push(frame{shape: childShape, pos: child, depth: depth + 1})
				return true
			}
			for i := range childShape.Steps {
				if !m.leaf(child, &childShape.Steps[i], depth+1) {
					return false
				}
			}
			continue
		}
		if !s.Op.Descends() {
			if !m.leaf(pos, s, depth) {
				return false
			}
			continue
		}
		below, ok := m.descend(pos, s, depth+1)
		if !ok {
			return false
		}
		if below.shape == nil && below.pos == below.end {
			continue
		}
		m.rest(pos, shape, i+1, depth)
		m.push(below)
		return true
	}
	return true
}

// rest leaves a frame for the steps from step i on, if there are any.
func (m *machine) rest(pos uint64, shape *program.Shape, i int, depth int32) {
	if i < len(shape.Steps) {
		m.push(frame{shape: shape, pos: pos, next: int32(i), depth: depth})
	}
}

// descend checks what a step leads to up to where tables begin, and returns the
// frame for those: of a table, or of a vector's elements. An empty vector's ends
// where it starts, and so does that of what turns out to need no frame.
func (m *machine) descend(pos uint64, s *program.Step, depth int32) (f frame, ok bool) {
	f.depth = depth
	here := pos + uint64(s.Slot)
	switch s.Op {
	case program.StepTables:
		f.step, f.aux = s, noVTable
		f.pos, f.end, ok = m.tables32(here, depth)
	case program.StepWide:
		f.step, f.aux = s, noVTable
		f.pos, f.end, ok = m.wideStep(here, s, depth)
	case program.StepUnions:
		f.step = s
		f.pos, f.end, f.aux, ok = m.unionVector(here, pos+uint64(s.Slot2), s.Union)
		return f, ok
	case program.StepUnion:
		f.pos, f.shape, ok = m.member(s.Union, m.tag(here, s.Union), pos+uint64(s.Slot2), depth)
		if f.shape == nil {
			f.pos = f.end
		}
		return f, ok
	}
	if ok && f.end-f.pos >= 4*m.split {
		m.wide = append(m.wide, f)
		f.pos = f.end
	}
	return f, ok
}

// unions checks the elements of a vector of unions, until it ends or one has to
// be descended into.
func (m *machine) unions(f *frame) bool {
	u := f.step.Union
	for f.pos < f.end {
		pos, shape, ok := m.member(u, m.tag(f.aux, u), f.pos, f.depth)
		if !ok {
			return false
		}
		f.pos += 4
		f.aux += uint64(u.TagSize)
		if shape == nil {
			continue
		}
		if f.pos < f.end {
			m.push(*f)
		}
		m.push(frame{shape: shape, pos: pos, depth: f.depth})
		return true
	}
	return true
}

// noVTable is what no table's position minus its vtable offset gives, however
// hostile: that is below 1<<62, or a negative int32 that wrapped around.
const noVTable = uint64(1) << 63

// root checks the table at the root offset and starts the walk there.
func (m *machine) root(at uint64, t *program.Table, depth int32) bool {
	pos, shape := m.child(at, t, &m.shapes.Last[t.ID], depth)
	return shape != nil && m.steps(pos, shape, 0, depth)
}

// child checks the head of the table that the offset at `at` leads to, whose own
// bytes are inside the buffer. It returns a nil shape where a check fails.
func (m *machine) child(at uint64, t *program.Table, hint *program.Hint, depth int32) (uint64, *program.Shape) {
	pos, ok := m.follow(at)
	m.tables++
	if !ok || depth > m.maxDepth || m.tables > m.maxTables {
		return 0, nil
	}
	vt := pos - uint64(int64(int32(m.u32(pos))))
	r := m.remembers(vt, t)
	shape := r.shape
	if r.vtable != vt || r.table != t || r.epoch != m.epoch {
		if shape = m.newShape(vt, t, hint, r); shape == nil {
			return 0, nil
		}
	}
	if pos+shape.Reach > m.n || pos&shape.Mask != shape.Want {
		return 0, nil
	}
	m.bytes += shape.Reach
	return pos, shape
}
