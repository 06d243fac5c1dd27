package bfbs

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// buffer is the bytes of a schema that a verification proved, or that were written here:
// its reads check nothing. Where a proof is missing they panic, as every slice does.
type buffer []byte

// table is the position of a table.
type table uint32

func (b buffer) uint32(at uint32) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
func (b buffer) uint16(at uint32) uint16 { return binary.LittleEndian.Uint16(b[at:]) }

// follow returns the position that the offset at leads to.
func (b buffer) follow(at uint32) uint32 { return at + b.uint32(at) }

func (b buffer) root() table { return table(b.follow(0)) }

// slot returns the position of a field, 0 where it is absent.
func (b buffer) slot(t table, id int) uint32 {
	vtable := uint32(t) - b.uint32(uint32(t))
	entry := uint32(4 + 2*id)
	if entry >= uint32(b.uint16(vtable)) {
		return 0
	}
	if offset := b.uint16(vtable + entry); offset != 0 {
		return uint32(t) + uint32(offset)
	}
	return 0
}

func (b buffer) uint8Field(t table, id int) uint8 {
	if at := b.slot(t, id); at != 0 {
		return b[at]
	}
	return 0
}

func (b buffer) uint16Field(t table, id int) uint16 {
	if at := b.slot(t, id); at != 0 {
		return b.uint16(at)
	}
	return 0
}

func (b buffer) int32Field(t table, id int, absent int32) int32 {
	if at := b.slot(t, id); at != 0 {
		return int32(b.uint32(at))
	}
	return absent
}

func (b buffer) uint64Field(t table, id int) uint64 {
	if at := b.slot(t, id); at != 0 {
		return binary.LittleEndian.Uint64(b[at:])
	}
	return 0
}

func (b buffer) float64Field(t table, id int) float64 {
	return math.Float64frombits(b.uint64Field(t, id))
}

// tableField returns the table that a field leads to, 0 where it is absent.
func (b buffer) tableField(t table, id int) table {
	if at := b.slot(t, id); at != 0 {
		return table(b.follow(at))
	}
	return 0
}

// vector is a vector of offsets: where the first element is, and how many there are.
type vector struct{ at, n uint32 }

func (b buffer) vectorField(t table, id int) vector {
	at := b.slot(t, id)
	if at == 0 {
		return vector{}
	}
	at = b.follow(at)
	return vector{at + 4, b.uint32(at)}
}

func (b buffer) element(v vector, i int) uint32 { return b.follow(v.at + 4*uint32(i)) }

// stringSpan returns where the bytes of the string at a position begin and end.
func (b buffer) stringSpan(at uint32) (start, end uint32) { return at + 4, at + 4 + b.uint32(at) }

func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
