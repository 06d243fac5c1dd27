package readers_test

import (
	"encoding/binary"
	"fmt"
	"math"

	flatbuffers "github.com/google/flatbuffers/go"

	arrowfb "github.com/fbverify/go/generated/arrow"
	flatgeobuffb "github.com/fbverify/go/generated/flatgeobuf"
	tflitefb "github.com/fbverify/go/generated/tflite"
	vortexfb "github.com/fbverify/go/generated/vortex"
	"github.com/fbverify/go/internal/places"
)

// packer is an object of generated code.
type packer interface {
	Pack(b *flatbuffers.Builder) flatbuffers.UOffsetT
}

func packed(t packer) []byte {
	b := flatbuffers.NewBuilder(1 << 10)
	b.Finish(t.Pack(b))
	return b.FinishedBytes()
}

// vortexFile makes a file as Vortex's own writer lays it out: of each column chunks of serialized
// arrays, and a table of statistics for its zones.
func vortexFile(columns, chunks int) []byte { return vortexFileThat(columns, chunks, nil) }

// vortexParts are what a file's metadata is made of, before it is written.
type vortexParts struct {
	dtype      *vortexfb.StructT
	layout     *vortexfb.LayoutT
	statistics *vortexfb.FileStatisticsT
	footer     *vortexfb.FooterT
	postscript *vortexfb.PostscriptT // nil until the others were written

	instead packer // of the layout, where it is not nil
}

// vortexFileThat is vortexFile, with what lie makes of its metadata; it is called before the postscript is made and after.
func vortexFileThat(columns, chunks int, lie func(p *vortexParts)) []byte {
	const rows = 1 << 16
	file := []byte(places.Vortex)
	footer := vortexfb.NewFooterT()
	for _, id := range []string{places.LayoutStruct, places.LayoutZoned, places.LayoutChunked, places.LayoutFlat} {
		footer.LayoutSpecs = append(footer.LayoutSpecs, &vortexfb.LayoutSpecT{ID: id})
	}
	footer.ArraySpecs = append(footer.ArraySpecs, &vortexfb.ArraySpecT{ID: "vortex.primitive"})
	align := func() {
		for len(file)%8 != 0 {
			file = append(file, 0)
		}
	}
	array := vortexfb.NewArrayT()
	array.Root = vortexfb.NewArrayNodeT()
	array.Root.Buffers = []uint16{0}
	array.Buffers = []vortexfb.Buffer{{AlignmentExponent: 3, Length: 16}}
	message := packed(array)
	flat := func(rows uint64) *vortexfb.LayoutT {
		align()
		at := uint64(len(file))
		file = append(file, make([]byte, 16)...)
		file = append(file, message...)
		file = binary.LittleEndian.AppendUint32(file, uint32(len(message)))
		l := vortexfb.NewLayoutT()
		l.Encoding, l.RowCount, l.Segments = 3, rows, []uint32{uint32(len(footer.SegmentSpecs))}
		footer.SegmentSpecs = append(footer.SegmentSpecs, vortexfb.SegmentSpec{Offset: at, Length: uint32(uint64(len(file)) - at), AlignmentExponent: 3})
		return l
	}
	names := vortexfb.NewStructT()
	statistics := vortexfb.NewFileStatisticsT()
	root := vortexfb.NewLayoutT()
	total := uint64(rows * chunks)
	root.RowCount = total
	for i := range columns {
		names.Names = append(names.Names, fmt.Sprintf("column_%05d", i))
		p := vortexfb.NewPrimitiveT()
		p.Ptype, p.Nullable = vortexfb.PTypeI64, true
		names.Dtypes = append(names.Dtypes, &vortexfb.DTypeT{Type: &vortexfb.TypeT{Type: vortexfb.TypePrimitive, Value: p}})
		chunked := vortexfb.NewLayoutT()
		chunked.Encoding, chunked.RowCount = 2, total
		for range chunks {
			chunked.Children = append(chunked.Children, flat(rows))
		}
		zoned := vortexfb.NewLayoutT()
		zoned.Encoding, zoned.RowCount, zoned.Metadata = 1, total, []byte{0, 0x20, 0, 0, 0x3f}
		zoned.Children = []*vortexfb.LayoutT{chunked, flat(uint64(8 * chunks))}
		root.Children = append(root.Children, zoned)
		stats := vortexfb.NewArrayStatsT()
		stats.Min, stats.Max = []byte{0x18, 0}, []byte{0x18, 2}
		statistics.FieldStats = append(statistics.FieldStats, stats)
	}
	parts := &vortexParts{dtype: names, layout: root, statistics: statistics, footer: footer}
	if lie != nil {
		lie(parts)
	}
	ps := vortexfb.NewPostscriptT()
	put := func(t packer) *vortexfb.PostscriptSegmentT {
		align()
		s := vortexfb.NewPostscriptSegmentT()
		b := packed(t)
		s.Offset, s.Length, s.AlignmentExponent = uint64(len(file)), uint32(len(b)), 3
		file = append(file, b...)
		return s
	}
	ps.Dtype = put(&vortexfb.DTypeT{Type: &vortexfb.TypeT{Type: vortexfb.TypeStruct, Value: names}})
	if parts.instead != nil {
		ps.Layout = put(parts.instead)
	} else {
		ps.Layout = put(root)
	}
	ps.Statistics = put(statistics)
	ps.Footer = put(footer)
	if parts.postscript = ps; lie != nil {
		lie(parts)
	}
	align()
	n := len(file)
	file = append(file, packed(ps)...)
	n = len(file) - n
	file = binary.LittleEndian.AppendUint16(file, places.VortexVersion)
	file = binary.LittleEndian.AppendUint16(file, uint16(n))
	return append(file, places.Vortex...)
}

