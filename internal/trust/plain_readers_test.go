package trust_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/fbverify/traverse"
	"github.com/fbverify/go/generated/arrow"
	"github.com/fbverify/go/generated/flatgeobuf"
	"github.com/fbverify/go/generated/tflite"
	"github.com/fbverify/go/generated/vortex"
	"github.com/fbverify/go/schema"
)

// The readers below look nothing up twice and ask nothing first: they index, slice and
// dereference as the formats say that one may. What stands in for "none" in the format, -1
// among the inputs of an operator, they know. They are the reader's code of which the
// constraints promise that it cannot be crashed.

// aFile is what a plain reader has besides its FlatBuffer.
type aFile struct {
	size  int64
	facts map[string]int64
}

// span panics where bytes are not among so many, as a slice of them would.
func span(n, from, to int64) {
	_ = make([]struct{}, n)[from:to]
}

// count panics where a length is negative.
func count(n int64) { _ = make([]struct{}, n) }

func readModel(m *tflite.ModelT, f *aFile) {
	_ = [4]int{}[m.Version]
	_ = m.Buffers[0]
	for _, i := range m.MetadataBuffer {
		_ = m.Buffers[i].Data
	}
	for _, d := range m.Metadata {
		_ = m.Buffers[d.Buffer].Data
	}
	for _, b := range m.Buffers {
		if b.Offset > 1 && b.Data == nil {
			span(f.size, int64(b.Offset), int64(b.Offset+b.Size))
		}
	}
	_ = m.Subgraphs[0].Tensors
	for _, g := range m.Subgraphs {
		for _, i := range g.Inputs {
			if i != -1 {
				_ = g.Tensors[i].Name
			}
		}
		for _, i := range g.Outputs {
			_ = g.Tensors[i].Name
		}
		for _, t := range g.Tensors {
			data := m.Buffers[t.Buffer].Data
			if q := t.Quantization; q != nil {
				for i := range q.Scale {
					_ = q.ZeroPoint[i]
				}
			}
			if s := t.Sparsity; s != nil && t.Buffer > 0 {
				_, _ = s.TraversalOrder[:], data
				for _, d := range s.DimMetadata {
					if _ = [2]int{}[d.Format]; d.Format == tflite.DimensionTypeSparseCsr {
						_, _ = d.ArraySegments.Value, d.ArrayIndices.Value
					}
				}
			}
		}
		for _, op := range g.Operators {
			_ = m.OperatorCodes[op.OpcodeIndex].Version
			for _, i := range op.Inputs {
				if i != -1 {
					_ = g.Tensors[i].Shape
				}
			}
			for _, i := range op.Outputs {
				_ = g.Tensors[i].Shape
			}
			for _, i := range op.Intermediates {
				if i != -1 {
					_ = g.Tensors[i].Shape
				}
			}
			if op.LargeCustomOptionsOffset > 1 {
				span(f.size, int64(op.LargeCustomOptionsOffset), int64(op.LargeCustomOptionsOffset+op.LargeCustomOptionsSize))
			}
			if o := op.BuiltinOptions; o != nil {
				switch v := o.Value.(type) {
				case *tflite.IfOptionsT:
					_, _ = m.Subgraphs[v.ThenSubgraphIndex], m.Subgraphs[v.ElseSubgraphIndex]
				case *tflite.WhileOptionsT:
					_, _ = m.Subgraphs[v.CondSubgraphIndex], m.Subgraphs[v.BodySubgraphIndex]
				case *tflite.CallOnceOptionsT:
					_ = m.Subgraphs[v.InitSubgraphIndex]
				}
			}
		}
	}
	for _, s := range m.SignatureDefs {
		g := m.Subgraphs[s.SubgraphIndex]
		for _, t := range slices.Concat(s.Inputs, s.Outputs) {
			_ = g.Tensors[t.TensorIndex].Name
		}
	}
}

