package schema

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fbverify/go/schema/internal/words"
)

// Range returns the least and the greatest value of an integer type. A bool is
// a byte: flatc takes 0 to 255 as the default of one.
func (b BaseType) Range() (least int64, most uint64) {
	switch b {
	case Byte:
		return math.MinInt8, math.MaxInt8
	case Short:
		return math.MinInt16, math.MaxInt16
	case Int:
		return math.MinInt32, math.MaxInt32
	case Long:
		return math.MinInt64, math.MaxInt64
	case UShort:
		return 0, math.MaxUint16
	case UInt:
		return 0, math.MaxUint32
	case ULong:
		return 0, math.MaxUint64
	}
	return 0, math.MaxUint8
}

// Fits reports whether a value, uint64 as its two's complement, is one of an
// integer type.
func (b BaseType) Fits(value int64) bool {
	least, most := b.Range()
	if b == ULong {
		return true
	}
	return value >= least && (value < 0 || uint64(value) <= most)
}

var errNoInteger = errors.New("is no integer")

// ParseInteger reads a number as flatc does, which does as C's strtoll does:
// decimal or, behind 0x, hexadecimal, with or without a sign, and white space
// before it. It returns uint64 values as their two's complement.
func ParseInteger(text string, b BaseType) (int64, error) {
	digits := strings.TrimLeft(text, " \t\n\v\f\r")
	negative := strings.HasPrefix(digits, "-")
	if negative || strings.HasPrefix(digits, "+") {
		digits = digits[1:]
	}
	base := 10
	if len(digits) > 2 && digits[0] == '0' && digits[1]|0x20 == 'x' {
		digits, base = digits[2:], 16
	}
	if strings.ContainsAny(digits, "+-_") {
		return 0, fmt.Errorf("%s %w", words.Quote(text), errNoInteger)
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if errors.Is(err, strconv.ErrSyntax) {
		return 0, fmt.Errorf("%s %w", words.Quote(text), errNoInteger)
	}
	least, most := b.Range()
	switch {
	case err != nil:
	case !negative && n <= most:
		return int64(n), nil
	case negative && n <= -uint64(least):
		return -int64(n), nil
	}
	return 0, fmt.Errorf("%s does not fit %s, whose values are %d to %d", words.Quote(text), b, least, most)
}
