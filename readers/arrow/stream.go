package arrow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	fb "github.com/fbverify/go/generated/arrow"
	"github.com/fbverify/go/internal/places"
	"github.com/fbverify/go/readers"
	"github.com/fbverify/go/readers/internal/ranged"
)

// Stream is an Arrow IPC stream that is read from its beginning. It is for one goroutine.
type Stream struct {
	in      *ranged.Stream
	schema  *Schema
	version fb.MetadataVersion

	body  int64 // bytes of the last batch's body that are still to come
	kinds [2]int
	ended bool
	err   error
}

// OpenStream reads the first message of a stream, the schema. Nil opts are the defaults; of these
// First and Gap have no meaning. Of bytes after a message that was asked for none are read, so a buffered
// reader is faster.
//
// The error is a [*container.Error] of the kinds of [Open], with offsets from the first byte of the
// stream, or that of ctx, which is looked at between reads. An empty stream is one of kind ErrTruncated.
func OpenStream(ctx context.Context, r io.Reader, opts *readers.Options) (*Stream, error) {
	in, err := ranged.NewStream(container.ArrowStream, r, opts)
	if err != nil {
		return nil, err
	}
	s := &Stream{in: in}
	v, at, p, err := s.message(ctx, "schema")
	if err == io.EOF {
		return nil, in.Fault(container.ErrTruncated, "schema", at.Offset, "the stream ends before its schema", "", "")
	}
	if err != nil {
		return nil, err
	}
	var top *ranged.Path
	if err := knownVersion(p, v.Root().Version()); err != nil {
		return nil, err
	}
	view, ok := v.Root().Header().AsSchema()
	if !ok {
		return nil, p.fault(container.ErrMismatch, top.Field("header_type"), "the first message of a stream is its schema", v.Root().HeaderType().String(), fb.MessageHeaderSchema.String())
	}
	if s.schema, err = schemaOf(p, view, top.Field("header")); err != nil {
		return nil, err
	}
	s.version = v.Root().Version()
	if s.body = v.Root().BodyLength(); s.body < 0 {
		return nil, p.fault(container.ErrLength, top.Field("bodyLength"), "the length of the body is negative", fmt.Sprint(s.body), "0 or more")
	}
	return s, nil
}

// Schema returns the schema, which is the stream's and is not to be written to.
func (s *Stream) Schema() *Schema { return s.schema }

// Version returns the format's version that the schema was written by.
func (s *Stream) Version() fb.MetadataVersion { return s.version }

// Next returns the next batch or the next values of a dictionary, verified, and passes over what was not
// read of the body of the last. The error is io.EOF at the end: after the mark that ends a stream, or where its bytes
// end between two messages; [Stream.Ended] tells which. Others are those of [OpenStream]; after one
// there is no next batch.
func (s *Stream) Next(ctx context.Context) (*Batch, error) {
	if s.err != nil {
		return nil, s.err
	}
	b, err := s.next(ctx)
	if err != nil {
		s.err = err
	}
	return b, err
}

// Ended tells whether the mark that ends a stream was met.
func (s *Stream) Ended() bool { return s.ended }

// Body reads the body of the batch that was returned last, to its end; what was read once is
// gone. The error of its Read is io.EOF after the last byte, or io.ErrUnexpectedEOF where the stream ends before.
func (s *Stream) Body() io.Reader { return (*body)(s) }

type body Stream

func (b *body) Read(p []byte) (int, error) {
	if b.body == 0 {
		return 0, io.EOF
	}
	n, err := b.in.Read(p[:min(int64(len(p)), b.body)])
	if b.body -= int64(n); err == io.EOF && b.body > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (s *Stream) next(ctx context.Context) (*Batch, error) {
	part := fmt.Sprintf("message[%d]", s.kinds[0]+s.kinds[1]+1)
	if err := s.in.Skip(ctx, part, s.body); err != nil {
		return nil, err
	}
	s.body = 0
	v, at, p, err := s.message(ctx, part)
	if err != nil {
		return nil, err
	}
	kind := v.Root().HeaderType()
	i := 0
	if kind == fb.MessageHeaderDictionaryBatch {
		i = 1
	}
	p.part = partName(kind, s.kinds[i])
	s.kinds[i]++
	b, err := s.schema.batchOf(p, v, at, expected{body: -1})
	if err != nil {
		return nil, err
	}
	s.body = b.Body.Length
	return b, nil
}

// message reads one message up to its body, io.EOF at the end.
func (s *Stream) message(ctx context.Context, part string) (v fbverify.Verified[fb.Message], at readers.Range, p faulty, err error) {
	at.Offset = s.in.Offset
	p = faulty{s.in.Source, part, at.Offset}
	var buf bytes.Buffer
	size, n := 0, int64(0)
	for size == 0 { // four bytes, or eight
		if err := s.in.Fill(ctx, part, &buf, 4); err != nil {
			if errors.Is(err, io.EOF) && buf.Len() == 0 {
				err = io.EOF
			}
			return v, at, p, err
		}
		size, n = places.MessagePrefix(buf.Bytes())
	}
	if n == 0 {
		s.ended = true
		return v, at, p, io.EOF
	}
	if n < 0 {
		return v, at, p, p.fault(container.ErrLength, nil, "the length of its metadata is negative", fmt.Sprint(n), "1 or more")
	}
	// Eight bytes before the metadata, so that its numbers are aligned in memory
	const head = 8
	if buf.Len() < head {
		buf.Write(make([]byte, head-buf.Len()))
	}
	if err := s.in.Fill(ctx, part, &buf, n); err != nil {
		return v, at, p, err
	}
	at.Length = int64(size) + n
	p.offset += int64(size)
	v, err = ranged.Verified[fb.Message](s.in.Source, part, p.offset, buf.Bytes()[head:], places.ArrowLimits(n))
	return v, at, p, err
}
