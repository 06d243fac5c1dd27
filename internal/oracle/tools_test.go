package oracle

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestThePythonPackageIsOfTheReleaseOfFlatc(t *testing.T) {
	out, err := Python(t, "-c", "import flatbuffers; print(flatbuffers.__version__)").Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != FlatcVersion {
		t.Errorf("version %q, %v", got, err)
	}
}

func TestNodeFindsTheBuilder(t *testing.T) {
	const program = `import('flatbuffers').then(({ Builder }) => console.log(new Builder(1).offset()))`
	out, err := Node(t, t.TempDir(), "-e", program).Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != "0" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestWhatDoesNotWorkIsSkippedWithTheReason: a program that is there and fails, as cargo of rustup
// does without a toolchain, fails no test of ours, unless all has to be there.
func TestWhatDoesNotWorkIsSkippedWithTheReason(t *testing.T) {
	const complaint = "no default toolchain is configured"
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh here to be a program that fails")
	}
	dir := t.TempDir()
	for name := range trials {
		script := "#!" + sh + "\necho '" + complaint + "' >&2\nexit 1\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	for name := range trials {
		if _, err := Program(name); err == nil || !strings.Contains(err.Error(), complaint) || !strings.Contains(err.Error(), name+" is installed") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, use := range map[string]func(t testing.TB){
		"cargo":   func(t testing.TB) { Cargo(t, dir) },
		"python3": func(t testing.TB) { Python(t) },
		"node":    func(t testing.TB) { Node(t, dir) },
		"g++":     func(t testing.TB) { Tool(t, "g++") },
	} {
		checkMissing(t, use, name+" is installed and does not work")
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Program("cargo"); err == nil || !strings.Contains(err.Error(), "there is no cargo in PATH") {
		t.Errorf("without cargo: %v", err)
	}
}

// TestCratesThatCannotBeHadAreSaidToBe: a lock names a crate that is nowhere.
func TestCratesThatCannotBeHadAreSaidToBe(t *testing.T) {
	cargo, dir := Tool(t, "cargo"), t.TempDir()
	for name, text := range map[string]string{
		"Cargo.toml":  "[package]\nname = \"nothing\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[dependencies]\nnowhere = { path = \"nowhere\" }\n",
		"src/main.rs": "fn main() {}\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Crates(cargo, dir); err == nil || !strings.Contains(err.Error(), "crates") {
		t.Errorf("got %v", err)
	}
	checkMissing(t, func(t testing.TB) { Cargo(t, dir) }, "cannot be downloaded")
}

// ended is a test that notes how it was ended.
type ended struct {
	testing.TB
	how, why string
}

func (e *ended) Helper() {}

func (e *ended) Skip(args ...any) {
	e.how, e.why = "skipped", fmt.Sprint(args...)
	runtime.Goexit()
}

func (e *ended) Fatalf(format string, args ...any) {
	e.how, e.why = "failed", fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// checkMissing asks that what is used is missing with a reason: the test is skipped, or fails
// where all has to be there.
func checkMissing(t *testing.T, use func(t testing.TB), reason string) {
	t.Helper()
	for env, want := range map[string]string{"": "skipped", "1": "failed"} {
		t.Setenv(RequireEnv, env)
		e, done := &ended{TB: t, how: "not ended"}, make(chan bool)
		go func() {
			defer close(done)
			use(e)
		}()
		<-done
		if e.how != want || !strings.Contains(e.why, reason) {
			t.Errorf("%s=%q: the test is %s: %s; want it %s: %s", RequireEnv, env, e.how, e.why, want, reason)
		}
	}
}
