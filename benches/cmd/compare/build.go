package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/fbverify/go/benches/internal/compare/count"
	"github.com/fbverify/go/benches/internal/compare/exe"
	"github.com/fbverify/go/benches/internal/compare/repo"
	"github.com/fbverify/go/benches/internal/compare/report"
	"github.com/fbverify/go/benches/internal/compare/session"
)

// built is both sides, ready to run.
type built struct {
	base, head       *repo.Tree
	baseExe, headExe exe.Binary
	noBase           bool // the base has no benchmarks at all
	toolchain        string
	programs         []report.Program // what they weigh
}

// build checks both revisions out and builds their test binaries.
func (f *flags) build(ctx context.Context, r *repo.Repo, cpus []int, progress func(string, ...any)) (*built, error) {
	var b built
	var err error
	if _, err = r.Resolve(ctx, f.base); err != nil {
		return nil, fmt.Errorf("base: %w", err)
	}
	progress("checking out %s and %s", f.base, f.head)
	if b.head, err = r.Tree(ctx, f.head, "head"); err != nil {
		return nil, fmt.Errorf("head: %w", err)
	}
	if b.base, err = r.Tree(ctx, f.base, "base"); err != nil {
		return nil, fmt.Errorf("base: %w", err)
	}
	if err := r.Neighbours(); err != nil {
		return nil, err
	}
	if b.toolchain, err = exe.Toolchain(ctx, b.head.Dir); err != nil {
		return nil, err
	}
	binary := func(name string, t *repo.Tree) exe.Binary {
		return exe.Binary{Path: filepath.Join(r.Temp, name), Dir: filepath.Join(t.Dir, filepath.FromSlash(f.pkg)), CPUs: cpus}
	}
	b.baseExe, b.headExe = binary("base.test", b.base), binary("head.test", b.head)

	progress("head: building %s with %s", b.head.Short(), b.toolchain)
	if err := exe.Build(ctx, b.head.Dir, f.pkg, b.toolchain, b.headExe.Path); err != nil {
		return nil, fmt.Errorf("head, %s: %w", b.head.Short(), err)
	}
	defer func() { b.programs = f.weigh(ctx, &b, r.Temp, progress) }()
	progress("base: building %s with %s", b.base.Short(), b.toolchain)
	err = exe.Build(ctx, b.base.Dir, f.pkg, b.toolchain, b.baseExe.Path)
	if errors.Is(err, exe.ErrNoPackage) {
		b.noBase = true // every benchmark is new
		return &b, nil
	}
	if err != nil {
		return nil, fmt.Errorf("base, %s: %w", b.base.Short(), err)
	}
	return &b, nil
}

// commands are the programs whose sizes are told, beside that of the benchmarks.
var commands = []string{"./cmd/fbgen", "./cmd/fbinspect"}

// weighing is the least budget of which the time to build commands is taken.
const weighing = 5 * time.Minute

// weigh builds the commands of both sides and returns what all programs weigh.
// One that a side does not have, or that does not build, has no size there.
func (f *flags) weigh(ctx context.Context, b *built, temp string, progress func(string, ...any)) []report.Program {
	size := func(file string) int64 {
		info, err := os.Stat(file)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	programs := []report.Program{{Name: "the benchmarks", Base: size(b.baseExe.Path), Head: size(b.headExe.Path)}}
	if f.budget < weighing {
		return programs
	}
	for _, command := range commands {
		p := report.Program{Name: path.Base(command)}
		for _, side := range []struct {
			tree *repo.Tree
			to   *int64
		}{{b.base, &p.Base}, {b.head, &p.Head}} {
			file := filepath.Join(temp, "weighed")
			err := exe.BuildCommand(ctx, side.tree.Dir, command, b.toolchain, file)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				progress("%s of %s has no size: %v", p.Name, side.tree.Short(), err)
				continue
			}
			*side.to = size(file)
			os.Remove(file)
		}
		if p.Base > 0 || p.Head > 0 {
			programs = append(programs, p)
		}
	}
	return programs
}

func (b *built) sides() session.Sides {
	if b.noBase {
		return session.Sides{Head: side{b.headExe}}
	}
	return session.Sides{Base: side{b.baseExe}, Head: side{b.headExe}}
}

// tooLong is the longest iteration, in nanoseconds, whose instructions are
// counted: under callgrind everything takes some fifty times as long.
const tooLong = 300e6

// count counts instructions as far as the time allows: first where the clocks
// could tell nothing, then what they call out, then the rest.
func (b *built) count(ctx context.Context, f *flags, counter *count.Counter, out *session.Outcome, deadline time.Time, progress func(string, ...any)) (map[string]count.Counts, []string) {
	if counter == nil {
		return nil, nil
	}
	limited, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	var order []*session.Benchmark
	for _, bench := range out.Benchmarks {
		if bench.Only == "" && len(bench.Base) > 0 && slices.Min(bench.Base) < tooLong {
			order = append(order, bench)
		}
	}
	rank := func(bench *session.Benchmark) int {
		switch {
		case !bench.Decided && !bench.Separable:
			return 0
		case bench.Separable:
			return 1
		default:
			return 2
		}
	}
	slices.SortStableFunc(order, func(x, y *session.Benchmark) int {
		return cmp.Or(rank(x)-rank(y), -cmp.Compare(x.From*x.To, y.From*y.To)) // the worst first
	})
	counts := map[string]count.Counts{}
	var notes []string
	var longest time.Duration
	for _, bench := range order {
		start := time.Now()
		if start.Add(longest).After(deadline) {
			break
		}
		c, err := counter.Both(limited, b.baseExe, b.headExe, bench.Name, slices.Min(bench.Base), f.callOut/100/report.Tight)
		if limited.Err() != nil {
			break
		}
		longest = max(longest, time.Since(start))
		if err != nil {
			if len(notes) < 5 {
				notes = append(notes, fmt.Sprintf("the instructions of %s could not be counted: %.300s", bench.Name, err))
			}
			continue
		}
		counts[bench.Name] = c
	}
	progress("instructions of %d of %d benchmarks are counted by %s", len(counts), len(order), counter.Tool)
	return counts, notes
}

// describe is where the figures come from.
func (b *built) describe(ctx context.Context, r *repo.Repo, f *flags, out *session.Outcome) report.Run {
	first := func(keys ...string) string {
		for _, key := range keys {
			if v := out.Config[key]; v != "" {
				return v
			}
		}
		return "unknown"
	}
	run := report.Run{
		Base:      report.Revision{Rev: b.base.Rev, Commit: b.base.Commit},
		Head:      report.Revision{Rev: b.head.Rev, Commit: b.head.Commit, Modified: b.head.Modified},
		CPU:       first("cpuid", "cpu"),
		Pinned:    b.headExe.CPUs,
		Go:        cmp.Or(out.Config["go"], b.toolchain),
		Platform:  first("goos") + "/" + first("goarch"),
		Threshold: f.callOut / 100,
		Level:     level,
		Budget:    f.budget,
	}
	if f.suite != "" {
		run.Suites = []string{f.suite}
	}
	if b.noBase {
		run.Notes = append(run.Notes, "the base has no benchmarks at "+f.pkg)
	} else if differs, err := r.Differs(ctx, b.base.Commit, b.head, f.pkg, "testdata"); err == nil && differs {
		run.Notes = append(run.Notes, "the benchmarks or their files differ, too: a ratio compares what each side calls by that name")
	}
	if few := out.Few(); few != "" {
		run.Notes = append(run.Notes, few)
	}
	run.Programs = b.programs
	return run
}
