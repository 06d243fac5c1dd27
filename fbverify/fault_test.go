package fbverify_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	. "github.com/fbverify/go/internal/fbasm"
)

// TestNothingIsCountedBehindABadOffset: where an offset leads nowhere, nothing is
// looked at in its place.
func TestNothingIsCountedBehindABadOffset(t *testing.T) {
	typ := rulesType(t, "R")
	for what, buf := range map[string][]byte{
		"string":           Build(one(5, 4, U32(0), U32(0))...),
		"table":            Build(one(6, 4, U32(0), U32(0))...),
		"bytes":            Build(one(11, 4, U32(0), U32(0))...),
		"strings":          Build(one(14, 4, U32(0), U32(0))...),
		"tables":           Build(one(15, 4, U32(0), U32(0))...),
		"nested":           Build(one(16, 4, U32(0), U32(0))...),
		"union's struct":   Build(union(7, 2, U32(0), U32(0))...),
		"union's string":   Build(union(7, 3, U32(0), U32(0))...),
		"tags of a vector": Build(Offset("root"), Label("vt"), slots(12, 9, 4, 10, 8), Align(8), Label("root"), VTable("vt"), U32(0), U32(4), U32(0)),
	} {
		counts, err := typ.Measure(buf, nil)
		if !errors.Is(err, fbverify.ErrBadOffset) || counts.Tables != 1 || counts.Bytes != 12 {
			t.Errorf("%s: %+v, %v", what, counts, err)
		}
		if faults := typ.Explain(buf, nil); len(faults) != 1 {
			t.Errorf("%s: %v", what, faults)
		}
	}
	values := Build(Offset("root"), Label("vt"), slots(12, 9, 4, 10, 8), Align(8), Label("root"), VTable("vt"), U32(8), U32(0), U32(0))
	if counts, err := typ.Measure(values, nil); !errors.Is(err, fbverify.ErrBadOffset) || counts.Bytes != 12+4 {
		t.Errorf("values of a vector: %+v, %v", counts, err)
	}
}

// TestABadTagHidesItsValue: nobody knows what the value would be.
func TestABadTagHidesItsValue(t *testing.T) {
	typ := rulesType(t, "R")
	for what, c := range map[string]struct {
		buf  []byte
		path string
	}{
		"a tag that is not aligned": {
			Build(Offset("root"), Label("vt"), slots(16, 22, 5, 23, 8), Align(8), Label("root"), VTable("vt"), Bytes(0, 2, 0, 0), U32(0), U32(0)), "R.w_type",
		},
		"tags whose offset is not aligned": {
			Build(Offset("root"), Label("vt"), slots(16, 9, 5, 10, 12), Align(8), Label("root"), VTable("vt"), Bytes(0, 11, 0, 0), U32(0), U32(4), U32(1), U32(0)), "R.us_type",
		},
	} {
		faults := typ.Explain(c.buf, nil)
		if len(faults) != 1 || faults[0].Kind != fbverify.ErrMisaligned || faults[0].Path != c.path {
			t.Errorf("%s: %v", what, faults)
		}
	}
}

// TestTheFirstBadByteOfAStringIsNamed, and not a character that only looks like it.
func TestTheFirstBadByteOfAStringIsNamed(t *testing.T) {
	typ := rulesType(t, "R")
	for _, c := range []struct {
		text string
		kind fbverify.Kind
		at   int
	}{
		{"\xffabc", fbverify.ErrInvalidUTF8, 0},
		{"\ufffd\xff", fbverify.ErrInvalidUTF8, 3},
		{"ab\xed\xa0\x80", fbverify.ErrInvalidUTF8, 2},
		{"日本\xe8", fbverify.ErrInvalidUTF8, 6},
		{"\x00", fbverify.ErrEmbeddedNUL, 0},
		{"a\x00b\x00", fbverify.ErrEmbeddedNUL, 1},
	} {
		buf, at := Assemble(one(5, 4, Offset("s"), Label("s"), String(c.text))...)
		err := typ.Verify(buf, &strict)
		if e, ok := err.(*fbverify.Error); !ok || e.Kind != c.kind || e.Offset != at["s"]+4+c.at {
			t.Errorf("%q: %v, want offset %d", c.text, err, at["s"]+4+c.at)
		}
	}
	if err := typ.Verify(Build(one(5, 4, Offset("s"), Label("s"), String("\ufffd日本"))...), &strict); err != nil {
		t.Error(err)
	}
}

// TestStringsOfEveryLength: where each byte of it in turn is a NUL, or no UTF-8, and
// the byte after it is a NUL or not, with much of the buffer behind it or nothing.
func TestStringsOfEveryLength(t *testing.T) {
	typ := rulesType(t, "R")
	for size := range 40 {
		for _, behind := range []int{0, 1, 7, 8, 15, 16, 40} {
			buf, at := Assemble(one(5, 4, Offset("s"), Label("s"), String(strings.Repeat("x", size)), Bytes(make([]byte, behind)...))...)
			text := buf[at["s"]+4:]
			for i := -1; i < size; i++ {
				for _, c := range []byte{0, 0x80, 0xff} {
					for _, end := range []byte{0, 'x', 0x80} {
						old := byte('x')
						if i >= 0 {
							text[i] = c
						}
						text[size] = end
						kind := fbverify.Kind(0)
						switch {
						case end != 0:
							kind = fbverify.ErrNotTerminated
						case i >= 0 && c != 0:
							kind = fbverify.ErrInvalidUTF8
						}
						if err := typ.Verify(buf, nil); kind == 0 && err != nil || kind != 0 && !errors.Is(err, kind) {
							t.Fatalf("%d bytes, 0x%02x at %d, 0x%02x after them, and %d more: %v", size, c, i, end, behind, err)
						}
						if i >= 0 {
							text[i] = old
						}
						text[size] = 0
					}
				}
			}
		}
	}
}
