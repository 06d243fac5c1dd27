package annotate

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
)

// Text writes rows for a person: offset, bytes, what they are, and a heading for each object.
// The text of a file depends on nothing but the file, so that two can be compared line by
// line.
type Text struct {
	W     io.Writer
	Style ui.Style

	part, object string
	id           int  // of the object; -1 for none
	inside       bool // of it
	rows         int  // since the last heading
	line         []byte
	err          error
}

// shown is how many bytes of a row stand on its line.
const shown = 8

func (t *Text) printf(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.W, format, args...)
	}
}

// Write writes one row.
func (t *Text) Write(r *Row) error {
	switch {
	case r.object < 0 && r.Object == "" && r.Path == "":
		if t.part != r.Part && r.Kind != "padding" && r.Kind != "gap" {
			t.heading("## " + r.Part)
		}
		t.inside = false
	case t.part != r.Part || !t.inside || t.id != r.object || t.object != r.Object:
		if t.part != r.Part {
			t.heading("## " + r.Part)
		}
		t.heading("# " + r.Object + "  " + owner(r))
		t.object, t.id, t.inside = r.Object, r.object, true
	}
	t.part = r.Part
	t.rows++

	// There are millions of rows, and fmt takes as long as all that was found out of them.
	const blanks = "                        "
	var digits, bytes [3 * shown]byte
	hex := strconv.AppendInt(digits[:0], r.Offset, 16)
	offset := append(append(bytes[:0], "00000000"[:max(0, 8-len(hex))]...), hex...)
	line := append(append(t.line[:0], t.Style.Dim(string(offset))...), "  "...)
	hex = digits[:0]
	for i, c := range r.bytes[:min(len(r.bytes), shown)] {
		if i > 0 {
			hex = append(hex, ' ')
		}
		hex = append(hex, hexDigits[c>>4], hexDigits[c&15])
	}
	if len(r.Faults) > 0 {
		line = append(line, t.Style.Mark(string(hex))...)
	} else {
		line = append(line, hex...)
	}
	line = append(line, blanks[:3*shown-1-len(hex)]...)
	if r.Length > shown {
		line = append(line, "…"...)
	} else {
		line = append(line, ' ')
	}
	line = append(append(line, "  "...), r.Kind...)
	line = append(line, blanks[:max(0, 14-len(r.Kind))]...)
	t.line = append(t.words(append(line, ' '), r), '\n')
	if t.err == nil {
		_, t.err = t.W.Write(t.line)
	}
	for _, f := range r.Faults {
		at := ""
		if f.Path != "" && f.Path != r.Path {
			at = " " + f.Path
		}
		t.printf("          %s\n", t.Style.Bad(fmt.Sprintf("%s FAULT %s%s: %s", carets(r, f), f.Kind, at, f.Message)))
	}
	return t.err
}

const hexDigits = "0123456789abcdef"

// carets stand below the bytes at fault, or the byte at which the fault is.
func carets(r *Row, f Note) string {
	at := f.Offset - r.Offset
	if at < 0 || at >= shown {
		return "^"
	}
	n := int(max(1, min(int64(f.Size), r.Length-at, shown-at)))
	return strings.Repeat(" ", int(3*at)) + strings.Repeat("^", 3*n-1)
}

// heading stands after an empty line, but not between a part's and its first object's.
func (t *Text) heading(text string) {
	if t.rows > 0 {
		t.printf("\n")
	}
	t.rows = 0
	if t.err == nil {
		_, t.err = io.WriteString(t.W, t.Style.Bold(strings.TrimSpace(text))+"\n")
	}
}

// owner is the path of the object that a row is in, as its heading has it.
func owner(r *Row) string {
	switch r.Kind {
	case "vtable-size", "table-size", "vtable-offset", "length", "size-prefix", "root-offset":
		return r.Path
	}
	return ""
}

// words appends what a row is, after its kind.
func (t *Text) words(line []byte, r *Row) []byte {
	length := ""
	if r.Length > shown && r.Kind != "text" || r.Kind == "padding" || r.Kind == "gap" {
		length = t.Style.Dim(" (" + ui.Count(r.Length, "byte") + ")")
	}
	target := ""
	if r.Target != nil {
		var digits [16]byte
		hex := strconv.AppendInt(digits[:0], *r.Target, 16)
		target = " → " + t.Style.Number("00000000"[:max(0, 8-len(hex))]+string(hex))
	}
	add := func(list ...string) []byte {
		for _, text := range list {
			line = append(line, text...)
		}
		return line
	}
	switch r.Kind {
	case "scalar", "elements":
		return add(t.Style.Field(r.Path), " = ", t.Style.Number(r.Value), target, "  ", t.Style.Dim(r.Type), length)
	case "offset":
		return add(t.Style.Field(r.Path), target, "  ", t.Style.Dim(r.Type))
	case "text":
		return add(t.Style.Text(r.Value), length)
	case "vtable-entry", "unknown-entry":
		name := r.Path
		if r.Kind == "unknown-entry" {
			name = "a field that the schema does not know"
		}
		return add(t.Style.Field(name), ": ", r.Value)
	case "vtable-offset", "root-offset":
		return add(strings.TrimSpace(r.Value + target))
	case "padding", "terminator", "unknown-field":
		return add(strings.TrimSpace(t.Style.Dim(r.Path) + length))
	case "gap":
		return add("nothing leads here", length)
	case "trailing":
		return add("after the end of the message", length)
	}
	if r.object < 0 && r.Object == "" {
		return add(t.Style.Field(r.Part), length)
	}
	return add(r.Value, target, length)
}
