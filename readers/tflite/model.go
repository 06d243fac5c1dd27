package tflite

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/fbverify/fbread"
	fb "github.com/fbverify/go/generated/tflite"
	"github.com/fbverify/go/readers"
	"github.com/fbverify/go/readers/internal/ranged"
)

// Model is a model that was opened. It is safe for concurrent use if its reader is.
type Model struct {
	fbverify.Verified[fb.Model]
	src   *ranged.Source
	bytes readers.Range
}

// wholeSize is the size up to which a file is read at once.
const wholeSize = 64 << 20

// Open opens a model of size bytes. Nil opts are the defaults; First and Gap have no meaning.
//
// The error is a [*container.Error]: of kind ErrMagic, ErrTruncated, ErrLength, ErrOverlap, ErrMismatch,
// ErrReference, ErrUnreadable (the FlatBuffer is not sound: Err is its [*fbverify.Error]), ErrLimit or ErrRead;
// or it is that of ctx.
func Open(ctx context.Context, r io.ReaderAt, size int64, opts *readers.Options) (*Model, error) {
	o := readers.Options{MaxRead: math.MaxInt32}
	if opts != nil {
		if o = *opts; o.MaxRead == 0 {
			o.MaxRead = math.MaxInt32
		}
	}
	src, err := ranged.New(container.TFLite, r, size, &o)
	if err != nil {
		return nil, err
	}
	m := &Model{src: src}
	if err := m.open(ctx); err != nil {
		return nil, err
	}
	return m, nil
}

// OpenBytes is [Open] for a model in memory, whose bytes must not change while the Model is in use.
func OpenBytes(b []byte, opts *readers.Options) (*Model, error) {
	return Open(context.Background(), readers.Bytes(b), int64(len(b)), opts)
}

func (m *Model) open(ctx context.Context) error {
	opts := &container.Options{Format: container.TFLite}
	var f *container.File
	var whole []byte
	var err error
	if size := m.src.Size; m.src.InMemory() || size <= min(wholeSize, m.src.MaxRead()) {
		if whole, err = m.src.Read(ctx, "model", readers.Range{Length: size}); err != nil {
			return err
		}
		f, err = container.OpenBytes(whole, opts)
	} else {
		f, err = container.Open(m.src.ReaderAt(ctx), size, opts)
	}
	if err != nil {
		return err
	}
	// The container says how far the FlatBuffer reaches, and what is wrong with weights outside.
	part := container.Part{}
	for p, err := range f.Parts() {
		if err != nil {
			if e := ctx.Err(); e != nil {
				return e
			}
			return err
		}
		part = p
	}
	m.bytes = readers.Range{Offset: part.Offset, Length: part.Length}
	b := whole
	if b == nil {
		if b, err = m.src.Read(ctx, part.Name, m.bytes); err != nil {
			return err
		}
	}
	b = b[:part.Length:part.Length]
	if m.Verified, err = ranged.Verified[fb.Model](m.src, part.Name, 0, b, *part.Options(nil)); err != nil {
		return err
	}
	return m.check()
}

func (m *Model) fault(kind container.Kind, path *ranged.Path, detail, found, allowed string) error {
	e := m.src.Fault(kind, "model", 0, detail, found, allowed)
	e.Path = path.String()
	return e
}

