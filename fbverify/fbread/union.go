package fbread

import "unsafe"

// A union is two fields: its kind, a number, and its value, an offset. Which of
// the reads below fits the value is for the kind to say.

// UnionValue is where the value of a union is, whether it stands in a field or
// in a vector of unions: what generated union views keep beside the kind. The zero
// UnionValue is that of an absent field: it must not be read, and no kind that has
// a value comes with it. It can only be had of a [Table], and so with a word that
// says Unchecked.
type UnionValue struct {
	e *ref
	b bounds
}

// UnionOf returns the union value that the field at slot refers to.
func UnionOf(t Table, slot uint16) UnionValue {
	if o := field(t, slot); o != 0 {
		return UnionValue{refField(t, o), t.bounds()}
	}
	return UnionValue{}
}

// UnionAt is [UnionOf] for the offset word at off.
func UnionAt(f Fixed, off uint16) UnionValue { return UnionValue{refFixed(f, off), f.bounds()} }

// UnionTable returns the value as a table; the kind must say that it is a T.
func UnionTable[T View[T]](v UnionValue) T { return As[T](tableOf(v.b, v.e)) }

// UnionString returns the value as a string; the kind must say that it is one.
func UnionString(v UnionValue) string { return textOf(v.b, v.e) }

// UnionStruct returns the value as a struct; the kind must say that it is a T.
func UnionStruct[T any, P Struct[T]](v UnionValue) T { return structOf[T, P](v.b, v.e) }

// UnionVector is the values of a vector of unions. The kinds are a vector of
// their own, of the same length. An absent vector has no elements.
type UnionVector struct {
	b      bounds
	values []ref
}

// Unions returns the values of the vector of unions that the field at slot
// refers to.
func Unions(t Table, slot uint16) UnionVector {
	p, n := vector(t, slot)
	return UnionVector{t.bounds(), refs(t.bounds(), p, n)}
}

// UnionsAt is [Unions] for the offset word at off.
func UnionsAt(f Fixed, off uint16) UnionVector {
	p, n := fixedVector(f, off)
	return UnionVector{f.bounds(), refs(f.bounds(), p, n)}
}

// Len returns the number of values.
func (v UnionVector) Len() int { return len(v.values) }

// At returns value i. It panics, as a slice does, when i is out of range. Where
// the kind at i is NONE the value may refer to nothing, and must not be read.
func (v UnionVector) At(i int) UnionValue { return UnionValue{&v.values[i], v.b} }

// UnionAddressUnchecked returns where the value lies, nil for the zero UnionValue. The
// kind says what is there, if it is one that has a value.
func UnionAddressUnchecked(v UnionValue) unsafe.Pointer {
	if v.e == nil {
		return nil
	}
	return v.e.target(v.b, 0)
}
