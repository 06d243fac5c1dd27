package stats

import (
	"bytes"
	"hash/maphash"
)

// MostDistinct is how many different strings of a FlatBuffer, and how many vtables, are told
// apart: what is like none of these is counted, and not compared with what comes later. It
// takes some megabytes, where all strings of a large buffer would take as much as it has.
const MostDistinct = 1 << 18

// distinct remembers runs of bytes of a buffer, by where they stand first.
type distinct struct {
	buf  []byte
	seed maphash.Seed
	runs map[uint64]*run

	left int // that were not remembered
}

// run is some bytes, and how often they were met.
type run struct{ pos, size, count int }

func newDistinct(buf []byte) *distinct {
	return &distinct{buf: buf, seed: maphash.MakeSeed(), runs: map[uint64]*run{}}
}

// add meets a run of bytes, and reports whether an equal one was met before.
func (d *distinct) add(pos, size int) bool {
	b := d.buf[pos : pos+size]
	hash := maphash.Bytes(d.seed, b)
	switch r := d.runs[hash]; {
	case r == nil && len(d.runs) < MostDistinct:
		d.runs[hash] = &run{pos, size, 1}
	case r != nil && bytes.Equal(d.buf[r.pos:r.pos+r.size], b):
		r.count++
		return true
	default:
		d.left++
	}
	return false
}
