package fbverify_test

import (
	"fmt"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/reflection"
	flatbuffers "github.com/google/flatbuffers/go"
)

// Explain finds every fault of a buffer, where Verify stops at the first.
func ExampleType_Explain() {
	b := flatbuffers.NewBuilder(0)
	name := b.CreateString("Hero")
	reflection.ObjectStart(b)
	reflection.ObjectAddName(b, name)
	object := reflection.ObjectEnd(b) // without its fields, which are required
	reflection.SchemaStart(b)
	reflection.SchemaAddRootTable(b, object)
	reflection.FinishSchemaBuffer(b, reflection.SchemaEnd(b)) // without objects and enums

	for _, fault := range fbverify.TypeFor[reflection.Schema]().Explain(b.FinishedBytes(), nil) {
		fmt.Println(fault.Kind, "at", fault.Path)
	}
	// Output:
	// flatbuffer: required field missing at Schema.objects
	// flatbuffer: required field missing at Schema.enums
	// flatbuffer: required field missing at Schema.root_table.fields
}
