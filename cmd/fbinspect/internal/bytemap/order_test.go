package bytemap_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/fbverify/go/cmd/fbinspect/internal/bytemap"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/internal/fbrand"
	"github.com/fbverify/go/schema/fbs"
)

// inOrder returns what is told of a buffer, all bytes of which are in one span.
func inOrder(t *testing.T, what string, typ *fbverify.Type, buf []byte, framing fbverify.Framing) []bytemap.Told {
	t.Helper()
	at := 0
	var all []bytemap.Told
	err := bytemap.InOrder(context.Background(), typ, buf, framing, func(s *bytemap.Told) error {
		if s.Pos != at || s.Size <= 0 {
			t.Fatalf("%s: a span has bytes %d to %d, after byte %d", what, s.Pos, s.End(), at)
		}
		at = s.End()
		if s.Target >= len(buf) {
			t.Fatalf("%s: an offset leads to %d of %d", what, s.Target, len(buf))
		}
		all = append(all, *s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if at != len(buf) {
		t.Fatalf("%s: the spans end at %d of %d", what, at, len(buf))
	}
	return all
}

// heldToTheMap compares what is told in order with the map: all of it, but for the paths of
// what several offsets lead to, and of what that leads to.
func heldToTheMap(t *testing.T, what string, m *bytemap.Map, told []bytemap.Told) (paths int) {
	t.Helper()
	if len(told) != len(m.Spans) {
		t.Fatalf("%s: %d spans, want %d", what, len(told), len(m.Spans))
	}
	for i := range m.Spans {
		s, got := &m.Spans[i], &told[i]
		if s.Pos != got.Pos || s.Size != got.Size || s.Kind != got.Kind || (s.Object < 0) != (got.Of == nil) || s.TypeName() != got.TypeName() || s.Value(m.Buf) != got.Value(m.Buf) {
			t.Fatalf("%s: %+v, want %+v", what, *got, *s)
		}
		if s.Target >= 0 && m.Objects[s.Target].Pos != got.Target {
			t.Fatalf("%s: the %s at %d leads to %d, want %d", what, s.Kind, s.Pos, got.Target, m.Objects[s.Target].Pos)
		}
		if s.Object < 0 || m.Objects[s.Object].Kind == bytemap.VTable {
			continue
		}
		shared := false
		for o := s.Object; o >= 0 && !shared; o = m.Objects[o].Parent {
			shared = m.Objects[o].Refs > 1
		}
		if o := &m.Objects[s.Object]; o.Refs != got.Of.Refs && s.Object > 0 {
			t.Fatalf("%s: %d offsets lead to the %s at %d, want %d", what, got.Of.Refs, o.Kind, o.Pos, o.Refs)
		}
		if path := got.PathIn(got.Of.Path, got.Of.Kind); !shared && path != m.SpanPath(s) {
			t.Fatalf("%s: the path at %d is %s, want %s", what, s.Pos, path, m.SpanPath(s))
		}
		if !shared {
			paths++
		}
	}
	return paths
}

// TestInOrderIsTheMap of the files of the corpus.
func TestInOrderIsTheMap(t *testing.T) {
	paths := 0
	parts(t, func(name string, p container.Part, typ *fbverify.Type, b []byte) {
		told := inOrder(t, name, typ, b, p.Framing)
		if !strings.Contains(name, "fuzz") && typ.Verify(b, &fbverify.Options{Framing: p.Framing, Strict: true}) == nil {
			if m := allOf(typ, b, p.Framing, nil); plain(m, told) {
				paths += heldToTheMap(t, name, m, told)
			}
		}
	})
	if paths < 1000 {
		t.Errorf("%d paths are too few to tell", paths)
	}
}

// TestInOrderIsTheMapOfAnyBuffer, of any schema; of damaged ones each byte is told once.
func TestInOrderIsTheMapOfAnyBuffer(t *testing.T) {
	seeds := uint64(1500)
	if testing.Short() {
		seeds = 200
	}
	paths := 0
	for seed := range seeds {
		rng := fbrand.NewRand(seed)
		_, s := fbrand.Schema(rng, fbrand.SchemaOptions{})
		typ, err := fbverify.Compile(s, "")
		if err != nil {
			t.Fatal(err)
		}
		b := fbrand.ForSchema(rng, s, s.Root, fbrand.BufferOptions{Objects: 5 + int(seed%100)})
		what := fmt.Sprintf("seed %d", seed)
		told := inOrder(t, what, typ, b.Bytes, fbverify.Unframed)
		if m := allOf(typ, b.Bytes, fbverify.Unframed, nil); plain(m, told) && typ.Verify(b.Bytes, &fbverify.Options{Strict: true}) == nil {
			paths += heldToTheMap(t, what, m, told)
		}
		for range 5 {
			inOrder(t, what, typ, fbrand.Damage(rng, b).Bytes, fbverify.Unframed)
		}
	}
	if paths < int(10*seeds) {
		t.Errorf("%d paths are too few to tell", paths)
	}
}

// plain reports whether no two objects of a map lie in one another, but for buffers in
// vectors, so that it does not matter which of them is met first.
func plain(m *bytemap.Map, told []bytemap.Told) bool {
	for i := range told {
		// Nobody looks whether a deprecated field has bytes of its own.
		if f := told[i].Field; f != nil && f.Deprecated {
			return false
		}
	}
	took := map[int]int{}
	for i := range m.Spans {
		took[m.Spans[i].Object] += m.Spans[i].Size
	}
	for i := range m.Objects {
		if o := &m.Objects[i]; o.Kind != bytemap.Buffer && o.Kind != bytemap.Vector && took[i] != o.Size {
			return false
		}
	}
	return true
}

// rows is a buffer with a vector of n tables of numbers, whose vtable stands where vtable
// says: before all, so that nothing leads there yet, or behind the tables.
func rows(t testing.TB, n int, first bool) (*fbverify.Type, []byte) {
	t.Helper()
	s, err := fbs.Parse("rows.fbs", []byte("table Row { a:int; b:int; c:int; } table Root { rows:[Row]; } root_type Root;"))
	if err != nil {
		t.Fatal(err)
	}
	typ := fbverify.MustCompile(s, "")
	le := binary.LittleEndian
	b := make([]byte, 48+20*n+12)
	vtable := 48 + 20*n
	if first {
		vtable = 20
	}
	le.PutUint32(b, 12)
	for i, v := range []uint16{6, 8, 4, 0, 8, 0} { // a vtable, and the root's offset to it
		le.PutUint16(b[4+2*i:], v)
	}
	le.PutUint32(b[12:], 8)
	le.PutUint32(b[16:], 44-16)
	for i, v := range []uint16{10, 16, 4, 8, 12} {
		le.PutUint16(b[vtable+2*i:], v)
	}
	le.PutUint32(b[44:], uint32(n))
	for i := range n {
		at, row := 48+4*i, 48+4*n+16*i
		le.PutUint32(b[at:], uint32(row-at))
		le.PutUint32(b[row:], uint32(row-vtable))
	}
	return typ, b
}

// TestInOrderStartsAtOnce: who wants the first of it does not wait for all.
func TestInOrderStartsAtOnce(t *testing.T) {
	const n = 400_000
	stop := errors.New("stop")
	for _, first := range []bool{true, false} {
		typ, b := rows(t, n, first)
		if err := typ.Verify(b, nil); err != nil {
			t.Fatal(err)
		}
		told := 0
		measure := func(most int) (allocated uint64) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			told = 0
			err := bytemap.InOrder(context.Background(), typ, b, fbverify.Unframed, func(*bytemap.Told) error {
				if told++; told == most {
					return stop
				}
				return nil
			})
			runtime.ReadMemStats(&after)
			if err != nil && err != stop {
				t.Fatal(err)
			}
			return after.TotalAlloc - before.TotalAlloc
		}
		// The bits of what is taken, and the pages of what is known.
		if took, most := measure(8), uint64(len(b)/8+len(b)/pageSize*24+5<<18); took > most {
			t.Errorf("vtable first %v: %d bytes are allocated before the 8th span, want at most %d", first, took, most)
		}
		if measure(0); first {
			continue
		}
		if want := 3 + 1 + 2 + 2 + 4*n; told < want {
			t.Errorf("vtable first %v: %d spans, want at least %d", first, told, want)
		}
	}
}

const pageSize = 4096

// TestInOrderEndsWithItsContext also while it looks for what a long vector leads to.
func TestInOrderEndsWithItsContext(t *testing.T) {
	typ, b := rows(t, 100_000, false)
	ctx, cancel := context.WithCancel(context.Background())
	told := 0
	err := bytemap.InOrder(ctx, typ, b, fbverify.Unframed, func(s *bytemap.Told) error {
		if told++; s.Kind == bytemap.Elements {
			cancel()
		}
		return nil
	})
	if err != context.Canceled || told > 10_000 {
		t.Errorf("%d spans are told, %v", told, err)
	}
}
