// Mutants removes or weakens each check of the verifier in turn, and leaves out
// what it counts; it lists those whose loss no test notices.
//
//	go run ./internal/trust/mutants
//
// All mutants of a run are compiled into one pair of test binaries, where an
// environment variable picks one, so that a mutant costs a run of the tests and no
// build. Those that equivalent.txt explains are not tested, unless with -all. Exit
// status 1 means that a mutant survived that is not explained, or that a line there
// explains none that is there, or with -all none that survives.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
)

// sources are the files whose checks are mutated.
var sources = []string{
	"fbverify/internal/rule/rule.go",
	"fbverify/internal/program/shape.go",
	"fbverify/internal/machine/*.go",
	"fbverify/internal/kernel/siblings_portable.go",
	"fbverify/internal/kernel/texts.go",
	"fbverify/internal/traversal/*.go",
	"fbverify/verify.go",
}

// suites are the tests that a mutant has to get by, the quick ones first.
var suites = []suite{
	{pkg: "./fbverify/internal/rule"},
	{pkg: "./fbverify/internal/kernel", args: []string{"-test.short"}},
	{pkg: "./fbverify/internal/traversal", args: []string{"-test.short"}},
	{pkg: "./fbverify/internal/program", args: []string{"-test.short"}},
	{pkg: "./fbverify/internal/machine", args: []string{"-test.short"}},
	{pkg: "./fbverify", args: []string{"-test.run", "^Test|^Fuzz", "-test.skip", "Streams|Writer|Compile", "-test.short"}},
	{pkg: "./internal/trust", args: []string{"-test.run", "HostileBuffers|TwoLong"}}, // with the larger ones
	{pkg: "./internal/trust", args: []string{"-test.run", "CanBeRead|Mending|Parallel|Honest|Goroutines|Large|^Fuzz", "-test.short"}},
}

type suite struct {
	pkg  string
	args []string

	bin     string
	dirs    map[string]bool // of the packages that the tests are built of
	timeout time.Duration
}

// mutantVariable is the environment variable that picks a mutant by its number.
const mutantVariable = "FBVERIFY_MUTANT"