// arrowFile makes a file with so many columns of integers, and so many batches of eight rows.
func arrowFile(columns, batches int) []byte { return arrowFileThat(columns, batches, nil, nil, nil) }

// arrowFileThat is arrowFile, with what lies make of a batch and of the footer, or another footer where instead is
// not nil.
func arrowFileThat(columns, batches int, batch func(m *arrowfb.MessageT, r *arrowfb.RecordBatchT), end func(f *arrowfb.FooterT), instead packer) []byte {
	file := append([]byte(places.Arrow), 0, 0)
	footer := arrowfb.NewFooterT()
	footer.Version = arrowfb.MetadataVersionV5
	footer.Schema = arrowfb.NewSchemaT()
	for i := range columns {
		f := arrowfb.NewFieldT()
		f.Name, f.Nullable = fmt.Sprintf("column_%05d", i), true
		x := arrowfb.NewIntT()
		x.BitWidth, x.IsSigned = 32, true
		f.Type = &arrowfb.TypeT{Type: arrowfb.TypeInt, Value: x}
		footer.Schema.Fields = append(footer.Schema.Fields, f)
	}
	put := func(header any, kind arrowfb.MessageHeader, body int) arrowfb.Block {
		m := arrowfb.NewMessageT()
		m.Version, m.BodyLength = arrowfb.MetadataVersionV5, int64(body)
		m.Header = &arrowfb.MessageHeaderT{Type: kind, Value: header}
		if r, ok := header.(*arrowfb.RecordBatchT); ok && batch != nil {
			batch(m, r)
		}
		b := packed(m)
		at := int64(len(file))
		n := (len(b) + 7) &^ 7
		file = binary.LittleEndian.AppendUint32(file, math.MaxUint32)
		file = binary.LittleEndian.AppendUint32(file, uint32(n))
		file = append(file, b...)
		file = append(file, make([]byte, n-len(b)+body)...)
		return arrowfb.Block{Offset: at, MetaDataLength: int32(n + 8), BodyLength: int64(body)}
	}
	put(footer.Schema, arrowfb.MessageHeaderSchema, 0)
	record := arrowfb.NewRecordBatchT()
	record.Length = 8
	for i := range columns {
		record.Nodes = append(record.Nodes, arrowfb.FieldNode{Length: 8})
		record.Buffers = append(record.Buffers, arrowfb.Buffer{Offset: int64(32 * i)}, arrowfb.Buffer{Offset: int64(32 * i), Length: 32})
	}
	for range batches {
		footer.RecordBatches = append(footer.RecordBatches, put(record, arrowfb.MessageHeaderRecordBatch, 32*columns))
	}
	file = append(file, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0)
	if end != nil {
		end(footer)
	}
	b := packed(footer)
	if instead != nil {
		b = packed(instead)
	}
	file = append(file, b...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(b)))
	return append(file, places.Arrow...)
}

