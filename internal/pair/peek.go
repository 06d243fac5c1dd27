package pair

import (
	"math"
	"slices"
)

// Whoever looks at a series after each round and stops as soon as it looks
// decided, has many chances to be fooled by chance, and the sign test of a fixed
// number of rounds knows only of one. What is here holds however often somebody
// looks and whenever he stops.
//
// It is a bet against the coin: before the first round one unit of money is
// spread evenly over all coins with any probability of heads, and each of these
// shares bets on its own coin. After n rounds, k of them heads, the money has
// become the mean of p^k (1-p)^(n-k) over all p, in units of (1/2)^n, which is
// 2^n / ((n+1) (n over k)). If the coin is fair the expected money stays one, so
// (Ville's inequality) the probability that it ever reaches 1/alpha is at most
// alpha.

// peekTest returns the probability, or more, that a fair coin's heads are ever
// as unevenly distributed as k of n: the inverse of the money won, at most 1.
func peekTest(n, k int) float64 {
	if n <= 0 || k < 0 || k > n {
		return 1
	}
	logChoose := logGamma(n+1) - logGamma(k+1) - logGamma(n-k+1)
	return min(1, math.Exp(math.Log(float64(n+1))+logChoose-float64(n)*math.Ln2))
}

// logGamma returns the logarithm of (n-1)!.
func logGamma(n int) float64 {
	l, _ := math.Lgamma(float64(n))
	return l
}

// NeededRounds returns how many rounds, all in agreement, the rule asks for.
func NeededRounds(rule Rule) int {
	n := rule.minRounds()
	for rule.test(n, n) > rule.alpha() && n < 1<<12 {
		n++
	}
	return n
}

// Interval returns bounds of the median ratio that the rule's test does not
// exclude: with a probability of 1-alpha the true median lies between them, for
// a rule with Peeking at all times together. They are 0 and infinity where there
// are too few rounds to exclude anything.
func Interval(ratios []float64, rule Rule) (low, high float64) {
	n := len(ratios)
	// A candidate is excluded when at least so many rounds lie on one side of it.
	excludes := n/2 + 1
	for excludes <= n && rule.test(n, excludes) > rule.alpha() {
		excludes++
	}
	if excludes > n || n < rule.minRounds() {
		return 0, math.Inf(1)
	}
	sorted := slices.Sorted(slices.Values(ratios))
	return sorted[n-excludes], sorted[excludes-1]
}

// Outside returns the probability that chance alone puts the rounds so much to
// one side of a ratio: small if the true median is not there.
func Outside(ratios []float64, from float64, rule Rule) float64 {
	above, below := 0, 0
	for _, r := range ratios {
		switch {
		case r > from:
			above++
		case r < from:
			below++
		}
	}
	return rule.test(len(ratios), max(above, below))
}
