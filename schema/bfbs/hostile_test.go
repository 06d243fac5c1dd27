package bfbs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
	"github.com/fbverify/go/schema/formats"
	flatbuffers "github.com/google/flatbuffers/go"
)

// smallBFBS is a schema of a few hundred bytes with one of each kind of thing.
func smallBFBS(t testing.TB) []byte {
	t.Helper()
	s, err := fbs.Parse("small.fbs", []byte(`
namespace n;
enum E : int8 (bit_flags) { A, B }
struct S (force_align: 8) { a: int8; b: [uint16:3]; }
union U { T, S, x: string }
/// doc
table T { s: S; u: U; v: [U]; e: E = B; r: string (required); f: float32 = 1.5; o: int32 = null; }
rpc_service R { m(T): T; }
root_type T;
file_identifier "SMAL";
`))
	if err != nil {
		t.Fatal(err)
	}
	return mustMarshal(t, s)
}

// checkLoad loads what may be anything: an error is fine, a schema must be sound.
func checkLoad(t testing.TB, b []byte) (ok bool) {
	s, err := Load(b)
	if err != nil {
		if s != nil {
			t.Fatalf("a schema beside the error %v", err)
		}
		return false
	}
	if err := s.Check(); err != nil {
		t.Fatalf("loads, and does not pass Check: %v", err)
	}
	again, err := Marshal(s)
	if err != nil {
		t.Fatalf("loads, and cannot be marshalled: %v", err)
	}
	reloaded, err := Load(again)
	if err != nil {
		t.Fatalf("loads, and what is marshalled from it does not: %v", err)
	}
	if d := schema.Differences(s, reloaded, 1); d != nil {
		t.Fatalf("loads, and another schema comes back: %v", d)
	}
	return true
}

func TestEveryPrefixOfABFBSIsRefused(t *testing.T) {
	b := smallBFBS(t)
	for n := range b[:len(b)-3] { // the last three may be padding
		if checkLoad(t, b[:n]) {
			t.Errorf("the first %d of %d bytes load", n, len(b))
		}
	}
	if !checkLoad(t, b) {
		t.Error("the whole does not load")
	}
}

func TestEveryByteOfABFBSMayChange(t *testing.T) {
	b := smallBFBS(t)
	loaded, refused := 0, 0
	for i, was := range b {
		for _, change := range []byte{0, 0xff, was + 1, was - 1, was ^ 1, was ^ 0x80, was ^ 4} {
			b[i] = change
			if checkLoad(t, b) {
				loaded++
			} else {
				refused++
			}
		}
		b[i] = was
	}
	if loaded == 0 || refused == 0 {
		t.Errorf("%d changed files load, %d do not: nothing was tried", loaded, refused)
	}
}

func FuzzLoad(f *testing.F) {
	// Beside the seeds in testdata: schemas that lie in this package.
	for _, k := range formats.All() {
		if s, err := k.Load(); err == nil && len(s.Objects) < 20 {
			f.Add(mustMarshal(f, s))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkLoad(t, b) })
}

func TestShortAndForeignFilesAreNamedSo(t *testing.T) {
	small := smallBFBS(t)
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"nil":                {nil, "0 bytes are too few"},
		"seven bytes":        {[]byte("1234567"), "7 bytes are too few"},
		"text":               {[]byte("table T { x: int; }"), "no binary schema"},
		"root offset zero":   {[]byte("\x00\x00\x00\x00BFBS"), "Schema at offset 0"},
		"root offset beyond": {[]byte("\xff\xff\xff\xffBFBS"), "flatbuffer:"},
		"prefix too large":   {append(binary.LittleEndian.AppendUint32(nil, uint32(len(small)+1)), small...), "size prefix promises"},
		"prefix too small":   {append(binary.LittleEndian.AppendUint32(nil, 7), small...), "past the end of the buffer"},
	} {
		_, err := Load(c.b)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want something with %q", name, err, c.want)
		}
	}
}

func TestASizePrefixedBFBSLoads(t *testing.T) {
	small := smallBFBS(t)
	want := MustLoad(t, small)
	byHand := append(binary.LittleEndian.AppendUint32(nil, uint32(len(small))), small...)
	if d := schema.Differences(want, MustLoad(t, byHand), 5); d != nil {
		t.Error(d)
	}
	// Bytes after the message are not its own.
	if d := schema.Differences(want, MustLoad(t, append(byHand, "tail"...)), 5); d != nil {
		t.Error(d)
	}
}

// bfbsBuilder writes .bfbs files that no flatc would.
type bfbsBuilder struct{ *flatbuffers.Builder }

