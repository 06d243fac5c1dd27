package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/fbverify/go/benches/internal/record"
)

// drawRead is what reading all fields of a message costs by each route, in
// multiples of the same reads of a Go struct.
func drawRead(f *record.Folder) ([]byte, error) {
	const (
		width, height = 880, 460
		left, right   = 236, 30
		top, row      = 116, 42
	)
	cases := []struct{ work, words string }{
		{"flat10", "10 fields, flat"},
		{"flat100", "100 fields, flat"},
		{"hier-hot/cached", "three levels, hot, way kept"},
		{"hier-hot/walked", "three levels, hot, way walked"},
		{"hier-hot/written", "the same with writes between"},
		{"hier-cold/cached", "three levels, cold, way kept"},
		{"hier-cold/walked", "three levels, cold, way walked"},
	}
	d := &drawing{width: width, height: height}
	d.text(20, 28, "ink title", "start", "What reading a message costs, by route")
	d.text(20, 48, "dim", "start", "in multiples of the same reads of a decoded Go struct in the same rounds; logarithmic")
	at := 20.0
	for i, name := range []string{"fixed view", "view", "dynamic, by handle", "flatc --go accessors"} {
		d.marker(i, at+6, 72)
		d.text(at+17, 76, "ink", "start", "%s", name)
		at += 17 + 7.2*float64(len(name)) + 22
	}

	x := scale{low: 0.25, high: 128, from: left, to: width - right, log: true}
	bottom := float64(top + row*len(cases) - 12)
	for _, v := range powers(0.25, 128, 2) {
		class := "grid"
		if v == 1 {
			class = "axis"
		}
		d.line(x.at(v), top-16, x.at(v), bottom, class)
		words := fmt.Sprintf("%g", v)
		if v == 1 {
			words = "1 = struct"
		}
		d.text(x.at(v), bottom+18, "dim small", "middle", "%s", words)
	}
	d.text((x.from+x.to)/2, bottom+40, "dim", "middle", "times as long as the struct")
	some := false
	for i, c := range cases {
		y := float64(top + row*i + 6)
		d.text(left-14, y+4, "ink", "end", "%s", c.words)
		values := multiples(f, c.work)
		order := []int{0, 1, 2, 3}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
		taken := [2]float64{} // where the last label above the marks ends, and below
		for _, mark := range order {
			value := values[mark]
			if value == 0 {
				continue
			}
			some = true
			at := x.at(min(max(value, x.low), x.high))
			d.marker(mark, at, y)
			words := fmt.Sprintf("%.1f", value)
			if value >= 9.95 {
				words = fmt.Sprintf("%.0f", value)
			}
			side := 0 // neighbours that are close go to different sides
			if at-taken[0] < 14 && taken[1] < taken[0] {
				side = 1
			}
			taken[side] = at + 14
			d.text(at, y+[2]float64{-9, 19}[side], "dim small", "middle", "%s", words)
		}
	}
	if !some {
		return nil, errors.New("no read was recorded")
	}
	return d.svg("What reading all fields of a message costs through fixed views, views, dynamic handles and flatc's accessors, in multiples of a Go struct"), nil
}

// multiples of a struct's time for fixed, view, dynamic and flatc, 0 where it is
// not recorded.
func multiples(f *record.Folder, work string) [4]float64 {
	var m [4]float64
	for i, form := range []string{"fixed", "view", "dynamic"} {
		if r := f.Row("read/"+work+"/"+form, "struct"); r != nil && r.PeerNS > 0 {
			m[i] = r.OursNS / r.PeerNS
		}
	}
	flatc, structs := f.Row("read/"+work+"/view", "flatc"), f.Row("read/"+work+"/view", "struct")
	if flatc != nil && structs != nil && structs.PeerNS > 0 {
		m[3] = flatc.PeerNS / structs.PeerNS
	}
	return m
}
