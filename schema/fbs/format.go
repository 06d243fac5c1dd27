package fbs

import (
	"strings"
	"unicode/utf8"
)

// Format returns the text of a .fbs file laid out anew: a declaration, a field and a method on
// a line each, two spaces a level, one space where words need one. Comments stay where they
// are, before what they stood before or behind it; so do single blank lines, line breaks after
// the values of an enum and within attributes, and short blocks on one line. No token is added,
// taken or changed, so that the schema is the same, and formatting the result changes nothing.
//
// Included files are not needed. The error for a text that is no schema is an [ErrorList]; the
// name stands in it.
func Format(name string, text []byte) ([]byte, error) {
	var faults reporter
	parseFile(&source{name: name, text: string(text)}, &faults)
	if err := faults.err(); err != nil {
		return nil, err
	}
	items := formatItems(string(text))
	f := &formatter{items: items}
	for i := range items {
		f.item(i)
	}
	if f.out.Len() > 0 {
		f.out.WriteByte('\n')
	}
	return []byte(f.out.String()), nil
}

// formatItem is a token or a comment.
type formatItem struct {
	tokenKind
	text    string // as it is written
	lines   int    // line ends since the item before
	comment bool
	call    bool // see token
	close   int  // of "{": the index of its "}"
}

// formatItems cuts a text into its tokens and comments.
func formatItems(text string) []formatItem {
	lexer := newLexer(&source{text: text}, nil)
	var items []formatItem
	var open []int
	at := lexer.pos
	for {
		t := lexer.next()
		lines := 0
		for gap := text[at:t.start]; gap != ""; {
			switch {
			case strings.HasPrefix(gap, "//"):
				end := strings.IndexAny(gap, "\n\r")
				if end < 0 {
					end = len(gap)
				}
				items = append(items, formatItem{text: strings.TrimRight(gap[:end], " \t"), lines: lines, comment: true})
				gap, lines = gap[end:], 0
			case strings.HasPrefix(gap, "/*"):
				end := strings.Index(gap[2:], "*/") + 4
				items = append(items, formatItem{text: strings.ReplaceAll(gap[:end], "\r\n", "\n"), lines: lines, comment: true})
				gap, lines = gap[end:], 0
			default:
				if gap[0] == '\n' {
					lines++
				}
				gap = gap[1:]
			}
		}
		if t.kind == tokenEOF {
			return items
		}
		item := formatItem{tokenKind: t.kind, text: text[t.start:t.end], lines: lines, call: t.call}
		switch t.kind {
		case '{':
			open = append(open, len(items))
		case '}':
			if n := len(open); n > 0 {
				items[open[n-1]].close = len(items)
				open = open[:n-1]
			}
		}
		items = append(items, item)
		at = t.end
	}
}

// formatter writes items.
type formatter struct {
	items []formatItem
	out   strings.Builder

	braces, brackets int  // that are open; brackets are round and square ones
	inline           int  // the index of the "}" of a block that stays on one line; 0 = none
	begun            bool // a statement is: lines within it are indented further
	service          bool // in a rpc_service
	typed            bool // behind the ":" of a statement
	value            bool // behind its "="
	square           bool // within square brackets
	forced           bool // a line comment ends the line
}

// separators.
const (
	nothing = iota
	space
	newline
)

// item writes one item and what stands before it.
func (f *formatter) item(i int) {
	it := &f.items[i]
	between := nothing
	if i > 0 {
		between = f.between(&f.items[i-1], it)
	}
	if it.tokenKind == '}' && f.braces > 0 && !it.comment {
		f.braces--
		f.begun = false
	}
	switch {
	case i == 0:
	case f.forced, between == newline:
		f.out.WriteByte('\n')
		opens := f.items[i-1].tokenKind == '{' || i > 1 && f.items[i-1].comment && f.items[i-1].lines == 0 && f.items[i-2].tokenKind == '{'
		if it.lines > 1 && !opens && it.tokenKind != '}' {
			f.out.WriteByte('\n')
		}
		f.out.WriteString(strings.Repeat("  ", f.braces))
		if f.begun {
			f.out.WriteString("    ")
		}
	case between == space:
		f.out.WriteByte(' ')
	}
	f.out.WriteString(it.text)
	f.forced = it.comment && strings.HasPrefix(it.text, "//")
	if !it.comment {
		f.after(i)
	}
}

