package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/fbverify/go/benches/internal/peer"
	"github.com/fbverify/go/benches/internal/record"
	"github.com/fbverify/go/benches/internal/works"
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
	err  error
}

func (t *table) begin(provenance []string) { t.head = provenance }
func (t *table) row(r record.Row)          { t.rows = append(t.rows, r) }

func (t *table) end() error {
	for _, line := range t.head {
		fmt.Fprintln(t.out, line)
	}
	fmt.Fprintln(t.out, "\nRatio: our time divided by the peer's, below 1 we are faster. Times are medians on this machine.")
	verified, others := t.split()
	t.verifications(verified)
	t.others(others)
	return t.err
}

// columns are the ratios of a verification.
var columns = []struct{ ours, peer string }{
	{works.Checked, works.CXX}, {works.Checked, works.CXX + " by " + peer.GXX}, {works.Checked, works.CXX + " by " + peer.Clang}, {works.Checked, works.Rust},
	{works.Portable, works.CXX}, {works.Portable, works.Rust}, {works.SkipUTF8, works.Checked},
}

// split tells the rows of verifications that peers did too from all others. Those of
// one work follow each other.
func (t *table) split() (verified [][]record.Row, others []record.Row) {
	for _, r := range t.rows {
		if !slices.ContainsFunc(columns, func(c struct{ ours, peer string }) bool { return c.ours == r.Ours && c.peer == r.Peer }) {
			others = append(others, r)
			continue
		}
		if n := len(verified); n == 0 || verified[n-1][0].Work != r.Work {
			verified = append(verified, nil)
		}
		verified[len(verified)-1] = append(verified[len(verified)-1], r)
	}
	return verified, others
}

// verifications prints a line for each work, and how each family's ratios lie. A ratio
// in parentheses cannot be told from 1.
func (t *table) verifications(list [][]record.Row) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(t.out)
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, works.Checked, "\t")
	for _, c := range columns {
		fmt.Fprintf(w, "%s to %s\t", c.ours, c.peer)
	}
	fmt.Fprintln(w, "noise\t  work")
	var families []string
	for _, rows := range list {
		fmt.Fprintf(w, "%s\t", record.Duration(rows[0].OursNS))
		for _, c := range columns {
			i := slices.IndexFunc(rows, func(r record.Row) bool { return c.ours == r.Ours && c.peer == r.Peer })
			switch {
			case i < 0:
			case rows[i].Separable:
				fmt.Fprint(w, record.Figure(*rows[i].Ratio))
			case rows[i].Middle > 0:
				fmt.Fprintf(w, "(%s)", record.Figure(rows[i].Middle))
			default:
				fmt.Fprint(w, "too few rounds")
			}
			fmt.Fprint(w, "\t")
		}
		fmt.Fprintf(w, "%.1f %%\t  %s\n", 100*rows[0].Noise, rows[0].Work)
		if family, _, _ := strings.Cut(rows[0].Work, "/"); !slices.Contains(families, family) {
			families = append(families, family)
		}
	}
	if err := w.Flush(); t.err == nil {
		t.err = err
	}
	fmt.Fprintln(t.out)
	for _, family := range families {
		for _, c := range columns {
			if s := record.SpreadOf(t.rows, family+"/", c.ours, c.peer); s.Works > 1 {
				fmt.Fprintf(t.out, "%s, %s to %s: %v\n", family, c.ours, c.peer, s)
			}
		}
	}
}

// others prints a line for each row.
func (t *table) others(rows []record.Row) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintln(t.out)
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "work\tours\tpeer\tratio\tquartiles\trounds\tnoise\tours takes\tpeer takes")
	for _, r := range rows {
		ratio, quartiles := "not separable", r.Reason
		if r.Separable {
			ratio = record.Figure(*r.Ratio)
			quartiles = record.Figure(*r.Low) + " to " + record.Figure(*r.High)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d of %d\t%.1f %%\t%s\t%s\n",
			r.Work, r.Ours, r.Peer, ratio, quartiles, r.Agree, r.Rounds, 100*r.Noise, record.Duration(r.OursNS), record.Duration(r.PeerNS))
	}
	if err := w.Flush(); t.err == nil {
		t.err = err
	}
}
