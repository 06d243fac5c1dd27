package generated

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
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
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema"
)

// The readers below index, slice and dereference without one check of their own. What they
// rely on, the constraints of the formats' schemas say.

var mutantsFlag = flag.Int("mutants", 0, "mutants of values for each format; 0 is a few")

// plainReader is what reads the parts with one root, and knows the facts of the file.
type plainReader struct {
	format string
	typ    *fbverify.Type
	read   func(buf []byte, framing fbverify.Framing, facts map[string]int64)
}

func plain[T fbverify.View[T]](format string, read func(v T, facts map[string]int64)) plainReader {
	var v T
	return plainReader{format, v.FlatBuffersType(), func(buf []byte, framing fbverify.Framing, facts map[string]int64) {
		read(fbverify.RootUnchecked[T](buf, framing).Root(), facts)
	}}
}

var plainReaders = map[string]plainReader{
	"tflite.Model":                     plain("tflite", plainModel),
	"org.apache.arrow.flatbuf.Message": plain("arrow", plainMessage),
	"org.apache.arrow.flatbuf.Footer":  plain("arrow", plainFooter),
	"FlatGeobuf.Header":                plain("flatgeobuf", plainHeader),
	"FlatGeobuf.Feature":               plain("flatgeobuf", plainFeature),
	"Postscript":                       plain("vortex", plainPostscript),
	"Footer":                           plain("vortex", plainVortexFooter),
	"Layout":                           plain("vortex", plainLayout),
	"DType":                            plain("vortex", plainDType),
	"Array":                            plain("vortex", plainArray),
}

func plainModel(m tflite.Model, _ map[string]int64) {
	graphs, codes, buffers := m.Subgraphs(), m.OperatorCodes(), m.Buffers()
	_ = graphs.At(0)
	for _, g := range graphs.All() {
		tensors := g.Tensors()
		for _, i := range g.Inputs() {
			if i != -1 {
				_ = tensors.At(int(i)).Name()
			}
		}
		for _, i := range g.Outputs() {
			_ = tensors.At(int(i)).Name()
		}
		for _, t := range tensors.All() {
			_ = buffers.At(int(t.Buffer())).Data()
			if q := t.Quantization(); q.Present() {
				zero := q.ZeroPoint()
				for i := range q.Scale() {
					_ = zero[i]
				}
				if b, ok := q.Details().AsBlockwiseQuantization(); ok {
					_ = tensors.At(int(b.Scales()))
				}
			}
		}
		for _, op := range g.Operators().All() {
			_ = codes.At(int(op.OpcodeIndex())).BuiltinCode()
			for _, i := range slices.Concat(op.Inputs(), op.Intermediates()) {
				if i != -1 {
					_ = tensors.At(int(i)).Shape()
				}
			}
			for _, i := range op.Outputs() {
				_ = tensors.At(int(i)).Shape()
			}
			if o, ok := op.BuiltinOptions().AsIfOptions(); ok {
				_, _ = graphs.At(int(o.ThenSubgraphIndex())), graphs.At(int(o.ElseSubgraphIndex()))
			}
			if o, ok := op.BuiltinOptions().AsWhileOptions(); ok {
				_, _ = graphs.At(int(o.CondSubgraphIndex())), graphs.At(int(o.BodySubgraphIndex()))
			}
			if o, ok := op.BuiltinOptions().AsCallOnceOptions(); ok {
				_ = graphs.At(int(o.InitSubgraphIndex()))
			}
		}
	}
	for _, i := range m.MetadataBuffer() {
		_ = buffers.At(int(i))
	}
	for _, d := range m.Metadata().All() {
		_ = buffers.At(int(d.Buffer())).Data()
	}
	for _, d := range m.SignatureDefs().All() {
		tensors := graphs.At(int(d.SubgraphIndex())).Tensors()
		for _, p := range d.Inputs().All() {
			_ = tensors.At(int(p.TensorIndex()))
		}
		for _, p := range d.Outputs().All() {
			_ = tensors.At(int(p.TensorIndex()))
		}
	}
	for _, b := range m.ExternalBuffers().All() {
		_ = m.ExternalBufferGroups().At(int(b.Group()))
	}
}

