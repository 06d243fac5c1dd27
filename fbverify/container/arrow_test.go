package container

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"
)

// messageFlat makes an Arrow Message whose body has that length, padded to eight
// bytes. Its record batch lists the buffers.
func messageFlat(kind byte, body int64, buffers ...[2]int64) []byte {
	b := flatbuffers.NewBuilder(0)
	b.StartVector(16, len(buffers), 8)
	for i := len(buffers) - 1; i >= 0; i-- {
		b.Prep(8, 16)
		b.PrependInt64(buffers[i][1])
		b.PrependInt64(buffers[i][0])
	}
	list := b.EndVector(len(buffers))
	b.StartVector(4, 0, 4)
	columns := b.EndVector(0)
	b.StartObject(5)
	switch kind {
	case headerRecordBatch:
		b.PrependUOffsetTSlot(2, list, 0)
	case headerSchema:
		b.PrependUOffsetTSlot(1, columns, 0)
	}
	header := b.EndObject()
	b.StartObject(5)
	b.PrependInt16Slot(0, 4, 0)
	b.PrependByteSlot(1, kind, 0)
	b.PrependUOffsetTSlot(2, header, 0)
	b.PrependInt64Slot(3, body, 0)
	m := finish(b, b.EndObject())
	return append(m, make([]byte, -len(m)&7)...)
}

func encapsulate(metadata, body []byte) []byte {
	m := binary.LittleEndian.AppendUint32(nil, continuation)
	m = binary.LittleEndian.AppendUint32(m, uint32(len(metadata)))
	return append(append(m, metadata...), body...)
}

type blockEntry struct {
	offset, body int64
	metadata     int32
}

func footerFlat(dictionaries, batches []blockEntry) []byte {
	b := flatbuffers.NewBuilder(0)
	blocks := func(list []blockEntry) flatbuffers.UOffsetT {
		b.StartVector(24, len(list), 8)
		for i := len(list) - 1; i >= 0; i-- {
			b.Prep(8, 24)
			b.PrependInt64(list[i].body)
			b.PrependInt32(0)
			b.PrependInt32(list[i].metadata)
			b.PrependInt64(list[i].offset)
		}
		return b.EndVector(len(list))
	}
	d, r := blocks(dictionaries), blocks(batches)
	b.StartVector(4, 0, 4)
	columns := b.EndVector(0)
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, columns, 0)
	schema := b.EndObject()
	b.StartObject(5)
	b.PrependUOffsetTSlot(1, schema, 0)
	b.PrependUOffsetTSlot(2, d, 0)
	b.PrependUOffsetTSlot(3, r, 0)
	return finish(b, b.EndObject())
}

// arrowRecipe is an Arrow file to be made: a schema, two batches of 16 bytes, and
// a footer that lists them.
type arrowRecipe struct {
	schema, first, second []byte // messages with their bodies
	blocks                []blockEntry
	end                   []byte // after the messages
	footerLength          *int32
}

func twoBatches() arrowRecipe {
	r := arrowRecipe{
		schema: encapsulate(messageFlat(headerSchema, 0), nil),
		end:    []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0},
	}
	m := messageFlat(headerRecordBatch, 16, [2]int64{0, 5}, [2]int64{8, 8})
	r.first, r.second = encapsulate(m, make([]byte, 16)), encapsulate(m, make([]byte, 16))
	at := int64(8 + len(r.schema))
	r.blocks = []blockEntry{{at, 16, int32(8 + len(m))}, {at + int64(len(r.first)), 16, int32(8 + len(m))}}
	return r
}

func (r arrowRecipe) bytes() []byte {
	file := slices.Concat([]byte("ARROW1\x00\x00"), r.schema, r.first, r.second, r.end)
	footer := footerFlat(nil, r.blocks)
	length := int32(len(footer))
	if r.footerLength != nil {
		length = *r.footerLength
	}
	file = binary.LittleEndian.AppendUint32(append(file, footer...), uint32(length))
	return append(file, "ARROW1"...)
}

const soundArrow = "schema batch[0] batch[1] footer"

