package fbread_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/fbverify/go/fbverify/fbread"
	flatbuffers "github.com/google/flatbuffers/go"
)

// item is a view of the tables that leaf writes.
type item fbread.Of[item]

func (v item) Key() uint32  { return fbread.Uint32(fbread.Unchecked(v), 4, 0) }
func (v item) Name() string { return fbread.String(fbread.Unchecked(v), 6) }

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestEveryKindOfFieldReadsWhatWasWrittenAtEveryAddress(t *testing.T) {
	for off := range 8 {
		t.Run("address+"+strconv.Itoa(off), func(t *testing.T) {
			checkEverything(t, fbread.RootUnchecked(at(everything(), off)))
		})
	}
}

func checkEverything(t *testing.T, r fbread.Table) {
	equal(t, "bool", fbread.Bool(r, slot(idBool), false), true)
	equal(t, "int8", fbread.Int8(r, slot(idInt8), 0), -8)
	equal(t, "uint8", fbread.Uint8(r, slot(idUint8), 0), 200)
	equal(t, "int16", fbread.Int16(r, slot(idInt16), 0), -1616)
	equal(t, "uint16", fbread.Uint16(r, slot(idUint16), 0), 61616)
	equal(t, "int32", fbread.Int32(r, slot(idInt32), 0), -32<<20)
	equal(t, "uint32", fbread.Uint32(r, slot(idUint32), 0), 0xdeadbeef)
	equal(t, "int64", fbread.Int64(r, slot(idInt64), 0), math.MinInt64)
	equal(t, "uint64", fbread.Uint64(r, slot(idUint64), 0), math.MaxUint64)
	equal(t, "float32", fbread.Float32(r, slot(idFloat32), 0), 1.25)
	equal(t, "float64", fbread.Float64(r, slot(idFloat64), 0), -math.Pi)

	equal(t, "string", fbread.String(r, slot(idString)), "grüße")
	equal(t, "bytes", string(fbread.Bytes(r, slot(idBytes))), "\x01\x02\x03")
	equal(t, "uint16s", fmt.Sprint(fbread.Scalars[uint16](r, slot(idUint16s))), "[1 2 300]")
	equal(t, "int64s", fmt.Sprint(fbread.Scalars[int64](r, slot(idInt64s))), "[1099511627776 -2]")
	equal(t, "float64s", fmt.Sprint(fbread.Scalars[float64](r, slot(idFloat64s))), "[-0.5 +Inf]")

	bools := fbread.Bools(r, slot(idBools))
	equal(t, "bools", fmt.Sprint(bools.Len(), bools.At(2), slices.Collect(bools.Values()), bools.Append(nil)), "3 true [false true true] [false true true]")
	for i, b := range bools.All() {
		equal(t, "bool in range", b, i > 0)
	}
	texts := fbread.Strings(r, slot(idStrings))
	equal(t, "strings", fmt.Sprintf("%d %q %q", texts.Len(), texts.At(2), slices.Collect(texts.Values())), `3 "ccc" ["a" "" "ccc"]`)
	for i, s := range texts.All() {
		equal(t, "string in range", s, texts.At(i))
	}

	tables := fbread.Tables[item](r, slot(idTables))
	equal(t, "tables", tables.Len(), 3)
	var names string
	for i, v := range tables.All() {
		names += v.Name()
		equal(t, "element by index", tables.At(i), v)
	}
	for v := range tables.Slice(1, 3).Values() {
		names += v.Name()
	}
	equal(t, "names", names, "antbeecowbeecow")

	got, ok := fbread.InlineStruct[pair](r, slot(idStruct))
	equal(t, "struct", got, samplePair(1))
	equal(t, "struct is there", ok, true)
	for i, p := range fbread.Structs[pair](r, slot(idStructs)) {
		equal(t, "struct of a vector", p, samplePair(i))
		equal(t, "bool of a struct", p.Flag.Bool(), i%3 != 0)
	}
	equal(t, "structs", len(fbread.Structs[pair](r, slot(idStructs))), 4)

	equal(t, "child", fbread.Child[item](r, slot(idChild)).Name(), "child")
	equal(t, "union of a struct", fbread.UnionStruct[pair](fbread.UnionOf(r, slot(idUnionStruct))), samplePair(4))
	unions := fbread.Unions(r, slot(idUnions))
	equal(t, "unions", unions.Len(), 3)
	equal(t, "table of unions", fbread.UnionTable[item](unions.At(0)).Key(), 8)
	equal(t, "string of unions", fbread.UnionString(unions.At(1)), "text")
	equal(t, "struct of unions", fbread.UnionStruct[pair](unions.At(2)), samplePair(6))

	for id := range numIDs {
		equal(t, "presence of field "+strconv.Itoa(id), fbread.Has(r, slot(id)), true)
	}
	equal(t, "presence past the vtable", fbread.Has(r, slot(numIDs)), false)

	b, ok := fbread.OptBool(r, slot(idBool))
	equal(t, "opt bool", b && ok, true)
	i8, ok := fbread.OptInt8(r, slot(idInt8))
	equal(t, "opt int8", i8 == -8 && ok, true)
	u8, ok := fbread.OptUint8(r, slot(idUint8))
	equal(t, "opt uint8", u8 == 200 && ok, true)
	i16, ok := fbread.OptInt16(r, slot(idInt16))
	equal(t, "opt int16", i16 == -1616 && ok, true)
	u16, ok := fbread.OptUint16(r, slot(idUint16))
	equal(t, "opt uint16", u16 == 61616 && ok, true)
	i32, ok := fbread.OptInt32(r, slot(idInt32))
	equal(t, "opt int32", i32 == -32<<20 && ok, true)
	u32, ok := fbread.OptUint32(r, slot(idUint32))
	equal(t, "opt uint32", u32 == 0xdeadbeef && ok, true)
	i64, ok := fbread.OptInt64(r, slot(idInt64))
	equal(t, "opt int64", i64 == math.MinInt64 && ok, true)
	u64, ok := fbread.OptUint64(r, slot(idUint64))
	equal(t, "opt uint64", u64 == math.MaxUint64 && ok, true)
	f32, ok := fbread.OptFloat32(r, slot(idFloat32))
	equal(t, "opt float32", f32 == 1.25 && ok, true)
	f64, ok := fbread.OptFloat64(r, slot(idFloat64))
	equal(t, "opt float64", f64 == -math.Pi && ok, true)
}

