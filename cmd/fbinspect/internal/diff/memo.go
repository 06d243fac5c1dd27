package diff

import (
	"hash/maphash"

	"github.com/fbverify/go/fbverify/dynamic"
)

// memo remembers what came of comparing two places, as many as a part of the bytes: a place
// that is compared again and again is one that offsets share, and sharing takes offsets. It
// forgets where two pairs meet in it.
type memo struct {
	seed  maphash.Seed
	slots []uint64 // a hash of the pair, with the result in its low bits; 0 is free
}

// result is what came of it: for keys, their order and one.
type result uint64

const (
	same      result = 1
	different result = 2

	resultBits = 3
)

// question is what is asked of two places, and in which file each is.
type question int

const (
	whetherSame question = iota
	keysOfBoth
	keysBefore // both in the old data
	keysAfter
)

// newMemo makes one for so many bytes: up to a bit for each, 128 MB at most.
func newMemo(size int) *memo {
	slots := 1 << 10
	for slots < size/64 && slots < 1<<24 {
		slots *= 2
	}
	return &memo{maphash.MakeSeed(), make([]uint64, slots)}
}

// pair is the hash of two places, and of what is asked of them. Its low bits are zero.
func (m *memo) pair(a, b dynamic.Value, what question) uint64 {
	type key struct {
		a, b int
		what question
		typ  *dynamic.Type
	}
	return maphash.Comparable(m.seed, key{a.Offset(), b.Offset(), what, a.Type()}) &^ resultBits
}

func (m *memo) slot(pair uint64) *uint64 { return &m.slots[pair>>2&uint64(len(m.slots)-1)] }

func (m *memo) find(pair uint64) (result, bool) {
	if s := *m.slot(pair); s != 0 && s&^resultBits == pair {
		return result(s & resultBits), true
	}
	return 0, false
}

func (m *memo) keep(pair uint64, r result) { *m.slot(pair) = pair | uint64(r) }

func (m *memo) note(pair uint64, differ bool) {
	if differ {
		m.keep(pair, different)
	} else {
		m.keep(pair, same)
	}
}
