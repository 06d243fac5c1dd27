package fbread

import (
	"encoding/binary"
	"unsafe"
)

// PutUnchecked writes v into the field at slot, and tells whether it is there. Whoever
// calls it vouches for the memory of the buffer being writable, for nobody reading it
// meanwhile, and for no offset and no vtable lying where the field does: a verification
// does not ask whether objects overlap.
func PutUnchecked[T Scalar](t Table, slot uint16, v T) bool {
	o := field(t, slot)
	if o == 0 {
		return false
	}
	t.bounds().check(t.p, uintptr(o), unsafe.Sizeof(v), "field")
	p, from := unsafe.Add(t.p, o), unsafe.Pointer(&v)
	switch unsafe.Sizeof(v) {
	case 1:
		*(*uint8)(p) = *(*uint8)(from)
	case 2:
		binary.LittleEndian.PutUint16((*[2]byte)(p)[:], *(*uint16)(from))
	case 4:
		binary.LittleEndian.PutUint32((*[4]byte)(p)[:], *(*uint32)(from))
	case 8:
		binary.LittleEndian.PutUint64((*[8]byte)(p)[:], *(*uint64)(from))
	}
	return true
}
