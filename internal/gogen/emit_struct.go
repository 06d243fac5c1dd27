package gogen

import (
	"fmt"
	"strings"

	"github.com/fbverify/go/schema"
)

// emitStruct writes a struct as a Go struct of the same memory layout. Padding
// is explicit, and the compiler is made to check size and offsets: 32-bit
// machines align 8-byte numbers to 4 only.
func (m *model) emitStruct(s *source, o *object) {
	s.doc("", fmt.Sprintf("%s is the struct %s: %d bytes, aligned to %d, laid out as in a buffer.",
		o.goName, o.Name, o.ByteSize, max(o.MinAlign, 1)), o.Doc)
	s.p("type %s struct {", o.goName)
	end := 0
	for _, f := range o.Fields {
		if f.Offset > end {
			s.p("\t_ [%d]byte", f.Offset-end)
		}
		end = f.Offset + f.Type.InlineSize()
		fd := o.field(f)
		if fd == nil {
			s.p("\t_ [%d]byte // %s, deprecated", f.Type.InlineSize(), f.Name)
			continue
		}
		s.comment("\t", told(f))
		s.p("\t%s %s", fd.goName, m.structFieldType(f.Type))
	}
	if o.ByteSize > end {
		s.p("\t_ [%d]byte", o.ByteSize-end)
	}
	s.p("}\n")

	s.p("// A schema's layout is no Go compiler's to choose: these do not compile where it differs.")
	s.p("var (")
	s.p("\t_ = [1]struct{}{}[unsafe.Sizeof(%s{})-%d]", o.goName, o.ByteSize)
	for _, f := range o.fields {
		s.p("\t_ = [1]struct{}{}[unsafe.Offsetof(%s{}.%s)-%d]", o.goName, f.goName, f.Offset)
	}
	s.p(")\n")

	m.emitSwapBytes(s, o)
	m.emitStructVector(s, o)
}

// field returns the Go side of a field of the schema, nil for a deprecated one.
func (o *object) field(f *schema.Field) *field {
	for _, fd := range o.fields {
		if fd.Field == f {
			return fd
		}
	}
	return nil
}

// structFieldType returns the Go type of a struct's field. Its size is the
// schema's on every machine.
func (m *model) structFieldType(t schema.Type) string {
	switch {
	case t.Base == schema.Array:
		return fmt.Sprintf("[%d]%s", t.FixedLength, m.structFieldType(t.ElementType()))
	case t.Base == schema.Obj:
		return m.objects[t.Object].goName
	case t.Base == schema.Bool:
		return "fbread.Bool8"
	}
	return m.scalarType(t)
}

func (m *model) emitSwapBytes(s *source, o *object) {
	s.p("// SwapBytes reverses the bytes of every number, to and from the byte order of")
	s.p("// buffers on big-endian machines.")
	var body []string
	for _, f := range o.fields {
		body = append(body, m.swapLines(f.Type, "v."+f.goName, "\t")...)
	}
	if len(body) == 0 {
		s.p("func (*%s) SwapBytes() {}\n", o.goName)
		return
	}
	s.p("func (v *%s) SwapBytes() {", o.goName)
	for _, line := range body {
		s.p("%s", line)
	}
	s.p("}\n")
}

// swapLines returns the statements that reverse the bytes of a value.
func (m *model) swapLines(t schema.Type, v, indent string) []string {
	switch {
	case t.Base == schema.Array:
		inner := m.swapLines(t.ElementType(), v+"[i]", indent+"\t")
		if len(inner) == 0 {
			return nil
		}
		return append(append([]string{fmt.Sprintf("%sfor i := range %s {", indent, v)}, inner...), indent+"}")
	case t.Base == schema.Obj:
		return []string{indent + v + ".SwapBytes()"}
	case t.Base == schema.Float:
		return []string{fmt.Sprintf("%sfbread.SwapFloat32(&%s)", indent, v)}
	case t.Base == schema.Double:
		return []string{fmt.Sprintf("%sfbread.SwapFloat64(&%s)", indent, v)}
	case t.Base.Size() > 1:
		return []string{fmt.Sprintf("%sfbread.Swap%d(&%s)", indent, t.Base.Size(), v)}
	}
	return nil
}

