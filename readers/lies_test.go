package readers_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	arrowfb "github.com/fbverify/go/generated/arrow"
	tflitefb "github.com/fbverify/go/generated/tflite"
	vortexfb "github.com/fbverify/go/generated/vortex"
	"github.com/fbverify/go/internal/places"
	"github.com/fbverify/go/readers"
)

// A lie is a file whose FlatBuffers are sound and say something that cannot be.
type lie struct {
	name string
	file []byte
	kind container.Kind
	part string
	path string
}

// first is the first error of reading all of a file.
func first(f format, b []byte) error {
	s, err := f.read(readers.Bytes(b), int64(len(b)))
	if err == nil && len(s.errors) > 0 {
		err = s.errors[0]
	}
	return err
}

func checkLies(t *testing.T, f format, honest []byte, lies []lie) {
	if err := first(f, honest); err != nil {
		t.Fatalf("the honest file: %v", err)
	}
	schema := 0
	for _, l := range lies {
		err := first(f, l.file)
		var e *container.Error
		var fault *fbverify.Error
		if errors.As(err, &e) && e.Kind == container.ErrUnreadable && errors.As(err, &fault) && (e.Part == l.part || strings.Contains(e.Part, "[")) {
			t.Logf("%s: the schema says it, too: %v", l.name, err) // its constraints are asked first
			schema++
			continue
		}
		if !errors.As(err, &e) || e.Kind != l.kind || e.Part != l.part || e.Path != l.path {
			t.Errorf("%s: %v\nwant kind %s of %q at %q", l.name, err, l.kind.Name(), l.part, l.path)
			if e != nil {
				t.Logf("it is kind %s of %q at %q", e.Kind.Name(), e.Part, e.Path)
			}
			continue
		}
		if e.Offset < 0 || e.Offset > int64(len(l.file)) || e.Offset == 0 && f.name != "tflite" {
			t.Errorf("%s: at offset %d of %d", l.name, e.Offset, len(l.file))
		}
		if e.Allowed == "" && e.Kind != container.ErrEncoded && e.Kind != container.ErrReference {
			t.Errorf("%s: %v does not say what is allowed", l.name, err)
		}
	}
	if schema == len(lies) {
		t.Error("the reader itself refuses none of them")
	}
}

