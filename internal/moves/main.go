// Moves takes programs that read FlatBuffers by flatc's Go code, moves them to generated
// views, and runs their own tests:
//
//	go run ./internal/moves arrow badger
//	go run ./internal/moves -bench arrow badger
//
// Each is a pinned version from the module proxy, copied into a temporary folder, where
// fbgen writes the package that flatc wrote before, and a patch changes the code that
// reads. It prints how many lines that took, and fails where they are more than half of
// what the same move took with the library's own names; with -bench it runs a benchmark before and
// after, in turns, in place of the tests. MIGRATING.md tells what the patches taught.
package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// move is a program that is moved.
type move struct {
	module, version string
	patch, bench    string
	fbs             []string // below the repository, or below the module with a dot in front
	flags           []string // of fbgen
	out             string   // folder of the generated package
	remove          string   // what flatc had written, as a pattern
	tests           []string
	benchIn         string // folder of the benchmark
	added, removed  int    // lines that a move by hand took before there was -names flatc; half of them is the limit
}

//go:embed arrow.patch
var arrowPatch string

//go:embed arrow_bench.go.txt
var arrowBench string

//go:embed badger.patch
var badgerPatch string

//go:embed badger_bench.go.txt
var badgerBench string

var moves = map[string]*move{
	"arrow": {
		module: "github.com/apache/arrow-go/v18", version: "v18.8.0", patch: arrowPatch, bench: arrowBench,
		fbs: []string{
			"schema/formats/arrow/File.fbs", "schema/formats/arrow/Message.fbs", "schema/formats/arrow/Schema.fbs",
			"schema/formats/arrow/SparseTensor.fbs", "schema/formats/arrow/Tensor.fbs",
		},
		out: "arrow/internal/flatbuf", remove: "arrow/internal/flatbuf/*.go",
		tests: []string{"./arrow/ipc/...", "./arrow/internal/...", "./arrow/endian/..."}, benchIn: "arrow/ipc",
		added: 220, removed: 285,
	},
	"badger": {
		module: "github.com/dgraph-io/badger/v4", version: "v4.9.0", patch: badgerPatch, bench: badgerBench,
		fbs: []string{"./fb/flatbuffer.fbs"}, flags: []string{"-mutable"},
		out: "fb", remove: "fb/*.go", tests: []string{"./table/..."}, benchIn: "table",
		added: 47, removed: 46,
	},
}

func main() {
	bench := flag.Bool("bench", false, "run a benchmark before and after, in place of the tests")
	flag.Parse()
	if err := run(*bench, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "moves:", err)
		os.Exit(1)
	}
}

func run(bench bool, names []string) error {
	repo, err := output("", "go", "list", "-m", "-f", "{{.Dir}}", "github.com/fbverify/go")
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return errors.New("say what to move: arrow, badger")
	}
	for _, name := range names {
		m := moves[name]
		if m == nil {
			return fmt.Errorf("there is no %s: there are arrow and badger", name)
		}
		if err := m.run(strings.TrimSpace(repo), bench); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (m *move) run(repo string, bench bool) error {
	dir, err := os.MkdirTemp("", "moves-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	text, err := output("", "go", "mod", "download", "-json", m.module+"@"+m.version)
	if err != nil {
		return err
	}
	var got struct{ Dir string }
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		return err
	}
	before, after := filepath.Join(dir, "before"), filepath.Join(dir, "after")
	for _, to := range []string{before, after} {
		if err := copyTree(to, got.Dir); err != nil {
			return err
		}
	}
	if err := m.move(repo, after); err != nil {
		return err
	}
	added, removed := lines(m.patch)
	fmt.Printf("%s@%s: +%d/-%d lines; half of what it took without -names flatc is +%d/-%d\n", m.module, m.version, added, removed, m.added/2, m.removed/2)
	if added > m.added/2 || removed > m.removed/2 {
		return errors.New("the patch is longer")
	}
	if bench {
		return m.compare(before, after)
	}
	if _, err := output(after, "go", append([]string{"test", "-count", "1"}, m.tests...)...); err != nil {
		return err
	}
	fmt.Printf("  its tests pass: go test %s\n", strings.Join(m.tests, " "))
	return nil
}

// move generates the package, and applies the patch.
func (m *move) move(repo, dir string) error {
	old, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(m.remove)))
	if err != nil {
		return err
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	args := append([]string{"run", "./cmd/fbgen", "-names", "flatc", "-o", filepath.Join(dir, filepath.FromSlash(m.out))}, m.flags...)
	for _, path := range m.fbs {
		if below, ok := strings.CutPrefix(path, "./"); ok {
			args = append(args, filepath.Join(dir, filepath.FromSlash(below)))
		} else {
			args = append(args, path)
		}
	}
	if _, err := output(repo, "go", args...); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "move.patch"), []byte(m.patch), 0o666); err != nil {
		return err
	}
	if _, err := output(dir, "git", "apply", "--unidiff-zero", "move.patch"); err != nil {
		return err
	}
	_, err = output(dir, "go", "mod", "edit", "-require", "github.com/fbverify/go@v0.0.0", "-replace", "github.com/fbverify/go="+repo)
	return err
}

