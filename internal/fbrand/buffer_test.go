package fbrand_test

import (
	"bytes"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/fbrand"
	"github.com/fbverify/go/internal/walk"
)

func TestBuffersAreValid(t *testing.T) {
	loose, sizes := 0, map[int]int{}
	for seed := range uint64(1500) {
		r := fbrand.NewRand(seed)
		text, s := fbrand.Schema(r, fbrand.SchemaOptions{})
		typ, err := fbverify.Compile(s, "")
		if err != nil {
			t.Fatal(err)
		}
		opts := fbrand.BufferOptions{Loose: seed%2 == 1, Objects: 5 + int(seed%100)}
		framing := fbverify.Unframed
		if seed%5 == 0 {
			opts.Prefix, opts.AlignAfter = 4, seed%10 == 0 && opts.Loose
			framing = fbverify.SizePrefixed
		}
		b := fbrand.ForSchema(r, s, s.Root, opts)
		counts, err := typ.Measure(b.Bytes, &fbverify.Options{Framing: framing})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if counts.Tables != b.Tables {
			t.Errorf("seed %d: %d tables verified, %d written", seed, counts.Tables, b.Tables)
		}
		if err := typ.Verify(b.Bytes, &fbverify.Options{Framing: framing, MaxDepth: b.Depth}); err != nil {
			t.Errorf("seed %d, depth %d: %v", seed, b.Depth, err)
		}
		if opts.Prefix == 0 {
			if err := walk.Message(s, s.Root, b.Bytes, &walk.Options{Rules: true}); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
		}
		switch err := typ.Verify(b.Bytes, &fbverify.Options{Framing: framing, Strict: true}); {
		case err != nil && !opts.Loose:
			t.Fatalf("seed %d, strict: %v\n%s", seed, err, text)
		case err != nil:
			loose++
		}
		switch n := len(b.Bytes); {
		case n < 100:
			sizes[100]++
		case n < 1000:
			sizes[1000]++
		case n > 10000:
			sizes[10000]++
		}
	}
	if loose < 200 {
		t.Errorf("only %d of 750 loose buffers break a rule of Strict", loose)
	}
	if sizes[100] == 0 || sizes[1000] == 0 || sizes[10000] == 0 {
		t.Errorf("sizes: %v", sizes)
	}
}

func TestBuffersFollowFromTheSeed(t *testing.T) {
	make := func() []byte {
		r := fbrand.NewRand(7)
		_, s := fbrand.Schema(r, fbrand.SchemaOptions{})
		return fbrand.ForSchema(r, s, s.Root, fbrand.BufferOptions{}).Bytes
	}
	if !bytes.Equal(make(), make()) {
		t.Error("one seed, two buffers")
	}
}

// TestDamageTellsWhatItDid: bytes outside of Changed are as they were, and most
// damage is refused, but not all of it.
func TestDamageTellsWhatItDid(t *testing.T) {
	accepted, kinds := 0, map[string]int{}
	const runs = 3000
	for seed := range uint64(runs) {
		r := fbrand.NewRand(seed)
		_, s := fbrand.Schema(r, fbrand.SchemaOptions{})
		typ, err := fbverify.Compile(s, "")
		if err != nil {
			t.Fatal(err)
		}
		b := fbrand.ForSchema(r, s, s.Root, fbrand.BufferOptions{})
		d := fbrand.Damage(r, b)
		if !d.Cut && len(d.Bytes) != len(b.Bytes) {
			t.Fatalf("%s: %d bytes of %d", d.How, len(d.Bytes), len(b.Bytes))
		}
		mended := bytes.Clone(d.Bytes)
		for _, run := range d.Changed {
			if end := min(run[1], len(mended)); run[0] < end {
				copy(mended[run[0]:end], b.Bytes[run[0]:end])
			}
		}
		if !bytes.HasPrefix(b.Bytes, mended) {
			t.Fatalf("%s: more than that changed", d.How)
		}
		err = typ.Verify(d.Bytes, nil)
		if err == nil {
			accepted++
			continue
		}
		kinds[err.(*fbverify.Error).Kind.Name()]++
	}
	if accepted < runs/20 || accepted > runs*19/20 {
		t.Errorf("%d of %d accepted", accepted, runs)
	}
	for _, kind := range []string{"out-of-bounds", "misaligned", "bad-offset", "bad-vtable", "not-terminated", "invalid-utf8",
		"missing-required", "union-value-missing", "union-vectors", "too-short"} {
		if kinds[kind] == 0 {
			t.Errorf("no damage of %d was refused as %s (%v)", runs, kind, kinds)
		}
	}
}
