package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Formats are the names of the formats that [Report.Write] knows.
var Formats = []string{"text", "markdown", "json"}

// Write writes the report in one of the [Formats].
func (r *Report) Write(w io.Writer, format string) error {
	switch format {
	case "text":
		return r.Text(w)
	case "markdown":
		return r.Markdown(w)
	case "json":
		return r.JSON(w)
	}
	return fmt.Errorf("format %q is none of %s", format, strings.Join(Formats, ", "))
}

// JSON writes the report as JSON, which [Read] reads.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// Read reads what [Report.JSON] has written.
func Read(in io.Reader) (*Report, error) {
	var r Report
	if err := json.NewDecoder(in).Decode(&r); err != nil {
		return nil, err
	}
	if len(r.Runs) == 0 {
		return nil, fmt.Errorf("it is no report of a comparison")
	}
	for i := range r.Benchmarks {
		row := &r.Benchmarks[i]
		if row.Separable && row.Ratio == nil || row.CalledOut && row.By == "instructions" && row.Instructions == nil ||
			(row.Base == nil) != (row.Head == nil) {
			return nil, fmt.Errorf("benchmark %q lacks figures", row.Name)
		}
	}
	return &r, nil
}

// Text writes the report as a table for a terminal.
func (r *Report) Text(w io.Writer) error {
	p := &printer{w: w}
	p.line("%s", r.heading())
	p.line("%s", motto)
	p.line("")
	for _, s := range r.Suites {
		p.line("%s: %s", s.Name, s.sentence(r.threshold()))
	}
	table := func(title string, rows []*Row) {
		if len(rows) == 0 {
			return
		}
		p.line("")
		p.line("%s", title)
		t := tabwriter.NewWriter(p, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "  "+strings.Join(columns, "\t"))
		for _, row := range rows {
			fmt.Fprintln(t, "  "+row.Name+"\t"+strings.Join(row.cells(), "\t")+"\t"+row.aside())
		}
		t.Flush()
	}
	called, pairs, single := r.split()
	table("called out", called)
	table("everything else", append(pairs, single...))
	for i := range r.Runs {
		p.line("")
		if len(r.Runs) > 1 {
			p.line("%s", strings.Join(r.Runs[i].Suites, ", "))
		}
		for _, line := range r.Runs[i].provenance() {
			p.line("%s", line)
		}
	}
	return p.err
}

// aside is what a row adds in words.
func (r *Row) aside() string {
	switch {
	case r.CalledOut && r.By == "instructions":
		return r.Change + ", by instructions; clocks: " + r.Reason
	case r.CalledOut && r.Reason != "":
		return r.Change + ", " + r.Reason
	case r.CalledOut:
		return r.Change
	default:
		return r.Reason
	}
}

// Marker is the first line of a report in Markdown: the comment that has it is
// the one to update.
const Marker = "<!-- fbverify: benchmarks of base and head -->"

// Markdown writes the report as a comment. Verdicts come first, so that a
// comment that is too long for its place can be cut from the end.
func (r *Report) Markdown(w io.Writer) error {
	p := &printer{w: w}
	p.line(Marker)
	p.line("### Benchmarks: %s", escape(r.heading()))
	p.line("")
	p.line("%s", motto)
	p.line("")
	for _, s := range r.Suites {
		p.line("- **%s**: %s", escape(s.Name), escape(s.sentence(r.threshold())))
	}
	called, pairs, single := r.split()
	if len(called) > 0 {
		p.line("")
		p.table(called)
	}
	if others := append(pairs, single...); len(others) > 0 {
		p.line("")
		p.line("<details><summary>Everything else (%d)</summary>", len(others))
		p.line("")
		p.table(others)
		p.line("")
		p.line("</details>")
	}
	if len(r.Runs) > 0 {
		p.line("")
		p.line("<details><summary>Where this comes from</summary>")
		for i := range r.Runs {
			p.line("")
			if len(r.Runs) > 1 {
				p.line("**%s**", escape(strings.Join(r.Runs[i].Suites, ", ")))
				p.line("")
			}
			for _, line := range r.Runs[i].provenance() {
				p.line("- %s", escape(line))
			}
		}
		p.line("")
		p.line("</details>")
	}
	return p.err
}

func (p *printer) table(rows []*Row) {
	p.line("| %s | |", strings.Join(columns, " | "))
	p.line("|---|---:|---:|---:|---:|---:|---:|---|")
	for _, row := range rows {
		cells := row.cells()
		for i := range cells {
			cells[i] = escape(cells[i])
		}
		p.line("| %s | %s | %s |", code(row.Name), strings.Join(cells, " | "), escape(row.aside()))
	}
}

// escape makes text mean itself in Markdown, also in a table, whatever is in it:
// names come from the code under review.
func escape(text string) string {
	var b strings.Builder
	for _, c := range text {
		switch {
		case c < ' ':
			b.WriteByte(' ')
		case c == '&':
			b.WriteString("&amp;")
		case c == '<':
			b.WriteString("&lt;")
		case c == '@':
			b.WriteString("@<!-- -->") // mentions nobody
		case strings.ContainsRune("\\`*_[]|#~!", c):
			b.WriteByte('\\')
			b.WriteRune(c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// code is text in a code span. Backquotes in it would end the span, and a bar
// the table's cell.
func code(text string) string {
	text = strings.NewReplacer("`", "'", "|", "¦", "\n", " ", "\r", " ").Replace(text)
	return "`" + text + "`"
}

// printer remembers the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) Write(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	n, err := p.w.Write(b)
	p.err = err
	return n, err
}

func (p *printer) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }
