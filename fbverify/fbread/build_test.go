package fbread_test

import (
	"math"

	"github.com/fbverify/go/fbverify/fbread"
	flatbuffers "github.com/google/flatbuffers/go"
)

// A table with one field of each kind, by the ids below.
const (
	idBool = iota
	idInt8
	idUint8
	idInt16
	idUint16
	idInt32
	idUint32
	idInt64
	idUint64
	idFloat32
	idFloat64
	idString
	idBytes
	idUint16s
	idInt64s
	idFloat64s
	idBools
	idStrings
	idTables
	idStruct
	idStructs
	idChild
	idUnionStruct
	idUnions
	numIDs
)

// slot is the position of a field's entry in a vtable.
func slot(id int) uint16 { return uint16(4 + 2*id) }

// pair is a struct with a bool, padding, an inner struct and a fixed array, as
// fbgen writes it:
//
//	struct Inner { x:ushort; y:uint; }
//	struct Pair  { flag:bool; d:double; inner:Inner; list:[short:3]; }
type pair struct {
	Flag  fbread.Bool8
	_     [7]byte
	D     float64
	Inner inner
	List  [3]int16
	_     [2]byte
}

type inner struct {
	X uint16
	_ [2]byte
	Y uint32
}

func (s *inner) SwapBytes() {
	fbread.Swap2(&s.X)
	fbread.Swap4(&s.Y)
}

func (s *pair) SwapBytes() {
	fbread.SwapFloat64(&s.D)
	s.Inner.SwapBytes()
	for i := range s.List {
		fbread.Swap2(&s.List[i])
	}
}

func prependPair(b *flatbuffers.Builder, p pair) flatbuffers.UOffsetT {
	b.Prep(8, 32)
	b.Pad(2)
	for i := 2; i >= 0; i-- {
		b.PrependInt16(p.List[i])
	}
	b.PrependUint32(p.Inner.Y)
	b.Pad(2)
	b.PrependUint16(p.Inner.X)
	b.PrependFloat64(p.D)
	b.Pad(7)
	b.PrependByte(byte(p.Flag))
	return b.Offset()
}

func samplePair(i int) pair {
	return pair{Flag: fbread.Bool8(i % 3), D: float64(i) + 0.5, Inner: inner{X: uint16(i + 1), Y: uint32(i + 2)}, List: [3]int16{int16(i), -2, 3}}
}

// leaf writes a table with a uint32 in field 0 and a string in field 1.
func leaf(b *flatbuffers.Builder, key uint32, name string) flatbuffers.UOffsetT {
	s := b.CreateString(name)
	b.StartObject(2)
	b.PrependUint32Slot(0, key, 0)
	b.PrependUOffsetTSlot(1, s, 0)
	return b.EndObject()
}

func offsets(b *flatbuffers.Builder, refs ...flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(4, len(refs), 4)
	for i := len(refs) - 1; i >= 0; i-- {
		b.PrependUOffsetT(refs[i])
	}
	return b.EndVector(len(refs))
}

// everything writes a buffer whose root has every field.
func everything() []byte {
	b := flatbuffers.NewBuilder(0)
	var refs [numIDs]flatbuffers.UOffsetT
	refs[idString] = b.CreateString("grüße")
	refs[idBytes] = b.CreateByteVector([]byte{1, 2, 3})
	b.StartVector(2, 3, 2)
	for _, v := range []uint16{300, 2, 1} {
		b.PrependUint16(v)
	}
	refs[idUint16s] = b.EndVector(3)
	b.StartVector(8, 2, 8)
	b.PrependInt64(-2)
	b.PrependInt64(1 << 40)
	refs[idInt64s] = b.EndVector(2)
	b.StartVector(8, 2, 8)
	b.PrependFloat64(math.Inf(1))
	b.PrependFloat64(-0.5)
	refs[idFloat64s] = b.EndVector(2)
	refs[idBools] = b.CreateByteVector([]byte{0, 1, 2})
	refs[idStrings] = offsets(b, b.CreateString("a"), b.CreateString(""), b.CreateString("ccc"))
	refs[idTables] = offsets(b, leaf(b, 1, "ant"), leaf(b, 5, "bee"), leaf(b, 9, "cow"))
	b.StartVector(32, 4, 8)
	for i := 3; i >= 0; i-- {
		prependPair(b, samplePair(i))
	}
	refs[idStructs] = b.EndVector(4)
	refs[idChild] = leaf(b, 77, "child")
	refs[idUnionStruct] = prependPair(b, samplePair(4))
	refs[idUnions] = offsets(b, leaf(b, 8, "union"), b.CreateString("text"), prependPair(b, samplePair(6)))

	b.StartObject(numIDs)
	b.PrependBoolSlot(idBool, true, false)
	b.PrependInt8Slot(idInt8, -8, 0)
	b.PrependUint8Slot(idUint8, 200, 0)
	b.PrependInt16Slot(idInt16, -1616, 0)
	b.PrependUint16Slot(idUint16, 61616, 0)
	b.PrependInt32Slot(idInt32, -32<<20, 0)
	b.PrependUint32Slot(idUint32, 0xdeadbeef, 0)
	b.PrependInt64Slot(idInt64, math.MinInt64, 0)
	b.PrependUint64Slot(idUint64, math.MaxUint64, 0)
	b.PrependFloat32Slot(idFloat32, 1.25, 0)
	b.PrependFloat64Slot(idFloat64, -math.Pi, 0)
	b.PrependStructSlot(idStruct, prependPair(b, samplePair(1)), 0)
	for id, ref := range refs {
		b.PrependUOffsetTSlot(id, ref, 0)
	}
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

// emptyRoot writes a buffer whose root has no fields.
func emptyRoot() []byte {
	b := flatbuffers.NewBuilder(0)
	b.StartObject(0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

// at returns buf at an address that is off bytes after an aligned one, alone in
// an allocation that ends with it.
func at(buf []byte, off int) []byte {
	moved := make([]byte, off+len(buf))
	copy(moved[off:], buf)
	return moved[off:]
}
