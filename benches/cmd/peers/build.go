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
	for _, p := range []struct {
		name  string
		build func(context.Context) (string, error)
		to    **peer.Process
	}{{works.Rust, builder.Rust, &env.Rust}, {works.CXX, builder.CXX, &env.CXX}} {
		if !needed(p.name) {
			continue
		}
		path, err := program(p.build)
		if err != nil {
			return err
		}
		if path == "" {
			continue
		}
		if *p.to, err = peer.Start(ctx, p.name, path); err != nil {
			return err
		}
	}
	if needed(works.Flatc) {
		var err error
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
	for _, p := range []*peer.Process{env.Rust, env.CXX} {
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
	if env.CXX != nil {
		about.CXX = "C++ FlatBuffers " + env.CXX.Version + " -O3, " + firstLine("g++", "--version")
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
