package input

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"

	"github.com/fbverify/go/remote"
)

// MaxFetch is how many bytes are read of one URL, all ranges together. It is set before
// anything is opened; 0 = as package remote has it.
var MaxFetch int64

// Shown is a name as it is printed: without the secrets that a URL may hold.
func Shown(name string) string {
	if remote.IsURL(name) {
		return remote.Redact(name)
	}
	return name
}

func openURL(ctx context.Context, name string) (*Source, error) {
	if u, err := url.Parse(name); err == nil && u.Scheme == "file" {
		if u.Host != "" && u.Host != "localhost" {
			return nil, fileError(name, errors.New("it is a file of another machine: file:/// is one of this"))
		}
		return Open(ctx, filepath.FromSlash(u.Path))
	}
	f, err := remote.Open(ctx, name, &remote.Options{MaxBytes: MaxFetch})
	if err != nil {
		return nil, remoteError(name, err)
	}
	return &Source{Name: f.Name(), Size: f.Size(), r: f, closers: []func() error{f.Close}}, nil
}

// Fetched reports whether the file lies elsewhere, and ranges of it are read as they are
// asked for.
func (s *Source) Fetched() bool {
	_, ok := s.r.(*remote.File)
	return ok
}

// remoteError is an error about a file by its URL, which says the name once.
func remoteError(name string, err error) error {
	var of *remote.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	if errors.Is(err, remote.ErrLimit) {
		err = &openError{err.Error() + ": --max-fetch allows more", err}
	}
	return fileError(name, err)
}
