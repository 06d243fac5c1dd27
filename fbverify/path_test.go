package fbverify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	. "github.com/fbverify/go/internal/fbasm"
)

// TestPathsOfManyDeepFaultsAreInProportion: a path is as long as tables nest deep, and
// 120 kB can have thousands of faults thousands of tables deep.
func TestPathsOfManyDeepFaultsAreInProportion(t *testing.T) {
	const depth, words = 10_000, 10_000
	typ := typeOf(t, "table Node { child:Node; words:[string]; } root_type Node;")
	parts := []Part{Offset("node 0"), Label("vt"), U16(6, 8, 4), Label("last vt"), U16(8, 8, 0, 4), Align(4)}
	for i := range depth - 1 {
		parts = append(parts, Label(fmt.Sprint("node ", i)), VTable("vt"), Offset(fmt.Sprint("node ", i+1)))
	}
	parts = append(parts, Label(fmt.Sprint("node ", depth-1)), VTable("last vt"), Offset("words"), Label("words"), U32(words), U32(make([]uint32, words)...))
	faults := typ.Explain(Build(parts...), &fbverify.Options{MaxDepth: 65536})
	if len(faults) != words {
		t.Fatalf("%d faults, want %d", len(faults), words)
	}
	total := 0
	for i, f := range faults {
		total += len(f.Path)
		if end := fmt.Sprintf(".child.words[%d]", i); !strings.HasPrefix(f.Path, "Node.child.child") || !strings.HasSuffix(f.Path, end) {
			t.Fatalf("fault %d: the path begins with %q and ends with %q, want %q", i, f.Path[:40], f.Path[len(f.Path)-40:], end)
		}
		if full := strings.Count(f.Path, ".child") == depth-1; full == strings.Contains(f.Path, "…") {
			t.Fatalf("fault %d: %d steps of %d, and an ellipsis: %v", i, strings.Count(f.Path, ".child"), depth-1, strings.Contains(f.Path, "…"))
		}
	}
	if first := strings.Count(faults[0].Path, ".child"); first != depth-1 {
		t.Errorf("the first path has %d steps, want all %d", first, depth-1)
	}
	if total > 4<<20 {
		t.Errorf("%d bytes of paths", total)
	}
}
