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
	"slices"
	"time"

	"github.com/fbverify/go/benches/internal/peer"
	"github.com/fbverify/go/benches/internal/reads"
	"github.com/fbverify/go/benches/internal/record"
	"github.com/fbverify/go/internal/pair"
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

	// Rows makes rows of what was measured; nil is one for each of the others.
	Rows func(work string, ours pair.Leg, series *pair.Series) []record.Row
}

// Report returns the rows of what was measured.
func (w *Work) Report(ours pair.Leg, series *pair.Series) []record.Row {
	if w.Rows != nil {
		return w.Rows(w.Name, ours, series)
	}
	var rows []record.Row
	for i := 1; i < len(series.Names); i++ {
		rows = append(rows, record.NewRow(w.Name, ours, series, 0, i))
	}
	return rows
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

	// Peers that run, nil where they cannot be had: the crate, the C++ Verifier
	// as each compiler builds it, and this library with portable code.
	Rust, Portable *peer.Process
	CXX            []*peer.Process

	// Flatc and Inspect are the paths of native programs, "" where they cannot
	// be had.
	Flatc, Inspect string

	// Short says that inputs may be smaller than those whose figures are told.
	Short bool

	files int // how many were written for peers

	cold *reads.Cold // kept between the works that need it, since it takes seconds to make
}

// All returns the works, in the order of the figures. Root is the folder of this
// repository; short, whether inputs may be small.
func All(root string, short bool) ([]Work, error) {
	rows, err := familyWorks(root, short)
	if err != nil {
		return nil, err
	}
	return slices.Concat(rootWorks(), messageWorks(), firstWorks(), rows, modeWorks(), lengthWorks(), hostileWorks(),
		readWorks(), decodeWorks(), streamWorks(), sendWorks(), protobufWorks(), dumpWorks()), nil
}

// file writes an input to the folder of files, where peers read it.
func (e *Env) file(name string, data []byte) (string, error) {
	path := filepath.Join(e.Temp, name)
	return path, os.WriteFile(path, data, 0o666)
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
