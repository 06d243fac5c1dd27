package protobuf_test

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/protobuf"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

// flatcSchema is what flatc --proto makes of a file, read by our parser; an error where
// flatc makes none.
func flatcSchema(f *oracle.Flatc, files map[string][]byte, name string) (*schema.Schema, error) {
	r, err := f.Run(files, "-I", ".", "--gen-all", "--proto", name)
	if err != nil {
		return nil, err
	}
	if r.Code != 0 {
		return nil, &oracle.Failure{Args: []string{"--proto", name}, Result: r}
	}
	made, ok := r.Files[strings.TrimSuffix(path.Base(name), ".proto")+".fbs"]
	if !ok {
		return nil, fmt.Errorf("flatc --proto %s made no file", name)
	}
	return fbs.Parse("flatc.fbs", made)
}

// differences lists how our schema differs in names and types from flatc's of the same
// file, each by a rule of the package documentation.
func differences(ours, flatc *schema.Schema) (list []string) {
	for _, o := range flatc.Objects {
		p := ours.Object(o.Name)
		if p == nil || p.Name != o.Name {
			list = append(list, "table "+o.Name+": none here")
			continue
		}
		for _, f := range o.Fields {
			where := o.Name + "." + f.Name
			g := p.Field(f.Name)
			switch {
			case g == nil:
				list = append(list, where+": no field here")
			case f.Type.String() != g.Type.String():
				list = append(list, where+": "+f.Type.String()+", here "+g.Type.String())
			case f.Type.IsScalar() && !f.Optional && g.Optional:
				list = append(list, where+": here = null")
			case f.DefaultInteger != g.DefaultInteger || f.DefaultReal != g.DefaultReal:
				list = append(list, where+": here another default")
			case f.Required != g.Required:
				list = append(list, where+": here required or not")
			}
		}
	}
	for _, e := range flatc.Enums {
		p := ours.Enum(e.Name)
		if p == nil || p.Name != e.Name {
			list = append(list, "enum "+e.Name+": none here")
			continue
		}
		for _, v := range e.Values {
			if w := p.ByValue(v.Value); w == nil || w.Name != v.Name {
				list = append(list, e.Name+"."+v.Name+": not here")
			}
		}
	}
	slices.Sort(list)
	return list
}

func TestNamesAndTypesAreFlatcsButForWhatIsListed(t *testing.T) {
	f := oracle.NewFlatc(t)
	proto := `syntax = "proto2";
package a.b;
message Outer {
  optional int32 number = 3;
  optional uint64 counted = 1 [default = 7];
  required string name = 4;
  optional bytes data = 5;
  message Inner {
    optional sfixed64 z = 1;
    message Deep { repeated float zs = 1; enum E { P = 1; Q = -5; } repeated E es = 2; }
    repeated Deep deep = 2;
  }
  map<string, Inner> my_map = 6;
  map<int32, bool> flags = 8;
  repeated string words = 9;
  repeated bytes blobs = 10;
  enum Color { RED = 0; GREEN = 5; BLUE = 2; }
  optional Color color = 13 [default = GREEN];
  repeated Color colors = 14 [packed = true];
  oneof kind { string text = 20; Inner inner = 21; }
  optional string table = 16;
  optional fixed64 string = 17;
  optional double inf = 19 [default = inf];
}
`
	flatc, err := flatcSchema(f, map[string][]byte{"x.proto": []byte(proto)}, "x.proto")
	if err != nil {
		t.Fatal(err)
	}
	ours, _, err := protobuf.Schema(parse(t, "x.proto", proto), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		// flatc says string, and bytes are not UTF-8.
		"a.b.Outer.blobs: [string], here [google.protobuf.BytesValue]",
		// flatc drops defaults of enums.
		"a.b.Outer.color: here another default",
		// flatc makes a table of a oneof, in which several members may be set.
		"a.b.Outer.kind: a.b.Outer__.Anonymous0, here a.b.Outer__.Kind",
		// flatc drops presence.
		"a.b.Outer.number: here = null",
		"a.b.Outer.string: here = null",
		"a.b.Outer__.Inner.z: here = null",
		"table a.b.Outer__.Anonymous0: none here",
	}
	if got := differences(ours, flatc); !slices.Equal(got, want) {
		t.Errorf("the differences are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestFlatcTakesTheSchema(t *testing.T) {
	f := oracle.NewFlatc(t)
	b, err := os.ReadFile("testdata/shop.fbs")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"shop.fbs": b}
	if _, err := f.BFBS(files, "shop.fbs"); err != nil {
		t.Error(err)
	}
	for name, gen := range map[string]func(map[string][]byte, string, ...string) (map[string][]byte, error){
		"Go": f.GenGo, "C++": f.GenCpp, "Rust": f.GenRust,
	} {
		if _, err := gen(files, "shop.fbs"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