// tfliteFile makes a model with so many tensors of 64 bytes each, and an operator for each pair.
func tfliteFile(tensors int) []byte { return tfliteFileThat(tensors, nil) }

// tfliteFileThat is tfliteFile, with what lie makes of the model.
func tfliteFileThat(tensors int, lie func(m *tflitefb.ModelT)) []byte {
	m := tflitefb.NewModelT()
	m.Version = 3
	code := tflitefb.NewOperatorCodeT()
	m.OperatorCodes = []*tflitefb.OperatorCodeT{code}
	m.Buffers = []*tflitefb.BufferT{tflitefb.NewBufferT()}
	g := tflitefb.NewSubGraphT()
	for i := range tensors {
		t := tflitefb.NewTensorT()
		t.Name, t.Shape, t.Buffer = fmt.Sprintf("tensor_%05d", i), []int32{4, 4}, uint32(i+1)
		g.Tensors = append(g.Tensors, t)
		b := tflitefb.NewBufferT()
		b.Data = make([]byte, 64)
		m.Buffers = append(m.Buffers, b)
		if i > 0 {
			op := tflitefb.NewOperatorT()
			op.Inputs, op.Outputs = []int32{int32(i - 1), -1}, []int32{int32(i)}
			g.Operators = append(g.Operators, op)
		}
	}
	m.Subgraphs = []*tflitefb.SubGraphT{g}
	if lie != nil {
		lie(m)
	}
	b := flatbuffers.NewBuilder(1 << 10)
	b.FinishWithFileIdentifier(m.Pack(b), []byte(tflitefb.ModelIdentifier))
	return b.FinishedBytes()
}

// flatGeobufFile makes a file of points on a square grid with an index, row by row: not the order that
// writers choose, and a sound one.
func flatGeobufFile(features int) []byte {
	side := int(math.Ceil(math.Sqrt(float64(features))))
	h := flatgeobuffb.NewHeaderT()
	h.GeometryType, h.FeaturesCount = flatgeobuffb.GeometryTypePoint, uint64(features)
	name := flatgeobuffb.NewColumnT()
	name.Name, name.Type = "id", flatgeobuffb.ColumnTypeInt
	h.Columns = []*flatgeobuffb.ColumnT{name}
	prefixed := func(t packer) []byte {
		b := flatbuffers.NewBuilder(256)
		b.FinishSizePrefixed(t.Pack(b))
		return b.FinishedBytes()
	}
	file := append([]byte("fgb\x03fgb\x00"), prefixed(h)...)
	type node struct {
		minX, minY, maxX, maxY float64
		to                     uint64
	}
	tree, _ := places.PackedTree(uint64(features), 16, math.MaxInt64)
	levels := make([][]node, len(tree.Levels))
	last := len(levels) - 1
	var data []byte
	for i := range features {
		x, y := float64(i%side), float64(i/side)
		levels[last] = append(levels[last], node{x, y, x, y, uint64(len(data))})
		ft := flatgeobuffb.NewFeatureT()
		ft.Geometry = flatgeobuffb.NewGeometryT()
		ft.Geometry.Xy = []float64{x, y}
		ft.Properties = binary.LittleEndian.AppendUint32([]byte{0, 0}, uint32(i))
		data = append(data, prefixed(ft)...)
	}
	for l := last - 1; l >= 0; l-- {
		for i := 0; i < len(levels[l+1]); i += 16 {
			n := node{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1), tree.Levels[l+1].First + uint64(i)}
			for _, c := range levels[l+1][i:min(i+16, len(levels[l+1]))] {
				n.minX, n.minY, n.maxX, n.maxY = min(n.minX, c.minX), min(n.minY, c.minY), max(n.maxX, c.maxX), max(n.maxY, c.maxY)
			}
			levels[l] = append(levels[l], n)
		}
	}
	for _, level := range levels {
		for _, n := range level {
			for _, v := range []float64{n.minX, n.minY, n.maxX, n.maxY} {
				file = binary.LittleEndian.AppendUint64(file, math.Float64bits(v))
			}
			file = binary.LittleEndian.AppendUint64(file, n.to)
		}
	}
	return append(file, data...)
}
