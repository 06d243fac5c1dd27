package flatgeobuf_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/readers/flatgeobuf"
)

// real are the files of testdata and, where it is there, of the corpus.
func real(t testing.TB) map[string][]byte {
	files := map[string][]byte{}
	patterns := []string{filepath.Join(oracle.RepoRoot(), "testdata", "flatgeobuf", "*.fgb")}
	corpus := filepath.Join(oracle.RepoRoot(), "..", "shared", "corpus")
	if _, err := os.Stat(corpus); err == nil {
		patterns = append(patterns, filepath.Join(corpus, "flatgeobuf", "*.fgb"))
	} else if os.Getenv(oracle.RequireEnv) != "" {
		oracle.Corpus(t)
	}
	for _, pattern := range patterns {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.Base(name)] = b
		}
	}
	if len(files) < 5 {
		t.Fatalf("only %d files", len(files))
	}
	return files
}

// all are the features of a file.
func all(t testing.TB, f *flatgeobuf.File) (list []*flatgeobuf.Feature) {
	t.Helper()
	for ft, err := range f.All(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, ft)
	}
	return list
}

func TestEveryFeatureOfARealFileIsRead(t *testing.T) {
	for name, b := range real(t) {
		f, err := flatgeobuf.OpenBytes(b, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		features := all(t, f)
		if count, known := f.Count(); known && int(count) != len(features) {
			t.Errorf("%s has %d features, and its header says %d", name, len(features), count)
		}
		for _, ft := range features {
			if _, err := f.Properties(ft); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n := len(features); n > 0 && features[n-1].End() != f.Size() {
			t.Errorf("%s: the last feature ends at %d of %d", name, features[n-1].End(), f.Size())
		}
	}
}

// A search finds what looking at every feature finds.
func TestASearchFindsWhatTouchesTheBox(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	indexed := 0
	for name, b := range real(t) {
		f, err := flatgeobuf.OpenBytes(b, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !f.HasIndex() {
			continue
		}
		indexed++
		features := all(t, f)
		for i := range 200 {
			x, y := r.Float64()*400-200, r.Float64()*200-100
			box := flatgeobuf.Box{MinX: x, MinY: y, MaxX: x + r.Float64()*float64(i), MaxY: y + r.Float64()*float64(i)}
			var want, got []int64
			for _, ft := range features {
				if b, ok := ft.Bounds(); ok && b.MinX <= box.MaxX && b.MaxX >= box.MinX && b.MinY <= box.MaxY && b.MaxY >= box.MinY {
					want = append(want, ft.Number)
				}
			}
			for ft, err := range f.Search(context.Background(), box) {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if fmt.Sprint(ft.Range) != fmt.Sprint(features[ft.Number].Range) {
					t.Errorf("%s: feature %d is found at %v, and lies at %v", name, ft.Number, ft.Range, features[ft.Number].Range)
				}
				got = append(got, ft.Number)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: in %v are %v, found %v", name, box, want, got)
			}
		}
	}
	if indexed < 2 {
		t.Errorf("only %d files with an index", indexed)
	}
}
