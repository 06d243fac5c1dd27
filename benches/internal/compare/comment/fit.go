package comment

import (
	"fmt"
	"strings"
)

// Fit returns a text in Markdown of at most limit bytes. Of a longer one whole
// lines are left out at the end, what they would have closed is closed, and a
// line says how much is missing: what stands first, stays.
func Fit(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	const room = 200 // for what is added
	kept, size, open := 0, 0, 0
	for _, line := range lines {
		if size+len(line)+room+len(closing)*(open+1) > limit {
			break
		}
		open += strings.Count(line, "<details>") - strings.Count(line, "</details>")
		size += len(line)
		kept++
	}
	var b strings.Builder
	for _, line := range lines[:kept] {
		b.WriteString(line)
	}
	b.WriteString(strings.Repeat(closing, max(open, 0)))
	fmt.Fprintf(&b, "\nThis comment has no room for %d more lines; the run's artifacts have all of them.\n", len(lines)-kept)
	return b.String()
}

const closing = "\n</details>\n"
