package dynamic

import (
	"fmt"
	"iter"
	"math"
	"unsafe"

	"github.com/fbverify/go/fbverify/internal/mem"
)

// Table is a table in a buffer: its position and its resolved vtable. An absent
// table (see [Table.Present]) reads as one that has no fields set, so chains of
// reads need no checks in between.
type Table struct {
	src *source
	obj *Object
	pos int // -1: absent

	// vtable is the position of the vtable, and in the low 16 bits its size in
	// bytes, which is 0 for an absent table. Packed, the struct has four words:
	// one more, and the compiler would keep it in memory and not in registers.
	vtable uint64
}

// vt returns the position of the vtable, vtn its size.
func (t Table) vt() int  { return int(int64(t.vtable) >> 16) }
func (t Table) vtn() int { return int(t.vtable & 0xFFFF) }

// tableAt resolves the vtable of the table at pos.
func tableAt(src *source, o *Object, pos int) Table {
	vt := pos - int(int32(src.u32(pos)))
	return Table{src: src, obj: o, pos: pos, vtable: uint64(vt)<<16 | uint64(src.u16(vt))}
}

// Object returns the table's type.
func (t Table) Object() *Object { return t.obj }

// Present reports whether there is a table.
func (t Table) Present() bool { return t.pos >= 0 && t.src != nil }

// Offset returns the table's position in the verified slice, -1 if absent.
func (t Table) Offset() int {
	if t.pos < 0 {
		return -1
	}
	return t.src.base + t.pos
}

// Size returns the bytes of the table as its vtable declares them, without the
// vtable; 0 if absent. Only a strict verification proves that they are in the
// buffer: no read depends on it.
func (t Table) Size() int {
	if t.pos < 0 {
		return 0
	}
	return int(t.src.u16(t.vt() + 2))
}

// VTable returns the position of the vtable in the verified slice, and its size
// in bytes; -1 and 0 if the table is absent.
func (t Table) VTable() (offset, size int) {
	if t.pos < 0 {
		return -1, 0
	}
	return t.src.base + t.vt(), t.vtn()
}

// Field returns the handle of the field of that name, or nil.
func (t Table) Field(name string) *Field { return t.obj.byName[name] }

// at returns the position of the field's inline bytes, 0 if it is absent.
// Position 0 holds the root offset, so that no field can be there.
func (t Table) at(f *Field) int {
	if f.owner != t.obj {
		panic(wrongField(t.obj, f))
	}
	if f.slot >= t.vtn() {
		return 0
	}
	o := int(t.src.entry(t.vt() + f.slot))
	if o == 0 {
		return 0
	}
	return t.pos + o
}

func wrongField(o *Object, f *Field) string {
	return fmt.Sprintf("dynamic: field %s read from a %s", f, o.schema.Name)
}

// Has reports whether the field is set. A deprecated one never is: see
// [IncludeDeprecated].
func (t Table) Has(f *Field) bool { return t.at(f) != 0 }

// scalar returns the bits of a scalar field, its default when absent. It is at
// and a load in one, since this is the read that loops are made of.
func (t Table) scalar(f *Field) uint64 {
	if f.owner != t.obj {
		panic(wrongField(t.obj, f))
	}
	if f.slot >= t.vtn() {
		return f.bits
	}
	o := int(t.src.entry(t.vt() + f.slot))
	if o == 0 {
		return f.bits
	}
	// One comparison and one load do for all kinds, but for the last few bytes of
	// a buffer.
	at, b := uintptr(t.pos+o), t.src.buf
	if at+8 > uintptr(len(b)) {
		return t.src.scalar(int(at), f.kind)
	}
	bits := mem.Load64(unsafe.Pointer(unsafe.SliceData(b)), at)
	if f.kind == scalarF32 {
		return math.Float64bits(float64(math.Float32frombits(uint32(bits))))
	}
	return uint64(int64(bits<<(f.shift&63))>>(f.shift&63)) & f.mask // see widener
}

