package benches

import (
	"fmt"
	"testing"

	"github.com/fbverify/go/benches/internal/works"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/bench"
	"github.com/fbverify/go/generated/vortex"
	"github.com/fbverify/go/internal/inputs"
)

// sink keeps results alive.
var sink uint64

// BenchmarkRoot is what getting at the root of a buffer costs: with a
// verification, with one under limits, and with none.
func BenchmarkRoot(b *testing.B) {
	b.Run("shape=Layout", func(b *testing.B) {
		for _, size := range inputs.LayoutSizes {
			root(b, inputs.Layout(size.Chunks, size.Columns), layoutTables)
		}
	})
	b.Run("shape=Array", func(b *testing.B) {
		for _, fields := range inputs.ArraySizes {
			root(b, inputs.Array(fields), arrayTables)
		}
	})
}

// root runs the three modes over one buffer. Count returns how many tables are
// met from a root, and something that depends on all of them.
func root[T fbverify.View[T]](b *testing.B, in inputs.Buffer, count func(T) (tables int, sum uint64)) {
	modes := []struct {
		name string
		root func() (fbverify.Verified[T], error)
	}{
		{"checked", func() (fbverify.Verified[T], error) { return fbverify.Root[T](in.Bytes) }},
		{"opts", func() (fbverify.Verified[T], error) {
			return fbverify.RootWithOptions[T](in.Bytes, works.HostileBounds)
		}},
		{"unchecked", func() (fbverify.Verified[T], error) {
			return fbverify.RootUnchecked[T](in.Bytes, fbverify.Unframed), nil
		}},
	}
	b.Run("size="+in.Name, func(b *testing.B) {
		want := uint64(0)
		for i, m := range modes {
			v, err := m.root()
			if err != nil {
				b.Fatalf("%s: %v", m.name, err)
			}
			tables, sum := count(v.Root())
			if i == 0 {
				want = sum
			}
			if tables != in.Tables || sum != want {
				b.Fatalf("%s: %d tables with the sum %#x; there are %d, and %s has the sum %#x", m.name, tables, sum, in.Tables, modes[0].name, want)
			}
		}
		for _, m := range modes {
			b.Run("mode="+m.name, func(b *testing.B) {
				b.ReportAllocs()
				var v fbverify.Verified[T]
				for b.Loop() {
					v, _ = m.root()
				}
				sink += uint64(len(v.Bytes()))
				if m.name != "unchecked" { // which reads neither bytes nor tables
					b.SetBytes(int64(len(in.Bytes)))
					perSecond(b, in.Tables, "tables/s")
				}
			})
		}
	})
}

// TestCheckedRootsDoNotAllocate holds for all trees, with and without limits.
func TestCheckedRootsDoNotAllocate(t *testing.T) {
	for _, size := range inputs.LayoutSizes {
		rootsDoNotAllocate[vortex.Layout](t, inputs.Layout(size.Chunks, size.Columns))
	}
	for _, fields := range inputs.ArraySizes {
		rootsDoNotAllocate[vortex.Array](t, inputs.Array(fields))
	}
}

