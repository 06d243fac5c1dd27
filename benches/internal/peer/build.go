package peer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/fbverify/go/internal/oracle"
)

// Version is the release of FlatBuffers that all peers are.
const Version = "25.12.19"

// Missing is the error of a peer that cannot be built on this machine because a
// program is not there, or does not work.
type Missing struct {
	Peer    string
	Tool    string // the program that was looked for
	Err     error  // what is the matter with it
	Install string // how to get it, a sentence
}

func (m *Missing) Error() string {
	return fmt.Sprintf("%s is left out: %v. %s", m.Peer, m.Err, m.Install)
}

func (m *Missing) Unwrap() error { return m.Err }

// look returns the path of a program, or a Missing.
func look(peer, tool, install string) (string, error) {
	path, err := oracle.Program(tool)
	if err != nil {
		return "", &Missing{peer, tool, err, install}
	}
	return path, nil
}

// Builder builds the peers of one checkout of this repository.
type Builder struct {
	// Root is the folder of this repository's go.mod.
	Root string

	// Log gets a line for each step that takes long, and what failing
	// compilers say; nil for none.
	Log io.Writer
}

func (b Builder) logf(format string, args ...any) {
	if b.Log != nil {
		fmt.Fprintf(b.Log, format+"\n", args...)
	}
}

// run runs a compiler. What it printed becomes part of the error only.
func (b Builder) run(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, tail(output.Bytes(), 4000))
	}
	return nil
}

// tail returns the last n bytes at most: compilers say first what follows from
// what they say last, or say it at length.
func tail(b []byte, n int) []byte {
	if len(b) > n {
		return b[len(b)-n:]
	}
	return b
}

// Rust builds the peer in benches/peers/rust and returns the program's path.
func (b Builder) Rust(ctx context.Context) (string, error) {
	const install = "Install Rust from https://rustup.rs or with your package manager (Debian: apt install cargo)."
	cargo, err := look("the Rust crate", "cargo", install)
	if err != nil {
		return "", err
	}
	if _, err := b.generate("rust"); err != nil {
		return "", err
	}
	dir := filepath.Join(b.Root, "benches", "peers", "rust")
	if err := oracle.Crates(cargo, dir); err != nil {
		return "", &Missing{"the Rust crate", "cargo", err, install}
	}
	b.logf("building benches/peers/rust")
	if err := b.run(ctx, dir, cargo, "build", "--release", "--locked", "--quiet"); err != nil {
		return "", fmt.Errorf("the Rust crate: %w", err)
	}
	return filepath.Join(dir, "target", "release", "fbverify-peer"+exe()), nil
}

// Compilers of C++ by what their programs are called.
const (
	GXX   = "g++"
	Clang = "clang++"
)

var installCXX = map[string]string{
	GXX:   "Install GCC (Debian: apt install g++; Fedora: dnf install gcc-c++; macOS: xcode-select --install).",
	Clang: "Install Clang (Debian: apt install clang; Fedora: dnf install clang).",
}

// CXX builds the peer in benches/peers/cpp with one of the compilers and returns
// the program's path. The headers are those of the FlatBuffers release in the Go
// module cache.
func (b Builder) CXX(ctx context.Context, compiler string) (string, error) {
	name := "the C++ Verifier by " + compiler
	path, err := look(name, compiler, installCXX[compiler])
	if err != nil {
		return "", err
	}
	generated, err := b.generate("cpp")
	if err != nil {
		return "", err
	}
	tree, err := b.sources(ctx)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	source := filepath.Join(b.Root, "benches", "peers", "cpp", "main.cc")
	program := filepath.Join(b.Root, "benches", "peers", "build", compiler+exe())
	if upToDate(program, source, filepath.Join(generated, "stamp")) {
		return program, nil
	}
	b.logf("building benches/peers/cpp with %s", compiler)
	err = b.run(ctx, filepath.Dir(program), path, "-std=c++17", "-O3", "-DNDEBUG", "-I"+filepath.Join(tree, "include"), "-I"+generated, "-o", program, source)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return program, nil
}

