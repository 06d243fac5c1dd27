package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// find learns which benchmarks there are, and how long they take, from one run
// of each side that does not count.
func (c *comparison) find(ctx context.Context) error {
	names := map[string]map[string]time.Duration{"base": {}, "head": {}}
	var order []string
	for _, side := range []struct {
		name   string
		runner Runner
	}{{"head", c.sides.Head}, {"base", c.sides.Base}} {
		if side.runner == nil {
			continue
		}
		c.Progress("%s: one run of every benchmark, to learn how long they take", side.name)
		start := c.Now()
		results, err := c.run(ctx, side.name, side.runner, c.Bench, 1)
		if errors.Is(err, errLate) {
			return fmt.Errorf("%s: the time was used up before every benchmark had run once; allow more with --budget, or narrow it with --bench", side.name)
		}
		if err != nil {
			return err
		}
		c.found = max(c.found, c.Now().Sub(start))
		for _, r := range results {
			if _, known := names[side.name][r.Name]; known {
				return fmt.Errorf("%s: two benchmarks have the name %s", side.name, r.Name)
			}
			names[side.name][r.Name] = time.Duration(r.NsPerOp)
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
		b := &Benchmark{Name: name, iteration: max(head, base)}
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
	if len(order) == 0 {
		return fmt.Errorf("no benchmark matches %q on either side", c.Bench)
	}
	return nil
}

// A group is benchmarks that run in one process.
type group struct {
	benchmarks []*Benchmark
	names      map[string]*Benchmark
	turns      int           // of each benchmark in one run
	expected   time.Duration // of one run
	units      int           // of four runs each
}

// plan chooses how many turns there are and which benchmarks share a process:
// one that starts for each benchmark alone would spend its time with setting up.
func (c *comparison) plan() {
	n := time.Duration(len(c.paired))
	overhead := c.found // of a run beside its turns
	for _, b := range c.paired {
		overhead -= max(b.iteration, turn)
	}
	overhead = max(overhead, 0)
	run := c.Deadline.Sub(c.Now()) * 3 / 4 / (2 * wantedRounds)
	c.out.Turn, c.out.Turns = turn, int(min(max((run-overhead)/n/turn, fewestTurns), mostTurns))

	type kind struct {
		function string
		turns    int
	}
	latest := map[kind]*group{}
	for _, b := range c.paired {
		// Of a long iteration there are as many as fit into the same time.
		turns := c.out.Turns
		if b.iteration > turn {
			turns = int(max(1, time.Duration(turns)*turn/b.iteration))
		}
		of := kind{top(b.Name), turns}
		expected := time.Duration(turns)*max(b.iteration, turn)*5/4 + overhead/n
		g := latest[of]
		if g == nil || g.expected+expected > longestGroup {
			g = &group{names: map[string]*Benchmark{}, turns: turns}
			latest[of] = g
			c.groups = append(c.groups, g)
		}
		g.benchmarks = append(g.benchmarks, b)
		g.names[b.Name] = b
		g.expected += expected
	}
}

// top returns the benchmark function that a name belongs to.
func top(name string) string {
	function, _, _ := strings.Cut(name, "/")
	return function
}
