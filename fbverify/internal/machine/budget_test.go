package machine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify/internal/program/programtest"
	. "github.com/fbverify/go/internal/fbasm"
)

// fields writes so many fields of one type into a schema: f0, f1 and so on.
func fields(n int, typeName string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "f%d:%s; ", i, typeName)
	}
	return b.String()
}

// table is a table at a label, with its vtable, whose slots lead to the places
// given, from 4 on.
func table(label string, size int, slots []uint16, parts ...Part) Part {
	vt := append([]uint16{uint16(4 + 2*len(slots)), uint16(size)}, slots...)
	return Sequence(Label(label+" vt"), U16(vt...), Align(8), U32(0), Label(label), VTable(label+" vt"), Sequence(parts...))
}

// inTurn are n offsets to the labels in turn.
func inTurn(n int, labels ...string) Part {
	parts := make([]Part, n)
	for i := range parts {
		parts[i] = Offset(labels[i%len(labels)])
	}
	return Sequence(parts...)
}

// spread are the places of n fields of four bytes side by side, at one place for
// all of them where step is 0, and so on.
func spread(n, step int) []uint16 {
	slots := make([]uint16, n)
	for i := range slots {
		slots[i] = uint16(4 + i*step)
	}
	return slots
}

// alternate are two places of four bytes in turn.
func alternate(n int) []uint16 {
	slots := make([]uint16, n)
	for i := range slots {
		slots[i] = uint16(4 + 4*(i%2))
	}
	return slots
}

func unlimited() Config { return Config{MaxDepth: 64, MaxBytes: ^uint64(0)} }

// TestAWalkIsGivenUpAtItsBudget, and not before: a buffer that shares is walked for as
// long as what is met is worth no more than so many bytes side by side, and given up where
// one byte less is there. Padding makes up the bytes.
func TestAWalkIsGivenUpAtItsBudget(t *testing.T) {
	const ten, hundred = 10, 100
	text := Sequence(Align(4), Label("text"), U32(0), Bytes(0))
	nested := func(label string) Part {
		return Sequence(Align(8), Label(label), U32(16), U32(12), U32(0), U16(4, 4), U32(4))
	}
	long := func(label, of string) Part {
		return Sequence(Align(4), Label(label), U32(100), Text(strings.Repeat(of, 100)), Bytes(0))
	}
	empty := table("empty", 4, nil)
	of := func(reach, offsets int) int { return max(reach, 4+4*offsets) } // a table
	for _, c := range []struct {
		name   string
		schema string
		parts  []Part
		work   int // what the walk costs beside strings
		text   int // what strings cost
		tables int // how many there are, beside the root
	}{
		// Tables that take few bytes.
		{"tables in fields", "table E {} table R { " + fields(hundred, "E") + "}", []Part{
			Offset("root"), table("root", 8, spread(hundred, 0), Offset("empty")), empty,
		}, of(8, hundred) + hundred*of(4, 0), 0, hundred},
		{"tables in vectors", "table E {} table R { " + fields(ten, "[E]") + "}", []Part{
			Offset("root"), table("root", 44, spread(ten, 4), inTurn(ten, "v")), Label("v"), U32(hundred), inTurn(hundred, "empty"), empty,
		}, of(44, ten) + ten*hundred*(4+of(4, 0)), 0, ten * hundred},
		{"tables with a child each", "table E {} table K { e:E; } table R { " + fields(ten, "[K]") + "}", []Part{
			Offset("root"), table("root", 44, spread(ten, 4), inTurn(ten, "v")), Label("v"), U32(hundred), inTurn(hundred, "kid"),
			table("kid", 8, []uint16{4}, Offset("empty")), empty,
		}, of(44, ten) + ten*hundred*(4+of(8, 1)+of(4, 0)), 0, 2 * ten * hundred},
		{"tables in unions", "table E {} union U { E } table R { " + fields(hundred, "U") + "}", []Part{
			Offset("root"), table("root", 12, alternate(2*hundred), U32(1), Offset("empty")), empty,
		}, of(12, hundred) + hundred*of(4, 0), 0, hundred},

		// Tables that take many.
		{"bytes of tables in fields", "table E { x:int; } table R { " + fields(hundred, "E") + "}", []Part{
			Offset("root"), table("root", 404, spread(hundred, 4), inTurn(hundred, "large")), table("large", 104, []uint16{100}, U32(make([]uint32, 26)...)),
		}, of(404, hundred) + hundred*of(104, 0), 0, hundred},
		{"bytes of tables in a vector", "table E { x:int; } table R { v:[E]; }", []Part{
			Offset("root"), table("root", 8, []uint16{4}, Offset("v")), Label("v"), U32(hundred), inTurn(hundred, "large"), table("large", 104, []uint16{100}, U32(make([]uint32, 26)...)),
		}, of(8, 1) + hundred*(4+of(104, 0)), 0, hundred},
		{"bytes of children", "table E { x:int; } table K { e:E; } table R { v:[K]; }", []Part{
			Offset("root"), table("root", 8, []uint16{4}, Offset("v")), Label("v"), U32(hundred), inTurn(hundred, "kid"),
			table("kid", 8, []uint16{4}, Offset("large")), table("large", 104, []uint16{100}, U32(make([]uint32, 26)...)),
		}, of(8, 1) + hundred*(4+of(8, 1)+of(104, 0)), 0, 2 * hundred},

		// Elements that are no tables.
		{"elements of vectors of strings", "table R { " + fields(ten, "[string]") + "}", []Part{
			Offset("root"), table("root", 44, spread(ten, 4), inTurn(ten, "v")), Label("v"), U32(hundred), inTurn(hundred, "text"), text,
		}, of(44, ten) + ten*hundred*elementBytes, 0, 0},
		{"elements of vectors of unions", "table E {} union U { E, Text:string } table R { " + fields(ten, "[U]") + "}", []Part{
			Offset("root"), table("root", 4+8*ten, spread(2*ten, 4), inTurn(2*ten, "tags", "v")), Label("tags"), U32(hundred), Text(strings.Repeat("\x02", hundred)),
			Label("v"), U32(hundred), inTurn(hundred, "text"), text,
		}, of(4+8*ten, ten) + ten*hundred*elementBytes, 0, 0},
		{"elements of vectors of strings of many tables", "table W { words:[string]; } table R { v:[W]; }", []Part{
			Offset("root"), table("root", 8, []uint16{4}, Offset("v")), Label("v"), U32(hundred), inTurn(hundred, "w"),
			table("w", 8, []uint16{4}, Offset("words")), Label("words"), U32(ten), inTurn(ten, "text"), text,
		}, of(8, 1) + hundred*(4+of(8, 1)+ten*elementBytes), 0, hundred},
		{"nested buffers in turn", `table E {} table R { ` + strings.ReplaceAll(fields(hundred, "[ubyte]"), ";", ` (nested_flatbuffer: "E");`) + "}", []Part{
			Offset("root"), table("root", 404, spread(hundred, 4), inTurn(hundred, "one", "two")), nested("one"), nested("two"),
		}, of(404, hundred) + hundred*(nestedWork+of(4, 0)), 0, hundred},

		// Bytes of strings.
		{"short strings", "table W { " + fields(hundred, "string") + "} table R { v:[W]; }", []Part{
			Offset("root"), table("root", 8, []uint16{4}, Offset("v")), Label("v"), U32(hundred), inTurn(hundred, "w"),
			table("w", 8, spread(hundred, 0), Offset("s")), Label("s"), U32(31), Text("thirty-one letters, as it should"[:31]), Bytes(0), U32(0),
		}, of(8, 1) + hundred*(4+of(8, hundred)), 31 * hundred * hundred, hundred},
		{"long strings in turn", "table W { " + fields(hundred, "string") + "} table R { v:[W]; }", []Part{
			Offset("root"), table("root", 8, []uint16{4}, Offset("v")), Label("v"), U32(hundred), inTurn(hundred, "w"),
			table("w", 12, alternate(hundred), Offset("x"), Offset("y")), long("x", "x"), long("y", "y"),
		}, of(8, 1) + hundred*(4+of(12, hundred)), hundred * hundred * hundred, hundred},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := programtest.Compile(t, c.schema+" root_type R;")
			buf := Build(c.parts...)
			least := max((c.work+tableBytes-1)/tableBytes, (c.text+7)/8, 8*c.tables)
			if len(buf) >= least {
				t.Fatalf("the buffer has %d bytes before it is padded, and should have less than %d", len(buf), least)
			}
			padded := append(buf, make([]byte, least-len(buf))...)
			cfg := unlimited()
			for _, cfg.Parallel = range []int{0, 1, 3, 3} { // as strangers, and as friends
				v, all := Run(p, padded, 0, &cfg)
				if v != Valid {
					t.Errorf("%d bytes: verdict %d", least, v)
				}
				less, some := Run(p, padded[:least-1], 0, &cfg)
				if less != Shared {
					t.Errorf("%d bytes: verdict %d", least-1, less)
				}
				if some.Tables > all.Tables || some.Bytes > all.Bytes {
					t.Errorf("given up with %d tables and %d bytes of %d and %d", some.Tables, some.Bytes, all.Tables, all.Bytes)
				}
				// It does not go on once it is given up.
				if half := least / 2; len(buf) <= half && cfg.Parallel == 0 {
					if v, some := Run(p, padded[:half], 0, &cfg); v != Shared || some.Bytes > all.Bytes*2/3 {
						t.Errorf("%d bytes: verdict %d, with %d bytes of %d", half, v, some.Bytes, all.Bytes)
					}
				}
			}
		})
	}
}

