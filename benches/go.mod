module github.com/fbverify/go/benches

go 1.25.0

require (
	buf.build/go/hyperpb v0.1.3
	github.com/bufbuild/protocompile v0.14.1
	github.com/fbverify/go v0.0.0
	github.com/google/flatbuffers v25.12.19+incompatible
	github.com/klauspost/cpuid/v2 v2.3.0
	github.com/spf13/cobra v1.10.2
	golang.org/x/perf v0.0.0-20260709024250-82a0b07e230d
	golang.org/x/sys v0.47.0
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // indirect
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	github.com/stretchr/testify v1.10.0 // indirect
	github.com/timandy/routine v1.1.5 // indirect
	golang.org/x/sync v0.16.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)