func TestLiesOfVortexFiles(t *testing.T) {
	const columns, chunks = 3, 2
	say := func(name string, kind container.Kind, part, path string, change func(p *vortexParts)) lie {
		return lie{name, vortexFileThat(columns, chunks, func(p *vortexParts) {
			if p.postscript == nil {
				change(p)
			}
		}), kind, part, path}
	}
	end := func(name string, kind container.Kind, path string, change func(ps *vortexfb.PostscriptT)) lie {
		return lie{name, vortexFileThat(columns, chunks, func(p *vortexParts) {
			if p.postscript != nil {
				change(p.postscript)
			}
		}), kind, "postscript", path}
	}
	checkLies(t, formats[0], vortexFile(columns, chunks), []lie{
		say("a segment at 2^63", container.ErrLength, "footer", "segment_specs[1]", func(p *vortexParts) { p.footer.SegmentSpecs[1].Offset = 1 << 63 }),
		say("a segment at 2^64-1", container.ErrLength, "footer", "segment_specs[8]", func(p *vortexParts) { p.footer.SegmentSpecs[8].Offset = math.MaxUint64 }),
		say("a segment of 2^32-1 bytes", container.ErrLength, "footer", "segment_specs[0]", func(p *vortexParts) { p.footer.SegmentSpecs[0].Length = math.MaxUint32 }),
		say("a segment on the mark", container.ErrLength, "footer", "segment_specs[0]", func(p *vortexParts) { p.footer.SegmentSpecs[0].Offset = 3 }),
		say("segments that overlap", container.ErrOverlap, "footer", "segment_specs[1]", func(p *vortexParts) { p.footer.SegmentSpecs[1].Offset -= 8 }),
		say("a segment in the middle of another", container.ErrOverlap, "footer", "segment_specs[4]", func(p *vortexParts) {
			p.footer.SegmentSpecs[4] = vortexfb.SegmentSpec{Offset: p.footer.SegmentSpecs[0].Offset + 8, Length: 4}
		}),
		say("a segment that the footer does not list", container.ErrReference, "layout", "children[1].children[0].children[1].segments[0]", func(p *vortexParts) { p.layout.Children[1].Children[0].Children[1].Segments[0] = 9 }),
		say("the segment 2^32-1", container.ErrReference, "layout", "children[2].children[1].segments[0]", func(p *vortexParts) { p.layout.Children[2].Children[1].Segments[0] = math.MaxUint32 }),
		say("a flat layout of two segments", container.ErrMismatch, "layout", "children[0].children[1].segments", func(p *vortexParts) { p.layout.Children[0].Children[1].Segments = []uint32{1, 2} }),
		say("an encoding that is not listed", container.ErrReference, "layout", "children[0].encoding", func(p *vortexParts) { p.layout.Children[0].Encoding = 4 }),
		say("a root of an encoding that is not listed", container.ErrReference, "layout", "encoding", func(p *vortexParts) { p.layout.Encoding = math.MaxUint16 }),
		say("chunks with fewer rows", container.ErrMismatch, "layout", "children[0].children[0].children", func(p *vortexParts) { p.layout.Children[0].Children[0].Children[1].RowCount-- }),
		say("chunks with more rows than 2^64", container.ErrMismatch, "layout", "children[0].children[0].children[1].row_count", func(p *vortexParts) { p.layout.Children[0].Children[0].Children[1].RowCount = math.MaxUint64 }),
		say("a column with fewer rows", container.ErrMismatch, "layout", "children[1].row_count", func(p *vortexParts) { p.layout.Children[1].RowCount-- }),
		say("a zoned layout of nothing", container.ErrMismatch, "layout", "children[0].children", func(p *vortexParts) { p.layout.Children[0].Children = nil }),
		say("more columns than layouts", container.ErrMismatch, "layout", "children", func(p *vortexParts) { p.layout.Children = p.layout.Children[:2] }),
		say("more names than types", container.ErrMismatch, "dtype", "type.names", func(p *vortexParts) { p.dtype.Names = append(p.dtype.Names, "more") }),
		say("fewer statistics than columns", container.ErrMismatch, "statistics", "field_stats", func(p *vortexParts) { p.statistics.FieldStats = p.statistics.FieldStats[:1] }),
		end("a footer at 2^63", container.ErrLength, "footer", func(ps *vortexfb.PostscriptT) { ps.Footer.Offset = 1 << 63 }),
		end("a layout that reaches into the postscript", container.ErrLength, "layout", func(ps *vortexfb.PostscriptT) { ps.Layout.Length = 1 << 20 }),
		end("a file without a footer", container.ErrReference, "footer", func(ps *vortexfb.PostscriptT) { ps.Footer = nil }),
		end("a compressed layout", container.ErrEncoded, "layout", func(ps *vortexfb.PostscriptT) {
			ps.Layout.Compression = &vortexfb.CompressionSpecT{Scheme: vortexfb.CompressionSchemeZStd}
		}),
		end("an encrypted type", container.ErrEncoded, "dtype", func(ps *vortexfb.PostscriptT) { ps.Dtype.Encryption = &vortexfb.EncryptionSpecT{} }),
		end("a layout that reaches into the statistics", container.ErrOverlap, "statistics", func(ps *vortexfb.PostscriptT) { ps.Layout.Length += 16 }),
	})
}

