package machine

import (
	"unsafe"

	"github.com/fbverify/go/fbverify/internal/mem"
)

// buffer is a buffer's first byte and its length, which stay in registers.
//
// The loads ask that what they read lies inside the buffer; every call stands
// below the comparison with n that shows it. Positions are uint64 also on 32-bit
// machines: sums of a position and a 32-bit offset then never wrap.
type buffer struct {
	p unsafe.Pointer
	n uint64
}

func (m *machine) buffer() buffer { return buffer{m.P, m.N} }

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

// vtable returns the position of the vtable of the table at pos, whose first four bytes
// are inside the buffer. It may be anything.
func (b buffer) vtable(pos uint64) uint64 { return pos - uint64(int64(int32(b.u32(pos)))) }

// follow follows the offset at `at`, whose own bytes are inside the buffer, to
// something whose first four bytes are inside it too. Nobody has looked at its
// alignment yet; reading at a misaligned position does no harm.
//
// With room the bytes between `at` and the last four of the buffer, the offset
// may be 1 to room: one comparison, since 0-1 wraps around.
func (b buffer) follow(at uint64) (pos uint64, ok bool) {
	uo := uint64(b.u32(at))
	return at + uo, uo-1 < b.n-4-at
}
