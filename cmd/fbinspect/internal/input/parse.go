package input

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/fbverify/go/internal/files"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

// place is a line of another file in the message of an error.
var place = regexp.MustCompile(`[^\s"()]+:\d+`)

// parseText parses a .fbs. The parser takes a file system, and includes may lead
// upwards, so it is given the whole disk; in its errors the paths are turned back
// into those a person would type here. The text of the file is given, and it need not be
// there.
func parseText(name string, text []byte, include []string) (*schema.Schema, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, plain(name, err)
	}
	disk := filepath.VolumeName(abs) + string(filepath.Separator)
	opts := fbs.Options{}
	for _, dir := range files.IncludeFrom(name, include) {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return nil, plain(dir, err)
		}
		opts.Include = append(opts.Include, onDisk(disk, dir))
	}
	s, err := opts.ParseFS(files.WithFile(os.DirFS(disk), onDisk(disk, abs), text), onDisk(disk, abs))
	if err == nil {
		return s, nil
	}
	var list fbs.ErrorList
	if errors.As(err, &list) {
		for _, e := range list {
			e.File = typed(disk, e.File)
			e.Message = place.ReplaceAllStringFunc(e.Message, func(at string) string {
				colon := strings.LastIndexByte(at, ':')
				if info, err := os.Stat(disk + filepath.FromSlash(at[:colon])); err != nil || !info.Mode().IsRegular() {
					return at
				}
				return typed(disk, at[:colon]) + at[colon:]
			})
		}
	}
	return nil, err
}

// onDisk turns an absolute path into one of the disk's fs.FS.
func onDisk(disk, abs string) string {
	rel := filepath.ToSlash(strings.TrimPrefix(abs, disk))
	if rel == "" {
		return "."
	}
	return rel
}

// typed turns a path of the disk's fs.FS into one from the working folder, or an
// absolute one where it lies elsewhere.
func typed(disk, path string) string {
	abs := disk + filepath.FromSlash(path)
	if _, err := os.Stat(abs); err != nil && !strings.Contains(path, "/") {
		return path // no file of the disk: a name the parser made
	}
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, abs); err == nil && !strings.HasPrefix(rel, "..") {
			return rel
		}
	}
	return abs
}
