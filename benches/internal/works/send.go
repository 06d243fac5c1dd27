package works

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/fbverify/go/benches/internal/rows"
	"github.com/fbverify/go/internal/inputs"
	"github.com/fbverify/go/internal/pair"
)

// sent is how many rows the longer streams over a connection have, and logged the log
// that a row is appended to.
const (
	sent   = 20_000
	logged = 10_000
)

// sendWorks are the ways of sending rows over a TCP connection of this machine to a
// receiver that verifies each.
func sendWorks() []Work {
	type write = func(io.Writer) error
	// over is a leg that sends count rows over a kept connection, until the answer.
	over := func(ctx context.Context, name string, typed bool, count, bytes int, w write) (pair.Leg, error) {
		r, err := receiver(ctx, typed)
		if err != nil {
			return pair.Leg{}, err
		}
		s, err := r.Dial(ctx)
		if err != nil {
			return pair.Leg{}, err
		}
		return sending(name, count, bytes, 0, func() (time.Duration, error) {
			start := time.Now()
			got, _, err := s.Send(w)
			if err == nil && got != uint64(count) {
				err = fmt.Errorf("works: %s: %d rows arrived of %d", name, got, count)
			}
			return time.Since(start), err
		}), nil
	}
	both := func(a pair.Leg, err error, b pair.Leg, err2 error) (pair.Leg, []pair.Leg, error) {
		return a, []pair.Leg{b}, errors.Join(err, err2)
	}
	streamed := func(list []inputs.Row) write { return func(w io.Writer) error { return rows.WriteStreaming(w, list) } }
	gathered := func(list []inputs.Row, size int) write {
		return func(w io.Writer) error { return rows.WriteAllThenSend(w, list, size) }
	}
	return []Work{
		{Name: "send/whole", Make: func(ctx context.Context, _ *Env) (pair.Leg, []pair.Leg, error) {
			list := rows.Make(sent)
			size := len(rows.Whole(list))
			a, err := over(ctx, "through a Writer", true, sent, size, streamed(list))
			b, err2 := over(ctx, "gathered, then sent", true, sent, size, gathered(list, size))
			return both(a, err, b, err2)
		}},
		{Name: "send/first", Make: func(ctx context.Context, _ *Env) (pair.Leg, []pair.Leg, error) {
			list := rows.Make(sent)
			size := len(rows.Whole(list))
			until := func(name string, w write) (pair.Leg, error) {
				r, err := receiver(ctx, true)
				if err != nil {
					return pair.Leg{}, err
				}
				s, err := r.Dial(ctx)
				return sending(name, sent, size, 4, func() (time.Duration, error) {
					start := time.Now()
					_, _, err := s.Send(w)
					return r.First().Sub(start), err
				}), err
			}
			a, err := until("through a Writer, until the first row is there", streamed(list))
			b, err2 := until("gathered, then sent", gathered(list, size))
			return both(a, err, b, err2)
		}},
		{Name: "send/typed", Make: func(ctx context.Context, _ *Env) (pair.Leg, []pair.Leg, error) {
			list := rows.Make(sent)
			stream := rows.Whole(list)
			ready := func(w io.Writer) error { _, err := w.Write(stream); return err }
			a, err := over(ctx, "received as typed rows, all fields added up", true, sent, len(stream), ready)
			b, err2 := over(ctx, "received as verified bytes", false, sent, len(stream), ready)
			return both(a, err, b, err2)
		}},
		{Name: "send/append", Make: func(ctx context.Context, _ *Env) (pair.Leg, []pair.Leg, error) {
			list := rows.Make(logged + 1)
			size := len(rows.Whole(list))
			a, err := over(ctx, "one row appended to a log of 10,000", true, 1, size, streamed(list[logged:]))
			b, err2 := over(ctx, "the log written again", true, logged+1, size, gathered(list, size))
			return both(a, err, b, err2)
		}},
		{Name: "send/kept", Make: func(ctx context.Context, _ *Env) (pair.Leg, []pair.Leg, error) {
			list := rows.Make(10)
			a, err := over(ctx, "ten rows over a connection that is kept", true, len(list), len(rows.Whole(list)), streamed(list))
			r, err2 := receiver(ctx, true)
			b := sending("a connection for each ten", len(list), len(rows.Whole(list)), 0, func() (time.Duration, error) {
				start := time.Now()
				s, err := r.Dial(ctx)
				if err != nil {
					return 0, err
				}
				_, _, err = s.Send(streamed(list))
				return time.Since(start), errors.Join(err, s.Close())
			})
			return both(a, err, b, err2)
		}},
		{Name: "send/cancel", Make: func(ctx context.Context, _ *Env) (pair.Leg, []pair.Leg, error) {
			list := rows.Make(sent)
			size := len(rows.Whole(list))
			r, err := receiver(ctx, true)
			stop := func(name string, write func(context.Context, io.Writer, []inputs.Row, func(int)) error) pair.Leg {
				return sending(name, sent/2, size/2, 8, func() (time.Duration, error) { return r.Cancelled(list, sent/2, write) })
			}
			return stop("through a Writer, cancelled half-way, until it has stopped", rows.StreamUntil),
				[]pair.Leg{stop("gathered, cancelled half-way", rows.GatherUntil)}, err
		}},
	}
}

// receiver starts a receiver that ends with ctx.
func receiver(ctx context.Context, typed bool) (*rows.Receiver, error) {
	r, err := rows.Receive(typed)
	if err == nil {
		context.AfterFunc(ctx, r.Close)
	}
	return r, err
}

// sending is a leg of one exchange, which times itself. An exchange that leaves more
// and more goroutines behind is an error.
func sending(name string, count, bytes, most int, do func() (time.Duration, error)) pair.Leg {
	return pair.Leg{Name: name, Bytes: bytes, Tables: count, Most: most, Run: func(_ context.Context, n int) (pair.Sample, error) {
		before, took := runtime.NumGoroutine(), time.Duration(0)
		for range n {
			t, err := do()
			if err != nil {
				return pair.Sample{}, err
			}
			took += t
		}
		const ending = 50 // exchanges whose ends the scheduler has not come to
		if after := runtime.NumGoroutine(); after > before+ending && after > before+n/2 {
			return pair.Sample{}, fmt.Errorf("works: %s: %d goroutines before %d exchanges, %d after", name, before, n, after)
		}
		return pair.Sample{Elapsed: max(took, 1), Sum: 1}, nil
	}}
}
