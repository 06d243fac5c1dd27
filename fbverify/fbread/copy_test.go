package fbread

import (
	"encoding/binary"
	"fmt"
	"testing"
	"unsafe"

	"github.com/fbverify/go/fbverify/internal/mem"
)

// Copies are made where values cannot be used in place; elsewhere they must come
// to the same. These tests call them on every machine.

func checkCopies[T Scalar](t *testing.T, raw []byte) {
	t.Helper()
	n := (len(raw) - 4) / int(unsafe.Sizeof(*new(T)))
	got := copyScalars[T](newBounds(raw), unsafe.Pointer(&raw[0]), 4, n)
	want := scalars[T](newBounds(raw), unsafe.Pointer(&raw[0]), 4, n)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%T: copied %v, in place %v", *new(T), got, want)
	}
	if size := int(unsafe.Sizeof(*new(T))); size == 8 {
		for i, v := range want {
			bits := binary.LittleEndian.Uint64(raw[4+8*i:])
			if fmt.Sprint(v) != fmt.Sprint(T(bits)) && fmt.Sprintf("%T", v) == "uint64" {
				t.Errorf("element %d is %v, the bytes say %d", i, v, bits)
			}
		}
	}
}

func TestCopiedNumbersAreThoseInPlace(t *testing.T) {
	for off := range 8 {
		raw := make([]byte, off+40)
		for i := range raw {
			raw[i] = byte(i*37 + 5)
		}
		raw = raw[off:]
		checkCopies[int8](t, raw)
		checkCopies[uint8](t, raw)
		checkCopies[int16](t, raw)
		checkCopies[uint16](t, raw)
		checkCopies[int32](t, raw)
		checkCopies[uint32](t, raw)
		checkCopies[int64](t, raw)
		checkCopies[uint64](t, raw)
		checkCopies[float32](t, raw)
		checkCopies[float64](t, raw)
	}
}

type sample struct {
	A uint16
	_ [2]byte
	B int32
	C float64
	D [2]float32
	E [3]int64
}

func (s *sample) SwapBytes() {
	Swap2(&s.A)
	Swap4(&s.B)
	SwapFloat64(&s.C)
	for i := range s.D {
		SwapFloat32(&s.D[i])
	}
	for i := range s.E {
		Swap8(&s.E[i])
	}
}

func TestCopiedStructsAreThoseInPlace(t *testing.T) {
	raw := make([]byte, 4+2*int(unsafe.Sizeof(sample{})))
	for i := range raw {
		raw[i] = byte(i*11 + 1)
	}
	b := newBounds(raw)
	for i, v := range structs[sample](b, unsafe.Pointer(&raw[0]), 4, 2) {
		at := 4 + i*int(unsafe.Sizeof(sample{}))
		c := copyStruct[sample](unsafe.Pointer(&raw[at]))
		if c != v || structAt[sample](b, unsafe.Pointer(&raw[0]), uintptr(at)) != v {
			t.Errorf("struct %d: copied %v, in place %v", i, c, v)
		}
		if v.A != binary.LittleEndian.Uint16(raw[at:]) || v.B != int32(binary.LittleEndian.Uint32(raw[at+4:])) || v.E[2] != int64(binary.LittleEndian.Uint64(raw[at+40:])) {
			t.Errorf("struct %d is %v", i, v)
		}
	}
}

func TestSwappingTwiceChangesNothingAndOnceReversesEveryNumber(t *testing.T) {
	s := sample{A: 0x0102, B: 0x01020304, C: 1.5, D: [2]float32{1, -2}, E: [3]int64{1, 2, -3}}
	c := s
	c.SwapBytes()
	if c.A != 0x0201 || c.B != 0x04030201 || c.E[0] != 1<<56 {
		t.Errorf("swapped once: %#v", c)
	}
	c.SwapBytes()
	if c != s {
		t.Errorf("swapped twice: %#v", c)
	}
}

func TestNumbersAreUsedInPlaceOnlyWhereTheMachineCan(t *testing.T) {
	var word [16]byte
	p := unsafe.Pointer(&word)
	if uintptr(p)%8 != 0 {
		p = unsafe.Add(p, 8-uintptr(p)%8)
	}
	if inPlace[uint64](p) == mem.BigEndian {
		t.Error("an aligned uint64")
	}
	if inPlace[uint64](unsafe.Add(p, 1)) && !mem.AnyAlignment {
		t.Error("a misaligned uint64 on a machine that faults")
	}
	if !inPlace[uint8](unsafe.Add(p, 1)) {
		t.Error("a byte")
	}
}