// body stands for bytes that lie beside the metadata: what is sliced out of them has to be in.
type body uint64

func (b body) slice(offset, length int64) {
	if offset < 0 || length < 0 || uint64(offset)+uint64(length) > uint64(b) {
		panic(fmt.Sprintf("slice bounds out of range [%d:+%d] of %d", offset, length, b))
	}
}

func plainMessage(m arrow.Message, _ map[string]int64) {
	rest := body(m.BodyLength())
	_ = make([]struct{}, m.BodyLength())
	batch := func(b arrow.RecordBatch) {
		_ = make([]struct{}, b.Length())
		for _, n := range b.Nodes() {
			_ = make([]struct{}, n.Length)
		}
		for _, x := range b.Buffers() {
			rest.slice(x.Offset, x.Length)
		}
		for _, n := range b.VariadicBufferCounts() {
			_ = make([]struct{}, n)
		}
	}
	switch h := m.Header(); h.Kind() {
	case arrow.MessageHeaderSchema:
		s, _ := h.AsSchema()
		plainFields(s.Fields())
	case arrow.MessageHeaderRecordBatch:
		b, _ := h.AsRecordBatch()
		batch(b)
	case arrow.MessageHeaderDictionaryBatch:
		d, _ := h.AsDictionaryBatch()
		batch(d.Data())
	case arrow.MessageHeaderTensor, arrow.MessageHeaderSparseTensor:
	default:
		panic("a message of nothing")
	}
}

func plainFields(fields arrow.FieldVector) {
	widths := map[int32]int{8: 1, 16: 2, 32: 4, 64: 8, 128: 16, 256: 32}
	units := [...]string{"s", "ms", "us", "ns"}
	width := func(bits int32) {
		if widths[bits] == 0 {
			panic("no such width")
		}
	}
	for _, f := range fields.All() {
		children := f.Children()
		switch t := f.Type(); t.Kind() {
		case arrow.TypeNone:
			panic("a column of no type")
		case arrow.TypeInt:
			v, _ := t.AsInt()
			width(v.BitWidth())
		case arrow.TypeFloatingPoint:
			v, _ := t.AsFloatingPoint()
			_ = [...]int{2, 4, 8}[v.Precision()]
		case arrow.TypeDecimal:
			v, _ := t.AsDecimal()
			width(v.BitWidth())
		case arrow.TypeDate:
			v, _ := t.AsDate()
			_ = [...]int{4, 8}[v.Unit()]
		case arrow.TypeTime:
			v, _ := t.AsTime()
			width(v.BitWidth())
			if size := [...]int32{32, 32, 64, 64}[v.Unit()]; size != v.BitWidth() {
				panic("a time of another width")
			}
		case arrow.TypeTimestamp:
			v, _ := t.AsTimestamp()
			_ = units[v.Unit()]
		case arrow.TypeDuration:
			v, _ := t.AsDuration()
			_ = units[v.Unit()]
		case arrow.TypeInterval:
			v, _ := t.AsInterval()
			_ = [...]int{4, 8, 16}[v.Unit()]
		case arrow.TypeList, arrow.TypeLargeList, arrow.TypeListView, arrow.TypeLargeListView, arrow.TypeMap:
			_ = children.At(0).Name()
		case arrow.TypeFixedSizeList:
			v, _ := t.AsFixedSizeList()
			_, _ = children.At(0).Name(), make([]struct{}, v.ListSize())
		case arrow.TypeFixedSizeBinary:
			v, _ := t.AsFixedSizeBinary()
			_ = make([]struct{}, v.ByteWidth())
		case arrow.TypeRunEndEncoded:
			_, _ = children.At(0), children.At(1)
		case arrow.TypeUnion:
			v, _ := t.AsUnion()
			_ = [...]string{"sparse", "dense"}[v.Mode()]
			var child [128]int
			for i, id := range v.TypeIds() {
				child[id] = i
				_ = children.At(i)
			}
		}
		if d := f.Dictionary(); d.Present() && d.IndexType().Present() {
			width(d.IndexType().BitWidth())
		}
		plainFields(children)
	}
}