func rootsDoNotAllocate[T fbverify.View[T]](t *testing.T, in inputs.Buffer) {
	for _, opts := range []*fbverify.Options{nil, works.HostileBounds} {
		if n := testing.AllocsPerRun(10, func() {
			if _, err := fbverify.RootWithOptions[T](in.Bytes, opts); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%T %s: a checked root allocates %v times", *new(T), in.Name, n)
		}
	}
}

// perSecond reports how many of something that there are so many of in one
// iteration went by in a second.
func perSecond(b *testing.B, count int, unit string) {
	if s := b.Elapsed().Seconds(); s > 0 {
		b.ReportMetric(float64(count)*float64(b.N)/s, unit)
	}
}

// layoutTables walks a tree of layouts.
func layoutTables(l vortex.Layout) (tables int, sum uint64) {
	tables, sum = 1, uint64(l.Encoding())+l.RowCount()
	for _, m := range l.Metadata() {
		sum = sum*31 + uint64(m)
	}
	for _, s := range l.Segments() {
		sum = sum*31 + uint64(s)
	}
	for _, child := range l.Children().All() {
		n, s := layoutTables(child)
		tables += n
		sum = sum*31 + s
	}
	return tables, sum
}

// arrayTables walks a serialized array.
func arrayTables(a vortex.Array) (tables int, sum uint64) {
	tables, sum = nodeTables(a.Root())
	for _, buffer := range a.Buffers() {
		sum = sum*31 + uint64(buffer.Length) + uint64(buffer.AlignmentExponent)
	}
	return tables + 1, sum
}

func nodeTables(n vortex.ArrayNode) (tables int, sum uint64) {
	tables, sum = 1, uint64(n.Encoding())
	for _, m := range n.Metadata() {
		sum = sum*31 + uint64(m)
	}
	for _, b := range n.Buffers() {
		sum = sum*31 + uint64(b)
	}
	if s := n.Stats(); s.Present() {
		tables++
		nulls, _ := s.NullCount()
		sum = sum*31 + nulls
	}
	for _, child := range n.Children().All() {
		k, s := nodeTables(child)
		tables += k
		sum = sum*31 + s
	}
	return tables, sum
}

// BenchmarkBufferLengths is an accessor, the lengths of an array's buffers, on
// an array that is verified already, against one that verifies it at each call.
func BenchmarkBufferLengths(b *testing.B) {
	for _, fields := range []int{1, 8, 32, 100, 1000} {
		b.Run(fmt.Sprintf("fields=%d", fields), func(b *testing.B) {
			buf := inputs.Array(fields).Bytes
			held, err := fbverify.Root[vortex.Array](buf)
			if err != nil {
				b.Fatal(err)
			}
			verified := func(lengths []uint32) []uint32 { return bufferLengths(lengths, held) }
			reverify := func(lengths []uint32) []uint32 {
				again, err := fbverify.Root[vortex.Array](buf)
				if err != nil {
					return nil
				}
				return bufferLengths(lengths, again)
			}
			for name, mode := range map[string]func([]uint32) []uint32{"verified": verified, "reverify": reverify} {
				if got := mode(nil); len(got) != fields || got[fields-1] != 65536 {
					b.Fatalf("%s: got %v", name, got)
				}
			}
			lengths := make([]uint32, 0, fields)
			b.Run("mode=verified", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					lengths = verified(lengths)
				}
			})
			b.Run("mode=reverify", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					lengths = reverify(lengths)
				}
			})
		})
	}
}

// bufferLengths appends the lengths of an array's buffers to what it empties.
func bufferLengths(lengths []uint32, array fbverify.Verified[vortex.Array]) []uint32 {
	lengths = lengths[:0]
	for _, buffer := range array.Root().Buffers() {
		lengths = append(lengths, buffer.Length)
	}
	return lengths
}

// BenchmarkStrings is what the UTF-8 check costs on short strings that are
// mostly not ASCII.
func BenchmarkStrings(b *testing.B) {
	in := inputs.Texts(1 << 20)
	for _, mode := range []struct {
		name string
		opts *fbverify.Options
	}{{"on", nil}, {"off", &fbverify.Options{SkipUTF8: true}}} {
		if _, err := fbverify.RootWithOptions[bench.Texts](in.Bytes, mode.opts); err != nil {
			b.Fatal(err)
		}
		b.Run("utf8="+mode.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(in.Bytes)))
			for b.Loop() {
				if _, err := fbverify.RootWithOptions[bench.Texts](in.Bytes, mode.opts); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkParallel is the largest tree verified by more than one goroutine.
func BenchmarkParallel(b *testing.B) {
	in := inputs.Layout(1024, 32)
	for _, n := range []int{1, 2, 4} {
		opts := &fbverify.Options{Parallel: n}
		if _, err := fbverify.RootWithOptions[vortex.Layout](in.Bytes, opts); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("goroutines=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(in.Bytes)))
			for b.Loop() {
				if _, err := fbverify.RootWithOptions[vortex.Layout](in.Bytes, opts); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
