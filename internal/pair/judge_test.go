package pair

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// repeat returns n ratios around centre, each off by up to the fraction spread,
// half above and half below.
func repeat(n int, centre, spread float64) []float64 {
	ratios := make([]float64, n)
	for i := range ratios {
		step := float64(i/2+1) / float64((n+1)/2) * spread
		if i%2 == 1 {
			step = -step
		}
		ratios[i] = centre * math.Exp(step)
	}
	return ratios
}

func TestAClearDifferenceIsSeparable(t *testing.T) {
	v := Judge(repeat(11, 0.5, 0.1), repeat(11, 1, 0.02), Rule{})
	if !v.Separable || v.Agree != 11 || v.Rounds != 11 {
		t.Errorf("got %+v", v)
	}
	if math.Abs(v.Ratio-0.5) > 0.02 {
		t.Errorf("ratio %v, want about 0.5", v.Ratio)
	}
	if !(v.Low < v.Ratio && v.Ratio < v.High) {
		t.Errorf("the quartiles %v and %v do not enclose the median %v", v.Low, v.High, v.Ratio)
	}
}

func TestFewerThanFiveRoundsAreNeverJudged(t *testing.T) {
	for n := range 5 {
		for _, rule := range []Rule{{}, {MinRounds: 1, Alpha: 1}} {
			if v := Judge(repeat(n, 0.1, 0.001), repeat(11, 1, 0.001), rule); v.Separable || !strings.Contains(v.Reason, "fewer than 5") {
				t.Errorf("%d rounds: %+v", n, v)
			}
			if v := Judge(repeat(11, 0.1, 0.001), repeat(n, 1, 0.001), rule); v.Separable {
				t.Errorf("%d rounds of calibration: %+v", n, v)
			}
		}
	}
	if v := Judge(repeat(5, 0.1, 0.001), repeat(5, 1, 0.001), Rule{}); !v.Separable {
		t.Errorf("five rounds: %+v", v)
	}
}

func TestRoundsThatDisagreeAreNotSeparable(t *testing.T) {
	ratios := []float64{0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 1.2, 1.2, 1.2, 1.2}
	v := Judge(ratios, repeat(11, 1, 0.001), Rule{})
	if v.Separable || v.Agree != 7 || v.Reason != "only 7 of 11 rounds agree" {
		t.Errorf("got %+v", v)
	}
}

func TestADifferenceBelowTheMachinesNoiseIsNotSeparable(t *testing.T) {
	v := Judge(repeat(11, 1.03, 0.01), repeat(11, 1, 0.2), Rule{})
	if v.Separable || !strings.Contains(v.Reason, "differs from itself") {
		t.Errorf("got %+v", v)
	}
	if v := Judge(repeat(11, 1.03, 0.01), repeat(11, 1, 0.02), Rule{}); !v.Separable {
		t.Errorf("with little noise: %+v", v)
	}
}

func TestOneWildRoundChangesNothing(t *testing.T) {
	ratios := append(repeat(10, 0.5, 0.05), 40)
	v := Judge(ratios, append(repeat(10, 1, 0.02), 9), Rule{})
	if !v.Separable || v.Agree != 10 || math.Abs(v.Ratio-0.5) > 0.03 {
		t.Errorf("got %+v", v)
	}
}

func TestExactlyEqualTimesAreNoDifference(t *testing.T) {
	v := Judge(repeat(11, 1, 0), repeat(11, 1, 0), Rule{})
	if v.Separable || v.Agree != 0 || v.Ratio != 1 {
		t.Errorf("got %+v", v)
	}
}

func TestImpossibleTimesAreNotJudged(t *testing.T) {
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if v := Judge(append(repeat(10, 0.5, 0.01), bad), repeat(11, 1, 0.01), Rule{}); v.Separable || v.Reason == "" {
			t.Errorf("with a ratio of %v: %+v", bad, v)
		}
		if v := Judge(repeat(11, 0.5, 0.01), append(repeat(10, 1, 0.01), bad), Rule{}); v.Separable || v.Reason == "" {
			t.Errorf("with a calibration of %v: %+v", bad, v)
		}
	}
}

// TestTheSideOfOneDoesNotMatter swaps who is divided by whom.
func TestTheSideOfOneDoesNotMatter(t *testing.T) {
	ratios := []float64{0.71, 0.75, 0.8, 0.78, 1.1, 0.69, 0.74, 0.77, 0.76}
	inverse := make([]float64, len(ratios))
	for i, r := range ratios {
		inverse[i] = 1 / r
	}
	a, b := Judge(ratios, repeat(9, 1, 0.05), Rule{}), Judge(inverse, repeat(9, 1, 0.05), Rule{})
	if a.Separable != b.Separable || a.Agree != b.Agree || math.Abs(a.Ratio*b.Ratio-1) > 1e-9 || math.Abs(a.Low*b.High-1) > 1e-9 {
		t.Errorf("%+v and %+v", a, b)
	}
}

func TestSignTestKnowsItsTable(t *testing.T) {
	for _, c := range []struct {
		n, k int
		want float64
	}{
		{5, 5, 2.0 / 32}, {6, 6, 2.0 / 64}, {7, 6, 2 * 8.0 / 128}, {11, 10, 2 * 12.0 / 2048},
		{10, 5, 1}, {10, 0, 1}, {0, 0, 1}, {9, 5, 1}, {4, 3, 2 * 5.0 / 16},
	} {
		if got := signTest(c.n, c.k); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d of %d: %v, want %v", c.k, c.n, got, c.want)
		}
	}
	if p := signTest(2000, 1100); !(p > 0 && p < 1e-4) {
		t.Errorf("1100 of 2000: %v", p)
	}
}

// TestNoiseAloneIsRarelyCalledADifference simulates a machine with heavy-tailed
// noise, half a per cent to twenty, on a thing against itself.
func TestNoiseAloneIsRarelyCalledADifference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const trials = 2000
	for _, sigma := range []float64{0.005, 0.05, 0.2} {
		called := 0
		for range trials {
			ratios, own := make([]float64, 11), make([]float64, 11)
			for i := range ratios {
				a1, b, a2 := noisy(r, sigma), noisy(r, sigma), noisy(r, sigma)
				ratios[i], own[i] = (a1+a2)/2/b, a1/a2
			}
			if Judge(ratios, own, Rule{}).Separable {
				called++
			}
		}
		if called > trials*2/100 {
			t.Errorf("noise of %v: %d of %d called separable", sigma, called, trials)
		}
	}
}

// noisy returns a time of about 1, now and then far more, as an interrupted one is.
func noisy(r *rand.Rand, sigma float64) float64 {
	x := math.Exp(sigma * r.NormFloat64())
	if r.IntN(20) == 0 {
		x *= 1 + 2*r.Float64()
	}
	return x
}
