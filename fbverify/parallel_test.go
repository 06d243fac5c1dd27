package fbverify_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/fbverify/go/fbverify"
)

// TestGoroutinesThatAreLentFromRunToRun: helpers of one verification serve the
// next, which may be of another type, another caller, and of a sound or a bad
// buffer; each run gets its own verdict.
func TestGoroutinesThatAreLentFromRunToRun(t *testing.T) {
	typ := typeOf(t, treeSchema)
	good := siblings(2000, nil)
	bad := siblings(2000, func(buf []byte, at map[string]int) { clear(buf[at["n1234.a"]:][:4]) })
	var callers sync.WaitGroup
	for caller := range 4 {
		callers.Add(1)
		go func() {
			defer callers.Done()
			r := rand.New(rand.NewPCG(1, uint64(caller)))
			for i := range 100 {
				buf, kind := good, fbverify.Kind(0)
				if r.IntN(3) == 0 {
					buf, kind = bad, fbverify.ErrBadOffset
				}
				if r.IntN(10) == 0 {
					time.Sleep(time.Duration(r.IntN(100)) * time.Microsecond) // helpers leave meanwhile, or not
				}
				err := typ.Verify(buf, &fbverify.Options{Parallel: 1 + r.IntN(40)})
				if kind == 0 && err != nil || kind != 0 && !errors.Is(err, kind) {
					t.Errorf("caller %d, run %d: %v, want %v", caller, i, err, kind)
				}
			}
		}()
	}
	callers.Wait()
}

// TestHelpersGoHome: nobody waits for work for long.
func TestHelpersGoHome(t *testing.T) {
	before := runtime.NumGoroutine()
	typ, buf := typeOf(t, treeSchema), siblings(2000, nil)
	for range 100 {
		if err := typ.Verify(buf, &fbverify.Options{Parallel: 8}); err != nil {
			t.Fatal(err)
		}
	}
	for wait := time.Millisecond; runtime.NumGoroutine() > before; wait *= 2 {
		if wait > time.Minute {
			t.Fatalf("%d goroutines before, %d a minute after", before, runtime.NumGoroutine())
		}
		time.Sleep(wait)
	}
}

// TestAVerificationInParallelOnOneProcessor ends, though nobody else can run.
func TestAVerificationInParallelOnOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	typ, buf := typeOf(t, treeSchema), siblings(2000, nil)
	for range 20 {
		if err := typ.Verify(buf, &fbverify.Options{Parallel: 3}); err != nil {
			t.Fatal(err)
		}
	}
}
