package mem

import "unsafe"

// Guarded reads numbers of a buffer, each behind a check of its own: a read that would leave
// the buffer panics, as one of a slice does. It is one comparison, where a slice of a slice
// takes several and a mask.
type Guarded struct {
	p unsafe.Pointer

	// From these offsets on, a read of one, two, four or eight bytes would leave the buffer.
	end1, end2, end4, end8 uint64
}

// Guard returns a Guarded of buf.
func Guard(buf []byte) Guarded {
	n := uint64(len(buf))
	return Guarded{unsafe.Pointer(unsafe.SliceData(buf)), n, n - min(n, 1), n - min(n, 3), n - min(n, 7)}
}

//go:noinline
func outside() { panic("mem: a read outside of the buffer") }

// Load8 returns the byte at an offset.
func (g *Guarded) Load8(at uint64) uint8 {
	if at >= g.end1 {
		outside()
	}
	return Load8(g.p, uintptr(at))
}

// Load16 returns the number of two bytes at an offset.
func (g *Guarded) Load16(at uint64) uint16 {
	if at >= g.end2 {
		outside()
	}
	return Load16(g.p, uintptr(at))
}

// Load32 returns the number of four bytes at an offset.
func (g *Guarded) Load32(at uint64) uint32 {
	if at >= g.end4 {
		outside()
	}
	return Load32(g.p, uintptr(at))
}

// Load64 returns the number of eight bytes at an offset.
func (g *Guarded) Load64(at uint64) uint64 {
	if at >= g.end8 {
		outside()
	}
	return Load64(g.p, uintptr(at))
}
