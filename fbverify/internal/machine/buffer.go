package machine

import (
	"unsafe"

	"github.com/fbverify/go/fbverify/internal/mem"
)

// buffer is the bytes being walked. Positions are uint64 also on 32-bit
// machines: sums of a position and a 32-bit offset then never wrap.
type buffer struct {
	p unsafe.Pointer
	n uint64
}

// The loads ask that what they read lies inside the buffer; every call stands
// below the comparison with n that shows it.

func (b buffer) u8(pos uint64) uint8 {
	if debug {
		b.assert(pos, 1)
	}
	return mem.Load8(b.p, uintptr(pos))
}

func (b buffer) u16(pos uint64) uint16 {
	if debug {
		b.assert(pos, 2)
	}
	return mem.Load16(b.p, uintptr(pos))
}

func (b buffer) u32(pos uint64) uint32 {
	if debug {
		b.assert(pos, 4)
	}
	return mem.Load32(b.p, uintptr(pos))
}

func (b buffer) u64(pos uint64) uint64 {
	if debug {
		b.assert(pos, 8)
	}
	return mem.Load64(b.p, uintptr(pos))
}

// slice returns the bytes from pos on; they must lie inside the buffer.
func (b buffer) slice(pos, size uint64) []byte {
	if debug {
		b.assert(pos, size)
	}
	return unsafe.Slice((*byte)(unsafe.Add(b.p, uintptr(pos))), int(size))
}

func (b buffer) assert(pos, size uint64) {
	if pos > b.n || size > b.n-pos {
		panic("machine: read outside the buffer")
	}
}
