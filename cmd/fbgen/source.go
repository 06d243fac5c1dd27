package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fbverify/go/internal/files"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

// parseText parses a .fbs file. Includes may lead anywhere, as with other
// compilers, so the file system is read from its root; errors name files as the
// user would, relative to the working directory where they are below it. The text of
// the file itself is given.
func parseText(path string, text []byte, include []string) (*schema.Schema, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, usageError{err}
	}
	volume := filepath.VolumeName(abs)
	below := func(dir string) (string, error) {
		if filepath.VolumeName(dir) != volume {
			return "", usageError{fmt.Errorf("fbgen: -I %s is not on the same volume as %s", dir, path)}
		}
		name := strings.Trim(filepath.ToSlash(dir[len(volume):]), "/")
		if name == "" {
			name = "."
		}
		return name, nil
	}
	name, err := below(abs)
	if err != nil {
		return nil, err
	}
	var opts fbs.Options
	for _, dir := range files.IncludeFrom(path, include) {
		absDir, err := filepath.Abs(dir)
		if err != nil {
			return nil, usageError{err}
		}
		folder, err := below(absDir)
		if err != nil {
			return nil, err
		}
		opts.Include = append(opts.Include, folder)
	}
	s, err := opts.ParseFS(files.WithFile(os.DirFS(volume+string(filepath.Separator)), name, text), name)
	if err == nil {
		return s, nil
	}
	wd, wdErr := os.Getwd()
	var list fbs.ErrorList
	if wdErr == nil && errors.As(err, &list) {
		for _, e := range list {
			e.File = shown(volume, wd, e.File)
			if folder, err := below(wd); err == nil {
				e.Message = strings.ReplaceAll(e.Message, folder+"/", "")
			}
		}
	}
	return nil, err
}

// shown turns a path from the root of the volume into one that is relative to
// the working directory if it lies below, or a few folders up.
func shown(volume, wd, name string) string {
	abs := volume + string(filepath.Separator) + filepath.FromSlash(name)
	rel, err := filepath.Rel(wd, abs)
	if err != nil || strings.HasPrefix(rel, strings.Repeat(".."+string(filepath.Separator), 4)) {
		return abs
	}
	return rel
}
