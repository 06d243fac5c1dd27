package split

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/fbverify/go/fbverify"
)

// A Step is what a program does with each message of a stream, up to some depth.
type Step struct {
	// Part names what this step does beyond the step before it.
	Part string

	// Use does, with a verified message, all that the step before it does and one
	// thing more. The message, its prefix included, is gone when Use returns.
	Use func(message []byte) error
}

// Parts that every loop over a stream begins with, in their order.
const (
	Moving       = "moving"       // the bytes go through a buffer of the Reader's size
	Verification = "verification" // messages whose places are known are verified there
	Framing      = "framing"      // and their places are found: this is the Reader
)

// chunk is the size of the buffer of the first depths, the Reader's own.
const chunk = 64 << 10

// Stream returns the depths of a loop over a stream of size-prefixed messages of
// type t: Moving, Verification, Framing, and one for each step. The options are
// those of the program's Reader; messages are read into one buffer whatever they say
// about that. Every message has to be valid, and the stream to hold at least one.
func Stream(stream []byte, t *fbverify.Type, opts *fbverify.ReaderOptions, steps ...Step) ([]Depth, error) {
	var ro fbverify.ReaderOptions
	if opts != nil {
		ro = *opts
	}
	ro.ReuseUnchecked = true // no message outlives the next one here
	each := func(use func([]byte) error) error {
		r := fbverify.NewReader(bytes.NewReader(stream), t, &ro)
		for {
			message, err := r.Next()
			switch {
			case err == io.EOF:
				return nil
			case err != nil:
				return err
			}
			if err := use(message); err != nil {
				return err
			}
		}
	}
	// What the Reader accepts is cut without it, and nothing else.
	count := 0
	if err := each(func([]byte) error { count++; return nil }); err != nil {
		return nil, fmt.Errorf("split: message %d of the stream: %w", count, err)
	}
	if count == 0 {
		return nil, errors.New("split: the stream holds no message")
	}
	pieces, largest := cut(stream)
	buf := make([]byte, largest)
	move := func(use func(buf []byte, messages []int) error) error {
		from := bytes.NewReader(stream)
		for _, p := range pieces {
			if _, err := io.ReadFull(from, buf[:p.bytes]); err != nil {
				return err
			}
			if err := use(buf[:p.bytes], p.messages); err != nil {
				return err
			}
		}
		return nil
	}
	vo := ro.Options
	vo.Framing = fbverify.SizePrefixed
	depths := []Depth{
		{Moving, func() error { return move(func([]byte, []int) error { return nil }) }},
		{Verification, func() error {
			return move(func(buf []byte, messages []int) error {
				for _, n := range messages {
					if err := t.Verify(buf[:n:n], &vo); err != nil {
						return err
					}
					buf = buf[n:]
				}
				return nil
			})
		}},
		{Framing, func() error { return each(func([]byte) error { return nil }) }},
	}
	for _, s := range steps {
		depths = append(depths, Depth{s.Part, func() error { return each(s.Use) }})
	}
	return depths, nil
}

// A piece is a run of whole messages that go through the buffer together.
type piece struct {
	bytes    int
	messages []int // their lengths, prefixes included
}

// cut finds the messages of a stream that a Reader has read to its end, and the size
// of the largest piece.
func cut(stream []byte) (pieces []piece, largest int) {
	var last piece
	flush := func() {
		if last.bytes > 0 {
			pieces, largest = append(pieces, last), max(largest, last.bytes)
		}
		last = piece{}
	}
	for len(stream) > 0 {
		n := 4 + int(binary.LittleEndian.Uint32(stream))
		if last.bytes+n > chunk {
			flush()
		}
		last.bytes += n
		last.messages = append(last.messages, n)
		stream = stream[n:]
	}
	flush()
	return pieces, largest
}
