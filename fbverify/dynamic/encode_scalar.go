package dynamic

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// scalar reads a scalar and returns its bits, as scalarBits would. f is the field
// it is a value of.
func (e *encoder) scalar(t *Type, f *Field) uint64 {
	switch e.tok {
	case tokNumber:
		bits := e.numeral(t, e.str)
		e.next()
		return bits
	case tokString, tokIdent:
		return e.word(t, f)
	}
	e.failf("expected %s, found %s", t.wanted(), e.found())
	return 0
}

// wanted says in a few words what values a scalar type takes.
func (t *Type) wanted() string {
	switch {
	case t.Kind == KindBool:
		return "true or false"
	case t.Enum != nil:
		return "a value of " + t.Enum.Name
	case t.Kind == KindFloat:
		return "a number"
	}
	lo, hi := t.limits()
	return fmt.Sprintf("an integer from %s to %s", lo, hi)
}

// limits returns the least and the greatest integer of the type, in digits.
func (t *Type) limits() (lo, hi string) {
	width := uint(8)
	switch t.scalar {
	case scalarU16, scalarI16:
		width = 16
	case scalarU32, scalarI32:
		width = 32
	case scalar64:
		width = 64
	}
	switch {
	case t.Kind == KindBool:
		return "0", "1"
	case t.Kind == KindInt:
		max := int64(1)<<(width-1) - 1
		return strconv.FormatInt(-max-1, 10), strconv.FormatInt(max, 10)
	}
	return "0", strconv.FormatUint(math.MaxUint64>>(64-width), 10)
}

// numeral converts the text of a number.
func (e *encoder) numeral(t *Type, text []byte) uint64 {
	if t.Kind == KindFloat {
		return math.Float64bits(e.float(t, text))
	}
	neg, mag, ok := parseInteger(text)
	if !ok {
		e.failf("expected %s, found %s", t.wanted(), clip(string(text)))
	}
	fits := false
	switch t.scalar {
	case scalarU8:
		fits = mag <= math.MaxUint8
	case scalarU16:
		fits = mag <= math.MaxUint16
	case scalarU32:
		fits = mag <= math.MaxUint32
	case scalarI8:
		fits = mag <= math.MaxInt8 || neg && mag == -math.MinInt8
	case scalarI16:
		fits = mag <= math.MaxInt16 || neg && mag == -math.MinInt16
	case scalarI32:
		fits = mag <= math.MaxInt32 || neg && mag == -math.MinInt32
	case scalar64:
		fits = t.Kind == KindUint || mag <= math.MaxInt64 || neg && mag == 1<<63
	}
	if neg && t.Kind != KindInt && mag != 0 || t.Kind == KindBool && mag > 1 {
		fits = false
	}
	if !fits {
		lo, hi := t.limits()
		e.failf("expected a number from %s to %s, found %s", lo, hi, clip(string(text)))
	}
	if neg {
		return -mag
	}
	return mag
}

// parseInteger reads a decimal or hexadecimal integer, with any number of zeros
// before it. A magnitude beyond 64 bits is no integer.
func parseInteger(s []byte) (neg bool, mag uint64, ok bool) {
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg, s = s[0] == '-', s[1:]
	}
	base := uint64(10)
	if len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' {
		base, s = 16, s[2:]
	}
	if len(s) == 0 {
		return false, 0, false
	}
	for _, c := range s {
		var d uint64
		switch {
		case c >= '0' && c <= '9':
			d = uint64(c - '0')
		case base == 16 && c|0x20 >= 'a' && c|0x20 <= 'f':
			d = uint64(c|0x20-'a') + 10
		default:
			return false, 0, false
		}
		if mag > (math.MaxUint64-d)/base {
			return false, 0, false
		}
		mag = mag*base + d
	}
	return neg, mag, true
}

var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// float converts the text of a float of the type's width.
func (e *encoder) float(t *Type, text []byte) float64 {
	width := 64
	if t.scalar == scalarF32 {
		width = 32
	}
	if f, ok := exactFloat(text, width); ok {
		return f
	}
	s := string(text)
	switch strings.ToLower(strings.TrimLeft(s, "+-")) {
	case "nan":
		return math.NaN()
	}
	f, err := strconv.ParseFloat(s, width)
	switch {
	case errors.Is(err, strconv.ErrRange):
		e.failf("%s does not fit into a %s", clip(s), t.Base)
	case err != nil || strings.Contains(s, "_"):
		e.failf("expected a number, found %s", clip(s))
	}
	return f
}

