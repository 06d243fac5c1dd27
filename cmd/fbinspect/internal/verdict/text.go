package verdict

import (
	"fmt"
	"io"
	"strings"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify/container"
)

// Text writes results for a person.
type Text struct {
	W       io.Writer
	Style   ui.Style
	Width   int  // columns to use
	Quiet   bool // leave out valid files
	Verbose bool // list the parts of valid files, and the files passed over
}

// Write writes one result. Files that could not be judged are for the error stream
// and not written here.
func (t *Text) Write(r *Result) {
	name := t.Style.Bold(ui.Name(r.File))
	if r.File == input.Stdin {
		name = t.Style.Bold("standard input")
	}
	switch {
	case r.Error != "":
		return
	case r.Skipped != "":
		if t.Verbose {
			fmt.Fprintf(t.W, "%s: %s: %s\n", name, t.Style.Dim("passed over"), ui.Plain(r.Skipped))
		}
		return
	case r.Valid:
		if !t.Quiet {
			word := t.Style.Good("valid")
			if r.Deviates > 0 {
				word += ", " + t.Style.Warn("deviating")
			}
			fmt.Fprintf(t.W, "%s: %s (%s: %s, %s)\n", name, word, r.Format, ui.Count(int64(r.Total), "FlatBuffer"), ui.Count(r.Tables, "table"))
			t.notes(r)
			if t.Verbose {
				t.list(r)
			}
		}
		return
	}
	fmt.Fprintf(t.W, "%s: %s (%s)\n", name, t.Style.Bad("INVALID"), t.counts(r))
	t.notes(r) // before the faults, which may follow from what they say
	shown := 0
	said := map[string]bool{} // hints: one is enough for many faults
	// What could not be followed comes last: it is what a fault of that part led to.
	unreadable := container.ErrUnreadable.Name()
	for i := range r.Errors {
		if r.Errors[i].Kind != unreadable {
			t.fault(r, nil, &r.Errors[i], said)
			shown++
		}
	}
	for i := range r.Parts {
		for j := range r.Parts[i].Errors {
			t.fault(r, &r.Parts[i], &r.Parts[i].Errors[j], said)
			shown++
		}
	}
	for i := range r.Errors {
		if r.Errors[i].Kind == unreadable {
			t.fault(r, nil, &r.Errors[i], said)
			shown++
		}
	}
	if rest := r.Faults - shown; rest > 0 {
		fmt.Fprintf(t.W, "\n  %s not shown: --all lists every fault\n", ui.Count(int64(rest), "more fault"))
	}
	fmt.Fprintln(t.W)
}

func (t *Text) notes(r *Result) {
	for i := range r.Deviations {
		t.lesser("deviates:", &r.Deviations[i], i == 0 || r.Deviations[i].Readers != r.Deviations[i-1].Readers)
	}
	t.more(r.Deviates, len(r.Deviations), "deviation")
	listed := 0
	for i := range r.Notes {
		t.lesser("note:", &r.Notes[i], false)
		if r.Notes[i].Kind != "" {
			listed++
		}
	}
	t.more(r.Noted, listed, "note")
}

// lesser writes a deviation or a note. Which readers let it pass is said once for several.
func (t *Text) lesser(word string, n *Note, readers bool) {
	text := n.Message
	if n.Path != "" {
		text = n.Path + ": " + text
	}
	if n.Part != "" {
		text = n.Part + ": " + text
	}
	if n.Offset != nil {
		text += fmt.Sprintf(" (offset %s)", ui.Thousands(*n.Offset))
	}
	if readers && n.Readers != "" {
		text += "; read all the same by " + n.Readers
	}
	fmt.Fprintln(t.W, ui.Wrap(t.Style.Warn(word)+" "+ui.Plain(text), "  ", t.Width))
}

func (t *Text) more(all, listed int, what string) {
	if all > listed {
		fmt.Fprintf(t.W, "  %s not shown: --all lists every one\n", ui.Count(int64(all-listed), "more "+what))
	}
}

func (t *Text) counts(r *Result) string {
	var words []string
	if r.Format != "unknown" {
		words = append(words, r.Format)
	}
	if r.Total > 0 {
		switch {
		case r.Total == 1:
			words = append(words, "1 FlatBuffer")
		case r.Faulty == 0:
			words = append(words, ui.Count(int64(r.Total), "FlatBuffer")+", none faulty")
		default:
			words = append(words, fmt.Sprintf("%s of %s faulty", ui.Thousands(int64(r.Faulty)), ui.Count(int64(r.Total), "FlatBuffer")))
		}
	}
	words = append(words, ui.Bytes(r.Size))
	return strings.Join(words, ", ")
}

func (t *Text) list(r *Result) {
	for i := range r.Parts {
		p := &r.Parts[i]
		fmt.Fprintf(t.W, "  %s  %s  %s at %s, %s\n", ui.Plain(p.Name), t.Style.Type(p.Type), ui.Count(p.Length, "byte"), ui.Thousands(p.Offset), ui.Count(int64(p.Tables), "table"))
	}
}

// fault writes a fault: where it is, what it is, the bytes, and what to make of it.
func (t *Text) fault(r *Result, p *Part, f *Fault, said map[string]bool) {
	fmt.Fprintln(t.W)
	where := ui.Plain(f.Part)
	switch {
	case p != nil:
		where = fmt.Sprintf("%s (%s, %s at offset %s)", ui.Plain(p.Name), t.Style.Type(p.Type), ui.Count(p.Length, "byte"), ui.Thousands(p.Offset))
	case where == "":
		where = "the file"
	}
	fmt.Fprintf(t.W, "  %s in %s\n", t.Style.Bad(f.Kind), where)
	indent := "    "
	if f.Path != "" {
		fmt.Fprintf(t.W, "%spath    %s\n", indent, t.Style.Field(ui.Plain(f.Path)))
	}
	if f.Kind != container.ErrUnknownFormat.Name() {
		fmt.Fprintf(t.W, "%soffset  %s\n", indent, t.offset(p, f))
	}
	fmt.Fprintln(t.W, ui.Wrap(ui.Plain(f.Message), indent, t.Width))
	if len(f.Excerpt) > 0 {
		fmt.Fprintln(t.W)
		ui.Hex(t.W, t.Style, indent+"  ", f.Excerpt, f.Start, f.Offset, f.Width)
	}
	if f.Hint != "" && !said[f.Hint] {
		said[f.Hint] = true
		fmt.Fprintf(t.W, "\n%s\n", ui.Wrap("What to make of it: "+ui.Plain(f.Hint), indent, t.Width))
	}
}

func (t *Text) offset(p *Part, f *Fault) string {
	text := fmt.Sprintf("%s (0x%x)", ui.Thousands(f.Offset), f.Offset)
	if p != nil && p.Offset > 0 {
		text += fmt.Sprintf(", byte %s of %s", ui.Thousands(f.Offset-p.Offset), p.Name)
	}
	return text
}

// JSON writes results one object a line.
type JSON struct{ W io.Writer }

// Write writes one result.
func (j *JSON) Write(r *Result) error {
	return ui.NewJSON(j.W).Encode(r)
}
