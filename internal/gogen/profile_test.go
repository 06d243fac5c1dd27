package gogen

import (
	"encoding/binary"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/schema/fbs"
)

// TestAProfileCountsAllTablesOfASample: behind fields, vectors, unions and vectors of unions,
// in a buffer and in a stream.
func TestAProfileCountsAllTablesOfASample(t *testing.T) {
	s, err := fbs.Parse("t.fbs", []byte(`
table Leaf { a:int; }
table Other { b:int; }
union Any { Leaf, Other, Text:string }
table T { one:Leaf; many:[Leaf]; any:Any; anys:[Any]; none:[Any]; words:[string]; }
root_type T;`))
	if err != nil {
		t.Fatal(err)
	}
	typ := fbverify.MustCompile(s, "")
	b, err := dynamic.EncodeJSON(typ, []byte(`{one:{a:1}, many:[{a:1},{a:2},{}], any_type:"Other", any:{b:1},
		anys_type:["Text","Leaf","NONE","Other"], anys:["x",{a:3},null,{b:2}], words:["w"]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &merged{Schema: s, roots: []string{"T"}}
	want := map[string]int{"T": 1, "Leaf": 5, "Other": 2}
	long := append(binary.LittleEndian.AppendUint64(nil, uint64(len(b))), b...)
	stream := append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
	for name, c := range map[string]struct {
		data  []byte
		times int
	}{"a buffer": {b, 1}, "a stream": {append(stream, stream...), 2}, "a stream of long prefixes": {append(long, long...), 2}} {
		p, err := newProfile(m, []Sample{{Name: "x", Data: c.data}})
		if err != nil {
			t.Fatal(err)
		}
		for table, n := range want {
			got := 0
			for _, seen := range p.tables[table] {
				got += seen
			}
			if got != n*c.times {
				t.Errorf("%s: %d tables %s, want %d", name, got, table, n*c.times)
			}
		}
	}
	for n := range b[:len(b)-4] {
		if _, err := newProfile(m, []Sample{{Name: "x", Data: b[:n]}}); err == nil {
			t.Errorf("the first %d of %d bytes are counted", n, len(b))
		}
	}
}
