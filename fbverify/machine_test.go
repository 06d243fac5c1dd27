package fbverify_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	. "github.com/fbverify/go/internal/fbasm"
)

// both holds a verdict on a buffer to Verify and to Explain. A kind of 0 is valid.
func both(t *testing.T, what string, typ *fbverify.Type, buf []byte, o *fbverify.Options, kind fbverify.Kind) {
	t.Helper()
	err := typ.Verify(buf, o)
	faults := typ.Explain(buf, o)
	switch {
	case kind == 0 && (err != nil || faults != nil):
		t.Errorf("%s: %v, Explain %v; want it accepted", what, err, faults)
	case kind != 0 && (!errors.Is(err, kind) || len(faults) == 0 || *faults[0] != *err.(*fbverify.Error)):
		t.Errorf("%s: %v, Explain %v; want %v", what, err, faults, kind)
	}
}

func TestEachOfSeveralRequiredFieldsIsAskedFor(t *testing.T) {
	typ := typeOf(t, "table T { a:string (required); b:[int] (required); c:T; d:string (required); } root_type T;")
	for absent := -1; absent < 4; absent++ {
		vt := []uint16{12, 20, 4, 8, 0, 12}
		kind := fbverify.Kind(0)
		if absent >= 0 && absent != 2 {
			vt[2+absent], kind = 0, fbverify.ErrMissingRequired
		}
		buf := Build(Offset("root"), Label("vt"), U16(vt...), Align(4), Label("root"), VTable("vt"), Offset("x"), Offset("x"), Offset("x"), U32(0), Label("x"), U32(0, 0))
		both(t, fmt.Sprint("without field ", absent), typ, buf, nil, kind)
	}
}

func TestElementsBehindWideOffsetsAreAligned(t *testing.T) {
	typ := typeOf(t, "table T { far:[long] (offset64); long:[long] (vector64); small:[ubyte] (offset64); } root_type T;")
	build := func(id uint16, shift int, parts ...Part) []byte {
		all := []Part{Offset("root"), Label("vt"), slots(16, id, 8), Align(8), Label("root"), VTable("vt"), U32(0), Offset64("v"), Bytes(make([]byte, shift)...), Label("v")}
		return Build(append(all, parts...)...)
	}
	skip := &fbverify.Options{SkipAlignment: true}
	for shift, ok := range map[int]bool{0: false, 4: true} {
		buf := build(0, shift, U32(1), U64(7))
		both(t, fmt.Sprint("longs at ", shift+4), typ, buf, skip, 0)
		kind := fbverify.ErrMisaligned
		if ok {
			kind = 0
		}
		both(t, fmt.Sprint("longs at ", shift+4), typ, buf, nil, kind)
	}
	both(t, "empty", typ, build(0, 0, U32(0)), nil, 0)
	both(t, "a long length at 4", typ, build(1, 4, U64(0)), nil, fbverify.ErrMisaligned)
	both(t, "a long length at 4, skipped", typ, build(1, 4, U64(1), U64(0)), skip, 0)
	both(t, "bytes at 2", typ, build(2, 2, U32(0)), nil, fbverify.ErrMisaligned)
	both(t, "bytes at 2, skipped", typ, build(2, 2, U32(0)), skip, 0)
}

