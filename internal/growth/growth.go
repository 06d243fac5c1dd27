// Package growth makes inputs whose sizes double, and measures how the cost of reading
// them grows. It is test support: the tests of each module hold their own entries, the
// public functions and commands that take bytes from strangers, against its families.
//
// A family is one way of being expensive, in any size. The ones with a name of their own
// were found by people; [Composed] makes others from a seed, by putting the same
// ingredients together in ways that nobody chose.
package growth

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// Family is one kind of input.
type Family struct {
	Name string
	Of   string // what families of one group have in common

	// Schema is the text of the schema that the bytes are read by, and Root its root table.
	// Both are empty where the input is itself a schema or a text.
	Schema, Root string

	// Make returns an input of about size bytes. It is the same for the same size.
	Make func(size int) []byte
}

// Sizes are from, 2*from, 4*from and so on up to the largest that is not above to.
func Sizes(from, to int) []int { return steps(from, to, 2) }

func steps(from, to, factor int) (sizes []int) {
	for n := from; n <= to; n *= factor {
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
		p := measure(len(input), func() { f(input) })
		if s = append(s, p); p.Time > patience {
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
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // who turns the collector on all the same pays for it once
	start := processorTime()
	f()
	return processorTime() - start
}

// memory measures the memory of one call: what it allocates, and how much is kept at once.
// The collector runs often meanwhile, since what is garbage is not kept: by default it leaves
// four megabytes, more than the small inputs are. What it leaves then does not count; that is
// a share of what was there before, too, on which its pace depends.
func memory(f func()) (alloc, peak uint64) {
	const percent = 3
	defer debug.SetGCPercent(debug.SetGCPercent(percent))
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	left := max(left, 2*percent*before.HeapAlloc/100) // it starts when half of that is there
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

// String lists what a byte of each input cost.
func (s Series) String() string {
	var b strings.Builder
	for _, p := range s {
		fmt.Fprintf(&b, "%d bytes: %.1f ns and %.1f bytes of memory a byte; ", p.Size, float64(p.Time)/float64(p.Size), float64(p.Peak)/float64(p.Size))
	}
	return strings.TrimSuffix(b.String(), "; ")
}

// Factor is how much the time grows where the size doubles: the mean from the smallest input
// that took longer than a clock can be wrong to a larger one, to that which makes it the
// largest. What a byte costs at the start is the most of the inputs up to four times the
// smallest: few things make up all of that. It is 0 where there are less than three doublings. What is larger than the caches
// costs two or three times as much a byte, once: ten doublings are enough to tell that from
// work that grows faster than the size, also where it does so in a few of them only. An input
// counts with at least what a byte of a smaller one cost: what is refused early, and so was
// cheap, may be dear again elsewhere without growing.
func (s Series) Factor() float64 {
	return s.factor(func(p Point) float64 { return float64(p.Time) }, float64(100*time.Microsecond))
}

// MemoryFactor is Factor for the peak of the heap. What the collector has not come to is
// little of 8 MiB.
func (s Series) MemoryFactor() float64 {
	return s.factor(func(p Point) float64 { return float64(p.Peak) }, 8<<20)
}

// fewDoublings is how many say too little.
const fewDoublings = 2.9

func (s Series) factor(of func(Point) float64, least float64) (worst float64) {
	for len(s) > 0 && of(s[0]) < least {
		s = s[1:]
	}
	start, perByte := 0.0, 0.0
	for _, p := range s {
		d := math.Log2(float64(p.Size) / float64(s[0].Size))
		perByte = max(perByte, of(p)/float64(p.Size))
		if d < 2.1 {
			start = perByte
		}
		if d >= fewDoublings {
			worst = max(worst, 2*math.Pow(perByte/start, 1/d))
		}
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
