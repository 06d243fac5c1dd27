package words

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Shorten keeps names of any length out of messages.
func Shorten(name string) string {
	const most = 200
	if len(name) <= most {
		return Printable(name)
	}
	return Printable(name[:RuneStart(name, most)]) + "…"
}

// FileName is the name of a file as it may stand in a message: whoever named the
// file must not command the terminal that shows it.
func FileName(name string) string {
	if name == Printable(name) && utf8.ValidString(name) && !strings.Contains(name, "\t") {
		return name
	}
	return fmt.Sprintf("%q", name)
}

// Quote puts a name of the text into a message: shortened, so that a message
// stays readable whatever the text holds.
func Quote(name string) string {
	const most = 60
	if len(name) > most {
		return fmt.Sprintf("%q", name[:RuneStart(name, most)]+"…")
	}
	if name == Printable(name) && utf8.ValidString(name) && !strings.ContainsAny(name, "\"\\\t") {
		return `"` + name + `"`
	}
	return fmt.Sprintf("%q", name)
}

func RuneStart(text string, i int) int {
	for i > 0 && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}

func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return utf8.RuneError
		}
		return r
	}, text)
}
