// Package split says where the processor's time goes in a loop over FlatBuffers: to
// moving the bytes, to verification, to decoding, or to what the program does with
// them; so that it can be told whether the format is the problem at all.
//
// Parts are found by subtraction. A [Depth] does all that the depth before it does
// and one thing more; [Measure] lets all depths take turns in rounds, and a part is
// the difference of two depths within a round. Where the rounds do not agree that
// there is a difference, or it is no larger than what the machine shows between a
// thing and itself, there is no number.
//
//	depths, err := split.Stream(stream, game.State{}.FlatBuffersType(), nil,
//		split.Step{Part: "decoding", Use: decode},
//		split.Step{Part: "work", Use: decodeAndWork})
//	report, err := split.Measure(ctx, depths, nil)
//	fmt.Print(report)
package split

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fbverify/go/internal/pair"
)

// A Depth is a program's loop up to some depth.
type Depth struct {
	// Part names what this depth does beyond the depth before it.
	Part string

	// Run does the loop once, from the beginning of the input to its end. It is run
	// again and again, and does the same each time.
	Run func() error
}

// Options say how long to measure. The zero value, and a nil *Options, are the
// defaults.
type Options struct {
	// Rounds is the most rounds; 0 means 21. Fewer than 5 separate nothing.
	Rounds int

	// Turn is how long each depth runs in a round; 0 means 20 ms. A depth of which
	// one run takes longer takes longer.
	Turn time.Duration

	// Budget ends the measurement about then, though not before 5 rounds; 0 means no
	// limit.
	Budget time.Duration
}

// A Part is what one depth takes longer than the depth before it.
type Part struct {
	Name string

	// Time is the median, over the rounds, of what the part takes of a run; Low and
	// High are its quartiles. All are 0 where the part is not Separable.
	Time, Low, High time.Duration

	// Share is Time as a part of the whole, 0 to 1.
	Share float64

	// Separable says that the rounds agree that the part takes time, and that it is
	// more than the deepest depth differs from itself. Reason says why not, where it
	// is false.
	Separable bool
	Reason    string
}

// A Report is what Measure found.
type Report struct {
	// Clock is what was counted: "CPU" is the time that all threads of the process
	// spent on processors, garbage collection included; "wall" is the time that went
	// by, on systems that do not tell the other.
	Clock string

	Parts  []Part        // in the order of the depths
	Whole  time.Duration // a run of the deepest depth, the median of the rounds
	Rounds int

	// Noise is how far a run of the deepest depth typically differs from another in
	// the same round: 0.02 is 2 %.
	Noise float64
}

// Measure measures the depths against each other. Nothing else should run in the
// process meanwhile: its processor time would be counted too. An error of a Depth
// ends it and is returned, with the name of its part; so does the end of ctx.
func Measure(ctx context.Context, depths []Depth, opts *Options) (*Report, error) {
	if len(depths) == 0 {
		return nil, errors.New("split: there is no depth to measure")
	}
	var config pair.Config
	if opts != nil {
		if opts.Rounds < 0 || opts.Turn < 0 || opts.Budget < 0 {
			return nil, errors.New("split: Rounds, Turn and Budget must not be negative")
		}
		config = pair.Config{Rounds: opts.Rounds, Turn: opts.Turn, Budget: opts.Budget}
	}
	if config.Rounds == 0 {
		config.Rounds = 21
	}
	legs := make([]pair.Leg, len(depths))
	for i, d := range depths {
		if d.Run == nil {
			return nil, fmt.Errorf("split: depth %d (%s) has nothing to run", i, d.Part)
		}
		legs[i] = pair.Leg{Name: d.Part, Run: func(ctx context.Context, n int) (pair.Sample, error) {
			start := now()
			for range n {
				if err := d.Run(); err != nil {
					return pair.Sample{}, err
				}
				if err := ctx.Err(); err != nil {
					return pair.Sample{}, err
				}
			}
			return pair.Sample{Elapsed: now() - start}, nil
		}}
	}
	// The deepest depth is the one that is measured twice a round.
	deepest := len(legs) - 1
	series, err := pair.Run(ctx, legs[deepest], legs[:deepest], config)
	if err != nil {
		return nil, fmt.Errorf("split: %w", err)
	}
	leg := func(depth int) int {
		switch depth {
		case -1:
			return pair.Nothing
		case deepest:
			return 0
		}
		return depth + 1
	}
	whole := series.Median(0)
	r := &Report{Clock: clock, Whole: time.Duration(whole), Rounds: series.Rounds(), Noise: series.Compare(0, 0, pair.Rule{}).Noise}
	for i, d := range depths {
		diff := series.Difference(leg(i), leg(i-1))
		p := Part{Name: d.Part, Separable: diff.Separable, Reason: diff.Reason}
		if p.Separable && diff.Median <= 0 {
			p.Separable, p.Reason = false, "the depth before takes longer: it does something that this one does not"
		}
		if p.Separable {
			p.Time, p.Low, p.High = time.Duration(diff.Median), time.Duration(diff.Low), time.Duration(diff.High)
			p.Share = diff.Median / whole
		}
		r.Parts = append(r.Parts, p)
	}
	return r, nil
}

// String is the report as a table.
func (r *Report) String() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "part\tshare\t%s time a run\tquartiles\n", r.Clock)
	for _, p := range r.Parts {
		if !p.Separable {
			fmt.Fprintf(w, "%s\t-\tnot separable: %s\t\n", p.Name, p.Reason)
			continue
		}
		fmt.Fprintf(w, "%s\t%.1f %%\t%v\t%v to %v\n", p.Name, 100*p.Share, p.Time, p.Low, p.High)
	}
	fmt.Fprintf(w, "whole\t100 %%\t%v\t\n", r.Whole)
	w.Flush()
	fmt.Fprintf(&out, "%d rounds; the whole differs from itself by %.1f %%\n", r.Rounds, 100*r.Noise)
	return out.String()
}
