package fbverify_test

import (
	"errors"
	"math"
	"math/bits"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/race"
)

const sharingSchema = `
table Node { left: Node; right: Node; index: uint (must_index: "Group.list"); }
table Group { list: [ubyte]; node: Node; }
table Root { tree: Group; groups: [Group]; }
root_type Root;
`

// sharingBuffer has a tree of depth levels whose nodes are shared, so that it stands for
// 2^levels of them, and groups that share a node: of each the length of its list.
func sharingBuffer(levels int, leaf, shared uint32, lists ...int) []byte {
	b := flatbuffers.NewBuilder(0)
	node := func(child flatbuffers.UOffsetT, index uint32) flatbuffers.UOffsetT {
		b.StartObject(3)
		if child != 0 {
			b.PrependUOffsetTSlot(0, child, 0)
			b.PrependUOffsetTSlot(1, child, 0)
		}
		b.PrependUint32Slot(2, index, 0)
		return b.EndObject()
	}
	group := func(list int, node flatbuffers.UOffsetT) flatbuffers.UOffsetT {
		bytes := b.CreateByteVector(make([]byte, list))
		b.StartObject(2)
		b.PrependUOffsetTSlot(0, bytes, 0)
		b.PrependUOffsetTSlot(1, node, 0)
		return b.EndObject()
	}
	n := node(0, leaf)
	for range levels {
		n = node(n, 0)
	}
	tree := group(5, n)
	common := node(node(0, 0), shared)
	var groups []flatbuffers.UOffsetT
	for _, list := range lists {
		groups = append(groups, group(list, common))
	}
	b.StartVector(4, len(groups), 4)
	for i := len(groups) - 1; i >= 0; i-- {
		b.PrependUOffsetT(groups[i])
	}
	list := b.EndVector(len(groups))
	b.StartObject(2)
	b.PrependUOffsetTSlot(0, tree, 0)
	b.PrependUOffsetTSlot(1, list, 0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

// TestTheVerdictOnASharedTableDependsOnWhatIsAroundIt, and takes linear time.
func TestTheVerdictOnASharedTableDependsOnWhatIsAroundIt(t *testing.T) {
	typ := constrained(t, sharingSchema)
	opts := &fbverify.Options{MaxTables: math.MaxInt, MaxDepth: 100}
	deep := 60 // cannot be walked but by remembering, and neither can 2^29 tables, all that MaxTables lets pass on 32 bits
	if bits.UintSize == 32 {
		deep = 28
	}
	for _, levels := range []int{0, 3, deep} {
		for _, c := range []struct {
			leaf, shared uint32
			lists        []int
			path         string // of the first fault; "" for none
		}{
			{4, 2, []int{3, 4, 3}, ""},
			{5, 2, []int{3}, "Root.tree.node"},
			{4, 2, []int{3, 2}, "Root.groups[1].node.index"},
			{4, 2, []int{2, 3}, "Root.groups[0].node.index"},
			{4, 2, []int{3, 3, 3, 9, 0}, "Root.groups[4].node.index"},
		} {
			buf := sharingBuffer(levels, c.leaf, c.shared, c.lists...)
			err := typ.Verify(buf, opts)
			all := typ.Explain(buf, opts)
			if c.path == "" {
				if err != nil || all != nil {
					t.Errorf("%d levels, %v: %v", levels, c, err)
				}
				continue
			}
			var e *fbverify.Error
			if !errors.As(err, &e) || e.Kind != fbverify.ErrIndex || len(e.Path) < len(c.path) || e.Path[:len(c.path)] != c.path {
				t.Errorf("%d levels, %v: %v", levels, c, err)
			}
			if len(all) == 0 || all[0].Error() != err.Error() {
				t.Errorf("%d levels, %v: Explain says %v", levels, c, all)
			}
		}
	}
}

// TestAskingAllocatesNothing in the steady state.
func TestAskingAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget")
	}
	typ := constrained(t, mapSchema)
	buf := mustEncode(t, typ, `{name: "m", tiles: [{kind: "None", image: {offset: 10, length: 90}}, {}],
		layers: [{tiles: [0, 1, -1]}, {up: 0, top: 1, sub: [{}]}], named: [{name: "x"}, {name: "z"}], use: "z", sizes: [2, 4]}`)
	opts := &fbverify.Options{Facts: map[string]int64{"body": 100}}
	if n := testing.AllocsPerRun(200, func() {
		if err := typ.Verify(buf, opts); err != nil {
			t.Fatal(err)
		}
	}); n >= 1 {
		t.Errorf("%v allocations", n)
	}
}
