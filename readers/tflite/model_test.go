package tflite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/readers/tflite"
)

// real are the models of testdata and, where it is there, of the corpus.
func real(t testing.TB) map[string][]byte {
	files := map[string][]byte{}
	patterns := []string{filepath.Join(oracle.RepoRoot(), "testdata", "tflite", "*.tflite")}
	corpus := filepath.Join(oracle.RepoRoot(), "..", "shared", "corpus")
	if _, err := os.Stat(corpus); err == nil {
		patterns = append(patterns, filepath.Join(corpus, "tflite", "*.tflite"))
	} else if os.Getenv(oracle.RequireEnv) != "" {
		oracle.Corpus(t)
	}
	for _, pattern := range patterns {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.Base(name)] = b
		}
	}
	if len(files) < 4 {
		t.Fatalf("only %d models", len(files))
	}
	return files
}

func TestEveryRealModelOpens(t *testing.T) {
	for name, b := range real(t) {
		m, err := tflite.OpenBytes(b, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		tensors, operators := 0, 0
		for _, g := range m.Subgraphs() {
			tensors += len(g.Tensors())
			operators += len(g.Operators())
		}
		if tensors == 0 || operators == 0 {
			t.Errorf("%s has %d tensors and %d operators", name, tensors, operators)
		}
	}
}
