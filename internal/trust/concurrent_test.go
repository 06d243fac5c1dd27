package trust_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/fbrand"
	"github.com/fbverify/go/internal/gentest/agree"
	"github.com/fbverify/go/internal/gentest/features"
	"github.com/fbverify/go/internal/inputs"
	"github.com/fbverify/go/internal/trust/trusttest"
)

// together runs f on n goroutines that all start at once.
func together(n int, f func(i int)) {
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		ready.Add(1)
		done.Add(1)
		go func() {
			defer done.Done()
			ready.Done()
			<-start
			f(i)
		}()
	}
	ready.Wait()
	close(start)
	done.Wait()
}

// TestOneTypeIsUsedFromManyGoroutines: verdicts and counts on many goroutines are
// those of one, with all options at once, so that all share what a Type keeps. Run
// it with -race.
func TestOneTypeIsUsedFromManyGoroutines(t *testing.T) {
	for seed, end := trusttest.Seeds(12); seed < end; seed++ {
		r := fbrand.NewRand(seed)
		_, sch := fbrand.Schema(r, fbrand.SchemaOptions{})
		typ, alone := trusttest.Compile(t, sch), trusttest.Compile(t, sch)
		type task struct {
			buf    []byte
			o      fbverify.Options
			counts fbverify.Counts
			err    string
		}
		var tasks []task
		for range 40 {
			b := fbrand.ForSchema(r, sch, sch.Root, fbrand.BufferOptions{Objects: 60, Loose: true, Wide: r.IntN(4) == 0})
			k := task{buf: b.Bytes, o: trusttest.Exceptions(r)}
			if r.IntN(2) == 0 {
				k.buf = fbrand.Damage(r, b).Bytes
			}
			if r.IntN(4) == 0 {
				k.o.Parallel = 3
			}
			counts, err := alone.Measure(k.buf, &k.o)
			k.counts, k.err = counts, fmt.Sprint(err)
			tasks = append(tasks, k)
		}
		together(8, func(i int) {
			for n := range tasks {
				k := &tasks[(n*7+i*5)%len(tasks)]
				counts, err := typ.Measure(k.buf, &k.o)
				if err == nil && counts != k.counts || fmt.Sprint(err) != k.err {
					t.Errorf("seed %d, %+v: %+v, %v; alone %+v, %v", seed, k.o, counts, err, k.counts, k.err)
				}
			}
		})
	}
}

// TestOneVerifiedIsReadFromManyGoroutines: all of a root is read on each of them.
func TestOneVerifiedIsReadFromManyGoroutines(t *testing.T) {
	var view features.Everything
	s := view.FlatBuffersType().Schema()
	b := fbrand.ForSchema(fbrand.NewRand(1), s, view.FlatBuffersType().Root(), fbrand.BufferOptions{Objects: 10})
	v, err := fbverify.Root[features.Everything](b.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	tables := make([]int, 8)
	together(len(tables), func(i int) { tables[i] = agree.Root(quiet{t}, v).Tables })
	for _, n := range tables {
		if n != tables[0] || n == 0 {
			t.Errorf("tables read: %v", tables)
		}
	}
}

// quiet leaves out the complaints of agree about defaults that a .bfbs does not
// hold: here it reads for the race detector.
type quiet struct{ testing.TB }

func (quiet) Helper()               {}
func (quiet) Errorf(string, ...any) {}

// TestShapesAreSharedUnderContention: goroutines that each bring thousands of
// vtables, and one that keeps verifying an honest buffer, all through one Type.
func TestShapesAreSharedUnderContention(t *testing.T) {
	s, err := inputs.HostileSchema()
	if err != nil {
		t.Fatal(err)
	}
	typ, err := fbverify.Compile(s, "bench.Variety")
	if err != nil {
		t.Fatal(err)
	}
	var buffers [][]byte
	for _, h := range inputs.Hostiles {
		if h.Name == "vtables" {
			for _, size := range []int{2 << 10, 50 << 10, 60 << 10, 70 << 10, 80 << 10} {
				buffers = append(buffers, h.Make(size))
			}
		}
	}
	if len(buffers) == 0 {
		t.Fatal("there are no such buffers any more")
	}
	together(len(buffers), func(i int) {
		rounds := 10
		if i == 0 {
			rounds = 1000
		}
		cut := buffers[i][:len(buffers[i])-4]
		for range rounds {
			if err := typ.Verify(buffers[i], nil); err != nil {
				t.Error(err)
			}
			if err := typ.Verify(cut, nil); errors.Is(err, fbverify.ErrInternal) || err == nil {
				t.Errorf("cut: %v", err)
			}
		}
	})
}
