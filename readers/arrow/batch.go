package arrow

import (
	"fmt"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	fb "github.com/fbverify/go/generated/arrow"
	"github.com/fbverify/go/readers"
	"github.com/fbverify/go/readers/internal/ranged"
)

// Batch is the metadata of a record batch, or of the values of a dictionary, verified and held
// against the schema. It is safe for concurrent use.
type Batch struct {
	Name string // "batch[3]", "dictionary[0]"

	fbverify.Verified[fb.Message]

	// Record is what the message says of nodes and buffers: of a dictionary its values.
	Record fb.RecordBatch

	// Dictionary says that this is the values of a dictionary, of that id; they are added to those that came
	// before, or they take their place.
	Dictionary bool
	ID         int64
	Delta      bool

	Rows int64 // 0 or more

	// Message is where the message begins, with the length before its FlatBuffer, and Body what comes after
	// it. In a stream both count from its first byte.
	Message, Body readers.Range

	columns []ColumnData
}

// ColumnData is what a batch has of a column, or of a part of one.
type ColumnData struct {
	Field  *Field
	Length int64 // values, 0 or more
	Nulls  int64 // how many are null; -1 where the writer does not say

	// Indices says that the values are indices into the field's dictionary.
	Indices bool

	Buffers  []Buffer
	Children []ColumnData // as many as the field has, none of indices
}

// Buffer is a buffer of a column.
type Buffer struct {
	Kind BufferKind

	// Range is where its bytes are, without padding. Those of a compressed batch are a length of eight
	// bytes, which is that without compression or -1 for none, and what the codec made.
	readers.Range
}

// BufferKind says what a buffer holds.
type BufferKind uint8

// The kinds of buffers.
const (
	Validity BufferKind = iota // a bit for each value, 0 where it is null; may be empty where none is
	Values                     // values of one size, or bits
	Offsets                    // where strings, lists or members of a dense union begin
	Sizes                      // how long lists of a list view are
	Data                       // the bytes of strings, or of what views lead to
	Views                      // views of 16 bytes
	TypeIDs                    // which member of a union each value is, a byte for each
)

var kindNames = [...]string{"validity", "values", "offsets", "sizes", "data", "views", "type-ids"}

// String returns the kind as one word: "validity".
func (k BufferKind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind-%d", uint8(k))
}

// Compression returns the codec of the batch's buffers; ok is false where they are not compressed.
func (b *Batch) Compression() (codec fb.CompressionType, ok bool) {
	c := b.Record.Compression()
	return c.Codec(), c.Present()
}

// Columns returns what the batch has of each column of the schema, in order; of a dictionary that
// of its values, one. What it returns is the batch's, and is not to be written to.
func (b *Batch) Columns() []ColumnData { return b.columns }

// expected says what else is known of a message.
type expected struct {
	kind fb.MessageHeader // NONE where it may be a batch or a dictionary
	body int64            // bytes, -1 where nothing says
}

// batchOf takes a message whose FlatBuffer begins head bytes into at and is b, verified.
func (s *Schema) batchOf(p faulty, v fbverify.Verified[fb.Message], at readers.Range, want expected) (*Batch, error) {
	m := v.Root()
	b := &Batch{Name: p.part, Verified: v, Message: at, Body: readers.Range{Offset: at.End(), Length: m.BodyLength()}}
	var top *ranged.Path
	if err := knownVersion(p, m.Version()); err != nil {
		return nil, err
	}
	if kind := m.HeaderType(); want.kind != fb.MessageHeaderNone && kind != want.kind {
		return nil, p.fault(container.ErrMismatch, top.Field("header_type"), "the message is of another kind than the footer says", kind.String(), want.kind.String())
	}
	switch n := b.Body.Length; {
	case n < 0:
		return nil, p.fault(container.ErrLength, top.Field("bodyLength"), "the length of the body is negative", fmt.Sprint(n), "0 or more")
	case want.body >= 0 && n != want.body:
		return nil, p.fault(container.ErrMismatch, top.Field("bodyLength"), "the body has another length than the footer says", fmt.Sprint(n), fmt.Sprint(want.body))
	}
	path := top.Field("header")
	l := &loader{p: p, batch: b, version: m.Version(), path: path}
	var fields []Field
	switch m.HeaderType() {
	case fb.MessageHeaderRecordBatch:
		b.Record, _ = m.Header().AsRecordBatch()
		fields = s.Fields
	case fb.MessageHeaderDictionaryBatch:
		d, _ := m.Header().AsDictionaryBatch()
		b.Dictionary, b.ID, b.Delta, b.Record = true, d.ID(), d.IsDelta(), d.Data()
		l.path = path.Field("data")
		values := s.dictionaries[b.ID]
		if values == nil {
			return nil, p.fault(container.ErrReference, path.Field("id"), "no field has a dictionary of that id", fmt.Sprint(b.ID), "")
		}
		if !b.Record.Present() {
			return nil, p.fault(container.ErrReference, l.path, "the dictionary has no values", "", "")
		}
		fields, l.values = []Field{*values}, true
	default:
		return nil, p.fault(container.ErrMismatch, top.Field("header_type"), "the message brings no rows", m.HeaderType().String(), "RecordBatch or DictionaryBatch")
	}
	b.Rows = b.Record.Length()
	if err := l.load(fields); err != nil {
		return nil, err
	}
	return b, nil
}

