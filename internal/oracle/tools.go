package oracle

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Tool returns the path of a program that has to be in PATH, or skips the test where it is not.
func Tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, "there is no "+name+" in PATH")
	}
	return path
}

// Python returns a command that runs Python with the package flatbuffers of the release [FlatcVersion]
// at hand. Where either is not installed the test is skipped.
func Python(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	python := Tool(t, "python3")
	packages := filepath.Join(RepoRoot(), "internal", "oracle", "python")
	if _, err := os.Stat(filepath.Join(packages, "flatbuffers")); err != nil {
		Missing(t, "the Python package flatbuffers is not installed: run internal/oracle/install.sh (needs pip)")
	}
	cmd := exec.Command(python, append([]string{"-B"}, args...)...)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+packages)
	return cmd
}

// Node returns a command that runs Node in dir, where its programs then find the packages of package.json:
// flatbuffers, and typescript. Where Node or they are not installed the test is skipped.
func Node(t testing.TB, dir string, args ...string) *exec.Cmd {
	t.Helper()
	node := Tool(t, "node")
	packages := filepath.Join(RepoRoot(), "internal", "oracle", "node_modules")
	for _, name := range []string{"flatbuffers", "typescript"} {
		if _, err := os.Stat(filepath.Join(packages, name)); err != nil {
			Missing(t, "the JavaScript package "+name+" is not installed: "+installHint)
		}
	}
	link := filepath.Join(dir, "node_modules")
	if _, err := os.Lstat(link); err != nil {
		if err := os.Symlink(packages, link); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(node, args...)
	cmd.Dir = dir
	return cmd
}
