package schema

import (
	"math"
	"math/big"
	"testing"
)

// TestIntegersAreWhatIntegersWithoutEndAre, as far as two values of the format and what is
// done with them go.
func TestIntegersAreWhatIntegersWithoutEndAre(t *testing.T) {
	var numbers []Integer
	for _, n := range []int64{0, 1, 2, 7, math.MaxInt32, math.MaxInt64 - 1, math.MaxInt64} {
		numbers = append(numbers, Signed(n), Signed(-n), Signed(-n-1), Unsigned(uint64(n)+1<<63), Unsigned(^uint64(n)))
	}
	whole := func(n Integer) *big.Int {
		b := new(big.Int).Lsh(big.NewInt(n.High), 64)
		return b.Add(b, new(big.Int).SetUint64(n.Low))
	}
	for _, n := range numbers {
		if n.String() != whole(n).String() {
			t.Errorf("%#v is %s", n, n)
		}
		for _, m := range numbers {
			if got, want := n.Compare(m), whole(n).Cmp(whole(m)); got != want {
				t.Errorf("%s to %s: %d", n, m, got)
			}
			if got, want := n.Add(m).String(), new(big.Int).Add(whole(n), whole(m)).String(); got != want {
				t.Errorf("%s + %s = %s", n, m, got)
			}
			if m.Compare(Signed(0)) <= 0 {
				if n.IsMultiple(m) {
					t.Errorf("%s is a multiple of %s", n, m)
				}
				continue
			}
			if got, want := n.IsMultiple(m), new(big.Int).Mod(whole(n), whole(m)).Sign() == 0; got != want {
				t.Errorf("%s is a multiple of %s: %v", n, m, got)
			}
		}
		if got, want := n.Negate().String(), new(big.Int).Neg(whole(n)).String(); got != want {
			t.Errorf("-(%s) = %s", n, got)
		}
		for _, by := range []int64{1, 2, 3, math.MaxInt32} {
			if got, want := n.Times(by).String(), new(big.Int).Mul(whole(n), big.NewInt(by)).String(); got != want {
				t.Errorf("%s * %d = %s", n, by, got)
			}
			q, r := new(big.Int).QuoRem(whole(n), big.NewInt(by), new(big.Int))
			if r.Sign() < 0 {
				q.Sub(q, big.NewInt(1))
			}
			if got := n.Divide(by).String(); got != q.String() {
				t.Errorf("%s / %d = %s, want %s", n, by, got, q)
			}
		}
	}
}
