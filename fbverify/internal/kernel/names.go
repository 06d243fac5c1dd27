package kernel

import (
	"unsafe"

	"github.com/fbverify/go/fbverify/internal/mem"
)

// Names looks at the strings behind the slots of a table at pos, as far as they are
// shorter than 32 bytes, ASCII, and end with a NUL: as most are. It returns how many
// those are, how many bytes they have without length words and NULs, and all their positions in one number for a look
// at alignments. The buffer has n bytes.
//
// A function of its own, without calls, since all that it works on fits into registers.
//
//go:noinline
func Names(p unsafe.Pointer, n, pos uint64, slots []uint16) (done int, bytes, positions uint64) {
	last := n - 4
	const high = 0x8080808080808080
	for i, slot := range slots {
		at := pos + uint64(slot)
		uo := uint64(mem.Load32(p, uintptr(at)))
		if uo-1 >= last-at {
			return i, bytes, positions
		}
		at += uo
		size := uint64(mem.Load32(p, uintptr(at)))
		if size >= last-at || size >= 32 { // the NUL is inside, too
			return i, bytes, positions
		}
		positions |= at
		// The word that ends with the NUL. With another that begins where the string does
		// it is all of a string of eight to fifteen bytes. A shorter one is in it, with
		// what is before the string: its length word, the offset to that, and more.
		end := at + size - 3
		word := mem.Load64(p, uintptr(end))
		if size < 16 {
			short := int64(size) - 7 // how far before the string the word begins, if so
			short &= short >> 63
			all := word | mem.Load64(p, uintptr(at+4+uint64(short)))
			if all&(high<<(uint64(-8*short)&63))|word>>56 != 0 {
				return i, bytes, positions
			}
		} else {
			at += 4
			all := word | mem.Load64(p, uintptr(at)) | mem.Load64(p, uintptr(at+8)) | mem.Load64(p, uintptr(end-8))
			if all&high|word>>56 != 0 {
				return i, bytes, positions
			}
		}
		bytes += size
	}
	return len(slots), bytes, positions
}
