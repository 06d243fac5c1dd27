package gogen

import (
	"fmt"
	"strings"

	"github.com/fbverify/go/schema"
)

// This file writes what code that was written for flatc's Go has and the library's own
// views have otherwise or not at all. Accessors take an object to fill, vectors have an
// accessor for one element and one for their length, what is absent is nil, and text is
// bytes. They read by the views' own accessors.

// flatcDiffers tells whether flatc's accessor of a table's field is another than the
// library's: unions and plain scalars have the library's.
func flatcDiffers(f *schema.Field) bool {
	t := f.Type
	return t.IsScalar() && f.Optional || !t.IsScalar() && t.Base != schema.Union && t.Element != schema.Union
}

// emitFlatcView writes flatc's accessors and functions of a table.
func (m *model) emitFlatcView(s *source, o *object) {
	if !m.opts.Flatc {
		return
	}
	for _, f := range o.fields {
		if f.get != f.goName {
			m.emitFlatcGetter(s, o, f)
		}
	}
	if !m.opts.ReadOnly {
		s.p("// UnPackTo makes *t a copy of the table and all below it; it leaves it alone when the")
		s.p("// table is not Present.")
		s.p("func (v %s) UnPackTo(t *%s) {", o.goName, o.owned)
		s.p("\tif x := v.UnPack(); x != nil {\n\t\t*t = *x\n\t}")
		s.p("}\n")
	}
	if o.fns.identifier != "" && !m.opts.ReadOnly {
		for _, c := range []struct {
			prefix, of string
			at         int
		}{{"", "", 4}, {"SizePrefixed", " that starts with its size", 8}} {
			name := m.derive(nil, o.Name, c.prefix+o.goName, "BufferHasIdentifier")
			s.p("// %s tells whether a buffer%s has the file identifier.", name, c.of)
			s.p("func %s(buf []byte) bool { return len(buf) >= %d && string(buf[%d:%[3]d+4]) == %s }\n", name, c.at+4, c.at, o.fns.identifier)
		}
	}
}