// after keeps track of where the next item is.
func (f *formatter) after(i int) {
	it := &f.items[i]
	f.begun = true
	switch it.tokenKind {
	case '(', '[':
		f.brackets++
		f.square = it.tokenKind == '['
	case ')', ']':
		f.brackets--
		f.square = false
	case ':':
		f.typed = true
	case '=':
		f.value = f.brackets == 0
	case ',':
		f.begun = f.brackets > 0 || f.braces == 0
		f.value = f.value && f.begun
	case '{':
		f.braces++
		f.begun, f.typed, f.value = false, false, false
		if f.inline == 0 && f.short(i) {
			f.inline = it.close
		}
	case '}', ';':
		f.begun, f.typed, f.value = false, false, false
		if f.braces == 0 {
			f.service = false
		}
		if i == f.inline {
			f.inline = 0
		}
	case tokenIdent:
		if it.text == "rpc_service" && f.braces == 0 && f.brackets == 0 {
			f.service = true
		}
	}
}

// shortLine is how many characters a block on one line has at most.
const shortLine = 100

// short reports whether the block that starts there stays on one line: it was on one, has no
// comments in it, and is short.
func (f *formatter) short(i int) bool {
	n := 0
	for j := i + 1; j <= f.items[i].close; j++ {
		it := &f.items[j]
		if n += utf8.RuneCountInString(it.text) + 1; it.lines > 0 || it.comment || n > shortLine {
			return false
		}
	}
	return f.items[i].close > i
}

// between says what separates two items.
func (f *formatter) between(a, b *formatItem) int {
	switch {
	case b.comment:
		if b.lines > 0 {
			return newline
		}
		return space
	case a.comment:
		if b.lines > 0 {
			return newline
		}
		if f.begun {
			return space
		}
		return newline
	case f.inline > 0:
		return f.inBlock(a, b)
	}
	switch {
	case a.tokenKind == '{' && b.tokenKind == '}':
		return nothing
	case a.tokenKind == '{', b.tokenKind == '}', a.tokenKind == '}' && b.tokenKind != ';' && b.tokenKind != ',', a.tokenKind == ';' && b.tokenKind != ';':
		return newline
	case a.tokenKind == ',' && b.lines > 0, f.brackets > 0 && b.lines > 0 && a.tokenKind != '(' && b.tokenKind != ')' && b.tokenKind != ',':
		return newline
	}
	return f.words(a, b)
}

// inBlock is between, in a block that stays on one line.
func (f *formatter) inBlock(a, b *formatItem) int {
	switch {
	case a.tokenKind == '{' && b.tokenKind == '}':
		return nothing
	case a.tokenKind == '{', b.tokenKind == '}', a.tokenKind == ';' && b.tokenKind != ';':
		return space
	}
	return f.words(a, b)
}

// words says what separates two tokens on a line.
func (f *formatter) words(a, b *formatItem) int {
	switch b.tokenKind {
	case ';', ',', ')', ']', '.', '>':
		return nothing
	case '(':
		if f.service && f.braces > 0 && !f.typed || f.value && a.call {
			return nothing // a method, or a function
		}
		if a.tokenKind == '(' || a.tokenKind == '[' {
			return nothing
		}
		return space
	case ':':
		if f.braces == 0 && f.brackets == 0 {
			return space // of an enum's type
		}
		return nothing
	}
	switch a.tokenKind {
	case '(', '[', '.', '<', '+', '-':
		return nothing
	case ':':
		if f.braces > 0 && f.brackets == 0 || f.square {
			return nothing
		}
	}
	return space
}
