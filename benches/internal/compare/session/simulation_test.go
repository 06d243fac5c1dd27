package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/fbverify/go/benches/internal/compare/exe"
)

// A machine is a simulated one: its clock moves as runs take time, its speed
// drifts, and other programs interrupt it.
type machine struct {
	random *rand.Rand
	now    time.Time
	sigma  float64            // of the logarithm of a turn's time
	bursts float64            // probability that a whole run is slowed down, up to threefold
	drift  float64            // growth of all times, a run
	share  float64            // of the processor's time that we get
	uneven map[string]float64 // factor of three in ten turns of the head, by benchmark
	speed  float64
	runs   []string
}

func newMachine(seed uint64) *machine {
	return &machine{random: rand.New(rand.NewPCG(seed, 1)), now: time.Now(), sigma: 0.03, bursts: 0.05, speed: 1, share: 1}
}

// A side is benchmarks with their times in nanoseconds on an idle machine.
type side struct {
	*machine
	name  string
	times map[string]float64
	fail  error
}

func (s side) Run(ctx context.Context, pattern, benchtime string, times int) ([]exe.Result, error) {
	s.runs = append(s.runs, s.name)
	if s.fail != nil {
		return nil, s.fail
	}
	s.speed *= 1 + s.drift
	slow := s.speed
	if s.random.Float64() < s.bursts {
		slow *= 1 + 2*s.random.Float64()
	}
	turn, err := time.ParseDuration(benchtime)
	if err != nil {
		return nil, err
	}
	var results []exe.Result
	for _, name := range names(8) {
		ns, ok := s.times[name]
		if !ok || !selects(pattern, name) {
			continue
		}
		for range times {
			if f, ok := s.uneven[name]; ok && s.name == "head" && s.random.IntN(10) < 3 {
				ns *= f
			} else if ok {
				ns = s.times[name]
			}
			got := ns * slow * math.Exp(s.sigma*s.random.NormFloat64())
			s.now = s.now.Add(time.Duration(float64(max(turn, time.Duration(got))) / s.share))
			results = append(results, exe.Result{Result: idle, Name: name, NsPerOp: got})
		}
	}
	s.now = s.now.Add(50 * time.Millisecond)
	return results, nil
}

// idle is a result of a benchmark that allocates nothing.
var idle = &benchfmt.Result{Values: []benchfmt.Value{{Value: 0, Unit: "allocs/op"}}}

func selects(pattern, name string) bool {
	for _, p := range strings.Split(pattern, "|") {
		parts, elements := strings.Split(p, "/"), strings.Split("Benchmark"+name, "/")
		all := true
		for i := range min(len(parts), len(elements)) {
			all = all && regexp.MustCompile(parts[i]).MatchString(elements[i])
		}
		if all {
			return true
		}
	}
	return false
}

func names(n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("Work/case=%c", 'a'+i))
	}
	return all
}

// times gives every benchmark a microsecond, and those named a multiple of it.
func times(n int, factors map[string]float64) map[string]float64 {
	all := map[string]float64{}
	for _, name := range names(n) {
		all[name] = 1000
		if f, ok := factors[name]; ok {
			all[name] *= f
		}
	}
	return all
}

func compare(t *testing.T, m *machine, base, head map[string]float64, change func(*Options)) *Outcome {
	t.Helper()
	o := Options{Bench: ".", Deadline: m.now.Add(10 * time.Minute), Threshold: 0.2, Now: func() time.Time { return m.now }}
	if change != nil {
		change(&o)
	}
	b := side{m, "base", base, nil}
	out, err := Run(context.Background(), Sides{b, side{m, "head", head, nil}}, o)
	if err != nil {
		t.Fatal(err)
	}
	if m.now.After(o.Deadline) {
		t.Errorf("the deadline is missed by %v", m.now.Sub(o.Deadline))
	}
	return out
}

func calledOut(out *Outcome) []string {
	var called []string
	for _, b := range out.Benchmarks {
		if b.CalledOut(0.2) {
			called = append(called, b.Name)
		}
	}
	return called
}

