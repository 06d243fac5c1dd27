package fbverify_test

import (
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/fbrand"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

// TestCompileAllIsCompileOfEach holds the types of schemas that were compiled together to
// those that were compiled one by one, on sound buffers and damaged ones.
func TestCompileAllIsCompileOfEach(t *testing.T) {
	written, err := fbs.Parse("t.fbs", []byte(`attribute "may_be_binary"; attribute "must_be";
			table A { b:B; text:string (may_be_binary); } table B { c:[C]; } table C { n:int (must_be: "< 10"); s:string; }
			table D { v:string; } struct S { x:int; } root_type A;`))
	if err != nil {
		t.Fatal(err)
	}
	schemas := []*schema.Schema{written}
	for seed := range uint64(30) {
		_, s := fbrand.Schema(fbrand.NewRand(seed), fbrand.SchemaOptions{})
		schemas = append(schemas, s)
	}
	sound, refused := 0, 0
	for i, s := range schemas {
		all, err := fbverify.CompileAll(s)
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		r := fbrand.NewRand(uint64(i))
		for _, o := range s.Objects {
			if o.IsStruct {
				continue
			}
			typ, one := all[at], fbverify.MustCompile(s, o.Name)
			at++
			if typ.Root() != o || typ.Excepts() != one.Excepts() || typ.Schema() != s {
				t.Errorf("schema %d: %s: root %s, excepts %v, want %v", i, o.Name, typ, typ.Excepts(), one.Excepts())
			}
			for range 5 {
				b := fbrand.ForSchema(r, s, o, fbrand.BufferOptions{Objects: 1 + r.IntN(20)})
				for try := range 4 {
					buf := b.Bytes
					if try > 0 {
						buf = fbrand.Damage(r, b).Bytes
					}
					got, err := typ.Measure(buf, nil)
					want, err2 := one.Measure(buf, nil)
					if got != want || (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
						t.Fatalf("schema %d: %s: %+v, %v; compiled alone %+v, %v", i, o.Name, got, err, want, err2)
					}
					if err == nil {
						sound++
					} else {
						refused++
					}
				}
			}
		}
		if at != len(all) {
			t.Errorf("schema %d: %d types of %d tables", i, len(all), at)
		}
	}
	if sound < 500 || refused < 500 {
		t.Errorf("%d sound, %d refused: too few of one", sound, refused)
	}
	if _, err := fbverify.CompileAll(nil); err == nil {
		t.Error("no schema is compiled")
	}
}
