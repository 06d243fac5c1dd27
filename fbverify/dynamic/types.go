package dynamic

import (
	"fmt"
	"math"

	"github.com/fbverify/go/schema"
)

// Type is the type of a value.
type Type struct {
	Kind Kind

	// Base is the kind in the schema's terms.
	Base schema.BaseType

	// Object is the table or struct; nil for other kinds.
	Object *Object

	// Enum is the enum of a scalar, or the union of a Union; else nil.
	Enum *schema.Enum

	// Elem is the element type of a Vector or an Array; else nil.
	Elem *Type

	// Size is the bytes a value takes where it stands: in a table, in a struct
	// or as an element.
	Size int

	// Len is the number of elements of an Array.
	Len int

	field   *Field // whose type, or whose elements' type, this is; nil for unions' members
	scalar  scalarKind
	longLen bool // a Vector64
	enum    *enum
	union   *union
}

// union is a union type: its members by tag.
type union struct {
	enum    *schema.Enum
	members map[int64]*member
	small   []*member // by tag, those below 256
}

type member struct {
	name string
	typ  Type
}

// member returns the union's member with that tag, nil for NONE and for tags
// that the schema does not know.
func (u *union) member(tag uint64) *member {
	if tag < uint64(len(u.small)) {
		return u.small[tag]
	}
	return u.members[int64(tag)]
}

// String returns the type as a schema writes it.
func (t *Type) String() string {
	switch t.Kind {
	case KindVector:
		return "[" + t.Elem.String() + "]"
	case KindArray:
		return fmt.Sprintf("[%s:%d]", t.Elem, t.Len)
	case KindTable, KindStruct:
		return t.Object.schema.Name
	}
	if t.Enum != nil {
		return t.Enum.Name
	}
	return t.Base.String()
}

func (m *model) typeOf(t schema.Type) Type {
	ct := Type{Base: t.Base, Enum: t.Enum, Size: t.InlineSize()}
	switch {
	case t.Base.IsScalar():
		ct.Kind, ct.scalar = scalarKinds(t.Stored())
		if t.Enum != nil {
			ct.enum = m.enumOf(t.Enum)
		}
	case t.Base == schema.String:
		ct.Kind = KindString
	case t.Base == schema.Union:
		ct.Kind, ct.union = KindUnion, m.unionOf(t.Enum)
	case t.Base == schema.Obj:
		ct.Kind, ct.Object = KindTable, m.objects[t.Object]
		if t.Object.IsStruct {
			ct.Kind = KindStruct
		}
	case t.IsVector(), t.Base == schema.Array:
		elem := m.typeOf(t.ElementType())
		ct.Kind, ct.Elem, ct.Enum = KindVector, &elem, nil
		ct.longLen = t.Base == schema.Vector64
		if t.Base == schema.Array {
			ct.Kind, ct.Len = KindArray, t.FixedLength
		}
	}
	return ct
}

func scalarKinds(b schema.BaseType) (Kind, scalarKind) {
	switch b {
	case schema.Bool:
		return KindBool, scalarU8
	case schema.UType, schema.UByte:
		return KindUint, scalarU8
	case schema.Byte:
		return KindInt, scalarI8
	case schema.UShort:
		return KindUint, scalarU16
	case schema.Short:
		return KindInt, scalarI16
	case schema.UInt:
		return KindUint, scalarU32
	case schema.Int:
		return KindInt, scalarI32
	case schema.ULong:
		return KindUint, scalar64
	case schema.Long:
		return KindInt, scalar64
	case schema.Float:
		return KindFloat, scalarF32
	case schema.Double:
		return KindFloat, scalar64
	}
	return KindNone, notScalar
}

func defaultBits(f *schema.Field) uint64 {
	switch {
	case f.Type.Base == schema.Float:
		return math.Float64bits(float64(float32(f.DefaultReal)))
	case f.Type.Base == schema.Double:
		return math.Float64bits(f.DefaultReal)
	case f.Type.Base.IsInteger():
		return uint64(f.DefaultInteger)
	}
	return 0
}

// enum is an enum's values by number and by name.
type enum struct {
	names  map[int64]string
	values map[string]int64
	dense  []string // the names of the values 0, 1, 2, … without a gap
}

func (m *model) enumOf(e *schema.Enum) *enum {
	if i, ok := m.enums[e]; ok {
		return i
	}
	i := &enum{names: make(map[int64]string, len(e.Values)), values: make(map[string]int64, len(e.Values))}
	m.enums[e] = i
	for _, v := range e.Values {
		if _, ok := i.names[v.Value]; !ok {
			i.names[v.Value] = v.Name
		}
		if _, ok := i.values[v.Name]; !ok {
			i.values[v.Name] = v.Value
		}
	}
	for n := int64(0); i.names[n] != ""; n++ {
		i.dense = append(i.dense, i.names[n])
	}
	return i
}

// enumName returns the name of the enum value that bits stand for, "" if there
// is none.
func (t *Type) enumName(bits uint64) string {
	if t.enum == nil {
		return ""
	}
	if bits < uint64(len(t.enum.dense)) {
		return t.enum.dense[bits]
	}
	return t.enum.names[int64(bits)]
}

// appendFlags appends the names of a bit_flags value's bits with spaces between
// them. It reports false, having appended nothing, where a bit has no name.
func (t *Type) appendFlags(b []byte, bits uint64) ([]byte, bool) {
	if t.Enum == nil || !t.Enum.BitFlags || bits == 0 {
		return b, false
	}
	start := len(b)
	var seen uint64
	for _, v := range t.Enum.Values {
		if m := uint64(v.Value); m&bits != 0 {
			if len(b) > start {
				b = append(b, ' ')
			}
			b = append(b, v.Name...)
			seen |= m
		}
	}
	if seen != bits {
		return b[:start], false
	}
	return b, true
}

// EnumName returns the name of a scalar value of this type: an enum value's name,
// or for bit flags the names of all set bits with spaces between ("Red Blue").
// It is "" where the type has no enum or the value no name.
func (t *Type) EnumName(value int64) string {
	if name := t.enumName(uint64(value)); name != "" {
		return name
	}
	b, _ := t.appendFlags(nil, uint64(value))
	return string(b)
}

// Member returns the type of what a union of this type holds behind a tag: a table, a
// struct or a string. It is nil for NONE, for a tag that the schema does not know, and for
// types that are no unions.
func (t *Type) Member(tag int64) *Type {
	if t.union == nil {
		return nil
	}
	if m := t.union.member(uint64(tag)); m != nil {
		return &m.typ
	}
	return nil
}

// unionOf prepares a union. Members are tables, structs and strings, so this
// does not recurse.
func (m *model) unionOf(e *schema.Enum) *union {
	if u, ok := m.unions[e]; ok {
		return u
	}
	u := &union{enum: e, members: make(map[int64]*member, len(e.Values))}
	m.unions[e] = u
	for _, v := range e.Values {
		if v.Type.Base == schema.None || v.Value == 0 {
			continue
		}
		mem := &member{name: v.Name, typ: m.typeOf(v.Type)}
		u.members[v.Value] = mem
		if v.Value > 0 && v.Value < 256 {
			for len(u.small) <= int(v.Value) {
				u.small = append(u.small, nil)
			}
			u.small[v.Value] = mem
		}
	}
	return u
}
