package fbverify_test

import (
	"bytes"
	"fmt"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/reflection"
)

// A stream of size-prefixed messages is written with one Builder, and read in bounded
// memory.
func ExampleNewReader() {
	var stream bytes.Buffer
	w := fbverify.NewWriter(&stream, nil)
	for _, name := range []string{"One", "Two"} {
		schema := reflection.SchemaT{RootTable: &reflection.ObjectT{Name: name}}
		if err := w.Finish(schema.Pack(w.Builder())); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
		return
	}

	r := fbverify.NewReader(&stream, nil, nil)
	for message, err := range fbverify.Messages[reflection.Schema](r) {
		if err != nil {
			fmt.Println(err) // this message is passed over; the next may be sound
			continue
		}
		fmt.Println(message.Root().RootTable().Name())
	}
	// Output:
	// One
	// Two
}
