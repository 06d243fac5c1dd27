package main

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// style colours everything by class. A picture brings its own background, so it
// can be read on any page; which one of two the viewer's preference decides.
const style = `
.bg{fill:#ffffff}.ink{fill:#1f2328}.dim{fill:#59636e}
.grid{stroke:#d8dee4}.axis{stroke:#818b98}
.c0{fill:#0969da;stroke:#0969da}.c1{fill:#bc4c00;stroke:#bc4c00}.c2{fill:#8250df;stroke:#8250df}.c3{fill:#1a7f37;stroke:#1a7f37}.c4{fill:#818b98;stroke:#818b98}
@media (prefers-color-scheme:dark){
.bg{fill:#0d1117}.ink{fill:#f0f6fc}.dim{fill:#9198a1}
.grid{stroke:#2a313c}.axis{stroke:#656c76}
.c0{fill:#4493f8;stroke:#4493f8}.c1{fill:#f0883e;stroke:#f0883e}.c2{fill:#ab7df8;stroke:#ab7df8}.c3{fill:#3fb950;stroke:#3fb950}.c4{fill:#656c76;stroke:#656c76}
}
text{font:13px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;stroke:none}
.title{font-size:16px;font-weight:600}.small{font-size:12px}
.line{fill:none;stroke-width:2}.grid,.axis{stroke-width:1}
`

// A drawing is an SVG in the making.
type drawing struct {
	width, height float64
	body          strings.Builder
}

// add adds an element; numbers are rounded to a tenth of a pixel by %.1f.
func (d *drawing) add(format string, args ...any) { fmt.Fprintf(&d.body, format+"\n", args...) }

// text writes a line; anchor is start, middle or end.
func (d *drawing) text(x, y float64, class, anchor, format string, args ...any) {
	d.add(`<text x="%.1f" y="%.1f" class="%s" text-anchor="%s">%s</text>`, x, y, class, anchor, html.EscapeString(fmt.Sprintf(format, args...)))
}

func (d *drawing) line(x1, y1, x2, y2 float64, class string) {
	d.add(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="%s"/>`, x1, y1, x2, y2, class)
}

// marker draws mark i, each of another shape, so that no one needs the colours.
func (d *drawing) marker(i int, x, y float64) {
	const r = 5.0
	switch i {
	case 0:
		d.add(`<circle cx="%.1f" cy="%.1f" r="%.1f" class="c0"/>`, x, y, r)
	case 1:
		d.add(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" class="c1"/>`, x-r+.5, y-r+.5, 2*r-1, 2*r-1)
	case 2:
		d.add(`<path d="M%.1f %.1fl%.1f %.1fl%.1f %.1fl%.1f %.1fz" class="c2"/>`, x, y-r-1, r+1, r+1, -r-1, r+1, -r-1, -r-1)
	default:
		d.add(`<path d="M%.1f %.1fl%.1f %.1fh%.1fz" class="c3"/>`, x, y-r-.5, r+.5, 2*r, -2*r-1)
	}
}

// svg is the whole picture; about is what it shows, for those who do not see it.
func (d *drawing) svg(about string) []byte {
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img">
<title>%s</title>
<style>%s</style>
<rect width="100%%" height="100%%" class="bg"/>
%s</svg>
`, d.width, d.height, d.width, d.height, html.EscapeString(about), style, d.body.String())
}

// A scale maps values to pixels, logarithmically if log is set.
type scale struct {
	low, high float64 // values
	from, to  float64 // pixels
	log       bool
}

func (s scale) at(v float64) float64 {
	f := func(x float64) float64 { return x }
	if s.log {
		f = math.Log
	}
	return s.from + (f(v)-f(s.low))/(f(s.high)-f(s.low))*(s.to-s.from)
}

// powers returns low, low*step, low*step*step and so on, up to high.
func powers(low, high, step float64) (list []float64) {
	for v := low; v <= high*1.000001; v *= step {
		list = append(list, v)
	}
	return list
}

// apart moves positions of labels until neighbours are at least distance from
// each other. Their order stays.
func apart(at []float64, distance float64) {
	order := make([]int, len(at))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(at[i], at[j]) })
	for range 200 { // a handful of labels settles long before
		moved := false
		for k := 1; k < len(order); k++ {
			above, below := &at[order[k-1]], &at[order[k]]
			if gap := *below - *above; gap < distance-0.01 {
				*above -= (distance - gap) / 2
				*below += (distance - gap) / 2
				moved = true
			}
		}
		if !moved {
			return
		}
	}
}
