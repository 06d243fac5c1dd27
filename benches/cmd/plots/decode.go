package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/fbverify/go/benches/internal/record"
	"github.com/fbverify/go/benches/internal/rows"
)

// drawDecode is where the time of decoding a row goes, for each way of holding it.
func drawDecode(f *record.Folder) ([]byte, error) {
	const (
		width, height = 880, 330
		left, right   = 120, 216 // right of the bars stands what a row takes of memory
		top, row, bar = 108, 42, 24
	)
	d := &drawing{width: width, height: height}
	d.text(20, 28, "ink title", "start", "Where the time of decoding a row goes")
	d.text(20, 48, "dim", "start", "nanoseconds a row of a size-prefixed stream; medians of differences between stages; pale: not separable from nothing")
	colours := map[string]string{record.Floor: "c4", record.Verify: "c0", record.Framing: "c2", record.Decoding: "c1", record.Work: "c3"}
	words := map[string]string{
		record.Floor: "moving the bytes (floor)", record.Verify: "verification", record.Framing: "framing",
		record.Decoding: "decoding", record.Work: "the program's work",
	}
	at := 20.0
	for _, part := range record.Parts {
		d.add(`<rect x="%.1f" y="63" width="12" height="12" class="%s"/>`, at, colours[part])
		d.text(at+18, 74, "ink", "start", "%s", words[part])
		at += 18 + 7.2*float64(len(words[part])) + 20
	}

	longest := 0.0
	for _, way := range rows.Ways {
		sum := 0.0
		for _, part := range record.Parts {
			if p := f.Part(way.Name, part); p != nil {
				sum += max(p.NS, 0)
			}
		}
		longest = max(longest, sum)
	}
	if longest == 0 {
		return nil, errors.New("no decoding was recorded")
	}
	step := math.Pow(10, math.Floor(math.Log10(longest)))
	for longest/step < 4 {
		step /= 2
	}
	x := scale{low: 0, high: longest, from: left, to: width - right}
	bottom := float64(top + row*len(rows.Ways) - 10)
	for v := 0.0; v <= longest; v += step {
		d.line(x.at(v), top-10, x.at(v), bottom, "grid")
		d.text(x.at(v), bottom+18, "dim small", "middle", "%g", v)
	}
	d.text((x.from+x.to)/2, bottom+40, "dim", "middle", "ns a row")
	for i, way := range rows.Ways {
		y := float64(top + row*i)
		d.text(left-12, y+bar/2+5, "ink", "end", "%s", way.Name)
		sum := 0.0
		for _, part := range record.Parts {
			p := f.Part(way.Name, part)
			if p == nil || p.NS <= 0 {
				continue
			}
			d.add(`<rect x="%.1f" y="%.1f" width="%.1f" height="%d" class="%s" style="stroke:none;fill-opacity:%s"/>`, x.at(sum), y, x.at(sum+p.NS)-x.at(sum), bar, colours[part],
				map[bool]string{true: "1", false: "0.4"}[p.Separable])
			sum += p.NS
		}
		if whole := f.Part(way.Name, record.Whole); whole != nil && whole.Allocs != nil {
			memory := "no allocation"
			if *whole.Allocs >= 0.05 {
				memory = fmt.Sprintf("%.1f allocations, %.0f bytes", *whole.Allocs, *whole.Allocated)
			}
			d.text(x.at(sum)+8, y+bar/2+5, "dim small", "start", "%s", memory)
		}
	}
	return d.svg("Where the time of decoding a row goes: moving bytes, framing, verification, decoding, the program's work"), nil
}
