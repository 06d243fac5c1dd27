package oracle

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A trial is a use of a program that fails where it is installed and does not work: Rust without a
// toolchain, a compiler without its library or linker. {} stands for a file that it may write.
type trial struct {
	args  []string
	stdin string
}

var (
	trialOfCXX   = []trial{{[]string{"-std=c++17", "-x", "c++", "-o", "{}", "-"}, "#include <string>\nint main() { return int(std::string().size()); }\n"}}
	trialOfShell = []trial{{[]string{"-c", "true"}, ""}}
)

var trials = map[string][]trial{
	"bash":    trialOfShell,
	"cargo":   {{[]string{"--version"}, ""}},
	"clang++": trialOfCXX,
	"fish":    trialOfShell,
	"g++":     trialOfCXX,
	"git":     {{[]string{"--version"}, ""}},
	"groff":   {{[]string{"-man", "-Tutf8"}, ".TH A 1\n"}},
	"node":    {{[]string{"-e", "0"}, ""}},
	"python3": {{[]string{"-c", "0"}, ""}},
	"rustc":   {{[]string{"--edition", "2021", "-o", "{}", "-"}, "fn main() {}\n"}},
	"sh":      trialOfShell,
	"zsh":     trialOfShell,
}

// needs are the programs that one runs itself.
var needs = map[string][]string{"cargo": {"rustc"}}

// tried holds what became of the trials of a program, by its path: one trial is enough for a process.
var tried sync.Map // string -> func() error

// Program returns the path of a program that is in PATH and works, as far as a short trial shows, or
// an error that says what is the matter with it.
func Program(name string) (string, error) {
	if os.Getenv(WithoutEnv) != "" {
		return "", fmt.Errorf("%s is not asked: %s is set", name, WithoutEnv)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("there is no %s in PATH", name)
	}
	try, _ := tried.LoadOrStore(path, sync.OnceValue(func() error { return tryProgram(name, path) }))
	if err := try.(func() error)(); err != nil {
		return "", fmt.Errorf("%s is installed and does not work: %w", name, err)
	}
	return path, nil
}

func tryProgram(name, path string) error {
	dir, err := os.MkdirTemp("", "trial")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, t := range trials[name] {
		args := strings.Split(strings.ReplaceAll(strings.Join(t.args, "\x00"), "{}", filepath.Join(dir, "out")), "\x00")
		cmd := exec.Command(path, args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(t.stdin)
		if err := quietly(cmd); err != nil {
			return err
		}
	}
	for _, other := range needs[name] {
		if _, err := Program(other); err != nil {
			return err
		}
	}
	return nil
}

// quietly runs a command whose output is told where it fails only.
func quietly(cmd *exec.Cmd) error {
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		text := bytes.TrimSpace(said.Bytes())
		return fmt.Errorf("%s: %w: %s", strings.Join(append([]string{filepath.Base(cmd.Path)}, cmd.Args[1:]...), " "), err, text[:min(len(text), 1000)])
	}
	return nil
}

// Crates makes the crates that a Cargo.lock names be on this machine, which needs the network where
// they are not; dir is the folder of the package.
func Crates(cargo, dir string) error {
	cmd := exec.Command(cargo, "fetch", "--locked", "--quiet")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CARGO_NET_RETRY=1")
	if err := quietly(cmd); err != nil {
		return fmt.Errorf("the crates are not here and cannot be downloaded: %w", err)
	}
	return nil
}

// Tool returns the path of a program that has to be in PATH and work, see [Program]. Where it does not,
// the test is skipped with the reason.
func Tool(t testing.TB, name string) string {
	t.Helper()
	path, err := Program(name)
	if err != nil {
		Missing(t, err.Error())
	}
	return path
}

// Cargo returns the path of cargo, which then has what it needs to build the package in dir. Where it
// does not, the test is skipped with the reason.
func Cargo(t testing.TB, dir string) string {
	t.Helper()
	cargo := Tool(t, "cargo")
	if err := Crates(cargo, dir); err != nil {
		Missing(t, err.Error())
	}
	return cargo
}

// Python returns a command that runs Python with the package flatbuffers of the release [FlatcVersion]
// at hand. Where either is not installed, or does not work, the test is skipped.
func Python(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	python := Tool(t, "python3")
	packages := filepath.Join(RepoRoot(), "internal", "oracle", "python")
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command(python, append([]string{"-B"}, args...)...)
		cmd.Env = append(os.Environ(), "PYTHONPATH="+packages)
		return cmd
	}
	if _, err := os.Stat(filepath.Join(packages, "flatbuffers")); err != nil {
		Missing(t, "the Python package flatbuffers is not installed: run internal/oracle/install.sh (needs pip)")
	}
	if err := quietly(command("-c", "import flatbuffers")); err != nil {
		Missing(t, "the Python package flatbuffers is installed and does not work: "+err.Error())
	}
	return command(args...)
}

// Node returns a command that runs Node in dir, where its programs then find the packages of package.json:
// flatbuffers, and typescript. Where Node or they are not installed, or do not work, the test is skipped.
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
	try := exec.Command(node, "-e", "import('flatbuffers')")
	try.Dir = dir
	if err := quietly(try); err != nil {
		Missing(t, "the JavaScript package flatbuffers is installed and does not work: "+err.Error())
	}
	cmd := exec.Command(node, args...)
	cmd.Dir = dir
	return cmd
}
