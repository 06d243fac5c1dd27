package dynamic

import (
	"encoding/binary"
	"fmt"
	"math"
	"sort"

	"github.com/fbverify/go/fbverify/internal/keyorder"
	"github.com/fbverify/go/schema"
)

// Key returns the field that the elements of a vector of tables or structs are
// sorted by, nil if they have none.
func (v Value) Key() *Field {
	if v.Kind() != KindVector || v.typ.Elem.Object == nil {
		return nil
	}
	return v.typ.Elem.Object.key
}

// LookupString finds the element of a vector whose key is key, by binary search;
// among equal keys the first. The vector's elements must be keyed by a string: see
// Key. A vector that is not sorted, which only a strict verification refuses, may
// hide elements.
func (v Value) LookupString(key string) (Value, bool) {
	return v.lookup(KindString, []byte(key), true)
}

// LookupInt is LookupString for keys that are signed integers.
func (v Value) LookupInt(key int64) (Value, bool) {
	want := binary.LittleEndian.AppendUint64(nil, uint64(key))
	size := v.keySize()
	return v.lookup(KindInt, want, size == 8 || key>>(8*size-1) == key>>63)
}

// LookupUint is LookupString for keys that are unsigned integers or bools.
func (v Value) LookupUint(key uint64) (Value, bool) {
	want := binary.LittleEndian.AppendUint64(nil, key)
	size := v.keySize()
	return v.lookup(KindUint, want, size == 8 || key>>(8*size) == 0)
}

// LookupFloat is LookupString for keys that are floats.
func (v Value) LookupFloat(key float64) (Value, bool) {
	if v.keySize() == 4 {
		narrow := float32(key)
		want := binary.LittleEndian.AppendUint32(nil, math.Float32bits(narrow))
		return v.lookup(KindFloat, want, float64(narrow) == key || key != key)
	}
	return v.lookup(KindFloat, binary.LittleEndian.AppendUint64(nil, math.Float64bits(key)), true)
}

// Lookup is LookupString for keys of any type: key is a value of the key's type,
// such as Get returns of another element of such a vector. It is for keys that are
// structs or arrays, which are compared by all their numbers in order.
func (v Value) Lookup(key Value) (Value, bool) {
	f := v.Key()
	if f == nil || key.typ == nil || key.typ.asSchema() != f.schema.Type {
		panic(fmt.Sprintf("dynamic: look-up of a %s in a %s, which has no key of that type", key.typ, v.typ))
	}
	return v.lookup(f.typ.Kind, key.asKey(), true)
}

// keySize returns the bytes of the key, 0 if there is none.
func (v Value) keySize() int {
	if f := v.Key(); f != nil {
		return f.typ.Size
	}
	return 0
}

// lookup finds the element with a key of that kind, as [keyorder.Compare] takes it.
// fits says that an element can have that key at all.
func (v Value) lookup(kind Kind, want []byte, fits bool) (Value, bool) {
	f := v.Key()
	if f == nil || f.typ.Kind != kind && (f.typ.Kind != KindBool || kind != KindUint) {
		panic(fmt.Sprintf("dynamic: look-up in a %s, which has no key of that type", v.typ))
	}
	if fits {
		if i, ok := v.search(f, want); ok {
			return v.At(i), true
		}
	}
	return Value{}, false
}

func (v Value) search(f *Field, want []byte) (int, bool) {
	n := v.Len()
	order := func(i int) int { return keyorder.Compare(f.schema.Type, v.At(i).keyBytes(f), want) }
	i := sort.Search(n, func(i int) bool { return order(i) >= 0 })
	return i, i < n && order(i) == 0
}

// CompareKeys returns -1, 0 or +1 for an element whose key is before, equal to or
// after another's, as writers sort them: numbers by value, NaN before all others,
// strings by their bytes, arrays and structs by all their numbers in order. Both are
// elements of vectors of one type, which has a key.
func CompareKeys(a, b Value) int {
	if a.typ == nil || b.typ == nil || a.typ.Object == nil || a.typ.Object != b.typ.Object || a.typ.Object.key == nil {
		panic(fmt.Sprintf("dynamic: the keys of a %s and a %s cannot be compared", a.typ, b.typ))
	}
	f := a.typ.Object.key
	return keyorder.Compare(f.schema.Type, a.keyBytes(f), b.keyBytes(f))
}

// keyBytes returns the key of an element as [keyorder.Compare] takes it.
func (v Value) keyBytes(f *Field) []byte {
	if v.typ.Kind == KindStruct {
		return v.src.slice(v.pos+f.slot, v.pos+f.slot+f.typ.Size)
	}
	t := v.Table()
	at := t.at(f)
	switch {
	case at == 0:
		return f.owner.absentKey
	case f.typ.Kind == KindString:
		u, _ := t.Get(f)
		return u.Bytes()
	}
	return v.src.slice(at, at+f.typ.Size)
}

// asKey returns a value that is a key itself as [keyorder.Compare] takes it.
func (v Value) asKey() []byte {
	switch {
	case v.typ.Kind == KindString:
		return v.Bytes()
	case v.typ.scalar != notScalar:
		return appendBits(nil, v.typ.scalar, v.aux)
	case v.pos < 0:
		return make([]byte, v.typ.Size)
	}
	return v.src.slice(v.pos, v.pos+v.typ.Size)
}

// asSchema returns the type in the schema's terms.
func (t *Type) asSchema() schema.Type {
	s := schema.Type{Base: t.Base, Enum: t.Enum, FixedLength: t.Len}
	switch {
	case t.Elem != nil:
		e := t.Elem.asSchema()
		s.Element, s.Object, s.Enum = e.Base, e.Object, e.Enum
	case t.Object != nil:
		s.Object = t.Object.schema
	}
	return s
}
