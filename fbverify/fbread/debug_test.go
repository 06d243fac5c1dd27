//go:build fbdebug

package fbread_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify/fbread"
)

// damaged is a buffer whose root, at 16, has three fields and a vtable at 4; change
// breaks what the read after it takes for granted.
func damaged(change func(buf []byte)) []byte {
	buf := []byte{
		16, 0, 0, 0,
		12, 0, 20, 0, 4, 0, 8, 0, 12, 0, 0, 0, // vtable: fields at 4, 8, 12
		12, 0, 0, 0, // table at 16
		28, 0, 0, 0, // 20: refers to 48
		28, 0, 0, 0, // 24: refers to 52
		28, 0, 0, 0, // 28: refers to 56
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		1, 0, 0, 0, // 48: a vector of one offset
		4, 0, 0, 0, // 52: to 56
		44, 0, 0, 0, // 56: a table, its vtable at 12
	}
	if change != nil {
		change(buf)
	}
	return at(buf, 0)
}

func put32(pos int, v uint32) func([]byte) {
	return func(buf []byte) { binary.LittleEndian.PutUint32(buf[pos:], v) }
}

func put16(pos int, v uint16) func([]byte) {
	return func(buf []byte) { binary.LittleEndian.PutUint16(buf[pos:], v) }
}

func TestDebugBuildsPanicWhereAPreconditionDoesNotHold(t *testing.T) {
	type reads func(r fbread.Table)
	for _, c := range []struct {
		name   string
		change func([]byte)
		read   reads
		says   string
	}{
		{"vtable before the buffer", put32(16, 17), func(r fbread.Table) { fbread.Uint8(r, 4, 0) }, "vtable"},
		{"vtable after the buffer", put32(16, 0xffffff00), func(r fbread.Table) { fbread.Uint8(r, 4, 0) }, "vtable"},
		{"vtable longer than the buffer", put16(4, 1000), func(r fbread.Table) { fbread.Uint8(r, 4, 0) }, "vtable"},
		{"vtable longer than the buffer, fixed", put16(4, 1000), func(r fbread.Table) { fbread.Match[LeafFixed](r, vtableLeaf) }, "vtable"},
		{"8-bit field", put16(8, 44), func(r fbread.Table) { fbread.Uint8(r, 4, 0) }, "field"},
		{"16-bit field", put16(8, 43), func(r fbread.Table) { fbread.Uint16(r, 4, 0) }, "field"},
		{"32-bit field", put16(8, 41), func(r fbread.Table) { fbread.Uint32(r, 4, 0) }, "field"},
		{"64-bit field", put16(8, 37), func(r fbread.Table) { fbread.Uint64(r, 4, 0) }, "field"},
		{"offset word", put16(8, 41), func(r fbread.Table) { fbread.Child[item](r, 4) }, "offset"},
		{"child", put32(20, 0xffff), func(r fbread.Table) { fbread.Child[item](r, 4) }, "table"},
		{"string's offset word", put16(8, 41), func(r fbread.Table) { fbread.String(r, 4) }, "offset"},
		{"string's length word", put32(20, 37), func(r fbread.Table) { fbread.String(r, 4) }, "length"},
		{"string's bytes", put32(48, 9), func(r fbread.Table) { fbread.String(r, 4) }, "vector"},
		{"bytes", put32(48, 9), func(r fbread.Table) { fbread.Bytes(r, 4) }, "vector"},
		{"scalars", put32(48, 2), func(r fbread.Table) { fbread.Scalars[uint64](r, 4) }, "vector"},
		{"scalars beyond memory", put32(48, 0xffffffff), func(r fbread.Table) { fbread.Scalars[uint64](r, 4) }, ""},
		{"structs", put32(48, 1), func(r fbread.Table) { fbread.Structs[pair](r, 4) }, "vector"},
		{"offsets", put32(48, 3), func(r fbread.Table) { fbread.Tables[item](r, 4) }, "vector"},
		{"element", put32(52, 5), func(r fbread.Table) { fbread.Tables[item](r, 4).At(0) }, "table"},
		{"element's string", put32(52, 5), func(r fbread.Table) { fbread.Strings(r, 4).At(0) }, "target"},
		{"string of a vector", put32(56, 1), func(r fbread.Table) { fbread.Strings(r, 4).At(0) }, "vector"},
		{"table of unions", put32(52, 0x7fffff00), func(r fbread.Table) { fbread.UnionTable[item](fbread.Unions(r, 4).At(0)) }, "table"},
		{"struct of unions", nil, func(r fbread.Table) { fbread.UnionStruct[pair](fbread.Unions(r, 4).At(0)) }, "target"},
		{"struct of a union", nil, func(r fbread.Table) { fbread.UnionStruct[pair](fbread.UnionOf(r, 4)) }, "target"},
		{"inline struct", put16(8, 16), func(r fbread.Table) { fbread.InlineStruct[pair](r, 4) }, "struct"},
		{"far offset word", put16(8, 40), func(r fbread.Table) { fbread.StringFar(r, 4) }, "offset"},
		{"far length word", put32(24, 1), func(r fbread.Table) { fbread.BytesFar(r, 4) }, "length"},
		{"64-bit length word", func(buf []byte) { put32(20, 36)(buf); put32(24, 0)(buf) }, func(r fbread.Table) { fbread.Bytes64(r, 4) }, "length"},
		{"64-bit vector", func(buf []byte) { put32(20, 28)(buf); put32(24, 0)(buf) }, func(r fbread.Table) { fbread.Bytes64(r, 4) }, ""},
		{"key of a lookup", put32(56, 0xffffffff-4), func(r fbread.Table) {
			fbread.LookupUnchecked(fbread.Tables[item](r, 4), 4, uint32(0), 1)
		}, "vtable"},
		{"key", put16(8, 60), func(r fbread.Table) { fbread.OptFloat64(r, 4) }, "field"},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				says, ok := recover().(string)
				if !ok || !strings.HasPrefix(says, "fbread: "+c.says) {
					t.Errorf("the panic says %q, want one about a %s", says, c.says)
				}
			}()
			c.read(fbread.RootUnchecked(damaged(c.change)))
		})
	}
}

