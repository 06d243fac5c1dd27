package works

import (
	"context"
	"fmt"
	"math"
	"path"
	"time"

	"github.com/fbverify/go/benches/internal/pair"
	"github.com/fbverify/go/benches/internal/realfiles"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/generated/bench"
	"github.com/fbverify/go/generated/vortex"
	"github.com/fbverify/go/internal/inputs"
)

// rootWorks are checked roots of trees as Vortex writes them.
func rootWorks() []Work {
	var works []Work
	for _, size := range inputs.LayoutSizes {
		works = append(works, rootWork[vortex.Layout]("Layout", func() inputs.Buffer { return inputs.Layout(size.Chunks, size.Columns) },
			fmt.Sprintf("%dx%d", size.Chunks, size.Columns)))
	}
	for _, fields := range inputs.ArraySizes {
		works = append(works, rootWork[vortex.Array]("Array", func() inputs.Buffer { return inputs.Array(fields) }, fmt.Sprint(fields)))
	}
	return append(works, Work{
		Name: "parallel/Layout/1024x32",
		Make: func(context.Context, *Env) (pair.Leg, []pair.Leg, error) {
			buf := inputs.Layout(1024, 32).Bytes
			leg := func(name string, opts *fbverify.Options) pair.Leg {
				return verifying(name, func() error {
					_, err := fbverify.RootWithOptions[vortex.Layout](buf, opts)
					return err
				})
			}
			return leg("two goroutines", &fbverify.Options{Parallel: 2}), []pair.Leg{leg("one goroutine", nil)}, nil
		},
	})
}

func rootWork[T fbverify.View](shape string, input func() inputs.Buffer, size string) Work {
	return Work{
		Name:  "root/" + shape + "/" + size,
		Needs: []string{Rust, CXX},
		Make: func(_ context.Context, env *Env) (pair.Leg, []pair.Leg, error) {
			in := input()
			others, err := env.verifiers(shape+"-"+size, "vortex."+shape, in.Bytes)
			return sized(verifying("checked", func() error {
				_, err := fbverify.Root[T](in.Bytes)
				return err
			}), in), others, err
		},
	}
}

// sized notes what a leg goes through.
func sized(leg pair.Leg, in inputs.Buffer) pair.Leg {
	leg.Bytes, leg.Tables = len(in.Bytes), in.Tables
	return leg
}

// realWorks are the largest FlatBuffers of real files.
func realWorks() []Work {
	var works []Work
	for _, format := range []container.Format{container.TFLite, container.ArrowFile, container.Vortex} {
		works = append(works, Work{
			Name:  "real/" + format.String(),
			Needs: []string{Rust, CXX},
			Make: func(_ context.Context, env *Env) (pair.Leg, []pair.Leg, error) {
				files, err := realfiles.Find(env.Root)
				if err != nil {
					return pair.Leg{}, nil, err
				}
				largest, ok := realfiles.Largest(files, format)[format]
				if !ok {
					return pair.Leg{}, nil, Skip(fmt.Sprintf("there is no %v file in testdata", format))
				}
				part := largest.Part
				others, err := env.verifiers("real-"+format.String(), peerRoot(format, part.Root), part.Bytes)
				ours := verifying(fmt.Sprintf("%s of %s", part.Name, path.Base(largest.File.Name)), part.Verify)
				ours.Bytes = len(part.Bytes)
				return ours, others, err
			},
		})
	}
	return works
}

// peerRoot is what peers call a root type of a format.
func peerRoot(format container.Format, root string) string {
	name := path.Ext("." + root)[1:] // its last word
	switch format {
	case container.ArrowFile, container.ArrowStream:
		return "arrow." + name
	case container.TFLite:
		return "tflite." + name
	default:
		return "vortex." + name
	}
}

// stringWorks is what the UTF-8 check costs.
func stringWorks() []Work {
	texts := func(opts *fbverify.Options, buf []byte) func() error {
		return func() error {
			_, err := fbverify.RootWithOptions[bench.Texts](buf, opts)
			return err
		}
	}
	return []Work{
		{
			Name: "strings/utf8",
			Make: func(context.Context, *Env) (pair.Leg, []pair.Leg, error) {
				buf := inputs.Texts(1 << 20).Bytes
				return verifying("UTF-8 on", texts(nil, buf)),
					[]pair.Leg{verifying("UTF-8 off", texts(&fbverify.Options{SkipUTF8: true}, buf))}, nil
			},
		},
		{
			// The Rust crate checks UTF-8, the C++ Verifier does not.
			Name:  "strings/peers",
			Needs: []string{Rust, CXX},
			Make: func(_ context.Context, env *Env) (pair.Leg, []pair.Leg, error) {
				buf := inputs.Texts(1 << 20).Bytes
				others, err := env.verifiers("texts", "bench.Texts", buf)
				return verifying("UTF-8 on", texts(nil, buf)), others, err
			},
		},
	}
}

// hostileWorks hold hostile buffers to a bound on the time for each byte, under
// the default limits and under none.
func hostileWorks() []Work {
	var works []Work
	for _, h := range inputs.Hostiles {
		for _, size := range inputs.HostileSizes {
			for _, limits := range []string{"default", "lifted"} {
				works = append(works, Work{
					Name: fmt.Sprintf("hostile/%s/%d/%s", h.Name, size, limits),
					Make: func(context.Context, *Env) (pair.Leg, []pair.Leg, error) {
						s, err := inputs.HostileSchema()
						if err != nil {
							return pair.Leg{}, nil, err
						}
						t, err := fbverify.Compile(s, h.Root)
						if err != nil {
							return pair.Leg{}, nil, err
						}
						buf := h.Make(size)
						var opts *fbverify.Options
						if limits == "lifted" {
							opts = &fbverify.Options{MaxTables: math.MaxInt, MaxDepth: h.Depth(size)}
						}
						verdict := uint64(0)
						if t.Verify(buf, opts) == nil {
							verdict = 1
						}
						allowed := 5*time.Duration(len(buf)) + 5*time.Microsecond
						ours := verifying(map[uint64]string{0: "refused", 1: "accepted"}[verdict], func() error { return t.Verify(buf, opts) })
						ours.Bytes = len(buf)
						return ours, []pair.Leg{bound("5 ns a byte + 5 us", allowed, verdict)}, nil
					},
				})
			}
		}
	}
	return works
}
