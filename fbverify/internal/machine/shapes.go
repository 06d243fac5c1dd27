package machine

import (
	"math/bits"
	"math/rand/v2"
	"sync"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/rule"
)

// few is how many vtables a run knows by position before it takes a memory of them; a
// power of two.
const few = 8

// known is a vtable by its position in the buffer at hand, and its shape, nil where there
// is none.
type known struct {
	vtable uint64
	shape  *program.Shape
}

// place returns where the run would know the vtable at vt, which may be anything.
func (m *machine) place(vt uint64) *known {
	const golden = 0x9e3779b97f4a7c15
	return &m.few[vt*golden>>(64-bits.Len(few-1))]
}

// known returns the shape of the vtable at vt for a table type where this run has met it.
func (m *machine) known(vt uint64, t *program.Table) *program.Shape {
	k := m.place(vt)
	if s := k.shape; k.vtable == vt && s != nil && s.IsOf(t) {
		return s
	}
	return nil
}

// find returns the shape of the vtable at vt, which the run does not know, for a table
// type at a level, nil where the vtable is unsound.
func (m *machine) find(vt uint64, t *program.Table, hint *program.Hint, depth int) *program.Shape {
	b, s := m.buffer(), hint.Last()
	if !m.peeks(vt) || !s.Begins(b.u64(vt), b.u64(vt+8)) || s.Long && !m.ends(s, vt) {
		if s = m.shape(vt, t, hint, depth); s == nil || s.Passing {
			return s
		}
	}
	*m.place(vt) = known{vt, s}
	return s
}

// recentShapes is how many (vtable position, table type) pairs a run remembers
// without hashing any bytes; a power of two.
const recentShapes = 256

// keepShapes bounds the shapes that one run may put into the cache that all
// runs share, so that a buffer with a million vtables leaves no garbage behind.
const keepShapes = 64

// maxLoans is how many levels of tables have a loan of a shape in a memory of vtables, so
// that nothing is allocated there.
const maxLoans = 1 + rule.MaxDepth

// memory is what a run remembers of vtables by their position. It is only taken
// from the pool when the hints do not do.
type memory struct {
	epoch  uint32 // tells entries of this run from older ones
	recent [recentShapes]recent
	loans  []*program.Loan // by the level of the table
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
	return &r.recent[(vt/2+vt>>9+uint64(t.ID)*7)%recentShapes]
}

// recent is a vtable that this run has met already, by where it is in the whole buffer.
type recent struct {
	vtable uint64
	size   uint32
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

// changeMind is how many vtables that are not what their hint says it takes, about, for
// the hint to say something else. Hints are read by all runs: one that is written again
// and again, where vtables alternate, is in nobody's cache for long.
const changeMind = 16

// lucky is true once in changeMind times, about.
func (m *machine) lucky() bool {
	if m.luck == 0 {
		m.luck = rand.Uint64() | 1<<63
	}
	lucky := m.luck%changeMind == 0
	m.luck /= changeMind
	return lucky
}

// recent returns the shape of the vtable at vt, which may be anything, where this run has
// met it.
func (m *machine) recent(vt uint64, t *program.Table) *program.Shape {
	if m.memory == nil {
		return nil
	}
	at := m.origin + vt
	r := m.memory.at(at, t)
	if r.vtable != at || r.table != t || r.epoch != m.memory.epoch || vt >= m.N || uint64(r.size) > m.N-vt || vt < m.first || vt&1&m.Align != 0 {
		return nil
	}
	return r.shape
}

// maxMisses is how often a run may meet a vtable that is not what its hint says before
// it takes a memory.
const maxMisses = 8

// shape returns the shape of the vtable at vt for a table type at a level, nil where the
// vtable is unsound. It is for vtables that are not what the hint says. A shape that is
// passing stands until the next one is asked for at that level.
func (m *machine) shape(vt uint64, t *program.Table, hint *program.Hint, depth int) *program.Shape {
	// vt came from a subtraction: one that wrapped is far above N.
	b := m.buffer()
	if vt < m.first || vt >= b.n || b.n-vt < 4 || vt&1&m.Align != 0 {
		return nil
	}
	if room := b.n - vt; room < program.Peek && room+m.behind >= program.Peek {
		// Too near the end to be guessed at, of a buffer in a buffer.
		whole := buffer{b.p, b.n + m.behind}
		if s := hint.Last(); s.Begins(whole.u64(vt), whole.u64(vt+8)) && s.Size() <= room {
			return s
		}
	}
	if s := m.recent(vt, t); s != nil {
		return s
	}
	if m.memory == nil {
		if m.misses++; m.misses > maxMisses {
			m.memory = newMemory()
		}
	}
	size := uint64(b.u16(vt))
	if size < 4 || size&1 != 0 || size > b.n-vt {
		return nil
	}
	vtable := b.slice(vt, size)
	if m.slots -= int64(len(t.VTableKey(vtable))); m.slots < 0 {
		return nil
	}
	shape := m.shapes.Find(t, vtable)
	if shape == nil {
		if shape = m.newShape(t, vtable, depth); shape.Passing {
			return shape
		}
	}
	if hint.Empty() || m.lucky() {
		hint.Set(shape)
	}
	if m.memory != nil {
		*m.memory.at(m.origin+vt, t) = recent{m.origin + vt, uint32(size), m.memory.epoch, t, shape}
	}
	return shape
}

// newShape compiles a vtable. The shape is kept where there is room, and lent otherwise.
func (m *machine) newShape(t *program.Table, vtable []byte, depth int) *program.Shape {
	if m.kept < keepShapes {
		room := m.shapes.HasRoom(t, vtable)
		if !room && !m.pushed {
			m.pushed = true
			room = m.shapes.Turn()
		}
		if room {
			m.kept++
			shape := t.Shape(vtable, m.flags)
			m.shapes.Keep(shape)
			return shape
		}
	}
	return m.shapes.Lend(m.loan(depth), t, vtable, m.flags)
}

// loan returns the loan for tables of a level. Tables of several levels are at work at a
// time, but only one of each.
func (m *machine) loan(depth int) *program.Loan {
	if depth >= maxLoans {
		return new(program.Loan)
	}
	if m.memory == nil {
		m.memory = newMemory()
	}
	for len(m.memory.loans) <= depth {
		m.memory.loans = append(m.memory.loans, new(program.Loan))
	}
	return m.memory.loans[depth]
}
