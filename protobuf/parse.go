package protobuf

import (
	"context"
	"fmt"
	"io"
	"io/fs"

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
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
			Accessor: func(path string) (io.ReadCloser, error) { return fsys.Open(path) },
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
