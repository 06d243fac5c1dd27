package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fbverify/go/benches/internal/peer"
	"github.com/fbverify/go/benches/internal/record"
	"github.com/fbverify/go/benches/internal/works"
)

// buildPeers builds and starts what the works need. A peer whose compiler is
// not installed is left out, and stderr says how to get it; one that does not
// build is an error.
func buildPeers(ctx context.Context, env *works.Env, chosen []works.Work, stderr io.Writer) error {
	needed := func(name string) bool {
		return slices.ContainsFunc(chosen, func(w works.Work) bool { return slices.Contains(w.Needs, name) })
	}
	builder := peer.Builder{Root: env.Root, Log: stderr}
	program := func(build func(context.Context) (string, error)) (string, error) {
		path, err := build(ctx)
		var missing *peer.Missing
		if errors.As(err, &missing) {
			fmt.Fprintln(stderr, "peers:", missing)
			return "", nil
		}
		return path, err
	}
	started := func(name string, build func(context.Context) (string, error)) (*peer.Process, error) {
		path, err := program(build)
		if err != nil || path == "" {
			return nil, err
		}
		return peer.Start(ctx, name, path)
	}
	var err error
	if needed(works.Rust) {
		if env.Rust, err = started(works.Rust, builder.Rust); err != nil {
			return err
		}
	}
	if needed(works.CXX) {
		for _, compiler := range []string{peer.GXX, peer.Clang} {
			p, err := started(works.CXX+" by "+compiler, func(ctx context.Context) (string, error) { return builder.CXX(ctx, compiler) })
			if err != nil {
				return err
			}
			if p != nil {
				env.CXX = append(env.CXX, p)
			}
		}
		if env.Portable, err = peer.StartOurs(ctx, works.Portable, "FBVERIFY_KERNEL=portable"); err != nil {
			return err
		}
	}
	if needed(works.Flatc) {
		if env.Flatc, err = program(builder.Flatc); err != nil {
			return err
		}
		if env.Flatc == "" {
			return nil
		}
		env.Inspect = filepath.Join(env.Temp, "fbinspect")
		cmd := exec.CommandContext(ctx, "go", "build", "-o", env.Inspect, "./cmd/fbinspect")
		cmd.Dir = env.Root
		if said, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("fbinspect does not build: %w\n%s", err, said)
		}
	}
	return nil
}

func closePeers(env *works.Env) {
	for _, p := range append([]*peer.Process{env.Rust, env.Portable}, env.CXX...) {
		if p != nil {
			p.Close()
		}
	}
}

// aboutPeers says on what and with what the figures are measured.
func aboutPeers(ctx context.Context, env *works.Env) record.About {
	about := record.Here(ctx, env.Root)
	if env.Rust != nil {
		about.Rust = "crate flatbuffers " + env.Rust.Version + ", " + firstLine("rustc", "--version")
	}
	for _, p := range env.CXX {
		if about.CXX != "" {
			about.CXX += "; "
		}
		about.CXX += "C++ FlatBuffers " + p.Version + " -O3, " + firstLine(strings.TrimPrefix(p.Name, works.CXX+" by "), "--version")
	}
	if env.Flatc != "" {
		about.Flatc = "native " + firstLine(env.Flatc, "--version")
	}
	return about
}

// firstLine returns what a program says of itself.
func firstLine(name string, args ...string) string {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return name + " of an unknown version"
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line)
}
