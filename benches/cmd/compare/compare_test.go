package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/fbverify/go/benches/internal/compare/report"
	"github.com/fbverify/go/internal/oracle"
)

// asCompare makes the test binary the command itself.
const asCompare = "FBVERIFY_TEST_AS_COMPARE"

func TestMain(m *testing.M) {
	if os.Getenv(asCompare) != "" {
		main()
	}
	os.Exit(m.Run())
}

// A module is a git repository with a small module whose benchmarks take as
// long as a test wants, and a temporary folder of its own.
type module struct {
	*testing.T
	dir, temp string
}

func newModule(t *testing.T) *module {
	t.Helper()
	oracle.Tool(t, "git")
	host, err := exec.Command("go", "env", "GOHOSTARCH").Output()
	if arch := strings.TrimSpace(string(host)); err != nil || arch != runtime.GOARCH && arch+runtime.GOARCH != "amd64386" {
		t.Skipf("what is built for %s does not run on %s", runtime.GOARCH, arch)
	}
	m := &module{t, filepath.Join(t.TempDir(), "repo"), t.TempDir()}
	if err := os.CopyFS(m.dir, os.DirFS("testdata/module")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "")
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"} { // of a hook that runs the tests
		if v, ok := os.LookupEnv(name); ok {
			os.Unsetenv(name)
			t.Cleanup(func() { os.Setenv(name, v) })
		}
	}
	t.Setenv("TMPDIR", m.temp)
	t.Chdir(m.dir)
	m.git("init", "--quiet", "--initial-branch=main")
	m.commit("base")
	return m
}

func (m *module) git(args ...string) string {
	m.Helper()
	args = append([]string{"-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", "-C", m.dir}, args...)
	out, err := exec.Command("git", args...).CombinedOutput()
	if err != nil {
		m.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (m *module) commit(message string) {
	m.Helper()
	m.git("add", "--all")
	m.git("commit", "--quiet", "--message", message)
}

// write makes a file.
func (m *module) write(name, text string) {
	m.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o644); err != nil {
		m.Fatal(err)
	}
}

// path is what the module is called.
func (m *module) path() string {
	m.Helper()
	text, err := os.ReadFile(filepath.Join(m.dir, "go.mod"))
	if err != nil {
		m.Fatal(err)
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(string(text), "module "), "\n")
	return name
}

// edit replaces text in a file.
func (m *module) edit(name, old, now string) {
	m.Helper()
	path := filepath.Join(m.dir, name)
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), old) {
		m.Fatalf("%s: %v, or no %q", name, err, old)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), old, now)), 0o644); err != nil {
		m.Fatal(err)
	}
}

// compare runs the command, and sees to it that nothing is left behind.
func (m *module) compare(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	m.Helper()
	var out, err bytes.Buffer
	code = run(ctx, args, &out, &err)
	m.clean()
	return code, out.String(), err.String()
}

// clean fails if there is a checkout, a temporary file or a change.
func (m *module) clean() {
	m.Helper()
	if list := strings.TrimSpace(m.git("worktree", "list")); strings.Contains(list, "\n") {
		m.Errorf("worktrees are left:\n%s", list)
	}
	if entries, _ := os.ReadDir(filepath.Join(m.dir, ".git", "worktrees")); len(entries) > 0 {
		m.Errorf("git still knows of %v", entries)
	}
	entries, err := os.ReadDir(m.temp)
	if err != nil {
		m.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "fbcompare-") {
			m.Errorf("%s is left", e.Name())
		}
	}
}

// fast are arguments of a comparison that is soon over.
var fast = []string{"--instructions", "off", "--rounds", "6", "--budget", "2m", "--bench", "Work/case=[ab]$"}

