// Package report says what a comparison came to: as text, as Markdown for a
// comment, and as JSON, from which reports of parallel jobs are put together.
package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchmath"

	"github.com/fbverify/go/benches/internal/compare/count"
	"github.com/fbverify/go/benches/internal/compare/session"
)

// A Report is one comparison, or several of the same revisions put together.
type Report struct {
	Suites     []Suite `json:"suites"`
	Benchmarks []Row   `json:"benchmarks"` // worst first, those called out in front
	Runs       []Run   `json:"runs"`       // where it all comes from
}

// A Row is a benchmark.
type Row struct {
	Suite  string `json:"suite"`
	Name   string `json:"name"`
	Status string `json:"status"` // "both", "new" or "gone"

	CalledOut bool     `json:"called_out"`       // the change is at least the threshold, and no chance
	Change    string   `json:"change,omitempty"` // Improvement or Regression, where called out
	By        string   `json:"by,omitempty"`     // "clocks" or "instructions": what decided
	Separable bool     `json:"separable"`        // the clocks tell head and base apart
	Reason    string   `json:"reason,omitempty"` // why they do not
	Ratio     *float64 `json:"ratio"`            // head / base, null where not separable
	Low       *float64 `json:"low"`              // the median ratio lies between these two,
	High      *float64 `json:"high"`             // null where nothing bounds it
	RuledOut  bool     `json:"ruled_out"`        // the change is less than the threshold, and no chance
	Quartiles *[2]Num  `json:"quartiles"`        // of the rounds' ratios
	Rounds    int      `json:"rounds"`
	Agree     int      `json:"agree"` // rounds on the median's side of 1
	P         float64  `json:"p"`     // probability of such agreement by chance
	Noise     float64  `json:"noise"` // typical difference of the base from itself, a fraction

	Base         *Time         `json:"base"`
	Head         *Time         `json:"head"`
	Instructions *Instructions `json:"instructions"`

	median float64 // of the ratios, told only if separable
}

// Num is a number of the report.
type Num = float64

