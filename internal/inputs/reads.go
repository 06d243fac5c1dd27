package inputs

import (
	"math"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Values returns the count values, none of them zero, that message seed of a
// read benchmark holds; what type they are read as decides how many of their
// bits count. They are small enough to survive the way through every type that
// is wide enough for them.
func Values(seed, count int) []uint64 {
	r := rng(uint64(seed))
	values := make([]uint64, count)
	for i := range values {
		values[i] = r.Uint64N(100) + 1
	}
	return values
}

// HierFields is the number of eight-byte values in each of the three tables of
// a Hier message.
const HierFields = 9

// Hier writes one message with root bench.Hier into b, which it resets, and
// returns its bytes, which are b's own. The values are those of the outermost
// table, of the middle one and of the leaf.
//
// Fields go in as the create functions of generated code do it: from the
// largest to the smallest, and the last first within a size.
func Hier(b *flatbuffers.Builder, values *[3 * HierFields]uint64) []byte {
	b.Reset()
	leaf := hierTable(b, values[2*HierFields:], 0)
	intermediate := hierTable(b, values[HierFields:2*HierFields], leaf)
	b.Finish(hierTable(b, values[:HierFields], intermediate))
	return b.FinishedBytes()
}

// hierTable writes one of the three tables; the leaf has no table below it.
func hierTable(b *flatbuffers.Builder, values []uint64, below flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	fields := HierFields
	if below != 0 {
		fields++
	}
	b.StartObject(fields)
	for i := HierFields - 1; i >= 0; i-- {
		switch i % 3 { // the types of the fields a to i
		case 0:
			b.PrependInt64Slot(i, int64(values[i]), 0)
		case 1:
			b.PrependUint64Slot(i, values[i], 0)
		case 2:
			b.PrependFloat64Slot(i, float64(values[i]), 0)
		}
	}
	if below != 0 {
		b.PrependUOffsetTSlot(HierFields, below, 0)
	}
	return b.EndObject()
}

// HierMessage returns message seed with root bench.Hier.
func HierMessage(seed int) []byte {
	values := [3 * HierFields]uint64(Values(seed, 3*HierFields))
	return append([]byte(nil), Hier(flatbuffers.NewBuilder(512), &values)...)
}

// flatKinds are the types of the fields of Flat10, which those of Flat100
// repeat, with their sizes in bytes.
var flatKinds = [10]struct {
	size int
	put  func(b *flatbuffers.Builder, slot int, v uint64)
}{
	{8, func(b *flatbuffers.Builder, slot int, v uint64) { b.PrependInt64Slot(slot, int64(v), 0) }},
	{4, func(b *flatbuffers.Builder, slot int, v uint64) { b.PrependUint32Slot(slot, uint32(v), 0) }},
	{2, func(b *flatbuffers.Builder, slot int, v uint64) { b.PrependInt16Slot(slot, int16(v), 0) }},
	{1, func(b *flatbuffers.Builder, slot int, v uint64) { b.PrependByteSlot(slot, byte(v), 0) }},
	{8, func(b *flatbuffers.Builder, slot int, v uint64) { b.PrependFloat64Slot(slot, float64(v), 0) }},
	{4, func(b *flatbuffers.Builder, slot int, v uint64) { b.PrependFloat32Slot(slot, float32(v), 0) }},
	{1, func(b *flatbuffers.Builder, slot int, v uint64) { b.PrependBoolSlot(slot, v != 0, false) }},
	{4, func(b *flatbuffers.Builder, slot int, v uint64) { b.PrependInt32Slot(slot, int32(v), 0) }},
	{8, func(b *flatbuffers.Builder, slot int, v uint64) { b.PrependUint64Slot(slot, v, 0) }},
	{2, func(b *flatbuffers.Builder, slot int, v uint64) { b.PrependUint16Slot(slot, uint16(v), 0) }},
}

// flatTable writes a table of scalars: Flat10 or Flat100, by the number of
// values. A value of 0 leaves its field out.
func flatTable(b *flatbuffers.Builder, values []uint64) flatbuffers.UOffsetT {
	b.StartObject(len(values))
	for _, size := range []int{8, 4, 2, 1} {
		for i := len(values) - 1; i >= 0; i-- {
			if kind := &flatKinds[i%len(flatKinds)]; kind.size == size {
				kind.put(b, i, values[i])
			}
		}
	}
	return b.EndObject()
}

// Flat returns message seed with root bench.Flat10 or bench.Flat100: fields is
// 10 or 100, and all of them are set.
func Flat(seed, fields int) []byte {
	b := flatbuffers.NewBuilder(1024)
	return finished(b, flatTable(b, Values(seed, fields)))
}

// FlatSum returns what a reader gets that adds up the fields of a flat message,
// each converted to uint64.
func FlatSum(values []uint64) uint64 {
	sum := uint64(0)
	for i, v := range values {
		if i%len(flatKinds) == 6 { // a bool
			v = min(v, 1)
		}
		sum += v
	}
	return sum
}

// LeafSum returns what a reader gets that adds up the nine fields of a leaf:
// integers as they are, floats by their bits.
func LeafSum(values []uint64) uint64 {
	sum := uint64(0)
	for i, v := range values {
		if i%3 == 2 {
			v = math.Float64bits(float64(v))
		}
		sum += v
	}
	return sum
}
