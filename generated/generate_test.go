package generated

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/gogen"
	"github.com/fbverify/go/schema"
)

// directives returns the arguments of fbgen in each go:generate line.
func directives(t *testing.T) [][]string {
	t.Helper()
	text, err := os.ReadFile("generate.go")
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string
	for _, line := range strings.Split(string(text), "\n") {
		if args, ok := strings.CutPrefix(line, "//go:generate go run github.com/fbverify/go/cmd/fbgen -o "); ok {
			all = append(all, strings.Fields(args))
		}
	}
	return all
}

func TestGeneratedPackagesAreWhatFbgenWrites(t *testing.T) {
	root := os.DirFS("..")
	named := map[string]bool{}
	for _, args := range directives(t) {
		pkg, files := args[0], args[1:]
		named[pkg] = true
		t.Run(pkg, func(t *testing.T) {
			var inputs []gogen.Input
			for _, file := range files {
				s, err := schema.ParseFS(root, path.Join("generated", file))
				if err != nil {
					t.Fatal(err)
				}
				inputs = append(inputs, gogen.Input{Name: path.Base(file), Schema: s})
			}
			// Twice, since the order of a map must not show.
			var first []gogen.File
			for range 2 {
				got, err := gogen.Generate(inputs, gogen.Options{Package: pkg})
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = got
				}
				for i, f := range got {
					if !bytes.Equal(f.Data, first[i].Data) {
						t.Errorf("%s differs between two runs", f.Name)
					}
				}
			}
			want := map[string]bool{}
			for _, f := range first {
				want[f.Name] = true
				onDisk, err := os.ReadFile(filepath.Join(pkg, f.Name))
				if err != nil {
					t.Error(err)
				} else if !bytes.Equal(onDisk, f.Data) {
					t.Errorf("%s/%s is not what fbgen writes; run go generate ./generated", pkg, f.Name)
				}
			}
			for _, name := range gogen.FileNames() {
				if _, err := os.Stat(filepath.Join(pkg, name)); err == nil && !want[name] {
					t.Errorf("%s/%s is left over; run go generate ./generated", pkg, name)
				}
			}
		})
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !named[e.Name()] {
			t.Errorf("the folder %s has no go:generate line", e.Name())
		}
	}
}
