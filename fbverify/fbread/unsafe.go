package fbread

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/fbverify/go/fbverify/internal/mem"
)

// This file holds every unsafe step of the package. A sound table is one that
// came from RootUnchecked over bytes that a verification accepted and nobody
// wrote to since, or from a sound table through a slot of its own schema. All
// functions here take sound tables, and slots of their type, for granted; what
// verification has proved about those is each function's precondition.

// emptyVTable is the vtable of absent tables: its own size, 4, the table's size,
// 4, and no fields.
var emptyVTable = [4]byte{4, 0, 4, 0}

// absentTable is the table that absent fields refer to.
var absentTable = newTable(bounds{}, nil, unsafe.Pointer(&emptyVTable))

// The bodies below spell their loads out, as mem does, and do not call smaller
// helpers: a read of a view must fit the compiler's inlining budget together with
// the generated method around it. Where a debug build has returned before, tables
// are spelled Table{p: …, vt: …}, without the bounds that only it has.

// field returns the offset of a field in its table, 0 when it is absent.
// Precondition: the vtable, as long as its first word says, is in the buffer.
func field(t Table, slot uint16) uint16 {
	if debug {
		t.checkVTable()
	}
	if slot < binary.LittleEndian.Uint16((*[2]byte)(t.vt)[:]) {
		return binary.LittleEndian.Uint16((*[2]byte)(unsafe.Add(t.vt, slot))[:])
	}
	return 0
}

// vtableSize and vtableEntry are field in two steps. Reads take them one inside the
// other, which leaves out a jump that the compiler makes of field's two returns.
func vtableSize(t Table) uint16 {
	if debug {
		t.checkVTable()
	}
	return binary.LittleEndian.Uint16((*[2]byte)(t.vt)[:])
}

func vtableEntry(t Table, slot uint16) uint16 {
	return binary.LittleEndian.Uint16((*[2]byte)(unsafe.Add(t.vt, slot))[:])
}

// checkVTable panics unless the vtable of t is in the buffer.
func (t Table) checkVTable() {
	if t.vt == unsafe.Pointer(&emptyVTable) {
		return
	}
	t.bounds().check(t.vt, 0, 4, "vtable")
	t.bounds().check(t.vt, 0, uintptr(mem.Load16(t.vt, 0)), "vtable")
}

// load8 and its like return the number at offset o of a table.
// Precondition: all its bytes are in the buffer.
func load8(t Table, o uint16) uint8 {
	if debug {
		t.bounds().check(t.p, uintptr(o), 1, "field")
	}
	return *(*uint8)(unsafe.Add(t.p, o))
}

func load16(t Table, o uint16) uint16 {
	if debug {
		t.bounds().check(t.p, uintptr(o), 2, "field")
	}
	return binary.LittleEndian.Uint16((*[2]byte)(unsafe.Add(t.p, o))[:])
}

func load32(t Table, o uint16) uint32 {
	if debug {
		t.bounds().check(t.p, uintptr(o), 4, "field")
	}
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(t.p, o))[:])
}

func load64(t Table, o uint16) uint64 {
	if debug {
		t.bounds().check(t.p, uintptr(o), 8, "field")
	}
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(t.p, o))[:])
}

// Child returns the view of the table that the field at slot refers to, an absent
// one where the field is absent.
//
// Precondition: the field's offset word is in the buffer and refers to a table,
// whose first word names a vtable, all in the same buffer; it is a T.
func Child[T View[T]](t Table, slot uint16) T {
	if debug {
		t.checkVTable()
	}
	if slot < binary.LittleEndian.Uint16((*[2]byte)(t.vt)[:]) {
		if o := binary.LittleEndian.Uint16((*[2]byte)(unsafe.Add(t.vt, slot))[:]); o != 0 {
			if debug {
				return As[T](debugFollow(t.bounds(), t.p, uintptr(o)))
			}
			p := unsafe.Add(t.p, o)
			p = unsafe.Add(p, binary.LittleEndian.Uint32((*[4]byte)(p)[:]))
			return T(Of[T]{t: Table{p: p, vt: unsafe.Add(p, -int(int32(binary.LittleEndian.Uint32((*[4]byte)(p)[:]))))}})
		}
	}
	return T(Of[T]{t: absentTable})
}

