package fbverify_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	. "github.com/fbverify/go/internal/fbasm"
)

// treeSchema: the vector comes first, so that a walk has met much sharing, and
// remembers results, before it comes to the rest.
const treeSchema = `
table N {
  v:[N];      // 0
  a:N;        // 1
  b:N;        // 2
  nested:[ubyte] (nested_flatbuffer: "N"); // 3
  s:string;   // 4
  value:long; // 5
}
root_type N;
`

// sharing is how often the shared tables stand in the vector of a root: more than
// there can be side by side.
const sharing = 400

// shares starts a buffer with a root whose vector leads to one vector of empty
// tables again and again, and whose other fields are those given, as offsets.
func shares(fields map[uint16]string, rest ...Part) []Part {
	pairs := []uint16{0, 4}
	offsets := []Part{Offset("vector")}
	for id := uint16(1); id < 5; id++ {
		if label, ok := fields[id]; ok {
			pairs = append(pairs, id, uint16(4+4*len(offsets)))
			offsets = append(offsets, Offset(label))
		}
	}
	parts := []Part{Offset("root"), Label("vt"), slots(uint16(4+4*len(offsets)), pairs...), Align(8), Label("root"), VTable("vt")}
	parts = append(parts, offsets...)
	parts = append(parts, Label("vector"), U32(sharing))
	for range sharing {
		parts = append(parts, Offset("list"))
	}
	parts = append(parts, Label("list vt"), U16(6, 8, 4), Align(4), Label("list"), VTable("list vt"), Offset("empties"), Label("empties"), U32(8))
	for range 8 {
		parts = append(parts, Offset("empty"))
	}
	parts = append(parts, Label("empty vt"), U16(4, 4), Label("empty"), VTable("empty vt"))
	return append(parts, rest...)
}

// chained are n tables, each the field a of the one before, from the label on; the
// last leads to the label after.
func chained(label string, n int, after string) []Part {
	parts := []Part{Label(label + " vt"), slots(8, 1, 4), Align(4)}
	for i := range n {
		here, next := fmt.Sprint(label, i), fmt.Sprint(label, i+1)
		if i == 0 {
			here = label
		}
		if i == n-1 {
			next = after
		}
		parts = append(parts, Label(here), VTable(label+" vt"), Offset(next))
	}
	return parts
}

// TestDepthCountsAlsoWhereResultsAreRemembered: a chain is met near the root, and
// then again far from it.
func TestDepthCountsAlsoWhereResultsAreRemembered(t *testing.T) {
	typ := typeOf(t, treeSchema)
	rest := append(chained("far", 5, "near"), chained("near", 6, "empty at the end")...)
	rest = append(rest, Label("end vt"), U16(4, 4), Label("empty at the end"), VTable("end vt"))
	buf := Build(shares(map[uint16]string{1: "near", 2: "far"}, rest...)...)
	const depth = 1 + 5 + 6 + 1
	for limit := 6; limit < depth+3; limit++ {
		err := typ.Verify(buf, &fbverify.Options{MaxDepth: limit})
		faults := typ.Explain(buf, &fbverify.Options{MaxDepth: limit})
		if limit >= depth && (err != nil || faults != nil) || limit < depth && !errors.Is(err, fbverify.ErrDepthLimit) {
			t.Errorf("limit %d of %d: %v, Explain %v", limit, depth, err, faults)
		}
	}
}

