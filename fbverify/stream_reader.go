package fbverify

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
)

// DefaultMaxMessage is how many bytes a message of a stream may have, its prefix
// not counted, unless [Reader.SetMaxMessage] says otherwise: 64 MiB.
const DefaultMaxMessage = 64 << 20

// A StreamError says which message of a stream is at fault, and where it starts.
type StreamError struct {
	Message int   // number of the message, the first being 0
	Offset  int64 // bytes of the stream before the message's size prefix

	// Err is an [*Error] when the message was refused, [io.ErrUnexpectedEOF] when
	// the stream ends inside it, or the error of the reader below.
	Err error
}

func (e *StreamError) Error() string {
	return fmt.Sprintf("message %d at stream offset %d: %v", e.Message, e.Offset, e.Err)
}

// Unwrap returns e.Err.
func (e *StreamError) Unwrap() error { return e.Err }

// Reader reads a stream of size-prefixed messages and verifies each. It keeps one
// chunk of 64 KiB, or of one message's size where that is larger; a chunk grows
// only as bytes arrive, whatever a prefix claims.
//
// Messages are cut out of the chunk that they were read into, and a chunk is never
// written to again: a message, and all that is read from it, stays valid for as
// long as it is held, and holds its chunk. Who keeps few of many messages can give
// each its own memory with Options.Copy; who keeps none can save the allocations
// with [Reader.Reuse].
//
// A message that is refused, also one that is too large, is passed over by its
// prefix, and the next call goes on after it. An error of the reader below, or
// the end of the stream in the middle of a message, takes nothing away: calling
// again tries again.
type Reader struct {
	r     io.Reader
	t     *Type
	opts  Options
	max   uint64
	reuse bool

	buf        []byte // buf[start:end] is read from r and not yet handed out
	start, end int

	message int    // number of the message that is being read
	begin   int64  // where in the stream it starts
	offset  int64  // where in the stream buf[start] is
	skip    uint64 // bytes of a message that is passed over, still to come
}

// NewReader returns a Reader of the messages of r as t. t may be nil when all
// messages are read with [Next], which knows their types. Nil opts are the
// defaults; opts.LongPrefix says that prefixes are uint64s.
func NewReader(r io.Reader, t *Type, opts *Options) *Reader {
	s := &Reader{r: r, t: t, max: DefaultMaxMessage}
	if opts != nil {
		s.opts = *opts
	}
	return s
}

// SetMaxMessage sets how many bytes a message may have, its prefix not counted;
// what is larger is refused with [ErrTooLarge]. 0 means [DefaultMaxMessage].
func (r *Reader) SetMaxMessage(n int64) {
	if n <= 0 {
		n = DefaultMaxMessage
	}
	r.max = uint64(n)
}

// Reuse makes r keep all messages in one buffer, so that reading allocates
// nothing. A message, and every view, string and slice that was read from it, must
// then not be used any more once the next message is asked for: its bytes are
// overwritten, and what was proved about them no longer holds.
func (r *Reader) Reuse() { r.reuse = true }

// Offset returns the stream offset of the next message's prefix.
func (r *Reader) Offset() int64 { return r.offset + int64(r.skip) }

// Next returns the next message, verified, with its size prefix. At the end of
// the stream the error is [io.EOF]; every other error is a [*StreamError]. The
// bytes must not be written to.
func (r *Reader) Next() ([]byte, error) {
	if r.t == nil {
		return nil, errors.New("fbverify: Reader.Next needs the Type that NewReader was not given; fbverify.Next brings its own")
	}
	return r.next(r.t)
}

// Next returns the next message of r as the root of a T, verified. Messages of
// different types may follow each other in one stream. What [Reader.Next] says of
// errors holds here too.
func Next[T View[T]](r *Reader) (Verified[T], error) {
	var view T
	message, err := r.next(view.FlatBuffersType())
	if err != nil {
		return Verified[T]{}, err
	}
	return prefixedRoot[T](message, &r.opts), nil
}

// All ranges over the messages left in r. A refused message comes as an error,
// and the loop may go on; the loop ends after any other error, and at the end of
// the stream.
func (r *Reader) All() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for {
			message, err := r.Next()
			if err == io.EOF || !yield(message, err) || !resumable(err) {
				return
			}
		}
	}
}