func TestDebugBuildsPanicOnRootsOutsideTheBuffer(t *testing.T) {
	for _, buf := range [][]byte{nil, {}, {4, 0, 0}, {4, 0, 0, 0}, {4, 0, 0, 0, 0}, {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("the root of %v was read", buf)
				}
			}()
			fbread.RootUnchecked(buf)
		}()
	}
}

func TestDebugBuildsPanicOnFixedReadsOutsideTheBuffer(t *testing.T) {
	v, ok := fbread.Match[LeafFixed](fbread.RootUnchecked(damaged(nil)), "\x0c\x00\x00\x00\x04\x00\x08\x00\x0c\x00\x00\x00")
	if !ok {
		t.Fatal("the vtable does not match")
	}
	f := fbread.UncheckedFixed(v)
	for name, read := range map[string]func(){
		"uint8":  func() { fbread.Uint8At(f, 44) },
		"uint16": func() { fbread.Uint16At(f, 43) },
		"uint32": func() { fbread.Uint32At(f, 41) },
		"uint64": func() { fbread.Uint64At(f, 37) },
		"child":  func() { fbread.ChildAt[item](f, 44) },
		"fixed":  func() { fbread.FixedAt[LeafFixed](f, 41) },
		"string": func() { fbread.StringAt(f, 41) },
		"tables": func() { fbread.TablesAt[item](f, 44) },
		"struct": func() { fbread.InlineStructAt[pair](f, 16) },
		"zero":   func() { fbread.Uint8At(fbread.Fixed{}, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it was read")
				}
			}()
			read()
		})
	}
}
