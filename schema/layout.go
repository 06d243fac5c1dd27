package schema

// InlineSize returns the bytes a value of the type takes where it stands: in a
// table, a struct or as an element of a vector. Tables, strings, vectors and
// union values stand there as an offset. The sizes of structs must be known.
func (t Type) InlineSize() int {
	switch {
	case t.Base == Array:
		return t.ElementType().InlineSize() * t.FixedLength
	case t.IsStruct():
		return t.Object.ByteSize
	}
	return t.Base.Size()
}

// Align returns the alignment, in bytes, of a value of the type where it stands.
func (t Type) Align() int {
	switch {
	case t.Base == Array:
		return t.ElementType().Align()
	case t.IsStruct():
		return max(t.Object.MinAlign, 1)
	}
	return max(t.Base.Size(), 1)
}
