package trust_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/internal/fbrand"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/internal/trust/trusttest"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

// objectWriter is a language for which flatc generates owned objects that are read
// from a buffer and packed into one.
type objectWriter struct {
	name  string
	flags []string // of flatc

	// few and most are numbers of schemas, without and with -seeds: what is generated
	// for them has to be compiled.
	few, most uint64

	can fbrand.SchemaOptions // and what flatc cannot generate for it
	// force says whether the generated code can force defaults.
	force bool
	// avoid changes the text of a schema where what is generated for it loses values or
	// does not compile.
	avoid *strings.Replacer
	// emptied says of a JSON value that the objects cannot tell it from an absent one.
	emptied func(v any) bool
	// build returns a program that reads and packs buffers of the schemas whose
	// generated code lies in the folders dir/s0, dir/s1, …
	build func(t *testing.T, dir string, schemas []*schema.Schema) *exec.Cmd
	// strict are the kinds of faults that Strict finds in what it writes.
	strict []fbverify.Kind
}

func never(any) bool { return false }

func empty(v any) bool { return v == "" || emptyVector(v) }

func emptyVector(v any) bool {
	list, ok := v.([]any)
	return ok && len(list) == 0
}

var objectWriters = []objectWriter{
	{
		name: "Python", flags: []string{"--python", "--gen-onefile"}, few: 6, most: 300, force: true, emptied: never,
		can: fbrand.SchemaOptions{NoWide: true, NoWideTags: true, NoUnionMembers: true},
		build: func(t *testing.T, dir string, schemas []*schema.Schema) *exec.Cmd {
			program, err := filepath.Abs("testdata/writers/objects.py")
			if err != nil {
				t.Fatal(err)
			}
			return oracle.Python(t, append([]string{program}, roots(dir, schemas)...)...)
		},
	},
	{
		name: "TypeScript", flags: []string{"--ts"}, few: 3, most: 100, emptied: emptyVector,
		can: fbrand.SchemaOptions{NoWide: true, NoWideTags: true, NoUnionMembers: true, NoNested: true, NoArrays: true},
		build: func(t *testing.T, dir string, schemas []*schema.Schema) *exec.Cmd {
			if err := os.CopyFS(dir, os.DirFS("testdata/writers/js")); err != nil {
				t.Fatal(err)
			}
			return oracle.Node(t, dir, append([]string{"objects.mjs"}, roots(dir, schemas)...)...)
		},
		// The default 0 of flags is taken for the first flag.
		avoid: strings.NewReplacer(" (bit_flags) {", " {"),
		// A table's only struct is written before the table is started.
		strict: []fbverify.Kind{fbverify.ErrTableSize},
	},
	{
		name: "Go", flags: []string{"--go"}, few: 3, most: 40, emptied: empty,
		can:   fbrand.SchemaOptions{NoWide: true, NoWideTags: true, NoUnionMembers: true, NoArrays: true, OneNamespace: true},
		build: buildGoObjects, strict: []fbverify.Kind{fbverify.ErrTableSize},
	},
	{
		name: "Rust", flags: []string{"--rust"}, few: 1, most: 12, force: true, emptied: never,
		can:   fbrand.SchemaOptions{NoWide: true, NoWideTags: true, NoUnionMembers: true, NoKeys: true, OneNamespace: true},
		build: buildRustObjects,
	},
	{
		name: "C++", flags: []string{"--cpp"}, few: 1, most: 12, force: true, emptied: empty,
		can:   fbrand.SchemaOptions{NoWide: true, OneNamespace: true},
		build: buildCPPObjects,
		// What is padded with more than 15 bytes does not compile.
		avoid: strings.NewReplacer("force_align: 32", "force_align: 16"),
		// An empty vector is not aligned for its elements.
		strict: []fbverify.Kind{fbverify.ErrMisaligned},
	},
}

// roots lists each schema's folder and root table.
func roots(dir string, schemas []*schema.Schema) (args []string) {
	for i, s := range schemas {
		args = append(args, filepath.Join(dir, fmt.Sprint("s", i)), s.Root.Name)
	}
	return args
}

// prune takes out of JSON what the objects do not know from an absent field.
func prune(v any, emptied func(any) bool) any {
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			if e = prune(e, emptied); e == nil || emptied(e) {
				delete(v, name)
			}
		}
	case []any:
		for i := range v {
			v[i] = prune(v[i], emptied)
		}
	}
	return v
}