func newBFBS() bfbsBuilder { return bfbsBuilder{flatbuffers.NewBuilder(1024)} }

func (b bfbsBuilder) vector(offsets ...flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(4, len(offsets), 4)
	for i := len(offsets) - 1; i >= 0; i-- {
		b.PrependUOffsetT(offsets[i])
	}
	return b.EndVector(len(offsets))
}

func (b bfbsBuilder) typ(base, element schema.BaseType, index int32) flatbuffers.UOffsetT {
	b.StartObject(numType)
	b.PrependByteSlot(typeBase, byte(base), 0)
	b.PrependByteSlot(typeElement, byte(element), 0)
	b.PrependInt32Slot(typeIndex, index, -1)
	return b.EndObject()
}

func (b bfbsBuilder) field(name, typ flatbuffers.UOffsetT, id, offset uint16) flatbuffers.UOffsetT {
	b.StartObject(numField)
	b.PrependUOffsetTSlot(fieldName, name, 0)
	b.PrependUOffsetTSlot(fieldType, typ, 0)
	b.PrependUint16Slot(fieldID, id, 0)
	b.PrependUint16Slot(fieldOffset, offset, 0)
	return b.EndObject()
}

func (b bfbsBuilder) object(name, fields, doc flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartObject(numObject)
	b.PrependUOffsetTSlot(objectName, name, 0)
	b.PrependUOffsetTSlot(objectFields, fields, 0)
	b.PrependUOffsetTSlot(objectDoc, doc, 0)
	return b.EndObject()
}

func (b bfbsBuilder) finish(objects, enums flatbuffers.UOffsetT) []byte {
	b.StartObject(numSchema)
	b.PrependUOffsetTSlot(schemaObjects, objects, 0)
	b.PrependUOffsetTSlot(schemaEnums, enums, 0)
	b.FinishWithFileIdentifier(b.EndObject(), []byte(Identifier))
	return b.FinishedBytes()
}

// TestSharedPartsAreCounted: a thousand tables that share one vector of a thousand
// fields stand for a million, in 40 kB.
func TestSharedPartsAreCounted(t *testing.T) {
	b := newBFBS()
	var fields []flatbuffers.UOffsetT
	typ := b.typ(schema.Int, schema.None, -1)
	for i := range 1000 {
		fields = append(fields, b.field(b.CreateString(fmt.Sprint("f", i)), typ, uint16(i), uint16(4+2*i)))
	}
	vector := b.vector(fields...)
	var objects []flatbuffers.UOffsetT
	for i := range 1000 {
		objects = append(objects, b.object(b.CreateString(fmt.Sprint("T", i)), vector, 0))
	}
	start := time.Now()
	_, err := Load(b.finish(b.vector(objects...), b.vector()))
	if !errors.Is(err, fbverify.ErrSizeLimit) {
		t.Errorf("got %v", err)
	}
	if d := time.Since(start); d > time.Second {
		t.Errorf("took %v", d)
	}
}

// TestModestSharingIsAccepted: names, types and attributes may be shared.
func TestModestSharingIsAccepted(t *testing.T) {
	b := newBFBS()
	typ := b.typ(schema.Int, schema.None, -1)
	names := []flatbuffers.UOffsetT{b.CreateString("a"), b.CreateString("b"), b.CreateString("c")}
	var objects []flatbuffers.UOffsetT
	for i := range 200 {
		var fields []flatbuffers.UOffsetT
		for j, name := range names {
			fields = append(fields, b.field(name, typ, uint16(j), uint16(4+2*j)))
		}
		objects = append(objects, b.object(b.CreateString(fmt.Sprint("T", i)), b.vector(fields...), 0))
	}
	s := MustLoad(t, b.finish(b.vector(objects...), b.vector()))
	if len(s.Objects) != 200 || len(s.Objects[7].Fields) != 3 {
		t.Errorf("%d objects", len(s.Objects))
	}
}

// TestOverlappingStringsAreCounted: each string of the doc comment starts four
// bytes into the one before and reaches to the same end.
func TestOverlappingStringsAreCounted(t *testing.T) {
	b := newBFBS()
	const n = 1 << 14
	body := make([]byte, 4*n)
	for i := range n {
		binary.LittleEndian.PutUint32(body[4*i:], uint32(4*(n-1-i)))
	}
	blob := b.CreateByteString(body)
	var doc []flatbuffers.UOffsetT
	for i := range flatbuffers.UOffsetT(n) {
		doc = append(doc, blob-4-4*i) // offsets of a builder count from the end
	}
	object := b.object(b.CreateString("T"), b.vector(), b.vector(doc...))
	start := time.Now()
	_, err := Load(b.finish(b.vector(object), b.vector()))
	if !errors.Is(err, fbverify.ErrSizeLimit) && !errors.Is(err, fbverify.ErrOverlap) {
		t.Errorf("got %v", err)
	}
	if d := time.Since(start); d > time.Second {
		t.Errorf("took %v", d)
	}
}