// Uint returns a scalar field as an unsigned integer: bools as 0 or more, floats
// cut to an integer. The default stands in for an absent field, 0 where it has
// none. It is 0 for fields that are no scalars.
func (t Table) Uint(f *Field) uint64 {
	if f.float {
		return t.floatUint(f)
	}
	return t.scalar(f)
}

// Int is Uint for signed integers.
func (t Table) Int(f *Field) int64 {
	if f.float {
		return t.floatInt(f)
	}
	return int64(t.scalar(f))
}

// Conversions of floats are rare, and kept out of the code of those who read.

//go:noinline
func (t Table) floatUint(f *Field) uint64 { return uint64(math.Float64frombits(t.scalar(f))) }

//go:noinline
func (t Table) floatBool(f *Field) bool { return math.Float64frombits(t.scalar(f)) != 0 }

//go:noinline
func (t Table) floatInt(f *Field) int64 { return int64(math.Float64frombits(t.scalar(f))) }

// Bool reports whether a scalar field is not zero.
func (t Table) Bool(f *Field) bool {
	if f.float {
		return t.floatBool(f)
	}
	return t.scalar(f) != 0
}

// Float returns a scalar field as a float64, integers converted.
func (t Table) Float(f *Field) float64 {
	if !f.float {
		return t.intFloat(f)
	}
	return math.Float64frombits(t.scalar(f))
}

//go:noinline
func (t Table) intFloat(f *Field) float64 { return toFloat(t.scalar(f), f.typ.Kind) }

func toFloat(bits uint64, k Kind) float64 {
	switch k {
	case KindFloat:
		return math.Float64frombits(bits)
	case KindInt:
		return float64(int64(bits))
	}
	return float64(bits)
}

// OptionalInt returns a field and whether it is set, for scalars declared with
// "= null" as well as for all others.
func (t Table) OptionalInt(f *Field) (v int64, ok bool) { return t.Int(f), t.Has(f) }

// OptionalUint is OptionalInt for unsigned integers.
func (t Table) OptionalUint(f *Field) (v uint64, ok bool) { return t.Uint(f), t.Has(f) }

// OptionalFloat is OptionalInt for floats.
func (t Table) OptionalFloat(f *Field) (v float64, ok bool) { return t.Float(f), t.Has(f) }

// OptionalBool is OptionalInt for bools.
func (t Table) OptionalBool(f *Field) (v, ok bool) { return t.Bool(f), t.Has(f) }

// String returns a string field's text, which shares the buffer's memory for no
// longer than the copy takes; the default, or "", if absent.
func (t Table) String(f *Field) string { return string(t.StringBytes(f)) }

// StringBytes returns the bytes of a string field in place, without its NUL; nil
// if absent and without a default.
func (t Table) StringBytes(f *Field) []byte {
	if f.typ.Kind != KindString {
		return nil
	}
	v, _ := t.Get(f)
	return v.Bytes()
}

// Table returns the table that a field refers to; an absent one if the field is
// absent. It panics if the field is of another kind.
func (t Table) Table(f *Field) Table {
	if f.table == nil {
		panic(wrongKind(&f.typ, KindTable))
	}
	if p := t.at(f); p != 0 {
		return tableAt(t.src, f.table, t.src.follow(p))
	}
	return Table{src: t.src, obj: f.table, pos: -1}
}

// Get returns a field's value and whether the field is set. Where it is not, the
// value is the default, or one that is not Present. Nor is a union whose tag is
// NONE or unknown to the schema, even if something is there: that is never
// followed.
func (t Table) Get(f *Field) (Value, bool) {
	v := Value{src: t.src, typ: &f.typ, pos: -1}
	p := t.at(f)
	if p == 0 {
		v.aux = f.bits
		return v, false
	}
	switch f.typ.Kind {
	case KindStruct:
		v.pos = p
	case KindUnion:
		v.aux = t.scalar(f.tag)
		if f.typ.union.member(v.aux) != nil {
			v.pos = t.src.follow(p)
		}
	case KindVector:
		v.pos = t.target(f, p)
		if f.tag != nil {
			tags := t.at(f.tag)
			if tags == 0 {
				return Value{src: t.src, typ: &f.typ, pos: -1}, false
			}
			v.aux = uint64(t.src.follow(tags))
		}
	case KindString, KindTable:
		v.pos = t.target(f, p)
	default:
		v.pos = p
		v.aux = t.src.scalar(p, f.kind)
	}
	return v, true
}