func readArrowField(f *arrow.FieldT) {
	if d := f.Dictionary; d != nil && d.IndexType != nil {
		_ = [129]int{}[d.IndexType.BitWidth]
	}
	switch v := f.Type.Value.(type) {
	case *arrow.IntT:
		_ = [129]int{}[v.BitWidth]
	case *arrow.FloatingPointT:
		_ = [3]int{2, 4, 8}[v.Precision]
	case *arrow.DecimalT:
		_, _ = [257]int{}[v.BitWidth], [77]int{}[v.Precision]
	case *arrow.DateT:
		_ = [2]int{4, 8}[v.Unit]
	case *arrow.TimeT:
		_, _ = [4]int{}[v.Unit], [65]int{}[v.BitWidth]
	case *arrow.TimestampT:
		_ = [4]int{}[v.Unit]
	case *arrow.DurationT:
		_ = [4]int{}[v.Unit]
	case *arrow.IntervalT:
		_ = [3]int{4, 8, 16}[v.Unit]
	case *arrow.FixedSizeBinaryT:
		count(int64(v.ByteWidth))
	case *arrow.FixedSizeListT:
		count(int64(v.ListSize))
		_ = f.Children[0].Name
	case *arrow.ListT, *arrow.LargeListT, *arrow.ListViewT, *arrow.LargeListViewT:
		_ = f.Children[0].Name
	case *arrow.MapT:
		_ = f.Children[0].Type.Value.(*arrow.StructT)
		_, _ = f.Children[0].Children[0], f.Children[0].Children[1]
	case *arrow.RunEndEncodedT:
		_ = [129]int{}[f.Children[0].Type.Value.(*arrow.IntT).BitWidth]
		_ = f.Children[1].Name
	case *arrow.UnionT:
		_ = [2]int{}[v.Mode]
		var byID [128]*arrow.FieldT
		for i, id := range v.TypeIds {
			byID[id] = f.Children[i]
		}
	}
	for _, c := range f.Children {
		readArrowField(c)
	}
}

func readArrowBatch(b *arrow.RecordBatchT, body int64) {
	count(b.Length)
	if b.Compression != nil {
		_, _ = [2]int{}[b.Compression.Codec], [1]int{}[b.Compression.Method]
	}
	for _, n := range b.Nodes {
		count(n.Length)
	}
	for _, buf := range b.Buffers {
		span(body, buf.Offset, buf.Offset+buf.Length)
	}
	for _, n := range b.VariadicBufferCounts {
		count(n)
	}
}

func readArrowMessage(m *arrow.MessageT, _ *aFile) {
	count(m.BodyLength)
	switch h := m.Header.Value.(type) {
	case *arrow.SchemaT:
		_ = [2]int{}[h.Endianness]
		for _, f := range h.Fields {
			readArrowField(f)
		}
	case *arrow.RecordBatchT:
		readArrowBatch(h, m.BodyLength)
	case *arrow.DictionaryBatchT:
		readArrowBatch(h.Data, m.BodyLength)
	}
}

func readArrowFooter(m *arrow.FooterT, f *aFile) {
	for _, c := range m.Schema.Fields {
		readArrowField(c)
	}
	for _, b := range slices.Concat(m.Dictionaries, m.RecordBatches) {
		span(f.size, b.Offset, b.Offset+int64(b.MetaDataLength))
		count(b.BodyLength)
	}
}

func readVortexFooter(m *vortex.FooterT, f *aFile) {
	last := uint64(0)
	for _, s := range m.SegmentSpecs {
		span(f.size, int64(s.Offset), int64(s.Offset+uint64(s.Length)))
		_ = make([]struct{}, s.Offset+1)[last:]
		last = s.Offset
		_ = [16]int{}[s.AlignmentExponent]
	}
}

func readVortexLayout(m *vortex.LayoutT, f *aFile) {
	_ = make([]struct{}, f.facts["layout_specs"])[m.Encoding]
	for _, s := range m.Segments {
		_ = make([]struct{}, f.facts["segment_specs"])[s]
	}
	for _, c := range m.Children {
		readVortexLayout(c, f)
	}
}

func readVortexDType(m *vortex.DTypeT, f *aFile) {
	switch v := m.Type.Value.(type) {
	case *vortex.PrimitiveT:
		_ = [11]int{}[v.Ptype]
	case *vortex.DecimalT:
		_ = [77]int{}[v.Precision]
	case *vortex.StructT:
		for i := range v.Names {
			readVortexDType(v.Dtypes[i], f)
		}
	case *vortex.ListT:
		readVortexDType(v.ElementType, f)
	case *vortex.FixedSizeListT:
		readVortexDType(v.ElementType, f)
	case *vortex.ExtensionT:
		_ = v.ID[:0]
		readVortexDType(v.StorageDtype, f)
	}
}

func readVortexPostscript(m *vortex.PostscriptT, f *aFile) {
	for _, s := range []*vortex.PostscriptSegmentT{m.Layout, m.Footer} {
		span(f.size, int64(s.Offset), int64(s.Offset+uint64(s.Length)))
		_ = [16]int{}[s.AlignmentExponent]
	}
}

func readGeobufHeader(m *flatgeobuf.HeaderT, _ *aFile) {
	if e := m.Envelope; len(e) > 0 {
		_, _ = e[:len(e)/2][1], e[len(e)/2:][1]
	}
	_ = [18]int{}[m.GeometryType]
	if m.IndexNodeSize > 0 {
		_ = m.FeaturesCount / (uint64(m.IndexNodeSize) - 1)
	}
	for _, c := range m.Columns {
		_ = [15]int{}[c.Type]
	}
}

