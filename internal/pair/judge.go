// Package pair compares two or more ways of doing the same work on a machine
// that is never quiet.
//
// Times of different minutes cannot be compared: clocks change, neighbours come
// and go. So work is done in rounds, everything once in each round, and only
// ratios within a round are looked at ([Run]). What a series of ratios supports
// is decided in one place ([Judge]): how many rounds agree on who is faster,
// and whether the difference is larger than what the machine shows between a
// thing and itself. Where it is not, there is no number.
package pair

import (
	"fmt"
	"math"
	"slices"
)

// Rule is what a series of rounds must fulfil before its ratio may be told.
// The zero Rule means the defaults.
type Rule struct {
	// MinRounds is the fewest rounds to judge from; 0, and anything below 5,
	// means 5.
	MinRounds int

	// Alpha is the largest acceptable probability that as many rounds agree by
	// chance although there is no difference (two-sided sign test); 0 means
	// 1/16, which five rounds of five just reach.
	Alpha float64

	// Peeking makes Alpha hold for a series that is judged after every round
	// and ended when it is decided. It asks for more rounds: at 1/16 eight of
	// eight.
	Peeking bool
}

const (
	fewestRounds = 5
	defaultAlpha = 1.0 / 16
)

func (r Rule) minRounds() int { return max(r.MinRounds, fewestRounds) }

func (r Rule) alpha() float64 {
	if r.Alpha <= 0 {
		return defaultAlpha
	}
	return r.Alpha
}

// test returns the probability that at least k of n rounds agree by chance.
func (r Rule) test(n, k int) float64 {
	if r.Peeking {
		return peekTest(n, k)
	}
	return signTest(n, k)
}

// Verdict is what a series of rounds says about a ratio of two times.
type Verdict struct {
	// Ratio is the median of the rounds' ratios, and Low and High are the
	// quartiles around it. They are for the reader only if Separable.
	Ratio, Low, High float64

	// Noise is how far, typically, the same thing's time differs from itself
	// within a round: the median of |log(A/A)|, as a fraction (0.02 is 2 %).
	Noise float64

	// Rounds is the number of rounds, Agree how many of them are on the
	// median's side of 1.
	Rounds, Agree int

	// P is the probability that chance alone makes so many rounds agree.
	P float64

	// Separable says that the ratio differs from 1 by more than chance and
	// noise explain. Reason says in a few words why not, where it is false.
	Separable bool
	Reason    string
}

// Judge decides what ratios, one for each round, say. The calibration holds
// ratios of a thing's time to its own from the same rounds; without one nothing
// is separable. Ratios that are not positive and finite make the series
// worthless: there is no time that is zero.
func Judge(ratios, calibration []float64, rule Rule) Verdict {
	v := Verdict{Rounds: len(ratios), P: 1}
	if len(ratios) < rule.minRounds() {
		v.Reason = fmt.Sprintf("%d rounds are fewer than %d", len(ratios), rule.minRounds())
		return v
	}
	logs, ok := logarithms(ratios)
	own, okOwn := logarithms(calibration)
	if !ok || !okOwn {
		v.Reason = "a time was too short for the clock"
		return v
	}
	if len(own) < rule.minRounds() {
		v.Reason = fmt.Sprintf("%d rounds of a thing against itself are fewer than %d", len(own), rule.minRounds())
		return v
	}

	middle := Quantile(logs, 0.5)
	v.Ratio = math.Exp(middle)
	v.Low, v.High = math.Exp(Quantile(logs, 0.25)), math.Exp(Quantile(logs, 0.75))
	for _, l := range logs {
		if l*middle > 0 {
			v.Agree++
		}
	}
	for i := range own {
		own[i] = math.Abs(own[i])
	}
	noise := Quantile(own, 0.5)
	v.Noise = math.Expm1(noise)
	v.P = rule.test(v.Rounds, v.Agree)

	switch {
	case v.P > rule.alpha() && v.Agree == v.Rounds:
		v.Reason = fmt.Sprintf("%d rounds agree, but it takes %d", v.Agree, NeededRounds(rule))
	case v.P > rule.alpha():
		v.Reason = fmt.Sprintf("only %d of %d rounds agree", v.Agree, v.Rounds)
	case math.Abs(middle) <= noise:
		v.Reason = fmt.Sprintf("the same thing differs from itself by %.1f %%", 100*v.Noise)
	default:
		v.Separable = true
	}
	return v
}

// logarithms returns the natural logarithms: a ratio and its inverse are then
// equally far from no difference.
func logarithms(ratios []float64) ([]float64, bool) {
	logs := make([]float64, len(ratios))
	for i, r := range ratios {
		if !(r > 0) || math.IsInf(r, 0) {
			return nil, false
		}
		logs[i] = math.Log(r)
	}
	return logs, true
}

// Quantile returns the q-quantile, 0 <= q <= 1, interpolated between the two
// values around it. There is at least one value; their order is kept.
func Quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	below := int(at)
	if below+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[below] + (at-float64(below))*(sorted[below+1]-sorted[below])
}

// signTest returns the probability that of n fair coins at least k, or at most
// n-k, show heads.
func signTest(n, k int) float64 {
	if 2*k <= n {
		return 1
	}
	tail, logChoose := 0.0, 0.0 // logarithm of n over 0
	for i := 0; i <= n-k; i++ {
		tail += math.Exp(logChoose - float64(n)*math.Ln2)
		logChoose += math.Log(float64(n-i)) - math.Log(float64(i+1))
	}
	return min(1, 2*tail)
}
