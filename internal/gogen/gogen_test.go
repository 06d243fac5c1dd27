package gogen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

func parse(t *testing.T, text string) *schema.Schema {
	t.Helper()
	s, err := fbs.Parse("t.fbs", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func text(t *testing.T, files []File, name string) string {
	t.Helper()
	for _, f := range files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	t.Fatalf("there is no %s", name)
	return ""
}

func TestSchemasThatContradictEachOtherAreRefused(t *testing.T) {
	base := "table A { x: int; } enum E : byte { P } "
	for _, c := range []struct{ name, other, want string }{
		{"another type", "table A { x: uint; }", "A is declared otherwise"},
		{"another default", "table A { x: int = 1; }", "A is declared otherwise"},
		{"one more field", "table A { x: int; y: int; }", "it has more: y"},
		{"another value", "enum E : byte { P = 1 }", "E is declared otherwise"},
		{"an enum for a table", "enum A : byte { P }", "A is an enum here"},
		{"a table for an enum", "table E { x: int; }", "E is a table or struct here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Generate([]Input{{Name: "one.fbs", Schema: parse(t, base)}, {Name: "two.fbs", Schema: parse(t, c.other)}}, Options{Package: "p"})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "one.fbs") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestSchemasThatShareTypesGoIntoOnePackage(t *testing.T) {
	files, err := Generate([]Input{
		{Name: "one.fbs", Schema: parse(t, "table A { x: int; } table B { a: A; } root_type B; file_identifier \"BBBB\";")},
		{Name: "two.fbs", Schema: parse(t, "table A { x: int; } table C { a: A; } root_type C; file_identifier \"CCCC\";")},
	}, Options{Package: "p"})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text(t, files, fileViews), "type A fbread.Of[A]"); n != 1 {
		t.Errorf("A is there %d times", n)
	}
	build := text(t, files, fileBuild)
	for _, want := range []string{`BIdentifier = "BBBB"`, `CIdentifier = "CCCC"`} {
		if !strings.Contains(build, want) {
			t.Errorf("there is no %s", want)
		}
	}
}

func TestNamesThatAreNoIdentifiersNeverReachGoSource(t *testing.T) {
	for name, spoil := range map[string]func(*schema.Schema){
		"table":      func(s *schema.Schema) { s.Objects[0].Name = "A{}; func init() { panic(0) }; type B struct" },
		"field":      func(s *schema.Schema) { s.Objects[0].Fields[0].Name = "x\ny" },
		"value":      func(s *schema.Schema) { s.Enums[0].Values[0].Name = "P\"" },
		"empty":      func(s *schema.Schema) { s.Enums[0].Name = "" },
		"namespaces": func(s *schema.Schema) { s.Enums[0].Name = "a..E" },
	} {
		t.Run(name, func(t *testing.T) {
			s := parse(t, "table A { x: int; } enum E : byte { P }")
			spoil(s)
			if _, err := Generate([]Input{{Name: "t.fbs", Schema: s}}, Options{Package: "p"}); err == nil || !strings.Contains(err.Error(), "no identifier") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestCommentsOfASchemaStayComments(t *testing.T) {
	s := parse(t, "table A { x: int; }")
	s.Objects[0].Doc = []string{"go:generate rm x", "two\nlines\r\x00", "*/ \xff end", ""}
	s.Objects[0].Fields[0].Doc = []string{" of a field"}
	files, err := Generate([]Input{{Name: "t.fbs\npackage evil", Schema: s}}, Options{Package: "p"})
	if err != nil {
		t.Fatal(err)
	}
	views := text(t, files, fileViews)
	for _, want := range []string{"// go:generate rm x\n", "// two\n// lines\n", "// */ \uFFFD end\ntype A "} {
		if !strings.Contains(views, want) {
			t.Errorf("there is no %q in\n%s", want, views)
		}
	}
	if strings.Contains(views, "\npackage evil") || !strings.Contains(views, "// of a field\n") {
		t.Errorf("got\n%s", views)
	}
}

// TestGettersSayWhatIsProved in the schema's words, which stay words.
func TestGettersSayWhatIsProved(t *testing.T) {
	s := parse(t, `attribute "must_be"; attribute "may_be"; attribute "must_be_set"; attribute "must_have";
struct P { n: int (must_be: "> 0", may_be: "0"); }
table A {
  /// How many.
  x: int (must_be: ">= 1\n; <= 3"); y: string (must_be_set, must_have: "> 0"); p: P; free: int; }`)
	files, err := Generate([]Input{{Name: "t.fbs", Schema: s}}, Options{Package: "p"})
	if err != nil {
		t.Fatal(err)
	}
	views, structs := text(t, files, fileViews), text(t, files, fileStructs)
	for _, want := range []string{
		"// How many.\n//\n// Proved: must_be: \">= 1\\n; <= 3\".\nfunc", "// Proved: must_be_set, must_have: \"> 0\".\nfunc",
	} {
		if !strings.Contains(views, want) {
			t.Errorf("there is no %q in\n%s", want, views)
		}
	}
	if !strings.Contains(structs, "\t// Proved: must_be: \"> 0\", may_be: \"0\".\n") {
		t.Errorf("got\n%s", structs)
	}
	if n := strings.Count(views, "Proved:"); n != 2 {
		t.Errorf("%d times, want 2", n)
	}
}

func TestDefaultsAreSpelledToTheBit(t *testing.T) {
	s := parse(t, `table D {
  a: float = nan; b: double = -inf; c: ulong = 18446744073709551615; d: long = -9223372036854775808;
  e: float = 0.1; f: double = 5e-324; g: double = -0.0; h: byte = -128; i: bool = true; j: float = 16777217; }`)
	files, err := Generate([]Input{{Name: "t.fbs", Schema: s}}, Options{Package: "p"})
	if err != nil {
		t.Fatal(err)
	}
	build := text(t, files, fileBuild)
	for _, want := range []string{
		"(0, a, float32(math.NaN()))", "(1, bValue, math.Inf(-1))", "(2, c, 18446744073709551615)", "(3, d, -9223372036854775808)",
		"(4, e, 0.1)", "(5, f, 5e-324)", "(6, g, math.Copysign(0, -1))", "(7, h, -128)", "(8, i, true)", "(9, j, 1.6777216e+07)",
	} {
		if !strings.Contains(strings.ReplaceAll(build, "iValue", "i"), want) {
			t.Errorf("there is no %s in\n%s", want, build)
		}
	}
}

func TestCanonicalLayoutsAreThoseOfCreateFunctions(t *testing.T) {
	// C++ and Rust write the widest fields to the end, the first of a width first.
	s := parse(t, "table A { a: ubyte; b: ulong; c: ushort; d: string; e: ulong; f: bool; }")
	m, err := merge([]Input{{Name: "t.fbs", Schema: s}})
	if err != nil {
		t.Fatal(err)
	}
	g, err := newModel(m, Options{Package: "p"})
	if err != nil {
		t.Fatal(err)
	}
	l := canonical(g.tables[0])
	want := map[string]int{"a": 4, "f": 5, "c": 6, "d": 8, "b": 12, "e": 20}
	for f, off := range l.offsets {
		if want[f.Name] != off {
			t.Errorf("%s is at %d, want %d", f.Name, off, want[f.Name])
		}
	}
	if len(l.vtable) != 16 || l.vtable[0] != 16 {
		t.Errorf("the vtable is % x", l.vtable)
	}
}

// TestCreateOfStructsThatDoubleIsShort: a struct of two, which are of two, and so on, is as many
// scalars as nobody passes one by one. CreateX then takes the two.
func TestCreateOfStructsThatDoubleIsShort(t *testing.T) {
	var b strings.Builder
	b.WriteString("struct S0 { x:byte; y:bool; }\n")
	for i := 1; i < 16; i++ {
		fmt.Fprintf(&b, "struct S%d { a:S%d; b:S%[2]d; }\n", i, i-1)
	}
	b.WriteString("table T { s:S14; }\nroot_type T;\n")
	for _, opts := range []Options{{Package: "p"}, {Package: "p", Flatc: true, Mutable: true}, {Package: "p", Fixed: true}} {
		files, err := Generate([]Input{{Name: "g.fbs", Schema: parse(t, b.String())}}, opts)
		if err != nil {
			t.Fatal(err)
		}
		source := text(t, files, fileStructs)
		if len(source) > 300_000 {
			t.Errorf("%+v: %d bytes of Go for %d of a schema", opts, len(source), b.Len())
		}
		owned := map[bool]string{false: "", true: "T"}[opts.Flatc]
		for _, want := range []string{
			"func CreateS1(b *flatbuffers.Builder, ax int8, ay bool, bx int8, by bool) flatbuffers.UOffsetT {",
			fmt.Sprintf("func CreateS6(b *flatbuffers.Builder, a S5%s, bValue S5%[1]s) flatbuffers.UOffsetT {", owned),
		} {
			if !strings.Contains(source, want) {
				t.Errorf("%+v: no %s", opts, want)
			}
		}
	}
}
