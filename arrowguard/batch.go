package arrowguard

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/fbverify/go/generated/arrow"
	readers "github.com/fbverify/go/readers/arrow"
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

func bytesOf(bits int64) int64 { return (bits + 7) / 8 }

// load takes what one column has, and returns its number of values.
func (b *batch) load(c *column) (length int64, err error) {
	length, nulls, err := b.next(c)
	if err != nil {
		return 0, err
	}
	if c.kind == arrow.TypeFixedSizeList && c.index == nil && length > math.MaxInt/64/c.size {
		return 0, b.fail("%d lists of %d values each", length, c.size)
	}
	stored := c // as its buffers are
	if c.index != nil {
		stored = c.index
	}
	mode := arrow.UnionModeDense
	if c.sparse {
		mode = arrow.UnionModeSparse
	}
	if stored.kind == arrow.TypeUnion && b.version < arrow.MetadataVersionV5 && nulls != 0 {
		return 0, b.fail("a union of before version 5 with nulls, which arrow-go does not read")
	}
	for _, kind := range readers.BuffersOf(stored.kind, mode, b.version) {
		what, need := stored.need(kind, length, nulls)
		if err := b.take(c, need, what); err != nil {
			return 0, err
		}
	}
	if c.index != nil {
		return length, nil
	}
	switch c.kind {
	case arrow.TypeBinaryView, arrow.TypeUTF8View:
		return length, b.view(c)
	case arrow.TypeFixedSizeList:
		return length, b.children(c, func(_ int, n int64) bool { return n >= length*c.size })
	case arrow.TypeStruct:
		return length, b.children(c, func(_ int, n int64) bool { return n >= length })
	case arrow.TypeUnion:
		return length, b.children(c, func(_ int, n int64) bool { return n >= length || !c.sparse })
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
	return length, b.children(c, nil)
}

// need returns what a buffer of a column is called, and how many bytes of it length values take at least.
func (c *column) need(kind readers.BufferKind, length, nulls int64) (what string, bytes int64) {
	switch kind {
	case readers.Validity:
		if nulls == 0 {
			return "the validity bitmap", 0
		}
		return "the validity bitmap", bytesOf(length)
	case readers.Values:
		return "the vector of values", bytesOf(length * c.bits)
	case readers.Offsets:
		switch c.kind {
		case arrow.TypeUnion, arrow.TypeListView, arrow.TypeLargeListView: // where each begins
			return "the vector of offsets", length * c.offsets
		}
		if length == 0 { // an empty one may have none
			return "the vector of offsets", 0
		}
		return "the vector of offsets", (length + 1) * c.offsets // and where the last ends
	case readers.Sizes:
		return "the vector of sizes", length * c.offsets
	case readers.TypeIDs:
		return "the vector of type ids", length
	case readers.Views:
		const viewSize = 16
		return "the vector of views", viewSize * length
	}
	return "the data", 0
}

// view takes as many buffers as the batch says with what the long ones of a column of views lead to.
func (b *batch) view(c *column) error {
	if b.column = c; b.views >= len(b.variadic) {
		return b.fail("the batch has %d counts of buffers of views, and needs more", len(b.variadic))
	}
	count := b.variadic[b.views]
	b.views++
	if count < 0 || count > int64(len(b.buffers)-b.buffer) {
		return b.fail("a column of views with %d buffers, and %d are left", count, len(b.buffers)-b.buffer)
	}
	for range count {
		if err := b.take(c, 0, "a buffer of views"); err != nil {
			return err
		}
	}
	return nil
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
