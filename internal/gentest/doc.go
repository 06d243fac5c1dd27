// Package gentest holds what fbgen writes for schemas that are made to be hard:
// goldens that a reviewer sees change, and the code that tests build buffers with.
//
//	go generate ./internal/gentest
package gentest

//go:generate go run github.com/fbverify/go/cmd/fbgen -fixed -name awkward.other.Foo=OthersFoo -name awkward.other.Keywords=OthersKeywords -name awkward.CreatePoint=CreatePointTable -name awkward.FooFixed=FooFixedTable -name awkward.FooStart=FooStartTable -name awkward.FooT=FooTTable -name awkward.FooVector=FooVectorTable -o awkward awkward.fbs
//go:generate go run github.com/fbverify/go/cmd/fbgen -fixed -o features features.fbs
//go:generate go run github.com/fbverify/go/cmd/fbgen -fixed -o wide wide.fbs
//go:generate go run github.com/fbverify/go/cmd/fbgen -fixed -o large large.fbs
//go:generate go run github.com/fbverify/go/cmd/fbgen -names flatc -mutable -o flatcnames features.fbs
//go:generate go run github.com/fbverify/go/cmd/fbgen -copy-strings -o copies features.fbs
//go:generate go run github.com/fbverify/go/cmd/fbgen -o survey ../../testdata/flatbuffers/survey.fbs
//go:generate go run github.com/fbverify/go/cmd/fbgen -o archive ../../testdata/flatbuffers/archive.fbs