// Flatc returns the path of a native flatc: the one in PATH if it is of the
// right version, else one that is built from the sources in the Go module
// cache, once; that takes a minute or two.
func (b Builder) Flatc(ctx context.Context) (string, error) {
	if path, err := exec.LookPath("flatc"); err == nil {
		out, err := exec.CommandContext(ctx, path, "--version").Output()
		if err == nil && strings.TrimSpace(string(out)) == "flatc version "+Version {
			return path, nil
		}
	}
	program := filepath.Join(b.Root, "benches", "peers", "build", "flatc-"+Version+exe())
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	compiler, err := look("flatc", GXX, installCXX[GXX])
	if err != nil {
		return "", err
	}
	tree, err := b.sources(ctx)
	if err != nil {
		return "", fmt.Errorf("flatc: %w", err)
	}
	if err := b.buildFlatc(ctx, compiler, tree, program); err != nil {
		return "", fmt.Errorf("flatc: %w", err)
	}
	return program, nil
}

// buildFlatc compiles every source of the compiler by itself, as many at a time
// as there are processors, and links them.
func (b Builder) buildFlatc(ctx context.Context, compiler, tree, program string) error {
	var sources []string
	for _, pattern := range []string{"src/*.cpp", "grpc/src/compiler/*.cc", "include/codegen/*.cc"} {
		found, err := filepath.Glob(filepath.Join(tree, filepath.FromSlash(pattern)))
		if err != nil {
			return err
		}
		for _, f := range found {
			if filepath.Base(f) != "flathash.cpp" { // a program of its own
				sources = append(sources, f)
			}
		}
	}
	if err := os.MkdirAll(filepath.Dir(program), 0o777); err != nil {
		return err
	}
	objects, err := os.MkdirTemp(filepath.Dir(program), "flatc-objects-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(objects)
	b.logf("building flatc %s from %d sources, a minute or two", Version, len(sources))

	include := []string{"-I" + filepath.Join(tree, "include"), "-I" + filepath.Join(tree, "grpc"), "-I" + tree}
	var (
		names  = make([]string, len(sources))
		errs   = make([]error, len(sources))
		places = make(chan struct{}, runtime.NumCPU())
		wait   sync.WaitGroup
	)
	for i, source := range sources {
		names[i] = filepath.Join(objects, fmt.Sprintf("%d.o", i))
		places <- struct{}{}
		wait.Add(1)
		go func() {
			defer func() { <-places; wait.Done() }()
			args := append([]string{"-std=c++17", "-O3", "-DNDEBUG", "-c", source, "-o", names[i]}, include...)
			errs[i] = b.run(ctx, tree, compiler, args...)
		}()
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	unfinished := program + ".new" // so that an interrupted link leaves no program
	if err := b.run(ctx, tree, compiler, append([]string{"-o", unfinished}, names...)...); err != nil {
		return err
	}
	return os.Rename(unfinished, program)
}

// sources returns the folder of the FlatBuffers release in the Go module cache.
// The Go module is a part of the whole source tree, so the C++ headers and
// flatc's sources are there too, of the very release that go.mod names.
func (b Builder) sources(ctx context.Context) (string, error) {
	const module = "github.com/google/flatbuffers"
	if err := b.run(ctx, b.Root, "go", "mod", "download", module); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Version}} {{.Dir}}", module)
	cmd.Dir = b.Root
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go list -m %s: %w", module, err)
	}
	version, dir, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if !strings.HasPrefix(version, "v"+Version) {
		return "", fmt.Errorf("go.mod names %s %s, but the peers are made for %s", module, version, Version)
	}
	if _, err := os.Stat(filepath.Join(dir, "include", "flatbuffers", "verifier.h")); err != nil {
		return "", fmt.Errorf("the module %s has no C++ headers: %w", module, err)
	}
	return dir, nil
}

// upToDate reports whether the file at target is newer than all sources.
func upToDate(target string, sources ...string) bool {
	made, err := os.Stat(target)
	if err != nil {
		return false
	}
	for _, s := range sources {
		info, err := os.Stat(s)
		if err != nil || info.ModTime().After(made.ModTime()) {
			return false
		}
	}
	return true
}

// exe is the ending of programs' names.
func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
