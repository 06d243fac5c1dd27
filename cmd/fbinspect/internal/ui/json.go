package ui

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// NewJSON returns an encoder for JSON that may end up on a terminal: what encoding/json
// leaves as it is and a terminal could act on (control characters beyond ASCII, marks that
// turn the direction of text) is escaped.
func NewJSON(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(escaper{w})
	enc.SetEscapeHTML(false)
	return enc
}

// escaper escapes characters of whole JSON values, where they can only be in strings.
type escaper struct{ w io.Writer }

func (e escaper) Write(p []byte) (int, error) {
	var out []byte
	from := 0
	for i := 0; i < len(p); {
		if p[i] < utf8.RuneSelf && p[i] != 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRune(p[i:])
		if acts(r) {
			out = append(out, p[from:i]...)
			out = fmt.Appendf(out, "\\u%04x", r)
			from = i + size
		}
		i += size
	}
	if from == 0 {
		return e.w.Write(p)
	}
	if _, err := e.w.Write(append(out, p[from:]...)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// acts reports whether a character does something else than to be seen.
func acts(r rune) bool {
	return r >= 0x7f && r <= 0x9f || r >= 0x200e && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// JSONString returns text as a JSON string that may end up on a terminal.
func JSONString(text string) string {
	var b strings.Builder
	NewJSON(&b).Encode(text) // neither a string nor a Builder gives an error
	return strings.TrimSuffix(b.String(), "\n")
}
