package gogen

import "fmt"

// emitEnum writes an enum's type, constants, and the functions that go from
// names to values and back; for a union these are the kinds of its members.
func (m *model) emitEnum(s *source, e *enum) {
	base := goScalar(e.Underlying)
	what := fmt.Sprintf("%s is the enum %s.", e.goName, e.Name)
	switch {
	case e.IsUnion:
		what = fmt.Sprintf("%s says which member of the union %s a value is.", e.goName, e.Name)
	case e.BitFlags:
		what = fmt.Sprintf("%s is a set of the flags of the enum %s.", e.goName, e.Name)
	}
	s.doc("", what, e.Doc)
	s.p("type %s %s\n", e.goName, base)
	if len(e.values) > 0 {
		s.p("// The values of %s.", e.goName)
		s.p("const (")
		for _, v := range e.values {
			s.comment("\t", v.Doc)
			s.p("\t%s %s = %s", v.goName, e.goName, integer(v.Value, e.Underlying))
		}
		s.p(")\n")
	}
	s.p("// %s returns the values of %s that the schema names, in order.", e.list, e.goName)
	s.p("func %s() []%s {", e.list, e.goName)
	s.p("\treturn []%s{", e.goName)
	for _, v := range e.values {
		s.p("\t\t%s,", v.goName)
	}
	s.p("\t}\n}\n")
	if e.BitFlags {
		m.emitFlagNames(s, e)
	} else {
		m.emitNames(s, e)
	}
}

func (m *model) emitNames(s *source, e *enum) {
	s.p("// String returns the name that the schema gives the value, or its number,")
	s.p("// as in \"%s(%d)\", when it gives none.", e.goName, 99)
	s.p("func (v %s) String() string {", e.goName)
	if len(e.values) > 0 {
		s.p("\tswitch v {")
		for _, v := range e.values {
			s.p("\tcase %s:\n\t\treturn %q", v.goName, v.Name)
		}
		s.p("\t}")
	}
	s.p("\treturn \"%s(\" + %s + \")\"", e.goName, formatNumber(e, "v"))
	s.p("}\n")
	s.p("// %s returns the value that the schema calls by the name.", e.parse)
	s.p("func %s(name string) (%s, error) {", e.parse, e.goName)
	if len(e.values) > 0 {
		s.p("\tswitch name {")
		for _, v := range e.values {
			s.p("\tcase %q:\n\t\treturn %s, nil", v.Name, v.goName)
		}
		s.p("\t}")
	}
	s.p("\treturn 0, errors.New(\"%s: there is no value \" + strconv.Quote(name))", e.goName)
	s.p("}\n")
}

// emitFlagNames is emitNames for bit flags, whose values may be several flags at
// once. The text is that of FlatBuffers JSON: names with spaces between.
func (m *model) emitFlagNames(s *source, e *enum) {
	s.p("// Has reports whether all the given flags are set in v.")
	s.p("func (v %s) Has(flags %s) bool { return v&flags == flags }\n", e.goName, e.goName)
	s.p("// String returns the names of the flags that are set, with spaces between;")
	s.p("// bits without a name come last as one number, as in \"%s(0x40)\".", e.goName)
	s.p("func (v %s) String() string {", e.goName)
	s.p("\tvar set []string")
	for _, v := range e.values {
		s.p("\tif v&%s != 0 {", v.goName)
		s.p("\t\tset = append(set, %q)", v.Name)
		s.p("\t\tv &^= %s", v.goName)
		s.p("\t}")
	}
	s.p("\tif v != 0 {")
	s.p("\t\tset = append(set, \"%s(0x\"+strconv.FormatUint(uint64(v), 16)+\")\")", e.goName)
	s.p("\t}")
	s.p("\treturn strings.Join(set, \" \")")
	s.p("}\n")
	s.p("// %s returns the flags that the schema calls by the names, which have spaces", e.parse)
	s.p("// between; no name is no flag.")
	s.p("func %s(names string) (%s, error) {", e.parse, e.goName)
	s.p("\tvar v %s", e.goName)
	s.p("\tfor _, name := range strings.Fields(names) {")
	s.p("\t\tswitch name {")
	for _, v := range e.values {
		s.p("\t\tcase %q:\n\t\t\tv |= %s", v.Name, v.goName)
	}
	s.p("\t\tdefault:")
	s.p("\t\t\treturn 0, errors.New(\"%s: there is no flag \" + strconv.Quote(name))", e.goName)
	s.p("\t\t}\n\t}\n\treturn v, nil\n}\n")
}

// formatNumber returns the Go expression that formats an enum's value.
func formatNumber(e *enum, v string) string {
	if e.Underlying.IsUnsigned() {
		return "strconv.FormatUint(uint64(" + v + "), 10)"
	}
	return "strconv.FormatInt(int64(" + v + "), 10)"
}