// Messages is [Reader.All] for messages of type T.
func Messages[T View[T]](r *Reader) iter.Seq2[Verified[T], error] {
	return func(yield func(Verified[T], error) bool) {
		for {
			message, err := Next[T](r)
			if err == io.EOF || !yield(message, err) || !resumable(err) {
				return
			}
		}
	}
}

// resumable tells whether there is a next message to be read after err.
func resumable(err error) bool {
	if err == nil {
		return true // before the variable below is allocated
	}
	var refused *Error
	return errors.As(err, &refused) && refused.Kind != ErrOptions
}

// next reads, cuts out and verifies one message.
func (r *Reader) next(t *Type) ([]byte, error) {
	if err := r.discard(); err != nil {
		return nil, r.fault(err)
	}
	r.begin = r.offset
	prefix := prefixSize(&r.opts)
	if err := r.fill(prefix); err != nil {
		if err == io.EOF && r.end == r.start {
			return nil, io.EOF
		}
		return nil, r.fault(err)
	}
	size := uint64(binary.LittleEndian.Uint32(r.buf[r.start:]))
	if prefix == 8 {
		size = binary.LittleEndian.Uint64(r.buf[r.start:])
	}
	if size > min(r.max, uint64(maxInt/2)) {
		err := r.fault(&Error{Kind: ErrTooLarge, Type: t.String(), Path: t.Root().ShortName(),
			Detail: fmt.Sprintf("the size prefix says %d bytes, and at most %d are allowed here", size, r.max)})
		r.advance(prefix)
		r.skip = size
		return nil, err
	}
	if err := r.fill(prefix + int(size)); err != nil {
		return nil, r.fault(err)
	}
	message := r.buf[r.start : r.start+prefix+int(size) : r.start+prefix+int(size)]
	message = private(message, &r.opts)
	if err := t.VerifySizePrefixed(message, &r.opts); err != nil {
		err = r.fault(err)
		r.advance(len(message))
		r.message++
		return nil, err
	}
	r.advance(len(message))
	r.message++
	return message, nil
}

const maxInt = int(^uint(0) >> 1)

// fault says which message err is about.
func (r *Reader) fault(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return &StreamError{Message: r.message, Offset: r.begin, Err: err}
}

func (r *Reader) advance(n int) {
	r.start += n
	r.offset += int64(n)
}

// discard passes over what is left of a message that was too large.
func (r *Reader) discard() error {
	for r.skip > 0 {
		if r.start == r.end {
			if err := r.fill(1); err != nil {
				return err
			}
		}
		n := int(min(r.skip, uint64(r.end-r.start)))
		r.advance(n)
		if r.skip -= uint64(n); r.skip == 0 {
			r.message++
		}
	}
	return nil
}

const (
	smallBuffer = 64 << 10 // the first size of a Reader's or Writer's buffer
	emptyReads  = 100      // reads in a row that may give neither bytes nor an error
)

// fill reads until n bytes follow start. What was read stays when it fails.
func (r *Reader) fill(n int) error {
	if r.end-r.start >= n {
		return nil
	}
	if r.start+n > len(r.buf) {
		r.room(n)
	}
	for empty := 0; r.end-r.start < n; {
		if r.end == len(r.buf) {
			r.room(n)
		}
		m, err := r.r.Read(r.buf[r.end:])
		if m < 0 || m > len(r.buf)-r.end {
			return errors.New("the reader says that it read more bytes than were asked for")
		}
		r.end += m
		switch {
		case err != nil && r.end-r.start < n:
			return err
		case m > 0:
			empty = 0
		default:
			if empty++; empty == emptyReads {
				return io.ErrNoProgress
			}
		}
	}
	return nil
}

// room makes place for more bytes after end, of the n that are wanted after
// start: in the same buffer, if it may be written to again and is not full, or in
// a new one, at most twice as large as what has arrived.
func (r *Reader) room(n int) {
	to, have := r.buf, r.end-r.start
	if !r.reuse || have == len(to) {
		to = make([]byte, max(smallBuffer, min(n, 2*have)))
	}
	copy(to, r.buf[r.start:r.end])
	r.buf, r.start, r.end = to, 0, have
}