func TestLiesOfArrowFiles(t *testing.T) {
	const columns, batches = 3, 3
	batch := func(name string, kind container.Kind, path string, change func(m *arrowfb.MessageT, r *arrowfb.RecordBatchT)) lie {
		return lie{name, arrowFileThat(columns, batches, change, nil, nil), kind, "batch[0]", path}
	}
	end := func(name string, kind container.Kind, path string, change func(f *arrowfb.FooterT)) lie {
		return lie{name, arrowFileThat(columns, batches, nil, change, nil), kind, "footer", path}
	}
	field := func(name string, kind container.Kind, path string, change func(f *arrowfb.FieldT)) lie {
		return end(name, kind, "schema.fields[1]."+path, func(f *arrowfb.FooterT) { change(f.Schema.Fields[1]) })
	}
	intType := func(f *arrowfb.FieldT) *arrowfb.IntT { return f.Type.Value.(*arrowfb.IntT) }
	checkLies(t, formats[1], arrowFile(columns, batches), []lie{
		end("a block at 2^63-1", container.ErrLength, "recordBatches[1]", func(f *arrowfb.FooterT) { f.RecordBatches[1].Offset = math.MaxInt64 }),
		end("a block at -1", container.ErrLength, "recordBatches[0]", func(f *arrowfb.FooterT) { f.RecordBatches[0].Offset = -1 }),
		end("a body of 2^63-1 bytes", container.ErrLength, "recordBatches[0]", func(f *arrowfb.FooterT) { f.RecordBatches[0].BodyLength = math.MaxInt64 }),
		end("a body of -2^63 bytes", container.ErrLength, "recordBatches[2]", func(f *arrowfb.FooterT) { f.RecordBatches[2].BodyLength = math.MinInt64 }),
		end("metadata of -8 bytes", container.ErrLength, "recordBatches[0]", func(f *arrowfb.FooterT) { f.RecordBatches[0].MetaDataLength = -8 }),
		end("a batch twice", container.ErrOverlap, "recordBatches[3]", func(f *arrowfb.FooterT) { f.RecordBatches = append(f.RecordBatches, f.RecordBatches[0]) }),
		end("a dictionary that is a batch", container.ErrMismatch, "", nil).renamed("dictionary[0]", "header_type", arrowFileThat(columns, batches, nil, func(f *arrowfb.FooterT) {
			f.Dictionaries, f.RecordBatches = f.RecordBatches[:1], f.RecordBatches[1:]
		}, nil)),
		end("no schema", container.ErrReference, "schema", func(f *arrowfb.FooterT) { f.Schema = nil }),
		end("a byte order of 7", container.ErrMismatch, "schema.endianness", func(f *arrowfb.FooterT) { f.Schema.Endianness = 7 }),
		field("no type", container.ErrReference, "type", func(f *arrowfb.FieldT) { f.Type = nil }),
		field("a type of tomorrow", container.ErrReference, "type", func(f *arrowfb.FieldT) { f.Type = &arrowfb.TypeT{Type: 99} }),
		field("integers of 7 bits", container.ErrMismatch, "type.bitWidth", func(f *arrowfb.FieldT) { intType(f).BitWidth = 7 }),
		field("a list of nothing", container.ErrMismatch, "children", func(f *arrowfb.FieldT) {
			f.Type = &arrowfb.TypeT{Type: arrowfb.TypeList, Value: arrowfb.NewListT()}
		}),
		field("a map of integers", container.ErrMismatch, "children[0]", func(f *arrowfb.FieldT) {
			child := *f
			f.Type = &arrowfb.TypeT{Type: arrowfb.TypeMap, Value: arrowfb.NewMapT()}
			f.Children = []*arrowfb.FieldT{&child}
		}),
		field("indices of 9 bits", container.ErrMismatch, "dictionary.indexType.bitWidth", func(f *arrowfb.FieldT) {
			f.Dictionary = arrowfb.NewDictionaryEncodingT()
			f.Dictionary.IndexType = &arrowfb.IntT{BitWidth: 9}
		}),
		field("indices of 128 bits, which columns may have", container.ErrMismatch, "dictionary.indexType.bitWidth", func(f *arrowfb.FieldT) {
			intType(f).BitWidth = 128
			f.Dictionary = arrowfb.NewDictionaryEncodingT()
			f.Dictionary.IndexType = &arrowfb.IntT{BitWidth: 128}
		}),
		batch("more rows than values", container.ErrMismatch, "header.nodes[0].length", func(_ *arrowfb.MessageT, r *arrowfb.RecordBatchT) { r.Length = 9 }),
		batch("-1 rows", container.ErrMismatch, "header.length", func(_ *arrowfb.MessageT, r *arrowfb.RecordBatchT) { r.Length = -1 }),
		batch("more nulls than values", container.ErrMismatch, "header.nodes[2]", func(_ *arrowfb.MessageT, r *arrowfb.RecordBatchT) { r.Nodes[2].NullCount = 9 }),
		batch("too few nodes", container.ErrMismatch, "header.nodes", func(_ *arrowfb.MessageT, r *arrowfb.RecordBatchT) { r.Nodes = r.Nodes[:2] }),
		batch("too few buffers", container.ErrMismatch, "header.buffers", func(_ *arrowfb.MessageT, r *arrowfb.RecordBatchT) { r.Buffers = r.Buffers[:5] }),
		batch("a buffer at 2^63-1", container.ErrLength, "header.buffers[3]", func(_ *arrowfb.MessageT, r *arrowfb.RecordBatchT) { r.Buffers[3].Offset = math.MaxInt64 }),
		batch("a buffer of -1 bytes", container.ErrLength, "header.buffers[1]", func(_ *arrowfb.MessageT, r *arrowfb.RecordBatchT) { r.Buffers[1].Length = -1 }),
		batch("a body longer than the footer says", container.ErrMismatch, "bodyLength", func(m *arrowfb.MessageT, _ *arrowfb.RecordBatchT) { m.BodyLength++ }),
		batch("version 3", container.ErrVersion, "version", func(m *arrowfb.MessageT, _ *arrowfb.RecordBatchT) { m.Version = arrowfb.MetadataVersionV3 }),
		batch("no header", container.ErrMismatch, "header_type", func(m *arrowfb.MessageT, _ *arrowfb.RecordBatchT) { m.Header = nil }),
	})
}

