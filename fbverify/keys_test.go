package fbverify_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	. "github.com/fbverify/go/internal/fbasm"
)

// keyedSchema has a vector for each kind of key; the ids are what keyed is given.
const keyedSchema = `
table Name { s:string (key); }
struct Byte { k:byte (key); }
struct UByte { k:ubyte (key); }
struct Short { k:short (key); }
struct Int { k:int (key); }
struct UInt { k:uint (key); }
struct ULong { k:ulong (key); }
struct Long { k:long (key); }
struct Float { k:float (key); }
struct Double { k:double (key); }
struct Pair { k:[ubyte:2] (key); }
struct Inner { a:ubyte; b:ubyte; }
struct Deep { k:Inner (key); }
struct Bool { k:bool (key); }
struct UShort { k:ushort (key); }
table Number { k:int = 5 (key); }
struct Ints { k:[short:2] (key); }
struct Keyed { a:byte; b:byte (key); }
struct Inners { k:[Keyed:2] (key); }
struct Floats { k:[float:2] (key); }
table T {
  names:[Name];     // 0
  bytes:[Byte];     // 1
  ubytes:[UByte];   // 2
  shorts:[Short];   // 3
  ints:[Int];       // 4
  uints:[UInt];     // 5
  ulongs:[ULong];   // 6
  longs:[Long];     // 7
  floats:[Float];   // 8
  doubles:[Double]; // 9
  pairs:[Pair];     // 10
  deeps:[Deep];     // 11
  bools:[Bool];     // 12
  ushorts:[UShort]; // 13
  numbers:[Number]; // 14
  shortpairs:[Ints]; // 15
  inners:[Inners];   // 16
  floatpairs:[Floats]; // 17
}
root_type T;
`

// keyed is a buffer with a vector of structs that are one number of so many bytes.
func keyed(id uint16, size int, keys ...uint64) []byte {
	parts := []Part{Align(8), U32(0), Label("v"), U32(uint32(len(keys)))}
	for _, k := range keys {
		parts = append(parts, Bytes(binary.LittleEndian.AppendUint64(nil, k)[:size]...))
	}
	return Build(append([]Part{Offset("root"), Label("vt"), slots(12, id, 8), Align(8), Label("root"), VTable("vt"), U32(0), Offset("v")}, parts...)...)
}

// keyedStrings is a buffer with a vector of tables that are a string.
func keyedStrings(names ...string) []byte {
	parts := []Part{Offset("root"), Label("vt"), slots(8, 0, 4), Align(4), Label("root"), VTable("vt"), Offset("v"), Label("v"), U32(uint32(len(names)))}
	for i := range names {
		parts = append(parts, Offset(fmt.Sprint(i)))
	}
	parts = append(parts, Label("nvt"), U16(6, 8, 4))
	for i, name := range names {
		parts = append(parts, Align(4), Label(fmt.Sprint(i)), VTable("nvt"), U32(4), String(name))
	}
	return Build(parts...)
}