func TestARevisionAgainstItselfCallsOutNothing(t *testing.T) {
	for _, sigma := range []float64{0.002, 0.05, 0.3} {
		separable := 0
		for seed := range uint64(20) {
			m := newMachine(seed)
			m.sigma, m.drift, m.bursts = sigma, 0.0005, 0.2
			out := compare(t, m, times(8, nil), times(8, nil), nil)
			if called := calledOut(out); len(called) > 0 {
				t.Errorf("sigma %v, seed %d: %v", sigma, seed, called)
			}
			for _, b := range out.Benchmarks {
				if b.Separable {
					separable++
				}
			}
		}
		if separable > 3 { // one comparison of twenty may have one
			t.Errorf("sigma %v: %d benchmarks are separable from themselves", sigma, separable)
		}
	}
}

func TestASlowdownOfThirtyPerCentIsCalledOutEveryTime(t *testing.T) {
	for seed := range uint64(10) {
		m := newMachine(seed)
		m.bursts = 0.2
		out := compare(t, m, times(8, nil), times(8, map[string]float64{"Work/case=c": 1.3, "Work/case=f": 1.03}), nil)
		if called := calledOut(out); len(called) != 1 || called[0] != "Work/case=c" {
			t.Errorf("seed %d: called out %v", seed, called)
		}
	}
}

// TestASlowdownOfSomeCallsIsCalledOut has iterations as long as a turn, so that each
// turn is one call, and three calls in ten take twice as long: a lower quartile does
// not see that.
func TestASlowdownOfSomeCallsIsCalledOut(t *testing.T) {
	slow := map[string]float64{}
	for _, name := range names(8) {
		slow[name] = 2000 // 2 ms
	}
	missed := 0
	for seed := range uint64(10) {
		m := newMachine(seed)
		m.bursts = 0.1
		m.uneven = map[string]float64{"Work/case=c": 2.5}
		out := compare(t, m, times(8, slow), times(8, slow), nil)
		switch called := calledOut(out); {
		case len(called) == 0:
			missed++
		case len(called) != 1 || called[0] != "Work/case=c":
			t.Errorf("seed %d: called out %v", seed, called)
		case !out.Benchmarks[2].Uneven:
			t.Errorf("seed %d: by quartiles", seed)
		}
	}
	if missed > 1 {
		t.Errorf("missed in %d comparisons of 10", missed)
	}
}

func TestAnImprovementIsCalledOut(t *testing.T) {
	out := compare(t, newMachine(1), times(8, nil), times(8, map[string]float64{"Work/case=c": 0.5}), nil)
	if called := calledOut(out); len(called) != 1 {
		t.Errorf("called out %v", called)
	}
}

func TestAQuietMachineStopsEarly(t *testing.T) {
	m := newMachine(1)
	m.bursts, m.sigma = 0, 0.01
	start := m.now
	out := compare(t, m, times(8, nil), times(8, map[string]float64{"Work/case=c": 1.5}), nil)
	if out.Ended != "everything is decided" || m.now.Sub(start) > 2*time.Minute {
		t.Errorf("%s after %v", out.Ended, m.now.Sub(start))
	}
	for _, b := range out.Benchmarks {
		if !b.Decided || b.Rounds > 16 {
			t.Errorf("%s: decided %v after %d rounds", b.Name, b.Decided, b.Rounds)
		}
	}
}

// TestDecidedBenchmarksAreRunNoMore has one that stays at the threshold.
func TestDecidedBenchmarksAreRunNoMore(t *testing.T) {
	m := newMachine(2)
	m.bursts = 0
	out := compare(t, m, times(8, nil), times(8, map[string]float64{"Work/case=b": 1.2}), func(o *Options) { o.MaxRounds = 40 })
	for _, b := range out.Benchmarks {
		if want := 40; b.Name == "Work/case=b" && b.Rounds != want || b.Name != "Work/case=b" && b.Rounds >= want {
			t.Errorf("%s: %d rounds", b.Name, b.Rounds)
		}
	}
	if out.Ended != "there were 40 rounds" {
		t.Errorf("ended because %s", out.Ended)
	}
}

func TestRunsAlternateAndOneIsAtATime(t *testing.T) {
	m := newMachine(3)
	compare(t, m, times(2, nil), times(2, nil), func(o *Options) { o.MaxRounds = 8 })
	got := strings.Join(m.runs, " ")
	want := "head base  base head head base  head base base head  base head head base  head base base head"
	if strings.Join(strings.Fields(want), " ") != got {
		t.Errorf("runs were %s", got)
	}
}

