module github.com/fbverify/go/benches

go 1.25.0

require (
	github.com/fbverify/go v0.0.0
	github.com/google/flatbuffers v25.12.19+incompatible
	github.com/klauspost/cpuid/v2 v2.3.0
	github.com/spf13/cobra v1.10.2
	golang.org/x/perf v0.0.0-20260709024250-82a0b07e230d
	golang.org/x/sys v0.47.0
)

require (
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
)
