package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Three namespaces in three files, each with a package of its own. The types of the
// others are used in every way that there is: in fields, vectors with and without keys,
// keys, unions, enums, nested buffers and structs.
const (
	packagesBase = `namespace world.base;
enum Color : ubyte { Red, Green }
struct Spot { x: int; y: int; }
struct Stamp { id: uint (key); at: Spot; }
table Header { name: string (key); color: Color; EXTRA }
table Plain { n: int; }
union Either { Header, Text: string, Spot }
table Has { either: Either; }
`
	packagesItems = `include "base.fbs";
namespace world.items;
table Sword { damage: int = 1; mark: base.Spot; KEY }
table BySpot { at: base.Spot (key); }
union Item { Sword, base.Header, Spot: base.Spot }
table Chest { item: Item; items: [Item]; swords: [Sword]; color: base.Color = Red; }
`
	packagesGame = `include "items.fbs";
include "base.fbs";
namespace world.game;
table Hero {
  header: base.Header (required);
  headers: [base.Header];
  plains: [base.Plain];
  stamps: [base.Stamp];
  spots: [base.Spot];
  either: base.Either;
  eithers: [base.Either];
  places: [items.BySpot];
  chest: items.Chest;
  colors: [base.Color];
  color: base.Color = null;
  letter: [ubyte] (nested_flatbuffer: "base.Header");
}
root_type Hero;
`
	packagesUse = `package main

import (
	"fmt"

	"example.test/shop/base"
	"example.test/shop/game"
	"example.test/shop/items"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	flatbuffers "github.com/google/flatbuffers/go"
)

func names(headers base.HeaderVector) (all []string) {
	for h := range headers.Values() {
		all = append(all, h.Name())
	}
	return all
}

func describe(e base.EitherValue) string {
	if h, ok := e.AsHeader(); ok {
		return h.Name()
	}
	return e.String()
}

func main() {
	letter := flatbuffers.NewBuilder(0)
	base.FinishHeaderBuffer(letter, (&base.HeaderT{Name: "letter"}).Pack(letter))
	green := base.ColorGreen
	hero := &game.HeroT{
		Header:  &base.HeaderT{Name: "hero", Color: base.ColorRed},
		Headers: []*base.HeaderT{{Name: "b"}, {Name: "a"}},
		Plains:  []*base.PlainT{{N: 3}},
		Stamps:  []base.Stamp{{ID: 9}, {ID: 2, At: base.Spot{X: 1}}},
		Either:  &base.EitherT{Type: base.EitherSpot, Value: base.Spot{X: 5}},
		Eithers: []*base.EitherT{{Type: base.EitherText, Value: "t"}, {Type: base.EitherHeader, Value: &base.HeaderT{Name: "e"}}},
		Places:  []*items.BySpotT{{At: &base.Spot{X: 2}}, {At: &base.Spot{X: 1, Y: 7}}},
		Chest:   &items.ChestT{Item: &items.ItemT{Type: items.ItemSpot, Value: base.Spot{Y: 4}}, Swords: []*items.SwordT{{Damage: 8}}},
		Colors:  []base.Color{base.ColorGreen},
		Color:   &green,
		Letter:  letter.FinishedBytes(),
	}
	b := flatbuffers.NewBuilder(0)
	game.FinishHeroBuffer(b, hero.Pack(b))
	v, err := fbverify.Root[game.Hero](b.FinishedBytes())
	if err != nil {
		panic(err)
	}
	h := v.Root()
	inner, _ := h.LetterRoot()
	stamp, _ := h.Stamps().Lookup(2)
	place, _ := h.Places().Lookup(base.Spot{X: 1, Y: 7})
	spot, _ := place.At()
	var header base.Header = h.Header()
	fmt.Println(header.Name(), names(h.Headers()), inner.Root().Name(), stamp.At.X, spot.Y, h.Plains().At(0).N())
	fmt.Println(describe(h.Either()), describe(h.Eithers().At(1)), h.Chest().Item(), h.Chest().Swords().At(0).Damage())
	fmt.Println(dynamic.Of(h).Value("header").Table().Value("name"), h.Unpack().Eithers[1].Value.(*base.HeaderT).Name)
}
`
	packagesOutput = `hero [a b] letter 1 7 3
{"type":"Spot","value":{"x":5,"y":0}} e {"type":"Spot","value":{"x":0,"y":4}} 8
hero e
`
)

