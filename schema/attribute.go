package schema

import (
	"maps"
	"slices"
)

// builtinAttributes are the attributes that flatc knows, with whether they have a
// value. Where an attribute has none flatc writes "0", so that one of these
// without a value can be told; of others, the "0" may stand in the .fbs.
var builtinAttributes = map[string]bool{
	"bit_flags": false, "cpp_str_flex_ctor": false, "csharp_partial": false, "deprecated": false,
	"flexbuffer": false, "idempotent": false, "key": false, "native_inline": false,
	"offset64": false, "original_order": false, "private": false, "required": false,
	"shared": false, "vector64": false,

	"cpp_ptr_type": true, "cpp_ptr_type_get": true, "cpp_str_type": true, "cpp_type": true,
	"force_align": true, "hash": true, "id": true, "native_custom_alloc": true,
	"native_default": true, "native_type": true, "native_type_pack_name": true,
	"nested_flatbuffer": true, "streaming": true,
}

// The attributes by which a schema says, field by field, what the readers of its format let
// pass although FlatBuffers forbid it. They mean nothing to flatc once they are declared.
const (
	// MayBeBinary is for strings: their bytes need not be UTF-8.
	MayBeBinary = "may_be_binary"

	// MayAlign is for vectors of numbers and structs: its value, a power of two, is how
	// many bytes their elements have to be aligned to, where that is less than their
	// type asks for.
	MayAlign = "may_align"
)

// NewAttribute returns the attribute that a .bfbs shows by this key and value.
func NewAttribute(key, value string) Attribute {
	if hasValue, ok := BuiltinAttribute(key); ok && !hasValue && value == "0" {
		value = ""
	}
	return Attribute{key, value}
}

// BinaryValue returns the value that a .bfbs shows: flatc writes "0" where there is none.
func (a Attribute) BinaryValue() string {
	if a.Value == "" {
		if hasValue, _ := BuiltinAttribute(a.Key); !hasValue {
			return "0"
		}
	}
	return a.Value
}

// BuiltinAttribute reports whether flatc knows the attribute without a declaration, and
// whether it has a value there.
func BuiltinAttribute(key string) (hasValue, ok bool) {
	hasValue, ok = builtinAttributes[key]
	return hasValue, ok
}

// BuiltinAttributes returns the attributes that flatc knows without a declaration, in
// order of their names.
func BuiltinAttributes() []string { return slices.Sorted(maps.Keys(builtinAttributes)) }

// ImpliedAttributes returns the keys of the built-in attributes that the field's
// other members stand for. A key of type string is required without the attribute.
func (f *Field) ImpliedAttributes() []string {
	var keys []string
	for _, a := range []struct {
		set bool
		key string
	}{
		{f.Deprecated, "deprecated"},
		{f.Key, "key"},
		{f.Offset64 && f.Type.Base != Vector64, "offset64"},
		{f.Required && !(f.Key && f.Type.Base == String), "required"},
		{f.Type.Base == Vector64, "vector64"},
	} {
		if a.set {
			keys = append(keys, a.key)
		}
	}
	return keys
}

// IsFlag reports whether a value can be one of a bit_flags enum.
func (e *Enum) IsFlag(value int64) bool {
	return value != 0 && value&(value-1) == 0 && (value > 0 || e.Underlying == ULong)
}

// Attribute returns the value of an attribute, "" for one that has none, and
// whether it is there.
func (f *Field) Attribute(key string) (value string, ok bool) {
	return FindAttribute(f.Attributes, key)
}

// Attribute returns the value of an attribute, "" for one that has none, and
// whether it is there.
func (o *Object) Attribute(key string) (value string, ok bool) {
	return FindAttribute(o.Attributes, key)
}

// Attribute returns the value of an attribute, "" for one that has none, and
// whether it is there.
func (e *Enum) Attribute(key string) (value string, ok bool) { return FindAttribute(e.Attributes, key) }

// FindAttribute returns the value of the attribute in a list, "" for one that has none,
// and whether it is there.
func FindAttribute(list []Attribute, key string) (string, bool) {
	for _, a := range list {
		if a.Key == key {
			return a.Value, true
		}
	}
	return "", false
}