func plainFooter(f arrow.Footer, facts map[string]int64) {
	if !f.HasSchema() {
		panic("a footer without a schema")
	}
	plainFields(f.Schema().Fields())
	for _, b := range slices.Concat(f.Dictionaries(), f.RecordBatches()) {
		body(facts["file"]).slice(b.Offset, int64(b.MetaDataLength))
	}
}

var columnWidths = [...]int{1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 4, 4, 4, 4}

func plainHeader(h flatgeobuf.Header, _ map[string]int64) {
	if e := h.Envelope(); len(e) > 0 {
		_ = e[0] + e[1] + e[2] + e[3]
	}
	_ = [18]bool{}[h.GeometryType()]
	for _, c := range h.Columns().All() {
		_ = columnWidths[c.Type()]
	}
}

func plainFeature(f flatgeobuf.Feature, _ map[string]int64) {
	for _, c := range f.Columns().All() {
		_ = columnWidths[c.Type()]
	}
	var shape func(g flatgeobuf.Geometry)
	shape = func(g flatgeobuf.Geometry) {
		_ = [18]bool{}[g.Type()]
		xy := g.Xy()
		start := uint32(0)
		for _, end := range g.Ends() {
			_ = xy[2*start : 2*end]
			if z := g.Z(); len(z) > 0 {
				_ = z[start:end]
			}
			start = end
		}
		for i := range len(xy) / 2 {
			_ = xy[2*i] + xy[2*i+1]
			for _, more := range [][]float64{g.Z(), g.M(), g.T()} {
				if len(more) > 0 {
					_ = more[i]
				}
			}
			if tm := g.Tm(); len(tm) > 0 {
				_ = tm[i]
			}
		}
		if len(xy)%2 != 0 {
			panic("half a position")
		}
		for _, p := range g.Parts().All() {
			shape(p)
		}
	}
	shape(f.Geometry())
}

func plainPostscript(p vortex.Postscript, facts map[string]int64) {
	if !p.HasLayout() || !p.HasFooter() {
		panic("a file without its layout or footer")
	}
	for _, s := range []vortex.PostscriptSegment{p.Dtype(), p.Layout(), p.Statistics(), p.Footer()} {
		if s.Present() {
			body(facts["file"]).slice(int64(s.Offset()), int64(s.Length()))
		}
	}
}

func plainVortexFooter(f vortex.Footer, facts map[string]int64) {
	last := uint64(0)
	for _, s := range f.SegmentSpecs() {
		body(facts["file"]).slice(int64(s.Offset), int64(s.Length))
		_ = make([]struct{}, int64(s.Offset-last)) // the gap to the one before
		last = s.Offset
	}
}

func plainLayout(l vortex.Layout, facts map[string]int64) {
	_ = make([]struct{}, facts["layout_specs"])[l.Encoding()]
	segments := make([]struct{}, facts["segment_specs"])
	for _, i := range l.Segments() {
		_ = segments[i]
	}
	for _, c := range l.Children().All() {
		plainLayout(c, facts)
	}
}

func plainArray(a vortex.Array, facts map[string]int64) {
	buffers, specs := a.Buffers(), make([]struct{}, facts["array_specs"])
	if !a.HasRoot() {
		panic("an array of nothing")
	}
	var node func(n vortex.ArrayNode)
	node = func(n vortex.ArrayNode) {
		_ = specs[n.Encoding()]
		for _, i := range n.Buffers() {
			_ = buffers[i]
		}
		for _, c := range n.Children().All() {
			node(c)
		}
	}
	node(a.Root())
}

