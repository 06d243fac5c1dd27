package fbread

import (
	"iter"
	"strings"
	"unsafe"
)

// Scalar is every number type that a field can have, and enums over them.
type Scalar interface {
	~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64
}

// Scalars returns the vector of numbers that the field at slot refers to, nil
// where it is absent or empty. On little-endian machines it is not copied, except
// where the machine cannot read it at its address; it must not be written to.
func Scalars[T Scalar](t Table, slot uint16) []T {
	p, n := vector(t, slot)
	return scalars[T](t.bounds(), p, 4, n)
}

// StringFar is [String] for a field with a 64-bit offset (offset64).
func StringFar(t Table, slot uint16) string {
	p, n := vectorFar(t, slot)
	return text(t.bounds(), p, n)
}

// BytesFar is [Bytes] for a field with a 64-bit offset (offset64).
func BytesFar(t Table, slot uint16) []byte {
	p, n := vectorFar(t, slot)
	return elements[byte](t.bounds(), p, 4, n)
}

// ScalarsFar is [Scalars] for a field with a 64-bit offset (offset64).
func ScalarsFar[T Scalar](t Table, slot uint16) []T {
	p, n := vectorFar(t, slot)
	return scalars[T](t.bounds(), p, 4, n)
}

// Bytes64 is [Bytes] for a vector with a 64-bit offset and length (vector64).
func Bytes64(t Table, slot uint16) []byte {
	p, n := vector64(t, slot)
	return elements[byte](t.bounds(), p, 8, n)
}

// Scalars64 is [Scalars] for a vector with a 64-bit offset and length
// (vector64).
func Scalars64[T Scalar](t Table, slot uint16) []T {
	p, n := vector64(t, slot)
	return scalars[T](t.bounds(), p, 8, n)
}

// Vector is a vector of tables, read as T. An absent vector has no elements.
type Vector[T View[T]] struct {
	_    [0]*T
	b    bounds
	refs []ref
}

// Tables returns the vector of tables that the field at slot refers to.
func Tables[T View[T]](t Table, slot uint16) Vector[T] {
	p, n := vector(t, slot)
	return Vector[T]{refs: refs(t.bounds(), p, n), b: t.bounds()}
}

// Len returns the number of elements.
func (v Vector[T]) Len() int { return len(v.refs) }

// At returns element i. It panics, as a slice does, when i is out of range.
func (v Vector[T]) At(i int) T { return As[T](tableOf(v.b, &v.refs[i])) }

// All ranges over the indexes and elements.
func (v Vector[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := range v.refs {
			if !yield(i, As[T](tableOf(v.b, &v.refs[i]))) {
				return
			}
		}
	}
}

// Values ranges over the elements.
func (v Vector[T]) Values() iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := range v.refs {
			if !yield(As[T](tableOf(v.b, &v.refs[i]))) {
				return
			}
		}
	}
}

// Slice returns the elements from i up to, not including, j. It panics, as a
// slice does, when they are out of range.
func (v Vector[T]) Slice(i, j int) Vector[T] { return Vector[T]{refs: v.refs[i:j:j], b: v.b} }

// StringVector is a vector of strings. An absent vector has no elements.
type StringVector struct {
	b    bounds
	refs []ref
}

// Strings returns the vector of strings that the field at slot refers to.
func Strings(t Table, slot uint16) StringVector {
	p, n := vector(t, slot)
	return StringVector{t.bounds(), refs(t.bounds(), p, n)}
}

// Len returns the number of strings.
func (v StringVector) Len() int { return len(v.refs) }

// At returns string i, not copied. It panics, as a slice does, when i is out of
// range.
func (v StringVector) At(i int) string { return textOf(v.b, &v.refs[i]) }

// All ranges over the indexes and strings.
func (v StringVector) All() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i := range v.refs {
			if !yield(i, textOf(v.b, &v.refs[i])) {
				return
			}
		}
	}
}

// Values ranges over the strings.
func (v StringVector) Values() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range v.refs {
			if !yield(textOf(v.b, &v.refs[i])) {
				return
			}
		}
	}
}

// BoolVector is a vector of bools. It is no []bool, because a buffer may hold
// any nonzero byte for true and Go may not. An absent vector has no elements.
type BoolVector struct{ b []byte }

// Bools returns the vector of bools that the field at slot refers to.
func Bools(t Table, slot uint16) BoolVector { return BoolVector{Bytes(t, slot)} }

// BoolsFar is [Bools] for a field with a 64-bit offset (offset64).
func BoolsFar(t Table, slot uint16) BoolVector { return BoolVector{BytesFar(t, slot)} }

// Bools64 is [Bools] for a vector with a 64-bit offset and length (vector64).
func Bools64(t Table, slot uint16) BoolVector { return BoolVector{Bytes64(t, slot)} }

// Len returns the number of bools.
func (v BoolVector) Len() int { return len(v.b) }

// At returns bool i. It panics, as a slice does, when i is out of range.
func (v BoolVector) At(i int) bool { return v.b[i] != 0 }

// All ranges over the indexes and bools.
func (v BoolVector) All() iter.Seq2[int, bool] {
	return func(yield func(int, bool) bool) {
		for i, c := range v.b {
			if !yield(i, c != 0) {
				return
			}
		}
	}
}

// Values ranges over the bools.
func (v BoolVector) Values() iter.Seq[bool] {
	return func(yield func(bool) bool) {
		for _, c := range v.b {
			if !yield(c != 0) {
				return
			}
		}
	}
}

// Append appends the bools to dst and returns it.
func (v BoolVector) Append(dst []bool) []bool {
	for _, c := range v.b {
		dst = append(dst, c != 0)
	}
	return dst
}

// StringCopies is a vector of strings that are copied when they are read, so that they
// live on when the buffer is used again. An absent vector has no elements.
type StringCopies struct{ v StringVector }

// CopiesOf returns v, to be read as copies.
func CopiesOf(v StringVector) StringCopies { return StringCopies{v} }

// Len returns the number of strings.
func (v StringCopies) Len() int { return v.v.Len() }

// At returns a copy of string i. It panics, as a slice does, when i is out of range.
func (v StringCopies) At(i int) string { return strings.Clone(v.v.At(i)) }

// All ranges over the indexes and copies of the strings.
func (v StringCopies) All() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i, s := range v.v.All() {
			if !yield(i, strings.Clone(s)) {
				return
			}
		}
	}
}

// Values ranges over copies of the strings.
func (v StringCopies) Values() iter.Seq[string] {
	return func(yield func(string) bool) {
		for s := range v.v.Values() {
			if !yield(strings.Clone(s)) {
				return
			}
		}
	}
}

// String returns the strings as a JSON array, cut after 4 KiB.
func (v StringCopies) String() string { return v.v.String() }

// MarshalJSON returns the strings as a JSON array. It is an error where one is not UTF-8.
func (v StringCopies) MarshalJSON() ([]byte, error) { return v.v.MarshalJSON() }

// TextBytes returns the bytes of the string that the field at slot refers to, which has
// a 64-bit offset if far says so; nil where it is absent, and not nil where it is empty.
// They are the buffer's own and must not be written to.
func TextBytes(t Table, slot uint16, far bool) []byte {
	if !Has(t, slot) {
		return nil
	}
	if far {
		return TextOf(StringFar(t, slot))
	}
	return TextOf(String(t, slot))
}

// TextOf returns the bytes of a string, not copied, and not nil. They must not be
// written to.
func TextOf(s string) []byte {
	if s == "" {
		return []byte{}
	}
	return unsafe.Slice(unsafe.StringData(s), len(s))
}
