package exe

import (
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestAPatternSelectsExactlyItsNames(t *testing.T) {
	got := Pattern([]string{"Root/shape=Array/size=8", "Read/case=a.b|c"})
	want := `^BenchmarkRoot$/^shape=Array$/^size=8$|^BenchmarkRead$/^case=a\.b\|c$`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, part := range strings.FieldsFunc(got, func(r rune) bool { return r == '/' }) {
		if _, err := regexp.Compile(part); err != nil {
			t.Error(err)
		}
	}
}

func TestOutputIsParsed(t *testing.T) {
	output := strings.Join([]string{
		"cpuid: Some Processor", "goos: linux", "goarch: amd64", "BenchmarkRoot", "BenchmarkRoot/size=8",
		"BenchmarkRoot/size=8-4 \t 100 \t 1500 ns/op\t 7 B/op", "something printed",
		"BenchmarkRoot/size=8-4 \t 100 \t 1400 ns/op", "BenchmarkRoot/level-9-4 \t 1 \t 2.5 ns/op", "BenchmarkOther 1 5 widgets", "PASS", "",
	}, "\n")
	results, err := Binary{CPUs: []int{0, 1, 2, 3}}.parse(output)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range results {
		got = append(got, r.Name)
		if r.GetConfig("cpuid") != "Some Processor" || r.GetConfig("goos") != "linux" {
			t.Errorf("configuration %v", r.Config)
		}
	}
	if strings.Join(got, " ") != "Root/size=8 Root/size=8 Root/level-9" || results[0].NsPerOp != 1500 || results[2].NsPerOp != 2.5 {
		t.Errorf("got %v, %+v", got, results)
	}
}

func TestOneProcessorLeavesNamesAlone(t *testing.T) {
	if got := (Binary{CPUs: []int{3}}).strip("Root/level-1"); got != "Root/level-1" {
		t.Errorf("got %s", got)
	}
}

func TestTheFailingBenchmarkIsNamed(t *testing.T) {
	for _, c := range []struct{ output, want string }{
		{"BenchmarkA\nBenchmarkA-2 1 1 ns/op\nBenchmarkB/x\npanic: no\ngoroutine 1", "benchmark B/x fails"},
		{"BenchmarkA\nBenchmarkA/y\n    --- FAIL: BenchmarkA/y\n        x_test.go:1: no\nBenchmarkB\n", "benchmark A/y fails"},
		{"fatal error: out of memory", "the benchmarks fail"},
	} {
		if got := failing(c.output, nil); got != c.want {
			t.Errorf("%q: %s, want %s", c.output, got, c.want)
		}
	}
}

func TestOneOfSeveralProcessorsIsChosen(t *testing.T) {
	allowed := Allowed()
	if allowed == nil {
		t.Skipf("processors cannot be chosen on %s", runtime.GOOS)
	}
	auto, err := Pin("auto")
	if err != nil || len(auto) != 1 || auto[0] != allowed[len(allowed)-1] {
		t.Errorf("auto is %v of %v, %v", auto, allowed, err)
	}
	if off, err := Pin("off"); err != nil || off != nil {
		t.Errorf("off is %v, %v", off, err)
	}
	for _, wrong := range []string{"", "x", "-1", "1000000", "0,x"} {
		if got, err := Pin(wrong); err == nil {
			t.Errorf("%q is %v", wrong, got)
		}
	}
}

// TestAPinnedCommandStaysWhereItIsPut asks the kernel, and sees that this
// process is as free as before.
func TestAPinnedCommandStaysWhereItIsPut(t *testing.T) {
	allowed := Allowed()
	if len(allowed) < 2 || runtime.GOOS != "linux" {
		t.Skip("there is nothing to choose")
	}
	cmd := exec.Command("cat", "/proc/self/status")
	var out tail
	cmd.Stdout = &out
	if err := startPinned(cmd, allowed[1:2]); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`Cpus_allowed_list:\s*(\S+)`).FindStringSubmatch(out.String())
	if m == nil {
		t.Skipf("the kernel does not tell: %q", out.String())
	}
	if want := strconv.Itoa(allowed[1]); m[1] != want {
		t.Errorf("the command may run on %s, want %s", m[1], want)
	}
	if now := Allowed(); !slices.Equal(now, allowed) {
		t.Errorf("this process may run on %v, before on %v", now, allowed)
	}
}

func TestATailForgetsItsBeginningOnly(t *testing.T) {
	var b tail
	line := []byte(strings.Repeat("x", 1023) + "\n")
	for range 40 << 10 { // 40 MiB
		b.Write(line)
	}
	b.Write([]byte("the end"))
	if n := len(b.String()); n > mostOutput+2048 || n < mostOutput/2-2048 {
		t.Errorf("%d bytes are kept", n)
	}
	if last := b.last(2); !strings.HasSuffix(last, "\nthe end") || strings.Count(last, "\n") != 2 {
		t.Errorf("the last lines are %.30q…", last)
	}
}
