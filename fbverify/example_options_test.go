package fbverify_test

import (
	"fmt"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/reflection"
	flatbuffers "github.com/google/flatbuffers/go"
)

// Options bound what a hostile buffer can cost, ask for an identifier, or make exceptions.
func ExampleRootWithOptions() {
	b := flatbuffers.NewBuilder(0)
	reflection.FinishSizePrefixedSchemaBuffer(b, (&reflection.SchemaT{RootTable: &reflection.ObjectT{Name: "Hero"}}).Pack(b))

	verified, err := fbverify.RootWithOptions[reflection.Schema](b.FinishedBytes(), &fbverify.Options{
		Framing:         fbverify.SizePrefixed,
		Identifier:      reflection.SchemaIdentifier,
		MaxDepth:        8,       // tables in tables
		MaxTables:       10_000,  // a shared table counts each time it is met
		MaxApparentSize: 1 << 20, // bytes, a shared one each time
		Copy:            true,    // the buffer may change afterwards
	})
	fmt.Println(verified.Root().RootTable().Name(), err)
	// Output: Hero <nil>
}
