package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/benches/internal/compare/count"
	"github.com/fbverify/go/benches/internal/compare/exe"
	"github.com/fbverify/go/benches/internal/compare/repo"
	"github.com/fbverify/go/benches/internal/compare/report"
	"github.com/fbverify/go/benches/internal/compare/session"
)

// flags are what a comparison is asked for.
type flags struct {
	base, head, pkg   string
	bench, suite      string
	format, raw       string
	pin, instructions string
	budget            time.Duration
	rounds            int
	callOut, failOver float64 // in per cent
	quiet             bool
}

func compareCommand() *cobra.Command {
	var f flags
	cmd := quiet(&cobra.Command{
		Use:   "compare --base REV [--head REV|worktree]",
		Short: "Compare the benchmarks of two revisions",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return f.compare(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	})
	s := cmd.Flags()
	s.StringVar(&f.base, "base", "", "revision to compare with")
	s.StringVar(&f.head, "head", repo.Worktree, "revision to judge, or worktree for the working tree as it is")
	s.StringVar(&f.pkg, "pkg", "./benches", "package with the benchmarks, from the repository's root")
	s.StringVar(&f.bench, "bench", "", "compare only benchmarks that match, as in go test -bench")
	s.StringVar(&f.suite, "suite", "", "compare only one suite of the pull-request checks: "+strings.Join(suiteNames(), ", "))
	s.StringVar(&f.format, "format", "text", "format of the report: "+strings.Join(report.Formats, ", "))
	s.StringVar(&f.raw, "raw", "", "folder for base.txt and head.txt, which benchstat reads, and report.json")
	s.StringVar(&f.pin, "pin", "auto", "processors for the benchmarks but Parallel: auto (one), off (all), or a list such as 2,3")
	s.StringVar(&f.instructions, "instructions", "auto", "count instructions by: auto, perf, callgrind, off")
	s.DurationVar(&f.budget, "budget", 10*time.Minute, "longest time for everything, building included")
	s.IntVar(&f.rounds, "rounds", 64, "most rounds of a benchmark")
	s.Float64Var(&f.callOut, "call-out", 20, "change in per cent that is called out")
	s.Float64Var(&f.failOver, "fail-over", 0, "exit with 1 if something is separably slower by more than so many per cent; 0 for never")
	s.BoolVarP(&f.quiet, "quiet", "q", false, "do not say on standard error what goes on")
	return cmd
}

// check refuses what makes no sense, before anything takes time.
func (f *flags) check() error {
	switch {
	case f.base == "":
		return errors.New("which revision is the base? Say --base REV")
	case f.base == repo.Worktree:
		return errors.New("--base is a revision; the working tree can be the --head")
	case !slices.Contains(report.Formats, f.format):
		return fmt.Errorf("--format %q is none of %s", f.format, strings.Join(report.Formats, ", "))
	case f.budget < time.Second:
		return fmt.Errorf("--budget %v is less than a second", f.budget)
	case f.rounds < 5 || f.rounds > 100000:
		return fmt.Errorf("--rounds %d is not between 5 and 100000", f.rounds)
	case !(f.callOut > 0 && f.callOut < 100):
		return fmt.Errorf("--call-out %v is not between 0 and 100 per cent", f.callOut)
	case !(f.failOver >= 0 && f.failOver <= 10000):
		return fmt.Errorf("--fail-over %v is not between 0 and 10000 per cent", f.failOver)
	case !filepath.IsLocal(filepath.FromSlash(f.pkg)):
		return fmt.Errorf("--pkg %s is not below the repository's root", f.pkg)
	}
	if _, err := regexp.Compile(f.bench); err != nil {
		return fmt.Errorf("--bench: %w", err)
	}
	return nil
}

// pattern returns what to select, as -test.bench does.
func (f *flags) pattern() (string, error) {
	pattern := f.bench
	if f.suite != "" {
		of, err := suitePattern(f.suite)
		if err != nil {
			return "", err
		}
		if pattern != "" {
			return "", errors.New("--suite and --bench exclude each other: each says what to compare")
		}
		pattern = of
	}
	if pattern == "" {
		pattern = "."
	}
	return pattern, nil
}

// countingShare is the part of the budget that is kept for counting
// instructions.
const countingShare = 4

func (f *flags) compare(ctx context.Context, stdout, stderr io.Writer) (err error) {
	start := time.Now()
	progress := func(format string, args ...any) {
		if !f.quiet {
			fmt.Fprintf(stderr, "%6s  "+format+"\n", append([]any{time.Since(start).Round(time.Second)}, args...)...)
		}
	}
	pattern, err := f.pattern()
	if err != nil {
		return err
	}
	cpus, err := exe.Pin(f.pin)
	if err != nil {
		return err
	}
	r, err := repo.Open(ctx, ".")
	if err != nil {
		return err
	}
	defer func() {
		if e := r.Close(); e != nil {
			err = errors.Join(err, fmt.Errorf("%w: %w", errLeft, e))
		}
	}()

	deadline := start.Add(f.budget)
	building, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	built, err := f.build(building, r, cpus, progress)
	if err != nil {
		if ctx.Err() == nil && building.Err() != nil {
			return fmt.Errorf("building took longer than the budget of %v", f.budget)
		}
		return err
	}
	counter, err := count.Detect(ctx, f.instructions, r.Temp)
	if err != nil {
		return err
	}
	logs, err := openLogs(f.raw, built.base.Commit, built.head.Commit)
	if err != nil {
		return err
	}
	clocks := deadline
	if counter != nil {
		clocks = deadline.Add(-f.budget / countingShare)
	}
	out, err := session.Run(ctx, built.sides(), session.Options{
		Bench: pattern, Deadline: clocks, MaxRounds: f.rounds,
		Threshold: f.callOut / 100, Gate: f.failOver / 100, Level: level,
		Raw: logs.write, Progress: progress,
	})
	err = errors.Join(err, logs.close())
	if err != nil {
		return err
	}
	counts, notes := built.count(ctx, f, counter, out, deadline, progress)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	run := built.describe(ctx, r, f, out)
	run.Notes = append(run.Notes, notes...)
	if counter != nil {
		run.Instructions = counter.Tool
	}
	run.Used = time.Since(start)
	result := report.New(out, counts, run, suiteOf)
	if err := result.Write(stdout, f.format); err != nil {
		return err
	}
	if err := logs.report(result); err != nil {
		return err
	}
	if few := out.Few(); out.TooLittle() {
		return fmt.Errorf("too little time: %s; allow more with --budget, or narrow it with --bench", few)
	}
	if slower := result.Exceeds(f.failOver / 100); f.failOver > 0 && len(slower) > 0 {
		return fmt.Errorf("%w: more than %v %%: %s", errSlower, f.failOver, strings.Join(slower, ", "))
	}
	return nil
}

// level is the probability that a comparison tells anything apart by chance.
const level = 0.05

// writeFile writes a file and reports a failure to close it, too.
func writeFile(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