func TestAbsentFieldsReadAsDefaults(t *testing.T) {
	root := fbread.RootUnchecked(emptyRoot())
	for name, r := range map[string]fbread.Table{
		"fields of an empty table":   root,
		"fields of an absent table":  fbread.Unchecked(fbread.Absent[item]()),
		"fields below absent tables": fbread.Unchecked(fbread.Child[item](fbread.Unchecked(fbread.Child[item](root, 4)), 6)),
	} {
		t.Run(name, func(t *testing.T) {
			equal(t, "presence", fbread.Present(r), name == "fields of an empty table")
			equal(t, "bool", fbread.Bool(r, 4, true), true)
			equal(t, "int8", fbread.Int8(r, 4, -1), -1)
			equal(t, "uint8", fbread.Uint8(r, 4, 1), 1)
			equal(t, "int16", fbread.Int16(r, 4, -2), -2)
			equal(t, "uint16", fbread.Uint16(r, 65534, 2), 2)
			equal(t, "int32", fbread.Int32(r, 4, -3), -3)
			equal(t, "uint32", fbread.Uint32(r, 4, 3), 3)
			equal(t, "int64", fbread.Int64(r, 4, -4), -4)
			equal(t, "uint64", fbread.Uint64(r, 4, 4), 4)
			equal(t, "float32", fbread.Float32(r, 4, 0.5), 0.5)
			equal(t, "float64", fbread.Float64(r, 4, 0.25), 0.25)
			_, ok := fbread.OptUint32(r, 4)
			equal(t, "optional", ok, false)
			equal(t, "string", fbread.String(r, 4), "")
			equal(t, "far string", fbread.StringFar(r, 4), "")
			equal(t, "bytes", len(fbread.Bytes(r, 4))+len(fbread.BytesFar(r, 4))+len(fbread.Bytes64(r, 4)), 0)
			equal(t, "scalars", len(fbread.Scalars[uint32](r, 4))+len(fbread.ScalarsFar[uint32](r, 4))+len(fbread.Scalars64[uint32](r, 4)), 0)
			equal(t, "structs", len(fbread.Structs[pair](r, 4))+len(fbread.StructsFar[pair](r, 4))+len(fbread.Structs64[pair](r, 4)), 0)
			equal(t, "bools", fbread.Bools(r, 4).Len()+fbread.BoolsFar(r, 4).Len()+fbread.Bools64(r, 4).Len(), 0)
			equal(t, "strings", fbread.Strings(r, 4).Len(), 0)
			equal(t, "tables", fbread.Tables[item](r, 4).Len(), 0)
			equal(t, "unions", fbread.Unions(r, 4).Len(), 0)
			_, ok = fbread.InlineStruct[pair](r, 4)
			equal(t, "struct", ok, false)
			equal(t, "union", fbread.UnionOf(r, 4), fbread.UnionValue{})
			_, ok = fbread.LookupStringUnchecked(fbread.Tables[item](r, 4), 6, "")
			equal(t, "lookup", ok, false)
			_, ok = fbread.Match[LeafFixed](r, "\x06\x00\x04\x00\x04\x00")
			equal(t, "fixed", ok, false)
		})
	}
}