func TestSkippedAlignmentIsNowhereAskedFor(t *testing.T) {
	typ := rulesType(t, "R")
	skip := &fbverify.Options{SkipAlignment: true}
	for what, buf := range map[string][]byte{
		"a vector of longs":       Build(one(12, 4, U32(8), U32(0), U32(1), U64(1))...),
		"a vector of structs":     Build(one(13, 4, U32(8), U32(0), U32(1), U64(0, 0))...),
		"a vector of bytes":       Build(one(11, 4, U32(5), Bytes(0), U32(1), Bytes(1))...),
		"a vector of tables":      Build(one(15, 4, U32(5), Bytes(0), U32(1), Offset("leaf"), Bytes(0), Label("leaf vt"), U16(4, 4), Label("leaf"), VTable("leaf vt"))...),
		"a vector of strings":     Build(one(14, 4, U32(5), Bytes(0), U32(1), Offset("s"), Bytes(0), Label("s"), U32(0), Bytes(0))...),
		"a table":                 Build(one(6, 4, U32(9), Bytes(0), U16(4, 4), Label("leaf"), U32(4))...),
		"a vtable":                Build(one(6, 4, U32(12), Bytes(0, 0, 0), U16(4, 4), Bytes(0), U32(5))...),
		"a union's struct":        Build(union(7, 2, U32(5), Bytes(0), U64(0, 0))...),
		"a wide union's tag":      Build(Offset("root"), Label("vt"), slots(16, 22, 5, 23, 8), Align(8), Label("root"), VTable("vt"), Bytes(0, 9, 9, 0), U32(0)),
		"a table in a union":      Build(union(7, 1, U32(9), Bytes(0), U16(4, 4), U32(4))...),
		"a string":                Build(one(5, 4, U32(5), Bytes(0), U32(0), Bytes(0))...),
		"a nested buffer's parts": Build(one(16, 4, U32(4), U32(13), U32(9), Bytes(0), U16(4, 4), U32(4))...),
	} {
		both(t, what, typ, buf, skip, 0)
		if err := typ.Verify(buf, nil); !errors.Is(err, fbverify.ErrMisaligned) {
			t.Errorf("%s, not skipped: %v", what, err)
		}
	}
}

// TestAbsentTagsAreNotReadFromTheTablesStart: the slot of an absent field is 0, which
// is where the table's offset to its vtable stands.
func TestAbsentTagsAreNotReadFromTheTablesStart(t *testing.T) {
	typ := rulesType(t, "R")
	// The vtable is 258 bytes before the root, so that the low byte of the offset to
	// it is 2: a member of U.
	value := Build(U32(264), U16(0), Label("vt"), slots(8, 8, 4), Bytes(make([]byte, 236)...))
	value = binary.LittleEndian.AppendUint32(value, 258)
	value = append(value, 0xf0, 0xff, 0xff, 0x7f)
	both(t, "the value of a union", typ, value, nil, 0)
	// As an offset it leads to a good vector of tags.
	buf := Build(one(10, 4, Offset("values"), Label("values"), U32(1), U32(0), Bytes(make([]byte, 24)...), U32(1), U32(0))...)
	root := binary.LittleEndian.Uint32(buf)
	tags := root + binary.LittleEndian.Uint32(buf[root:])
	if got := binary.LittleEndian.Uint32(buf[tags:]); got > 1 {
		t.Fatalf("the test's vector of tags has %d elements", got)
	}
	binary.LittleEndian.PutUint32(buf[tags:], 1)
	both(t, "the values of a vector of unions", typ, buf, nil, fbverify.ErrUnionVectors)
}

// TestTypesThatShareAVTableAreToldApart, however many there are: the vtable that
// is right for one says something bad of another.
func TestTypesThatShareAVTableAreToldApart(t *testing.T) {
	const types = 160
	var text strings.Builder
	for i := range types {
		kind := "ubyte"
		if (i+i/64)%2 == 1 { // another kind at a distance of 64, which is how many are remembered
			kind = "string"
		}
		fmt.Fprintf(&text, "table T%d { f:%s; }\n", i, kind)
	}
	text.WriteString("table Root {\n")
	for i := range types {
		fmt.Fprintf(&text, "  t%d:T%d;\n", i, i)
	}
	text.WriteString("}\nroot_type Root;\n")
	for bad := 50; bad < types; bad++ {
		typ := typeOf(t, text.String()) // anew: what it has met before would tell it
		vt := make([]uint16, 2+types)
		vt[0], vt[1] = uint16(2*len(vt)), 4+4*types
		parts := []Part{Offset("root"), Label("vt"), U16(vt...), Align(4), Label("root"), VTable("vt")}
		for i := range types {
			vt[2+i] = uint16(4 + 4*i)
			parts = append(parts, Offset(fmt.Sprint(i)))
		}
		parts[2] = U16(vt...)
		parts = append(parts, Label("shared vt"), U16(6, 8, 4), Align(4))
		for i := range types { // each a table of its own: of what is shared the explainer would decide
			to := Offset("s")
			if i == bad {
				to = U32(0x7ffffff0)
			}
			parts = append(parts, Label(fmt.Sprint(i)), VTable("shared vt"), to)
		}
		parts = append(parts, Label("s"), U32(0, 0))
		kind := fbverify.Kind(0)
		if bad >= 0 && typ.Schema().Object(fmt.Sprint("T", bad)).Fields[0].Type.Base.String() == "string" {
			kind = fbverify.ErrOutOfBounds
		}
		both(t, fmt.Sprint("bad is ", bad), typ, Build(parts...), nil, kind)
	}
}

