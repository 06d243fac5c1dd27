// Package session runs the benchmarks of two revisions against each other: in
// pairs that lie close together in time, the order alternating, until every
// benchmark is decided or the time is used up.
//
// The pairs of a benchmark come in fours, two of the base and two of the head:
// A B B A, then B A A B, and so on, which cancels a drift of the machine. A
// ratio is taken within a pair. The two runs of the base in a four are held
// against each other: that is how much a thing differs from itself here and now.
//
// A run of a benchmark is many short turns, of which the lower quartile counts:
// what interrupts a process makes it slower, never faster, and on a busy machine
// most of a run's mean is somebody else's time. That would miss a benchmark of long
// iterations that grows slower in some of them. So the mean of a run's turns counts
// beside it, without the slowest eighth: if it alone shows a change of the threshold,
// that change is called out. A turn is a millisecond, less than
// a scheduler gives a process at once, so that on a machine with ten programs to
// a processor most turns are still whole. A benchmark that allocates has turns of
// five, and a quartile counts, not the minimum, so that the collector has its share.
package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/fbverify/go/benches/internal/compare/exe"
	"github.com/fbverify/go/internal/pair"
)

// A Runner runs benchmarks of one side: [exe.Binary], or a simulation of it.
type Runner interface {
	Run(ctx context.Context, pattern, benchtime string, times int) ([]exe.Result, error)
}

// Sides are the runners of a comparison, nil where there is nothing to run.
type Sides struct{ Base, Head Runner }

// Options of a comparison.
type Options struct {
	// Bench selects benchmarks, as -test.bench does.
	Bench string

	// Deadline is when the last run must have ended.
	Deadline time.Time

	// MaxRounds ends the comparison of a benchmark that cannot be decided; 0
	// means 64.
	MaxRounds int

	// Threshold is the change that is called out, 0.2 for 20 %.
	Threshold float64

	// Gate is a slowdown, 0.1 for 10 %, that somebody wants to be told of
	// whatever the Threshold; 0 means none.
	Gate float64

	// Level is the probability that anything at all in this comparison is
	// called separable by chance; 0 means 0.05.
	Level float64

	// Raw, when set, receives every turn that counts, with the number of its four
	// runs, from 1.
	Raw func(side string, four int, r exe.Result) error

	// Progress, when set, is told what goes on.
	Progress func(format string, args ...any)

	// Now is the clock that the deadline is of; nil means time.Now.
	Now func() time.Time
}

const (
	defaultRounds = 64
	defaultLevel  = 0.05
	wantedRounds  = 24 // to plan the length of turns with
	shortTurn     = time.Millisecond
	longTurn      = 5 * time.Millisecond
	longest       = 50 * time.Millisecond // of one benchmark's run, without what is beside the turns
	moreTurns     = 2                     // to learn what a turn costs
	fewestTurns   = 8
	longestGroup  = time.Second // of one process
)

// A Benchmark is what is known of one benchmark.
type Benchmark struct {
	Name string
	Only string // "base" or "head" where the other side has none of this name

	Base, Head []float64 // nanoseconds an iteration, by round
	Own        []float64 // ratios of the base to itself

	// Uneven says that the times above are means of nearly all turns, since these
	// show a change of the threshold, and lower quartiles do not.
	Uneven bool
	means  means

	// What follows from it, by the rule that held for the comparison.
	pair.Verdict
	From, To  float64       // the median ratio lies between them, 0 and infinity if nothing is known
	Decided   bool          // whether the change is at least the threshold is known
	iteration time.Duration // about
	allocates bool
}

// Means are the times of a benchmark by the mean of nearly all turns of each run.
type means struct{ base, head, own []float64 }

// Ratios returns head / base for each round.
func (b *Benchmark) Ratios() []float64 {
	ratios := make([]float64, len(b.Base))
	for i := range ratios {
		ratios[i] = b.Head[i] / b.Base[i]
	}
	return ratios
}

// CalledOut tells whether the clocks call out a change of at least the
// threshold: the ratio is separable from 1 and at least so far from it.
func (b *Benchmark) CalledOut(threshold float64) bool {
	return b.Separable && (b.Ratio >= 1+threshold || b.Ratio <= 1-threshold)
}

// RulesOut tells whether the rounds exclude a change of the threshold.
func (b *Benchmark) RulesOut(threshold float64) bool {
	return b.From > 1-threshold && b.To < 1+threshold
}

// Outcome is what a comparison came to.
type Outcome struct {
	Benchmarks []*Benchmark // in the order the head names them, then those that are gone
	Rule       pair.Rule
	Length     time.Duration     // of the longest run of a benchmark, by its turns
	Ended      string            // why the comparison ended
	Config     map[string]string // the head's configuration lines: "cpu", "goos"
}