func readGeometry(g *flatgeobuf.GeometryT) {
	_ = [18]int{}[g.Type]
	last := uint32(0)
	for _, end := range g.Ends {
		_ = g.Xy[2*last : 2*end]
		last = end
	}
	for i := 0; i < len(g.Xy); i += 2 {
		_ = g.Xy[i+1]
		for _, other := range [][]float64{g.Z, g.M, g.T} {
			if other != nil {
				_ = other[i/2]
			}
		}
		if g.Tm != nil {
			_ = g.Tm[i/2]
		}
	}
	for _, p := range g.Parts {
		readGeometry(p)
	}
}

func readFeature(m *flatgeobuf.FeatureT, _ *aFile) {
	if m.Geometry != nil {
		readGeometry(m.Geometry)
	}
	for _, c := range m.Columns {
		_ = [15]int{}[c.Type]
	}
}

// owned makes a plain reader of a root's values.
func owned[V fbverify.View[V], T any](unpack func(V) *T, read func(*T, *aFile)) func([]byte, *fbverify.Options, *aFile) error {
	return func(buf []byte, o *fbverify.Options, f *aFile) error {
		v, err := fbverify.RootWithOptions[V](buf, o)
		if err == nil {
			read(unpack(v.Root()), f)
		}
		return err
	}
}

// plainReaders are the formats, with the roots that are read.
var plainReaders = []struct {
	name  string
	files []string
	read  map[string]func([]byte, *fbverify.Options, *aFile) error
}{
	{"tflite", []string{"tflite/*.tflite", "../../shared/corpus/tflite/*.tflite"}, map[string]func([]byte, *fbverify.Options, *aFile) error{
		"tflite.Model": owned(tflite.Model.Unpack, readModel),
	}},
	{"arrow", []string{"arrow/*.arrow", "arrow/*.arrows"}, map[string]func([]byte, *fbverify.Options, *aFile) error{
		"org.apache.arrow.flatbuf.Message": owned(arrow.Message.Unpack, readArrowMessage),
		"org.apache.arrow.flatbuf.Footer":  owned(arrow.Footer.Unpack, readArrowFooter),
	}},
	{"vortex", []string{"vortex/*.vortex"}, map[string]func([]byte, *fbverify.Options, *aFile) error{
		"Footer":     owned(vortex.Footer.Unpack, readVortexFooter),
		"Layout":     owned(vortex.Layout.Unpack, readVortexLayout),
		"DType":      owned(vortex.DType.Unpack, readVortexDType),
		"Postscript": owned(vortex.Postscript.Unpack, readVortexPostscript),
	}},
	{"flatgeobuf", []string{"flatgeobuf/*.fgb"}, map[string]func([]byte, *fbverify.Options, *aFile) error{
		"FlatGeobuf.Header":  owned(flatgeobuf.Header.Unpack, readGeobufHeader),
		"FlatGeobuf.Feature": owned(flatgeobuf.Feature.Unpack, readFeature),
	}},
}

// numbers notes where the numbers of a buffer are: of tables and structs, the lengths of no
// vector, the elements of vectors as far as they are not data.
type numbers struct {
	at []scalarAt
}

type scalarAt struct{ pos, size int }

func (n *numbers) Enter(e *traverse.Event) traverse.Answer {
	const someElements = 64
	switch {
	case e.What == traverse.Field && e.Field != nil && e.Target == traverse.None && e.Size > 0:
		n.add(e.Pos, e.Size, e.Field.Type)
	case e.What == traverse.Vector && e.Sound && !e.Seen && e.Field != nil:
		if t := e.Field.Type.ElementType(); t.IsScalar() || t.IsStruct() {
			for i := range min(e.Count, someElements) {
				n.add(e.Data+i*e.ElemSize, e.ElemSize, t)
			}
		}
	}
	return traverse.Go
}

func (n *numbers) Leave(*traverse.Event) {}

func (n *numbers) add(pos, size int, t schema.Type) {
	if t.IsStruct() {
		for _, f := range t.Object.Fields {
			n.add(pos+int(f.Offset), f.Type.InlineSize(), f.Type)
		}
		return
	}
	if size <= 8 {
		n.at = append(n.at, scalarAt{pos, size})
	}
}

// lie writes another number.
func (p scalarAt) lie(r *rand.Rand, b []byte) {
	var v uint64
	switch r.IntN(5) {
	case 0:
		v = []uint64{0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1<<63 - 1, 1 << 63, 1<<64 - 1}[r.IntN(15)]
	case 1:
		v = r.Uint64()
	case 2:
		v = r.Uint64N(200)
	default:
		var old [8]byte
		copy(old[:], b[p.pos:p.pos+p.size])
		v = binary.LittleEndian.Uint64(old[:]) + r.Uint64N(9) - 4
	}
	var now [8]byte
	binary.LittleEndian.PutUint64(now[:], v)
	copy(b[p.pos:p.pos+p.size], now[:])
}

