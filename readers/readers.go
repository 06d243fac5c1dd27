// Package readers holds what the readers of formats share: options, ranges, and bytes in memory.
//
// The packages below it open a file of one format by its metadata: vortex, arrow,
// tflite, flatgeobuf. Each follows the same plan.
//
//   - Opening reads as little as leads to the metadata (one read of the end or the beginning,
//     one more where that was too short), verifies it, and holds every number in it that leads
//     somewhere against the file. What was opened can be listed without an error.
//   - Batches, arrays, features and weights are read when they are asked for, and verified
//     before they are returned. What lies close together is read at once.
//   - They know metadata: names, types, counts, places, statistics. What the values of a column
//     are is for others to decode.
//
// # Errors
//
// An error about a file is a *container.Error: part, path of the field, offset in the file,
// what was found and what is allowed. A FlatBuffer that is not sound is of the kind
// container.ErrUnreadable, with the *fbverify.Error in its Err, whose offsets count from the
// start of the part. Errors of the context are returned as they are.
//
// # Work and memory
//
// A FlatBuffer is refused if its expanded walk meets more than eight times its bytes (no writer
// shares that much), so that whatever is done with what was opened takes work in proportion to
// the metadata that was read. [Options] bound how much that is.
//
// # Concurrency and memory
//
// What was opened is safe for concurrent use if its io.ReaderAt is, and keeps the metadata that it
// read; views and strings refer to that. Bytes that are returned belong to the caller, unless
// the file is [Bytes]: then they are part of these, and neither may be written to.
package readers

import (
	"errors"
	"io"
)

// Options bound what opening and reading a file may cost. The zero value, and a nil *Options,
// are the defaults.
type Options struct {
	// First is how many bytes the first read asks for; 0 means 64 KiB. More pays where a read
	// takes long, as from an object store, and the metadata is large.
	First int64

	// Gap is how many bytes nobody asked for may be read along where that saves a read; 0
	// means 16 KiB, and below 0 that there are none.
	Gap int64

	// MaxRead is the most bytes that one read may ask for, and so the most that one piece of
	// metadata may have; 0 means 256 MiB, and 2 GiB - 1 for a model, which is one FlatBuffer.
	MaxRead int64

	// MaxTotal is the most bytes that may be read through what was opened, all reads
	// together; 0 means no limit.
	MaxTotal int64

	// Parallel is for fbverify.Options, where parts are large.
	Parallel int
}

// Range is a part of a file.
type Range struct {
	Offset, Length int64 // in bytes, of the file
}

// End returns the offset of the first byte after the range.
func (r Range) End() int64 { return r.Offset + r.Length }

// Bytes is a file in memory, as fbverify maps one. Readers take what they need of it
// in place: it must not change while they are in use.
type Bytes []byte

// ReadAt is that of io.ReaderAt.
func (b Bytes) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, errors.New("readers: a negative offset")
	}
	if off >= int64(len(b)) {
		return 0, io.EOF
	}
	n := copy(p, b[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