// TestALongStringAgainAndAgainCostsNothing: it was looked at.
func TestALongStringAgainAndAgainCostsNothing(t *testing.T) {
	const hundred = 100
	p := programtest.Compile(t, "table W { "+fields(hundred, "string")+"} table R { v:[W]; } root_type R;")
	buf := Build(Offset("root"), table("root", 8, []uint16{4}, Offset("v")), Label("v"), U32(hundred), inTurn(hundred, "w"),
		table("w", 8, spread(hundred, 0), Offset("x")), Label("x"), U32(hundred), Text(strings.Repeat("x", hundred)), Bytes(0), U32(make([]uint32, 105*hundred)...))
	if 8*len(buf) >= hundred*hundred*hundred {
		t.Fatal("the buffer is large enough to read the string each time")
	}
	cfg := unlimited()
	if v, _ := Run(p, buf, 0, &cfg); v != Valid {
		t.Errorf("verdict %d", v)
	}
}

// TestAWalkStopsAtTheLimitOnTables: it does not go on to count what is beyond.
func TestAWalkStopsAtTheLimitOnTables(t *testing.T) {
	const ten, hundred = 10, 100
	empty := table("empty", 4, nil)
	for _, c := range []struct {
		name   string
		schema string
		parts  []Part
		limit  uint64
		met    uint64 // tables when it stops
	}{
		{"tables in fields", "table E {} table R { " + fields(hundred, "E") + "}", []Part{
			Offset("root"), table("root", 404, spread(hundred, 4), inTurn(hundred, "empty")), empty,
		}, 50, 51},
		{"tables in vectors", "table E {} table R { " + fields(ten, "[E]") + "}", []Part{
			Offset("root"), table("root", 44, spread(ten, 4), inTurn(ten, "v")), Label("v"), U32(hundred), inTurn(hundred, "empty"), empty,
		}, 250, 1 + 3*hundred},
		{"tables with a string each", "table K { s:string; } table R { " + fields(ten, "[K]") + "}", []Part{
			Offset("root"), table("root", 44, spread(ten, 4), inTurn(ten, "v")), Label("v"), U32(hundred), inTurn(hundred, "kid"),
			table("kid", 8, []uint16{4}, Offset("s")), Label("s"), U32(0, 0),
		}, 250, 1 + 3*hundred},
		{"tables with a child each", "table E {} table K { e:E; } table R { " + fields(ten, "[K]") + "}", []Part{
			Offset("root"), table("root", 44, spread(ten, 4), inTurn(ten, "v")), Label("v"), U32(hundred), inTurn(hundred, "kid"),
			table("kid", 8, []uint16{4}, Offset("empty")), empty,
		}, 150, 1 + 2*hundred},
	} {
		p := programtest.Compile(t, c.schema+" root_type R;")
		buf := append(Build(c.parts...), make([]byte, 10_000)...)
		cfg := unlimited()
		cfg.MaxTables = c.limit
		for range 3 {
			if v, counts := Run(p, buf, 0, &cfg); v != Shared || counts.Tables != c.met {
				t.Errorf("%s: verdict %d, and %d tables, want %d", c.name, v, counts.Tables, c.met)
			}
		}
	}
}
