package diff

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fbverify/go/fbverify/dynamic"
)

// path is where the comparison is. It becomes text only where there is a difference.
type path struct {
	root  string
	steps []step
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
	var b strings.Builder
	b.WriteString(clip(p.root, longestPath/4))
	for i, s := range p.steps {
		if b.Len() > longestPath/2 && len(p.steps)-i > 16 {
			b.WriteString("…")
			for _, s := range p.steps[len(p.steps)-16:] {
				b.WriteString(s.String())
			}
			break
		}
		b.WriteString(s.String())
	}
	return b.String()
}

// String returns the step as --path reads it, except that long names are cut.
func (s *step) String() string {
	const longest = 256
	switch {
	case s.field == nil:
		return "[" + strconv.Itoa(s.index) + "]"
	case s.element.Kind() == dynamic.KindNone:
		return "." + clip(s.field.Name(), longest)
	}
	k := keyOf(s.element, s.field)
	if k.Kind() == dynamic.KindString {
		return "[" + strconv.Quote(clip(string(k.Bytes()[:min(k.Len(), longest+1)]), longest)) + "]"
	}
	text := k.String() // the name of an enum's value, where it has one
	if !k.IsScalar() {
		b, _ := dynamic.AppendValueJSON(nil, k, &dynamic.JSONOptions{MaxBytes: longest, Cut: true})
		text = string(b)
	}
	return "[" + clip(s.field.Name(), longest) + "=" + clip(text, longest) + "]"
}

func keyOf(element dynamic.Value, key *dynamic.Field) dynamic.Value {
	if element.Kind() == dynamic.KindStruct {
		return element.Struct().Get(key)
	}
	v, _ := element.Table().Get(key)
	return v
}

func clip(s string, longest int) string {
	if len(s) <= longest {
		return s
	}
	for longest > 0 && !utf8.RuneStart(s[longest]) {
		longest--
	}
	return s[:longest] + "…"
}
