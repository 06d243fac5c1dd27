package gogen

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/fbverify/go/schema"
)

// emitOwned writes the owned struct of a table, and the way there and back.
func (m *model) emitOwned(s *source, o *object) {
	s.p("// %s is a table %s that owns its memory.", o.owned, o.goName)
	s.p("type %s struct {", o.owned)
	for _, f := range o.fields {
		if f.value != nil {
			continue // the union's own value has its kind
		}
		s.comment("\t", f.Doc)
		s.p("\t%s %s", f.goName, m.ownedType(s, f))
		if f.keepsPresence() {
			s.p("\t%s bool // %s is there though it is %q, as if it were not", f.has, f.goName, f.DefaultString)
		}
	}
	s.p("}\n")
	m.emitNew(s, o)
	m.emitUnpack(s, o)
	m.emitPack(s, o)
}

// keepsPresence tells whether an owned struct says of a field that it is there: where
// the field's own value does not, as that of a string does not.
func (f *field) keepsPresence() bool { return f.Type.Base == schema.String && f.has != "" }

// emitNew writes the function that makes an owned struct with the schema's defaults.
func (m *model) emitNew(s *source, o *object) {
	s.p("// %s returns a table %s whose fields have the schema's defaults.", o.fresh, o.goName)
	s.p("func %s() *%s {", o.fresh, o.owned)
	s.p("\treturn &%s{", o.owned)
	for _, f := range o.fields {
		switch t := f.Type; {
		case f.value != nil || f.Optional:
		case f.HasDefaultVector:
			s.p("\t\t%s: %s{},", f.goName, m.ownedType(s, f))
		case t.Base == schema.String && f.DefaultString != "":
			s.p("\t\t%s: %q,", f.goName, f.DefaultString)
		case t.IsFloat() && (f.DefaultReal != 0 || math.Signbit(f.DefaultReal)), t.IsScalar() && !t.IsFloat() && f.DefaultInteger != 0:
			s.p("\t\t%s: %s,", f.goName, m.defaultLiteral(s, f))
		}
	}
	s.p("\t}\n}\n")
}

// ownedType returns the Go type of a field of an owned struct.
func (m *model) ownedType(s *source, f *field) string {
	t := f.Type
	switch {
	case t.IsScalar() && f.Optional:
		return "*" + m.scalarType(t)
	case t.IsScalar():
		return m.scalarType(t)
	case t.Base == schema.String:
		return "string"
	case t.IsStruct():
		return "*" + m.objects[t.Object].goName
	case t.IsTable():
		return "*" + m.objects[t.Object].owned
	case t.Base == schema.Union:
		return "*" + m.byEnum[t.Enum].owned
	}
	switch e := t.ElementType(); {
	case e.IsScalar():
		return "[]" + m.scalarType(e)
	case e.Base == schema.String:
		return "[]string"
	case e.IsStruct():
		return "[]" + m.objects[e.Object].goName
	case e.Base == schema.Union:
		return "[]*" + m.byEnum[t.Enum].owned
	default:
		return "[]*" + m.objects[e.Object].owned
	}
}

// unpack is the name of the way from a view to an owned struct.
func (m *model) unpack() string {
	if m.opts.Flatc {
		return "UnPack"
	}
	return "Unpack"
}

// clone spells a copy of a string that a view returned.
func (m *model) clone(text string) string {
	if m.opts.CopyStrings {
		return text
	}
	return "strings.Clone(" + text + ")"
}

// emitUnpack writes the way from a view to an owned struct.
func (m *model) emitUnpack(s *source, o *object) {
	s.p("// %s returns a copy of the table and all below it, nil when it is not Present.", m.unpack())
	s.p("func (v %s) %s() *%s {", o.goName, m.unpack(), o.owned)
	s.p("\tif !v.Present() {\n\t\treturn nil\n\t}")
	s.p("\tt := new(%s)", o.owned)
	for _, f := range o.fields {
		if f.value == nil {
			m.unpackField(s, f)
		}
	}
	s.p("\treturn t")
	s.p("}\n")
}

