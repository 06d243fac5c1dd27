package fbread_test

import (
	"testing"

	"github.com/fbverify/go/fbverify/fbread"
	flatbuffers "github.com/google/flatbuffers/go"
)

// buildHier writes the message that example_view_test.go has views of, adding
// fields in the order of Create functions (last first), or, when reversed, in
// that of the schema.
func buildHier(reversed bool) []byte {
	b := flatbuffers.NewBuilder(512)
	level := func(base uint64, child flatbuffers.UOffsetT) flatbuffers.UOffsetT {
		n := 9
		if child != 0 {
			n = 8
		}
		b.StartObject(9)
		if child != 0 && reversed {
			b.PrependUOffsetTSlot(8, child, 0)
		}
		for i := range n {
			if !reversed {
				i = n - 1 - i
			}
			b.PrependUint64Slot(i, base+uint64(i), 0)
		}
		if child != 0 && !reversed {
			b.PrependUOffsetTSlot(8, child, 0)
		}
		return b.EndObject()
	}
	b.Finish(level(1, level(11, level(21, 0))))
	return b.FinishedBytes()
}

// The same message as Go structs.
type goHier struct {
	A, B, C, D, E, F, G, H uint64
	Intermediate           *goIntermediate
}
type goIntermediate struct {
	A, B, C, D, E, F, G, H uint64
	Leaf                   *goLeaf
}
type goLeaf struct{ A, B, C, D, E, F, G, H, I uint64 }

//go:noinline
func sumStruct(h *goHier) (s uint64) {
	s += h.Intermediate.Leaf.A
	s += h.Intermediate.Leaf.B
	s += h.Intermediate.Leaf.C
	s += h.Intermediate.Leaf.D
	s += h.Intermediate.Leaf.E
	s += h.Intermediate.Leaf.F
	s += h.Intermediate.Leaf.G
	s += h.Intermediate.Leaf.H
	s += h.Intermediate.Leaf.I
	return s
}

//go:noinline
func sumFixed(h HierFixed) (s uint64) {
	s += h.Intermediate().Leaf().A()
	s += h.Intermediate().Leaf().B()
	s += h.Intermediate().Leaf().C()
	s += h.Intermediate().Leaf().D()
	s += h.Intermediate().Leaf().E()
	s += h.Intermediate().Leaf().F()
	s += h.Intermediate().Leaf().G()
	s += h.Intermediate().Leaf().H()
	s += h.Intermediate().Leaf().I()
	return s
}

//go:noinline
func sumAsked(h Hier) (s uint64) {
	if f, ok := h.Fixed(); ok {
		s += f.Intermediate().Leaf().A()
		s += f.Intermediate().Leaf().B()
		s += f.Intermediate().Leaf().C()
		s += f.Intermediate().Leaf().D()
		s += f.Intermediate().Leaf().E()
		s += f.Intermediate().Leaf().F()
		s += f.Intermediate().Leaf().G()
		s += f.Intermediate().Leaf().H()
		s += f.Intermediate().Leaf().I()
	}
	return s
}

//go:noinline
func sumView(h Hier) (s uint64) {
	s += h.Intermediate().Leaf().A()
	s += h.Intermediate().Leaf().B()
	s += h.Intermediate().Leaf().C()
	s += h.Intermediate().Leaf().D()
	s += h.Intermediate().Leaf().E()
	s += h.Intermediate().Leaf().F()
	s += h.Intermediate().Leaf().G()
	s += h.Intermediate().Leaf().H()
	s += h.Intermediate().Leaf().I()
	return s
}

//go:noinline
func sumViewCached(h Hier) (s uint64) {
	l := h.Intermediate().Leaf()
	s += l.A() + l.B() + l.C() + l.D() + l.E() + l.F() + l.G() + l.H() + l.I()
	return s
}

// BenchmarkHier reads nine fields three levels down, walking the chain for each.
// Package benches holds the same against the code of `flatc --go`.
func BenchmarkHier(b *testing.B) {
	buf := buildHier(false)
	h := fbread.As[Hier](fbread.RootUnchecked(buf))
	f, ok := h.Fixed()
	if !ok {
		b.Fatal("the message is not laid out as Create functions do")
	}
	g := &goHier{Intermediate: &goIntermediate{Leaf: &goLeaf{21, 22, 23, 24, 25, 26, 27, 28, 29}}}
	const want = 225
	for _, c := range []struct {
		via string
		sum func() uint64
	}{
		{"struct", func() uint64 { return sumStruct(g) }},
		{"fixed", func() uint64 { return sumFixed(f) }},
		{"fixed-asked-each-time", func() uint64 { return sumAsked(h) }},
		{"view", func() uint64 { return sumView(h) }},
		{"view-cached", func() uint64 { return sumViewCached(h) }},
	} {
		if got := c.sum(); got != want {
			b.Fatalf("%s: the sum is %d, want %d", c.via, got, want)
		}
	}
	b.Run("via=struct", func(b *testing.B) {
		for b.Loop() {
			sumStruct(g)
		}
	})
	b.Run("via=fixed", func(b *testing.B) {
		for b.Loop() {
			sumFixed(f)
		}
	})
	b.Run("via=fixed-asked-each-time", func(b *testing.B) {
		for b.Loop() {
			sumAsked(h)
		}
	})
	b.Run("via=view", func(b *testing.B) {
		for b.Loop() {
			sumView(h)
		}
	})
	b.Run("via=view-cached", func(b *testing.B) {
		for b.Loop() {
			sumViewCached(h)
		}
	})
}

func buildLeaves(n int) []byte {
	b := flatbuffers.NewBuilder(512)
	var offs []flatbuffers.UOffsetT
	for i := range n {
		b.StartObject(9)
		for f := 8; f >= 0; f-- {
			b.PrependUint64Slot(f, uint64(10*i+f+1), 0)
		}
		offs = append(offs, b.EndObject())
	}
	b.StartVector(4, n, 4)
	for i := n - 1; i >= 0; i-- {
		b.PrependUOffsetT(offs[i])
	}
	vec := b.EndVector(n)
	b.StartObject(1)
	b.PrependUOffsetTSlot(0, vec, 0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

func BenchmarkLeaves(b *testing.B) {
	leaves := fbread.Tables[Leaf](fbread.RootUnchecked(buildLeaves(1000)), 4)
	b.Run("view", func(b *testing.B) {
		for b.Loop() {
			var s uint64
			for _, l := range leaves.All() {
				s += l.A() + l.B() + l.C() + l.D() + l.E() + l.F() + l.G() + l.H() + l.I()
			}
			sink = s
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*1000), "ns/table")
	})
	b.Run("asked", func(b *testing.B) {
		for b.Loop() {
			var s uint64
			for _, v := range leaves.All() {
				if l, ok := v.Fixed(); ok {
					s += l.A() + l.B() + l.C() + l.D() + l.E() + l.F() + l.G() + l.H() + l.I()
				}
			}
			sink = s
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*1000), "ns/table")
	})
	b.Run("memo", func(b *testing.B) {
		for b.Loop() {
			var s uint64
			for v, l := range fbread.AllFixedUnchecked[LeafFixed](leaves, vtableLeaf) {
				if !l.Present() {
					s += v.A()
					continue
				}
				s += l.A() + l.B() + l.C() + l.D() + l.E() + l.F() + l.G() + l.H() + l.I()
			}
			sink = s
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*1000), "ns/table")
	})
}

var sink uint64
