package fbverify_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/fbverify/go/fbverify"
	. "github.com/fbverify/go/internal/fbasm"
	"github.com/fbverify/go/internal/walk"
	"github.com/fbverify/go/schema/fbs"
)

// rulesSchema has one field of each kind; the ids are what the tests name.
const rulesSchema = `
namespace T;
attribute "none";
enum Color:byte { Far = -5, Zero = 0, Red = 1, Green = 2 }
enum Flags:ubyte (bit_flags) { A, B, C }
struct P { x:double; on:bool; color:Color; flags:[Flags:2]; }
struct Entry { id:ushort (key); v:ushort; }
table Leaf { v:int; }
table Named { name:string (key); v:int; }
table Must { s:string (required); }
table Numbered { n:int = 5 (key); }
union U { Leaf, Point:P, Text:string }
union W : short { Leaf = 2, Text:string = 300 }
table R {
  on:bool;              // 0
  color:Color = Red;    // 1
  flags:Flags = A;      // 2
  l:long;               // 3
  p:P;                  // 4
  s:string;             // 5
  leaf:Leaf;            // 6
  u:U;                  // 7, 8
  us:[U];               // 9, 10
  bytes:[ubyte];        // 11
  longs:[long];         // 12
  points:[P];           // 13
  strings:[string];     // 14
  leaves:[Leaf];        // 15
  nested:[ubyte] (nested_flatbuffer: "R"); // 16
  must:Must;            // 17
  named:[Named];        // 18
  entries:[Entry];      // 19
  bools:[bool];         // 20
  old:string (deprecated); // 21
  w:W;                  // 22, 23
  r:R;                  // 24
  far:string (offset64);           // 25
  longvec:[int] (vector64);        // 26
  numbered:[Numbered];  // 27
  must_u:U (none);      // 28, 29
  far_nested:[ubyte] (vector64, nested_flatbuffer: "Leaf"); // 30
  colors:[Color];       // 31
}
root_type R;
file_identifier "RULE";
`