func (m *model) emitFlatcGetter(s *source, o *object, f *field) {
	t := f.Type
	name := f.goName
	method := func(what, params, result string, lines ...string) {
		s.p("// %s.", what)
		s.p("func (v %s) %s(%s) %s {", o.goName, name, params, result)
		for _, line := range lines {
			s.p("\t%s", line)
		}
		s.p("}\n")
	}
	// The object to fill is made here, so that it need not leave the caller's stack.
	fill := func(typ, get string) {
		method(name+" returns what "+f.get+" does, in obj if that is not nil; nil where the field is absent", "obj *"+typ, "*"+typ,
			"x, ok := "+get, "if !ok {", "\treturn nil", "}", "if obj == nil {", "\tobj = new("+typ+")", "}", "*obj = x", "return obj")
	}
	switch {
	case t.IsScalar():
		typ := m.scalarType(t)
		method(name+" returns what "+f.get+" does; nil where the field is absent", "", "*"+typ,
			"x, ok := v."+f.get+"()", "if !ok {", "\treturn nil", "}", "return &x")
		return
	case t.Base == schema.String && f.DefaultString != "":
		method(name+" returns a copy of what "+f.get+" does", "", "[]byte", "return []byte(v."+f.get+"())")
		return
	case t.Base == schema.String:
		method(name+" returns the bytes of what "+f.get+" does, not copied; nil where the field is absent", "", "[]byte",
			fmt.Sprintf("return fbread.TextBytes(fbread.Unchecked(v), %d%s)", f.Offset, map[bool]string{true: ", true", false: ", false"}[wideOffset(f.Field)]))
		return
	case t.IsStruct():
		st := m.objects[t.Object]
		s.p("// %s returns what %s does, in obj if that is not nil; nil where the field is absent.", name, f.get)
		s.p("func (v %s) %s(obj *%s) *%[3]s {", o.goName, name, st.plain)
		s.p("\tx, ok := v.%s()", f.get)
		s.p("\tif !ok {\n\t\treturn nil\n\t}\n\tif obj == nil {\n\t\tobj = new(%s)\n\t}", st.plain)
		s.p("\tobj.T = x\n\treturn obj\n}\n")
		return
	case t.IsTable():
		fill(m.objects[t.Object].goName, "v."+f.get+"(), v."+f.get+"().Present()")
		return
	}
	element := t.ElementType()
	at := func(result, zero string, read string) {
		method(name+" returns element j of what "+f.get+" does; "+zero+" where the field is absent", "j int", result,
			"x := v."+f.get+"()", "if "+m.vectorLen(element, "x")+" == 0 {", "\treturn "+zero, "}", "return "+read)
	}
	switch {
	case element.Base == schema.Bool:
		at("bool", "false", "x.At(j)")
	case element.IsScalar():
		at(m.scalarType(element), "0", "x[j]")
	case element.Base == schema.String:
		at("[]byte", "nil", "fbread.TextOf(x.At(j))")
	default:
		e := m.objects[element.Object]
		typ, read, set := e.goName, "x.At(j)", "*obj"
		if e.IsStruct {
			typ, read, set = e.plain, "x[j]", "obj.T"
		}
		s.p("// %s makes *obj element j of what %s returns, and tells whether the field is there.", name, f.get)
		s.p("func (v %s) %s(obj *%s, j int) bool {", o.goName, name, typ)
		s.p("\tx := v.%s()", f.get)
		s.p("\tif %s == 0 {\n\t\treturn false\n\t}", m.vectorLen(element, "x"))
		s.p("\t%s = %s\n\treturn true\n}\n", set, read)
		if e.key != nil {
			set = "*obj"
			if e.IsStruct {
				set = "obj.T"
			}
			s.p("// %sByKey makes *obj the element with the key, and tells whether there is one.", name)
			s.p("func (v %s) %sByKey(obj *%s, key %s) bool {", o.goName, name, typ, m.keyType(e))
			s.p("\tx, ok := v.%s().Lookup(key)", f.get)
			s.p("\tif ok {\n\t\t%s = x\n\t}", set)
			s.p("\treturn ok\n}\n")
		}
	}
	length := m.vectorLen(element, "v."+f.get+"()")
	s.p("// %sLength returns the number of elements of what %s returns.", name, f.get)
	s.p("func (v %s) %sLength() int { return %s }\n", o.goName, name, length)
	if element.Base == schema.UByte && element.Enum == nil {
		s.p("// %sBytes returns what %s does.", name, f.get)
		s.p("func (v %s) %sBytes() []byte { return v.%s() }\n", o.goName, name, f.get)
	}
}

// vectorLen spells the length of a vector of such elements.
func (m *model) vectorLen(element schema.Type, v string) string {
	if element.Base == schema.Bool || element.Base == schema.String || element.IsTable() {
		return v + ".Len()"
	}
	return "len(" + v + ")"
}