func (m *model) unpackField(s *source, f *field) {
	t := f.Type
	to, from := "t."+f.goName, "v."+f.get+"()"
	has := fmt.Sprintf("fbread.Has(fbread.Unchecked(v), %d)", f.Offset)
	switch {
	case t.IsStruct():
		s.p("\t%s = fbread.NewStruct[%s](fbread.Unchecked(v), %d)", to, m.objects[t.Object].goName, f.Offset)
		return
	case t.IsScalar() && f.Optional:
		s.p("\tif x, ok := %s; ok {\n\t\t%s = &x\n\t}", from, to)
		return
	case t.IsScalar():
		s.p("\t%s = %s", to, from)
		return
	case t.Base == schema.String:
		s.p("\t%s = %s", to, m.clone(from))
		if f.keepsPresence() {
			s.p("\tt.%s = %s == %q && v.%s()", f.has, to, f.DefaultString, f.has)
		}
		return
	case t.IsTable(), t.Base == schema.Union:
		s.p("\t%s = %s.%s()", to, from, m.unpack())
		return
	}
	condition := "\tif " + has + " {"
	if f.HasDefaultVector {
		condition = "\t{" // absent reads as empty, which is not nil
	}
	s.p("%s", condition)
	switch e := t.ElementType(); {
	case e.Base == schema.Bool:
		s.p("\t\t%s = %s.Append([]bool{})", to, from)
	case e.IsScalar():
		s.p("\t\t%s = append([]%s{}, %s...)", to, m.scalarType(e), from)
	case e.IsStruct():
		s.p("\t\t%s = append([]%s{}, %s...)", to, m.objects[e.Object].goName, from)
	case e.Base == schema.String:
		s.p("\t\tvector := %s", from)
		s.p("\t\t%s = make([]string, vector.Len())", to)
		s.p("\t\tfor i := range %s {", to)
		s.p("\t\t\t%s[i] = %s", to, m.clone("vector.At(i)"))
		s.p("\t\t}")
	default: // tables and unions
		s.p("\t\tvector := %s", from)
		s.p("\t\t%s = make(%s, vector.Len())", to, m.ownedType(s, f))
		s.p("\t\tfor i := range %s {", to)
		s.p("\t\t\t%s[i] = vector.At(i).%s()", to, m.unpack())
		s.p("\t\t}")
	}
	s.p("\t}")
}

// emitPack writes the way from an owned struct into a builder.
func (m *model) emitPack(s *source, o *object) {
	s.p("// Pack writes the table and all below it, and returns its position; 0 for nil.")
	s.p("func (t *%s) Pack(b *flatbuffers.Builder) flatbuffers.UOffsetT {", o.owned)
	s.p("\tif t == nil {\n\t\treturn 0\n\t}")
	offsets := map[*field]string{}
	taken := scope{"b": true, "t": true}
	for _, f := range o.fields {
		if !f.Type.IsScalar() && !f.Type.IsStruct() && f.value == nil {
			offsets[f] = taken.take(m.param(f.goName) + "Offset")
			if f.Type.IsVector() && f.Type.Element == schema.Union {
				offsets[f.tag] = taken.take(m.param(f.goName) + "Kinds")
			}
			m.packOffset(s, f, offsets)
		}
	}
	s.p("\t%s(b)", o.fns.start)
	for _, f := range createOrder(o) {
		m.packField(s, f, offsets)
	}
	s.p("\treturn %s(b)", o.fns.end)
	s.p("}\n")
	if o.key != nil && m.sorted[o] {
		m.emitCompareOwned(s, o)
	}
}

// packOffset writes the statements that put what a field refers to into the
// builder, before the table itself.
func (m *model) packOffset(s *source, f *field, offsets map[*field]string) {
	t := f.Type
	v, off := "t."+f.goName, offsets[f]
	switch {
	case t.Base == schema.String:
		if f.Required {
			s.p("\t%s := b.CreateString(%s)", off, v)
			return
		}
		s.p("\tvar %s flatbuffers.UOffsetT", off)
		s.p("\tif %s != %s || t.%s {", v, strconv.Quote(f.DefaultString), f.has)
		s.p("\t\t%s = b.CreateString(%s)", off, v)
		s.p("\t}")
	case t.IsTable() && f.Required:
		s.p("\t%s := %s.Pack(b)", off, v)
		s.p("\tif %s == nil {", v)
		s.p("\t\t%s = new(%s).Pack(b)", off, m.objects[t.Object].owned)
		s.p("\t}")
	case t.IsTable(), t.Base == schema.Union:
		s.p("\t%s := %s.Pack(b)", off, v)
	default:
		names := off
		if f.tag != nil {
			names += ", " + offsets[f.tag]
		}
		s.p("\tvar %s flatbuffers.UOffsetT", names)
		if f.Required {
			s.p("\t{")
		} else {
			s.p("\tif %s != nil {", v)
		}
		m.packVector(s, f, offsets, "\t\t")
		s.p("\t}")
	}
}

