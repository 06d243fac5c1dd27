module github.com/fbverify/go/protobuf

go 1.25.0

require (
	github.com/bufbuild/protocompile v0.14.1
	github.com/fbverify/go v0.0.0
	google.golang.org/protobuf v1.36.12
)

require golang.org/x/sync v0.8.0 // indirect
