// Package count counts the instructions of benchmarks: repeatable where clocks
// are not. Where the processor's counters can be read (perf) they are; elsewhere
// the benchmark runs under callgrind, which counts what it simulates.
//
// What a count is of: the machine instructions of one iteration in user mode. It
// says nothing about caches, branches or how many instructions a processor does
// at once, and a valgrind may hide vector instructions that it does not know, so
// that other code runs than under the clocks.
package count

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/fbverify/go/benches/internal/compare/exe"
)

// A Counter counts instructions by means of some tool.
type Counter struct {
	Tool string // "perf" or "callgrind"
	temp string
}

// Detect returns the counter that a choice names: "perf" or "callgrind", or the
// first of them that works for "auto"; nil for "off", and for "auto" where
// neither works. Temp is a folder for its files.
func Detect(ctx context.Context, choice, temp string) (*Counter, error) {
	var tools []string
	switch choice {
	case "off":
		return nil, nil
	case "auto":
		tools = []string{"perf", "callgrind"}
	case "perf", "callgrind":
		tools = []string{choice}
	default:
		return nil, fmt.Errorf("--instructions %q is none of auto, perf, callgrind and off", choice)
	}
	var problems []error
	for _, tool := range tools {
		c := &Counter{tool, temp}
		n, err := c.command(ctx, "", nil, "true")
		if err == nil && n > 0 {
			return c, nil
		}
		problems = append(problems, fmt.Errorf("%s: %w", tool, err))
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if choice == "auto" {
		return nil, nil
	}
	return nil, fmt.Errorf("instructions cannot be counted here: %w", errors.Join(problems...))
}

// enough is how much of a benchmark's own work is counted, as native time: the
// Go runtime's doings at the start of a process differ by some hundred thousand
// instructions from run to run, which must be nothing beside it.
const enough = 6 * time.Millisecond

// PerOp returns the instructions of one iteration of a benchmark, which takes
// about ns nanoseconds natively. They are the difference of two runs that differ
// in the number of iterations only.
func (c *Counter) PerOp(ctx context.Context, b exe.Binary, name string, ns float64) (float64, error) {
	more := int(min(max(float64(enough)/max(ns, 0.1), 1), 1<<30))
	few, err := c.run(ctx, b, name, 2)
	if err != nil {
		return 0, err
	}
	many, err := c.run(ctx, b, name, 2+more)
	if err != nil {
		return 0, err
	}
	if many <= few {
		return 0, errors.New("more iterations took no more instructions")
	}
	return (many - few) / float64(more), nil
}

func (c *Counter) run(ctx context.Context, b exe.Binary, name string, iterations int) (float64, error) {
	path, err := filepath.Abs(b.Path)
	if err != nil {
		return 0, err
	}
	// One thread, no collection and no preemption: what is left is the benchmark.
	env := []string{"GOMAXPROCS=1", "GOGC=off", "GOMEMLIMIT=3GiB", "GODEBUG=asyncpreemptoff=1", "PWD=" + b.Dir}
	return c.command(ctx, b.Dir, env, path, exe.Arguments(exe.Pattern([]string{name}), strconv.Itoa(iterations)+"x", 1)...)
}

// command counts the instructions of a command.
func (c *Counter) command(ctx context.Context, dir string, env []string, name string, args ...string) (float64, error) {
	report := filepath.Join(c.temp, "count.txt")
	defer os.Remove(report)
	var argv []string
	switch c.Tool {
	case "perf":
		argv = []string{"perf", "stat", "-x", ",", "-e", "instructions:u", "-o", report, "--"}
	default:
		argv = []string{"valgrind", "--tool=callgrind", "--callgrind-out-file=" + os.DevNull, "--log-file=" + report}
	}
	if _, err := exec.LookPath(argv[0]); err != nil {
		return 0, err
	}
	argv = append(append(argv, name), args...)
	if _, err := exe.Output(ctx, dir, env, argv[0], argv[1:]...); err != nil {
		return 0, err
	}
	said, err := os.ReadFile(report)
	if err != nil {
		return 0, err
	}
	return parse(c.Tool, string(said))
}

var (
	perfLine     = regexp.MustCompile(`(?m)^([0-9]+),[^,]*,instructions`)
	callgrindEnd = regexp.MustCompile(`(?m)^==\d+== Collected : ([0-9]+)\b`)
)

// parse finds the count in what a tool wrote.
func parse(tool, report string) (float64, error) {
	line := callgrindEnd
	if tool == "perf" {
		line = perfLine
	}
	m := line.FindStringSubmatch(report)
	if m == nil {
		return 0, fmt.Errorf("%s counted no instructions: %s", tool, strings.TrimSpace(report))
	}
	return strconv.ParseFloat(m[1], 64)
}

// Counts is the instructions of an iteration on both sides.
type Counts struct{ Base, Head float64 }

// Ratio returns head / base.
func (c Counts) Ratio() float64 { return c.Head / c.Base }

// Both counts a benchmark on both sides; ns is about what it takes natively.
// Where the counts differ by more than a fraction, both are counted again, and
// it is an error if they do not repeat within it.
func (c *Counter) Both(ctx context.Context, base, head exe.Binary, name string, ns, within float64) (Counts, error) {
	var counts [2]Counts
	for i := range counts {
		for _, side := range []struct {
			name   string
			binary exe.Binary
			to     *float64
		}{{"base", base, &counts[i].Base}, {"head", head, &counts[i].Head}} {
			n, err := c.PerOp(ctx, side.binary, name, ns)
			if err != nil {
				return Counts{}, fmt.Errorf("%s: %w", side.name, err)
			}
			*side.to = n
		}
		if i == 0 && math.Abs(counts[0].Ratio()-1) <= within {
			return counts[0], nil
		}
	}
	first, second := counts[0], counts[1]
	if math.Abs(first.Base/second.Base-1) > within || math.Abs(first.Head/second.Head-1) > within {
		return Counts{}, fmt.Errorf("the count does not repeat: base %.0f and %.0f, head %.0f and %.0f", first.Base, second.Base, first.Head, second.Head)
	}
	return Counts{(first.Base + second.Base) / 2, (first.Head + second.Head) / 2}, nil
}
