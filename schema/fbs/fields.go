package fbs

import (
	"sort"
	"strconv"
	"strings"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/internal/words"
)

// objectBuilder adds the fields of one object.
type objectBuilder struct {
	r     *resolver
	o     *schema.Object
	d     *objectDecl
	names map[string]*schema.Field
	key   *schema.Field
	sound bool // no field had a fault

	ids    int // fields with an id, type fields counted
	idAt   map[*schema.Field]attr
	places map[*schema.Field]span
}

// fieldBuilder is one field while it is looked at.
type fieldBuilder struct {
	*objectBuilder
	s     *fieldSyntax
	f     *schema.Field
	sym   *symbol // of the object in its type
	attrs attrSet
	value constant
}

func (b *objectBuilder) field(s *fieldSyntax) {
	if sym := b.r.known(b.r.scope, s.name.text); sym != nil {
		b.fail(s.name.span, "a field cannot have the name of a table or struct, and %s is one", sym.object.Name)
	}
	fb := &fieldBuilder{objectBuilder: b, s: s, f: &schema.Field{Name: s.name.text, Doc: s.doc}}
	var ok bool
	if fb.f.Type, fb.sym, ok = b.r.typ(&s.typ); !ok {
		b.sound = false
		return
	}
	if !fb.place() {
		b.sound = false
	}
	typeField := fb.typeField()
	fb.readDefault()
	fb.attrs = b.r.attrs(s.attrs)
	fb.attributes()
	fb.presence()
	fb.enumDefault()
	fb.f.Attributes = fb.attrs.list()
	if fb.attrs.constrain() {
		fb.r.asked = append(fb.r.asked, askedField{fb.o, fb.f, fb.attrs})
	}
	if typeField != nil {
		fb.finishTypeField(typeField)
	}
	b.add(typeField, s.name.span)
	b.add(fb.f, s.name.span)
}

func (b *objectBuilder) fail(where span, format string, args ...any) {
	b.sound = false
	b.r.err.at(where, format, args...)
}

// add appends a field, unless its name is taken.
func (b *objectBuilder) add(f *schema.Field, where span) {
	if f == nil {
		return
	}
	if before := b.names[f.Name]; before != nil {
		b.fail(where, "%s has a field %s already, at %s", b.o.Name, words.Quote(f.Name), b.places[before].place())
		return
	}
	b.names[f.Name], b.places[f] = f, where
	if !b.o.IsStruct && len(b.o.Fields) == schema.MaxFields {
		b.fail(where, "a table has at most %d fields, and the type fields of unions count", schema.MaxFields)
		return
	}
	if b.o.IsStruct && len(b.o.Fields) > schema.MaxFieldOffset {
		return // the layout says so
	}
	f.ID = len(b.o.Fields)
	b.o.Fields = append(b.o.Fields, f)
}

// place checks that the type may stand in the object.
func (fb *fieldBuilder) place() bool {
	t := fb.f.Type
	if !fb.o.IsStruct {
		if t.Base == schema.Array {
			fb.fail(fb.s.typ.span, "an array of fixed length can stand only in a struct: put it into one, or use a vector [%s]", t.ElementType())
			return false
		}
		return true
	}
	inner := t
	if t.Base == schema.Array {
		inner = t.ElementType()
		fb.r.s.Features |= schema.AdvancedArrayFeatures
	}
	switch {
	case inner.IsScalar():
		return true
	case inner.Base != schema.Obj:
		fb.fail(fb.s.typ.span, "a struct can hold only scalars, enums, structs and arrays of these, not %s", t)
		return false
	case fb.sym.object == fb.o:
		fb.fail(fb.s.typ.span, "the struct %s would contain itself", fb.o.Name)
		return false
	case !fb.sym.complete:
		fb.fail(fb.s.typ.span, "the struct %s has to be declared before it becomes a part of another", words.Quote(fb.s.typ.name.text))
		return false
	case !inner.Object.IsStruct:
		fb.fail(fb.s.typ.span, "a struct can hold only scalars, enums, structs and arrays of these, and %s is a table", inner.Object.Name)
		return false
	}
	return true
}

