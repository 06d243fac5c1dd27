package verdict

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/remote"
)

// Find says which files to judge.
type Find struct {
	Recursive bool
	Include   []string // patterns of names, "*.arrow"; none = all
}

// found is a file, or why what was named is none.
type found struct {
	name     string
	inFolder bool
	err      error
}

// Found is a file, or why what was named is none.
type Found struct {
	Name     string
	InFolder bool // nobody named it
	Err      error
}

// Each gives the files that the arguments name, until ctx ends.
func (f Find) Each(ctx context.Context, args []string) iter.Seq[Found] {
	return func(yield func(Found) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		out := make(chan found)
		go func() {
			f.files(ctx, args, out)
			close(out)
		}()
		for file := range out {
			if !yield(Found{file.name, file.inFolder, file.err}) {
				return
			}
		}
	}
}

// files sends the files that the arguments name, in the order of the arguments and of
// the names in each folder. Patterns that the shell left alone are expanded here.
// Folders and files whose names start with a dot, and links, are passed over in folders.
func (f Find) files(ctx context.Context, args []string, out chan<- found) {
	send := func(file found) bool {
		select {
		case out <- file:
			return true
		case <-ctx.Done():
			return false
		}
	}
	for _, arg := range args {
		if remote.IsURL(arg) {
			if !f.urls(ctx, arg, send) {
				return
			}
			continue
		}
		names := []string{arg}
		if _, err := os.Lstat(arg); arg != input.Stdin && err != nil && strings.ContainsAny(arg, "*?[") {
			matches, err := filepath.Glob(arg)
			switch {
			case err != nil || len(matches) == 0:
				send(found{name: arg, err: errors.New("there is no such file, and as a pattern it matches none")})
				continue
			}
			names = matches
		}
		for _, name := range names {
			info, err := os.Stat(name)
			if name == input.Stdin || err != nil || !info.IsDir() {
				if !send(found{name: name}) {
					return
				}
				continue
			}
			if !f.Recursive {
				send(found{name: name, err: fmt.Errorf("it is a folder: -r looks into folders")})
				continue
			}
			if !f.walk(name, send) {
				return
			}
		}
	}
}

// urls sends what a URL means: one file, those that fit its pattern, or those below it.
func (f Find) urls(ctx context.Context, arg string, send func(found) bool) bool {
	below := strings.HasSuffix(arg, "/")
	switch {
	case below && !f.Recursive:
		return send(found{name: arg, err: errors.New("it is a folder: -r looks into folders")})
	case !below && !remote.IsPattern(arg):
		return send(found{name: arg})
	}
	n := 0
	for name, err := range remote.List(ctx, arg) {
		switch {
		case err != nil:
			var of *remote.Error // whose name is that of arg
			if errors.As(err, &of) {
				err = of.Err
			}
			return send(found{name: arg, err: err})
		case below && !f.included(name):
			continue
		}
		if n++; !send(found{name: name, inFolder: below}) {
			return false
		}
	}
	if n == 0 && !below {
		return send(found{name: arg, err: errors.New("the pattern fits no file")})
	}
	return true
}

func (f Find) walk(folder string, send func(found) bool) bool {
	if !os.IsPathSeparator(folder[len(folder)-1]) {
		folder += string(filepath.Separator) // a link that is named is followed
	}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			if !send(found{name: path, err: err}) {
				return fs.SkipAll
			}
			return nil
		case path != folder && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular() || !f.included(path):
			return nil
		}
		if !send(found{name: path, inFolder: true}) {
			return fs.SkipAll
		}
		return nil
	})
	return err == nil
}

// included reports whether a pattern fits the file's name, or its path where the
// pattern has a slash.
func (f Find) included(path string) bool {
	if len(f.Include) == 0 {
		return true
	}
	for _, pattern := range f.Include {
		name := filepath.Base(path)
		if strings.ContainsRune(pattern, '/') {
			name = filepath.ToSlash(path)
		}
		if ok, _ := filepath.Match(pattern, name); ok {
			return true
		}
	}
	return false
}

// Check reports the first pattern of Include that is not sound.
func (f Find) Check() error {
	for _, pattern := range f.Include {
		if _, err := filepath.Match(pattern, ""); err != nil {
			return fmt.Errorf("--include %q: the pattern is not sound", pattern)
		}
	}
	return nil
}
