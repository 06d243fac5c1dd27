package fbverify_test

import (
	"os"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
)

// constrainedParts are the parts of real files, and the facts that they need.
func constrainedParts(tb testing.TB, path string, roots ...string) (parts []container.Part, bufs [][]byte) {
	tb.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	f, err := container.OpenBytes(b, nil)
	if err != nil {
		tb.Fatal(err)
	}
	for p, err := range f.Parts() {
		if err != nil {
			tb.Fatal(err)
		}
		for _, root := range roots {
			if p.Root == root {
				data, err := p.Bytes()
				if err != nil {
					tb.Fatal(err)
				}
				parts, bufs = append(parts, p), append(bufs, data)
			}
		}
	}
	if len(parts) == 0 {
		tb.Fatalf("%s has no %v", path, roots)
	}
	return parts, bufs
}

// BenchmarkConstraints verifies parts of real files with the constraints of their schemas
// and without.
func BenchmarkConstraints(b *testing.B) {
	for _, c := range []struct {
		name, path string
		roots      []string
	}{
		{"tflite", "../testdata/tflite/selfie_segmentation.tflite", []string{"tflite.Model"}},
		{"arrow", "../testdata/arrow/wide.arrow", []string{"org.apache.arrow.flatbuf.Message"}},
		{"vortex", "../testdata/vortex/wide.vortex", []string{"Footer", "Layout"}},
	} {
		parts, bufs := constrainedParts(b, c.path, c.roots...)
		for _, skip := range []bool{true, false} {
			name := c.name + "/asked"
			if skip {
				name = c.name + "/skipped"
			}
			b.Run(name, func(b *testing.B) {
				opts := parts[0].Options(&fbverify.Options{SkipConstraints: skip})
				var types []*fbverify.Type
				for _, p := range parts {
					types = append(types, p.Type())
				}
				b.ReportAllocs()
				for b.Loop() {
					for i, buf := range bufs {
						if err := types[i].Verify(buf, opts); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}