func main() {
	parallel := flag.Int("j", 2, "mutants to test at a time")
	only := flag.String("only", "", "mutate the files whose path contains `text`")
	some := flag.String("some", "", "test the mutants whose line contains `text`, as -list prints it")
	all := flag.Bool("all", false, "test those too that equivalent.txt explains")
	explained := flag.Bool("explained", false, "test only those that equivalent.txt explains")
	quick := flag.Bool("quick", false, "run the tests of the verifier only, and not those of package trust")
	list := flag.Bool("list", false, "list the mutants and test none")
	timeout := flag.Duration("timeout", 10*time.Second, "for each run of tests, or ten times what it takes without a mutant; a mutant that makes it take longer is caught")
	flag.Parse()
	if *quick {
		suites = slices.DeleteFunc(suites, func(s suite) bool { return s.pkg == "./internal/trust" })
	}
	if err := run(*parallel, *only, *some, *all, *explained, *list, *timeout); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(parallel int, only, some string, all, explained, list bool, timeout time.Duration) error {
	root, err := output("go", "list", "-m", "-f", "{{.Dir}}", "github.com/fbverify/go")
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	mutants, overlay, err := mutate(root, tmp, only)
	if err != nil {
		return err
	}
	number(mutants)
	if list {
		for _, m := range mutants {
			fmt.Println(m)
		}
		return nil
	}
	known, err := explanations(filepath.Join(root, "internal/trust/mutants/equivalent.txt"))
	if err != nil {
		return err
	}
	mutants = slices.DeleteFunc(mutants, func(m *mutant) bool { return !strings.Contains(m.String(), some) })
	for key := range known {
		if file, _, _ := strings.Cut(key, " "); !strings.Contains(file, only) || !strings.Contains(key, some) {
			delete(known, key)
		}
	}
	if explained {
		all = true
		mutants = slices.DeleteFunc(mutants, func(m *mutant) bool { return known[m.key()] == "" })
	}
	tested := mutants
	if !all {
		tested = slices.DeleteFunc(slices.Clone(mutants), func(m *mutant) bool { return known[m.key()] != "" })
	}
	start := time.Now()
	for i := range suites {
		s := &suites[i]
		if err := s.build(root, tmp, overlay); err != nil {
			return err
		}
		s.timeout = 30 * timeout
		before := time.Now()
		if caught, _, text := s.test(root, 0); caught {
			return fmt.Errorf("the tests fail without any mutant:\n%s", text)
		}
		s.timeout = max(timeout, 10*time.Since(before)) // a busy machine catches none
	}
	fmt.Printf("%d mutants, %d to test; ready after %v\n", len(mutants), len(tested), time.Since(start).Round(time.Millisecond))
	survivors := testAll(root, tested, parallel, known)
	if !all { // what is explained counts as having survived
		for _, m := range mutants {
			if known[m.key()] != "" {
				survivors = append(survivors, m)
			}
		}
	}
	return report(known, mutants, survivors)
}

func output(name string, args ...string) (string, error) {
	b, err := exec.Command(name, args...).Output()
	return strings.TrimSpace(string(b)), err
}

// mutate writes the mutated files, and the overlay that puts them in place.
func mutate(root, tmp, only string) (mutants []*mutant, overlay string, err error) {
	replace := map[string]string{}
	for _, pattern := range sources {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, "", err
		}
		sort.Strings(files)
		for _, path := range files {
			name, err := filepath.Rel(root, path)
			if err != nil {
				return nil, "", err
			}
			if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "crew.go") || !strings.Contains(name, only) { // crew.go decides who works
				continue
			}
			src, err := os.ReadFile(path)
			if err != nil {
				return nil, "", err
			}
			f := &file{name: filepath.ToSlash(name), src: src, next: len(mutants) + 1}
			text, pkg, err := f.mutate()
			if err != nil {
				return nil, "", err
			}
			if len(f.mutants) == 0 {
				continue
			}
			mutants = append(mutants, f.mutants...)
			put := func(at, text string) error {
				if replace[at] != "" {
					return nil // the chooser of a package, of which another file has mutants
				}
				to := filepath.Join(tmp, fmt.Sprintf("%d.go", len(replace)))
				replace[at] = to
				return os.WriteFile(to, []byte(text), 0o666)
			}
			if err := put(path, text); err != nil {
				return nil, "", err
			}
			if err := put(filepath.Join(filepath.Dir(path), "zz_mutant.go"), fmt.Sprintf(chooser, pkg, mutantVariable)); err != nil {
				return nil, "", err
			}
		}
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, "", err
	}
	overlay = filepath.Join(tmp, "overlay.json")
	return mutants, overlay, os.WriteFile(overlay, b, 0o666)
}

// chooser is the file that a package with mutants gets.
const chooser = `package %s

import (
	"os"
	"strconv"
)

var mutantID, _ = strconv.Atoi(os.Getenv(%q))

// mutantDrop is v, or zero in the mutant that does not count it.
func mutantDrop[T any](id int, v, _ T) T {
	if mutantID == id {
		var zero T
		return zero
	}
	return v
}
`

// build compiles the test binary of a suite.
func (s *suite) build(root, tmp, overlay string) error {
	s.bin = filepath.Join(tmp, strings.Trim(strings.ReplaceAll(s.pkg, "/", "_"), "._")+".test")
	cmd := exec.Command("go", "test", "-vet=off", "-overlay", overlay, "-c", "-o", s.bin, s.pkg)
	cmd.Dir = root
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v\n%s", err, text)
	}
	dirs, err := output("go", "list", "-deps", "-test", "-f", "{{.Dir}}", s.pkg)
	s.dirs = map[string]bool{}
	for _, dir := range strings.Fields(dirs) {
		s.dirs[dir] = true
	}
	return err
}

