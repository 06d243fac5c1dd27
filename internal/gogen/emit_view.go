package gogen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fbverify/go/schema"
)

// emitView writes the view of a table: its type and one getter a field.
func (m *model) emitView(s *source, o *object) {
	n := o.goName
	s.doc("", fmt.Sprintf("%s is a view of the table %s.", n, o.Name), o.Doc)
	s.p("type %s fbread.Of[%s]\n", n, n)
	s.p("// FlatBuffersType returns the compiled type that %s is a view of.", n)
	s.p("func (%s) FlatBuffersType() *fbverify.Type { return %s() }\n", n, o.typeOf)
	s.p("// Present tells whether the table is there; an absent one reads as defaults.")
	s.p("func (v %s) Present() bool { return fbread.Present(fbread.Unchecked(v)) }\n", n)
	s.p("// IsZero tells whether the table is not there, for encoding/json's omitzero.")
	s.p("func (v %s) IsZero() bool { return !v.Present() }\n", n)
	s.p("// String returns the table as JSON, cut after 4 KiB, if the program imports package dynamic.")
	s.p("func (v %s) String() string { return %s().TextUnchecked(fbread.Unchecked(v)) }\n", n, o.typeOf)
	s.p("// MarshalJSON returns the table as JSON that flatc reads, if the program imports package dynamic.")
	s.p("func (v %s) MarshalJSON() ([]byte, error) { return %s().JSONUnchecked(fbread.Unchecked(v)) }\n", n, o.typeOf)
	for _, f := range o.fields {
		m.emitGetter(s, o, f, n, m.viewGetter(s, f))
		if f.has != "" {
			s.p("// %s tells whether the field %s is there.", f.has, f.Name)
			s.p("func (v %s) %s() bool { return fbread.Has(fbread.Unchecked(v), %d) }\n", n, f.has, f.Offset)
		}
		if f.nested != nil {
			m.emitNested(s, o, f)
		}
	}
	for _, l := range o.layouts {
		m.emitFixed(s, o, l)
	}
	m.emitTableVector(s, o)
}

// getter is what a getter returns, as a Go result list, and the body that
// returns it.
type getter struct {
	result string
	body   []string
	what   string // "the field x, 0 where it is absent"
}

func (m *model) emitGetter(s *source, o *object, f *field, receiver string, g getter) {
	s.doc("", fmt.Sprintf("%s returns %s.", f.get, g.what), told(f.Field))
	if len(g.body) == 1 {
		s.p("func (v %s) %s() %s { %s }\n", receiver, f.get, g.result, g.body[0])
		return
	}
	s.p("func (v %s) %s() %s {", receiver, f.get, g.result)
	for _, line := range g.body {
		s.p("\t%s", line)
	}
	s.p("}\n")
}

// viewGetter returns the getter of a field in an ordinary view.
func (m *model) viewGetter(s *source, f *field) getter {
	read := func(function string, more ...string) string {
		args := append([]string{"fbread.Unchecked(v)", strconv.Itoa(f.Offset)}, more...)
		return "fbread." + function + "(" + strings.Join(args, ", ") + ")"
	}
	g := getter{what: m.describeField(f)}
	t := f.Type
	far := ""
	switch {
	case t.Base == schema.Vector64:
		far = "64"
	case f.Offset64:
		far = "Far"
	}
	switch {
	case t.IsScalar() && f.Optional && t.Enum == nil:
		g.result = fmt.Sprintf("(%s, bool)", goScalar(t.Base))
		g.body = []string{"return " + read("Opt"+scalarSuffix(t.Base))}
	case t.IsScalar() && f.Optional:
		g.result = fmt.Sprintf("(%s, bool)", m.scalarType(t))
		g.body = []string{"x, ok := " + read("Opt"+scalarSuffix(t.Base)), fmt.Sprintf("return %s(x), ok", m.scalarType(t))}
	case t.IsScalar():
		g.result = m.scalarType(t)
		x := read(scalarSuffix(t.Base), m.defaultLiteral(s, f))
		if t.Enum != nil {
			x = g.result + "(" + x + ")"
		}
		g.body = []string{"return " + x}
	case t.Base == schema.String:
		g.result = "string"
		if f.HasDefaultString && f.DefaultString != "" {
			g.body = []string{
				"if !" + read("Has") + " {", "\treturn " + strconv.Quote(f.DefaultString), "}",
			}
		}
		g.body = append(g.body, "return "+m.text(read("String"+far)))
	case t.IsStruct():
		g.result = fmt.Sprintf("(%s, bool)", m.objects[t.Object].goName)
		g.body = []string{"return " + read("InlineStruct["+m.objects[t.Object].goName+"]")}
	case t.IsTable():
		g.result = m.objects[t.Object].goName
		g.body = []string{"return " + read("Child["+g.result+"]")}
	case t.Base == schema.Union:
		u := m.byEnum[t.Enum]
		g.result = u.view
		g.body = []string{"return " + u.make(u.view, "v."+f.tag.get+"()", read("UnionOf"))}
	case t.Element == schema.Union:
		u := m.byEnum[t.Enum]
		g.result = u.vector
		g.body = []string{"return " + u.make(u.vector, "v."+f.tag.get+"()", read("Unions"))}
	default:
		m.vectorGetter(&g, t.ElementType(), read, far)
	}
	return g
}

