package rule

import (
	"math/big"
	"testing"
)

// numbers are those around which rules change their mind, or sums wrap around.
func numbers() (all []uint64) {
	for _, n := range []uint64{0, 8, 1 << 16, 1 << 32, 1 << 62, 1 << 63} {
		for off := range uint64(3) {
			all = append(all, n+off, n-off)
		}
	}
	return all
}

func number(n uint64) *big.Int { return new(big.Int).SetUint64(n) }

// TestRulesHoldForNumbersOfAnySize: they say what integers without end would.
func TestRulesHoldForNumbersOfAnySize(t *testing.T) {
	sum := func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }
	for _, n := range numbers() {
		if n >= 1<<63 {
			continue
		}
		for _, pos := range numbers() {
			for _, size := range numbers() {
				end := sum(number(pos), number(size))
				if got, want := Fits(pos, size, n), end.Cmp(number(n)) <= 0; got != want {
					t.Fatalf("%d bytes at %d of %d: fit %v", size, pos, n, got)
				}
				if got, want := Terminated(pos, size, n), end.Cmp(number(n)) < 0; got != want {
					t.Fatalf("a string of %d bytes at %d of %d: terminated %v", size, pos, n, got)
				}
				for _, elem := range []uint64{1, 2, 3, 8, 1<<16 - 1} {
					end := sum(number(pos), new(big.Int).Mul(number(size), number(elem)))
					if got, want := VectorFits(pos, size, elem, n), end.Cmp(number(n)) <= 0; got != want {
						t.Fatalf("%d elements of %d bytes at %d of %d: fit %v", size, elem, pos, n, got)
					}
				}
			}
		}
	}
}

func TestAligned(t *testing.T) {
	for pos := range uint64(64) {
		for align := uint64(1); align <= 32; align *= 2 {
			if got, want := Aligned(pos, align), pos%align == 0; got != want {
				t.Errorf("%d is a multiple of %d: %v", pos, align, got)
			}
		}
	}
}

// TestNoBufferWithoutSharingHasTooManyTables: a table takes four bytes.
func TestNoBufferWithoutSharingHasTooManyTables(t *testing.T) {
	for _, n := range numbers() {
		if got := MaxTables(n); got < n/4 || got < 1_000_000 {
			t.Errorf("%d tables are allowed in %d bytes", got, n)
		}
	}
}
