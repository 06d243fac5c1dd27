package traversal

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/rule"
	"github.com/fbverify/go/internal/inputs"
)

// TestQuickChecksChangeNothing walks buffers that share much, whole and damaged,
// with the quick checks and without: faults, their paths and words, and counts
// must be the same.
func TestQuickChecksChangeNothing(t *testing.T) {
	s, err := inputs.HostileSchema()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	damages := 300
	if testing.Short() {
		damages = 30
	}
	faulty, sound := 0, 0
	for _, h := range inputs.Hostiles {
		p, err := program.Compile(s, s.Object(h.Root), false)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{1 << 10, 3000} {
			buf := h.Make(size)
			for round := range damages {
				damaged := slices.Clone(buf)
				for range min(round, 1+rng.IntN(2)) {
					at := rng.IntN(len(buf)-4) &^ 3
					binary.LittleEndian.PutUint32(damaged[at:], []uint32{0, 1, rng.Uint32(), binary.LittleEndian.Uint32(buf[at:]) + 4, rng.Uint32N(uint32(size))}[rng.IntN(5)])
				}
				cfg := Config{
					MaxDepth: []int{64, 64, 5, 1}[rng.IntN(4)], MaxTables: []uint64{1 << 40, 1 << 40, 50, 10_000}[rng.IntN(4)],
					MaxBytes: []uint64{^uint64(0), ^uint64(0), 5000}[rng.IntN(3)], MaxFaults: 1 + rng.IntN(2)*20, Shared: true,
				}
				quick := Walk(p, damaged, &cfg)
				cfg.plain = true
				plain := Walk(p, damaged, &cfg)
				overlap := func(f Fault) bool { return f.Kind == rule.Overlap }
				if slices.ContainsFunc(quick.Faults, overlap) || slices.ContainsFunc(plain.Faults, overlap) {
					continue // quick checks are no effort, so it is met later
				}
				// What is remembered is counted as a whole before a limit ends the walk.
				limit := func(f Fault) bool { return f.Kind == rule.TableLimit || f.Kind == rule.SizeLimit }
				counted := quick.Tables == plain.Tables && quick.Bytes == plain.Bytes || slices.ContainsFunc(plain.Faults, limit)
				if !slices.Equal(quick.Faults, plain.Faults) || !counted {
					t.Fatalf("%s of %d bytes, round %d, %+v:\nquick %+v\nplain %+v", h.Name, size, round, cfg, quick, plain)
				}
				if len(plain.Faults) > 0 {
					faulty++
				} else {
					sound++
				}
			}
		}
	}
	if faulty < 200 || sound < 20 {
		t.Fatalf("%d buffers were faulty and %d sound, too few to tell", faulty, sound)
	}
}

// TestQuickChecksKnowHowDeepTablesNest meets a vector of tables near the root, and
// again so deep that what it holds is one level too deep.
func TestQuickChecksKnowHowDeepTablesNest(t *testing.T) {
	s, err := inputs.HostileSchema()
	if err != nil {
		t.Fatal(err)
	}
	p, err := program.Compile(s, s.Object("bench.Node"), false)
	if err != nil {
		t.Fatal(err)
	}
	const child, children, memberType, member, fields, anyNode = 0, 1, 2, 3, 9, 1
	b := flatbuffers.NewBuilder(4096)
	node := func(set func()) flatbuffers.UOffsetT {
		b.StartObject(fields)
		set()
		return b.EndObject()
	}
	many := func(at flatbuffers.UOffsetT) flatbuffers.UOffsetT {
		const count = 20 // that a vector is remembered
		b.StartVector(4, count, 4)
		for range count {
			b.PrependUOffsetT(at)
		}
		return b.EndVector(count)
	}
	below := many(node(func() {}))
	vector := many(node(func() { b.PrependUOffsetTSlot(children, below, 0) }))
	chain := node(func() { b.PrependUOffsetTSlot(children, vector, 0) })
	const links = 5
	for range links {
		at := chain
		chain = node(func() { b.PrependUOffsetTSlot(child, at, 0) })
	}
	before := node(func() { b.PrependUOffsetTSlot(children, below, 0) }) // so that the vector below is known
	b.Finish(node(func() {
		b.PrependUOffsetTSlot(child, before, 0)
		b.PrependUOffsetTSlot(children, vector, 0)
		b.PrependByteSlot(memberType, anyNode, 0)
		b.PrependUOffsetTSlot(member, chain, 0)
	}))
	buf := b.FinishedBytes()
	const depth = 1 + 1 + links + 2 // the root, the chain and what it ends at
	for allowed := range depth + 1 {
		for _, plain := range []bool{false, true} {
			cfg := Config{MaxDepth: allowed, MaxTables: 1 << 40, MaxBytes: ^uint64(0), MaxFaults: 1, Shared: true, plain: plain}
			r := Walk(p, buf, &cfg)
			if sound := len(r.Faults) == 0; sound != (allowed == depth) {
				t.Errorf("with %d levels allowed of %d, plain %v: %+v", allowed, depth, plain, r)
			}
		}
	}
}
