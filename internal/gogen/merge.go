package gogen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fbverify/go/schema"
)

// Input is one schema to generate from.
type Input struct {
	// Name is how the schema is named in generated comments: the base name of
	// its file, so that output does not depend on where the file lies.
	Name   string
	Schema *schema.Schema
	// Root overrides the schema's root_type, by full or unambiguous last name;
	// "" keeps it.
	Root string
}

// merged is what all inputs declare together.
type merged struct {
	*schema.Schema
	sourceNames []string
	identifiers map[string]string // by full name of the root table
	roots       []string          // full names, without repeats
}

// merge joins the inputs into one schema. A type that several inputs have, as
// when they include the same file, must be the same in all of them.
func merge(inputs []Input) (*merged, error) {
	m := &merged{Schema: new(schema.Schema), identifiers: map[string]string{}}
	objects := map[string]*schema.Object{}
	enums := map[string]*schema.Enum{}
	from := map[string]string{} // which input declared a type first
	for _, in := range inputs {
		m.sourceNames = append(m.sourceNames, in.Name)
		m.Features |= in.Schema.Features
		root := in.Schema.Root
		if in.Root != "" {
			root = in.Schema.Object(in.Root)
			if root == nil || root.IsStruct {
				return nil, fmt.Errorf("%s: there is no table %s to be the root%s", in.Name, in.Root, tableHint(in.Schema))
			}
		}
		if root != nil && !slices.Contains(m.roots, root.Name) {
			m.roots = append(m.roots, root.Name)
			if m.Root == nil {
				m.Root, m.FileIdentifier, m.FileExtension = root, in.Schema.FileIdentifier, in.Schema.FileExtension
			}
		}
		if root != nil && in.Schema.FileIdentifier != "" {
			m.identifiers[root.Name] = in.Schema.FileIdentifier
		}
		for _, o := range in.Schema.Objects {
			if first := objects[o.Name]; first == nil {
				if enums[o.Name] != nil {
					return nil, fmt.Errorf("%s: %s is a table or struct here and an enum in %s", in.Name, o.Name, from[o.Name])
				}
				objects[o.Name], from[o.Name] = o, in.Name
			} else if what := differs(describeObject(first), describeObject(o)); what != "" {
				return nil, fmt.Errorf("%s: %s is declared otherwise than in %s: %s", in.Name, o.Name, from[o.Name], what)
			}
		}
		for _, e := range in.Schema.Enums {
			if first := enums[e.Name]; first == nil {
				if objects[e.Name] != nil {
					return nil, fmt.Errorf("%s: %s is an enum here and a table or struct in %s", in.Name, e.Name, from[e.Name])
				}
				enums[e.Name], from[e.Name] = e, in.Name
			} else if what := differs(describeEnum(first), describeEnum(e)); what != "" {
				return nil, fmt.Errorf("%s: %s is declared otherwise than in %s: %s", in.Name, e.Name, from[e.Name], what)
			}
		}
	}
	c := copier{map[string]*schema.Object{}, map[string]*schema.Enum{}}
	for name := range objects {
		c.objects[name] = new(schema.Object)
	}
	for name := range enums {
		c.enums[name] = new(schema.Enum)
	}
	for name, o := range objects {
		c.object(c.objects[name], o)
		m.Objects = append(m.Objects, c.objects[name])
	}
	for name, e := range enums {
		c.enum(c.enums[name], e)
		m.Enums = append(m.Enums, c.enums[name])
	}
	slices.SortFunc(m.Objects, func(a, b *schema.Object) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(m.Enums, func(a, b *schema.Enum) int { return strings.Compare(a.Name, b.Name) })
	if m.Root != nil {
		m.Root = c.objects[m.Root.Name]
	}
	return m, nil
}

func tableHint(s *schema.Schema) string {
	var names []string
	for _, o := range s.Objects {
		if !o.IsStruct {
			names = append(names, o.Name)
		}
	}
	if len(names) == 0 || len(names) > 12 {
		return ""
	}
	return "; the schema has " + strings.Join(names, ", ")
}

// copier copies types, leading references to the copies.
type copier struct {
	objects map[string]*schema.Object
	enums   map[string]*schema.Enum
}

func (c copier) object(to, from *schema.Object) {
	*to = *from
	to.Fields = make([]*schema.Field, len(from.Fields))
	for i, f := range from.Fields {
		field := *f
		field.Type = c.typ(f.Type)
		to.Fields[i] = &field
	}
}

func (c copier) enum(to, from *schema.Enum) {
	*to = *from
	to.Values = make([]*schema.EnumValue, len(from.Values))
	for i, v := range from.Values {
		value := *v
		value.Type = c.typ(v.Type)
		to.Values[i] = &value
	}
}

func (c copier) typ(t schema.Type) schema.Type {
	if t.Object != nil {
		t.Object = c.objects[t.Object.Name]
	}
	if t.Enum != nil {
		t.Enum = c.enums[t.Enum.Name]
	}
	return t
}

// describeObject says everything about an object that generated code depends
// on, one line a field.
func describeObject(o *schema.Object) []string {
	lines := []string{fmt.Sprintf("struct=%v align=%d size=%d", o.IsStruct, o.MinAlign, o.ByteSize)}
	for _, f := range o.Fields {
		nested, _ := f.Attribute("nested_flatbuffer")
		lines = append(lines, fmt.Sprintf("%s: %s id=%d offset=%d default=%d %v %q optional=%v required=%v deprecated=%v key=%v offset64=%v %s %s",
			f.Name, f.Type, f.ID, f.Offset, f.DefaultInteger, f.DefaultReal, f.DefaultString,
			f.Optional, f.Required, f.Deprecated, f.Key, f.Offset64, f.Type.Base, nested))
	}
	return lines
}

func describeEnum(e *schema.Enum) []string {
	lines := []string{fmt.Sprintf("union=%v underlying=%s flags=%v", e.IsUnion, e.Underlying, e.BitFlags)}
	for _, v := range e.Values {
		lines = append(lines, fmt.Sprintf("%s = %d %s", v.Name, v.Value, v.Type))
	}
	return lines
}

// differs returns "" for equal descriptions, and else the first pair of lines
// that are not.
func differs(a, b []string) string {
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return "it has more: " + b[i]
		case i >= len(b):
			return "it lacks: " + a[i]
		case a[i] != b[i]:
			return fmt.Sprintf("%q, and there %q", b[i], a[i])
		}
	}
	return ""
}
