package trust_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/fbrand"
	"github.com/fbverify/go/internal/trust/trusttest"
)

// haven is what offsets are mended to lead to: an empty vtable and a table with
// it, and zeros, which are an empty vector, an empty string and any struct.
// It starts at a multiple of 32.
var haven = func() []byte {
	b := make([]byte, 4096)
	copy(b, []byte{4, 0, 4, 0, 4, 0, 0, 0})
	return b
}()

// mend changes the bytes that a fault names, so that this fault cannot be there
// any more. It returns several attempts where the width of what is there is not
// known, and none where a fault is about something that is missing.
func mend(buf []byte, at int, f *fbverify.Error) (attempts [][]byte) {
	try := func(pos int, b []byte) {
		if pos >= 0 && pos+len(b) <= len(buf) {
			mended := bytes.Clone(buf)
			copy(mended[pos:], b)
			attempts = append(attempts, mended)
		}
	}
	le := func(v int) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(v)) }
	offset := func() {
		to := at + 32
		switch {
		case strings.Contains(f.Detail, "to a table"), strings.Contains(f.Detail, "and there is no value"):
			to = at + 4
		}
		try(f.Offset, le(to - f.Offset)[:4])
		try(f.Offset, le(to-f.Offset))
	}
	has := func(text string) bool { return strings.Contains(f.Detail, text) }
	switch {
	case f.Kind == fbverify.ErrBadOffset, has("the offset ") && has(" leads to "):
		offset()
	case has("vtable offset"):
		try(f.Offset, le(f.Offset - at)[:4])
	case f.Kind == fbverify.ErrBadVTable, has("the vtable of"):
		try(f.Offset, []byte{4, 0})
	case has("the vtable puts the field"):
		try(f.Offset, []byte{0, 0})
	case has("reaches past the end"), has("the elements of"):
		try(f.Offset, le(0)[:4])
		try(f.Offset, le(0))
	case f.Kind == fbverify.ErrNotTerminated:
		try(f.Offset, []byte{0})
	case f.Kind == fbverify.ErrInvalidUTF8:
		try(f.Offset, []byte{'a'})
	case f.Kind == fbverify.ErrUnionValueMissing && strings.HasSuffix(f.Path, "]"):
		offset()
	case f.Kind == fbverify.ErrUnionValueMissing:
		for _, size := range []int{1, 2, 4, 8} {
			try(f.Offset, le(0)[:size])
		}
	case f.Kind == fbverify.ErrUnionVectors:
		var tags, values int
		if n, _ := fmt.Sscanf(f.Detail, "the union has %d types and %d values", &tags, &values); n == 2 {
			try(f.Offset, le(tags)[:4])
		}
	}
	return attempts
}

// TestMendingTheFaultMovesTheVerdictOn: the bytes that a fault names are those that
// are at fault. When they are made good, the buffer is accepted, or the first
// fault is another.
func TestMendingTheFaultMovesTheVerdictOn(t *testing.T) {
	mended, missing := map[string]int{}, map[string]int{}
	steps, longest := 0, 0
	for seed, end := trusttest.Seeds(150); seed < end; seed++ {
		r := fbrand.NewRand(seed)
		_, sch := fbrand.Schema(r, fbrand.SchemaOptions{NoNested: true})
		typ := trusttest.Compile(t, sch)
		b := fbrand.ForSchema(r, sch, sch.Root, fbrand.BufferOptions{Objects: 40, Loose: true})
		for range 20 {
			d := fbrand.Damage(r, b)
			buf := d.Bytes
			buf = append(buf, make([]byte, -len(buf)&31+32)...) // what is mended at the end does not reach the haven
			at := len(buf)
			buf = append(buf, haven...)
			// Mended again and again, a buffer becomes valid in the end.
			for n := 0; ; n++ {
				err := typ.Verify(buf, high(fbverify.Options{}))
				if err == nil {
					longest = max(longest, n)
					break
				}
				f := err.(*fbverify.Error)
				if f.Offset >= at {
					break // a table that reaches into the haven, behind which there is none
				}
				attempts := mend(buf, at, f)
				if attempts == nil {
					missing[f.Kind.Name()]++
					break
				}
				moved := false
				for _, attempt := range attempts {
					after := typ.Explain(attempt, high(fbverify.Options{}))
					// Where parts overlap, what was mended may itself be what leads here: the
					// fault then stands at the same place for another reason.
					if len(after) == 0 || *after[0] != *f {
						moved, buf = true, attempt
						break
					}
				}
				if !moved {
					t.Fatalf("seed %d, %s: mended the bytes of %v, and it is still there\n%s", seed, d.How, f, trusttest.Dump(buf[:at]))
				}
				mended[f.Kind.Name()]++
				if steps++; n > 200 {
					break // as when many elements are bad, each in its turn
				}
			}
		}
	}
	t.Logf("mended: %v; nothing there to mend: %v; up to %d times in one buffer", mended, missing, longest)
	for _, kind := range []string{"out-of-bounds", "misaligned", "bad-offset", "bad-vtable", "not-terminated", "invalid-utf8", "union-value-missing", "union-vectors"} {
		if mended[kind] == 0 && !testing.Short() {
			t.Errorf("no fault of kind %s was mended", kind)
		}
	}
	rest := 0
	for _, n := range missing {
		rest += n
	}
	if rest > steps {
		t.Errorf("%d faults had nothing to mend, and %d were mended", rest, steps)
	}
}
