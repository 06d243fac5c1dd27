// Package generated holds the views of the formats that this project knows, one
// package each, as fbgen writes them from the schemas in schema/<format>. Run
//
//	go generate ./generated
//
// after a change of a schema or of fbgen; a test compares.
package generated

//go:generate go run github.com/fbverify/go/cmd/fbgen -o vortex ../schema/vortex/array.fbs ../schema/vortex/dtype.fbs ../schema/vortex/footer.fbs ../schema/vortex/layout.fbs ../schema/vortex/message.fbs
//go:generate go run github.com/fbverify/go/cmd/fbgen -o arrow ../schema/arrow/File.fbs ../schema/arrow/Message.fbs ../schema/arrow/Schema.fbs ../schema/arrow/SparseTensor.fbs ../schema/arrow/Tensor.fbs
//go:generate go run github.com/fbverify/go/cmd/fbgen -o feather ../schema/arrow/feather.fbs
//go:generate go run github.com/fbverify/go/cmd/fbgen -o tflite ../schema/tflite/tflite.fbs
//go:generate go run github.com/fbverify/go/cmd/fbgen -o flatgeobuf ../schema/flatgeobuf/feature.fbs ../schema/flatgeobuf/header.fbs
//go:generate go run github.com/fbverify/go/cmd/fbgen -o reflection ../schema/reflection/reflection.fbs
//go:generate go run github.com/fbverify/go/cmd/fbgen -o bench ../schema/bench/bench.fbs ../schema/bench/hostile.fbs