// TestWhatANestedBufferCutsOffIsNotTakenFromOutside: a table is sound in the outer
// buffer and reaches past the end of the nested one that it also stands in.
func TestWhatANestedBufferCutsOffIsNotTakenFromOutside(t *testing.T) {
	typ := typeOf(t, treeSchema)
	for _, c := range []struct {
		name string
		cut  []Part // the end of the nested buffer, and what follows it
		id   uint16 // of the outer field that leads to it
		slot uint16 // of the nested root's field
	}{
		{"a table", []Part{Label("x vt"), slots(16, 5, 8), Align(8), Label("x"), VTable("x vt"), U32(0), Label("end"), U64(7)}, 2, 2},
		{"a string", []Part{Label("x"), U32(100), Text(strings.Repeat("x", 80)), Label("end"), Text(strings.Repeat("x", 20)), Bytes(make([]byte, 20)...)}, 4, 4},
	} {
		parts := func(size uint32) []byte {
			fields := map[uint16]string{c.id: "x", 3: "nested"}
			rest := []Part{Align(8), U32(0), Label("nested"), U32(size), Label("start"), Offset("inner"), Label("inner vt"), slots(8, c.slot, 4), Align(8), Label("inner"), VTable("inner vt"), Offset("x")}
			return Build(shares(fields, append(rest, c.cut...)...)...)
		}
		_, at := Assemble(shares(nil, append([]Part{Align(8), U32(0), Label("nested"), U32(0), Label("start"), U32(0), Label("inner vt"), slots(8, c.slot, 4), Align(8), Label("inner"), VTable("inner vt"), U32(0)}, c.cut...)...)...)
		size := at["end"] - at["start"]
		whole := parts(uint32(size) + 20)
		if c.id == 4 {
			whole = parts(uint32(size) + 21)
		}
		cut := parts(uint32(size))
		for _, o := range []*fbverify.Options{nil, {Strict: true}} {
			if err := typ.Verify(append(whole, make([]byte, 32)...), o); err != nil {
				t.Errorf("%s, whole: %v", c.name, err)
			}
			if err := typ.Verify(append(cut, make([]byte, 32)...), o); err == nil || o == nil && !errors.Is(err, fbverify.ErrOutOfBounds) {
				t.Errorf("%s, cut: %v", c.name, err)
			}
		}
	}
}

// TestSharingBehindASizePrefix that the alignment counts from, and not from after
// it: one walk gives up, and the other refuses what only the first can tell.
func TestSharingBehindASizePrefix(t *testing.T) {
	typ := typeOf(t, treeSchema)
	parts := shares(map[uint16]string{1: "x"}, Label("x vt"), slots(16, 5, 8), Align(8), Label("x"), VTable("x vt"), U32(0), U64(7))
	buf := Build(append([]Part{U32(0)}, parts...)...)
	body := len(buf) - 4
	buf[0], buf[1] = byte(body), byte(body>>8)
	if err := typ.Verify(buf, &fbverify.Options{Framing: fbverify.SizePrefixed}); err != nil {
		t.Error(err)
	}
	if err := typ.Verify(buf[4:], nil); !errors.Is(err, fbverify.ErrMisaligned) {
		t.Errorf("without the prefix: %v", err)
	}
}

// TestAFaultBehindNoPrefixDoesNotDecideOfWhatIsShared: the walk from the prefix gives
// up, and the one from after it is over at once.
func TestAFaultBehindNoPrefixDoesNotDecideOfWhatIsShared(t *testing.T) {
	typ := typeOf(t, "table N { value:long; v:[N]; } root_type N;")
	parts := []Part{U32(0), Offset("root"), Label("vt"), slots(20, 0, 8, 1, 16), Label("leaf vt"), U16(4, 4), Align(8), Label("root"), VTable("vt"), U32(0), U64(7), Offset("v"), Label("v"), U32(sharing)}
	for range sharing {
		parts = append(parts, Offset("leaf"))
	}
	buf := Build(append(parts, Label("leaf"), VTable("leaf vt"))...)
	binary.LittleEndian.PutUint32(buf, uint32(len(buf)-4))
	if err := typ.Verify(buf, &fbverify.Options{Framing: fbverify.SizePrefixed}); err != nil {
		t.Error(err)
	}
}