// TestPlainReadersCannotBeCrashed changes nothing but numbers in real files, and gives those
// whose shape is right to readers without a check of their own, once behind constraints and
// once without. FBVERIFY_SLOW=1 makes it 100,000 mutants of each format:
//
//	FBVERIFY_SLOW=1 go test -v -tags fbdebug -run PlainReaders ./internal/trust
func TestPlainReadersCannotBeCrashed(t *testing.T) {
	wanted := 3_000
	if os.Getenv("FBVERIFY_SLOW") != "" {
		wanted = 100_000
	}
	for _, format := range plainReaders {
		t.Run(format.name, func(t *testing.T) {
			type part struct {
				name  string
				buf   []byte
				opts  [2]*fbverify.Options // with constraints, without
				file  *aFile
				read  func([]byte, *fbverify.Options, *aFile) error
				where []scalarAt
			}
			var parts []part
			for _, pattern := range format.files {
				names, err := filepath.Glob("../../testdata/" + pattern)
				if err != nil {
					t.Fatal(err)
				}
				for _, name := range names {
					if strings.Contains(name, "wide.") {
						continue // thousands of the same
					}
					b, err := os.ReadFile(name)
					if err != nil {
						t.Fatal(err)
					}
					f, err := container.OpenBytes(b, nil)
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					facts := map[string]int64{"file": int64(len(b))}
					for p, err := range f.Parts() {
						if err != nil {
							t.Fatalf("%s: %v", name, err)
						}
						if p.Root != "Footer" {
							continue
						}
						buf, err := p.Bytes()
						if err != nil {
							t.Fatal(err)
						}
						v, err := fbverify.Root[vortex.Footer](buf)
						if err != nil {
							t.Fatal(err)
						}
						footer := v.Root()
						facts["array_specs"] = int64(footer.ArraySpecs().Len())
						facts["layout_specs"] = int64(footer.LayoutSpecs().Len())
						facts["segment_specs"] = int64(len(footer.SegmentSpecs()))
					}
					for p, err := range f.Parts() {
						if err != nil {
							t.Fatalf("%s: %v", name, err)
						}
						read := format.read[p.Root]
						if read == nil {
							continue
						}
						buf, err := p.Bytes()
						if err != nil {
							t.Fatal(err)
						}
						asked := p.Options(&fbverify.Options{Facts: facts})
						skipped := *asked
						skipped.SkipConstraints = true
						var n numbers
						if err := p.Type().Traversal(buf, asked).Run(&n); err != nil {
							t.Fatalf("%s: %v", name, err)
						}
						file := &aFile{int64(len(b)), facts}
						if err := read(buf, asked, file); err != nil {
							t.Fatalf("%s, %s: a real file is refused: %v", name, p.Name, err)
						}
						if len(n.at) > 0 {
							parts = append(parts, part{name + ", " + p.Name, slices.Clone(buf), [2]*fbverify.Options{asked, &skipped}, file, read, n.at})
						}
					}
				}
			}
			if len(parts) == 0 {
				t.Fatal("no parts")
			}
			r := rand.New(rand.NewPCG(5, 7))
			mutants, refused, crashes := 0, 0, 0
			for mutants < wanted {
				p := &parts[r.IntN(len(parts))]
				pos := p.where[r.IntN(len(p.where))]
				old := slices.Clone(p.buf[pos.pos : pos.pos+pos.size])
				pos.lie(r, p.buf)
				crash, err := crashOf(p.read, p.buf, p.opts[1], p.file)
				if err == nil {
					mutants++
					if crash != "" {
						crashes++
					}
					switch crash, err := crashOf(p.read, p.buf, p.opts[0], p.file); {
					case err != nil:
						refused++
					case crash != "":
						t.Errorf("%s: % x at %d became % x, and it is accepted: %s", p.name, old, pos.pos, p.buf[pos.pos:pos.pos+pos.size], crash)
					}
				}
				copy(p.buf[pos.pos:], old)
				if t.Failed() {
					return
				}
			}
			t.Logf("%d mutants of %d parts: %d are refused; without constraints %d crash the reader, with them none", mutants, len(parts), refused, crashes)
			if crashes == 0 {
				t.Error("the reader is never crashed, so nothing is shown")
			}
		})
	}
}

// crashOf says how a reader panics, "" where it does not.
func crashOf(read func([]byte, *fbverify.Options, *aFile) error, buf []byte, o *fbverify.Options, f *aFile) (crash string, err error) {
	defer func() {
		if p := recover(); p != nil {
			crash, err = fmt.Sprintf("%v\n%s", p, debug.Stack()), nil
		}
	}()
	return "", read(buf, o, f)
}
