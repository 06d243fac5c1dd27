package trust_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/traverse"
	"github.com/fbverify/go/internal/fbrand"
	"github.com/fbverify/go/internal/inputs"
	"github.com/fbverify/go/internal/trust/trusttest"
	"github.com/fbverify/go/internal/walk"
	"github.com/fbverify/go/schema"
)

// object is a table or a string, read as what.
type object struct {
	pos    int
	object *schema.Object // nil for a string
}

// recorder notes what a traversal tells, and holds the events to what their
// documentation promises.
type recorder struct {
	t      *testing.T
	buf    []byte
	met    map[object]int // tables and strings, how often they were entered
	stack  []traverse.Event
	faults []error
}

func (r *recorder) Enter(e *traverse.Event) traverse.Answer {
	if e.Pos < 0 || e.Size < 0 || e.End() > len(r.buf) || e.Data < 0 || e.Data > len(r.buf) || e.VTable > max(0, len(r.buf)-4) || e.Target > len(r.buf) {
		r.t.Fatalf("an event outside of %d bytes: %+v", len(r.buf), *e)
	}
	if n := len(r.stack); n > 0 {
		above := &r.stack[n-1]
		switch {
		case above.What == traverse.Buffer && e.What != traverse.Table,
			e.What == traverse.Field && (above.What != traverse.Table || e.Object != above.Object || e.Pos < above.Pos),
			e.What == traverse.VTable && (above.What != traverse.Table || e.Pos != above.VTable),
			e.What == traverse.Buffer && (above.What != traverse.Vector || e.Pos != above.Data || e.Size != above.Count):
			r.t.Fatalf("%+v\nin %+v", *e, *above)
		}
		if above.What == traverse.Vector && e.What != traverse.Buffer && (e.Index < 0 || e.At != above.Data+e.Index*above.ElemSize) {
			r.t.Fatalf("element %d of %+v is %+v", e.Index, *above, *e)
		}
	} else if e.What != traverse.Buffer {
		r.t.Fatalf("the first event is %+v", *e)
	}
	switch e.What {
	case traverse.Table:
		if !e.Seen && e.Sound {
			r.met[object{e.Pos, e.Object}]++
		}
	case traverse.String:
		if !e.Seen && e.Sound {
			r.met[object{e.Pos, nil}]++
		}
	}
	if !e.Seen && e.Sound && (e.What == traverse.Buffer || e.What == traverse.Table || e.What == traverse.Vector) {
		r.stack = append(r.stack, *e)
	}
	return traverse.Go
}

func (r *recorder) Leave(e *traverse.Event) {
	last := len(r.stack) - 1
	if last < 0 || r.stack[last].Pos != e.Pos || r.stack[last].What != e.What {
		r.t.Fatalf("%+v is left, %+v was entered", *e, r.stack)
	}
	r.stack = r.stack[:last]
}

func (r *recorder) Fault(err error) { r.faults = append(r.faults, err) }

// traversed runs a traversal and returns what it told.
func traversed(t *testing.T, typ *fbverify.Type, buf []byte, o *fbverify.Options) (*recorder, *fbverify.Traversal, error) {
	r := &recorder{t: t, buf: buf, met: map[object]int{}}
	tr := typ.Traversal(buf, o)
	err := tr.Run(r)
	if err == nil && len(r.stack) > 0 {
		t.Fatalf("%d events were not left", len(r.stack))
	}
	return r, tr, err
}

// TestATraversalMeetsEachObjectOnce: those that the reference walk meets.
func TestATraversalMeetsEachObjectOnce(t *testing.T) {
	seeds := uint64(1500)
	if testing.Short() {
		seeds = 300
	}
	tables, texts := 0, 0
	for seed := range seeds {
		rng := fbrand.NewRand(seed)
		text, s := fbrand.Schema(rng, fbrand.SchemaOptions{})
		typ := trusttest.Compile(t, s)
		b := fbrand.ForSchema(rng, s, s.Root, fbrand.BufferOptions{Loose: seed%2 == 1, Objects: 5 + int(seed%100)})
		want := map[object]int{}
		met := func(pos uint64, o *schema.Object) { want[object{int(pos), o}] = 1 }
		if err := walk.Message(s, s.Root, b.Bytes, &walk.Options{Rules: true, Met: met}); err != nil {
			t.Fatal(err)
		}
		r, tr, err := traversed(t, typ, b.Bytes, high(fbverify.Options{}))
		if err != nil || len(r.faults) > 0 {
			t.Fatalf("seed %d: %v, %v", seed, err, r.faults)
		}
		if !maps.Equal(r.met, want) {
			t.Fatalf("seed %d: met %v\nwant %v\n%s", seed, r.met, want, text)
		}
		for o := range want {
			if o.object == nil {
				texts++
			} else {
				tables++
			}
		}
		looks(t, tr, b.Bytes, r)
	}
	if tables < 1000 || texts < 1000 {
		t.Errorf("%d tables and %d strings are too few to tell", tables, texts)
	}
}

