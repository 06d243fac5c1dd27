package schema

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/fbverify/go/schema/internal/words"
)

// Integer is an integer of 128 bits as its two's complement: wide enough for every long
// and ulong, and for the sum of two of them.
type Integer struct {
	High int64
	Low  uint64
}

// Signed returns n as an Integer.
func Signed(n int64) Integer { return Integer{n >> 63, uint64(n)} }

// Unsigned returns n as an Integer.
func Unsigned(n uint64) Integer { return Integer{0, n} }

// Compare returns -1, 0 or 1 where n is less than, equal to or greater than m.
func (n Integer) Compare(m Integer) int {
	switch {
	case n.High < m.High || n.High == m.High && n.Low < m.Low:
		return -1
	case n == m:
		return 0
	}
	return 1
}

// Add returns n + m.
func (n Integer) Add(m Integer) Integer {
	low, carry := bits.Add64(n.Low, m.Low, 0)
	return Integer{n.High + m.High + int64(carry), low}
}

// Negate returns -n.
func (n Integer) Negate() Integer {
	low, borrow := bits.Sub64(0, n.Low, 0)
	return Integer{-n.High - int64(borrow), low}
}

// magnitude returns the absolute value, the greatest uint64 where it is beyond that.
func (n Integer) magnitude() uint64 {
	if n.High < 0 {
		n = n.Negate()
	}
	if n.High != 0 {
		return math.MaxUint64
	}
	return n.Low
}

// Times returns n times by; n is a value of the format's types, and by is not negative.
func (n Integer) Times(by int64) Integer {
	high, low := bits.Mul64(n.magnitude(), uint64(by))
	if p := (Integer{int64(high), low}); n.High >= 0 {
		return p
	} else {
		return p.Negate()
	}
}

// Divide returns n divided by the positive by, rounded down; n is a value of the format's types.
func (n Integer) Divide(by int64) Integer {
	q, r := n.magnitude()/uint64(by), n.magnitude()%uint64(by)
	switch {
	case n.High >= 0:
		return Unsigned(q)
	case r != 0:
		q++
	}
	return Unsigned(q).Negate()
}

// IsMultiple reports whether n is a multiple of the positive m.
func (n Integer) IsMultiple(m Integer) bool {
	return m.High == 0 && m.Low != 0 && n.magnitude()%m.Low == 0
}

// Int64 returns n, or the nearest int64.
func (n Integer) Int64() int64 {
	switch {
	case n.Compare(Signed(math.MinInt64)) < 0:
		return math.MinInt64
	case n.Compare(Signed(math.MaxInt64)) > 0:
		return math.MaxInt64
	}
	return int64(n.Low)
}

// String returns n in decimal.
func (n Integer) String() string {
	if n.High == n.High>>63 && (n.High == 0 || int64(n.Low) < 0) {
		if n.High < 0 {
			return strconv.FormatInt(int64(n.Low), 10)
		}
		return strconv.FormatUint(n.Low, 10)
	}
	b := new(big.Int).Lsh(big.NewInt(n.High), 64)
	return b.Add(b, new(big.Int).SetUint64(n.Low)).String()
}

// integerOf reads a number as schemas write it: decimal or behind 0x, with or without a sign.
func integerOf(text string) (Integer, bool) {
	if n, err := ParseInteger(text, Long); err == nil {
		return Signed(n), true
	}
	if n, err := ParseInteger(text, ULong); err == nil && words.IsDigit(text[0]) {
		return Unsigned(uint64(n)), true
	}
	return Integer{}, false
}
