package schema

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/fbverify/go/schema/internal/words"
)

// HoldsUnion reports whether the value is a union or a vector of unions.
func (t Type) HoldsUnion() bool { return t.Base == Union || t.IsVector() && t.Element == Union }

// CanBeWide reports whether a vector of the type can be behind a 64-bit offset.
func (t Type) CanBeWide() bool {
	e := t.ElementType()
	return e.IsScalar() && e.Enum == nil || e.IsStruct()
}

// CanBeKey reports whether a field of the type can be a key.
func (t Type) CanBeKey() bool {
	if t.Base == Array {
		t = t.ElementType()
		return t.IsScalar() || t.IsStruct()
	}
	return t.IsScalar() || t.Base == String || t.IsStruct()
}

var baseTypeNames = [...]string{
	None: "none", UType: "utype", Bool: "bool", Byte: "byte", UByte: "ubyte",
	Short: "short", UShort: "ushort", Int: "int", UInt: "uint", Long: "long", ULong: "ulong",
	Float: "float", Double: "double", String: "string", Vector: "vector", Obj: "object",
	Union: "union", Array: "array", Vector64: "vector64",
}

// String returns the name that schemas give the type ("ubyte"), or a word for
// the kinds that have no name of their own there ("vector", "object").
func (b BaseType) String() string {
	if int(b) < len(baseTypeNames) {
		return baseTypeNames[b]
	}
	return fmt.Sprintf("BaseType(%d)", uint8(b))
}

// Size returns the inline bytes of a value: 1, 2, 4 or 8 for scalars, 4 for an
// offset and 8 for a Vector64's. It is 0 for None and Array, and 4 for Obj, which
// is right for tables only: [Type.InlineSize] knows structs and arrays.
func (b BaseType) Size() int {
	switch b {
	case UType, Bool, Byte, UByte:
		return 1
	case Short, UShort:
		return 2
	case Int, UInt, Float, String, Vector, Obj, Union:
		return 4
	case Long, ULong, Double, Vector64:
		return 8
	}
	return 0
}

// IsScalar reports whether values of the type are numbers, bools and union
// types included.
func (b BaseType) IsScalar() bool { return b >= UType && b <= Double }

// IsInteger reports whether values of the type are integers, bools and union
// types included.
func (b BaseType) IsInteger() bool { return b >= UType && b <= ULong }

// IsFloat reports whether the type is Float or Double.
func (b BaseType) IsFloat() bool { return b == Float || b == Double }

// IsUnsigned reports whether the type is an integer with no negative values,
// bools and union types included.
func (b BaseType) IsUnsigned() bool {
	switch b {
	case UType, Bool, UByte, UShort, UInt, ULong:
		return true
	}
	return false
}

// IsVector reports whether the type is a Vector or a Vector64.
func (b BaseType) IsVector() bool { return b == Vector || b == Vector64 }

// IsScalar reports whether the value is a number stored inline: an integer, a
// float, a bool, an enum or the type of a union.
func (t Type) IsScalar() bool { return t.Base.IsScalar() }

// IsInteger is IsScalar without floats.
func (t Type) IsInteger() bool { return t.Base.IsInteger() }

// IsFloat reports whether the value is a Float or a Double.
func (t Type) IsFloat() bool { return t.Base.IsFloat() }

// IsVector reports whether the value is a vector, with an offset of 32 bits or
// 64, and not an Array.
func (t Type) IsVector() bool { return t.Base.IsVector() }

// IsStruct reports whether the value is a struct.
func (t Type) IsStruct() bool { return t.Base == Obj && t.Object != nil && t.Object.IsStruct }

// IsTable reports whether the value is a table.
func (t Type) IsTable() bool { return t.Base == Obj && t.Object != nil && !t.Object.IsStruct }

// ElementType returns the type of one element of a vector or array, and the
// zero Type for anything else.
func (t Type) ElementType() Type {
	switch t.Base {
	case Vector, Vector64, Array:
		return Type{Base: t.Element, Object: t.Object, Enum: t.Enum}
	}
	return Type{}
}

// String returns the type as a schema writes it: "[Ns.Monster]", "ubyte:16".
func (t Type) String() string {
	switch t.Base {
	case Vector, Vector64:
		return "[" + t.ElementType().String() + "]"
	case Array:
		return fmt.Sprintf("[%s:%d]", t.ElementType(), t.FixedLength)
	case Obj:
		if t.Object != nil {
			return t.Object.Name
		}
	case None:
	default:
		if t.Enum != nil {
			return t.Enum.Name
		}
	}
	return t.Base.String()
}

// Object returns the table or struct of that full name ("Ns.Monster"). Where
// there is none it takes the name as the last word of a full name, if that fits
// exactly one object. It returns nil when nothing fits, or too much.
func (s *Schema) Object(name string) *Object {
	return find(s.Objects, name, func(o *Object) string { return o.Name })
}

// Enum returns the enum or union of that name, by the rules of [Schema.Object].
func (s *Schema) Enum(name string) *Enum {
	return find(s.Enums, name, func(e *Enum) string { return e.Name })
}