func plainDType(d vortex.DType, facts map[string]int64) {
	switch t := d.Type(); t.Kind() {
	case vortex.TypeNone:
		panic("no type")
	case vortex.TypePrimitive:
		p, _ := t.AsPrimitive()
		_ = [...]int{1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8}[p.Ptype()]
	case vortex.TypeStruct:
		s, _ := t.AsStruct()
		types := s.Dtypes()
		for i := range s.Names().Len() {
			plainDType(types.At(i), facts)
		}
	case vortex.TypeList:
		l, _ := t.AsList()
		plainDType(l.ElementType(), facts)
	case vortex.TypeFixedSizeList:
		l, _ := t.AsFixedSizeList()
		plainDType(l.ElementType(), facts)
	case vortex.TypeExtension:
		e, _ := t.AsExtension()
		plainDType(e.StorageDtype(), facts)
	}
}

// plainPart is a FlatBuffer of a real file, with the places of its numbers.
type plainPart struct {
	name    string
	buf     []byte
	reader  plainReader
	opts    fbverify.Options
	numbers []numberAt
}

type numberAt struct{ at, size int }

// numbersOf collects where the numbers are, but not those of bytes that mean something else.
type numbersOf struct{ list []numberAt }

func (n *numbersOf) Enter(e *traverse.Event) traverse.Answer {
	const most = 64 // elements of a vector
	switch {
	case e.What == traverse.Field && e.Field != nil && e.Field.Type.IsScalar():
		n.list = append(n.list, numberAt{e.Pos, e.Size})
	case e.What == traverse.Vector && e.Field != nil && e.Field.Type.Element == schema.UByte:
	case e.What == traverse.Vector && e.Sound && e.Field != nil:
		elem := e.Field.Type.ElementType()
		for i := range min(e.Count, most) {
			at := e.Data + i*e.ElemSize
			switch {
			case elem.IsScalar():
				n.list = append(n.list, numberAt{at, e.ElemSize})
			case elem.IsStruct():
				for _, f := range elem.Object.Fields {
					if f.Type.IsScalar() {
						n.list = append(n.list, numberAt{at + f.Offset, f.Type.Base.Size()})
					}
				}
			}
		}
	}
	return traverse.Go
}

func (n *numbersOf) Leave(*traverse.Event) {}

