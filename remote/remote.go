// Package remote reads files where they lie: ranges of what a URL names, as an [io.ReaderAt].
//
//	f, err := remote.Open(ctx, "https://example.org/roads.fgb", nil)
//	if err != nil { … }
//	defer f.Close()
//	file, err := flatgeobuf.Open(ctx, f, f.Size(), nil)
//
// The readers of this project's formats, and package container, take it as they take a file
// on a disk: a footer costs a few requests, whatever the size of the file.
//
// # Places
//
// https:// and http:// are read by requests for ranges. Other places, object stores above
// all, are added with [Register].
//
// # What is trusted
//
// Nothing. A size is a number that somebody said: it costs nothing until bytes are read. The
// bytes that one file may move are bounded, a request that brings nothing for a while ends,
// and one that fails is tried again from where it broke off. A file that changes between two
// requests, by its entity tag, its date or its size, ends the reading with [ErrChanged].
//
// # Secrets
//
// Names in errors, and [File.Name], leave out what may be a secret: user, password, and the
// values of a query. A redirect to another host gets no credentials, and one from https to
// http is refused.
package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// Errors, to be asked for with errors.Is.
var (
	ErrNotFound = errors.New("there is no such file")
	ErrDenied   = errors.New("reading it is not allowed")
	ErrChanged  = errors.New("it changed while it was read")
	ErrNoRanges = errors.New("the server sends no ranges of it")
	ErrLimit    = errors.New("more bytes would be moved than are allowed")
)

// Error is an error about a file. Its text has no secret of the URL.
type Error struct {
	Name string // see File.Name
	Err  error
}

func (e *Error) Error() string { return e.Name + ": " + e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Options bound what a file costs. The zero value has the defaults.
type Options struct {
	MaxBytes int64         // bytes moved for one file, all requests together; 0 = 1 GiB
	Block    int           // bytes of the smallest request; 0 = 64 KiB
	Memory   int64         // bytes kept, so that they are not asked for again; 0 = 32 MiB
	Tries    uint          // of one request; 0 = 5
	Idle     time.Duration // after which a request that brought nothing is ended; 0 = 30 s
}

func (o *Options) defaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	if d.MaxBytes == 0 {
		d.MaxBytes = 1 << 30
	}
	if d.Block <= 0 {
		d.Block = 64 << 10
	}
	if d.Memory == 0 {
		d.Memory = 32 << 20
	}
	if d.Tries == 0 {
		d.Tries = 5
	}
	if d.Idle == 0 {
		d.Idle = 30 * time.Second
	}
	return d
}

// Info says what an object is at the moment.
type Info struct {
	Key  string
	Size int64  // in bytes
	Tag  string // changes when the object does; empty where the store has none
}

// Store is where objects lie. It is safe for concurrent use.
type Store interface {
	// Stat asks for the size and the tag of an object, and for its last bytes where the same
	// request can bring them. Body then gives all from offset at to the end: about as many as
	// were asked for, or the whole object where the store has nothing less; else it is nil.
	Stat(ctx context.Context, key string, last int) (info Info, body io.ReadCloser, at int64, err error)

	// Range asks for length bytes at offset of the object that had that tag. An error that
	// may go away is a [Temporary].
	Range(ctx context.Context, key string, offset, length int64, tag string) (io.ReadCloser, error)

	// List gives the objects whose keys start with prefix, in the order of keys.
	List(ctx context.Context, prefix string) iter.Seq2[Info, error]

	Close() error
}

// Temporary is an error that may go away when the request is made again.
type Temporary struct {
	Err   error
	After time.Duration // at the earliest; 0 = not said
}

func (t *Temporary) Error() string { return t.Err.Error() }
func (t *Temporary) Unwrap() error { return t.Err }

// Opener opens the store that a URL leads to, and tells the key of what it names.
type Opener func(ctx context.Context, u *url.URL) (Store, string, error)

