package works

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/fbverify/go/benches/internal/rows"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/bench"
	"github.com/fbverify/go/internal/inputs"
	"github.com/fbverify/go/internal/pair"
)

// streamed is how many rows a stream has.
const streamed = 100_000

// decodeWorks are the ways of decoding a stream of rows, against handing the
// rows on as they are.
func decodeWorks() []Work {
	var works []Work
	for _, way := range rows.Ways[1:] {
		works = append(works, Work{
			Name: "decode/" + way.Name,
			Make: func(context.Context, *Env) (pair.Leg, []pair.Leg, error) {
				stream := inputs.Rows(streamed)
				if _, err := rows.ProveAll(stream, streamed); err != nil {
					return pair.Leg{}, nil, err
				}
				return decoding(way, stream), []pair.Leg{decoding(rows.Ways[0], stream)}, nil
			},
		})
	}
	return works
}

// decoding is a leg over a stream: it is proved on the stream's first rows, and
// timed on the whole.
func decoding(way rows.Way, stream []byte) pair.Leg {
	proof := inputs.Rows(1000)
	if !slices.Equal(proof, stream[:len(proof)]) {
		panic("works: the stream does not start as it should")
	}
	return pair.Leg{Name: way.Name, Bytes: len(stream), Tables: streamed, Run: func(_ context.Context, n int) (pair.Sample, error) {
		sum, err := way.Prove(proof)
		if err != nil {
			return pair.Sample{}, fmt.Errorf("%s: %w", way.Name, err)
		}
		start := time.Now()
		for range n {
			if _, err := way.Decode(stream, io.Discard); err != nil {
				return pair.Sample{}, fmt.Errorf("%s: %w", way.Name, err)
			}
		}
		return pair.Sample{Elapsed: time.Since(start), Sum: sum}, nil
	}}
}

// streamWorks are the ways of writing and of reading a stream.
func streamWorks() []Work {
	writing := func(name string, list []inputs.Row, stream []byte, write func(io.Writer, []inputs.Row) error) pair.Leg {
		return streaming(name, stream, func() error {
			var out bytes.Buffer
			if err := write(&out, list); err != nil {
				return err
			}
			if !bytes.Equal(out.Bytes(), stream) {
				return errors.New("works: another stream was written")
			}
			return nil
		}, func() error { return write(io.Discard, list) })
	}
	// reading goes through the stream and comes to the count of its rows.
	reading := func(name string, stream []byte, reuse bool, next func(*fbverify.Reader) error) pair.Leg {
		read := func() error {
			r := fbverify.NewReader(bytes.NewReader(stream), bench.Row{}.FlatBuffersType(), &fbverify.ReaderOptions{ReuseUnchecked: reuse})
			for count := 0; ; count++ {
				switch err := next(r); {
				case err == io.EOF && count == streamed:
					return nil
				case err == io.EOF:
					return fmt.Errorf("works: %d rows", count)
				case err != nil:
					return err
				}
			}
		}
		return streaming(name, stream, read, read)
	}
	typed := func(r *fbverify.Reader) error { _, err := fbverify.Next[bench.Row](r); return err }
	plain := func(r *fbverify.Reader) error { _, err := r.Next(); return err }
	return []Work{
		{Name: "stream/write", Make: func(context.Context, *Env) (pair.Leg, []pair.Leg, error) {
			list, stream := rows.Make(streamed), inputs.Rows(streamed)
			return writing("through a Writer", list, stream, rows.WriteStreaming),
				[]pair.Leg{writing("gathered, then sent", list, stream, func(w io.Writer, list []inputs.Row) error {
					return rows.WriteAllThenSend(w, list, len(stream))
				})}, nil
		}},
		{Name: "stream/dynamic", Make: func(context.Context, *Env) (pair.Leg, []pair.Leg, error) {
			list, stream := rows.Make(streamed), inputs.Rows(streamed)
			texts, err := rows.Texts(list)
			// The encoder orders fields in its own way: the rows are the same, and not
			// their bytes.
			prove := func() error {
				var out bytes.Buffer
				if err := rows.WriteDynamic(&out, texts[:1000]); err != nil {
					return err
				}
				_, err := rows.ProveAll(out.Bytes(), 1000)
				return err
			}
			return streaming("encoded from JSON by the schema", stream, prove, func() error { return rows.WriteDynamic(io.Discard, texts) }),
				[]pair.Leg{writing("typed, through a Writer", list, stream, rows.WriteStreaming)}, err
		}},
		{Name: "stream/reuse", Make: func(context.Context, *Env) (pair.Leg, []pair.Leg, error) {
			stream := inputs.Rows(streamed)
			return reading("Reader with Reuse", stream, true, typed), []pair.Leg{reading("Reader", stream, false, typed)}, nil
		}},
		{Name: "stream/typed", Make: func(context.Context, *Env) (pair.Leg, []pair.Leg, error) {
			stream := inputs.Rows(streamed)
			return reading("typed", stream, true, typed), []pair.Leg{reading("bytes", stream, true, plain)}, nil
		}},
	}
}

// streaming is a leg over a stream whose proof comes before the clock.
func streaming(name string, stream []byte, prove, do func() error) pair.Leg {
	return pair.Leg{Name: name, Bytes: len(stream), Tables: streamed, Run: func(_ context.Context, n int) (pair.Sample, error) {
		if err := prove(); err != nil {
			return pair.Sample{}, err
		}
		start := time.Now()
		for range n {
			if err := do(); err != nil {
				return pair.Sample{}, err
			}
		}
		return pair.Sample{Elapsed: time.Since(start), Sum: streamed}, nil
	}}
}
