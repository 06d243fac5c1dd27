package protobuf

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fbverify/go/schema"
)

// maxMembers is how many members a union can have, whose tags are one byte.
const maxMembers = 255

// oneof makes the union for a oneof and the fields that hold it, or finds them.
func (t *table) oneof(of protoreflect.OneofDescriptor) {
	f := t.unionField(of)
	if f == nil {
		name := t.freeName(of.FullName(), scope(t.d)+camel(string(of.Name())))
		e := &schema.Enum{Name: name, IsUnion: true, Underlying: schema.UType, Values: []*schema.EnumValue{{Name: "NONE"}}}
		t.s.Enums = append(t.s.Enums, e)
		tag := &schema.Field{Type: schema.Type{Base: schema.UType, Enum: e}}
		f = &schema.Field{Type: schema.Type{Base: schema.Union, Enum: e}, Optional: true}
		t.nameUnion(of, tag, f)
		t.add(tag, "")
		t.add(f, string(of.Name()))
	} else {
		tag := t.o.Fields[f.ID-1]
		old, _ := f.Attribute(Attribute)
		t.nameUnion(of, tag, f)
		t.revive(f)
		tag.Deprecated = false
		if old != string(of.Name()) {
			t.warn(of.FullName(), Kept, "it was called %s; its union is still %s", old, f.Type.Enum.Name)
		}
		set(f, Attribute, string(of.Name()))
	}
	t.claimed[f] = true
	t.document(&f.Doc, of)
	t.members(of, f.Type.Enum)
}

// unionField returns the field whose union has members of a oneof: oneofs can be renamed.
func (t *table) unionField(of protoreflect.OneofDescriptor) *schema.Field {
	for _, f := range t.o.Fields {
		if f.Type.Base != schema.Union || t.claimed[f] {
			continue
		}
		for _, v := range f.Type.Enum.Values {
			if n, ok := numberOf(v.Attributes); ok && of.Fields().ByNumber(n) != nil {
				return f
			}
		}
	}
	return nil
}

// nameUnion gives names to a union's field and to the one that holds its tag.
func (t *table) nameUnion(of protoreflect.OneofDescriptor, tag, f *schema.Field) {
	t.rename(f, t.memberName(of.FullName(), f.Name, string(of.Name()), func(name string) bool {
		return t.taken(f, name) || t.taken(tag, name+"_type")
	}))
	t.rename(tag, f.Name+"_type")
}

// members gives a union the members that a oneof has.
func (t *table) members(of protoreflect.OneofDescriptor, e *schema.Enum) {
	before := map[string]int64{}
	for _, v := range e.Values {
		before[v.Name] = v.Value
	}
	claimed := map[*schema.EnumValue]bool{}
	for _, fd := range byNumber(of.Fields()) {
		typ := t.memberType(fd)
		var v *schema.EnumValue
		changed := false
		for _, w := range e.Values {
			if n, ok := numberOf(w.Attributes); ok && n == fd.Number() {
				if w.Type == typ {
					v = w
				} else {
					changed = true
				}
			}
		}
		if v == nil {
			if changed {
				t.warn(fd.FullName(), TypeChanged, "it has another type than before, and so another member of the union")
			}
			if len(e.Values) > maxMembers {
				t.fail(fd.FullName(), "a union can have %d members, those that were removed counted on", maxMembers)
				return
			}
			v = &schema.EnumValue{
				Value: e.Values[len(e.Values)-1].Value + 1, Type: typ,
				Attributes: []schema.Attribute{{Key: Attribute, Value: number(fd)}},
			}
			e.Values = append(e.Values, v)
		}
		claimed[v] = true
		v.Name = t.memberName(fd.FullName(), v.Name, string(fd.Name()), func(name string) bool {
			n, was := before[name]
			w := e.Value(name)
			return was && n != v.Value || w != nil && w != v
		})
		t.document(&v.Doc, fd)
		if fd.HasDefault() {
			t.warn(fd.FullName(), LostDefault, "the schema does not have its default")
		}
	}
	for _, v := range e.Values[1:] {
		if !claimed[v] {
			t.warn(of.FullName(), Removed, "the member %s is no longer there, or has another type; the union keeps it", v.Name)
		}
	}
}

// memberType returns the table that holds a member's value.
func (t *table) memberType(fd protoreflect.FieldDescriptor) schema.Type {
	typ := schema.Type{Base: schema.Obj}
	switch {
	case fd.Message() != nil:
		typ.Object = t.message(fd.Message())
	case fd.Enum() != nil:
		typ.Object = t.enumWrapper(fd.Enum())
	default:
		typ.Object = t.message(wrapperOf(fd))
	}
	return typ
}

// enumWrapper returns the table that holds one value of an enum.
func (m *maker) enumWrapper(d protoreflect.EnumDescriptor) *schema.Object {
	e := m.enum(d)
	o := m.wrapper[d.FullName()]
	if o == nil {
		o = m.table(m.freeName(d.FullName(), e.Name+"Value"), "")
		f := &schema.Field{Name: "value", Type: schema.Type{Base: schema.Int, Enum: e}, Optional: true}
		newTable(m, nil, o).add(f, "")
		m.wrapper[d.FullName()] = o
	}
	return o
}

// isWrapperOf reports whether a table is one that enumWrapper makes of an enum.
func isWrapperOf(o *schema.Object, e *schema.Enum) bool {
	_, isMessage := o.Attribute(Attribute)
	return !isMessage && len(o.Fields) == 1 && o.Fields[0].Type == schema.Type{Base: schema.Int, Enum: e} &&
		o.Fields[0].Optional && strings.HasPrefix(o.Name, e.Name+"Value")
}
