package machine

import "github.com/fbverify/go/fbverify/internal/program"

// recentShapes is how many (vtable position, table type) pairs a run remembers
// without hashing any bytes; a power of two.
const recentShapes = 64

// keepShapes bounds the shapes that one run may put into the cache that all
// runs share, so that a buffer with a million vtables does not push out those
// of honest ones, nor leave garbage behind.
const keepShapes = 64

// recent is a vtable that this run has met already.
type recent struct {
	vtable uint64
	epoch  uint32
	table  *program.Table
	shape  *program.Shape
}

// newEpoch forgets the recent vtables: positions mean something else now.
func (m *machine) newEpoch() {
	if m.epoch++; m.epoch == 0 {
		clear(m.recent[:])
		m.epoch = 1
	}
}

// remembers returns the place where a vtable and table type are remembered, if
// they are.
func (m *machine) remembers(vt uint64, t *program.Table) *recent {
	return &m.recent[(vt/2+uint64(t.ID)*7)%recentShapes]
}

// shape returns the shape of the vtable at vt for a table type, nil where the
// vtable is unsound or no table with it can be sound.
func (m *machine) shape(vt uint64, t *program.Table, hint *program.Hint) *program.Shape {
	r := m.remembers(vt, t)
	if r.vtable == vt && r.table == t && r.epoch == m.epoch {
		return r.shape
	}
	return m.newShape(vt, t, hint, r)
}

// newShape is shape for a vtable that is not remembered, and remembers it.
func (m *machine) newShape(vt uint64, t *program.Table, hint *program.Hint, r *recent) *program.Shape {
	// vt came from a subtraction: one that wrapped is far above n.
	if vt&m.evenMask != 0 || vt < m.first || vt >= m.n || m.n-vt < 4 {
		return nil
	}
	size := uint64(m.u16(vt))
	if size < 4 || size&1 != 0 || size > m.n-vt {
		return nil
	}
	vtable := m.slice(vt, size)
	shape := hint.Find(vtable)
	if shape == nil {
		shape = m.find(t, vtable)
		hint.Set(shape)
	}
	if shape.Bad {
		return nil
	}
	*r = recent{vt, m.epoch, t, shape}
	return shape
}

// find returns the shape of a vtable from the cache, or compiles it.
func (m *machine) find(t *program.Table, vtable []byte) *program.Shape {
	shape := m.shapes.Find(t, vtable)
	if shape == nil {
		shape = t.Shape(vtable, m.flags)
		if m.kept < keepShapes {
			m.kept++
			m.shapes.Keep(shape)
		}
	}
	return shape
}
