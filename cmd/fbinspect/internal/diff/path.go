package diff

import (
	"strconv"
	"unicode/utf8"

	"github.com/fbverify/go/fbverify/dynamic"
)

// path is where the comparison is. It becomes text only where there is a difference.
type path struct {
	root  string
	steps []step
	text  []byte // of the last difference, whose place the next one takes
}

// step is one step: to a field, to the element of an index, or to that of a key.
type step struct {
	field   *dynamic.Field // of an element, its key
	element dynamic.Value  // of a vector with a key
	index   int            // where there is no field
}

func (p *path) push(s step) { p.steps = append(p.steps, s) }
func (p *path) pop()        { p.steps = p.steps[:len(p.steps)-1] }

// longestPath is the bytes up to which a path is given in full. Names are the schema's, and
// a hostile one has long ones.
const longestPath = 4096

// String returns the path, its middle left out where it is very long.
func (p *path) String() string {
	b := append(p.text[:0], clip(p.root, longestPath/4)...)
	for i := 0; i < len(p.steps); i++ {
		if rest := len(p.steps) - 16; len(b) > longestPath/2 && i < rest {
			b = append(b, "…"...)
			i = rest
		}
		b = p.steps[i].append(b)
	}
	p.text = b
	return string(b)
}

// append adds the step as --path reads it, except that long names are cut.
func (s *step) append(b []byte) []byte {
	const longest = 256
	switch {
	case s.field == nil:
		b = strconv.AppendInt(append(b, '['), int64(s.index), 10)
		return append(b, ']')
	case s.element.Kind() == dynamic.KindNone:
		return append(append(b, '.'), clip(s.field.Name(), longest)...)
	}
	k := keyOf(s.element, s.field)
	b = append(b, '[')
	if k.Kind() == dynamic.KindString {
		text := string(k.Bytes()[:min(k.Len(), longest+1)])
		if short := cut(text, longest); short < len(text) {
			b = strconv.AppendQuote(b, text[:short])
			return append(b[:len(b)-1], `…"]`...)
		}
		return append(strconv.AppendQuote(b, text), ']')
	}
	b = append(append(b, clip(s.field.Name(), longest)...), '=')
	if k.IsScalar() {
		b = append(b, clip(k.String(), longest)...) // the name of an enum's value, where it has one
	} else {
		text, _ := dynamic.AppendValueJSON(nil, k, &dynamic.JSONOptions{MaxBytes: longest, Cut: true})
		b = append(b, clip(string(text), longest)...)
	}
	return append(b, ']')
}

func keyOf(element dynamic.Value, key *dynamic.Field) dynamic.Value {
	if element.Kind() == dynamic.KindStruct {
		return element.Struct().Get(key)
	}
	v, _ := element.Table().Get(key)
	return v
}

func clip(s string, longest int) string {
	if n := cut(s, longest); n < len(s) {
		return s[:n] + "…"
	}
	return s
}

// cut is how many bytes of a text are shown.
func cut(s string, longest int) int {
	if len(s) <= longest {
		return len(s)
	}
	for longest > 0 && !utf8.RuneStart(s[longest]) {
		longest--
	}
	return longest
}
