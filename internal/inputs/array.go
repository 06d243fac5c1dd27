package inputs

import (
	"strconv"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Slots of the tables Array, ArrayNode and ArrayStats of Vortex
// (schema/formats/vortex/array.fbs).
const (
	arrayRoot = iota
	arrayBuffers
	arrayFields
)

const (
	nodeEncoding = iota
	nodeMetadata
	nodeChildren
	nodeBuffers
	nodeStats
	nodeFields
)

const (
	statsNullCount = 8
	statsFields    = 11
)

// bytesPerField is the length that the buffers of Array claim for each field's
// data, which lies outside the FlatBuffer.
const bytesPerField = 65536

// ArraySizes are the trees of BenchmarkRoot/shape=Array, by number of fields.
var ArraySizes = []int{8, 100, 1000}

// Array returns the serialized tree of a struct array with so many primitive
// fields, as it stands at the end of a Vortex data segment. Every field has
// one buffer; every second one also has statistics, so that siblings come with
// two different vtables.
func Array(fields int) Buffer {
	r := rng(uint64(fields))
	b := flatbuffers.NewBuilder(1 << 16)

	nodes := make([]flatbuffers.UOffsetT, fields)
	stats := 0
	for i := range nodes {
		var statsAt flatbuffers.UOffsetT
		if i%2 == 1 {
			b.StartObject(statsFields)
			b.PrependUint64(uint64(r.IntN(1000)))
			b.Slot(statsNullCount) // written also when 0: the field is optional
			statsAt = b.EndObject()
			stats++
		}
		b.StartVector(2, 1, 2)
		b.PrependUint16(uint16(i))
		buffersAt := b.EndVector(1)

		b.StartObject(nodeFields)
		b.PrependUOffsetTSlot(nodeStats, statsAt, 0)
		b.PrependUOffsetTSlot(nodeBuffers, buffersAt, 0)
		b.PrependUint16Slot(nodeEncoding, uint16(1+i%7), 0)
		nodes[i] = b.EndObject()
	}

	childrenAt := offsets(b, nodes)
	metadataAt := b.CreateByteVector(blob(r, 1600))
	b.StartObject(nodeFields)
	b.PrependUOffsetTSlot(nodeChildren, childrenAt, 0)
	b.PrependUOffsetTSlot(nodeMetadata, metadataAt, 0)
	b.PrependUint16Slot(nodeEncoding, encodingStruct, 0)
	rootAt := b.EndObject()

	// struct Buffer { padding: uint16; alignment_exponent: uint8; compression: uint8; length: uint32; }
	b.StartVector(8, fields, 4)
	for range fields {
		b.Prep(4, 8)
		b.PrependUint32(bytesPerField)
		b.PrependByte(0)
		b.PrependByte(6)
		b.PrependUint16(0)
	}
	buffersAt := b.EndVector(fields)

	b.StartObject(arrayFields)
	b.PrependUOffsetTSlot(arrayBuffers, buffersAt, 0)
	b.PrependUOffsetTSlot(arrayRoot, rootAt, 0)
	return Buffer{
		Name:   strconv.Itoa(fields),
		Bytes:  finished(b, b.EndObject()),
		Tables: 2 + fields + stats,
	}
}
