package dynamic

import (
	"encoding/binary"
	"math"
)

// The loads. Positions are bytes from the start of the buffer; that they are in
// range is what the verification proved. Go's own bounds check stays in: it costs
// one compare that is always predicted, and it makes a buffer that somebody wrote
// to after its verification a panic instead of a stray read.

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
