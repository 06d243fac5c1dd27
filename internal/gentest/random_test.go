package gentest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/gogen"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema/fbs"
)

// randomSchema writes the text of a schema with everything in it that the
// generator treats apart, in random order and number; with plain only what flatc
// writes Go for as well.
func randomSchema(rng *rand.Rand, plain bool) string {
	choose := func(all string, plainly ...string) string {
		if !plain {
			plainly = append(plainly, strings.Split(all, "|")...)
		}
		return plainly[rng.IntN(len(plainly))]
	}
	var b strings.Builder
	p := func(layout string, args ...any) { fmt.Fprintf(&b, layout, args...) }
	scalars := []string{"bool", "byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"}
	pick := func(list []string) string { return list[rng.IntN(len(list))] }
	p("namespace rnd.n%d;\n", rng.IntN(9))
	enums := []string{"E0"}
	p("enum E0 : %s { A, B = 5, C }\n", pick(scalars[1:9]))
	if rng.IntN(2) == 0 {
		enums = append(enums, "E1")
		p("enum E1 : ulong (bit_flags) { A, B = 40, C = 63 }\n")
	}
	structs := []string{}
	for i := range 1 + rng.IntN(4) {
		align := ""
		if rng.IntN(4) == 0 {
			align = fmt.Sprintf(" (force_align: %d)", 8<<rng.IntN(2))
		}
		p("struct S%d%s {", i, align)
		key := rng.IntN(3)
		for j := range 1 + rng.IntN(6) {
			typ := pick(scalars)
			attr := ""
			switch {
			case j == key && typ != "bool":
				attr = " (key)"
			case len(structs) > 0 && rng.IntN(4) == 0:
				typ = pick(structs)
			case rng.IntN(5) == 0:
				typ = pick(enums)
			}
			if attr == "" && !plain && rng.IntN(4) == 0 {
				typ = fmt.Sprintf("[%s:%d]", typ, 1+rng.IntN(4))
			}
			p(" f%d: %s%s;", j, typ, attr)
		}
		p(" }\n")
		structs = append(structs, fmt.Sprintf("S%d", i))
	}
	tables := []string{"Root"}
	for i := range 2 + rng.IntN(4) {
		tables = append(tables, fmt.Sprintf("T%d", i))
	}
	if plain {
		p("union U { %s, %s, Again: %s }\n", tables[0], tables[1], tables[1])
	} else {
		p("union U { %s, %s, Str: string, St: %s, Again: %s }\n", tables[0], tables[1], pick(structs), tables[1])
	}
	for _, table := range tables {
		order := ""
		if rng.IntN(4) == 0 {
			order = " (original_order)"
		}
		p("table %s%s {\n", table, order)
		key := rng.IntN(6)
		for j := range 2 + rng.IntN(14) {
			name := fmt.Sprintf("field_%d", j)
			if j == key && table != "Root" {
				if rng.IntN(2) == 0 {
					p("  %s: string (key);\n", name)
				} else {
					p("  %s: %s (key);\n", name, pick(scalars[1:]))
				}
				continue
			}
			switch rng.IntN(14) {
			case 0, 1:
				p("  %s: %s = %d;\n", name, pick(scalars[1:]), rng.IntN(100))
			case 2:
				p("  %s: %s = null;\n", name, pick(scalars))
			case 3:
				p("  %s: E0 = %s;\n", name, pick([]string{"A", "B", "C", "null"}))
			case 4:
				p("  %s: string%s;\n", name, choose(" = \"x\\ty\"| (offset64)", "", " (required)"))
			case 5:
				p("  %s: %s%s;\n", name, pick(structs), pick([]string{"", " (required)"}))
			case 6:
				p("  %s: %s;\n", name, pick(tables))
			case 7:
				p("  %s: U;\n", name)
			case 8:
				if plain {
					p("  %s: U;\n", name)
				} else {
					p("  %s: [U];\n", name)
				}
			case 9:
				p("  %s: [%s]%s;\n", name, pick(scalars), choose(" = []| (offset64)| (vector64)", "", " (required)", " (force_align: 16)"))
			case 10:
				p("  %s: [%s]%s;\n", name, pick(structs), choose(" (vector64)", ""))
			case 11:
				p("  %s: [%s];\n", name, pick(append(tables, "string", enums[len(enums)-1])))
			case 12:
				p("  %s: [ubyte] (nested_flatbuffer: \"%s\"%s);\n", name, pick(tables), choose(", vector64", ""))
			case 13:
				p("  %s: %s (deprecated);\n", name, pick([]string{"int", "string", "[double]"}))
			}
		}
		p("}\n")
	}
	p("root_type Root;\n")
	return b.String()
}