// Time is the median time of an iteration in nanoseconds, and the bounds of its
// 95 % confidence interval where there are enough rounds for one.
type Time struct {
	Ns   float64  `json:"ns"`
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

// Instructions is the count of an iteration on both sides.
type Instructions struct {
	Base  float64 `json:"base"`
	Head  float64 `json:"head"`
	Ratio float64 `json:"ratio"`
}

// A Revision is one side.
type Revision struct {
	Rev      string `json:"rev"`
	Commit   string `json:"commit"`
	Modified bool   `json:"modified,omitempty"` // a working tree with changes
}

// Short names the revision as people do.
func (r Revision) Short() string {
	name := r.Commit[:min(12, len(r.Commit))]
	if r.Modified {
		name += " with changes"
	}
	return name
}

// A Run is where figures come from.
type Run struct {
	Suites       []string      `json:"suites"`
	Base         Revision      `json:"base"`
	Head         Revision      `json:"head"`
	CPU          string        `json:"cpu"`
	Pinned       []int         `json:"pinned"` // processors the benchmarks were confined to
	Go           string        `json:"go"`
	Platform     string        `json:"platform"`
	Threshold    float64       `json:"threshold"`
	Level        float64       `json:"level"`
	Length       time.Duration `json:"length_ns"` // of a benchmark's run
	MinRounds    int           `json:"min_rounds"`
	MaxRounds    int           `json:"max_rounds"`
	Noise        float64       `json:"noise"`
	Budget       time.Duration `json:"budget_ns"`
	Used         time.Duration `json:"used_ns"`
	Ended        string        `json:"ended"`
	Instructions string        `json:"instructions,omitempty"` // the tool that counted
	Programs     []Program     `json:"programs,omitempty"`
	TooLittle    bool          `json:"too_little,omitempty"` // the time did not allow to tell anything
	Notes        []string      `json:"notes,omitempty"`
}

// A Program is what a built program weighs on both sides, in bytes; 0 where a side
// does not have it.
type Program struct {
	Name string `json:"name"`
	Base int64  `json:"base"`
	Head int64  `json:"head"`
}

func (p *Program) String() string {
	switch {
	case p.Base == 0:
		return fmt.Sprintf("%s: new, %d bytes", p.Name, p.Head)
	case p.Head == 0:
		return fmt.Sprintf("%s: gone, %d bytes", p.Name, p.Base)
	default:
		return fmt.Sprintf("%s: %d bytes, %+d (%+.2f %%)", p.Name, p.Head, p.Head-p.Base, 100*float64(p.Head-p.Base)/float64(p.Base))
	}
}

// New makes a report of an outcome. SuiteOf names the suite of a benchmark; what
// run knows of the outcome is filled in.
func New(out *session.Outcome, counts map[string]count.Counts, run Run, suiteOf func(benchmark string) string) *Report {
	r := &Report{}
	for _, b := range out.Benchmarks {
		row := newRow(b, run.Threshold, suiteOf(b.Name))
		if c, ok := counts[b.Name]; ok {
			row.count(c, run.Threshold)
		}
		if row.Status == "both" {
			if run.MinRounds == 0 || b.Rounds < run.MinRounds {
				run.MinRounds = b.Rounds
			}
			run.MaxRounds = max(run.MaxRounds, b.Rounds)
		}
		r.Benchmarks = append(r.Benchmarks, row)
		if !slices.Contains(run.Suites, row.Suite) {
			run.Suites = append(run.Suites, row.Suite)
		}
	}
	compared := 0
	for _, row := range r.Benchmarks {
		if row.Status == "both" {
			compared++
		}
	}
	for _, name := range run.Suites {
		r.Suites = append(r.Suites, newSuite(name, r.Benchmarks, compared))
	}
	run.TooLittle = out.TooLittle()
	if run.TooLittle {
		for i := range r.Suites {
			if s := &r.Suites[i]; s.Verdict == TooNoisy || s.Verdict == NoSignal {
				s.Verdict, s.Confidence = TooLittle, nil
			}
		}
	}
	run.Noise, run.Length, run.Ended = out.Noise(), out.Length, out.Ended
	r.Runs = []Run{run}
	r.sort()
	return r
}

func newRow(b *session.Benchmark, threshold float64, suite string) Row {
	row := Row{Suite: suite, Name: b.Name, Status: "both"}
	switch b.Only {
	case "head":
		row.Status = "new"
		return row
	case "base":
		row.Status = "gone"
		return row
	}
	row.Separable, row.Reason = b.Separable, b.Reason
	row.Rounds, row.Agree, row.P, row.Noise = len(b.Base), b.Agree, b.P, b.Noise
	row.RuledOut = b.RulesOut(threshold)
	if row.Rounds == 0 {
		row.P, row.Reason = 1, "there was no time for it"
		return row
	}
	if b.Uneven {
		row.Reason = "in a part of its runs only"
	}
	row.Base, row.Head = newTime(b.Base), newTime(b.Head)
	row.Low, row.High = finite(b.From), finite(b.To)
	if row.Low != nil && *row.Low == 0 {
		row.Low = nil
	}
	row.median = median(b.Ratios())
	if row.Separable {
		row.Ratio = finite(b.Ratio)
	}
	if b.Low > 0 {
		row.Quartiles = &[2]Num{b.Verdict.Low, b.Verdict.High}
	}
	if b.CalledOut(threshold) {
		row.CalledOut, row.By, row.Change = true, "clocks", direction(b.Ratio)
	} else if row.RuledOut {
		row.By = "clocks"
	}
	return row
}

// Tight is how much closer to 1 than the threshold a ratio of instructions must
// be to rule a change out, and within what the counts must repeat: at 20 %, 2 %.
const Tight = 10

// count adds instruction counts. They call out, or rule out, only what the
// clocks leave open: a clock that tells sides apart is not contradicted.
func (r *Row) count(c count.Counts, threshold float64) {
	ratio := c.Ratio()
	r.Instructions = &Instructions{c.Base, c.Head, ratio}
	if r.Separable || r.RuledOut {
		return
	}
	switch {
	case ratio >= 1+threshold || ratio <= 1-threshold:
		r.CalledOut, r.By, r.Change = true, "instructions", direction(ratio)
	case math.Abs(ratio-1) <= threshold/Tight:
		r.RuledOut, r.By = true, "instructions"
	}
}

func direction(ratio float64) string {
	if ratio > 1 {
		return Regression
	}
	return Improvement
}

// newTime summarizes times without assuming anything of how they scatter.
func newTime(ns []float64) *Time {
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(ns), &benchmath.DefaultThresholds), 0.95)
	return &Time{s.Center, finite(s.Lo), finite(s.Hi)}
}

// finite returns a number that JSON can express, or nil.
func finite(f float64) *float64 {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nil
	}
	return &f
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return math.Sqrt(sorted[(n-1)/2] * sorted[n/2]) // of ratios: the middle of their logarithms
}

// sort puts the rows called out in front, and the worst first.
func (r *Report) sort() {
	slices.SortStableFunc(r.Benchmarks, func(a, b Row) int {
		if a.rank() != b.rank() {
			return a.rank() - b.rank()
		}
		if x, y := a.worst(), b.worst(); x != y {
			if x > y {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
}

func (r *Row) rank() int {
	switch {
	case r.CalledOut:
		return 0
	case r.Separable:
		return 1
	case r.Status == "both":
		return 2
	default:
		return 3
	}
}

// worst is what a row is sorted by: its ratio, or the largest it may be.
func (r *Row) worst() float64 {
	switch {
	case r.Status != "both":
		return 0
	case r.Ratio != nil:
		return *r.Ratio
	case r.CalledOut:
		return r.Instructions.Ratio
	case r.High != nil:
		return *r.High
	default:
		return math.Inf(1)
	}
}

// Exceeds returns the names of the benchmarks that are slower by more than a
// fraction, 0.1 for 10 %, as far as the evidence goes: separable clocks, or
// instruction counts where only they can tell.
func (r *Report) Exceeds(fraction float64) []string {
	var names []string
	for _, row := range r.Benchmarks {
		slower := row.Ratio != nil && *row.Ratio > 1+fraction
		if !row.Separable && !row.RuledOut && row.Instructions != nil {
			slower = row.Instructions.Ratio > 1+fraction
		}
		if slower {
			names = append(names, row.Name)
		}
	}
	return names
}
