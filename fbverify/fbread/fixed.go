package fbread

import (
	"iter"
	"math"
)

// A fixed view reads a table whose vtable was compared, once, with the one that
// generated code knows: every field that the known vtable has is at a constant
// offset, off, from the start of the table, so that a read is one load. Fields
// that the known vtable leaves out are absent, and generated code answers with
// their default itself.
//
// Why this shape. Comparing a vtable costs about as much as reading three fields
// through it, so it must not be done a read: a fixed view is the proof that it was
// done, as a Verified is of the buffer, and what it gives out below it was compared
// with it. Three tables deep, nine fields, the way walked for each: a fixed view
// takes what a chain of Go structs takes, a view about ten times that, and asking
// for the fixed view each time six. An element of a vector costs the comparison of
// two addresses ([AllFixedUnchecked]), which halves what reading nine fields of it takes.

// FixedOf is what a generated fixed view T is defined as, and is to [Fixed] what
// [Of] is to [Table].
type FixedOf[T any] struct {
	_ [0]*T
	f Fixed
}

// FixedView is the constraint that a fixed view T meets as FixedView[T], and no
// other type.
type FixedView[T any] interface {
	~struct {
		_ [0]*T
		f Fixed
	}
}

// UncheckedFixed returns what v is a fixed view of, as [Unchecked] does for views.
func UncheckedFixed[T FixedView[T]](v T) Fixed { return FixedOf[T](v).f }

// AsFixed returns f as a fixed view. Whoever calls it must know that f was
// compared with the vtable that T knows.
func AsFixed[T FixedView[T]](f Fixed) T { return T(FixedOf[T]{f: f}) }

// VTable is the bytes of a vtable that generated code knows: its own size and
// the table's size, both little-endian uint16s, and an uint16 a field, in the
// order of ids, up to the last one that is present.
type VTable string

// Match returns t as a fixed view when its vtable is vt, which must be the one that
// T knows; the table's size, which varies with the padding that a builder leaves at
// the end, is not compared. An absent table matches nothing.
func Match[T FixedView[T]](t Table, vt VTable) (v T, ok bool) {
	if matches(t, vt) {
		if debug {
			return AsFixed[T](fixedOf(t)), true
		}
		return T(FixedOf[T]{f: Fixed{p: t.p}}), true
	}
	return
}

// AllFixedUnchecked ranges over the tables of v, each with its fixed view, or with an
// absent one ([PresentFixed]) where the table's vtable is not vt. Siblings mostly
// share one vtable, and as long as they do nothing is compared but its address.
//
// F must be the fixed view of T that knows vt, and F's methods must not take for granted any other vtable than vt: where F gives
// out fixed views of tables below, ask each table's Fixed method instead.
func AllFixedUnchecked[F FixedView[F], T View[T]](v Vector[T], vt VTable) iter.Seq2[T, F] {
	return func(yield func(T, F) bool) {
		last, same := absentTable, false
		for i := range v.refs {
			t := tableOf(v.b, &v.refs[i])
			if t.vt != last.vt {
				last, same = t, matches(t, vt)
			}
			var f Fixed
			if same {
				f = fixedOf(t)
			}
			if !yield(As[T](t), AsFixed[F](f)) {
				return
			}
		}
	}
}

// PresentFixed tells whether f is a table; the zero Fixed is none, and nothing
// can be read from it.
func PresentFixed(f Fixed) bool { return f.p != nil }

// BoolAt returns the bool at off.
func BoolAt(f Fixed, off uint16) bool { return fixed8(f, off) != 0 }

// Int8At returns the int8 at off.
func Int8At(f Fixed, off uint16) int8 { return int8(fixed8(f, off)) }

// Uint8At returns the uint8 at off.
func Uint8At(f Fixed, off uint16) uint8 { return fixed8(f, off) }

// Int16At returns the int16 at off.
func Int16At(f Fixed, off uint16) int16 { return int16(fixed16(f, off)) }

// Uint16At returns the uint16 at off.
func Uint16At(f Fixed, off uint16) uint16 { return fixed16(f, off) }

// Int32At returns the int32 at off.
func Int32At(f Fixed, off uint16) int32 { return int32(fixed32(f, off)) }

// Uint32At returns the uint32 at off.
func Uint32At(f Fixed, off uint16) uint32 { return fixed32(f, off) }

// Int64At returns the int64 at off.
func Int64At(f Fixed, off uint16) int64 { return int64(fixed64(f, off)) }

// Uint64At returns the uint64 at off.
func Uint64At(f Fixed, off uint16) uint64 { return fixed64(f, off) }

// Float32At returns the float32 at off.
func Float32At(f Fixed, off uint16) float32 { return math.Float32frombits(fixed32(f, off)) }

// Float64At returns the float64 at off.
func Float64At(f Fixed, off uint16) float64 { return math.Float64frombits(fixed64(f, off)) }

// ChildAt returns the table that the offset word at off refers to.
func ChildAt[T View[T]](f Fixed, off uint16) T { return As[T](fixedChild(f, off)) }

// FixedAt returns the table that the offset word at off refers to as a fixed
// view. Whoever calls it has seen, with [Match], that it is one: the Fixed method
// of a generated view looks at the children that it gives out this way.
func FixedAt[T FixedView[T]](f Fixed, off uint16) T { return AsFixed[T](fixedFollow(f, off)) }

// BoolsAt returns the vector of bools that the offset word at off refers to.
func BoolsAt(f Fixed, off uint16) BoolVector { return BoolVector{BytesAt(f, off)} }

// ScalarsAt is [Scalars] for the offset word at off.
func ScalarsAt[T Scalar](f Fixed, off uint16) []T {
	p, n := fixedVector(f, off)
	return scalars[T](f.bounds(), p, 4, n)
}

// StructsAt is [Structs] for the offset word at off.
func StructsAt[T any, P Struct[T]](f Fixed, off uint16) []T {
	p, n := fixedVector(f, off)
	return structs[T, P](f.bounds(), p, 4, n)
}

// InlineStructAt returns the struct stored at off.
func InlineStructAt[T any, P Struct[T]](f Fixed, off uint16) T {
	return fixedStruct[T, P](f, off)
}

// TablesAt is [Tables] for the offset word at off.
func TablesAt[T View[T]](f Fixed, off uint16) Vector[T] {
	p, n := fixedVector(f, off)
	return Vector[T]{refs: refs(f.bounds(), p, n), b: f.bounds()}
}

// StringsAt is [Strings] for the offset word at off.
func StringsAt(f Fixed, off uint16) StringVector {
	p, n := fixedVector(f, off)
	return StringVector{f.bounds(), refs(f.bounds(), p, n)}
}

// TableOf returns the table that a fixed view is of.
func TableOf(f Fixed) Table { return tableOfFixed(f) }