// TestStrictKnowsTheOrderOfEveryKind of key: equal keys may follow each other.
func TestStrictKnowsTheOrderOfEveryKind(t *testing.T) {
	typ := typeOf(t, keyedSchema)
	for _, c := range []struct {
		what string
		buf  []byte
		ok   bool
	}{
		{"strings", keyedStrings("", "a", "a", "ab", "b", "é"), true},
		{"strings, swapped", keyedStrings("b", "a"), false},
		{"a string before its beginning", keyedStrings("ab", "a"), false},
		{"byte", keyed(1, 1, 0x80, 0xff, 0, 1, 1, 0x7f), true},
		{"byte, as if unsigned", keyed(1, 1, 0, 0x7f, 0x80), false},
		{"ubyte", keyed(2, 1, 0, 0x7f, 0x80, 0xff, 0xff), true},
		{"ubyte, swapped", keyed(2, 1, 0x80, 0x7f), false},
		{"short", keyed(3, 2, 0x8000, 0xffff, 0, 0, 0x7fff), true},
		{"short, as if unsigned", keyed(3, 2, 0x7fff, 0x8000), false},
		{"int", keyed(4, 4, 0x80000000, 0xfffffff0, 0, 7, 7), true},
		{"int, as if unsigned", keyed(4, 4, 7, 0x80000000), false},
		{"uint", keyed(5, 4, 0, 0x80000000, 0xffffffff, 0xffffffff), true},
		{"uint, as if signed", keyed(5, 4, 0x80000000, 0), false},
		{"ulong", keyed(6, 8, 0, 1<<63-1, 1<<63, 1<<63), true},
		{"ulong, as if signed", keyed(6, 8, 1<<63, 0), false},
		{"long", keyed(7, 8, 1<<63, ^uint64(0), 0, 0, 1<<62), true},
		{"long, as if unsigned", keyed(7, 8, 0, 1<<63), false},
		{"float", keyed(8, 4, 0xbf800000, 0, 0x3f000000, 0x3f800000, 0x3f800000), true},
		{"float, as if an integer", keyed(8, 4, 0xbf800000, 0xc0000000), false},
		{"double", keyed(9, 8, 0xbff0000000000000, 0, 0x3ff0000000000000, 0x3ff0000000000000), true},
		{"double, as if an integer", keyed(9, 8, 0xbff0000000000000, 0xc000000000000000), false},
		{"arrays", keyed(10, 2, 0x0101, 0x0201, 0x0102, 0xff02), true},
		{"arrays, as if the last element came first", keyed(10, 2, 0x0102, 0x0201), false},
		{"arrays, the second element swapped", keyed(10, 2, 0x0201, 0x0101), false},
		{"arrays of signed numbers", keyed(15, 4, 0xffff_8000, 0x0000_8000, 0x0000_0001), true},
		{"arrays of signed numbers, as if bytes", keyed(15, 4, 0x0000_0001, 0x0000_8000), false},
		{"structs", keyed(11, 2, 0x0101, 0x0201, 0x0102), true},
		{"structs, the second field swapped", keyed(11, 2, 0x0201, 0x0101), false},
		{"structs, as if the last field came first", keyed(11, 2, 0x0102, 0x0201), false},
		{"arrays of structs", keyed(16, 4, 0x01_01_01_ff, 0x01_01_02_ff, 0x01_02_02_ff, 0x02_02_02_ff), true},
		{"arrays of structs, by the inner key alone", keyed(16, 4, 0x01_01_01_02, 0x01_01_02_01), false},
		{"arrays of structs, the last field swapped", keyed(16, 4, 0x02_01_01_01, 0x01_01_01_01), false},
		{"arrays of floats", keyed(17, 8, 0x3f800000_bf800000, 0, 0x3f800000_00000000), true},
		{"arrays of floats, as if integers", keyed(17, 8, 0xbf800000, 0xc0000000), false},
		{"a number and NaN, which is before all", keyed(8, 4, 0x3f800000, 0x7fc00000), false},
		{"NaN and a number", keyed(8, 4, 0x7fc00000, 0x7fc00001, 0xff800000), true},
		{"bool", keyed(12, 1, 0, 0, 1, 1), true},
		{"bool, swapped", keyed(12, 1, 1, 0), false},
		{"ushort", keyed(13, 2, 0, 0x8000, 0xffff), true},
		{"ushort, as if signed", keyed(13, 2, 0x8000, 0), false},
		{"a key that the vtable says is absent", numbers(4, 0, 6), true},
		{"a key that the vtable says is absent, too late", numbers(6, 0), false},
		{"a negative first key", numbers(-3, 4), true},
	} {
		if err := typ.Verify(c.buf, nil); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if err := typ.Verify(c.buf, &fbverify.Options{Strict: true}); (err == nil) != c.ok {
			t.Errorf("%s, strict: %v", c.what, err)
		}
	}
}

// numbers is a buffer with a vector of Number; 0 stands for a key that is not there
// though its vtable has a slot for it, so that it is the default, 5.
func numbers(keys ...int32) []byte {
	parts := []Part{Offset("root"), Label("vt"), slots(8, 14, 4), Align(4), Label("root"), VTable("vt"), Offset("v"), Label("v"), U32(uint32(len(keys)))}
	for i := range keys {
		parts = append(parts, Offset(fmt.Sprint(i)))
	}
	parts = append(parts, Label("with"), U16(6, 8, 4), Label("without"), U16(6, 8, 0))
	for i, k := range keys {
		vt := "with"
		if k == 0 {
			vt = "without"
		}
		parts = append(parts, Align(4), Label(fmt.Sprint(i)), VTable(vt), U32(uint32(k)))
	}
	return Build(parts...)
}

