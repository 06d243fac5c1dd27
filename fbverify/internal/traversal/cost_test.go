package traversal

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/program/programtest"
	"github.com/fbverify/go/fbverify/internal/rule"
	. "github.com/fbverify/go/internal/fbasm"
)

// unlimited are limits that nothing here comes near.
func unlimited() Config {
	return Config{MaxDepth: 64, MaxTables: 1 << 40, MaxBytes: ^uint64(0), MaxFaults: 10}
}

// walked walks a buffer and keeps what the walk remembers.
func walked(p *program.Program, buf []byte, cfg Config) *walker {
	w := newWalker(p, buf, &cfg)
	w.header()
	return w
}

// costSchema has a table for each kind of what quick checks tell apart.
const costSchema = `
union U { E }
table E {}
table S { s:string; }
table Four { a:[ubyte]; b:[ubyte]; c:[ubyte]; d:[ubyte]; }
table Five { a:[ubyte]; b:[ubyte]; c:[ubyte]; d:[ubyte]; e:[ubyte]; }
table Words { words:[string]; }
table Kids { kids:[E]; }
table Unions { us:[U]; }
table Nested { n:[ubyte] (nested_flatbuffer: "E"); }
table Two { a:[string]; b:[string]; }
table Three { a:[string]; b:[string]; c:[string]; }
table Sub { e:E; }
table R {
  e:[E]; s:[S]; four:[Four]; five:[Five]; words:[Words]; kids:[Kids]; unions:[Unions]; nested:[Nested]; two:[Two]; three:[Three]; sub:[Sub];
  text:[string];
}
root_type R;
`

// rootOf starts a buffer whose root has the one field, a vector of count offsets
// to "x0", "x1" and so on, or all to "x0".
func rootOf(p *program.Program, field string, count int, shared bool) []Part {
	vt := make([]uint16, 3+p.Root.Object.Field(field).ID)
	vt[0], vt[1], vt[len(vt)-1] = uint16(2*len(vt)), 8, 4
	parts := []Part{Offset("root"), Label("R vt"), U16(vt...), Align(4), Label("root"), VTable("R vt"), Offset("v"), Label("v"), U32(uint32(count))}
	for i := range count {
		if shared {
			i = 0
		}
		parts = append(parts, Offset(fmt.Sprint("x", i)))
	}
	return parts
}

// times is a vector of so many offsets to a label, itself labelled.
func times(label string, count int, to string) Part {
	parts := []Part{Align(4), Label(label), U32(uint32(count))}
	for range count {
		parts = append(parts, Offset(to))
	}
	return Sequence(parts...)
}

// many is how many elements make a vector that is remembered.
const many = small / 4

// elements are count tables of a type, "x0" and so on, each with all fields set,
// to labels in turn, and what those lead to.
func elements(typeName string, count int, to []string, rest ...Part) []Part {
	vt := []uint16{uint16(4 + 2*len(to)), uint16(4 + 4*len(to))}
	for i := range to {
		vt = append(vt, uint16(4+4*i))
	}
	parts := []Part{Align(4), Label(typeName + " vt"), U16(vt...), Align(4)}
	for i := range count {
		parts = append(parts, Label(fmt.Sprint("x", i)), VTable(typeName+" vt"))
		for _, label := range to {
			parts = append(parts, Offset(label))
		}
	}
	return append(parts, rest...)
}

type costCase struct {
	name   string
	field  string // of R
	shared bool   // all offsets lead to one table
	count  int
	parts  []Part // the elements

	// What is wanted of a walk that remembers results from the start: how many
	// of them, parts that quick checks found sound, and tables whose own bytes
	// were found sound as a whole.
	entries, quicks, sounds int
}

