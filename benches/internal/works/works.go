// Package works lists the pieces of work that this implementation is held
// against others, or against itself, in: what is done, who does it, and on which
// bytes.
package works

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/fbverify/go/benches/internal/pair"
	"github.com/fbverify/go/benches/internal/peer"
	"github.com/fbverify/go/benches/internal/reads"
)

// Peers by name, as works ask for them.
const (
	Rust  = "rust"  // the crate flatbuffers
	CXX   = "c++"   // the Verifier of FlatBuffers with generated code
	Flatc = "flatc" // the compiler, a native one
)

// A Work is one piece of work.
type Work struct {
	// Name says what it is, with slashes: "root/Layout/1x8". Names do not change.
	Name string

	// Needs are the peers that take part, where they can be had. With none of
	// them it is held against other ways of this implementation only.
	Needs []string

	// Make makes the legs, ours first, of those peers that env has. ErrNoPeer
	// says that none is left; a Skip, that this machine does not have the input.
	Make func(ctx context.Context, env *Env) (ours pair.Leg, others []pair.Leg, err error)
}

// ErrNoPeer is the error of a work that has nobody to be held against.
var ErrNoPeer = errors.New("none of its peers is there")

// Skip is the error of a work whose input is not there; it says which.
type Skip string

func (s Skip) Error() string { return string(s) }

// Env is what works are made from.
type Env struct {
	Root string // the folder of this repository's go.mod
	Temp string // a folder for files, which the caller removes

	// Peers that run, nil where they cannot be had.
	Rust, CXX *peer.Process

	// Flatc and Inspect are the paths of native programs, "" where they cannot
	// be had.
	Flatc, Inspect string

	// Short says that inputs may be smaller than those whose figures are told.
	Short bool

	cold *reads.Cold // kept between the works that need it, since it takes seconds to make
}

// All returns the works, in the order of the figures.
func All() []Work {
	var all []Work
	all = append(all, rootWorks()...)
	all = append(all, modeWorks()...)
	all = append(all, lengthWorks()...)
	all = append(all, realWorks()...)
	all = append(all, stringWorks()...)
	all = append(all, hostileWorks()...)
	all = append(all, readWorks()...)
	all = append(all, decodeWorks()...)
	all = append(all, streamWorks()...)
	all = append(all, dumpWorks()...)
	return all
}

// file writes an input to the folder of files, where peers read it.
func (e *Env) file(name string, data []byte) (string, error) {
	path := filepath.Join(e.Temp, name)
	return path, os.WriteFile(path, data, 0o666)
}

// verifiers returns the legs of the peers that run, over bytes of a root type.
func (e *Env) verifiers(name, root string, data []byte) ([]pair.Leg, error) {
	var legs []pair.Leg
	for _, p := range []*peer.Process{e.Rust, e.CXX} {
		if p == nil {
			continue
		}
		if !p.Can(root) {
			return nil, fmt.Errorf("peer %s cannot verify %s", p.Name, root)
		}
		path, err := e.file(name, data)
		if err != nil {
			return nil, err
		}
		legs = append(legs, p.Leg(root, path))
	}
	if len(legs) == 0 {
		return nil, ErrNoPeer
	}
	return legs, nil
}

// verifying is a leg that verifies: its sum is 1 for a buffer that is accepted.
func verifying(name string, verify func() error) pair.Leg {
	return pair.Leg{Name: name, Run: func(_ context.Context, n int) (pair.Sample, error) {
		accepted := 0
		start := time.Now()
		for range n {
			if verify() == nil {
				accepted++
			}
		}
		elapsed := time.Since(start)
		if accepted != 0 && accepted != n {
			return pair.Sample{}, fmt.Errorf("%s: the verdict changed between iterations", name)
		}
		return pair.Sample{Elapsed: elapsed, Sum: uint64(min(accepted, 1))}, nil
	}}
}

// looping is a leg that visits: make returns a loop that starts at the first
// message, and the sum is that of the first proof visits, which are made once and
// are not timed.
func looping(name string, proof int, make func() (reads.Loop, error)) (pair.Leg, error) {
	first, err := make()
	if err != nil {
		return pair.Leg{}, err
	}
	sum := first(proof)
	loop, err := make()
	if err != nil {
		return pair.Leg{}, err
	}
	return pair.Leg{Name: name, Run: func(_ context.Context, n int) (pair.Sample, error) {
		start := time.Now()
		total := loop(n)
		elapsed := time.Since(start)
		runtime.KeepAlive(total) // the reads are not to be optimized away
		return pair.Sample{Elapsed: elapsed, Sum: sum}, nil
	}}, nil
}

// bound is a leg that nobody runs: a time that is not to be exceeded.
func bound(name string, d time.Duration, sum uint64) pair.Leg {
	return pair.Leg{Name: name, Run: func(_ context.Context, n int) (pair.Sample, error) {
		return pair.Sample{Elapsed: time.Duration(n) * d, Sum: sum}, nil
	}}
}
