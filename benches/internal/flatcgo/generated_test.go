// Package flatcgo holds the Go code that flatc writes for the messages of the reads.
package flatcgo

import (
	"bytes"
	"flag"
	"go/format"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fbverify/go/internal/inputs"
	"github.com/fbverify/go/internal/oracle"
)

var update = flag.Bool("update", false, "write the generated code instead of comparing it")

// TestGeneratedCodeIsWhatFlatcWrites is about the Go code of the reads, which is
// kept since this package's own programs are built with it.
func TestGeneratedCodeIsWhatFlatcWrites(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	root := oracle.RepoRoot()
	bench, err := fs.ReadFile(inputs.Schemas(), "bench.fbs")
	if err != nil {
		t.Fatal(err)
	}
	code, err := flatc.GenGo(map[string][]byte{"bench.fbs": bench}, "bench.fbs")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(code)) {
		text, err := format.Source(code[name])
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		hold(t, filepath.Join(root, "benches", "internal", "flatcgo", filepath.FromSlash(name)), text)
	}
	if len(code) == 0 {
		t.Error("flatc wrote nothing")
	}
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
		t.Errorf("%s is not what flatc writes; run go test ./benches/internal/flatcgo -update", file)
	}
}
