package readers_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/schema/bfbs"
)

// A format that brings its schema: MCAP (https://mcap.dev/spec) keeps messages of many topics, and with
// FlatBuffers among them their schemas as .bfbs. What is needed is the walk over its records; the schema
// is verified and compiled as it is met, and each message is judged by it before it is read.
func Example_mcap() {
	b, err := os.ReadFile("../testdata/mcap/surveys.mcap")
	if err != nil {
		fmt.Println(err)
		return
	}
	err = eachMessage(b, func(topic string, t *fbverify.Type, message []byte) error {
		if t == nil {
			fmt.Println(topic, "has messages of another encoding")
			return nil
		}
		j, err := container.Judge(t, message, nil)
		if err != nil {
			return err
		}
		if j.Fault != nil {
			fmt.Println(topic, j.Verdict, j.Fault.Kind)
			return nil
		}
		view, err := dynamic.Root(t, message, nil)
		if err != nil {
			return err
		}
		root := view.Root()
		fmt.Println(topic, j.Verdict, root.String(root.Field("title")))
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// /surveys sound Grotte du «Vent»
	// /notes has messages of another encoding
	// /surveys sound Grotte du «Vent»
	// /surveys damaged flatbuffer: out of bounds
}

// The records of MCAP that lead to messages, by their first byte.
const (
	mcapSchema  = 0x03 // id, name, encoding, data
	mcapChannel = 0x04 // id, id of the schema, topic, encoding of messages, metadata
	mcapMessage = 0x05 // id of the channel, number, two times, data
	mcapChunk   = 0x06 // two times, length, checksum, compression, records
	mcapDataEnd = 0x0f // what comes behind it is said a second time
)

const mcapMagic = "\x89MCAP0\r\n"

type mcapTopic struct {
	name string
	typ  *fbverify.Type // nil where its messages are no FlatBuffers
}

// mcapFile is what was met so far of a file.
type mcapFile struct {
	schemas map[uint16]*fbverify.Type
	topics  map[uint16]mcapTopic
	each    func(topic string, t *fbverify.Type, message []byte) error
}

// eachMessage calls each with the messages of a file in order. The message is a part of b.
func eachMessage(b []byte, each func(topic string, t *fbverify.Type, message []byte) error) error {
	if len(b) < len(mcapMagic) || string(b[:len(mcapMagic)]) != mcapMagic {
		return errors.New("mcap: it does not begin as an MCAP file does")
	}
	f := &mcapFile{map[uint16]*fbverify.Type{}, map[uint16]mcapTopic{}, each}
	err := f.records(&mcapBytes{rest: b[len(mcapMagic):]}, false)
	if err == io.EOF { // the end of the data
		return nil
	}
	return err
}

// records goes through records; those of a chunk lie inside one.
func (f *mcapFile) records(b *mcapBytes, inside bool) error {
	for len(b.rest) > 0 {
		kind := b.take(1)
		record := &mcapBytes{rest: b.take(b.number(8))}
		if b.short {
			return errors.New("mcap: a record is longer than what is there")
		}
		if err := f.record(kind[0], record, inside); err != nil {
			return err
		}
		if record.short {
			return fmt.Errorf("mcap: a record of kind %#x ends too early", kind[0])
		}
	}
	return nil
}

func (f *mcapFile) record(kind byte, r *mcapBytes, inside bool) error {
	switch kind {
	case mcapSchema:
		id, name, encoding, data := uint16(r.number(2)), r.text(), r.text(), r.take(r.number(4))
		if r.short || f.schemas[id] != nil || encoding != "flatbuffer" {
			return nil
		}
		s, err := bfbs.Load(data) // verified before it is read
		if err != nil {
			return fmt.Errorf("mcap: schema %d: %w", id, err)
		}
		if f.schemas[id], err = fbverify.Compile(s, name); err != nil {
			return fmt.Errorf("mcap: schema %d: %w", id, err)
		}
	case mcapChannel:
		id, schema, topic, encoding := uint16(r.number(2)), uint16(r.number(2)), r.text(), r.text()
		t := mcapTopic{name: topic}
		if encoding == "flatbuffer" {
			if t.typ = f.schemas[schema]; t.typ == nil {
				return fmt.Errorf("mcap: channel %d: its schema %d has not come before it", id, schema)
			}
		}
		f.topics[id] = t
	case mcapMessage:
		id := uint16(r.number(2))
		r.take(4 + 8 + 8)
		topic, ok := f.topics[id]
		if r.short || !ok {
			return fmt.Errorf("mcap: a message of channel %d, which has not come before it", id)
		}
		return f.each(topic.name, topic.typ, r.rest)
	case mcapChunk:
		r.take(8 + 8 + 8 + 4)
		compression, records := r.text(), r.take(r.number(8))
		if r.short {
			return nil
		}
		if compression != "" || inside {
			return fmt.Errorf("mcap: a chunk in %q is for others to decompress", compression)
		}
		return f.records(&mcapBytes{rest: records}, true)
	case mcapDataEnd:
		return io.EOF
	}
	return nil
}

// mcapBytes takes numbers and bytes; what is not there is short and empty.
type mcapBytes struct {
	rest  []byte
	short bool
}

func (b *mcapBytes) take(n uint64) []byte {
	if n > uint64(len(b.rest)) {
		b.short, b.rest = true, nil
		return nil
	}
	taken := b.rest[:n:n]
	b.rest = b.rest[n:]
	return taken
}

func (b *mcapBytes) number(size uint64) uint64 {
	var word [8]byte
	copy(word[:], b.take(size))
	return binary.LittleEndian.Uint64(word[:])
}

func (b *mcapBytes) text() string { return string(b.take(b.number(4))) }
