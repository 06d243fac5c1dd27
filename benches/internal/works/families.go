package works

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fbverify/go/benches/internal/families"
	"github.com/fbverify/go/benches/internal/peer"
	"github.com/fbverify/go/benches/internal/record"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/inputs"
	"github.com/fbverify/go/internal/pair"
)

// Names of the legs of verifications beside the peers'.
const (
	Checked  = "checked"
	SkipUTF8 = "SkipUTF8"
	Portable = "portable" // this library with the code that runs on every processor
)

// defaultTables is the peers' own limit on tables; buffers that have more are
// verified under none.
const (
	defaultTables = 1_000_000
	liftedTables  = 1 << 30
)

// familyWorks hold the rows of all families against the peers.
func familyWorks(root string, short bool) ([]Work, error) {
	size := families.Full
	if short {
		size = families.Short
	}
	rows, err := families.All(root, size)
	if err != nil {
		return nil, err
	}
	var works []Work
	for _, row := range rows {
		works = append(works, verification(row))
	}
	return works, nil
}

// verification is a row held against the peers, and against this library without
// the check of UTF-8 and with portable code.
func verification(row families.Row) Work {
	return Work{
		Name:  row.Name,
		Needs: []string{Rust, CXX},
		Make: func(_ context.Context, env *Env) (pair.Leg, []pair.Leg, error) {
			in, err := row.Make()
			if err != nil {
				return pair.Leg{}, nil, err
			}
			others, err := env.verifiers(row, in)
			if err != nil {
				return pair.Leg{}, nil, err
			}
			runner := families.NewRunner(in, row.WorkingSet)
			leg := func(name string, opts *fbverify.Options) pair.Leg {
				return pair.Leg{Name: name, Bytes: len(in.Buffers[0]), Tables: in.Tables, Run: func(_ context.Context, n int) (pair.Sample, error) {
					elapsed, accepted, err := runner.Run(n, opts)
					sum := uint64(0)
					if accepted {
						sum = 1
					}
					return pair.Sample{Elapsed: elapsed, Sum: sum}, err
				}}
			}
			subject, allocations := leg(Checked, nil), runner.Allocations()
			subject.Allocations = &allocations
			return subject, append(others, leg(SkipUTF8, &fbverify.Options{SkipUTF8: true})), nil
		},
		Rows: verificationRows,
	}
}

// verificationRows are those of the peers, one of the faster C++ build, those of
// the portable code, and one of what skipping the check of UTF-8 takes.
func verificationRows(work string, subject pair.Leg, s *pair.Series) []record.Row {
	var rows []record.Row
	faster := 0
	for i, name := range s.Names {
		switch {
		case i == 0 || name == Portable || name == SkipUTF8: // ours
		default:
			rows = append(rows, record.NewRow(work, subject, s, 0, i))
			if strings.HasPrefix(name, CXX) && (faster == 0 || s.Median(i) < s.Median(faster)) {
				faster = i
			}
		}
	}
	against := func(i, j int, peer string) {
		r := record.NewRow(work, subject, s, i, j)
		r.Peer = peer
		rows = append(rows, r)
	}
	if faster > 0 {
		against(0, faster, CXX)
	}
	if i := slices.Index(s.Names, Portable); i > 0 {
		if faster > 0 {
			against(i, faster, CXX)
		}
		if j := slices.Index(s.Names, Rust); j > 0 {
			against(i, j, Rust)
		}
	}
	if i := slices.Index(s.Names, SkipUTF8); i > 0 {
		against(i, 0, Checked)
	}
	return rows
}

