package fbverify_test

import (
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/fbrand"
)

// TestCountsOfARefusedBufferDoNotDependOnWhatWasVerifiedBefore: shapes that the Type has
// learned are for speed.
func TestCountsOfARefusedBufferDoNotDependOnWhatWasVerifiedBefore(t *testing.T) {
	refused := 0
	for seed := range uint64(300) {
		r := fbrand.NewRand(seed)
		_, s := fbrand.Schema(r, fbrand.SchemaOptions{})
		compile := func() *fbverify.Type {
			typ, err := fbverify.Compile(s, "")
			if err != nil {
				t.Fatal(err)
			}
			return typ
		}
		b := fbrand.ForSchema(r, s, s.Root, fbrand.BufferOptions{Objects: 40})
		warm := compile()
		if err := warm.Verify(b.Bytes, nil); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			d := fbrand.Damage(r, b)
			first, err := compile().Measure(d.Bytes, nil)
			if err == nil {
				continue
			}
			refused++
			again, errAgain := warm.Measure(d.Bytes, nil)
			if first != again || *err.(*fbverify.Error) != *errAgain.(*fbverify.Error) {
				t.Fatalf("seed %d: %+v and %v, and %+v and %v where its like was verified before", seed, first, err, again, errAgain)
			}
		}
	}
	if refused < 500 {
		t.Errorf("%d buffers were refused", refused)
	}
}
