package count

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/fbverify/go/benches/internal/compare/exe"
	"github.com/fbverify/go/internal/oracle"
)

func TestReportsOfTheToolsAreRead(t *testing.T) {
	for _, c := range []struct {
		tool, text string
		want       float64
	}{
		{"perf", "# started on Mon\n\n1234567,,instructions:u,500000,100.00,,\n", 1234567},
		{"perf", "<not supported>,,instructions:u,0,100.00,,\n", 0},
		{"perf", "", 0},
		{"callgrind", "==12== Events    : Ir\n==12== Collected : 14699949\n==12== \n==12== I   refs:      14,699,949\n", 14699949},
		{"callgrind", "==12== Command: x\n", 0},
	} {
		got, err := parse(c.tool, c.text)
		if got != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%s %q: %v, %v", c.tool, c.text, got, err)
		}
	}
}

func TestDetectKnowsItsChoices(t *testing.T) {
	if c, err := Detect(t.Context(), "off", t.TempDir()); c != nil || err != nil {
		t.Errorf("off: %v, %v", c, err)
	}
	if _, err := Detect(t.Context(), "abacus", t.TempDir()); err == nil || !strings.Contains(err.Error(), "auto, perf, callgrind and off") {
		t.Errorf("abacus: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if c, err := Detect(t.Context(), "auto", t.TempDir()); c != nil || err != nil {
		t.Errorf("auto without tools: %v, %v", c, err)
	}
	if _, err := Detect(t.Context(), "perf", t.TempDir()); err == nil || !strings.Contains(err.Error(), "cannot be counted") {
		t.Errorf("perf without perf: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Detect(ctx, "auto", t.TempDir()); err != nil && ctx.Err() == nil {
		t.Errorf("after an end of the context: %v", err)
	}
}

// TestCountsAreRepeatableAndRight counts a loop of known length twice, and one
// of one and a half times the length.
func TestCountsAreRepeatableAndRight(t *testing.T) {
	if testing.Short() {
		t.Skip("it simulates a processor")
	}
	out, err := exec.Command("go", "env", "GOHOSTARCH").Output()
	if err != nil || strings.TrimSpace(string(out)) != runtime.GOARCH {
		t.Skip("what is built here does not run here")
	}
	counter, err := Detect(t.Context(), "auto", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if counter == nil {
		oracle.Missing(t, "there is nothing to count instructions with: neither perf nor valgrind")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/loop\n\ngo 1.25.0\n",
		"loop_test.go": `package loop

import "testing"

var sink uint64

func work(n int) {
	x := uint64(n)
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	sink += x
}

func BenchmarkShort(b *testing.B) { for b.Loop() { work(10000) } }
func BenchmarkLong(b *testing.B) { for i := 0; i < b.N; i++ { work(15000) } }
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	binary := exe.Binary{Path: filepath.Join(dir, "loop.test"), Dir: dir}
	if err := exe.Build(t.Context(), dir, ".", "local", binary.Path); err != nil {
		t.Fatal(err)
	}
	var counts [3]float64
	for i, name := range []string{"Short", "Short", "Long"} {
		if counts[i], err = counter.PerOp(t.Context(), binary, name, 10e3); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%s: %.0f, %.0f, %.0f", counter.Tool, counts[0], counts[1], counts[2])
	if math.Abs(counts[1]/counts[0]-1) > 0.02 || math.Abs(counts[2]/counts[0]-1.5) > 0.03 {
		t.Errorf("%v instructions", counts)
	}
	// Three shifts, three exclusive ors, moves between, the loop: twelve with one
	// compiler, and some around the benchmark itself.
	if counts[0] < 10000*6 || counts[0] > 10000*20 {
		t.Errorf("%v instructions for 10000 steps", counts[0])
	}
	both, err := counter.Both(t.Context(), binary, binary, "Short", 10e3, 0.02)
	if err != nil || math.Abs(both.Ratio()-1) > 0.02 {
		t.Errorf("against itself: %+v, %v", both, err)
	}
}
