package gentest

import (
	"math"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify/fbread"
	"github.com/fbverify/go/internal/gentest/features"
)

func ptr[T any](v T) *T { return &v }

// inner is a finished buffer to be nested in another.
func inner(pack func(*flatbuffers.Builder) flatbuffers.UOffsetT) []byte {
	b := flatbuffers.NewBuilder(0)
	b.Finish(pack(b))
	return b.FinishedBytes()
}

func required() *features.RequiredT {
	return &features.RequiredT{
		Name: "r", Ints: []int32{-1, 2}, Words: []string{"", "ü"}, Child: &features.ByStringT{Name: "c", Value: -3},
		Children: []*features.ByStringT{}, Spot: &features.ByNumber{ID: 5, Value: 0.5}, Spots: []features.ByNumber{{ID: 1, Value: 2}},
	}
}

// everything sets each field of the schema; keyed vectors are out of order.
func everything() *features.EverythingT {
	spot := func(id uint32) features.ByNumber { return features.ByNumber{ID: id, Value: float32(id) / 4} }
	nested := features.Nested{
		A: -8, Grid: [2]features.ByNumber{spot(9), spot(8)}, Flags: [3]fbread.Bool8{1, 0, 1},
		Inner: features.Inner{Level: features.LevelMid, On: 1}, Wide: 1 << 63,
	}
	return &features.EverythingT{
		Keyed: &features.KeyedT{
			Numbers: []features.ByNumber{spot(30), spot(10), spot(20)},
			Arrays:  []features.ByArray{{RGB: [3]float32{1, 2, 3}, Tag: 1}, {RGB: [3]float32{1, -2, 3}, Tag: 2}},
			Structs: []features.ByStruct{{Tag: 1, Inner: features.Inner{Level: features.LevelHigh}}, {Tag: 2, Inner: features.Inner{Level: features.LevelLow, On: 1}}},
			Strings: []*features.ByStringT{{Name: "b", Value: 1}, {Name: "é", Value: 2}, {Name: "a", Value: 3}, {Name: "", Value: 4}},
			Doubles: []*features.ByDoubleT{{X: 2.5}, {X: -1}, {X: math.Inf(-1)}},
			Flags:   []*features.ByFlagT{{On: true}, {On: false}},
			Levels:  []*features.ByLevelT{{Level: features.LevelHigh}, {Level: features.LevelMid}, {Level: features.LevelLow}},
			Wholes:  []*features.ByWholeT{{Inner: &features.Inner{Level: features.LevelMid}}, {Inner: &features.Inner{Level: features.LevelLow}}},
		},
		Defaults: &features.DefaultsT{
			Name: "", Empty: "", Ints: []int32{}, Words: []string{"one", "two"}, Tables: []*features.ByStringT{{Name: "t"}},
			Nan: 1.25, Inf: -0.5, Most: math.MaxUint64 - 1, Least: math.MinInt64 + 1, Wide: features.WideMost, Deep: features.DeepTop, Third: 1.0 / 7, Tiny: -5e-324,
		},
		Required: required(),
		InOrder:  &features.InOrderT{A: 1, B: 2, C: 3, D: &features.ByStringT{Name: "d"}},
		Big:      &features.BigT{Type: features.BigSpot, Value: spot(77)},
		Bigs: []*features.BigT{
			{Type: features.BigText, Value: "text"}, {Type: features.BigSpot, Value: spot(1)}, {Type: features.BigByString, Value: &features.ByStringT{Name: "u", Value: 9}},
		},
		Nested: &nested, Nesteds: []features.Nested{nested, {}},
		Inner: inner(required().Pack),
		Maybe: ptr(features.LevelNone),
		More:  []*features.EverythingT{{}, {Maybe: ptr(features.LevelHigh)}},
	}
}

