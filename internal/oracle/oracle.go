// Package oracle gives tests the peers this project is held against, and the real files it is tried on.
//
// The peers are flatc itself, compiled to WebAssembly and run by Node ([NewFlatc]), and the packages for
// Python and JavaScript, for programs of the tests ([Python], [Node]). The files are a corpus
// kept beside the repository ([Corpus]). Each may be missing from a machine, or be there and not work: a test that asks for one is
// then skipped with the reason, unless the environment variable FBVERIFY_REQUIRE_ORACLES is set to
// anything but the empty string; then it fails, so that a build meant to compare cannot pass by comparing nothing.
// FBVERIFY_WITHOUT_ORACLES is for the contrary: no program is found then.
//
// Only tests and benchmarks may import this package.
package oracle

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// RequireEnv names the environment variable that turns "skipped, the peer is not installed" into a failure.
const RequireEnv = "FBVERIFY_REQUIRE_ORACLES"

// WithoutEnv names the environment variable by which no other program is found: for runs that look for
// something else than a difference from a peer, and need not compare once more.
const WithoutEnv = "FBVERIFY_WITHOUT_ORACLES"

var findRoot = sync.OnceValues(func() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(mod, []byte("module github.com/fbverify/go\n")) {
			return dir, nil // and not the go.mod of a module inside it
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("oracle: no go.mod of github.com/fbverify/go in the working directory or above it")
		}
		dir = parent
	}
})

// RepoRoot returns the folder that holds the library's go.mod, found by walking up from the working directory,
// which `go test` sets to the folder of the package under test. It panics if there is none.
func RepoRoot() string {
	root, err := findRoot()
	if err != nil {
		panic(err)
	}
	return root
}

// Corpus returns the path of the corpus of real files, ../shared/corpus seen from the repository's root.
// Where it is missing the test is skipped.
func Corpus(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(RepoRoot(), "..", "shared", "corpus")
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		Missing(t, "the corpus of real files is not there: ../shared/corpus beside the repository")
	}
	return dir
}

// Missing ends a test that needs what this machine does not have: skipped, or failed
// where [RequireEnv] says that all has to be there.
func Missing(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv(RequireEnv) != "" {
		t.Fatalf("%s (and %s is set)", reason, RequireEnv)
	}
	t.Skip(reason)
}
