package modules_test

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
)

const library = "github.com/fbverify/go"

// home is a machine that has nothing of ours but a proxy, and folders for what is
// downloaded and installed.
type home struct {
	*testing.T
	env     []string
	bin     string
	version string // what the modules beside the library require it as, and so what all are packed as
}

func newHome(t *testing.T) *home {
	t.Helper()
	if testing.Short() {
		t.Skip("builds everything anew")
	}
	for _, name := range []string{"go", "git"} {
		if _, err := exec.LookPath(name); err != nil {
			oracle.Missing(t, "the command "+name+" is not there")
		}
	}
	root := oracle.RepoRoot()
	workspace := []string{"GOWORK=" + filepath.Join(root, "go.work"), "GOFLAGS="}
	// What our modules require has to be in the cache; it is a proxy too.
	for _, c := range []struct {
		env  []string
		args []string
	}{
		{workspace, []string{"list", "-deps", "./cmd/fbinspect"}},
		{[]string{"GOWORK=off", "GOFLAGS="}, []string{"mod", "download"}},
	} {
		if out, err := run(root, c.env, "go", c.args...); err != nil {
			oracle.Missing(t, fmt.Sprintf("the modules that ours require are not here and cannot be downloaded: %v\n%s", err, out))
		}
	}
	cache := strings.TrimSpace(must(t, root, nil, "go", "env", "GOMODCACHE"))
	others := strings.TrimSpace(must(t, root, nil, "go", "env", "GOPROXY"))
	version := modOf(t, filepath.Join(root, "cmd", "fbinspect")).requires()[library]
	proxy, bin := t.TempDir(), t.TempDir()
	for line := range strings.Lines(must(t, root, workspace, "go", "list", "-m", "-f", "{{.Path}}\t{{.Dir}}")) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		pack(t, proxy, path, dir, version)
	}
	return &home{t, []string{
		"GOPROXY=" + fileURL(proxy) + "," + fileURL(filepath.Join(cache, "cache", "download")) + "," + others,
		"GOMODCACHE=" + t.TempDir(), "GOBIN=" + bin, "GOWORK=off", "GOFLAGS=-modcacherw", "GOSUMDB=off", "GOTOOLCHAIN=local",
		"GOPRIVATE=", "GONOPROXY=", "GONOSUMDB=",
	}, bin, version}
}

func fileURL(dir string) string {
	dir = filepath.ToSlash(dir)
	if !strings.HasPrefix(dir, "/") {
		dir = "/" + dir // of a drive
	}
	return "file://" + dir
}

func run(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok {
		return string(out) + string(exit.Stderr), err
	}
	return string(out), err
}

