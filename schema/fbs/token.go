package fbs

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fbverify/go/schema/internal/words"
)

// tokenKind is the kind of a token: the character itself for punctuation, and
// one of the constants below for the rest.
type tokenKind rune

const (
	tokenEOF tokenKind = -1 - iota
	tokenBad           // what the lexer has reported already
	tokenIdent
	tokenString
	tokenInt
	tokenFloat
)

// token is one word of a schema. The rules for what a word is are flatc's; they
// are written down at each kind below.
type token struct {
	kind tokenKind
	text string // name, number as written, or string with its escapes resolved
	span
	doc []string // lines of doc comments since the token before

	newline bool // the first token of its line
	call    bool // an identifier with "(" right behind it: a function in a value
	plain   bool // a string of printable ASCII without escapes
}

// describe names the token in a message about it.
func (t token) describe() string {
	switch t.kind {
	case tokenEOF:
		return "the end of the file"
	case tokenIdent:
		return words.Quote(t.text)
	case tokenString:
		return "the string " + words.Quote(t.text)
	case tokenInt, tokenFloat:
		return "the number " + words.Quote(t.text)
	}
	return "\"" + string(rune(t.kind)) + "\""
}

// is reports whether the token is that word. No word is reserved: a field may be
// called "table".
func (t token) is(word string) bool { return t.kind == tokenIdent && t.text == word }

// lexer cuts a source into tokens. Its copies are independent, which is how the
// parser looks ahead.
type lexer struct {
	src *source
	pos int
	err *reporter // nil while looking ahead
}

func newLexer(src *source, err *reporter) *lexer {
	l := &lexer{src: src, err: err}
	if strings.HasPrefix(src.text, "\ufeff") {
		l.pos = len("\ufeff")
	}
	return l
}

func (l *lexer) report(start, end int, format string, args ...any) {
	if l.err != nil {
		l.err.at(l.src.span(start, end), format, args...)
	}
}

// at returns the byte at an offset, and 0 past the end. A NUL in the text reads
// the same and is refused where it stands for itself.
func (l *lexer) at(i int) byte {
	if i < len(l.src.text) {
		return l.src.text[i]
	}
	return 0
}

// next returns the next token. After a fault, which it reports, it returns a
// tokenBad and goes on behind it.
func (l *lexer) next() token {
	t := token{newline: l.pos == 0 || l.src.text[:l.pos] == "\ufeff"}
	for l.pos < len(l.src.text) {
		switch c := l.src.text[l.pos]; {
		case c == '\n':
			t.newline = true
			l.pos++
		case c == ' ' || c == '\t' || c == '\r':
			l.pos++
		case c == '/' && l.at(l.pos+1) == '/':
			l.lineComment(&t)
		case c == '/' && l.at(l.pos+1) == '*':
			// Block comments do not nest: the first "*/" ends one.
			end := strings.Index(l.src.text[l.pos+2:], "*/")
			if end < 0 {
				l.report(l.pos, l.pos+2, "this comment has no end: \"*/\" is missing")
				l.pos = len(l.src.text)
				continue
			}
			l.pos += 2 + end + 2
		default:
			start := l.pos
			l.word(&t, c)
			t.span = l.src.span(start, l.pos)
			return t
		}
	}
	t.kind, t.span = tokenEOF, l.src.span(l.pos, l.pos)
	return t
}

// lineComment skips a comment that ends with the line. With three slashes it
// documents the next token, and has to stand on a line of its own.
func (l *lexer) lineComment(t *token) {
	start := l.pos
	end := len(l.src.text)
	if i := strings.IndexAny(l.src.text[start:], "\n\r"); i >= 0 {
		end = start + i
	}
	l.pos = end
	text := l.src.text[start:end]
	if !strings.HasPrefix(text, "///") {
		return
	}
	if !t.newline {
		l.report(start, end, "a doc comment (///) has to stand on a line of its own, before what it describes; use // here")
		return
	}
	t.doc = append(t.doc, strings.ToValidUTF8(text[3:], string(utf8.RuneError)))
}

// word reads the token that starts with c.
func (l *lexer) word(t *token, c byte) {
	switch {
	case words.IsLetter(c):
		start := l.pos
		for words.IsLetter(l.at(l.pos)) || words.IsDigit(l.at(l.pos)) {
			l.pos++
		}
		t.kind, t.text, t.call = tokenIdent, l.src.text[start:l.pos], l.at(l.pos) == '('
		if len(t.text) > words.MaxName {
			l.report(start, l.pos, "a name of %d characters: at most %d are allowed", len(t.text), words.MaxName)
			t.kind = tokenBad
		}
	case c == '"' || c == '\'':
		l.quoted(t, c)
	case strings.IndexByte("{}()[]<>,:;=", c) >= 0:
		t.kind = tokenKind(c)
		l.pos++
	case c == '.' && !words.IsDigit(l.at(l.pos+1)):
		t.kind = '.'
		l.pos++
	case words.IsDigit(c) || c == '.' || c == '+' || c == '-':
		l.number(t, c)
	default:
		_, size := utf8.DecodeRuneInString(l.src.text[l.pos:])
		l.report(l.pos, l.pos+size, "the character %s has no meaning here", words.Quote(l.src.text[l.pos:l.pos+size]))
		t.kind = tokenBad
		l.pos += size
	}
}

