package container

import (
	"fmt"
	"math"
)

// flat reads a FlatBuffer in place, each step checked against its bounds. After
// the first fault every read gives zero or nothing; the fault stays until it is
// taken.
type flat struct {
	src   *source
	base  int64  // position of the FlatBuffer in the file
	size  int64  // its length in bytes
	fault *fault // the first one
	high  int64  // the end of the furthest bytes read, from base
}

type fault struct {
	pos            int64 // from the start of the file
	detail         string
	found, allowed string
}

func (b *flat) fail(pos int64, detail, found, allowed string) {
	if b.fault == nil {
		b.fault = &fault{b.base + pos, detail, found, allowed}
	}
}

// take returns the fault and forgets it.
func (b *flat) take() *fault {
	f := b.fault
	b.fault = nil
	return f
}

// fits reports whether n bytes at pos lie in the FlatBuffer; if not it
// notes the fault.
func (b *flat) fits(pos, n int64, what string) bool {
	if b.fault != nil {
		return false
	}
	if pos < 0 || pos > b.size || n > b.size-pos {
		b.fail(max(0, min(pos, b.size)), what+" leads outside its FlatBuffer",
			fmt.Sprintf("%d bytes at %d", n, pos), fmt.Sprintf("up to %d", b.size))
		return false
	}
	b.high = max(b.high, pos+n)
	return true
}

func (b *flat) uint(pos int64, width int, what string) uint64 {
	if !b.fits(pos, int64(width), what) {
		return 0
	}
	v, ok := b.src.uint(b.base+pos, width)
	if !ok {
		b.fail(pos, what+" could not be read", "", "")
	}
	return v
}

// table is the position of a table, or, where there is none, pos -1: then all of
// its fields are absent.
type table struct {
	b          *flat
	pos, vt    int64
	vtSize, sz int64
}

// root returns the root table of the FlatBuffer whose first byte is at pos, which
// is 4 behind a size prefix and else 0.
func (b *flat) root(pos int64) table {
	return b.table(pos+int64(b.uint(pos, 4, "the root offset")), "the root table")
}

func (b *flat) table(pos int64, what string) table {
	back := int64(int32(uint32(b.uint(pos, 4, what))))
	t := table{b: b, pos: pos, vt: pos - back}
	t.vtSize = int64(b.uint(t.vt, 2, "the vtable of "+what))
	t.sz = int64(b.uint(t.vt+2, 2, "the vtable of "+what))
	if b.fault == nil && (t.vtSize < 4 || t.vtSize%2 != 0) {
		b.fail(t.vt, "the vtable of "+what+" has an impossible size", fmt.Sprint(t.vtSize), "an even number from 4")
	}
	if b.fault != nil {
		t.pos = -1
	}
	return t
}

// slot returns the position of field id, -1 when it is absent.
func (t table) slot(id int) int64 {
	at := int64(4 + 2*id)
	if t.pos < 0 || at+2 > t.vtSize {
		return -1
	}
	off := t.b.uint(t.vt+at, 2, "a vtable")
	if off == 0 {
		return -1
	}
	return t.pos + int64(off)
}

// uint returns the number of width bytes in field id, def when it is absent.
func (t table) uint(id, width int, def uint64) uint64 {
	p := t.slot(id)
	if p < 0 {
		return def
	}
	return t.b.uint(p, width, "a field")
}

// ref returns the position that the offset in field id leads to, -1 when it is
// absent.
func (t table) ref(id int) int64 {
	p := t.slot(id)
	if p < 0 {
		return -1
	}
	off := int64(t.b.uint(p, 4, "an offset"))
	if t.b.fault != nil {
		return -1
	}
	return p + off
}

// table returns the table in field id; its pos is -1 when it is absent.
func (t table) table(id int, what string) table {
	p := t.ref(id)
	if p < 0 {
		return table{b: t.b, pos: -1}
	}
	return t.b.table(p, what)
}

// vector is a vector's elements; the zero one is empty.
type vector struct {
	b     *flat
	pos   int64 // of the first element
	n     int64
	width int64 // bytes of an element
}

// vector returns the vector of width-byte elements in field id, an empty one
// when it is absent or not within the FlatBuffer.
func (t table) vector(id int, width int64, what string) vector {
	p := t.ref(id)
	if p < 0 {
		return vector{b: t.b, width: width}
	}
	v := vector{t.b, p + 4, int64(t.b.uint(p, 4, what)), width}
	if !t.b.fits(v.pos, v.n*width, what) { // below 2^32 times a struct's size: no overflow
		v.n = 0
	}
	return v
}

// uint returns the number of w bytes, skip bytes into element i.
func (v vector) uint(i, skip int64, w int) uint64 {
	if i < 0 || i >= v.n {
		return 0
	}
	return v.b.uint(v.pos+i*v.width+skip, w, "an element")
}

// table returns the table that element i leads to.
func (v vector) table(i int64, what string) table {
	at := v.pos + i*v.width
	off := int64(v.b.uint(at, 4, what))
	if v.b.fault != nil {
		return table{b: v.b, pos: -1}
	}
	return v.b.table(at+off, what)
}

// isString reports whether the string in field id is text.
func (t table) isString(id int, text string) bool {
	v := t.vector(id, 1, "a string")
	return v.n == int64(len(text)) && v.b.src.is(v.b.base+v.pos, text)
}

// clamp returns an unsigned 64-bit position or length as an int64. Those above
// its range become its largest value, which no file has room for.
func clamp(v uint64) int64 {
	if v > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(v)
}