// An empty vector or string may be the last thing in a buffer. A pointer to its
// first element would point behind the allocation, which checkptr reports.
func TestEmptyVectorsAtTheVeryEndOfABuffer(t *testing.T) {
	buf := []byte{
		12, 0, 0, 0, // root at 12
		6, 0, 8, 0, 4, 0, 0, 0, // vtable at 4: one field at 4
		8, 0, 0, 0, 4, 0, 0, 0, // table: its vtable, offset to 20
		0, 0, 0, 0, // a vector of no elements at 20
	}
	for off := range 4 {
		r := fbread.RootUnchecked(at(buf, off))
		equal(t, "string", fbread.String(r, 4), "")
		equal(t, "bytes", len(fbread.Bytes(r, 4)), 0)
		equal(t, "scalars", len(fbread.Scalars[float64](r, 4)), 0)
		equal(t, "structs", len(fbread.Structs[pair](r, 4)), 0)
		equal(t, "strings", fbread.Strings(r, 4).Len(), 0)
		equal(t, "tables", fbread.Tables[item](r, 4).Len(), 0)
		equal(t, "unions", fbread.Unions(r, 4).Len(), 0)
		v, ok := fbread.Match[LeafFixed](r, "\x06\x00\x00\x00\x04\x00")
		f := fbread.UncheckedFixed(v)
		equal(t, "match", ok, true)
		equal(t, "fixed string", fbread.StringAt(f, 4), "")
		equal(t, "fixed bytes", len(fbread.BytesAt(f, 4)), 0)
		equal(t, "fixed tables", fbread.TablesAt[item](f, 4).Len(), 0)
	}
}

func TestOffsetsAndLengthsOf64Bits(t *testing.T) {
	buf := []byte{
		16, 0, 0, 0, // root at 16
		10, 0, 20, 0, 4, 0, 12, 0, 12, 0, 0, 0, // vtable at 4: fields at 4, 12, 12
		12, 0, 0, 0, // table at 16
		16, 0, 0, 0, 0, 0, 0, 0, // 20: far string, at 36
		20, 0, 0, 0, 0, 0, 0, 0, // 28: vector64, at 48
		5, 0, 0, 0, 'h', 'e', 'l', 'l', 'o', 0, 0, 0, // 36
		2, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, // 48
	}
	r := fbread.RootUnchecked(at(buf, 0))
	equal(t, "far string", fbread.StringFar(r, 4), "hello")
	equal(t, "far bytes", string(fbread.BytesFar(r, 4)), "hello")
	equal(t, "far scalars", string(fbread.ScalarsFar[uint8](r, 4)), "hello")
	equal(t, "far bools", fbread.BoolsFar(r, 4).Len(), 5)
	equal(t, "bytes64", string(fbread.Bytes64(r, 6)), "\x01\x02")
	equal(t, "scalars64", fmt.Sprint(fbread.Scalars64[int8](r, 8)), "[1 2]")
	equal(t, "bools64", fbread.Bools64(r, 8).Len(), 2)
	binaryPutUint64(buf[48:], 0)
	r = fbread.RootUnchecked(at(buf[:56], 0))
	equal(t, "empty bytes64 at the end", len(fbread.Bytes64(r, 6)), 0)
	equal(t, "empty structs64 at the end", len(fbread.Structs64[pair](r, 6)), 0)
}

func binaryPutUint64(b []byte, v uint64) {
	for i := range 8 {
		b[i] = byte(v >> (8 * i))
	}
}

func TestIndexesOutOfRangePanicAsThoseOfSlicesDo(t *testing.T) {
	r := fbread.RootUnchecked(everything())
	for name, read := range map[string]func(i int){
		"tables":  func(i int) { fbread.Tables[item](r, slot(idTables)).At(i) },
		"strings": func(i int) { fbread.Strings(r, slot(idStrings)).At(i) },
		"bools":   func(i int) { fbread.Bools(r, slot(idBools)).At(i) },
		"unions":  func(i int) { fbread.Unions(r, slot(idUnions)).At(i) },
		"slice":   func(i int) { fbread.Tables[item](r, slot(idTables)).Slice(i, i+1) },
	} {
		for _, i := range []int{-1, 3, math.MaxInt - 1} {
			t.Run(fmt.Sprint(name, i), func(t *testing.T) {
				defer func() {
					if err, ok := recover().(error); !ok {
						t.Errorf("no panic with a runtime error, but %v", err)
					}
				}()
				read(i)
			})
		}
	}
}

