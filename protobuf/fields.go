package protobuf

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/fbverify/go/schema"
)

// table is one table whose fields are being made.
type table struct {
	*maker
	d protoreflect.MessageDescriptor
	o *schema.Object

	before  map[string]*schema.Field                     // by the names that the previous schema gave
	names   map[string]*schema.Field                     // by the names of now
	numbers map[protoreflect.FieldNumber][]*schema.Field // what the previous schema has for a number, in the order of ids
	claimed map[*schema.Field]bool                       // the fields that stand for one of the message
}

func newTable(m *maker, d protoreflect.MessageDescriptor, o *schema.Object) *table {
	t := &table{
		maker: m, d: d, o: o, before: map[string]*schema.Field{}, names: map[string]*schema.Field{},
		numbers: map[protoreflect.FieldNumber][]*schema.Field{}, claimed: map[*schema.Field]bool{},
	}
	for _, f := range o.Fields {
		t.before[f.Name], t.names[f.Name] = f, f
		if n, ok := numberOf(f.Attributes); ok {
			t.numbers[n] = append(t.numbers[n], f)
		}
	}
	return t
}

// fields gives a table its fields.
func (m *maker) fields(d protoreflect.MessageDescriptor) {
	t := newTable(m, d, m.objects[d.FullName()])
	// A oneof stands where the least of its numbers does.
	oneofs := map[protoreflect.OneofDescriptor]bool{}
	for _, fd := range byNumber(d.Fields()) {
		switch of := realOneof(fd); {
		case of == nil:
			t.field(fd)
		case !oneofs[of]:
			oneofs[of] = true
			t.oneof(of)
		}
	}
	t.removed()
}

// byNumber returns fields in the order of their numbers.
func byNumber(fields protoreflect.FieldDescriptors) []protoreflect.FieldDescriptor {
	list := make([]protoreflect.FieldDescriptor, fields.Len())
	for i := range list {
		list[i] = fields.Get(i)
	}
	slices.SortFunc(list, func(a, b protoreflect.FieldDescriptor) int { return int(a.Number()) - int(b.Number()) })
	return list
}

// realOneof returns the oneof that a field is in: an optional field of proto3 is in one
// that nobody wrote.
func realOneof(fd protoreflect.FieldDescriptor) protoreflect.OneofDescriptor {
	if of := fd.ContainingOneof(); of != nil && !of.IsSynthetic() {
		return of
	}
	return nil
}

// numberOf returns the number that a field or a member has in Protobuf.
func numberOf(list []schema.Attribute) (protoreflect.FieldNumber, bool) {
	text, ok := schema.FindAttribute(list, Attribute)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 32)
	return protoreflect.FieldNumber(n), err == nil
}

func number(fd protoreflect.FieldDescriptor) string { return strconv.Itoa(int(fd.Number())) }

// field makes the field for one that is in no oneof, or finds it.
func (t *table) field(fd protoreflect.FieldDescriptor) {
	var f *schema.Field
	changed := false
	for _, g := range slices.Backward(t.numbers[fd.Number()]) {
		if t.isType(g.Type, fd) {
			f = g
			break
		}
		changed = true
	}
	wanted := t.fresh(fd)
	if f == nil {
		if changed {
			t.warn(fd.FullName(), TypeChanged, "it has another type than before, and so another field in the schema")
		}
		f = wanted
		f.Type = t.typeOf(fd)
		t.rename(f, t.fieldName(fd.FullName(), f, string(fd.Name())))
		t.add(f, number(fd))
	} else {
		t.rename(f, t.fieldName(fd.FullName(), f, string(fd.Name())))
		t.revive(f)
		if fd.Cardinality() != protoreflect.Required {
			unset(f, "required")
			f.Required, f.Optional = false, f.Optional || !f.Type.IsScalar()
		}
		if f.Type.IsScalar() && (f.Optional != wanted.Optional || f.DefaultInteger != wanted.DefaultInteger ||
			math.Float64bits(f.DefaultReal) != math.Float64bits(wanted.DefaultReal)) {
			t.warn(fd.FullName(), Kept, "its presence or its default is another than before; the schema keeps what it had")
		}
	}
	t.claimed[f] = true
	t.document(&f.Doc, fd)
	if fd.HasDefault() && !f.Type.IsScalar() {
		t.warn(fd.FullName(), LostDefault, "the schema does not have its default")
	}
	if fd.Cardinality() == protoreflect.Required && f.Type.IsScalar() {
		t.warn(fd.FullName(), LostRequired, "the schema cannot say that a number is required")
	}
}

