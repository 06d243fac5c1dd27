package dynamic

import (
	"encoding/binary"
	"math"

	"github.com/fbverify/go/fbverify/internal/rule"
)

// builder writes a buffer back to front, as the format wants it: an object before
// all that refers to it, so that offsets point forward.
//
// What 64-bit offsets refer to (strings, vectors of scalars and of structs: they
// refer to nothing themselves) is gathered front to back in a second part, far,
// which follows the first in the buffer. Since the first part's length becomes a
// multiple of every alignment, positions in far can be aligned on their own.
//
// Offsets in the first part are counted in bytes from its end: that is all that is
// known before it is complete.
type builder struct {
	buf      []byte // the first part is buf[head:]
	head     int
	minAlign int
	limit    int // of the first part, in bytes
	tooLarge bool

	far     []byte
	vtables map[string]uint32 // offset of each by its bytes
}

func newBuilder(hint int) *builder {
	n := min(max(hint/4, 64), 1<<20)
	return &builder{buf: make([]byte, n), head: n, minAlign: 4, limit: rule.MaxBuffer, vtables: make(map[string]uint32)}
}

// size returns the bytes of the first part so far: the offset of what was written
// last.
func (b *builder) size() int { return len(b.buf) - b.head }

// room makes place for n bytes and returns it; the bytes may hold anything.
func (b *builder) room(n int) []byte {
	if n > b.head {
		b.grow(n)
	}
	b.head -= n
	return b.buf[b.head : b.head+n]
}

func (b *builder) grow(n int) {
	used := b.size()
	if n > b.limit || used > b.limit-n {
		// The writes go on into a buffer of its own, which nobody will see: the
		// caller asks for tooLarge before it reads anything back.
		b.tooLarge = true
		used = 0
	}
	want := used + n
	next := make([]byte, max(min(2*max(len(b.buf), want/2), b.limit), want))
	copy(next[len(next)-used:], b.buf[b.head:])
	b.buf, b.head = next, len(next)-used
}

// align pads so that the buffer is aligned once extra bytes were written.
func (b *builder) align(to, extra int) {
	b.minAlign = max(b.minAlign, to)
	if pad := -(b.size() + extra) & (to - 1); pad != 0 {
		clear(b.room(pad))
	}
}

func (b *builder) u16(v uint16) { binary.LittleEndian.PutUint16(b.room(2), v) }
func (b *builder) u32(v uint32) { binary.LittleEndian.PutUint32(b.room(4), v) }
func (b *builder) u64(v uint64) { binary.LittleEndian.PutUint64(b.room(8), v) }

// scalar writes an aligned scalar.
func (b *builder) scalar(k scalarKind, bits uint64) {
	switch k {
	case scalarU8, scalarI8:
		b.room(1)[0] = byte(bits)
	case scalarU16, scalarI16:
		b.align(2, 0)
		b.u16(uint16(bits))
	case scalarU32, scalarI32:
		b.align(4, 0)
		b.u32(uint32(bits))
	case scalarF32:
		b.align(4, 0)
		b.u32(math.Float32bits(float32(math.Float64frombits(bits))))
	case scalar64:
		b.align(8, 0)
		b.u64(bits)
	}
}

// appendBits appends a scalar without alignment.
func appendBits(s []byte, k scalarKind, bits uint64) []byte {
	switch k {
	case scalarU8, scalarI8:
		return append(s, byte(bits))
	case scalarU16, scalarI16:
		return binary.LittleEndian.AppendUint16(s, uint16(bits))
	case scalarU32, scalarI32:
		return binary.LittleEndian.AppendUint32(s, uint32(bits))
	case scalarF32:
		return binary.LittleEndian.AppendUint32(s, math.Float32bits(float32(math.Float64frombits(bits))))
	}
	return binary.LittleEndian.AppendUint64(s, bits)
}

// string writes a string.
func (b *builder) string(s []byte) int {
	b.align(4, len(s)+1)
	b.room(1)[0] = 0
	copy(b.room(len(s)), s)
	b.u32(uint32(len(s)))
	return b.size()
}

// vector writes a vector of count elements, whose bytes are given.
func (b *builder) vector(data []byte, count, align int) int {
	b.align(4, len(data))
	b.align(align, len(data))
	copy(b.room(len(data)), data)
	b.u32(uint32(count))
	return b.size()
}

// offsetVector writes a vector of offsets; 0 stands for none.
func (b *builder) offsetVector(offsets []uint32) int {
	b.align(4, 0)
	for i := len(offsets) - 1; i >= 0; i-- {
		if offsets[i] == 0 {
			b.u32(0)
		} else {
			b.u32(uint32(b.size()+4) - offsets[i])
		}
	}
	b.u32(uint32(len(offsets)))
	return b.size()
}

// farVector writes a vector, or a string without its NUL, to the second part and
// returns its position there. word is the size of the length.
func (b *builder) farVector(data []byte, count, align, word int) int {
	b.minAlign = max(b.minAlign, align, word)
	to := max(align, word)
	for (len(b.far)+word)&(to-1) != 0 || len(b.far)&(word-1) != 0 {
		b.far = append(b.far, 0)
	}
	pos := len(b.far)
	if word == 8 {
		b.far = binary.LittleEndian.AppendUint64(b.far, uint64(count))
	} else {
		b.far = binary.LittleEndian.AppendUint32(b.far, uint32(count))
	}
	b.far = append(b.far, data...)
	return pos
}

// finish writes the head of the buffer and returns it, or false where it is too
// large. prefix is the bytes of the size prefix, 0 for none.
func (b *builder) finish(root int, id string, prefix int) ([]byte, bool) {
	b.align(b.minAlign, 4+len(id)+prefix)
	copy(b.room(len(id)), id)
	b.u32(uint32(b.size()+4) - uint32(root))
	total := uint64(b.size()) + uint64(len(b.far))
	if b.tooLarge || prefix == 4 && total > math.MaxUint32 {
		return nil, false
	}
	switch prefix {
	case 4:
		b.u32(uint32(total))
	case 8:
		b.u64(total)
	}
	if len(b.far) == 0 {
		out := b.buf[b.head:]
		if b.head > len(out)/4 { // do not keep a much larger array alive
			out = append([]byte(nil), out...)
		}
		return out, true
	}
	return append(b.buf[b.head:len(b.buf):len(b.buf)], b.far...), true
}