// buildEverything writes what everything holds with the builder functions, keyed
// vectors in order.
func buildEverything(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	keyed := buildKeyed(b)
	defaults := buildDefaults(b)
	req := buildRequired(b)
	d := byString(b, "d", 0)
	features.InOrderStart(b)
	features.InOrderAddA(b, 1)
	features.InOrderAddB(b, 2)
	features.InOrderAddC(b, 3)
	features.InOrderAddD(b, d)
	inOrder := features.InOrderEnd(b)

	big := features.CreateByNumber(b, 77, 77.0/4)
	bigs := []flatbuffers.UOffsetT{b.CreateString("text"), features.CreateByNumber(b, 1, 0.25), byString(b, "u", 9)}
	bigsValue := offsets(b, features.EverythingStartBigsVector, bigs)
	features.EverythingStartBigsTypeVector(b, 3)
	for _, kind := range []features.Big{features.BigByString, features.BigSpot, features.BigText} {
		b.PrependUint8(uint8(kind))
	}
	bigsType := b.EndVector(3)
	features.EverythingStartNestedsVector(b, 2)
	features.CreateNested(b, 0, [2]features.ByNumber{}, [3]fbread.Bool8{}, 0, false, 0)
	createNested(b)
	nesteds := b.EndVector(2)
	nestedBuffer := b.CreateByteVector(inner(required().Pack))
	features.EverythingStart(b)
	empty := features.EverythingEnd(b)
	features.EverythingStart(b)
	features.EverythingAddMaybe(b, features.LevelHigh)
	high := features.EverythingEnd(b)
	more := offsets(b, features.EverythingStartMoreVector, []flatbuffers.UOffsetT{empty, high})

	features.EverythingStart(b)
	features.EverythingAddKeyed(b, keyed)
	features.EverythingAddDefaults(b, defaults)
	features.EverythingAddRequired(b, req)
	features.EverythingAddInOrder(b, inOrder)
	features.EverythingAddBigType(b, features.BigSpot)
	features.EverythingAddBig(b, big)
	features.EverythingAddBigsType(b, bigsType)
	features.EverythingAddBigs(b, bigsValue)
	features.EverythingAddNested(b, createNested(b))
	features.EverythingAddNesteds(b, nesteds)
	features.EverythingAddInner(b, nestedBuffer)
	features.EverythingAddMaybe(b, features.LevelNone)
	features.EverythingAddMore(b, more)
	return features.EverythingEnd(b)
}

func createNested(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	return features.CreateNested(b, -8, [2]features.ByNumber{{ID: 9, Value: 2.25}, {ID: 8, Value: 2}}, [3]fbread.Bool8{1, 0, 1}, features.LevelMid, true, 1<<63)
}

func byString(b *flatbuffers.Builder, name string, value int32) flatbuffers.UOffsetT {
	s := b.CreateString(name)
	features.ByStringStart(b)
	features.ByStringAddName(b, s)
	features.ByStringAddValue(b, value)
	return features.ByStringEnd(b)
}

// offsets writes a vector of what was written before.
func offsets(b *flatbuffers.Builder, start func(*flatbuffers.Builder, int) flatbuffers.UOffsetT, list []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	start(b, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		b.PrependUOffsetT(list[i])
	}
	return b.EndVector(len(list))
}

// inline writes a vector of n numbers or structs, the last of which is written
// first.
func inline(b *flatbuffers.Builder, start func(*flatbuffers.Builder, int) flatbuffers.UOffsetT, n int, write func(i int)) flatbuffers.UOffsetT {
	start(b, n)
	for i := n - 1; i >= 0; i-- {
		write(i)
	}
	return b.EndVector(n)
}