func pruned(t *testing.T, text []byte, emptied func(any) bool) []byte {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	text, err := json.Marshal(prune(v, emptied))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestWhatObjectsPackIsAccepted reads random buffers of random schemas into the
// objects that flatc generates (--gen-object-api), and packs them again.
func TestWhatObjectsPackIsAccepted(t *testing.T) {
	for _, w := range objectWriters {
		t.Run(w.name, w.test)
	}
}

func (w *objectWriter) test(t *testing.T) {
	long(t)
	flatc := oracle.NewFlatc(t)
	dir := t.TempDir()
	var schemas []*schema.Schema
	var orders []*order
	var input strings.Builder
	first, end := trusttest.Seeds(w.few)
	for seed := first; seed < min(end, first+w.most); seed++ {
		r := fbrand.NewRand(seed)
		text, _ := fbrand.Schema(r, w.can)
		// All that C++ compiles together needs names of its own.
		own := strings.NewReplacer("namespace rnd;", "namespace "+space(len(schemas))+";", "rnd.", space(len(schemas))+".")
		text = own.Replace(text)
		if w.avoid != nil {
			text = w.avoid.Replace(text)
		}
		sch, err := fbs.Parse("random.fbs", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		typ := trusttest.Compile(t, sch)
		w.generate(t, flatc, text, filepath.Join(dir, fmt.Sprint("s", len(schemas))))
		for range 30 {
			b := fbrand.ForSchema(r, sch, sch.Root, fbrand.BufferOptions{Objects: 1 + r.IntN(80)})
			m, err := dynamic.Root(typ, b.Bytes, nil)
			if err != nil {
				t.Fatal(err)
			}
			o := &order{schema: text, json: &dynamic.JSONOptions{Defaults: true}}
			o.typ, o.name = typ, fmt.Sprintf("seed %d", seed)
			o.script = trusttest.Dump(b.Bytes)
			if o.want, err = dynamic.AppendJSON(nil, m, o.json); err != nil {
				t.Fatal(err)
			}
			o.want = pruned(t, o.want, w.emptied)
			o.same = func(text []byte) []byte { return pruned(t, text, w.emptied) }
			identifier := ""
			if r.IntN(2) == 0 {
				identifier = sch.FileIdentifier
			}
			if r.IntN(3) == 0 {
				o.prefix = 4
			}
			fmt.Fprintf(&input, "%d %d %d x%x x%x\n", len(schemas), flag01(o.prefix > 0), flag01(w.force && r.IntN(2) == 0), identifier, b.Bytes)
			orders = append(orders, o)
		}
		schemas = append(schemas, sch)
	}
	// What generated code gives up on, with an exception or an assertion of its own, is
	// no buffer, and nothing that a verifier meets.
	written, packed := []*order(nil), [][]byte(nil)
	for i, buf := range drive(t, w.build(t, dir, schemas), input.String()) {
		if len(buf) > 0 {
			written, packed = append(written, orders[i]), append(packed, buf)
		}
	}
	t.Logf("%d schemas, %d buffers to be packed, of which the generated code gives up on %d", len(schemas), len(orders), len(orders)-len(written))
	if len(written) < len(orders)/2 {
		t.Error("too few buffers were written to have shown anything")
	}
	checkAll(t, written, packed, w.strict)
}

// space is the namespace of a schema that flatc generates code for.
func space(i int) string { return fmt.Sprintf("rnd%c%c", 'a'+i/26, 'a'+i%26) }

// generate writes what flatc generates into a folder.
func (w *objectWriter) generate(t *testing.T, flatc *oracle.Flatc, text, dir string) {
	t.Helper()
	args := append(slices.Clip(w.flags), "--gen-object-api", "-o", "out", "random.fbs")
	result, err := flatc.Run(map[string][]byte{"random.fbs": []byte(text)}, args...)
	if err != nil {
		t.Fatal(err)
	}
	if result.Code != 0 {
		t.Fatalf("flatc: %s%s\n%s", result.Stdout, result.Stderr, text)
	}
	for name, data := range result.Files {
		put(t, filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(name, "out/"))), data)
	}
}

