package gogen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fbverify/go/schema"
)

// emitFixed writes a fixed view of a table: one whose vtable is a known one, so
// that every field is at a constant offset.
func (m *model) emitFixed(s *source, o *object, l *layout) {
	n := l.goName
	s.p("// %s is %s.", l.variable, l.origin)
	s.p("const %s fbread.VTable = %s\n", l.variable, quoteBytes(l.vtable))
	s.p("// %s is a view of a table %s whose vtable is known to be %s: each", n, o.goName, l.variable)
	s.p("// read is one load at a constant offset.")
	if l.hasFixedChildren() {
		s.p("// So are the tables that its methods return as fixed views.")
	}
	s.p("type %s fbread.FixedOf[%s]\n", n, n)
	s.p("// %s returns v as a fixed view, if it is laid out so. Ask once, and keep the", l.method)
	s.p("// answer.")
	s.p("func (v %s) %s() (f %s, ok bool) {", o.goName, l.method, n)
	if !l.hasFixedChildren() {
		s.p("\treturn fbread.Match[%s](fbread.Unchecked(v), %s)", n, l.variable)
	} else {
		s.p("\tm, ok := fbread.Match[%s](fbread.Unchecked(v), %s)", n, l.variable)
		s.p("\tif !ok {\n\t\treturn f, false\n\t}")
		for _, f := range o.fields {
			if child := l.children[f]; child != nil {
				s.p("\tif _, ok := m.View().%s().%s(); !ok {", f.goName, child.method)
				s.p("\t\treturn f, false\n\t}")
			}
		}
		s.p("\treturn m, true")
	}
	s.p("}\n")
	s.p("// View returns the table as an ordinary view.")
	s.p("func (v %s) View() %s { return fbread.As[%s](fbread.TableOf(fbread.UncheckedFixed(v))) }\n", n, o.goName, o.goName)
	for _, f := range o.fields {
		m.emitGetter(s, o, f, n, m.fixedGetter(s, f, l))
	}
	if l.hasFixedChildren() {
		return // each child would have to be looked at, too
	}
	if m.inVectors(o) {
		s.p("// Present tells whether there is a table: %s also hands out views of none,", l.all)
		s.p("// which must not be read.")
		s.p("func (v %s) Present() bool { return fbread.PresentFixed(fbread.UncheckedFixed(v)) }\n", n)
		s.p("// %s ranges over the tables of v, each with its fixed view, or with one that", l.all)
		s.p("// is not Present where the table is laid out otherwise. As long as neighbours share")
		s.p("// one vtable, as they mostly do, looking costs next to nothing.")
		vector := "v"
		if o.key != nil {
			vector = "v.Vector"
		}
		s.p("func %s(v %s) iter.Seq2[%s, %s] {", l.all, o.vector, o.goName, n)
		s.p("\treturn fbread.AllFixedUnchecked[%s](%s, %s)", n, vector, l.variable)
		s.p("}\n")
	}
}

// fixedGetter returns the getter of a field in a fixed view.
func (m *model) fixedGetter(s *source, f *field, l *layout) getter {
	off, present := l.offsets[f]
	if !present || wideOffset(f.Field) {
		g := m.viewGetter(s, f)
		if !present {
			m.absentGetter(s, f, &g)
		} else {
			g.body = []string{"return v.View()." + f.get + "()"}
		}
		return g
	}
	read := func(function string, more ...string) string {
		args := append([]string{"fbread.UncheckedFixed(v)", strconv.Itoa(off)}, more...)
		name, param, generic := strings.Cut(function, "[")
		name += "At"
		if generic {
			name += "[" + param
		}
		return "fbread." + name + "(" + strings.Join(args, ", ") + ")"
	}
	t := f.Type
	g := getter{what: m.describeFixed(f)}
	switch {
	case t.IsScalar():
		g.result = m.scalarType(t)
		x := read(scalarSuffix(t.Base))
		if t.Enum != nil {
			x = g.result + "(" + x + ")"
		}
		if f.Optional {
			g.result = "(" + g.result + ", bool)"
			x += ", true"
		}
		g.body = []string{"return " + x}
	case t.Base == schema.String:
		g.result = "string"
		g.body = []string{"return " + m.text(read("String"))}
	case t.IsStruct():
		g.result = "(" + m.objects[t.Object].goName + ", bool)"
		g.body = []string{"return " + read("InlineStruct["+m.objects[t.Object].goName+"]") + ", true"}
	case t.IsTable():
		if child := l.children[f]; child != nil {
			g.result = child.goName
			g.body = []string{"return " + read("Fixed["+g.result+"]")}
			break
		}
		g.result = m.objects[t.Object].goName
		g.body = []string{"return " + read("Child["+g.result+"]")}
	case t.Base == schema.Union:
		u := m.byEnum[t.Enum]
		g.result = u.view
		g.body = []string{"return " + u.make(u.view, "v."+f.tag.get+"()", read("Union"))}
	case t.Element == schema.Union:
		u := m.byEnum[t.Enum]
		g.result = u.vector
		g.body = []string{"return " + u.make(u.vector, "v."+f.tag.get+"()", read("Unions"))}
	default:
		m.vectorGetter(&g, t.ElementType(), read, "")
	}
	return g
}

func (m *model) describeFixed(f *field) string {
	switch t := f.Type; {
	case t.IsScalar() && f.value != nil:
		return m.describeField(f)
	case t.IsScalar():
		return "the field " + f.Name
	case t.Base == schema.String:
		return "the string " + f.Name
	case t.IsStruct():
		return "the struct " + f.Name
	case t.IsTable():
		return "the table " + f.Name
	case t.Base == schema.Union:
		return "the union " + f.Name
	default:
		return "the vector " + f.Name
	}
}

// absentGetter makes g the getter of a field that the known vtable leaves out,
// so that it always has its default.
func (m *model) absentGetter(s *source, f *field, g *getter) {
	t := f.Type
	g.what = fmt.Sprintf("what %s reads as where it is absent, as it is in this layout", f.Name)
	zero := ""
	switch {
	case t.IsScalar() && f.Optional:
		zero = "0, false"
		if t.Base == schema.Bool {
			zero = "false, false"
		}
	case t.IsScalar():
		zero = m.defaultLiteral(s, f)
	case t.Base == schema.String:
		zero = strconv.Quote(f.DefaultString)
	case t.IsStruct():
		zero = m.objects[t.Object].goName + "{}, false"
	case t.IsTable():
		zero = "fbread.Absent[" + g.result + "]()"
	case g.result[0] == '[' || t.ElementType().IsStruct():
		zero = "nil"
	default:
		zero = g.result + "{}"
	}
	g.body = []string{"return " + zero}
}

// quoteBytes spells bytes as a Go string with every byte in hexadecimal.
func quoteBytes(b []byte) string {
	var s strings.Builder
	s.WriteByte('"')
	for _, c := range b {
		fmt.Fprintf(&s, `\x%02x`, c)
	}
	s.WriteByte('"')
	return s.String()
}
