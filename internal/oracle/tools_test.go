package oracle

import (
	"os"
	"os/exec"
	"path/filepath"
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
	t.Setenv(RequireEnv, "")
	for name, use := range map[string]func(t *testing.T){
		"cargo":  func(t *testing.T) { Cargo(t, dir) },
		"python": func(t *testing.T) { Python(t) },
		"node":   func(t *testing.T) { Node(t, dir) },
		"g++":    func(t *testing.T) { Tool(t, "g++") },
	} {
		skipped := false
		t.Run(name, func(t *testing.T) {
			defer func() { skipped = t.Skipped() }()
			use(t)
		})
		if !skipped {
			t.Errorf("%s: the test was not skipped", name)
		}
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
	t.Setenv(RequireEnv, "")
	skipped := false
	t.Run("skipped", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		Cargo(t, dir)
	})
	if !skipped {
		t.Error("the test was not skipped")
	}
}
