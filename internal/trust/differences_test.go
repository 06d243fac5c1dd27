package trust_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	. "github.com/fbverify/go/internal/fbasm"
)

// difference is a row of the table in SECURITY.md, which says why.
type difference struct {
	name string
	peer string
	here bool // accepted here, and so refused there

	parts []Part                       // a minimal buffer
	match func(f *fbverify.Error) bool // the faults that are this difference

	// byBytes finds what is no fault, even for Strict.
	byBytes func(p *peer, buf []byte) bool
}

func (d *difference) explains(f *fbverify.Error) bool { return d.match != nil && d.match(f) }

// field is a buffer whose root R has one field, of so many bytes, at a multiple of
// 8, and what follows it.
func field(id, size int, rest ...Part) []Part {
	slots := make([]uint16, 3+id)
	slots[0], slots[1], slots[2+id] = uint16(2*len(slots)), uint16(8+size), 8
	return append([]Part{Offset("root"), Label("vt"), U16(slots...), Align(8), Label("root"), VTable("vt"), U32(0)}, rest...)
}

// pair is field with two fields, the first of one byte padded to four.
func pair(first int, tag byte, rest ...Part) []Part {
	slots := make([]uint16, 4+first)
	slots[0], slots[1], slots[2+first], slots[3+first] = uint16(2*len(slots)), 16, 8, 12
	return append([]Part{Offset("root"), Label("vt"), U16(slots...), Align(8), Label("root"), VTable("vt"), U32(0), Bytes(tag, 0, 0, 0)}, rest...)
}

func inElement(f *fbverify.Error) bool { return strings.HasSuffix(f.Path, "]") }

// shortVTable tells a vtable of less than four bytes, also where the buffer ends
// with its first two.
func shortVTable(f *fbverify.Error) bool {
	var offset, at, end int
	n, _ := fmt.Sscanf(f.Detail, "the table's vtable offset %d leads to %d, outside the buffer of %d", &offset, &at, &end)
	return is(f, fbverify.ErrBadVTable, "at least 4") || n == 3 && at >= 0 && at+2 <= end
}

var noUTF8 = field(6, 4, U32(4), U32(1), Bytes(0xff, 0))

// tinyNested holds a buffer of eight bytes, whose root offset is also its vtable.
var tinyNested = field(20, 4, U32(4), U32(8), U32(4), U32(4))

var differences = []difference{
	{
		name: "a string that is not UTF-8", peer: "C++", parts: noUTF8,
		match: func(f *fbverify.Error) bool { return is(f, fbverify.ErrInvalidUTF8) },
	},
	{
		name: "a union's type without its value", peer: "C++", parts: field(9, 1, Bytes(1, 0, 0, 0)),
		match: func(f *fbverify.Error) bool { return is(f, fbverify.ErrUnionValueMissing) && !inElement(f) },
	},
	{
		name: "an element's offset of zero", peer: "C++", parts: field(17, 4, U32(4), U32(1), U32(0), U32(0)),
		match: func(f *fbverify.Error) bool {
			return (is(f, fbverify.ErrBadOffset) || is(f, fbverify.ErrUnionValueMissing)) && inElement(f)
		},
	},
	{
		name: "a vtable of less than four bytes", peer: "C++", parts: []Part{U32(8), U16(2, 4), U32(4)},
		match: func(f *fbverify.Error) bool { return shortVTable(f) },
	},
	{
		name: "elements that are not aligned", peer: "C++", parts: field(12, 4, U32(8), U32(0), U32(1), U64(1)),
		match: func(f *fbverify.Error) bool { return is(f, fbverify.ErrMisaligned, "the elements of") },
	},
	{
		name: "a value that no reader follows, behind a bad offset", peer: "C++", here: true, parts: pair(9, 9, U32(0xffffffff)),
		match: func(f *fbverify.Error) bool {
			return (is(f, fbverify.ErrUnionTagUnknown) || is(f, fbverify.ErrUnionValueUnexpected)) && !inElement(f)
		},
		byBytes: func(p *peer, buf []byte) bool {
			return anyTable(p, buf, func(t dynamic.Table) bool {
				for _, name := range []string{"u", "v"} {
					if f := t.Field(name); f != nil && f.TypeField() != nil && t.Has(f) {
						if v, _ := t.Get(f); v.Union().Kind() == dynamic.KindNone {
							return true
						}
					}
				}
				return false
			})
		},
	},
	{
		name: "a union's type of two bytes that is not aligned", peer: "C++", parts: []Part{
			Offset("root"), Label("vt"), U16(52, 10), U16(make([]uint16, 23)...), U16(7), Align(8), Label("root"), VTable("vt"), U64(0),
		},
		match: func(f *fbverify.Error) bool {
			return is(f, fbverify.ErrMisaligned, "the field is at") && strings.HasSuffix(f.Path, ".v_type")
		},
	},
	{
		name: "a buffer, whole or nested, of eight or nine bytes", peer: "C++", here: true, parts: tinyNested,
		byBytes: func(p *peer, buf []byte) bool {
			return len(buf) < 10 || anyTable(p, buf, func(t dynamic.Table) bool {
				f := t.Field("nested")
				if f == nil || !t.Has(f) {
					return false
				}
				v, _ := t.Get(f)
				return v.Len() < 10
			})
		},
	},

	{
		name: "a struct that is not aligned", peer: "Rust", parts: []Part{
			Offset("root"), Label("vt"), U16(16, 28, 0, 0, 0, 0, 0, 4), Align(8), Label("root"), VTable("vt"), U64(0, 0), U32(0),
		},
		match: func(f *fbverify.Error) bool {
			return is(f, fbverify.ErrMisaligned, "the field is at") && strings.HasSuffix(f.Path, ".s") ||
				is(f, fbverify.ErrMisaligned, "the elements of", "[peers.")
		},
	},
	{
		name: "an offset of zero", peer: "Rust", parts: field(6, 4, U32(0), U32(0)),
		match: func(f *fbverify.Error) bool { return is(f, fbverify.ErrBadOffset) },
	},
	{
		name: "a nested buffer of nonsense", peer: "Rust", parts: field(20, 4, U32(4), U32(3), Bytes(1, 2, 3)),
		match: func(f *fbverify.Error) bool { return strings.Contains(f.Path, ".nested") },
	},
	{
		name: "a vtable of less than four bytes", peer: "Rust", parts: []Part{U32(8), U16(2, 4), U32(4)},
		match: func(f *fbverify.Error) bool { return shortVTable(f) },
	},
	{
		name: "the place of a value that no reader follows", peer: "Rust", parts: []Part{
			Offset("root"), Label("vt"), U16(26, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 6000), Align(8), Label("root"), VTable("vt"), U32(0),
		},
		match: func(f *fbverify.Error) bool {
			return strings.HasSuffix(f.Path, ".u") && (is(f, fbverify.ErrMisaligned, "the field is at") || is(f, fbverify.ErrOutOfBounds, "the vtable puts"))
		},
	},
	{
		name: "half a union: the type NONE or an unknown one, or the value, alone", peer: "Rust", here: true, parts: field(9, 1, Bytes(0, 0, 0, 0)),
		match: func(f *fbverify.Error) bool {
			return is(f, fbverify.ErrUnionValueUnexpected, "a value and no type")
		},
		byBytes: func(p *peer, buf []byte) bool {
			return anyTable(p, buf, func(t dynamic.Table) bool {
				f := t.Field("u")
				return f != nil && f.TypeField() != nil && t.Has(f.TypeField()) != t.Has(f)
			})
		},
	},
	{
		name: "an empty vector that is not aligned", peer: "Rust", here: true,
		parts: []Part{Offset("root"), Label("vt"), U16(30, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4), Align(8), Label("root"), VTable("vt"), U32(4), U32(0)},
		match: func(f *fbverify.Error) bool { return is(f, fbverify.ErrMisaligned, "the elements of") },
		byBytes: func(p *peer, buf []byte) bool {
			return anyTable(p, buf, func(t dynamic.Table) bool {
				f := t.Field("longs")
				if f == nil || !t.Has(f) {
					return false
				}
				v, _ := t.Get(f)
				return v.Len() == 0 && (v.Offset()+4)%8 != 0
			})
		},
	},
}