// siblings is a buffer of treeSchema whose root has count tables in its vector,
// each with a child in the field a; change is called with the labels' positions.
func siblings(count int, change func(buf []byte, at map[string]int)) []byte {
	parts := []Part{Offset("root"), Label("vt"), slots(8, 0, 4), Align(4), Label("root"), VTable("vt"), Offset("v"), Label("v"), U32(uint32(count))}
	for i := range count {
		parts = append(parts, Offset(fmt.Sprint("n", i)))
	}
	parts = append(parts, Label("n vt"), slots(8, 1, 4), Label("c vt"), U16(4, 4), Align(4))
	for i := range count {
		parts = append(parts, Label(fmt.Sprint("n", i)), VTable("n vt"), Label(fmt.Sprint("n", i, ".a")), Offset(fmt.Sprint("c", i)))
	}
	for i := range count {
		parts = append(parts, Label(fmt.Sprint("c", i)), VTable("c vt"))
	}
	buf, at := Assemble(parts...)
	if change != nil {
		change(buf, at)
	}
	return buf
}

// TestSiblingsWithAChildEach: wherever among them one is at fault, and at the limit
// on depth.
func TestSiblingsWithAChildEach(t *testing.T) {
	typ := typeOf(t, treeSchema)
	for _, count := range []int{1, 2, 3, 15, 16, 17, 40, 100} {
		for depth := 1; depth <= 4; depth++ {
			kind := fbverify.Kind(0)
			if depth < 3 {
				kind = fbverify.ErrDepthLimit
			}
			for _, parallel := range []int{0, 3} {
				both(t, fmt.Sprintf("%d siblings, depth %d", count, depth), typ, siblings(count, nil), &fbverify.Options{MaxDepth: depth, Parallel: parallel}, kind)
			}
		}
		tables := 1 + 2*count
		both(t, fmt.Sprintf("%d siblings, all tables", count), typ, siblings(count, nil), &fbverify.Options{MaxTables: tables}, 0)
		both(t, fmt.Sprintf("%d siblings, a table too many", count), typ, siblings(count, nil), &fbverify.Options{MaxTables: tables - 1}, fbverify.ErrTableLimit)
		for bad := range count {
			for what, v := range map[string]uint32{"0": 0, "past the end": 0x7ffffff0, "just past the end": 1 << 20} {
				buf := siblings(count, func(buf []byte, at map[string]int) {
					binary.LittleEndian.PutUint32(buf[at[fmt.Sprint("n", bad, ".a")]:], v)
				})
				kind := fbverify.ErrOutOfBounds
				if v == 0 {
					kind = fbverify.ErrBadOffset
				}
				both(t, fmt.Sprintf("offset %s in %d of %d siblings", what, bad, count), typ, buf, nil, kind)
			}
			for _, label := range []string{"n", "c"} {
				buf := siblings(count, func(buf []byte, at map[string]int) {
					here := at[fmt.Sprint(label, bad)]
					binary.LittleEndian.PutUint32(buf[here:], uint32(here+1)) // one byte before the buffer
				})
				both(t, fmt.Sprintf("no vtable of %s%d of %d siblings", label, bad, count), typ, buf, nil, fbverify.ErrOutOfBounds)
			}
		}
	}
}

