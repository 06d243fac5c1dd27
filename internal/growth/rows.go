package growth

import "encoding/binary"

// RowsSchema is the schema of [Rows].
const RowsSchema = "table Row { a:int; b:int; c:int; d:int; e:int; f:int; } table Root { rows:[Row]; } root_type Root;"

// Rows returns an honest buffer of about size bytes: a vector of tables of 28 bytes, which
// share a vtable that stands before them all. 300,800,064 bytes hold 9,400,000 of them. Every
// rare-th table has another number in it, so that two such buffers can be compared; 0 is none.
func Rows(size, rare int) []byte {
	const (
		vtable, vector, first = 32, 60, 64
		row                   = 28
	)
	le := binary.LittleEndian
	n := max(0, size-first) / (row + 4)
	b := make([]byte, first+n*(row+4))
	le.PutUint32(b, 16)
	for i, v := range []uint16{6, 8, 4} {
		le.PutUint16(b[8+2*i:], v)
	}
	le.PutUint32(b[16:], 8)
	le.PutUint32(b[20:], vector-20)
	for i, v := range []uint16{16, row, 4, 8, 12, 16, 20, 24} {
		le.PutUint16(b[vtable+2*i:], v)
	}
	le.PutUint32(b[vector:], uint32(n))
	for i := range n {
		at, pos := first+4*i, first+4*n+row*i
		le.PutUint32(b[at:], uint32(pos-at))
		values := [...]uint32{uint32(pos - vtable), uint32(i), uint32(i * 7 & 0xffff), 3, 1, uint32(i & 255), 9}
		if rare > 0 && i%rare == 7 {
			values[4]++
		}
		for j, v := range values {
			le.PutUint32(b[pos+4*j:], v)
		}
	}
	return b
}
