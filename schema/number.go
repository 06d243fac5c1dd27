package schema

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// intRange returns the least and the greatest value of an integer type. A bool is
// a byte: flatc takes 0 to 255 as the default of one.
func intRange(b BaseType) (least int64, most uint64) {
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

// fits reports whether a value, uint64 as its two's complement, is one of an
// integer type.
func fits(value int64, b BaseType) bool {
	least, most := intRange(b)
	if b == ULong {
		return true
	}
	return value >= least && (value < 0 || uint64(value) <= most)
}

var errNoInteger = errors.New("is no integer")

// parseInteger reads a number as flatc does, which does as C's strtoll does:
// decimal or, behind 0x, hexadecimal, with or without a sign, and white space
// before it. It returns uint64 values as their two's complement.
func parseInteger(text string, b BaseType) (int64, error) {
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
		return 0, fmt.Errorf("%s %w", quote(text), errNoInteger)
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if errors.Is(err, strconv.ErrSyntax) {
		return 0, fmt.Errorf("%s %w", quote(text), errNoInteger)
	}
	least, most := intRange(b)
	switch {
	case err != nil:
	case !negative && n <= most:
		return int64(n), nil
	case negative && n <= -uint64(least):
		return -int64(n), nil
	}
	return 0, fmt.Errorf("%s does not fit %s, whose values are %d to %d", quote(text), b, least, most)
}

// parseFloat reads a number as C's strtod does: decimal, hexadecimal with 0x,
// "inf", "infinity" and "nan" in any case, with or without a sign, and white space
// before it. What is too large is infinite, as there.
func parseFloat(text string) (float64, bool) {
	digits := strings.TrimLeft(text, " \t\n\v\f\r")
	unsigned := strings.TrimLeft(digits, "+-")
	if len(digits)-len(unsigned) > 1 || strings.ContainsRune(digits, '_') {
		return 0, false
	}
	if strings.EqualFold(unsigned, "nan") {
		return math.NaN(), true // flatc drops the sign of one
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, false
	}
	return f, true
}

// functions are those that a default of a float can call.
var functions = map[string]func(float64) float64{
	"deg": func(x float64) float64 { return x / math.Pi * 180 },
	"rad": func(x float64) float64 { return x * math.Pi / 180 },
	"sin": math.Sin, "cos": math.Cos, "tan": math.Tan,
	"asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
}

// roundResult gives the result of a function the twelve decimal places that flatc
// keeps of it.
func roundResult(f float64) (float64, string) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return f, formatFloat(f)
	}
	text := strconv.FormatFloat(f, 'f', 12, 64)
	f, _ = strconv.ParseFloat(text, 64)
	return f, text
}

// formatFloat writes a float so that it reads back as the same bits.
func formatFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
