package machine

import (
	"unsafe"

	"github.com/fbverify/go/fbverify/internal/mem"
)

// The loads ask that what they read lies inside the buffer; every call stands
// below the comparison with N that shows it. Positions are uint64 also on 32-bit
// machines: sums of a position and a 32-bit offset then never wrap.

func (m *machine) u8(pos uint64) uint8 {
	if debug {
		m.assert(pos, 1)
	}
	return mem.Load8(m.P, uintptr(pos))
}

func (m *machine) u16(pos uint64) uint16 {
	if debug {
		m.assert(pos, 2)
	}
	return mem.Load16(m.P, uintptr(pos))
}

func (m *machine) u32(pos uint64) uint32 {
	if debug {
		m.assert(pos, 4)
	}
	return mem.Load32(m.P, uintptr(pos))
}

func (m *machine) u64(pos uint64) uint64 {
	if debug {
		m.assert(pos, 8)
	}
	return mem.Load64(m.P, uintptr(pos))
}

// slice returns the bytes from pos on; they must lie inside the buffer.
func (m *machine) slice(pos, size uint64) []byte {
	if debug {
		m.assert(pos, size)
	}
	return unsafe.Slice((*byte)(unsafe.Add(m.P, uintptr(pos))), int(size))
}

func (m *machine) assert(pos, size uint64) {
	if pos > m.N || size > m.N-pos {
		panic("machine: read outside the buffer")
	}
}
