package fbverify

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"github.com/fbverify/go/fbverify/internal/rule"
)

// DefaultMaxMessage is how many bytes a message of a stream may have, its prefix
// not counted, unless [ReaderOptions] say otherwise: 64 MiB.
const DefaultMaxMessage = 64 << 20

// ReaderOptions say how a Reader reads. The zero value, and a nil *ReaderOptions, are
// the defaults.
type ReaderOptions struct {
	// Options are those of each message's verification. A Framing of Unframed, as it
	// is unless set, means SizePrefixed: a stream has no other way to tell its
	// messages apart.
	Options

	// MaxMessage is how many bytes a message may have, its prefix not counted; what
	// is larger is refused with ErrTooLarge. 0 means DefaultMaxMessage.
	MaxMessage int64

	// ReuseUnchecked reads all messages into one buffer, so that reading allocates
	// nothing. A message, and every Verified, view, string and slice that was read
	// from it, must then not be used any more once the next message is asked for: its
	// bytes are overwritten, and what was proved about them no longer holds. Nothing
	// checks that.
	ReuseUnchecked bool
}

// check refuses options that mean nothing.
func (o *ReaderOptions) check() *Error {
	if o.MaxMessage < 0 {
		return wrongOptions("MaxMessage is %d, and must not be negative", o.MaxMessage)
	}
	return o.Options.check()
}

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
// with ReaderOptions.ReuseUnchecked.
//
// A message that is refused, also one that is too large, is passed over by its
// prefix, and the next call goes on after it. An error of the reader below, or
// the end of the stream in the middle of a message, takes nothing away: calling
// again tries again.
type Reader struct {
	r    io.Reader
	t    *Type
	opts ReaderOptions

	buf        []byte // buf[start:end] is read from r and not yet handed out
	start, end int

	message int    // number of the message that is being read
	begin   int64  // where in the stream it starts
	offset  int64  // where in the stream buf[start] is
	skip    uint64 // bytes of a message that is passed over, still to come
}

// NewReader returns a Reader of the messages of r as t. t may be nil when all
// messages are read with [Next], which knows their types. Nil opts are the
// defaults; options that are themselves wrong make each call return an error of kind
// ErrOptions.
func NewReader(r io.Reader, t *Type, opts *ReaderOptions) *Reader {
	s := &Reader{r: r, t: t}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Framing == Unframed {
		s.opts.Framing = SizePrefixed
	}
	if s.opts.MaxMessage == 0 {
		s.opts.MaxMessage = DefaultMaxMessage
	}
	return s
}

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
	return RootUnchecked[T](message, r.opts.Framing), nil
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
	if err := r.opts.check(); err != nil {
		return nil, r.fault(err)
	}
	if err := r.discard(); err != nil {
		return nil, r.fault(err)
	}
	r.begin = r.offset
	prefix := r.opts.Framing.Prefix()
	if err := r.fill(prefix); err != nil {
		if err == io.EOF && r.end == r.start {
			return nil, io.EOF
		}
		return nil, r.fault(err)
	}
	m := rule.Framing(r.opts.Framing).Message(r.buf[r.start:], math.MaxUint64)
	if most := min(uint64(r.opts.MaxMessage), uint64(maxInt/2)); m.Fault != rule.OK || m.Promised > most {
		err := r.fault(&Error{Kind: ErrTooLarge, Type: t.String(), Path: t.Root().ShortName(), Size: prefix,
			Thing: ThingSizePrefix, Found: int64(min(m.Promised, math.MaxInt64)), Allowed: int64(most),
			Detail: fmt.Sprintf("the size prefix says %d bytes, and at most %d are allowed here", m.Promised, most)})
		r.advance(prefix)
		r.skip = m.Promised
		return nil, err
	}
	size := int(m.End)
	if err := r.fill(size); err != nil {
		return nil, r.fault(err)
	}
	message := private(r.buf[r.start:r.start+size:r.start+size], &r.opts.Options)
	err := t.Verify(message, &r.opts.Options)
	if err != nil {
		message, err = nil, r.fault(err)
	}
	r.advance(size)
	r.message++
	return message, err
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
	if !r.opts.ReuseUnchecked || have == len(to) {
		to = make([]byte, max(smallBuffer, min(n, 2*have)))
	}
	copy(to, r.buf[r.start:r.end])
	r.buf, r.start, r.end = to, 0, have
}
