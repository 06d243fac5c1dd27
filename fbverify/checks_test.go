package fbverify_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fbverify/go/fbverify"
	. "github.com/fbverify/go/internal/fbasm"
	"github.com/fbverify/go/internal/race"
	"github.com/fbverify/go/schema/fbs"
)

func typeOf(t testing.TB, text string) *fbverify.Type {
	t.Helper()
	s, err := fbs.ParseFS(fstest.MapFS{"t.fbs": {Data: []byte(text)}}, "t.fbs")
	if err != nil {
		t.Fatal(err)
	}
	typ, err := fbverify.Compile(s, "")
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// TestOneFaultIsReportedOnce: below a fault nothing can be said, and beside it
// nothing else is wrong with the buffers of the rules.
func TestOneFaultIsReportedOnce(t *testing.T) {
	typ := rulesType(t, "R")
	several := map[string]int{
		// Each of these has another fault that does not lie below the first.
		"two longs that cannot both be aligned": 1,
	}
	for _, c := range ruleCases() {
		if c.kind == 0 || several[c.name] > 0 {
			continue
		}
		faults := typ.Explain(Build(c.parts...), &c.opts)
		if len(faults) != 1 {
			t.Errorf("%s: %d faults: %v", c.name, len(faults), faults)
		}
	}
}

func TestOptionsThatMeanNothingAreRefused(t *testing.T) {
	typ := rulesType(t, "R")
	buf := Build(one(3, 8, U64(1))...)
	for name, o := range map[string]fbverify.Options{
		"MaxDepth is -1":         {MaxDepth: -1},
		"MaxDepth is 65537":      {MaxDepth: 65537},
		"MaxTables is -1":        {MaxTables: -1},
		"MaxApparentSize is -1":  {MaxApparentSize: -1},
		"Parallel is -1":         {Parallel: -1},
		`Identifier is "RUL"`:    {Identifier: "RUL"},
		`Identifier is "RULES"`:  {Identifier: "RULES"},
		`Identifier is "RULE12"`: {Identifier: "RULE12", Strict: true},
	} {
		err := typ.Verify(buf, &o)
		faults := typ.Explain(buf, &o)
		if !errors.Is(err, fbverify.ErrOptions) || len(faults) != 1 || !errors.Is(faults[0], fbverify.ErrOptions) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, Explain %v", name, err, faults)
		}
	}
	for _, o := range []*fbverify.Options{nil, {MaxDepth: 65536}, {MaxTables: 1}, {MaxApparentSize: 16}, {Parallel: 1}, {Identifier: "RULE"}} {
		if err := typ.Verify(buf, o); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
		if faults := typ.Explain(buf, o); faults != nil {
			t.Errorf("%+v: %v", o, faults)
		}
	}
}

// prefixed puts a size before a buffer.
func prefixed(buf []byte, size int) []byte {
	if size == 8 {
		return append(binary.LittleEndian.AppendUint64(nil, uint64(len(buf))), buf...)
	}
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(buf))), buf...)
}

// fromPrefix is a message whose long is aligned when counted from its prefix.
func fromPrefix() []byte {
	buf := Build(U32(0), Offset("root"), Label("vt"), slots(16, 3, 8), Align(8), Label("root"), VTable("vt"), U32(0), U64(1))
	binary.LittleEndian.PutUint32(buf, uint32(len(buf)-4))
	return buf
}

