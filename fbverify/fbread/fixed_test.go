package fbread_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/fbverify/go/fbverify/fbread"
	flatbuffers "github.com/google/flatbuffers/go"
)

func TestFixedViewsReadWhatViewsRead(t *testing.T) {
	v := fbread.As[Hier](fbread.RootUnchecked(buildHier(false)))
	f, ok := v.Fixed()
	if !ok {
		t.Fatal("a message with every field set, in the order of Create functions, has no fixed view")
	}
	equal(t, "root's a", f.A(), v.A())
	l, w := f.Intermediate().Leaf(), v.Intermediate().Leaf()
	equal(t, "leaf", [9]uint64{l.A(), l.B(), l.C(), l.D(), l.E(), l.F(), l.G(), l.H(), l.I()},
		[9]uint64{w.A(), w.B(), w.C(), w.D(), w.E(), w.F(), w.G(), w.H(), w.I()})
	equal(t, "leaf's i", l.I(), 29)
}

func TestOtherLayoutsHaveNoFixedView(t *testing.T) {
	other := fbread.As[Hier](fbread.RootUnchecked(buildHier(true)))
	if _, ok := other.Fixed(); ok {
		t.Error("fields in another order have a fixed view")
	}
	equal(t, "the view of it", other.Intermediate().Leaf().I(), 29)
	if _, ok := fbread.Absent[Hier]().Fixed(); ok {
		t.Error("an absent table has a fixed view")
	}
	// Any bit of a vtable but those of the table's size decides.
	buf := buildHier(false)
	root := binary.LittleEndian.Uint32(buf)
	vtable := int(root) - int(int32(binary.LittleEndian.Uint32(buf[root:])))
	n := int(binary.LittleEndian.Uint16(buf[vtable:]))
	for i := range n {
		if i == 1 {
			continue // a vtable longer than the buffer is none
		}
		changed := at(buf, 0)
		changed[vtable+i] ^= 1
		_, ok := fbread.Match[HierFixed](fbread.RootUnchecked(changed), vtableHier)
		if want := i == 2 || i == 3; ok != want {
			t.Errorf("byte %d of the vtable changed: fixed %v", i, ok)
		}
	}
}

func TestAllFixedTellsSiblingsApart(t *testing.T) {
	b := flatbuffers.NewBuilder(0)
	var refs []flatbuffers.UOffsetT
	const n = 60
	for i := range n {
		b.StartObject(9)
		for f := 8; f >= 0; f-- {
			if i%5 != 3 || f != 4 {
				b.PrependUint64Slot(f, uint64(100*i+f+1), 0)
			}
		}
		refs = append(refs, b.EndObject())
	}
	vec := offsets(b, refs...)
	b.StartObject(1)
	b.PrependUOffsetTSlot(0, vec, 0)
	b.Finish(b.EndObject())
	leaves := fbread.Tables[Leaf](fbread.RootUnchecked(b.FinishedBytes()), 4)
	i := 0
	for v, f := range fbread.AllFixedUnchecked[LeafFixed](leaves, vtableLeaf) {
		equal(t, fmt.Sprintf("whether %d has the layout", i), f.Present(), i%5 != 3)
		equal(t, "the view", v, leaves.At(i))
		if f.Present() {
			equal(t, "a field", f.E(), v.E())
			equal(t, "the last field", f.I(), uint64(100*i+9))
		}
		i++
	}
	equal(t, "tables", i, n)
	for range fbread.AllFixedUnchecked[LeafFixed](leaves, vtableLeaf) {
		break
	}
}

// The root of everything(), whose vtable is read here instead of known.
func TestEveryKindOfFixedField(t *testing.T) {
	buf := everything()
	root := binary.LittleEndian.Uint32(buf)
	vtable := int(root) - int(int32(binary.LittleEndian.Uint32(buf[root:])))
	known := fbread.VTable(buf[vtable : vtable+int(binary.LittleEndian.Uint16(buf[vtable:]))])
	off := func(id int) uint16 { return binary.LittleEndian.Uint16([]byte(known)[4+2*id:]) }
	for shift := range 8 {
		r := fbread.RootUnchecked(at(buf, shift))
		v, ok := fbread.Match[LeafFixed](r, known) // no Leaf, but read by offsets
		f := fbread.UncheckedFixed(v)
		if !ok || !fbread.PresentFixed(f) {
			t.Fatal("a vtable does not match itself")
		}
		equal(t, "bool", fbread.BoolAt(f, off(idBool)), true)
		equal(t, "int8", fbread.Int8At(f, off(idInt8)), -8)
		equal(t, "uint8", fbread.Uint8At(f, off(idUint8)), 200)
		equal(t, "int16", fbread.Int16At(f, off(idInt16)), -1616)
		equal(t, "uint16", fbread.Uint16At(f, off(idUint16)), 61616)
		equal(t, "int32", fbread.Int32At(f, off(idInt32)), -32<<20)
		equal(t, "uint32", fbread.Uint32At(f, off(idUint32)), 0xdeadbeef)
		equal(t, "int64", fbread.Int64At(f, off(idInt64)), math.MinInt64)
		equal(t, "uint64", fbread.Uint64At(f, off(idUint64)), math.MaxUint64)
		equal(t, "float32", fbread.Float32At(f, off(idFloat32)), 1.25)
		equal(t, "float64", fbread.Float64At(f, off(idFloat64)), -math.Pi)
		equal(t, "string", fbread.StringAt(f, off(idString)), "grüße")
		equal(t, "bytes", string(fbread.BytesAt(f, off(idBytes))), "\x01\x02\x03")
		equal(t, "scalars", fmt.Sprint(fbread.ScalarsAt[int64](f, off(idInt64s))), "[1099511627776 -2]")
		equal(t, "bools", fbread.BoolsAt(f, off(idBools)).Len(), 3)
		equal(t, "strings", fbread.StringsAt(f, off(idStrings)).At(2), "ccc")
		equal(t, "tables", fbread.TablesAt[item](f, off(idTables)).At(1).Name(), "bee")
		equal(t, "struct", fbread.InlineStructAt[pair](f, off(idStruct)), samplePair(1))
		equal(t, "structs", fbread.StructsAt[pair](f, off(idStructs))[3], samplePair(3))
		equal(t, "child", fbread.ChildAt[item](f, off(idChild)).Name(), "child")
		child := fbread.UncheckedFixed(fbread.FixedAt[LeafFixed](f, off(idChild)))
		equal(t, "fixed child", fbread.TableOf(child), fbread.Unchecked(fbread.ChildAt[item](f, off(idChild))))
	}
}