// vectorGetter fills in the getter of a vector. read spells a call of fbread and
// far is what the names of its functions for wide offsets end in.
func (m *model) vectorGetter(g *getter, element schema.Type, read func(string, ...string) string, far string) {
	call := ""
	switch {
	case element.Base == schema.Bool:
		g.result, call = "fbread.BoolVector", read("Bools"+far)
	case element.Base == schema.UByte && element.Enum == nil:
		g.result, call = "[]byte", read("Bytes"+far)
	case element.IsScalar():
		typ := m.scalarType(element)
		g.result, call = "[]"+typ, read("Scalars"+far+"["+typ+"]")
	case element.Base == schema.String:
		g.result, call = "fbread.StringVector", read("Strings")
		if m.opts.CopyStrings {
			g.result, call = "fbread.StringCopies", "fbread.CopiesOf("+call+")"
		}
	case element.IsStruct():
		o := m.objects[element.Object]
		g.result, call = o.vector, read("Structs"+far+"["+o.goName+"]")
	default:
		o := m.objects[element.Object]
		g.result, call = o.vector, read("Tables["+o.goName+"]")
		if o.key != nil {
			call = o.vector + "{Vector: " + call + "}"
		}
	}
	g.body = []string{"return " + call}
}

// make spells the making of a value, or a vector of values, of the union.
func (u *enum) make(typ, kind, value string) string {
	if u.in != nil {
		return typ + "Unchecked(" + kind + ", " + value + ")"
	}
	return typ + "{" + kind + ", " + value + "}"
}

// text spells the string that an expression reads, or a copy of it.
func (m *model) text(read string) string {
	if m.opts.CopyStrings {
		return "strings.Clone(" + read + ")"
	}
	return read
}

// describeField says what a getter returns, for its comment.
func (m *model) describeField(f *field) string {
	t := f.Type
	switch {
	case t.IsScalar() && f.Optional:
		return fmt.Sprintf("the field %s, and whether it is there", f.Name)
	case t.IsScalar() && f.value != nil:
		return fmt.Sprintf("which member of its union the field %s is", f.value.Name)
	case t.IsScalar():
		return fmt.Sprintf("the field %s, %s where it is absent", f.Name, m.describeDefault(f))
	case t.Base == schema.String && f.HasDefaultString && f.DefaultString != "":
		return fmt.Sprintf("the string %s, %q where it is absent", f.Name, f.DefaultString)
	case t.Base == schema.String && f.Required:
		return fmt.Sprintf("the string %s", f.Name)
	case t.Base == schema.String:
		return fmt.Sprintf("the string %s, \"\" where it is absent", f.Name)
	case t.IsStruct():
		return fmt.Sprintf("the struct %s, and whether it is there", f.Name)
	case t.IsTable() && f.Required:
		return fmt.Sprintf("the table %s", f.Name)
	case t.IsTable():
		return fmt.Sprintf("the table %s, one that is not Present where the field is absent", f.Name)
	case t.Base == schema.Union:
		return fmt.Sprintf("the union %s", f.Name)
	case f.Required:
		return fmt.Sprintf("the vector %s", f.Name)
	}
	return fmt.Sprintf("the vector %s, an empty one where the field is absent", f.Name)
}

