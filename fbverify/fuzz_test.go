package fbverify_test

import (
	"errors"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/walk"
)

// FuzzRules starts from the buffers of the rules, see TestSeedsOfRules, and holds every verdict to the reference walk and to
// Explain.
func FuzzRules(f *testing.F) {
	typ := rulesType(f, "R")
	f.Fuzz(func(t *testing.T, buf []byte, bits uint8) {
		if len(buf) > 1<<18 {
			t.Skip("too large")
		}
		o := &fbverify.Options{
			SkipUTF8: bits&1 != 0, SkipAlignment: bits&2 != 0, SkipNullTerminator: bits&4 != 0, NestedUnchecked: bits&8 != 0,
			MaxDepth: 1 << 16,
		}
		err := typ.Verify(buf, o)
		faults := typ.Explain(buf, o)
		if (err == nil) != (len(faults) == 0) || errors.Is(err, fbverify.ErrInternal) {
			t.Fatalf("Verify says %v, Explain %v", err, faults)
		}
		for _, fault := range faults {
			if fault.Offset < 0 || fault.Size < 0 || fault.Offset+fault.Size > len(buf) {
				t.Fatalf("%d bytes at fault at %d of %d: %v", fault.Size, fault.Offset, len(buf), fault)
			}
		}
		if errors.Is(err, fbverify.ErrTableLimit) || errors.Is(err, fbverify.ErrOverlap) {
			return
		}
		walked := walk.Message(typ.Schema(), typ.Root(), buf, &walk.Options{
			Rules: true, SkipUTF8: o.SkipUTF8, SkipAlignment: o.SkipAlignment, SkipNullTerminator: o.SkipNullTerminator, SkipNested: o.NestedUnchecked,
		})
		if (err == nil) != (walked == nil) {
			t.Fatalf("Verify says %v, the reference walk %v", err, walked)
		}
		if strict := typ.Verify(buf, &fbverify.Options{Strict: true, MaxDepth: 1 << 16}); strict == nil && err != nil {
			t.Fatalf("Strict accepts what is refused: %v", err)
		}
	})
}
