package pair

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Sample is what one run of a leg came to.
type Sample struct {
	// Elapsed is the time of all iterations together.
	Elapsed time.Duration

	// Sum stands for the result of one iteration: legs that did the same work
	// have the same Sum.
	Sum uint64
}

// A Leg is one way of doing a piece of work.
type Leg struct {
	Name string

	// Run does the work n times, n at least 1, and times it. It sees to it that
	// the work cannot be optimized away; the Sum is the obvious way.
	Run func(ctx context.Context, n int) (Sample, error)

	// Most is how many iterations a turn has at most, 0 for any number: for work of
	// which only a part is timed.
	Most int

	// Bytes and Tables are the size of the input of one iteration, for whoever
	// reports a cost by size; 0 where that says nothing.
	Bytes, Tables int

	// Allocations of one iteration, nil where nobody counted.
	Allocations *float64
}

// Config bounds a comparison.
type Config struct {
	// Rounds is the most rounds to run; 0 means 11.
	Rounds int

	// Turn is how long each leg should run in a round; 0 means 20 ms. A leg
	// whose single iteration takes longer takes longer.
	Turn time.Duration

	// Budget ends the comparison after the round in which it is used up; it is
	// no reason to stop before the fewest rounds that can be judged, unless
	// twice the budget is gone. 0 means no limit.
	Budget time.Duration

	// Until, when set, is asked after each round whether that is enough.
	Until func(*Series) bool
}

const (
	defaultRounds = 11
	defaultTurn   = 20 * time.Millisecond
)

// Series is the times of all rounds, in nanoseconds an iteration.
type Series struct {
	Names   []string    // of the legs, the subject first
	Times   [][]float64 // by leg, then by round
	Against []float64   // the subject's second time in each round
}

// Rounds returns the number of complete rounds.
func (s *Series) Rounds() int { return len(s.Against) }

// Subject returns the subject's time in each round: that of its first turn in
// even rounds and of its second in odd ones. They lie before and after those of
// the others, so that a machine that grows steadily slower or faster favours
// nobody. The mean of both would use more of what was measured, but it is spoilt
// by an interruption in either, twice as often as the other legs' one turn: on a
// busy machine the subject would seem slower than itself in four rounds of seven.
func (s *Series) Subject() []float64 {
	times := make([]float64, s.Rounds())
	for i, second := range s.Against {
		times[i] = s.Times[0][i]
		if i%2 == 1 {
			times[i] = second
		}
	}
	return times
}

// Ratios returns, for each round, the time of leg i divided by that of leg j.
func (s *Series) Ratios(i, j int) []float64 { return divide(s.times(i), s.times(j)) }

func (s *Series) times(i int) []float64 {
	if i == 0 {
		return s.Subject()
	}
	return s.Times[i]
}

// Calibration returns, for each round, the subject's time divided by its own.
func (s *Series) Calibration() []float64 { return divide(s.Times[0], s.Against) }

// Compare decides about the time of leg i against that of leg j. What the machine
// shows between a thing and itself is always that of the subject, leg 0.
func (s *Series) Compare(i, j int, rule Rule) Verdict {
	return Judge(s.Ratios(i, j), s.Calibration(), rule)
}

// Nothing stands for a leg that takes no time, in [Series.Difference].
const Nothing = -1

// A Difference is what one leg takes longer than another within a round, in
// nanoseconds an iteration.
type Difference struct {
	// Median is that of the rounds, Low and High are its quartiles. They may be
	// negative if the difference is not Separable, and are for the reader only if
	// it is.
	Median, Low, High float64

	Rounds, Agree int // rounds, and how many of them are on one side
	Separable     bool
	Reason        string // why it is not Separable
}

// Difference returns what leg i takes longer than leg j, or than [Nothing]. Whether
// there is a difference is decided by the ratios of the rounds, as in Compare.
func (s *Series) Difference(i, j int) Difference {
	costs := slices.Clone(s.times(i)[:s.Rounds()])
	d := Difference{Rounds: s.Rounds(), Agree: s.Rounds(), Separable: true}
	if j != Nothing {
		for round, less := range s.times(j) {
			costs[round] -= less
		}
		v := s.Compare(i, j, Rule{})
		d.Agree, d.Separable, d.Reason = v.Agree, v.Separable, v.Reason
	}
	if d.Rounds > 0 {
		d.Median, d.Low, d.High = Quantile(costs, 0.5), Quantile(costs, 0.25), Quantile(costs, 0.75)
	}
	return d
}