// typeField makes the field that holds the tag of a union, or the tags of a
// vector of unions; nil for other types.
func (fb *fieldBuilder) typeField() *schema.Field {
	t := fb.f.Type
	f := &schema.Field{Name: fb.f.Name + "_type"}
	switch {
	case t.Base == schema.Union:
		f.Type = schema.Type{Base: schema.UType, Enum: t.Enum}
	case t.Base == schema.Vector && t.Element == schema.Union:
		fb.r.s.Features |= schema.AdvancedUnionFeatures
		f.Type = schema.Type{Base: schema.Vector, Element: schema.UType, Enum: t.Enum}
	default:
		return nil
	}
	return f
}

func (fb *fieldBuilder) finishTypeField(f *schema.Field) {
	f.Deprecated = fb.f.Deprecated
	if f.Type.Base == schema.Vector {
		f.Optional, f.Required = fb.f.Optional, fb.f.Required
	}
	if id, ok := fb.attrs.get("id"); ok {
		n, err := schema.ParseInteger(id.Value, schema.UShort)
		if err != nil || n == 0 {
			fb.fail(id.at(), "the id of a union is that of its value, and its type field has the id before: expected an integer from 1, found %s", words.Quote(id.Value))
			return
		}
		before := attr{schema.Attribute{Key: "id", Value: strconv.FormatInt(n-1, 10)}, id.place, id.syntax}
		f.Attributes = []schema.Attribute{before.Attribute}
		fb.hasID(f, before)
	}
}

func (b *objectBuilder) hasID(f *schema.Field, id attr) {
	if b.idAt == nil {
		b.idAt = map[*schema.Field]attr{}
	}
	b.idAt[f] = id
	b.ids++
}

// readDefault works out what stands after "=".
func (fb *fieldBuilder) readDefault() {
	fb.value = constant{kind: tokenInt, zero: true}
	v := fb.s.value
	if v == nil {
		return
	}
	t := fb.f.Type
	if t.Base == schema.Obj || t.Base == schema.Array || t.Base == schema.Union {
		fb.fail(v.span, "a field of type %s cannot have a default", t)
		return
	}
	c, ok := fb.r.constant(t, v)
	if !ok {
		fb.sound = false
		return
	}
	if fb.o.IsStruct && !c.zero {
		fb.fail(v.span, "the fields of a struct are always there and cannot have defaults")
		return
	}
	fb.value = c
	switch c.kind {
	case tokenInt:
		fb.f.DefaultInteger = c.integer
	case tokenFloat:
		fb.f.DefaultReal = c.real
	case tokenString:
		fb.r.s.Features |= schema.DefaultVectorsAndStrings
		// flatc cannot tell the string "0" from no default.
		if !c.zero {
			fb.f.DefaultString, fb.f.HasDefaultString = c.text, true
		}
	case '[':
		fb.r.s.Features |= schema.DefaultVectorsAndStrings
		fb.f.HasDefaultVector = true
	}
}

// presence sets whether the field may be absent.
func (fb *fieldBuilder) presence() {
	f := fb.f
	required, hasRequired := fb.attrs.get("required")
	if fb.o.IsStruct {
		for _, word := range []string{"required", "optional"} {
			if a, ok := fb.attrs.get(word); ok {
				fb.fail(a.place, "the fields of a struct are always there and cannot be %s", word)
			}
		}
		return
	}
	if f.Type.IsScalar() {
		f.Optional = fb.value.null()
		if hasRequired {
			fb.fail(required.place, "only fields that are no scalars can be required: a scalar that is absent has its default")
		}
	} else {
		// A string that is a key is required without the attribute.
		f.Required = hasRequired || f.Type.Base == schema.String && f.Key
		f.Optional = !f.Required && !f.HasDefaultString && !f.HasDefaultVector
	}
	if f.Optional && f.Type.IsScalar() {
		fb.r.s.Features |= schema.OptionalScalars
		if e := f.Type.Enum; e != nil && fb.r.enumValue(e, "null") != nil {
			fb.fail(fb.s.value.span, "the default null means that there is none, but %s has a value of that name", e.Name)
		}
		if f.Key {
			fb.fail(fb.s.value.span, "a key cannot be an optional scalar: give it a default other than null")
		}
	}
}