func put(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func buildGoObjects(t *testing.T, dir string, schemas []*schema.Schema) *exec.Cmd {
	var imports, packs strings.Builder
	for i, s := range schemas {
		fmt.Fprintf(&imports, "s%d \"objects/s%d/%s\"\n", i, i, space(i))
		name := s.Root.ShortName()
		fmt.Fprintf(&packs, "func(b *flatbuffers.Builder, buf []byte) flatbuffers.UOffsetT { return s%d.GetRootAs%s(buf, 0).UnPack().Pack(b) },\n", i, name)
	}
	main, err := os.ReadFile("testdata/writers/go/main.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "main.go"), main)
	put(t, filepath.Join(dir, "packs.go"), fmt.Appendf(nil, "package main\n\nimport (\n\tflatbuffers \"github.com/google/flatbuffers/go\"\n%s)\n\n"+
		"var packs = []func(b *flatbuffers.Builder, buf []byte) flatbuffers.UOffsetT{\n%s}\n", imports.String(), packs.String()))
	version := strings.TrimSpace(string(command(t, ".", "go", "list", "-m", "-f", "{{.Version}}", "github.com/google/flatbuffers")))
	put(t, filepath.Join(dir, "go.mod"), fmt.Appendf(nil, "module objects\n\ngo 1.24.0\n\nrequire github.com/google/flatbuffers %s\n", version))
	sums, err := os.ReadFile(path.Join(oracle.RepoRoot(), "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "go.sum"), sums)
	command(t, dir, "go", "build", "-o", "objects.exe", ".")
	return exec.Command(filepath.Join(dir, "objects.exe"))
}

func buildRustObjects(t *testing.T, dir string, schemas []*schema.Schema) *exec.Cmd {
	if err := os.CopyFS(dir, os.DirFS("testdata/writers/rust")); err != nil {
		t.Fatal(err)
	}
	cargo := oracle.Cargo(t, dir)
	var mods, packs strings.Builder
	for i, s := range schemas {
		files, err := filepath.Glob(filepath.Join(dir, fmt.Sprint("s", i), "*.rs"))
		if err != nil || len(files) != 1 {
			t.Fatalf("flatc wrote %v, %v", files, err)
		}
		fmt.Fprintf(&mods, "#[allow(warnings, clippy::all)]\n#[path = %q]\nmod s%d;\n", filepath.ToSlash(files[0]), i)
		// The crate's verifier refuses some of what is right: see the table of differences.
		fmt.Fprintf(&packs, "    |b, buf| unsafe { flatbuffers::root_unchecked::<s%d::%s::%s>(buf) }.unpack().pack(b).value(),\n", i, space(i), s.Root.ShortName())
	}
	put(t, filepath.Join(dir, "src", "packs.rs"), fmt.Appendf(nil, "%s\npub const PACKS: [crate::Pack; %d] = [\n%s];\n", mods.String(), len(schemas), packs.String()))
	command(t, dir, cargo, "build", "--locked", "--quiet", "--bin", "objects")
	return exec.Command(filepath.Join(dir, "target", "debug", "objects"))
}

func buildCPPObjects(t *testing.T, dir string, schemas []*schema.Schema) *exec.Cmd {
	var includes, packs strings.Builder
	for i, s := range schemas {
		fmt.Fprintf(&includes, "#include \"s%d/random_generated.h\"\n", i)
		fmt.Fprintf(&packs, "    PackAgain<%s::%s>,\n", space(i), s.Root.ShortName())
	}
	put(t, filepath.Join(dir, "packs.h"), fmt.Appendf(nil, "%s\nconst Pack packs[] = {\n%s};\n", includes.String(), packs.String()))
	return buildCPP(t, dir, "objects.cc")
}

// buildCPP compiles a program of testdata with the headers of the FlatBuffers module
// and of dir.
func buildCPP(t *testing.T, dir, source string) *exec.Cmd {
	t.Helper()
	tree := strings.TrimSpace(string(command(t, ".", "go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/flatbuffers")))
	program := filepath.Join(dir, "program")
	command(t, ".", oracle.Tool(t, "g++"), "-std=c++17", "-I"+filepath.Join(tree, "include"), "-I"+dir, "-o", program, "testdata/writers/cpp/"+source)
	return exec.Command(program)
}