// tableAt returns the table at p. Precondition: p points at a table's first
// word, and the vtable that it names is in the same buffer.
func tableAt(b bounds, p unsafe.Pointer) Table {
	if debug {
		b.check(p, 0, 4, "table")
		b.check(p, -uintptr(int32(mem.Load32(p, 0))), 4, "vtable")
	}
	return newTable(b, p, unsafe.Add(p, -int(int32(binary.LittleEndian.Uint32((*[4]byte)(p)[:])))))
}

// debugFollow returns the table that the offset word at p+o refers to, after
// checking what Child takes for granted.
func debugFollow(b bounds, p unsafe.Pointer, o uintptr) Table {
	b.check(p, o, 4, "offset")
	p = unsafe.Add(p, o)
	b.check(p, uintptr(mem.Load32(p, 0)), 4, "table")
	return tableAt(b, unsafe.Add(p, mem.Load32(p, 0)))
}

// Vectors and strings.

// zeroLength is what an absent vector or string refers to.
var zeroLength [8]byte

// vector returns the position of the length word of the vector or string that
// the field at slot refers to, and its length: the number of elements.
// Precondition: the offset word and what it refers to are in the buffer.
func vector(t Table, slot uint16) (unsafe.Pointer, int) {
	o := field(t, slot)
	if o == 0 {
		return unsafe.Pointer(&zeroLength), 0
	}
	return vectorAt(t.bounds(), t.p, o)
}

// vectorAt is vector for the offset word at offset o from p.
func vectorAt(b bounds, p unsafe.Pointer, o uint16) (unsafe.Pointer, int) {
	if debug {
		b.check(p, uintptr(o), 4, "offset")
		b.check(p, uintptr(o)+uintptr(mem.Load32(p, uintptr(o))), 4, "length")
	}
	ref := unsafe.Add(p, o)
	p = unsafe.Add(ref, binary.LittleEndian.Uint32((*[4]byte)(ref)[:]))
	return p, int(binary.LittleEndian.Uint32((*[4]byte)(p)[:]))
}

// vectorFar is vector for a field with a 64-bit offset (offset64), vector64 for
// one whose length is 64 bits as well (vector64). A verified length fits an int,
// since so many bytes are in memory.
func vectorFar(t Table, slot uint16) (unsafe.Pointer, int) {
	o := field(t, slot)
	if o == 0 {
		return unsafe.Pointer(&zeroLength), 0
	}
	p := far(t, o, 4)
	return p, int(mem.Load32(p, 0))
}

func vector64(t Table, slot uint16) (unsafe.Pointer, int) {
	o := field(t, slot)
	if o == 0 {
		return unsafe.Pointer(&zeroLength), 0
	}
	p := far(t, o, 8)
	if debug {
		checkInt(mem.Load64(p, 0), "vector")
	}
	return p, int(mem.Load64(p, 0))
}

// far follows the 64-bit offset at offset o of t to a length of n bytes.
func far(t Table, o uint16, n uintptr) unsafe.Pointer {
	if debug {
		t.bounds().check(t.p, uintptr(o), 8, "offset")
		checkInt(mem.Load64(t.p, uintptr(o)), "length")
		t.bounds().check(t.p, uintptr(o)+uintptr(mem.Load64(t.p, uintptr(o))), n, "length")
	}
	p := unsafe.Add(t.p, o)
	return unsafe.Add(p, mem.Load64(p, 0))
}

// checkInt panics when a 64-bit offset or length is more than an int holds.
func checkInt(v uint64, what string) {
	if v > uint64(^uint(0)>>1) {
		panic("fbread: " + what + ": more than this machine can address: the buffer was not verified, or was written to since")
	}
}

// elements returns the n elements of a vector whose length word, of head bytes,
// is at p. The pointer to the first is made only when there is one: an empty
// vector may be the last thing in the buffer, and a pointer past it would belong
// to another allocation. Precondition: the elements are in the buffer.
func elements[T any](b bounds, p unsafe.Pointer, head uintptr, n int) []T {
	if n == 0 {
		return nil
	}
	if debug {
		b.checkElements(p, head, n, unsafe.Sizeof(*new(T)))
	}
	return unsafe.Slice((*T)(unsafe.Add(p, head)), n)
}

func (b bounds) checkElements(p unsafe.Pointer, head uintptr, n int, size uintptr) {
	b.check(p, 0, head, "length")
	if n < 0 || uintptr(n) > ^uintptr(0)/2/size {
		panic("fbread: a vector longer than memory: the buffer was not verified, or was written to since")
	}
	b.check(p, head, uintptr(n)*size, "vector")
}

