package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

// place is a line of another file in the message of an error.
var place = regexp.MustCompile(`[^\s"()]+:\d+`)

// ParseSchema parses the text of a .fbs file of that name. Includes may lead upwards, so the
// parser is given the whole disk; in its errors, which are an [fbs.ErrorList], the paths are
// turned back into those that a person would type here. The text is given, and the file need
// not be there.
func ParseSchema(name string, text []byte, include []string) (*schema.Schema, error) {
	return parseSchema(nil, name, text, include)
}

// ParseSchema is [ParseSchema], where the file and all that it includes is as it was.
func (r *Revision) ParseSchema(name string, text []byte, include []string) (*schema.Schema, error) {
	s, err := parseSchema(r, name, text, include)
	var list fbs.ErrorList
	if errors.As(err, &list) {
		for _, e := range list {
			e.File = r.Name + ":" + e.File
		}
	}
	return s, err
}

func parseSchema(r *Revision, name string, text []byte, include []string) (*schema.Schema, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	disk := filepath.VolumeName(abs) + string(filepath.Separator)
	opts := fbs.Options{}
	for _, dir := range IncludeFrom(name, include) {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		if filepath.VolumeName(abs)+string(filepath.Separator) != disk {
			return nil, fmt.Errorf("-I %s: it is not on the volume of %s", dir, name)
		}
		opts.Include = append(opts.Include, onDisk(disk, abs))
	}
	fsys := os.DirFS(disk)
	if r != nil {
		fsys = r.over(disk, fsys)
	}
	s, err := opts.ParseFS(WithFile(fsys, onDisk(disk, abs), text), onDisk(disk, abs))
	var list fbs.ErrorList
	if errors.As(err, &list) {
		for _, e := range list {
			typedError(disk, e)
			// A name with a space is not found above, and no file is called "standard input".
			e.Message = strings.ReplaceAll(e.Message, onDisk(disk, abs)+":", name+":")
		}
	}
	return s, err
}

// typedError turns the paths of one error into those a person would type.
func typedError(disk string, e *fbs.Error) {
	e.File = typed(disk, e.File)
	var missing *fbs.IncludeError
	if errors.As(e.Err, &missing) {
		tried := make([]string, len(missing.Tried))
		for i, path := range missing.Tried {
			tried[i] = typed(disk, path)
		}
		e.Message = fmt.Sprintf("cannot include %q: there is no such file; looked for %s; -I FOLDER names another folder to look into", missing.Include, strings.Join(tried, ", "))
		return
	}
	e.Message = place.ReplaceAllStringFunc(e.Message, func(at string) string {
		colon := strings.LastIndexByte(at, ':')
		if info, err := os.Stat(disk + filepath.FromSlash(at[:colon])); err != nil || !info.Mode().IsRegular() {
			return at
		}
		return typed(disk, at[:colon]) + at[colon:]
	})
}

// onDisk turns an absolute path into one of the disk's fs.FS.
func onDisk(disk, abs string) string {
	rel := filepath.ToSlash(strings.TrimPrefix(abs, disk))
	if rel == "" {
		return "."
	}
	return rel
}

// typed turns a path of the disk's fs.FS into one from the working folder where it lies below
// or a few folders up, and into an absolute one elsewhere.
func typed(disk, path string) string {
	abs := disk + filepath.FromSlash(path)
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, abs); err == nil && !strings.HasPrefix(rel, strings.Repeat(".."+string(filepath.Separator), 4)) {
			return rel
		}
	}
	return abs
}
