package growth

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/internal/oracle"
)

// Messages are the families of containers that are a row of messages: the first of a real
// file, and then its second again and again. How many they are may be said in the file, and
// then it is wrong.
func Messages(t testing.TB) (families []Family) {
	t.Helper()
	for _, name := range []string{"arrow/plain.arrows", "arrow/dictionary-delta.arrows", "flatgeobuf/gdal-points.fgb", "flatgeobuf/gdal-lines-z.fgb"} {
		families = append(families, messages(t, name))
	}
	return families
}

func messages(t testing.TB, name string) Family {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := container.OpenBytes(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	var starts []int64 // of what is before each message
	at := int64(0)
	for r := range f.Regions() {
		if r.Part != nil {
			starts = append(starts, at)
		}
		if at = r.Offset + r.Length; r.Part == nil && r.Kind == container.Framing {
			at = r.Offset
		}
	}
	if len(starts) < 3 {
		t.Fatalf("%s has %d messages", name, len(starts))
	}
	head, one := b[:starts[1]], b[starts[1]:starts[2]]
	return Family{Name: "messages of " + name, Of: "messages", Make: func(size int) []byte {
		return append(bytes.Clone(head), bytes.Repeat(one, max(1, (size-len(head))/len(one)))...)
	}}
}