// TestATraversalThatAFaultEndsLeavesWhatItEntered, and nothing else, in buffers that end it by
// how much they make of little.
func TestATraversalThatAFaultEndsLeavesWhatItEntered(t *testing.T) {
	hostile, err := inputs.HostileSchema()
	if err != nil {
		t.Fatal(err)
	}
	ended := 0
	for _, h := range inputs.Hostiles {
		typ, err := fbverify.Compile(hostile, h.Root)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []fbverify.Options{{}, {MaxTables: 10_000, MaxApparentSize: 1 << 20}, {MaxTables: 3}} {
			r, _, err := traversed(t, typ, h.Make(96<<10), &o)
			if err != nil {
				ended++
			}
			if len(r.stack) > 0 {
				t.Errorf("%s: %d events were not left", h.Name, len(r.stack))
			}
		}
	}
	if ended < len(inputs.Hostiles) {
		t.Errorf("only %d traversals were ended by a fault", ended)
	}
}

// looker notes the first event of a look, and how many there are.
type looker struct {
	first traverse.Event
	n     int
}

func (l *looker) Enter(e *traverse.Event) traverse.Answer {
	if l.n == 0 {
		l.first = *e
	}
	l.n++
	return traverse.Go
}
func (l *looker) Leave(*traverse.Event) {}

// looks looks at each place that a traversal has seen: the tables and strings among
// them are those that were entered.
func looks(t *testing.T, tr *fbverify.Traversal, buf []byte, r *recorder) {
	t.Helper()
	left := maps.Clone(r.met)
	for p := range tr.Seen().From(0) {
		var l looker
		tr.Look(p, &l)
		if l.n == 0 || l.first.Pos != p.Pos || l.first.End() > len(buf) {
			t.Fatalf("%d events at %v, the first %+v", l.n, p, l.first)
		}
		switch l.first.What {
		case traverse.Table:
			delete(left, object{p.Pos, l.first.Object})
		case traverse.String:
			delete(left, object{p.Pos, nil})
		}
	}
	if len(left) > 0 {
		t.Fatalf("not looked at: %v", left)
	}
}

// TestATraversalTellsTheFaultsOfExplain of damaged buffers, the first of them at least
// where what is shared is told once.
func TestATraversalTellsTheFaultsOfExplain(t *testing.T) {
	seeds := uint64(1500)
	if testing.Short() {
		seeds = 300
	}
	faulty := 0
	for seed := range seeds {
		rng := fbrand.NewRand(seed)
		text, s := fbrand.Schema(rng, fbrand.SchemaOptions{})
		typ := trusttest.Compile(t, s)
		b := fbrand.ForSchema(rng, s, s.Root, fbrand.BufferOptions{Objects: 5 + int(seed%100)})
		for range 5 {
			d := fbrand.Damage(rng, b)
			for _, strict := range []bool{false, true} {
				o := high(fbverify.Options{Strict: strict})
				want := typ.Explain(d.Bytes, o)
				r, _, _ := traversed(t, typ, d.Bytes, o)
				if len(r.faults) == 0 != (len(want) == 0) && !(strict && want[0].Kind == fbverify.ErrUnsorted) {
					t.Fatalf("seed %d, strict %v: told %v\nwant %v\n%s", seed, strict, r.faults, want, text)
				}
				if len(want) == 0 || len(r.faults) == 0 {
					continue
				}
				faulty++
				if got := fmt.Sprint(r.faults[0]); got != want[0].Error() && want[0].Kind != fbverify.ErrUnsorted {
					t.Fatalf("seed %d, strict %v: told %v\nwant %v\n%s", seed, strict, got, want[0], text)
				}
			}
		}
	}
	if faulty < 500 {
		t.Errorf("%d damaged buffers with faults are too few to tell", faulty)
	}
}