// emitFlatcStruct writes the struct under its plain name, with flatc's accessors.
func (m *model) emitFlatcStruct(s *source, o *object) {
	if !m.opts.Flatc {
		return
	}
	n := o.plain
	s.p("// %s is the struct %s as accessors return it; T has its fields.", n, o.Name)
	s.p("type %s struct{ T %s }\n", n, o.goName)
	for _, f := range o.fields {
		t := f.Type
		get := "v.T." + f.goName
		switch {
		case t.Base == schema.Bool:
			s.p("// %s returns the field %s.", f.goName, f.Name)
			s.p("func (v *%s) %s() bool { return %s.Bool() }\n", n, f.goName, get)
		case t.IsStruct():
			inner := m.objects[t.Object]
			s.p("// %s returns the struct %s, in obj if that is not nil.", f.goName, f.Name)
			s.p("func (v *%s) %s(obj *%s) *%[3]s {", n, f.goName, inner.plain)
			s.p("\tif obj == nil {\n\t\tobj = new(%s)\n\t}\n\tobj.T = %s\n\treturn obj\n}\n", inner.plain, get)
		case t.Base == schema.Array && t.ElementType().Base == schema.Bool:
			s.p("// %s returns element j of the array %s.", f.goName, f.Name)
			s.p("func (v *%s) %s(j int) bool { return %s[j].Bool() }\n", n, f.goName, get)
		case t.Base == schema.Array && !t.ElementType().IsStruct():
			s.p("// %s returns element j of the array %s.", f.goName, f.Name)
			s.p("func (v *%s) %s(j int) %s { return %s[j] }\n", n, f.goName, m.scalarType(t.ElementType()), get)
		case t.Base == schema.Array:
			inner := m.objects[t.Object]
			s.p("// %s returns element j of the array %s, in obj if that is not nil.", f.goName, f.Name)
			s.p("func (v *%s) %s(obj *%s, j int) *%[3]s {", n, f.goName, inner.plain)
			s.p("\tif obj == nil {\n\t\tobj = new(%s)\n\t}\n\tobj.T = %s[j]\n\treturn obj\n}\n", inner.plain, get)
		default:
			s.p("// %s returns the field %s.", f.goName, f.Name)
			s.p("func (v *%s) %s() %s { return %s }\n", n, f.goName, m.scalarType(t), get)
		}
	}
	if !m.opts.ReadOnly {
		s.p("// UnPack returns a copy.")
		s.p("func (v *%s) UnPack() *%s {", n, o.goName)
		s.p("\tif v == nil {\n\t\treturn nil\n\t}\n\tt := v.T\n\treturn &t\n}\n")
		s.p("// UnPackTo makes *t a copy.")
		s.p("func (v *%s) UnPackTo(t *%s) { *t = v.T }\n", n, o.goName)
	}
}

// emitFlatcEnum writes flatc's maps of an enum's names.
func (m *model) emitFlatcEnum(s *source, e *enum) {
	if !m.opts.Flatc {
		return
	}
	names, values := m.derive(nil, e.Name, "EnumNames", e.goName), m.derive(nil, e.Name, "EnumValues", e.goName)
	s.p("// %s are the names of the values of %s.", names, e.goName)
	s.p("var %s = map[%s]string{", names, e.goName)
	for _, v := range e.values {
		s.p("\t%s: %q,", v.goName, v.Name)
	}
	s.p("}\n")
	s.p("// %s are the values of %s by their names.", values, e.goName)
	s.p("var %s = map[string]%s{", values, e.goName)
	for _, v := range e.values {
		s.p("\t%q: %s,", v.Name, v.goName)
	}
	s.p("}\n")
}

// emitMutable writes the methods that change a scalar in place.
func (m *model) emitMutable(s *source, o *object) {
	if !m.opts.Mutable {
		return
	}
	for _, f := range o.fields {
		if !f.Type.IsScalar() || f.value != nil || f.Key || constrained(f.Field) {
			continue
		}
		s.p("// Mutate%sUnchecked writes the field %s in place, and tells whether it could: an absent", f.goName, f.Name)
		s.p("// field has no place. Whoever calls it vouches for the buffer's memory being writable")
		s.p("// and nobody reading it meanwhile, and for the buffer's writer: in a hostile buffer a")
		s.p("// number may lie where an offset does, and what reads rely on no longer holds.")
		s.p("func (v %s) Mutate%sUnchecked(x %s) bool {", o.goName, f.goName, m.scalarType(f.Type))
		if f.Type.Base == schema.Bool {
			s.p("\treturn fbread.PutUnchecked(fbread.Unchecked(v), %d, fbread.ToBool8(x))", f.Offset)
		} else {
			s.p("\treturn fbread.PutUnchecked(fbread.Unchecked(v), %d, x)", f.Offset)
		}
		s.p("}\n")
	}
}

// constrained tells whether a verification asks more of a field than its type does.
func constrained(f *schema.Field) bool {
	for _, a := range f.Attributes {
		if strings.HasPrefix(a.Key, "must_") || a.Key == "with" {
			return true
		}
	}
	return false
}
