package machine

import (
	"runtime"
	"testing"
	"time"
)

// TestHelpersDoNotPileUp: a caller does not wait for helpers that have not begun, and on
// a processor that it keeps for itself none does.
func TestHelpersDoNotPileUp(t *testing.T) {
	atHome(t)
	before := runtime.NumGoroutine()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	most, peak := 0, int32(0)
	for range 5000 {
		lonely().help(2)
		most, peak = max(most, runtime.NumGoroutine()-before), max(peak, helpers.Load())
	}
	if peak > helpersEach || most > 2*helpersEach { // who is counted no more may still be on the way out
		t.Errorf("%d goroutines, counted as %d, help on one processor; at most %d should", most, peak, helpersEach)
	}
	if peak < helpersEach {
		t.Errorf("there were at most %d at a time, of %d that may be", peak, helpersEach)
	}
	atHome(t) // those that went are counted no more, or nobody would help again
}

// TestHelpersBegin: where there is room each one that is asked for begins.
func TestHelpersBegin(t *testing.T) {
	atHome(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	const others = 2 * helpersEach
	for range 3 {
		j := lonely()
		j.help(others)
		for wait := time.Microsecond; j.begun.Load() < others; wait *= 2 {
			if wait > time.Minute {
				t.Fatalf("%d of %d have begun", j.begun.Load(), others)
			}
			time.Sleep(wait)
		}
		atHome(t)
	}
}

// lonely is a job with nothing to do.
func lonely() *job { return &job{verdict: Valid, goroutines: 1} }

// atHome waits until nobody helps or waits for work.
func atHome(t *testing.T) {
	t.Helper()
	for wait := time.Microsecond; helpers.Load() > 0; wait *= 2 {
		if wait > time.Minute {
			t.Fatalf("%d goroutines still help, a minute after", helpers.Load())
		}
		time.Sleep(wait)
	}
}
