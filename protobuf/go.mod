module github.com/fbverify/go/protobuf

go 1.25.0

require (
	github.com/bufbuild/protocompile v0.14.1
	github.com/fbverify/go v0.0.0
	github.com/google/flatbuffers v25.12.19+incompatible
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/klauspost/cpuid/v2 v2.3.0 // indirect
	golang.org/x/sync v0.8.0 // indirect
	golang.org/x/sys v0.30.0 // indirect
)