// rounds is how often the benchmark runs on either side.
const rounds = 15

// compare runs the benchmark in turns, and prints medians and the ratio of each round's pair.
func (m *move) compare(before, after string) error {
	var programs []string
	for _, dir := range []string{before, after} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(m.benchIn), "move_bench_test.go"), []byte(m.bench), 0o666); err != nil {
			return err
		}
		program := filepath.Join(dir, "bench.test")
		if _, err := output(dir, "go", "test", "-c", "-o", program, "./"+m.benchIn); err != nil {
			return err
		}
		programs = append(programs, program)
	}
	times := map[string]*[2][]float64{}
	var names []string
	for round := range rounds {
		for turn := range programs {
			side := (round + turn) % 2
			program := programs[side]
			text, err := output(filepath.Dir(program), program, "-test.run", "^$", "-test.bench", "BenchmarkMove", "-test.benchtime", "0.3s")
			if err != nil {
				return err
			}
			lines := bufio.NewScanner(strings.NewReader(text))
			for lines.Scan() {
				f := strings.Fields(lines.Text())
				if len(f) < 4 || f[3] != "ns/op" {
					continue
				}
				ns, err := strconv.ParseFloat(f[2], 64)
				if err != nil {
					return err
				}
				if times[f[0]] == nil {
					times[f[0]] = new([2][]float64)
					names = append(names, f[0])
				}
				times[f[0]][side] = append(times[f[0]][side], ns)
			}
		}
	}
	for _, name := range names {
		t := times[name]
		if len(t[0]) != rounds || len(t[1]) != rounds {
			return fmt.Errorf("%s ran %d times before and %d times after, not %d", name, len(t[0]), len(t[1]), rounds)
		}
		var ratios []float64
		for i := range rounds {
			ratios = append(ratios, t[1][i]/t[0][i])
		}
		slices.Sort(ratios)
		fmt.Printf("  %s: %.0f ns before, %.0f ns after; ratio %.2f (half of the rounds %.2f to %.2f)\n", strings.TrimPrefix(name, "BenchmarkMove/"),
			median(t[0]), median(t[1]), median(ratios), ratios[rounds/4], ratios[rounds-1-rounds/4])
	}
	return nil
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return x[len(x)/2]
}

// lines counts what a patch adds and removes.
func lines(patch string) (added, removed int) {
	for line := range strings.Lines(patch) {
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		case line[0] == '+':
			added++
		case line[0] == '-':
			removed++
		}
	}
	return added, removed
}

// copyTree copies files, and makes them writable: a module's folder is not.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, below)
		if d.IsDir() {
			return os.MkdirAll(target, 0o777)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, b, 0o666)
	})
}

// output runs a program in a folder, and returns what it prints. Modules that a moved
// program needs are those that its go.mod names.
func output(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if strings.HasPrefix(filepath.Base(filepath.Dir(dir)), "moves-") {
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out.Bytes(), errs.Bytes())
	}
	return out.String(), nil
}