func knownVersion(p faulty, v fb.MetadataVersion) error {
	if v < fb.MetadataVersionV4 || v > fb.MetadataVersionV5 {
		var top *ranged.Path
		return p.fault(container.ErrVersion, top.Field("version"), "a version of the format that no reader knows, or none knows any more", v.String(), "V4 or V5")
	}
	return nil
}

// loader takes nodes and buffers in the order in which the columns have them.
type loader struct {
	p       faulty
	batch   *Batch
	path    *ranged.Path // of the record batch
	version fb.MetadataVersion
	values  bool // the fields are looked at as a dictionary's values

	nodes    []fb.FieldNode
	buffers  []fb.Buffer
	variadic []int64

	node, buffer, views int // the next ones
}

func (l *loader) load(fields []Field) error {
	b := l.batch
	l.nodes, l.buffers, l.variadic = b.Record.Nodes(), b.Record.Buffers(), b.Record.VariadicBufferCounts()
	if b.Rows < 0 {
		return l.p.fault(container.ErrMismatch, l.path.Field("length"), "the number of rows is negative", fmt.Sprint(b.Rows), "0 or more")
	}
	for i, buf := range l.buffers {
		if buf.Offset < 0 || buf.Length < 0 || buf.Offset > b.Body.Length || buf.Length > b.Body.Length-buf.Offset {
			return l.p.fault(container.ErrLength, l.path.Element("buffers", i), "the buffer does not lie in the body", fmt.Sprintf("%d bytes at %d", buf.Length, buf.Offset), fmt.Sprintf("up to %d", b.Body.Length))
		}
	}
	b.columns = make([]ColumnData, len(fields))
	for i := range fields {
		c := &b.columns[i]
		node := l.node
		if err := l.column(c, &fields[i], l.values); err != nil {
			return err
		}
		if c.Length != b.Rows {
			return l.p.fault(container.ErrMismatch, l.path.Element("nodes", node).Field("length"), fmt.Sprintf("the column %q has not as many values as the batch has rows", fields[i].Name), fmt.Sprint(c.Length), fmt.Sprint(b.Rows))
		}
	}
	return nil
}

// column takes what one column has.
func (l *loader) column(c *ColumnData, f *Field, values bool) error {
	if l.node >= len(l.nodes) {
		return l.p.fault(container.ErrMismatch, l.path.Field("nodes"), fmt.Sprintf("there are too few nodes for the column %q", f.Name), fmt.Sprint(len(l.nodes)), fmt.Sprintf("%d or more", l.node+1))
	}
	n := l.nodes[l.node]
	if n.Length < 0 || n.NullCount < -1 || n.NullCount > n.Length {
		return l.p.fault(container.ErrMismatch, l.path.Element("nodes", l.node), fmt.Sprintf("impossible numbers of values of the column %q", f.Name), fmt.Sprintf("%d, of which %d are null", n.Length, n.NullCount), "0 or more")
	}
	l.node++
	c.Field, c.Length, c.Nulls = f, n.Length, n.NullCount
	if _, ok := f.IsDictionary(); ok && !values {
		c.Indices = true
		return l.take(c, BuffersOf(fb.TypeInt, 0, l.version)...)
	}
	kind, mode := f.View.TypeType(), fb.UnionModeSparse
	if dense(f) {
		mode = fb.UnionModeDense
	}
	err := l.take(c, BuffersOf(kind, mode, l.version)...)
	if err == nil && hasViews(kind) {
		err = l.view(c)
	}
	if err != nil || len(f.Children) == 0 {
		return err
	}
	c.Children = make([]ColumnData, len(f.Children))
	for i := range f.Children {
		if err := l.column(&c.Children[i], &f.Children[i], false); err != nil {
			return err
		}
	}
	return nil
}

// take takes buffers of these kinds.
func (l *loader) take(c *ColumnData, kinds ...BufferKind) error {
	for _, kind := range kinds {
		if l.buffer >= len(l.buffers) {
			return l.p.fault(container.ErrMismatch, l.path.Field("buffers"), fmt.Sprintf("there are too few buffers for the column %q", c.Field.Name), fmt.Sprint(len(l.buffers)), fmt.Sprintf("%d or more", l.buffer+1))
		}
		buf := l.buffers[l.buffer]
		l.buffer++
		c.Buffers = append(c.Buffers, Buffer{kind, readers.Range{Offset: l.batch.Body.Offset + buf.Offset, Length: buf.Length}})
	}
	return nil
}

// view takes as many buffers as the batch says with what the long ones of a column of views lead to.
func (l *loader) view(c *ColumnData) error {
	if l.views >= len(l.variadic) {
		return l.p.fault(container.ErrMismatch, l.path.Field("variadicBufferCounts"), fmt.Sprintf("there are too few counts for the views of the column %q", c.Field.Name), fmt.Sprint(len(l.variadic)), fmt.Sprintf("%d or more", l.views+1))
	}
	n, left := l.variadic[l.views], int64(len(l.buffers)-l.buffer)
	if n < 0 || n > left {
		return l.p.fault(container.ErrMismatch, l.path.Element("variadicBufferCounts", l.views), fmt.Sprintf("there are not as many buffers for the views of the column %q", c.Field.Name), fmt.Sprint(n), fmt.Sprintf("0 to %d", left))
	}
	l.views++
	for range n {
		if err := l.take(c, Data); err != nil {
			return err
		}
	}
	return nil
}
