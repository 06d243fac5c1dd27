//go:build go1.25

package fbverify_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/fbverify/go/fbverify"
)

// TestSeveralGoroutinesInABubble: helpers may come from another bubble of
// testing/synctest, where channels, wait groups and clocks of this one are out of
// bounds.
func TestSeveralGoroutinesInABubble(t *testing.T) {
	typ, buf := typeOf(t, treeSchema), siblings(2000, nil)
	verify := func(t *testing.T) {
		for range 20 {
			if err := typ.Verify(buf, &fbverify.Options{Parallel: 2}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range 20 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			synctest.Test(t, verify)
			verify(t)
		})
	}
}
