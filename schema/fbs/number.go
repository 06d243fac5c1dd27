package fbs

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

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
