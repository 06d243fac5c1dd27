package dynamic

import "bytes"

// Fields with the attribute hash take a text for the number that it is hashed to.

// The parameters of the hashes. The 64-bit basis is FlatBuffers' own (its hash.h):
// FNV's ends in 2325.
const (
	fnvBasis32, fnvPrime32 = 0x811c9dc5, 0x01000193
	fnvBasis64, fnvPrime64 = 0xcbf29ce484222645, 0x00000100000001b3
)

// hashes are the functions that the attribute can name.
var hashes = map[string]func(text []byte) uint64{
	"fnv1_16":  func(s []byte) uint64 { return fold16(fnv1(s, uint32(fnvBasis32), fnvPrime32)) },
	"fnv1a_16": func(s []byte) uint64 { return fold16(fnv1a(s, uint32(fnvBasis32), fnvPrime32)) },
	"fnv1_32":  func(s []byte) uint64 { return uint64(fnv1(s, uint32(fnvBasis32), fnvPrime32)) },
	"fnv1a_32": func(s []byte) uint64 { return uint64(fnv1a(s, uint32(fnvBasis32), fnvPrime32)) },
	"fnv1_64":  func(s []byte) uint64 { return fnv1(s, uint64(fnvBasis64), fnvPrime64) },
	"fnv1a_64": func(s []byte) uint64 { return fnv1a(s, uint64(fnvBasis64), fnvPrime64) },
}

func fnv1[T uint32 | uint64](s []byte, h, prime T) T {
	for _, c := range beforeNUL(s) {
		h = h*prime ^ T(c)
	}
	return h
}

func fnv1a[T uint32 | uint64](s []byte, h, prime T) T {
	for _, c := range beforeNUL(s) {
		h = (h ^ T(c)) * prime
	}
	return h
}

func fold16(h uint32) uint64 { return uint64(h>>16 ^ h&0xFFFF) }

// beforeNUL returns what a C string has of s: flatc's hashes end there.
func beforeNUL(s []byte) []byte {
	s, _, _ = bytes.Cut(s, []byte{0})
	return s
}

// narrow returns the bits of a number cut to the type, as scalarBits returns them.
func (t *Type) narrow(bits uint64) uint64 {
	return scalarBits(appendBits(nil, t.scalar, bits), 0, t.scalar)
}