// packVector writes the statements that write one vector. Elements that are
// offsets are written before it, in the order of the schema.
func (m *model) packVector(s *source, f *field, offsets map[*field]string, indent string) {
	e := f.Type.ElementType()
	v, off := "t."+f.goName, offsets[f]
	n := "len(" + v + ")"
	reversed := func(list string, body string) {
		s.p("%s%s(b, %s)", indent, f.start, n)
		s.p("%sfor i := len(%s) - 1; i >= 0; i-- {", indent, list)
		s.p("%s\t%s", indent, body)
		s.p("%s}", indent)
		s.p("%s%s = %s", indent, off, m.endVector(f, n))
	}
	switch {
	case e.Base == schema.UByte && e.Enum == nil && f.Type.Base == schema.Vector && m.vectorAlign(f) == 1:
		s.p("%s%s = b.CreateByteVector(%s)", indent, off, v)
	case e.IsScalar():
		reversed(v, fmt.Sprintf("b.Prepend%s(%s)", scalarSuffix(e.Base), m.plain(e, v+"[i]")))
	case e.IsStruct():
		o := m.objects[e.Object]
		list := v
		if m.sorted[o] {
			list = "sorted"
			s.p("%ssorted := slices.Clone(%s)", indent, v)
			s.p("%sslices.SortStableFunc(sorted, func(x, y %s) int { return %s })", indent, o.goName,
				m.compareKeys(o, "x."+o.key.goName, "y."+o.key.goName))
		}
		reversed(list, list+"[i].Pack(b)")
	case e.Base == schema.String:
		s.p("%soffsets := make([]flatbuffers.UOffsetT, %s)", indent, n)
		s.p("%sfor i, x := range %s {", indent, v)
		s.p("%s\toffsets[i] = b.CreateString(x)", indent)
		s.p("%s}", indent)
		reversed("offsets", "b.PrependUOffsetT(offsets[i])")
	case e.Base == schema.Union:
		m.packUnions(s, f, offsets, indent)
	default:
		o := m.objects[e.Object]
		list := v
		if m.sorted[o] {
			list = "sorted"
			s.p("%ssorted := slices.Clone(%s)", indent, v)
			s.p("%sslices.SortStableFunc(sorted, %s)", indent, o.compare)
		}
		s.p("%soffsets := make([]flatbuffers.UOffsetT, %s)", indent, n)
		s.p("%sfor i, x := range %s {", indent, list)
		s.p("%s\tif x == nil {\n%s\t\tx = new(%s)\n%s\t}", indent, indent, o.owned, indent)
		s.p("%s\toffsets[i] = x.Pack(b)", indent)
		s.p("%s}", indent)
		reversed("offsets", "b.PrependUOffsetT(offsets[i])")
	}
}

