package dynamic

import (
	"encoding/binary"
	"math"
	"strconv"
	"unicode/utf8"
)

// byteText holds the digits of each byte and a comma, at most four characters, as
// one word to store; byteLen how many of them count.
var (
	byteText [256]uint32
	byteLen  [256]uint8
)

func init() {
	for i := range 256 {
		var w [4]byte
		s := append(strconv.AppendInt(w[:0], int64(i), 10), ',')
		byteLen[i] = uint8(len(s))
		byteText[i] = binary.LittleEndian.Uint32(w[:])
	}
}

// appendScalar appends a scalar as JSON.
func appendScalar(b []byte, t *Type, bits uint64, opts *JSONOptions) []byte {
	if t.Enum != nil && !opts.EnumNumbers && t.Kind != KindBool {
		if name := t.enumName(bits); name != "" {
			b = append(b, '"')
			b = append(b, name...)
			return append(b, '"')
		}
		if t.Enum.BitFlags {
			if flags, ok := t.appendFlags(append(b, '"'), bits); ok {
				return append(flags, '"')
			}
		}
	}
	switch t.Kind {
	case KindBool:
		if bits != 0 {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case KindInt:
		return strconv.AppendInt(b, int64(bits), 10)
	case KindUint:
		return strconv.AppendUint(b, bits, 10)
	}
	width := 64
	if t.scalar == scalarF32 {
		width = 32
	}
	return appendFloat(b, math.Float64frombits(bits), width, opts)
}

func appendFloat(b []byte, f float64, width int, opts *JSONOptions) []byte {
	if f != f || f > math.MaxFloat64 || f < -math.MaxFloat64 {
		s := "nan"
		if f > 0 {
			s = "inf"
		} else if f < 0 {
			s = "-inf"
		}
		if opts.Unquoted {
			return append(b, s...)
		}
		b = append(b, '"')
		b = append(b, s...)
		return append(b, '"')
	}
	if opts.FlatcFloats {
		digits := 12
		if width == 32 {
			digits = 6
		}
		b = strconv.AppendFloat(b, f, 'f', digits, 64)
		n := len(b)
		for b[n-1] == '0' && b[n-2] != '.' {
			n--
		}
		return b[:n]
	}
	abs := math.Abs(f)
	if abs < 1<<50 && f == float64(int64(f)) && (f != 0 || !math.Signbit(f)) && (width == 64 || abs < 1<<24) {
		// A whole number, whose digits are the shortest ones anyhow.
		return append(strconv.AppendInt(b, int64(f), 10), ".0"...)
	}
	if abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.AppendFloat(b, f, 'e', -1, width)
	}
	start := len(b)
	b = strconv.AppendFloat(b, f, 'f', -1, width)
	for _, c := range b[start:] {
		if c == '.' {
			return b
		}
	}
	return append(b, ".0"...)
}

// plain tells which bytes stand for themselves in a JSON string.
var plain = func() (t [256]bool) {
	for c := ' '; c <= '~'; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

const (
	hexDigits   = "0123456789ABCDEF"
	replacement = "\\uFFFD"
)

// appendJSONString appends s as a JSON string, for text that is known to be UTF-8.
func appendJSONString(b []byte, s string, opts *JSONOptions) []byte {
	b = append(b, '"')
	for rest := s; rest != ""; {
		n := 0
		for n < len(rest) && plain[rest[n]] {
			n++
		}
		b = append(b, rest[:n]...)
		if rest = rest[n:]; rest == "" {
			break
		}
		b, n, _ = appendSpecial(b, rest, opts)
		rest = rest[n:]
	}
	return append(b, '"')
}

// appendSpecial appends the first character of s, one that does not stand for
// itself, and returns how many bytes of s that was. It reports false, having
// appended nothing, where s starts with no UTF-8 and the options say to fail.
func appendSpecial[S string | []byte](b []byte, s S, opts *JSONOptions) ([]byte, int, bool) {
	c := s[0]
	if c >= utf8.RuneSelf {
		var head [utf8.UTFMax]byte
		w := copy(head[:], s)
		r, n := utf8.DecodeRune(head[:w])
		switch {
		case r == utf8.RuneError && n <= 1:
			switch opts.NonUTF8 {
			case NonUTF8Escape:
				return append(b, '\\', 'x', hexDigits[c>>4], hexDigits[c&15]), 1, true
			case NonUTF8Replace:
				return append(b, replacement...), 1, true
			}
			return b, 0, false
		case !opts.ASCII && !disturbs(r):
			return append(b, head[:n]...), n, true
		case r > 0xFFFF:
			r -= 0x10000
			return appendU(appendU(b, 0xD800+r>>10), 0xDC00+r&0x3FF), n, true
		}
		return appendU(b, r), n, true
	}
	switch c {
	case '"', '\\':
		return append(b, '\\', c), 1, true
	case '\n':
		return append(b, '\\', 'n'), 1, true
	case '\t':
		return append(b, '\\', 't'), 1, true
	case '\r':
		return append(b, '\\', 'r'), 1, true
	case '\b':
		return append(b, '\\', 'b'), 1, true
	case '\f':
		return append(b, '\\', 'f'), 1, true
	}
	return appendU(b, rune(c)), 1, true
}

// disturbs reports whether a character beyond ASCII can command a terminal (the
// control characters from U+0080 on), or change the order in which the text around
// it is shown, or end a line. Such characters are escaped always.
func disturbs(r rune) bool {
	return r <= 0x9F || r == 0x2028 || r == 0x2029 || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}

func appendU(b []byte, r rune) []byte {
	return append(b, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}
