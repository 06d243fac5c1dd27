package fbs

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/bfbs"
	"github.com/fbverify/go/schema/internal/schematest"
)

// fbsTree is a folder with schemas, and the search path they need.
type fbsTree struct {
	name    string
	fsys    fs.FS
	include []string
}

// fbsTrees are the schemas that parser and flatc are compared on.
func fbsTrees(t testing.TB) []fbsTree {
	t.Helper()
	trees := []fbsTree{
		{"language", os.DirFS("testdata/language"), []string{"search"}},
		{"formats", os.DirFS("../formats"), nil},
		{"inputs", os.DirFS("../../internal/inputs"), nil},
	}
	if dir := upstreamDir(); dir != "" {
		trees = append(trees, fbsTree{"upstream", os.DirFS(dir), []string{"tests", "tests/include_test"}})
	} else {
		t.Log("without the flatbuffers module's own schemas: it is not in the module cache")
	}
	return trees
}

// upstreamDir returns the source tree of FlatBuffers, which lies in the module
// cache beside the Go runtime, or "".
func upstreamDir() string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/flatbuffers").Output()
	if err != nil {
		return ""
	}
	dir := strings.TrimSpace(string(out))
	if _, err := os.Stat(filepath.Join(dir, "tests", "monster_test.fbs")); err != nil {
		return ""
	}
	return dir
}

// files returns all .fbs files of the tree, under a folder "in". (In the root of
// its file system flatc cuts the first letter off the names of files elsewhere.)
func (tree fbsTree) files(t testing.TB) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := fs.WalkDir(tree.fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(p) != ".fbs" {
			return err
		}
		text, err := fs.ReadFile(tree.fsys, p)
		files["in/"+p] = text
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d schemas: %v", len(files), err)
	}
	return files
}

func (tree fbsTree) names(t testing.TB) []string {
	var names []string
	for name := range tree.files(t) {
		names = append(names, strings.TrimPrefix(name, "in/"))
	}
	sort.Strings(names)
	return names
}

func (tree fbsTree) parse(name string) (*schema.Schema, error) {
	return Options{Include: tree.include}.ParseFS(tree.fsys, name)
}

func TestSchemasReadAsFlatcReadsThem(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	for _, tree := range fbsTrees(t) {
		files := tree.files(t)
		var include []string
		for _, p := range tree.include {
			include = append(include, "in/"+p)
		}
		accepted := 0
		for _, name := range tree.names(t) {
			t.Run(tree.name+"/"+name, func(t *testing.T) {
				ours, err := tree.parse(name)
				binary, flatcErr := flatc.BFBS(files, "in/"+name, include...)
				if (err == nil) != (flatcErr == nil) {
					t.Fatalf("this parser: %v\nflatc: %v", err, flatcErr)
				}
				if err != nil {
					return
				}
				accepted++
				theirs := mustLoad(t, binary)
				cleanFiles(ours, path.Dir(name))
				cleanFiles(theirs, path.Dir(name))
				for _, d := range differencesOfBFBS(ours, theirs) {
					t.Error(d)
				}
			})
		}
		if accepted == 0 {
			t.Errorf("%s: no schema was accepted", tree.name)
		}
	}
}

// differencesOfBFBS compares a schema with what a .bfbs of it can hold. flatc
// writes 0 there for a default of a ulong that no long can hold.
func differencesOfBFBS(ours, theirs *schema.Schema) []string {
	for _, o := range ours.Objects {
		for _, f := range o.Fields {
			if f.Type.Base == schema.ULong && f.DefaultInteger < 0 {
				f.DefaultInteger = 0
			}
		}
	}
	return schema.Comparison{Limit: 20, OnlyBinary: true}.Differences(ours, theirs)
}

// cleanFiles makes the names of files, which are relative to the folder of the
// first one, plain paths: flatc keeps all the ".." of the includes that led to
// them, and so may list a file twice.
func cleanFiles(s *schema.Schema, folder string) {
	clean := func(name *string) { *name = path.Join("root", folder, strings.TrimPrefix(*name, "//")) }
	for _, o := range s.Objects {
		clean(&o.DeclarationFile)
	}
	for _, e := range s.Enums {
		clean(&e.DeclarationFile)
	}
	for _, v := range s.Services {
		clean(&v.DeclarationFile)
	}
	for i := range s.Files {
		clean(&s.Files[i].Name)
		for j := range s.Files[i].Includes {
			clean(&s.Files[i].Includes[j])
		}
		slices.Sort(s.Files[i].Includes)
		s.Files[i].Includes = slices.Compact(s.Files[i].Includes)
	}
}