// TestKeysOfFaultyElementsAreNotCompared: there may be none.
func TestKeysOfFaultyElementsAreNotCompared(t *testing.T) {
	typ := typeOf(t, keyedSchema)
	good := keyedStrings("b", "a", "c")
	for at := range good {
		for _, v := range []byte{0, 1, 0xff, good[at] + 4} {
			buf := append([]byte(nil), good...)
			buf[at] = v
			for n, f := range typ.Explain(buf, &fbverify.Options{Strict: true}) {
				if f.Kind == fbverify.ErrUnsorted && n > 0 && typ.Verify(buf, nil) != nil {
					t.Errorf("byte %d is %d: %v", at, v, f)
				}
			}
		}
	}
}

// afterSharing starts a buffer whose root has three fields: a vector that leads to one
// table, "empty", so often that results are remembered, and what two labels name.
func afterSharing(second, third string) []Part {
	const sharing = 300
	parts := []Part{
		Offset("root"), Label("vt"), slots(16, 0, 4, 1, 8, 2, 12), Align(4), Label("root"), VTable("vt"),
		Offset("many"), Offset(second), Offset(third), Label("many"), U32(sharing),
	}
	for range sharing {
		parts = append(parts, Offset("empty"))
	}
	return parts
}

// TestKeysOfFaultyElementsAreNotRead: the element was found faulty where another
// vector led to it, so nothing is recorded of it in this one, which has to know all
// the same.
func TestKeysOfFaultyElementsAreNotRead(t *testing.T) {
	typ := typeOf(t, "table K { k:string (key); } table T { many:[T]; one:[K]; two:[K]; } root_type T;")
	const elements = 20
	for what, bad := range map[string]uint32{"a string past the end": 0x7fffff00, "no string": 0} {
		parts := afterSharing("one", "two")
		for _, label := range []string{"one", "two"} {
			parts = append(parts, Label(label), U32(elements))
			for range elements {
				parts = append(parts, Offset("bad"))
			}
		}
		parts = append(parts, Label("empty vt"), U16(4, 4), Label("empty"), VTable("empty vt"),
			Label("key vt"), slots(8, 0, 4), Align(4), Label("bad"), VTable("key vt"), U32(bad))
		faults := typ.Explain(Build(parts...), &fbverify.Options{Strict: true})
		if len(faults) != 1 || faults[0].Path != "T.one[0].k" {
			t.Errorf("%s: %v", what, faults)
		}
	}
}

// TestKeysOfTheTableBeforeAreNotReadWhereItWasFaulty: the element is the one that was
// looked at last.
func TestKeysOfTheTableBeforeAreNotReadWhereItWasFaulty(t *testing.T) {
	typ := typeOf(t, "table K { k:string (key); } table T { many:[T]; one:K; two:[K]; } root_type T;")
	parts := afterSharing("bad", "two")
	parts = append(parts, Label("two"), U32(2), Offset("bad"), Offset("bad"), Label("empty vt"), U16(4, 4), Label("empty"), VTable("empty vt"),
		Label("key vt"), slots(8, 0, 4), Align(4), Label("bad"), VTable("key vt"), U32(0x7fffff00))
	if faults := typ.Explain(Build(parts...), &fbverify.Options{Strict: true}); len(faults) != 1 || faults[0].Path != "T.one.k" {
		t.Error(faults)
	}
}

// TestWhatIsSoundBehindAFaultDoesNotHideIt: the key is at fault, and the field after it
// is looked at and is not.
func TestWhatIsSoundBehindAFaultDoesNotHideIt(t *testing.T) {
	typ := typeOf(t, "table K { k:string (key); words:[string]; } table T { many:[T]; one:[K]; two:[K]; } root_type T;")
	parts := afterSharing("one", "two")
	parts = append(parts, Label("one"), U32(1), Offset("bad"), Label("two"), U32(2), Offset("bad"), Offset("bad"), Label("empty vt"), U16(4, 4), Label("empty"), VTable("empty vt"),
		Label("key vt"), slots(12, 0, 4, 1, 8), Align(4), Label("bad"), VTable("key vt"), U32(0x7fffff00), Offset("words"), Label("words"), U32(2), Offset("word"), Offset("word"), Label("word"), U32(0, 0))
	if faults := typ.Explain(Build(parts...), &fbverify.Options{Strict: true}); len(faults) != 1 || faults[0].Path != "T.one[0].k" {
		t.Error(faults)
	}
}

