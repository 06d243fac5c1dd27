// Package wire reads FlatBuffers with a check before every read and without
// unsafe: slow, short, and easy to convince oneself of. package schema reads
// .bfbs files with it, and tests hold the verifier and the generated views
// against it ([github.com/fbverify/go/internal/walk]), so it shares no code
// with either.
//
// Positions are uint64 and count from the first byte of the buffer.
package wire

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Reader reads one buffer. The zero value of the other fields reads as the
// accessors of generated code do, with their freedoms; see each field.
type Reader struct {
	B []byte

	// Rules also demands what the format promises though no accessor would
	// notice: alignment of every position, and vtables that lie whole inside
	// the buffer with an even size of at least four bytes.
	Rules bool

	// SkipAlignment takes alignment out of Rules.
	SkipAlignment bool

	// Shift is added to a position before its alignment is looked at: 4 for a
	// buffer that was aligned as the rest of a size-prefixed one.
	Shift uint64
}

// Error is a read that cannot be done.
type Error struct {
	Pos  uint64 // of the bytes that were to be read
	What string // a clause that says what is wrong
}

func (e *Error) Error() string { return fmt.Sprintf("at offset %d: %s", e.Pos, e.What) }

func fault(pos uint64, format string, args ...any) error {
	return &Error{pos, fmt.Sprintf(format, args...)}
}

// Len returns the number of bytes of the buffer.
func (r *Reader) Len() uint64 { return uint64(len(r.B)) }

// Bytes returns size bytes at pos.
func (r *Reader) Bytes(pos, size uint64, what string) ([]byte, error) {
	n := r.Len()
	if pos > n || size > n-pos {
		return nil, fault(pos, "%s of %d bytes does not fit into a buffer of %d bytes", what, size, n)
	}
	return r.B[pos : pos+size], nil
}

// Aligned demands, where Rules is set, that pos is a multiple of align.
func (r *Reader) Aligned(pos, align uint64, what string) error {
	if r.Rules && !r.SkipAlignment && (pos+r.Shift)%align != 0 {
		return fault(pos, "%s is not at a multiple of %d", what, align)
	}
	return nil
}

// Uint reads an unsigned little-endian integer of size 1, 2, 4 or 8 bytes.
func (r *Reader) Uint(pos, size uint64, what string) (uint64, error) {
	b, err := r.Bytes(pos, size, what)
	if err != nil {
		return 0, err
	}
	if err := r.Aligned(pos, size, what); err != nil {
		return 0, err
	}
	switch size {
	case 1:
		return uint64(b[0]), nil
	case 2:
		return uint64(binary.LittleEndian.Uint16(b)), nil
	case 4:
		return uint64(binary.LittleEndian.Uint32(b)), nil
	case 8:
		return binary.LittleEndian.Uint64(b), nil
	}
	return 0, fault(pos, "%s has %d bytes, which no integer has", what, size)
}

// Int is Uint for signed integers.
func (r *Reader) Int(pos, size uint64, what string) (int64, error) {
	u, err := r.Uint(pos, size, what)
	shift := 64 - 8*size
	return int64(u<<shift) >> shift, err
}

// Float64 reads a double.
func (r *Reader) Float64(pos uint64, what string) (float64, error) {
	u, err := r.Uint(pos, 8, what)
	return math.Float64frombits(u), err
}

// Follow reads the offset of size 4 or 8 bytes at pos and returns the position
// it leads to, which lies inside the buffer.
func (r *Reader) Follow(pos, size uint64, what string) (uint64, error) {
	off, err := r.Uint(pos, size, "the offset of "+what)
	if err != nil {
		return 0, err
	}
	if off == 0 {
		return 0, fault(pos, "the offset of %s is zero", what)
	}
	if n := r.Len(); off >= n-pos {
		return 0, fault(pos, "the offset of %s, %d, leads out of a buffer of %d bytes", what, off, n)
	}
	return pos + off, nil
}

// Table is a table whose vtable can be read.
type Table struct {
	r *Reader

	Pos    uint64 // of the table
	VTable uint64 // of its vtable
	Size   uint64 // of the vtable, in bytes
}

// Root returns the table that the buffer's first four bytes lead to.
func (r *Reader) Root() (Table, error) {
	pos, err := r.Follow(0, 4, "the root table")
	if err != nil {
		return Table{}, err
	}
	return r.Table(pos)
}

// Table returns the table at pos.
func (r *Reader) Table(pos uint64) (Table, error) {
	back, err := r.Int(pos, 4, "the vtable offset of a table")
	if err != nil {
		return Table{}, err
	}
	// |back| is at most 1<<31 and pos below 1<<63, so this cannot overflow.
	vtable := int64(pos) - back
	if vtable < 0 {
		return Table{}, fault(pos, "the vtable offset of a table, %d, leads to before the buffer", back)
	}
	t := Table{r: r, Pos: pos, VTable: uint64(vtable)}
	if t.Size, err = r.Uint(t.VTable, 2, "the size of a vtable"); err != nil {
		return Table{}, err
	}
	if r.Rules {
		if t.Size < 4 || t.Size%2 != 0 {
			return Table{}, fault(t.VTable, "the size of a vtable is %d, not an even number from 4", t.Size)
		}
		if _, err := r.Bytes(t.VTable, t.Size, "a vtable"); err != nil {
			return Table{}, err
		}
	}
	return t, nil
}

// Field returns the position of the field with the given id, and whether the
// table has it. Nothing is said about what lies there.
func (t Table) Field(id uint64) (pos uint64, ok bool, err error) {
	slot := 4 + 2*id
	if slot >= t.Size {
		return 0, false, nil
	}
	off, err := t.r.Uint(t.VTable+slot, 2, "a field's entry in a vtable")
	if err != nil || off == 0 {
		return 0, false, err
	}
	return t.Pos + off, true, nil
}

// Vector returns the position of the first element and the number of elements
// of the vector at pos, all of which lie inside the buffer. head is the size of
// its length, 4 or 8; size that of an element, at least 1; align its alignment.
func (r *Reader) Vector(pos, head, size, align uint64, what string) (start, count uint64, err error) {
	count, err = r.Uint(pos, head, "the length of "+what)
	if err != nil {
		return 0, 0, err
	}
	start = pos + head
	if count > (r.Len()-start)/size {
		return 0, 0, fault(pos, "%s with %d elements of %d bytes does not fit into a buffer of %d bytes", what, count, size, r.Len())
	}
	if count > 0 {
		err = r.Aligned(start, align, "the first element of "+what)
	}
	return start, count, err
}

// String returns the bytes of the string at pos, after which there is a NUL.
// They may be no UTF-8.
func (r *Reader) String(pos uint64, what string) ([]byte, error) {
	start, count, err := r.Vector(pos, 4, 1, 1, what)
	if err != nil {
		return nil, err
	}
	end, err := r.Bytes(start+count, 1, "the NUL after "+what)
	if err != nil {
		return nil, err
	}
	if end[0] != 0 {
		return nil, fault(start+count, "no NUL after %s but 0x%02x", what, end[0])
	}
	return r.B[start : start+count], nil
}
