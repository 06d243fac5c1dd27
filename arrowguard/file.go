package arrowguard

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/fbverify/go/generated/arrow"
	"github.com/fbverify/go/internal/places"
)

// magic ends a file; eight bytes with it begin one.
const (
	magic      = places.Arrow
	trailer    = places.ArrowTrailer
	leastBytes = places.ArrowHead + trailer
)

// fileGuard knows where the FlatBuffers of a file lie.
type fileGuard struct {
	footerAt, footerLen int64
	plan                *plan
	blocks, bodies      map[int64]*guardedBlock // by the offset of their metadata, and of their bodies
}

type guardedBlock struct {
	arrow.Block
	part string

	mu    sync.Mutex
	batch *batch // once its metadata was read
}

// footer checks a file's footer, which lies at offset.
func (g *fileGuard) footer(b []byte, offset int64) error {
	f, err := verified[arrow.Footer](b, "the footer", offset)
	if err != nil {
		return err
	}
	if g.plan, err = planOf(f.Schema(), "the schema in the footer", offset); err != nil {
		return err
	}
	g.blocks, g.bodies = map[int64]*guardedBlock{}, map[int64]*guardedBlock{}
	for _, list := range []struct {
		blocks []arrow.Block
		kind   arrow.MessageHeader
	}{{f.Dictionaries(), arrow.MessageHeaderDictionaryBatch}, {f.RecordBatches(), arrow.MessageHeaderRecordBatch}} {
		for i, block := range list.blocks {
			part := messageName(list.kind, i)
			size := int64(block.MetaDataLength)
			switch {
			case block.Offset < 0 || size < lengthSize || block.BodyLength < 0,
				block.Offset > offset || size > offset-block.Offset || block.BodyLength > offset-block.Offset-size:
				return &Error{Part: "the footer", Offset: offset, Detail: fmt.Sprintf(
					"it puts %s at %d, with %d bytes of metadata and %d of body, and itself begins at %d", part, block.Offset, size, block.BodyLength, offset)}
			}
			if other := g.blocks[block.Offset]; other != nil && other.Block != block {
				return &Error{Part: "the footer", Offset: offset, Detail: fmt.Sprintf("it puts %s and %s at %d, with other lengths", other.part, part, block.Offset)}
			}
			guarded := &guardedBlock{Block: block, part: part}
			g.blocks[block.Offset], g.bodies[block.Offset+size] = guarded, guarded
		}
	}
	return nil
}

// metadata checks the bytes before a block's body.
func (g *fileGuard) metadata(block *guardedBlock, b []byte) error {
	fail := func(format string, args ...any) error {
		return &Error{Part: block.part, Offset: block.Offset, Detail: fmt.Sprintf(format, args...)}
	}
	if len(b) < 2*lengthSize {
		return fail("%d bytes are too few for a message", len(b))
	}
	size, length := places.MessagePrefix(b)
	if length != int64(len(b)-size) {
		return fail("its length is %d, and the footer says that %d bytes of metadata follow it", length, len(b)-size)
	}
	m, err := verified[arrow.Message](b[size:], block.part, block.Offset+int64(size))
	if err != nil {
		return err
	}
	batch, err := g.plan.message(m, block.part, block.Offset+int64(size), block.BodyLength)
	if err != nil {
		return err
	}
	if kind := m.HeaderType(); kind != arrow.MessageHeaderRecordBatch && kind != arrow.MessageHeaderDictionaryBatch {
		return fail("a message of the kind %d, and the footer lists batches only", kind)
	}
	block.mu.Lock()
	block.batch = batch
	block.mu.Unlock()
	return nil
}

// body checks the bytes of a block's body.
func (block *guardedBlock) body(b []byte) error {
	block.mu.Lock()
	defer block.mu.Unlock()
	if block.batch == nil {
		return &Error{Part: block.part, Offset: block.Offset, Detail: "its body was asked for before its metadata"}
	}
	return block.batch.checkBody(b)
}

