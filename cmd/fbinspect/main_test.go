package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fbverify/go/internal/oracle"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"fbinspect": main})
}

// TestSessions runs the scripts in testdata/script, each of which reads like a session at a
// terminal. $TESTDATA is the repository's testdata. Run with -update to
// write the golden parts anew.
func TestSessions(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: false,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("TESTDATA", filepath.Join(oracle.RepoRoot(), "testdata"))
			env.Setenv("NO_COLOR", "1")
			return os.CopyFS(filepath.Join(env.WorkDir, "cave"), os.DirFS(filepath.Join(oracle.RepoRoot(), "testdata", "flatbuffers")))
		},
	})
}

// write writes a file, and returns its name.
func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
