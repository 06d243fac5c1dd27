package rows

import (
	"errors"
	"io"
	"runtime"

	"github.com/fbverify/go/fbverify/split"
	"github.com/fbverify/go/generated/bench"
	"github.com/fbverify/go/internal/inputs"
)

// A Stage is a beginning of the work of decoding a stream: what one stage takes
// longer than the one before is what its last step costs.
type Stage struct {
	// Via is the way of decoding, "" for the steps that all ways begin with.
	Via  string
	Name string

	// Run does the work for a stream that the Stages were made for.
	Run func() error

	// Prove runs the stage with its results looked at, and returns the sum of the
	// stream's rows if they are right.
	Prove func() (uint64, error)
}

// Names of stages. Each does what the one before does, and more.
const (
	Moved    = "moved"    // the stream's bytes go through a buffer
	Verified = "verified" // and messages whose places are known are verified there
	Framed   = "framed"   // and the places are found: this is the Reader
	Decoded  = "decoded"  // and the values are read
	Worked   = "worked"   // and used
)

// Stages returns the stages of decoding a stream, the common ones first.
func Stages(stream []byte) ([]Stage, error) {
	depths, err := split.Stream(stream, bench.Row{}.FlatBuffersType(), nil)
	if err != nil {
		return nil, err
	}
	count := uint64(0)
	if err := each(stream, func([]byte) error { count++; return nil }); err != nil {
		return nil, err
	}
	var stages []Stage
	for i, name := range []string{Moved, Verified, Framed} {
		// They hand nothing on: that each does its work is for the tests of split to show.
		stages = append(stages, Stage{"", name, depths[i].Run, func() (uint64, error) {
			if err := depths[i].Run(); err != nil {
				return 0, err
			}
			return borrowed(stream, nil)
		}})
	}
	stages = append(stages, Stage{"pass_through", Worked, func() error { _, err := passThrough(stream, io.Discard); return err }, WayNamed("pass_through").prover(stream)})
	add := func(via string, glance, whole func() (uint64, error)) {
		stages = append(stages,
			Stage{via, Decoded, func() error { _, err := glance(); return err }, func() (uint64, error) {
				// The same loop with another function at its end: what it decodes is
				// proved by the whole, and that it goes through all rows by the sum of
				// the numbers of the rows.
				sum, err := glance()
				if err == nil && sum != count*(count+1)/2 {
					err = errors.New("rows: not every row was decoded")
				}
				if err != nil {
					return 0, err
				}
				return whole()
			}},
			Stage{via, Worked, func() error { _, err := whole(); return err }, whole})
	}
	add("borrowed", func() (uint64, error) { return eachBorrowed(stream, glance) }, func() (uint64, error) { return borrowed(stream, nil) })
	add("owned", func() (uint64, error) { return eachOwned(stream, glanceOwned) }, func() (uint64, error) { return owned(stream, nil) })
	add("dynamic", func() (uint64, error) { return eachDynamic(stream, glance) }, func() (uint64, error) { return dynamically(stream, nil) })
	add("dynamic_by_name", func() (uint64, error) { return eachNamed(stream, glance) }, func() (uint64, error) { return byName(stream, nil) })
	return stages, nil
}

// These are the work of a program that does none. They are called through a
// pointer, so the compiler cannot know that most of a row is not looked at.
func glance(row *inputs.Row) uint64      { return row.ID }
func glanceOwned(row *bench.RowT) uint64 { return row.ID }
func (w Way) prover(s []byte) func() (uint64, error) {
	return func() (uint64, error) { return w.Prove(s) }
}

// Memory is what a way of decoding takes of memory, a row.
type Memory struct{ Allocs, Allocated, Copied float64 }

// Memory measures a way over a stream of count rows, once.
func (w Way) Memory(stream []byte, count int) (Memory, error) {
	copied, err := w.Copied(stream)
	if err != nil {
		return Memory{}, err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = w.Decode(stream, io.Discard)
	runtime.ReadMemStats(&after)
	n := float64(count)
	return Memory{
		Allocs:    float64(after.Mallocs-before.Mallocs) / n,
		Allocated: float64(after.TotalAlloc-before.TotalAlloc) / n,
		Copied:    float64(copied) / n,
	}, err
}
