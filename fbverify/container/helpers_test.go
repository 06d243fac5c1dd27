package container

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
)

// realFiles returns the container files of the corpus and of testdata by their
// path from there, without damaged ones. Where the corpus is missing it says so and
// makes do with testdata.
func realFiles(t testing.TB) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	dirs := []string{filepath.Join(oracle.RepoRoot(), "testdata")}
	if hasCorpus(t) {
		dirs = append(dirs, oracle.Corpus(t))
	}
	for _, dir := range dirs {
		for _, sub := range []string{"arrow", "arrow/valid", "flatgeobuf", "tflite", "vortex", "schemas/arrow", "schemas/vortex", "schemas/flatgeobuf", "schemas/tflite"} {
			entries, err := os.ReadDir(filepath.Join(dir, sub))
			if err != nil {
				continue // each folder is in one of the two places
			}
			for _, e := range entries {
				if e.IsDir() || strings.HasPrefix(e.Name(), "fuzz-") {
					continue
				}
				b, err := os.ReadFile(filepath.Join(dir, sub, e.Name()))
				if err != nil {
					t.Fatal(err)
				}
				files[sub+"/"+e.Name()] = b
			}
		}
	}
	if len(files) < 25 {
		t.Fatalf("only %d real files were found", len(files))
	}
	return files
}

// hasCorpus reports whether the corpus is there. Where the peers are required its
// absence fails the test.
func hasCorpus(t testing.TB) bool {
	t.Helper()
	if _, err := os.Stat(filepath.Join(oracle.RepoRoot(), "..", "shared", "corpus")); err == nil {
		return true
	}
	if os.Getenv(oracle.RequireEnv) != "" {
		oracle.Corpus(t)
	}
	t.Log("without the corpus of real files, which is not there")
	return false
}

func damaged(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "testdata", "damaged", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mustOpen(t testing.TB, b []byte, opts *Options) *File {
	t.Helper()
	f, err := OpenBytes(b, opts)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return f
}

// list returns the parts of a file, and its faults and deviations.
func list(f *File) (parts []Part, faults []*Error) {
	for p, err := range f.Findings() {
		if e, ok := err.(*Error); ok {
			if e.Severity != Note {
				faults = append(faults, e)
			}
		} else {
			parts = append(parts, p)
		}
	}
	return parts, faults
}

// checkFile asks all that must hold of any bytes: parts lie in the file under names
// of their own, regions cover each byte once, reading as a stream of small reads gives
// the same, and there is no more of all than the size allows.
func checkFile(t testing.TB, what string, b []byte, opts *Options) {
	t.Helper()
	f, err := OpenBytes(b, opts)
	if err != nil {
		if err.Error() == "" || strings.HasSuffix(err.Error(), " ") {
			t.Errorf("%s: an error that says nothing: %q", what, err)
		}
		return
	}
	parts, faults := list(f)
	seen := make(map[string]bool)
	for _, p := range parts {
		if p.Offset < 0 || p.Length < 0 || p.Offset > f.Size() || p.Length > f.Size()-p.Offset {
			t.Fatalf("%s: %s of %d bytes at %d is not in a file of %d", what, p.Name, p.Length, p.Offset, f.Size())
		}
		if seen[p.Name] {
			t.Fatalf("%s: two parts are named %s", what, p.Name)
		}
		seen[p.Name] = true
		got, err := p.Bytes()
		if err != nil || !bytes.Equal(got, b[p.Offset:p.Offset+p.Length]) {
			t.Fatalf("%s: the bytes of %s: %v", what, p.Name, err)
		}
	}
	if most := len(b)/4 + 16; len(parts) > most || len(faults) > 2*most {
		t.Fatalf("%s: %d parts and %d faults in %d bytes", what, len(parts), len(faults), len(b))
	}
	for _, e := range faults {
		if e.Offset < 0 || e.Offset > f.Size() || e.Detail == "" || e.Kind == 0 {
			t.Fatalf("%s: a fault without a place or a reason: %+v", what, e)
		}
	}
	end := int64(0)
	for r := range f.Regions() {
		if r.Offset != end || r.Length <= 0 {
			t.Fatalf("%s: region %s of %d bytes at %d follows one that ends at %d", what, r.Name, r.Length, r.Offset, end)
		}
		end += r.Length
	}
	if end != f.Size() {
		t.Fatalf("%s: the regions end at %d of %d bytes", what, end, f.Size())
	}
}