// TestATraversalKeepsToTheFramingOfAMessage: positions count from the prefix, whatever
// alignment counts from.
func TestATraversalKeepsToTheFramingOfAMessage(t *testing.T) {
	after := 0
	for seed := range uint64(300) {
		for _, framing := range []fbverify.Framing{fbverify.SizePrefixed, fbverify.LongSizePrefixed} {
			for _, alignAfter := range []bool{false, true} {
				rng := fbrand.NewRand(seed)
				_, s := fbrand.Schema(rng, fbrand.SchemaOptions{})
				typ := trusttest.Compile(t, s)
				b := fbrand.ForSchema(rng, s, s.Root, fbrand.BufferOptions{Prefix: framing.Prefix(), AlignAfter: alignAfter})
				want := map[object]int{}
				met := func(pos uint64, o *schema.Object) { want[object{int(pos) + framing.Prefix(), o}] = 1 }
				if err := walk.Message(s, s.Root, b.Bytes[framing.Prefix():], &walk.Options{Met: met}); err != nil {
					t.Fatal(err)
				}
				buf := append(b.Bytes[:len(b.Bytes):len(b.Bytes)], "what follows"...)
				r, tr, err := traversed(t, typ, buf, high(fbverify.Options{Framing: framing}))
				if err != nil || len(r.faults) > 0 || !maps.Equal(r.met, want) {
					t.Fatalf("seed %d, %v, aligned after it %v: %v, %v; met %v, want %v", seed, framing, alignAfter, err, r.faults, r.met, want)
				}
				looks(t, tr, buf, r)
				if alignAfter && typ.Verify(buf, high(fbverify.Options{Framing: framing, Strict: true})) != nil {
					after++
				}
			}
		}
	}
	if after == 0 {
		t.Error("no message was aligned from after its prefix alone")
	}
}

// offset is an offset that a traversal followed, and where to.
type offset struct {
	at, index int
	to        traverse.Place
}

// offsets notes what offsets lead to.
type offsets struct {
	met map[offset]bool
}

func (o *offsets) Enter(e *traverse.Event) traverse.Answer {
	switch e.What {
	case traverse.Field, traverse.VTable, traverse.Buffer:
	default:
		if e.At != traverse.None {
			o.met[offset{e.At, e.Index, traverse.Place{Pos: e.Pos, As: e.As}}] = true
		}
	}
	return traverse.Go
}
func (o *offsets) Leave(*traverse.Event) {}

// TestLooksTellWhatATraversalFollows: those who look at one object after the other, from the
// root on, miss nothing of what a traversal meets, in sound and in damaged buffers.
func TestLooksTellWhatATraversalFollows(t *testing.T) {
	followed := 0
	for seed := range uint64(300) {
		rng := fbrand.NewRand(seed)
		text, s := fbrand.Schema(rng, fbrand.SchemaOptions{})
		typ := trusttest.Compile(t, s)
		b := fbrand.ForSchema(rng, s, s.Root, fbrand.BufferOptions{Objects: 5 + int(seed%60)})
		for i, buf := range [][]byte{b.Bytes, fbrand.Damage(rng, b).Bytes} {
			o := high(fbverify.Options{SkipAlignment: true, SkipUTF8: true})
			all := offsets{met: map[offset]bool{}}
			whole := typ.Traversal(buf, o)
			if err := whole.Run(&all); err != nil {
				continue
			}
			looked := offsets{met: map[offset]bool{}}
			for p := range whole.Seen().From(0) {
				whole.Look(p, &looked)
			}
			for met := range all.met {
				if root := met.at < 8 && met.index < 0; !looked.met[met] && !root {
					t.Fatalf("seed %d, buffer %d: no look tells of %+v\n%s", seed, i, met, text)
				}
				followed++
			}
		}
	}
	if followed < 5000 {
		t.Errorf("%d offsets are too few to tell", followed)
	}
}
