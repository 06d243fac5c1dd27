// Package record holds what the commands of benches measured: the rows that
// they print as JSON lines, and the folder of such lines that RESULTS.md and the
// pictures are made from.
package record

import (
	"math"

	"github.com/fbverify/go/internal/pair"
)

// A Row is one comparison: ours with one other leg.
type Row struct {
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

	// Middle is the median of the rounds' ratios, also where it cannot be told from 1:
	// for the median of many rows, and not to be quoted of one.
	Middle float64 `json:"middle,omitempty"`

	// Low and High are the quartiles of the ratio; Within are the bounds between
	// which the rounds place it, also where they cannot tell it from 1; Noise is
	// the typical difference of our time from itself, as a fraction.
	Low    *float64    `json:"low,omitempty"`
	High   *float64    `json:"high,omitempty"`
	Within *[2]float64 `json:"within,omitempty"`
	Noise  float64     `json:"noise"`

	// Median times of one iteration, in nanoseconds: this machine's, this hour's.
	OursNS float64 `json:"ours_ns"`
	PeerNS float64 `json:"peer_ns"`

	// Bytes and Tables are the size of the input of one iteration, where it has one.
	Bytes  int `json:"bytes,omitempty"`
	Tables int `json:"tables,omitempty"`

	// Allocs is how many allocations our iteration makes in the steady state, where
	// that was counted.
	Allocs *float64 `json:"allocs,omitempty"`
}

// NewRow is the row of leg i of a series against leg j; the subject is leg 0.
func NewRow(work string, subject pair.Leg, series *pair.Series, i, j int) Row {
	v := series.Compare(i, j, pair.Rule{})
	r := Row{
		Work: work, Ours: series.Names[i], Peer: series.Names[j],
		Rounds: v.Rounds, Agree: v.Agree, Separable: v.Separable, Reason: v.Reason, Noise: v.Noise,
		OursNS: series.Median(i), PeerNS: series.Median(j),
		Bytes: subject.Bytes, Tables: subject.Tables,
	}
	r.Middle = v.Ratio
	if i == 0 {
		r.Allocs = subject.Allocations
	}
	if v.Separable {
		r.Ratio, r.Low, r.High = &v.Ratio, &v.Low, &v.High
	}
	if low, high := pair.Interval(series.Ratios(i, j), pair.Rule{}); low > 0 && !math.IsInf(high, 1) {
		r.Within = &[2]float64{low, high}
	}
	return r
}

// A Part is what one part of decoding a row takes, in one way of decoding.
type Part struct {
	Via  string `json:"via"`  // the way
	Part string `json:"part"` // one of Parts

	// NS is the median, over the rounds, of the part's nanoseconds a row; Low and
	// High are its quartiles. A part is the difference of two times of a round,
	// and one that is not Separable from nothing may be negative.
	NS        float64 `json:"ns_row"`
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	Rounds    int     `json:"rounds"`
	Agree     int     `json:"agree"`
	Separable bool    `json:"separable"`
	Reason    string  `json:"reason,omitempty"`

	// What a row takes of memory, for the part Whole: allocations, their bytes,
	// and the bytes that are copied, which are counted from the code.
	Allocs    *float64 `json:"allocs_row,omitempty"`
	Allocated *float64 `json:"allocated_bytes_row,omitempty"`
	Copied    *float64 `json:"copied_bytes_row,omitempty"`
}

// Parts of decoding a row, in the order in which they are done, and the sum.
const (
	Floor    = "floor"        // moving the stream's bytes into a buffer
	Verify   = "verification" // of the message
	Framing  = "framing"      // finding where messages start and end
	Decoding = "decoding"     // from a verified message to the values of a row
	Work     = "work"         // what the program does with them
	Whole    = "whole"
)

// Parts are all but the sum.
var Parts = []string{Floor, Verify, Framing, Decoding, Work}

// An Index is what a way of looking rows up in a file took.
type Index struct {
	Way     string `json:"index"`
	Bytes   int64  `json:"bytes"` // of its file
	Entries int    `json:"entries"`
	Lookups int    `json:"lookups"`
	Rounds  int    `json:"rounds"`

	// Nanoseconds from the start of the work to the first answer: once with the file not
	// in the page cache, and the median of the rounds with it there.
	ColdNS  float64 `json:"cold_ns"`
	FirstNS float64 `json:"first_ns"`

	// Nanoseconds of a random lookup, all of a row's fields read: of the first series, and
	// of the same again.
	EarlyNS  float64 `json:"early_ns"`
	LookupNS float64 `json:"lookup_ns"`

	// Resident bytes at the end: the process's own, and those of the mapped file.
	Own    int64 `json:"own_bytes"`
	OfFile int64 `json:"file_bytes"`
}
