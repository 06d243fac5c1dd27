package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fbverify/go/internal/pair"
)

// find learns which benchmarks there are, and how long they take, from a run of
// each side that does not count. The base's has more turns: what a turn costs
// beside its own time, as collecting garbage before it, is in the difference.
func (c *comparison) find(ctx context.Context) error {
	names := map[string]map[string]time.Duration{"base": {}, "head": {}}
	allocates := map[string]bool{}
	var order []string
	var took []time.Duration
	for _, side := range []struct {
		name   string
		runner Runner
		turns  int
	}{{"head", c.sides.Head, 1}, {"base", c.sides.Base, 1 + moreTurns}} {
		if side.runner == nil {
			continue
		}
		c.Progress("%s: one run of every benchmark, to learn how long they take", side.name)
		start := c.Now()
		results, err := c.run(ctx, side.name, side.runner, c.Bench, longTurn, side.turns)
		if errors.Is(err, errLate) {
			return fmt.Errorf("%s: the time was used up before every benchmark had run once; allow more with --budget, or narrow it with --bench", side.name)
		}
		if err != nil {
			return err
		}
		took = append(took, c.Now().Sub(start))
		for _, r := range results {
			names[side.name][r.Name] = time.Duration(r.NsPerOp)
			if n, ok := r.Value("allocs/op"); !ok || n > 0 {
				allocates[r.Name] = true
			}
			if !slices.Contains(order, r.Name) {
				order = append(order, r.Name)
			}
			if side.name == "head" {
				for _, config := range r.Config {
					c.out.Config[config.Key] = string(config.Value)
				}
			}
		}
	}
	for _, name := range order {
		head, inHead := names["head"][name]
		base, inBase := names["base"][name]
		b := &Benchmark{Name: name, iteration: max(head, base), allocates: allocates[name]}
		switch {
		case !inBase:
			b.Only = "head"
		case !inHead:
			b.Only = "base"
		default:
			c.paired = append(c.paired, b)
		}
		c.out.Benchmarks = append(c.out.Benchmarks, b)
	}
	if len(took) == 2 {
		c.turns = max(took[1]-took[0], 0) / moreTurns
		c.setup = max(took[0]-c.turns, 0)
	}
	if len(order) == 0 {
		return fmt.Errorf("no benchmark matches %q on either side", c.Bench)
	}
	return nil
}

// A group is benchmarks that run in one process.
type group struct {
	benchmarks []*Benchmark
	names      map[string]*Benchmark
	turn       time.Duration
	turns      int           // of each benchmark in one run
	expected   time.Duration // of one run
	units      int           // of four runs each
}

// plan chooses how long runs are and which benchmarks share a process:
// one that starts for each benchmark alone would spend its time with setting up.
func (c *comparison) plan() {
	n := time.Duration(len(c.paired))
	beside := c.turns // of a turn of each benchmark, what is not its own time
	for _, b := range c.paired {
		beside -= max(b.iteration, longTurn)
	}
	beside = max(beside, 0) / n
	// What a run of one benchmark may take so that enough rounds fit.
	share := (c.Deadline.Sub(c.Now())*3/4/(2*wantedRounds) - c.setup) / n

	type kind struct {
		function string
		turn     time.Duration
		turns    int
	}
	latest := map[kind]*group{}
	for _, b := range c.paired {
		turn := shortTurn
		if b.allocates {
			turn = longTurn
		}
		one := max(b.iteration, turn)
		most := max(longest/one, 1)
		turns := int(min(max(share/(one+beside), min(fewestTurns, most)), most))
		c.out.Length = max(c.out.Length, time.Duration(turns)*turn)
		of := kind{top(b.Name), turn, turns}
		expected := time.Duration(turns)*(one+beside) + c.setup/n
		g := latest[of]
		if g == nil || g.expected+expected > longestGroup {
			g = &group{names: map[string]*Benchmark{}, turn: turn, turns: turns}
			latest[of] = g
			c.groups = append(c.groups, g)
		}
		g.benchmarks = append(g.benchmarks, b)
		g.names[b.Name] = b
		g.expected += expected
	}
}

// shorten reduces the number of turns where the first pass took so long that the
// time would end before anything is decided: on a busy machine a run takes many
// times its turns.
func (c *comparison) shorten() {
	var pass time.Duration
	for _, g := range c.groups {
		if len(g.open(c.MaxRounds)) > 0 {
			pass += 4 * g.expected
		}
	}
	wanted := time.Duration(pair.NeededRounds(c.out.Rule)) // in passes of two rounds, twice what is needed
	left := c.Deadline.Sub(c.Now())
	if pass*wanted <= left {
		return
	}
	for _, g := range c.groups {
		turns := max(int(int64(g.turns)*int64(left/wanted)/int64(pass)), min(fewestTurns, g.turns))
		g.expected = g.expected * time.Duration(turns) / time.Duration(g.turns)
		g.turns = turns
	}
	c.Progress("runs are shortened, since they take longer than planned")
}

// top returns the benchmark function that a name belongs to.
func top(name string) string {
	function, _, _ := strings.Cut(name, "/")
	return function
}
