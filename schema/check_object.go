package schema

import (
	"strconv"
	"strings"

	"github.com/fbverify/go/schema/internal/words"
)

// object checks a table or a struct, but for the layout of the latter.
func (c *checker) object(o *Object) {
	c.notes(o.Name, o.Attributes, o.Doc)
	c.text(o.Name, "the name of the file", o.DeclarationFile)
	if !o.IsStruct {
		if len(o.Fields) > MaxFields {
			c.fail(o.Name, "it has %d fields, and a table can have %d", len(o.Fields), MaxFields)
			return
		}
		if o.MinAlign != 1 || o.ByteSize != 0 {
			c.fail(o.Name, "a table has the alignment 1 and the size 0, not %d and %d", o.MinAlign, o.ByteSize)
		}
	}
	names := make(map[string]bool, len(o.Fields))
	var key *Field
	ids := 0
	for i, f := range o.Fields {
		if f == nil {
			c.fail(o.Name, "field %d is nil", i)
			return
		}
		where := o.Name + "." + f.Name
		c.word(where, "field", f.Name)
		if names[f.Name] {
			c.fail(where, "there are two fields of this name")
		}
		names[f.Name] = true
		if f.ID != i {
			c.fail(where, "it is field %d in order, and its id is %d", i, f.ID)
		}
		if f.Key && key != nil {
			c.fail(where, "it is a key, and so is %s", key.Name)
		}
		if f.Key {
			key = f
		}
		if _, ok := f.Attribute("id"); ok {
			ids++
		}
		c.field(where, o, f)
		if c.full() {
			return
		}
	}
	if !o.IsStruct && ids != 0 && ids != len(o.Fields) {
		c.fail(o.Name, "%d of its %d fields have the attribute id, and either all have it or none", ids, len(o.Fields))
	}
}

func (c *checker) field(where string, o *Object, f *Field) {
	c.notes(where, f.Attributes, f.Doc)
	if !c.typ(where, f.Type) {
		return
	}
	if f.Key && !f.Type.CanBeKey() {
		c.fail(where, "a key is a scalar, a string, a struct or an array of scalars or structs, not %s", f.Type)
	}
	if f.Required && f.Optional {
		c.fail(where, "it is both required and optional")
	}
	c.fieldDefault(where, f)
	c.fieldAttributes(where, o, f)
	if o.IsStruct {
		c.structField(where, f)
		return
	}
	c.tableField(where, o, f)
}

// typ checks that a type is whole and that what it refers to belongs to the
// schema.
func (c *checker) typ(where string, t Type) bool {
	inner := t
	switch t.Base {
	case Vector, Vector64, Array:
		inner = t.ElementType()
		switch inner.Base {
		case None, Vector, Vector64, Array:
			c.fail(where, "the element type of a %s cannot be %s", t.Base, inner.Base)
			return false
		}
		if inner.Base > Vector64 {
			c.fail(where, "the element type is the unknown %s", inner.Base)
			return false
		}
	default:
		if t.Base == None || t.Base > Vector64 {
			c.fail(where, "the type is %s, which is none a value can have", t.Base)
			return false
		}
		if t.Element != None {
			c.fail(where, "the type %s has an element type, and only vectors and arrays have", t.Base)
			return false
		}
	}
	if (t.Base == Array) != (t.FixedLength != 0) || t.FixedLength < 0 || t.FixedLength > 1<<16-1 {
		c.fail(where, "a %s with the fixed length %d: only arrays have one, of 1 to 65535", t.Base, t.FixedLength)
		return false
	}
	return c.refers(where, inner)
}

// refers checks the object and the enum of a type that is no vector or array.
func (c *checker) refers(where string, t Type) bool {
	if (t.Base == Obj) != (t.Object != nil) {
		c.fail(where, "the type is %s, and its object is %t: objects have one, and nothing else has", t.Base, t.Object != nil)
		return false
	}
	if t.Object != nil && !c.objects[t.Object] {
		c.fail(where, "its type %s is none of the schema's objects", words.Shorten(t.Object.Name))
		return false
	}
	e := t.Enum
	switch {
	case e != nil && !c.enums[e]:
		c.fail(where, "its type %s is none of the schema's enums", words.Shorten(e.Name))
	case t.Base == Union || t.Base == UType:
		if e != nil && e.IsUnion {
			return true
		}
		c.fail(where, "the type is %s, and no union is given", t.Base)
	case e == nil:
		return true
	case e.IsUnion:
		c.fail(where, "the type is %s, and %s is a union", t.Base, e.Name)
	case e.Underlying != t.Base:
		c.fail(where, "the type is %s, and the values of %s are %s", t.Base, e.Name, e.Underlying)
	default:
		return true
	}
	return false
}

// fieldDefault checks that a default is one the type can have.
func (c *checker) fieldDefault(where string, f *Field) {
	t := f.Type
	if f.DefaultInteger != 0 && (!t.IsInteger() || f.Optional || !t.Base.Fits(f.DefaultInteger)) {
		c.fail(where, "the default %d is none for a %s", f.DefaultInteger, defaultKind(f))
	}
	// Any bits but those of 0 are a default, -0 and NaN among them.
	if f.DefaultReal != 0 && (!t.IsFloat() || f.Optional) || f.DefaultReal != f.DefaultReal && !t.IsFloat() {
		c.fail(where, "the default %v is none for a %s", f.DefaultReal, defaultKind(f))
	}
	if (f.HasDefaultString || f.DefaultString != "") && (t.Base != String || !f.HasDefaultString || f.Optional) {
		c.fail(where, "the default %s is none for a %s, or HasDefaultString is false", words.Quote(f.DefaultString), defaultKind(f))
	}
	c.text(where, "the default", f.DefaultString)
	if f.HasDefaultVector && (!t.IsVector() || f.Optional) {
		c.fail(where, "the default [] is none for a %s", defaultKind(f))
	}
}

