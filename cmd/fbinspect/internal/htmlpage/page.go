// Package htmlpage is the work of fbinspect html: one self-contained page that shows a file's
// structure and its bytes side by side. The page loads nothing: its script, its style and the
// file's bytes are in it. What the file is and the list of its faults are there without the script.
package htmlpage

import (
	"context"
	_ "embed"
	"html"
	"io"
	"strings"

	"github.com/fbverify/go/cmd/fbinspect/internal/annotate"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/fbverify/dynamic"
)

//go:embed assets/page.html
var page string

//go:embed assets/page.css
var style string

//go:embed assets/bytes.js
var bytesScript string

//go:embed assets/tree.js
var treeScript string

//go:embed assets/page.js
var pageScript string

// Limits of a page: browsers hold all of it in memory.
const (
	DataLimit = 64 << 10 // bytes shown of one run of data between FlatBuffers

	mostData  = 4 << 20 // bytes shown of all such runs, unless more than DataLimit is asked for of one
	leastData = 256     // bytes shown of each run behind

	whole    = 6 << 20  // bytes of a FlatBuffer all of which is on its page
	mostOfIt = 64 << 20 // bytes of all FlatBuffers; of those behind, there is as little as of larger ones
	elements = 200      // of a list of a larger one
	spans    = 200_000  // of a larger one
	start    = 2 << 10  // bytes of a string or vector of a larger one
)

// Options say what is on a page.
type Options struct {
	DataLimit int64 // bytes of a run of data between FlatBuffers

	// Path and At say what of a FlatBuffer that is too large for a page is on it besides
	// its start: what the path selects, and what is at those offsets in the file.
	Path *dynamic.Path
	At   []int64
}

// Outcome says what became of a page.
type Outcome struct {
	Faults  int
	LeftOut int64 // bytes of FlatBuffers that are not on it
}

// Write writes the page of a file.
func Write(ctx context.Context, w io.Writer, a *annotate.Annotator, src *input.Source, opts Options) (Outcome, error) {
	d, err := collect(ctx, a, src, opts)
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{len(d.Faults), d.Left}
	told, err := infoOf(ctx, a, src)
	if err != nil {
		return o, err
	}
	before, rest, _ := strings.Cut(page, "{{data}}")
	head := strings.NewReplacer("{{title}}", html.EscapeString(src.Name), "{{style}}", style,
		"{{verdict}}", d.verdictOf(), "{{faults}}", d.faultList(), "{{info}}", told).Replace(before)
	if _, err := io.WriteString(w, head); err != nil {
		return o, err
	}
	if err := d.write(w); err != nil {
		return o, err
	}
	_, err = io.WriteString(w, strings.Replace(rest, "{{script}}", bytesScript+treeScript+pageScript, 1))
	return o, err
}
