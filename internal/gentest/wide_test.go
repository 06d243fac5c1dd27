package gentest

import (
	"bytes"
	"reflect"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/gentest/wide"
)

func wideRoot() *wide.RootT {
	return &wide.RootT{
		Far: &wide.FarT{
			Name: "far away", Bytes: []int8{-128, 127}, Flags: []bool{true, false}, Levels: []uint16{1, 500}, Spots: []wide.ByNumber{{ID: 4, Value: 1}, {ID: 3, Value: 0.75}},
			Big: []byte("big"), BigFlags: []bool{false, true, true}, BigDoubles: []float64{1, 2.5, -3},
			BigSpots: []wide.ByArray{{RGB: [3]float32{1, 2, 3}, Tag: 4}},
			Inner:    inner((&wide.KeyedT{Numbers: []wide.ByNumber{{ID: 2, Value: 0.5}}}).Pack),
			Aligned:  []byte("aligned"),
		},
		Names: []*wide.ByFarT{{Name: "q"}, {Name: ""}, {Name: "p"}},
		Big:   &wide.HugeT{Type: wide.HugeSpot, Value: wide.ByNumber{ID: 6}},
		Bigs:  []*wide.HugeT{{Type: wide.HugeText, Value: "text"}, {Type: wide.HugeByFar, Value: &wide.ByFarT{Name: "z"}}},
	}
}

func buildWide(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	far := buildFar(b)
	name := func(s string) flatbuffers.UOffsetT {
		off := b.CreateString(s)
		wide.ByFarStart(b)
		wide.ByFarAddName(b, off)
		return wide.ByFarEnd(b)
	}
	names := offsets(b, wide.RootStartNamesVector, []flatbuffers.UOffsetT{name(""), name("p"), name("q")})
	big := wide.CreateByNumber(b, 6, 0)
	bigs := offsets(b, wide.RootStartBigsVector, []flatbuffers.UOffsetT{b.CreateString("text"), name("z")})
	kinds := inline(b, wide.RootStartBigsTypeVector, 2, func(i int) {
		b.PrependInt32(int32([]wide.Huge{wide.HugeText, wide.HugeByFar}[i]))
	})
	wide.RootStart(b)
	wide.RootAddFar(b, far)
	wide.RootAddNames(b, names)
	wide.RootAddBigType(b, wide.HugeSpot)
	wide.RootAddBig(b, big)
	wide.RootAddBigsType(b, kinds)
	wide.RootAddBigs(b, bigs)
	return wide.RootEnd(b)
}

func TestWideOffsetsAndKindsAreWrittenAndReadBack(t *testing.T) {
	want := wideRoot()
	want.Names = []*wide.ByFarT{{Name: ""}, {Name: "p"}, {Name: "q"}}
	want.Far.Spots = []wide.ByNumber{{ID: 3, Value: 0.75}, {ID: 4, Value: 1}} // by key
	for name, write := range map[string]func(*flatbuffers.Builder) flatbuffers.UOffsetT{"packed": wideRoot().Pack, "built": buildWide} {
		t.Run(name, func(t *testing.T) {
			b := flatbuffers.NewBuilder(0)
			wide.FinishRootBuffer(b, write(b))
			v := root[wide.Root](t, b.FinishedBytes())
			if got := v.Root().Unpack(); !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if x, ok := v.Root().Names().Lookup("p"); !ok || x.Name() != "p" {
				t.Errorf("Lookup found %q, %v", x.Name(), ok)
			}
			again := flatbuffers.NewBuilder(0)
			wide.FinishRootBuffer(again, v.Root().Unpack().Pack(again))
			root[wide.Root](t, again.FinishedBytes())

			prefixed := flatbuffers.NewBuilder(0)
			wide.FinishSizePrefixedRootBuffer(prefixed, write(prefixed))
			sized, err := fbverify.RootWithOptions[wide.Root](bytes.Clone(prefixed.FinishedBytes()), &fbverify.Options{Framing: fbverify.SizePrefixed})
			if err != nil {
				t.Fatal(err)
			}
			if got := sized.Root().Unpack(); !reflect.DeepEqual(got, want) {
				t.Errorf("size-prefixed: got %+v, want %+v", got, want)
			}

			long := flatbuffers.NewBuilder(0)
			wide.FinishLongPrefixedRootBuffer(long, write(long))
			sized, err = fbverify.RootWithOptions[wide.Root](long.FinishedBytes(), &fbverify.Options{Framing: fbverify.LongSizePrefixed})
			if err != nil {
				t.Fatal(err)
			}
			if got := sized.Root().Unpack(); !reflect.DeepEqual(got, want) {
				t.Errorf("with a long prefix: got %+v, want %+v", got, want)
			}
		})
	}
}

func buildFar(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	name := b.CreateString("far away")
	bytes := inline(b, wide.FarStartBytesVector, 2, func(i int) { b.PrependInt8([]int8{-128, 127}[i]) })
	flags := inline(b, wide.FarStartFlagsVector, 2, func(i int) { b.PrependBool(i == 0) })
	levels := inline(b, wide.FarStartLevelsVector, 2, func(i int) { b.PrependUint16([]uint16{1, 500}[i]) })
	spots := inline(b, wide.FarStartSpotsVector, 2, func(i int) {
		wide.CreateByNumber(b, uint32(3+i), float32(3+i)/4)
	})
	text := func(s string, start func(*flatbuffers.Builder, int) flatbuffers.UOffsetT, end func(*flatbuffers.Builder, int) flatbuffers.UOffsetT) flatbuffers.UOffsetT {
		start(b, len(s))
		for i := len(s) - 1; i >= 0; i-- {
			b.PrependByte(s[i])
		}
		return end(b, len(s))
	}
	big := text("big", wide.FarStartBigVector, wide.FarEndBigVector)
	wide.FarStartBigFlagsVector(b, 3)
	for _, on := range []bool{true, true, false} {
		b.PrependBool(on)
	}
	bigFlags := wide.FarEndBigFlagsVector(b, 3)
	wide.FarStartBigDoublesVector(b, 3)
	for _, x := range []float64{-3, 2.5, 1} {
		b.PrependFloat64(x)
	}
	bigDoubles := wide.FarEndBigDoublesVector(b, 3)
	wide.FarStartBigSpotsVector(b, 1)
	wide.CreateByArray(b, [3]float32{1, 2, 3}, 4)
	bigSpots := wide.FarEndBigSpotsVector(b, 1)
	nested := text(string(inner((&wide.KeyedT{Numbers: []wide.ByNumber{{ID: 2, Value: 0.5}}}).Pack)), wide.FarStartInnerVector, wide.FarEndInnerVector)
	aligned := text("aligned", wide.FarStartAlignedVector, (*flatbuffers.Builder).EndVector)
	wide.FarStart(b)
	wide.FarAddName(b, name)
	wide.FarAddBytes(b, bytes)
	wide.FarAddFlags(b, flags)
	wide.FarAddLevels(b, levels)
	wide.FarAddSpots(b, spots)
	wide.FarAddBig(b, big)
	wide.FarAddBigFlags(b, bigFlags)
	wide.FarAddBigDoubles(b, bigDoubles)
	wide.FarAddBigSpots(b, bigSpots)
	wide.FarAddInner(b, nested)
	wide.FarAddAligned(b, aligned)
	return wide.FarEnd(b)
}
