package diff

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/fstest"
	"time"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/internal/growth"
	"github.com/fbverify/go/schema/fbs"
)

// TestCostGrowsAsTheFilesDo compares what is made to be expensive with itself, copied, and
// with a copy that differs here and there. With -v it prints a line for each family.
func TestCostGrowsAsTheFilesDo(t *testing.T) {
	sizes := growth.Sizes(16<<10, 1<<20)
	if testing.Short() {
		sizes = []int{16 << 10, 128 << 10}
	}
	const mostSteps, mostMemory = 4, 32 // values looked at, and bytes of memory, for a byte
	families := growth.Single(10)
	families = append(families, growth.Composed(1, 4, 40)...)
	for _, fam := range families {
		s, err := fbs.ParseFS(fstest.MapFS{"g.fbs": {Data: []byte(fam.Schema)}}, "g.fbs")
		if err != nil {
			t.Fatal(err)
		}
		typ, err := fbverify.Compile(s, fam.Root)
		if err != nil {
			t.Fatal(err)
		}
		for _, changed := range []bool{false, true} {
			accepted := 0
			// The verification is not measured.
			pairs := map[*byte][2]dynamic.Message{}
			made := growth.Family{Name: fam.Name, Make: func(size int) []byte {
				buf := fam.Make(size)
				a, err := dynamic.Root(typ, buf, nil)
				if err != nil {
					return buf
				}
				accepted++
				other := bytes.Clone(buf)
				b := open(t, typ, other)
				for r := rand.New(rand.NewPCG(1, 2)); changed && r.IntN(40) != 0; {
					at := r.IntN(len(other))
					old := other[at]
					other[at] ^= 1 << r.IntN(8)
					if m, err := dynamic.Root(typ, other, nil); err == nil {
						b = m
					} else {
						other[at] = old
					}
				}
				pairs[&buf[0]] = [2]dynamic.Message{a, b}
				return buf
			}}
			told, steps := 0, 0.0
			points, stopped := growth.Measure(made, sizes, 5*time.Second, func(buf []byte) {
				p, ok := pairs[&buf[0]]
				if !ok {
					return
				}
				told = 0
				c := newComparer(context.Background(), p[0], p[1], Options{}, func(c Change) bool { told++; return true })
				if err := c.run(); err != nil && err != ErrOverlap {
					t.Error(err)
				}
				steps = max(steps, float64(c.seen)/float64(len(buf)))
			})
			if accepted == 0 {
				continue
			}
			ns, memory := points.PerByte()
			row := fmt.Sprintf("%-40s changed %-5v %9d bytes, %7d differences, %5.2f values, %7.1f ns and %6.1f bytes a byte, time x %.2f", fam.Name, changed, points[len(points)-1].Size, told, steps, ns, memory, points.Factor())
			t.Log(row)
			if stopped || steps > mostSteps || memory > mostMemory || !changed && told > 0 || told > points[len(points)-1].Size {
				t.Error(row)
			}
		}
	}
}