// describeDefault spells a scalar's default for a comment, by name if it has one.
func (m *model) describeDefault(f *field) string {
	t := f.Type
	switch {
	case t.Base == schema.Bool:
		return strconv.FormatBool(f.DefaultInteger != 0)
	case t.IsFloat():
		bits := 64
		if t.Base == schema.Float {
			bits = 32
		}
		return strconv.FormatFloat(f.DefaultReal, 'g', -1, bits)
	case t.Enum != nil:
		var flags []string
		left := f.DefaultInteger
		for _, v := range m.byEnum[t.Enum].values {
			if v.Value == f.DefaultInteger {
				return v.goName
			}
			if t.Enum.BitFlags && v.Value&left == v.Value {
				flags, left = append(flags, v.goName), left&^v.Value
			}
		}
		if left == 0 && len(flags) > 0 {
			return strings.Join(flags, " | ")
		}
	}
	return integer(f.DefaultInteger, t.Base)
}

// emitNested writes the accessor of a buffer that a field holds.
func (m *model) emitNested(s *source, o *object, f *field) {
	n := f.nested.goName
	s.p("// %s returns the root of the buffer in the field %s, and whether there is one.", f.nestedRoot, f.Name)
	s.p("// It was verified together with v, unless Options.NestedUnchecked left it out.")
	s.p("func (v %s) %s() (fbverify.Verified[%s], bool) {", o.goName, f.nestedRoot, n)
	s.p("\tbuf := v.%s()", f.get)
	s.p("\tif len(buf) == 0 {")
	s.p("\t\treturn fbverify.Verified[%s]{}, false", n)
	s.p("\t}")
	s.p("\treturn fbverify.RootUnchecked[%s](buf, fbverify.Unframed), true", n)
	s.p("}\n")
}

// emitTableVector writes the type with which views return vectors of a table, whether
// or not it has a key, so that the name stays when it gets one.
func (m *model) emitTableVector(s *source, o *object) {
	key := o.key
	if key == nil {
		s.p("// %s is a vector of %s.", o.vector, o.goName)
		s.p("type %s = fbread.Vector[%s]\n", o.vector, o.goName)
		return
	}
	s.p("// %s is a vector of %s, which writers sort by %s.", o.vector, o.goName, key.goName)
	s.p("type %s struct{ fbread.Vector[%s] }\n", o.vector, o.goName)
	s.p("// Lookup returns the first element whose %s is the key, in about log2(Len) steps.", key.goName)
	s.p("// In a vector that is not sorted it may not be found.")
	s.p("func (v %s) Lookup(key %s) (%s, bool) {", o.vector, m.keyType(o), o.goName)
	t := key.Type
	switch {
	case t.Base == schema.String && wideOffset(key.Field), t.Base == schema.Obj:
		m.lookupByGetter(s, o)
	case t.Base == schema.String:
		s.p("\treturn fbread.LookupStringUnchecked(v.Vector, %d, key)", key.Offset)
	case t.Base == schema.Bool:
		s.p("\treturn fbread.LookupBoolUnchecked(v.Vector, %d, %s, key)", key.Offset, m.defaultLiteral(s, key))
	default:
		s.p("\treturn fbread.LookupUnchecked(v.Vector, %d, %s, key)", key.Offset, m.defaultLiteral(s, key))
	}
	s.p("}\n")
}

// lookupByGetter writes the body of a Lookup for the rare keys that fbread has
// no search for.
func (m *model) lookupByGetter(s *source, o *object) {
	get := "x := v.At(i)." + o.key.get + "()"
	if o.key.Type.Base == schema.Obj {
		get = "x, _ := v.At(i)." + o.key.get + "()"
	}
	s.p("\tcompare := func(i int) int {")
	s.p("\t\t%s", get)
	s.p("\t\treturn %s", m.compareKeys(o, "x", "key"))
	s.p("\t}")
	s.p("\ti := sort.Search(v.Len(), func(i int) bool { return compare(i) >= 0 })")
	s.p("\tif i < v.Len() && compare(i) == 0 {")
	s.p("\t\treturn v.At(i), true")
	s.p("\t}")
	s.p("\treturn fbread.Absent[%s](), false", o.goName)
}

