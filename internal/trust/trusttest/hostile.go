package trusttest

import "encoding/binary"

// WideRoot starts a buffer with a Root whose vector has count elements, all zero,
// from byte 24 on.
func WideRoot(count, size int) []byte {
	b := make([]byte, size)
	put := binary.LittleEndian.PutUint32
	put(b, 12)
	copy(b[4:], []byte{6, 0, 8, 0, 4, 0}) // vtable
	put(b[12:], 8)
	put(b[16:], 4)
	put(b[20:], uint32(count))
	return b
}

// OverlappingVTables is a vector of tables whose vtables start one word after each
// other in a run where every other 16-bit number is a vtable's size, and so is
// also a slot of those that start before it. All these slots lead to one word of
// a later table, the offset to its vtable, which as an offset leads to zeros.
func OverlappingVTables(fields, size int) []byte {
	vtable := 4 + 2*fields&^1
	words := size / 4 / 6 // six parts of this many words each
	b := WideRoot(words, 24+6*4*words+vtable)
	run := 24 + 4*words
	tables := run + 4*words + vtable
	for at := run; at < tables; at += 4 {
		binary.LittleEndian.PutUint16(b[at:], uint16(vtable))
	}
	for i := range words {
		at := tables + 4*i
		binary.LittleEndian.PutUint32(b[24+4*i:], uint32(at-(24+4*i)))
		binary.LittleEndian.PutUint32(b[at:], uint32(at-(run+4*i)))
	}
	for i := range vtable / 4 { // what the slots of the last tables lead to
		at := tables + 4*words + 4*i
		binary.LittleEndian.PutUint32(b[at:], uint32(4*words))
	}
	return b
}