// structOf writes the objects of a schema that is one struct with one field.
func structOf(b bfbsBuilder, typ flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	fields := b.vector(b.field(b.CreateString("x"), typ, 0, 0))
	name := b.CreateString("S")
	b.StartObject(numObject)
	b.PrependUOffsetTSlot(objectName, name, 0)
	b.PrependUOffsetTSlot(objectFields, fields, 0)
	b.PrependBoolSlot(objectIsStruct, true, false)
	return b.vector(b.EndObject())
}

func TestFaultsSayWhereTheyAre(t *testing.T) {
	one := func(build func(b bfbsBuilder) (objects, enums flatbuffers.UOffsetT)) []byte {
		b := newBFBS()
		objects, enums := build(b)
		return b.finish(objects, enums)
	}
	table := func(b bfbsBuilder, fields ...flatbuffers.UOffsetT) flatbuffers.UOffsetT {
		return b.vector(b.object(b.CreateString("T"), b.vector(fields...), 0))
	}
	for name, c := range map[string]struct {
		build func(b bfbsBuilder) (objects, enums flatbuffers.UOffsetT)
		want  string
	}{
		"no enums": {func(b bfbsBuilder) (objects, enums flatbuffers.UOffsetT) {
			return b.vector(), 0
		}, "Schema.enums at offset"},
		"a field without a type": {func(b bfbsBuilder) (objects, enums flatbuffers.UOffsetT) {
			return table(b, b.field(b.CreateString("x"), 0, 0, 4)), b.vector()
		}, "Schema.objects[0].fields[0].type at offset"},
		"a type that is none": {func(b bfbsBuilder) (objects, enums flatbuffers.UOffsetT) {
			return table(b, b.field(b.CreateString("x"), b.typ(99, schema.None, -1), 0, 4)), b.vector()
		}, "Schema.objects[0].fields[0].type: base_type is 99"},
		"an object that is none": {func(b bfbsBuilder) (objects, enums flatbuffers.UOffsetT) {
			return table(b, b.field(b.CreateString("x"), b.typ(schema.Vector, schema.Obj, 1), 0, 4)), b.vector()
		}, "index 1: the type is an object, and there are 1"},
		"an enum that is none": {func(b bfbsBuilder) (objects, enums flatbuffers.UOffsetT) {
			return table(b, b.field(b.CreateString("x"), b.typ(schema.Int, schema.None, 0), 0, 4)), b.vector()
		}, "index 0: the type is an enum, and there are 0"},
		"an id too many": {func(b bfbsBuilder) (objects, enums flatbuffers.UOffsetT) {
			return table(b, b.field(b.CreateString("x"), b.typ(schema.Int, schema.None, -1), 1, 6)), b.vector()
		}, "has the id 1"},
		"an id twice": {func(b bfbsBuilder) (objects, enums flatbuffers.UOffsetT) {
			typ := b.typ(schema.Int, schema.None, -1)
			return table(b, b.field(b.CreateString("x"), typ, 0, 4), b.field(b.CreateString("y"), typ, 0, 4)), b.vector()
		}, "both have the id 0"},
		"another vtable offset": {func(b bfbsBuilder) (objects, enums flatbuffers.UOffsetT) {
			return table(b, b.field(b.CreateString("x"), b.typ(schema.Int, schema.None, -1), 0, 6)), b.vector()
		}, "vtable offset 6"},
		"an object twice": {func(b bfbsBuilder) (objects, enums flatbuffers.UOffsetT) {
			o := b.object(b.CreateString("T"), b.vector(), 0)
			return b.vector(o, o), b.vector()
		}, "two objects"},
		"a struct in itself": {func(b bfbsBuilder) (objects, enums flatbuffers.UOffsetT) {
			return structOf(b, b.typ(schema.Obj, schema.None, 0)), b.vector()
		}, "contains itself"},
		"a string in a struct": {func(b bfbsBuilder) (objects, enums flatbuffers.UOffsetT) {
			return structOf(b, b.typ(schema.String, schema.None, -1)), b.vector()
		}, "cannot have a field of type string"},
		"an array of nothing in a struct": {func(b bfbsBuilder) (objects, enums flatbuffers.UOffsetT) {
			return structOf(b, b.typ(schema.Array, schema.Int, -1)), b.vector()
		}, "an array of no elements"},
		"a name that is no UTF-8": {func(b bfbsBuilder) (objects, enums flatbuffers.UOffsetT) {
			return b.vector(b.object(b.CreateString("T\xff"), b.vector(), 0)), b.vector()
		}, "not UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(one(c.build))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want something with %q", err, c.want)
			}
		})
	}
}

