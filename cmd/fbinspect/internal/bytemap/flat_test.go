package bytemap

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/schema/fbs"
)

// flatTables maps a buffer with and without a look at the fields of all tables, and holds
// one map to the other.
func flatTables(t *testing.T, typ *fbverify.Type, buf []byte) *Map {
	t.Helper()
	m := [2]*Map{}
	for i := range m {
		m[i] = &Map{Buf: buf, Type: typ}
		_ = run(context.Background(), typ, buf, fbverify.Unframed, &store{m: m[i], seen: map[Key]int{}}, i == 1)
	}
	if !reflect.DeepEqual(m[0].Objects, m[1].Objects) {
		t.Fatalf("%x: objects %+v, want %+v", buf, m[0].Objects, m[1].Objects)
	}
	if !reflect.DeepEqual(m[0].Spans, m[1].Spans) {
		t.Fatalf("%x: spans %+v, want %+v", buf, m[0].Spans, m[1].Spans)
	}
	return m[0]
}

// TestFlatTablesAreToldAsOthersAre: rows that share vtables, in damaged and overlapping
// states, consist of the same spans whether their fields are looked at or not.
func TestFlatTablesAreToldAsOthersAre(t *testing.T) {
	s, err := fbs.Parse("t.fbs", []byte(`struct P { x:short; y:byte; } table Row { a:int; p:P; b:int; s:string; } table Other { a:short; b:[int]; }
		table Root { rows:[Row]; others:[Other]; } root_type Root;`))
	if err != nil {
		t.Fatal(err)
	}
	typ := fbverify.MustCompile(s, "")
	le := binary.LittleEndian
	const rows, vtable, base = 12, 32, 60
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		b := make([]byte, base+4+4*rows+16*rows)
		le.PutUint32(b, 16)
		for i, v := range []uint16{8, 12, 4, 8} {
			le.PutUint16(b[4+2*i:], v)
		}
		le.PutUint32(b[16:], 12)
		le.PutUint32(b[20:], base-20)
		le.PutUint32(b[24:], base-24)
		for i, v := range []uint16{10, 16, 4, 8, 12} {
			le.PutUint16(b[vtable+2*i:], v)
		}
		le.PutUint32(b[base:], rows)
		for i := range rows {
			at, row := base+4+4*i, base+4+4*rows+16*i
			le.PutUint32(b[at:], uint32(row-at))
			le.PutUint32(b[row:], uint32(row-vtable))
		}
		if seed == 0 {
			m := flatTables(t, typ, b)
			tables := 0
			for i := range m.Objects {
				if m.Objects[i].Kind == Table {
					tables++
				}
			}
			if tables != rows+1 {
				t.Errorf("%d tables, want %d", tables, rows+1)
			}
		}
		for range 1 + rng.IntN(6) {
			switch at := base + 4 + 4*rng.IntN(rows); rng.IntN(3) {
			case 0: // a row elsewhere, mostly into another one
				le.PutUint32(b[at:], le.Uint32(b[at:])+uint32(rng.IntN(9)*4)-16)
			case 1: // another vtable
				b[vtable+rng.IntN(12)] = byte(rng.IntN(6) * 4)
			default:
				b[rng.IntN(len(b))] += byte(rng.IntN(16))
			}
		}
		flatTables(t, typ, b)
	}
}
