// Package files is how the programs read what they are given and write what they make:
// each input is opened once, so that a pipe, a descriptor and standard input are as good
// as a file, and an output is whole or not there.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"
)

// Stdin is the name that stands for standard input.
const Stdin = "-"

// MostSchema is the bytes that a schema file may have, of either form. A binary schema of a
// thousand tables has a megabyte.
const MostSchema = 64 << 20

// Read returns the bytes of a file, pipe or descriptor of that name, or of standard input
// for [Stdin], and refuses more than most. The errors of package os name the file; the
// others do not.
func Read(name string, most int64) ([]byte, error) {
	f := os.Stdin
	if name != Stdin {
		var err error
		if f, err = os.Open(name); err != nil {
			return nil, err
		}
		defer f.Close()
	}
	switch info, err := f.Stat(); {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("it is a folder, not a file")}
	case info.Mode().IsRegular() && info.Size() > most: // a file with holes can be larger than memory
		return nil, tooLarge(name, most)
	}
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = tooLarge(name, most)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

func tooLarge(name string, most int64) error {
	return &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("it has more than %d MiB, the most that is read", most>>20)}
}

// IncludeFrom returns the folders in which to look for what a schema of that name includes:
// for one that has no folder, being a pipe or a descriptor, also the working folder.
func IncludeFrom(name string, folders []string) []string {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return append(slices.Clone(folders), ".")
	}
	return folders
}

// WithFile returns a file system in which one file has the bytes that were read of it. It
// is for schemas, whose text can come from a pipe and include files beside it.
func WithFile(fsys fs.FS, path string, b []byte) fs.FS { return &withFile{fsys, path, b} }

type withFile struct {
	fs.FS
	path string
	b    []byte
}

func (w *withFile) Open(name string) (fs.File, error) {
	if name != w.path {
		return w.FS.Open(name)
	}
	return &readFile{w: w}, nil
}

// readFile is the file, open.
type readFile struct {
	w  *withFile
	at int
}

func (f *readFile) Read(p []byte) (int, error) {
	if f.at == len(f.w.b) {
		return 0, io.EOF
	}
	n := copy(p, f.w.b[f.at:])
	f.at += n
	return n, nil
}

func (f *readFile) Close() error               { return nil }
func (f *readFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *readFile) Name() string               { return f.w.path }
func (f *readFile) Size() int64                { return int64(len(f.w.b)) }
func (f *readFile) Mode() fs.FileMode          { return 0o444 }
func (f *readFile) ModTime() time.Time         { return time.Time{} }
func (f *readFile) IsDir() bool                { return false }
func (f *readFile) Sys() any                   { return nil }
