package fbread

// UnionValue is where the value of a union is, whether it stands in a field or
// in a vector of unions: what generated union views keep beside the kind. Which
// of its reads fits is for the kind to say. The zero UnionValue is that of an
// absent field: it must not be read, and no kind that has a value comes with it.
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

// At returns value i. It panics, as a slice does, when i is out of range.
func (v UnionVector) At(i int) UnionValue { return UnionValue{&v.refs[i], v.b} }

// UnionsAt is [Unions] for the offset word at off.
func UnionsAt(f Fixed, off uint16) UnionVector {
	p, n := fixedVector(f, off)
	return UnionVector{refs(f.bounds(), p, n), f.bounds()}
}

// Table returns the value as a table; the kind must say that it is that one.
func (v UnionValue) Table() Table { return tableOf(v.b, v.e) }

// Text returns the value as a string; the kind must say that it is one. It is not
// called String, since fmt would call that on a value of any kind.
func (v UnionValue) Text() string { return textOf(v.b, v.e) }

// UnionValueStruct returns the value as a struct; the kind must say that it is
// a T.
func UnionValueStruct[T any, P Struct[T]](v UnionValue) T { return structOf[T, P](v.b, v.e) }

// TableOf returns the table that a fixed view is of.
func TableOf(f Fixed) Table { return tableOfFixed(f) }
