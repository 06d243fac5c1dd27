package kernel

import (
	"encoding/binary"
	"unsafe"
)

// Texts is a vector of strings to look at. The assembly code reads and writes it.
type Texts struct {
	P unsafe.Pointer // of the buffer's first byte
	N uint64         // its length, at least 4 and below 1<<63

	At, End uint64 // where the offsets to the strings still to look at lie, inside the buffer

	Bytes uint64 // counted so far: strings with their length words and NUL bytes
	Left  int64  // bytes of strings that may still be met, not negative
	Align uint64 // alignment minus one of strings
}

// Strings looks at the strings for as long as they are short, end with a NUL
// byte, are UTF-8, and within the budget. It moves At, and counts.
func (r *Texts) Strings() {
	if r.At < r.End {
		texts(r)
	}
}

// Valid reports whether the size bytes at `at` of a buffer are UTF-8. Kernels may read
// what is beside them in buf; it does not matter.
func Valid(buf []byte, at, size uint64) bool {
	return ascii(buf[at:at+size]) || valid(buf, int(at), int(size))
}

// ascii reports whether b is short and plain ASCII, as most names are: two words
// that may overlap are looked at.
func ascii(b []byte) bool {
	const high = 0x8080808080808080
	switch n := len(b); {
	case n > 16:
		return false
	case n >= 8:
		return (binary.LittleEndian.Uint64(b)|binary.LittleEndian.Uint64(b[n-8:]))&high == 0
	case n >= 4:
		return (binary.LittleEndian.Uint32(b)|binary.LittleEndian.Uint32(b[n-4:]))&(high>>32) == 0
	case n > 0:
		return b[0]|b[n/2]|b[n-1] < 0x80
	default:
		return true
	}
}