func TestArrowPositionsThatLieAreFaults(t *testing.T) {
	length := func(n int32) *int32 { return &n }
	for _, c := range []struct {
		name  string
		lie   func(*arrowRecipe)
		parts string
		kind  Kind
		where string
	}{
		{"no lie", func(*arrowRecipe) {}, soundArrow, 0, ""},
		{"footer longer than the file", func(r *arrowRecipe) { r.footerLength = length(1 << 30) }, "schema batch[0] batch[1]", ErrLength, "footer.length"},
		{"footer of negative length", func(r *arrowRecipe) { r.footerLength = length(-8) }, "schema batch[0] batch[1]", ErrLength, "footer.length"},
		{"footer of no length", func(r *arrowRecipe) { r.footerLength = length(0) }, "schema batch[0] batch[1]", ErrLength, "footer.length"},
		{"block past the end", func(r *arrowRecipe) { r.blocks[1].offset = 1 << 40 }, "schema batch[0] unlisted[2] footer", ErrLength, "batch[1]"},
		{"block at a negative offset", func(r *arrowRecipe) { r.blocks[1].offset = -8 }, "schema batch[0] unlisted[2] footer", ErrLength, "batch[1]"},
		{"block of the largest body", func(r *arrowRecipe) { r.blocks[1].body = 1<<63 - 1 }, "schema batch[0] unlisted[2] footer", ErrLength, "batch[1]"},
		{"block between messages", func(r *arrowRecipe) { r.blocks[0].offset += 8; r.blocks[0].body = 0 }, "schema unlisted[1] batch[1] footer", ErrReference, "batch[0]"},
		{"block with another body", func(r *arrowRecipe) { r.blocks[0].body = 8 }, soundArrow, ErrMismatch, "batch[0]"},
		{"block with other metadata", func(r *arrowRecipe) { r.blocks[0].metadata -= 8 }, soundArrow, ErrMismatch, "batch[0]"},
		{"two blocks for one batch", func(r *arrowRecipe) { r.blocks[1] = r.blocks[0] }, "schema batch[0] unlisted[2] footer", ErrOverlap, "batch[1]"},
		{"block of a schema", func(r *arrowRecipe) { r.blocks[0].offset, r.blocks[0].body = 8, 0 }, "batch[0] unlisted[1] batch[1] footer", ErrMismatch, "batch[0]"},
		{"metadata longer than the file", func(r *arrowRecipe) { r.first[6] = 0x7f }, "schema batch[1] footer", ErrLength, "message[1]"},
		{"metadata of negative length", func(r *arrowRecipe) { r.first[7] = 0x80 }, "schema batch[1] footer", ErrLength, "message[1]"},
		{"end of the stream before its end", func(r *arrowRecipe) { copy(r.first, "\xff\xff\xff\xff\x00\x00\x00\x00") }, "schema batch[1] footer", ErrReference, "batch[0]"},
		{"message that cannot be read", func(r *arrowRecipe) { copy(r.first[8:], "\xff\xff\xff\x7f") }, "schema batch[0] batch[1] footer", ErrMismatch, "batch[0]"},
		{"body past the footer", func(r *arrowRecipe) {
			m := messageFlat(headerRecordBatch, 1<<40)
			r.first = encapsulate(m, nil)
			r.blocks = []blockEntry{{r.blocks[0].offset, 1 << 40, int32(8 + len(m))}, {r.blocks[0].offset + int64(len(r.first)), 16, r.blocks[1].metadata}}
		}, "schema unlisted[1] batch[1] footer", ErrLength, "batch[0]"},
		{"body of negative length", func(r *arrowRecipe) {
			m := messageFlat(headerRecordBatch, -1)
			r.first = encapsulate(m, nil)
			r.blocks[0].metadata, r.blocks[1].offset = int32(8+len(m)), r.blocks[0].offset+int64(len(r.first))
		}, "schema batch[0] batch[1] footer", ErrMismatch, "batch[0]"},
		{"buffer outside its body", func(r *arrowRecipe) {
			m := messageFlat(headerRecordBatch, 16, [2]int64{0, 8}, [2]int64{8, 9})
			r.first = encapsulate(m, make([]byte, 16))
		}, soundArrow, ErrLength, "batch[0].buffer[1]"},
		{"buffer at a negative offset", func(r *arrowRecipe) {
			m := messageFlat(headerRecordBatch, 16, [2]int64{-8, 8}, [2]int64{8, 8})
			r.first = encapsulate(m, make([]byte, 16))
		}, soundArrow, ErrLength, "batch[0].buffer[0]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := twoBatches()
			c.lie(&r)
			b := r.bytes()
			checkFile(t, c.name, b, nil)
			parts, faults := list(mustOpen(t, b, nil))
			if got := partNames(parts); got != c.parts {
				t.Errorf("found %q, want %q", got, c.parts)
			}
			checkFault(t, faults, c.kind, c.where)
		})
	}
}