// text returns the n bytes after the length word at p as a string.
// Precondition: they are in the buffer, and nobody writes to them.
func text(b bounds, p unsafe.Pointer, n int) string {
	if n == 0 {
		return ""
	}
	if debug {
		b.checkElements(p, 4, n, 1)
	}
	return unsafe.String((*byte)(unsafe.Add(p, 4)), n)
}

// String returns the string that the field at slot refers to, "" where it is
// absent ([Has] tells the two apart). It is not copied: it is the buffer's bytes,
// and is valid for as long as they stay as they are.
//
// Precondition: the offset word, the length that it refers to and the bytes after
// that are in the buffer.
func String(t Table, slot uint16) (s string) {
	if debug {
		t.checkVTable()
	}
	if slot < binary.LittleEndian.Uint16((*[2]byte)(t.vt)[:]) {
		if o := binary.LittleEndian.Uint16((*[2]byte)(unsafe.Add(t.vt, slot))[:]); o != 0 {
			if debug {
				p, n := vectorAt(t.bounds(), t.p, o)
				return text(t.bounds(), p, n)
			}
			p := unsafe.Add(t.p, o)
			p = unsafe.Add(p, binary.LittleEndian.Uint32((*[4]byte)(p)[:]))
			if n := binary.LittleEndian.Uint32((*[4]byte)(p)[:]); n != 0 {
				s = unsafe.String((*byte)(unsafe.Add(p, 4)), n)
			}
		}
	}
	return s
}

// Bytes returns the vector of bytes that the field at slot refers to, nil where
// it is absent or empty. It is not copied and must not be written to.
//
// Precondition: as for String.
func Bytes(t Table, slot uint16) (s []byte) {
	if debug {
		t.checkVTable()
	}
	if slot < binary.LittleEndian.Uint16((*[2]byte)(t.vt)[:]) {
		if o := binary.LittleEndian.Uint16((*[2]byte)(unsafe.Add(t.vt, slot))[:]); o != 0 {
			if debug {
				p, n := vectorAt(t.bounds(), t.p, o)
				return elements[byte](t.bounds(), p, 4, n)
			}
			p := unsafe.Add(t.p, o)
			p = unsafe.Add(p, binary.LittleEndian.Uint32((*[4]byte)(p)[:]))
			if n := binary.LittleEndian.Uint32((*[4]byte)(p)[:]); n != 0 {
				s = unsafe.Slice((*byte)(unsafe.Add(p, 4)), n)
			}
		}
	}
	return s
}

// inPlace tells whether values of type T can be used where they are in a
// buffer: the machine's byte order is the buffer's (or T is one byte), and p is
// aligned as T wants it, or the machine does not care.
func inPlace[T any](p unsafe.Pointer) bool {
	return unsafe.Sizeof(*new(T)) == 1 ||
		!mem.BigEndian && (mem.AnyAlignment || uintptr(p)%unsafe.Alignof(*new(T)) == 0)
}

// scalars returns a vector of numbers, in place if it can be.
func scalars[T Scalar](b bounds, p unsafe.Pointer, head uintptr, n int) []T {
	if n == 0 || inPlace[T](unsafe.Add(p, head)) {
		return elements[T](b, p, head, n)
	}
	return copyScalars[T](b, p, head, n)
}

func copyScalars[T Scalar](b bounds, p unsafe.Pointer, head uintptr, n int) []T {
	size := int(unsafe.Sizeof(*new(T)))
	from := elements[byte](b, p, head, n*size)
	out := make([]T, n)
	to := unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), n*size)
	copy(to, from)
	if mem.BigEndian {
		for ; len(to) > 0; to = to[size:] {
			slices.Reverse(to[:size])
		}
	}
	return out
}

// structs returns a vector of structs, in place if it can be. T has the memory
// layout of the buffer: its padding is explicit, so that no compiler adds any.
func structs[T any, P Struct[T]](b bounds, p unsafe.Pointer, head uintptr, n int) []T {
	if n == 0 || inPlace[T](unsafe.Add(p, head)) {
		return elements[T](b, p, head, n)
	}
	if debug {
		b.checkElements(p, head, n, unsafe.Sizeof(*new(T)))
	}
	out := make([]T, n)
	for i := range out {
		out[i] = structAt[T, P](b, p, head+uintptr(i)*unsafe.Sizeof(out[0]))
	}
	return out
}