// TestEveryDifferenceIsInTheDocumentation, in the table of SECURITY.md, as a row that
// starts with its name and says whose it is.
func TestEveryDifferenceIsInTheDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "| C++ |") || strings.HasPrefix(line, "| Rust |") {
			rows++
		}
	}
	for _, d := range differences {
		verdict := "refused"
		if d.here {
			verdict = "accepted"
		}
		if row := fmt.Sprintf("\n| %s | %s | %s | ", d.peer, d.name, verdict); !strings.Contains(string(text), row) {
			t.Errorf("SECURITY.md has no row%s", row)
		}
	}
	if rows != len(differences) {
		t.Errorf("SECURITY.md has %d rows, and there are %d differences", rows, len(differences))
	}
}

// anyTable reports whether some table of an accepted buffer is as asked.
func anyTable(p *peer, buf []byte, is func(dynamic.Table) bool) bool {
	m, err := dynamic.Root(p.typ, buf, nil)
	if err != nil {
		return false
	}
	left, found := 100_000, false
	var visit func(v dynamic.Value)
	visit = func(v dynamic.Value) {
		if left--; left < 0 || found {
			return
		}
		switch v.Kind() {
		case dynamic.KindUnion:
			visit(v.Union())
		case dynamic.KindVector:
			if f := v.Field(); f != nil && f.Nested() != nil && v.Present() {
				if m, err := v.Nested(); err == nil {
					visit(m.Root().AsValue())
				}
				return
			}
			for _, e := range v.All() {
				visit(e)
			}
		case dynamic.KindTable:
			t := v.Table()
			if found = found || t.Present() && is(t); found || !t.Present() {
				return
			}
			for _, f := range t.Fields() {
				visit(f)
			}
		}
	}
	visit(m.Root().AsValue())
	return found
}

// TestDifferencesAreWhatTheTableSays: each row has a minimal buffer, which is
// accepted on the one side and refused on the other.
func TestDifferencesAreWhatTheTableSays(t *testing.T) {
	types := map[string]*fbverify.Type{"C++": peerType(t, cppSchema), "Rust": peerType(t, rustSchema)}
	check := func(t *testing.T, name string, p *peer) {
		for _, d := range differences {
			if d.peer != name {
				continue
			}
			t.Run(d.name, func(t *testing.T) {
				buf := Build(d.parts...)
				err := types[d.peer].Verify(buf, nil)
				if (err == nil) != d.here {
					t.Fatalf("this says %v", err)
				}
				if errors.Is(err, fbverify.ErrInternal) {
					t.Fatal(err)
				}
				if p == nil {
					return
				}
				if p.judge(t, [][]byte{buf})[0] == d.here {
					t.Errorf("%s says the same, %v", d.peer, d.here)
				}
				if row := differenceOf(p, buf, err); row != d.name {
					t.Errorf("put down to the row %q", row)
				}
			})
		}
	}
	for _, name := range []string{"C++", "Rust"} {
		t.Run("here, "+name, func(t *testing.T) { check(t, name, nil) })
	}
	t.Run("C++", func(t *testing.T) { check(t, "C++", cpp(t)) })
	t.Run("Rust", func(t *testing.T) { check(t, "Rust", rust(t)) })
}
