// Package golden compares generated packages with what fbgen writes now.
package golden

import (
	"bytes"
	"flag"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/gogen"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema/fbs"
)

const directive = "//go:generate go run github.com/fbverify/go/cmd/fbgen "

// Check generates anew, in memory, what each go:generate line of a Go file in the
// working directory stands for, and compares with what is in its folder. It
// returns the folders.
func Check(t *testing.T, goFile string) (folders []string) {
	t.Helper()
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	below, err := filepath.Rel(oracle.RepoRoot(), wd)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(goFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		args, ok := strings.CutPrefix(line, directive)
		if !ok {
			continue
		}
		opts := gogen.Options{TypeNames: map[string]string{}}
		flags := flag.NewFlagSet("fbgen", flag.ContinueOnError)
		folder := flags.String("o", "", "")
		flags.BoolVar(&opts.Fixed, "fixed", false, "")
		flags.BoolVar(&opts.Mutable, "mutable", false, "")
		flags.BoolVar(&opts.CopyStrings, "copy-strings", false, "")
		flags.Func("names", "", func(s string) error {
			opts.Flatc = s == "flatc"
			return nil
		})
		flags.Func("name", "", func(s string) error {
			full, name, _ := strings.Cut(s, "=")
			opts.TypeNames[full] = name
			return nil
		})
		if err := flags.Parse(strings.Fields(args)); err != nil {
			t.Fatalf("%s: %v", line, err) // a flag that this does not know
		}
		opts.Package = *folder
		folders = append(folders, *folder)
		t.Run(*folder, func(t *testing.T) { check(t, filepath.ToSlash(below), opts, flags.Args()) })
	}
	return folders
}

func check(t *testing.T, below string, opts gogen.Options, files []string) {
	pkg := opts.Package
	root := os.DirFS(oracle.RepoRoot())
	var inputs []gogen.Input
	for _, file := range files {
		s, err := fbs.ParseFS(root, path.Join(below, file))
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, gogen.Input{Name: path.Base(file), Schema: s})
	}
	// Twice, since the order of a map must not show.
	var first []gogen.File
	for range 2 {
		got, err := gogen.Generate(inputs, opts)
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
			t.Errorf("%s/%s/%s is not what fbgen writes; run go generate ./%s", below, pkg, f.Name, below)
		}
	}
	for _, name := range gogen.FileNames() {
		if _, err := os.Stat(filepath.Join(pkg, name)); err == nil && !want[name] {
			t.Errorf("%s/%s/%s is left over; run go generate ./%s", below, pkg, name, below)
		}
	}
}
