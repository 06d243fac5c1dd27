package bytemap

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestClaimsAreBytesThatAreTaken holds them to a byte for each.
func TestClaimsAreBytesThatAreTaken(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 63, 64, 65, 4096, 4097, 300_000} {
		c, want := newClaims(n), make([]bool, n)
		for range 2000 {
			a := rng.IntN(n + 1)
			b := min(n, a+rng.IntN([]int{2, 70, 5000, n + 1}[rng.IntN(4)]))
			free := true
			for _, taken := range want[a:b] {
				free = free && !taken
			}
			if got := c.free(a, b); got != free {
				t.Fatalf("%d to %d of %d: free %v", a, b, n, got)
			}
			if b-a > 100 && rng.IntN(20) > 0 {
				continue
			}
			if got := c.take(a, b); got != free {
				t.Fatalf("%d to %d of %d: taken %v", a, b, n, got)
			}
			for i := a; i < b && free; i++ {
				want[i] = true
			}
		}
		for i, taken := range want {
			if c.free(i, i+1) == taken {
				t.Fatalf("byte %d of %d: taken %v", i, n, taken)
			}
		}
	}
}

// TestClaimsOfTheLargestBufferThatCanBeAddressed: on 32 bits the end of its last word is more
// than an int holds.
func TestClaimsOfTheLargestBufferThatCanBeAddressed(t *testing.T) {
	if math.MaxInt != math.MaxInt32 {
		t.Skip("nothing so large can be made")
	}
	n := math.MaxInt - 40
	c := newClaims(n)
	if !c.take(n-70, n-1) || c.take(n-2, n) || c.next(n-80, n, true) != n-70 || c.next(n-60, n, false) != n-1 {
		t.Error("the last bytes are not claimed as others are")
	}
	runs := 0
	c.runs(0, n, func(from, to int) {
		if runs++; runs == 1 && (from != 0 || to != n-70) || runs == 2 && (from != n-1 || to != n) {
			t.Errorf("a run of free bytes from %d to %d", from, to)
		}
	})
	if runs != 2 || !c.take(n-1, n) || c.next(n-70, n, false) != n {
		t.Errorf("%d runs of free bytes", runs)
	}
}
