package report

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// What the formats have in common: the same words for the same things.

const motto = "Lower is better. Evidence to review, not a verdict."

// sentence is a suite's line after its name.
func (s Suite) sentence(threshold float64) string {
	var b strings.Builder
	b.WriteString(s.Verdict)
	switch {
	case s.Verdict == NoResult:
		b.WriteString(": its run failed, and its log says why")
		return b.String()
	case s.Verdict == NothingBoth || s.Verdict == TooLittle:
	case s.Confidence == nil:
		b.WriteString(", by instruction counts")
	case s.Verdict == NoSignal || s.Verdict == TooNoisy:
		fmt.Fprintf(&b, ", %d of %d rule out a change of %s", s.RuledOut, s.Compared, percent(threshold))
	default:
		fmt.Fprintf(&b, ", confidence %s", confidence(*s.Confidence))
	}
	if s.GeometricMean > 0 {
		fmt.Fprintf(&b, "; geometric mean %.3f", s.GeometricMean)
	}
	if s.Compared > 0 {
		fmt.Fprintf(&b, "; of %d benchmarks %d up, %d down, %d called out", s.Compared, s.Up, s.Down, s.CalledOut)
	}
	if s.New > 0 {
		fmt.Fprintf(&b, "; %d new", s.New)
	}
	if s.Gone > 0 {
		fmt.Fprintf(&b, "; %d gone", s.Gone)
	}
	return b.String()
}

// cells are a row's columns: base, head, ratio, spread, agreement, instructions.
func (r *Row) cells() []string {
	cells := []string{"", "", "", "", "", ""}
	if r.Base != nil {
		cells[0], cells[1] = nanoseconds(r.Base.Ns), nanoseconds(r.Head.Ns)
	}
	switch {
	case r.Status != "both":
		cells[2] = r.Status
	case r.Separable:
		cells[2] = fmt.Sprintf("%.3f", *r.Ratio)
	default:
		cells[2] = "not separable"
	}
	if r.Status == "both" {
		cells[3] = r.bounds()
		cells[4] = fmt.Sprintf("%d/%d", r.Agree, r.Rounds)
	}
	if i := r.Instructions; i != nil {
		cells[5] = fmt.Sprintf("%.3f", i.Ratio)
	}
	return cells
}

var columns = []string{"benchmark", "base", "head", "ratio", "between", "agree", "instructions"}

// bounds are what the median ratio lies between.
func (r *Row) bounds() string {
	switch {
	case r.Low == nil && r.High == nil:
		return "?"
	case r.Low == nil:
		return fmt.Sprintf("? … %.2f", *r.High)
	case r.High == nil:
		return fmt.Sprintf("%.2f … ?", *r.Low)
	default:
		return fmt.Sprintf("%.2f … %.2f", *r.Low, *r.High)
	}
}

// nanoseconds formats a time with three digits and a unit.
func nanoseconds(ns float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}} {
		if ns >= u.size {
			v := ns / u.size
			digits := max(0, 2-int(math.Log10(v)))
			return fmt.Sprintf("%.*f %s", digits, v, u.name)
		}
	}
	return fmt.Sprintf("%.3f ns", ns)
}

func percent(fraction float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", 100*fraction), ".0") + " %"
}

// confidence is a probability close to 1, with as many nines as it has, up to
// what so few rounds can be trusted with.
func confidence(p float64) string {
	if p > 0.9999 {
		return "above 99.99 %"
	}
	return fmt.Sprintf("%.2f %%", 100*p)
}

// heading says what is compared.
func (r *Report) heading() string {
	if len(r.Runs) == 0 {
		return "no suite has a result"
	}
	run := r.Runs[0]
	return fmt.Sprintf("base %s against head %s", run.Base.Short(), run.Head.Short())
}

// threshold is that of the first run; runs that are put together have the same.
func (r *Report) threshold() float64 {
	if len(r.Runs) == 0 {
		return 0.2
	}
	return r.Runs[0].Threshold
}

// provenance is the lines about a run.
func (r *Run) provenance() []string {
	pinned := "not pinned"
	if len(r.Pinned) > 0 {
		pinned = fmt.Sprintf("pinned to processor %s", strings.Trim(strings.ReplaceAll(fmt.Sprint(r.Pinned), " ", ", "), "[]"))
	}
	lines := []string{
		fmt.Sprintf("base: %s, %s", r.Base.Rev, r.Base.Short()),
		fmt.Sprintf("head: %s, %s", r.Head.Rev, r.Head.Short()),
		fmt.Sprintf("CPU: %s, %s", r.CPU, pinned),
		fmt.Sprintf("Go: %s, %s, both sides", r.Go, r.Platform),
		fmt.Sprintf("rounds: %d to %d of %v each; %s", r.MinRounds, r.MaxRounds, r.Length, r.Ended),
		fmt.Sprintf("time: %v of a budget of %v", r.Used.Round(time.Second), r.Budget),
		fmt.Sprintf("noise: the base differs from itself by %.1f %%, typically", 100*r.Noise),
		fmt.Sprintf("called out: a change of %s or more that chance explains in at most %s of such comparisons", percent(r.Threshold), percent(r.Level)),
	}
	for i := range r.Programs {
		lines = append(lines, "size of "+r.Programs[i].String())
	}
	if r.Instructions != "" {
		lines = append(lines, fmt.Sprintf("instructions: counted by %s, of an iteration in user mode", r.Instructions))
	}
	for _, note := range r.Notes {
		lines = append(lines, "note: "+note)
	}
	return lines
}

// split divides the rows into those called out, other pairs, and the rest.
func (r *Report) split() (called, pairs, single []*Row) {
	for i := range r.Benchmarks {
		row := &r.Benchmarks[i]
		switch {
		case row.CalledOut:
			called = append(called, row)
		case row.Status == "both":
			pairs = append(pairs, row)
		default:
			single = append(single, row)
		}
	}
	return called, pairs, single
}