// structAt returns the struct at offset o from p. Precondition: all its bytes are
// in the buffer.
func structAt[T any, P Struct[T]](b bounds, p unsafe.Pointer, o uintptr) T {
	if debug {
		b.check(p, o, unsafe.Sizeof(*new(T)), "struct")
	}
	if mem.BigEndian || !mem.AnyAlignment {
		return copyStruct[T, P](unsafe.Add(p, o))
	}
	return *(*T)(unsafe.Add(p, o))
}

func copyStruct[T any, P Struct[T]](p unsafe.Pointer) (v T) {
	size := unsafe.Sizeof(v)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), size), unsafe.Slice((*byte)(p), size))
	if mem.BigEndian {
		P(&v).SwapBytes()
	}
	return v
}

// refs returns the offset words of a vector of offsets; each refers on from
// where it is stored.
func refs(b bounds, p unsafe.Pointer, n int) []ref {
	return elements[ref](b, p, 4, n)
}

// ref is an offset word of a vector.
type ref [4]byte

// target returns what an offset word refers to. Precondition: e
// points into the buffer, and the n bytes that it refers to lie in the same buffer.
func (e *ref) target(b bounds, n uintptr) unsafe.Pointer {
	if debug {
		b.check(unsafe.Pointer(e), uintptr(binary.LittleEndian.Uint32(e[:])), n, "target")
	}
	return unsafe.Add(unsafe.Pointer(e), binary.LittleEndian.Uint32(e[:]))
}

// tableOf returns the table that an offset word of a vector refers to.
func tableOf(b bounds, e *ref) Table {
	if debug {
		return debugFollow(b, unsafe.Pointer(e), 0)
	}
	p := unsafe.Add(unsafe.Pointer(e), binary.LittleEndian.Uint32(e[:]))
	return Table{p: p, vt: unsafe.Add(p, -int(int32(binary.LittleEndian.Uint32((*[4]byte)(p)[:]))))}
}

// RootUnchecked returns the root table of buf, which starts with the offset of
// it. Precondition: a verification accepted buf as the type that the table is
// read as. On bytes shorter than four it panics or reads past them; whoever
// calls it vouches for buf.
func RootUnchecked(buf []byte) Table {
	p := unsafe.Pointer(unsafe.SliceData(buf))
	if debug {
		return debugFollow(newBounds(buf), p, 0)
	}
	p = unsafe.Add(p, binary.LittleEndian.Uint32((*[4]byte)(p)[:]))
	return Table{p: p, vt: unsafe.Add(p, -int(int32(binary.LittleEndian.Uint32((*[4]byte)(p)[:]))))}
}

// TableAtUnchecked returns the table at a position of buf. Precondition: a verification
// accepted buf with a table there, of the type that it is read as.
func TableAtUnchecked(buf []byte, at int) Table {
	b := newBounds(buf)
	p := unsafe.Add(unsafe.Pointer(unsafe.SliceData(buf)), at)
	b.check(unsafe.Pointer(unsafe.SliceData(buf)), uintptr(at), 4, "a table")
	return newTable(b, p, unsafe.Add(p, -int(int32(binary.LittleEndian.Uint32((*[4]byte)(p)[:])))))
}

// textOf returns the string that an offset word of a vector refers to.
func textOf(b bounds, e *ref) string {
	p := e.target(b, 4)
	return text(b, p, int(binary.LittleEndian.Uint32((*[4]byte)(p)[:])))
}

// structOf returns the struct that an offset word of a vector refers to.
func structOf[T any, P Struct[T]](b bounds, e *ref) T {
	return structAt[T, P](b, e.target(b, unsafe.Sizeof(*new(T))), 0)
}

// scalar returns the number field at slot, whatever its type.
// Precondition: as for field, and all bytes of the field are in the buffer.
func scalar[T Scalar](t Table, slot uint16, def T) T {
	o := field(t, slot)
	if o == 0 {
		return def
	}
	if debug {
		t.bounds().check(t.p, uintptr(o), unsafe.Sizeof(def), "field")
	}
	p := unsafe.Add(t.p, o)
	if inPlace[T](p) {
		return *(*T)(p)
	}
	return copyScalars[T](t.bounds(), p, 0, 1)[0]
}

// Fixed views. The precondition of each: the table's vtable has been compared
// with one that has a field of the right type at off, so that the field is there.

// fixedOf returns t as a fixed view.
func fixedOf(t Table) Fixed { return newFixed(t.bounds(), t.p) }

