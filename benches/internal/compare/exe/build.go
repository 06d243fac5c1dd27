// Package exe builds test binaries and runs benchmarks of them, one process at
// a time.
package exe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// ErrNoPackage is the error of a checkout that has no benchmarks where they
// should be.
var ErrNoPackage = errors.New("there is no package with benchmarks")

// released is a version that GOTOOLCHAIN can ask for by name.
var released = regexp.MustCompile(`^go1\.[0-9]+(\.[0-9]+|rc[0-9]+|beta[0-9]+)?$`)

// Toolchain returns the Go version that a checkout's go.mod asks for, which may
// download it, as a value for GOTOOLCHAIN.
func Toolchain(ctx context.Context, dir string) (string, error) {
	out, err := Output(ctx, dir, nil, "go", "env", "GOVERSION")
	if err != nil {
		return "", fmt.Errorf("which Go version the head asks for: %w", err)
	}
	if version := strings.TrimSpace(out); released.MatchString(version) {
		return version, nil
	}
	return "local", nil // an unreleased or experimental toolchain has no name
}

// Build builds the test binary of a package, "./benches", of a checkout with the
// given toolchain. The same source gives the same bytes wherever it lies, so that
// a revision against itself is just that.
func Build(ctx context.Context, root, pkg, toolchain, output string) error {
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(pkg))); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w at %s", ErrNoPackage, pkg)
	}
	env := []string{"GOTOOLCHAIN=" + toolchain, "GOWORK=" + workspace(root)}
	said, err := Output(ctx, root, env, "go", "test", "-c", "-trimpath", "-buildvcs=false", "-o", output, pkg)
	if err != nil {
		return fmt.Errorf("it does not build: %w", err)
	}
	if _, err := os.Stat(output); err != nil {
		return fmt.Errorf("%w at %s: %s", ErrNoPackage, pkg, strings.TrimSpace(said))
	}
	return nil
}

// BuildCommand builds a command, "./cmd/x", of a checkout, as it is given to people:
// without symbols for debuggers.
func BuildCommand(ctx context.Context, root, pkg, toolchain, output string) error {
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(pkg))); err != nil {
		return err
	}
	env := []string{"GOTOOLCHAIN=" + toolchain, "GOWORK=" + workspace(root)}
	_, err := Output(ctx, root, env, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", output, pkg)
	return err
}

// workspace returns the go.work of a checkout, without which its modules do not find each
// other, or "off": one that lies above the checkout is another's.
func workspace(root string) string {
	file := filepath.Join(root, "go.work")
	if _, err := os.Stat(file); err != nil {
		return "off"
	}
	return file
}

// fresh makes a copy of a binary beside it and returns its path.
func fresh(path string) (copied string, err error) {
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(path), "run-*"+filepath.Ext(path))
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Chmod(0o755), out.Close()); err != nil {
		os.Remove(out.Name())
		return "", err
	}
	return out.Name(), nil
}

// A CommandError is the error of a command that did not end well.
type CommandError struct {
	Command string // as one would type it
	Err     error
	Tail    string // the end of what it wrote
}

func (e *CommandError) Error() string {
	text := fmt.Sprintf("%s: %v", e.Command, e.Err)
	if e.Tail != "" {
		text += "\n\t" + strings.ReplaceAll(e.Tail, "\n", "\n\t")
	}
	return text
}

func (e *CommandError) Unwrap() error { return e.Err }

// Output runs a command and returns what it wrote to its standard output. When the
// context ends, so does the command, and the error is the context's. Env is added
// to this process's environment.
func Output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	Alone(cmd)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = 5 * time.Second
	var stdout, both tail
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&stdout, &both), &both
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", &CommandError{name + " " + strings.Join(args, " "), err, both.last(30)}
	}
	return stdout.String(), nil
}

// mostOutput bounds what is kept of a command's output, in bytes.
const mostOutput = 16 << 20

// tail is a buffer that forgets its beginning, for several writers.
type tail struct {
	mu     sync.Mutex
	buffer bytes.Buffer // not embedded: its ReadFrom would go round Write
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.buffer.Len() > mostOutput {
		t.buffer.Next(t.buffer.Len() / 2)
	}
	return t.buffer.Write(p)
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buffer.String()
}

// last returns the last lines.
func (t *tail) last(lines int) string {
	all := strings.Split(strings.TrimSpace(t.String()), "\n")
	if len(all) > lines {
		all = append([]string{"…"}, all[len(all)-lines:]...)
	}
	return strings.Join(all, "\n")
}