func TestASmallBudgetIsKeptAndSaysSo(t *testing.T) {
	m := newMachine(4)
	out := compare(t, m, times(8, nil), times(8, map[string]float64{"Work/case=c": 3}), func(o *Options) { o.Deadline = m.now.Add(1500 * time.Millisecond) })
	if out.Ended != "the time is used up" || len(calledOut(out)) > 0 {
		t.Errorf("%s, called out %v", out.Ended, calledOut(out))
	}
	if few := out.Few(); !strings.Contains(few, "fewer than the") {
		t.Errorf("few rounds: %q", few)
	}
}

func TestAGateNeedsItsOwnDecision(t *testing.T) {
	m := newMachine(5)
	m.bursts = 0
	factors := map[string]float64{"Work/case=b": 1.1}
	loose := compare(t, m, times(4, nil), times(4, factors), nil)
	strict := compare(t, m, times(4, nil), times(4, factors), func(o *Options) { o.Gate = 0.1 })
	find := func(out *Outcome) *Benchmark { return out.Benchmarks[1] }
	if find(loose).Rounds >= find(strict).Rounds {
		t.Errorf("%d rounds without a gate at 10 %%, %d with", find(loose).Rounds, find(strict).Rounds)
	}
}

func TestNewAndGoneAreFound(t *testing.T) {
	m := newMachine(6)
	base, head := times(3, nil), times(4, nil)
	delete(head, "Work/case=a")
	out := compare(t, m, base, head, nil)
	var got []string
	for _, b := range out.Benchmarks {
		got = append(got, b.Name[len("Work/case="):]+":"+b.Only)
	}
	if text := strings.Join(got, " "); text != "b: c: d:head a:base" {
		t.Errorf("got %s", text)
	}
}

func TestABaseWithoutBenchmarksMakesAllNew(t *testing.T) {
	m := newMachine(7)
	out, err := Run(context.Background(), Sides{Head: side{m, "head", times(2, nil), nil}}, Options{Bench: ".", Deadline: time.Now().Add(time.Minute)})
	if err != nil || len(out.Benchmarks) != 2 || out.Benchmarks[0].Only != "head" {
		t.Errorf("%v, %+v", err, out)
	}
}

func TestAFailureNamesItsSide(t *testing.T) {
	broken := errors.New("out of paper")
	m := newMachine(8)
	good, bad := side{m, "good", times(2, nil), nil}, side{m, "bad", nil, broken}
	o := Options{Bench: ".", Deadline: time.Now().Add(time.Minute)}
	for want, sides := range map[string]Sides{"base: ": {bad, good}, "head: ": {good, bad}} {
		if _, err := Run(context.Background(), sides, o); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	none := side{m, "none", nil, nil}
	if _, err := Run(context.Background(), Sides{none, none}, o); err == nil || !strings.Contains(err.Error(), `no benchmark matches "."`) {
		t.Errorf("without benchmarks: %v", err)
	}
}

// TestRunsThatTakeLongerThanPlannedAreShortened has a machine on which others
// leave a tenth of the time, and turns that take as long as if they did not.
func TestRunsThatTakeLongerThanPlannedAreShortened(t *testing.T) {
	m := newMachine(10)
	m.bursts, m.share = 0, 0.1
	out := compare(t, m, times(8, nil), times(8, map[string]float64{"Work/case=c": 1.3}), func(o *Options) { o.Deadline = m.now.Add(80 * time.Second) })
	if called := calledOut(out); len(called) != 1 {
		t.Errorf("called out %v; %s after %d rounds", called, out.Ended, out.Benchmarks[0].Rounds)
	}
}

func TestLongIterationsHaveFewTurns(t *testing.T) {
	m := newMachine(9)
	slow := times(2, map[string]float64{"Work/case=a": 4e4, "Work/case=b": 2e5}) // 40 ms and 200 ms
	out := compare(t, m, slow, slow, nil)
	for _, b := range out.Benchmarks {
		if b.Rounds < 10 {
			t.Errorf("%s: %d rounds", b.Name, b.Rounds)
		}
	}
}
