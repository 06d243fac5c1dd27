// Package inputs makes the buffers that the benchmarks measure.
//
// Every buffer is made by code from its arguments alone, with the Builder of
// github.com/google/flatbuffers/go as real writers use it: the same call gives
// the same bytes on every machine, so figures from two machines are about the
// same input and no large file has to be kept.
//
// The functions write by slot number and not through generated code, so that
// what is measured does not depend on a generator that is measured as well.
package inputs

import (
	"math/rand/v2"

	flatbuffers "github.com/google/flatbuffers/go"
)

// A Buffer is one input with what is known about it.
type Buffer struct {
	// Name is what the benchmark's name says of it, such as "16x32".
	Name string

	// Bytes is the finished FlatBuffer, without a size prefix.
	Bytes []byte

	// Tables is how many tables a walk that follows every offset meets.
	Tables int
}

// rng returns the generator of one input. Seeds are fixed: see the package
// comment.
func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)) }

// blob returns n bytes that look like the serialized metadata of an encoding:
// anything, and nothing a verifier could skip.
func blob(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// offsets writes a vector of offsets to things that are already written. It
// takes the elements in reading order.
func offsets(b *flatbuffers.Builder, elements []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(flatbuffers.SizeUOffsetT, len(elements), flatbuffers.SizeUOffsetT)
	for i := len(elements) - 1; i >= 0; i-- {
		b.PrependUOffsetT(elements[i])
	}
	return b.EndVector(len(elements))
}

// finished returns an own copy of a builder's buffer. The builder's slice may
// start anywhere in a larger allocation; a copy starts where the allocator puts
// it, as a buffer read from a file does.
func finished(b *flatbuffers.Builder, root flatbuffers.UOffsetT) []byte {
	b.Finish(root)
	return append([]byte(nil), b.FinishedBytes()...)
}