func TestAnArrowFileWithoutAFooterStillGivesItsMessages(t *testing.T) {
	r := twoBatches()
	for _, c := range []struct {
		name string
		b    []byte
	}{
		{"not closed", slices.Concat([]byte("ARROW1\x00\x00"), r.schema, r.first, r.second)},
		{"cut in its footer", r.bytes()[:len(r.bytes())-20]},
	} {
		parts, faults := list(mustOpen(t, c.b, nil))
		if got := partNames(parts); got != "schema batch[0] batch[1]" {
			t.Errorf("%s: found %q", c.name, got)
		}
		checkFault(t, faults, ErrTruncated, "footer")
	}
}

func TestStreamsThatFollowEachOtherAreAllRead(t *testing.T) {
	r := twoBatches()
	one := slices.Concat(r.schema, r.first, r.end)
	for _, c := range []struct {
		name, parts string
		b           []byte
		kind        Kind
	}{
		{"two streams", "schema batch[0] schema[1] batch[1]", slices.Concat(one, one), 0},
		{"no end", "schema batch[0]", slices.Concat(r.schema, r.first), 0},
		{"old end", "schema batch[0]", slices.Concat(r.schema, r.first, make([]byte, 4)), 0},
		{"zeros after the end", "schema batch[0]", slices.Concat(one, make([]byte, 40)), 0},
		{"text after the end", "schema batch[0]", slices.Concat(one, []byte("and so on")), ErrTrailing},
		{"only an end", "", r.end, 0},
	} {
		checkFile(t, c.name, c.b, nil)
		f := mustOpen(t, c.b, nil)
		parts, faults := list(f)
		if got := partNames(parts); got != c.parts || f.Format() != ArrowStream {
			t.Errorf("%s: found %q in a file of format %s", c.name, got, f.Format())
		}
		checkFault(t, faults, c.kind, "")
	}
}

func TestArrowPartsHaveTheLimitsOfArrowsReader(t *testing.T) {
	for p := range mustOpen(t, twoBatches().bytes(), nil).Parts() {
		o := p.Options(nil)
		if o.MaxDepth != 128 || o.MaxTables < 1_000_000 {
			t.Errorf("%s: depth %d, tables %d", p.Name, o.MaxDepth, o.MaxTables)
		}
	}
}

func partNames(parts []Part) string {
	var s []string
	for _, p := range parts {
		s = append(s, p.Name)
	}
	return strings.Join(s, " ")
}

func TestRegionsOfABatchAreItsBuffers(t *testing.T) {
	r := twoBatches()
	b := r.bytes()
	body := int64(8 + len(r.schema) + len(r.first) - 16)
	want := []Region{
		{Kind: Data, Name: "batch[0].buffer[0]", Offset: body, Length: 5},
		{Kind: Padding, Name: "batch[0].padding", Offset: body + 5, Length: 3},
		{Kind: Data, Name: "batch[0].buffer[1]", Offset: body + 8, Length: 8},
	}
	var got []Region
	for r := range mustOpen(t, b, nil).Regions() {
		if r.Offset >= body && r.Offset < body+16 {
			got = append(got, r)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("regions %+v, want %+v", got, want)
	}
}

func TestBuffersThatShareBytesAreRegionsOnce(t *testing.T) {
	r := twoBatches()
	m := messageFlat(headerRecordBatch, 16, [2]int64{0, 16}, [2]int64{8, 8}, [2]int64{4, 12})
	r.first = encapsulate(m, make([]byte, 16))
	r.blocks[0].metadata = int32(8 + len(m))
	r.blocks[1].offset = r.blocks[0].offset + int64(len(r.first))
	b := r.bytes()
	checkFile(t, "shared", b, nil)
	_, faults := list(mustOpen(t, b, nil))
	checkFault(t, faults, 0, "")
}
