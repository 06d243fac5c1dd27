package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/fbverify/go/benches/internal/record"
)

// A report prints rows.
type report interface {
	begin(provenance []string)
	row(record.Row)
	end() error
}

// lines prints a JSON object a row, at once.
type lines struct {
	out io.Writer
	err error
}

func (l *lines) begin([]string) {}

func (l *lines) row(r record.Row) {
	if err := json.NewEncoder(l.out).Encode(r); l.err == nil {
		l.err = err
	}
}

func (l *lines) end() error { return l.err }

// table prints a table at the end, so that its columns fit.
type table struct {
	out  io.Writer
	head []string
	rows []record.Row
}

func (t *table) begin(provenance []string) { t.head = provenance }
func (t *table) row(r record.Row)          { t.rows = append(t.rows, r) }

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
			ratio = record.Figure(*r.Ratio)
			quartiles = record.Figure(*r.Low) + " to " + record.Figure(*r.High)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d of %d\t%.1f %%\t%s\t%s\n",
			r.Work, r.Ours, r.Peer, ratio, quartiles, r.Agree, r.Rounds, 100*r.Noise, record.Duration(r.OursNS), record.Duration(r.PeerNS))
	}
	return w.Flush()
}
