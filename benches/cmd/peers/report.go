package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/fbverify/go/benches/internal/pair"
)

// A row is one comparison: ours with one other leg.
type row struct {
	Work string `json:"work"`
	Ours string `json:"ours"` // what we do
	Peer string `json:"peer"` // who does the same, or what it is held against

	// Ratio is our time divided by the peer's, nil where the rounds do not
	// support one; Reason then says why.
	Ratio     *float64 `json:"ratio"`
	Rounds    int      `json:"rounds"`
	Agree     int      `json:"agree"` // rounds on the median's side of 1
	Separable bool     `json:"separable"`
	Reason    string   `json:"reason,omitempty"`

	// Low and High are the quartiles of the ratio; Noise is the typical
	// difference of our time from itself, as a fraction.
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
	Noise float64  `json:"noise"`

	// Median times of one iteration, in nanoseconds: this machine's, this hour's.
	OursNS float64 `json:"ours_ns"`
	PeerNS float64 `json:"peer_ns"`
}

// newRow is the row of leg i of a series.
func newRow(work string, series *pair.Series, i int) row {
	v := series.Judge(i, pair.Rule{})
	r := row{
		Work: work, Ours: series.Names[0], Peer: series.Names[i],
		Rounds: v.Rounds, Agree: v.Agree, Separable: v.Separable, Reason: v.Reason, Noise: v.Noise,
		OursNS: series.Median(0), PeerNS: series.Median(i),
	}
	if v.Separable {
		r.Ratio, r.Low, r.High = &v.Ratio, &v.Low, &v.High
	}
	return r
}

// A report prints rows.
type report interface {
	begin(provenance []string)
	row(row)
	end() error
}

// lines prints a JSON object a row, at once.
type lines struct {
	out io.Writer
	err error
}

func (l *lines) begin([]string) {}

func (l *lines) row(r row) {
	if err := json.NewEncoder(l.out).Encode(r); l.err == nil {
		l.err = err
	}
}

func (l *lines) end() error { return l.err }

// table prints a table at the end, so that its columns fit.
type table struct {
	out  io.Writer
	head []string
	rows []row
}

func (t *table) begin(provenance []string) { t.head = provenance }
func (t *table) row(r row)                 { t.rows = append(t.rows, r) }

func (t *table) end() error {
	for _, line := range t.head {
		fmt.Fprintln(t.out, line)
	}
	fmt.Fprintln(t.out, "\nRatio: our time divided by the peer's, below 1 we are faster. Times are medians on this machine.")
	fmt.Fprintln(t.out)
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "work\tours\tpeer\tratio\tquartiles\trounds\tnoise\tours takes\tpeer takes")
	for _, r := range t.rows {
		ratio, quartiles := "not separable", r.Reason
		if r.Separable {
			ratio = figure(*r.Ratio)
			quartiles = figure(*r.Low) + " to " + figure(*r.High)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d of %d\t%.1f %%\t%s\t%s\n",
			r.Work, r.Ours, r.Peer, ratio, quartiles, r.Agree, r.Rounds, 100*r.Noise, duration(r.OursNS), duration(r.PeerNS))
	}
	return w.Flush()
}

// figure prints a ratio with three digits.
func figure(x float64) string {
	switch {
	case x < 0.1:
		return fmt.Sprintf("%.4f", x)
	case x < 10:
		return fmt.Sprintf("%.3f", x)
	default:
		return fmt.Sprintf("%.1f", x)
	}
}

// duration prints nanoseconds with three digits and a unit.
func duration(ns float64) string {
	for _, unit := range []string{"ns", "us", "ms"} {
		if ns < 999.5 {
			return fmt.Sprintf("%.3g %s", ns, unit)
		}
		ns /= 1000
	}
	return fmt.Sprintf("%.3g s", ns)
}
