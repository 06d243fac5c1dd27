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

// Verify verifies a buffer of a type whose length is before it where prefix is 4, and
// is not there where it is 0.
func Verify(typ *fbverify.Type, prefix int, buf []byte, o *fbverify.Options) error {
	if prefix > 0 {
		return typ.VerifySizePrefixed(buf, o)
	}
	return typ.Verify(buf, o)
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
