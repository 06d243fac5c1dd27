package fbgrpc_test

import (
	"bytes"
	"context"
	"fmt"
	"go/format"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	flatbuffers "github.com/google/flatbuffers/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/fbverify/go/fbverify"
	fbgrpc "github.com/fbverify/go/grpc"
	"github.com/fbverify/go/grpc/internal/echo"
	flatc "github.com/fbverify/go/grpc/internal/echoflatc"
	"github.com/fbverify/go/internal/oracle"
)

// connect serves over TCP and returns a connection.
func connect(t testing.TB, register func(*grpc.Server), server []grpc.ServerOption, client ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(server...)
	register(s)
	go s.Serve(l)
	t.Cleanup(s.Stop)
	conn, err := grpc.NewClient(l.Addr().String(), append(client, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func ours(entered func()) func(*grpc.Server) {
	return func(s *grpc.Server) { echo.RegisterEchoServer(s, echo.Handlers{Entered: entered}, nil) }
}

var flatcCodec = grpc.WithDefaultCallOptions(grpc.ForceCodec(flatbuffers.FlatbuffersCodec{}))

// flatcServer answers through the stubs of flatc --grpc.
type flatcServer struct {
	flatc.UnimplementedEchoServer
}

func (flatcServer) Once(_ context.Context, in *flatc.Word) (*flatbuffers.Builder, error) {
	return echo.Build(string(in.Text()), in.Number()), nil
}

func (flatcServer) Repeat(in *flatc.Word, out flatc.Echo_RepeatServer) error {
	for i := range in.Number() {
		if err := out.Send(echo.Build(string(in.Text()), i)); err != nil {
			return err
		}
	}
	return nil
}

func (flatcServer) Join(in flatc.Echo_JoinServer) error {
	var texts []string
	for {
		word, err := in.Recv()
		if err == io.EOF {
			return in.SendAndClose(echo.BuildAll(texts))
		}
		if err != nil {
			return err
		}
		texts = append(texts, string(word.Text()))
	}
}

func (flatcServer) Talk(in flatc.Echo_TalkServer) error {
	for {
		word, err := in.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := in.Send(echo.Build(string(word.Text()), word.Number())); err != nil {
			return err
		}
	}
}

func TestClientOfFlatcIsServed(t *testing.T) {
	conn := connect(t, ours(func() {}), nil, flatcCodec)
	client, ctx := flatc.NewEchoClient(conn), t.Context()

	word, err := client.Once(ctx, echo.Build("once", 7))
	if err != nil || string(word.Text()) != "once" || word.Number() != 7 {
		t.Fatal("Once:", word, err)
	}
	repeat, err := client.Repeat(ctx, echo.Build("again", 50))
	if err != nil {
		t.Fatal(err)
	}
	for i := range int32(50) {
		word, err := repeat.Recv()
		if err != nil || string(word.Text()) != "again" || word.Number() != i {
			t.Fatal("Repeat:", i, word, err)
		}
	}
	if _, err := repeat.Recv(); err != io.EOF {
		t.Fatal("Repeat ends with", err)
	}
	join, err := client.Join(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		if err := join.Send(echo.Build(fmt.Sprint("part ", i), 0)); err != nil {
			t.Fatal(err)
		}
	}
	words, err := join.CloseAndRecv()
	if err != nil || words.WordsLength() != 50 {
		t.Fatal("Join:", err)
	}
	for i := range 50 {
		words.Words(word, i)
		if got, want := string(word.Text()), fmt.Sprint("part ", i); got != want {
			t.Fatalf("Join: word %d is %q", i, got)
		}
	}
	talk, err := client.Talk(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int32(50) {
		if err := talk.Send(echo.Build("ping", i)); err != nil {
			t.Fatal(err)
		}
		if word, err := talk.Recv(); err != nil || word.Number() != i {
			t.Fatal("Talk:", i, err)
		}
	}
	talk.CloseSend()
	if _, err := talk.Recv(); err != io.EOF {
		t.Fatal("Talk ends with", err)
	}
}

func TestServersAreCalled(t *testing.T) {
	servers := map[string]struct {
		register func(*grpc.Server)
		options  []grpc.ServerOption
	}{
		"flatc": {func(s *grpc.Server) { flatc.RegisterEchoServer(s, flatcServer{}) },
			[]grpc.ServerOption{grpc.ForceServerCodec(flatbuffers.FlatbuffersCodec{})}},
		"ours": {ours(func() {}), nil},
	}
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			client, ctx := echo.NewEchoClient(connect(t, server.register, server.options), nil), t.Context()
			word, err := client.Once(ctx, echo.Build("once", 7))
			if err != nil || word.Root().Text() != "once" || word.Root().Number() != 7 {
				t.Fatal("Once:", word, err)
			}

			repeat, err := client.Repeat(ctx, echo.Build("again", 50))
			if err != nil {
				t.Fatal(err)
			}
			var kept []fbverify.Verified[echo.Word]
			for {
				word, err := repeat.Recv()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				kept = append(kept, word)
			}
			if len(kept) != 50 {
				t.Fatalf("Repeat: %d replies", len(kept))
			}
			for i, word := range kept { // after all buffers of the transport were used again
				if word.Root().Text() != "again" || word.Root().Number() != int32(i) {
					t.Fatal("Repeat:", i, word)
				}
			}

			join, err := client.Join(ctx)
			if err != nil {
				t.Fatal(err)
			}
			b := flatbuffers.NewBuilder(64)
			for i := range 50 { // one builder: what was sent is a copy
				b.Reset()
				at := b.CreateString(fmt.Sprint("part ", i))
				echo.WordStart(b)
				echo.WordAddText(b, at)
				b.Finish(echo.WordEnd(b))
				if err := join.Send(b); err != nil {
					t.Fatal(err)
				}
			}
			join.CloseSend()
			words, err := join.Recv()
			if err != nil || words.Root().Words().Len() != 50 {
				t.Fatal("Join:", words, err)
			}
			for i := range 50 {
				if got, want := words.Root().Words().At(i).Text(), fmt.Sprint("part ", i); got != want {
					t.Fatalf("Join: word %d is %q", i, got)
				}
			}

			talk, err := client.Talk(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for i := range int32(50) {
				if err := talk.Send(echo.Build("ping", i)); err != nil {
					t.Fatal(err)
				}
				if word, err := talk.Recv(); err != nil || word.Root().Number() != i {
					t.Fatal("Talk:", i, err)
				}
			}
			talk.CloseSend()
			if _, err := talk.Recv(); err != io.EOF {
				t.Fatal("Talk ends with", err)
			}
		})
	}
}

// raw sends any bytes.
type raw []byte

func (r raw) FinishedBytes() []byte { return r }

// hostile returns bytes that are no Word.
func hostile(r *rand.Rand) raw {
	for {
		b := append([]byte(nil), echo.Build(strings.Repeat("word ", r.IntN(20)), r.Int32()).FinishedBytes()...)
		switch r.IntN(3) {
		case 0:
			b = b[:r.IntN(len(b))]
		case 1:
			for range 1 + r.IntN(4) {
				b[r.IntN(len(b))] = byte(r.Uint32())
			}
		default:
			b = make([]byte, r.IntN(200))
			for i := range b {
				b[i] = byte(r.Uint32())
			}
		}
		if _, err := fbverify.Root[echo.Word](b); err != nil {
			return b
		}
	}
}

func TestHostileRequestsEnterNoHandler(t *testing.T) {
	var entered, intercepted atomic.Int64
	conn := connect(t, ours(func() { entered.Add(1) }), []grpc.ServerOption{grpc.UnaryInterceptor(
		func(ctx context.Context, in any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			intercepted.Add(1)
			return next(ctx, in)
		})})
	ctx, r := t.Context(), rand.New(rand.NewPCG(1, 2))

	send := func(n int) {
		for i := range n {
			bad := hostile(r)
			_, want := fbverify.Root[echo.Word](bad)
			var err error
			if i%4 == 0 {
				_, err = fbgrpc.Call[echo.Word](ctx, conn, "/echo.Echo/Once", bad, nil)
			} else {
				method := []string{"Repeat", "Join", "Talk"}[i%4-1]
				var s *fbgrpc.Stream[echo.Word]
				if s, err = fbgrpc.Open[echo.Word](ctx, conn, "/echo.Echo/"+method, true, true, nil); err != nil {
					t.Fatal(err)
				}
				if err = s.Send(bad); err != nil && err != io.EOF {
					t.Fatal(err)
				}
				s.CloseSend()
				_, err = s.Recv()
			}
			if got := status.Convert(err); got.Code() != codes.InvalidArgument || got.Message() != want.Error() {
				t.Fatalf("request %d: %v\nwanted InvalidArgument: %v", i, err, want)
			}
		}
	}
	send(1000) // what is pooled and cached is there from now on
	goroutines, heap := runtime.NumGoroutine(), heapInUse()
	send(10_000)
	if n := entered.Load(); n != 0 {
		t.Errorf("%d handlers entered", n)
	}
	if n := intercepted.Load(); n != 0 {
		t.Errorf("%d interceptors entered", n)
	}
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > goroutines+5; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d before 10,000 requests", runtime.NumGoroutine(), goroutines)
		}
	}
	if now := heapInUse(); now > heap+8<<20 { // 10,000 requests kept would be some 40 MB with their streams
		t.Errorf("%d bytes in use, %d before 10,000 requests", now, heap)
	}
	if _, err := fbgrpc.Call[echo.Word](ctx, conn, "/echo.Echo/Once", echo.Build("still", 1), nil); err != nil || entered.Load() != 1 {
		t.Error("a sound request afterwards:", err)
	}
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A handler that disregards the error of a stream's bad request does not make the call succeed.
func TestBadRequestInAStreamEndsTheCall(t *testing.T) {
	var entered atomic.Int64
	conn := connect(t, ours(func() { entered.Add(1) }), nil)
	s, err := fbgrpc.Open[echo.Words](t.Context(), conn, "/echo.Echo/Join", true, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Send(echo.Build("good", 1))
	s.Send(raw("no buffer at all"))
	s.Send(echo.Build("never seen", 1))
	s.CloseSend()
	if _, err := s.Recv(); status.Code(err) != codes.InvalidArgument {
		t.Error(err)
	}
	if n := entered.Load(); n != 1 {
		t.Errorf("%d requests reached the handler", n)
	}
}

func TestRequestBeyondTheLimitIsRefused(t *testing.T) {
	var entered atomic.Int64
	conn := connect(t, ours(func() { entered.Add(1) }), []grpc.ServerOption{grpc.MaxRecvMsgSize(1 << 10)})
	_, err := fbgrpc.Call[echo.Word](t.Context(), conn, "/echo.Echo/Once", echo.Build(strings.Repeat("w", 2<<10), 1), nil)
	if status.Code(err) != codes.ResourceExhausted || entered.Load() != 0 {
		t.Error(err)
	}
}

func TestBadReplyIsTheServersFault(t *testing.T) {
	conn := connect(t, func(s *grpc.Server) {
		service := fbgrpc.Service[any]{Name: "echo.Echo"}
		s.RegisterService(service.Desc(fbgrpc.Unary(service, "Once", nil,
			func(any, context.Context, fbverify.Verified[echo.Word]) (fbgrpc.Message, error) {
				return raw("bad"), nil
			})), 0)
	}, nil)
	_, err := fbgrpc.Call[echo.Word](t.Context(), conn, "/echo.Echo/Once", echo.Build("w", 1), nil)
	if status.Code(err) != codes.Internal || !strings.Contains(err.Error(), "Word") {
		t.Error(err)
	}
}

func TestStubsAreWhatFbgenWrites(t *testing.T) {
	out, err := exec.Command("go", "run", "github.com/fbverify/go/cmd/fbgen", "-grpc", "-check", "-o", "internal/echo", "internal/echo/echo.fbs").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: go generate ./grpc/internal/echo\n%s", err, out)
	}
}

// The peer of the tests is flatc's own output but for the line that says so.
func TestFlatcsStubsAreWhatFlatcWrites(t *testing.T) {
	text, err := os.ReadFile("internal/echo/echo.fbs")
	if err != nil {
		t.Fatal(err)
	}
	made, err := oracle.NewFlatc(t).Run(map[string][]byte{"echo.fbs": text}, "--go", "--grpc", "echo.fbs")
	if err != nil {
		t.Fatal(err)
	}
	if len(made.Files) != 3 {
		t.Fatalf("flatc wrote %d files", len(made.Files))
	}
	for name, data := range made.Files {
		data = bytes.Replace(data, []byte("//Generated by gRPC Go plugin"), []byte("// Code generated by flatc --grpc. DO NOT EDIT."), 1)
		want, err := format.Source(data)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("internal/echoflatc", filepath.Base(name)))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what flatc writes (%v)", name, err)
		}
	}
}

