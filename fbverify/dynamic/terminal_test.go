package dynamic

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/schema/fbs"
)

// Text of a buffer must not command the terminal that its JSON is shown on, and
// must be the same text when read again.
func TestJSONHoldsNoControlCharacters(t *testing.T) {
	s, err := fbs.Parse("t.fbs", []byte("table T { s:string; } root_type T;"))
	if err != nil {
		t.Fatal(err)
	}
	typ := fbverify.MustCompile(s, "")
	var text strings.Builder
	for r := rune(0); r < 0x3000; r++ {
		text.WriteRune(r)
	}
	text.WriteString("\ufeff\U0001F600")
	quoted, err := json.Marshal(map[string]string{"s": text.String()})
	if err != nil {
		t.Fatal(err)
	}
	buf, err := EncodeJSON(typ, quoted, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Root(typ, buf, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, opts := range []*JSONOptions{nil, {ASCII: true}, {Unquoted: true}} {
		out, err := AppendJSON(nil, m, opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range string(out) {
			// Marks of direction of no extent do not reach beyond their neighbours.
			mark := r == '\u061c' || r == '\u200e' || r == '\u200f'
			if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) && !mark || r == '\u2028' || r == '\u2029' {
				t.Errorf("%+v: %U stands for itself", opts, r)
			}
		}
		again, err := EncodeJSON(typ, out, nil)
		if err != nil {
			t.Fatalf("%+v: %v", opts, err)
		}
		m, err := Root(typ, again, nil)
		if err != nil {
			t.Fatal(err)
		}
		if v, _ := m.Root().Get(m.Root().Field("s")); v.String() != text.String() {
			t.Errorf("%+v: the text reads back otherwise", opts)
		}
	}
}