func costCases() []costCase {
	empty := Sequence(Align(4), Label("E vt"), U16(4, 4), Label("empty"), VTable("E vt"), U32(0, 0)) // shapes ask for sixteen bytes
	text, bytes := Sequence(Align(4), Label("text"), U32(3), Text("abc"), Bytes(0)), Sequence(Label("bytes"), U32(0))
	words := times("words", many, "text")
	kids := Sequence(times("kids", many, "empty"), empty)
	tags := Sequence(Label("tags"), U32(many), Bytes([]byte(strings.Repeat("\x01", many))...), times("members", many, "empty"), empty)
	inner := Sequence(Label("inner"), U32(12), U32(8), U16(4, 4), U32(4))
	return []costCase{
		// The root is sound as a whole, too, and what it leads to is walked.
		{"one table again and again", "e", true, 20, elements("E", 1, nil), 2, 20, 2},
		{"few offsets to one table", "e", true, 3, elements("E", 1, nil), 1, 3, 2},
		{"tables without offsets", "e", false, 20, elements("E", 20, nil), 2, 20, 21},
		{"tables of four vectors of numbers", "four", false, 20, elements("Four", 20, []string{"bytes", "bytes", "bytes", "bytes"}, bytes), 2, 20, 21},
		// Too many vectors: each table is remembered.
		{"tables of five vectors of numbers", "five", false, 20, elements("Five", 20, []string{"bytes", "bytes", "bytes", "bytes", "bytes"}, bytes), 22, 0, 21},
		// A string is no container: each table is remembered, and its step walked.
		{"tables with a string", "s", false, 20, elements("S", 20, []string{"text"}, text), 22, 0, 21},
		{"tables with a table", "sub", false, 20, elements("Sub", 20, []string{"empty"}, empty), 22, 20, 41},
		// The first table's vector has to be walked, and its elements; the others are known.
		{"tables with a vector of strings", "words", false, 20, elements("Words", 20, []string{"words"}, words, text), 4, 35, 22},
		{"tables with a vector of tables", "kids", false, 20, elements("Kids", 20, []string{"kids"}, kids), 4, 35, 23},
		{"tables with a vector of unions", "unions", false, 20, elements("Unions", 20, []string{"tags", "members"}, tags), 4, 35, 23},
		{"tables with a nested buffer", "nested", false, 20, elements("Nested", 20, []string{"inner"}, inner), 4, 20, 23},
		{"tables with two vectors of strings", "two", false, 20, elements("Two", 20, []string{"words", "words"}, words, text), 5, 51, 22},
		{"tables with three vectors of strings", "three", false, 20, elements("Three", 20, []string{"words", "words", "words"}, words, text), 25, 48, 21},
		{"short strings", "text", true, 20, []Part{Align(4), Label("x0"), U32(small - 1), Text(strings.Repeat("x", small-1)), Bytes(0)}, 2, 20, 1},
		// A long one is remembered, and was the last of all.
		{"long strings", "text", true, 20, []Part{Align(4), Label("x0"), U32(small), Text(strings.Repeat("x", small)), Bytes(0)}, 3, 0, 1},
	}
}

// TestWhatSharesMuchIsRemembered, unless to check it again is as quick, and counts the
// same either way, at each limit and one below it.
func TestWhatSharesMuchIsRemembered(t *testing.T) {
	for _, c := range costCases() {
		t.Run(c.name, func(t *testing.T) {
			p := programtest.Compile(t, costSchema)
			buf := Build(append(rootOf(p, c.field, c.count, c.shared), c.parts...)...)
			cfg := unlimited()
			cfg.Shared = true
			w := walked(p, buf, cfg)
			if len(w.faults) > 0 {
				t.Fatal(w.faults)
			}
			if w.memo.count != c.entries || w.quicks != c.quicks || w.sounds != c.sounds {
				t.Errorf("%d results remembered, %d quick checks, %d tables sound as a whole; want %d, %d, %d", w.memo.count, w.quicks, w.sounds, c.entries, c.quicks, c.sounds)
			}
			exact := cfg
			exact.MaxTables, exact.MaxDepth = w.tables, int(w.height)
			if e := walked(p, buf, exact); len(e.faults) > 0 || e.memo.count != c.entries || e.quicks != c.quicks {
				t.Errorf("at the limits on tables and depth: %v, %d results remembered, %d quick checks; want %d and %d", e.faults, e.memo.count, e.quicks, c.entries, c.quicks)
			}
			exact.MaxBytes = w.bytes
			if e := walked(p, buf, exact); len(e.faults) > 0 || e.quicks != c.quicks {
				t.Errorf("at the limit on bytes: %v, %d quick checks, want %d", e.faults, e.quicks, c.quicks)
			}
			for kind, less := range map[rule.Kind]func(*Config){
				rule.TableLimit: func(c *Config) { c.MaxTables-- }, rule.SizeLimit: func(c *Config) { c.MaxBytes-- }, rule.DepthLimit: func(c *Config) { c.MaxDepth-- },
			} {
				short := exact
				less(&short)
				quick := walked(p, buf, short)
				short.plain = true
				plain := walked(p, buf, short)
				if plain.quicks != 0 || plain.sounds != 0 {
					t.Errorf("%d quick checks, though there should be none", plain.quicks)
				}
				if len(quick.faults) == 0 || quick.faults[0].Kind != kind || !slices.Equal(quick.faults, plain.faults) {
					t.Errorf("one below: %v; want %v", quick.faults, plain.faults)
				}
			}
		})
	}
}

