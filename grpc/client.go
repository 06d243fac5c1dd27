package fbgrpc

import (
	"context"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/fbverify/go/fbverify"
)

// Call sends one request and returns the reply. The options, which may be nil, are for verifying it.
func Call[Out fbverify.View[Out]](ctx context.Context, conn grpc.ClientConnInterface, method string, request Message,
	opts *fbverify.Options, calls ...grpc.CallOption,
) (fbverify.Verified[Out], error) {
	var m received
	if err := conn.Invoke(ctx, method, request, &m, force(calls)...); err != nil {
		return fbverify.Verified[Out]{}, err
	}
	return verified[Out](&m, opts, codes.Internal)
}

// Stream is the client's side of a call that streams. One goroutine may send while another receives.
type Stream[Out fbverify.View[Out]] struct {
	stream grpc.ClientStream
	opts   *fbverify.Options
	cancel context.CancelFunc
}

// Open starts a call that streams in the directions that are said. To give the call up before its
// end, cancel ctx.
func Open[Out fbverify.View[Out]](ctx context.Context, conn grpc.ClientConnInterface, method string, client, server bool,
	opts *fbverify.Options, calls ...grpc.CallOption,
) (*Stream[Out], error) {
	ctx, cancel := context.WithCancel(ctx)
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: client, ServerStreams: server}, method, force(calls)...)
	if err != nil {
		cancel()
		return nil, err
	}
	return &Stream[Out]{stream, opts, cancel}, nil
}

// OpenWith starts a call with one request and a stream of replies.
func OpenWith[Out fbverify.View[Out]](ctx context.Context, conn grpc.ClientConnInterface, method string, request Message,
	opts *fbverify.Options, calls ...grpc.CallOption,
) (*Stream[Out], error) {
	s, err := Open[Out](ctx, conn, method, false, true, opts, calls...)
	if err != nil {
		return nil, err
	}
	// io.EOF says that the server has ended the call already: Recv tells how.
	if err := s.Send(request); err != nil && err != io.EOF {
		s.cancel()
		return nil, err
	}
	if err := s.CloseSend(); err != nil {
		s.cancel()
		return nil, err
	}
	return s, nil
}

// Send sends a message. Its builder may be reset afterwards. The error io.EOF says that the call has ended: Recv tells how.
func (s *Stream[Out]) Send(m Message) error { return s.stream.SendMsg(m) }

// CloseSend says that there are no more requests.
func (s *Stream[Out]) CloseSend() error { return s.stream.CloseSend() }

// Recv returns the next reply, or io.EOF after the last. After an error, also of a reply that does not verify, the
// call has ended.
func (s *Stream[Out]) Recv() (fbverify.Verified[Out], error) {
	var m received
	if err := s.stream.RecvMsg(&m); err != nil {
		s.cancel()
		return fbverify.Verified[Out]{}, err
	}
	v, err := verified[Out](&m, s.opts, codes.Internal)
	if err != nil {
		s.cancel() // the server may go on sending, and nobody would receive
	}
	return v, err
}

// Stream is the stream of grpc-go, for headers and trailers.
func (s *Stream[Out]) Stream() grpc.ClientStream { return s.stream }