// verifiers returns the legs of the peers that run, over a row's buffers.
func (e *Env) verifiers(row families.Row, in *families.Input) ([]pair.Leg, error) {
	peers := e.peers()
	if len(peers) == 0 {
		return nil, ErrNoPeer
	}
	request := peer.Request{
		Work: row.Root, SizePrefixed: in.Framing == fbverify.SizePrefixed, Tables: defaultTables, Size: len(in.Buffers[0]), WorkingSet: row.WorkingSet,
		Path: filepath.Join(e.Temp, "buffers"),
	}
	if in.Tables > defaultTables {
		request.Tables = liftedTables
	}
	// Peers keep the last file they were told of: a new name for each row.
	e.files++
	request.Path = filepath.Join(e.Temp, fmt.Sprint("row", e.files))
	os.Remove(filepath.Join(e.Temp, fmt.Sprint("row", e.files-1))) // has been read, or nobody wanted it
	file, err := os.Create(request.Path)
	if err != nil {
		return nil, err
	}
	for _, buf := range in.Buffers {
		if _, err := file.Write(buf); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	var legs []pair.Leg
	for _, p := range peers {
		if p.Can(row.Root) { // the crate has no vectors of unions and no 64-bit offsets
			legs = append(legs, p.Leg(request))
		}
	}
	return legs, nil
}

// peers returns the verifiers that run.
func (e *Env) peers() []*peer.Process {
	peers := slices.DeleteFunc(append([]*peer.Process{e.Rust, e.Portable}, e.CXX...), func(p *peer.Process) bool { return p == nil })
	if len(peers) == 1 && e.Portable != nil {
		return nil // which is of this library
	}
	return peers
}

// messageWorks are two goroutines that verify different messages of one type: how
// long both take to verify so many each, against the one of them that takes longer
// when it is alone. They share nothing but the type.
func messageWorks() []Work {
	rows := func(from int) [][]byte {
		var messages [][]byte
		for i := range 16 {
			messages = append(messages, inputs.RowMessage(from+i))
		}
		return messages
	}
	work := func(name, root string, mine, theirs func() [][]byte) Work {
		return Work{
			Name: "parallel/messages/" + name,
			Make: func(context.Context, *Env) (pair.Leg, []pair.Leg, error) {
				t, err := families.TypeOf(root)
				if err != nil {
					return pair.Leg{}, nil, err
				}
				mine, theirs := mine(), theirs()
				many := func(list [][]byte, n int) (time.Duration, error) {
					start := time.Now()
					for i := range n {
						if err := t.Verify(list[i%len(list)], nil); err != nil {
							return 0, err
						}
					}
					return time.Since(start), nil
				}
				leg := func(name string, run func(do ...func())) pair.Leg {
					return pair.Leg{Name: name, Run: func(_ context.Context, n int) (pair.Sample, error) {
						var elapsed [2]time.Duration
						var errs [2]error
						run(func() { elapsed[0], errs[0] = many(mine, n) }, func() { elapsed[1], errs[1] = many(theirs, n) })
						return pair.Sample{Elapsed: max(elapsed[0], elapsed[1]), Sum: 1}, errors.Join(errs[:]...)
					}}
				}
				return leg("two goroutines", func(do ...func()) {
						var wait sync.WaitGroup
						for _, f := range do {
							wait.Go(f)
						}
						wait.Wait()
					}), []pair.Leg{leg("one alone", func(do ...func()) {
						for _, f := range do {
							f()
						}
					})}, nil
			},
		}
	}
	one := func(b inputs.Buffer) func() [][]byte { return func() [][]byte { return [][]byte{b.Bytes} } }
	return []Work{
		work("row", "bench.Row", func() [][]byte { return rows(0) }, func() [][]byte { return rows(100) }),
		work("layout", "Layout", one(inputs.Layout(1, 8)), one(inputs.Siblings(8, 8))),
	}
}

// firstWorks hold the first verification of a process to a bound.
func firstWorks() []Work {
	var works []Work
	for _, first := range families.Firsts() {
		works = append(works, Work{
			Name: first.Name,
			Make: func(ctx context.Context, env *Env) (pair.Leg, []pair.Leg, error) {
				p, err := families.BuildFirst(ctx, env.Root, env.Temp, first)
				if err != nil {
					return pair.Leg{}, nil, err
				}
				return pair.Leg{Name: "a process just started", Run: func(ctx context.Context, n int) (pair.Sample, error) {
					s := pair.Sample{Sum: 1}
					for range n {
						elapsed, err := p.Run(ctx)
						if err != nil {
							return s, err
						}
						s.Elapsed += elapsed
					}
					return s, nil
				}}, []pair.Leg{bound(first.Bound.String(), first.Bound, 1)}, nil
			},
		})
	}
	return works
}
