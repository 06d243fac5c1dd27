// Package generated holds the views of the formats that this project knows, one
// package each, as fbgen writes them from the schemas in schema/formats/<format>. Run
//
//	go generate ./generated
//
// after a change of a schema or of fbgen; a test compares.
package generated

//go:generate go run github.com/fbverify/go/cmd/fbgen -o vortex ../schema/formats/vortex/array.fbs ../schema/formats/vortex/dtype.fbs ../schema/formats/vortex/footer.fbs ../schema/formats/vortex/layout.fbs ../schema/formats/vortex/message.fbs
//go:generate go run github.com/fbverify/go/cmd/fbgen -fixed -o arrow ../schema/formats/arrow/File.fbs ../schema/formats/arrow/Message.fbs ../schema/formats/arrow/Schema.fbs ../schema/formats/arrow/SparseTensor.fbs ../schema/formats/arrow/Tensor.fbs
//go:generate go run github.com/fbverify/go/cmd/fbgen -o feather ../schema/formats/arrow/feather.fbs
//go:generate go run github.com/fbverify/go/cmd/fbgen -o tflite ../schema/formats/tflite/tflite.fbs
//go:generate go run github.com/fbverify/go/cmd/fbgen -o flatgeobuf ../schema/formats/flatgeobuf/feature.fbs ../schema/formats/flatgeobuf/header.fbs
//go:generate go run github.com/fbverify/go/cmd/fbgen -o reflection ../schema/formats/reflection/reflection.fbs
//go:generate go run github.com/fbverify/go/cmd/fbgen -fixed -o bench ../internal/inputs/bench.fbs ../internal/inputs/hostile.fbs