// packUnions writes the two vectors of a vector of unions. A value of no member
// has kind NONE and refers to nothing.
func (m *model) packUnions(s *source, f *field, offsets map[*field]string, indent string) {
	v := "t." + f.goName
	u := m.byEnum[f.Type.Enum]
	s.p("%soffsets := make([]flatbuffers.UOffsetT, len(%s))", indent, v)
	s.p("%sfor i, x := range %s {", indent, v)
	s.p("%s\toffsets[i] = x.Pack(b)", indent)
	s.p("%s}", indent)
	s.p("%s%s(b, len(offsets))", indent, f.start)
	s.p("%sfor i := len(offsets) - 1; i >= 0; i-- {", indent)
	s.p("%s\tif offsets[i] == 0 {", indent)
	s.p("%s\t\tb.PlaceUOffsetT(0)", indent)
	s.p("%s\t\tcontinue", indent)
	s.p("%s\t}", indent)
	s.p("%s\tb.PrependUOffsetT(offsets[i])", indent)
	s.p("%s}", indent)
	s.p("%s%s = b.EndVector(len(offsets))", indent, offsets[f])
	s.p("%s%s(b, len(offsets))", indent, f.tag.start)
	s.p("%sfor i := len(offsets) - 1; i >= 0; i-- {", indent)
	s.p("%s\tvar kind %s", indent, u.goName)
	s.p("%s\tif offsets[i] != 0 {", indent)
	s.p("%s\t\tkind = %s[i].Type", indent, v)
	s.p("%s\t}", indent)
	s.p("%s\tb.Prepend%s(%s(kind))", indent, scalarSuffix(u.Underlying), goScalar(u.Underlying))
	s.p("%s}", indent)
	s.p("%s%s = b.EndVector(len(offsets))", indent, offsets[f.tag])
}

func (m *model) endVector(f *field, n string) string {
	if f.Type.Base == schema.Vector64 {
		return f.end + "(b, " + n + ")"
	}
	return "b.EndVector(" + n + ")"
}

// packField writes the statement that sets one field of the table.
func (m *model) packField(s *source, f *field, offsets map[*field]string) {
	t := f.Type
	v := "t." + f.goName
	switch {
	case t.IsScalar() && f.value != nil:
		union := f.value
		s.p("\tif %s != 0 {", offsets[union])
		s.p("\t\t%s(b, t.%s.Type)", f.add, union.goName)
		s.p("\t}")
	case t.IsScalar() && f.Optional:
		s.p("\tif %s != nil {\n\t\t%s(b, *%s)\n\t}", v, f.add, v)
	case t.IsScalar():
		s.p("\t%s(b, %s)", f.add, v)
	case t.IsStruct():
		s.p("\tif %s != nil {\n\t\t%s(b, %s.Pack(b))", v, f.add, v)
		if f.Required {
			s.p("\t} else {\n\t\t%s(b, fbread.Zero[%s]().Pack(b))", f.add, m.objects[t.Object].goName)
		}
		s.p("\t}")
	default:
		s.p("\t%s(b, %s)", f.add, offsets[f])
	}
}

// emitCompareOwned writes the order of owned structs by their key, nil being
// what it is written as: a table with every default.
func (m *model) emitCompareOwned(s *source, o *object) {
	s.p("// %s orders by the key, nil as the empty table that it is written as.", o.compare)
	s.p("func %s(x, y *%s) int {", o.compare, o.owned)
	s.p("\tif x == nil {\n\t\tx = new(%s)\n\t}", o.owned)
	s.p("\tif y == nil {\n\t\ty = new(%s)\n\t}", o.owned)
	x, y := "x."+o.key.goName, "y."+o.key.goName
	if o.key.Type.Base == schema.Obj {
		name := m.objects[o.key.Type.Object].goName
		s.p("\tvar xKey, yKey %s", name)
		s.p("\tif %s != nil {\n\t\txKey = *%s\n\t}", x, x)
		s.p("\tif %s != nil {\n\t\tyKey = *%s\n\t}", y, y)
		x, y = "xKey", "yKey"
	}
	s.p("\treturn %s", m.compareKeys(o, x, y))
	s.p("}\n")
}