// exactFloat converts decimals that are a quotient of two numbers which the width
// holds exactly, so that one division rounds right. Most are.
func exactFloat(s []byte, width int) (float64, bool) {
	neg := false
	if len(s) > 0 && s[0] == '-' {
		neg, s = true, s[1:]
	}
	if len(s) == 0 || len(s) > 17 {
		return 0, false
	}
	mant, digits, point := uint64(0), 0, -1
	for i, c := range s {
		switch {
		case c >= '0' && c <= '9':
			mant = mant*10 + uint64(c-'0')
			digits++
		case c == '.' && point < 0:
			point = i
		default:
			return 0, false
		}
	}
	scale := 0
	if point >= 0 {
		scale = len(s) - 1 - point
	}
	if digits == 0 {
		return 0, false
	}
	var f float64
	if width == 32 {
		if mant >= 1<<24 || scale > 10 {
			return 0, false
		}
		f = float64(float32(mant) / float32(pow10[scale]))
	} else {
		if mant >= 1<<53 {
			return 0, false
		}
		f = float64(mant) / pow10[scale]
	}
	if neg {
		f = -f
	}
	return f, true
}

// word reads a scalar that is a string or a word.
func (e *encoder) word(t *Type, f *Field) uint64 {
	text := e.str
	if e.tok == tokIdent && e.peek() == '(' {
		return math.Float64bits(e.function(t))
	}
	if f != nil && f.hash != nil && (t == &f.typ || t == f.typ.Elem) && !e.numberInString(t, text) {
		bits := t.narrow(f.hash(text))
		e.next()
		return bits
	}
	if e.tok == tokString {
		text = bytes.TrimRight(text, " ")
	}
	var bits uint64
	letter := len(text) > 0 && class[text[0]] == classWord
	switch {
	case t.Kind == KindBool && (string(text) == "true" || string(text) == "false"):
		if text[0] == 't' {
			bits = 1
		}
	case t.Kind == KindFloat:
		bits = math.Float64bits(e.float(t, text))
	case letter && t.Kind != KindBool:
		bits = e.enumWords(t, string(text))
	case e.tok == tokString && len(text) > 0:
		bits = e.numeral(t, text)
	default:
		e.failf("expected %s, found %s", t.wanted(), e.found())
	}
	e.next()
	return bits
}

// numberInString reports whether flatc takes the text for a number though the field
// has the attribute hash: it hashes nothing for 16 bits, and refuses other texts there.
func (e *encoder) numberInString(t *Type, text []byte) bool {
	_, _, number := parseInteger(text)
	return number && t.Size == 2
}

// peek returns the byte after the current token and any spaces.
func (l *lexer) peek() byte {
	for _, c := range l.src[l.pos:] {
		if class[c] != classSpace {
			return c
		}
	}
	return 0
}

// enumWords returns the value of an enum's name, or of several names of bit flags
// with spaces between. A field without an enum takes qualified names of any.
func (e *encoder) enumWords(t *Type, text string) uint64 {
	names := strings.Fields(text)
	if len(names) > 1 && (t.Enum == nil || !t.Enum.BitFlags) {
		e.failf("expected %s, found %s: only bit_flags can be several at once", t.wanted(), clip(strconv.Quote(text)))
	}
	var bits uint64
	for _, name := range names {
		v, ok := e.enumValue(t, name)
		if !ok {
			e.failf("expected %s, found %s", t.wanted(), clip(strconv.Quote(name)))
		}
		bits |= v
	}
	if t.Enum == nil {
		// A value of some other enum need not fit.
		if n := int64(bits); t.Kind == KindInt {
			return e.numeral(t, strconv.AppendInt(nil, n, 10))
		}
		return e.numeral(t, strconv.AppendUint(nil, bits, 10))
	}
	return bits
}

func (e *encoder) enumValue(t *Type, name string) (uint64, bool) {
	if t.enum != nil {
		if v, ok := t.enum.values[name]; ok {
			return uint64(v), true
		}
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return 0, false
	}
	enum := e.root.model.enumNamed(name[:dot])
	if enum == nil || t.Enum != nil && enum != t.Enum {
		return 0, false
	}
	v, ok := e.root.model.enums[enum].values[name[dot+1:]]
	return uint64(v), ok
}

// maxCalls bounds functions inside of functions.
const maxCalls = 16

// function reads a constant such as rad(180).
func (e *encoder) function(t *Type) float64 {
	name := string(e.str)
	fn := map[string]func(float64) float64{
		"deg": func(x float64) float64 { return x / math.Pi * 180 },
		"rad": func(x float64) float64 { return x * math.Pi / 180 },
		"sin": math.Sin, "cos": math.Cos, "tan": math.Tan,
		"asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
	}[name]
	switch {
	case t.Kind != KindFloat:
		e.failf("expected %s, found the function %s", t.wanted(), clip(name))
	case fn == nil:
		e.failf("expected one of deg, rad, sin, cos, tan, asin, acos and atan, found the function %s", clip(name))
	case e.calls == maxCalls:
		e.failf("functions nest deeper than %d", maxCalls)
	}
	e.calls++
	e.next()
	e.expect('(')
	start := e.start
	double := *t
	double.scalar = scalar64
	x := fn(math.Float64frombits(e.scalar(&double, nil)))
	e.expect(')')
	e.calls--
	if t.scalar == scalarF32 {
		if x = float64(float32(x)); math.IsInf(x, 0) {
			e.failAt(start, "the result does not fit into a float")
		}
	}
	return x
}
