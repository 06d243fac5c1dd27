package machine

import (
	"testing"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/program/programtest"
	. "github.com/fbverify/go/internal/fbasm"
)

// TestWhatIsBehindTheBufferIsNotTakenForAPartOfIt: buffers are cut at every place, and
// what was cut off still stands in memory behind them. Vtables come first, so that
// they are there, and what is read last ends where the whole does.
func TestWhatIsBehindTheBufferIsNotTakenForAPartOfIt(t *testing.T) {
	const schemaText = `
		struct P { x:int; y:int; }
		union U { E, Full, P, Text:string }
		table E {}
		table Full { x:long; }
		table R {
			number:long; point:P; text:string; bytes:[ubyte]; longs:[long]; points:[P]; texts:[string];
			e:E; full:Full; es:[E]; fulls:[Full]; u:U; us:[U]; nested:[ubyte] (nested_flatbuffer: "E");
			far:string (offset64); wide:[int] (offset64); long:[int] (vector64);
		}
		root_type R;`
	p := programtest.Compile(t, schemaText)
	id := func(name string) int { return p.Root.Object.Field(name).ID }
	// root has the fields at 8, and so on, eight bytes each.
	root := func(names ...string) Part {
		vt := make([]uint16, 2+len(p.Root.Fields))
		vt[0], vt[1] = uint16(2*len(vt)), uint16(8+8*len(names))
		for i, name := range names {
			vt[2+id(name)] = uint16(8 + 8*i)
		}
		return Sequence(Offset("root"), Label("E vt"), U16(4, 4), Label("Full vt"), U16(6, 16, 8), Label("R vt"), U16(vt...), Align(8), Label("root"), VTable("R vt"), U32(0))
	}
	empty, full := Sequence(Label("e"), VTable("E vt")), Sequence(Align(8), Label("full"), VTable("Full vt"), U32(0), U64(0))
	offset := func(label string) Part { return Sequence(Offset(label), U32(0)) }
	tag := func(v byte) Part { return Bytes(v, 0, 0, 0, 0, 0, 0, 0) }
	for name, parts := range map[string][]Part{
		"a number":                       {root("number"), U64(1)},
		"a struct":                       {root("point"), U64(1)},
		"a short string":                 {root("text"), Offset("s"), Label("s"), U32(3), Text("abc"), Bytes(0)},
		"an empty string":                {root("text"), Offset("s"), Label("s"), U32(0), Bytes(0)},
		"a long string":                  {root("text"), Offset("s"), Label("s"), U32(20), Text("abcdefghijklmnopqrst"), Bytes(0)},
		"bytes":                          {root("bytes"), Offset("v"), Label("v"), U32(5), Text("abcde")},
		"numbers":                        {root("longs"), Offset("v"), Label("v"), U32(2), Align(8), U64(1, 2)},
		"structs":                        {root("points"), Offset("v"), Label("v"), U32(2), U64(1, 2)},
		"strings":                        {root("texts"), Offset("v"), Label("v"), U32(2), Offset("s"), Offset("s"), Label("s"), U32(3), Text("abc"), Bytes(0)},
		"a table":                        {root("e"), Offset("e"), empty},
		"a table with a field":           {root("full"), Offset("full"), full},
		"a vector of one table":          {root("es"), Offset("v"), Label("v"), U32(1), Offset("e"), empty},
		"a vector of tables":             {root("es"), Offset("v"), Label("v"), U32(3), Offset("e"), Offset("e"), Offset("e"), empty},
		"a vector of tables with fields": {root("fulls"), Offset("v"), Label("v"), U32(3), Offset("full"), Offset("full"), Offset("full"), full},
		"a union's table":                {root("u_type", "u"), tag(1), Offset("e"), empty},
		"a union's table with a field":   {root("u_type", "u"), tag(2), Offset("full"), full},
		"a union's struct":               {root("u_type", "u"), tag(3), Offset("p"), Label("p"), U64(1)},
		"a union's string":               {root("u_type", "u"), tag(4), Offset("s"), Label("s"), U32(3), Text("abc"), Bytes(0)},
		"a vector of unions":             {root("us_type", "us"), offset("tags"), Offset("v"), Label("tags"), U32(2), Bytes(1, 4, 0, 0), Label("v"), U32(2), Offset("e"), Offset("s"), empty, Label("s"), U32(3), Text("abc"), Bytes(0)},
		"a vector of unions' types":      {root("us_type", "us"), offset("tags"), Offset("v"), Label("v"), U32(2), Offset("e"), Offset("e"), empty, Label("tags"), U32(2), Bytes(1, 1)},
		"a nested buffer":                {root("nested"), Offset("v"), Label("v"), U32(12), U32(8), U16(4, 4), U32(4)},
		"a far string":                   {root("far"), Offset64("s"), Label("s"), U32(3), Text("abc"), Bytes(0)},
		"a far vector":                   {root("wide"), Offset64("v"), Label("v"), U32(2), U32(1, 2)},
		"a long vector":                  {root("long"), Offset64("v"), Label("v"), U64(2), U32(1, 2)},
	} {
		whole := Build(parts...)
		for _, flags := range []program.Flags{0, program.SkipUTF8, program.SkipAlignment} {
			cfg := unlimited()
			cfg.Flags = flags
			if v, _ := Run(p, append([]byte(nil), whole...), 0, &cfg); v == Invalid {
				t.Errorf("%s, flags %d: verdict %d on the whole", name, flags, v)
			}
			for n := 4; n < len(whole); n++ {
				if v, _ := Run(p, whole[:n], 0, &cfg); v != Invalid {
					t.Errorf("%s, flags %d: verdict %d on %d bytes of %d", name, flags, v, n, len(whole))
				}
			}
		}
	}
}