// emitOwnedUnion writes the owned form of a union's value.
func (m *model) emitOwnedUnion(s *source, u *enum) {
	s.p("// %s is a value of the union %s that owns its memory. Value is, by its Type:", u.owned, u.Name)
	s.p("//")
	for _, v := range u.values {
		if v.method != "" {
			s.p("//   - %s: %s", v.goName, m.memberType(v))
		}
	}
	s.p("//")
	s.p("// and nil for other types, which stand for no value.")
	s.p("type %s struct {", u.owned)
	s.p("\tType  %s", u.goName)
	s.p("\tValue any")
	s.p("}\n")
	s.p("// %s returns a copy of the value and all below it, nil for the kind NONE. A kind", m.unpack())
	s.p("// that the schema does not name is kept without its value.")
	s.p("func (v %s) %s() *%s {", u.view, m.unpack(), u.owned)
	s.p("\tt := &%s{Type: v.uncheckedKind}", u.owned)
	s.p("\tswitch v.uncheckedKind {")
	for _, v := range u.values {
		switch {
		case v.Value == 0:
			s.p("\tcase %s:\n\t\treturn nil", v.goName)
		case v.method == "":
		case v.Type.IsTable():
			s.p("\tcase %s:\n\t\tx, _ := v.%s()\n\t\tt.Value = x.%s()", v.goName, v.method, m.unpack())
		case v.Type.IsStruct():
			s.p("\tcase %s:\n\t\tt.Value = fbread.NewUnionStruct[%s](v.uncheckedValue)", v.goName, m.memberType(v))
		default:
			s.p("\tcase %s:\n\t\tx, _ := v.%s()\n\t\tt.Value = %s", v.goName, v.method, m.clone("x"))
		}
	}
	s.p("\t}")
	s.p("\treturn t")
	s.p("}\n")
	s.p("// Pack writes the value, not its type, and returns its position; 0 for no value.")
	s.p("// It panics when Value is of another Go type than Type asks for.")
	s.p("func (t *%s) Pack(b *flatbuffers.Builder) flatbuffers.UOffsetT {", u.owned)
	s.p("\tif t == nil {\n\t\treturn 0\n\t}")
	s.p("\tswitch t.Type {")
	for _, v := range u.values {
		switch {
		case v.method == "":
		case v.Type.IsTable():
			owned := m.objects[v.Type.Object].owned
			s.p("\tcase %s:", v.goName)
			s.p("\t\tx := t.Value.(*%s)", owned)
			s.p("\t\tif x == nil {\n\t\t\tx = new(%s)\n\t\t}", owned)
			s.p("\t\treturn x.Pack(b)")
		case v.Type.IsStruct():
			s.p("\tcase %s:\n\t\treturn %s(b, t.Value)", v.goName, m.objects[v.Type.Object].packAny)
		default:
			s.p("\tcase %s:\n\t\treturn b.CreateString(t.Value.(string))", v.goName)
		}
	}
	s.p("\t}")
	s.p("\treturn 0")
	s.p("}\n")
}

// memberType returns the Go type of an owned union's Value.
func (m *model) memberType(v *enumValue) string {
	switch {
	case v.Type.IsTable():
		return "*" + m.objects[v.Type.Object].owned
	case v.Type.IsStruct():
		return m.objects[v.Type.Object].goName
	}
	return "string"
}

// findSorted notes which objects with a key are elements of some vector, and which
// structs are keys, or parts of keys, or members of unions.
func (m *model) findSorted() {
	m.compared, m.inUnion = map[*object]bool{}, map[*object]bool{}
	for _, u := range m.unions {
		for _, v := range u.Values {
			if v.Type.IsStruct() {
				m.inUnion[m.objects[v.Type.Object]] = true
			}
		}
	}
	m.sorted = map[*object]bool{}
	for _, o := range m.tables {
		for _, f := range o.fields {
			if e := f.Type.ElementType(); f.Type.IsVector() && e.Base == schema.Obj {
				if element := m.objects[e.Object]; element.key != nil {
					m.sorted[element] = true
				}
			}
		}
	}
	for _, o := range m.objects {
		// Another package orders its own types for itself, and Pack does here.
		if o.key != nil && (o.in == nil || m.sorted[o] && !m.opts.ReadOnly) {
			m.addCompared(o.key.Type)
		}
	}
}

// addCompared notes the structs that a part of a key is made of.
func (m *model) addCompared(t schema.Type) {
	if t.Object == nil {
		return
	}
	o := m.objects[t.Object]
	if m.compared[o] {
		return
	}
	m.compared[o] = true
	for _, f := range o.fields {
		m.addCompared(f.Type)
	}
}

// inVectors tells whether some field is a vector of the table.
func (m *model) inVectors(o *object) bool {
	return slices.ContainsFunc(m.tables, func(p *object) bool {
		return slices.ContainsFunc(p.fields, func(f *field) bool {
			return f.Type.IsVector() && f.Type.ElementType().Object == o.Object
		})
	})
}
