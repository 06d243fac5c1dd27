package arrowguard

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/fbverify/go/generated/arrow"
)

// batch is a record batch's metadata that is held against a plan. It takes nodes and
// buffers in the order in which arrow-go does.
type batch struct {
	part    string
	offset  int64
	version arrow.MetadataVersion
	body    int64 // bytes of the body

	nodes    []arrow.FieldNode
	buffers  []arrow.Buffer
	variadic []int64

	compressed bool
	most       int64   // bytes that a compressed one can stand for at most
	needs      []int64 // bytes that are read of each buffer, once it is not compressed

	node, buffer, views int // the next ones
	column              *column
}

func (b *batch) fail(format string, args ...any) error {
	e := &Error{Part: b.part, Offset: b.offset, Detail: fmt.Sprintf(format, args...)}
	if b.column != nil {
		e.Field = b.column.name
	}
	return e
}

// check holds a record batch against the columns that it has to have.
func (b *batch) check(m arrow.RecordBatch, columns []*column) error {
	if !m.Present() {
		return b.fail("there is no record batch in it")
	}
	b.nodes, b.buffers, b.variadic = m.Nodes(), m.Buffers(), m.VariadicBufferCounts()
	if m.Length() < 0 || m.Length() > math.MaxInt {
		return b.fail("a batch of %d rows", m.Length())
	}
	if c := m.Compression(); c.Present() {
		b.compressed, b.needs = true, make([]int64, len(b.buffers))
		switch c.Codec() {
		case arrow.CompressionTypeLz4Frame:
			b.most = mostLZ4
		case arrow.CompressionTypeZstd:
			b.most = mostZstd
		default:
			return b.fail("the codec %d, and 0 and 1 are known", c.Codec())
		}
	}
	for i, buf := range b.buffers {
		if buf.Offset < 0 || buf.Length < 0 || buf.Offset > b.body || buf.Length > b.body-buf.Offset {
			return b.fail("buffer %d has %d bytes at %d, and the body has %d", i, buf.Length, buf.Offset, b.body)
		}
		if b.compressed && buf.Length > 0 && buf.Length < compressedHead {
			return b.fail("the compressed buffer %d has %d bytes, and its size alone takes %d", i, buf.Length, compressedHead)
		}
	}
	for _, c := range columns {
		n, err := b.load(c)
		if err != nil {
			return err
		}
		if b.column = c; n != m.Length() {
			return b.fail("a column of %d values in a batch of %d rows", n, m.Length())
		}
	}
	return nil
}

// next takes a field node: how many values a column has, and how many are null.
func (b *batch) next(c *column) (length, nulls int64, err error) {
	if b.column = c; b.node >= len(b.nodes) {
		return 0, 0, b.fail("the batch has %d field nodes, and needs more", len(b.nodes))
	}
	n := b.nodes[b.node]
	b.node++
	// Eight times as many bits have to be countable; nothing that large fits into a body.
	if n.Length < 0 || n.Length > math.MaxInt/64 || n.NullCount < -1 || n.NullCount > n.Length {
		return 0, 0, b.fail("a column of %d values, %d of which are null", n.Length, n.NullCount)
	}
	return n.Length, n.NullCount, nil
}

// take takes a buffer of which need bytes are read.
func (b *batch) take(c *column, need int64, what string) error {
	if b.column = c; b.buffer >= len(b.buffers) {
		return b.fail("the batch has %d buffers, and needs more", len(b.buffers))
	}
	buf := b.buffers[b.buffer]
	b.buffer++
	// How long a compressed one is after it was decompressed is in the body.
	if b.compressed {
		b.needs[b.buffer-1] = need
	}
	if !b.compressed && buf.Length < need || need > 0 && buf.Length == 0 {
		return b.fail("%s has %d bytes, and %d are needed", what, buf.Length, need)
	}
	return nil
}

// validity takes the bitmap of what is not null.
func (b *batch) validity(c *column, length, nulls int64) error {
	switch c.kind {
	case arrow.TypeNull:
		return nil
	case arrow.TypeUnion, arrow.TypeRunEndEncoded:
		if c.index == nil && b.version >= arrow.MetadataVersionV5 {
			return nil
		}
	}
	need := int64(0)
	if nulls != 0 {
		need = bytesOf(length)
	}
	return b.take(c, need, "the validity bitmap")
}

func bytesOf(bits int64) int64 { return (bits + 7) / 8 }

