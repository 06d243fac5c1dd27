package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fbverify/go/benches/internal/record"
	"github.com/fbverify/go/internal/inputs"
)

// point is the cost of one buffer.
type point struct{ bytes, ns float64 }

// drawRoot is what a root costs by size: checked, by the peers, and unchecked.
func drawRoot(f *record.Folder) ([]byte, error) {
	const (
		width, height = 880, 430
		top, bottom   = 84, 368
		panel, label  = 300, 100 // widths, of a panel and of the names right of it
		left          = 66
	)
	d := &drawing{width: width, height: height}
	d.text(20, 28, "ink title", "start", "What getting at a root costs, by size")
	d.text(20, 48, "dim", "start", "median time of one call; both axes are logarithmic")

	var sizes [2][]string
	for _, s := range inputs.LayoutSizes {
		sizes[0] = append(sizes[0], fmt.Sprintf("Layout/%dx%d", s.Chunks, s.Columns))
	}
	for _, n := range inputs.ArraySizes {
		sizes[1] = append(sizes[1], fmt.Sprintf("Array/%d", n))
	}
	y := scale{low: 1, high: 1e7, from: bottom, to: top, log: true}
	some := false
	for i, shape := range []string{"Layout: a tree of small tables", "Array: a tree, and vectors of structs"} {
		x0 := float64(left + i*(panel+label+24))
		x := scale{low: 1e3, high: 4e6, from: x0, to: x0 + panel, log: true}
		d.text(x0, top-12, "ink", "start", "%s", shape)
		for _, v := range powers(1, 1e7, 10) {
			d.line(x.from, y.at(v), x.to, y.at(v), "grid")
			if i == 0 {
				d.text(x.from-8, y.at(v)+4, "dim small", "end", "%s", record.Duration(v))
			}
		}
		for _, v := range powers(1e3, 1e6, 10) {
			d.line(x.at(v), bottom, x.at(v), bottom+5, "axis")
			d.text(x.at(v), bottom+20, "dim small", "middle", "%s", record.Size(int(v)))
		}
		d.line(x.from, bottom, x.to, bottom, "axis")
		d.text((x.from+x.to)/2, bottom+42, "dim", "middle", "size of the buffer")

		var names []string
		var ends []float64
		var lastX float64
		for mark, series := range rootSeries(f, sizes[i]) {
			if len(series.points) == 0 {
				continue
			}
			some = true
			path := ""
			for k, p := range series.points {
				path += fmt.Sprintf("%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[k == 0], x.at(p.bytes), y.at(p.ns))
			}
			d.add(`<path d="%s" class="c%d line" style="fill:none"/>`, path, mark)
			for _, p := range series.points {
				d.marker(mark, x.at(p.bytes), y.at(p.ns))
			}
			last := series.points[len(series.points)-1]
			names, ends, lastX = append(names, series.name), append(ends, y.at(last.ns)), max(lastX, x.at(last.bytes))
		}
		apart(ends, 17)
		for k := range names {
			d.text(lastX+11, ends[k]+4, "ink", "start", "%s", names[k])
		}
	}
	if !some {
		return nil, errors.New("no root was recorded")
	}
	return d.svg("What getting at a root costs by the size of the buffer: this verifier, the Rust crate, the C++ verifier, and an unchecked root"), nil
}

// rootSeries are the lines of one panel, in the order of their marks.
func rootSeries(f *record.Folder, names []string) []struct {
	name   string
	points []point
} {
	series := []struct {
		name   string
		points []point
	}{{name: "checked"}, {name: "Rust crate"}, {name: "C++ -O3"}, {name: "unchecked"}}
	for _, name := range names {
		work := "root/" + name
		toRust, toCXX, free := f.Row(work, "rust"), f.Row(work, "c++"), f.Row("unchecked/"+name, "")
		if toRust != nil {
			series[1].points = append(series[1].points, point{float64(toRust.Bytes), toRust.PeerNS})
		}
		if toCXX != nil {
			series[2].points = append(series[2].points, point{float64(toCXX.Bytes), toCXX.PeerNS})
		}
		if r := either(toRust, toCXX); r != nil {
			series[0].points = append(series[0].points, point{float64(r.Bytes), r.OursNS})
		}
		if free != nil {
			if len(series[3].points) == 0 { // the smallest, which it is held against
				if smallest := either(f.Row("root/"+names[0], "rust"), f.Row("root/"+names[0], "c++")); smallest != nil {
					series[3].points = append(series[3].points, point{float64(smallest.Bytes), free.PeerNS})
				}
			}
			series[3].points = append(series[3].points, point{float64(free.Bytes), free.OursNS})
		}
	}
	for i := range series {
		series[i].points = slices.DeleteFunc(series[i].points, func(p point) bool { return !(p.ns >= 0.1) || p.bytes <= 0 })
	}
	return series
}

func either(a, b *record.Row) *record.Row {
	if a != nil {
		return a
	}
	return b
}