func TestRangesCanBeLeft(t *testing.T) {
	r := fbread.RootUnchecked(everything())
	n := 0
	for range fbread.Tables[item](r, slot(idTables)).All() {
		n++
		break
	}
	for range fbread.Tables[item](r, slot(idTables)).Values() {
		n++
		break
	}
	for range fbread.Strings(r, slot(idStrings)).All() {
		n++
		break
	}
	for range fbread.Strings(r, slot(idStrings)).Values() {
		n++
		break
	}
	for range fbread.Bools(r, slot(idBools)).All() {
		n++
		break
	}
	for range fbread.Bools(r, slot(idBools)).Values() {
		n++
		break
	}
	equal(t, "rounds", n, 6)
}

func TestLookupFindsEveryKeyAndNothingElse(t *testing.T) {
	for n := range 20 {
		b := flatbuffers.NewBuilder(0)
		var refs []flatbuffers.UOffsetT
		for i := range n {
			refs = append(refs, leaf(b, uint32(2*i), fmt.Sprintf("%03d", 2*i)))
		}
		vec := offsets(b, refs...)
		b.StartObject(1)
		b.PrependUOffsetTSlot(0, vec, 0)
		b.Finish(b.EndObject())
		v := fbread.Tables[item](fbread.RootUnchecked(b.FinishedBytes()), 4)
		for key := range uint32(2*n + 2) {
			want := key%2 == 0 && key < uint32(2*n)
			for off, found := range map[string]func() (item, bool){
				"by number": func() (item, bool) { return fbread.LookupUnchecked(v, 4, 0, key) },
				"by string": func() (item, bool) { return fbread.LookupStringUnchecked(v, 6, fmt.Sprintf("%03d", key)) },
			} {
				got, ok := found()
				if ok != want || ok && got.Key() != key || fbread.Present(fbread.Unchecked(got)) != want {
					t.Errorf("%d tables, key %d %s: found %v, %d", n, key, off, ok, got.Key())
				}
			}
		}
	}
}

func TestLookupByBool(t *testing.T) {
	b := flatbuffers.NewBuilder(0)
	var refs []flatbuffers.UOffsetT
	for _, v := range []bool{false, true} {
		b.StartObject(1)
		b.PrependBoolSlot(0, v, false)
		refs = append(refs, b.EndObject())
	}
	vec := offsets(b, refs...)
	b.StartObject(1)
	b.PrependUOffsetTSlot(0, vec, 0)
	b.Finish(b.EndObject())
	v := fbread.Tables[item](fbread.RootUnchecked(b.FinishedBytes()), 4)
	for i, key := range []bool{false, true} {
		got, ok := fbread.LookupBoolUnchecked(v, 4, false, key)
		if !ok || got != v.At(i) {
			t.Errorf("key %v: found %v", key, ok)
		}
	}
	_, ok := fbread.LookupBoolUnchecked(v.Slice(0, 1), 4, false, true)
	equal(t, "a key that is not there", ok, false)
}

// byteStruct is a struct of one byte.
type byteStruct struct{ V uint8 }

func (*byteStruct) SwapBytes() {}

// TestStructsOfUnionsMayEndTheBuffer: a struct of one byte, behind an offset, in a
// field and in a vector.
func TestStructsOfUnionsMayEndTheBuffer(t *testing.T) {
	buf := []byte{
		12, 0, 0, 0,
		8, 0, 12, 0, 4, 0, 8, 0, // vtable: fields at 4 and 8
		8, 0, 0, 0, // table at 12
		16, 0, 0, 0, // 16: refers to 32
		4, 0, 0, 0, // 20: refers to 24
		1, 0, 0, 0, // 24: a vector of one offset
		4, 0, 0, 0, // 28: to 32
		7,
	}
	r := fbread.RootUnchecked(at(buf, 0))
	equal(t, "struct of a union", fbread.UnionStruct[byteStruct](fbread.UnionOf(r, 4)), byteStruct{7})
	equal(t, "struct of unions", fbread.UnionStruct[byteStruct](fbread.Unions(r, 6).At(0)), byteStruct{7})
}
