package fbverify_test

import (
	"errors"
	"testing"

	"github.com/fbverify/go/fbverify"
	. "github.com/fbverify/go/internal/fbasm"
)

// TestVTablesJustBeforeTheBufferAreRefused: the position of a vtable that would
// start at byte -1 is all ones, which must not be taken for "no vtable yet".
func TestVTablesJustBeforeTheBufferAreRefused(t *testing.T) {
	typ := rulesType(t, "R")
	for _, opts := range []*fbverify.Options{nil, {SkipAlignment: true}} {
		for before := uint32(0); before < 2; before++ {
			parts := []Part{U32(4), U32(1 + before)}
			for range before {
				parts = append(parts, Offset("good"))
			}
			parts = append(parts, Label("slot"), Offset("bad"))
			if before > 0 {
				parts = append(parts, leaf("good"))
			}
			_, at := Assemble(one(15, 4, append(parts, Label("bad"), U32(0))...)...)
			buf := Build(one(15, 4, append(parts, Label("bad"), U32(uint32(at["bad"]+1)))...)...)
			if err := typ.Verify(buf, opts); !errors.Is(err, fbverify.ErrOutOfBounds) {
				t.Errorf("after %d tables: %v", before, err)
			}
		}
	}
}
