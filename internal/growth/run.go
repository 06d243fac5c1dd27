package growth

import (
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"testing"
	"time"
)

var (
	most     = flag.Int("most", 0, "bytes of the largest inputs of the tests of growth; 0 = two small ones, which takes seconds, or 16 MiB with FBVERIFY_SLOW=1")
	entries  = flag.String("entries", "", "a regular expression: only these entries of the tests of growth")
	families = flag.String("families", "", "a regular expression: only these families of inputs, which are then not recorded")
)

// Limit is what no entry may exceed: where the input doubles, neither the time nor the
// memory may do much more than double, sorting included. Caches that are left behind are in it.
const Limit = 2.2

// shortLimit is the limit of a series of two small inputs, which is what a run of seconds
// measures. Between them lie the sizes of the nearer caches and a stack's first copies, and
// what they add to a byte cannot be told from growth that goes on; twice as much work where
// the input doubles, which is what a quadratic cost is, is a factor of four.
const shortLimit = 3.2

func limit(s Series) float64 {
	if len(s) < 3 {
		return shortLimit
	}
	return Limit
}

// Entry is a public function or a command that takes bytes from strangers.
type Entry struct {
	Name string

	// Prepare returns the call that is measured for an input of a family; nil where the
	// entry takes none such.
	Prepare func(fam Family, input []byte) func()

	// What a byte of the input may cost: nanoseconds, and bytes of memory; 0 = no bound but
	// that of growth.
	NS, Memory float64

	// Most is the largest input in bytes; 0 = no other limit.
	Most int

	// Every is 1 where all families are tried also in a short run; 0 is 1. Of the others
	// each so many-th is.
	Every int
}

// Call makes a Prepare of a function that needs no preparation.
func Call(f func(input []byte)) func(Family, []byte) func() {
	return func(_ Family, input []byte) func() { return func() { f(input) } }
}

// slow reports whether the long series are asked for, whose outcome is recorded.
func slow() bool { return os.Getenv("FBVERIFY_SLOW") != "" }

// Long reports whether sizes are asked for that take more than seconds.
func Long() bool { return slow() || *most > 0 }

// patience is what one call may take.
const patience = 10 * time.Second

// Check holds entries against families of inputs, of the sizes short, or from the smallest
// of these to the largest that is asked for, at most to. With -v it prints a line for each
// entry and family. With FBVERIFY_SLOW=1 it records the worst of each in the table that is
// committed.
func Check(t *testing.T, short []int, to int, list []Entry, all []Family) {
	t.Helper()
	sizes := short
	switch {
	case *most > 0:
		sizes = steps(short[0], min(*most, to), 4)
	case slow():
		sizes = steps(short[0], to, 4)
	}
	worst := map[[2]string]*Row{}
	var order []*Row
	tried := map[string]int{}
	t.Logf("%-28s %-52s %9s %9s %9s %7s %7s", "entry", "family", "bytes", "ns/byte", "mem/byte", "time x2", "mem x2")
	for _, fam := range all {
		if !matches(t, *families, fam.Name) {
			continue
		}
		for i, s := range measureAll(t, fam, sizes, list, tried) {
			if len(s.points) == 0 {
				continue
			}
			e := &list[i]
			row := s.row(e.Name, fam)
			t.Log(row.line())
			switch {
			case s.stopped:
				t.Errorf("took more than %s:\n%s", patience, row.line())
			case row.Factor > limit(s.points) || row.MemoryFactor > limit(s.points):
				t.Errorf("grows faster than its input:\n%s\n%s", row.line(), s.points)
			case e.NS > 0 && row.NS > e.NS:
				t.Errorf("more than %v ns a byte:\n%s", e.NS, row.line())
			case e.Memory > 0 && row.Memory > e.Memory:
				t.Errorf("more than %v bytes of memory a byte:\n%s", e.Memory, row.line())
			}
			k := [2]string{row.Entry, row.Of}
			if worst[k] == nil {
				worst[k] = &Row{Entry: row.Entry, Of: row.Of}
				order = append(order, worst[k])
			}
			worst[k].add(row)
		}
		if slow() && *families == "" {
			readBook(t).record(t, order) // of as many families as were tried
		}
	}
}

func matches(t *testing.T, pattern, text string) bool {
	t.Helper()
	ok, err := regexp.MatchString(pattern, text)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// series are the points of one entry and one family.
type series struct {
	points  Series
	stopped bool
}

// measureAll measures the entries on the inputs of one family. Who is above the limit is
// measured again, and the least counts: what else the machine does takes caches away, and
// the collector comes when it comes.
func measureAll(t *testing.T, fam Family, sizes []int, list []Entry, tried map[string]int) []series {
	t.Helper()
	all := make([]series, len(list))
	wanted := make([]bool, len(list))
	for i, e := range list {
		wanted[i] = matches(t, *entries, e.Name) && (e.Every < 2 || Long() || tried[e.Name+fam.Of]%e.Every == 0)
		tried[e.Name+fam.Of]++
	}
	for _, size := range sizes {
		var input []byte
		for i, e := range list {
			s := &all[i]
			if !wanted[i] || s.stopped || e.Most > 0 && size > e.Most {
				continue
			}
			if input == nil {
				input = fam.Make(size)
			}
			if call := e.Prepare(fam, input); call != nil {
				s.points = append(s.points, measure(len(input), call))
				s.stopped = s.points[len(s.points)-1].Time > patience
			}
		}
	}
	for i, e := range list {
		for again := 0; again < 3 && all[i].above(e, fam); again++ {
			s := &all[i]
			for j, at := 0, 0; j < len(sizes) && at < len(s.points); j++ {
				input := fam.Make(sizes[j])
				if call := e.Prepare(fam, input); call != nil {
					p := &s.points[at]
					p.Time = min(p.Time, least(call))
					_, peak := memory(call)
					p.Peak = min(p.Peak, peak)
					at++
				}
			}
		}
	}
	return all
}

// above reports whether the series is above any limit of the entry.
func (s *series) above(e Entry, fam Family) bool {
	if len(s.points) == 0 || s.stopped {
		return false
	}
	row := s.row("", fam)
	return row.Factor > limit(s.points) || row.MemoryFactor > limit(s.points) || e.NS > 0 && row.NS > e.NS || e.Memory > 0 && row.Memory > e.Memory
}

// measure measures one call.
func measure(size int, call func()) Point {
	p := Point{Size: size}
	p.Alloc, p.Peak = memory(call)
	p.Time = least(call)
	return p
}

// least is the processor time of a call: the least of a few, where they are short.
func least(call func()) time.Duration {
	best := time.Duration(math.MaxInt64)
	for run := range 3 {
		t := processor(call)
		if best = min(best, t); run >= 1 && t > 10*time.Millisecond || t > time.Second { // the first also has fresh memory from the kernel
			break
		}
	}
	return best
}

// row returns what the series says of an entry and a family.
func (s *series) row(entry string, fam Family) Row {
	r := Row{Entry: entry, Of: fam.Of, Families: 1, Bytes: s.points[len(s.points)-1].Size, Factor: s.points.Factor(), MemoryFactor: s.points.MemoryFactor()}
	r.NS, r.Memory = s.points.PerByte()
	r.NSFamily, r.FactorFamily = fam.Name, fam.Name
	return r
}

// line is the row as a line of a log, where it is of one family.
func (r *Row) line() string {
	return fmt.Sprintf("%-28.28s %-52s %9d %9.1f %9.1f %7.2f %7.2f", r.Entry, r.NSFamily+", "+r.Of, r.Bytes, r.NS, r.Memory, r.Factor, r.MemoryFactor)
}