// TestLimitsOnWhatIsShared: tables and bytes count once for each way to them.
func TestLimitsOnWhatIsShared(t *testing.T) {
	typ := typeOf(t, treeSchema)
	buf := Build(shares(nil)...)
	counts, err := typ.Measure(buf, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 + sharing*9; counts.Tables != want {
		t.Fatalf("%d tables, want %d", counts.Tables, want)
	}
	if want := int64(8+4+4*sharing) + sharing*(8+4+4*8+8*4); counts.Bytes != want {
		t.Fatalf("%d bytes, want %d", counts.Bytes, want)
	}
	for _, o := range []fbverify.Options{{}, {Strict: true}, {Parallel: 3}} {
		for off := -2; off <= 2; off++ {
			o := o
			o.MaxTables = counts.Tables + off
			if err := typ.Verify(buf, &o); (err == nil) != (off >= 0) || err != nil && !errors.Is(err, fbverify.ErrTableLimit) {
				t.Errorf("%d of %d tables allowed: %v", o.MaxTables, counts.Tables, err)
			}
			o.MaxTables, o.MaxApparentSize = 0, counts.Bytes+int64(off)
			if err := typ.Verify(buf, &o); (err == nil) != (off >= 0) || err != nil && !errors.Is(err, fbverify.ErrSizeLimit) {
				t.Errorf("%d of %d bytes allowed: %v", o.MaxApparentSize, counts.Bytes, err)
			}
		}
	}
}

// TestDeprecatedFieldsDoNotCount: nobody reads them.
func TestDeprecatedFieldsDoNotCount(t *testing.T) {
	typ := typeOf(t, "table R { value:int; old:long (deprecated); } root_type R;")
	buf := Build(Offset("root"), Label("vt"), U16(8, 16, 4, 8), Align(8), Label("root"), VTable("vt"), U32(1), U64(2))
	for _, o := range []*fbverify.Options{nil, {Strict: true}} {
		if counts, err := typ.Measure(buf, o); err != nil || counts != (fbverify.Counts{Tables: 1, Bytes: 8}) {
			t.Errorf("%+v: %+v, %v", o, counts, err)
		}
	}
}

// TestStructsOfUnionsCount, in a field and in a vector, in which one is NONE.
func TestStructsOfUnionsCount(t *testing.T) {
	typ := typeOf(t, "struct P { x:int; y:int; } union U { P } table R { u:U; us:[U]; } root_type R;")
	buf := Build(Offset("root"), Label("vt"), U16(12, 20, 4, 8, 12, 16), Align(4), Label("root"), VTable("vt"), U32(1), Offset("p"), Offset("tags"), Offset("values"),
		Label("tags"), U32(3), Bytes(1, 0, 1, 0), Label("values"), U32(3), Offset("p"), U32(0), Offset("p"), Label("p"), U32(1, 2))
	for _, o := range []*fbverify.Options{nil, {Strict: true}} {
		if counts, err := typ.Measure(buf, o); err != nil || counts != (fbverify.Counts{Tables: 1, Bytes: 20 + 7 + 16 + 3*8}) {
			t.Errorf("%+v: %+v, %v", o, counts, err)
		}
	}
}

// TestTheMachineCountsWhatTheExplainerCounts in the buffers of the rules, under each
// exception.
func TestTheMachineCountsWhatTheExplainerCounts(t *testing.T) {
	typ := rulesType(t, "R")
	compared := 0
	for _, c := range append(ruleCases(), ruleCase{name: "strings", parts: append(one(14, 4, Offset("v"), Label("v"), U32(9), Offset("s"), Offset("s"), Offset("s"), Offset("s"), Offset("s"), Offset("s"), Offset("s"), Offset("s"), Offset("s"), Label("s"), String("short")), Bytes(make([]byte, 128)...))}) {
		for exception := range 5 {
			buf, o := Build(c.parts...), c.opts
			o.SkipUTF8 = o.SkipUTF8 || exception == 1
			o.SkipAlignment = o.SkipAlignment || exception == 2
			o.SkipNullTerminator = o.SkipNullTerminator || exception == 3
			o.NestedUnchecked = o.NestedUnchecked || exception == 4
			o.Strict = false
			fast, err := typ.Measure(buf, &o)
			o.Strict = true
			slow, strict := typ.Measure(buf, &o)
			if err != nil || strict != nil {
				continue
			}
			if compared++; fast != slow {
				t.Errorf("%s, exception %d: %+v, and the explainer counts %+v", c.name, exception, fast, slow)
			}
		}
	}
	if compared < 200 {
		t.Errorf("%d buffers were compared", compared)
	}
}