// packagesRun generates the three packages, with words put in for EXTRA and KEY.
func packagesRun(t *testing.T, extra, key string) {
	t.Helper()
	for name, text := range map[string]string{"base.fbs": packagesBase, "items.fbs": packagesItems, "game.fbs": packagesGame} {
		if err := os.WriteFile(name, []byte(strings.NewReplacer("EXTRA", extra, "KEY", key).Replace(text)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const of = "=example.test/shop/"
	mustRun(t, "base.fbs")
	mustRun(t, "-map", "base.fbs"+of+"base", "items.fbs")
	mustRun(t, "-map", "base.fbs"+of+"base", "-map", "items.fbs"+of+"items", "game.fbs")
}

func TestThreeNamespacesInThreePackagesShareTheirTypes(t *testing.T) {
	run := module(t, map[string]string{"main.go": packagesUse})
	packagesRun(t, "", "")
	if out, err := run("vet", "./..."); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := run("run", ".")
	if err != nil || out != packagesOutput {
		t.Errorf("%v, got:\n%s\nwant:\n%s", err, out, packagesOutput)
	}
	before := exported(t, "base", "items", "game")

	// Another namespace with the same names, and keys where there were none.
	if err := os.WriteFile("other.fbs", []byte(`include "base.fbs";
namespace world.other;
table Header { n: int; own: base.Header; }
table Sword { h: [Header]; }
enum Color : int { Blue }
struct Spot { z: double; }
`), 0o666); err != nil {
		t.Fatal(err)
	}
	packagesRun(t, "added: ulong;", "id: int (key);")
	mustRun(t, "-map", "base.fbs=example.test/shop/base", "other.fbs")
	if out, err := run("vet", "./..."); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := run("run", "."); err != nil || out != packagesOutput {
		t.Errorf("%v, got:\n%s\nwant:\n%s", err, out, packagesOutput)
	}
	after := exported(t, "base", "items", "game")
	for name, signature := range before {
		if after[name] != signature {
			t.Errorf("%s was %q and is %q", name, signature, after[name])
		}
	}
	if len(after) <= len(before) {
		t.Error("nothing was added")
	}
}

// exported returns what is exported by packages, methods included, and how it is
// declared. Constants that stand for a file are to change with it.
func exported(t *testing.T, packages ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, dir := range packages {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			add := func(name, signature string) {
				if word := name[strings.LastIndexByte(name, '.')+1:]; ast.IsExported(word) && !(strings.HasPrefix(word, "Schema") && strings.Contains(word, "_")) {
					all[dir+"."+name] = signature
				}
			}
			for _, d := range file.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					receiver := ""
					if d.Recv != nil {
						receiver = strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*") + "."
					}
					add(receiver+d.Name.Name, types.ExprString(d.Type))
				case *ast.GenDecl:
					for _, s := range d.Specs {
						switch s := s.(type) {
						case *ast.TypeSpec:
							add(s.Name.Name, "type")
							if st, ok := s.Type.(*ast.StructType); ok {
								for _, f := range st.Fields.List {
									for _, name := range f.Names {
										add(s.Name.Name+"."+name.Name, types.ExprString(f.Type))
									}
								}
							}
						case *ast.ValueSpec:
							for _, name := range s.Names {
								add(name.Name, "value")
							}
						}
					}
				}
			}
		}
	}
	return all
}

