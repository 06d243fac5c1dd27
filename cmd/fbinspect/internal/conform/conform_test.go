package conform

import (
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
	"github.com/fbverify/go/schema/formats"
)

// breaks is the table of what breaks what. flatc says whether flatc --conform refuses the
// change; it knows one direction only, and nothing of required fields, roots or
// identifiers.
var breaks = []struct {
	name              string
	before, after     string
	kind              string // of the difference; "" = none
	severity          Severity
	backward, forward bool
	flatc             bool
}{
	{"nothing changed", `table T { a:int; }`, `table T { a:int; }`, "", Note, false, false, false},
	{"constraint added", `table T { a:int; }`, `attribute "must_be"; table T { a:int (must_be: ">= 1"); }`, "constraint", Warning, true, false, false},
	{"constraint removed", `attribute "must_be"; table T { a:int (must_be: ">= 1"); }`, `table T { a:int; }`, "constraint", Warning, false, true, false},
	{"constraint tightened", `attribute "must_be"; table T { a:int (must_be: ">= 1"); }`, `attribute "must_be"; table T { a:int (must_be: ">= 2"); }`, "constraint", Warning, true, false, false},
	{"constraint the same", `attribute "must_be"; table T { a:int (must_be: ">= 1"); }`, `attribute "must_be"; table T { a:int (must_be: ">=1"); }`, "", Note, false, false, false},
	{"constraint of a struct added", `struct S { a:int; } table T { s:S; }`, `attribute "must_be"; struct S { a:int (must_be: ">= 1"); } table T { s:S; }`, "constraint", Warning, true, false, false},
	{"field added", `table T { a:int; }`, `table T { a:int; b:int; }`, "added", Note, false, false, false},
	{"required field added", `table T { a:int; }`, `table T { a:int; b:string (required); }`, "required-added", Break, true, false, false},
	{"last field removed", `table T { a:int; b:int; }`, `table T { a:int; }`, "removed", Warning, false, true, true},
	{"required field removed", `table T { a:int; b:string (required); }`, `table T { a:int; }`, "required-removed", Break, false, true, true},
	{"first field removed", `table T { a:int; b:string; }`, `table T { b:string; }`, "id-changed", Break, true, true, true},
	{"fields swapped", `table T { a:int; b:float; }`, `table T { b:float; a:int; }`, "id-changed", Break, true, true, true},
	{"fields swapped, ids kept", `table T { a:int; b:float; }`, `table T { b:float (id:1); a:int (id:0); }`, "", Note, false, false, false},
	{"field renamed", `table T { a:int; }`, `table T { z:int; }`, "renamed", Note, false, false, false},
	{"field renamed and retyped", `table T { a:int; }`, `table T { z:float; }`, "type", Break, true, true, true},
	{"field deprecated", `table T { a:int; }`, `table T { a:int (deprecated); }`, "deprecated", Note, false, true, false},
	{"scalar widened", `table T { a:short; }`, `table T { a:int; }`, "type", Break, true, true, true},
	{"sign changed", `table T { a:int; }`, `table T { a:uint; }`, "type", Break, true, true, true},
	{"integer to float", `table T { a:int; }`, `table T { a:float; }`, "type", Break, true, true, true},
	{"scalar to string", `table T { a:int; }`, `table T { a:string; }`, "type", Break, true, true, true},
	{"string to bytes", `table T { a:string; }`, `table T { a:[ubyte]; }`, "type", Break, true, true, true},
	{"vector's element changed", `table T { a:[int]; }`, `table T { a:[long]; }`, "type", Break, true, true, true},
	{"default changed", `table T { a:int = 1; }`, `table T { a:int = 2; }`, "default", Break, true, true, true},
	{"default of a float changed", `table T { a:float = 1; }`, `table T { a:float = 1.5; }`, "default", Break, true, true, true},
	{"default stays a NaN", `table T { a:double = nan; }`, `table T { a:double = nan; }`, "", Note, false, false, false},
	{"made optional", `table T { a:int; }`, `table T { a:int = null; }`, "optional", Break, true, true, true},
	{"made required", `table T { a:string; }`, `table T { a:string (required); }`, "required", Break, true, false, false},
	{"no longer required", `table T { a:string (required); }`, `table T { a:string; }`, "required", Break, false, true, false},
	{"key moved", `table T { a:int (key); b:int; }`, `table T { a:int; b:int (key); }`, "key", Warning, true, true, false},
	{"nested root changed", `table A {} table B { x:int; } table T { a:[ubyte] (nested_flatbuffer:"A"); }`,
		`table A {} table B { x:int; } table T { a:[ubyte] (nested_flatbuffer:"B"); }`, "nested", Break, true, true, false},
	{"table of another name, alike", `table A { x:int; } table T { a:A; }`, `table B { x:int; } table T { a:B; }`, "type", Warning, false, false, true},
	{"another table", `table A { x:int; } table B { x:float; } table T { a:A; }`, `table A { x:int; } table B { x:float; } table T { a:B; }`, "type", Break, true, true, true},
	{"table made a struct", `table A { x:int; }`, `struct A { x:int; }`, "kind", Break, true, true, true},
	{"struct grew", `struct S { a:int; }`, `struct S { a:int; b:int; }`, "struct-layout", Break, true, true, false},
	{"struct's fields swapped", `struct S { a:int; b:float; }`, `struct S { b:float; a:int; }`, "struct-field", Break, true, true, true},
	{"struct's field retyped", `struct S { a:int; }`, `struct S { a:float; }`, "type", Break, true, true, true},
	{"struct's field renamed", `struct S { a:int; }`, `struct S { z:int; }`, "renamed", Note, false, false, false},
	{"array grew", `struct S { a:[int:2]; }`, `struct S { a:[int:3]; }`, "type", Break, true, true, false},
	{"struct aligned more", `struct S { a:int; }`, `struct S (force_align:16) { a:int; }`, "struct-layout", Break, true, true, false},
	{"enum value added", `enum E:byte { A, B }`, `enum E:byte { A, B, C }`, "value-added", Note, false, true, false},
	{"enum value inserted", `enum E:byte { A, B }`, `enum E:byte { A, X, B }`, "value-changed", Break, true, true, true},
	{"enum value removed", `enum E:byte { A, B }`, `enum E:byte { A }`, "value-removed", Warning, true, false, false},
	{"enum value renamed", `enum E:byte { A, B }`, `enum E:byte { A, Z }`, "renamed", Note, false, false, false},
	{"enum widened", `enum E:byte { A } table T { e:E; }`, `enum E:int { A } table T { e:E; }`, "underlying-type", Break, true, true, true},
	{"enum replaced", `enum E:byte { A } enum F:byte { X } table T { e:E; }`, `enum E:byte { A } enum F:byte { X } table T { e:F; }`, "type", Warning, true, true, true},
	{"made bit flags", `enum E:ubyte { A=1, B=2 }`, `enum E:ubyte (bit_flags) { A, B }`, "bit-flags", Warning, true, true, false},
	{"union member added", `table A {} table B {} union U { A }`, `table A {} table B {} union U { A, B }`, "value-added", Note, false, true, false},
	{"union member inserted", `table A {} table B {} union U { A }`, `table A {} table B {} union U { B, A }`, "value-changed", Break, true, true, true},
	{"union member retyped", `table A {} table B {} union U { M:A }`, `table A {} table B {} union U { M:B }`, "member-type", Break, true, true, false},
	{"type removed", `table A {} table B {}`, `table A {}`, "type-removed", Warning, false, false, false},
	{"root changed", `table A {} table B {} root_type A;`, `table A {} table B {} root_type B;`, "root-type", Break, true, true, false},
	{"identifier changed", `table A {} root_type A; file_identifier "AAAA";`, `table A {} root_type A; file_identifier "BBBB";`, "identifier", Break, true, true, false},
	{"identifier added", `table A {} root_type A;`, `table A {} root_type A; file_identifier "BBBB";`, "identifier", Warning, true, false, false},
	{"64-bit offset", `table A { b:[ubyte]; } root_type A;`, `table A { b:[ubyte] (offset64); } root_type A;`, "offset-size", Break, true, true, true},
}

