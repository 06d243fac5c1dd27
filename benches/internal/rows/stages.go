package rows

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"

	"github.com/fbverify/go/fbverify"
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

// chunk is the size of the buffer that the first stages move a stream through,
// the Reader's own.
const chunk = 64 << 10

// Stages returns the stages of decoding a stream, the common ones first.
func Stages(stream []byte) ([]Stage, error) {
	chunks, err := cut(stream)
	if err != nil {
		return nil, err
	}
	t := bench.Row{}.FlatBuffersType()

	// move reads the stream chunk by chunk into one buffer.
	move := func(use func(chunk []byte, messages []int) error) error {
		from := bytes.NewReader(stream)
		buf := make([]byte, chunk)
		for _, c := range chunks {
			if _, err := io.ReadFull(from, buf[:c.bytes]); err != nil {
				return err
			}
			if use == nil {
				continue
			}
			if err := use(buf[:c.bytes], c.messages); err != nil {
				return err
			}
		}
		return nil
	}
	framed := &fbverify.Options{Framing: fbverify.SizePrefixed}
	verify := func(after func(message []byte)) func([]byte, []int) error {
		return func(buf []byte, messages []int) error {
			for _, n := range messages {
				if err := t.Verify(buf[:n:n], framed); err != nil {
					return err
				}
				if after != nil {
					after(buf[:n:n])
				}
				buf = buf[n:]
			}
			return nil
		}
	}
	verifyOnly := verify(nil)
	// gathered is the sum of the rows of the bytes that a stage let through.
	gathered := func(out *bytes.Buffer, err error) (uint64, error) {
		if err == nil && !bytes.Equal(out.Bytes(), stream) {
			err = errors.New("rows: what was let through is not what came in")
		}
		if err != nil {
			return 0, err
		}
		return borrowed(stream, nil)
	}
	stages := []Stage{
		{"", Moved, func() error { return move(nil) }, func() (uint64, error) {
			var out bytes.Buffer
			err := move(func(b []byte, _ []int) error { out.Write(b); return nil })
			return gathered(&out, err)
		}},
		{"", Verified, func() error { return move(verifyOnly) }, func() (uint64, error) {
			var out bytes.Buffer
			err := move(verify(func(m []byte) { out.Write(m) }))
			return gathered(&out, err)
		}},
		{"", Framed, func() error { return each(stream, nothing) }, func() (uint64, error) {
			var out bytes.Buffer
			err := each(stream, func(m []byte) error { out.Write(m); return nil })
			return gathered(&out, err)
		}},
		{"pass_through", Worked, func() error { _, err := passThrough(stream, io.Discard); return err }, WayNamed("pass_through").prover(stream)},
	}
	add := func(via string, glance, whole func() (uint64, error)) {
		stages = append(stages,
			Stage{via, Decoded, func() error { _, err := glance(); return err }, func() (uint64, error) {
				// The same loop with another function at its end: what it decodes is
				// proved by the whole, and that it goes through all rows by the sum of
				// the numbers of the rows.
				sum, err := glance()
				if n := messages(chunks); err == nil && sum != n*(n+1)/2 {
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
	return stages, nil
}

// These are the work of a program that does none. They are called through a
// pointer, so the compiler cannot know that most of a row is not looked at.
func nothing([]byte) error               { return nil }
func glance(row *inputs.Row) uint64      { return row.ID }
func glanceOwned(row *bench.RowT) uint64 { return row.ID }
func (w Way) prover(s []byte) func() (uint64, error) {
	return func() (uint64, error) { return w.Prove(s) }
}

// piece is a run of whole messages that fit into a chunk.
type piece struct {
	bytes    int
	messages []int // their lengths, prefixes included
}

// cut finds the messages of a stream.
func cut(stream []byte) ([]piece, error) {
	var pieces []piece
	last := piece{}
	for len(stream) > 0 {
		if len(stream) < 4 {
			return nil, io.ErrUnexpectedEOF
		}
		n := 4 + uint64(binary.LittleEndian.Uint32(stream))
		if n > uint64(len(stream)) || n > chunk {
			return nil, errors.New("rows: a message does not fit into the stream, or into a chunk")
		}
		if last.bytes+int(n) > chunk {
			pieces, last = append(pieces, last), piece{}
		}
		last.bytes += int(n)
		last.messages = append(last.messages, int(n))
		stream = stream[n:]
	}
	return append(pieces, last), nil
}

func messages(pieces []piece) uint64 {
	n := 0
	for _, p := range pieces {
		n += len(p.messages)
	}
	return uint64(n)
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