func TestAComparisonFromEndToEnd(t *testing.T) {
	m := newModule(t)
	m.edit("work.go", `"a": 2000`, `"a": 9000`)
	m.edit("benches/work_test.go", `"b", "c"`, `"b", "new", "c"`)
	m.edit("work.go", `"f": 2000`, `"new": 100`)
	m.edit("benches/work_test.go", `, "f"`, ``)
	raw := filepath.Join(t.TempDir(), "raw")
	code, stdout, stderr := m.compare(t.Context(), "--base", "main", "--instructions", "off", "--rounds", "16", "--budget", "3m",
		"--bench", "Work/case=(a|b|new|f)$", "--format", "json", "--raw", raw)
	if code != 0 {
		t.Fatalf("exit %d\n%s", code, stderr)
	}
	var got struct {
		Benchmarks []struct {
			Name      string
			Status    string
			CalledOut *bool `json:"called_out"`
			Separable *bool
			Ratio     *float64
		}
		Suites []struct{ Name, Verdict string }
		Runs   []struct {
			Base, Head struct {
				Commit   string
				Modified bool
			}
			Notes []string
		}
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	status := map[string]string{}
	for _, b := range got.Benchmarks {
		status[strings.TrimPrefix(b.Name, "Work/case=")] = b.Status
		if b.CalledOut == nil || b.Separable == nil {
			t.Errorf("%s lacks called_out or separable", b.Name)
		}
		if b.Separable != nil && *b.Separable != (b.Ratio != nil) {
			t.Errorf("%s: separable %v, and the ratio is %v", b.Name, *b.Separable, b.Ratio)
		}
	}
	if fmt.Sprint(status) != "map[a:both b:both f:gone new:new]" {
		t.Errorf("benchmarks are %v", status)
	}
	if len(got.Runs) != 1 || !got.Runs[0].Head.Modified || got.Runs[0].Base.Modified ||
		got.Runs[0].Base.Commit != strings.TrimSpace(m.git("rev-parse", "main")) {
		t.Errorf("runs are %+v", got.Runs)
	}
	if !slices.ContainsFunc(got.Runs[0].Notes, func(n string) bool { return strings.Contains(n, "the benchmarks or their files differ") }) {
		t.Errorf("notes are %q", got.Runs[0].Notes)
	}
	// A change of 350 % shows on a busy machine, too.
	if first := got.Benchmarks[0]; first.Name != "Work/case=a" || !*first.CalledOut {
		t.Logf("the machine is too busy: %s", stdout)
	}
	readable(t, filepath.Join(raw, "base.txt"), "Work/case=a")
	readable(t, filepath.Join(raw, "head.txt"), "Work/case=b")
	if saved, err := os.ReadFile(filepath.Join(raw, "report.json")); err != nil || string(saved) != stdout {
		t.Errorf("report.json is not what was printed: %v", err)
	}
}

// readable checks a log with the reader that benchstat has.
func readable(t *testing.T, name, want string) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	found := 0
	reader := benchfmt.NewReader(file, name)
	for reader.Scan() {
		switch r := reader.Result().(type) {
		case *benchfmt.Result:
			// Benchstat groups by these: a binary's name or a commit's would keep
			// the two files apart.
			if r.GetConfig("goos") != runtime.GOOS || len(r.GetConfig("commit")) != 40 || r.GetConfig("four") == "" {
				t.Fatalf("%s: configuration %v", name, r.Config)
			}
			if strings.HasPrefix(string(r.Name.Full()), want) {
				found++
			}
		case *benchfmt.SyntaxError:
			t.Errorf("%v", r)
		}
	}
	if err := reader.Err(); err != nil || found < 6 {
		t.Errorf("%s: %v, %d results of %s", name, err, found, want)
	}
}