// locate finds the footer by the last bytes of a file of size bytes.
func (g *fileGuard) locate(end []byte, size int64) error {
	fail := func(format string, args ...any) error {
		return &Error{Part: "the end of the file", Offset: size - int64(len(end)), Detail: fmt.Sprintf(format, args...)}
	}
	if string(end[lengthSize:]) != magic {
		return fail("it is %q, and %q is needed: this is no Arrow file, or its end is missing", end[lengthSize:], magic)
	}
	length := int64(int32(binary.LittleEndian.Uint32(end)))
	if length <= 0 || length > size-int64(leastBytes) {
		return fail("the footer's length is %d, and 1 to %d are possible", length, size-int64(leastBytes))
	}
	g.footerLen, g.footerAt = length, size-int64(trailer)-length
	return nil
}

// guardedFile checks what it reads, before anybody sees it. arrow-go asks for a file's parts
// one by one and whole: its last bytes, the footer they lead to, and of each block the
// metadata and the body.
type guardedFile struct {
	ipc.ReadAtSeeker
	guard fileGuard
}

// ReadAt reads a part of the file and checks it.
func (f *guardedFile) ReadAt(b []byte, offset int64) (int, error) {
	n, err := f.ReadAtSeeker.ReadAt(b, offset)
	if n < len(b) { // the rest would be read as a part that nobody knows
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return 0, err
	}
	if bad := f.guard.part(b, offset); bad != nil {
		return 0, bad
	}
	return n, nil
}

// part checks the part of a file that lies at offset.
func (g *fileGuard) part(b []byte, offset int64) error {
	n := int64(len(b))
	if g.footerLen == 0 && n == int64(trailer) {
		return g.locate(b, offset+n)
	}
	if g.plan == nil {
		if offset == g.footerAt && n == g.footerLen {
			return g.footer(b, offset)
		}
	} else if block := g.blocks[offset]; block != nil && n == int64(block.MetaDataLength) {
		return g.metadata(block, b)
	} else if block := g.bodies[offset]; block != nil && n == block.BodyLength {
		return block.body(b)
	}
	return &Error{Part: "a part that is not known", Offset: offset, Detail: fmt.Sprintf("%d bytes were asked for", n)}
}

// NewFileReader is [ipc.NewFileReader] behind a guard. The file is read as arrow-go asks for
// it, no byte twice. A file that changes while it is read may give errors, but no more.
func NewFileReader(r ipc.ReadAtSeeker, opts ...ipc.Option) (*ipc.FileReader, error) {
	return opened(func() (*ipc.FileReader, error) { return ipc.NewFileReader(&guardedFile{ReadAtSeeker: r}, opts...) })
}

// NewMappedFileReader is [ipc.NewMappedFileReader] behind a guard. The metadata of all batches
// is verified at once, and the bytes must not change from then on. The reader of a file with
// dictionaries copies what it reads: arrow-go's own for mapped files, at 18.8, panics on every
// dictionary.
func NewMappedFileReader(data []byte, opts ...ipc.Option) (*ipc.FileReader, error) {
	var g fileGuard
	if err := g.whole(data); err != nil {
		return nil, err
	}
	return opened(func() (*ipc.FileReader, error) {
		if len(g.plan.dicts) > 0 {
			return ipc.NewFileReader(bytes.NewReader(data), opts...)
		}
		return ipc.NewMappedFileReader(data, opts...)
	})
}

// whole checks a file that is in memory.
func (g *fileGuard) whole(data []byte) error {
	n := int64(len(data))
	if n < int64(leastBytes) {
		return &Error{Part: "the file", Detail: fmt.Sprintf("%d bytes, and an Arrow file has at least %d", n, leastBytes)}
	}
	if err := g.part(data[n-int64(trailer):], n-int64(trailer)); err != nil {
		return err
	}
	if err := g.part(data[g.footerAt:g.footerAt+g.footerLen], g.footerAt); err != nil {
		return err
	}
	for at, block := range g.blocks {
		body := at + int64(block.MetaDataLength)
		if err := g.metadata(block, data[at:body]); err != nil {
			return err
		}
		if err := block.body(data[body : body+block.BodyLength]); err != nil {
			return err
		}
	}
	return nil
}

// opened opens a file whose metadata is guarded. The values of dictionaries are read then,
// and arrow-go panics where they are compressed and cannot be decompressed, or are of an
// extension type that refuses them: that is in nobody's metadata.
func opened(open func() (*ipc.FileReader, error)) (f *ipc.FileReader, err error) {
	defer func() {
		if r := recover(); r != nil {
			f, err = nil, &Error{Part: "a dictionary or the schema", Detail: fmt.Sprint("arrow-go cannot read it: ", r)}
		}
	}()
	return open()
}
