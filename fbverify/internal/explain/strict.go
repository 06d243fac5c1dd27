package explain

import (
	"bytes"
	"math"

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
			w.fault(rule.BadBool, at, 1, "the bool is %d, and 0 and 1 are allowed", c)
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
			w.fault(rule.UnknownEnum, at, uint64(t.Base.Size()), "the value is %s, which %s does not name", number(v, t.Base), e.Name)
		}
		return
	}
	var known int64
	for _, flag := range e.Values {
		known |= flag.Value
	}
	if unknown := v &^ known; unknown != 0 {
		w.fault(rule.UnknownEnum, at, uint64(t.Base.Size()), "the flags 0x%x have bits that %s does not name: 0x%x", uint64(v), e.Name, uint64(unknown))
	}
}

// integer reads an integer, uint64 as its two's complement.
func (w *walker) integer(at uint64, base schema.BaseType) int64 {
	switch base {
	case schema.Byte:
		return int64(int8(w.b[at]))
	case schema.Short:
		return int64(int16(w.u16(at)))
	case schema.UShort:
		return int64(w.u16(at))
	case schema.Int:
		return int64(int32(w.u32(at)))
	case schema.UInt:
		return int64(w.u32(at))
	case schema.Long, schema.ULong:
		return int64(w.u64(at))
	}
	return int64(w.b[at])
}

// sorted compares the keys of neighbours in a vector whose elements were found
// sound. Keys are scalars or strings; the format knows no order for others, and of
// a deprecated one nothing was checked.
func (w *walker) sorted(data, count uint64, f *program.Field) {
	key := f.SortedBy
	if key.Deprecated || !key.Type.IsScalar() && key.Type.Base != schema.String {
		return
	}
	var before value
	for i := range count {
		at := data + i*uint64(f.ElemSize)
		v := w.sortKey(at, f)
		if i > 0 && v.less(before) {
			w.path = append(w.path, segment{index: i}, segment{field: key})
			w.fault(rule.Unsorted, at, uint64(f.ElemSize), "the key %s comes after %s, so a look-up by key may miss it", v, before)
			w.path = w.path[:len(w.path)-2]
			return
		}
		before = v
	}
}

// sortKey reads the key of the element at `at`.
func (w *walker) sortKey(at uint64, f *program.Field) value {
	key := f.SortedBy
	if f.Op == program.ScalarVector { // of structs
		return w.scalar(at+uint64(key.Offset), key.Type.Base)
	}
	pos := at + uint64(w.u32(at))
	vt := pos - uint64(int64(int32(w.u32(pos))))
	if slot := uint64(key.Offset); slot+2 <= uint64(w.u16(vt)) {
		if off := uint64(w.u16(vt + slot)); off != 0 {
			if key.Type.Base == schema.String {
				s := pos + off
				s += uint64(w.u32(s))
				return value{base: schema.String, s: w.b[s+4 : s+4+uint64(w.u32(s))]}
			}
			return w.scalar(pos+off, key.Type.Base)
		}
	}
	return value{base: key.Type.Base, i: key.DefaultInteger, f: key.DefaultReal}
}

func (w *walker) scalar(at uint64, base schema.BaseType) value {
	v := value{base: base}
	switch base {
	case schema.Float:
		v.f = float64(math.Float32frombits(w.u32(at)))
	case schema.Double:
		v.f = math.Float64frombits(w.u64(at))
	default:
		v.i = w.integer(at, base)
	}
	return v
}

// value is a key.
type value struct {
	base schema.BaseType
	i    int64
	f    float64
	s    []byte
}

func (v value) less(o value) bool {
	switch {
	case v.base == schema.String:
		return bytes.Compare(v.s, o.s) < 0
	case v.base.IsFloat():
		return v.f < o.f
	case v.base.IsUnsigned():
		return uint64(v.i) < uint64(o.i)
	}
	return v.i < o.i
}
