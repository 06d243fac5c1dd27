package traversal

import (
	"math/bits"
	"math/rand/v2"
	"sync"
)

// key says what was walked: the target of an offset, read as a node (see
// program.Field.Node).
type key struct {
	pos uint64 // from the start of the whole buffer
	tag uint64 // of a vector of unions: where its tags are; of a nested buffer: its size

	node uint32

	// buffer numbers the nested buffer that the walk went on in: alignment
	// counts from its start, and it ends where it ends. 0 is the whole, and also
	// stands for nested buffers as such, which do not depend on what they are
	// nested in.
	buffer uint32
}

// outcome is what a walk of a subtree came to.
type outcome struct {
	tables, bytes uint64
	height        uint32 // tables nested in it, itself included
	faulty        bool
	used          bool // of an entry: it is one
}

type memoEntry struct {
	key
	outcome
}

// memo is a hash table from key to outcome with open addressing: an entry is a
// few words, and a buffer of sixteen megabytes can have a million of them.
type memo struct {
	entries []memoEntry
	count   int
	seed    uint64
	grown   int // how many times entries have moved

	// The entries that it starts with and the next two sizes, kept for the next
	// walk: without them, small buffers would keep the garbage collector busy.
	kept [3][]memoEntry
}

// firstEntries is the least number of entries, and bytesAnEntry how many bytes of
// the buffer make room for one more from the start: moving entries costs more than
// clearing a few that are never used.
const (
	firstEntries = 128
	bytesAnEntry = 8
)

var memos = sync.Pool{New: func() any { return new(memo) }}

// newMemo returns a memo for a buffer of n bytes.
func newMemo(n uint64) *memo {
	m := memos.Get().(*memo)
	m.seed, m.count, m.grown = rand.Uint64()|1, 0, 0
	entries := firstEntries
	for m.grown < len(m.kept)-1 && n > bytesAnEntry*uint64(entries) {
		m.grown++
		entries *= 4
	}
	m.entries = m.make(entries)
	return m
}

// release gives the memo back.
func (m *memo) release() {
	m.entries = nil
	memos.Put(m)
}

// make returns n entries that are not used: four times as many each time.
func (m *memo) make(n int) []memoEntry {
	if m.grown >= len(m.kept) {
		return make([]memoEntry, n)
	}
	kept := &m.kept[m.grown]
	if *kept == nil {
		*kept = make([]memoEntry, n)
	} else {
		clear(*kept)
	}
	return *kept
}

// find returns the entry of a key, or the one that it would take.
func (m *memo) find(k key) *memoEntry {
	// The multiplier is secret, so that positions cannot be chosen to collide.
	hi, lo := bits.Mul64(k.pos^uint64(k.node)<<40^k.tag<<17^uint64(k.buffer)<<29^0x9e3779b97f4a7c15, m.seed)
	mask := uint64(len(m.entries) - 1)
	for i := (hi ^ lo>>7) & mask; ; i = (i + 1) & mask {
		if e := &m.entries[i]; !e.used || e.key == k {
			return e
		}
	}
}

// take makes e, which find returned for k, the entry of k. What it holds is for
// the caller to say; until entries move it stays where it is.
func (m *memo) take(e *memoEntry, k key) *memoEntry {
	if 4*m.count >= 3*len(m.entries) {
		old := m.entries
		m.grown++
		m.entries = m.make(4 * len(old))
		for i := range old {
			if old[i].used {
				*m.find(old[i].key) = old[i]
			}
		}
		e = m.find(k)
	}
	m.count++
	e.key, e.used = k, true
	return e
}
