package benches

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fbverify/go/benches/internal/realfiles"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/inputs"
)

// BenchmarkVerifyReal is the metadata of real files, all FlatBuffers of a file
// in an iteration. Shape alone is measured: what the schemas' constraints cost has a
// benchmark of its own.
func BenchmarkVerifyReal(b *testing.B) {
	dir, err := os.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	files, err := realfiles.Find(filepath.Dir(dir)) // has verified them
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range files {
		b.Run("file="+strings.ReplaceAll(f.Name, "/", "-"), func(b *testing.B) {
			opts := make([]*fbverify.Options, len(f.Parts))
			for i := range f.Parts {
				opts[i] = &fbverify.Options{}
				if p := f.Parts[i].Options; p != nil {
					*opts[i] = *p
				}
				opts[i].SkipConstraints = true
			}
			b.ReportAllocs()
			b.SetBytes(int64(f.Size))
			for b.Loop() {
				for i := range f.Parts {
					p := &f.Parts[i]
					if err := p.Type.Verify(p.Bytes, opts[i]); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// slowest is how long one verification of a hostile buffer may take. A kind that
// would take longer at the next size, even if its cost only grew as its size
// does, fails there without being measured.
const slowest = 20 * time.Second

// BenchmarkHostile is buffers that stand for far more than their size, under
// the default limits and under none. Its figure is ns/B, which must not grow
// with the size.
func BenchmarkHostile(b *testing.B) {
	s, err := inputs.HostileSchema()
	if err != nil {
		b.Fatal(err)
	}
	for _, h := range inputs.Hostiles {
		t, err := fbverify.Compile(s, h.Root)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("kind="+h.Name, func(b *testing.B) {
			var cost time.Duration // of one verification, at the size before
			for i, size := range inputs.HostileSizes {
				if i > 0 && cost > slowest/time.Duration(size/inputs.HostileSizes[i-1]) {
					b.Fatalf("%d bytes took %v; %d bytes are not measured", inputs.HostileSizes[i-1], cost, size)
				}
				cost = 0
				// Nothing of a size is made unless it is asked for: a comparison
				// of two revisions runs a few sizes at a time.
				b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
					buf := h.Make(size)
					for _, limits := range []struct {
						name string
						opts *fbverify.Options
					}{
						{"default", nil},
						{"lifted", &fbverify.Options{MaxTables: math.MaxInt, MaxDepth: h.Depth(size)}},
					} {
						start := time.Now()
						verdict := t.Verify(buf, limits.opts)
						cost = max(cost, time.Since(start))
						if verdict != nil && !isLimit(verdict) {
							b.Fatalf("%d bytes, %s limits: %v", size, limits.name, verdict)
						}
						b.Run("limits="+limits.name+"/explained", func(b *testing.B) {
							b.SetBytes(int64(len(buf)))
							for b.Loop() {
								if got := t.Explain(buf, limits.opts); (got == nil) != (verdict == nil) {
									b.Fatalf("the verdict changed from %v to %v", verdict, got)
								}
							}
							b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(buf)), "ns/B")
						})
						b.Run("limits="+limits.name, func(b *testing.B) {
							b.SetBytes(int64(len(buf)))
							for b.Loop() {
								if got := t.Verify(buf, limits.opts); (got == nil) != (verdict == nil) {
									b.Fatalf("the verdict changed from %v to %v", verdict, got)
								}
							}
							b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(buf)), "ns/B")
						})
					}
				})
			}
		})
	}
}

// isLimit tells a refusal for what a buffer would cost from one for what is
// wrong with it.
func isLimit(err error) bool {
	return errors.Is(err, fbverify.ErrTableLimit) || errors.Is(err, fbverify.ErrDepthLimit) || errors.Is(err, fbverify.ErrOverlap)
}
