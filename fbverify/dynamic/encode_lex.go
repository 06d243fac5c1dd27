package dynamic

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// token is the kind of a token: its character, or one of the constants.
type token byte

const (
	tokEOF    token = 0
	tokString token = 's'
	tokNumber token = 'n' // starts with a digit, a sign or a point
	tokIdent  token = 'i' // a word; a sign may stand before it
)

// String names the token for "expected …".
func (t token) String() string {
	switch t {
	case tokEOF:
		return "the end"
	case tokString:
		return "a string"
	case tokNumber:
		return "a number"
	case tokIdent:
		return "a name"
	}
	return "'" + string(rune(t)) + "'"
}

// lexer cuts relaxed JSON into tokens.
type lexer struct {
	src []byte
	pos int // after the current token

	tok    token
	start  int    // of the current token
	str    []byte // a string's decoded text, or the text of a number or word
	buf    []byte // backs str where a string has escapes
	escape bool   // the string has
}

// mark is a place to come back to: the start of the current token.
type mark int

func (l *lexer) here() mark { return mark(l.start) }

func (l *lexer) seek(m mark) { l.pos = int(m) }

func (l *lexer) skipBOM() {
	if len(l.src) >= 3 && string(l.src[:3]) == "\ufeff" {
		l.pos = 3
	}
}

// found describes the current token for "found …".
func (l *lexer) found() string {
	switch l.tok {
	case tokEOF:
		return "the end"
	case tokString:
		return "the string " + clip(strconv.Quote(string(l.str[:min(len(l.str), 64)])))
	case tokNumber, tokIdent:
		return clip(string(l.str[:min(len(l.str), 64)]))
	}
	return l.tok.String()
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}

const (
	classOther = iota
	classSpace
	classPunct
	classDigit // also signs and the point
	classWord
)

var class = func() (t [256]uint8) {
	for _, c := range " \t\r\n" {
		t[c] = classSpace
	}
	for _, c := range "{}[]():," {
		t[c] = classPunct
	}
	for _, c := range "0123456789+-." {
		t[c] = classDigit
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = classWord, classWord
	}
	t['_'], t['$'] = classWord, classWord
	return t
}()

func isWord(c byte) bool { return class[c] == classWord || c >= '0' && c <= '9' }

// scan reads the next token. On a fault it returns where and what.
func (l *lexer) scan() (at int, fault string) {
	src := l.src
	i := l.pos
	for {
		for i < len(src) && class[src[i]] == classSpace {
			i++
		}
		if i >= len(src) {
			l.tok, l.start, l.pos, l.str = tokEOF, len(src), len(src), nil
			return 0, ""
		}
		if src[i] != '/' {
			break
		}
		end := skipComment(src, i)
		if end < 0 {
			return i, "a comment that does not end"
		}
		if end == i {
			return i, "expected a value or a comment, found '/'"
		}
		i = end
	}
	l.start = i
	c := src[i]
	switch class[c] {
	case classPunct:
		l.tok, l.pos = token(c), i+1
		return 0, ""
	case classDigit:
		l.number(i)
		return 0, ""
	case classWord:
		end := i + 1
		// Dots belong to it: an enum value may be qualified, "Ns.Color.Red".
		for end < len(src) && (isWord(src[end]) || src[end] == '.') {
			end++
		}
		l.tok, l.pos, l.str = tokIdent, end, src[i:end]
		return 0, ""
	}
	if c == '"' || c == '\'' {
		return l.string(i)
	}
	r, n := utf8.DecodeRune(src[i:])
	if r == utf8.RuneError && n <= 1 || r < ' ' {
		return i, fmt.Sprintf("the byte 0x%02X stands for nothing here", c)
	}
	return i, fmt.Sprintf("the character %q stands for nothing here", r)
}

// skipComment returns the end of the comment at i, -1 if it has none, and i
// if there is no comment.
func skipComment(src []byte, i int) int {
	if i+1 >= len(src) {
		return i
	}
	switch src[i+1] {
	case '/':
		for i += 2; i < len(src) && src[i] != '\n' && src[i] != '\r'; i++ {
		}
		return i
	case '*':
		for i += 2; i+1 < len(src); i++ {
			if src[i] == '*' && src[i+1] == '/' {
				return i + 2
			}
		}
		return -1
	}
	return i
}

// number takes all that can belong to a number: what reads it says whether it is
// one. A sign before a word, "-inf", makes it a word.
func (l *lexer) number(i int) {
	src := l.src
	end := i
	if src[end] == '+' || src[end] == '-' {
		end++
	}
	l.tok = tokNumber
	if end < len(src) && class[src[end]] == classWord {
		l.tok = tokIdent
	}
	hex := end+1 < len(src) && src[end] == '0' && src[end+1]|0x20 == 'x'
	for end < len(src) {
		c := src[end]
		if isWord(c) || c == '.' {
			end++
			continue
		}
		if (c == '+' || c == '-') && end > i {
			if p := src[end-1] | 0x20; l.tok == tokNumber && (p == 'p' && hex || p == 'e' && !hex) {
				end++
				continue
			}
		}
		break
	}
	l.pos, l.str = end, src[i:end]
}

