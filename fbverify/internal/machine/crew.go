package machine

import (
	"runtime"
	"sync/atomic"
)

// Waking a processor that sleeps takes about as long as walking a megabyte. So a
// goroutine that has done its part of a run stays awake for about half that
// time: where verifications follow one another, the next finds it in a seat.
//
// A seat is nil where it is free, holds waiting where a goroutine is in it, and
// otherwise the job that was handed to that goroutine. Seats hold no clocks, no
// channels and no wait groups: those belong to one test where testing/synctest
// is at work, and a goroutine here may serve one after the other.
var (
	seats   [16]atomic.Pointer[job]
	waiting = new(job)
)

// patience is how often a goroutine looks whether there is something to do
// before it ends: some tens of microseconds.
const patience = 1 << 15

// helpers is how many goroutines are at work, wait in a seat, or are still to begin.
// Nobody waits for those that are still to begin: on busy processors there would be
// ever more of them, each with a job that keeps its buffer.
var helpers atomic.Int32

// helpersEach is how many there are at most for each processor.
const helpersEach = 4

// help does its part of j on other goroutines: on one for each of those who
// wait in a seat, and on new ones for the rest, as long as there are few.
func (j *job) help(others int) {
	for i := range seats {
		if others > 0 && seats[i].Load() == waiting && seats[i].CompareAndSwap(waiting, j) {
			others--
		}
	}
	if others <= 0 {
		return
	}
	most := helpersEach * int32(runtime.GOMAXPROCS(0))
	for range others {
		if helpers.Add(1) > most {
			helpers.Add(-1)
			return
		}
		go helper(j)
	}
}

// helper works on a job, and on those that are handed to it.
func helper(j *job) {
	for j != nil {
		j.assist()
		j = nextJob()
	}
	helpers.Add(-1)
}

// nextJob waits in a seat for a while. It returns nil if nothing came, or no seat
// is free. There are no more seats than processors beside the caller's.
func nextJob() *job {
	for i := range min(len(seats), runtime.GOMAXPROCS(0)-1) {
		seat := &seats[i]
		if seat.Load() != nil || !seat.CompareAndSwap(nil, waiting) {
			continue
		}
		for range patience {
			if seat.Load() != waiting {
				break
			}
		}
		if seat.CompareAndSwap(waiting, nil) {
			return nil
		}
		return seat.Swap(nil)
	}
	return nil
}
