package machine

import (
	"sync"
	"unsafe"

	"github.com/fbverify/go/fbverify/internal/program"
)

// recentShapes is how many (vtable position, table type) pairs a run remembers
// without hashing any bytes; a power of two.
const recentShapes = 64

// keepShapes bounds the shapes that one run may put into the cache that all
// runs share, so that a buffer with a million vtables does not push out those
// of honest ones, nor leave garbage behind.
const keepShapes = 64

// memory is what a run remembers of vtables by their position. It is only taken
// from the pool when the hints do not do.
type memory struct {
	epoch  uint32 // tells entries of this run and buffer from older ones
	recent [recentShapes]recent
}

var memories = sync.Pool{New: func() any { return new(memory) }}

func newMemory() *memory {
	r := memories.Get().(*memory)
	r.newEpoch()
	return r
}

func (r *memory) release() { memories.Put(r) }

// at returns the place of a vtable and a table type.
func (r *memory) at(vt uint64, t *program.Table) *recent {
	return &r.recent[(vt/2+uint64(t.ID)*7)%recentShapes]
}

// recent is a vtable that this run has met already.
type recent struct {
	vtable uint64
	epoch  uint32
	table  *program.Table
	shape  *program.Shape
}

// newEpoch forgets the recent vtables.
func (r *memory) newEpoch() {
	if r.epoch++; r.epoch == 0 {
		clear(r.recent[:])
		r.epoch = 1
	}
}

// shape returns the shape of the vtable at vt for a table type, nil where the
// vtable is unsound.
func (m *machine) shape(vt uint64, t *program.Table, hint *program.Hint) *program.Shape {
	// vt came from a subtraction: one that wrapped is far above N.
	if vt < m.first || vt >= m.N || vt&m.even != 0 {
		return nil
	}
	if m.memory != nil {
		if r := m.memory.at(vt, t); r.vtable == vt && r.table == t && r.epoch == m.memory.epoch {
			return r.shape
		}
	}
	if room := m.N - vt; room >= program.Peek {
		if s := hint.Last(); s != nil && s.Begins(m.u64(vt), m.u64(vt+8), room) {
			return s
		}
		if m.guesses < maxGuesses {
			if s := hint.Guess(unsafe.Add(m.P, uintptr(vt)), room); s != nil {
				m.guesses++
				return s
			}
		}
	}
	return m.knownShape(vt, t, hint)
}

// maxGuesses is how often a run may find that a vtable is not that of the table
// before before it takes a memory.
const maxGuesses = 8

// knownShape is shape for a vtable that is not what the hint says, or too long
// for it, and was not met yet.
func (m *machine) knownShape(vt uint64, t *program.Table, hint *program.Hint) *program.Shape {
	if m.memory == nil {
		m.memory = newMemory()
	}
	if m.N-vt < 4 {
		return nil
	}
	size := uint64(m.u16(vt))
	if size < 4 || size&1 != 0 || size > m.N-vt {
		return nil
	}
	vtable := m.slice(vt, size)
	shape := hint.Find(vtable)
	if shape == nil {
		shape = m.find(t, vtable)
		hint.Set(shape)
	}
	*m.memory.at(vt, t) = recent{vt, m.memory.epoch, t, shape}
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
