package benches

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/fbverify/go/benches/internal/rows"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/bench"
	"github.com/fbverify/go/internal/inputs"
)

// decodedRows is how many rows BenchmarkDecode decodes in an iteration.
const decodedRows = 100_000

// BenchmarkDecode is a stream of rows, each verified, decoded into what programs
// keep of a row. Its figure is rows/s: bytes a row differ between formats, rows
// do not.
func BenchmarkDecode(b *testing.B) {
	stream := inputs.Rows(decodedRows)
	want, err := rows.ProveAll(stream, decodedRows)
	if err != nil {
		b.Fatal(err)
	}
	for _, way := range rows.Ways {
		copied, err := way.Copied(stream)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("via="+way.Name, func(b *testing.B) {
			b.SetBytes(int64(len(stream)))
			var out rows.Count
			allocations := allocating(func() {
				for b.Loop() {
					sum, err := way.Decode(stream, &out)
					if err != nil || sum != want && out == 0 {
						b.Fatalf("the sum is %#x, want %#x: %v", sum, want, err)
					}
				}
			})
			b.ReportMetric(float64(allocations)/float64(b.N)/decodedRows, "allocs/row")
			b.ReportMetric(float64(copied)/decodedRows, "copied-B/row")
			perSecond(b, decodedRows, "rows/s")
		})
	}
}

// allocating returns how many allocations f makes.
func allocating(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}

// BenchmarkStream is a stream of rows written as it goes or all at once, and
// read as typed rows or as bytes; both verify.
func BenchmarkStream(b *testing.B) {
	type mode struct {
		name string
		run  func(count int, list []inputs.Row, stream []byte) error
	}
	var out rows.Count
	modes := []mode{
		{"write_streaming", func(_ int, list []inputs.Row, _ []byte) error { return rows.WriteStreaming(&out, list) }},
		{"write_all_then_send", func(_ int, list []inputs.Row, stream []byte) error {
			return rows.WriteAllThenSend(&out, list, len(stream))
		}},
		{"read_typed", func(count int, _ []inputs.Row, stream []byte) error {
			r := fbverify.NewReader(bytes.NewReader(stream), nil, nil)
			for row, err := range fbverify.Messages[bench.Row](r) {
				if err != nil {
					return err
				}
				sink += row.Root().ID()
				count--
			}
			return missing(count)
		}},
		{"read_bytes", func(count int, _ []inputs.Row, stream []byte) error {
			r := fbverify.NewReader(bytes.NewReader(stream), bench.Row{}.FlatBuffersType(), nil)
			for {
				message, err := r.Next()
				if err == io.EOF {
					return missing(count)
				}
				if err != nil {
					return err
				}
				sink += uint64(len(message))
				count--
			}
		}},
	}
	for _, m := range modes {
		b.Run("mode="+m.name, func(b *testing.B) {
			for _, count := range []int{1000, 10_000, 100_000} {
				b.Run(fmt.Sprintf("rows=%d", count), func(b *testing.B) {
					list, stream := rows.Make(count), inputs.Rows(count)
					var streamed, gathered bytes.Buffer
					if err := rows.WriteStreaming(&streamed, list); err != nil {
						b.Fatal(err)
					}
					if err := rows.WriteAllThenSend(&gathered, list, 0); err != nil {
						b.Fatal(err)
					}
					if !bytes.Equal(streamed.Bytes(), stream) || !bytes.Equal(gathered.Bytes(), stream) {
						b.Fatal("the ways of writing do not write the stream that is read")
					}
					b.ReportAllocs()
					b.SetBytes(int64(len(stream)))
					for b.Loop() {
						if err := m.run(count, list, stream); err != nil {
							b.Fatal(err)
						}
					}
					perSecond(b, count, "rows/s")
				})
			}
		})
	}
}

func missing(count int) error {
	if count != 0 {
		return fmt.Errorf("%d rows are missing", count)
	}
	return nil
}
