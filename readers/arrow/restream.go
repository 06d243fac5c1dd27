package arrow

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify/container"
	fb "github.com/fbverify/go/generated/arrow"
	"github.com/fbverify/go/internal/places"
	"github.com/fbverify/go/readers"
	"github.com/fbverify/go/readers/internal/ranged"
)

// Stream returns record batches as an Arrow IPC stream, which any reader of Arrow takes: the schema as the
// footer has it, all dictionaries, the batches of these numbers in the order given, and the mark at the end. With no
// numbers it gives all batches. The metadata of each is verified before any of its bytes are given out, and is given out as it was verified;
// a body is read as it is asked for, and not looked at.
//
// The error of a Read is that of [File.Batch]. The stream is for one goroutine.
func (f *File) Stream(ctx context.Context, batches ...int) io.Reader {
	if len(batches) == 0 {
		batches = make([]int, len(f.batches))
		for i := range batches {
			batches[i] = i
		}
	}
	return &restream{f: f, ctx: ctx, batches: batches}
}

// restream gives out a schema, dictionaries and batches one after the other.
type restream struct {
	f       *File
	ctx     context.Context
	batches []int

	next  int    // 0: the schema, then the dictionaries, the batches, the end
	ready []byte // of the message, to be given out
	body  readers.Range
	err   error
}

func (s *restream) Read(p []byte) (int, error) {
	for len(s.ready) == 0 && s.body.Length == 0 {
		if s.err == nil {
			s.err = s.message()
		}
		if s.err != nil {
			return 0, s.err
		}
	}
	if len(s.ready) > 0 {
		n := copy(p, s.ready)
		s.ready = s.ready[n:]
		return n, nil
	}
	if len(p) == 0 {
		return 0, nil
	}
	n := min(int64(len(p)), s.body.Length, s.f.src.MaxRead())
	b, err := s.f.src.AppendTo(s.ctx, "body", readers.Range{Offset: s.body.Offset, Length: n}, p[:0:n])
	if err != nil {
		s.err = err
		return 0, err
	}
	n = int64(copy(p, b)) // of a file in memory b is a piece of it
	s.body.Offset += n
	s.body.Length -= n
	return int(n), nil
}

// message makes the next message ready.
func (s *restream) message() error {
	i := s.next
	s.next++
	switch i--; {
	case i < 0:
		if n := s.f.footerAt.Length; n > mostFooter {
			return s.f.src.Fault(container.ErrLimit, "footer", s.f.footerAt.Offset, "the footer is too long for its schema to be made a message of", ranged.Bytes(n), fmt.Sprintf("at most %d", mostFooter))
		}
		s.ready = encapsulated(schemaMessage(s.f.footer.Root()))
		return nil
	case i < len(s.f.dictionaries):
		return s.batch(s.f.Dictionary(s.ctx, i))
	case i-len(s.f.dictionaries) < len(s.batches):
		return s.batch(s.f.Batch(s.ctx, s.batches[i-len(s.f.dictionaries)]))
	case i-len(s.f.dictionaries) == len(s.batches):
		s.ready = binary.LittleEndian.AppendUint32(nil, places.Continuation)
		s.ready = append(s.ready, 0, 0, 0, 0)
		return nil
	}
	return io.EOF
}

func (s *restream) batch(b *Batch, err error) error {
	if err != nil {
		return err
	}
	s.ready, s.body = encapsulated(b.Bytes()), b.Body
	return nil
}

// encapsulated puts the mark and the length before a message, and padding after it, so that the body
// begins at a multiple of eight.
func encapsulated(m []byte) []byte {
	n := (len(m) + 7) &^ 7
	b := make([]byte, 0, 8+n)
	b = binary.LittleEndian.AppendUint32(b, places.Continuation)
	b = binary.LittleEndian.AppendUint32(b, uint32(n))
	b = append(b, m...)
	return b[:8+n]
}

// mostFooter is the longest footer whose schema is made a message of. What is shared in it is written as often as it
// is met, and a FlatBuffer has less than 2 GiB.
const mostFooter = 64 << 20

// schemaMessage makes the message of a stream's schema from that of a footer.
func schemaMessage(footer fb.Footer) []byte {
	m := fb.NewMessageT()
	m.Version = min(max(footer.Version(), fb.MetadataVersionV4), fb.MetadataVersionV5) // old writers left it at 0, and no reader looks at it
	m.Header = &fb.MessageHeaderT{Type: fb.MessageHeaderSchema, Value: footer.Schema().Unpack()}
	b := flatbuffers.NewBuilder(1 << 10)
	b.Finish(m.Pack(b))
	return b.FinishedBytes()
}