// emitUnion writes the view of a union's value, and that of a vector of them.
func (m *model) emitUnion(s *source, u *enum) {
	s.p("// %s is a value of the union %s: Kind tells which member it is, and the", u.view, u.Name)
	s.p("// methods As… return it as that member. A value of a kind that the schema does")
	s.p("// not name, as a newer writer may have left it, is no member.")
	s.p("type %s struct {", u.view)
	s.p("\tuncheckedKind  %s", u.goName)
	s.p("\tuncheckedValue fbread.UnionValue")
	s.p("}\n")
	s.p("// %sUnchecked is for generated code, which vouches for the value being of that kind.", u.view)
	s.p("func %sUnchecked(kind %s, value fbread.UnionValue) %s { return %[1]s{kind, value} }\n", u.view, u.goName, u.view)
	s.p("// Kind tells which member the value is.")
	s.p("func (v %s) Kind() %s { return v.uncheckedKind }\n", u.view, u.goName)
	if len(m.tables) > 0 { // without a table, there is no schema and no value
		args := fmt.Sprintf("loadSchema(), %q, int64(v.uncheckedKind), v.uncheckedValue", u.Name)
		s.p("// String returns the value and its type as JSON, cut after 4 KiB, if the program imports")
		s.p("// package dynamic.")
		s.p("func (v %s) String() string { return fbverify.UnionTextUnchecked(%s) }\n", u.view, args)
		s.p("// MarshalJSON returns the value and its type as JSON, if the program imports package dynamic.")
		s.p("func (v %s) MarshalJSON() ([]byte, error) { return fbverify.UnionJSONUnchecked(%s) }\n", u.view, args)
	}
	for _, v := range u.values {
		if v.method == "" {
			continue
		}
		typ, zero, read := "", "", ""
		switch {
		case v.Type.IsTable():
			typ = m.objects[v.Type.Object].goName
			zero, read = "fbread.Absent["+typ+"]()", "fbread.UnionTable["+typ+"](v.uncheckedValue)"
		case v.Type.IsStruct():
			typ = m.objects[v.Type.Object].goName
			zero, read = typ+"{}", "fbread.UnionStruct["+typ+"](v.uncheckedValue)"
		default:
			typ, zero, read = "string", `""`, m.text("fbread.UnionString(v.uncheckedValue)")
		}
		s.doc("", fmt.Sprintf("%s returns the value as the member %s, and whether it is that one.", v.method, v.Name), v.Doc)
		s.p("func (v %s) %s() (%s, bool) {", u.view, v.method, typ)
		s.p("\tif v.uncheckedKind != %s {", v.goName)
		s.p("\t\treturn %s, false", zero)
		s.p("\t}")
		s.p("\treturn %s, true", read)
		s.p("}\n")
	}
	s.p("// %s is a vector of values of the union %s.", u.vector, u.Name)
	s.p("type %s struct {", u.vector)
	s.p("\tuncheckedKinds  []%s", u.goName)
	s.p("\tuncheckedValues fbread.UnionVector")
	s.p("}\n")
	s.p("// %sUnchecked is for generated code, which vouches for the values being of these kinds.", u.vector)
	s.p("func %sUnchecked(kinds []%s, values fbread.UnionVector) %s { return %[1]s{kinds, values} }\n", u.vector, u.goName, u.vector)
	s.p("// Len returns the number of values.")
	s.p("func (v %s) Len() int { return v.uncheckedValues.Len() }\n", u.vector)
	s.p("// At returns value i. It panics, as a slice does, when i is out of range.")
	s.p("func (v %s) At(i int) %s { return %s{v.uncheckedKinds[i], v.uncheckedValues.At(i)} }\n", u.vector, u.view, u.view)
	if len(m.tables) > 0 {
		s.p("// String returns the values as a list of their texts, cut after 4 KiB.")
		s.p("func (v %s) String() string {", u.vector)
		s.p("\treturn fbread.TextOfElements(v.Len(), func(i int) string { return v.At(i).String() })")
		s.p("}\n")
		s.p("// MarshalJSON returns the values as a JSON array.")
		s.p("func (v %s) MarshalJSON() ([]byte, error) {", u.vector)
		s.p("\treturn fbread.JSONOfElements(v.Len(), func(i int) ([]byte, error) { return v.At(i).MarshalJSON() })")
		s.p("}\n")
	}
	s.p("// All ranges over the indexes and values.")
	s.p("func (v %s) All() iter.Seq2[int, %s] {", u.vector, u.view)
	s.p("\treturn func(yield func(int, %s) bool) {", u.view)
	s.p("\t\tfor i := range v.Len() {")
	s.p("\t\t\tif !yield(i, v.At(i)) {")
	s.p("\t\t\t\treturn")
	s.p("\t\t\t}\n\t\t}\n\t}\n}\n")
}
