// Command manyfiles makes many small files and measures how fast they are verified: by
// fbinspect verify -r, by a shell loop that runs flatc for each, and by one flatc for all.
//
//	go run ./benches/cmd/manyfiles            # 10,000 files; takes a minute or two
//	go run ./benches/cmd/manyfiles --files 500
//
// flatc has no verb that only verifies: the nearest is turning a file into JSON, which it
// does after verifying it, and writes. The loop's memory and waiting are those of the shell.
// On a machine that does other work too, look at the processor's time. The native flatc is built from the sources in the Go module
// cache when there is none, which takes some minutes once. Peak memory is known on Linux
// and macOS.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/fbverify/go/benches/internal/peer"
	"github.com/fbverify/go/internal/oracle"
)

func main() {
	files := flag.Int("files", 10_000, "`N` files to make")
	rounds := flag.Int("rounds", 5, "`N` times to run fbinspect; the median is told")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *files, max(*rounds, 1)); err != nil {
		fmt.Fprintln(os.Stderr, "manyfiles:", err)
		os.Exit(1)
	}
}

// usage is what one run of a program took.
type usage struct {
	wall, cpu time.Duration
	waited    time.Duration // for a processor that was doing something else; 0 where it is not known
	peak      int64         // resident bytes; 0 = not known
}

