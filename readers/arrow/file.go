package arrow

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	fb "github.com/fbverify/go/generated/arrow"
	"github.com/fbverify/go/internal/places"
	"github.com/fbverify/go/readers"
	"github.com/fbverify/go/readers/internal/ranged"
)

// File is an Arrow IPC file that was opened. It is safe for concurrent use if its reader is.
type File struct {
	src      *ranged.Source
	footer   fbverify.Verified[fb.Footer]
	footerAt readers.Range
	schema   *Schema

	batches, dictionaries []Block
}

// Block is where the footer says that a batch is.
type Block struct {
	Message readers.Range // the length, the FlatBuffer and its padding
	Body    readers.Range
}

// Open opens a file of size bytes. It makes one read of the file's end, and one more where the
// footer is not all in there. Nil opts are the defaults.
//
// The error is a [*container.Error]: of kind ErrTruncated, ErrVersion, ErrLength, ErrOverlap, ErrMismatch,
// ErrReference, ErrUnreadable (the footer's FlatBuffer is not sound: Err is its [*fbverify.Error]), ErrLimit or
// ErrRead; or it is that of ctx.
func Open(ctx context.Context, r io.ReaderAt, size int64, opts *readers.Options) (*File, error) {
	src, err := ranged.New(container.ArrowFile, r, size, opts)
	if err != nil {
		return nil, err
	}
	f := &File{src: src}
	if err := f.open(ctx); err != nil {
		return nil, err
	}
	return f, nil
}

// OpenBytes is [Open] for a file in memory, whose bytes must not change while the File is in use.
func OpenBytes(b []byte, opts *readers.Options) (*File, error) {
	return Open(context.Background(), readers.Bytes(b), int64(len(b)), opts)
}

func (f *File) open(ctx context.Context) error {
	size := f.src.Size
	const least = places.ArrowHead + places.ArrowTrailer
	if size < least {
		return f.src.Fault(container.ErrTruncated, "footer", size, "the file is too short for what stands between its marks", ranged.Bytes(size), fmt.Sprintf("%d or more", least))
	}
	tail, at, err := f.src.Ends(ctx, true, places.ArrowTrailer)
	if err != nil {
		return err
	}
	trailer := tail[len(tail)-places.ArrowTrailer:]
	if mark := trailer[4:]; string(mark) != places.Arrow {
		e := f.src.Fault(container.ErrTruncated, "footer", size, "the file does not end with ARROW1, so that there is no footer: the file was cut off, or its writer did not close it", fmt.Sprintf("%q", mark), fmt.Sprintf("%q", places.Arrow))
		e.Mark = places.Arrow
		return e
	}
	n := int64(int32(binary.LittleEndian.Uint32(trailer)))
	if n <= 0 || n > size-least {
		return f.src.Fault(container.ErrLength, "footer.length", size-places.ArrowTrailer, "the footer's length does not fit", ranged.Bytes(n), fmt.Sprintf("1 to %d", size-least))
	}
	f.footerAt = readers.Range{Offset: size - places.ArrowTrailer - n, Length: n}
	want := []ranged.Wanted{{Part: "footer", Range: f.footerAt}}
	if err := f.src.ReadAll(ctx, want, tail, at); err != nil {
		return err
	}
	if f.footer, err = ranged.Verified[fb.Footer](f.src, "footer", f.footerAt.Offset, want[0].Bytes, places.ArrowLimits(n)); err != nil {
		return err
	}
	p := f.part("footer", f.footerAt.Offset)
	// What version the footer says is not looked at: writers before 0.15 left it at 0, and each
	// message has its own.
	var top *ranged.Path
	if f.schema, err = schemaOf(p, f.footer.Root().Schema(), top.Field("schema")); err != nil {
		return err
	}
	return f.blocks(p)
}

func (f *File) part(name string, offset int64) faulty { return faulty{f.src, name, offset} }

// blocks takes the places of the batches, none of which may share bytes with another.
func (f *File) blocks(p faulty) error {
	type placed struct {
		readers.Range
		list string
		i    int
	}
	var top *ranged.Path
	var all []placed
	root := f.footer.Root()
	end := uint64(f.footerAt.Offset)
	for _, list := range []struct {
		name   string
		blocks []fb.Block
		to     *[]Block
	}{{"dictionaries", root.Dictionaries(), &f.dictionaries}, {"recordBatches", root.RecordBatches(), &f.batches}} {
		*list.to = make([]Block, len(list.blocks))
		for i, b := range list.blocks {
			if b.Offset < places.ArrowHead || b.MetaDataLength < 4 || b.BodyLength < 0 || uint64(b.Offset) > end ||
				uint64(b.MetaDataLength) > end-uint64(b.Offset) || uint64(b.BodyLength) > end-uint64(b.Offset)-uint64(b.MetaDataLength) {
				return p.fault(container.ErrLength, top.Element(list.name, i), "the block does not fit between the start of the file and its footer",
					fmt.Sprintf("%d+%d bytes at %d", b.MetaDataLength, b.BodyLength, b.Offset), fmt.Sprintf("%d to %d", places.ArrowHead, end))
			}
			m := readers.Range{Offset: b.Offset, Length: int64(b.MetaDataLength)}
			(*list.to)[i] = Block{m, readers.Range{Offset: m.End(), Length: b.BodyLength}}
			all = append(all, placed{readers.Range{Offset: b.Offset, Length: m.Length + b.BodyLength}, list.name, i})
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.Offset, b.Offset) })
	for k := 1; k < len(all); k++ {
		if a, b := all[k-1], all[k]; b.Offset < a.End() {
			return p.fault(container.ErrOverlap, top.Element(b.list, b.i), fmt.Sprintf("the block's bytes are also those of %s[%d]", a.list, a.i),
				fmt.Sprintf("%d bytes at %d", b.Length, b.Offset), fmt.Sprintf("none of %d to %d", a.Offset, a.End()))
		}
	}
	return nil
}

