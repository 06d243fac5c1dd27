package exe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
)

// A Binary is a test binary and where its benchmarks run.
//
// Every run is of a fresh copy: in which pages of memory the kernel keeps a file
// makes code of it faster or slower by up to some 6 %, as long as the file is
// kept. Two files with the same bytes would differ for a whole comparison; so
// each run has a place of its own, and what that does is noise like other noise.
type Binary struct {
	Path string // of the binary
	Dir  string // the folder of its package, as go test would have it
	CPUs []int  // to run on; none for all
}

// Result is what one benchmark said in one run.
type Result struct {
	*benchfmt.Result

	// Name is the name without "Benchmark" and without the number of
	// processors, "Root/shape=Array/size=8/mode=checked".
	Name string

	// NsPerOp is the time of an iteration in nanoseconds.
	NsPerOp float64
}

// Run runs the benchmarks that a pattern of -test.bench selects, each so many
// times for about benchtime, "20ms" or "100x", and returns their results in order
// of their appearance.
func (b Binary) Run(ctx context.Context, pattern, benchtime string, times int) ([]Result, error) {
	path, err := fresh(b.Path)
	if err != nil {
		return nil, err
	}
	defer os.Remove(path)
	cmd := b.command(ctx, path, Arguments(pattern, benchtime, times))
	var stdout, both tail
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&stdout, &both), &both
	err = startPinned(cmd, b.CPUs)
	if err == nil {
		err = cmd.Wait()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	results, parseErr := b.parse(stdout.String())
	if err != nil {
		return nil, &CommandError{failing(both.String(), results), err, both.last(40)}
	}
	return results, parseErr
}

// Arguments returns the arguments that select benchmarks. With -test.v a name is
// written before its benchmark runs, so that one that panics can be named. With
// -test.short benchmarks that have a small input for haste take it: setting up a
// working set of half a gigabyte for each run would leave no time to measure.
func Arguments(pattern, benchtime string, times int) []string {
	return []string{"-test.run=^$", "-test.v", "-test.short", "-test.benchmem", "-test.bench=" + pattern, "-test.benchtime=" + benchtime, "-test.count=" + strconv.Itoa(times), "-test.timeout=0"}
}

func (b Binary) command(ctx context.Context, path string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	Alone(cmd)
	cmd.Dir = b.Dir
	cmd.Env = append(os.Environ(), "PWD="+b.Dir, "GOMAXPROCS="+strconv.Itoa(b.procs()))
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// procs returns GOMAXPROCS of the benchmarks, which their names end in.
func (b Binary) procs() int {
	if len(b.CPUs) > 0 {
		return len(b.CPUs)
	}
	return runtime.NumCPU()
}

// failing describes the benchmark that a run ended in.
func failing(output string, results []Result) string {
	if m := failed.FindStringSubmatch(output); m != nil {
		return "benchmark " + m[1] + " fails"
	}
	if m := started.FindAllStringSubmatch(output, -1); len(m) > 0 {
		return "benchmark " + m[len(m)-1][1] + " fails"
	}
	if len(results) > 0 {
		return "a benchmark after " + results[len(results)-1].Name + " fails"
	}
	return "the benchmarks fail"
}

var (
	failed  = regexp.MustCompile(`(?m)^ *--- FAIL: Benchmark(\S+)`)
	started = regexp.MustCompile(`(?m)^Benchmark(\S+)`)
)

// parse reads the output of a run.
func (b Binary) parse(output string) ([]Result, error) {
	var results []Result
	reader := benchfmt.NewReader(strings.NewReader(output), "output")
	for reader.Scan() {
		record, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue // a line that is none of ours
		}
		ns, ok := record.Value("sec/op")
		if !ok || !(ns > 0) {
			continue // a benchmark that has other units only
		}
		r := record.Clone()
		results = append(results, Result{r, b.strip(string(r.Name.Full())), ns * 1e9})
	}
	if err := reader.Err(); err != nil {
		return nil, fmt.Errorf("output of the benchmarks: %w", err)
	}
	return results, nil
}

// strip removes the number of processors from a name. What else ends in a dash
// and a number stays.
func (b Binary) strip(name string) string {
	if n := b.procs(); n > 1 {
		return strings.TrimSuffix(name, "-"+strconv.Itoa(n))
	}
	return name
}

// Pattern returns the pattern that selects benchmarks of exactly these names.
func Pattern(names []string) string {
	alternatives := make([]string, len(names))
	for i, name := range names {
		elements := strings.Split("Benchmark"+name, "/")
		for j, e := range elements {
			elements[j] = "^" + regexp.QuoteMeta(e) + "$"
		}
		alternatives[i] = strings.Join(elements, "/")
	}
	return strings.Join(alternatives, "|")
}

// Pin chooses the processors for benchmarks: "auto" is the highest-numbered one
// of several, since the first is where most interrupts go, "off" is all, and a
// list, "2,3", is what it says. It is an error to ask for one that there is not.
func Pin(how string) ([]int, error) {
	allowed := Allowed()
	switch how {
	case "off":
		return nil, nil
	case "auto":
		if len(allowed) < 2 {
			return allowed, nil
		}
		return allowed[len(allowed)-1:], nil
	}
	if allowed == nil {
		return nil, errors.New("processors cannot be chosen on this system; use --pin off")
	}
	var cpus []int
	for _, field := range strings.Split(how, ",") {
		cpu, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil {
			return nil, fmt.Errorf("--pin %q is neither auto nor off nor a list of processors such as 2,3", how)
		}
		if !slices.Contains(allowed, cpu) {
			return nil, fmt.Errorf("--pin %s: there is no processor %d for this process, only %v", how, cpu, allowed)
		}
		cpus = append(cpus, cpu)
	}
	return cpus, nil
}