func TestParsedSchemasPassTheCheck(t *testing.T) {
	for _, tree := range fbsTrees(t) {
		for _, name := range tree.names(t) {
			if s, err := tree.parse(name); err == nil {
				if err := s.Check(); err != nil {
					t.Errorf("%s/%s: %v", tree.name, name, err)
				}
			} else if tree.name != "upstream" {
				t.Errorf("%s/%s: %v", tree.name, name, err)
			}
		}
	}
}

func TestWrittenSchemasReadBackTheSame(t *testing.T) {
	for _, tree := range fbsTrees(t) {
		for _, name := range tree.names(t) {
			s, err := tree.parse(name)
			if err != nil {
				continue
			}
			t.Run(tree.name+"/"+name, func(t *testing.T) { readBack(t, s) })
		}
	}
}

// readBack writes the schema, reads it and compares, without the help that
// Write gives itself, and returns the text.
func readBack(t testing.TB, s *schema.Schema) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, s); err != nil {
		t.Fatal(err)
	}
	back, err := Parse("back.fbs", b.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, b.Bytes())
	}
	back.Files = s.Files
	for i, o := range back.Objects {
		o.DeclarationFile = s.Objects[i].DeclarationFile
	}
	for i, e := range back.Enums {
		e.DeclarationFile = s.Enums[i].DeclarationFile
	}
	for i, v := range back.Services {
		v.DeclarationFile = s.Services[i].DeclarationFile
	}
	if d := schema.Differences(s, back, 10); d != nil {
		t.Errorf("%s\n%s", strings.Join(d, "\n"), b.Bytes())
	}
	return b.Bytes()
}

func TestFlatcReadsWhatIsWritten(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	for _, tree := range fbsTrees(t) {
		for _, name := range tree.names(t) {
			s, err := tree.parse(name)
			if err != nil {
				continue
			}
			t.Run(tree.name+"/"+name, func(t *testing.T) {
				text := readBack(t, s)
				binary, err := flatc.BFBS(map[string][]byte{"in/back.fbs": text}, "in/back.fbs")
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				back, err := Parse("back.fbs", text)
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range differencesOfBFBS(back, mustLoad(t, binary)) {
					t.Error(d)
				}
			})
		}
	}
}

func TestSchemasFromBFBSReadBackTheSame(t *testing.T) {
	for name, b := range schematest.CorpusSchemas(t) {
		t.Run(name, func(t *testing.T) { readBack(t, mustLoad(t, b)) })
	}
}

// By default flatc leaves built-in attributes out of a .bfbs.
func TestSchemasFromBFBSWithoutBuiltinsReadBackTheSame(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	for _, tree := range fbsTrees(t) {
		files := tree.files(t)
		args := []string{"--binary", "--schema", "-o", "out"}
		for _, p := range tree.include {
			args = append(args, "-I", "in/"+p)
		}
		for _, name := range tree.names(t) {
			parsed, err := tree.parse(name)
			if err != nil {
				continue
			}
			t.Run(tree.name+"/"+name, func(t *testing.T) {
				result, err := flatc.Run(files, append(args, "in/"+name)...)
				if err != nil || len(result.Files) != 1 {
					t.Fatalf("%v\n%+v", err, result)
				}
				for _, b := range result.Files {
					s := mustLoad(t, b)
					if s.Features&schema.DefaultVectorsAndStrings == 0 { // what these are is lost
						readBack(t, s)
					}
					for i, o := range s.Objects {
						for j, f := range o.Fields {
							sameFieldAttributes(t, o, f, parsed.Objects[i].Fields[j])
						}
					}
				}
			})
		}
	}
}

// sameFieldAttributes compares the built-in attributes that a .bfbs tells of in
// other ways.
func sameFieldAttributes(t *testing.T, o *schema.Object, f, parsed *schema.Field) {
	t.Helper()
	for _, key := range []string{"deprecated", "key", "offset64", "vector64"} {
		_, got := f.Attribute(key)
		_, want := parsed.Attribute(key)
		want = want && !(key == "offset64" && f.Type.Base == schema.Vector64) // which says it all
		if got != want {
			t.Errorf("%s.%s: whether it has the attribute %s is %v; in the .fbs it is %v", o.Name, f.Name, key, got, want)
		}
	}
}

func mustLoad(t testing.TB, b []byte) *schema.Schema {
	t.Helper()
	s, err := bfbs.Load(b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