// test runs the suite with one mutant, and tells whether it failed.
func (s *suite) test(root string, id int) (caught, late bool, text []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), s.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.bin, append([]string{"-test.failfast"}, s.args...)...)
	cmd.Dir = filepath.Join(root, s.pkg)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", mutantVariable, id), "GOMAXPROCS=2", "GOMEMLIMIT=1GiB")
	text, err := cmd.CombinedOutput()
	return err != nil || bytes.Contains(text, []byte("no tests to run")), ctx.Err() != nil, text
}

// test runs the suites that a mutant is part of until one fails.
func (m *mutant) test(root string) (caught, late bool) {
	dir := filepath.Dir(filepath.Join(root, m.file))
	for i := range suites {
		if s := &suites[i]; s.dirs[dir] {
			var text []byte
			if caught, late, text = s.test(root, m.id); caught {
				m.by = s.pkg + ": " + firstFailure(text)
				return true, late
			}
		}
	}
	return false, false
}

// firstFailure returns the line of a test's output that names what failed.
func firstFailure(text []byte) string {
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "--- FAIL") || strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return strings.TrimSpace(line)
		}
	}
	return "no test is named"
}

func testAll(root string, mutants []*mutant, parallel int, known map[string]string) (survivors []*mutant) {
	var wait sync.WaitGroup
	var lock sync.Mutex
	next, done := 0, 0
	for range max(parallel, 1) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for {
				lock.Lock()
				if next == len(mutants) {
					lock.Unlock()
					return
				}
				m := mutants[next]
				next++
				lock.Unlock()
				caught, late := m.test(root)
				lock.Lock()
				switch {
				case late:
					fmt.Println("caught by taking too long:", m)
				case caught && known[m.key()] != "":
					fmt.Printf("explained, and caught by %s: %s\n", m.by, m)
				}
				if done++; done%100 == 0 {
					fmt.Fprintf(os.Stderr, "%d of %d\n", done, len(mutants))
				}
				if !caught {
					survivors = append(survivors, m)
					fmt.Fprintln(os.Stderr, "not caught:", m)
				}
				lock.Unlock()
			}
		}()
	}
	wait.Wait()
	sort.Slice(survivors, func(i, j int) bool { return survivors[i].id < survivors[j].id })
	return survivors
}

// number tells mutants apart that are the same change in one function.
func number(mutants []*mutant) {
	seen := map[string]int{}
	for _, m := range mutants {
		key := m.key()
		seen[key]++
		m.nth = seen[key]
	}
}

// explanations reads the list of mutants that change nothing. Its lines are a
// mutant without its line number, a tab, and a reason.
func explanations(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	reasons := map[string]string{}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, reason, ok := strings.Cut(line, "\t")
		if !ok || reason == "" {
			return nil, fmt.Errorf("%s:%d: no reason", path, i+1)
		}
		reasons[key] = reason
	}
	return reasons, nil
}

// report prints who survived, and which explanations are of no use any more.
func report(known map[string]string, mutants, survivors []*mutant) error {
	used, unexplained := map[string]bool{}, 0
	for _, m := range survivors {
		if known[m.key()] != "" {
			used[m.key()] = true
			continue
		}
		unexplained++
		fmt.Println("survived:", m)
	}
	stale := 0
	for key := range known {
		if !used[key] {
			stale++
			fmt.Println("explained, and caught or gone:", key)
		}
	}
	fmt.Printf("%d mutants: %d caught, %d change nothing and are explained, %d survived\n",
		len(mutants), len(mutants)-len(survivors), len(survivors)-unexplained, unexplained)
	if unexplained > 0 || stale > 0 {
		return fmt.Errorf("%d survived, %d explanations are stale", unexplained, stale)
	}
	return nil
}
