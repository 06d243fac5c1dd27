package mem

import "unsafe"

// Buffer is a byte slice without its capacity. A struct of four words stays in
// registers and one of five does not, and a verified root is two words and the
// bytes that it is in.
type Buffer struct {
	p *byte
	n int
}

// BufferOf returns buf as a Buffer.
func BufferOf(buf []byte) Buffer { return Buffer{unsafe.SliceData(buf), len(buf)} }

// Bytes returns the slice that b was made of, with no capacity beyond its length.
// What p and n say is a slice, since only BufferOf sets them.
func (b Buffer) Bytes() []byte { return unsafe.Slice(b.p, b.n) }
