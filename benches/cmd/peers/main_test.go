package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fbverify/go/benches/internal/works"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/internal/pair"
)

// TestMain lets this program be started as a peer, as the command is.
func TestMain(m *testing.M) {
	if !serving() {
		os.Exit(m.Run())
	}
}

// command runs the whole command.
func command(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(context.Background(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// onlyGo makes PATH hold the go command and nothing else.
func onlyGo(t *testing.T) {
	t.Helper()
	path, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(path, filepath.Join(dir, "go")); err != nil {
		t.Skip(err)
	}
	t.Setenv("PATH", dir)
}

func TestAMachineWithOnlyGoIsToldWhatIsLeftOut(t *testing.T) {
	onlyGo(t)
	code, stdout, stderr := command("--only", "^(root/Layout/1x8|read/flat10/view)$", "--rounds", "5", "--turn", "1ms", "--json")
	if code != 0 {
		t.Fatalf("exit status %d: %s", code, stderr)
	}
	for _, want := range []string{"cargo", "g++", "Install", "root/Layout/1x8 is left out", "rust, c++"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in:\n%s", want, stderr)
		}
	}
	if !strings.Contains(stdout, `"work":"read/flat10/view"`) || strings.Contains(stdout, "root/Layout") {
		t.Errorf("got:\n%s", stdout)
	}
}

func TestJSONIsOneObjectARow(t *testing.T) {
	code, stdout, stderr := command("--only", "^read/(flat10|flat100)/fixed$", "--rounds", "7", "--turn", "1ms", "--json")
	if code != 0 {
		t.Fatalf("exit status %d: %s", code, stderr)
	}
	var seen []string
	for _, line := range strings.Split(strings.TrimSpace(stdout), "\n") {
		var r map[string]any
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		for _, key := range []string{"work", "ours", "peer", "ratio", "rounds", "agree", "separable"} {
			if _, ok := r[key]; !ok {
				t.Errorf("no %q in %s", key, line)
			}
		}
		if ratio, ok := r["ratio"].(float64); ok != r["separable"].(bool) || ok && ratio <= 0 {
			t.Errorf("the ratio does not fit to separable: %s", line)
		}
		if r["rounds"].(float64) != 7 {
			t.Errorf("%v rounds in %s", r["rounds"], line)
		}
		seen = append(seen, r["work"].(string)+" "+r["peer"].(string))
	}
	slices.Sort(seen)
	if want := []string{"read/flat10/fixed flatc", "read/flat10/fixed struct", "read/flat100/fixed flatc", "read/flat100/fixed struct"}; !slices.Equal(seen, want) {
		t.Errorf("rows %q, want %q", seen, want)
	}
}

func TestFewerThanFiveRoundsGiveNoRatio(t *testing.T) {
	code, stdout, _ := command("--only", "^read/flat10/view$", "--rounds", "4", "--turn", "1ms", "--json")
	if code != 0 || !strings.Contains(stdout, `"ratio":null`) || !strings.Contains(stdout, "4 rounds are fewer than 5") || strings.Contains(stdout, `"separable":true`) {
		t.Errorf("exit status %d:\n%s", code, stdout)
	}
	code, stdout, _ = command("--only", "^read/flat10/view$", "--rounds", "4", "--turn", "1ms")
	if code != 0 || strings.Count(stdout, "not separable") != 2 {
		t.Errorf("exit status %d:\n%s", code, stdout)
	}
}

func TestWrongUseIsExplained(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--only", "("}, "--only"},
		{[]string{"--only", "nothing-like-it"}, "no work"},
		{[]string{"--rounds", "0"}, "--rounds"},
		{[]string{"--budget", "-1s"}, "--budget"},
		{[]string{"--nope"}, "nope"},
		{[]string{"root"}, `unexpected argument "root"`},
	} {
		if code, _, stderr := command(c.args...); code != 2 || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit status %d: %s", c.args, code, stderr)
		}
	}
	if code, _, stderr := command("--help"); code != 0 || !strings.Contains(stderr, "usage: ") {
		t.Errorf("--help: exit status %d: %s", code, stderr)
	}
}

func TestOutsideTheRepositoryItSaysSo(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, _, stderr := command("--only", "^read/flat10/view$"); code != 2 || !strings.Contains(stderr, "inside the repository") {
		t.Errorf("exit status %d: %s", code, stderr)
	}
}

// fake is a work of two legs that take no time and claim what they are told.
func fake(name string, sum1, sum2 uint64, delay time.Duration) works.Work {
	leg := func(name string, d time.Duration, sum uint64) pair.Leg {
		return pair.Leg{Name: name, Run: func(_ context.Context, n int) (pair.Sample, error) {
			time.Sleep(delay)
			return pair.Sample{Elapsed: time.Duration(n) * d, Sum: sum}, nil
		}}
	}
	return works.Work{Name: name, Make: func(context.Context, *works.Env) (pair.Leg, []pair.Leg, error) {
		return leg("ours", 100*time.Nanosecond, sum1), []pair.Leg{leg("theirs", 200*time.Nanosecond, sum2)}, nil
	}}
}

func TestLegsThatDisagreeHaveNoRow(t *testing.T) {
	var stdout, stderr bytes.Buffer
	o, err := parse([]string{"--json"}, &stderr)
	if err != nil {
		t.Fatal(err)
	}
	code, err := compare(context.Background(), oracle.RepoRoot(), o, []works.Work{fake("a", 1, 2, 0), fake("b", 1, 1, 0)}, &stdout, &stderr)
	if err != nil || code != 1 {
		t.Errorf("exit status %d, %v", code, err)
	}
	if strings.Contains(stdout.String(), `"work":"a"`) || !strings.Contains(stdout.String(), `"work":"b"`) || !strings.Contains(stdout.String(), `"ratio":0.5`) {
		t.Errorf("got:\n%s", &stdout)
	}
	if !strings.Contains(stderr.String(), "do not compute the same") {
		t.Errorf("got:\n%s", &stderr)
	}
}

func TestABudgetIsKept(t *testing.T) {
	var slow []works.Work
	for range 10 {
		slow = append(slow, fake("slow", 1, 1, 20*time.Millisecond))
	}
	var stdout, stderr bytes.Buffer
	o, err := parse([]string{"--json", "--budget", "600ms", "--rounds", "1000"}, &stderr)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if _, err := compare(context.Background(), oracle.RepoRoot(), o, slow, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	if used := time.Since(start); used > 3*time.Second {
		t.Errorf("%v for a budget of 600ms", used)
	}
	if !strings.Contains(stderr.String(), "were not reached") {
		t.Errorf("nothing is said of what was not reached:\n%s", &stderr)
	}
}

func TestAnInterruptEndsItAndPrintsWhatThereIs(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	stop := works.Work{Name: "stop", Make: func(context.Context, *works.Env) (pair.Leg, []pair.Leg, error) {
		cancel()
		return fake("stop", 1, 1, 0).Make(ctx, nil)
	}}
	var stdout, stderr bytes.Buffer
	o, err := parse(nil, &stderr)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compare(ctx, oracle.RepoRoot(), o, []works.Work{fake("a", 1, 1, 0), stop, fake("b", 1, 1, 0)}, &stdout, &stderr); err == nil {
		t.Error("an interrupted run is a success")
	}
	if !strings.Contains(stdout.String(), "0.500") || strings.Contains(stdout.String(), "\nb ") {
		t.Errorf("got:\n%s", &stdout)
	}
}
