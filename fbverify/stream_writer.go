package fbverify

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Writer writes a stream of size-prefixed messages. All are built in one Builder,
// and go out a bufferful at a time, so that a stream of any length is written in
// the memory of its largest message and one buffer:
//
//	w := fbverify.NewWriter(f, nil)
//	for _, r := range rows {
//		b := w.Builder()
//		if err := w.Finish(r.Pack(b)); err != nil {
//			return err
//		}
//	}
//	return w.Close()
//
// After an error every call returns that error and nothing more is written. A
// Writer is not safe for concurrent use.
type Writer struct {
	w          io.Writer
	b          *flatbuffers.Builder
	opts       WriterOptions
	identifier []byte
	buf        []byte
	err        error
	messages   int
	closed     bool
}

// WriterOptions say how a Writer writes. The zero value, and a nil *WriterOptions,
// are the defaults.
type WriterOptions struct {
	// Framing is the length before each message. Unframed, as it is unless set, means
	// SizePrefixed: a stream has no other way to tell its messages apart.
	Framing Framing

	// Identifier is the four-byte file identifier of the messages that [Writer.Finish]
	// completes; "" means none. A different length is an error, which every call
	// returns.
	Identifier string

	// BufferSize is how many bytes are gathered before they are written; 0 means
	// 64 KiB. Messages that are larger are written by themselves, without being copied.
	BufferSize int
}

// NewWriter returns a Writer to w. Nil opts are the defaults.
func NewWriter(w io.Writer, opts *WriterOptions) *Writer {
	s := &Writer{w: w, b: flatbuffers.NewBuilder(1024)}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Framing == Unframed {
		s.opts.Framing = SizePrefixed
	}
	if s.opts.BufferSize == 0 {
		s.opts.BufferSize = smallBuffer
	}
	switch o := &s.opts; {
	case o.Framing > LongSizePrefixed:
		s.err = fmt.Errorf("fbverify: NewWriter: Framing is %d, and Unframed, SizePrefixed and LongSizePrefixed are allowed", o.Framing)
	case o.Identifier != "" && len(o.Identifier) != 4:
		s.err = fmt.Errorf("fbverify: NewWriter: Identifier is %q of %d bytes, and file identifiers have 4", o.Identifier, len(o.Identifier))
	case o.BufferSize < 0:
		s.err = fmt.Errorf("fbverify: NewWriter: BufferSize is %d, and must not be negative", o.BufferSize)
	default:
		s.buf = make([]byte, 0, o.BufferSize)
		if o.Identifier != "" {
			s.identifier = []byte(o.Identifier)
		}
	}
	return s
}

// Builder returns the Writer's Builder, empty and ready for the next message.
// Offsets of messages before mean nothing in it.
func (w *Writer) Builder() *flatbuffers.Builder {
	w.b.Reset()
	return w.b
}

// Finish completes the message in the Builder with the root table at root and
// adds it to the stream.
func (w *Writer) Finish(root flatbuffers.UOffsetT) error {
	if err := w.ready(); err != nil {
		return err
	}
	switch long := w.opts.Framing == LongSizePrefixed; {
	case long && w.identifier != nil:
		w.b.FinishWithFileIdentifier(root, w.identifier)
		placeLongPrefix(w.b)
	case long:
		w.b.Finish(root)
		placeLongPrefix(w.b)
	case w.identifier != nil:
		w.b.FinishSizePrefixedWithFileIdentifier(root, w.identifier)
	default:
		w.b.FinishSizePrefixed(root)
	}
	w.messages++
	return w.put(w.b.FinishedBytes())
}

// placeLongPrefix puts the length of a finished buffer before it. A multiple of eight
// bytes, it keeps what is aligned so.
func placeLongPrefix(b *flatbuffers.Builder) {
	n := b.Offset()
	b.Prep(1, 8)
	b.PlaceUint64(uint64(n))
}

// WriteMessage adds a finished FlatBuffer without a size prefix to the stream,
// and puts the prefix before it. The bytes are not verified and not kept.
func (w *Writer) WriteMessage(buf []byte) error {
	if err := w.ready(); err != nil {
		return err
	}
	var prefix [8]byte
	if w.opts.Framing == LongSizePrefixed {
		binary.LittleEndian.PutUint64(prefix[:], uint64(len(buf)))
	} else {
		if uint64(len(buf)) > math.MaxInt32 {
			return fmt.Errorf("fbverify: WriteMessage: %d bytes, and a message has at most %d", len(buf), math.MaxInt32)
		}
		binary.LittleEndian.PutUint32(prefix[:], uint32(len(buf)))
	}
	w.messages++
	if err := w.put(prefix[:w.opts.Framing.Prefix()]); err != nil {
		return err
	}
	return w.put(buf)
}

// Messages returns the number of messages added so far.
func (w *Writer) Messages() int { return w.messages }

// Buffered returns the number of bytes that wait to be written.
func (w *Writer) Buffered() int { return len(w.buf) }

// Flush writes what waits to be written.
func (w *Writer) Flush() error {
	if err := w.ready(); err != nil {
		return err
	}
	w.flush()
	return w.err
}

// Close flushes the Writer, and makes further calls fail. It does not close what
// it writes to. Closing twice returns what the first time did.
func (w *Writer) Close() error {
	if w.closed {
		return w.err
	}
	if w.err == nil {
		w.flush()
	}
	w.closed = true
	return w.err
}

var errClosed = errors.New("fbverify: the Writer is closed")

func (w *Writer) ready() error {
	if w.err == nil && w.closed {
		return errClosed
	}
	return w.err
}

// put gathers p, or writes it by itself when it is larger than the buffer.
func (w *Writer) put(p []byte) error {
	if len(p) > cap(w.buf)-len(w.buf) {
		if w.flush(); w.err != nil {
			return w.err
		}
		if len(p) >= cap(w.buf) {
			w.write(p)
			return w.err
		}
	}
	w.buf = append(w.buf, p...)
	return nil
}

func (w *Writer) flush() {
	if len(w.buf) > 0 {
		w.write(w.buf)
		w.buf = w.buf[:0]
	}
}

func (w *Writer) write(p []byte) {
	n, err := w.w.Write(p)
	if err == nil && n != len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		w.err = fmt.Errorf("fbverify: writing the stream: %w", err)
	}
}
