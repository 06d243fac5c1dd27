module github.com/fbverify/go/grpc

go 1.25.0

require (
	github.com/fbverify/go v0.0.0
	github.com/google/flatbuffers v25.12.19+incompatible
	google.golang.org/grpc v1.84.0
	google.golang.org/protobuf v1.36.11
)

require (
	github.com/klauspost/cpuid/v2 v2.3.0 // indirect
	golang.org/x/net v0.57.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/text v0.40.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260706201446-f0a921348800 // indirect
)
