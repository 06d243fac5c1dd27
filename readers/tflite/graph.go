package tflite

import (
	"strconv"
	"strings"

	fb "github.com/fbverify/go/generated/tflite"
	"github.com/fbverify/go/readers"
)

// Subgraph is a graph of operators, the main one first.
type Subgraph struct {
	Name            string
	Inputs, Outputs []int32 // numbers of tensors; -1 for one that is left out. They are not to be written to

	View fb.SubGraph
	m    *Model
}

// Tensor is a value that flows between operators.
type Tensor struct {
	Name string

	// Shape are the dimensions. Where Signature is there, it has -1 for those that are not known, and 1
	// stands for them in Shape. Neither is to be written to.
	Shape, Signature []int32

	// Weights is where its constant elements lie in the file; it has no bytes where operators compute
	// them. See [Model.AppendTo].
	Weights readers.Range

	// External is the id of the external buffer that holds its elements, in a file beside
	// the model; 0 where none does.
	External uint32

	View fb.Tensor
}

// Type writes the type of the elements and the dimensions: "float32[1,224,224,3]", with a question
// mark for a dimension that is not known, "[*]" where not even their number is.
func (t Tensor) Type() string {
	var b strings.Builder
	b.WriteString(strings.ToLower(t.View.Type().String()))
	shape := t.Shape
	if len(t.Signature) == len(shape) {
		shape = t.Signature
	}
	if len(shape) == 0 {
		if !t.View.HasRank() && t.Weights.Length == 0 {
			b.WriteString("[*]")
		}
		return b.String()
	}
	for i, d := range shape {
		b.WriteByte("[,"[min(i, 1)])
		if d < 0 {
			b.WriteByte('?')
		} else {
			b.WriteString(strconv.Itoa(int(d)))
		}
	}
	b.WriteByte(']')
	return b.String()
}

// Operator is a step of a graph.
type Operator struct {
	Name            string  // "CONV_2D", or what a custom operator is called
	Custom          bool    // it is none of the built-in ones
	Version         int32   // of the operator
	Inputs, Outputs []int32 // numbers of tensors; -1 for one that is left out. They are not to be written to

	// Options is where the options of a custom operator lie in the file.
	Options readers.Range

	View fb.Operator
}

// Subgraphs returns the graphs.
func (m *Model) Subgraphs() []Subgraph {
	var list []Subgraph
	for g := range m.Root().Subgraphs().Values() {
		list = append(list, Subgraph{g.Name(), g.Inputs(), g.Outputs(), g, m})
	}
	return list
}

// Tensors returns the tensors by their numbers.
func (g Subgraph) Tensors() []Tensor {
	var list []Tensor
	for t := range g.View.Tensors().Values() {
		list = append(list, Tensor{t.Name(), t.Shape(), t.ShapeSignature(), g.m.weights(t), t.ExternalBuffer(), t})
	}
	return list
}

// Operators returns the operators in the order in which they are run.
func (g Subgraph) Operators() []Operator {
	var list []Operator
	codes := g.m.Root().OperatorCodes()
	for op := range g.View.Operators().Values() {
		code := codes.At(int(op.OpcodeIndex()))
		o := Operator{Version: code.Version(), Inputs: op.Inputs(), Outputs: op.Outputs(), View: op}
		o.Name, o.Custom = operatorName(code)
		if o.Options = g.m.inside(op.CustomOptions()); op.LargeCustomOptionsOffset() > 1 && op.LargeCustomOptionsSize() > 0 {
			o.Options = readers.Range{Offset: int64(op.LargeCustomOptionsOffset()), Length: int64(op.LargeCustomOptionsSize())}
		}
		list = append(list, o)
	}
	return list
}

// operatorName names an operator. Old writers fill a byte only, and new ones put 127 there where the number
// does not fit: whichever is larger counts.
func operatorName(code fb.OperatorCode) (name string, custom bool) {
	builtin := max(code.BuiltinCode(), fb.BuiltinOperator(code.DeprecatedBuiltinCode()))
	if builtin == fb.BuiltinOperatorCustom {
		return code.CustomCode(), true
	}
	return builtin.String(), false
}

// Signature is a graph as a function with named parameters.
type Signature struct {
	Key             string // its name
	Subgraph        int    // its number
	Inputs, Outputs []Argument
}

// Argument is a parameter or a result of a signature.
type Argument struct {
	Name   string
	Tensor int // its number in the subgraph
}

// Signatures returns the functions that programs may call.
func (m *Model) Signatures() []Signature {
	var list []Signature
	for s := range m.Root().SignatureDefs().Values() {
		sig := Signature{Key: s.SignatureKey(), Subgraph: int(s.SubgraphIndex())}
		for t := range s.Inputs().Values() {
			sig.Inputs = append(sig.Inputs, Argument{t.Name(), int(t.TensorIndex())})
		}
		for t := range s.Outputs().Values() {
			sig.Outputs = append(sig.Outputs, Argument{t.Name(), int(t.TensorIndex())})
		}
		list = append(list, sig)
	}
	return list
}
