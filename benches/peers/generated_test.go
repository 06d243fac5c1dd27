// Package peers holds the other implementations that this one is held against.
//
// What they need of generated code is written by flatc itself and kept here, so
// that a peer builds with nothing but its own compiler. The test in this folder
// says whether it is still what flatc writes for the schemas in schema/; run it
// with -update to write it again.
package peers

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
)

var update = flag.Bool("update", false, "write the generated code instead of comparing it")

// generated lists what the peers need: the schema files of each format, and the
// languages.
var generated = []struct {
	format    string
	schemas   []string // files in schema/<format>
	languages []string
}{
	{"arrow", []string{"Message.fbs", "File.fbs"}, []string{"cpp", "rust"}},
	{"bench", []string{"bench.fbs"}, []string{"cpp", "rust", "go"}},
	{"flatgeobuf", []string{"header.fbs", "feature.fbs"}, []string{"cpp", "rust"}},
	{"tflite", []string{"tflite.fbs"}, []string{"cpp", "rust"}},
	{"vortex", []string{"footer.fbs", "dtype.fbs", "layout.fbs", "array.fbs"}, []string{"cpp", "rust"}},
}

func TestGeneratedCodeIsWhatFlatcWrites(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	root := oracle.RepoRoot()
	for _, g := range generated {
		files := schemaFiles(t, filepath.Join(root, "schema", g.format), g.format)
		if len(files) == 0 {
			t.Errorf("no schemas in schema/%s", g.format)
			continue
		}
		// One file that includes all others, so that what two of them share is
		// generated once.
		var all strings.Builder
		for _, s := range g.schemas {
			fmt.Fprintf(&all, "include %q;\n", path.Join(g.format, s))
		}
		whole := g.format + ".fbs"
		files[whole] = []byte(all.String())

		for _, language := range g.languages {
			var code map[string][]byte
			var err error
			var dir string
			switch language {
			case "cpp":
				dir = "benches/peers/cpp/generated"
				code, err = flatc.GenCpp(files, whole, "--gen-all")
			case "rust":
				dir = "benches/peers/rust/src/generated"
				code, err = flatc.GenRust(files, whole, "--gen-all")
			case "go":
				dir = "benches/internal/flatcgo"
				code, err = flatc.GenGo(files, whole, "--gen-all")
			}
			if err != nil {
				t.Errorf("%s for %s: %v", language, g.format, err)
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(code)) {
				text := code[name]
				if language == "go" {
					if text, err = format.Source(text); err != nil {
						t.Errorf("%s: %v", name, err)
						continue
					}
				}
				hold(t, filepath.Join(root, filepath.FromSlash(dir), strings.Replace(name, "_generated.rs", ".rs", 1)), text)
			}
		}
	}
}

// schemaFiles returns the .fbs files of a folder, named as if it stood in the
// working directory.
func schemaFiles(t *testing.T, dir, name string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() || path.Ext(p) != ".fbs" {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p)))
		files[path.Join(name, p)] = text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// hold compares a file with what it should be, or writes it.
func hold(t *testing.T, file string, want []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, want, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
	} else if !bytes.Equal(got, want) {
		t.Errorf("%s is not what flatc writes; run go test ./benches/peers -update", file)
	}
}
