package sense

import (
	"encoding/binary"

	"github.com/fbverify/go/schema"
)

// What is read here is proved to be in the buffer, and Go's bounds checks stand behind that.

func (w *walker) u16(pos uint64) uint16 { return binary.LittleEndian.Uint16(w.b[pos:]) }
func (w *walker) u32(pos uint64) uint32 { return binary.LittleEndian.Uint32(w.b[pos:]) }
func (w *walker) u64(pos uint64) uint64 { return binary.LittleEndian.Uint64(w.b[pos:]) }

// object is a table with its vtable, or a struct.
type object struct {
	pos    uint64
	vtable uint64
	size   uint16 // of the vtable
}

func (w *walker) tableAt(pos uint64) object {
	vt := pos - uint64(int64(int32(w.u32(pos))))
	return object{pos, vt, w.u16(vt)}
}

// field returns the position of a field's inline bytes, 0 where it is absent.
func (w *walker) field(o *object, at place) uint64 {
	if at.inStruct {
		return o.pos + uint64(at.off)
	}
	if at.off >= o.size { // both are even
		return 0
	}
	off := w.u16(o.vtable + uint64(at.off))
	if off == 0 {
		return 0
	}
	return o.pos + uint64(off)
}

// follow returns where the offset at a position leads.
func (w *walker) follow(at uint64, wide bool) uint64 {
	if wide {
		return at + w.u64(at)
	}
	return at + uint64(w.u32(at))
}

// vector returns the length of the vector at a position, and where its elements are.
func (w *walker) vector(pos uint64, long bool) (n, data uint64) {
	if long {
		return w.u64(pos), pos + 8
	}
	return uint64(w.u32(pos)), pos + 4
}

// load returns the integer at a position.
func (w *walker) load(pos uint64, base schema.BaseType) schema.Integer {
	switch base {
	case schema.Byte:
		return schema.Signed(int64(int8(w.b[pos])))
	case schema.Short:
		return schema.Signed(int64(int16(w.u16(pos))))
	case schema.UShort:
		return schema.Unsigned(uint64(w.u16(pos)))
	case schema.Int:
		return schema.Signed(int64(int32(w.u32(pos))))
	case schema.UInt:
		return schema.Unsigned(uint64(w.u32(pos)))
	case schema.Long:
		return schema.Signed(int64(w.u64(pos)))
	case schema.ULong:
		return schema.Unsigned(w.u64(pos))
	}
	return schema.Unsigned(uint64(w.b[pos]))
}

// scalar returns the integer of a field, its default where it is absent.
func (w *walker) scalar(o *object, s *stored) schema.Integer {
	if at := w.field(o, s.place); at != 0 {
		return w.load(at, s.base)
	}
	return s.def
}

// textOf returns the string that a field leads to, nil where it is absent.
func (w *walker) textOf(o *object, s *stored) []byte {
	at := w.field(o, s.place)
	if at == 0 {
		return nil
	}
	return w.text(w.follow(at, s.wide))
}

// text returns the string at a position.
func (w *walker) text(pos uint64) []byte {
	n := uint64(w.u32(pos))
	return w.b[pos+4:][:n:n]
}