// number reads an integer or a float: decimal, hexadecimal with 0x, hexadecimal
// floats with an exponent p, "+inf" and "-inf". A sign before any other name is a
// token of its own. There are no octal numbers: 010 is ten.
func (l *lexer) number(t *token, c byte) {
	start := l.pos
	if c == '+' || c == '-' {
		l.pos++
		if strings.HasPrefix(l.src.text[l.pos:], "inf") && !words.IsLetter(l.at(l.pos+3)) && !words.IsDigit(l.at(l.pos+3)) {
			l.pos += 3
			t.kind, t.text = tokenFloat, l.src.text[start:l.pos]
			return
		}
		if words.IsLetter(l.at(l.pos)) {
			t.kind = tokenKind(c)
			return
		}
	}
	isFloat, ok := l.digits()
	t.kind, t.text = tokenInt, l.src.text[start:l.pos]
	if isFloat {
		t.kind = tokenFloat
	}
	if !ok {
		l.report(start, max(l.pos, start+1), "%s is no number", words.Quote(t.text))
		t.kind = tokenBad
	}
}

// digits reads the digits, the point and the exponent of a number.
func (l *lexer) digits() (isFloat, ok bool) {
	isDigit := words.IsDigit
	hex := l.at(l.pos) == '0' && l.at(l.pos+1)|0x20 == 'x'
	if hex {
		l.pos += 2
		isDigit = words.IsHexDigit
	}
	first, points := l.pos, 0
	for {
		for isDigit(l.at(l.pos)) {
			l.pos++
		}
		if l.at(l.pos) != '.' {
			break
		}
		l.pos++
		points++
	}
	ok = points <= 1 && l.pos > first && l.src.text[first:l.pos] != "."
	exponent := l.at(l.pos)|0x20 == 'e' && !hex || l.at(l.pos)|0x20 == 'p' && hex
	if exponent {
		l.pos++
		if l.at(l.pos) == '+' || l.at(l.pos) == '-' {
			l.pos++
		}
		first = l.pos
		for l.at(l.pos) >= '0' && l.at(l.pos) <= '9' {
			l.pos++
		}
		ok = ok && l.pos > first
		if l.at(l.pos) == '.' {
			l.pos++
			ok = false
		}
	}
	// A hexadecimal fraction needs its exponent.
	if hex && points > 0 && !exponent {
		ok = false
	}
	return points > 0 || exponent, ok
}

// quoted reads a string in double or single quotes.
func (l *lexer) quoted(t *token, quoteMark byte) {
	start := l.pos
	l.pos++
	t.kind, t.plain = tokenString, true
	bad := func(from int, format string, args ...any) {
		if t.kind != tokenBad {
			l.report(from, max(l.pos, from+1), format, args...)
		}
		t.kind = tokenBad
	}
	var text strings.Builder
	high, highAt := rune(0), 0 // the first half of a surrogate pair
	for {
		c := l.at(l.pos)
		if l.pos >= len(l.src.text) || c == '\n' || c == '\r' {
			bad(start, "this string has no end: %c is missing", quoteMark)
			return
		}
		if high != 0 && !strings.HasPrefix(l.src.text[l.pos:], `\u`) {
			bad(highAt, "the first half of a surrogate pair has to be followed by the second, \\uDC00 to \\uDFFF")
			high = 0
		}
		if c == quoteMark {
			l.pos++
			break
		}
		if c < ' ' {
			bad(l.pos, "a string may not contain the control character %#02x: write it as \\x%02x", c, c)
			l.pos++
			continue
		}
		if c != '\\' {
			t.plain = t.plain && c <= '~'
			text.WriteByte(c)
			l.pos++
			continue
		}
		t.plain = false
		from := l.pos
		r, size := l.escape(bad)
		switch {
		case size == 1:
			text.WriteByte(byte(r))
		case high != 0:
			if pair := utf16.DecodeRune(high, r); pair != utf8.RuneError {
				text.WriteRune(pair)
			} else {
				bad(from, "the second half of a surrogate pair has to be \\uDC00 to \\uDFFF")
			}
			high = 0
		case r >= 0xd800 && r <= 0xdbff:
			high, highAt = r, from
		case r >= 0xdc00 && r <= 0xdfff:
			bad(from, "the second half of a surrogate pair without the first, \\uD800 to \\uDBFF")
		default:
			text.WriteRune(r)
		}
	}
	t.text = text.String()
	if !utf8.ValidString(t.text) {
		bad(start, "this string is not valid UTF-8")
	}
}

// escape reads a backslash and what follows. The size is 1 for a byte and 2 for
// a UTF-16 code unit.
func (l *lexer) escape(bad func(int, string, ...any)) (r rune, size int) {
	from := l.pos
	c := l.at(l.pos + 1)
	l.pos += 2
	switch c {
	case 'n':
		return '\n', 1
	case 't':
		return '\t', 1
	case 'r':
		return '\r', 1
	case 'b':
		return '\b', 1
	case 'f':
		return '\f', 1
	case '"', '\'', '\\', '/':
		return rune(c), 1
	case 'x':
		return l.hex(from, 2, bad), 1
	case 'u':
		return l.hex(from, 4, bad), 2
	}
	if c < ' ' {
		l.pos-- // the end of the line or the text is the caller's matter
	}
	bad(from, "unknown escape: allowed are \\n \\t \\r \\b \\f \\\" \\' \\\\ \\/ \\xHH and \\uHHHH")
	return ' ', 1
}

func (l *lexer) hex(from, digits int, bad func(int, string, ...any)) (r rune) {
	for range digits {
		c := l.at(l.pos)
		if !words.IsHexDigit(c) {
			bad(from, "\\%c needs %d hexadecimal digits", l.src.text[from+1], digits)
			return ' '
		}
		r = r<<4 | rune(strings.IndexByte("0123456789abcdef", c|0x20))
		l.pos++
	}
	return r
}