var (
	openersMu sync.RWMutex
	openers   = map[string]Opener{"http": openHTTP, "https": openHTTP}
)

// Register adds the places of a scheme, "s3". It panics if the scheme is there already.
func Register(scheme string, open Opener) {
	openersMu.Lock()
	defer openersMu.Unlock()
	if openers[scheme] != nil {
		panic("remote: scheme " + scheme + " is registered twice")
	}
	openers[scheme] = open
}

// Schemes lists what [Open] knows, sorted.
func Schemes() []string {
	openersMu.RLock()
	defer openersMu.RUnlock()
	return slices.Sorted(maps.Keys(openers))
}

// IsURL reports whether a name has the form of a URL of more than one letter before "://":
// a drive of Windows has one.
func IsURL(name string) bool {
	scheme, _, ok := strings.Cut(name, "://")
	if !ok || len(scheme) < 2 {
		return false
	}
	for i, c := range []byte(scheme) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.')) {
			return false
		}
	}
	return true
}

// Redact returns a URL without what may be a secret.
func Redact(name string) string {
	u, err := url.Parse(name)
	if err != nil {
		scheme, _, _ := strings.Cut(name, "://")
		return scheme + "://…"
	}
	return redacted(u)
}

func redacted(u *url.URL) string {
	text := u.Scheme + "://" + u.Host + u.EscapedPath()
	// A plain path is easier to read, and must still name the same file when it is read as a URL.
	if plain, err := url.PathUnescape(u.EscapedPath()); err == nil && !strings.ContainsFunc(plain, isControl) && !strings.ContainsAny(plain, "%?#") {
		text = u.Scheme + "://" + u.Host + plain
	}
	if u.RawQuery != "" {
		text += "?…"
	}
	return text
}

func isControl(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }

// parse reads a URL and finds the store. Its errors never hold the URL as it was typed.
func open(ctx context.Context, name string) (store Store, u *url.URL, key string, err error) {
	fail := func(err error) (Store, *url.URL, string, error) {
		return nil, nil, "", &Error{Redact(name), err}
	}
	u, err = url.Parse(name)
	if err != nil {
		return fail(errors.New("it is no sound URL"))
	}
	u.Scheme = strings.ToLower(u.Scheme)
	openersMu.RLock()
	opener := openers[u.Scheme]
	openersMu.RUnlock()
	if opener == nil {
		return fail(fmt.Errorf("%s:// is not read by this program: it knows %s", u.Scheme, strings.Join(Schemes(), ", ")))
	}
	store, key, err = opener(ctx, u)
	if err != nil {
		return fail(err)
	}
	return store, u, key, nil
}

// IsPattern reports whether the path of a URL has a character of patterns.
func IsPattern(name string) bool {
	u, err := url.Parse(name)
	return err == nil && u.Scheme != "http" && u.Scheme != "https" && strings.ContainsAny(u.Path, "*[")
}

// List gives the URLs of the objects that name means: those that fit a pattern, as of
// [path.Match], or all below a name that ends in a slash. A web server lists nothing.
func List(ctx context.Context, name string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		store, u, key, err := open(ctx, name)
		if err != nil {
			yield("", err)
			return
		}
		defer store.Close()
		prefix, pattern := key, ""
		if i := strings.IndexAny(key, "*["); i >= 0 {
			prefix, pattern = key[:i], key
			if _, err := path.Match(pattern, ""); err != nil {
				yield("", &Error{redacted(u), errors.New("the pattern is not sound")})
				return
			}
		}
		for info, err := range store.List(ctx, prefix) {
			if err != nil {
				yield("", &Error{redacted(u), err})
				return
			}
			if pattern != "" {
				if ok, _ := path.Match(pattern, info.Key); !ok {
					continue
				}
			}
			one := *u
			one.Path, one.RawPath = "/"+info.Key, ""
			if !yield(one.String(), nil) {
				return
			}
		}
	}
}