// TestQuickChecksFindWhatOthersFind wherever a buffer is damaged.
func TestQuickChecksFindWhatOthersFind(t *testing.T) {
	for _, c := range costCases() {
		t.Run(c.name, func(t *testing.T) {
			p := programtest.Compile(t, costSchema)
			buf := Build(append(rootOf(p, c.field, c.count, c.shared), c.parts...)...)
			cfg := unlimited()
			cfg.Shared = true
			accepted := 0
			for at := 0; at+2 <= len(buf); at += 2 {
				was := binary.LittleEndian.Uint16(buf[at:])
				for _, v := range []uint16{0, 1, was + 1, was + 4, 0xff80} {
					binary.LittleEndian.PutUint16(buf[at:], v)
					cfg.plain = false
					quick := walked(p, buf, cfg)
					cfg.plain = true
					plain := walked(p, buf, cfg)
					if !slices.Equal(quick.faults, plain.faults) || quick.tables != plain.tables || quick.bytes != plain.bytes || quick.height != plain.height {
						t.Fatalf("0x%04x at %d: %v, %d tables, %d bytes, depth %d; want %v, %d, %d, %d",
							v, at, quick.faults, quick.tables, quick.bytes, quick.height, plain.faults, plain.tables, plain.bytes, plain.height)
					}
					if len(quick.faults) == 0 {
						accepted++
					}
				}
				binary.LittleEndian.PutUint16(buf[at:], was)
			}
			if accepted == 0 {
				t.Error("no damaged buffer was accepted")
			}
		})
	}
}

// TestQuickChecksOfStringsAskWhatOthersAsk under each exception, and for Strict.
func TestQuickChecksOfStringsAskWhatOthersAsk(t *testing.T) {
	p := programtest.Compile(t, costSchema)
	for name, text := range map[string]string{
		"sound": "ab\x00", "empty": "\x00", "with a NUL": "a\x00b\x00", "not terminated": "abc", "not UTF-8": "\xffb\x00", "longest": strings.Repeat("x", small-1) + "\x00",
	} {
		buf := Build(append(rootOf(p, "text", many, true), Align(4), Label("x0"), U32(uint32(len(text)-1)), Text(text), U32(0x01010101))...)
		for _, strict := range []bool{false, true} {
			for flags := range program.Flags(program.NumFlags) {
				cfg := unlimited()
				cfg.Shared, cfg.Strict, cfg.Flags = true, strict, flags
				quick := walked(p, buf, cfg)
				cfg.plain = true
				plain := walked(p, buf, cfg)
				if !slices.Equal(quick.faults, plain.faults) || quick.bytes != plain.bytes {
					t.Errorf("%s, strict %v, flags %d: %v and %d bytes, want %v and %d", name, strict, flags, quick.faults, quick.bytes, plain.faults, plain.bytes)
				}
				want := many
				if strict || flags&program.SkipTerminator != 0 || name == "not terminated" || name == "not UTF-8" && flags&program.SkipUTF8 == 0 {
					want = 0
				}
				if quick.quicks != want {
					t.Errorf("%s, strict %v, flags %d: %d quick checks, want %d", name, strict, flags, quick.quicks, want)
				}
			}
		}
	}
}

// TestQuickChecksDoNotTakeTheFirstByteForATerminator where a string is not in the
// buffer at all.
func TestQuickChecksDoNotTakeTheFirstByteForATerminator(t *testing.T) {
	p := programtest.Compile(t, costSchema)
	parts := []Part{U32(256), U16(28, 8), U16(make([]uint16, 11)...), U16(4), Align(256), U32(252), Offset("v"), Label("v"), U32(many)}
	for range many {
		parts = append(parts, U32(0))
	}
	cfg := unlimited()
	cfg.Shared, cfg.MaxFaults = true, 2*many
	if w := walked(p, Build(parts...), cfg); len(w.faults) != many || w.faults[0].Path != "R.text[0]" {
		t.Error(w.faults)
	}
}

// TestShortStringsAreWorkUntilResultsAreRemembered.
func TestShortStringsAreWorkUntilResultsAreRemembered(t *testing.T) {
	p := programtest.Compile(t, costSchema)
	const count, size = 3, 40
	parts := rootOf(p, "text", count, false)
	for i := range count {
		parts = append(parts, Align(4), Label(fmt.Sprint("x", i)), U32(size), Text(strings.Repeat("x", size)), Bytes(0))
	}
	w := walked(p, Build(parts...), unlimited())
	if want := uint64(tableCost + 4 + 4*count + size*count); w.work != want || w.memo != nil {
		t.Errorf("work of %d, want %d; results are remembered %v", w.work, want, w.memo != nil)
	}
}
