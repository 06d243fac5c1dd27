package pair

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// steady is a leg that claims to take d an iteration and notes its turns.
func steady(name string, d time.Duration, sum uint64, turns *[]string) Leg {
	return Leg{Name: name, Run: func(_ context.Context, n int) (Sample, error) {
		if turns != nil {
			*turns = append(*turns, name)
		}
		return Sample{time.Duration(n) * d, sum}, nil
	}}
}

func TestTimesAreThoseOfOneIteration(t *testing.T) {
	series, err := Run(context.Background(), steady("ours", 100, 7, nil),
		[]Leg{steady("theirs", 400, 7, nil)}, Config{Rounds: 9})
	if err != nil {
		t.Fatal(err)
	}
	if series.Rounds() != 9 || series.Median(0) != 100 || series.Median(1) != 400 {
		t.Errorf("%d rounds, %v and %v ns", series.Rounds(), series.Median(0), series.Median(1))
	}
	if v := series.Compare(0, 1, Rule{}); !v.Separable || v.Ratio < 0.2499 || v.Ratio > 0.2501 || v.Noise != 0 {
		t.Errorf("got %+v", v)
	}
}

// TestMostIterations holds a leg that times only a part of its work to its limit.
func TestMostIterations(t *testing.T) {
	most := 0
	leg := Leg{Name: "part", Most: 6, Run: func(_ context.Context, n int) (Sample, error) {
		most = max(most, n)
		return Sample{time.Duration(n), 0}, nil
	}}
	if _, err := Run(context.Background(), leg, []Leg{leg}, Config{Rounds: 2}); err != nil || most != 6 {
		t.Errorf("at most %d iterations, %v; want 6", most, err)
	}
}

func TestDifferenceIsThatOfTheSameRound(t *testing.T) {
	s := &Series{
		Times:   [][]float64{{500, 400, 300, 600, 500}, {200, 100, 10, 300, 200}, {490, 410, 290, 610, 495}},
		Against: []float64{500, 400, 300, 600, 500},
	}
	if d := s.Difference(0, 1); !d.Separable || d.Median != 300 || d.Agree != 5 || d.Low > d.Median || d.High < d.Median {
		t.Errorf("of legs that differ: %+v", d)
	}
	if d := s.Difference(0, 2); d.Separable || d.Reason == "" {
		t.Errorf("of legs that do not: %+v", d)
	}
	if d := s.Difference(1, Nothing); !d.Separable || d.Median != 200 {
		t.Errorf("of a leg and nothing: %+v", d)
	}
	if d := (&Series{Times: [][]float64{nil, nil}}).Difference(0, 1); d.Separable {
		t.Errorf("of no rounds: %+v", d)
	}
}

func TestRoundsInterleaveAndAlternate(t *testing.T) {
	var turns []string
	_, err := Run(context.Background(), steady("a", 50*time.Millisecond, 0, &turns),
		[]Leg{steady("b", 50*time.Millisecond, 0, &turns), steady("c", 50*time.Millisecond, 0, &turns)}, Config{Rounds: 2})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(turns[len(turns)-8:], " ")
	if want := "a b c a a c b a"; got != want {
		t.Errorf("turns %q, want %q", got, want)
	}
}