const randomMain = `package random

import (
	"math/rand/v2"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/gentest/agree"
%s)

func TestRandom(t *testing.T) {
	var total agree.Counts
	run(t, &total)
	t.Logf("compared %%+v", total)
	if total.Tables < 1000 || total.Nested == 0 || total.Fixed == 0 || total.Dynamic < 1000 || withFlatc && total.Flatc < 1000 {
		t.Error("that is too little")
	}
}

// try compares random buffers. Types are those that flatc generated, nil where it
// cannot.
func try[T fbverify.View[T]](t *testing.T, name string, seed uint64, total *agree.Counts, types map[string]any) {
	t.Run(name, func(t *testing.T) {
		for i := range uint64(30) {
			rng := rand.New(rand.NewPCG(seed, i))
			v, err := fbverify.RootWithOptions[T](agree.Random[T](t, rng), nil)
			if err != nil {
				t.Fatalf("buffer %%d: %%v", i, err)
			}
			n := agree.Root(t, v)
			agree.Root(t, agree.Repack(t, v, nil))
			total.Tables += n.Tables
			total.Fields += n.Fields
			total.Fixed += n.Fixed
			total.Nested += n.Nested
			total.Dynamic += n.Dynamic
			if types != nil {
				total.Flatc += agree.Flatc(t, v, types).Flatc
			}
			if t.Failed() {
				t.Fatalf("in buffer %%d", i)
			}
		}
	})
}

const withFlatc = %t

func run(t *testing.T, total *agree.Counts) {
%s}
`

// TestRandomBuffersOfRandomSchemasReadTheSame generates packages for schemas made
// up on the spot, and compares views, fixed views, owned structs, the slots of the
// schema, package dynamic and, for every other schema, the accessors that flatc
// writes, on random buffers.
func TestRandomBuffersOfRandomSchemasReadTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles packages")
	}
	const schemas, seed = 4, 20
	repo := oracle.RepoRoot()
	sum, err := os.ReadFile(filepath.Join(repo, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	// A module of such a name may import what is internal here.
	const modulePath = "github.com/fbverify/go/random"
	dir := t.TempDir()
	put := func(name string, data []byte) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("go.sum", sum)
	put("go.mod", []byte("module "+modulePath+"\n\ngo 1.24.0\n\nrequire github.com/fbverify/go v0.0.0\n\nreplace github.com/fbverify/go => "+filepath.ToSlash(repo)+"\n"))
	var flatc *oracle.Flatc // nil where it is not installed
	t.Run("with flatc", func(t *testing.T) { flatc = oracle.NewFlatc(t) })
	var imports, calls strings.Builder
	for i := range schemas {
		plain := flatc != nil && i%2 == 1
		text := randomSchema(rand.New(rand.NewPCG(seed, uint64(i))), plain)
		s, err := fbs.Parse("random.fbs", []byte(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		pkg := fmt.Sprintf("r%d", i)
		files, err := gogen.Generate([]gogen.Input{{Name: "random.fbs", Schema: s}}, gogen.Options{Package: pkg, Fixed: true})
		if err != nil {
			t.Fatalf("%v for\n%s", err, text)
		}
		for _, f := range files {
			put(pkg+"/"+f.Name, f.Data)
		}
		fmt.Fprintf(&imports, "\t%q\n", modulePath+"/"+pkg)
		types := "nil"
		if plain {
			code, err := flatc.GenGo(map[string][]byte{"random.fbs": []byte(text)}, "random.fbs")
			if err != nil {
				t.Fatalf("%v for\n%s", err, text)
			}
			for name, data := range code {
				put(fmt.Sprintf("flatc%d/%s", i, path.Base(name)), data)
			}
			fmt.Fprintf(&imports, "\tflatc%d %q\n", i, fmt.Sprintf("%s/flatc%d", modulePath, i))
			types = "map[string]any{"
			for _, o := range s.Objects {
				types += fmt.Sprintf("%q: flatc%d.%s{}, ", o.ShortName(), i, o.ShortName())
			}
			types += "}"
		}
		fmt.Fprintf(&calls, "\ttry[%s.Root](t, %q, %d, total, %s)\n", pkg, pkg, i, types)
		if testing.Verbose() {
			t.Logf("%s:\n%s", pkg, text)
		}
	}
	put("random_test.go", fmt.Appendf(nil, randomMain, imports.String(), flatc != nil, calls.String()))
	for _, args := range [][]string{{"vet", "./..."}, {"test", "-v", "."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", args[0], err, out)
		}
		if args[0] == "test" && !strings.Contains(string(out), "compared") {
			t.Errorf("nothing was compared:\n%s", out)
		}
		t.Logf("go %s:\n%s", args[0], out)
	}
}
