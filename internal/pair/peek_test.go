package pair

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestPeekTestKnowsItsTable(t *testing.T) {
	for _, c := range []struct {
		n, k int
		want float64
	}{
		{0, 0, 1}, {1, 1, 1}, {5, 5, 6.0 / 32}, {8, 8, 9.0 / 256}, {10, 9, 110.0 / 1024}, {10, 1, 110.0 / 1024},
		{14, 14, 15.0 / 16384}, {10, 5, 1}, {3, 4, 1}, {3, -1, 1},
	} {
		if got := peekTest(c.n, c.k); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d of %d: %v, want %v", c.k, c.n, got, c.want)
		}
	}
	if got := peekTest(4000, 2400); !(got > 0 && got < 1e-20) {
		t.Errorf("2400 of 4000: %v", got)
	}
}

// TestPeekingAfterEveryRoundKeepsAlpha tosses fair coins and stops at the first
// moment that looks decided. The same with the test of a fixed number of rounds
// shows what the peeking rule is for.
func TestPeekingAfterEveryRoundKeepsAlpha(t *testing.T) {
	const trials, rounds, alpha = 4000, 120, 0.05
	r := rand.New(rand.NewPCG(3, 4))
	fooled := map[bool]int{}
	for range trials {
		heads, done := 0, map[bool]bool{}
		for n := 1; n <= rounds; n++ {
			heads += r.IntN(2)
			for _, peeking := range []bool{false, true} {
				if n >= fewestRounds && !done[peeking] && (Rule{Peeking: peeking}).test(n, max(heads, n-heads)) <= alpha {
					done[peeking] = true
					fooled[peeking]++
				}
			}
		}
	}
	if fooled[true] > trials*alpha {
		t.Errorf("with peeking %d of %d were fooled, more than one in twenty", fooled[true], trials)
	}
	if fooled[false] < 3*trials*alpha {
		t.Errorf("without, only %d of %d were fooled: then peeking would not be needed", fooled[false], trials)
	}
}

func TestTheIntervalHoldsTheMedianWhileSomebodyPeeks(t *testing.T) {
	const trials, rounds = 1500, 60
	rule := Rule{Alpha: 0.05, Peeking: true}
	r := rand.New(rand.NewPCG(5, 6))
	missed := 0
	for range trials {
		var ratios []float64
		for range rounds {
			ratios = append(ratios, 1.1*math.Exp(0.3*r.NormFloat64()))
			if low, high := Interval(ratios, rule); low > 1.1 || high < 1.1 {
				missed++
				break
			}
		}
	}
	if missed > trials*5/100 {
		t.Errorf("%d of %d intervals missed the median at some moment", missed, trials)
	}
}

func TestTheIntervalIsOpenWhileThereIsTooLittle(t *testing.T) {
	rule := Rule{Alpha: 0.05, Peeking: true}
	needed := NeededRounds(rule)
	if needed != 8 { // 9/256 <= 0.05 < 8/128
		t.Errorf("%d rounds needed", needed)
	}
	for n := range needed {
		if low, high := Interval(repeat(n, 2, 0.01), rule); low != 0 || !math.IsInf(high, 1) {
			t.Errorf("%d rounds: from %v to %v", n, low, high)
		}
	}
	if low, high := Interval(repeat(needed, 2, 0.01), rule); low < 1.9 || high > 2.1 {
		t.Errorf("%d rounds: from %v to %v", needed, low, high)
	}
}

func TestASeparableRatioHasAnIntervalBesideOne(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	rule := Rule{Alpha: 0.01, Peeking: true}
	separable := 0
	for range 500 {
		centre, ratios := math.Exp(0.2*r.NormFloat64()), make([]float64, 20)
		for i := range ratios {
			ratios[i] = centre * math.Exp(0.1*r.NormFloat64())
		}
		low, high := Interval(ratios, rule)
		v := Judge(ratios, repeat(10, 1, 0.001), rule)
		if v.Separable {
			separable++
		}
		if v.Separable != (low > 1 || high < 1) {
			t.Errorf("%+v, and the interval is from %v to %v", v, low, high)
		}
		if p := Outside(ratios, 1, rule); math.Abs(p-v.P) > 1e-12 {
			t.Errorf("probability %v and %v", p, v.P)
		}
	}
	if separable < 100 || separable > 450 {
		t.Errorf("%d of 500 separable: the test shows little", separable)
	}
}

func TestAgreementOfTooFewRoundsSaysHowManyItTakes(t *testing.T) {
	v := Judge(repeat(10, 2, 0.01), repeat(10, 1, 0.01), Rule{Alpha: 0.001, Peeking: true})
	if v.Separable || !strings.Contains(v.Reason, "10 rounds agree, but it takes 14") {
		t.Errorf("got %+v", v)
	}
}