// check holds the numbers of a model against each other.
func (m *Model) check() error {
	var top *ranged.Path
	root := m.Root()
	buffers, codes, graphs := root.Buffers(), root.OperatorCodes(), root.Subgraphs()
	reference := func(path *ranged.Path, what string, n uint64, count int) error {
		if n < uint64(count) {
			return nil
		}
		return m.fault(container.ErrReference, path, "there is no such "+what, fmt.Sprint(n), fmt.Sprintf("below %d", count))
	}
	type numbers struct {
		field string
		list  []int32
	}
	tensors := func(path *ranged.Path, count int, lists ...numbers) error { // -1 is one that is left out
		for _, l := range lists {
			for i, n := range l.list {
				if n < -1 || int64(n) >= int64(count) {
					return m.fault(container.ErrReference, path.Element(l.field, i), "there is no such tensor", fmt.Sprint(n), fmt.Sprintf("-1 to %d", count-1))
				}
			}
		}
		return nil
	}
	for g, graph := range graphs.All() {
		at := top.Element("subgraphs", g)
		all := graph.Tensors()
		for i, t := range all.All() {
			path := at.Element("tensors", i)
			if t.Buffer() != 0 || buffers.Len() > 0 { // a model without buffers has no weights
				if err := reference(path.Field("buffer"), "buffer", uint64(t.Buffer()), buffers.Len()); err != nil {
					return err
				}
				if err := m.enough(path, t); err != nil {
					return err
				}
			}
		}
		for i, op := range graph.Operators().All() {
			path := at.Element("operators", i)
			if err := reference(path.Field("opcode_index"), "operator code", uint64(op.OpcodeIndex()), codes.Len()); err != nil {
				return err
			}
			if err := tensors(path, all.Len(), numbers{"inputs", op.Inputs()}, numbers{"outputs", op.Outputs()}, numbers{"intermediates", op.Intermediates()}); err != nil {
				return err
			}
		}
		if err := tensors(at, all.Len(), numbers{"inputs", graph.Inputs()}, numbers{"outputs", graph.Outputs()}); err != nil {
			return err
		}
	}
	for i, x := range root.Metadata().All() {
		if err := reference(top.Element("metadata", i).Field("buffer"), "buffer", uint64(x.Buffer()), buffers.Len()); err != nil {
			return err
		}
	}
	for i, s := range root.SignatureDefs().All() {
		at := top.Element("signature_defs", i)
		if err := reference(at.Field("subgraph_index"), "subgraph", uint64(s.SubgraphIndex()), graphs.Len()); err != nil {
			return err
		}
		n := graphs.At(int(s.SubgraphIndex())).Tensors().Len()
		for _, list := range []struct {
			name string
			maps fbread.Vector[fb.TensorMap]
		}{{"inputs", s.Inputs()}, {"outputs", s.Outputs()}} {
			for k, t := range list.maps.All() {
				if err := reference(at.Element(list.name, k).Field("tensor_index"), "tensor", uint64(t.TensorIndex()), n); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// enough checks that a tensor's weights are as many as its shape has elements.
func (m *Model) enough(path *ranged.Path, t fb.Tensor) error {
	n := m.weights(t).Length
	bits := int64(elementBits(t.Type()))
	if n == 0 || bits == 0 || t.Sparsity().Present() {
		return nil
	}
	need, ok := bits, true
	for _, d := range t.Shape() {
		if d < 0 || d > 0 && need > math.MaxInt64/8/int64(d) {
			ok = false
			break
		}
		need *= int64(d)
	}
	if need = (need + 7) / 8; ok && need == n {
		return nil
	}
	allowed := fmt.Sprint(need)
	if !ok {
		allowed = "what no file has"
	}
	return m.fault(container.ErrMismatch, path, fmt.Sprintf("the tensor %s %q of the shape %v has weights of another length", t.Type(), t.Name(), t.Shape()), ranged.Bytes(n), allowed)
}

// elementBits is how many bits an element takes, 0 where that differs from one to the next or is not known.
func elementBits(t fb.TensorType) int {
	switch t {
	case fb.TensorTypeInt2:
		return 2
	case fb.TensorTypeInt4, fb.TensorTypeUint4:
		return 4
	case fb.TensorTypeUint8, fb.TensorTypeInt8, fb.TensorTypeBool, fb.TensorTypeFloat8E4m3fn, fb.TensorTypeFloat8E5m2:
		return 8
	case fb.TensorTypeFloat16, fb.TensorTypeBfloat16, fb.TensorTypeInt16, fb.TensorTypeUint16:
		return 16
	case fb.TensorTypeFloat32, fb.TensorTypeInt32, fb.TensorTypeUint32:
		return 32
	case fb.TensorTypeFloat64, fb.TensorTypeInt64, fb.TensorTypeUint64, fb.TensorTypeComplex64:
		return 64
	case fb.TensorTypeComplex128:
		return 128
	}
	return 0
}

// buffer returns where buffer n lies, of no bytes where it is empty. An offset of 0 or 1 means
// that it does not lie outside the FlatBuffer: writers use 1 as a mark.
func (m *Model) buffer(n int) readers.Range {
	b := m.Root().Buffers().At(n)
	if b.Offset() > 1 && b.Size() > 0 {
		return readers.Range{Offset: int64(b.Offset()), Length: int64(b.Size())} // the container has looked at both
	}
	return m.inside(b.Data())
}

// inside returns where bytes of the FlatBuffer lie.
func (m *Model) inside(b []byte) readers.Range {
	if len(b) == 0 {
		return readers.Range{}
	}
	return readers.Range{Offset: m.bytes.Offset + ranged.Within(m.Bytes(), b), Length: int64(len(b))}
}

func (m *Model) weights(t fb.Tensor) readers.Range {
	if n := int(t.Buffer()); n < m.Root().Buffers().Len() {
		return m.buffer(n)
	}
	return readers.Range{}
}

// Size returns the file's length in bytes.
func (m *Model) Size() int64 { return m.src.Size }

// FlatBuffer returns where the model's FlatBuffer lies: from the start of the file to the first weights
// outside, or to the end.
func (m *Model) FlatBuffer() readers.Range { return m.bytes }

// Description returns what the model says of itself for people.
func (m *Model) Description() string { return m.Root().Description() }

// Version returns the version of the schema that the model says, 3 today.
func (m *Model) Version() uint32 { return m.Root().Version() }

// Buffers returns where the model's buffers lie, by their numbers; an empty one has no bytes.
func (m *Model) Buffers() []readers.Range {
	list := make([]readers.Range, m.Root().Buffers().Len())
	for i := range list {
		list[i] = m.buffer(i)
	}
	return list
}

// Metadata is what tools want to remember.
type Metadata struct {
	Name string
	readers.Range
}

// Metadata returns what tools want to remember, and where it lies.
func (m *Model) Metadata() []Metadata {
	var list []Metadata
	for x := range m.Root().Metadata().Values() {
		list = append(list, Metadata{x.Name(), m.buffer(int(x.Buffer()))})
	}
	return list
}

// AppendTo reads a range of the file, as a tensor's weights, into buf's memory from buf[:0] on, where there
// is room for it. The error is a [*container.Error] of kind ErrLength, ErrLimit or ErrRead, or that of ctx.
func (m *Model) AppendTo(ctx context.Context, at readers.Range, buf []byte) ([]byte, error) {
	if at.Offset >= m.bytes.Offset && at.Length >= 0 && at.Offset <= m.bytes.End() && at.Length <= m.bytes.End()-at.Offset {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b := m.Bytes()[at.Offset-m.bytes.Offset:][:at.Length:at.Length]
		if m.src.InMemory() {
			return b, nil
		}
		return append(buf[:0], b...), nil
	}
	return m.src.Data(ctx, at, buf)
}
