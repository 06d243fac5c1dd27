package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fbverify/go/remote"
)

// shelf is a store in memory, of which one request in five fails.
type shelf struct {
	objects  map[string][]byte
	requests atomic.Int64
}

func (s *shelf) fails() error {
	if s.requests.Add(1)%5 == 0 {
		return &remote.Temporary{Err: errors.New("the shelf is busy")}
	}
	return nil
}

func (s *shelf) Stat(_ context.Context, key string, last int) (remote.Info, io.ReadCloser, int64, error) {
	if err := s.fails(); err != nil {
		return remote.Info{}, nil, 0, err
	}
	b, ok := s.objects[key]
	if !ok {
		return remote.Info{}, nil, 0, remote.ErrNotFound
	}
	return remote.Info{Key: key, Size: int64(len(b)), Tag: "1"}, nil, 0, nil
}

func (s *shelf) Range(_ context.Context, key string, offset, length int64, _ string) (io.ReadCloser, error) {
	if err := s.fails(); err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(s.objects[key][offset : offset+length])), nil
}

func (s *shelf) List(_ context.Context, prefix string) iter.Seq2[remote.Info, error] {
	return func(yield func(remote.Info, error) bool) {
		for _, key := range slices.Sorted(maps.Keys(s.objects)) {
			if strings.HasPrefix(key, prefix) && !yield(remote.Info{Key: key, Size: int64(len(s.objects[key])), Tag: "1"}, nil) {
				return
			}
		}
	}
}

func (s *shelf) Close() error { return nil }

// TestStoresAreListedAndRead holds the verbs to a store that was registered: patterns and
// prefixes list, names that have to be escaped are read, and requests that fail are repeated.
func TestStoresAreListedAndRead(t *testing.T) {
	sound, err := os.ReadFile("../../generated/arrow/fb_schema.bfbs")
	if err != nil {
		t.Fatal(err)
	}
	s := &shelf{objects: map[string][]byte{
		"a/one.bfbs": sound, "a/two words%.bfbs": sound, "a/b/three.bfbs": sound[:len(sound)/2],
		"a/words.txt": []byte("no FlatBuffer"), "z/other.bfbs": sound,
	}}
	remote.Register("shelf", func(_ context.Context, u *url.URL) (remote.Store, string, error) {
		return s, strings.TrimPrefix(u.Path, "/"), nil
	})
	for _, c := range []struct {
		args []string
		code int
		want []string // names and verdicts
	}{
		{[]string{"shelf://top/a/*.bfbs"}, exitOK, []string{"a/one.bfbs sound", "a/two%20words%25.bfbs sound"}},
		{[]string{"-r", "shelf://top/a/"}, exitInvalid, []string{"a/b/three.bfbs damaged", "a/one.bfbs sound", "a/two%20words%25.bfbs sound"}},
		{[]string{"-r", "--include", "one*", "shelf://top/"}, exitOK, []string{"a/one.bfbs sound"}},
		{[]string{"shelf://top/a/*.none"}, exitFailed, []string{"a/*.none "}},
		{[]string{"shelf://top/a/"}, exitFailed, []string{"a/ "}},
		{[]string{"shelf://top/a/missing"}, exitFailed, []string{"a/missing "}},
	} {
		code, stdout, stderr := command(t, append([]string{"verify", "--json"}, c.args...)...)
		var got []string
		for line := range strings.Lines(stdout) {
			_, name, _ := strings.Cut(line, `"file":"shelf://top/`)
			name, _, _ = strings.Cut(name, `"`)
			_, verdict, ok := strings.Cut(line, `"verdict":"`)
			if verdict, _, _ = strings.Cut(verdict, `"`); !ok || strings.Contains(line, `"error"`) {
				verdict = ""
			}
			got = append(got, name+" "+verdict)
		}
		if code != c.code || !slices.Equal(got, c.want) {
			t.Errorf("%q: %d %q, should be %d %q\n%s", c.args, code, got, c.code, c.want, stderr)
		}
	}
}
