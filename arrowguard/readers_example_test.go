package arrowguard_test

import (
	"context"
	"fmt"
	"os"

	"github.com/fbverify/go/arrowguard"
	"github.com/fbverify/go/readers/arrow"
)

// Package readers/arrow knows what is in a file; arrow-go decodes what is wanted of it. Here the
// batch is chosen by its metadata, and only that one is handed on: with the schema and the dictionaries, as a
// stream. It works for files whose messages arrow-go cannot follow itself.
func Example_oneBatch() {
	file, err := os.Open("../testdata/arrow/dictionary.arrow")
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
	ctx := context.Background()
	f, err := arrow.Open(ctx, file, info.Size(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	last := len(f.BatchBlocks()) - 1
	r, err := arrowguard.NewReader(f.Stream(ctx, last))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Release()
	for r.Next() {
		batch := r.RecordBatch()
		for i, column := range batch.Columns() {
			fmt.Println(batch.ColumnName(i), column)
		}
	}
	if err := r.Err(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// letter { dictionary: ["alpha" "beta" "gamma"]
	//   indices: [0 2 1 (null) 2] }
	// level { dictionary: [10.5 20.5]
	//   indices: [1 1 0 0 1] }
}
