package gogen

import (
	"fmt"
	"path"
	"strings"
)

// outputVersion is the version of what generated code asks of package fbread. A change
// that code generated before would compile with, and read wrongly, takes the next
// number, here and there.
const outputVersion = 1

// emitSchema writes the embedded schema and the compiled types.
func (m *model) emitSchema(s *source) {
	s.p("// The library must fit this code: what follows does not compile where it does not.")
	s.p("const _ = fbread.Output%d\n", outputVersion)
	for _, f := range m.schemaFiles {
		if strings.Contains(f.goName, ".") {
			s.p("// The package is of the same %s as this one: it does not compile otherwise.", path.Base(f.name))
			s.p("const _ = %s\n", f.goName)
			continue
		}
		s.p("// %s stands for %s as it was: packages that import its types", f.goName, path.Base(f.name))
		s.p("// name it, and compile only beside the same definitions.")
		s.p("const %s = true\n", f.goName)
	}
	if len(m.tables) == 0 {
		return
	}
	s.p("// binarySchema is the schema in binary form.")
	s.p("//")
	s.p("//go:embed %s", fileBFBS)
	s.p("var binarySchema []byte\n")
	s.p("var loadSchema = sync.OnceValue(func() *schema.Schema {")
	s.p("\ts := bfbs.LoadUnchecked(binarySchema) // fbgen wrote it, and read it back")
	m.emitLostDefaults(s)
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

// emitLostDefaults writes the statements that put back what a binary schema has no
// place for.
func (m *model) emitLostDefaults(s *source) {
	first := true
	for _, o := range m.Objects {
		for _, f := range o.Fields {
			if !f.HasDefaultString && !f.HasDefaultVector {
				continue
			}
			if first {
				s.p("\t// A binary schema has no place for the defaults of strings and vectors.")
				first = false
			}
			if f.HasDefaultString {
				s.p("\ts.Object(%q).Field(%q).HasDefaultString = true", o.Name, f.Name)
				s.p("\ts.Object(%q).Field(%q).DefaultString = %q", o.Name, f.Name, f.DefaultString)
			} else {
				s.p("\ts.Object(%q).Field(%q).HasDefaultVector = true", o.Name, f.Name)
			}
		}
	}
}

// packageDoc is the comment of the generated package.
func (m *model) packageDoc(readOnly bool) string {
	fixed := ""
	for _, o := range m.tables {
		if len(o.layouts) > 0 {
			fixed = docFixed
		}
	}
	if readOnly {
		return fmt.Sprintf(docRead, m.pkg, "reads", m.sources()) + fixed
	}
	return fmt.Sprintf(docRead, m.pkg, "reads and writes", m.sources()) + fixed + docWrite
}

const docRead = `// Package %s %s the FlatBuffers of %s.
//
// # Views
//
// A table X is read through its view, the type X: fbverify.Root[X](buf) verifies a
// buffer once, and Root() of the result is the view. Its methods check nothing,
// copy nothing and return no errors. What a table refers to and is absent reads as
// if every field had its default, so chains need no checks; Present tells. HasY tells
// whether the string, vector or table y is there; y itself is empty where it is not.
//
// A vector of tables X is an XVector, which has Lookup where X has a key.
`

const docFixed = `//
// # Fixed views
//
// A table whose vtable is one that generated code knows also has a fixed view,
// XFixed, with each field at a constant offset: ask Fixed, and keep the answer.
`

const docWrite = `//
// # Owned structs
//
// The struct XT holds a table and all below it in memory of its own. Unpack makes
// one. Pointers and slices are nil where the field is absent, strings are then
// empty or the schema's default; HasY tells such a string y that is there from one
// that is not. A table that several offsets share is copied for
// each; Options.MaxTables and Options.MaxApparentSize of the verification bound
// what that can come to.
//
// Pack writes one into a Builder, the same bytes each time. What is nil is left
// out; what the schema requires and is nil is written empty, as is a nil table in a
// vector, except that a required union without a value is left out. Vectors of
// elements with a key are written in the order of their keys. A new XT has zeros;
// NewXT returns one with the schema's defaults.
//
// # Builders
//
// The functions XStart, XAdd…, XStart…Vector, XEnd, CreateX and FinishXBuffer build
// a buffer field by field, as those that flatc writes.
`
