package dynamic

import (
	"slices"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/schema"
)

// hidden is the slot of deprecated fields: no vtable is as long.
const hidden = 1 << 20

// hideDeprecated makes deprecated fields read as absent: generated code has no
// accessors for them, and so a verification does not look at them. Half of a union
// takes the other half with it.
func (o *Object) hideDeprecated() {
	if o.schema.IsStruct {
		return
	}
	for _, f := range o.fields {
		if !f.schema.Deprecated {
			continue
		}
		f.slot = hidden
		for _, other := range []*Field{f.tag, f.value} {
			if other != nil {
				other.slot = hidden
			}
		}
	}
}

// IncludeDeprecated returns a type like t for which no field is deprecated, and for
// which those that were are not required. Its
// Verify looks at all fields, and reads and dumps show those that are set, as flatc
// shows them. Deprecated fields otherwise read as absent here, since nothing is
// known of them.
func IncludeDeprecated(t *fbverify.Type) (*fbverify.Type, error) {
	return fbverify.Compile(undeprecate(t.Schema()), t.Root().Name)
}

// undeprecate copies a schema and clears the deprecation of all fields.
func undeprecate(s *schema.Schema) *schema.Schema {
	c := *s
	objects := make(map[*schema.Object]*schema.Object, len(s.Objects))
	enums := make(map[*schema.Enum]*schema.Enum, len(s.Enums))
	c.Objects, c.Enums, c.Services = slices.Clone(s.Objects), slices.Clone(s.Enums), nil
	for i, o := range s.Objects {
		cloned := *o
		c.Objects[i], objects[o] = &cloned, &cloned
	}
	for i, e := range s.Enums {
		cloned := *e
		c.Enums[i], enums[e] = &cloned, &cloned
	}
	move := func(t schema.Type) schema.Type {
		if t.Object != nil {
			t.Object = objects[t.Object]
		}
		if t.Enum != nil {
			t.Enum = enums[t.Enum]
		}
		return t
	}
	for _, o := range c.Objects {
		o.Fields = slices.Clone(o.Fields)
		for i, f := range o.Fields {
			cloned := *f
			cloned.Type = move(f.Type)
			if f.Deprecated {
				// Writers no longer set it, required or not.
				cloned.Deprecated, cloned.Required = false, false
				cloned.Attributes = slices.DeleteFunc(slices.Clone(f.Attributes), func(a schema.Attribute) bool { return a.Key == "deprecated" || a.Key == "required" })
			}
			o.Fields[i] = &cloned
		}
	}
	for _, e := range c.Enums {
		e.Values = slices.Clone(e.Values)
		for i, v := range e.Values {
			cloned := *v
			cloned.Type = move(v.Type)
			e.Values[i] = &cloned
		}
	}
	if s.Root != nil {
		c.Root = objects[s.Root]
	}
	return &c
}
