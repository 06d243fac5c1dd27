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

// ToBool8 returns b as a Bool8: 1 for true, 0 for false.
func ToBool8(b bool) Bool8 {
	if b {
		return 1
	}
	return 0
}
