package dynamic

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// Key returns the field that the elements of a vector of tables or structs are
// sorted by, nil if they have none.
func (v Value) Key() *Field {
	if v.Kind() != KindVector || v.typ.Elem.Object == nil {
		return nil
	}
	return v.typ.Elem.Object.key
}

// LookupString finds the element of a vector whose key is key, by binary search.
// The vector's elements must be keyed by a string: see Key. A vector that is not
// sorted, which only a strict verification refuses, may hide elements.
func (v Value) LookupString(key string) (Value, bool) { return v.lookup(keyString(key)) }

// LookupInt is LookupString for keys that are signed integers.
func (v Value) LookupInt(key int64) (Value, bool) {
	return v.lookup(keyScalar{KindInt, uint64(key), float64(key)})
}

// LookupUint is LookupString for keys that are unsigned integers or bools.
func (v Value) LookupUint(key uint64) (Value, bool) {
	return v.lookup(keyScalar{KindUint, key, float64(key)})
}

// LookupFloat is LookupString for keys that are floats.
func (v Value) LookupFloat(key float64) (Value, bool) {
	return v.lookup(keyScalar{KindFloat, 0, key})
}

func (v Value) lookup(k searchKey) (Value, bool) {
	if i, ok := v.search(k); ok {
		return v.At(i), true
	}
	return Value{}, false
}

// searchKey compares an element's key with the one that is looked for.
type searchKey interface {
	fits(*Type) bool
	compare(Value) int // of the element's key to this one
}

func (v Value) search(k searchKey) (int, bool) {
	key := v.Key()
	if key == nil || !k.fits(&key.typ) {
		panic(fmt.Sprintf("dynamic: look-up in a %s, which has no key of that type", v.typ))
	}
	at := func(i int) Value {
		e := v.At(i)
		if e.typ.Kind == KindStruct {
			return e.Struct().Get(key)
		}
		u, _ := e.Table().Get(key)
		return u
	}
	n := v.Len()
	i := sort.Search(n, func(i int) bool { return k.compare(at(i)) >= 0 })
	return i, i < n && k.compare(at(i)) == 0
}

type keyString string

func (k keyString) fits(t *Type) bool { return t.Kind == KindString }

func (k keyString) compare(v Value) int {
	if v.pos < 0 {
		return strings.Compare("", string(k))
	}
	return bytes.Compare(v.Bytes(), []byte(k))
}

type keyScalar struct {
	kind Kind
	bits uint64
	real float64
}

func (k keyScalar) fits(t *Type) bool {
	return t.Kind == k.kind || t.Kind == KindBool && k.kind == KindUint
}

func (k keyScalar) compare(v Value) int {
	switch k.kind {
	case KindInt:
		return compare(v.Int(), int64(k.bits))
	case KindFloat:
		return compare(v.Float(), k.real)
	}
	return compare(v.Uint(), k.bits)
}

func compare[T int64 | uint64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
