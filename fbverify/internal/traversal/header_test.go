package traversal

import (
	"testing"

	"github.com/fbverify/go/fbverify/internal/program/programtest"
	"github.com/fbverify/go/fbverify/internal/rule"
	. "github.com/fbverify/go/internal/fbasm"
)

// TestBuffersAreAsLargeAsOffsetsReach, and larger where a schema has wide ones. The
// walk is told of bytes that are not there, and does not come to them.
func TestBuffersAreAsLargeAsOffsetsReach(t *testing.T) {
	for _, c := range []struct {
		schema string
		n      uint64
		kind   rule.Kind
	}{
		{"table R {} root_type R;", rule.MaxBuffer, rule.OK},
		{"table R {} root_type R;", rule.MaxBuffer + 1, rule.TooLarge},
		{"table R { far:[ubyte] (vector64); } root_type R;", rule.MaxBuffer + 1, rule.OK},
	} {
		p := programtest.Compile(t, c.schema)
		cfg := unlimited()
		w := newWalker(p, Build(U32(8), U16(4, 4), U32(4)), &cfg)
		w.n = c.n
		w.header()
		if c.kind == rule.OK && len(w.faults) > 0 || c.kind != rule.OK && (len(w.faults) != 1 || w.faults[0].Kind != c.kind) {
			t.Errorf("%d bytes: %v", c.n, w.faults)
		}
	}
}