func rulesType(t testing.TB, root string) *fbverify.Type {
	s, err := fbs.ParseFS(fstest.MapFS{"rules.fbs": {Data: []byte(rulesSchema)}}, "rules.fbs")
	if err != nil {
		t.Fatal(err)
	}
	typ, err := fbverify.Compile(s, root)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// slots makes a vtable: pairs of field id and offset in the table.
func slots(tableSize uint16, pairs ...uint16) Part {
	last := uint16(0)
	for i := 0; i < len(pairs); i += 2 {
		last = max(last, pairs[i]+1)
	}
	vt := make([]uint16, 2+last)
	vt[0], vt[1] = 4+2*last, tableSize
	for i := 0; i < len(pairs); i += 2 {
		vt[2+pairs[i]] = pairs[i+1]
	}
	return U16(vt...)
}

// one is a buffer whose root has the one field id, 8-aligned, labelled "field",
// with what follows it.
func one(id uint16, size uint16, rest ...Part) []Part {
	return append([]Part{
		Offset("root"), Text("RULE"), Label("vt"), slots(8+size, id, 8), Align(8),
		Label("root"), VTable("vt"), U32(0), Label("field"),
	}, rest...)
}

// union is a buffer whose root has a union's tag, labelled "tag", and value,
// labelled "field". Tags have one byte.
func union(tagID uint16, tag byte, rest ...Part) []Part {
	return append([]Part{
		Offset("root"), Label("vt"), slots(16, tagID, 4, tagID+1, 8), Align(8),
		Label("root"), VTable("vt"), Label("tag"), Bytes(tag, 0, 0, 0), Label("field"),
	}, rest...)
}

// leaf is a Leaf table at a label.
func leaf(label string) Part {
	return Sequence(Align(4), Label(label+" vt"), U16(6, 8, 4), Align(4), Label(label), VTable(label+" vt"), U32(7))
}

type ruleCase struct {
	name  string
	parts []Part
	opts  fbverify.Options
	kind  fbverify.Kind // 0: valid
	at    string        // label of the fault's position, or ""
	path  string
}

var strict = fbverify.Options{Strict: true}

func ruleCases() []ruleCase {
	many := func(n int, part Part) Part {
		return func() Part {
			parts := make([]Part, n)
			for i := range parts {
				parts[i] = part
			}
			return Sequence(parts...)
		}()
	}
	return []ruleCase{
		// Root offset, table position, vtable.
		{name: "an empty root", parts: []Part{Offset("root"), Label("vt"), U16(4, 4), Label("root"), VTable("vt")}},
		{name: "a root offset of zero", parts: []Part{Label("root"), U32(0), U16(4, 4), U32(4)}, kind: fbverify.ErrBadOffset, at: "root", path: "R"},
		{name: "a root offset past the end", parts: []Part{U32(0xffffffff), U32(0, 0)}, kind: fbverify.ErrOutOfBounds, path: "R"},
		{name: "a root offset of exactly the length", parts: []Part{U32(12), U32(0, 0)}, kind: fbverify.ErrOutOfBounds},
		{name: "a root with one byte too few", parts: []Part{U32(8), U16(4, 4), Bytes(4, 0, 0)}, kind: fbverify.ErrOutOfBounds},
		{name: "a root that is not 4-aligned", parts: []Part{Offset("root"), Label("vt"), U16(4, 4), U16(0), Label("root"), VTable("vt"), U16(0)}, kind: fbverify.ErrMisaligned},
		{name: "a root that is not 4-aligned, alignment skipped", parts: []Part{Offset("root"), Label("vt"), U16(4, 4), U16(0), Label("root"), VTable("vt"), U16(0)}, opts: fbverify.Options{SkipAlignment: true}},
		{name: "a vtable before the buffer", parts: []Part{U32(8), U32(0), Label("root"), U32(9)}, kind: fbverify.ErrOutOfBounds, at: "root"},
		{name: "a vtable past the end", parts: []Part{U32(8), U32(0), Label("root"), U32(^uint32(3))}, kind: fbverify.ErrOutOfBounds, at: "root"},
		{name: "a vtable with half its header past the end", parts: []Part{U32(4), Label("root"), U32(^uint32(3)), U16(4)}, kind: fbverify.ErrOutOfBounds, at: "root"},
		{name: "a vtable after its table, at the very end", parts: []Part{U32(4), Label("root"), U32(^uint32(3)), U16(4, 4)}},
		{name: "a vtable at an odd position", parts: []Part{U32(12), Bytes(0), U16(4, 4), Bytes(0, 0, 0), Label("root"), U32(7)}, kind: fbverify.ErrMisaligned, at: "root"},
		{name: "a vtable of two bytes", parts: []Part{U32(8), Label("vt"), U16(2, 4), VTable("vt")}, kind: fbverify.ErrBadVTable, at: "vt"},
		{name: "a vtable of an odd size", parts: []Part{U32(12), Label("vt"), U16(5, 4, 0, 0), VTable("vt")}, kind: fbverify.ErrBadVTable, at: "vt"},
		{name: "a vtable that reaches past the end", parts: []Part{U32(8), Label("vt"), U16(10, 4), VTable("vt")}, kind: fbverify.ErrOutOfBounds, at: "vt"},
		{name: "a vtable that reaches the very end", parts: []Part{U32(4), U32(^uint32(3)), U16(6, 4, 0)}},
		{name: "a vtable longer than the schema knows", parts: []Part{Offset("root"), Label("vt"), slots(8, 60, 4), Align(4), Label("root"), VTable("vt"), U32(1)}},

		// Declared table size and fields in the first four bytes.
		{name: "a declared table size past the end", parts: []Part{U32(8), Label("vt"), U16(4, 999), VTable("vt")}},
		{name: "a declared table size past the end, strict", parts: []Part{U32(8), Label("vt"), U16(4, 999), VTable("vt")}, opts: strict, kind: fbverify.ErrTableSize},
		{name: "a declared table size of 3, strict", parts: []Part{U32(8), Label("vt"), U16(4, 3), VTable("vt")}, opts: strict, kind: fbverify.ErrTableSize},
		{name: "a field past the declared table size", parts: []Part{Offset("root"), Label("vt"), slots(5, 0, 7), Align(4), Label("root"), VTable("vt"), U32(0)}},
		{name: "a field past the declared table size, strict", parts: []Part{Offset("root"), Label("vt"), slots(5, 0, 7), Align(4), Label("root"), VTable("vt"), U32(0)}, opts: strict, kind: fbverify.ErrTableSize, path: "R.on"},
		{name: "a field in the first four bytes", parts: []Part{Offset("root"), Label("vt"), slots(4, 0, 3), Align(4), Label("root"), VTable("vt")}},
		{name: "a field in the first four bytes, strict", parts: []Part{Offset("root"), Label("vt"), slots(4, 0, 3), Align(4), Label("root"), VTable("vt")}, opts: strict, kind: fbverify.ErrTableSize, path: "R.on"},

		// Inline fields.
		{name: "a long at the very end", parts: one(3, 8, U64(1))},
		{name: "a long with one byte too few", parts: one(3, 8, U32(1), Bytes(0, 0, 0)), kind: fbverify.ErrOutOfBounds, path: "R.l"},
		{name: "a long at 4 mod 8", parts: []Part{Offset("root"), Label("vt"), slots(12, 3, 4), Align(8), Label("root"), VTable("vt"), Label("field"), U64(1)}, kind: fbverify.ErrMisaligned, at: "field", path: "R.l"},
		{name: "a long at 4 mod 8, alignment skipped", parts: []Part{Offset("root"), Label("vt"), slots(12, 3, 4), Align(8), Label("root"), VTable("vt"), U64(1)}, opts: fbverify.Options{SkipAlignment: true}},
		{name: "two longs that cannot both be aligned", parts: []Part{Offset("root"), Label("vt"), slots(24, 3, 4, 4, 8), Align(8), U32(0), Label("root"), VTable("vt"), U64(1, 2, 3)}, kind: fbverify.ErrMisaligned},
		{name: "a struct at the very end", parts: one(4, 16, U64(0), Bytes(1, 1, 1, 4, 0, 0, 0, 0))},
		{name: "a struct cut short", parts: one(4, 16, U64(0), Bytes(1, 1, 1, 4, 0, 0, 0)), kind: fbverify.ErrOutOfBounds, path: "R.p"},

		// Offsets to strings.
		{name: "a string", parts: one(5, 4, Offset("s"), Label("s"), String("héllo"))},
		{name: "an offset of zero", parts: one(5, 4, U32(0), U32(0)), kind: fbverify.ErrBadOffset, at: "field", path: "R.s"},
		{name: "an offset past the end", parts: one(5, 4, U32(8), U32(0)), kind: fbverify.ErrOutOfBounds, at: "field"},
		{name: "an offset that would point back", parts: one(5, 4, U32(0xfffffff8), U32(0)), kind: fbverify.ErrOutOfBounds, at: "field"},
		{name: "an offset to a length word that is cut", parts: one(5, 4, U32(4), Bytes(0, 0, 0)), kind: fbverify.ErrOutOfBounds, at: "field"},
		{name: "a misaligned string", parts: one(5, 4, U32(5), Bytes(0), U32(0), Bytes(0, 0, 0)), kind: fbverify.ErrMisaligned, at: "field"},
		{name: "a misaligned string, alignment skipped", parts: one(5, 4, U32(5), Bytes(0), U32(0), Bytes(0, 0, 0)), opts: fbverify.Options{SkipAlignment: true}},
		{name: "an empty string at the end", parts: one(5, 4, U32(4), U32(0), Bytes(0))},
		{name: "a string without room for its terminator", parts: one(5, 4, U32(4), Label("s"), U32(0)), kind: fbverify.ErrNotTerminated, at: "s"},
		{name: "a string without room for its terminator, not asked", parts: one(5, 4, U32(4), U32(0)), opts: fbverify.Options{SkipNullTerminator: true}},
		{name: "a string with another byte after it", parts: one(5, 4, U32(4), U32(1), Text("a"), Label("end"), Text("b")), kind: fbverify.ErrNotTerminated, at: "end"},
		{name: "a string with another byte after it, not asked", parts: one(5, 4, U32(4), U32(1), Text("ab")), opts: fbverify.Options{SkipNullTerminator: true}},
		{name: "a string longer than the buffer", parts: one(5, 4, U32(4), Label("s"), U32(2), Text("a")), kind: fbverify.ErrOutOfBounds, at: "s"},
		{name: "a string of 2^32-1 bytes", parts: one(5, 4, U32(4), Label("s"), U32(0xffffffff), Text("a")), kind: fbverify.ErrOutOfBounds, at: "s"},
		{name: "a string that is not UTF-8", parts: one(5, 4, U32(4), U32(3), Text("a"), Label("bad"), Bytes(0xff, 'b', 0)), kind: fbverify.ErrInvalidUTF8, at: "bad"},
		{name: "a string with half a surrogate", parts: one(5, 4, U32(4), U32(3), Label("bad"), Bytes(0xed, 0xa0, 0x80, 0)), kind: fbverify.ErrInvalidUTF8, at: "bad"},
		{name: "a string with an overlong NUL", parts: one(5, 4, U32(4), U32(2), Label("bad"), Bytes(0xc0, 0x80, 0)), kind: fbverify.ErrInvalidUTF8, at: "bad"},
		{name: "a string that is not UTF-8, not asked", parts: one(5, 4, U32(4), U32(1), Bytes(0xff, 0)), opts: fbverify.Options{SkipUTF8: true}},
		{name: "a NUL in a string", parts: one(5, 4, U32(4), U32(2), Bytes('a', 0, 0))},
		{name: "a NUL in a string, strict", parts: one(5, 4, U32(4), U32(2), Bytes('a'), Label("nul"), Bytes(0, 0)), opts: strict, kind: fbverify.ErrEmbeddedNUL, at: "nul"},

		// Tables in tables, required fields.
		{name: "a table in a table", parts: one(6, 4, Offset("leaf"), leaf("leaf"))},
		{name: "a table in a table, past the end", parts: one(6, 4, U32(4), Bytes(0, 0, 0)), kind: fbverify.ErrOutOfBounds, at: "field", path: "R.leaf"},
		{name: "a table in a table with its field cut", parts: one(6, 4, Offset("leaf"), Label("leaf vt"), U16(6, 8, 4), Align(4), Label("leaf"), VTable("leaf vt"), Bytes(0, 0, 0)), kind: fbverify.ErrOutOfBounds, path: "R.leaf.v"},
		{name: "a vtable shared with a table of another type", parts: one(6, 4, U32(8), U32(0), Label("leaf"), VTable("vt"), U64(0, 0))},
		{name: "a required field that is there", parts: one(17, 4, Offset("must"), Label("mvt"), U16(6, 8, 4), Align(4), Label("must"), VTable("mvt"), U32(4), String("s"))},
		{name: "a required field that is absent", parts: one(17, 4, Offset("must"), Label("mvt"), U16(6, 8, 0), Align(4), Label("must"), VTable("mvt"), U32(0)), kind: fbverify.ErrMissingRequired, at: "must", path: "R.must.s"},
		{name: "a required field past the vtable's end", parts: one(17, 4, Offset("must"), Label("mvt"), U16(4, 8), Align(4), Label("must"), VTable("mvt"), U32(0)), kind: fbverify.ErrMissingRequired, path: "R.must.s"},
		{name: "a deprecated field of rubbish", parts: one(21, 4, U32(0xdeadbeef))},
		{name: "a deprecated field past the end", parts: one(21, 4)},

		// Vectors.
		{name: "a vector of bytes", parts: one(11, 4, U32(4), U32(3), Bytes(1, 2, 3))},
		{name: "a vector of bytes with one too few", parts: one(11, 4, U32(4), Label("v"), U32(3), Bytes(1, 2)), kind: fbverify.ErrOutOfBounds, at: "v"},
		{name: "a vector of longs", parts: one(12, 4, U32(4), U32(1), U64(1))},
		{name: "a vector of longs whose elements are at 4 mod 8", parts: one(12, 4, U32(8), U32(0), Label("v"), U32(1), U64(1)), kind: fbverify.ErrMisaligned, at: "v"},
		{name: "an empty vector of longs at 4 mod 8", parts: []Part{Offset("root"), Label("vt"), slots(8, 12, 4), Align(8), Label("root"), VTable("vt"), U32(4), U32(0)}},
		{name: "a vector of longs whose size overflows 32 bits", parts: one(12, 4, U32(4), Label("v"), U32(0x20000001), U64(1)), kind: fbverify.ErrOutOfBounds, at: "v"},
		{name: "a vector of structs", parts: one(13, 4, U32(4), U32(2), U64(0), Bytes(1, 1, 1, 1, 0, 0, 0, 0), U64(0), Bytes(0, 2, 2, 4, 0, 0, 0, 0))},
		{name: "a vector of structs cut short", parts: one(13, 4, U32(4), Label("v"), U32(2), U64(0, 0, 0)), kind: fbverify.ErrOutOfBounds, at: "v"},
		{name: "a vector of strings", parts: one(14, 4, U32(4), U32(2), Offset("a"), Offset("b"), Label("a"), String("a"), Align(4), Label("b"), String("b"))},
		{name: "a vector of strings with a bad one", parts: one(14, 4, U32(4), U32(2), Offset("a"), Label("bad"), U32(0), Label("a"), String("a")), kind: fbverify.ErrBadOffset, at: "bad", path: "R.strings[1]"},
		{name: "a vector of tables", parts: one(15, 4, U32(4), U32(2), Offset("a"), Offset("b"), leaf("a"), leaf("b"))},
		{name: "a vector of tables with an offset of zero", parts: one(15, 4, U32(4), U32(2), Offset("a"), Label("bad"), U32(0), leaf("a")), kind: fbverify.ErrBadOffset, at: "bad", path: "R.leaves[1]"},
		{name: "a vector of tables with one past the end", parts: one(15, 4, U32(4), U32(2), Offset("a"), Label("bad"), U32(0x7fffffff), leaf("a")), kind: fbverify.ErrOutOfBounds, at: "bad", path: "R.leaves[1]"},
		{name: "a vector of tables with a misaligned one", parts: one(15, 4, U32(4), U32(1), Label("bad"), U32(6), U32(0, 0, 0)), kind: fbverify.ErrMisaligned, at: "bad"},
		{name: "a vector of tables longer than the buffer", parts: one(15, 4, U32(4), Label("v"), U32(3), Offset("a"), leaf("a")), kind: fbverify.ErrOutOfBounds, path: "R.leaves[1]"},

		// Unions.
		{name: "a union of a table", parts: union(7, 1, Offset("leaf"), leaf("leaf"))},
		{name: "a union of a struct", parts: union(7, 2, U32(8), U32(0), U64(0), Bytes(1, 1, 1, 1, 0, 0, 0, 0))},
		{name: "a union of a struct cut short", parts: union(7, 2, U32(8), U32(0), U64(0), Bytes(1, 1)), kind: fbverify.ErrOutOfBounds, at: "field", path: "R.u"},
		{name: "a union of a misaligned struct", parts: union(7, 2, U32(4), U64(0), U64(0)), kind: fbverify.ErrMisaligned, at: "field"},
		{name: "a union of a string", parts: union(7, 3, U32(4), String("text"))},
		{name: "a union of a bad string", parts: union(7, 3, U32(4), U32(0)), kind: fbverify.ErrNotTerminated, path: "R.u"},
		{name: "a union with an offset of zero", parts: union(7, 1, U32(0), U32(0)), kind: fbverify.ErrBadOffset, at: "field"},
		{name: "a tag without a value", parts: one(7, 1, Bytes(1)), kind: fbverify.ErrUnionValueMissing, at: "field", path: "R.u_type"},
		{name: "NONE without a value", parts: one(7, 1, Bytes(0)), opts: strict},
		{name: "an unknown tag without a value", parts: one(7, 1, Bytes(9))},
		{name: "an unknown tag", parts: union(7, 9, U32(0xffffffff))},
		{name: "an unknown tag, strict", parts: union(7, 9, U32(4), U32(0)), opts: strict, kind: fbverify.ErrUnionTagUnknown, at: "tag", path: "R.u_type"},
		{name: "NONE with a value", parts: union(7, 0, U32(0xffffffff))},
		{name: "NONE with a value, strict", parts: union(7, 0, U32(4), U32(0)), opts: strict, kind: fbverify.ErrUnionValueUnexpected, at: "field", path: "R.u"},
		{name: "a value without a tag", parts: one(8, 4, U32(0xffffffff))},
		{name: "a value without a tag, strict", parts: one(8, 4, U32(0xffffffff)), opts: strict, kind: fbverify.ErrUnionValueUnexpected, at: "field"},
		{name: "a wide tag", parts: []Part{Offset("root"), Label("vt"), slots(16, 22, 4, 23, 8), Align(8), Label("root"), VTable("vt"), U16(2, 0), Offset("leaf"), leaf("leaf")}},
		{name: "a wide tag of a bad table", parts: []Part{Offset("root"), Label("vt"), slots(16, 22, 4, 23, 8), Align(8), Label("root"), VTable("vt"), U16(2, 0), Label("field"), U32(0)}, kind: fbverify.ErrBadOffset, at: "field"},
		{name: "a wide tag above 255 of a bad string", parts: []Part{Offset("root"), Label("vt"), slots(16, 22, 4, 23, 8), Align(8), Label("root"), VTable("vt"), U16(300, 0), U32(4), U32(0)}, kind: fbverify.ErrNotTerminated},

		// Vectors of unions.
		{name: "a vector of unions", parts: unions(U32(3), Bytes(1, 0, 9, 0), U32(3), Offset("leaf"), U32(0, 0xffffffff), leaf("leaf"))},
		{name: "a vector of unions with a bad member", parts: unions(U32(2), Bytes(0, 3, 0, 0), U32(2), U32(0), U32(4), U32(9)), kind: fbverify.ErrOutOfBounds, path: "R.us[1]"},
		{name: "a vector of unions with a value missing", parts: unions(U32(1), Bytes(1, 0, 0, 0), U32(1), U32(0)), kind: fbverify.ErrUnionValueMissing, path: "R.us[0]"},
		{name: "a vector of unions with more types than values", parts: unions(U32(2), Bytes(0, 0, 0, 0), U32(1), U32(0)), kind: fbverify.ErrUnionVectors, path: "R.us"},
		{name: "a vector of unions with fewer types than values", parts: unions(U32(0), Bytes(0, 0, 0, 0), U32(1), U32(0)), kind: fbverify.ErrUnionVectors, path: "R.us"},
		{name: "a vector of unions without types", parts: one(10, 4, U32(4), U32(0)), kind: fbverify.ErrUnionVectors, path: "R.us"},
		{name: "a vector of unions without values", parts: one(9, 4, U32(4), U32(0)), kind: fbverify.ErrUnionVectors, path: "R.us"},
		{name: "a vector of unions, NONE with a value, strict", parts: unions(U32(1), Bytes(0, 0, 0, 0), U32(1), U32(4), U32(0)), opts: strict, kind: fbverify.ErrUnionValueUnexpected, path: "R.us[0]"},
		{name: "a vector of unions, unknown tag, strict", parts: unions(U32(1), Bytes(9, 0, 0, 0), U32(1), U32(4), U32(0)), opts: strict, kind: fbverify.ErrUnionTagUnknown, path: "R.us[0]"},

		// Nested buffers: positions and alignment count from their own start.
		{name: "a nested buffer", parts: one(16, 4, U32(4), U32(12), U32(8), U16(4, 4), U32(4))},
		{name: "a nested buffer with alignment of its own", parts: one(16, 4, U32(4), U32(28), U32(16), slots(16, 3, 8), U32(12), U64(0, 1)), kind: fbverify.ErrOutOfBounds},
		{name: "a nested buffer that is empty", parts: one(16, 4, U32(4), Label("v"), U32(0)), kind: fbverify.ErrTooShort, path: "R.nested"},
		{name: "a nested buffer with a bad root", parts: one(16, 4, U32(4), U32(8), Label("inner"), U32(8), U32(0)), kind: fbverify.ErrOutOfBounds, at: "inner", path: "R.nested"},
		{name: "a nested buffer with a bad root, skipped", parts: one(16, 4, U32(4), U32(8), U32(8), U32(0)), opts: fbverify.Options{NestedUnchecked: true}},
		{name: "a nested buffer that reaches into the outer one", parts: one(16, 4, U32(4), U32(12), Label("inner"), U32(12), U16(4, 4), U32(4), U32(8)), kind: fbverify.ErrOutOfBounds, at: "inner"},

		// 64-bit offsets and vectors.
		{name: "a string behind a 64-bit offset", parts: one(25, 8, Offset64("s"), Label("s"), String("far"))},
		{name: "a 64-bit offset of zero", parts: one(25, 8, U64(0)), kind: fbverify.ErrBadOffset, at: "field"},
		{name: "a 64-bit offset that wraps", parts: one(25, 8, U64(^uint64(7))), kind: fbverify.ErrOutOfBounds, at: "field"},
		{name: "a 64-bit offset cut short", parts: one(25, 8, U32(4), Bytes(0, 0, 0)), kind: fbverify.ErrOutOfBounds, path: "R.far"},
		{name: "a 64-bit vector", parts: one(26, 8, Offset64("v"), Label("v"), U64(2), U32(1, 2))},
		{name: "a 64-bit vector with one element too few", parts: one(26, 8, Offset64("v"), Label("v"), U64(2), U32(1)), kind: fbverify.ErrOutOfBounds, at: "v"},
		{name: "a 64-bit vector whose size overflows", parts: one(26, 8, Offset64("v"), Label("v"), U64(1<<62), U32(1, 2)), kind: fbverify.ErrOutOfBounds, at: "v"},
		{name: "a 64-bit vector whose length word is cut", parts: one(26, 8, Offset64("v"), Label("v"), U32(0)), kind: fbverify.ErrOutOfBounds, at: "field"},
		{name: "a 64-bit vector whose length word is at 4 mod 8", parts: one(26, 8, U64(12), U32(0), U64(0)), kind: fbverify.ErrMisaligned, at: "field"},
		{name: "a buffer nested behind a 64-bit offset", parts: one(30, 8, Offset64("v"), Label("v"), U64(12), U32(8), U16(4, 4), U32(4))},
		{name: "a bad buffer nested behind a 64-bit offset", parts: one(30, 8, Offset64("v"), Label("v"), U64(12), U32(8), U16(2, 4), U32(4)), kind: fbverify.ErrBadVTable, path: "R.far_nested"},

		// What only Strict looks at.
		{name: "a bool of 2", parts: one(0, 1, Bytes(2))},
		{name: "a bool of 2, strict", parts: one(0, 1, Bytes(2)), opts: strict, kind: fbverify.ErrBadBool, at: "field", path: "R.on"},
		{name: "a bool of 2 in a vector, strict", parts: one(20, 4, U32(4), U32(2), Bytes(1), Label("bad"), Bytes(2)), opts: strict, kind: fbverify.ErrBadBool, at: "bad", path: "R.bools[1]"},
		{name: "a bool of 2 in a struct, strict", parts: one(4, 16, U64(0), Label("bad"), Bytes(2, 1, 1, 1, 0, 0, 0, 0)), opts: strict, kind: fbverify.ErrBadBool, at: "bad", path: "R.p.on"},
		{name: "a bool of 2 in a union's struct, strict", parts: union(7, 2, U32(8), U32(0), U64(0), Label("bad"), Bytes(2, 1, 1, 1, 0, 0, 0, 0)), opts: strict, kind: fbverify.ErrBadBool, at: "bad", path: "R.u.on"},
		{name: "an unknown enum value", parts: one(1, 1, Bytes(7))},
		{name: "an unknown enum value, strict", parts: one(1, 1, Bytes(7)), opts: strict, kind: fbverify.ErrUnknownEnum, at: "field", path: "R.color"},
		{name: "a negative enum value, strict", parts: one(1, 1, Bytes(0xfb)), opts: strict},
		{name: "an unknown enum value in a vector, strict", parts: one(31, 4, U32(4), U32(2), Bytes(1), Label("bad"), Bytes(3)), opts: strict, kind: fbverify.ErrUnknownEnum, at: "bad", path: "R.colors[1]"},
		{name: "flags together, strict", parts: one(2, 1, Bytes(5)), opts: strict},
		{name: "no flags, strict", parts: one(2, 1, Bytes(0)), opts: strict},
		{name: "an unknown flag, strict", parts: one(2, 1, Bytes(8)), opts: strict, kind: fbverify.ErrUnknownEnum, at: "field", path: "R.flags"},
		{name: "an unknown flag in an array in a vector of structs, strict", parts: one(13, 4, U32(4), U32(2), U64(0), Bytes(1, 1, 1, 1, 0, 0, 0, 0), U64(0), Bytes(1, 1, 1), Label("bad"), Bytes(64, 0, 0, 0, 0)), opts: strict, kind: fbverify.ErrUnknownEnum, at: "bad", path: "R.points[1].flags[1]"},
		{name: "structs sorted by key, strict", parts: one(19, 4, U32(4), U32(3), U16(1, 0, 2, 0, 0xffff, 0)), opts: strict},
		{name: "structs not sorted by key", parts: one(19, 4, U32(4), U32(2), U16(2, 0, 1, 0))},
		{name: "structs not sorted by key, strict", parts: one(19, 4, U32(4), U32(2), U16(2, 0), Label("bad"), U16(1, 0)), opts: strict, kind: fbverify.ErrUnsorted, at: "bad", path: "R.entries[1].id"},
		{name: "tables sorted by name, strict", parts: named("ab", "b"), opts: strict},
		{name: "tables not sorted by name, strict", parts: named("b", "ab"), opts: strict, kind: fbverify.ErrUnsorted, path: "R.named[1].name"},
		{name: "tables sorted by a default key, strict", parts: numbered(false), opts: strict},
		{name: "tables not sorted by a default key, strict", parts: numbered(true), opts: strict, kind: fbverify.ErrUnsorted, path: "R.numbered[1].n"},
		{name: "an empty vector misaligned, strict", parts: []Part{Offset("root"), Label("vt"), slots(8, 12, 4), Align(8), Label("root"), VTable("vt"), U32(4), Label("v"), U32(0)}, opts: strict, kind: fbverify.ErrMisaligned},

		// Limits and identifiers.
		{name: "the identifier asked for", parts: one(3, 8, U64(0)), opts: fbverify.Options{Identifier: "RULE"}},
		{name: "another identifier", parts: one(3, 8, U64(0)), opts: fbverify.Options{Identifier: "OTHR"}, kind: fbverify.ErrIdentifier},
		{name: "a buffer too short for an identifier", parts: []Part{U32(4), Bytes(0, 0, 0)}, opts: fbverify.Options{Identifier: "RULE"}, kind: fbverify.ErrTooShort},
		{name: "as many tables as allowed", parts: one(15, 4, U32(4), U32(2), Offset("a"), Offset("b"), leaf("a"), leaf("b")), opts: fbverify.Options{MaxTables: 3}},
		{name: "one table too many", parts: one(15, 4, U32(4), U32(2), Offset("a"), Offset("b"), leaf("a"), leaf("b")), opts: fbverify.Options{MaxTables: 2}, kind: fbverify.ErrTableLimit},
		{name: "tables as deep as allowed", parts: one(6, 4, Offset("leaf"), leaf("leaf")), opts: fbverify.Options{MaxDepth: 2}},
		{name: "one table too deep", parts: one(6, 4, Offset("leaf"), leaf("leaf")), opts: fbverify.Options{MaxDepth: 1}, kind: fbverify.ErrDepthLimit, path: "R.leaf"},
		{name: "one table too deep in a vector", parts: one(15, 4, U32(4), U32(1), Offset("a"), leaf("a")), opts: fbverify.Options{MaxDepth: 1}, kind: fbverify.ErrDepthLimit, path: "R.leaves[0]"},
		{name: "one table too deep in a union", parts: union(7, 1, Offset("leaf"), leaf("leaf")), opts: fbverify.Options{MaxDepth: 1}, kind: fbverify.ErrDepthLimit, path: "R.u"},
		{name: "one table too deep in a nested buffer", parts: one(16, 4, U32(4), U32(12), U32(8), U16(4, 4), U32(4)), opts: fbverify.Options{MaxDepth: 1}, kind: fbverify.ErrDepthLimit, path: "R.nested"},
		{name: "as many bytes as allowed", parts: one(11, 4, U32(4), U32(3), Bytes(1, 2, 3)), opts: fbverify.Options{MaxApparentSize: 12 + 7}},
		{name: "one byte too many", parts: one(11, 4, U32(4), U32(3), Bytes(1, 2, 3)), opts: fbverify.Options{MaxApparentSize: 12 + 6}, kind: fbverify.ErrSizeLimit},
		{name: "one byte of a string too many", parts: one(5, 4, U32(4), U32(3), Text("abc"), Bytes(0)), opts: fbverify.Options{MaxApparentSize: 12 + 7}, kind: fbverify.ErrSizeLimit},
		{name: "a vector of 1000 tables shared", parts: one(15, 4, U32(4), U32(1000), many(1000, Offset("a")), leaf("a"))},
	}
}

// unions is a buffer with a vector of unions: length and tags, then length and
// values.
func unions(parts ...Part) []Part {
	return append([]Part{
		Offset("root"), Label("vt"), slots(16, 9, 4, 10, 8), Align(8),
		Label("root"), VTable("vt"), Offset("tags"), Offset("values"), U32(0),
		Label("tags"), parts[0], parts[1], Label("values"),
	}, parts[2:]...)
}

// named is a buffer with a vector of two Named.
func named(a, b string) []Part {
	table := func(label, name string) Part {
		return Sequence(Align(4), Label(label), VTable("nvt"), U32(4), String(name))
	}
	return one(18, 4, U32(4), U32(2), Offset("a"), Offset("b"), Label("nvt"), U16(6, 8, 4), table("a", a), table("b", b))
}

// numbered is a buffer with a Numbered of key 4 and one of the default, 5.
func numbered(swapped bool) []Part {
	first, second := Offset("four"), Offset("five")
	if swapped {
		first, second = second, first
	}
	return one(27, 4, U32(4), U32(2), first, second,
		Label("nvt"), U16(6, 8, 4), Align(4), Label("four"), VTable("nvt"), U32(4),
		Label("evt"), U16(4, 4), Align(4), Label("five"), VTable("evt"))
}

func TestRules(t *testing.T) {
	typ := rulesType(t, "R")
	for _, c := range ruleCases() {
		t.Run(c.name, func(t *testing.T) {
			buf, labels := Assemble(c.parts...)
			err := typ.Verify(buf, &c.opts)
			faults := typ.Explain(buf, &c.opts)
			if c.kind == 0 {
				if err != nil || len(faults) > 0 {
					t.Fatalf("Verify: %v, Explain: %v; want it accepted", err, faults)
				}
				return
			}
			if !errors.Is(err, c.kind) {
				t.Fatalf("got %v, want %v", err, c.kind)
			}
			if len(faults) == 0 || *faults[0] != *err.(*fbverify.Error) {
				t.Fatalf("Explain says %v, Verify %v", faults, err)
			}
			if e := err.(*fbverify.Error); c.path != "" && e.Path != c.path {
				t.Errorf("path %q, want %q (%v)", e.Path, c.path, err)
			} else if c.at != "" && e.Offset != labels[c.at] {
				t.Errorf("offset %d, want %d (%v)", e.Offset, labels[c.at], err)
			}
			if e := err.(*fbverify.Error); e.Size < 0 || e.Offset+e.Size > len(buf) {
				t.Errorf("%d bytes at fault at %d, outside the buffer of %d (%v)", e.Size, e.Offset, len(buf), err)
			} else if want, ok := faultSizes[e.Kind]; ok && e.Size != want {
				t.Errorf("%d bytes at fault, want %d (%v)", e.Size, want, err)
			}
		})
	}
}

// faultSizes is the number of bytes at fault for kinds that have one number.
var faultSizes = map[fbverify.Kind]int{
	fbverify.ErrTooShort: 0, fbverify.ErrTooLarge: 0, fbverify.ErrTableLimit: 0, fbverify.ErrSizeLimit: 0, fbverify.ErrOverlap: 0,
	fbverify.ErrBadVTable: 2, fbverify.ErrTableSize: 2,
	fbverify.ErrInvalidUTF8: 1, fbverify.ErrEmbeddedNUL: 1, fbverify.ErrBadBool: 1,
	fbverify.ErrIdentifier: 4, fbverify.ErrMissingRequired: 4, fbverify.ErrUnionVectors: 4, fbverify.ErrDepthLimit: 4,
}

// TestRulesAgreeWithTheReferenceWalk holds the verdict on every buffer of the
// rules, and on every change of one byte of each, to the walk that checks each
// read before it is done and shares no code with the verifier.
func TestRulesAgreeWithTheReferenceWalk(t *testing.T) {
	typ := rulesType(t, "R")
	for _, c := range ruleCases() {
		if c.opts.Strict || c.opts.MaxTables > 0 || c.opts.MaxDepth > 0 || c.opts.MaxApparentSize > 0 || c.opts.Identifier != "" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			opts := &walk.Options{
				Rules: true, SkipUTF8: c.opts.SkipUTF8, SkipAlignment: c.opts.SkipAlignment,
				SkipNullTerminator: c.opts.SkipNullTerminator, SkipNested: c.opts.NestedUnchecked,
			}
			buf := Build(c.parts...)
			if len(buf) > 1024 {
				t.Skip("too large to change every byte of")
			}
			judge := func(what string, at int) {
				got, want := typ.Verify(buf, &c.opts), walk.Message(typ.Schema(), typ.Root(), buf, opts)
				if errors.Is(got, fbverify.ErrInternal) || (got == nil) != (want == nil) {
					t.Errorf("%s at %d: Verify says %v, the reference walk %v", what, at, got, want)
				}
			}
			judge("unchanged", 0)
			for i, old := range buf {
				for _, v := range []byte{0, 1, 2, 4, 0xff, old + 1, old - 1, old + 4, old - 4, old ^ 0x80, old ^ 0x20} {
					buf[i] = v
					judge(fmt.Sprintf("0x%02x for 0x%02x", v, old), i)
				}
				buf[i] = old
			}
		})
	}
}
