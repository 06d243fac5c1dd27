// Package keyorder is the order of the keys of a sorted vector: what writers sort
// by, what a look-up searches by, and what a strict verification compares.
//
// Numbers are ordered by value, NaN before all others, false before true, and
// strings by their bytes. Arrays are ordered element by element, and structs by all
// their fields in order, as the code that flatc generates for C++ compares them: a
// struct inside of a key may have a key of its own, which does not matter.
//
// Which types a key can have is a rule of the schema: see its check.
package keyorder

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"

	"github.com/fbverify/go/schema"
)

// Compare returns -1, 0 or +1 for a key that is before, equal to or after another,
// both of type t. A string is given by its bytes, without length and terminator;
// anything else by the bytes where it stands, and what comes after them is not
// looked at. It panics where bytes are missing.
func Compare(t schema.Type, a, b []byte) int {
	switch t.Stored() {
	case schema.String:
		return bytes.Compare(a, b)
	case schema.Obj:
		for _, f := range t.Object.Fields {
			if c := Compare(f.Type, a[f.Offset:], b[f.Offset:]); c != 0 {
				return c
			}
		}
		return 0
	case schema.Array:
		return compareArrays(t, a, b)
	case schema.Bool:
		return cmp.Compare(truth(a[0]), truth(b[0]))
	case schema.Byte:
		return cmp.Compare(int8(a[0]), int8(b[0]))
	case schema.Short:
		return cmp.Compare(int16(u16(a)), int16(u16(b)))
	case schema.UShort:
		return cmp.Compare(u16(a), u16(b))
	case schema.Int:
		return cmp.Compare(int32(u32(a)), int32(u32(b)))
	case schema.UInt:
		return cmp.Compare(u32(a), u32(b))
	case schema.Long:
		return cmp.Compare(int64(u64(a)), int64(u64(b)))
	case schema.ULong:
		return cmp.Compare(u64(a), u64(b))
	case schema.Float:
		return cmp.Compare(math.Float32frombits(u32(a)), math.Float32frombits(u32(b)))
	case schema.Double:
		return cmp.Compare(math.Float64frombits(u64(a)), math.Float64frombits(u64(b)))
	}
	return cmp.Compare(a[0], b[0]) // a ubyte
}

func compareArrays(t schema.Type, a, b []byte) int {
	elem := t.ElementType()
	size := elem.InlineSize()
	if elem.Base == schema.UByte {
		return bytes.Compare(a[:t.FixedLength], b[:t.FixedLength])
	}
	for i := range t.FixedLength {
		if c := Compare(elem, a[i*size:], b[i*size:]); c != 0 {
			return c
		}
	}
	return 0
}

func truth(b byte) int {
	if b != 0 {
		return 1
	}
	return 0
}

func u16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }
func u32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func u64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// Absent returns the key of a table that does not set it, as Compare takes it: a
// number is the field's default, a struct all zeros, and a string
// its default or empty.
func Absent(f *schema.Field) []byte {
	switch t := f.Type; {
	case t.Base == schema.String:
		return []byte(f.DefaultString)
	case t.Base == schema.Float:
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(f.DefaultReal)))
	case t.Base == schema.Double:
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(f.DefaultReal))
	case t.IsInteger():
		return binary.LittleEndian.AppendUint64(nil, uint64(f.DefaultInteger))[:t.InlineSize()]
	default:
		return make([]byte, t.InlineSize())
	}
}
