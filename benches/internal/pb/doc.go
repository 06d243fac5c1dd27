// Package pb holds the Go code that protoc-gen-go writes for bench.proto: what the
// comparison with Protobuf reads.
package pb

//go:generate go run ./generate