// emitStructVector writes the slice type with which views return vectors of a struct,
// whether or not it has a key, so that the name stays when it gets one.
func (m *model) emitStructVector(s *source, o *object) {
	if o.key == nil {
		s.p("// %s is a vector of %s.", o.vector, o.goName)
		s.p("type %s = []%s\n", o.vector, o.goName)
		return
	}
	s.p("// %s is a vector of %s, which writers sort by %s.", o.vector, o.goName, o.key.goName)
	s.p("type %s []%s\n", o.vector, o.goName)
	s.p("// Lookup returns the first element whose %s is the key. In a vector that is not", o.key.goName)
	s.p("// sorted it may not be found.")
	s.p("func (v %s) Lookup(key %s) (%s, bool) {", o.vector, m.keyType(o), o.goName)
	s.p("\ti := sort.Search(len(v), func(i int) bool { return %s >= 0 })", m.compareKeys(o, "v[i]."+o.key.goName, "key"))
	s.p("\tif i < len(v) && %s == 0 {", m.compareKeys(o, "v[i]."+o.key.goName, "key"))
	s.p("\t\treturn v[i], true")
	s.p("\t}")
	s.p("\treturn %s{}, false", o.goName)
	s.p("}\n")
}

// keyType returns the Go type of an object's key.
func (m *model) keyType(o *object) string {
	t := o.key.Type
	if t.Base == schema.String {
		return "string"
	}
	if o.IsStruct || t.Base == schema.Obj {
		return m.structFieldType(t)
	}
	return m.scalarType(t)
}

// compareKeys returns an expression that orders two keys as writers do: numbers
// by value, strings by bytes, arrays element by element, structs by all their
// fields in order, whatever key of their own they have.
func (m *model) compareKeys(o *object, a, b string) string {
	if o.key.Type.Base == schema.Bool && !o.IsStruct {
		return fmt.Sprintf("fbread.ToBool8(%s).Compare(fbread.ToBool8(%s))", a, b)
	}
	return m.compareValues(o.key.Type, a, b)
}

// compareValues is compareKeys for values as structs hold them.
func (m *model) compareValues(t schema.Type, a, b string) string {
	switch {
	case t.Base == schema.Obj:
		return fmt.Sprintf("%s(%s, %s)", m.objects[t.Object].compare, a, b)
	case t.Base == schema.Array && t.Object != nil:
		return fmt.Sprintf("slices.CompareFunc(%s[:], %s[:], %s)", a, b, m.objects[t.Object].compare)
	case t.Base == schema.Array && t.Element == schema.Bool:
		return fmt.Sprintf("slices.CompareFunc(%s[:], %s[:], fbread.Bool8.Compare)", a, b)
	case t.Base == schema.Array:
		return fmt.Sprintf("slices.Compare(%s[:], %s[:])", a, b)
	case t.Base == schema.String:
		return fmt.Sprintf("strings.Compare(%s, %s)", a, b)
	case t.Base == schema.Bool:
		return fmt.Sprintf("%s.Compare(%s)", a, b)
	}
	return fmt.Sprintf("cmp.Compare(%s, %s)", a, b)
}

// emitCompareStruct writes the order of structs that are keys, or parts of keys.
func (m *model) emitCompareStruct(s *source, o *object) {
	s.p("// %s orders by all fields, as keys are ordered that are a %s.", o.compare, o.goName)
	s.p("func %s(x, y %s) int {", o.compare, o.goName)
	for i, f := range o.fields {
		order := m.compareValues(f.Type, "x."+f.goName, "y."+f.goName)
		if i == len(o.fields)-1 {
			s.p("\treturn %s\n}\n", order)
			return
		}
		s.p("\tif c := %s; c != 0 {\n\t\treturn c\n\t}", order)
	}
	s.p("\treturn 0\n}\n")
}