// protoOnce is the service with Once alone, on Protobuf's codec.
var protoOnce = grpc.ServiceDesc{ServiceName: "echo.Echo", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{{MethodName: "Once", Handler: func(
	_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor,
) (any, error) {
	in := new(wrapperspb.StringValue)
	if err := decode(in); err != nil {
		return nil, err
	}
	return wrapperspb.String(in.Value), nil
}}}}

// BenchmarkUnary makes calls over one connection, from as many goroutines as there are processors.
func BenchmarkUnary(b *testing.B) {
	text := strings.Repeat("word ", 200)
	b.Run("fbgrpc", func(b *testing.B) {
		conn := connect(b, ours(func() {}), nil)
		b.ReportAllocs()
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				v, err := fbgrpc.Call[echo.Word](b.Context(), conn, "/echo.Echo/Once", echo.Build(text, 1), nil)
				if err != nil || v.Root().Number() != 1 {
					b.Error(err)
				}
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	})
	b.Run("protobuf", func(b *testing.B) {
		conn := connect(b, func(s *grpc.Server) { s.RegisterService(&protoOnce, 0) }, nil)
		b.ReportAllocs()
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				v := new(wrapperspb.StringValue)
				if err := conn.Invoke(b.Context(), "/echo.Echo/Once", wrapperspb.String(text), v); err != nil || v.Value != text {
					b.Error(err)
				}
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	})
	b.Run("flatc", func(b *testing.B) {
		conn := connect(b, func(s *grpc.Server) { flatc.RegisterEchoServer(s, flatcServer{}) },
			[]grpc.ServerOption{grpc.ForceServerCodec(flatbuffers.FlatbuffersCodec{})}, flatcCodec)
		client := flatc.NewEchoClient(conn)
		b.ReportAllocs()
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				v, err := client.Once(b.Context(), echo.Build(text, 1))
				if err != nil || v.Number() != 1 {
					b.Error(err)
				}
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	})
}
