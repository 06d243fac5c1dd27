// Package realfiles finds the FlatBuffers of real files for the benchmarks: those
// of testdata, and of the corpus beside the repository where it is there.
package realfiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
)

// A Part is one FlatBuffer of a file, in memory.
type Part struct {
	Name    string // within its file, "footer"
	Root    string // full name of the root type
	Bytes   []byte // with the size prefix, where there is one
	Type    *fbverify.Type
	Options *fbverify.Options // the limits that the format's own readers use
}

// Framing says whether the part's length stands before it.
func (p *Part) Framing() fbverify.Framing {
	if p.Options == nil {
		return fbverify.Unframed
	}
	return p.Options.Framing
}

// Verify verifies the part.
func (p *Part) Verify() error {
	return p.Type.Verify(p.Bytes, p.Options)
}

// A File is a real file.
type File struct {
	Name   string // "arrow/wide.arrow"
	Format container.Format
	Parts  []Part
	Size   int // bytes of all parts together
}

// Find returns the files, in order of their names, whose parts are all valid.
// Root is the folder of this repository's go.mod. A file that is not valid is
// an error: they all should be.
func Find(root string) ([]File, error) {
	var files []File
	for _, dir := range []string{
		filepath.Join(root, "testdata"),
		filepath.Join(root, "..", "shared", "corpus"),
	} {
		for _, format := range []string{"arrow", "arrow/valid", "flatgeobuf", "tflite", "vortex"} {
			found, err := folder(filepath.Join(dir, filepath.FromSlash(format)), path.Dir(format+"/"))
			if err != nil {
				return nil, err
			}
			files = append(files, found...)
		}
	}
	bare, err := bareFiles(root)
	if err != nil {
		return nil, err
	}
	files = append(files, bare...)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files, nil
}

// folder returns the files of one folder, none where there is no such folder.
func folder(dir, format string) ([]File, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var files []File
	for _, e := range entries {
		if e.IsDir() || strings.HasPrefix(e.Name(), "fuzz-") { // of fuzz cases nobody knows the verdict
			continue
		}
		file, err := open(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		file.Name = path.Join(format, e.Name())
		if file.Size > 0 {
			files = append(files, file)
		}
	}
	return files, nil
}

// open reads a file and verifies its parts.
func open(name string) (File, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return File{}, err
	}
	f, err := container.OpenBytes(data, nil)
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", name, err)
	}
	file := File{Format: f.Format()}
	for p, err := range f.Parts() {
		if err != nil {
			return File{}, fmt.Errorf("%s: %w", name, err)
		}
		part := Part{Name: p.Name, Root: p.Root, Type: p.Type(), Options: p.Options(nil)}
		if part.Type == nil {
			continue
		}
		if part.Bytes, err = p.Bytes(); err == nil {
			err = part.Verify()
		}
		if err != nil {
			return File{}, fmt.Errorf("%s: %s: %w", name, p.Name, err)
		}
		file.Parts = append(file.Parts, part)
		file.Size += len(part.Bytes)
	}
	return file, nil
}

// Largest returns, for each of some formats, the largest part of all files, and
// the file it is in. Size-prefixed parts are left out, which peers count
// differently.
func Largest(files []File, formats ...container.Format) map[container.Format]struct {
	File File
	Part Part
} {
	largest := map[container.Format]struct {
		File File
		Part Part
	}{}
	for _, f := range files {
		if !slices.Contains(formats, f.Format) {
			continue
		}
		for _, p := range f.Parts {
			if l := largest[f.Format]; p.Framing() == fbverify.Unframed && len(p.Bytes) > len(l.Part.Bytes) {
				l.File, l.Part = f, p
				largest[f.Format] = l
			}
		}
	}
	return largest
}
