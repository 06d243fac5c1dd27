package htmlpage

import (
	"context"
	"fmt"
	"html"
	"strings"

	"github.com/fbverify/go/cmd/fbinspect/internal/annotate"
	"github.com/fbverify/go/cmd/fbinspect/internal/info"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
)

// mostListed is how many faults are listed; each is marked in the bytes.
const mostListed = 1000

// verdictOf is what stands beside the file's name, as markup.
func (d *data) verdictOf() string {
	left, verdict := "", `<span class="good">sound</span>`
	if d.Left > 0 {
		left = fmt.Sprintf("%s left out (fbinspect html --path and --at say what else to show), ", ui.Bytes(d.Left))
	}
	if n := int64(len(d.Faults)); n > 0 {
		verdict = `<span class="bad">` + ui.Count(n, "fault") + `</span>`
	}
	return html.EscapeString(d.Format+", "+ui.Bytes(d.Size)+", "+left) + verdict
}

// faultList is the list of faults, as markup: it is there without a script, which makes buttons
// of its lines.
func (d *data) faultList() string {
	if len(d.Faults) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<section id=\"faults\" aria-label=\"Faults\">\n<ol>\n")
	for i := range d.Faults[:min(len(d.Faults), mostListed)] {
		f := &d.Faults[i]
		where := f.Path
		if where == "" {
			where = f.Part
		}
		fmt.Fprintf(&b, `<li><span class="kind">%s</span> <span class="at">0x%08x</span> <b>%s</b> %s`, html.EscapeString(f.Kind), f.Offset, html.EscapeString(where), html.EscapeString(f.Message))
		if f.Hint != "" {
			b.WriteString("<br>What to make of it: " + html.EscapeString(f.Hint))
		}
		b.WriteString("</li>\n")
	}
	b.WriteString("</ol>\n")
	if more := len(d.Faults) - mostListed; more > 0 {
		fmt.Fprintf(&b, "<p>%s more are marked in the bytes.</p>\n", ui.Count(int64(more), "fault"))
	}
	b.WriteString("</section>\n")
	return b.String()
}

// infoOf is what fbinspect info says of the file, as markup; nothing where it says nothing.
func infoOf(ctx context.Context, a *annotate.Annotator, src *input.Source) (string, error) {
	i, err := (&info.Reporter{Types: a.Types, Format: a.Format, Options: a.Options}).Of(ctx, src)
	if err != nil {
		return "", ctx.Err() // what cannot be told of it, the page tells as faults
	}
	i.Faults = nil // the page has all of them, with their places
	var b strings.Builder
	(&info.Text{W: &b, Width: 110}).Write(i)
	return `<details id="info" open><summary>What this file is</summary><pre tabindex="0" role="region" aria-label="What this file is">` +
		html.EscapeString(b.String()) + "</pre></details>\n", nil
}
