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

// The same loads from a source, which is a slice or the surroundings of a view.

func (s *source) u16(pos int) uint16 {
	if s.view != nil {
		return mem.Load16(s.view, uintptr(pos))
	}
	return u16(s.buf, pos)
}

func (s *source) u32(pos int) uint32 {
	if s.view != nil {
		return mem.Load32(s.view, uintptr(pos))
	}
	return u32(s.buf, pos)
}

func (s *source) u64(pos int) uint64 {
	if s.view != nil {
		return mem.Load64(s.view, uintptr(pos))
	}
	return u64(s.buf, pos)
}

// slice returns the bytes from start up to, not including, end.
func (s *source) slice(start, end int) []byte {
	if s.view != nil {
		if start >= end {
			return []byte{} // there may be nothing at start: it may be the end of the buffer
		}
		return unsafe.Slice((*byte)(unsafe.Add(s.view, start)), end-start)
	}
	return s.buf[start:end:end]
}

// follow returns the target of the 32-bit offset at pos. On 32-bit machines a
// hostile sum may wrap: the load at the target then panics or reads elsewhere in
// the slice.
func (s *source) follow(pos int) int { return pos + int(s.u32(pos)) }

// follow64 is follow for a 64-bit offset.
func (s *source) follow64(pos int) int { return pos + int(s.u64(pos)) }

// scalar loads a scalar and widens it to 64 bits, as scalarBits does.
func (s *source) scalar(pos int, k scalarKind) uint64 {
	if s.view != nil && k != notScalar {
		return scalarBits(s.slice(pos, pos+scalarSizes[k]), 0, k)
	}
	return scalarBits(s.buf, pos, k)
}

// scalarSizes are the bytes of a scalar of each kind.
var scalarSizes = [...]int{scalarU8: 1, scalarI8: 1, scalarU16: 2, scalarI16: 2, scalarU32: 4, scalarI32: 4, scalar64: 8, scalarF32: 4}

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

// entry reads an entry of a vtable that was found to start inside the buffer: one
// comparison is all that Go's would do here, in a third of the instructions.
func (s *source) entry(pos int) uint16 {
	at := uintptr(pos)
	if at >= s.entries {
		return s.entryOfView(pos)
	}
	return mem.Load16(unsafe.Pointer(unsafe.SliceData(s.buf)), at)
}

// entryOfView is entry for the surroundings of a view, which have no slice. A buffer
// that somebody wrote to after its verification ends up here, too.
func (s *source) entryOfView(pos int) uint16 {
	if s.view != nil {
		return mem.Load16(s.view, uintptr(pos))
	}
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
