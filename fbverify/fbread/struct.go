package fbread

// Struct is the constraint that generated Go structs meet: they have the memory
// layout of the schema's struct on every machine, with explicit padding, and can
// turn the bytes of each number around for big-endian ones. T is the struct.
type Struct[T any] interface {
	*T
	// SwapBytes reverses the bytes of every number in the struct.
	SwapBytes()
}

// InlineStruct returns the struct stored in the field at slot, and whether it
// is there. It is a copy: changing it does not change the buffer.
func InlineStruct[T any, P Struct[T]](t Table, slot uint16) (v T, ok bool) {
	if o := field(t, slot); o != 0 {
		return structAt[T, P](t.bounds(), t.p, uintptr(o)), true
	}
	return
}

// NewStruct returns a copy of the struct stored in the field at slot, nil where it
// is not there. It is not inlined, like the next two: what calls itself for what
// lies deeper must not hold room for a struct on each level.
//
//go:noinline
func NewStruct[T any, P Struct[T]](t Table, slot uint16) *T {
	if v, ok := InlineStruct[T, P](t, slot); ok {
		return &v
	}
	return nil
}

// NewUnionStruct is [UnionStruct] for a value that is kept.
//
//go:noinline
func NewUnionStruct[T any, P Struct[T]](v UnionValue) any { return UnionStruct[T, P](v) }

// Zero returns a new T, all zeros.
//
//go:noinline
func Zero[T any]() *T { return new(T) }

// Structs returns the vector of structs that the field at slot refers to, nil
// where it is absent or empty. On little-endian machines it is not copied, except
// where the machine cannot read it at its address; it must not be written to.
func Structs[T any, P Struct[T]](t Table, slot uint16) []T {
	p, n := vector(t, slot)
	return structs[T, P](t.bounds(), p, 4, n)
}

// StructsFar is [Structs] for a field with a 64-bit offset (offset64).
func StructsFar[T any, P Struct[T]](t Table, slot uint16) []T {
	p, n := vectorFar(t, slot)
	return structs[T, P](t.bounds(), p, 4, n)
}

// Structs64 is [Structs] for a vector with a 64-bit offset and length
// (vector64).
func Structs64[T any, P Struct[T]](t Table, slot uint16) []T {
	p, n := vector64(t, slot)
	return structs[T, P](t.bounds(), p, 8, n)
}

// Bool8 is a bool in a generated struct: one byte, of which every nonzero value
// is true. A Go bool cannot stand there, since Go lets it be only 0 or 1.
type Bool8 uint8

// Bool returns b as a Go bool.
func (b Bool8) Bool() bool { return b != 0 }

// Compare orders false before true, as cmp.Compare does for other types.
func (b Bool8) Compare(c Bool8) int {
	switch {
	case b.Bool() == c.Bool():
		return 0
	case c.Bool():
		return -1
	}
	return 1
}

// ToBool8 returns b as a Bool8: 1 for true, 0 for false.
func ToBool8(b bool) Bool8 {
	if b {
		return 1
	}
	return 0
}
