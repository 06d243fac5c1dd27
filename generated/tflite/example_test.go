package tflite_test

import (
	"fmt"
	"os"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/tflite"
)

// Model is a TFLite model. The proof is made when it is opened; everything that
// reads it takes it for granted.
type Model struct {
	model fbverify.Verified[tflite.Model]
}

// Open reads a model. Its weights are part of the FlatBuffer, or behind it.
func Open(path string) (*Model, error) {
	buf, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := fbverify.RootWithOptions[tflite.Model](buf, &fbverify.Options{Identifier: tflite.ModelIdentifier})
	if err != nil {
		return nil, err
	}
	return &Model{m}, nil
}

// weights returns the bytes of a tensor that the model holds, nil for one that is
// computed. Numbers in a buffer are the writer's: each index is looked at.
func (m *Model) weights(t tflite.Tensor) []byte {
	buffers := m.model.Root().Buffers()
	if int64(t.Buffer()) >= int64(buffers.Len()) {
		return nil
	}
	b := buffers.At(int(t.Buffer()))
	if file := m.model.Bytes(); b.Offset() > 1 { // outside the FlatBuffer
		if b.Offset() > uint64(len(file)) || b.Size() > uint64(len(file))-b.Offset() {
			return nil
		}
		return file[b.Offset():][:b.Size()]
	}
	return b.Data()
}

// operator names an operator: a built-in one, or the model's own.
func (m *Model) operator(op tflite.Operator) string {
	codes := m.model.Root().OperatorCodes()
	if int64(op.OpcodeIndex()) >= int64(codes.Len()) {
		return "?"
	}
	code := codes.At(int(op.OpcodeIndex()))
	// Old writers fill a byte only; whichever is larger counts.
	builtin := max(code.BuiltinCode(), tflite.BuiltinOperator(code.DeprecatedBuiltinCode()))
	if builtin == tflite.BuiltinOperatorCustom {
		return code.CustomCode()
	}
	return builtin.String()
}

func Example() {
	m, err := Open("../../testdata/tflite/weights-outside.tflite")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.model.Root().Description(), "version", m.model.Root().Version())
	for graph := range m.model.Root().Subgraphs().Values() {
		tensors := graph.Tensors()
		for i, t := range tensors.All() {
			fmt.Printf("tensor %d %q: %v %v, %d bytes of weights\n", i, t.Name(), t.Type(), t.Shape(), len(m.weights(t)))
		}
		for op := range graph.Operators().Values() {
			fmt.Println(m.operator(op), op.Inputs(), "->", op.Outputs())
			if o, ok := op.BuiltinOptions().AsConv2DOptions(); ok {
				fmt.Printf("  stride %dx%d, %v, %v\n", o.StrideW(), o.StrideH(), o.Padding(), o.FusedActivationFunction())
			}
		}
	}
	// Output:
	// a model of our own making version 3
	// tensor 0 "x": FLOAT32 [1 8 8 1], 0 bytes of weights
	// tensor 1 "filter": FLOAT32 [4 3 3 1], 144 bytes of weights
	// tensor 2 "bias": FLOAT32 [4], 16 bytes of weights
	// tensor 3 "conv": FLOAT32 [1 8 8 4], 0 bytes of weights
	// tensor 4 "offset": FLOAT32 [1], 4 bytes of weights
	// tensor 5 "y": FLOAT32 [1 8 8 4], 0 bytes of weights
	// CONV_2D [0 1 2] -> [3]
	//   stride 1x1, SAME, RELU
	// ADD [3 4] -> [5]
}
