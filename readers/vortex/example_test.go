package vortex_test

import (
	"context"
	"fmt"
	"os"

	"github.com/fbverify/go/readers/vortex"
)

// A typed list of a file's columns, and where in the file their values are.
func Example() {
	file, err := os.Open("../../testdata/vortex/wide.vortex")
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
	f, err := vortex.Open(context.Background(), file, info.Size(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(f.Columns()), "columns,", f.Rows(), "rows")
	for _, c := range f.Columns()[:2] {
		fmt.Println(c.Name, c.Type)
		for _, chunk := range c.Chunks() {
			fmt.Printf("  %6d rows from %6d on at [%d, %d): %s\n", chunk.Rows, chunk.FirstRow, chunk.Offset, chunk.End(), chunk.Role)
		}
	}
	// Output:
	// 110 columns, 267144 rows
	// instrument_000 i64?
	//   131072 rows from      0 on at [8, 120): data
	//   131072 rows from 131072 on at [120, 232): data
	//     5000 rows from 262144 on at [232, 344): data
	//       33 rows from      0 on at [142248, 142516): zones
	// instrument_001 i64?
	//   131072 rows from      0 on at [344, 464): data
	//   131072 rows from 131072 on at [464, 588): data
	//     5000 rows from 262144 on at [592, 716): data
	//       33 rows from      0 on at [142520, 143164): zones
}

// What a segment's array is made of is read when it is asked for.
func ExampleFile_Array() {
	b, err := os.ReadFile("../../testdata/vortex/types.vortex")
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := vortex.OpenBytes(b, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	chunk := f.Columns()[5].Chunks()[0]
	a, err := f.Array(context.Background(), chunk.Segment)
	if err != nil {
		fmt.Println(err)
		return
	}
	root := a.Root().Root()
	fmt.Println(a.Encodings[root.Encoding()], "of", root.Children().Len(), "arrays")
	for i, buffer := range a.Buffers {
		fmt.Println("buffer", i, "at", buffer.Offset, "of", buffer.Length, "bytes")
	}
	// Output:
	// vortex.fsst of 2 arrays
	// buffer 0 at 1776 of 192 bytes
	// buffer 1 at 1968 of 24 bytes
	// buffer 2 at 1992 of 612 bytes
	// buffer 3 at 2604 of 2 bytes
	// buffer 4 at 2606 of 82 bytes
}