// Run compares. The error names the side that failed; a comparison that used up
// its time is none, but one that could not even begin to measure is.
func Run(ctx context.Context, sides Sides, o Options) (*Outcome, error) {
	c := &comparison{Options: o, sides: sides, out: &Outcome{Config: map[string]string{}}}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Progress == nil {
		c.Progress = func(string, ...any) {}
	}
	if c.MaxRounds <= 0 {
		c.MaxRounds = defaultRounds
	}
	if c.Level <= 0 {
		c.Level = defaultLevel
	}
	if err := c.find(ctx); err != nil {
		return nil, err
	}
	if len(c.paired) == 0 {
		c.out.Ended = "no benchmark exists on both sides"
		return c.out, nil
	}
	// Each benchmark may err with its share of the level only.
	// It has two tries, by quartiles and by means.
	c.out.Rule = pair.Rule{Alpha: c.Level / float64(2*len(c.paired)), Peeking: true}
	c.plan()
	err := c.measure(ctx)
	for _, b := range c.paired {
		b.end(c.out.Rule, c.Threshold)
	}
	return c.out, err
}

type comparison struct {
	Options
	sides  Sides
	out    *Outcome
	paired []*Benchmark
	setup  time.Duration // of a run of all benchmarks, without their turns
	turns  time.Duration // of one turn of each, with what it costs beside
	groups []*group
}

// measure goes round all groups, four runs each, until nothing is open or the
// time is up. A benchmark's rounds are thus spread over all of the time, and a
// minute's disturbance spoils a few rounds of each and not all of some.
func (c *comparison) measure(ctx context.Context) error {
	for pass := 1; ; pass++ {
		open := 0
		for _, g := range c.groups {
			if len(g.open(c.MaxRounds)) == 0 {
				continue
			}
			if c.Now().Add(4 * g.expected).After(c.Deadline) {
				c.out.Ended = usedUp
				continue // a shorter group may still fit
			}
			err := c.unit(ctx, g)
			if errors.Is(err, errLate) {
				c.out.Ended = usedUp
				return nil
			}
			if err != nil {
				return err
			}
			open += len(g.open(c.MaxRounds))
		}
		if open == 0 {
			break
		}
		if pass == 1 {
			c.shorten()
		}
		c.Progress("pass %d: %d of %d benchmarks are open", pass, open, len(c.paired))
	}
	if c.out.Ended == "" {
		c.out.Ended = "everything is decided"
		for _, b := range c.paired {
			if !b.Decided {
				c.out.Ended = fmt.Sprintf("there were %d rounds", c.MaxRounds)
			}
		}
	}
	return nil
}

// open returns the names of the group's benchmarks that need more rounds.
func (g *group) open(maxRounds int) []string {
	var names []string
	for _, b := range g.benchmarks {
		if !b.Decided && b.Rounds < maxRounds {
			names = append(names, b.Name)
		}
	}
	return names
}

// usedUp is why a comparison ended that had no more time.
const usedUp = "the time is used up"

var errLate = errors.New(usedUp)

// unit makes four runs of a group, two rounds, and takes them into account if
// all four are complete.
func (c *comparison) unit(ctx context.Context, g *group) error {
	names := g.open(c.MaxRounds)
	pattern := exe.Pattern(names)
	base, head := run{"base", c.sides.Base}, run{"head", c.sides.Head}
	order := [4]run{base, head, head, base}
	if g.units%2 == 1 {
		order = [4]run{head, base, base, head}
	}
	g.units++
	var results [4][]exe.Result
	var times, means [4]map[string]float64
	start := c.Now()
	for i, t := range order {
		var err error
		if results[i], err = c.run(ctx, t.side, t.runner, pattern, g.turn, g.turns); err != nil {
			return err
		}
		turns := map[string][]float64{}
		for _, r := range results[i] {
			turns[r.Name] = append(turns[r.Name], r.NsPerOp)
		}
		times[i], means[i] = map[string]float64{}, map[string]float64{}
		for _, name := range names {
			if len(turns[name]) == 0 {
				return fmt.Errorf("%s: benchmark %s has no result this time", t.side, name)
			}
			slices.Sort(turns[name])
			times[i][name] = turns[name][(len(turns[name])-1)/4]
			means[i][name] = mean(turns[name][:len(turns[name])-len(turns[name])/8])
		}
	}
	g.expected = max(g.expected/2, c.Now().Sub(start)/4)

	if c.Raw != nil {
		for i, t := range order {
			for _, r := range results[i] {
				if err := c.Raw(t.side, g.units, r); err != nil {
					return err
				}
			}
		}
	}
	for _, name := range names {
		b := g.names[name]
		var own, ownMean []float64
		for i, t := range order {
			ns, mean := times[i][name], means[i][name]
			if t.side == "base" {
				b.Base, own = append(b.Base, ns), append(own, ns)
				b.means.base, ownMean = append(b.means.base, mean), append(ownMean, mean)
			} else {
				b.Head = append(b.Head, ns)
				b.means.head = append(b.means.head, mean)
			}
		}
		b.Own = append(b.Own, own[0]/own[1])
		b.means.own = append(b.means.own, ownMean[0]/ownMean[1])
		b.judge(c.out.Rule, c.Threshold, c.Gate)
	}
	return nil
}

