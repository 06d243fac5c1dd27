module github.com/fbverify/go

go 1.24.0

require (
	github.com/google/flatbuffers v25.12.19+incompatible
	github.com/klauspost/cpuid/v2 v2.3.0
)

require golang.org/x/sys v0.30.0 // indirect
