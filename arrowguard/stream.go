package arrowguard

import (
	"bytes"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/fbverify/go/generated/arrow"
	"github.com/fbverify/go/internal/places"
)

// How much is taken on trust: arrow-go allocates the whole of a body before it reads it, and
// so do we of metadata. What says that it is larger is read first, as far as it is there.
const (
	trusted     = 64 << 20
	maxMetadata = 1 << 30 // bytes; Arrow's own writers stay far below
)

// NewReader is [ipc.NewReader] behind a guard: it reads a stream message by message, and what
// arrow-go gets of one is verified. A body of more than 64 MiB is held in memory before it is
// handed on, since nothing else shows that it is there.
func NewReader(r io.Reader, opts ...ipc.Option) (*ipc.Reader, error) {
	return ipc.NewReader(&guardedStream{r: r, kinds: map[arrow.MessageHeader]int{}}, opts...)
}

// guardedStream gives out a stream whose messages are checked: first what is in ready, then
// the body of the message, then the next.
type guardedStream struct {
	r     io.Reader
	plan  *plan
	kinds map[arrow.MessageHeader]int // how many messages of each there were

	offset int64 // bytes read of the stream
	ready  []byte
	body   int64 // bytes of the body still to come from r
	err    error
}

// Read gives out bytes of messages that are verified.
func (s *guardedStream) Read(b []byte) (int, error) {
	for len(s.ready) == 0 && s.body == 0 {
		if s.err != nil {
			return 0, s.err
		}
		s.err = s.next()
	}
	if len(s.ready) > 0 {
		n := copy(b, s.ready)
		s.ready = s.ready[n:]
		return n, nil
	}
	n, err := s.r.Read(b[:min(int64(len(b)), s.body)])
	s.body -= int64(n)
	s.offset += int64(n)
	return n, err
}

// next reads the metadata of a message and checks it.
func (s *guardedStream) next() error {
	start := s.offset
	fail := func(format string, args ...any) error {
		return &Error{Part: fmt.Sprintf("message %d", s.messages()), Offset: start, Detail: fmt.Sprintf(format, args...)}
	}
	var b bytes.Buffer
	if err := s.read(&b, lengthSize); err != nil {
		return err
	}
	if size, _ := places.MessagePrefix(b.Bytes()); size == 0 { // the length comes in the next word
		if err := s.read(&b, lengthSize); err != nil {
			return unexpected(err)
		}
	}
	size, length := places.MessagePrefix(b.Bytes())
	switch {
	case length == 0: // the end of the stream: nothing after it is read
		s.ready = b.Bytes()
		return io.EOF
	case length < lengthSize || length > maxMetadata:
		return fail("its metadata has %d bytes, and %d to %d are possible", length, lengthSize, maxMetadata)
	}
	if err := s.read(&b, length); err != nil {
		return unexpected(err)
	}
	m, err := verified[arrow.Message](b.Bytes()[size:], fmt.Sprintf("message %d", s.messages()), start+int64(size))
	if err != nil {
		return err
	}
	kind := m.HeaderType()
	part := messageName(kind, s.kinds[kind])
	s.kinds[kind]++
	if kind == arrow.MessageHeaderSchema {
		schema, _ := m.Header().AsSchema()
		if s.plan, err = planOf(schema, part, start+int64(size)); err != nil {
			return err
		}
	}
	if s.plan == nil {
		return fail("a stream begins with its schema, and this is a message of the kind %d", kind)
	}
	batch, err := s.plan.message(m, part, start+int64(size), -1)
	if err != nil {
		return err
	}
	s.body = m.BodyLength()
	if s.body > trusted || batch.compressed { // all of it has to be there, or be looked at
		length, before := s.body, int64(b.Len())
		s.body = 0
		if err := s.read(&b, length); err != nil {
			return unexpected(err)
		}
		if err := batch.checkBody(b.Bytes()[before:]); err != nil {
			return err
		}
	}
	s.ready = b.Bytes()
	return nil
}

func (s *guardedStream) messages() (n int) {
	for _, count := range s.kinds {
		n += count
	}
	return n
}

// read reads n bytes; memory is used as they arrive.
func (s *guardedStream) read(b *bytes.Buffer, n int64) error {
	b.Grow(int(min(n, 1<<20)))
	got, err := io.CopyN(b, s.r, n)
	s.offset += got
	if err == io.EOF && got > 0 {
		err = io.ErrUnexpectedEOF
	}
	return err
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
