package trusttest

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

// Compile makes a type of a schema and its root.
func Compile(t testing.TB, s *schema.Schema) *fbverify.Type {
	t.Helper()
	typ, err := fbverify.Compile(s, "")
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// Framed is o, which may be nil, for a buffer with a length of prefix bytes before it: 0,
// 4 or 8.
func Framed(prefix int, o *fbverify.Options) *fbverify.Options {
	if prefix == 0 {
		return o
	}
	framed := fbverify.Options{}
	if o != nil {
		framed = *o
	}
	framed.Framing = fbverify.SizePrefixed
	if prefix == fbverify.LongSizePrefixed.Prefix() {
		framed.Framing = fbverify.LongSizePrefixed
	}
	return &framed
}

// ParseText parses a schema without includes.
func ParseText(t testing.TB, text string) *schema.Schema {
	t.Helper()
	s, err := fbs.ParseFS(fstest.MapFS{"x.fbs": {Data: []byte(text)}}, "x.fbs")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// SurveySchema is a schema with nearly all that there is.
func SurveySchema(t testing.TB) *schema.Schema {
	t.Helper()
	s, err := fbs.ParseFS(os.DirFS(oracle.RepoRoot()), "testdata/flatbuffers/survey.fbs")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// SmallFiles are files of testdata that are not larger than a few kilobytes.
func SmallFiles(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(oracle.RepoRoot(), "testdata", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || info.IsDir() || info.Size() > 4<<10 {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = b
	}
	return files
}