// fresh returns a field with the presence and the default that a new one gets.
func (t *table) fresh(fd protoreflect.FieldDescriptor) *schema.Field {
	f := &schema.Field{}
	switch {
	case fd.IsList() || fd.IsMap() || fd.Message() != nil || isText(fd):
		f.Required = fd.Cardinality() == protoreflect.Required
		f.Optional = !f.Required
		if f.Required {
			set(f, "required", "")
		}
	case fd.HasDefault():
		switch v := fd.Default(); fd.Kind() {
		case protoreflect.BoolKind:
			if v.Bool() {
				f.DefaultInteger = 1
			}
		case protoreflect.EnumKind:
			f.DefaultInteger = int64(v.Enum())
		case protoreflect.FloatKind:
			f.DefaultReal = float64(float32(v.Float()))
		case protoreflect.DoubleKind:
			f.DefaultReal = v.Float()
		default:
			if scalars[fd.Kind()].IsUnsigned() {
				f.DefaultInteger = int64(v.Uint())
			} else {
				f.DefaultInteger = v.Int()
			}
		}
	case fd.HasPresence():
		f.Optional = true
	case fd.Enum() != nil:
		// A default has to be one of the enum's values.
		f.Optional = fd.Enum().Values().ByNumber(0) == nil
	}
	return f
}

func isText(fd protoreflect.FieldDescriptor) bool {
	return fd.Kind() == protoreflect.StringKind || fd.Kind() == protoreflect.BytesKind
}

// fieldName finds the name for a field: no other may have it, nor have had it in the
// previous schema, where a program would take the one for the other.
func (t *table) fieldName(where protoreflect.FullName, f *schema.Field, wanted string) string {
	return t.memberName(where, f.Name, wanted, func(name string) bool { return t.taken(f, name) })
}

func (t *table) taken(f *schema.Field, name string) bool {
	if other := t.before[name]; other != nil && other != f {
		return true
	}
	other := t.names[name]
	return other != nil && other != f || t.namesTable(name)
}

// namesTable tells whether a table is called so where t is declared, which no field of t
// may be: in t's namespace, or one around it.
func (t *table) namesTable(name string) bool {
	for in := t.o.Namespace(); in != ""; {
		if t.tables[in+"."+name] {
			return true
		}
		in = in[:max(strings.LastIndexByte(in, '.'), 0)]
	}
	return t.tables[name]
}

func (t *table) rename(f *schema.Field, name string) {
	if t.names[f.Name] == f {
		delete(t.names, f.Name)
	}
	f.Name = name
	t.names[name] = f
}

// add appends a field.
func (t *table) add(f *schema.Field, attribute string) {
	f.ID = len(t.o.Fields)
	f.Offset = 4 + 2*f.ID
	set(f, "id", strconv.Itoa(f.ID))
	if attribute != "" {
		set(f, Attribute, attribute)
	}
	t.o.Fields = append(t.o.Fields, f)
}

// revive makes a field that was removed one field again.
func (t *table) revive(f *schema.Field) {
	f.Deprecated = false
	unset(f, "deprecated")
}

// removed deprecates what no field of the message stands for any longer.
func (t *table) removed() {
	for i, f := range t.o.Fields {
		if f.Type.Base == schema.UType || t.claimed[f] || f.Deprecated {
			continue
		}
		t.warn(t.d.FullName(), Removed, "the field %s is no longer there, or has another type: it is deprecated", f.Name)
		f.Deprecated = true
		set(f, "deprecated", "")
		if f.Required {
			f.Required, f.Optional = false, true
			unset(f, "required")
		}
		if f.Type.Base == schema.Union {
			t.o.Fields[i-1].Deprecated = true
		}
	}
}

func set(f *schema.Field, key, value string) {
	unset(f, key)
	f.Attributes = append(f.Attributes, schema.Attribute{Key: key, Value: value})
	slices.SortFunc(f.Attributes, func(a, b schema.Attribute) int { return strings.Compare(a.Key, b.Key) })
}

func unset(f *schema.Field, key string) {
	f.Attributes = slices.DeleteFunc(f.Attributes, func(a schema.Attribute) bool { return a.Key == key })
}