func TestTheFormatsAreTextAndMarkdown(t *testing.T) {
	m := newModule(t)
	code, stdout, stderr := m.compare(t.Context(), append([]string{"--base", "main", "--head", "HEAD"}, fast...)...)
	if code != 0 || !strings.Contains(stdout, "Evidence to review, not a verdict.") || !strings.Contains(stdout, "\nWork: ") ||
		!strings.Contains(stdout, "base: main, ") {
		t.Errorf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	code, stdout, _ = m.compare(t.Context(), append([]string{"--base", "main", "--head", "HEAD", "--format", "markdown"}, fast...)...)
	if code != 0 || !strings.HasPrefix(stdout, report.Marker+"\n") {
		t.Errorf("exit %d\n%s", code, stdout)
	}
}

// TestWhatCannotBeDoneIsSaidAndLeavesNothing is the errors that people meet.
func TestWhatCannotBeDoneIsSaidAndLeavesNothing(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(m *module)
		args   []string
		want   []string
	}{
		{"the head does not build", func(m *module) { m.edit("work.go", "x := uint64(n)", "x := n") },
			[]string{"--base", "main"}, []string{"head", "does not build", "work.go"}},
		{"the base does not build", func(m *module) {
			m.edit("work.go", "x := uint64(n)", "x := n")
			m.commit("broken")
			m.edit("work.go", "x := n", "x := uint64(n)")
			m.commit("mended")
		}, []string{"--base", "HEAD~1"}, []string{"base", "does not build", "work.go"}},
		{"a benchmark panics", func(m *module) {
			m.edit("work.go", "x := uint64(n)", "if n == 2000 { panic(\"out of paper\") }\nx := uint64(n)")
		},
			[]string{"--base", "main"}, []string{"head: benchmark Work/case=a", "out of paper"}},
		{"a benchmark fails", func(m *module) {
			m.edit("benches/work_test.go", "for b.Loop()", "b.Fatal(\"out of ink\")\nfor b.Loop()")
		},
			[]string{"--base", "main"}, []string{"head: benchmark Work/case=a", "out of ink"}},
		{"there is no such base", nil, []string{"--base", "nonsense"}, []string{`base: there is no revision "nonsense"`}},
		{"a revision like a flag", nil, []string{"--base=--help"}, []string{`no revision "--help"`}},
		{"there is no such head", nil, []string{"--base", "main", "--head", "nonsense"}, []string{`head: there is no revision "nonsense"`}},
		{"HEAD with changes", func(m *module) { m.edit("work.go", `"a": 2000`, `"a": 3000`) },
			[]string{"--base", "main", "--head", "HEAD"}, []string{"the working tree has changes that HEAD has not", "--head worktree"}},
		{"HEAD with a new file", func(m *module) { os.WriteFile(filepath.Join(m.dir, "new.go"), []byte("package synthetic\n"), 0o644) },
			[]string{"--base", "main", "--head", "HEAD"}, []string{"the working tree has changes"}},
		{"no benchmark matches", nil, []string{"--base", "main", "--bench", "Nothing"}, []string{"no benchmark matches"}},
		{"no package in the head", nil, []string{"--base", "main", "--pkg", "./elsewhere"}, []string{"head", "no package with benchmarks at ./elsewhere"}},
		{"no tests in the package", nil, []string{"--base", "main", "--pkg", "."}, []string{"no package with benchmarks at ."}},
		{"no base", nil, nil, []string{"--base REV"}},
		{"the working tree as base", nil, []string{"--base", "worktree"}, []string{"--base is a revision"}},
		{"an unknown format", nil, []string{"--base", "main", "--format", "xml"}, []string{"text, markdown, json"}},
		{"a tiny budget", nil, []string{"--base", "main", "--budget", "1ms"}, []string{"less than a second"}},
		{"a used-up budget", func(m *module) { m.edit("work.go", `"a": 2000`, `"a": 2000000000000`) },
			[]string{"--base", "main", "--budget", "8s"}, []string{"budget"}},
		{"an unknown processor", nil, []string{"--base", "main", "--pin", "100000"}, []string{"processor"}},
		{"a broken pattern", nil, []string{"--base", "main", "--bench", "("}, []string{"--bench"}},
		{"an unknown suite", nil, []string{"--base", "main", "--suite", "X"}, []string{"none of Root, Real, Cold, Varied, Read, Decode, Files"}},
		{"an unknown counter", nil, []string{"--base", "main", "--instructions", "abacus"}, []string{"abacus"}},
		{"a path outside", nil, []string{"--base", "main", "--pkg", "../.."}, []string{"not below"}},
		{"an argument", nil, []string{"--base", "main", "HEAD"}, []string{"HEAD"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newModule(t)
			if c.change != nil {
				c.change(m)
			}
			start := time.Now()
			code, stdout, stderr := m.compare(t.Context(), append([]string{"--quiet", "--instructions=off"}, c.args...)...)
			if code != exitFailed || stdout != "" {
				t.Errorf("exit %d, wrote %q", code, stdout)
			}
			for _, want := range c.want {
				if !strings.Contains(stderr, want) {
					t.Errorf("no %q in:\n%s", want, stderr)
				}
			}
			if strings.Count(stderr, "compare: ") != 1 {
				t.Errorf("the error is not said once:\n%s", stderr)
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func TestABaseWithoutBenchmarksListsAllAsNew(t *testing.T) {
	m := newModule(t)
	m.git("rm", "--quiet", "-r", "benches")
	m.commit("without")
	m.git("checkout", "--quiet", "HEAD~1", "--", "benches")
	m.commit("with")
	code, stdout, stderr := m.compare(t.Context(), append([]string{"--base", "HEAD~1", "--head", "HEAD"}, fast...)...)
	if code != 0 || !strings.Contains(stdout, "nothing to compare; 2 new") || !strings.Contains(stdout, "the base has no benchmarks at ./benches") {
		t.Errorf("exit %d\n%s\n%s", code, stdout, stderr)
	}
}

func TestFailOverEndsWithOne(t *testing.T) {
	m := newModule(t)
	m.edit("work.go", `"a": 2000`, `"a": 100000`)
	args := []string{"--base", "main", "--instructions", "off", "--rounds", "30", "--budget", "3m", "--bench", "Work/case=[ab]$", "--fail-over", "50"}
	code, stdout, stderr := m.compare(t.Context(), args...)
	if code != exitSlower || !strings.Contains(stderr, "slower than --fail-over allows") || !strings.Contains(stderr, "Work/case=a") ||
		!strings.Contains(stdout, "regression") {
		t.Errorf("exit %d\n%s\n%s", code, stdout, stderr)
	}
}

func TestItRunsFromASubfolderAndInALinkedWorktree(t *testing.T) {
	m := newModule(t)
	other := filepath.Join(t.TempDir(), "other")
	m.git("worktree", "add", "--quiet", "--detach", other)
	t.Chdir(filepath.Join(other, "benches"))
	var out, errs bytes.Buffer
	if code := run(t.Context(), append([]string{"--base", "main"}, fast...), &out, &errs); code != 0 {
		t.Errorf("exit %d\n%s", code, errs.String())
	}
	t.Chdir(m.dir)
	m.git("worktree", "remove", "--force", other)
	m.clean()
}

// TestAnInterruptedRunLeavesNothing sends signals to a process at different
// moments: while it checks out, builds, and measures.
func TestAnInterruptedRunLeavesNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such signals")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		signal os.Signal
		after  string // what it says on standard error
		wait   time.Duration
	}{
		{"while checking out", syscall.SIGTERM, "checking out", 0},
		{"while building", os.Interrupt, "building", 50 * time.Millisecond},
		{"while measuring", syscall.SIGTERM, "pass 1", 0},
		{"twice", os.Interrupt, "pass 1", time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newModule(t)
			cmd := exec.Command(self, "--base", "main", "--rounds", "1000", "--instructions", "off")
			cmd.Env = append(os.Environ(), asCompare+"=1")
			var stdout bytes.Buffer
			stderr := &notice{want: c.after, seen: make(chan struct{})}
			cmd.Stdout, cmd.Stderr = &stdout, stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			select {
			case <-stderr.seen:
			case <-time.After(time.Minute):
				cmd.Process.Kill()
				t.Fatalf("it never came so far: %s", stderr)
			}
			time.Sleep(c.wait)
			cmd.Process.Signal(c.signal)
			if c.name == "twice" {
				time.Sleep(5 * time.Millisecond)
				cmd.Process.Signal(c.signal)
			}
			start := time.Now()
			cmd.Wait()
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("it took %v to end", took)
			}
			if code := cmd.ProcessState.ExitCode(); code != exitFailed {
				t.Errorf("exit %d", code)
			}
			if !strings.Contains(stderr.String(), "interrupted") || stdout.Len() > 0 {
				t.Errorf("it wrote %q and %q", stdout.String(), stderr.String())
			}
			m.clean()
		})
	}
}

// notice is a buffer that tells when it has seen something.
type notice struct {
	text []byte
	want string
	seen chan struct{}
	done bool
}

func (n *notice) String() string { return string(n.text) }

func (n *notice) Write(p []byte) (int, error) {
	n.text = append(n.text, p...)
	if !n.done && strings.Contains(n.String(), n.want) {
		n.done = true
		close(n.seen)
	}
	return len(p), nil
}

func TestACancelledContextIsAnInterruption(t *testing.T) {
	m := newModule(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, _, stderr := m.compare(ctx, "--base", "main")
	if code != exitFailed || !strings.Contains(stderr, "interrupted") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
