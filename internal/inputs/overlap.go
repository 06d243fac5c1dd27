package inputs

import "encoding/binary"

// The buffers here have parts that lie over each other at different positions,
// so that remembering what was seen at a position does not help. No builder
// writes such things; they are put together word by word.

// A raw buffer grows forward.
type raw []byte

func (w *raw) u16(v uint16) { *w = binary.LittleEndian.AppendUint16(*w, v) }
func (w *raw) u32(v uint32) { *w = binary.LittleEndian.AppendUint32(*w, v) }

// offset appends the offset from here to a position further on.
func (w *raw) offset(to int) { w.u32(uint32(to - len(*w))) }

// overlappingStrings has a vector of strings that each start one word after the
// one before and reach over a good part of the buffer. A word says "so many
// bytes" where a string starts and is four of the bytes of those that started
// earlier, and its lowest byte, which is zero, ends one.
func overlappingStrings(size int) []byte {
	length := size / 4 &^ 0xff        // bytes of each string; ASCII if no byte is above 0x7f
	length &= 0x7f7f7f00              // and so it is
	count := (size - length - 64) / 8 // strings: an offset and a length each
	const table = 24                  // position of the root
	start := table + 8 + 4 + 4*count  // of the first string
	end := start + 4*count + length + 4

	var w raw
	w.u32(table)
	w.u16(table - 4) // the vtable ends with the field words
	w.u16(8)
	for range nodeWords {
		w.u16(0)
	}
	w.u16(4)
	w.u32(table - 4)
	w.u32(4)
	w.u32(uint32(count))
	for i := range count {
		w.offset(start + 4*i)
	}
	for len(w) < end {
		w.u32(uint32(length))
	}
	return w
}

// overlappingVectors has tables whose vectors of tables each start one word
// after the one before. The word 0x00010004 is a length of 65,540 elements, an
// offset to the word 65,540 bytes further on, a table whose vtable lies 65,540
// bytes before, and a vtable of four bytes, which has no fields.
//
// Buffers too small for that are made with sharedTables.
func overlappingVectors(size int) []byte {
	const word = 0x00010004
	const tail = 4*word + word + 64 // what the last vector and its last element need
	if size < 2*tail {
		return sharedTables(size)
	}
	const table = 16 // position of the root; its vtable is that of all nodes: children only
	count := (size - tail - 64) / 16
	nodes := table + 8 + 4 + 4*count
	// Tables start 65,540 bytes after the first word, where their vtables are
	// words too.
	start := nodes + 8*count
	end := start + 4*count + tail

	var w raw
	w.u32(table)
	w.u16(8) // vtable at 4: child absent, children at 4
	w.u16(8)
	w.u16(0)
	w.u16(4)
	w.u32(0)
	w.u32(table - 4)
	w.u32(4)
	w.u32(uint32(count))
	for i := range count {
		w.offset(nodes + 8*i)
	}
	for i := range count {
		w.u32(uint32(len(w) - 4))
		w.offset(start + 4*i)
	}
	for len(w) < end {
		w.u32(word)
	}
	return w
}
