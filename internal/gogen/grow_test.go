package gogen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// exports returns what generated files export, methods and fields included, and how it is
// declared. The constants that stand for schema files are left out: they are to change.
func exports(t *testing.T, files []File) map[string]string {
	t.Helper()
	all := map[string]string{}
	add := func(name, signature string) {
		if last := name[strings.LastIndexByte(name, '.')+1:]; ast.IsExported(last) && !strings.HasPrefix(last, "SchemaT_") {
			all[name] = signature
		}
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name, ".go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Data, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				if d.Recv != nil {
					name = strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*") + "." + name
				}
				add(name, types.ExprString(d.Type))
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
	return all
}

const growing = `namespace z;
enum Mood : byte { Sad = 3, Glad = 9 }
struct Spot { x: float; y: float; }
table Item { id: int; label: string; }
union Thing { Item, Spot, word: string }
table Hero { name: string; items: [Item]; thing: Thing; things: [Thing]; mood: Mood = Glad; spots: [Spot]; maybe: int = null; raw: [ubyte]; }
`

var wayOut = regexp.MustCompile(`-name ([\w.]+)=(\w+)`)

// Each name that is exported is tried as the name of a table, struct, enum and union that is
// added, in a namespace before and after: either all stays as it was, or there is an error, and
// what it says to do makes all stay as it was.
func TestNoNameChangesWhenATypeTakesOne(t *testing.T) {
	for mode, opts := range map[string]Options{"own names": {Package: "p", Fixed: true}, "flatc's names": {Package: "p", Flatc: true}} {
		t.Run(mode, func(t *testing.T) {
			generate := func(text string, names map[string]string) (map[string]string, error) {
				o := opts
				o.TypeNames = names
				files, err := Generate([]Input{{Name: "t.fbs", Schema: parse(t, text)}}, o)
				if err != nil {
					return nil, err
				}
				return exports(t, files), nil
			}
			before, err := generate(growing, nil)
			if err != nil {
				t.Fatal(err)
			}
			refused := 0
			for i, name := range slices.Sorted(maps.Keys(before)) {
				if strings.Contains(name, ".") {
					continue
				}
				others := []string{"struct @ { x: int; }", "enum @ : byte { A }", "table M_ { x: int; } union @ { M_ }"}
				for j, declared := range []string{"table @ { x: int; }", others[i%3]} {
					namespace := []string{"a", "zz"}[(i+j)%2]
					text := growing + "namespace " + namespace + ";\n" + strings.ReplaceAll(declared, "@", name) + "\n"
					after, err := generate(text, nil)
					if err != nil {
						refused++
						names := map[string]string{}
						for _, m := range wayOut.FindAllStringSubmatch(err.Error(), -1) {
							if m[1] == "z."+name { // which of two of one name is new, nobody can tell
								m = []string{"", namespace + "." + name, "Added"}
							}
							names[m[1]] = m[2]
							if !strings.HasPrefix(m[1], namespace+".") {
								t.Errorf("%s: the error says to call %s otherwise, which was there before: %v", text, m[1], err)
							}
						}
						if after, err = generate(text, names); err != nil {
							t.Errorf("%s and %v: %v", text, names, err)
							continue
						}
					}
					for name, signature := range before {
						if after[name] != signature {
							t.Errorf("%s: %s was %q and is %q", text, name, signature, after[name])
						}
					}
				}
			}
			if refused == 0 {
				t.Error("no name of a type is the name of what is made of another")
			}
		})
	}
}

// What types get later changes no name of what they had: values of enums and members of
// unions that are called as what lists them, fields that are called as methods, keys, an identifier.
func TestNoNameChangesWhenATypeGrows(t *testing.T) {
	grown := strings.NewReplacer(
		"Glad = 9", "Glad = 9, Values, String, Parse, T, Vector, Value",
		"word: string", "word: string, Values: string, T: Item, Value: Spot, Vector: string, Kind: string, Unpack: Item",
		"id: int;", "id: int (key);",
		"raw: [ubyte];", `raw: [ubyte]; has_name: bool; name_view: int; Name: string; nameField: [int]; name_field: [string]; has_raw: int;
			key_compare: int; add_name: int; start: int; end: int; lookup: int; items_by_key: int; pack: int; string: string; items_view: [int];`,
		"namespace z;", "namespace z; // and more",
	).Replace(growing) + "root_type Hero; file_identifier \"HERO\";\n"
	for mode, opts := range map[string]Options{"own names": {Package: "p", Fixed: true}, "flatc's names": {Package: "p", Flatc: true}} {
		t.Run(mode, func(t *testing.T) {
			var all []map[string]string
			for _, text := range []string{growing, grown} {
				files, err := Generate([]Input{{Name: "t.fbs", Schema: parse(t, text)}}, opts)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, exports(t, files))
			}
			for name, signature := range all[0] {
				if all[1][name] != signature {
					t.Errorf("%s was %q and is %q", name, signature, all[1][name])
				}
			}
		})
	}
}
