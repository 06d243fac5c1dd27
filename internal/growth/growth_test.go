package growth

import (
	"math"
	"testing"
	"time"
)

// TestFactorTells work that grows faster than its input from what caches and single runs do.
func TestFactorTells(t *testing.T) {
	series := func(ns func(n float64) float64) (s Series) {
		for _, n := range steps(16<<10, 16<<20, 4) {
			s = append(s, Point{Size: n, Time: time.Duration(ns(float64(n)))})
		}
		return s
	}
	for _, c := range []struct {
		name string
		ns   func(n float64) float64
		over bool
	}{
		{"linear", func(n float64) float64 { return 30 * n }, false},
		{"sorted", func(n float64) float64 { return 3 * n * math.Log2(n) }, false},
		{"larger than a cache", func(n float64) float64 {
			if n > 1<<20 {
				return 50 * n
			}
			return 30 * n
		}, false},
		{"refused early", func(n float64) float64 {
			if n > 1<<17 && n < 1<<22 {
				return 5 * n
			}
			return 30 * n
		}, false},
		{"quadratic", func(n float64) float64 { return n * n / 1000 }, true},
		{"quadratic at the end", func(n float64) float64 { return 30*n + n*n/100_000 }, true},
		{"with the root of the size", func(n float64) float64 { return n * math.Sqrt(n) / 4 }, true},
	} {
		if f := series(c.ns).Factor(); f > Limit != c.over || f < 1.99 {
			t.Errorf("%s: a factor of %.2f", c.name, f)
		}
	}
}
