package rows

import (
	"context"
	"io"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/fbverify/go/internal/inputs"
)

func TestReceiverAnswersEachStream(t *testing.T) {
	for _, typed := range []bool{true, false} {
		r, err := Receive(typed)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		s, err := r.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, n := range []int{0, 1, 5000, 3} {
			list := Make(n)
			want := inputs.RowsSum(n)
			if !typed {
				want = uint64(len(Whole(list)))
			}
			start := time.Now()
			count, sum, err := s.Send(func(w io.Writer) error { return WriteStreaming(w, list) })
			if err != nil || count != uint64(n) || sum != want {
				t.Errorf("%d rows, typed %v: %d rows of sum %#x, %v; want %#x", n, typed, count, sum, err, want)
			}
			if first := r.First(); n > 0 && (first.Before(start) || first.After(time.Now())) {
				t.Errorf("%d rows: the first was there at %v", n, first)
			}
		}
	}
}

// TestReceiverRefusesDamagedRows has no answer where a row is damaged.
func TestReceiverRefusesDamagedRows(t *testing.T) {
	r, err := Receive(true)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := r.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	stream := Whole(Make(3))
	copy(stream[4:], []byte{0xff, 0xff, 0xff, 0x7f})
	if count, _, err := s.Send(func(w io.Writer) error { _, err := w.Write(stream); return err }); err == nil {
		t.Errorf("a damaged row is one of %d", count)
	}
}

// TestCancelledSendsLeaveNothing cancels half-way and counts goroutines after.
func TestCancelledSendsLeaveNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	r, err := Receive(true)
	if err != nil {
		t.Fatal(err)
	}
	list := Make(20_000)
	for name, write := range map[string]func(context.Context, io.Writer, []inputs.Row, func(int)) error{"stream": StreamUntil, "gather": GatherUntil} {
		for range 5 {
			if took, err := r.Cancelled(list, 10_000, write); err != nil || took < 0 {
				t.Errorf("%s: %v, %v", name, took, err)
			}
		}
		if _, err := r.Cancelled(list, len(list), write); err == nil {
			t.Errorf("%s: what is never cancelled was", name)
		}
	}
	addr := r.listener.Addr().String()
	r.Close()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
	if conn, err := net.Dial("tcp", addr); err == nil {
		conn.Close()
		t.Error("the receiver still listens")
	}
}