// enumDefault checks that the default of an enum is one of its values: also the 0
// of a field without one, and of a field in a struct.
func (fb *fieldBuilder) enumDefault() {
	t := fb.f.Type
	e := t.Enum
	if e == nil || e.IsUnion || e.BitFlags || t.IsVector() || fb.f.Optional {
		return
	}
	if e.ByValue(fb.f.DefaultInteger) != nil {
		return
	}
	if fb.s.value != nil && t.Base != schema.Array {
		fb.fail(fb.s.value.span, "the default %d is none of the values of %s", fb.f.DefaultInteger, e.Name)
		return
	}
	if fb.o.IsStruct {
		fb.fail(fb.s.typ.span, "%s has no value 0, which a field of a struct starts with", e.Name)
		return
	}
	fb.fail(fb.s.name.span, "%s has no value 0, so the field needs a default: %s", e.Name, strings.Join(firstNames(e), ", "))
}

func firstNames(e *schema.Enum) []string {
	list := valueNames(e)
	if len(list) > 5 {
		list = append(list[:5], "…")
	}
	return list
}

// end finishes the object: the order of its fields and their offsets.
func (b *objectBuilder) end() {
	o := b.o
	if b.r.err.full() {
		return
	}
	if b.sound {
		b.order()
	}
	if b.sound {
		b.clashes()
	}
	if !o.IsStruct {
		for _, f := range o.Fields {
			f.Offset = 4 + 2*f.ID
		}
		return
	}
	if !b.sound {
		o.MinAlign, o.ByteSize = 1, 1
		return
	}
	if err := o.Layout(0); err != nil {
		where := b.d.name.span
		if f := err.Field; f != nil {
			where = b.places[f]
		}
		b.fail(where, "%s", err.Text)
		o.MinAlign, o.ByteSize = 1, 1
	}
	depth := 1
	for _, f := range o.Fields {
		if part := f.Type.Object; part != nil {
			depth = max(depth, b.r.depth[part]+1)
		}
	}
	if depth > schema.MaxStructDepth {
		b.fail(b.d.name.span, "the struct %s holds structs in structs more than %d deep", o.Name, schema.MaxStructDepth)
	}
	b.r.depth[o] = depth
}

// order sorts the fields of a table by their ids, which all have or none.
func (b *objectBuilder) order() {
	o := b.o
	if o.IsStruct || b.ids == 0 {
		return
	}
	if b.ids != len(o.Fields) {
		for _, f := range o.Fields {
			if _, ok := b.idAt[f]; !ok {
				b.fail(b.places[f], "the field %s has no id, while others of %s have: either all have one or none", words.Quote(f.Name), o.Name)
			}
		}
		return
	}
	ids := make(map[*schema.Field]int64, len(o.Fields))
	byID := make(map[int64]*schema.Field, len(o.Fields))
	for _, f := range o.Fields {
		a := b.idAt[f]
		n, err := schema.ParseInteger(a.Value, schema.UShort)
		if err != nil {
			b.fail(a.at(), "found the id %s, expected an integer from 0", words.Quote(a.Value))
			continue
		}
		if other := byID[n]; other != nil {
			b.fail(a.at(), "the field %s has the id %d, and so has %s", words.Quote(f.Name), n, words.Quote(other.Name))
		} else if n >= int64(len(o.Fields)) {
			b.fail(a.at(), "the field %s has the id %d, and with %d fields (a union has two) the ids are 0 to %d",
				words.Quote(f.Name), n, len(o.Fields), len(o.Fields)-1)
		}
		byID[n], ids[f] = f, n
	}
	if !b.sound {
		return
	}
	sort.SliceStable(o.Fields, func(i, j int) bool { return ids[o.Fields[i]] < ids[o.Fields[j]] })
	for i, f := range o.Fields {
		f.ID = i
	}
}

// clashSuffixes are endings of names that generated code gives to functions that
// belong to fields of these types.
var clashSuffixes = []struct {
	suffix string
	base   schema.BaseType
}{
	{"_type", schema.Union}, {"Type", schema.Union}, {"_length", schema.Vector}, {"Length", schema.Vector},
	{"_byte_vector", schema.String}, {"ByteVector", schema.String},
}

// clashes refuses names that flatc refuses since they would meet in its code.
func (b *objectBuilder) clashes() {
	for _, f := range b.o.Fields {
		for _, c := range clashSuffixes {
			stem, ok := strings.CutSuffix(f.Name, c.suffix)
			if !ok || stem == "" || f.Type.Base == schema.UType {
				continue
			}
			if other := b.names[stem]; other != nil && other.Type.Base == c.base {
				b.fail(b.places[f], "the name %s is one that generated code uses for the field %s, %s", words.Quote(f.Name), words.Quote(stem), other.Type)
			}
		}
	}
}
