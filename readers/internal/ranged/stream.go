package ranged

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/readers"
)

// Stream is a stream that is read from its beginning, within limits.
type Stream struct {
	*Source // for limits and errors: it has no size
	Offset  int64
	r       io.Reader
}

// NewStream returns a Stream of what r reads.
func NewStream(format container.Format, r io.Reader, opts *readers.Options) (*Stream, error) {
	s, err := New(format, nil, maxSize, opts)
	if err != nil {
		return nil, err
	}
	return &Stream{Source: s, r: r}, nil
}

// Read reads what is next.
func (s *Stream) Read(b []byte) (int, error) {
	left := s.opts.MaxTotal - s.Offset
	if left <= 0 && len(b) > 0 {
		return 0, s.Fault(container.ErrLimit, "", s.Offset, "more would be read than Options.MaxTotal", bytesOf(s.Offset+1), fmt.Sprintf("at most %d", s.opts.MaxTotal))
	}
	n, err := s.r.Read(b[:min(int64(len(b)), left)])
	s.Offset += int64(n)
	return n, err
}

// step is how many bytes are read between looks at the context, and how many memory grows by on
// the word of a length alone.
const step = 1 << 20

// Fill appends n bytes to buf, which uses memory as they arrive. Where there are too few, the error's
// cause is io.ErrUnexpectedEOF; where buf is empty and there are none, it is io.EOF.
func (s *Stream) Fill(ctx context.Context, part string, buf *bytes.Buffer, n int64) error {
	if n > s.opts.MaxRead {
		return s.Fault(container.ErrLimit, part, s.Offset, "it is longer than Options.MaxRead", bytesOf(n), fmt.Sprintf("at most %d", s.opts.MaxRead))
	}
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		buf.Grow(int(min(n, step)))
		got, err := io.CopyN(buf, s, min(n, step))
		if n -= got; err != nil {
			return s.cut(part, n, buf.Len() > 0, err)
		}
	}
	return nil
}

// Skip passes over n bytes, all of which have to be there. A stream that can seek is not read, but
// for the last of them.
func (s *Stream) Skip(ctx context.Context, part string, n int64) error {
	if seeker, ok := s.r.(io.Seeker); ok && n > step {
		if _, err := seeker.Seek(n-1, io.SeekCurrent); err == nil {
			s.Offset += n - 1
			n = 1
		}
	}
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		got, err := io.CopyN(io.Discard, s, min(n, step))
		if n -= got; err != nil {
			return s.cut(part, n, true, err)
		}
	}
	return nil
}

// cut is the error of bytes that are missing, or could not be read.
func (s *Stream) cut(part string, missing int64, within bool, err error) error {
	if limit, ok := err.(*container.Error); ok {
		limit.Part = part
		return limit
	}
	kind, detail := container.ErrRead, "cannot read it"
	if err == io.EOF {
		kind, detail = container.ErrTruncated, "the stream ends within it"
		if within {
			err = io.ErrUnexpectedEOF
		}
	}
	e := s.Fault(kind, part, s.Offset, detail, "", "")
	if e.Err = err; kind == container.ErrTruncated {
		e.Found, e.Allowed = bytesOf(missing)+" missing", "none"
	}
	return e
}
