package container

import (
	"encoding/binary"

	flatbuffers "github.com/google/flatbuffers/go"
)

// place is where a made file says that something lies.
type place struct {
	offset uint64
	length uint32
}

// vortexFile describes a Vortex file to be made, with every position open to be a lie.
type vortexRecipe struct {
	data        []byte // what comes after the first magic bytes
	segments    []place
	compression []byte // of each segment, may be short
	encodings   []string
	layout      func(b *flatbuffers.Builder) flatbuffers.UOffsetT
	layoutPlace *place // instead of the true one
	footerPlace *place
	schemes     []byte // compression specs
	layoutZip   bool   // the postscript says that the layout is compressed
	version     uint16
	psLength    int // added to the postscript's true length
}

func finish(b *flatbuffers.Builder, root flatbuffers.UOffsetT) []byte {
	b.Finish(root)
	return b.FinishedBytes()
}

// layoutTable makes a Layout.
func layoutTable(b *flatbuffers.Builder, encoding uint16, metadata []byte, segments []uint32, children ...flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	var meta, segs, kids flatbuffers.UOffsetT
	if metadata != nil {
		meta = b.CreateByteVector(metadata)
	}
	if segments != nil {
		b.StartVector(4, len(segments), 4)
		for i := len(segments) - 1; i >= 0; i-- {
			b.PrependUint32(segments[i])
		}
		segs = b.EndVector(len(segments))
	}
	if children != nil {
		b.StartVector(4, len(children), 4)
		for i := len(children) - 1; i >= 0; i-- {
			b.PrependUOffsetT(children[i])
		}
		kids = b.EndVector(len(children))
	}
	b.StartObject(5)
	b.PrependUint16Slot(0, encoding, 0)
	b.PrependUOffsetTSlot(2, meta, 0)
	b.PrependUOffsetTSlot(3, kids, 0)
	b.PrependUOffsetTSlot(4, segs, 0)
	return b.EndObject()
}

// arrayBuffer makes an Array over buffers of these lengths, each after two bytes of
// padding.
func arrayFlat(lengths ...uint32) []byte {
	b := flatbuffers.NewBuilder(0)
	b.StartVector(8, len(lengths), 4)
	for i := len(lengths) - 1; i >= 0; i-- {
		b.Prep(4, 8)
		b.PrependUint32(lengths[i])
		b.PrependUint8(0)
		b.PrependUint8(0)
		b.PrependUint16(2)
	}
	buffers := b.EndVector(len(lengths))
	b.StartObject(5)
	node := b.EndObject()
	b.StartObject(2)
	b.PrependUOffsetTSlot(0, node, 0)
	b.PrependUOffsetTSlot(1, buffers, 0)
	return finish(b, b.EndObject())
}

// segmentOf makes a flat layout's segment: buffers, their Array and its length.
func segmentOf(lengths ...uint32) []byte {
	var s []byte
	for _, n := range lengths {
		s = append(s, make([]byte, 2+n)...)
	}
	a := arrayFlat(lengths...)
	s = append(s, a...)
	return binary.LittleEndian.AppendUint32(s, uint32(len(a)))
}

func (r vortexRecipe) bytes() []byte {
	file := append([]byte("VTXF"), r.data...)
	put := func(b []byte) place {
		for len(file)%8 != 0 {
			file = append(file, 0)
		}
		file = append(file, b...)
		return place{uint64(len(file) - len(b)), uint32(len(b))}
	}

	b := flatbuffers.NewBuilder(0)
	layoutAt := put(finish(b, r.layout(b)))
	if r.layoutPlace != nil {
		layoutAt = *r.layoutPlace
	}

	b = flatbuffers.NewBuilder(0)
	b.StartVector(16, len(r.segments), 8)
	for i := len(r.segments) - 1; i >= 0; i-- {
		compression := byte(0)
		if i < len(r.compression) {
			compression = r.compression[i]
		}
		b.Prep(8, 16)
		b.PrependUint16(0)
		b.PrependByte(compression)
		b.PrependByte(0)
		b.PrependUint32(r.segments[i].length)
		b.PrependUint64(r.segments[i].offset)
	}
	segments := b.EndVector(len(r.segments))
	var specs, schemes []flatbuffers.UOffsetT
	for _, id := range r.encodings {
		name := b.CreateString(id)
		b.StartObject(1)
		b.PrependUOffsetTSlot(0, name, 0)
		specs = append(specs, b.EndObject())
	}
	for _, s := range r.schemes {
		b.StartObject(1)
		b.PrependByteSlot(0, s, 0)
		schemes = append(schemes, b.EndObject())
	}
	tables := func(list []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
		b.StartVector(4, len(list), 4)
		for i := len(list) - 1; i >= 0; i-- {
			b.PrependUOffsetT(list[i])
		}
		return b.EndVector(len(list))
	}
	specList, schemeList := tables(specs), tables(schemes)
	b.StartObject(5)
	b.PrependUOffsetTSlot(1, specList, 0)
	b.PrependUOffsetTSlot(2, segments, 0)
	b.PrependUOffsetTSlot(3, schemeList, 0)
	footerAt := put(finish(b, b.EndObject()))
	if r.footerPlace != nil {
		footerAt = *r.footerPlace
	}

	b = flatbuffers.NewBuilder(0)
	segment := func(p place, zip bool) flatbuffers.UOffsetT {
		var spec flatbuffers.UOffsetT
		if zip {
			b.StartObject(1)
			b.PrependByteSlot(0, 3, 0)
			spec = b.EndObject()
		}
		b.StartObject(5)
		b.PrependUint64Slot(0, p.offset, 0)
		b.PrependUint32Slot(1, p.length, 0)
		b.PrependUOffsetTSlot(3, spec, 0)
		return b.EndObject()
	}
	layout, footer := segment(layoutAt, r.layoutZip), segment(footerAt, false)
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, layout, 0)
	b.PrependUOffsetTSlot(3, footer, 0)
	ps := put(finish(b, b.EndObject()))
	version := r.version
	if version == 0 {
		version = 1
	}
	file = binary.LittleEndian.AppendUint16(file, version)
	file = binary.LittleEndian.AppendUint16(file, uint16(int(ps.length)+r.psLength))
	return append(file, "VTXF"...)
}
