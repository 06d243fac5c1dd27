package traversal

import (
	"encoding/binary"

	"github.com/fbverify/go/fbverify/internal/keyorder"
	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/rule"
	"github.com/fbverify/go/schema"
)

// values looks at the bools and enums in the value of type t at `at`, whose
// bytes are inside the buffer.
func (w *walker) values(at uint64, t schema.Type) {
	switch {
	case t.Base == schema.Bool:
		if c := w.b[at]; c > 1 {
			w.fault(rule.BadBool, at, 1, about(rule.ThingField, uint64(c), 1), "the bool is %d, and 0 and 1 are allowed", c)
		}
	case t.IsInteger():
		if t.Enum != nil {
			w.enum(at, t)
		}
	case t.IsStruct():
		for _, f := range t.Object.Fields {
			w.path = append(w.path, segment{field: f})
			w.values(at+uint64(f.Offset), f.Type)
			w.path = w.path[:len(w.path)-1]
		}
	default: // an array; a float has no elements
		elem := t.ElementType()
		size := uint64(elem.InlineSize())
		w.each(uint64(t.FixedLength), func(i uint64) { w.values(at+i*size, elem) })
	}
}

func (w *walker) enum(at uint64, t schema.Type) {
	v := w.integer(at, t.Base)
	e := t.Enum
	if !e.BitFlags {
		if e.ByValue(v) == nil {
			w.fault(rule.UnknownEnum, at, uint64(t.Base.Size()), signed(rule.ThingField, v, 0), "the value is %s, which %s does not name", number(v, t.Base), e.Name)
		}
		return
	}
	var known int64
	for _, flag := range e.Values {
		known |= flag.Value
	}
	if unknown := v &^ known; unknown != 0 {
		w.fault(rule.UnknownEnum, at, uint64(t.Base.Size()), signed(rule.ThingField, v, known), "the flags 0x%x have bits that %s does not name: 0x%x", uint64(v), e.Name, uint64(unknown))
	}
}

// integer reads an integer, uint64 as its two's complement.
func (w *walker) integer(at uint64, base schema.BaseType) int64 { return integer(w.b[at:], base) }

func integer(b []byte, base schema.BaseType) int64 {
	switch base {
	case schema.Byte:
		return int64(int8(b[0]))
	case schema.Short:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	case schema.UShort:
		return int64(binary.LittleEndian.Uint16(b))
	case schema.Int:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	case schema.UInt:
		return int64(binary.LittleEndian.Uint32(b))
	case schema.Long, schema.ULong:
		return int64(binary.LittleEndian.Uint64(b))
	}
	return int64(b[0])
}

// sorted compares the keys of neighbours in a vector whose elements were found
// sound. Of a deprecated key nothing was checked.
func (w *walker) sorted(data, count uint64, f *program.Field) {
	key := f.SortedBy
	if key.Deprecated {
		return
	}
	absent := keyorder.Absent(key)
	var before []byte
	for i := range count {
		at := data + i*uint64(f.ElemSize)
		k := w.sortKey(at, f, absent)
		if i == 0 {
			before = k
			continue
		}
		same, ok := w.compared(at, key.Type, k, before)
		if !ok {
			return
		}
		if !same && keyorder.Compare(key.Type, k, before) < 0 {
			w.path = append(w.path, segment{index: i}, segment{field: key})
			w.fault(rule.Unsorted, at, uint64(f.ElemSize), about(rule.ThingVector, 0, 0), "the key %s comes after %s, so a look-up by key may miss it", keyText(key.Type, k), keyText(key.Type, before))
			w.path = w.path[:len(w.path)-2]
			return
		}
		before = k
	}
}

// sortKey returns the key of the element at `at` as [keyorder.Compare] takes it,
// absent where a table does not set it.
func (w *walker) sortKey(at uint64, f *program.Field, absent []byte) []byte {
	key := f.SortedBy
	if f.Op == program.ScalarVector { // of structs
		return w.b[at+uint64(key.Offset):]
	}
	pos := at + uint64(w.u32(at))
	var vt vtable
	w.vtableOf(pos, &vt) // it is sound, as the table is
	off := vt.slot(key.ID)
	switch {
	case off == 0:
		return absent
	case key.Type.Base != schema.String:
		return w.b[pos+off:]
	}
	s := pos + off
	if key.Offset64 {
		s += w.u64(s)
	} else {
		s += uint64(w.u32(s))
	}
	return w.b[s+4 : s+4+uint64(w.u32(s))]
}

// shortKey is how many bytes of a key are compared without counting them: no more
// work than coming to its element is. Of longer ones, which are compared eight bytes
// at a time and more, each eight count for one.
const shortKey = 256

// compared counts the comparison of two keys. It returns false where that is too
// much, and same where they are one: many elements may share a long key.
func (w *walker) compared(at uint64, t schema.Type, a, b []byte) (same, ok bool) {
	size := uint64(min(len(a), len(b)))
	if t.Base != schema.String {
		size = uint64(t.InlineSize())
	}
	if size <= shortKey {
		return false, true
	}
	if &a[0] == &b[0] && len(a) == len(b) {
		return true, true
	}
	return false, w.spend(at, 0, (size-shortKey)/8)
}
