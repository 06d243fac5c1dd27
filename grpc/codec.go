package fbgrpc

import (
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"github.com/fbverify/go/fbverify"
)

// A Message is what can be sent: a finished *flatbuffers.Builder, or [Forward].
type Message interface {
	// FinishedBytes returns the buffer, which does not change until the message was sent.
	FinishedBytes() []byte
}

// Forward sends a buffer on as it was received.
func Forward[T fbverify.View[T]](v fbverify.Verified[T]) Message { return forwarded(v.Bytes()) }

type forwarded []byte

func (f forwarded) FinishedBytes() []byte { return f }

// received is a message that was not verified yet. It is not exported, so that nobody reads it.
type received struct{ bytes []byte }

// codec is registered under flatc's name when the package is imported. It does not verify,
// since grpc-go makes codes.Internal of a codec's errors.
type codec struct{}

func init() { encoding.RegisterCodecV2(codec{}) }

func (codec) Name() string { return flatbuffers.Codec }

func (codec) Marshal(v any) (mem.BufferSlice, error) {
	m, ok := v.(Message)
	if !ok {
		return nil, fmt.Errorf("fbgrpc: a %T is sent; it can be a finished *flatbuffers.Builder or what Forward returns", v)
	}
	return mem.BufferSlice{mem.Copy(m.FinishedBytes(), mem.DefaultBufferPool())}, nil
}

func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(*received)
	if !ok {
		return fmt.Errorf("fbgrpc: a %T is to receive a message; receive with the functions of fbgrpc, which verify", v)
	}
	m.bytes = data.Materialize() // a copy that nobody else has: a Verified outlives data
	return nil
}

// verified returns m's root, or a status of the code, which says whose fault it is.
func verified[T fbverify.View[T]](m *received, opts *fbverify.Options, code codes.Code) (fbverify.Verified[T], error) {
	v, err := fbverify.RootWithOptions[T](m.bytes, opts)
	if err != nil {
		return v, status.Error(code, err.Error())
	}
	return v, nil
}

// force makes a client speak FlatBuffers whatever its connection's default is.
func force(opts []grpc.CallOption) []grpc.CallOption {
	return append([]grpc.CallOption{grpc.ForceCodecV2(codec{})}, opts...)
}
