package fbverify_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/fbverify/go/fbverify"
	flatbuffers "github.com/google/flatbuffers/go"
)

var streamBytes = flag.Int64("stream-bytes", 8<<20, "how many bytes TestStreamsOfAnySizeTakeFlatMemory sends; 2147483648 for two gigabytes")

// peak remembers the largest heap that it was shown.
type peak struct{ heap uint64 }

func (p *peak) look() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	p.heap = max(p.heap, m.HeapSys-m.HeapReleased)
}

func TestStreamsOfAnySizeTakeFlatMemory(t *testing.T) {
	for _, reuse := range []bool{false, true} {
		t.Run(fmt.Sprintf("reuse %v", reuse), func(t *testing.T) {
			from, to := io.Pipe()
			done := make(chan error, 1)
			go func() {
				w := fbverify.NewWriter(to, nil)
				var sent int64
				for i := 0; sent < *streamBytes; i++ {
					b := w.Builder()
					if err := w.Finish(addBook(b, title(i%1000), float64(i), "Author")); err != nil {
						done <- err
						return
					}
					sent += int64(len(b.FinishedBytes()))
				}
				done <- errors.Join(w.Close(), to.Close())
			}()
			r := fbverify.NewReader(from, nil, &fbverify.ReaderOptions{ReuseUnchecked: reuse})
			var high peak
			high.look()
			before := high.heap
			n := 0
			for v, err := range fbverify.Messages[Book](r) {
				if err != nil {
					t.Fatal(err)
				}
				if v.Root().Price() != float64(n) {
					t.Fatalf("message %d is %v", n, v.Root().Price())
				}
				if n++; n%20000 == 0 {
					high.look()
				}
			}
			high.look()
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			if r.Offset() < *streamBytes {
				t.Errorf("%d of %d bytes came", r.Offset(), *streamBytes)
			}
			t.Logf("%d messages, %d bytes; the heap was %d KiB before and %d KiB at its peak", n, r.Offset(), before>>10, high.heap>>10)
			if high.heap > before+32<<20 {
				t.Errorf("the heap grew from %d to %d bytes", before, high.heap)
			}
		})
	}
}

// BenchmarkStream holds writing message by message against building all messages
// first and writing them at once, which takes as much memory as the stream.
func BenchmarkStream(b *testing.B) {
	const rows = 10_000
	var size int64
	b.Run("mode=write_streaming", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var out discard
			w := fbverify.NewWriter(&out, nil)
			for i := range rows {
				if err := w.Finish(addBook(w.Builder(), "A title of some length", float64(i), "Author")); err != nil {
					b.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
			size = out.n
		}
		b.SetBytes(size)
	})
	b.Run("mode=write_all_then_send", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var out discard
			var all bytes.Buffer
			builder := flatbuffers.NewBuilder(1024)
			for i := range rows {
				builder.Reset()
				builder.FinishSizePrefixed(addBook(builder, "A title of some length", float64(i), "Author"))
				all.Write(builder.FinishedBytes())
			}
			if _, err := out.Write(all.Bytes()); err != nil {
				b.Fatal(err)
			}
		}
		b.SetBytes(size)
	})
	var stream bytes.Buffer
	w := fbverify.NewWriter(&stream, nil)
	for i := range rows {
		if err := w.Finish(addBook(w.Builder(), "A title of some length", float64(i), "Author")); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	for _, reuse := range []bool{false, true} {
		b.Run(fmt.Sprintf("mode=read_typed/reuse=%v", reuse), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(stream.Len()))
			for b.Loop() {
				r := fbverify.NewReader(bytes.NewReader(stream.Bytes()), nil, &fbverify.ReaderOptions{ReuseUnchecked: reuse})
				n := 0
				for _, err := range fbverify.Messages[Book](r) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
				if n != rows {
					b.Fatalf("%d rows", n)
				}
			}
		})
	}
}

type discard struct{ n int64 }

func (d *discard) Write(p []byte) (int, error) {
	d.n += int64(len(p))
	return len(p), nil
}