func TestVectorsAtTheLimitOnDepth(t *testing.T) {
	typ := rulesType(t, "R")
	empty, full := Build(one(15, 4, U32(4), U32(0))...), Build(one(15, 4, U32(4), U32(1), Offset("a"), leaf("a"))...)
	both(t, "an empty vector at the limit", typ, empty, &fbverify.Options{MaxDepth: 1}, 0)
	both(t, "a vector past the limit", typ, full, &fbverify.Options{MaxDepth: 1}, fbverify.ErrDepthLimit)
	both(t, "a vector at the limit", typ, full, &fbverify.Options{MaxDepth: 2}, 0)
	unions := Build(unions(U32(1), Bytes(1, 0, 0, 0), U32(1), Offset("a"), leaf("a"))...)
	both(t, "a vector of unions past the limit", typ, unions, &fbverify.Options{MaxDepth: 1}, fbverify.ErrDepthLimit)
	both(t, "a vector of unions at the limit", typ, unions, &fbverify.Options{MaxDepth: 2}, 0)
}

// TestAFaultBesideAVectorForSeveralGoroutines: the vector is put aside, and what comes
// after it is refused before it is looked at.
func TestAFaultBesideAVectorForSeveralGoroutines(t *testing.T) {
	typ := rulesType(t, "R")
	const count = 200
	for _, bad := range []bool{false, true} {
		parts := []Part{Offset("root"), Label("vt"), slots(12, 15, 4, 17, 8), Align(4), Label("root"), VTable("vt"), Offset("v"), Offset("must"), Label("v"), U32(count)}
		for i := range count {
			parts = append(parts, Offset(fmt.Sprint("leaf", i)))
		}
		slot, kind := uint16(4), fbverify.Kind(0)
		if bad {
			slot, kind = 0, fbverify.ErrMissingRequired
		}
		parts = append(parts, Label("mvt"), U16(6, 8, slot), Align(4), Label("must"), VTable("mvt"), U32(4), String("s"))
		for i := range count {
			parts = append(parts, leaf(fmt.Sprint("leaf", i)))
		}
		for parallel := range 5 {
			both(t, fmt.Sprintf("bad is %v, %d goroutines", bad, parallel), typ, Build(parts...), &fbverify.Options{Parallel: parallel}, kind)
		}
	}
}

// TestEachOfSeveralStringsIsLookedAt, also where they are of one size, or at one
// place with two sizes in buffers of their own.
func TestEachOfSeveralStringsIsLookedAt(t *testing.T) {
	typ := typeOf(t, "table T { a:string; b:string; c:string; u:string; } root_type T;")
	for _, size := range []int{0, 1, 7, 8, 15, 16, 31, 64, 200} {
		for bad := -1; bad < 4; bad++ {
			parts := []Part{Offset("root"), Label("vt"), U16(12, 20, 4, 8, 12, 16), Align(4), Label("root"), VTable("vt"), Offset("0"), Offset("1"), Offset("2"), Offset("3")}
			kind := fbverify.Kind(0)
			for i := range 4 {
				text := strings.Repeat("x", size)
				if i == bad && size > 0 {
					text, kind = text[1:]+"\xff", fbverify.ErrInvalidUTF8
				}
				parts = append(parts, Align(4), Label(fmt.Sprint(i)), String(text))
			}
			both(t, fmt.Sprintf("%d bytes, bad is %d", size, bad), typ, Build(parts...), nil, kind)
		}
	}
}

// TestCountsBeyondTheNumbersThatHoldThem: a few megabytes stand for 2^65 bytes.
func TestCountsBeyondTheNumbersThatHoldThem(t *testing.T) {
	typ := typeOf(t, treeSchema)
	const levels, width, size = 15, 8, 1 << 20
	parts := []Part{Offset("n0"), Label("vt"), slots(8, 0, 4), Label("leaf vt"), slots(8, 4, 4), Align(4)}
	for level := range levels {
		parts = append(parts, Label(fmt.Sprint("n", level)), VTable("vt"), Offset(fmt.Sprint("v", level)), Label(fmt.Sprint("v", level)), U32(width))
		for range width {
			parts = append(parts, Offset(fmt.Sprint("n", level+1)))
		}
	}
	parts = append(parts, Label(fmt.Sprint("n", levels)), VTable("leaf vt"), Offset("s"), Label("s"), String(strings.Repeat("x", size)))
	buf := Build(parts...)
	if strconv.IntSize == 32 {
		t.Skip("MaxTables has 32 bits here")
	}
	tables := uint64(0)
	for n, at := uint64(1), 0; at <= levels; n, at = n*width, at+1 {
		tables += n
	}
	o := fbverify.Options{MaxTables: int(tables)}
	counts, err := typ.Measure(buf, &o)
	if err != nil || uint64(counts.Tables) != tables || counts.Bytes != math.MaxInt64 {
		t.Errorf("%+v, %v; want %d tables and as many bytes as can be said", counts, err, tables)
	}
	o.MaxApparentSize = math.MaxInt64
	if err := typ.Verify(buf, &o); !errors.Is(err, fbverify.ErrSizeLimit) {
		t.Errorf("a limit on bytes: %v", err)
	}
	o = fbverify.Options{MaxTables: int(tables) - 1}
	if err := typ.Verify(buf, &o); !errors.Is(err, fbverify.ErrTableLimit) {
		t.Errorf("a limit on tables: %v", err)
	}
}

