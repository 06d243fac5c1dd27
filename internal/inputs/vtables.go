package inputs

import (
	"encoding/binary"
	"slices"
)

// manyVTables has flat messages that each have another choice and order of
// fields, with a vtable of its own: whatever a verifier remembers of vtables is
// of little use.
//
// Written forward and not with a Builder, which would compare each new vtable
// with all that came before.
func manyVTables(size int) []byte {
	const (
		present   = 4                                // fields of each message, four bytes each
		slots     = 100                              // of Flat100
		tableSize = 4 + 4*present                    // the offset to the vtable and the fields
		average   = 4 + tableSize + 4 + 2*(slots-20) // with its vtable and the offset to it, about
	)
	r := rng(uint64(size))
	count := size / average

	const root = 12 // position of bench.Variety; its vtable lies before
	var w raw
	w.u32(root)
	w.u16(6)
	w.u16(8)
	w.u16(4)
	w.u16(0)
	w.u32(root - 4)
	w.u32(4)
	w.u32(uint32(count))
	first := len(w)
	w = append(w, make([]byte, 4*count)...)

	for i := range count {
		chosen := make([]int, 0, present)
		for len(chosen) < present {
			slot := r.IntN(slots)
			if flatKinds[slot%len(flatKinds)].size == 4 && !slices.Contains(chosen, slot) {
				chosen = append(chosen, slot)
			}
		}
		vtable := len(w)
		entries := make([]uint16, slices.Max(chosen)+1)
		for place, slot := range chosen {
			entries[slot] = uint16(4 + 4*place)
		}
		w.u16(uint16(4 + 2*len(entries)))
		w.u16(tableSize)
		for _, e := range entries {
			w.u16(e)
		}
		for len(w)%4 != 0 {
			w.u16(0)
		}
		at := first + 4*i
		binary.LittleEndian.PutUint32(w[at:], uint32(len(w)-at))
		w.u32(uint32(len(w) - vtable))
		for range present {
			w.u32(r.Uint32())
		}
	}
	return w
}
