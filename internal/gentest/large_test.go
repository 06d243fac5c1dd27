package gentest

import (
	"math"
	"math/rand/v2"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/fbread"
	"github.com/fbverify/go/internal/gentest/large"
)

// A struct of 30 kB in each frame of a recursion would take more stack than Go
// gives.
func TestUnpackAndPackOfDeepChainsWithLargeStructs(t *testing.T) {
	const depth = 40_000
	b := flatbuffers.NewBuilder(0)
	big := large.Big{Bytes: [30000]uint8{7, 29999: 9}}
	end := (&large.ChainT{Big: &big, Part: &large.PartT{Type: large.PartBig, Value: big}}).Pack(b)
	for i := range depth {
		large.ChainStart(b)
		if i%2 == 0 {
			large.ChainAddNext(b, end)
		} else {
			large.ChainAddPart(b, end)
			large.ChainAddPartType(b, large.PartChain)
		}
		end = large.ChainEnd(b)
	}
	b.Finish(end)
	v, err := fbverify.RootWithOptions[large.Chain](b.FinishedBytes(), &fbverify.Options{MaxDepth: 1 << 16})
	if err != nil {
		t.Fatal(err)
	}
	chain := v.Root().Unpack()
	b.Reset()
	b.Finish(chain.Pack(b))
	if v, err = fbverify.RootWithOptions[large.Chain](b.FinishedBytes(), &fbverify.Options{MaxDepth: 1 << 16}); err != nil {
		t.Fatal(err)
	}
	chain = v.Root().Unpack()
	levels := 0
	for ; chain.Next != nil || chain.Part != nil && chain.Part.Type == large.PartChain; levels++ {
		if chain.Next != nil {
			chain = chain.Next
		} else {
			chain = chain.Part.Value.(*large.ChainT)
		}
	}
	if levels != depth || *chain.Big != big || chain.Part.Value != big {
		t.Errorf("%d levels", levels)
	}
}

func TestTablesTooLongForAVTable(t *testing.T) {
	b := flatbuffers.NewBuilder(0)
	b.Finish((&large.NeedsT{}).Pack(b))
	v, err := fbverify.Root[large.Needs](b.FinishedBytes())
	if err != nil {
		t.Fatal(err)
	}
	if must, ok := v.Root().Must(); !ok || must != (large.Big{}) {
		t.Error("a required struct that was nil is not zeros")
	}
	b.Reset()
	b.Finish((&large.ThreeT{A: &large.Big{}, C: &large.Big{}}).Pack(b))
	if _, err := fbverify.Root[large.Three](b.FinishedBytes()); err != nil {
		t.Fatal(err)
	}
}

// Keys that are made of structs are compared by all fields, in order: Pack sorts
// so, a strict verification asks for it, and Lookup finds each.
func TestKeysMadeOfStructs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	few := func() int32 { return int32(rng.IntN(3)) - 1 }
	point := func() large.Point { return large.Point{X: few(), Y: few()} }
	flag := func() fbread.Bool8 { return fbread.Bool8(rng.IntN(2)) }
	pair := func() large.Pair { return large.Pair{A: few(), On: flag()} }
	number := func() float32 { return []float32{float32(math.NaN()), -1, 0, 1}[rng.IntN(4)] }
	var keys large.KeysT
	for i := range int32(200) {
		keys.Pairs = append(keys.Pairs, large.ByPairs{Pairs: [3]large.Pair{pair(), pair(), pair()}, N: i})
		keys.Flags = append(keys.Flags, large.ByFlags{Flags: [3]fbread.Bool8{flag(), flag(), flag()}})
		keys.Numbers = append(keys.Numbers, large.ByNumbers{Numbers: [3]float32{number(), number(), number()}})
		keys.Points = append(keys.Points, large.ByPoint{Point: point(), N: i})
		keys.Own = append(keys.Own, large.ByOwn{Own: large.Own{Low: few(), High: few()}, N: i})
		table := &large.PointTableT{N: i}
		if p := point(); p != (large.Point{}) {
			table.Point = &p
		}
		keys.Tables = append(keys.Tables, table)
	}
	b := flatbuffers.NewBuilder(0)
	b.Finish(keys.Pack(b))
	v, err := fbverify.RootWithOptions[large.Keys](b.FinishedBytes(), &fbverify.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	r := v.Root()
	for i := range 200 {
		x := keys.Pairs[i]
		if found, ok := r.Pairs().Lookup(x.Pairs); !ok || found.Pairs != x.Pairs {
			t.Errorf("pairs %v: found %v, %v", x.Pairs, found, ok)
		}
		if found, ok := r.Points().Lookup(keys.Points[i].Point); !ok || found.Point != keys.Points[i].Point {
			t.Errorf("point %v: found %v, %v", keys.Points[i], found, ok)
		}
		if found, ok := r.Own().Lookup(keys.Own[i].Own); !ok || found.Own != keys.Own[i].Own {
			t.Errorf("own %v: found %v, %v", keys.Own[i], found, ok)
		}
		if _, ok := r.Flags().Lookup(keys.Flags[i].Flags); !ok {
			t.Errorf("flags %v: not found", keys.Flags[i])
		}
		if _, ok := r.Numbers().Lookup(keys.Numbers[i].Numbers); !ok {
			t.Errorf("numbers %v: not found", keys.Numbers[i])
		}
		var want large.Point
		if p := keys.Tables[i].Point; p != nil {
			want = *p
		}
		if found, ok := r.Tables().Lookup(want); !ok {
			t.Errorf("table %v: not found", want)
		} else if got, _ := found.Point(); got != want {
			t.Errorf("table %v: found %v", want, got)
		}
	}
	for _, absent := range []large.Point{{X: 2}, {X: -2}, {Y: 2}, {X: -1, Y: -2}} {
		if _, ok := r.Points().Lookup(absent); ok {
			t.Errorf("found %v, which is not there", absent)
		}
		if _, ok := r.Tables().Lookup(absent); ok {
			t.Errorf("found the table %v, which is not there", absent)
		}
	}
}