// emitCreate writes the builder functions of a struct: Pack writes a value, and
// CreateX takes its parts one by one, inner structs spread out, as flatc's does.
func (m *model) emitCreate(s *source, o *object) {
	s.p("// Pack writes the struct into the builder, to be added to a table or vector that")
	s.p("// is being built: structs stand inline.")
	s.p("func (v *%s) Pack(b *flatbuffers.Builder) flatbuffers.UOffsetT {", o.goName)
	s.p("\tb.Prep(%d, %d)", max(o.MinAlign, 1), o.ByteSize)
	end := o.ByteSize
	for i := len(o.Fields) - 1; i >= 0; i-- {
		f := o.Fields[i]
		after := f.Offset + f.Type.InlineSize()
		if end > after {
			s.p("\tb.Pad(%d)", end-after)
		}
		end = f.Offset
		if fd := o.field(f); fd != nil {
			m.packInline(s, f.Type, "v."+fd.goName, "\t")
		} else {
			s.p("\tb.Pad(%d)", f.Type.InlineSize())
		}
	}
	if end > 0 {
		s.p("\tb.Pad(%d)", end)
	}
	s.p("\treturn b.Offset()")
	s.p("}\n")

	m.emitPackAny(s, o)
	params := scope{}
	var list, literal strings.Builder
	m.structParams(o, "", m.scalars(o) > mostParams, params, &list, &literal)
	s.p("// %s writes the struct into the builder; see Pack.", o.fns.create)
	s.p("func %s(b *flatbuffers.Builder%s) flatbuffers.UOffsetT {", o.fns.create, list.String())
	s.p("\tv := %s", literal.String())
	s.p("\treturn v.Pack(b)")
	s.p("}\n")
}

// emitPackAny writes Pack for a struct as a member of a union.
func (m *model) emitPackAny(s *source, o *object) {
	if o.packAny != "" {
		s.p("// %s is Pack for a value of a union. It is not inlined: Pack of a union is", o.packAny)
		s.p("// called again for what lies deeper, and must not hold a copy meanwhile.")
		s.p("//")
		s.p("//go:noinline")
		s.p("func %s(b *flatbuffers.Builder, value any) flatbuffers.UOffsetT {", o.packAny)
		s.p("\tv := value.(%s)", o.goName)
		s.p("\treturn v.Pack(b)")
		s.p("}\n")
	}
}

// emitForeign writes what writing needs of other packages' types and they have for
// themselves only: orders of their tables' keys, and Pack for their structs in unions.
func (m *model) emitForeign(s *source) {
	for _, o := range m.Objects {
		switch o := m.objects[o]; {
		case o.in == nil:
		case o.IsStruct:
			m.emitPackAny(s, o)
		case o.key != nil && m.sorted[o]:
			m.emitCompareOwned(s, o)
		}
	}
}

// packInline writes the statements that put a struct's field before what the
// builder has already.
func (m *model) packInline(s *source, t schema.Type, v, indent string) {
	switch {
	case t.Base == schema.Array:
		s.p("%sfor i := len(%s) - 1; i >= 0; i-- {", indent, v)
		m.packInline(s, t.ElementType(), v+"[i]", indent+"\t")
		s.p("%s}", indent)
	case t.Base == schema.Obj:
		s.p("%s%s.Pack(b)", indent, v)
	case t.Base == schema.Bool:
		s.p("%sb.PlaceBool(%s.Bool())", indent, v)
	case t.Enum != nil:
		s.p("%sb.Place%s(%s(%s))", indent, scalarSuffix(t.Base), goScalar(t.Base), v)
	default:
		s.p("%sb.Place%s(%s)", indent, scalarSuffix(t.Base), v)
	}
}

// mostParams is how many parameters CreateX has at most where structs in a struct become
// theirs: each of these can stand for twice as many as the one before.
const mostParams = 100

// scalars is how many parameters a struct's fields are with those of the structs in it, or
// some number above mostParams.
func (m *model) scalars(o *object) (n int) {
	if o.scalars == 0 {
		for _, f := range o.fields {
			if f.Type.Base == schema.Obj {
				n += m.scalars(m.objects[f.Type.Object])
			} else {
				n++
			}
		}
		o.scalars = min(n, mostParams+1)
	}
	return o.scalars
}

// structParams collects the parameters of CreateX and the literal made of them: of a struct
// in it those of its fields, or itself where whole says so.
func (m *model) structParams(o *object, prefix string, whole bool, taken scope, list, literal *strings.Builder) {
	literal.WriteString(o.goName + "{")
	for i, f := range o.fields {
		if i > 0 {
			literal.WriteString(", ")
		}
		literal.WriteString(f.goName + ": ")
		if f.Type.Base == schema.Obj && !whole {
			m.structParams(m.objects[f.Type.Object], prefix+f.goName, false, taken, list, literal)
			continue
		}
		name := taken.take(m.param(prefix + f.goName))
		typ := m.structFieldType(f.Type)
		if f.Type.Base == schema.Bool {
			typ = "bool"
			literal.WriteString("fbread.ToBool8(" + name + ")")
		} else {
			literal.WriteString(name)
		}
		list.WriteString(", " + name + " " + typ)
	}
	literal.WriteString("}")
}
