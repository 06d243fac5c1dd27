package arrow_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/fbverify/go/readers/arrow"
)

// A typed list of a file's columns, and where in the file each batch has them.
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
	f, err := arrow.Open(context.Background(), file, info.Size(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for batch, err := range f.Batches(context.Background()) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(batch.Name, "has", batch.Rows, "rows")
		for _, c := range batch.Columns() {
			fmt.Printf("  %s: %s, %d null\n", c.Field.Name, c.Field.Type(), c.Nulls)
			for _, b := range c.Buffers {
				fmt.Printf("    %s at [%d, %d)\n", b.Kind, b.Offset, b.End())
			}
		}
	}
	// Output:
	// batch[0] has 5 rows
	//   letter: dictionary<values=string, indices=int8, ordered=0>, 1 null
	//     validity at [856, 857)
	//     values at [864, 869)
	//   level: dictionary<values=double, indices=int32, ordered=1>, 0 null
	//     validity at [872, 872)
	//     values at [872, 892)
	// batch[1] has 5 rows
	//   letter: dictionary<values=string, indices=int8, ordered=0>, 1 null
	//     validity at [1088, 1089)
	//     values at [1096, 1101)
	//   level: dictionary<values=double, indices=int32, ordered=1>, 0 null
	//     validity at [1104, 1104)
	//     values at [1104, 1124)
}

// A stream is read message by message.
func ExampleOpenStream() {
	file, err := os.Open("../../testdata/arrow/dictionary-delta.arrows")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	s, err := arrow.OpenStream(context.Background(), file, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for {
		batch, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(batch.Name, batch.Rows, "rows, body at", batch.Body.Offset, "of", batch.Body.Length, "bytes")
	}
	fmt.Println("ended with its mark:", s.Ended())
	// Output:
	// dictionary[0] 3 rows, body at 328 of 32 bytes
	// batch[0] 5 rows, body at 504 of 16 bytes
	// dictionary[1] 1 rows, body at 704 of 16 bytes
	// batch[1] 5 rows, body at 864 of 8 bytes
	// ended with its mark: true
}