// load takes what one column has, and returns its number of values.
func (b *batch) load(c *column) (length int64, err error) {
	length, nulls, err := b.next(c)
	if err != nil {
		return 0, err
	}
	if c.index == nil && c.kind == arrow.TypeNull {
		return length, nil
	}
	if err := b.validity(c, length, nulls); err != nil {
		return 0, err
	}
	if c.index != nil {
		return length, b.take(c, bytesOf(length*c.index.bits), "the vector of indices")
	}
	switch c.kind {
	case arrow.TypeBinary, arrow.TypeUTF8, arrow.TypeLargeBinary, arrow.TypeLargeUTF8:
		if err := b.take(c, offsetsOf(c, length), "the vector of offsets"); err != nil {
			return 0, err
		}
		return length, b.take(c, 0, "the data")
	case arrow.TypeBinaryView, arrow.TypeUTF8View:
		return length, b.view(c, length)
	case arrow.TypeList, arrow.TypeLargeList, arrow.TypeMap:
		if err := b.take(c, offsetsOf(c, length), "the vector of offsets"); err != nil {
			return 0, err
		}
		return length, b.children(c, nil)
	case arrow.TypeListView, arrow.TypeLargeListView:
		for _, what := range []string{"the vector of offsets", "the vector of sizes"} {
			if err := b.take(c, length*c.offsets, what); err != nil {
				return 0, err
			}
		}
		return length, b.children(c, nil)
	case arrow.TypeFixedSizeList:
		if length > math.MaxInt/64/c.size {
			return 0, b.fail("%d lists of %d values each", length, c.size)
		}
		return length, b.children(c, func(_ int, n int64) bool { return n >= length*c.size })
	case arrow.TypeStruct:
		return length, b.children(c, func(_ int, n int64) bool { return n >= length })
	case arrow.TypeUnion:
		return length, b.union(c, length, nulls)
	case arrow.TypeRunEndEncoded:
		// The values have a run each; an empty column may have no runs.
		first := int64(0)
		return length, b.children(c, func(i int, n int64) bool {
			if i == 0 {
				first = n
				return n > 0 || length == 0
			}
			return n >= first
		})
	}
	return length, b.take(c, bytesOf(length*c.bits), "the vector of values")
}

// offsetsOf is how many bytes the offsets of a column take. An empty one may have none.
func offsetsOf(c *column, length int64) int64 {
	if length == 0 {
		return 0
	}
	return (length + 1) * c.offsets
}

// view takes the buffers of a column of views: the views, and as many as the batch says
// with what the long ones lead to.
func (b *batch) view(c *column, length int64) error {
	const viewSize = 16
	if b.column = c; b.views >= len(b.variadic) {
		return b.fail("the batch has %d counts of buffers of views, and needs more", len(b.variadic))
	}
	count := b.variadic[b.views]
	b.views++
	if count < 0 || count > int64(len(b.buffers)-b.buffer) {
		return b.fail("a column of views with %d buffers, and %d are left", count, len(b.buffers)-b.buffer)
	}
	if err := b.take(c, viewSize*length, "the vector of views"); err != nil {
		return err
	}
	for range count {
		if err := b.take(c, 0, "a buffer of views"); err != nil {
			return err
		}
	}
	return nil
}

// union takes the type ids of a union, the offsets of a dense one, and its children.
func (b *batch) union(c *column, length, nulls int64) error {
	if b.version < arrow.MetadataVersionV5 && nulls != 0 {
		return b.fail("a union of before version 5 with nulls, which arrow-go does not read")
	}
	if err := b.take(c, length, "the vector of type ids"); err != nil {
		return err
	}
	if !c.sparse {
		if err := b.take(c, 4*length, "the vector of offsets"); err != nil {
			return err
		}
	}
	return b.children(c, func(_ int, n int64) bool { return n >= length || !c.sparse })
}

// children takes the children of a column; enough says whether child i with n values has
// what its parent needs, nil where that is in the body.
func (b *batch) children(c *column, enough func(i int, n int64) bool) error {
	for i, child := range c.children {
		n, err := b.load(child)
		if err != nil {
			return err
		}
		if enough != nil && !enough(i, n) {
			b.column = child
			return b.fail("%d values, which is too few for the column that it is a part of", n)
		}
	}
	return nil
}

// compressedHead is the length word before a compressed buffer: its size without
// compression, or -1 where it is none.
const compressedHead = 8

// How many times smaller than the data the codecs' output can be: a byte of LZ4 stands for
// 255 at most, a block of Zstandard of four bytes for 128 KiB.
const (
	mostLZ4  = 256
	mostZstd = 32 << 10
)

// checkBody looks at the sizes that compressed buffers say of themselves, which arrow-go
// allocates before it decompresses.
func (b *batch) checkBody(body []byte) error {
	if !b.compressed {
		return nil
	}
	b.column = nil
	for i, buf := range b.buffers {
		if buf.Length == 0 {
			continue
		}
		size, data := int64(binary.LittleEndian.Uint64(body[buf.Offset:])), buf.Length-compressedHead
		if size == -1 {
			size = data
		} else if size < 0 || data < math.MaxInt64/b.most && size > b.most*data {
			return b.fail("buffer %d says that it has %d bytes before compression, which %d bytes cannot become", i, size, data)
		}
		if size < b.needs[i] {
			return b.fail("buffer %d has %d bytes before compression, and %d are needed", i, size, b.needs[i])
		}
	}
	return nil
}
