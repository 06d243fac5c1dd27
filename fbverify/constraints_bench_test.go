package fbverify_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/internal/pair"
)

// constrainedParts are the parts of a real file that have one of the roots.
func constrainedParts(tb testing.TB, path string, roots ...string) (parts []container.Part, bufs [][]byte) {
	tb.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		r, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			tb.Fatal(err)
		}
		if b, err = io.ReadAll(r); err != nil {
			tb.Fatal(err)
		}
	}
	f, err := container.OpenBytes(b, nil)
	if err != nil {
		tb.Fatal(err)
	}
	for p, err := range f.Parts() {
		if err != nil {
			tb.Fatal(err)
		}
		if slices.Contains(roots, p.Root) {
			data, err := p.Bytes()
			if err != nil {
				tb.Fatal(err)
			}
			parts, bufs = append(parts, p), append(bufs, data)
		}
	}
	if len(parts) == 0 {
		tb.Fatalf("%s has no %v", path, roots)
	}
	return parts, bufs
}

// costly are parts of real files, most of which constraints ask much of.
var costly = []struct {
	name  string
	paths []string // a pattern; those outside of the repository need not be there
	roots []string
	first bool // of the parts only the first one

	most float64 // what is aimed at; 0 where the shape costs next to nothing, or the buffer is tiny
}{
	{"models of TFLite", []string{"../testdata/tflite/*.tflite", "../../shared/corpus/tflite/*.tflite"}, []string{"tflite.Model"}, false, 1.5},
	{"schema of Arrow, 5,000 columns", []string{"../testdata/wide/columns-5000.arrow.gz"}, []string{"org.apache.arrow.flatbuf.Message"}, true, 1.5},
	{"batches of Arrow, 5,000 columns", []string{"../testdata/wide/columns-5000.arrow.gz"}, []string{"org.apache.arrow.flatbuf.Message"}, false, 0},
	{"footers of Vortex", []string{"../testdata/vortex/*.vortex", "../testdata/wide/columns-5000.vortex.gz"}, []string{"Footer", "Layout"}, false, 1.5},
	{"headers of FlatGeobuf", []string{"../testdata/flatgeobuf/*.fgb"}, []string{"FlatGeobuf.Header"}, false, 0},
}

// legs are the verification with constraints and without, of all parts of a row.
func legs(tb testing.TB, paths, roots []string, first bool) (legs []pair.Leg) {
	type part struct {
		typ  *fbverify.Type
		opts [2]*fbverify.Options
		buf  []byte
	}
	var list []part
	for _, pattern := range paths {
		names, err := filepath.Glob(pattern)
		if err != nil {
			tb.Fatal(err)
		}
		for _, name := range names {
			parts, bufs := constrainedParts(tb, name, roots...)
			for i, p := range parts {
				asked := p.Options(&fbverify.Options{})
				skipped := *asked
				skipped.SkipConstraints = true
				list = append(list, part{p.Type(), [2]*fbverify.Options{asked, &skipped}, bufs[i]})
				if first {
					break
				}
			}
		}
	}
	for i, name := range []string{"asked", "skipped"} {
		legs = append(legs, pair.Leg{Name: name, Run: func(_ context.Context, n int) (s pair.Sample, err error) {
			start := time.Now()
			for range n {
				for j := range list {
					p := &list[j]
					if err := p.typ.Verify(p.buf, p.opts[i]); err != nil {
						return s, err
					}
				}
			}
			s.Elapsed = time.Since(start)
			return s, nil
		}})
	}
	return legs
}

// BenchmarkConstraints verifies parts of real files with the constraints of their schemas
// and without.
func BenchmarkConstraints(b *testing.B) {
	for _, c := range costly {
		for _, leg := range legs(b, c.paths, c.roots, c.first) {
			b.Run(strings.ReplaceAll(c.name, " ", "_")+"/"+leg.Name, func(b *testing.B) {
				b.ReportAllocs()
				if _, err := leg.Run(b.Context(), b.N); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// TestWhatConstraintsCost prints what verification with constraints takes, divided by what it
// takes without, in the same round:
//
//	FBVERIFY_SLOW=1 go test -v -run WhatConstraintsCost ./fbverify
func TestWhatConstraintsCost(t *testing.T) {
	if os.Getenv("FBVERIFY_SLOW") == "" {
		t.Skip("FBVERIFY_SLOW is not set: it measures")
	}
	for _, c := range costly {
		both := legs(t, c.paths, c.roots, c.first)
		series, err := pair.Run(t.Context(), both[0], both[1:], pair.Config{Rounds: 101, Turn: 5 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		ratios := series.Ratios(0, 1)
		slices.Sort(ratios)
		n := len(ratios)
		t.Logf("%-32s %.2f (of half of the rounds %.2f to %.2f)", c.name, ratios[n/2], ratios[n/4], ratios[3*n/4])
		if c.most > 0 && ratios[n/2] > c.most {
			t.Errorf("%s: more than %v", c.name, c.most)
		}
	}
}
