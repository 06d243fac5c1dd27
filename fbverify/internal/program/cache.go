package program

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"sync/atomic"
)

// Shapes keeps the shapes of a program, for one set of flags, across calls. It
// is bounded and safe for concurrent use: a lookup takes no lock, and a shape
// that had to make room is simply compiled again.
type Shapes struct {
	// Last has a hint for each table type, by Table.ID, for those who come to a
	// table by a way that has no hint of its own.
	Last []Hint

	seed    [2]uint64
	crowded atomic.Uint32 // runs that found no place free
	slots   [shapeSlots]Place
}

// Place is where a shape is kept.
type Place = atomic.Pointer[Shape]

// A schema has a few hundred tables at most in practice, and files use one to
// three vtables of each; 8 KiB of pointers is what a program pays for that.
const (
	shapeSlots  = 1024 // a power of two
	shapeWindow = 4    // slots that one key may be in
)

// crowdedRuns is how many runs that find no place free go by until one of them may
// take a place from another shape. Where there are more vtables than places, taking
// places from one another would cost more than the places gain.
const crowdedRuns = 16

// Hint returns the hint for a table type that nothing more is known of. Use those of
// steps where there are any.
func (c *Shapes) Hint(t *Table) *Hint { return &c.Last[t.ID] }

type cachePointer = atomic.Pointer[Shapes]

// Shapes returns the cache for the flags.
func (p *Program) Shapes(flags Flags) *Shapes {
	if c := p.caches[flags].Load(); c != nil {
		return c
	}
	return p.newShapes(flags)
}

func (p *Program) newShapes(flags Flags) *Shapes {
	c := &Shapes{seed: [2]uint64{rand.Uint64(), rand.Uint64()}, Last: make([]Hint, len(p.Tables))}
	for i := range c.Last {
		c.Last[i].Set(none)
	}
	p.caches[flags].CompareAndSwap(nil, c)
	return p.caches[flags].Load()
}

// Find returns the shape of a table type and a vtable, nil when it is not kept.
func (c *Shapes) Find(t *Table, vtable []byte) *Shape {
	h := c.hash(t, t.VTableKey(vtable))
	for i := range uint64(shapeWindow) {
		if s := c.slots[(h+i)%shapeSlots].Load(); s != nil && s.table == t && s.Is(vtable) {
			return s
		}
	}
	return nil
}

// HasRoom reports whether a place is free for the shape of a table type and a vtable.
func (c *Shapes) HasRoom(t *Table, vtable []byte) bool {
	return c.place(c.hash(t, t.VTableKey(vtable))).Load() == nil
}

// Turn is asked by a run that would like a place of which [Shapes.HasRoom] says that
// another shape has it. It may take it, and be it only once, where Turn says so.
func (c *Shapes) Turn() bool { return c.crowded.Add(1)%crowdedRuns == 0 }

// Keep stores a shape for later calls. When all places it may take are taken
// it takes the one that its hash picks.
func (c *Shapes) Keep(s *Shape) { c.place(c.hash(s.table, []byte(s.key))).Store(s) }

// place returns where a shape of that hash would be kept.
func (c *Shapes) place(h uint64) *Place {
	for i := range uint64(shapeWindow) {
		if at := &c.slots[(h+i)%shapeSlots]; at.Load() == nil {
			return at
		}
	}
	return &c.slots[(h+h>>32%shapeWindow)%shapeSlots]
}

// hash is seeded, so that nobody can make vtables that all fall into one place.
func (c *Shapes) hash(t *Table, key []byte) uint64 {
	h := c.seed[0] ^ uint64(t.ID)
	n := len(key)
	if n < 8 { // four bytes or six
		return c.mix(h ^ uint64(binary.LittleEndian.Uint32(key)) ^ uint64(binary.LittleEndian.Uint16(key[n-2:]))<<32)
	}
	for i := 0; i < n-8; i += 8 {
		h = c.mix(h ^ binary.LittleEndian.Uint64(key[i:]))
	}
	return c.mix(h ^ binary.LittleEndian.Uint64(key[n-8:]))
}

func (c *Shapes) mix(w uint64) uint64 {
	high, low := bits.Mul64(w, c.seed[1]|1)
	return high ^ low
}
