// Package growth makes inputs whose sizes double, and measures how the cost of reading
// them grows. It is test support: the tests of each module hold their own entries, the
// public functions and commands that take bytes from strangers, against its families.
//
// A family is one way of being expensive, in any size. The ones with a name of their own
// were found by people; [Composed] makes others from a seed, by putting the same
// ingredients together in ways that nobody chose.
package growth

import (
	"math"
	"runtime"
	"runtime/debug"
	"time"
)

// Family is one kind of input.
type Family struct {
	Name string

	// Schema is the text of the schema that the bytes are read by, and Root its root table.
	// Both are empty where the input is itself a schema or a text.
	Schema, Root string

	// Make returns an input of about size bytes. It is the same for the same size.
	Make func(size int) []byte
}

// Sizes are from, 2*from, 4*from and so on up to the largest that is not above to.
func Sizes(from, to int) (sizes []int) {
	for n := from; n <= to; n *= 2 {
		sizes = append(sizes, n)
	}
	return sizes
}

// Point is what one input cost.
type Point struct {
	Size  int           // bytes of the input
	Time  time.Duration // processor time, the least of a few runs without garbage collection
	Alloc uint64        // bytes allocated
	Peak  uint64        // bytes of heap kept above what was there before, at most, as far as a sampler saw; two MiB do not count
}

// Series are the points of one entry and one family, by size.
type Series []Point

// Measure runs f on inputs of the sizes of a family. It stops early after an input that
// took longer than the patience, and says so.
func Measure(fam Family, sizes []int, patience time.Duration, f func(input []byte)) (s Series, stopped bool) {
	for _, size := range sizes {
		input := fam.Make(size)
		p := Point{Size: len(input), Time: math.MaxInt64}
		p.Alloc, p.Peak = memory(func() { f(input) })
		for run := 0; run < 4; run++ {
			t := processor(func() { f(input) })
			if p.Time = min(p.Time, t); run >= 1 && t > 100*time.Millisecond || t > patience {
				break
			}
		}
		s = append(s, p)
		if p.Time > patience {
			return s, true
		}
	}
	return s, false
}

// processor measures the processor time of one call. The collector would work beside it, and
// what that takes depends on what else is kept.
func processor(f func()) time.Duration {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	start := processorTime()
	f()
	return processorTime() - start
}

// memory measures the memory of one call: what it allocates, and how much is kept at once.
// The collector runs often meanwhile, since what is garbage is not kept: by default it leaves
// four megabytes, more than the small inputs are. What it leaves then does not count.
func memory(f func()) (alloc, peak uint64) {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	most := watch(before.HeapAlloc)
	f()
	peak = most()
	peak -= min(peak, left)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, peak
}

// left is how much garbage there may be before the collector has come to it.
const left = 2 << 20

// watch samples the heap until it is asked for the most that it saw above base.
func watch(base uint64) (most func() uint64) {
	stop, result := make(chan bool), make(chan uint64)
	sample := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc - min(base, m.HeapAlloc)
	}
	go func() {
		high := uint64(0)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				high = max(high, sample())
			case <-stop:
				result <- high
				return
			}
		}
	}()
	return func() uint64 {
		last := sample()
		stop <- true
		return max(<-result, last)
	}
}

// Factor is how much the time grows where the size doubles: the largest mean over three
// doublings in a row, of those inputs that took longer than a clock can be wrong. It is 0
// where none did.
func (s Series) Factor() float64 {
	return s.factor(func(p Point) float64 { return float64(p.Time) }, float64(4*time.Millisecond))
}

// MemoryFactor is Factor for the peak of the heap.
func (s Series) MemoryFactor() float64 {
	return s.factor(func(p Point) float64 { return float64(p.Peak) }, 4<<20)
}

func (s Series) factor(of func(Point) float64, least float64) (worst float64) {
	span := min(3, len(s)-1) // doublings
	if span < 2 {
		return 0 // a single doubling says little
	}
	for i := range len(s) - span {
		from, to := s[i], s[i+span]
		if of(from) < least || to.Size < 2*from.Size {
			continue
		}
		doublings := math.Log2(float64(to.Size) / float64(from.Size))
		worst = max(worst, math.Pow(of(to)/of(from), 1/doublings))
	}
	return worst
}

// PerByte returns the cost of a byte of the input that cost the most for its size: in
// nanoseconds, and in bytes of peak memory. Inputs below 16 KiB are left out: a call has
// costs of its own.
func (s Series) PerByte() (ns, memory float64) {
	for _, p := range s {
		if p.Size < 16<<10 && len(s) > 1 {
			continue
		}
		ns = max(ns, float64(p.Time)/float64(p.Size))
		memory = max(memory, float64(p.Peak)/float64(p.Size))
	}
	return ns, memory
}