func TestDocCommentsThatAreNoUTF8AreReplaced(t *testing.T) {
	b := newBFBS()
	object := b.object(b.CreateString("T"), b.vector(), b.vector(b.CreateString("caf\xe9")))
	s := MustLoad(t, b.finish(b.vector(object), b.vector()))
	if got := s.Objects[0].Doc[0]; got != "caf\uFFFD" {
		t.Errorf("got %q", got)
	}
}

func TestAUnionWithoutNONEGetsOne(t *testing.T) {
	b := newBFBS()
	object := b.object(b.CreateString("T"), b.vector(), 0)
	member := func(name string, value int64) flatbuffers.UOffsetT {
		n, typ := b.CreateString(name), b.typ(schema.Obj, schema.None, 0)
		b.StartObject(numEnumVal)
		b.PrependUOffsetTSlot(enumValName, n, 0)
		b.PrependInt64Slot(enumValValue, value, 0)
		b.PrependUOffsetTSlot(enumValType, typ, 0)
		return b.EndObject()
	}
	// In an order that no flatc writes.
	values := b.vector(member("B", 2), member("A", 1))
	name, underlying := b.CreateString("U"), b.typ(schema.UType, schema.None, 0)
	b.StartObject(numEnum)
	b.PrependUOffsetTSlot(enumName, name, 0)
	b.PrependUOffsetTSlot(enumValues, values, 0)
	b.PrependBoolSlot(enumIsUnion, true, false)
	b.PrependUOffsetTSlot(enumUnderlying, underlying, 0)
	union := b.EndObject()
	u := MustLoad(t, b.finish(b.vector(object), b.vector(union))).Enums[0]
	var names []string
	for _, v := range u.Values {
		names = append(names, v.Name)
	}
	if got := strings.Join(names, " "); got != "NONE A B" {
		t.Errorf("got %s", got)
	}
}

func TestAStructLayoutThatIsNotTheFormatsIsRefused(t *testing.T) {
	good := smallBFBS(t)
	s := MustLoad(t, good)
	st := s.Object("n.S")
	for name, change := range map[string]func(){
		"size":      func() { st.ByteSize = 24 },
		"alignment": func() { st.MinAlign = 4 },
		"offset":    func() { st.Fields[1].Offset = 4 },
		"padding":   func() { st.Fields[0].Padding = 3 },
	} {
		saved, a, p := *st, *st.Fields[0], *st.Fields[1]
		change()
		m := &marshaler{b: flatbuffers.NewBuilder(0), objectIndex: map[*schema.Object]int{}, enumIndex: map[*schema.Enum]int{}, objects: map[*schema.Object]flatbuffers.UOffsetT{}}
		m.b.FinishWithFileIdentifier(m.schema(s), []byte(Identifier))
		if _, err := Load(m.b.FinishedBytes()); err == nil || !strings.Contains(err.Error(), "claims") && !strings.Contains(err.Error(), "alignment") {
			t.Errorf("%s: got %v", name, err)
		}
		*st, *st.Fields[0], *st.Fields[1] = saved, a, p
	}
	if !bytes.Equal(mustMarshal(t, s), good) {
		t.Error("the test did not put everything back")
	}
}

func TestAForcedAlignmentIsSeenWithoutTheAttribute(t *testing.T) {
	s := MustLoad(t, smallBFBS(t))
	st := s.Object("n.S")
	st.Attributes = nil
	m := &marshaler{b: flatbuffers.NewBuilder(0), objectIndex: map[*schema.Object]int{}, enumIndex: map[*schema.Enum]int{}, objects: map[*schema.Object]flatbuffers.UOffsetT{}}
	m.b.FinishWithFileIdentifier(m.schema(s), []byte(Identifier))
	again := MustLoad(t, m.b.FinishedBytes()).Object("n.S")
	if v, _ := again.Attribute("force_align"); v != "8" || again.MinAlign != 8 || again.ByteSize != 8 {
		t.Errorf("force_align %q, %d bytes aligned to %d", v, again.ByteSize, again.MinAlign)
	}
}
