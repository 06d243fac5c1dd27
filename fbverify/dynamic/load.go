package dynamic

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/fbverify/go/fbverify/internal/mem"
)

// The loads. Positions are bytes from the start of the buffer; that they are in
// range is what the verification proved. They are checked all the same, by Go or,
// on the way of Table.scalar, by one comparison: it makes a buffer that somebody
// wrote to after its verification a panic instead of a stray read.

func u16(b []byte, pos int) uint16 { return binary.LittleEndian.Uint16(b[pos:]) }
func u32(b []byte, pos int) uint32 { return binary.LittleEndian.Uint32(b[pos:]) }
func u64(b []byte, pos int) uint64 { return binary.LittleEndian.Uint64(b[pos:]) }

// follow returns the target of the 32-bit offset at pos. On 32-bit machines a
// hostile sum may wrap: the load at the target then panics or reads elsewhere in
// the slice.
func follow(b []byte, pos int) int { return pos + int(u32(b, pos)) }

// follow64 is follow for a 64-bit offset.
func follow64(b []byte, pos int) int { return pos + int(u64(b, pos)) }

// scalarBits loads a scalar and widens it to 64 bits: signed integers by sign,
// unsigned ones and bools by zeros, floats to the bits of a float64.
func scalarBits(b []byte, pos int, k scalarKind) uint64 {
	switch k {
	case scalarU8:
		return uint64(b[pos])
	case scalarI8:
		return uint64(int64(int8(b[pos])))
	case scalarU16:
		return uint64(u16(b, pos))
	case scalarI16:
		return uint64(int64(int16(u16(b, pos))))
	case scalarU32:
		return uint64(u32(b, pos))
	case scalarI32:
		return uint64(int64(int32(u32(b, pos))))
	case scalar64:
		return u64(b, pos)
	case scalarF32:
		return math.Float64bits(float64(math.Float32frombits(u32(b, pos))))
	}
	return 0
}

// widener returns what makes of the eight bytes at a scalar what scalarBits makes
// of the scalar: they are shifted up, shifted down by sign, and masked. It does not
// do for float32, and comes to 0 for what is no scalar.
func widener(k scalarKind) (shift uint8, mask uint64) {
	switch k {
	case scalarU8:
		return 0, math.MaxUint8
	case scalarI8:
		return 56, math.MaxUint64
	case scalarU16:
		return 0, math.MaxUint16
	case scalarI16:
		return 48, math.MaxUint64
	case scalarU32:
		return 0, math.MaxUint32
	case scalarI32:
		return 32, math.MaxUint64
	case scalar64:
		return 0, math.MaxUint64
	}
	return 0, 0
}

// entry reads an entry of a vtable that was found to start inside the buffer, at a
// position that is not negative therefore: one comparison is all that Go's would
// do here, in a third of the instructions.
func (s *source) entry(pos int) uint16 {
	at := uintptr(pos)
	if at+2 > uintptr(len(s.buf)) {
		outside()
	}
	return mem.Load16(unsafe.Pointer(unsafe.SliceData(s.buf)), at)
}

// outside is where a buffer ends up that somebody wrote to after its verification.
func outside() {
	panic("dynamic: a vtable reaches out of the buffer, which was changed since it was verified")
}

// scalarKind is how a scalar is loaded.
type scalarKind uint8

const (
	notScalar scalarKind = iota
	scalarU8
	scalarI8
	scalarU16
	scalarI16
	scalarU32
	scalarI32
	scalar64 // int64, uint64 and float64: their bits as they are
	scalarF32
)
