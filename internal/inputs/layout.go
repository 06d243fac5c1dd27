package inputs

import (
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Slots of the table Layout of Vortex (schema/formats/vortex/layout.fbs).
const (
	layoutEncoding = iota
	layoutRowCount
	layoutMetadata
	layoutChildren
	layoutSegments
	layoutFields
)

// Ids of encodings, as a Vortex footer's layout_specs would number them.
const (
	encodingFlat = iota
	encodingStruct
	encodingChunked
	encodingZoned
)

// rowsPerChunk is how many rows the layouts claim for each chunk.
const rowsPerChunk = 8192

// LayoutSizes are the trees of BenchmarkRoot/shape=Layout, smallest first: so
// many chunks of so many columns.
var LayoutSizes = []struct{ Chunks, Columns int }{{1, 8}, {16, 32}, {128, 32}, {1024, 32}}

// Layout returns a tree of layouts as Vortex writes a table of columns: a
// chunked layout, in it a struct layout for each chunk, in that a flat layout
// for each column with the number of its data segment. Flat layouts carry the
// short metadata of their array's encoding.
//
// A single chunk is a file written in one go; its root holds the statistics of
// the whole file in its metadata.
func Layout(chunks, columns int) Buffer {
	r := rng(uint64(chunks)<<32 | uint64(columns))
	b := flatbuffers.NewBuilder(1 << 16)

	chunkLayouts := make([]flatbuffers.UOffsetT, chunks)
	columnLayouts := make([]flatbuffers.UOffsetT, columns)
	segment := uint32(0)
	for i := range chunkLayouts {
		for j := range columnLayouts {
			columnLayouts[j] = layout(b, encodingFlat, rowsPerChunk, blob(r, 30), nil, []uint32{segment})
			segment++
		}
		chunkLayouts[i] = layout(b, encodingStruct, rowsPerChunk, nil, columnLayouts, nil)
	}
	rootMetadata := blob(r, 12)
	if chunks == 1 {
		rootMetadata = blob(r, 1300)
	}
	root := layout(b, encodingChunked, uint64(chunks)*rowsPerChunk, rootMetadata, chunkLayouts, nil)
	return Buffer{
		Name:   fmt.Sprintf("%dx%d", chunks, columns),
		Bytes:  finished(b, root),
		Tables: 1 + chunks + chunks*columns,
	}
}

// layout writes one table Layout. Empty vectors are left out, as the Rust
// writer does; fields go in from the largest to the smallest.
func layout(b *flatbuffers.Builder, encoding uint16, rows uint64, metadata []byte,
	children []flatbuffers.UOffsetT, segments []uint32) flatbuffers.UOffsetT {
	var metadataAt, childrenAt, segmentsAt flatbuffers.UOffsetT
	if len(metadata) > 0 {
		metadataAt = b.CreateByteVector(metadata)
	}
	if len(children) > 0 {
		childrenAt = offsets(b, children)
	}
	if len(segments) > 0 {
		b.StartVector(4, len(segments), 4)
		for i := len(segments) - 1; i >= 0; i-- {
			b.PrependUint32(segments[i])
		}
		segmentsAt = b.EndVector(len(segments))
	}
	b.StartObject(layoutFields)
	b.PrependUint64Slot(layoutRowCount, rows, 0)
	b.PrependUOffsetTSlot(layoutSegments, segmentsAt, 0)
	b.PrependUOffsetTSlot(layoutChildren, childrenAt, 0)
	b.PrependUOffsetTSlot(layoutMetadata, metadataAt, 0)
	b.PrependUint16Slot(layoutEncoding, encoding, 0)
	return b.EndObject()
}