func (l lie) renamed(part, path string, file []byte) lie {
	l.part, l.path, l.file = part, path, file
	return l
}

func TestLiesOfModels(t *testing.T) {
	const tensors = 4
	say := func(name string, kind container.Kind, path string, change func(m *tflitefb.ModelT)) lie {
		return lie{name, tfliteFileThat(tensors, change), kind, "model", path}
	}
	outside := say("weights at 2^63", container.ErrTruncated, "", func(m *tflitefb.ModelT) { m.Buffers[2].Data, m.Buffers[2].Offset, m.Buffers[2].Size = nil, 1<<63, 64 })
	outside.part = "buffer[2]"
	inside := say("weights outside that lie in the FlatBuffer", container.ErrOverlap, "", func(m *tflitefb.ModelT) { m.Buffers[2].Data, m.Buffers[2].Offset, m.Buffers[2].Size = nil, 16, 64 })
	inside.part = "buffer[2]"
	checkLies(t, formats[3], tfliteFile(tensors), []lie{
		outside, inside,
		say("a buffer that is not there", container.ErrReference, "subgraphs[0].tensors[1].buffer", func(m *tflitefb.ModelT) { m.Subgraphs[0].Tensors[1].Buffer = 5 }),
		say("the buffer 2^32-1", container.ErrReference, "subgraphs[0].tensors[0].buffer", func(m *tflitefb.ModelT) { m.Subgraphs[0].Tensors[0].Buffer = math.MaxUint32 }),
		say("an operator code that is not there", container.ErrReference, "subgraphs[0].operators[2].opcode_index", func(m *tflitefb.ModelT) { m.Subgraphs[0].Operators[2].OpcodeIndex = 1 }),
		say("the tensor -2", container.ErrReference, "subgraphs[0].operators[0].inputs[1]", func(m *tflitefb.ModelT) { m.Subgraphs[0].Operators[0].Inputs[1] = -2 }),
		say("an output that is not there", container.ErrReference, "subgraphs[0].outputs[0]", func(m *tflitefb.ModelT) { m.Subgraphs[0].Outputs = []int32{tensors} }),
		say("too few weights", container.ErrMismatch, "subgraphs[0].tensors[3]", func(m *tflitefb.ModelT) { m.Subgraphs[0].Tensors[3].Shape = []int32{4, 5} }),
		say("a shape beyond 2^63", container.ErrMismatch, "subgraphs[0].tensors[3]", func(m *tflitefb.ModelT) {
			m.Subgraphs[0].Tensors[3].Shape = []int32{math.MaxInt32, math.MaxInt32, math.MaxInt32}
		}),
		say("a negative dimension", container.ErrMismatch, "subgraphs[0].tensors[0]", func(m *tflitefb.ModelT) { m.Subgraphs[0].Tensors[0].Shape = []int32{-4, -4} }),
		say("metadata without a buffer", container.ErrReference, "metadata[0].buffer", func(m *tflitefb.ModelT) { m.Metadata = []*tflitefb.MetadataT{{Name: "x", Buffer: 5}} }),
		say("a signature of no subgraph", container.ErrReference, "signature_defs[0].subgraph_index", func(m *tflitefb.ModelT) { m.SignatureDefs = []*tflitefb.SignatureDefT{{SubgraphIndex: 1}} }),
		say("a signature of no tensor", container.ErrReference, "signature_defs[0].inputs[0].tensor_index", func(m *tflitefb.ModelT) {
			m.SignatureDefs = []*tflitefb.SignatureDefT{{Inputs: []*tflitefb.TensorMapT{{TensorIndex: tensors}}}}
		}),
	})
}

