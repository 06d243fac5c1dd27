// Package mem reads little-endian numbers from memory, on every machine, at any
// alignment. It is the bottom of everything that reads verified bytes; what it
// asks of its callers is said at each function, and nothing is checked.
package mem

import (
	"encoding/binary"
	"unsafe"
)

// The compiler turns encoding/binary on a constant-length slice into one load
// (and a byte swap on big-endian machines), knows that it may be misaligned, and
// counts it as cheap when it decides what to inline.

// Load8 returns the byte at p+off. It must lie in the allocation of p.
func Load8(p unsafe.Pointer, off uintptr) uint8 {
	return *(*uint8)(unsafe.Add(p, off))
}

// Load16 returns the number at p+off. Its two bytes must lie in the allocation
// of p.
func Load16(p unsafe.Pointer, off uintptr) uint16 {
	return binary.LittleEndian.Uint16((*[2]byte)(unsafe.Add(p, off))[:])
}

// Load32 returns the number at p+off. Its four bytes must lie in the allocation
// of p.
func Load32(p unsafe.Pointer, off uintptr) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(p, off))[:])
}

// Load64 returns the number at p+off. Its eight bytes must lie in the
// allocation of p.
func Load64(p unsafe.Pointer, off uintptr) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(p, off))[:])
}
