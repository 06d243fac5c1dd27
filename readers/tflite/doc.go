// Package tflite opens TFLite models by their metadata.
//
// [Open] reads and verifies the FlatBuffer that a model is, which is most of the file where its weights
// lie in it, and holds the numbers of tensors, operators and buffers in it against each other. Then
// [Model.Subgraphs] lists tensors, with their types, shapes and the places of their weights in the file, and
// operators.
//
//	m, err := tflite.Open(ctx, file, size, nil)
//	if err != nil { … }
//	for _, g := range m.Subgraphs() {
//		for _, t := range g.Tensors() {
//			fmt.Println(t.Name, t.Type(), t.Weights)
//		}
//	}
//
// # How much is read
//
// Where the FlatBuffer ends stands nowhere. A file of at most 64 MiB is one read. Of a larger one the tables are read that lead to
// weights outside the FlatBuffer, in pieces, and then it itself: memory is taken in proportion to
// the FlatBuffer, and weights outside are read when [Model.AppendTo] asks for them. A model in a mapped file
// ([readers.Bytes]) is read in place.
//
// # What is checked
//
// After a nil error of Open: each tensor's buffer is one of the model's, and where the size of its elements is fixed, its weights have
// as many bytes as its shape needs; weights lie in the file, and those outside the FlatBuffer do not lie in it; operators' codes, and
// the tensors that operators, subgraphs and signatures refer to are there, or -1 where a tensor
// may be left out; metadata has buffers.
//
// All that is exported here is meant to stay.
package tflite