func must(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	out, err := run(dir, env, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

func (h *home) run(dir string, args ...string) string {
	h.Helper()
	return must(h.T, dir, h.env, args[0], args[1:]...)
}

// pack adds a module to a proxy: the files of its folder that git has or would add,
// without those of the modules inside it.
func pack(t *testing.T, proxy, path, dir, version string) {
	t.Helper()
	at := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(at, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	write("list", []byte(version+"\n"))
	write(version+".mod", mod)
	write(version+".info", []byte(`{"Version":"`+version+`","Time":"2026-01-01T00:00:00Z"}`))

	file, err := os.Create(filepath.Join(at, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, files := zip.NewWriter(file), 0
	names := strings.Split(must(t, dir, nil, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00")
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		info, err := os.Lstat(filepath.Join(dir, name))
		if name == "" || err != nil || !info.Mode().IsRegular() || inOther(dir, name) {
			continue
		}
		from, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		to, err := z.Create(path + "@" + version + "/" + name)
		if err == nil {
			_, err = io.Copy(to, from)
		}
		from.Close()
		if err != nil {
			t.Fatal(err)
		}
		files++
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	size, _ := file.Seek(0, io.SeekEnd)
	t.Logf("%s: %d files, %d KB packed", path, files, size>>10)
}

// inOther reports whether a file is in a module that lies inside that of a folder.
func inOther(dir, name string) bool {
	for at := filepath.Dir(name); at != "."; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(dir, at, "go.mod")); err == nil {
			return true
		}
	}
	return false
}

// mod is what `go mod edit -json` tells.
type mod struct {
	Go, Toolchain string
	Require       []struct {
		Path, Version string
		Indirect      bool
	}
	Tool, Replace, Exclude []any
}

func modOf(t *testing.T, dir string) *mod {
	t.Helper()
	m := new(mod)
	if err := json.Unmarshal([]byte(must(t, dir, nil, "go", "mod", "edit", "-json")), m); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *mod) requires() map[string]string {
	all := map[string]string{}
	for _, r := range m.Require {
		all[r.Path] = r.Version
	}
	return all
}

// module makes a module with nothing in it, at the library's go line.
func (h *home) module(files map[string]string) (dir string) {
	h.Helper()
	dir = h.TempDir()
	h.run(dir, "go", "mod", "init", "example.test/program")
	h.run(dir, "go", "mod", "edit", "-go="+modOf(h.T, oracle.RepoRoot()).Go)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			h.Fatal(err)
		}
	}
	return dir
}

// checkMod holds a module that got the library to what may have changed in its go.mod:
// the library and what that requires are there, at the versions that it names, and
// nothing else is.
func (h *home) checkMod(dir string) {
	h.Helper()
	ours, got := modOf(h.T, oracle.RepoRoot()), modOf(h.T, dir)
	want := ours.requires()
	want[library] = h.version
	if have := got.requires(); !maps.Equal(have, want) {
		h.Errorf("it requires %v, want %v", have, want)
	}
	if got.Go != ours.Go || got.Toolchain != "" || len(got.Replace)+len(got.Exclude) > 0 {
		text, _ := os.ReadFile(filepath.Join(dir, "go.mod"))
		h.Errorf("more of its go.mod has changed than what it requires; its go line was %s:\n%s", ours.Go, text)
	}
}

// TestModulesCanBeHad as our users have them.
func TestModulesCanBeHad(t *testing.T) {
	h := newHome(t)
	for name, test := range map[string]func(h *home){
		"the inspector is installed": installInspector, "the generator is a tool": useGenerator, "the library is added": addLibrary,
	} {
		t.Run(name, func(t *testing.T) { test(&home{t, h.env, h.bin, h.version}) })
	}
}

func installInspector(h *home) {
	h.run(h.TempDir(), "go", "install", library+"/cmd/fbinspect@latest")
	program := filepath.Join(h.bin, "fbinspect")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if out := h.run(h.TempDir(), program, "version"); !strings.Contains(out, h.version) {
		h.Errorf("it is %q, not version %s", out, h.version)
	}
	vortex := filepath.Join(oracle.RepoRoot(), "testdata", "vortex", "types.vortex")
	if out := h.run(h.TempDir(), program, "verify", vortex); !strings.Contains(out, "39 FlatBuffers") {
		h.Errorf("verify: %s", out)
	}
}

func useGenerator(h *home) {
	dir := h.module(map[string]string{
		"shop.fbs":  "namespace shop; table Shop { name: string; } root_type Shop;",
		"doc.go":    "package program\n\n//go:generate go tool fbgen -o shop shop.fbs\n",
		"x_test.go": "package program\n\nimport \"example.test/program/shop\"\n\nvar _ shop.Shop\n",
	})
	h.run(dir, "go", "get", "-tool", library+"/cmd/fbgen@latest")
	h.checkMod(dir)
	h.run(dir, "go", "generate", "./...")
	h.run(dir, "go", "mod", "tidy")
	h.run(dir, "go", "vet", "./...")
	h.checkMod(dir)
	if got := modOf(h.T, dir).Tool; len(got) != 1 {
		h.Errorf("its tools are %v", got)
	}
}

func addLibrary(h *home) {
	dir := h.module(map[string]string{"main.go": `package main

import (
	"fmt"

	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/fbverify/dynamic"
)

func main() { fmt.Println(container.Vortex, dynamic.JSONOptions{}.Indent) }
`})
	h.run(dir, "go", "get", library+"@latest") // is no package; what it requires is added with the first
	if got := modOf(h.T, dir).requires(); !maps.Equal(got, map[string]string{library: h.version}) {
		h.Errorf("it requires %v", got)
	}
	h.run(dir, "go", "mod", "tidy") // which also asks what the library's tests need
	h.checkMod(dir)
	h.run(dir, "go", "run", ".")
	h.run(dir, "go", "vet", library+"/fbverify/...", library+"/schema/...")
}