func TestPackagesOfOtherDefinitionsDoNotCompileTogether(t *testing.T) {
	run := module(t, map[string]string{"main.go": packagesUse})
	packagesRun(t, "", "")
	text := read(t, "base.fbs")
	if err := os.WriteFile("base.fbs", []byte(strings.Replace(text, "table Plain { n: int; }", "table Plain { n: int; more: string; }", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "base.fbs") // and the others are not made anew
	out, err := run("build", "./...")
	if err == nil || !strings.Contains(out, "undefined: base.SchemaBase_") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestTwoTypesOfOneNameAreAnErrorThatSaysWhatToDo(t *testing.T) {
	put(t, map[string]string{"two.fbs": "namespace a.b; table Thing { x: int; } namespace a.c; table Thing { x: int; b: a.b.Thing; }\n"})
	status, _, stderr := fbgen(t, "two.fbs")
	if status != 1 || !strings.Contains(stderr, "a.b.Thing and a.c.Thing would both be called Thing") || !strings.Contains(stderr, "-name a.c.Thing=ACThing") {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	mustRun(t, "-name", "a.c.Thing=ACThing", "two.fbs")
	if views := read(t, filepath.Join("two", "fb_views.go")); !strings.Contains(views, "func (v ACThing) B() Thing") {
		t.Errorf("got\n%s", views)
	}
	if err := os.WriteFile("one.fbs", []byte("namespace a.c; table Thing { x: int; }"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-name", "a.c.Nothing=X"}, "no type a.c.Nothing"},
		{[]string{"-name", "a.c.Thing=thing"}, "no exported name"},
		{[]string{"-name", "a.c.Thing"}, "want TYPE=GO"},
		{[]string{"-map", "three.fbs=x/y"}, "declared in one.fbs"},
		{[]string{"-map", "one.fbs"}, "want FILE=PATH"},
	} {
		if status, _, stderr := fbgen(t, append(c.args, "one.fbs")...); status == 0 || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit status %d: %s", c.args, status, stderr)
		}
	}
}

// TestNamesWithAMeaningInGo has a field of each name that fmt, encoding, errors and
// others look for, and of those of views and owned structs. The code is vetted, and no
// view is an error or prints as a field.
func TestNamesWithAMeaningInGo(t *testing.T) {
	run := module(t, nil)
	words := strings.Fields(`String GoString Error Is As Unwrap Format Scan IsZero MarshalJSON UnmarshalJSON MarshalText UnmarshalText
		MarshalBinary UnmarshalBinary MarshalXML UnmarshalXML GobEncode GobDecode AppendText AppendBinary ReadByte WriteByte UnreadByte
		ReadRune UnreadRune WriteTo ReadFrom Seek Peek Len Less Swap Read Write Close Timeout Temporary Hash Equal Compare Key Value Lookup At All
		FlatBuffersType Present Unpack Pack SwapBytes Fixed View Kind Reset ProtoMessage HasString HasName Name LogValue Err Error2 Root Bytes`)
	var table, structs, tables, members strings.Builder
	for i, w := range words {
		for _, spelled := range []string{w, strings.ToLower(w[:1]) + w[1:]}[:1+i%2] {
			table.WriteString("  " + spelled + ": string;\n")
		}
		structs.WriteString("  " + w + ": int;\n")
		if i > 0 {
			members.WriteString(", ")
		}
		members.WriteString(w + "Of: string")
		tables.WriteString("table T" + w + " { " + w + ": T" + w + "; s: S; u: U; v: [U]; }\n")
	}
	schema := "struct S {\n" + structs.String() + "}\nunion U { " + members.String() + " }\n" +
		"table Every {\n" + table.String() + "  s: S; u: U; us: [U]; alls: [Every];\n}\n" + tables.String() + "root_type Every;\n"
	if err := os.WriteFile("words.fbs", []byte(schema), 0o666); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "-fixed", "words.fbs")
	if out, err := run("vet", "./..."); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := exported(t, "words")
	for name, want := range map[string]string{
		"Every.StringField": "func() string", "Every.ErrorField": "func() string", "Every.MarshalJSONField": "func() string", "Every.Is": "func() string",
		"Every.Format": "func() string", "Every.String": "func() string", "Every.HasStringField": "func() bool", "EveryT.StringField": "string",
		"S.StringField": "int32", "Every.MarshalJSON": "func() ([]byte, error)",
	} {
		if got["words."+name] != want {
			t.Errorf("%s is %q, want %q; there are %v", name, got["words."+name], want, slices.Sorted(maps.Keys(got))[:20])
		}
	}
	if got["words.Every.Error"] != "" || got["words.Every.GoString"] != "" {
		t.Error("a view is an error, or prints as a field")
	}
}