func (t Table) target(f *Field, p int) int {
	if f.offset64 {
		return t.src.follow64(p)
	}
	return t.src.follow(p)
}

// InlineOffset returns the position, in the verified slice, of the bytes that the
// table itself holds for a field: the value of scalars and structs, the offset
// of all others. It is -1 if the field is absent.
func (t Table) InlineOffset(f *Field) int {
	if p := t.at(f); p != 0 {
		return t.src.base + p
	}
	return -1
}

// Fields iterates over the fields that are set, in the order of their ids.
func (t Table) Fields() iter.Seq2[*Field, Value] {
	return func(yield func(*Field, Value) bool) {
		for _, f := range t.obj.fields {
			if v, ok := t.Get(f); ok && !yield(f, v) {
				return
			}
		}
	}
}

// AllFields iterates over all fields, those that are not set with their default
// or a value that is not Present. A walk must not go into those: where a table's
// type contains itself, it would never end.
func (t Table) AllFields() iter.Seq2[*Field, Value] {
	return func(yield func(*Field, Value) bool) {
		for _, f := range t.obj.fields {
			if v, _ := t.Get(f); !yield(f, v) {
				return
			}
		}
	}
}

// Struct is a struct in a buffer.
type Struct struct {
	src *source
	obj *Object
	pos int // -1: absent, all fields are zero
}

// Object returns the struct's type.
func (s Struct) Object() *Object { return s.obj }

// Present reports whether there is a struct.
func (s Struct) Present() bool { return s.pos >= 0 && s.src != nil }

// Offset returns the struct's position in the verified slice, -1 if absent.
func (s Struct) Offset() int {
	if s.pos < 0 {
		return -1
	}
	return s.src.base + s.pos
}

// Bytes returns the struct's bytes in place, padding included; nil if absent.
func (s Struct) Bytes() []byte {
	if s.pos < 0 {
		return nil
	}
	return s.src.slice(s.pos, s.pos+s.obj.schema.ByteSize)
}

// Field returns the handle of the field of that name, or nil.
func (s Struct) Field(name string) *Field { return s.obj.byName[name] }

func (s Struct) scalar(f *Field) uint64 {
	if f.owner != s.obj {
		panic(wrongField(s.obj, f))
	}
	if s.pos < 0 {
		return 0
	}
	return s.src.scalar(s.pos+f.slot, f.kind)
}

// Uint returns a scalar field as an unsigned integer.
func (s Struct) Uint(f *Field) uint64 {
	if f.typ.Kind == KindFloat {
		return uint64(s.Float(f))
	}
	return s.scalar(f)
}

// Int returns a scalar field as a signed integer.
func (s Struct) Int(f *Field) int64 {
	if f.typ.Kind == KindFloat {
		return int64(s.Float(f))
	}
	return int64(s.scalar(f))
}

// Bool reports whether a scalar field is not zero.
func (s Struct) Bool(f *Field) bool { return s.Float(f) != 0 }

// Float returns a scalar field as a float64, integers converted.
func (s Struct) Float(f *Field) float64 { return toFloat(s.scalar(f), f.typ.Kind) }

// Get returns a field's value; it is Present if the struct is.
func (s Struct) Get(f *Field) Value {
	if f.owner != s.obj {
		panic(wrongField(s.obj, f))
	}
	v := Value{src: s.src, typ: &f.typ, pos: -1}
	if s.pos >= 0 {
		v.pos = s.pos + f.slot
		if f.kind != notScalar {
			v.aux = s.src.scalar(v.pos, f.kind)
		}
	}
	return v
}

// Fields iterates over all fields in order.
func (s Struct) Fields() iter.Seq2[*Field, Value] {
	return func(yield func(*Field, Value) bool) {
		for _, f := range s.obj.fields {
			if !yield(f, s.Get(f)) {
				return
			}
		}
	}
}
