package works

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/fbverify/go/benches/internal/families"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/vortex"
	"github.com/fbverify/go/internal/inputs"
	"github.com/fbverify/go/internal/pair"
)

// rootWorks are checked roots of trees as Vortex writes them.
func rootWorks() []Work {
	var works []Work
	for _, row := range families.Roots() {
		works = append(works, verification(row))
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

// sized notes what a leg goes through.
func sized(leg pair.Leg, in inputs.Buffer) pair.Leg {
	leg.Bytes, leg.Tables = len(in.Bytes), in.Tables
	return leg
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