// A run is one process of one side.
type run struct {
	side   string
	runner Runner
}

// run makes one run, and tells an end of the time from other ends.
func (c *comparison) run(ctx context.Context, side string, runner Runner, pattern string, turn time.Duration, turns int) ([]exe.Result, error) {
	limited, cancel := context.WithDeadline(ctx, c.Deadline)
	defer cancel()
	results, err := runner.Run(limited, pattern, turn.String(), turns)
	if err == nil {
		return results, nil
	}
	if ctx.Err() == nil && limited.Err() != nil {
		return nil, errLate
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("%s: %w", side, err)
}

// judge decides what the rounds so far say. A change that is called out is
// certain to be one of the threshold, or else certain not to be; anything
// between goes on.
func (b *Benchmark) judge(rule pair.Rule, threshold, gate float64) {
	ratios := b.Ratios()
	b.Verdict = pair.Judge(ratios, b.Own, rule)
	b.From, b.To = pair.Interval(ratios, rule)
	surely := b.Separable && (b.From >= 1+threshold || b.To <= 1-threshold)
	b.Decided = surely || b.RulesOut(threshold)
	if !surely {
		// What the means hint at has to be settled, too.
		_, v, from, to := b.byMeans(rule)
		hint := v.Ratio >= 1+threshold || v.Ratio > 0 && v.Ratio <= 1-threshold
		b.Decided = b.Decided && !hint || v.Separable && (from >= 1+threshold || to <= 1-threshold)
	}
	if gate > 0 && !(b.Separable && b.From > 1+gate || b.To <= 1+gate) {
		b.Decided = false
	}
}

// byMeans is a benchmark as the means of its turns show it.
func (b *Benchmark) byMeans(rule pair.Rule) (ratios []float64, v pair.Verdict, from, to float64) {
	for i := range b.means.base {
		ratios = append(ratios, b.means.head[i]/b.means.base[i])
	}
	v = pair.Judge(ratios, b.means.own, rule)
	from, to = pair.Interval(ratios, rule)
	return ratios, v, from, to
}

// end takes the means for a benchmark's times where only they call out a change.
func (b *Benchmark) end(rule pair.Rule, threshold float64) {
	if b.CalledOut(threshold) || len(b.means.base) == 0 {
		return
	}
	_, v, from, to := b.byMeans(rule)
	if v.Separable && (v.Ratio >= 1+threshold || v.Ratio <= 1-threshold) {
		b.Base, b.Head, b.Own, b.Uneven = b.means.base, b.means.head, b.means.own, true
		b.Verdict, b.From, b.To = v, from, to
	}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Noise returns the typical difference of the base from itself over all
// benchmarks, as a fraction: the median of the benchmarks' own.
func (o *Outcome) Noise() float64 {
	var all []float64
	for _, b := range o.Benchmarks {
		for _, ratio := range b.Own {
			all = append(all, math.Abs(math.Log(ratio)))
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return math.Expm1(all[len(all)/2])
}

// TooLittle says that the time allowed fewer rounds than it takes to tell anything,
// for most benchmarks.
func (o *Outcome) TooLittle() bool {
	needed, short, paired := pair.NeededRounds(o.Rule), 0, 0
	for _, b := range o.Benchmarks {
		if b.Only == "" {
			paired++
			if len(b.Base) < needed {
				short++
			}
		}
	}
	return o.Ended == usedUp && 2*short > paired
}

// Few says in words that the time was too short to decide anything, "" if it
// was not.
func (o *Outcome) Few() string {
	needed, short, paired := pair.NeededRounds(o.Rule), 0, 0
	for _, b := range o.Benchmarks {
		if b.Only != "" {
			continue
		}
		paired++
		if len(b.Base) < needed {
			short++
		}
	}
	if short == 0 {
		return ""
	}
	return fmt.Sprintf("the time allowed fewer than the %d rounds that it takes to tell anything, for %d of %d benchmarks", needed, short, paired)
}