func TestPrefixes(t *testing.T) {
	typ := rulesType(t, "R")
	after := Build(one(3, 8, U64(1))...)
	trailing := func(b []byte) []byte { return append(append([]byte(nil), b...), 1, 2, 3) }
	long := prefixed(after, 8)
	lies := append([]byte(nil), long...)
	lies[4] = 1 // 2^32 more than there is
	twice := prefixed(Build(one(5, 4, U32(4), U32(1), Bytes(0xff, 0))...), 4)
	for _, c := range []struct {
		name   string
		buf    []byte
		opts   fbverify.Options
		kind   fbverify.Kind // 0: valid
		detail string
	}{
		{name: "aligned from the prefix", buf: fromPrefix()},
		{name: "aligned from the prefix, strict", buf: fromPrefix(), opts: fbverify.Options{Strict: true}},
		{name: "aligned from after it", buf: prefixed(after, 4)},
		{name: "aligned from after it, strict", buf: prefixed(after, 4), opts: fbverify.Options{Strict: true}, kind: fbverify.ErrMisaligned},
		{name: "long", buf: long, opts: fbverify.Options{Framing: fbverify.LongSizePrefixed}},
		{name: "long, strict", buf: long, opts: fbverify.Options{Framing: fbverify.LongSizePrefixed, Strict: true}},
		{name: "long, a high word that lies", buf: lies, opts: fbverify.Options{Framing: fbverify.LongSizePrefixed}, kind: fbverify.ErrSizePrefix},
		{name: "bytes after the message", buf: trailing(fromPrefix())},
		{name: "bytes after the message, strict", buf: trailing(fromPrefix()), opts: fbverify.Options{Strict: true}, kind: fbverify.ErrTrailing},
		{name: "nothing", buf: nil, kind: fbverify.ErrTooShort, detail: "size prefix"},
		{name: "three bytes", buf: []byte{0, 0, 0}, kind: fbverify.ErrTooShort, detail: "size prefix"},
		{name: "a prefix alone", buf: []byte{0, 0, 0, 0}, kind: fbverify.ErrTooShort, detail: "root"},
		{name: "a prefix that leaves three bytes", buf: []byte{3, 0, 0, 0, 4, 0, 0, 0}, kind: fbverify.ErrTooShort, detail: "root"},
		{name: "one byte too many promised", buf: func() []byte { b := fromPrefix(); b[0]++; return b }(), kind: fbverify.ErrSizePrefix},
		{name: "a fault with either alignment", buf: twice, kind: fbverify.ErrInvalidUTF8},
		{name: "the identifier asked for", buf: prefixed(after, 4), opts: fbverify.Options{Identifier: "RULE"}},
		{name: "another identifier", buf: prefixed(after, 4), opts: fbverify.Options{Identifier: "ELUR"}, kind: fbverify.ErrIdentifier},
		{name: "no room for an identifier", buf: prefixed([]byte{4, 0, 0, 0, 'R', 'U', 'L'}, 4), opts: fbverify.Options{Identifier: "RULE"}, kind: fbverify.ErrTooShort, detail: "identifier"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.opts.Framing == fbverify.Unframed {
				c.opts.Framing = fbverify.SizePrefixed
			}
			err := typ.Verify(c.buf, &c.opts)
			faults := typ.Explain(c.buf, &c.opts)
			if c.kind == 0 {
				if err != nil || faults != nil {
					t.Fatalf("%v, Explain %v", err, faults)
				}
				return
			}
			if !errors.Is(err, c.kind) || len(faults) == 0 || *faults[0] != *err.(*fbverify.Error) || !strings.Contains(err.(*fbverify.Error).Detail, c.detail) {
				t.Errorf("%v, Explain %v", err, faults)
			}
		})
	}
}

func TestFaultsOfTheHeaderDoNotHideOthers(t *testing.T) {
	typ := rulesType(t, "R")
	buf := prefixed(Build(one(5, 4, U32(4), U32(1), Bytes(0xff, 0))...), 4)
	buf = append(buf, 0)
	o := &fbverify.Options{Framing: fbverify.SizePrefixed, Strict: true, Identifier: "NONE"}
	var kinds []string
	for _, f := range typ.Explain(buf, o) {
		kinds = append(kinds, f.Kind.Name())
	}
	if got := strings.Join(kinds, " "); got != "trailing-bytes identifier invalid-utf8" {
		t.Errorf("faults: %s", got)
	}
	counts, err := typ.Measure(buf, &fbverify.Options{Framing: fbverify.SizePrefixed, Identifier: "NONE"})
	if !errors.Is(err, fbverify.ErrIdentifier) || counts.Tables != 0 {
		t.Errorf("%+v, %v", counts, err)
	}
	counts, err = typ.Measure(buf, &fbverify.Options{Framing: fbverify.SizePrefixed, Strict: true})
	if !errors.Is(err, fbverify.ErrTrailing) || counts.Tables != 0 {
		t.Errorf("%+v, %v", counts, err)
	}
}

func TestAtMostTenThousandFaultsAreReturned(t *testing.T) {
	typ := rulesType(t, "R")
	for _, n := range []int{9_999, 10_000, 20_000} {
		buf := Build(one(14, 4, U32(4), U32(uint32(n)), U32(make([]uint32, n)...))...)
		faults := typ.Explain(buf, nil)
		if len(faults) != min(n, 10_000) {
			t.Fatalf("%d faults of %d", len(faults), n)
		}
		for i, f := range faults {
			if want := fmt.Sprintf("R.strings[%d]", i); f.Path != want || f.Kind != fbverify.ErrBadOffset {
				t.Fatalf("fault %d is %v", i, f)
			}
		}
	}
}