func TestLiesOfFlatGeobufFiles(t *testing.T) {
	const features = 300
	honest := flatGeobufFile(features)
	header := int64(8 + 4 + binary.LittleEndian.Uint32(honest[8:]))
	tree, _ := places.PackedTree(features, 16, math.MaxInt64)
	leaf := func(i int) int64 {
		return header + int64(tree.Levels[len(tree.Levels)-1].First+uint64(i))*places.NodeSize
	}
	change := func(at int64, v uint64) []byte {
		b := bytes.Clone(honest)
		binary.LittleEndian.PutUint64(b[at:], v)
		return b
	}
	first := header + tree.Bytes()
	sizeOf := func(i int) int64 { // where the size of feature i stands
		return first + int64(binary.LittleEndian.Uint64(honest[leaf(i)+32:]))
	}
	long := bytes.Clone(honest)
	binary.LittleEndian.PutUint32(long[sizeOf(299):], math.MaxUint32)
	checkLies(t, formats[4], honest, []lie{
		{"a feature at 2^63", change(leaf(7)+32, 1<<63), container.ErrLength, "index", ""},
		{"a feature at the end of the file", change(leaf(299)+32, uint64(int64(len(honest))-first)), container.ErrLength, "index", ""},
		{"a feature on top of another", change(leaf(8)+32, binary.LittleEndian.Uint64(honest[leaf(7)+32:])), container.ErrOverlap, "feature[8]", ""},
		{"a root that leads to itself", change(header+32, 0), container.ErrMismatch, "index", ""},
		{"a node that leads to 2^64-1", change(header+40+32, math.MaxUint64), container.ErrMismatch, "index", ""},
		{"a feature of 2^32-1 bytes", long, container.ErrTruncated, "feature[299]", ""},
		{"a file that ends within the index", honest[:header+100], container.ErrTruncated, "index", ""},
	})
}

// What is sound is not always: errors of the FlatBuffer say which part, where, and why.
func TestAnUnsoundPartIsNamedWithItsFault(t *testing.T) {
	b := arrowFile(2, 2)
	at := bytes.LastIndex(b[:len(b)/2], []byte{0xff, 0xff, 0xff, 0xff})
	binary.LittleEndian.PutUint32(b[at+8:], 1<<30) // the root offset of a message
	err := first(formats[1], b)
	var e *container.Error
	var fault *fbverify.Error
	if !errors.As(err, &e) || !errors.As(err, &fault) || !errors.Is(err, container.ErrUnreadable) || !errors.Is(err, fbverify.ErrOutOfBounds) ||
		e.Part == "" || e.Offset != int64(at+8) || fault.Offset != 0 {
		t.Errorf("%v", err)
	}
}

var errDisk = errors.New("the disk is gone")

// failing fails from a read on.
type failing struct {
	io.ReaderAt
	left int
}

func (f *failing) ReadAt(b []byte, off int64) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errDisk
	}
	return f.ReaderAt.ReadAt(b, off)
}

func TestAnErrorOfReadingIsHandedOn(t *testing.T) {
	for _, c := range []struct {
		format format
		file   []byte
	}{{formats[0], vortexFile(600, 2)}, {formats[1], arrowFile(1000, 3)}, {formats[3], tfliteFile(100)}, {formats[4], flatGeobufFile(5000)}} {
		for n := range 4 {
			s, err := c.format.read(&failing{bytes.NewReader(c.file), n}, int64(len(c.file)))
			if err == nil && len(s.errors) > 0 {
				err = s.errors[0]
			}
			if err == nil && c.format.name == "tflite" && n > 0 {
				continue // it is one read
			}
			if !errors.Is(err, errDisk) || !errors.Is(err, container.ErrRead) {
				t.Errorf("%s, read %d: %v", c.format.name, n, err)
			}
		}
	}
}