func defaultKind(f *Field) string {
	if f.Optional {
		return "field of type " + f.Type.String() + " that is optional"
	}
	return "field of type " + f.Type.String()
}

// fieldAttributes checks that built-in attributes say what the model says.
func (c *checker) fieldAttributes(where string, o *Object, f *Field) {
	for key, set := range map[string]bool{
		"key": f.Key, "deprecated": f.Deprecated, "required": f.Required, "offset64": f.Offset64,
		"vector64": f.Type.Base == Vector64,
	} {
		if _, ok := f.Attribute(key); ok && !set {
			c.fail(where, "it has the attribute %s, and the model does not say so", key)
		}
	}
	if value, ok := f.Attribute("id"); ok && !o.IsStruct && value != strconv.FormatInt(int64(f.ID), 10) {
		// The text may be hexadecimal or have a sign.
		if n, err := ParseInteger(value, UShort); err != nil || n != int64(f.ID) {
			c.fail(where, "its id is %d, and the attribute id says %s", f.ID, words.Quote(value))
		}
	}
	bytes := f.Type.IsVector() && f.Type.Element == UByte
	if _, ok := f.Attribute("nested_flatbuffer"); ok && !bytes {
		c.fail(where, "it has the attribute nested_flatbuffer, and its type is %s, not [ubyte]", f.Type)
	}
	if _, ok := f.Attribute("flexbuffer"); ok && (!bytes || f.Type.Base != Vector) {
		c.fail(where, "it has the attribute flexbuffer, and its type is %s, not [ubyte]", f.Type)
	}
}

// structField checks a field that is part of a struct.
func (c *checker) structField(where string, f *Field) {
	t := f.Type
	if t.Base == Array {
		t = t.ElementType()
	}
	if (!t.IsScalar() || t.Base == UType) && !t.IsStruct() {
		c.fail(where, "a struct can hold only scalars, enums, structs and arrays of these, not %s", f.Type)
	}
	switch {
	case f.DefaultInteger != 0 || f.DefaultReal != 0 || f.DefaultReal != f.DefaultReal:
		c.fail(where, "a field of a struct cannot have a default")
	case f.Optional || f.Required || f.Deprecated:
		c.fail(where, "a field of a struct cannot be optional, required or deprecated")
	case f.Offset64:
		c.fail(where, "a field of a struct has no offset")
	}
}

// tableField checks a field of a table.
func (c *checker) tableField(where string, o *Object, f *Field) {
	t := f.Type
	if f.Offset != 4+2*f.ID || f.Padding != 0 {
		c.fail(where, "field %d of a table has its slot at offset %d and no padding, not %d and %d", f.ID, 4+2*f.ID, f.Offset, f.Padding)
	}
	if t.Base == Array {
		c.fail(where, "an array of fixed length can stand only in a struct")
	}
	if f.Required && t.IsScalar() {
		c.fail(where, "a scalar cannot be required")
	}
	if f.Key && f.Optional && t.IsScalar() {
		c.fail(where, "a key cannot be an optional scalar")
	}
	switch {
	case t.Base == Vector64 && !f.Offset64:
		c.fail(where, "a vector64 is always behind an offset of 64 bits, and Offset64 is false")
	case f.Offset64 && t.Base != String && !(t.IsVector() && t.CanBeWide()):
		c.fail(where, "only strings and vectors of plain scalars and structs can have 64-bit offsets, not %s", t)
	case t.Base == Vector64 && !t.CanBeWide():
		c.fail(where, "a vector64 holds plain scalars or structs, not %s", t)
	}
	c.union(where, o, f)
}

// union checks that unions and their type fields come in pairs.
func (c *checker) union(where string, o *Object, f *Field) {
	t := f.Type
	inner := t
	if t.IsVector() {
		inner = t.ElementType()
	}
	switch inner.Base {
	case Union:
		want := Type{Base: UType, Enum: t.Enum}
		if t.IsVector() {
			want = Type{Base: Vector, Element: UType, Enum: t.Enum}
		}
		if f.ID == 0 || f.ID > len(o.Fields) || o.Fields[f.ID-1] == nil ||
			o.Fields[f.ID-1].Name != f.Name+"_type" || o.Fields[f.ID-1].Type != want {
			c.fail(where, "the field before a union has to hold its type and be called %s_type", words.Shorten(f.Name))
		}
	case UType:
		next := f.ID + 1
		if stem, ok := strings.CutSuffix(f.Name, "_type"); !ok || f.ID < 0 || next >= len(o.Fields) ||
			o.Fields[next] == nil || o.Fields[next].Name != stem || !o.Fields[next].Type.HoldsUnion() {
			c.fail(where, "it holds the type of a union, and the union is not the field after it")
		}
		if f.DefaultInteger != 0 || f.Optional && t.Base == UType {
			c.fail(where, "the type of a union is NONE by default")
		}
	}
}

// MaxFields is how many fields, the type fields of unions counted, a table can
// have: the offsets of their slots in the vtable, and its size, have 16 bits. flatc
// does not look.
const MaxFields = (1<<16 - 1 - 4) / 2
