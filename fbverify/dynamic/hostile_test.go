package dynamic

import (
	"io"
	"math/rand/v2"
	"testing"

	"github.com/fbverify/go/fbverify"
)

// walkAll reads everything there is to read below a value, and returns the number
// of values.
func walkAll(t testing.TB, v Value, size int) int {
	n := 1
	inside := v.Offset() >= 0 && v.Offset()+v.Size() <= size
	if v.Present() && !inside && v.Kind() != KindTable && v.Kind() != KindUnion { // tables declare their size
		t.Fatalf("a %s is said to lie at %d to %d of %d bytes", v.Type(), v.Offset(), v.Offset()+v.Size(), size)
	}
	sink += int64(len(v.String()))
	if !v.Present() {
		return n // below an absent table there is another, for ever, if its type contains itself
	}
	switch v.Kind() {
	case KindTable:
		for _, f := range v.Table().AllFields() {
			n += walkAll(t, f, size)
		}
	case KindStruct:
		for _, f := range v.Struct().Fields() {
			n += walkAll(t, f, size)
		}
	case KindVector, KindArray:
		if f := v.Field(); f != nil && f.Nested() != nil {
			if m, err := v.Nested(); err == nil {
				n += walkAll(t, m.Root().AsValue(), size)
			}
		}
		for _, e := range v.All() {
			n += walkAll(t, e, size)
		}
		if k := v.Key(); k != nil {
			switch k.Type().Kind {
			case KindString:
				v.LookupString("b")
			case KindInt:
				v.LookupInt(3)
			case KindUint:
				v.LookupUint(3)
			}
		}
	case KindUnion:
		n += walkAll(t, v.Union(), size)
	}
	return n
}

// readHostile reads all of a buffer that some options accept, in every way.
func readHostile(t testing.TB, typ *fbverify.Type, buf []byte) (accepted bool) {
	for _, opts := range []*fbverify.Options{
		{MaxTables: 5000, MaxApparentSize: 1 << 20},
		{MaxTables: 5000, MaxApparentSize: 1 << 20, SkipUTF8: true, NestedUnchecked: true, SkipAlignment: true, SkipNullTerminator: true},
	} {
		m, err := Root(typ, buf, opts)
		if err != nil {
			continue
		}
		accepted = true
		sink += int64(walkAll(t, m.Root().AsValue(), len(buf)))
		for _, j := range []JSONOptions{{NonUTF8: NonUTF8Replace, MaxBytes: 4 << 20}, {Defaults: true, Indent: 1, FlexBytes: true, NonUTF8: NonUTF8Escape, MaxBytes: 4 << 20}} {
			// Malformed FlexBuffers are errors: what counts is that nothing panics.
			_ = WriteJSON(io.Discard, m, &j)
		}
	}
	return accepted
}

func hostileSeeds(t testing.TB) map[*fbverify.Type][]byte {
	seeds := map[*fbverify.Type][]byte{}
	for fbs, text := range map[string]string{
		kitchen:    everything,
		far:        farText,
		flexSchema: `{"x":{"a":[1,"b",{"c":2.5}]},"b":"x"}`,
	} {
		typ := compile(t, fbs, "")
		buf, err := EncodeJSON(typ, []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		seeds[typ] = buf
	}
	return seeds
}

func TestNoReadOfAnAcceptedBufferPanics(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	rounds := 8000
	if testing.Short() {
		rounds = 1000
	}
	for typ, seed := range hostileSeeds(t) {
		accepted := 0
		for range rounds {
			buf := append([]byte(nil), seed...)
			for range 1 + r.IntN(4) {
				switch at := r.IntN(len(buf)); r.IntN(4) {
				case 0:
					buf[at] = byte(r.Uint32())
				case 1:
					buf[at] ^= 1 << r.IntN(8)
				case 2:
					buf[at] += byte(4 * (r.IntN(5) - 2))
				case 3:
					copy(buf[at:min(at+4, len(buf))], seed[r.IntN(len(seed)):])
				}
			}
			if readHostile(t, typ, buf[:len(buf)-r.IntN(2)*r.IntN(9)]) {
				accepted++
			}
		}
		if accepted < rounds/50 {
			t.Errorf("%s: only %d of %d buffers were accepted", typ, accepted, rounds)
		}
	}
}

// FuzzReads says that no read of a buffer that verified panics.
func FuzzReads(f *testing.F) {
	types := []*fbverify.Type{compile(f, kitchen, ""), compile(f, far, ""), compile(f, flexSchema, "")}
	f.Fuzz(func(t *testing.T, buf []byte) {
		for _, typ := range types {
			readHostile(t, typ, buf)
		}
	})
}
