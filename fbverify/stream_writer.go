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
//	w := fbverify.NewWriter(f)
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
	identifier []byte
	buf        []byte
	err        error
	messages   int
	closed     bool
}

// A WriterOption changes what [NewWriter] returns.
type WriterOption func(*Writer)

// WithBufferSize sets how many bytes are gathered before they are written, 64 KiB
// unless given. Messages that are larger are written by themselves, without being
// copied.
func WithBufferSize(n int) WriterOption {
	return func(w *Writer) { w.buf = make([]byte, 0, max(n, 0)) }
}

// WithIdentifier sets the four-byte file identifier of the messages that
// [Writer.Finish] completes.
func WithIdentifier(identifier string) WriterOption {
	return func(w *Writer) {
		if len(identifier) != 4 {
			w.err = fmt.Errorf("fbverify: NewWriter: the identifier %q has %d bytes, and must have 4", identifier, len(identifier))
			return
		}
		w.identifier = []byte(identifier)
	}
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer, opts ...WriterOption) *Writer {
	s := &Writer{w: w, b: flatbuffers.NewBuilder(1024)}
	for _, opt := range opts {
		opt(s)
	}
	if s.buf == nil {
		s.buf = make([]byte, 0, smallBuffer)
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
	if w.identifier != nil {
		w.b.FinishSizePrefixedWithFileIdentifier(root, w.identifier)
	} else {
		w.b.FinishSizePrefixed(root)
	}
	w.messages++
	return w.put(w.b.FinishedBytes())
}

// WriteMessage adds a finished FlatBuffer without a size prefix to the stream,
// and puts the prefix before it. The bytes are not verified and not kept.
func (w *Writer) WriteMessage(buf []byte) error {
	if err := w.ready(); err != nil {
		return err
	}
	if uint64(len(buf)) > math.MaxInt32 {
		return fmt.Errorf("fbverify: WriteMessage: %d bytes, and a message has at most %d", len(buf), math.MaxInt32)
	}
	w.messages++
	var prefix [4]byte
	binary.LittleEndian.PutUint32(prefix[:], uint32(len(buf)))
	if err := w.put(prefix[:]); err != nil {
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
