package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/fbverify/go/benches/internal/compare/report"
)

// promised runs a comparison of the synthetic module with a budget, and returns its report.
func promised(m *module, budget string) *report.Report {
	m.Helper()
	code, stdout, stderr := m.compare(m.Context(), "--base", "main", "--format", "json", "--budget", budget, "--quiet")
	if code != 0 {
		m.Fatalf("exit %d: %s", code, stderr)
	}
	r, err := report.Read(bytes.NewReader([]byte(stdout)))
	if err != nil {
		m.Fatal(err)
	}
	var called []string
	separable, least := 0, r.Runs[0].MinRounds
	for _, b := range r.Benchmarks {
		if b.CalledOut {
			called = append(called, b.Name+" by "+b.By)
		}
		if b.Separable {
			separable++
		}
	}
	m.Logf("%s; called out: [%s]; %d of %d separable; %d to %d rounds in %v; noise %.1f %%", r.Suites[0].Verdict,
		strings.Join(called, ", "), separable, len(r.Benchmarks), least, r.Runs[0].MaxRounds, r.Runs[0].Used.Round(1e8), 100*r.Runs[0].Noise)
	return r
}

// coldCode and coldBench are benchmarks that read memory, 256 megabytes and four kilobytes of it, in an
// order that can be set: as many instructions whichever it is.
const coldCode = `package synthetic

// Stride is how many words lie between one that is read and the next.
var Stride = 8

// Memory is read by Walk, all of it or its beginning: a power of two of words.
var Memory = func() []uint64 {
	m := make([]uint64, 256<<20/8)
	for i := range m {
		m[i] = uint64(i)
	}
	return m
}()

// Walk reads n of the first words of Memory.
func Walk(words, at, n int) (sum uint64, next int) {
	m, stride := Memory[:words], Stride
	for range n {
		at = (at + stride) & (len(m) - 1)
		sum += m[at]
	}
	return sum, at
}
`

const coldBench = `package benches

import (
	"testing"

	"example.com/synthetic"
)

var walked uint64

func BenchmarkWalk(b *testing.B) {
	for name, words := range map[string]int{"cold": len(synthetic.Memory), "hot": 4096 / 8} {
		b.Run("bytes="+name, func(b *testing.B) {
			at := 0
			for b.Loop() {
				var sum uint64
				sum, at = synthetic.Walk(words, at, 2000)
				walked += sum
			}
		})
	}
}
`

// TestPromises makes fifty comparisons on this machine, however busy it is:
//
//	FBVERIFY_SLOW=1 go test -v -timeout 90m -run Promises ./benches/cmd/compare
func TestPromises(t *testing.T) {
	if os.Getenv("FBVERIFY_SLOW") == "" {
		t.Skip("FBVERIFY_SLOW is not set: this takes most of an hour")
	}
	t.Run("a revision against itself calls out nothing, twenty times", func(t *testing.T) {
		m := newModule(t)
		for i := range 20 {
			r := promised(m, "1m")
			for _, b := range r.Benchmarks {
				if b.CalledOut {
					text, _ := json.Marshal(b)
					t.Errorf("comparison %d: %s", i+1, text)
				}
			}
		}
	})
	t.Run("thirty per cent in one benchmark is called out, three in another is not, ten times", func(t *testing.T) {
		m := newModule(t)
		m.edit("work.go", `"c": 2000`, `"c": 2600`)
		m.edit("work.go", `"f": 2000`, `"f": 2060`)
		for i := range 10 {
			r := promised(m, "1m")
			for _, b := range r.Benchmarks {
				if b.CalledOut != (b.Name == "Work/case=c") || b.CalledOut && b.Change != report.Regression {
					text, _ := json.Marshal(b)
					t.Errorf("comparison %d: %s", i+1, text)
				}
			}
		}
	})
	t.Run("a slowdown of three calls in ten is called out, nine times in ten", func(t *testing.T) {
		m := newModule(t)
		// Calls as long as a turn, so that no turn has the mean of several.
		m.edit("work.go", `2000`, `800_000`)
		m.edit("work.go", `"c": 800_000`, `"c": 800_001`)
		m.commit("long calls")
		m.edit("work.go", "x := uint64(n)", "x := uint64(n)\n\tif calls++; n == 800_001 && calls%10 < 3 {\n\t\tn *= 3\n\t}")
		m.edit("work.go", "// Work takes", "var calls int\n\n// Work takes")
		missed := 0
		for i := range 10 {
			r := promised(m, "1m")
			found := false
			for _, b := range r.Benchmarks {
				found = found || b.CalledOut && b.Name == "Work/case=c" && b.Change == report.Regression
				if b.CalledOut && b.Name != "Work/case=c" {
					text, _ := json.Marshal(b)
					t.Errorf("comparison %d: %s", i+1, text)
				}
			}
			if !found {
				missed++
			}
		}
		if missed > 1 {
			t.Errorf("missed in %d comparisons of 10", missed)
		}
	})
	t.Run("a slowdown on cold bytes only is called out there, ten times", func(t *testing.T) {
		m := newModule(t)
		// Each process makes its memory first, which takes a tenth of a second.
		m.write("cold.go", coldCode)
		m.write("benches/cold_test.go", strings.Replace(coldBench, "example.com/synthetic", m.path(), 1))
		m.commit("memory")
		m.edit("cold.go", "var Stride = 8\n", "var Stride = 8 * 4099\n")
		for i := range 10 {
			r := promised(m, "2m")
			found := false
			for _, b := range r.Benchmarks {
				if b.CalledOut != (b.Name == "Walk/bytes=cold") || b.CalledOut && b.Change != report.Regression {
					text, _ := json.Marshal(b)
					t.Errorf("comparison %d: %s", i+1, text)
				}
				found = found || b.CalledOut
			}
			if !found {
				t.Errorf("comparison %d: it is not seen", i+1)
			}
		}
	})
}
