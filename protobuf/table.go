package protobuf

import (
	"encoding/binary"

	flatbuffers "github.com/google/flatbuffers/go"
)

// tables writes tables with a builder, but for their vtables. The builder's own search for an
// equal vtable looks at all that there are, so that a message of very many shapes would take
// time that grows with the square of its size; and it lets tables of different sizes share one, which a strict
// verification refuses. What StartObject does must not be mixed with this.
type tables struct {
	b       *flatbuffers.Builder
	vtables map[string]flatbuffers.UOffsetT

	// Of the table that is being written: its end, and where its fields are, as
	// the builder counts offsets, from the end of the buffer.
	end   flatbuffers.UOffsetT
	slots []flatbuffers.UOffsetT
	bytes []byte
}

// maxTable is how many bytes a table can have inline, which a vtable keeps in 16 bits.
const maxTable = 1<<16 - 1

// begin starts a table. Fields are put with the builder's Prepend, each followed by slot.
func (t *tables) begin() {
	t.end = t.b.Offset()
	t.slots = t.slots[:0]
}

// slot says that what was prepended last is the field with an id.
func (t *tables) slot(id int) {
	for len(t.slots) <= id {
		t.slots = append(t.slots, 0)
	}
	t.slots[id] = t.b.Offset()
}

// finish ends the table and returns its offset, and false where it is too large to be one.
func (t *tables) finish() (flatbuffers.UOffsetT, bool) {
	b := t.b
	b.PrependSOffsetT(0)
	table := b.Offset()
	size := table - t.end
	if size > maxTable {
		return 0, false
	}
	t.bytes = binary.LittleEndian.AppendUint16(t.bytes[:0], uint16(4+2*len(t.slots)))
	t.bytes = binary.LittleEndian.AppendUint16(t.bytes, uint16(size))
	for _, at := range t.slots {
		if at != 0 {
			at = table - at
		}
		t.bytes = binary.LittleEndian.AppendUint16(t.bytes, uint16(at))
	}
	vtable, ok := t.vtables[string(t.bytes)]
	if !ok {
		for i := len(t.bytes) - 2; i >= 0; i -= 2 {
			b.PrependVOffsetT(flatbuffers.VOffsetT(binary.LittleEndian.Uint16(t.bytes[i:])))
		}
		vtable = b.Offset()
		if t.vtables == nil {
			t.vtables = map[string]flatbuffers.UOffsetT{}
		}
		t.vtables[string(t.bytes)] = vtable
	}
	flatbuffers.WriteSOffsetT(b.Bytes[len(b.Bytes)-int(table):], flatbuffers.SOffsetT(vtable)-flatbuffers.SOffsetT(table))
	return table, true
}