// plainParts returns the parts of the real files at hand, by format.
func plainParts(t *testing.T) map[string][]plainPart {
	t.Helper()
	all := map[string][]plainPart{}
	file := func(path string) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := container.OpenBytes(b, nil)
		if err != nil {
			return
		}
		facts := map[string]int64{"file": int64(len(b))}
		for part, err := range f.Parts() {
			if err != nil || part.Root != "Footer" {
				continue
			}
			data, err := part.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			if v, err := fbverify.Root[vortex.Footer](data); err == nil {
				facts["layout_specs"] = int64(v.Root().LayoutSpecs().Len())
				facts["array_specs"] = int64(v.Root().ArraySpecs().Len())
				facts["segment_specs"] = int64(len(v.Root().SegmentSpecs()))
			}
		}
		parts := 0
		for part, err := range f.Parts() {
			reader, ok := plainReaders[part.Root]
			if err != nil || !ok || parts > 40 {
				continue
			}
			data, err := part.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			opts := *part.Options(nil)
			opts.Facts = facts
			p := plainPart{fmt.Sprint(filepath.Base(path), " ", part.Name), data, reader, opts, nil}
			if err := reader.typ.Verify(data, &opts); err != nil {
				shape := opts
				shape.SkipConstraints = true
				if reader.typ.Verify(data, &shape) == nil {
					t.Errorf("%s: %v", p.name, err)
				}
				continue
			}
			var n numbersOf
			if err := reader.typ.Traversal(data, &opts).Run(&n); err != nil {
				t.Fatal(err)
			}
			if p.numbers = n.list; len(n.list) > 0 {
				parts++
				all[reader.format] = append(all[reader.format], p)
			}
		}
	}
	folders := []string{"../testdata/vortex", "../testdata/arrow", "../testdata/tflite", "../testdata/flatgeobuf"}
	root := filepath.Join(oracle.RepoRoot(), "..", "shared", "corpus")
	if _, err := os.Stat(root); err == nil {
		for _, name := range []string{"arrow/valid", "tflite", "flatgeobuf"} {
			folders = append(folders, filepath.Join(root, name))
		}
	}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !strings.HasPrefix(d.Name(), "fuzz") {
				file(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// panics reads a buffer and returns what the reader panicked with, nil for nothing.
func (p *plainPart) panics(buf []byte) (what any) {
	defer func() { what = recover() }()
	p.reader.read(buf, p.opts.Framing, p.opts.Facts)
	return nil
}

// TestAPlainReaderCannotBeCrashed: real files are read without one check, whose numbers
// were changed, and whose shape is sound. None that the constraints accept makes the reader
// panic. Without them many do.
func TestAPlainReaderCannotBeCrashed(t *testing.T) {
	all := plainParts(t)
	mutants := *mutantsFlag
	if mutants == 0 {
		mutants = 3000
	}
	for _, format := range []string{"tflite", "arrow", "vortex", "flatgeobuf"} {
		t.Run(format, func(t *testing.T) {
			parts := all[format]
			if len(parts) == 0 {
				t.Fatal("there are no files")
			}
			for i := range parts {
				if what := parts[i].panics(parts[i].buf); what != nil {
					t.Fatalf("%s as it is: %v", parts[i].name, what)
				}
			}
			r := rand.New(rand.NewPCG(1, uint64(len(format))))
			// A part has a say by the number of its numbers, within reason.
			var chosen []int
			for i := range parts {
				for range 1 + min(len(parts[i].numbers), 200)/10 {
					chosen = append(chosen, i)
				}
			}
			shapely, crashed, refused := 0, 0, 0
			for shapely < mutants {
				p := &parts[chosen[r.IntN(len(chosen))]]
				buf := slices.Clone(p.buf)
				for range 1 + r.IntN(3) {
					change(r, buf, p.numbers[r.IntN(len(p.numbers))])
				}
				opts := p.opts
				opts.SkipConstraints = true
				if p.reader.typ.Verify(buf, &opts) != nil {
					continue
				}
				shapely++
				what := p.panics(buf)
				err := p.reader.typ.Verify(buf, &p.opts)
				if what != nil {
					crashed++
				}
				if err != nil {
					refused++
					var e *fbverify.Error
					if !errors.As(err, &e) || !e.Kind.IsConstraint() || e.Kind == fbverify.ErrUnstated {
						t.Fatalf("%s: %v", p.name, err)
					}
				} else if what != nil {
					t.Fatalf("%s: accepted, and the reader panics: %v", p.name, what)
				}
			}
			if crashed == 0 {
				t.Error("no mutant makes the reader panic, so that this proves nothing")
			}
			t.Logf("%s: of %d mutants of %d parts, whose shape is sound, %d make the reader panic and are refused; %d more are refused", format, shapely, len(parts), crashed, refused-crashed)
		})
	}
}

// change gives a number a value that is often wrong.
func change(r *rand.Rand, buf []byte, n numberAt) {
	b := buf[n.at : n.at+n.size]
	var word [8]byte
	copy(word[:], b)
	v := binary.LittleEndian.Uint64(word[:])
	switch r.IntN(8) {
	case 0:
		v = 0
	case 1:
		v = ^uint64(0)
	case 2:
		v++
	case 3:
		v--
	case 4:
		v = uint64(r.IntN(300))
	case 5:
		v = 1 << (8*n.size - 1)
	case 6:
		v = 1<<(8*n.size-1) - 1
	default:
		v = r.Uint64()
	}
	binary.LittleEndian.PutUint64(word[:], v)
	copy(b, word[:])
}
