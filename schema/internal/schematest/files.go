// Package schematest holds what the tests of the schema packages share: texts, random texts,
// and where the schemas of the corpus and of upstream lie.
package schematest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
)

// CorpusSchemas returns the .bfbs files of the corpus by "format/name".
func CorpusSchemas(t testing.TB) map[string][]byte {
	t.Helper()
	dir := filepath.Join(oracle.Corpus(t), "schemas")
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*.bfbs"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no .bfbs in the corpus (%v)", err)
	}
	schemas := make(map[string][]byte)
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.ToSlash(strings.TrimSuffix(strings.TrimPrefix(p, dir+string(filepath.Separator)), ".bfbs"))
		schemas[name] = b
	}
	return schemas
}

// Upstream returns a file of the FlatBuffers source tree, which lies in the
// module cache beside the Go runtime; the test is skipped where it does not.
func Upstream(t testing.TB, path string) []byte {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/flatbuffers").Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), filepath.FromSlash(path)))
	if err != nil {
		t.Skipf("not part of the module in the cache: %v", err)
	}
	return b
}