// Size returns the file's length in bytes.
func (f *File) Size() int64 { return f.src.Size }

// Schema returns the schema, which is the file's and is not to be written to.
func (f *File) Schema() *Schema { return f.schema }

// Footer returns the footer, verified, and FooterRange where it lies.
func (f *File) Footer() fbverify.Verified[fb.Footer] { return f.footer }

// FooterRange returns where the footer's FlatBuffer lies.
func (f *File) FooterRange() readers.Range { return f.footerAt }

// Metadata returns what applications wanted to be remembered of the file. That of the schema is
// another: [Schema.Metadata].
func (f *File) Metadata() []KeyValue { return keyValues(f.footer.Root().CustomMetadata()) }

// BatchBlocks returns where the record batches are, by their numbers. The list is the file's, and not to be
// written to.
func (f *File) BatchBlocks() []Block { return f.batches }

// DictionaryBlocks returns where the values of dictionaries are, in the order in which they are to be read. The list
// is the file's, and not to be written to.
func (f *File) DictionaryBlocks() []Block { return f.dictionaries }

// Batch reads and verifies the metadata of record batch i, in one read. The error is a
// [*container.Error] of the kinds of [Open], or that of ctx.
func (f *File) Batch(ctx context.Context, i int) (*Batch, error) {
	return f.one(ctx, "recordBatches", f.batches, i, fb.MessageHeaderRecordBatch)
}

// Dictionary reads and verifies the metadata of dictionary batch i, in one read. The errors are
// those of [File.Batch].
func (f *File) Dictionary(ctx context.Context, i int) (*Batch, error) {
	return f.one(ctx, "dictionaries", f.dictionaries, i, fb.MessageHeaderDictionaryBatch)
}

func (f *File) one(ctx context.Context, list string, blocks []Block, i int, kind fb.MessageHeader) (*Batch, error) {
	if i < 0 || i >= len(blocks) {
		var top *ranged.Path
		return nil, f.part("footer", f.footerAt.Offset).fault(container.ErrReference, top.Field(list), "there is no such block", fmt.Sprint(i), fmt.Sprintf("below %d", len(blocks)))
	}
	want := []ranged.Wanted{{Part: partName(kind, i), Range: blocks[i].Message}}
	if err := f.src.ReadAll(ctx, want, nil, readers.Range{}); err != nil {
		return nil, err
	}
	return f.batch(kind, blocks[i], want[0])
}

// Batches returns the metadata of all record batches in order, and reads at once what lies close together.
// An error stands in the place of its batch, which is nil then, and the next is gone on with, unless reading
// has failed or ctx is done.
func (f *File) Batches(ctx context.Context) iter.Seq2[*Batch, error] {
	return f.each(ctx, f.batches, fb.MessageHeaderRecordBatch)
}

// Dictionaries is [File.Batches] for the values of dictionaries.
func (f *File) Dictionaries(ctx context.Context) iter.Seq2[*Batch, error] {
	return f.each(ctx, f.dictionaries, fb.MessageHeaderDictionaryBatch)
}

// together is how many batches are read ahead.
const together = 256

func (f *File) each(ctx context.Context, blocks []Block, kind fb.MessageHeader) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		for from := 0; from < len(blocks); from += together {
			want := make([]ranged.Wanted, min(together, len(blocks)-from))
			for i := range want {
				want[i] = ranged.Wanted{Part: partName(kind, from+i), Range: blocks[from+i].Message}
			}
			if err := f.src.ReadAll(ctx, want, nil, readers.Range{}); err != nil {
				yield(nil, err)
				return
			}
			for i, w := range want {
				if !yield(f.batch(kind, blocks[from+i], w)) {
					return
				}
			}
		}
	}
}

func partName(kind fb.MessageHeader, i int) string {
	if kind == fb.MessageHeaderDictionaryBatch {
		return fmt.Sprintf("dictionary[%d]", i)
	}
	return fmt.Sprintf("batch[%d]", i)
}

// batch verifies the message of a block.
func (f *File) batch(kind fb.MessageHeader, at Block, w ranged.Wanted) (*Batch, error) {
	p := f.part(w.Part, w.Offset)
	head, n := places.MessagePrefix(w.Bytes[:min(8, len(w.Bytes))])
	if room := w.Length - int64(head); head == 0 || n <= 0 || n > room {
		return nil, p.fault(container.ErrLength, nil, "the length of its metadata does not fit the block", ranged.Bytes(n), fmt.Sprintf("1 to %d", room))
	}
	p.offset += int64(head)
	v, err := ranged.Verified[fb.Message](f.src, w.Part, p.offset, w.Bytes[head:int64(head)+n], places.ArrowLimits(n))
	if err != nil {
		return nil, err
	}
	return f.schema.batchOf(p, v, w.Range, expected{kind: kind, body: at.Body.Length})
}

// AppendTo reads a range of the file, as a buffer's, into buf's memory from buf[:0] on, where there is
// room for it. The error is a [*container.Error] of kind ErrLength, ErrLimit or ErrRead, or that of ctx.
func (f *File) AppendTo(ctx context.Context, at readers.Range, buf []byte) ([]byte, error) {
	return f.src.Data(ctx, at, buf)
}