func run(ctx context.Context, files, rounds int) error {
	root := oracle.RepoRoot()
	dir, err := os.MkdirTemp("", "manyfiles-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fbinspect := filepath.Join(dir, "fbinspect")
	if out, err := exec.CommandContext(ctx, "go", "build", "-C", root, "-o", fbinspect, "./cmd/fbinspect").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	flatc, err := peer.Builder{Root: root, Log: os.Stderr}.Flatc(ctx)
	if err != nil {
		return err
	}
	schema := filepath.Join(root, "testdata", "flatbuffers", "survey.fbs")
	bytes, err := makeFiles(filepath.Join(dir, "files"), filepath.Join(root, "testdata", "flatbuffers", "survey.bin"), files)
	if err != nil {
		return err
	}
	few := filepath.Join(dir, "few")
	if _, err := makeFiles(few, filepath.Join(root, "testdata", "flatbuffers", "survey.bin"), max(files/20, 1)); err != nil {
		return err
	}
	fmt.Printf("%d files of %d bytes in %d folders, %s, %d processors%s\n", files, bytes, (files+perFolder-1)/perFolder, runtime.Version(), runtime.NumCPU(), load())

	verify := func(folder string, flags ...string) (usage, error) {
		args := append([]string{"verify", "-r", "--quiet", "--schema", schema, folder}, flags...)
		return median(rounds, func() (usage, error) {
			u, out, err := measure(ctx, fbinspect, args...)
			if n := fmt.Sprintf("%d valid\n", countFiles(folder)); err == nil && !strings.Contains(strings.ReplaceAll(out, ",", ""), n) {
				err = fmt.Errorf("fbinspect says %q, and not that %s", out, n)
			}
			return u, err
		})
	}
	all, err := verify(filepath.Join(dir, "files"))
	if err != nil {
		return err
	}
	alone, err := verify(filepath.Join(dir, "files"), "--parallel", "1")
	if err != nil {
		return err
	}
	twentieth, err := verify(few)
	if err != nil {
		return err
	}
	row(fmt.Sprintf("fbinspect verify -r, %d files", files), all, files)
	row("  with --parallel 1", alone, files)
	row(fmt.Sprintf("  a twentieth of the files, %d", max(files/20, 1)), twentieth, max(files/20, 1))

	out := filepath.Join(dir, "json")
	loop, _, err := measure(ctx, "sh", "-c", `find "$1" -name '*.bin' | while read -r file; do "$2" --json --strict-json -o "$3" "$4" -- "$file" || exit 1; done`,
		"sh", filepath.Join(dir, "files"), flatc, out, schema)
	if err != nil {
		return err
	}
	row("shell loop: flatc --json for each file", loop, files)
	names, err := filepath.Glob(filepath.Join(dir, "files", "*", "*.bin"))
	if err != nil {
		return err
	}
	once, _, err := measure(ctx, flatc, append([]string{"--json", "--strict-json", "-o", out, schema, "--"}, names...)...)
	if err != nil {
		return err
	}
	row("one flatc --json for all files", once, files)
	fmt.Printf("the loop takes %.0f times as long as fbinspect and %.0f times the processor's time, one flatc for all %.0f and %.0f times\n",
		float64(loop.wall)/float64(all.wall), float64(loop.cpu)/float64(all.cpu), float64(once.wall)/float64(all.wall), float64(once.cpu)/float64(all.cpu))
	return nil
}

// perFolder is how many files lie in one folder.
const perFolder = 500

// makeFiles makes n files of one content but for a number in each, and returns their size.
func makeFiles(dir, model string, n int) (int, error) {
	b, err := os.ReadFile(model)
	if err != nil {
		return 0, err
	}
	const year = 50 // of the survey's date, at the same place in each
	for i := range n {
		folder := filepath.Join(dir, fmt.Sprintf("%03d", i/perFolder))
		if i%perFolder == 0 {
			if err := os.MkdirAll(folder, 0o777); err != nil {
				return 0, err
			}
		}
		b[year] = byte(i)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%05d.bin", i)), b, 0o666); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// load tells what else the machine is doing, where that is known: with other work on it no
// program gets all processors.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	average, _, _ := strings.Cut(string(b), " ")
	return ", load " + average
}

func countFiles(dir string) int {
	names, _ := filepath.Glob(filepath.Join(dir, "*", "*.bin"))
	return len(names)
}

// measure runs a program to its end.
func measure(ctx context.Context, name string, args ...string) (usage, string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Start()
	var waited time.Duration
	if err == nil {
		ended, told := make(chan struct{}), make(chan time.Duration)
		go func() { told <- watch(cmd.Process.Pid, ended) }()
		err = cmd.Wait()
		close(ended)
		waited = <-told
	}
	u := usage{wall: time.Since(start), waited: waited}
	if err != nil {
		return u, "", fmt.Errorf("%s: %w\n%.2000s", filepath.Base(name), err, out.String())
	}
	u.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	u.peak = peakMemory(cmd.ProcessState)
	return u, out.String(), nil
}

// watch returns how long the threads of a process were ready to run and had to wait, until
// it ended. It is a little less than that, being looked at every few milliseconds.
func watch(pid int, ended <-chan struct{}) time.Duration {
	threads := map[string]time.Duration{}
	for {
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		for _, file := range files {
			var run, wait, times int64
			b, err := os.ReadFile(file)
			if _, e := fmt.Sscan(string(b), &run, &wait, &times); err == nil && e == nil {
				threads[file] = time.Duration(wait)
			}
		}
		select {
		case <-ended:
			var sum time.Duration
			for _, wait := range threads {
				sum += wait
			}
			return sum
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// median runs f some times, and returns the run that took the median time.
func median(rounds int, f func() (usage, error)) (usage, error) {
	var runs []usage
	for range rounds {
		u, err := f()
		if err != nil {
			return u, err
		}
		runs = append(runs, u)
	}
	slices.SortFunc(runs, func(a, b usage) int { return int(a.wall - b.wall) })
	return runs[len(runs)/2], nil
}

func row(what string, u usage, files int) {
	memory := "?"
	if u.peak > 0 {
		memory = fmt.Sprintf("%.1f MB", float64(u.peak)/1e6)
	}
	wanted := ""
	if u.waited > 0 {
		wanted = fmt.Sprintf(" (%.2f with those it waited for)", (u.cpu+u.waited).Seconds()/u.wall.Seconds())
	}
	fmt.Printf("  %-40s %8.3f s  %6.0f files/s  cpu %7.3f s  %4.2f cores busy%s  peak %s\n",
		what, u.wall.Seconds(), float64(files)/u.wall.Seconds(), u.cpu.Seconds(), u.cpu.Seconds()/u.wall.Seconds(), wanted, memory)
}
