package tflite_test

import (
	"context"
	"fmt"
	"os"

	"github.com/fbverify/go/readers/tflite"
)

// A typed list of a model's tensors, and where in the file their weights are.
func Example() {
	file, err := os.Open("../../testdata/tflite/weights-outside.tflite")
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
	m, err := tflite.Open(context.Background(), file, info.Size(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, g := range m.Subgraphs() {
		for i, t := range g.Tensors() {
			fmt.Printf("%d %s %s, weights at [%d, %d)\n", i, t.Name, t.Type(), t.Weights.Offset, t.Weights.End())
		}
		for _, op := range g.Operators() {
			fmt.Println(op.Name, op.Inputs, "->", op.Outputs)
		}
	}
	// Output:
	// 0 x float32[1,8,8,1], weights at [0, 0)
	// 1 filter float32[4,3,3,1], weights at [976, 1120)
	// 2 bias float32[4], weights at [912, 928)
	// 3 conv float32[1,8,8,4], weights at [0, 0)
	// 4 offset float32[1], weights at [888, 892)
	// 5 y float32[1,8,8,4], weights at [0, 0)
	// CONV_2D [0 1 2] -> [3]
	// ADD [3 4] -> [5]
}
