package schemas

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/fbverify/go/schema"
)

// JSONSchema returns a JSON Schema (draft 2020-12), indented, for the JSON texts of a root
// table: those that fbinspect dump --json and flatc print, which fbinspect encode reads. Of
// what encode reads besides (numbers for enums, unquoted names, hexadecimal numbers) it allows
// numbers for enums only.
func JSONSchema(s *schema.Schema, root *schema.Object) ([]byte, error) {
	w := jsonSchema{s: s, defs: object{}}
	ref := w.object(root)
	doc := object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"title", root.Name},
		{"$ref", ref[0].value},
	}
	for len(w.queue) > 0 { // types are met once, however they refer to one another
		o := w.queue[0]
		w.queue = w.queue[1:]
		w.defs = append(w.defs, member{o.Name, w.declare(o)})
	}
	doc = append(doc, member{"$defs", w.defs})
	return json.MarshalIndent(doc, "", "  ")
}

// member is a member of a JSON object, and object one whose members keep their order.
type member struct {
	name  string
	value any
}

type object []member

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}

type jsonSchema struct {
	s     *schema.Schema
	defs  object
	queue []*schema.Object
	seen  map[string]bool
}

// object returns what refers to a table or struct.
func (w *jsonSchema) object(o *schema.Object) object {
	if !w.seen[o.Name] {
		if w.seen == nil {
			w.seen = map[string]bool{}
		}
		w.seen[o.Name] = true
		w.queue = append(w.queue, o)
	}
	return object{{"$ref", "#/$defs/" + o.Name}}
}

// declare describes a table or struct.
func (w *jsonSchema) declare(o *schema.Object) object {
	properties := object{}
	required := []string{}
	for _, f := range o.Fields {
		properties = append(properties, member{f.Name, w.field(o, f)})
		if f.Required || o.IsStruct {
			required = append(required, f.Name)
		}
	}
	d := object{{"type", "object"}}
	if text := docText(o.Doc); text != "" {
		d = append(d, member{"description", text})
	}
	d = append(d, member{"properties", properties})
	if len(required) > 0 {
		d = append(d, member{"required", required})
	}
	return append(d, member{"additionalProperties", false})
}

func docText(doc []string) string { return strings.TrimSpace(strings.Join(doc, "\n")) }

// field describes a field of an object.
func (w *jsonSchema) field(o *schema.Object, f *schema.Field) object {
	d := w.typ(f.Type)
	if f.Type.IsVector() {
		if root, err := w.s.NestedRoot(o, f); err == nil && root != nil {
			d = object{{"anyOf", []object{w.object(root), d}}}
		} else if hasAttribute(f, "flexbuffer") {
			d = object{} // any value
		} else if hasAttribute(f, "hash") {
			d = object{{"anyOf", []object{d, {{"type", "array"}, {"items", object{{"type", "string"}}}}}}}
		}
	} else if hasAttribute(f, "hash") {
		d = object{{"anyOf", []object{d, {{"type", "string"}}}}}
	}
	if f.Optional && f.Type.IsScalar() {
		d = object{{"anyOf", []object{d, {{"type", "null"}}}}}
	}
	if text := docText(f.Doc); text != "" {
		d = append(d, member{"description", text})
	}
	if value, ok := defaultOf(f); ok && !o.IsStruct {
		d = append(d, member{"default", value})
	}
	if f.Deprecated {
		d = append(d, member{"deprecated", true})
	}
	return d
}

func hasAttribute(f *schema.Field, name string) bool {
	_, ok := f.Attribute(name)
	return ok
}

// defaultOf is the value that a field has where a text leaves it out.
func defaultOf(f *schema.Field) (any, bool) {
	switch {
	case f.Required || f.Optional && f.Type.IsScalar():
		return nil, false
	case f.HasDefaultString:
		return f.DefaultString, true
	case f.HasDefaultVector:
		return []any{}, true
	case f.Type.Base == schema.Bool && f.Type.Enum == nil:
		return f.DefaultInteger != 0, true
	case f.Type.IsFloat():
		return floatValue(f.DefaultReal), true
	case f.Type.IsInteger() && f.Type.Base != schema.UType:
		if e := f.Type.Enum; e != nil {
			if v := e.ByValue(f.DefaultInteger); v != nil {
				return v.Name, true
			}
		}
		if f.Type.Base.IsUnsigned() {
			return uint64(f.DefaultInteger), true
		}
		return f.DefaultInteger, true
	}
	return nil, false
}

// floatValue is a float as it stands in JSON.
func floatValue(f float64) any {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return f
}

// typ describes a type.
func (w *jsonSchema) typ(t schema.Type) object {
	switch {
	case t.Base == schema.Array:
		return object{{"type", "array"}, {"items", w.base(t, t.Element)}, {"minItems", t.FixedLength}, {"maxItems", t.FixedLength}}
	case t.IsVector():
		return object{{"type", "array"}, {"items", w.base(t, t.Element)}}
	}
	return w.base(t, t.Base)
}

// base describes a type that is no list.
func (w *jsonSchema) base(t schema.Type, base schema.BaseType) object {
	switch {
	case base == schema.Obj:
		return w.object(t.Object)
	case base == schema.Union:
		return w.union(t.Enum)
	case base == schema.String:
		return object{{"type", "string"}}
	case base == schema.Float || base == schema.Double:
		return object{{"anyOf", []object{{{"type", "number"}}, {{"enum", []string{"nan", "inf", "-inf"}}}}}}
	case base == schema.Bool && t.Enum == nil:
		return object{{"type", "boolean"}}
	}
	low, high := limits(base)
	number := object{{"type", "integer"}, {"minimum", low}, {"maximum", high}}
	if t.Enum == nil {
		return number
	}
	return object{{"anyOf", []object{enumNames(t.Enum), number}}}
}

// enumNames describes the names of an enum's values: of bit flags several, with spaces between.
func enumNames(e *schema.Enum) object {
	names := []string{}
	for _, v := range e.Values {
		names = append(names, v.Name)
	}
	if !e.BitFlags {
		return object{{"enum", names}}
	}
	for i := range names {
		names[i] = regexp.QuoteMeta(names[i])
	}
	one := "(" + strings.Join(names, "|") + ")"
	return object{{"type", "string"}, {"pattern", fmt.Sprintf("^(%s( %s)*)?$", one, one)}}
}

// union describes the value of a union, which is that of one of its members.
func (w *jsonSchema) union(e *schema.Enum) object {
	members := []object{}
	for _, v := range e.Values {
		switch v.Type.Base {
		case schema.None:
		case schema.Obj:
			members = append(members, w.object(v.Type.Object))
		default:
			members = append(members, object{{"type", "string"}})
		}
	}
	return object{{"anyOf", append(members, object{{"type", "null"}})}}
}

// limits are the smallest and the largest value of an integer type.
func limits(base schema.BaseType) (low, high json.Number) {
	bits := 8 * base.Size()
	if base == schema.Bool {
		return "0", "255"
	}
	if base.IsUnsigned() || base == schema.UType {
		return "0", json.Number(fmt.Sprint(uint64(math.MaxUint64) >> (64 - bits)))
	}
	return json.Number(fmt.Sprint(int64(math.MinInt64) >> (64 - bits))), json.Number(fmt.Sprint(int64(math.MaxInt64) >> (64 - bits)))
}