// matches compares all of the vtable of t but the table's size with vt. That of
// an absent table, which has no fields, matches nothing.
// Precondition: the vtable, as long as its first word says, is in the buffer.
func matches(t Table, vt VTable) bool {
	if debug {
		t.checkVTable()
	}
	n := mem.Load16(t.vt, 0)
	return int(n) == len(vt) && n > 4 &&
		unsafe.String((*byte)(unsafe.Add(t.vt, 4)), int(n)-4) == string(vt[4:])
}

func fixed8(f Fixed, off uint16) uint8 {
	if debug {
		f.bounds().check(f.p, uintptr(off), 1, "field")
	}
	return *(*uint8)(unsafe.Add(f.p, off))
}

func fixed16(f Fixed, off uint16) uint16 {
	if debug {
		f.bounds().check(f.p, uintptr(off), 2, "field")
	}
	return binary.LittleEndian.Uint16((*[2]byte)(unsafe.Add(f.p, off))[:])
}

func fixed32(f Fixed, off uint16) uint32 {
	if debug {
		f.bounds().check(f.p, uintptr(off), 4, "field")
	}
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(f.p, off))[:])
}

func fixed64(f Fixed, off uint16) uint64 {
	if debug {
		f.bounds().check(f.p, uintptr(off), 8, "field")
	}
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(f.p, off))[:])
}

// fixedChild returns the table that the offset word at off refers to.
func fixedChild(f Fixed, off uint16) Table {
	if debug {
		return debugFollow(f.bounds(), f.p, uintptr(off))
	}
	p := unsafe.Add(f.p, off)
	p = unsafe.Add(p, binary.LittleEndian.Uint32((*[4]byte)(p)[:]))
	return Table{p: p, vt: unsafe.Add(p, -int(int32(binary.LittleEndian.Uint32((*[4]byte)(p)[:]))))}
}

// fixedFollow is fixedChild without its vtable.
func fixedFollow(f Fixed, off uint16) Fixed {
	if debug {
		f.bounds().check(f.p, uintptr(off), 4, "offset")
		f.bounds().check(f.p, uintptr(off)+uintptr(mem.Load32(f.p, uintptr(off))), 4, "table")
	}
	p := unsafe.Add(f.p, off)
	return newFixed(f.bounds(), unsafe.Add(p, binary.LittleEndian.Uint32((*[4]byte)(p)[:])))
}

func fixedVector(f Fixed, off uint16) (unsafe.Pointer, int) {
	return vectorAt(f.bounds(), f.p, off)
}

// StringAt returns the string that the offset word at off refers to.
// Precondition: as for String.
func StringAt(f Fixed, off uint16) (s string) {
	if debug {
		p, n := fixedVector(f, off)
		return text(f.bounds(), p, n)
	}
	p := unsafe.Add(f.p, off)
	p = unsafe.Add(p, binary.LittleEndian.Uint32((*[4]byte)(p)[:]))
	if n := binary.LittleEndian.Uint32((*[4]byte)(p)[:]); n != 0 {
		s = unsafe.String((*byte)(unsafe.Add(p, 4)), n)
	}
	return s
}

// BytesAt returns the vector of bytes that the offset word at off refers to.
// Precondition: as for Bytes.
func BytesAt(f Fixed, off uint16) (s []byte) {
	if debug {
		p, n := fixedVector(f, off)
		return elements[byte](f.bounds(), p, 4, n)
	}
	p := unsafe.Add(f.p, off)
	p = unsafe.Add(p, binary.LittleEndian.Uint32((*[4]byte)(p)[:]))
	if n := binary.LittleEndian.Uint32((*[4]byte)(p)[:]); n != 0 {
		s = unsafe.Slice((*byte)(unsafe.Add(p, 4)), n)
	}
	return s
}

func fixedStruct[T any, P Struct[T]](f Fixed, off uint16) T {
	return structAt[T, P](f.bounds(), f.p, uintptr(off))
}

// refField returns the offset word at offset o of a table, refFixed that of a
// fixed view. Precondition: it is in the buffer.
func refField(t Table, o uint16) *ref {
	if debug {
		t.bounds().check(t.p, uintptr(o), 4, "offset")
	}
	return (*ref)(unsafe.Add(t.p, o))
}

func refFixed(f Fixed, off uint16) *ref {
	if debug {
		f.bounds().check(f.p, uintptr(off), 4, "offset")
	}
	return (*ref)(unsafe.Add(f.p, off))
}

// tableOfFixed returns the table that a fixed view is of.
func tableOfFixed(f Fixed) Table { return tableAt(f.bounds(), f.p) }
