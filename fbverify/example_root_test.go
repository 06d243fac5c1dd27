package fbverify_test

import (
	"errors"
	"fmt"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/reflection"
	flatbuffers "github.com/google/flatbuffers/go"
)

// A buffer is verified once, and read without checks. The views of package reflection
// are those of binary schemas, which flatc and fbinspect write.
func ExampleRoot() {
	b := flatbuffers.NewBuilder(0)
	reflection.FinishSchemaBuffer(b, (&reflection.SchemaT{
		Objects:   []*reflection.ObjectT{{Name: "Hero", Fields: []*reflection.FieldT{{Name: "hp", Type: &reflection.TypeT{}}}}},
		RootTable: &reflection.ObjectT{Name: "Hero"},
	}).Pack(b))
	buf := b.FinishedBytes()

	verified, err := fbverify.Root[reflection.Schema](buf)
	if err != nil {
		fmt.Println(err)
		return
	}
	schema := verified.Root()
	for _, object := range schema.Objects().All() {
		fmt.Println(object.Name(), object.Fields().Len(), object.Fields().At(0).Name())
	}
	fmt.Println(schema.FileIdent() == "", schema.HasFileIdent()) // an absent field reads as its default

	// An error says what, where, and what was allowed.
	_, err = fbverify.Root[reflection.Schema](buf[:40])
	var fault *fbverify.Error
	fmt.Println(errors.Is(err, fbverify.ErrOutOfBounds), errors.As(err, &fault), fault.Type)
	// Output:
	// Hero 1 hp
	// true false
	// true true reflection.Schema
}
