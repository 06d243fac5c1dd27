package fbread

// A union is two fields: its kind, a uint8 read with [Uint8], and its value, an
// offset. Which of the reads below fits the value is for the kind to say; the
// value of a table kind is read with [Child], that of a string kind with
// [String].

// UnionStruct returns the struct that the union value at slot refers to, and
// whether there is a value. The union's kind must say that it is a T.
func UnionStruct[T any, P Struct[T]](t Table, slot uint16) (v T, ok bool) {
	if o := field(t, slot); o != 0 {
		return structRef[T, P](t, o), true
	}
	return v, false
}

// UnionVector is the values of a vector of unions. The kinds are a vector of
// their own, of the same length. An absent vector has no elements.
type UnionVector struct {
	refs []ref
	b    bounds
}

// Unions returns the values of the vector of unions that the field at slot
// refers to.
func Unions(t Table, slot uint16) UnionVector {
	p, n := vector(t, slot)
	return UnionVector{refs(t.bounds(), p, n), t.bounds()}
}

// Len returns the number of values.
func (v UnionVector) Len() int { return len(v.refs) }

// Table returns value i as a table. It panics, as a slice does, when i is out of
// range. The kind at i must say that it is that table. Where the kind is NONE the
// value may refer to nothing, and must not be read.
func (v UnionVector) Table(i int) Table { return tableOf(v.b, &v.refs[i]) }

// String returns value i as a string; the kind at i must say that it is one.
func (v UnionVector) String(i int) string { return textOf(v.b, &v.refs[i]) }

// UnionStructAt returns value i of v as a struct; the kind at i must say that it
// is a T.
func UnionStructAt[T any, P Struct[T]](v UnionVector, i int) T {
	return structOf[T, P](v.b, &v.refs[i])
}
