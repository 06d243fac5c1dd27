package split_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/split"
	"github.com/fbverify/go/generated/bench"
	"github.com/fbverify/go/internal/inputs"
)

var rowType = bench.Row{}.FlatBuffersType()

// spin takes processor time, as many steps as it is told.
func spin(steps int) func() error {
	return func() error {
		x := uint64(1)
		for range steps {
			x = x*6364136223846793005 + 1442695040888963407
		}
		if x == 0 {
			return errors.New("the generator has no such state")
		}
		return nil
	}
}

// TestSharesAreThoseOfTheWork gives depths whose parts take known shares.
func TestSharesAreThoseOfTheWork(t *testing.T) {
	depths := []split.Depth{{"first", spin(200_000)}, {"second", spin(800_000)}, {"third", spin(2_000_000)}}
	want := []float64{0.1, 0.3, 0.6}
	var r *split.Report
	for range 5 { // other work on the machine may spoil one
		var err error
		if r, err = split.Measure(t.Context(), depths, &split.Options{Rounds: 15, Turn: 5 * time.Millisecond}); err != nil {
			t.Fatal(err)
		}
		right := r.Rounds == 15 && r.Whole > 0
		for i, p := range r.Parts {
			right = right && p.Name == depths[i].Part && p.Separable && p.Share > want[i]-0.08 && p.Share < want[i]+0.08 &&
				p.Low <= p.Time && p.Time <= p.High
		}
		if right {
			return
		}
	}
	t.Errorf("the shares should be %v:\n%v", want, r)
}

// TestNoShareWhereThereIsNoDifference has a depth that does no more than the one before,
// and one that does less.
func TestNoShareWhereThereIsNoDifference(t *testing.T) {
	less := 0
	for range 5 {
		r, err := split.Measure(t.Context(), []split.Depth{{"all", spin(600_000)}, {"less", spin(200_000)}, {"back", spin(600_000)}},
			&split.Options{Rounds: 9, Turn: 2 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if p := r.Parts[1]; p.Separable || p.Share != 0 || p.Time != 0 || p.Reason == "" || !strings.Contains(r.String(), "not separable: "+p.Reason) {
			t.Fatalf("a depth that does less than the one before has a share: %+v\n%v", p, r)
		}
		less++
	}
	few, err := split.Measure(t.Context(), []split.Depth{{"all", spin(1000)}}, &split.Options{Rounds: 4, Turn: time.Millisecond})
	if err != nil || !strings.Contains(few.String(), "4 rounds") {
		t.Errorf("four rounds: %v, %v", few, err)
	}
	two, err := split.Measure(t.Context(), []split.Depth{{"all", spin(1000)}, {"more", spin(100_000)}}, &split.Options{Rounds: 4, Turn: time.Millisecond})
	if err != nil || two.Parts[1].Separable {
		t.Errorf("four rounds separate something: %+v, %v", two, err)
	}
}

// TestStreamDepths holds each depth of a stream to what it is said to do.
func TestStreamDepths(t *testing.T) {
	const count = 3000 // several chunks
	stream := inputs.Rows(count)
	var seen bytes.Buffer
	depths, err := split.Stream(stream, rowType, nil, split.Step{Part: "work", Use: func(m []byte) error { seen.Write(m); return nil }})
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, d := range depths {
		parts = append(parts, d.Part)
		for range 2 {
			if err := d.Run(); err != nil {
				t.Errorf("%s: %v", d.Part, err)
			}
		}
	}
	if got := fmt.Sprint(parts); got != "[moving verification framing work]" {
		t.Errorf("the parts are %s", got)
	}
	if want := append(bytes.Clone(stream), stream...); !bytes.Equal(seen.Bytes(), want) {
		t.Errorf("two runs hand on %d bytes, not the stream twice, %d", seen.Len(), len(want))
	}
	// A change of the bytes after the depths were made shows which of them verify.
	for i := range 4 {
		stream[len(stream)/2+i] ^= 0xff
	}
	for i := 0; i < len(stream)-8; i += 8 {
		stream[i+5] ^= 0x55
	}
	if err := depths[0].Run(); err != nil {
		t.Errorf("moving looks at the bytes: %v", err)
	}
	for _, d := range depths[1:] {
		var e *fbverify.Error
		if err := d.Run(); !errors.As(err, &e) {
			t.Errorf("%s ends with %v", d.Part, err)
		}
	}
}

// TestLargeMessagesHavePiecesOfTheirOwn mixes messages above a chunk with small ones.
func TestLargeMessagesHavePiecesOfTheirOwn(t *testing.T) {
	var stream bytes.Buffer
	w := fbverify.NewWriter(&stream, nil)
	for _, n := range []int{10, 200_000, 10, 65_536, 1, 65_400} {
		row := bench.RowT{ID: 1, Note: strings.Repeat("n", n)}
		if err := w.Finish(row.Pack(w.Builder())); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	depths, err := split.Stream(stream.Bytes(), rowType, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range depths {
		if err := d.Run(); err != nil {
			t.Errorf("%s: %v", d.Part, err)
		}
	}
}

func TestErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := split.Measure(ctx, []split.Depth{{"a", spin(1)}}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context ended: %v", err)
	}
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		depths []split.Depth
		opts   *split.Options
		want   string
	}{
		"no depth":        {nil, nil, "no depth"},
		"nothing to run":  {[]split.Depth{{"a", nil}}, nil, "depth 0 (a)"},
		"negative rounds": {[]split.Depth{{"a", spin(1)}}, &split.Options{Rounds: -1}, "negative"},
		"a depth fails":   {[]split.Depth{{"a", spin(1)}, {"b", func() error { return broken }}}, nil, "split: b: broken"},
	} {
		if r, err := split.Measure(t.Context(), c.depths, c.opts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want %q", name, r, err, c.want)
		}
	}
	stream := inputs.Rows(3)
	if _, err := split.Stream(nil, rowType, nil); err == nil {
		t.Error("an empty stream has depths")
	}
	if _, err := split.Stream(stream[:len(stream)-1], rowType, nil); err == nil || !strings.Contains(err.Error(), "message 2") {
		t.Errorf("a stream that ends in message 2: %v", err)
	}
	if _, err := split.Stream(stream, rowType, &fbverify.ReaderOptions{MaxMessage: 8}); !errors.Is(err, fbverify.ErrTooLarge) {
		t.Errorf("messages above the limit: %v", err)
	}
}

func Example() {
	stream := inputs.Rows(100) // size-prefixed messages, as they came over the network
	total := 0.0
	row := func(message []byte) bench.Row {
		return fbverify.RootUnchecked[bench.Row](message, fbverify.SizePrefixed).Root() // the loop has verified it
	}
	depths, err := split.Stream(stream, rowType, nil,
		split.Step{Part: "decoding", Use: func(m []byte) error { total += row(m).Price(); return nil }},
		split.Step{Part: "work", Use: func(m []byte) error {
			r := row(m)
			total += math.Log(r.Price()) * float64(r.Quantity())
			return nil
		}})
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := split.Measure(context.Background(), depths, &split.Options{Rounds: 5, Turn: time.Millisecond})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range report.Parts {
		fmt.Println(p.Name)
	}
	// Output:
	// moving
	// verification
	// framing
	// decoding
	// work
}
