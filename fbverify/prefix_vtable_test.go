package fbverify_test

import (
	"errors"
	"testing"

	"github.com/fbverify/go/fbverify"
	. "github.com/fbverify/go/internal/fbasm"
)

// TestVTablesAreNotLookedForInASizePrefix: the prefix stands before the buffer, and
// a reader that was given the buffer without it would leave its slice.
func TestVTablesAreNotLookedForInASizePrefix(t *testing.T) {
	typ := rulesType(t, "R")
	for _, prefix := range []int{4, 8} {
		for at := 0; at <= prefix; at += 2 {
			head := Part(U32(60))
			if prefix == 8 {
				head = U64(60)
			}
			// Without the fault the bytes at the buffer's start are no good vtable
			// either: its size is the root offset, 8, and that says no fields.
			buf := Build(head, U32(8), U32(0), U32(uint32(prefix+8-at)), Bytes(make([]byte, 48)...))
			o := &fbverify.Options{Framing: fbverify.SizePrefixed}
			if prefix == 8 {
				o.Framing = fbverify.LongSizePrefixed
			}
			err := typ.Verify(buf, o)
			faults := typ.Explain(buf, o)
			if at == prefix {
				if err != nil || faults != nil {
					t.Errorf("prefix of %d, vtable right after it: %v, Explain %v", prefix, err, faults)
				}
			} else if !errors.Is(err, fbverify.ErrOutOfBounds) || len(faults) == 0 || *faults[0] != *err.(*fbverify.Error) {
				t.Errorf("prefix of %d, vtable at %d: %v, Explain %v", prefix, at, err, faults)
			}
		}
	}
}

// TestVTablesRightBehindASizePrefixAreFound: here it is the root offset, of which
// alignments that count from after the prefix have no reading.
func TestVTablesRightBehindASizePrefixAreFound(t *testing.T) {
	typ := rulesType(t, "R")
	buf := Build(U32(28), Label("vt"), U32(12), U16(0, 0, 0, 8), Label("root"), VTable("vt"), U32(0), U64(1))
	err := typ.Verify(buf, &fbverify.Options{Framing: fbverify.SizePrefixed})
	if faults := typ.Explain(buf, &fbverify.Options{Framing: fbverify.SizePrefixed}); err != nil || faults != nil {
		t.Errorf("%v, Explain %v", err, faults)
	}
	if err := typ.Verify(buf[4:], nil); !errors.Is(err, fbverify.ErrMisaligned) {
		t.Errorf("without the prefix: %v", err)
	}
}