// TestVerifyingHonestBuffersAllocatesNothing, with options and prefixes as well:
// none of these may be left to the explainer, which does.
func TestVerifyingHonestBuffersAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget")
	}
	typ := rulesType(t, "R")
	plain, from := Build(one(3, 8, U64(1))...), fromPrefix()
	after, long := prefixed(plain, 4), prefixed(plain, 8)
	for name, verify := range map[string]func() error{
		"plain":                 func() error { return typ.Verify(plain, nil) },
		"identifier":            func() error { return typ.Verify(plain, &fbverify.Options{Identifier: "RULE"}) },
		"prefix":                func() error { return typ.Verify(from, &fbverify.Options{Framing: fbverify.SizePrefixed}) },
		"prefix, aligned after": func() error { return typ.Verify(after, &fbverify.Options{Framing: fbverify.SizePrefixed}) },
		"prefix of 64 bits":     func() error { return typ.Verify(long, &fbverify.Options{Framing: fbverify.LongSizePrefixed}) },
		"prefix and identifier": func() error {
			return typ.Verify(after, &fbverify.Options{Framing: fbverify.SizePrefixed, Identifier: "RULE"})
		},
		"limits that are just kept": func() error {
			return typ.Verify(plain, &fbverify.Options{MaxDepth: 1, MaxTables: 1, MaxApparentSize: 16})
		},
	} {
		if err := verify(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := testing.AllocsPerRun(100, func() { _ = verify() }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestTagsOfEveryWidth: tags are read in their whole width and by their sign, so a
// member is followed, and a number that is none never is.
func TestTagsOfEveryWidth(t *testing.T) {
	for _, c := range []struct {
		base    string
		member  int64
		unknown []int64
	}{
		{"ubyte", 200, []int64{72, 201, 255}},
		{"byte", 100, []int64{-100, 99, -28}},
		{"ushort", 60_000, []int64{96, 60_001, 60_000 - 256}},
		{"short", 30_000, []int64{48, -30_000, 30_000 - 256}},
		{"uint", 4_000_000_000, []int64{0x2800, 4_000_000_001, 4_000_000_000 & 0xffff}},
		{"int", 2_000_000_001, []int64{-2_000_000_001, 2_000_000_001 & 0xff, 2_000_000_001 & 0xffff}},
		{"ulong", 1 << 40, []int64{-1 << 40, 1<<40 + 1<<32, 1<<40 + 1}},
		{"long", 1 << 40, []int64{-1 << 40, 1<<40 + 1<<32, 1<<40 + 1}},
	} {
		typ := typeOf(t, fmt.Sprintf("table M {} union U : %s { Text:string = %d, M = %d } table T { u:U; us:[U]; } root_type T;", c.base, 5, c.member))
		size := typ.Schema().Enum("U").Underlying.Size()
		tag := func(v int64) Part {
			return Bytes(binary.LittleEndian.AppendUint64(nil, uint64(v))[:size]...)
		}
		build := func(v int64) []byte {
			return Build(
				Offset("root"), Label("vt"), U16(12, 32, 16, 8, 24, 28), Align(8),
				Label("root"), VTable("vt"), U32(0), Offset("value"), U32(0), tag(v), Align(8), Offset("tags"), Offset("values"),
				Align(8), U32(0), Label("tags"), U32(1), tag(v), Align(8), Label("values"), U32(1), Offset("value"),
				Align(4), Label("value"), U32(0x7fffffff), U32(0), // neither a table nor a string
			)
		}
		for _, o := range []*fbverify.Options{nil, {Strict: true}} {
			for _, v := range c.unknown {
				err := typ.Verify(build(v), o)
				if o == nil && err != nil {
					t.Errorf("%s, the unknown tag %d: %v", c.base, v, err)
				} else if o != nil && !errors.Is(err, fbverify.ErrUnionTagUnknown) {
					t.Errorf("%s, the unknown tag %d, strict: %v", c.base, v, err)
				}
			}
			for _, v := range []int64{5, c.member} {
				if err := typ.Verify(build(v), o); !errors.Is(err, fbverify.ErrOutOfBounds) {
					t.Errorf("%s, the tag %d of a bad member: %v", c.base, v, err)
				}
				if faults := typ.Explain(build(v), nil); len(faults) != 2 || faults[0].Path != "T.u" || faults[1].Path != "T.us[0]" {
					t.Errorf("%s, the tag %d of a bad member: %v", c.base, v, faults)
				}
			}
		}
	}
}

// TestDetailsSayWhatWasFound: sentences that are made in more than one way.
func TestDetailsSayWhatWasFound(t *testing.T) {
	typ := rulesType(t, "R")
	sorted := typeOf(t, keyedSchema)
	enums := typeOf(t, "enum E : ulong { A = 1 } enum F : long { A = 1 } table T { e:E = A; f:F = A; } root_type T;")
	long := strings.Repeat("x", 41)
	for _, c := range []struct {
		typ    *fbverify.Type
		buf    []byte
		detail string
	}{
		{typ, Build(Offset("root"), Label("vt"), slots(8, 3, 8), Align(8), Label("root"), VTable("vt"), U32(0)), "the vtable puts the field's 8 bytes at"},
		{typ, Build(Offset("root"), Label("vt"), slots(12, 3, 4), Align(8), Label("root"), VTable("vt"), U64(1)), "which is no multiple of its alignment 8"},
		{typ, Build(one(16, 4, U32(4), U32(36), U32(16), slots(16, 3, 4), U32(12), U64(0, 1))...), "counted from the start of the nested buffer"},
		{typ, Build(one(16, 4, U32(4), U32(30))...), "the vector with a nested buffer"},
		{typ, Build(one(12, 4, U32(4), U32(30))...), "a vector [long]"},
		{sorted, keyedStrings("b", "a"), `the key "a" comes after "b"`},
		{sorted, keyedStrings("b", long[:40]+"", "a"), `the key "a" comes after "` + long[:40] + `",`},
		{sorted, keyedStrings("z", long), `the key "` + long[:40] + `"… comes after "z"`},
		{sorted, keyed(4, 4, 1, 0xffffffff), "the key -1 comes after 1"},
		{sorted, keyed(6, 8, 1<<63, 1), "the key 1 comes after 9223372036854775808"},
		{sorted, keyed(8, 4, 0x3fc00000, 0xbf800000), "the key -1 comes after 1.5"},
		{enums, Build(Offset("root"), Label("vt"), U16(6, 16, 8), Align(8), Label("root"), VTable("vt"), U32(0), U64(1<<63)), "the value is 9223372036854775808,"},
		{enums, Build(Offset("root"), Label("vt"), U16(8, 16, 0, 8), Align(8), Label("root"), VTable("vt"), U32(0), U64(1<<63)), "the value is -9223372036854775808,"},
	} {
		err := c.typ.Verify(c.buf, &strict)
		if err == nil || !strings.Contains(err.Error(), c.detail) {
			t.Errorf("%v, want %q", err, c.detail)
		}
		if strings.Contains(fmt.Sprint(err), "counted from") != strings.Contains(c.detail, "counted from") {
			t.Errorf("where alignment counts from: %v", err)
		}
	}
}

// TestNothingIsSaidOfUnionsWhoseTypeIsAtFault: where it is misaligned or outside, what
// it says is not known.
func TestNothingIsSaidOfUnionsWhoseTypeIsAtFault(t *testing.T) {
	typ := rulesType(t, "R")
	for what, buf := range map[string][]byte{
		"a vector of types at an odd place":    Build(Offset("root"), Label("vt"), slots(16, 9, 6, 10, 8), Align(8), Label("root"), VTable("vt"), U32(0, 0, 0)),
		"a vector of types outside":            Build(Offset("root"), Label("vt"), slots(16, 9, 60, 10, 8), Align(8), Label("root"), VTable("vt"), U32(0, 0, 0)),
		"values that are not there, and types": Build(Offset("root"), Label("vt"), slots(16, 9, 4, 10, 8), Align(8), Label("root"), VTable("vt"), Offset("types"), U32(0), Label("types"), U32(1, 0)),
		"types that are not there, and values": Build(Offset("root"), Label("vt"), slots(16, 9, 4, 10, 8), Align(8), Label("root"), VTable("vt"), U32(0), Offset("values"), Label("values"), U32(1, 0)),
		"a wide type at an odd place":          Build(Offset("root"), Label("vt"), slots(16, 22, 5, 23, 8), Align(8), Label("root"), VTable("vt"), Bytes(0, 2, 0, 0), U32(0, 0)),
		"a wide type outside":                  Build(Offset("root"), Label("vt"), slots(16, 22, 60, 23, 8), Align(8), Label("root"), VTable("vt"), U32(0, 0, 0)),
	} {
		if faults := typ.Explain(buf, nil); len(faults) != 1 {
			t.Errorf("%s: %v", what, faults)
		}
	}
}
