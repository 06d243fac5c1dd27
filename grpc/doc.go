// Package fbgrpc carries FlatBuffers over gRPC, verified: a handler gets a
// [fbverify.Verified], so bytes that are no such buffer never reach one.
//
//	fbgen -grpc shop.fbs // writes stubs of each rpc_service beside the views
//
//	shop.RegisterStockServer(server, impl, nil)
//
//	func (s *stock) Reserve(ctx context.Context, in fbverify.Verified[shop.Order]) (fbgrpc.Message, error)
//
//	reply, err := shop.NewStockClient(conn, nil).Reserve(ctx, builder)
//
// The functions here are what the stubs call; they do for services without a schema, too.
//
// On the wire it is what flatc --grpc makes: the content type application/grpc+flatbuffers,
// a finished buffer a message, and methods named "/namespace.Service/Method". Either side may be
// flatc's.
//
// # Bad bytes
//
// A request that does not verify ends the call with codes.InvalidArgument, and the message says
// the path, the offset and the rule, as [fbverify.Error] does. Of calls with one request the
// handler is not entered, nor is an interceptor for unary calls. Of calls with a stream of requests the handler runs
// since before the first; [Requests.Recv] returns the error, and the call ends with it
// whatever the handler returns. A reply that does not verify is codes.Internal
// for the client: the server is at fault.
//
// # Lifetime
//
// A received message is copied once out of the transport's buffers, which grpc-go takes back, into memory
// that only the garbage collector frees: a Verified may be kept. A sent message is copied
// into a pooled buffer before the call that sends it returns, so a builder may be reset then. A unary
// handler's reply is read after the handler returned: its builder must not go back to a pool there.
//
// # Limits
//
// grpc-go refuses messages beyond grpc.MaxRecvMsgSize, 4 MiB if nothing is said, before
// they are here (codes.ResourceExhausted). The limits of [fbverify.Options] are for what is inside.
package fbgrpc