// TestChildrenOfSiblingsAreWalked, however deep: each sibling has a child, and that a
// string, a vector of strings or another child.
func TestChildrenOfSiblingsAreWalked(t *testing.T) {
	typ := typeOf(t, "table N { v:[N]; a:N; s:string; words:[string]; longs:[long]; } root_type N;")
	targets := map[string][]Part{
		"s": {U32(0, 0)}, "words": {U32(0)}, "longs": {U32(0)}, "a": {Label("e vt"), U16(4, 4), Label("target2"), VTable("e vt")},
	}
	for name, target := range targets {
		id := uint16(typ.Root().Field(name).ID)
		for _, count := range []int{1, 2, 20, 70} {
			for bad := -1; bad < count; bad++ {
				parts := []Part{Offset("root"), Label("vt"), slots(8, 0, 4), Align(4), Label("root"), VTable("vt"), Offset("v"), Label("v"), U32(uint32(count))}
				for i := range count {
					parts = append(parts, Offset(fmt.Sprint("n", i)))
				}
				parts = append(parts, Label("n vt"), slots(8, 1, 4), Label("c vt"), slots(8, id, 4), Align(4))
				kind := fbverify.Kind(0)
				for i := range count {
					parts = append(parts, Label(fmt.Sprint("n", i)), VTable("n vt"), Offset(fmt.Sprint("c", i)), Label(fmt.Sprint("c", i)), VTable("c vt"))
					switch {
					case i == bad:
						parts, kind = append(parts, U32(0x7fff0000)), fbverify.ErrOutOfBounds
					case name == "a":
						parts = append(parts, Offset("target2"))
					default:
						parts = append(parts, Offset("target"))
					}
				}
				if name != "a" {
					parts = append(parts, Align(8), U32(0), Label("target"))
				}
				both(t, fmt.Sprintf("%s, bad is %d of %d", name, bad, count), typ, Build(append(parts, target...)...), nil, kind)
			}
		}
	}
}

// TestLongStringsThatManyShareInTurn are accepted, though no fast walk looks at so
// much text.
func TestLongStringsThatManyShareInTurn(t *testing.T) {
	typ := typeOf(t, "table T { words:[string]; more:[string]; } root_type T;")
	const count, size = 1000, 4000
	for _, bad := range []bool{false, true} {
		parts := []Part{Offset("root"), Label("vt"), slots(12, 0, 4, 1, 8), Align(4), Label("root"), VTable("vt"), Offset("words"), Offset("more"), Label("words"), U32(count)}
		for range count / 2 {
			parts = append(parts, Offset("a"), Offset("b"))
		}
		text, kind := strings.Repeat("y", size), fbverify.Kind(0)
		if bad {
			text, kind = text[1:]+"\xff", fbverify.ErrInvalidUTF8
		}
		parts = append(parts, Label("more"), U32(1), Offset("c"), Align(4), Label("a"), String(strings.Repeat("x", size)), Align(4), Label("b"), String(strings.Repeat("é", size/2)),
			Align(4), Label("c"), String(text))
		both(t, fmt.Sprint("bad is ", bad), typ, Build(parts...), nil, kind)
	}
}