// string reads a string whose quote is at i.
func (l *lexer) string(i int) (at int, fault string) {
	src := l.src
	quote := src[i]
	l.tok = tokString
	j := i + 1
	for j < len(src) && src[j] != quote && src[j] != '\\' && src[j] >= ' ' {
		j++
	}
	if j < len(src) && src[j] == quote {
		l.str, l.pos, l.escape = src[i+1:j], j+1, false
		return 0, ""
	}
	l.escape = true
	b := append(l.buf[:0], src[i+1:j]...)
	for {
		if j >= len(src) {
			return i, "a string that does not end"
		}
		c := src[j]
		switch {
		case c == quote:
			l.buf, l.str, l.pos = b, b, j+1
			return 0, ""
		case c < ' ':
			return j, fmt.Sprintf("the control character 0x%02X in a string: write it as \\u%04X", c, c)
		case c != '\\':
			b = append(b, c)
			j++
		default:
			var n int
			if b, n, fault = unescape(b, src[j:]); fault != "" {
				return j, fault
			}
			j += n
		}
	}
}

// unescape appends the character of the escape that s starts with, and returns
// the bytes of the escape.
func unescape(b, s []byte) ([]byte, int, string) {
	if len(s) < 2 {
		return b, 0, "a string that does not end"
	}
	switch c := s[1]; c {
	case 'n':
		return append(b, '\n'), 2, ""
	case 't':
		return append(b, '\t'), 2, ""
	case 'r':
		return append(b, '\r'), 2, ""
	case 'b':
		return append(b, '\b'), 2, ""
	case 'f':
		return append(b, '\f'), 2, ""
	case '"', '\'', '\\', '/':
		return append(b, c), 2, ""
	case 'x':
		v, ok := hexNumber(s[2:], 2)
		if !ok {
			return b, 0, "expected two hexadecimal digits after \\x"
		}
		return append(b, byte(v)), 4, ""
	case 'u':
		v, ok := hexNumber(s[2:], 4)
		if !ok {
			return b, 0, "expected four hexadecimal digits after \\u"
		}
		switch {
		case v >= 0xDC00 && v <= 0xDFFF:
			return b, 0, "the second half of a surrogate pair without its first"
		case v >= 0xD800 && v <= 0xDBFF:
			if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
				if w, ok := hexNumber(s[8:], 4); ok && w >= 0xDC00 && w <= 0xDFFF {
					return utf8.AppendRune(b, 0x10000+(v-0xD800)<<10+(w-0xDC00)), 12, ""
				}
			}
			return b, 0, "the first half of a surrogate pair without its second"
		}
		return utf8.AppendRune(b, v), 6, ""
	}
	return b, 0, fmt.Sprintf("unknown escape: a backslash before %q", s[1])
}

func hexNumber(s []byte, n int) (rune, bool) {
	if len(s) < n {
		return 0, false
	}
	v, err := strconv.ParseUint(string(s[:n]), 16, 32)
	if err != nil || s[0] == '+' || s[0] == '-' || s[0] == '_' {
		return 0, false
	}
	return rune(v), true
}

// skipValue takes the value that the current token starts, without recursion. It adds
// the objects and arrays in it to e.skipped where they are to be remembered, short ones
// aside.
func (e *encoder) skipValue(remember bool) {
	var closers []byte
	var starts []int // of those to remember: places in e.skipped
	open := func(c byte) {
		closers = append(closers, c)
		if remember {
			starts = append(starts, len(e.skipped))
			e.skipped = append(e.skipped, extent{start: e.start})
		}
	}
	end := func() {
		closers = closers[:len(closers)-1]
		if !remember {
			return
		}
		at := starts[len(starts)-1]
		starts = starts[:len(starts)-1]
		if x := &e.skipped[at]; e.pos-x.start > shortExtent {
			x.end = e.pos
		} else {
			e.skipped = e.skipped[:at] // all in it was shorter, and is gone already
		}
	}
	for {
		switch e.tok {
		case '{':
			open('}')
			e.next()
			if e.tok != '}' {
				e.memberName()
				e.next()
				continue
			}
		case '[':
			open(']')
			e.next()
			if e.tok != ']' {
				continue
			}
		case tokString, tokNumber:
			e.next()
		case tokIdent:
			e.next()
			if e.tok == '(' { // rad(180)
				e.next()
				e.scalarToken()
				e.expect(')')
			}
		default:
			e.failf("expected a value, found %s", e.found())
		}
		// After a value, or at the bracket that closes an empty object or array.
		for {
			if len(closers) == 0 {
				return
			}
			c := closers[len(closers)-1]
			if e.tok == ',' {
				e.next()
				if e.tok != token(c) {
					if c == '}' {
						e.memberName()
						e.next()
					}
					break
				}
			}
			if e.tok != token(c) {
				e.failf("expected ',' or '%c', found %s", c, e.found())
			}
			end()
			e.next()
		}
	}
}

func (e *encoder) scalarToken() {
	switch e.tok {
	case tokString, tokNumber, tokIdent:
		e.next()
	default:
		e.failf("expected a number, found %s", e.found())
	}
}

// memberName takes the name of an object's member, up to the colon, which is left
// to be taken by next. The bytes are valid until the next name.
func (e *encoder) memberName() (name []byte, at int) {
	if e.tok != tokString && e.tok != tokIdent {
		e.failf("expected a field name, found %s", e.found())
	}
	name, at = e.str, e.start
	if e.tok == tokString && e.escape {
		e.name = append(e.name[:0], name...)
		name = e.name
	}
	e.next()
	if e.tok != ':' {
		e.failf("expected ':', found %s", e.found())
	}
	return name, at
}
