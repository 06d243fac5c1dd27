package container_test

import (
	"fmt"
	"os"

	"github.com/fbverify/go/fbverify/container"
)

// Every FlatBuffer of an Arrow file is verified; its data is not read.
func Example() {
	file, err := os.Open("../../testdata/arrow/dictionary.arrow")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := container.Open(file, info.Size(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Format())
	for part, err := range f.Parts() {
		if err == nil {
			err = part.Verify(nil)
		}
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(part.Name, part.Root, "is valid")
	}
	// Output:
	// arrow
	// schema org.apache.arrow.flatbuf.Message is valid
	// dictionary[0] org.apache.arrow.flatbuf.Message is valid
	// dictionary[1] org.apache.arrow.flatbuf.Message is valid
	// batch[0] org.apache.arrow.flatbuf.Message is valid
	// batch[1] org.apache.arrow.flatbuf.Message is valid
	// footer org.apache.arrow.flatbuf.Footer is valid
}

// A file that holds no FlatBuffers is called by its name.
func ExampleOpenBytes_unknown() {
	_, err := container.OpenBytes([]byte("\x00\x01\x02"), nil)
	fmt.Println(err)
	// Output:
	// it is 3 bytes of no known format: it starts with 00 01 02; a FlatBuffer has at least 8 bytes: the file was probably cut off
}