func parse(t *testing.T, text string) *schema.Schema {
	t.Helper()
	s, err := fbs.Parse("test.fbs", []byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

func TestEachBreakIsNamedWithItsDirection(t *testing.T) {
	for _, b := range breaks {
		t.Run(b.name, func(t *testing.T) {
			found := Compare(parse(t, b.before), parse(t, b.after))
			if b.kind == "" {
				if len(found) > 0 {
					t.Errorf("found %+v, want nothing", found)
				}
				return
			}
			for _, d := range found {
				if _, ok := meaning[d.Kind]; !ok {
					t.Errorf("%s: nobody says what it does to texts and source code", d.Kind)
				}
			}
			for _, d := range found {
				if d.Kind == b.kind && d.Severity == b.severity && d.Backward == b.backward && d.Forward == b.forward {
					if d.Where == "" || d.Message == "" {
						t.Errorf("says too little: %+v", d)
					}
					return
				}
			}
			t.Errorf("found %+v, want %s %s backward=%t forward=%t", found, b.severity, b.kind, b.backward, b.forward)
		})
	}
}

// TestFlatcRefusesNothingThatWeOverlook holds the table to flatc itself: its column about
// flatc is true, and whatever flatc refuses is at least a warning here.
func TestFlatcRefusesNothingThatWeOverlook(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	for _, b := range breaks {
		r, err := flatc.Run(map[string][]byte{"old.fbs": []byte(b.before), "new.fbs": []byte(b.after)}, "--conform", "old.fbs", "new.fbs")
		if err != nil {
			t.Fatal(err)
		}
		text := strings.TrimSpace(r.Stderr + r.Stdout)
		if (r.Code != 0) != b.flatc {
			t.Errorf("%s: flatc exits with %d, the table says refused=%t: %s", b.name, r.Code, b.flatc, text)
		}
		worst := Note
		for _, d := range Compare(parse(t, b.before), parse(t, b.after)) {
			worst = max(worst, d.Severity)
		}
		if r.Code != 0 && worst == Note {
			t.Errorf("%s: flatc refuses it (%s), and nothing is said here", b.name, text)
		}
	}
}

func TestEverySchemaConformsToItself(t *testing.T) {
	for _, k := range formats.All() {
		s, err := k.Load()
		if err != nil {
			t.Fatal(err)
		}
		if found := Compare(s, s); len(found) > 0 {
			t.Errorf("%s: %+v", k.Name, found)
		}
	}
}

func TestNamesMatterToTextsAndSourceCode(t *testing.T) {
	for _, c := range []struct {
		before, after, kind string
		text, source        bool
	}{
		{`table T { a:int; }`, `table T { b:int; }`, "renamed", true, true},
		{`table T { a:int; }`, `table T { a:int; b:int; }`, "added", false, false},
		{`table T { a:int; }`, `table T { a:int (deprecated); }`, "deprecated", false, true},
		{`table T { a:int (deprecated); }`, `table T { a:int; }`, "deprecated", false, false},
		{`table T { a:int; }`, `table T { a:long; }`, "type", false, true},
		{`table T { a:int; }`, `table T { a:string; }`, "type", true, true},
		{`table T { a:double; }`, `table T { a:int; }`, "type", true, true},
		{`table T { a:int; }`, `table T { a:int = 5; }`, "default", true, false},
		{`table T { a:string; b:string; }`, `table T { b:string; a:string; }`, "id-changed", false, false},
		{`enum E:byte { A, B }`, `enum E:byte { B, A }`, "value-changed", false, false},
		{`enum E:byte { A, B }`, `enum E:byte { C, B }`, "renamed", true, true},
		{`enum E:byte { A, B }`, `enum E:byte { B }`, "value-changed", true, true},
	} {
		found := Compare(parse(t, c.before), parse(t, c.after))
		ok := false
		for _, d := range found {
			ok = ok || d.Kind == c.kind && d.Text == c.text && d.Source == c.source
		}
		if !ok {
			t.Errorf("%s and %s: %+v", c.before, c.after, found)
		}
	}
}
