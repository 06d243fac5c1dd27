package protobuf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/reporter"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// maxFaults is the number of faults after which ParseFS gives up.
const maxFaults = 50

// ParseFS parses and links .proto files and what they import, with their comments. Paths
// are those that import statements write: relative to the root of fsys, with slashes. The
// files of google/protobuf/ that come with protoc need not be there.
//
// The error lists the faults that were found, one a line, each with its file, line and column.
func ParseFS(fsys fs.FS, paths ...string) ([]protoreflect.FileDescriptor, error) {
	var faults faultList
	var mu sync.Mutex // files are opened by several goroutines
	var tooLong []string
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
			Accessor: func(path string) (io.ReadCloser, error) {
				text, err := fs.ReadFile(fsys, path)
				if err != nil {
					return nil, err
				}
				if err := longLines(path, text); err != nil {
					mu.Lock()
					tooLong = append(tooLong, err.Error())
					mu.Unlock()
					return nil, err
				}
				return io.NopCloser(bytes.NewReader(text)), nil
			},
		}),
		SourceInfoMode: protocompile.SourceInfoStandard,
		Reporter: reporter.NewReporter(func(err reporter.ErrorWithPos) error {
			faults = append(faults, err)
			if len(faults) >= maxFaults {
				return err
			}
			return nil
		}, nil),
	}
	linked, err := compiler.Compile(context.Background(), paths...)
	switch {
	case len(tooLong) > 0:
		slices.Sort(tooLong)
		return nil, errors.New(strings.Join(slices.Compact(tooLong), "\n"))
	case len(faults) > 0:
		return nil, faults
	case err != nil:
		return nil, fmt.Errorf("protobuf: %w", err)
	}
	files := make([]protoreflect.FileDescriptor, len(linked))
	for i, f := range linked {
		files[i] = f
	}
	return files, nil
}

// maxLines is the sum of the squares of a file's lines: one line of 64 KiB, or 16 MB in lines of 256 bytes.
const maxLines = 1 << 32

// longLines returns an error for a file whose lines are so long that the compiler would take minutes:
// for the column of each word it counts from the start of the line.
func longLines(path string, text []byte) error {
	longest, where, n, sum := 0, 0, 0, int64(0)
	for line := range bytes.Lines(text) {
		n++
		sum += int64(len(line)) * int64(len(line))
		if len(line) > longest {
			longest, where = len(line), n
		}
		if sum > maxLines {
			return fmt.Errorf("protobuf: %s:%d: a line of %d bytes: a file can have one of 64 KiB, or more of fewer", path, where, longest)
		}
	}
	return nil
}

// faultList is the error of files with faults.
type faultList []reporter.ErrorWithPos

func (l faultList) Error() string {
	text := ""
	for i, err := range l {
		if i > 0 {
			text += "\n"
		}
		text += err.Error()
	}
	return text
}

func (l faultList) Unwrap() []error {
	list := make([]error, len(l))
	for i, err := range l {
		list[i] = err
	}
	return list
}
