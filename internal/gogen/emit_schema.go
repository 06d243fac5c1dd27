package gogen

import "fmt"

// emitSchema writes the embedded schema and the compiled types.
func (m *model) emitSchema(s *source) {
	s.p("// binarySchema is the schema in binary form.")
	s.p("//")
	s.p("//go:embed %s", fileBFBS)
	s.p("var binarySchema []byte\n")
	s.p("var loadSchema = sync.OnceValue(func() *schema.Schema {")
	s.p("\ts, err := schema.LoadBFBS(binarySchema)")
	s.p("\tif err != nil {")
	s.p("\t\tpanic(\"%s: the embedded schema: \" + err.Error()) // fbgen wrote it, and read it back", m.pkg)
	s.p("\t}")
	s.p("\treturn s")
	s.p("})\n")
	s.p("// The compiled type of each table, made when it is asked for the first time.")
	s.p("var (")
	for _, o := range m.tables {
		s.p("\t%s = compileOnce(%q)", o.typeOf, o.Name)
	}
	s.p(")\n")
	s.p("func compileOnce(root string) func() *fbverify.Type {")
	s.p("\treturn sync.OnceValue(func() *fbverify.Type { return fbverify.MustCompile(loadSchema(), root) })")
	s.p("}")
}

// packageDoc is the comment of the generated package.
func (m *model) packageDoc() string {
	return fmt.Sprintf(`// Package %s reads and writes the FlatBuffers of %s.
//
// A table is read through its view, a small value that comes from a verified
// root: fbverify.Root[X](buf), then v.Root(). Reads of a view check nothing.
// Owned structs, named XT, hold a copy: Unpack makes one and Pack writes it. The
// functions XStart, XAdd…, XEnd, CreateX and FinishXBuffer build a buffer field by
// field, as with the code of flatc.
`, m.pkg, m.sources())
}
