package ui

import (
	"io"

	"github.com/fbverify/go/internal/files"
)

// Output is a file that is written: see [files.Output].
type Output = files.Output

// Create starts to write a file: see [files.Create].
func Create(name string, w io.Writer, inputs ...string) (*Output, error) {
	return files.Create(name, w, inputs...)
}

// RemoveUnfinished removes the files that are being written.
func RemoveUnfinished() { files.RemoveUnfinished() }

// IsBrokenPipe reports whether an error says that the reader of the output is gone.
func IsBrokenPipe(err error) bool { return files.IsBrokenPipe(err) }