// scalars are the types of Protobuf's numbers, flatc's choice.
var scalars = map[protoreflect.Kind]schema.BaseType{
	protoreflect.BoolKind:  schema.Bool,
	protoreflect.Int32Kind: schema.Int, protoreflect.Sint32Kind: schema.Int, protoreflect.Sfixed32Kind: schema.Int,
	protoreflect.Int64Kind: schema.Long, protoreflect.Sint64Kind: schema.Long, protoreflect.Sfixed64Kind: schema.Long,
	protoreflect.Uint32Kind: schema.UInt, protoreflect.Fixed32Kind: schema.UInt,
	protoreflect.Uint64Kind: schema.ULong, protoreflect.Fixed64Kind: schema.ULong,
	protoreflect.FloatKind: schema.Float, protoreflect.DoubleKind: schema.Double,
	protoreflect.StringKind: schema.String,
}

// single returns the type of one value.
func (m *maker) single(fd protoreflect.FieldDescriptor) schema.Type {
	switch fd.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return schema.Type{Base: schema.Obj, Object: m.message(fd.Message())}
	case protoreflect.EnumKind:
		return schema.Type{Base: schema.Int, Enum: m.enum(fd.Enum())}
	case protoreflect.BytesKind:
		return schema.Type{Base: schema.Vector, Element: schema.UByte}
	}
	return schema.Type{Base: scalars[fd.Kind()]}
}

// typeOf returns the type of a field that is in no oneof; of a map, a new one.
func (m *maker) typeOf(fd protoreflect.FieldDescriptor) schema.Type {
	if fd.IsMap() {
		return schema.Type{Base: schema.Vector, Element: schema.Obj, Object: m.entry(fd)}
	}
	t := m.single(fd)
	if !fd.IsList() {
		return t
	}
	if t.Base == schema.Vector {
		t = schema.Type{Base: schema.Obj, Object: m.message(wrapperOf(fd))}
	}
	return schema.Type{Base: schema.Vector, Element: t.Base, Object: t.Object, Enum: t.Enum}
}

// isType reports whether a field of the schema has the type that a field of Protobuf gets.
func (m *maker) isType(t schema.Type, fd protoreflect.FieldDescriptor) bool {
	if !fd.IsMap() {
		return t == m.typeOf(fd)
	}
	if t.Base != schema.Vector || t.Element != schema.Obj || t.Object.IsStruct || len(t.Object.Fields) != 2 {
		return false
	}
	// The names of entries come from that of the field, which may be another by now.
	key, value := t.Object.Fields[0], t.Object.Fields[1]
	_, isMessage := t.Object.Attribute(Attribute)
	return !isMessage && key.Key && key.Type == m.single(fd.MapKey()) && value.Type == m.single(fd.MapValue())
}

// entry makes the table for the entries of a map.
func (m *maker) entry(fd protoreflect.FieldDescriptor) *schema.Object {
	o := m.table(m.freeName(fd.FullName(), scope(fd.Parent())+camel(string(fd.Name()))+"Entry"), "")
	t := newTable(m, nil, o)
	key := &schema.Field{Name: "key", Type: m.single(fd.MapKey()), Key: true}
	key.Required = key.Type.Base == schema.String
	set(key, "key", "")
	t.add(key, "")
	value := &schema.Field{Name: "value", Type: m.single(fd.MapValue())}
	value.Optional = !value.Type.IsScalar()
	if e := fd.MapValue().Enum(); e != nil {
		value.Optional = e.Values().ByNumber(0) == nil
	}
	t.add(value, "")
	return o
}

// wrapperOf returns the well-known message that holds one value of a field's type.
func wrapperOf(fd protoreflect.FieldDescriptor) protoreflect.MessageDescriptor {
	all := wrapperspb.File_google_protobuf_wrappers_proto.Messages()
	name := ""
	switch fd.Kind() {
	case protoreflect.StringKind:
		name = "StringValue"
	case protoreflect.BytesKind:
		name = "BytesValue"
	default:
		name = map[schema.BaseType]string{
			schema.Bool: "BoolValue", schema.Int: "Int32Value", schema.Long: "Int64Value", schema.UInt: "UInt32Value",
			schema.ULong: "UInt64Value", schema.Float: "FloatValue", schema.Double: "DoubleValue",
		}[scalars[fd.Kind()]]
	}
	return all.ByName(protoreflect.Name(name))
}
