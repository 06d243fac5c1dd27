package dynamic

import (
	"fmt"
	"iter"
	"math"
)

// Kind is the kind of a [Value].
type Kind uint8

// The kinds of values.
const (
	KindNone   Kind = iota // the zero Value, and the value of a union without one
	KindBool               // Bool
	KindInt                // Int: int8 to int64, and enums of these
	KindUint               // Uint: uint8 to uint64, enums of these, union types
	KindFloat              // Float: float32 and float64
	KindString             // String, Bytes
	KindTable              // Table
	KindStruct             // Struct
	KindVector             // Len, At; Bytes for those of one-byte elements
	KindArray              // Len, At: inside structs
	KindUnion              // Tag, Member, Union
)

var kindNames = [...]string{"none", "bool", "int", "uint", "float", "string", "table", "struct", "vector", "array", "union"}

// String returns the kind in one word.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Value is one value of a buffer, of any kind. It is four words, is passed by
// value, and making one does not allocate. Accessors of a kind it does not have panic
// with a message that says so, as those of package reflect do.
type Value struct {
	src *source
	typ *Type
	pos int // -1: absent

	// aux is a scalar's bits, a union's tag, and of a vector of unions the
	// position of the vector of tags.
	aux uint64
}

// Kind returns the kind of the value, KindNone for the zero Value.
func (v Value) Kind() Kind {
	if v.typ == nil {
		return KindNone
	}
	return v.typ.Kind
}

// Type returns the value's type; nil for the zero Value.
func (v Value) Type() *Type { return v.typ }

// Field returns the field that the value, or the vector it is an element of, was
// read from; nil for a root table and for what a union holds.
func (v Value) Field() *Field {
	if v.typ == nil {
		return nil
	}
	return v.typ.field
}

// Present reports whether the value is in the buffer. Others are defaults.
func (v Value) Present() bool { return v.pos >= 0 && v.src != nil }

// Offset returns the position of the value in the verified slice, in bytes: of
// the number, struct, table, or the length word of a string or vector. It is -1
// for values that are not Present.
func (v Value) Offset() int {
	if !v.Present() {
		return -1
	}
	return v.src.base + v.pos
}

// Size returns the bytes of the value at Offset: strings and vectors with their
// length word, strings with their NUL; tables as their vtable declares them;
// unions as the member they hold. What a table or vector refers to does not
// count. It is 0 for values that are not Present.
func (v Value) Size() int {
	if !v.Present() {
		return 0
	}
	switch v.typ.Kind {
	case KindString:
		n := v.headerSize() + v.Len()
		if end := v.pos + n; v.src.view == nil && end < len(v.src.buf) && v.src.buf[end] == 0 {
			n++ // verified with SkipNullTerminator there may be none, and a view does not know
		}
		return n
	case KindVector:
		return v.headerSize() + v.Len()*v.typ.Elem.Size
	case KindTable:
		return v.Table().Size()
	case KindUnion:
		return v.Union().Size()
	case KindStruct:
		return v.typ.Object.schema.ByteSize
	}
	return v.typ.Size
}

// headerSize returns the bytes of a string's or vector's length word.
func (v Value) headerSize() int {
	if v.typ.long() {
		return 8
	}
	return 4
}

func wrongKind(t *Type, want Kind) string {
	if t == nil {
		return fmt.Sprintf("dynamic: the zero Value used as %s", want)
	}
	return fmt.Sprintf("dynamic: a value of type %s (%s) used as %s", t, t.Kind, want)
}

func (v Value) must(k Kind) {
	if v.typ == nil || v.typ.Kind != k {
		panic(wrongKind(v.typ, k))
	}
}

// IsScalar reports whether Int, Uint, Float and Bool may be called.
func (v Value) IsScalar() bool { return v.typ != nil && v.typ.scalar != notScalar }

func (v Value) mustScalar() {
	if !v.IsScalar() {
		panic(wrongKind(v.typ, KindInt))
	}
}

// Bool reports whether a scalar is not zero.
func (v Value) Bool() bool { return v.Float() != 0 }

// Int returns a scalar as a signed integer, floats cut to one.
func (v Value) Int() int64 {
	v.mustScalar()
	if v.typ.Kind == KindFloat {
		return int64(math.Float64frombits(v.aux))
	}
	return int64(v.aux)
}

// Uint returns a scalar as an unsigned integer, floats cut to one.
func (v Value) Uint() uint64 {
	v.mustScalar()
	if v.typ.Kind == KindFloat {
		return uint64(math.Float64frombits(v.aux))
	}
	return v.aux
}

// Float returns a scalar as a float64, integers converted.
func (v Value) Float() float64 {
	v.mustScalar()
	return toFloat(v.aux, v.typ.Kind)
}

// EnumName returns the name of an enum's value or of a union's tag; for bit flags
// the names of all set bits with spaces between. It is "" for values without a
// name and for scalars without an enum.
func (v Value) EnumName() string {
	if !v.IsScalar() {
		return ""
	}
	return v.typ.EnumName(int64(v.aux))
}

// Len returns the number of bytes of a string, and of elements of a vector or
// array; 0 if absent.
func (v Value) Len() int {
	switch v.Kind() {
	case KindArray:
		return v.typ.Len
	case KindVector:
		if v.pos < 0 {
			return 0
		}
		if v.typ.long() {
			return int(v.src.u64(v.pos))
		}
		return int(v.src.u32(v.pos))
	case KindString:
		if v.pos < 0 {
			return len(v.defaultString())
		}
		return int(v.src.u32(v.pos))
	}
	panic(wrongKind(v.typ, KindVector))
}

