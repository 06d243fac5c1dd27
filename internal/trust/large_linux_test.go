//go:build linux && (amd64 || arm64 || riscv64 || s390x)

package trust_test

import (
	"encoding/binary"
	"errors"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/trust/trusttest"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

// TestLargeBuffersAreRefusedWhereOffsetsCannotReach: 2^31-1 bytes are the most for a
// schema without 64-bit offsets. The pages are reserved and not used.
func TestLargeBuffersAreRefusedWhereOffsetsCannotReach(t *testing.T) {
	const size = 1<<31 + 64
	b, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skip("no address space: ", err)
	}
	defer func() {
		if err := syscall.Munmap(b); err != nil {
			t.Error(err)
		}
	}()
	copy(b, []byte{8, 0, 0, 0, 4, 0, 4, 0, 4, 0, 0, 0})
	prefixed := b[32:]
	binary.LittleEndian.PutUint32(prefixed, 1<<31-1-4)
	copy(prefixed[4:], b[:12])
	for text, wide := range map[string]bool{
		"table T { x:int; } root_type T;":                                false,
		"table T { x:[ubyte] (vector64); } root_type T;":                 true,
		"table T { x:string (offset64); } root_type T;":                  true,
		"table U { x:[int] (offset64); } table T { u:U; }\nroot_type T;": true,
	} {
		s, err := fbs.ParseFS(fstest.MapFS{"t.fbs": {Data: []byte(text)}}, "t.fbs")
		if err != nil {
			t.Fatal(err)
		}
		typ := trusttest.Compile(t, s)
		if err := typ.Verify(b[:1<<31-1], nil); err != nil {
			t.Errorf("%s: 2^31-1 bytes: %v", text, err)
		}
		if faults := typ.Explain(b[:1<<31-1], nil); faults != nil {
			t.Errorf("%s: 2^31-1 bytes: %v", text, faults)
		}
		if err := typ.Verify(prefixed[:1<<31-1], &fbverify.Options{Framing: fbverify.SizePrefixed}); err != nil {
			t.Errorf("%s: 2^31-1 bytes with the prefix: %v", text, err)
		}
		for _, n := range []int{1 << 31, size} {
			err := typ.Verify(b[:n], nil)
			faults := typ.Explain(b[:n], nil)
			if wide && (err != nil || faults != nil) || !wide && (!errors.Is(err, fbverify.ErrTooLarge) || len(faults) != 1) {
				t.Errorf("%s: %d bytes: %v, Explain %v", text, n, err, faults)
			}
		}
	}
}

// TestLargeNestedBuffersAreRefusedAsTheyAreAlone: a vector of 64 bits can hold more bytes
// than the offsets of a nested buffer reach, and so can an ordinary one.
func TestLargeNestedBuffersAreRefusedAsTheyAreAlone(t *testing.T) {
	const size, head = 1<<31 + 128, 56
	b, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skip("no address space: ", err)
	}
	defer func() {
		if err := syscall.Munmap(b); err != nil {
			t.Error(err)
		}
	}()
	for text, wide := range map[string]bool{
		"table N { x:int; } table T { n:[ubyte] (vector64, nested_flatbuffer:\"N\"); } root_type T;":                                                                false,
		"table N { x:int; } table T { n:[ubyte] (nested_flatbuffer:\"N\"); far:string (offset64); } root_type T;":                                                   false,
		"table N { x:[int] (offset64); } table T { n:[ubyte] (vector64, nested_flatbuffer:\"N\"); } root_type T;":                                                   true,
		"table M { x:[int] (offset64); } table N { m:M; } table T { n:[ubyte] (vector64, nested_flatbuffer:\"N\"); } root_type T;":                                  true,
		"table M { x:string (offset64); } union U { M } table N { u:U; } table T { n:[ubyte] (vector64, nested_flatbuffer:\"N\"); } root_type T;":                   true,
		"table O { n:[ubyte] (nested_flatbuffer:\"M\"); } table M { x:string (offset64); } table T { n:[ubyte] (vector64, nested_flatbuffer:\"O\"); } root_type T;": true,
	} {
		s, err := fbs.ParseFS(fstest.MapFS{"t.fbs": {Data: []byte(text)}}, "t.fbs")
		if err != nil {
			t.Fatal(err)
		}
		typ := trusttest.Compile(t, s)
		long := s.Root.Fields[0].Type.Base == schema.Vector64
		for _, n := range []uint64{1<<31 - 1, 1 << 31} {
			clear(b[:head+16])
			put := binary.LittleEndian
			// A vtable of one entry at 8, the table at 16 with the offset in its second
			// eight bytes, the vector's length right before its bytes at head.
			put.PutUint32(b, 16)
			put.PutUint16(b[8:], 6)
			put.PutUint16(b[10:], 16)
			put.PutUint16(b[12:], 8)
			put.PutUint32(b[16:], 8)
			if long {
				put.PutUint64(b[24:], head-8-24)
				put.PutUint64(b[head-8:], n)
			} else {
				put.PutUint32(b[24:], head-4-24)
				put.PutUint32(b[head-4:], uint32(n))
			}
			copy(b[head:], []byte{8, 0, 0, 0, 4, 0, 4, 0, 4, 0, 0, 0})
			err := typ.Verify(b, nil)
			faults := typ.Explain(b, nil)
			if refused := n > 1<<31-1 && !wide; refused != errors.Is(err, fbverify.ErrTooLarge) || !refused && err != nil || refused != (len(faults) == 1) {
				t.Errorf("%s: %d bytes: %v, Explain %v", text, n, err, faults)
			}
		}
	}
}