// TestASteadyDriftFavoursNobody lets a machine grow slower turn by turn.
func TestASteadyDriftFavoursNobody(t *testing.T) {
	now := 1000.0
	drifting := func(name string) Leg {
		return Leg{Name: name, Run: func(_ context.Context, n int) (Sample, error) {
			now *= 1.02
			return Sample{Elapsed: time.Duration(now * float64(n))}, nil
		}}
	}
	series, err := Run(context.Background(), drifting("a"), []Leg{drifting("b")}, Config{Rounds: 20, Turn: time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	if v := series.Compare(0, 1, Rule{}); v.Separable {
		t.Errorf("a drift was taken for a difference: %+v", v)
	}
}

// TestInterruptionsFavourNobody lets other programs interrupt every third turn.
// Which of two equal legs is the subject must not matter.
func TestInterruptionsFavourNobody(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	interrupted := func(name string) Leg {
		return Leg{Name: name, Run: func(_ context.Context, n int) (Sample, error) {
			ns := 1e6 * math.Exp(0.05*r.NormFloat64())
			if r.IntN(3) == 0 {
				ns *= 1 + 2*r.Float64()
			}
			return Sample{Elapsed: time.Duration(ns * float64(n))}, nil
		}}
	}
	const rounds = 6000
	series, err := Run(context.Background(), interrupted("a"), []Leg{interrupted("b")}, Config{Rounds: rounds, Turn: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	slower := 0
	for _, ratio := range series.Ratios(0, 1) {
		if ratio > 1 {
			slower++
		}
	}
	if share := float64(slower) / rounds; share < 0.48 || share > 0.52 { // three sigma
		t.Errorf("the subject is slower than its equal in %.1f %% of the rounds", 100*share)
	}
}

func TestLegsThatDisagreeAreNotTimed(t *testing.T) {
	var turns []string
	_, err := Run(context.Background(), steady("ours", 100, 7, &turns),
		[]Leg{steady("rust", 100, 7, &turns), steady("cpp", 100, 8, &turns)}, Config{})
	var d *Disagreement
	if !errors.As(err, &d) || d.A != "ours" || d.B != "cpp" {
		t.Fatalf("got %v", err)
	}
	if want := []string{"ours", "rust", "cpp"}; !slices.Equal(turns, want) {
		t.Errorf("turns %v, want %v", turns, want)
	}
}

func TestALegThatChangesItsMindIsCaught(t *testing.T) {
	calls := uint64(0)
	fickle := Leg{Name: "fickle", Run: func(_ context.Context, n int) (Sample, error) {
		calls++
		return Sample{time.Second, calls / 10}, nil
	}}
	_, err := Run(context.Background(), steady("ours", time.Second, 0, nil), []Leg{fickle}, Config{Rounds: 50})
	var d *Disagreement
	if !errors.As(err, &d) {
		t.Fatalf("got %v", err)
	}
}

func TestALegsErrorNamesIt(t *testing.T) {
	broken := errors.New("out of paper")
	_, err := Run(context.Background(), steady("ours", 1, 0, nil),
		[]Leg{{Name: "printer", Run: func(context.Context, int) (Sample, error) { return Sample{}, broken }}}, Config{})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "printer") {
		t.Errorf("got %v", err)
	}
}

func TestACancelledRunKeepsItsCompleteRounds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	rounds := 0
	series, err := Run(ctx, steady("a", time.Second, 0, nil), []Leg{steady("b", time.Second, 0, nil)}, Config{
		Rounds: 50,
		Until: func(s *Series) bool {
			if rounds = s.Rounds(); rounds == 6 {
				cancel()
			}
			return false
		},
	})
	if !errors.Is(err, context.Canceled) || series.Rounds() != 6 || len(series.Times[1]) != 6 {
		t.Errorf("%v after %d rounds", err, series.Rounds())
	}
}

func TestUntilEndsARun(t *testing.T) {
	series, err := Run(context.Background(), steady("a", 1, 0, nil), []Leg{steady("b", 2, 0, nil)},
		Config{Rounds: 50, Until: func(s *Series) bool { return s.Rounds() == 5 }})
	if err != nil || series.Rounds() != 5 {
		t.Errorf("%v after %d rounds", err, series.Rounds())
	}
}

func TestABudgetIsKeptButAllowsAVerdict(t *testing.T) {
	slow := func(name string) Leg {
		return Leg{Name: name, Run: func(_ context.Context, n int) (Sample, error) {
			time.Sleep(2 * time.Millisecond)
			return Sample{time.Second, 0}, nil
		}}
	}
	series, err := Run(context.Background(), slow("a"), []Leg{slow("b")}, Config{Rounds: 1000, Budget: 25 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if series.Rounds() > 20 {
		t.Errorf("%d rounds in a budget for about five", series.Rounds())
	}
	series, err = Run(context.Background(), slow("a"), []Leg{slow("b")}, Config{Rounds: 1000, Budget: time.Nanosecond})
	if err != nil || series.Rounds() != 1 {
		t.Errorf("%v: %d rounds in no budget at all", err, series.Rounds())
	}
}