// TestKeysThatAreDeprecatedAreNotRead: nothing is promised of them.
func TestKeysThatAreDeprecatedAreNotRead(t *testing.T) {
	typ := typeOf(t, "table K { k:string (key, deprecated); } table T { ks:[K]; } root_type T;")
	buf := Build(Offset("root"), Label("vt"), slots(8, 0, 4), Align(4), Label("root"), VTable("vt"), Offset("ks"), Label("ks"), U32(2), Offset("a"), Offset("b"),
		Label("key vt"), slots(8, 0, 4), Align(4), Label("a"), VTable("key vt"), U32(0x7fffff00), Label("b"), VTable("key vt"), U32(0))
	both(t, "a deprecated key", typ, buf, &fbverify.Options{Strict: true}, 0)
}

// TestStrictKnowsTheOrderOfTables that are keyed by a struct, which counts as zeros
// where it is not set, and by strings behind 64-bit offsets.
func TestStrictKnowsTheOrderOfTables(t *testing.T) {
	table := func(elements ...[]Part) []byte {
		parts := []Part{Offset("root"), Label("vt"), slots(8, 0, 4), Align(4), Label("root"), VTable("vt"), Offset("v"), Label("v"), U32(uint32(len(elements)))}
		for i := range elements {
			parts = append(parts, Offset(fmt.Sprint(i)))
		}
		for i, e := range elements {
			parts = append(append(parts, Align(4), Label(fmt.Sprint(i))), e...)
		}
		return Build(append(parts, Align(4), Label("none"), slots(12, 0, 0), Label("pair"), slots(12, 0, 4), Label("far"), slots(12, 0, 4))...)
	}
	pair := func(a, b int32) []Part { return []Part{VTable("pair"), U32(uint32(a), uint32(b))} }
	absent := []Part{VTable("none"), U32(0xffff, 0xffff)}
	structs := typeOf(t, "struct In { a:int; b:int; } table K { k:In (key); } table T { v:[K]; } root_type T;")
	far := typeOf(t, "table K { k:string (key, offset64); } table T { v:[K]; } root_type T;")
	str := func(s string) []Part {
		return []Part{Label(s), VTable("far"), Offset64("the " + s), Align(4), Label("the " + s), String(s)}
	}
	for _, c := range []struct {
		what string
		typ  *fbverify.Type
		buf  []byte
		ok   bool
	}{
		{"sorted structs", structs, table(pair(-1, 2), pair(1, -1), pair(1, 2), pair(2, 1)), true},
		{"the second field swapped", structs, table(pair(1, 2), pair(1, -2)), false},
		{"the first field swapped", structs, table(pair(2, 1), pair(1, 2)), false},
		{"an absent struct in its place", structs, table(pair(-1, 0), absent, pair(0, 0), pair(0, 1)), true},
		{"an absent struct after others", structs, table(pair(0, 1), absent), false},
		{"strings far away", far, table(str("a"), str("ab"), str("b")), true},
		{"strings far away, swapped", far, table(str("b"), str("ab")), false},
	} {
		opts := &fbverify.Options{SkipAlignment: true}
		if err := c.typ.Verify(c.buf, opts); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		opts.Strict = true
		if err := c.typ.Verify(c.buf, opts); (err == nil) != c.ok {
			t.Errorf("%s, strict: %v", c.what, err)
		}
	}
}

// TestKeysAreShownShort: structs and arrays as the list of their numbers.
func TestKeysAreShownShort(t *testing.T) {
	typ := typeOf(t, `struct In { a:short; b:float; } struct S { k:[In:2] (key); } struct L { k:[ubyte:200] (key); }
		table T { v:[S]; w:[L]; } root_type T;`)
	first, second := []Part{U16(3, 0), U32(0x3f000000), U16(1, 0), U32(0)}, []Part{U16(2, 0), U32(0xbf800000), U16(0xffff, 0), U32(0)}
	buf := func(id uint16, parts ...Part) []byte {
		return Build(append([]Part{Offset("root"), Label("vt"), slots(8, id, 4), Align(4), Label("root"), VTable("vt"), Offset("v"), Label("v"), U32(2)}, parts...)...)
	}
	for _, c := range []struct {
		buf  []byte
		want string
	}{
		{buf(0, append(first, second...)...), "the key [[2 -1] [-1 0]] comes after [[3 0.5] [1 0]]"},
		{buf(1, Bytes(make([]byte, 199)...), Bytes(1), Bytes(make([]byte, 200)...)), "the key [0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 …"},
	} {
		err := typ.Verify(c.buf, &fbverify.Options{Strict: true})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("found %v, expected %q", err, c.want)
		}
		if err != nil && len(err.Error()) > 300 {
			t.Errorf("the sentence has %d bytes", len(err.Error()))
		}
	}
}