func buildKeyed(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	numbers := inline(b, features.KeyedStartNumbersVector, 3, func(i int) {
		id := []uint32{10, 20, 30}[i]
		features.CreateByNumber(b, id, float32(id)/4)
	})
	arrays := inline(b, features.KeyedStartArraysVector, 2, func(i int) {
		features.CreateByArray(b, [][3]float32{{1, -2, 3}, {1, 2, 3}}[i], []uint8{2, 1}[i])
	})
	structs := inline(b, features.KeyedStartStructsVector, 2, func(i int) {
		features.CreateByStruct(b, []uint8{2, 1}[i], []features.Level{features.LevelLow, features.LevelHigh}[i], i == 0)
	})
	strings := offsets(b, features.KeyedStartStringsVector, []flatbuffers.UOffsetT{byString(b, "", 4), byString(b, "a", 3), byString(b, "b", 1), byString(b, "é", 2)})
	var list []flatbuffers.UOffsetT
	for _, x := range []float64{math.Inf(-1), -1, 2.5} {
		features.ByDoubleStart(b)
		features.ByDoubleAddX(b, x)
		list = append(list, features.ByDoubleEnd(b))
	}
	doubles := offsets(b, features.KeyedStartDoublesVector, list)
	list = nil
	for _, on := range []bool{false, true} {
		features.ByFlagStart(b)
		features.ByFlagAddOn(b, on)
		list = append(list, features.ByFlagEnd(b))
	}
	flags := offsets(b, features.KeyedStartFlagsVector, list)
	list = nil
	for _, level := range []features.Level{features.LevelLow, features.LevelMid, features.LevelHigh} {
		features.ByLevelStart(b)
		features.ByLevelAddLevel(b, level)
		list = append(list, features.ByLevelEnd(b))
	}
	levels := offsets(b, features.KeyedStartLevelsVector, list)
	list = nil
	for _, level := range []features.Level{features.LevelLow, features.LevelMid} {
		features.ByWholeStart(b)
		features.ByWholeAddInner(b, features.CreateInner(b, level, false))
		list = append(list, features.ByWholeEnd(b))
	}
	wholes := offsets(b, features.KeyedStartWholesVector, list)
	features.KeyedStart(b)
	features.KeyedAddNumbers(b, numbers)
	features.KeyedAddArrays(b, arrays)
	features.KeyedAddStructs(b, structs)
	features.KeyedAddStrings(b, strings)
	features.KeyedAddDoubles(b, doubles)
	features.KeyedAddFlags(b, flags)
	features.KeyedAddLevels(b, levels)
	features.KeyedAddWholes(b, wholes)
	return features.KeyedEnd(b)
}

func buildDefaults(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	empty := b.CreateString("")
	ints := inline(b, features.DefaultsStartIntsVector, 0, nil)
	words := offsets(b, features.DefaultsStartWordsVector, []flatbuffers.UOffsetT{b.CreateString("one"), b.CreateString("two")})
	tables := offsets(b, features.DefaultsStartTablesVector, []flatbuffers.UOffsetT{byString(b, "t", 0)})
	features.DefaultsStart(b)
	features.DefaultsAddName(b, empty)
	features.DefaultsAddInts(b, ints)
	features.DefaultsAddWords(b, words)
	features.DefaultsAddTables(b, tables)
	features.DefaultsAddNan(b, 1.25)
	features.DefaultsAddInf(b, -0.5)
	features.DefaultsAddMost(b, math.MaxUint64-1)
	features.DefaultsAddLeast(b, math.MinInt64+1)
	features.DefaultsAddWide(b, features.WideMost)
	features.DefaultsAddDeep(b, features.DeepTop)
	features.DefaultsAddThird(b, 1.0/7)
	features.DefaultsAddTiny(b, -5e-324)
	return features.DefaultsEnd(b)
}

func buildRequired(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	name := b.CreateString("r")
	ints := inline(b, features.RequiredStartIntsVector, 2, func(i int) { b.PrependInt32([]int32{-1, 2}[i]) })
	words := offsets(b, features.RequiredStartWordsVector, []flatbuffers.UOffsetT{b.CreateString(""), b.CreateString("ü")})
	child := byString(b, "c", -3)
	children := offsets(b, features.RequiredStartChildrenVector, nil)
	spots := inline(b, features.RequiredStartSpotsVector, 1, func(int) { features.CreateByNumber(b, 1, 2) })
	features.RequiredStart(b)
	features.RequiredAddName(b, name)
	features.RequiredAddInts(b, ints)
	features.RequiredAddWords(b, words)
	features.RequiredAddChild(b, child)
	features.RequiredAddChildren(b, children)
	features.RequiredAddSpot(b, features.CreateByNumber(b, 5, 0.5))
	features.RequiredAddSpots(b, spots)
	return features.RequiredEnd(b)
}