// Service returns the rpc_service of that name, by the rules of [Schema.Object].
func (s *Schema) Service(name string) *Service {
	return find(s.Services, name, func(v *Service) string { return v.Name })
}

// find does not rely on the order of list: a model made by hand may lack it.
func find[T any](list []*T, name string, nameOf func(*T) string) *T {
	var byLastWord *T
	ambiguous := false
	for _, item := range list {
		if item == nil {
			continue
		}
		full := nameOf(item)
		if full == name {
			return item
		}
		if _, last := words.Split(full); last == name {
			ambiguous = byLastWord != nil
			byLastWord = item
		}
	}
	if ambiguous {
		return nil
	}
	return byLastWord
}

// Field returns the field of that name, or nil.
func (o *Object) Field(name string) *Field {
	for _, f := range o.Fields {
		if f != nil && f.Name == name {
			return f
		}
	}
	return nil
}

// Key returns the field with the attribute key, or nil.
func (o *Object) Key() *Field {
	for _, f := range o.Fields {
		if f != nil && f.Key {
			return f
		}
	}
	return nil
}

// ShortName returns the last word of the full name.
func (o *Object) ShortName() string { _, last := words.Split(o.Name); return last }

// Namespace returns the full name without its last word, "" for the global
// namespace.
func (o *Object) Namespace() string { ns, _ := words.Split(o.Name); return ns }

// ShortName returns the last word of the full name.
func (e *Enum) ShortName() string { _, last := words.Split(e.Name); return last }

// Namespace returns the full name without its last word.
func (e *Enum) Namespace() string { ns, _ := words.Split(e.Name); return ns }

// ShortName returns the last word of the full name.
func (s *Service) ShortName() string { _, last := words.Split(s.Name); return last }

// Namespace returns the full name without its last word.
func (s *Service) Namespace() string { ns, _ := words.Split(s.Name); return ns }

// Value returns the enum value or union member of that name, or nil.
func (e *Enum) Value(name string) *EnumValue {
	for _, v := range e.Values {
		if v != nil && v.Name == name {
			return v
		}
	}
	return nil
}

// ByValue returns the enum value or union member with that number, or nil.
func (e *Enum) ByValue(value int64) *EnumValue {
	// A checked enum is sorted, by unsigned value when its type is unsigned.
	less := func(a, b int64) bool { return a < b }
	if e.Underlying.IsUnsigned() {
		less = func(a, b int64) bool { return uint64(a) < uint64(b) }
	}
	i := sort.Search(len(e.Values), func(i int) bool { return !less(e.Values[i].Value, value) })
	if i < len(e.Values) && e.Values[i].Value == value {
		return e.Values[i]
	}
	return nil
}

// NestedRoot returns the table that field f of object o holds a whole buffer of:
// the one its attribute nested_flatbuffer names, looked up from o's namespace
// outwards. It returns nil and no error for a field without the attribute, and an
// error where the name leads nowhere or to a struct.
//
// The objects have to be in order of their names, as [Schema.Check] wants them.
func (s *Schema) NestedRoot(o *Object, f *Field) (*Object, error) {
	root, err := NestedRoot(o, f, s.sortedObject)
	if err != nil {
		return nil, fmt.Errorf("schema: field %s.%s: %w", o.Name, f.Name, err)
	}
	return root, nil
}

// sortedObject returns the object of that full name, or nil.
func (s *Schema) sortedObject(full string) *Object {
	i, ok := slices.BinarySearchFunc(s.Objects, full, func(o *Object, full string) int {
		if o == nil {
			return -1
		}
		return cmp.Compare(o.Name, full)
	})
	if !ok {
		return nil
	}
	return s.Objects[i]
}

// NestedRoot is [Schema.NestedRoot] for a schema that is still being made: object returns
// the table or struct of a full name, or nil.
func NestedRoot(o *Object, f *Field, object func(full string) *Object) (*Object, error) {
	name, ok := f.Attribute("nested_flatbuffer")
	if !ok {
		return nil, nil
	}
	for _, full := range words.Candidates(o.Namespace(), name) {
		root := object(full)
		switch {
		case root == nil:
			continue
		case root.IsStruct:
			return nil, fmt.Errorf("nested_flatbuffer names the struct %s, and only a table can be the root of a buffer", root.Name)
		}
		return root, nil
	}
	return nil, fmt.Errorf("nested_flatbuffer names %s, and there is no such table", words.Quote(name))
}

// SortValues brings the values into the order the model promises: by their
// numbers, which are unsigned where the type is.
func (e *Enum) SortValues() {
	order := func(a, b *EnumValue) int { return cmp.Compare(a.Value, b.Value) }
	if e.Underlying.IsUnsigned() {
		order = func(a, b *EnumValue) int { return cmp.Compare(uint64(a.Value), uint64(b.Value)) }
	}
	if !slices.IsSortedFunc(e.Values, order) {
		slices.SortStableFunc(e.Values, order)
	}
}
