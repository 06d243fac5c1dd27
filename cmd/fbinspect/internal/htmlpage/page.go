// Package htmlpage is the work of fbinspect html: one self-contained page that shows a file's
// structure and its bytes side by side. The page loads nothing: its script, its style and the
// file's bytes are in it.
package htmlpage

import (
	"context"
	_ "embed"
	"html"
	"io"
	"strings"

	"github.com/fbverify/go/cmd/fbinspect/internal/annotate"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
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
	DataLimit = 64 << 10  // bytes shown of one run of data between FlatBuffers
	maxPage   = 256 << 20 // bytes of the FlatBuffers together
)

// Write writes the page of a file. It returns the number of faults.
func Write(ctx context.Context, w io.Writer, a *annotate.Annotator, src *input.Source, dataLimit int64) (faults int, err error) {
	d, err := collect(ctx, a, src, dataLimit)
	if err != nil {
		return 0, err
	}
	before, rest, _ := strings.Cut(page, "{{data}}")
	head := strings.NewReplacer("{{title}}", html.EscapeString(src.Name), "{{style}}", style).Replace(before)
	if _, err := io.WriteString(w, head); err != nil {
		return 0, err
	}
	if err := d.write(w); err != nil {
		return 0, err
	}
	_, err = io.WriteString(w, strings.Replace(rest, "{{script}}", bytesScript+treeScript+pageScript, 1))
	return len(d.Faults), err
}
