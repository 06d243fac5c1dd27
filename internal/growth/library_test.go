package growth_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"testing"
	"testing/fstest"
	"time"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/internal/growth"
	"github.com/fbverify/go/schema/fbs"
)

var (
	seeds = flag.Int("seeds", 4, "how many composed families to try")
	first = flag.Int("first", 1, "the first seed")
	most  = flag.Int("most", 1<<20, "bytes of the largest input")
	hold  = flag.Bool("hold", false, "fail where a bound is exceeded")
)

// bounds are what no entry may exceed. Doubling an input may not do much more than double
// the time, sorting included; caches that are left behind are in it.
const (
	mostFactor = 2.2
	mostMemory = 2.2
)

// An entry is a public function that takes bytes from strangers.
type entry struct {
	name string
	make func(t *testing.T, typ *fbverify.Type) func(input []byte)

	// perByte and memory are the most nanoseconds and bytes of memory for a byte of the input.
	perByte, memory float64
}

func verify(o *fbverify.Options) func(*testing.T, *fbverify.Type) func([]byte) {
	return func(_ *testing.T, typ *fbverify.Type) func([]byte) {
		return func(b []byte) { _ = typ.Verify(b, o) }
	}
}

// accepted calls f where the buffer is accepted: what reads proved bytes is given no others.
func accepted(f func(m dynamic.Message)) func(*testing.T, *fbverify.Type) func([]byte) {
	o := &fbverify.Options{MaxTables: 1 << 20, MaxApparentSize: 64 << 20}
	return func(_ *testing.T, typ *fbverify.Type) func([]byte) {
		return func(b []byte) {
			if m, err := dynamic.Root(typ, b, o); err == nil {
				f(m)
			}
		}
	}
}

var entries = []entry{
	{"Verify", verify(nil), 60, 8},
	{"Verify, no limits", verify(&fbverify.Options{MaxDepth: 1 << 16, MaxTables: 1<<31 - 1}), 60, 24},
	{"Verify, no UTF-8", verify(&fbverify.Options{SkipUTF8: true}), 60, 8},
	{"Verify, no alignment", verify(&fbverify.Options{SkipAlignment: true}), 60, 8},
	{"Verify, no nested", verify(&fbverify.Options{NestedUnchecked: true}), 60, 8},
	{"Verify, parallel", verify(&fbverify.Options{Parallel: 4}), 120, 16},
	{"Verify, strict", verify(&fbverify.Options{Strict: true}), 120, 40},
	{"Measure", func(_ *testing.T, typ *fbverify.Type) func([]byte) {
		return func(b []byte) { _, _ = typ.Measure(b, nil) }
	}, 60, 8},
	{"Explain", func(_ *testing.T, typ *fbverify.Type) func([]byte) {
		return func(b []byte) { typ.Explain(b, nil) }
	}, 200, 60},
	{"Explain of damage", func(_ *testing.T, typ *fbverify.Type) func([]byte) {
		return func(b []byte) {
			b = bytes.Clone(b)
			for i := 64; i < len(b); i += 256 {
				b[i] ^= 0x55
			}
			typ.Explain(b, &fbverify.Options{Strict: true})
		}
	}, 400, 200},
	{"WriteJSON", accepted(func(m dynamic.Message) {
		_ = dynamic.WriteJSON(io.Discard, m, &dynamic.JSONOptions{MaxBytes: 16 << 20})
	}), 0, 0}, // bounded by what may be printed, not by the bytes
}

func compile(t *testing.T, text, root string) *fbverify.Type {
	t.Helper()
	s, err := fbs.ParseFS(fstest.MapFS{"g.fbs": {Data: []byte(text)}}, "g.fbs")
	if err != nil {
		t.Fatal(err)
	}
	typ, err := fbverify.Compile(s, root)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// TestCostOfBuffersGrowsAsTheyDo: with -v it prints a line for each entry and family.
func TestCostOfBuffersGrowsAsTheyDo(t *testing.T) {
	var families []growth.Family
	for _, fields := range []int{10, 100, 1000} {
		families = append(families, growth.Single(fields)...)
	}
	families = append(families, growth.Composed(*first, *seeds, 40)...)
	sizes := growth.Sizes(16<<10, *most)
	if testing.Short() {
		sizes = growth.Sizes(16<<10, 128<<10)
	}
	t.Logf("%-22s %-36s %9s %9s %9s %7s %7s", "entry", "family", "bytes", "ns/byte", "mem/byte", "time x2", "mem x2")
	for _, e := range entries {
		for _, fam := range families {
			f := e.make(t, compile(t, fam.Schema, fam.Root))
			s, stopped := growth.Measure(fam, sizes, 5*time.Second, f)
			ns, memory := s.PerByte()
			row := fmt.Sprintf("%-22s %-36s %9d %9.1f %9.1f %7.2f %7.2f", e.name, fam.Name, s[len(s)-1].Size, ns, memory, s.Factor(), s.MemoryFactor())
			t.Log(row)
			if !*hold {
				continue
			}
			switch {
			case stopped:
				t.Errorf("took more than 5 s:\n%s", row)
			case s.Factor() > mostFactor || s.MemoryFactor() > mostMemory:
				t.Errorf("grows faster than its input:\n%s", row)
			case e.perByte > 0 && ns > e.perByte:
				t.Errorf("more than %v ns a byte:\n%s", e.perByte, row)
			case e.memory > 0 && memory > e.memory:
				t.Errorf("more than %v bytes of memory a byte:\n%s", e.memory, row)
			}
		}
	}
}