func (v Value) defaultString() string {
	if v.typ.field != nil && v.typ == &v.typ.field.typ {
		return v.typ.field.schema.DefaultString
	}
	return ""
}

// Bytes returns, in place, the bytes of a string without its NUL, of a vector or
// array of one-byte elements, or of a struct. Of an absent value it is nil, or a
// copy of the string that is the default. The bytes must not be written to.
func (v Value) Bytes() []byte {
	switch v.Kind() {
	case KindString:
		if v.pos < 0 {
			if s := v.defaultString(); s != "" {
				return []byte(s)
			}
			return nil
		}
	case KindStruct:
		return v.Struct().Bytes()
	case KindVector, KindArray:
		if v.typ.Elem.scalar != scalarU8 && v.typ.Elem.scalar != scalarI8 {
			panic(fmt.Sprintf("dynamic: the bytes of a %s, whose elements are not bytes", v.typ))
		}
		if v.pos < 0 {
			return nil
		}
	default:
		panic(wrongKind(v.typ, KindString))
	}
	start := v.elems()
	return v.src.slice(start, start+v.Len())
}

// String returns the text of a string. Unlike the other accessors it does not
// panic on other kinds, but describes the value in a few words, since fmt calls
// it.
func (v Value) String() string {
	switch v.Kind() {
	case KindNone:
		return "<none>"
	case KindString:
		return string(v.Bytes())
	case KindBool:
		return fmt.Sprint(v.Bool())
	case KindInt, KindUint, KindFloat:
		if name := v.EnumName(); name != "" {
			return name
		}
		return string(appendScalar(nil, v.typ, v.aux, &JSONOptions{EnumNumbers: true}))
	case KindVector, KindArray:
		return fmt.Sprintf("<%s, %d elements>", v.typ, v.Len())
	case KindUnion:
		return fmt.Sprintf("<%s %s>", v.typ, v.Member())
	}
	return "<" + v.typ.String() + ">"
}

// Table returns a table; one that is not present if the value is not. A union
// that holds a table is that table.
func (v Value) Table() Table {
	if v.Kind() == KindUnion {
		v = v.Union()
	}
	v.must(KindTable)
	if v.pos < 0 {
		return Table{src: v.src, obj: v.typ.Object, pos: -1}
	}
	return tableAt(v.src, v.typ.Object, v.pos)
}

// Struct returns a struct; one that is not present if the value is not. A union
// that holds a struct is that struct.
func (v Value) Struct() Struct {
	if v.Kind() == KindUnion {
		v = v.Union()
	}
	v.must(KindStruct)
	return Struct{src: v.src, obj: v.typ.Object, pos: v.pos}
}

// Tag returns the tag of a union, 0 for NONE.
func (v Value) Tag() int64 {
	v.must(KindUnion)
	return int64(v.aux)
}

// Member returns the name of the member that a union holds, "NONE" for none and
// "" for a tag that the schema does not know.
func (v Value) Member() string {
	v.must(KindUnion)
	if m := v.typ.union.member(v.aux); m != nil {
		return m.name
	}
	if v.aux == 0 {
		return "NONE"
	}
	return ""
}

// Union returns the table, struct or string that a union holds. It is of
// KindNone where the tag is NONE or not known to the schema: such a value is
// never followed.
func (v Value) Union() Value {
	v.must(KindUnion)
	m := v.typ.union.member(v.aux)
	if m == nil || v.pos < 0 {
		return Value{}
	}
	return Value{src: v.src, typ: &m.typ, pos: v.pos}
}

// long reports whether a vector's length word has 64 bits.
func (t *Type) long() bool { return t.longLen }

// elems returns the position of the first element.
func (v Value) elems() int {
	if v.typ.Kind == KindArray {
		return v.pos
	}
	return v.pos + v.headerSize()
}

// At returns element i of a vector or array, 0 <= i < Len().
func (v Value) At(i int) Value {
	if n := v.Len(); v.typ.Elem == nil || uint(i) >= uint(n) {
		panic(fmt.Sprintf("dynamic: element %d of a %s of %d", i, v.typ, n))
	}
	e := v.typ.Elem
	w := Value{src: v.src, typ: e, pos: -1}
	if v.pos < 0 {
		return w // an array of an absent struct
	}
	p := v.elems() + i*e.Size
	switch e.Kind {
	case KindStruct:
		w.pos = p
	case KindString, KindTable:
		w.pos = v.src.follow(p)
	case KindUnion:
		tags := int(v.aux)
		w.aux = v.src.scalar(tags+4+i*v.typ.field.tag.typ.Elem.Size, v.typ.field.tag.typ.Elem.scalar)
		if e.union.member(w.aux) != nil && v.src.u32(p) != 0 {
			w.pos = v.src.follow(p)
		}
	default:
		w.pos = p
		w.aux = v.src.scalar(p, e.scalar)
	}
	return w
}

// All iterates over the elements of a vector or array.
func (v Value) All() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		for i := range v.Len() {
			if !yield(i, v.At(i)) {
				return
			}
		}
	}
}

// AsValue returns the table as a Value.
func (t Table) AsValue() Value { return Value{src: t.src, typ: t.obj.asType(), pos: t.pos} }

// AsValue returns the struct as a Value.
func (s Struct) AsValue() Value { return Value{src: s.src, typ: s.obj.asType(), pos: s.pos} }
