package inputs

import "encoding/binary"

// Messages with vtables of their own choice are written forward and not with a
// Builder, which would compare each new vtable with all that came before.
const (
	varietyPresent = 4   // fields of each message, four bytes each
	varietySlots   = 100 // of Flat100

	// varietyTable is a message's size: the offset to its vtable and the fields.
	varietyTable = 4 + 4*varietyPresent
)

// manyVTables has flat messages that each have another choice and order of
// fields, with a vtable of its own beside it: whatever a verifier remembers of
// vtables is of little use.
func manyVTables(size int) []byte {
	const average = 4 + varietyTable + 4 + 2*(varietySlots-20) // with its vtable and the offset to it, about
	r := rng(uint64(size))
	count := size / average
	w, first := varietyHead(count)
	for i := range count {
		vtable := len(w)
		w.vtable(choice(r))
		at := first + 4*i
		binary.LittleEndian.PutUint32(w[at:], uint32(len(w)-at))
		w.u32(uint32(len(w) - vtable))
		for range varietyPresent {
			w.u32(r.Uint32())
		}
	}
	return w
}

// varietyHead starts a bench.Variety of count messages, and returns where the
// offset to the first of them is to be written.
func varietyHead(count int) (w raw, first int) {
	const root = 12 // position of the table; its vtable lies before
	w.u32(root)
	w.u16(6)
	w.u16(8)
	w.u16(4)
	w.u16(0)
	w.u32(root - 4)
	w.u32(4)
	w.u32(uint32(count))
	first = len(w)
	return append(w, make([]byte, 4*count)...), first
}

// vtable writes the vtable of a message, and fills it up to a whole word.
func (w *raw) vtable(entries []uint16) {
	w.u16(uint16(4 + 2*len(entries)))
	w.u16(varietyTable)
	for _, e := range entries {
		w.u16(e)
	}
	for len(*w)%4 != 0 {
		w.u16(0)
	}
}
