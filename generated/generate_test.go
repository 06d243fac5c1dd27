package generated

import (
	"os"
	"slices"
	"testing"

	"github.com/fbverify/go/internal/gentest/golden"
)

func TestGeneratedPackagesAreWhatFbgenWrites(t *testing.T) {
	named := golden.Check(t, "generate.go")
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(named, e.Name()) {
			t.Errorf("the folder %s has no go:generate line", e.Name())
		}
	}
}
