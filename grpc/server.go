package fbgrpc

import (
	"context"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/fbverify/go/fbverify"
)

// Service is an rpc_service whose handlers are methods of S, an interface.
type Service[S any] struct {
	Name string // with its namespace, "shop.Stock"
}

// Method is one call of a service: what [Unary], [ServerStream], [ClientStream] and [Bidi] return.
type Method[S any] struct {
	unary  *grpc.MethodDesc
	stream *grpc.StreamDesc
}

// Desc describes the service, for grpc.Server.RegisterService with an S.
func (s Service[S]) Desc(methods ...Method[S]) *grpc.ServiceDesc {
	desc := &grpc.ServiceDesc{ServiceName: s.Name, HandlerType: (*S)(nil)}
	for _, m := range methods {
		if m.unary != nil {
			desc.Methods = append(desc.Methods, *m.unary)
		} else {
			desc.Streams = append(desc.Streams, *m.stream)
		}
	}
	return desc
}

// Unary is a call with one request and one reply. The options, which may be nil, are for verifying requests.
func Unary[S any, In fbverify.View[In]](s Service[S], name string, opts *fbverify.Options,
	handle func(S, context.Context, fbverify.Verified[In]) (Message, error),
) Method[S] {
	full := "/" + s.Name + "/" + name
	return Method[S]{unary: &grpc.MethodDesc{MethodName: name, Handler: func(
		srv any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor,
	) (any, error) {
		var m received
		if err := decode(&m); err != nil {
			return nil, err
		}
		in, err := verified[In](&m, opts, codes.InvalidArgument)
		if err != nil {
			return nil, err
		}
		if intercept == nil {
			return handle(srv.(S), ctx, in)
		}
		return intercept(ctx, in, &grpc.UnaryServerInfo{Server: srv, FullMethod: full},
			func(ctx context.Context, request any) (any, error) {
				return handle(srv.(S), ctx, request.(fbverify.Verified[In]))
			})
	}}}
}

// Replies sends a stream of replies. As of every stream of gRPC, one goroutine may send while another receives.
type Replies struct{ stream grpc.ServerStream }

// Context is the call's.
func (r Replies) Context() context.Context { return r.stream.Context() }

// Send sends a message. Its builder may be reset afterwards.
func (r Replies) Send(m Message) error { return r.stream.SendMsg(m) }

// Stream is the stream of grpc-go, for headers and trailers.
func (r Replies) Stream() grpc.ServerStream { return r.stream }

// Requests receives a stream of requests.
type Requests[In fbverify.View[In]] struct {
	stream grpc.ServerStream
	opts   *fbverify.Options

	mu  sync.Mutex
	bad error // of the first request that did not verify
}

// Context is the call's.
func (r *Requests[In]) Context() context.Context { return r.stream.Context() }

// Recv returns the next request, or io.EOF after the last. A request that does not verify ends the call: from then on
// the error is the same, of code InvalidArgument.
func (r *Requests[In]) Recv() (fbverify.Verified[In], error) {
	if err := r.fault(); err != nil {
		return fbverify.Verified[In]{}, err
	}
	var m received
	if err := r.stream.RecvMsg(&m); err != nil {
		return fbverify.Verified[In]{}, err
	}
	v, err := verified[In](&m, r.opts, codes.InvalidArgument)
	if err != nil {
		r.mu.Lock()
		r.bad = err
		r.mu.Unlock()
	}
	return v, err
}

func (r *Requests[In]) fault() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bad
}

// end is what the call ends with: bad bytes go before what the handler made of them.
func (r *Requests[In]) end(err error) error {
	if bad := r.fault(); bad != nil {
		return bad
	}
	return err
}

// ServerStream is a call with one request and a stream of replies.
func ServerStream[S any, In fbverify.View[In]](_ Service[S], name string, opts *fbverify.Options,
	handle func(S, fbverify.Verified[In], Replies) error,
) Method[S] {
	return Method[S]{stream: &grpc.StreamDesc{StreamName: name, ServerStreams: true,
		Handler: func(srv any, stream grpc.ServerStream) error {
			requests := Requests[In]{stream: stream, opts: opts}
			in, err := requests.Recv()
			if err != nil {
				return err
			}
			return handle(srv.(S), in, Replies{stream})
		}}}
}

// ClientStream is a call with a stream of requests and one reply.
func ClientStream[S any, In fbverify.View[In]](_ Service[S], name string, opts *fbverify.Options,
	handle func(S, *Requests[In]) (Message, error),
) Method[S] {
	return Method[S]{stream: &grpc.StreamDesc{StreamName: name, ClientStreams: true,
		Handler: func(srv any, stream grpc.ServerStream) error {
			requests := &Requests[In]{stream: stream, opts: opts}
			reply, err := handle(srv.(S), requests)
			if err := requests.end(err); err != nil {
				return err
			}
			return stream.SendMsg(reply)
		}}}
}

// Bidi is a call with a stream of requests and a stream of replies.
func Bidi[S any, In fbverify.View[In]](_ Service[S], name string, opts *fbverify.Options,
	handle func(S, *Requests[In], Replies) error,
) Method[S] {
	return Method[S]{stream: &grpc.StreamDesc{StreamName: name, ClientStreams: true, ServerStreams: true,
		Handler: func(srv any, stream grpc.ServerStream) error {
			requests := &Requests[In]{stream: stream, opts: opts}
			return requests.end(handle(srv.(S), requests, Replies{stream}))
		}}}
}
