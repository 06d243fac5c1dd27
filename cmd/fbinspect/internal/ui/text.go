package ui

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fbverify/go/remote"
)

// Count returns n and a noun: "1 file", "10,000 files".
func Count(n int64, noun string) string {
	return Thousands(n) + " " + Plural(n, noun)
}

// Plural returns the noun as it stands after n.
func Plural(n int64, noun string) string {
	switch {
	case n == 1:
		return noun
	case strings.HasSuffix(noun, "ch") || strings.HasSuffix(noun, "x"):
		return noun + "es"
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "ay") && !strings.HasSuffix(noun, "ey"):
		return noun[:len(noun)-1] + "ies"
	}
	return noun + "s"
}

// Thousands returns n with commas between groups of three digits.
func Thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Bytes returns a size for a person: "512 B", "1.5 MB". Units are powers of 1000.
func Bytes(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	size, unit := float64(n)/1000, 0
	for size >= 999.95 && unit < len("kMGTPE")-1 {
		size, unit = size/1000, unit+1
	}
	return fmt.Sprintf("%.1f %cB", size, "kMGTPE"[unit])
}

// Name returns a name from outside, of a file or in one, as it is safe to print:
// with quotes and escapes where it holds what a terminal could act on, and without the
// secrets that a URL may hold.
func Name(name string) string {
	if remote.IsURL(name) {
		name = remote.Redact(name)
	}
	if name == "" || !utf8.ValidString(name) {
		return strconv.Quote(name)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return strconv.Quote(name)
		}
	}
	return name
}

// Plain returns a message as it is safe to print: escapes in place of what a terminal could
// act on, or that turns the direction of text. Its lines stay lines.
func Plain(text string) string {
	var out strings.Builder
	for i, r := range text {
		switch {
		case r == '\n' || r == '\t' || unicode.IsPrint(r) && r != utf8.RuneError:
			out.WriteRune(r)
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&out, "\\x%02x", text[i])
		default:
			quoted := strconv.QuoteRune(r)
			out.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return out.String()
}

// Text returns text from outside as it is safe to print between other text, in
// quotes and shortened to about limit bytes.
func Text(b []byte, limit int) string {
	more := ""
	if len(b) > limit {
		more = fmt.Sprintf("… (%s)", Count(int64(len(b)), "byte"))
		for limit > 0 && !utf8.RuneStart(b[limit]) {
			limit--
		}
		b = b[:limit]
	}
	return strconv.Quote(string(b)) + more
}

// Wrap breaks text into lines of at most width characters, at spaces, each with
// indent before it.
func Wrap(text, indent string, width int) string {
	var out strings.Builder
	line := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			out.WriteString(indent)
			line = len(indent)
		case line+1+n > width:
			out.WriteString("\n" + indent)
			line = len(indent)
		default:
			out.WriteByte(' ')
			line++
		}
		out.WriteString(word)
		line += n
	}
	return out.String()
}

// List joins words as a sentence does: "a, b and c".
func List(words []string) string {
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// Indent is what a line at that level of a tree starts with: two spaces a level. Levels
// beyond 64 are told by number, since a file of a megabyte can have a hundred thousand.
func Indent(level int) string {
	const most = 64
	if level <= most {
		return strings.Repeat("  ", max(level, 0))
	}
	return fmt.Sprintf("%s(level %d) ", strings.Repeat("  ", most), level)
}