// Median returns the median time of leg i in nanoseconds an iteration, 0 where
// there was no round.
func (s *Series) Median(i int) float64 {
	if len(s.Times[i]) == 0 {
		return 0
	}
	if i == 0 {
		return Quantile(s.Subject(), 0.5)
	}
	return Quantile(s.Times[i], 0.5)
}

func divide(a, b []float64) []float64 {
	ratios := make([]float64, min(len(a), len(b)))
	for i := range ratios {
		ratios[i] = a[i] / b[i]
	}
	return ratios
}

// A Disagreement is the error of legs that did not do the same work.
type Disagreement struct {
	A, B       string // names of the legs
	SumA, SumB uint64
}

func (d *Disagreement) Error() string {
	return fmt.Sprintf("%s and %s do not compute the same: %#x and %#x", d.A, d.B, d.SumA, d.SumB)
}

// Run compares the subject with the other legs. First every leg runs once and
// all must come to the same sum, before any clock counts; then they take turns.
// The subject has the first and the last turn of each round, and the others go
// in alternating order between.
//
// When the context ends, what there is of complete rounds is returned with the
// context's error.
func Run(ctx context.Context, subject Leg, others []Leg, config Config) (*Series, error) {
	legs := append([]Leg{subject}, others...)
	series := &Series{Times: make([][]float64, len(legs))}
	for _, leg := range legs {
		series.Names = append(series.Names, leg.Name)
	}
	sums, err := prove(ctx, legs)
	if err != nil {
		return series, err
	}
	turn := config.Turn
	if turn <= 0 {
		turn = defaultTurn
	}
	iterations := make([]int, len(legs))
	for i, leg := range legs {
		if iterations[i], err = fit(ctx, leg, turn); err != nil {
			return series, err
		}
	}

	rounds := config.Rounds
	if rounds <= 0 {
		rounds = defaultRounds
	}
	start := time.Now()
	for round := range rounds {
		times := make([]float64, len(legs)+1)
		for _, at := range order(len(legs), round) {
			i := at % len(legs) // the subject's second turn is at len(legs)
			sample, err := legs[i].Run(ctx, iterations[i])
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return series, fmt.Errorf("%s, round %d: %w", legs[i].Name, round+1, err)
			}
			if sample.Sum != sums[i] {
				return series, &Disagreement{legs[i].Name, legs[i].Name + " in round " + fmt.Sprint(round+1), sums[i], sample.Sum}
			}
			times[at] = float64(sample.Elapsed.Nanoseconds()) / float64(iterations[i])
		}
		for i := range legs {
			series.Times[i] = append(series.Times[i], times[i])
		}
		series.Against = append(series.Against, times[len(legs)])

		if config.Until != nil && config.Until(series) {
			break
		}
		if used := time.Since(start); config.Budget > 0 &&
			(used >= 2*config.Budget || used >= config.Budget && round+1 >= fewestRounds) {
			break
		}
	}
	return series, nil
}

// prove runs every leg once and returns their sums, which are all the same.
func prove(ctx context.Context, legs []Leg) ([]uint64, error) {
	sums := make([]uint64, len(legs))
	for i, leg := range legs {
		sample, err := leg.Run(ctx, 1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", leg.Name, err)
		}
		sums[i] = sample.Sum
		if sums[i] != sums[0] {
			return nil, &Disagreement{legs[0].Name, leg.Name, sums[0], sums[i]}
		}
	}
	return sums, nil
}

// order returns the turns of a round: 0, the others, and n for the subject's
// second turn.
func order(n, round int) []int {
	turns := make([]int, n+1)
	for i := range turns {
		turns[i] = i
	}
	if round%2 == 1 {
		for i := 1; i < n; i++ {
			turns[i] = n - i
		}
	}
	return turns
}

// fit returns how many iterations of a leg take about one turn.
func fit(ctx context.Context, leg Leg, turn time.Duration) (int, error) {
	most := 1 << 30
	if leg.Most > 0 {
		most = leg.Most
	}
	for n := 1; ; {
		sample, err := leg.Run(ctx, n)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", leg.Name, err)
		}
		if sample.Elapsed >= turn/4 || n >= most {
			// At least a quarter of a turn was timed, so the guess is good.
			scaled := float64(n) * float64(turn) / float64(max(sample.Elapsed, 1))
			return int(min(max(scaled, 1), float64(most))), nil
		}
		n = min(4*n, most)
	}
}
