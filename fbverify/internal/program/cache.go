package program

import (
	"hash/maphash"
	"sync/atomic"
)

// Shapes keeps the shapes of a program, for one set of flags, across calls. It
// is bounded and safe for concurrent use: a lookup takes no lock, and a shape
// that had to make room is simply compiled again.
type Shapes struct {
	// Last has a hint for each table type, by Table.ID, for those who come to a
	// table by a way that has no hint of its own.
	Last []Hint

	seed  maphash.Seed
	slots [shapeSlots]atomic.Pointer[Shape]
}

// A schema has a few hundred tables at most in practice, and files use one to
// three vtables of each; 8 KiB of pointers is what a program pays for that.
const (
	shapeSlots  = 1024 // a power of two
	shapeWindow = 4    // slots that one key may be in
)

type cachePointer = atomic.Pointer[Shapes]

// Shapes returns the cache for the flags.
func (p *Program) Shapes(flags Flags) *Shapes {
	c := p.caches[flags].Load()
	if c == nil {
		c = &Shapes{seed: maphash.MakeSeed(), Last: make([]Hint, len(p.Tables))}
		if !p.caches[flags].CompareAndSwap(nil, c) {
			c = p.caches[flags].Load()
		}
	}
	return c
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

// Keep stores a shape for later calls. When all places it may take are taken
// it takes the one that its hash picks.
func (c *Shapes) Keep(s *Shape) {
	h := c.hash(s.table, []byte(s.key))
	at := &c.slots[(h+h>>32%shapeWindow)%shapeSlots]
	for i := range uint64(shapeWindow) {
		if free := &c.slots[(h+i)%shapeSlots]; free.Load() == nil {
			at = free
			break
		}
	}
	at.Store(s)
}

// hash is seeded, so that nobody can make vtables that all fall into one place.
func (c *Shapes) hash(t *Table, key []byte) uint64 {
	return maphash.Bytes(c.seed, key) + uint64(t.ID)*0x9e3779b97f4a7c15
}
