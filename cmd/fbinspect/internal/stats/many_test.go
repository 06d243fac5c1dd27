package stats_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/fbverify/go/cmd/fbinspect/internal/annotate"
	"github.com/fbverify/go/cmd/fbinspect/internal/bytemap"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/stats"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/internal/oracle"
)

// TestCountsAreThoseOfTheMap damages a buffer everywhere, and counts the map's objects and
// spans.
func TestCountsAreThoseOfTheMap(t *testing.T) {
	folder := filepath.Join(oracle.RepoRoot(), "testdata", "flatbuffers")
	types, err := input.LoadTypes(filepath.Join(folder, "survey.fbs"), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(folder, "survey.bin"))
	if err != nil {
		t.Fatal(err)
	}
	a := &annotate.Annotator{Types: types, Format: container.Raw}
	f, err := input.FromBytes("survey", b).OpenAs(types, container.Raw, &a.Options)
	if err != nil {
		t.Fatal(err)
	}
	var typ *fbverify.Type
	for r := range f.Regions() {
		if typ, _, _, err = a.Explain(f, *r.Part); err != nil {
			t.Fatal(err)
		}
	}
	for i := range b {
		for _, c := range []byte{b[i], b[i] + 4, b[i] ^ 0x80} {
			damaged := bytes.Clone(b)
			damaged[i] = c
			r, err := stats.Of(context.Background(), a, input.FromBytes("survey", damaged))
			if err != nil {
				t.Fatal(err)
			}
			m, err := bytemap.Of(context.Background(), typ, damaged, fbverify.Unframed, nil)
			if err != nil {
				t.Fatal(err)
			}
			kinds, tables := map[string]stats.Share{}, map[string]int{}
			for i := range m.Spans {
				s := &m.Spans[i]
				k := kinds[s.Kind.String()]
				kinds[s.Kind.String()] = stats.Share{Name: s.Kind.String(), Count: k.Count + 1, Bytes: k.Bytes + int64(s.Size)}
			}
			users, vtables := 0, 0
			for i := range m.Objects {
				switch o := &m.Objects[i]; o.Kind {
				case bytemap.Table:
					tables[o.Def.Name]++
				case bytemap.VTable:
					vtables++
					users += o.Refs
				}
			}
			if len(kinds) != len(r.Kinds) || r.VTables.Count != vtables || r.VTables.Tables != users {
				t.Errorf("%#02x at %d: %d kinds, %d vtables of %d tables; want %d, %d of %d", c, i, len(r.Kinds), r.VTables.Count, r.VTables.Tables, len(kinds), vtables, users)
			}
			for _, s := range r.Kinds {
				if s != kinds[s.Name] {
					t.Errorf("%#02x at %d: %v, want %v", c, i, s, kinds[s.Name])
				}
			}
			for _, typ := range r.Types {
				if typ.Count != tables[typ.Name] {
					t.Errorf("%#02x at %d: %d tables of %s, want %d", c, i, typ.Count, typ.Name, tables[typ.Name])
				}
			}
			for _, l := range r.Largest {
				if !onMap(m, l) {
					t.Errorf("%#02x at %d: %+v is not on the map", c, i, l)
				}
			}
		}
	}
}

// onMap reports whether a large thing is on a map, by its path and description.
func onMap(m *bytemap.Map, l stats.Thing) bool {
	for i := range m.Objects {
		if o := &m.Objects[i]; int64(o.Pos) == l.Offset && int64(o.Size) == l.Bytes && m.Path(i) == l.Path && m.Describe(i) == l.What {
			return true
		}
	}
	return false
}

// TestTablesTakeFewBytes counts many tables: what is kept is some bits for each byte.
func TestTablesTakeFewBytes(t *testing.T) {
	schema := filepath.Join(t.TempDir(), "rows.fbs")
	if err := os.WriteFile(schema, []byte("table Row { a:int; b:int; c:int; } table Root { rows:[Row]; } root_type Root;"), 0o600); err != nil {
		t.Fatal(err)
	}
	types, err := input.LoadTypes(schema, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	const n = 100_000
	le := binary.LittleEndian
	b := make([]byte, 44+20*n) // a vector of tables of 16 bytes each
	le.PutUint32(b, 12)
	for i, v := range []uint16{6, 8, 4, 0, 8, 0} { // a vtable, and the root's offset to it
		le.PutUint16(b[4+2*i:], v)
	}
	le.PutUint32(b[12:], 8)
	le.PutUint32(b[16:], 24)
	for i, v := range []uint16{10, 16, 4, 8, 12} {
		le.PutUint16(b[20+2*i:], v)
	}
	le.PutUint32(b[40:], n)
	for i := range n {
		at, row := 44+4*i, 44+4*n+16*i
		le.PutUint32(b[at:], uint32(row-at))
		le.PutUint32(b[row:], uint32(row-20))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := stats.Of(context.Background(), &annotate.Annotator{Types: types, Format: container.Raw}, input.FromBytes("rows", b))
	runtime.ReadMemStats(&after)
	if err != nil || r.Faulty > 0 || r.VTables.Tables != n+1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > uint64(len(b)) {
		t.Errorf("%d bytes for a buffer of %d", took, len(b))
	}
}
