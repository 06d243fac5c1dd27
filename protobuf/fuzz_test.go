package protobuf_test

import (
	"bytes"
	"os"
	"testing"
	"testing/fstest"

	"github.com/fbverify/go/protobuf"
	"github.com/fbverify/go/schema/fbs"
)

// FuzzSchema: what the compiler takes makes a schema or an error, and a schema that can be written is read back,
// and is its own successor.
func FuzzSchema(f *testing.F) {
	for _, name := range []string{"testdata/parts.proto"} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(`syntax = "proto2"; message M { optional group G = 1 { repeated int32 a = 2; } extensions 5; enum E { option allow_alias = true; X = -1; Y = -1; } optional E e = 3 [default = Y]; }`)
	f.Add(`edition = "2023"; package table; message table { map<string, table> table = 536870911; oneof o { bytes x = 1; table y = 2; } string o_type = 3; reserved 7; }`)
	f.Add(`syntax = "proto3"; message a { a a = 1; message b { int32 a = 1; b b = 2; } } service S { rpc C(stream a) returns (stream a.b); }`)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			return
		}
		files, err := protobuf.ParseFS(fstest.MapFS{"x.proto": {Data: []byte(text)}}, "x.proto")
		if err != nil {
			return
		}
		s, _, err := protobuf.Schema(files, nil)
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		if fbs.Write(&first, s) != nil {
			return // it says why, as for a name that .fbs cannot write
		}
		before, err := fbs.Parse("x.fbs", first.Bytes())
		if err != nil {
			t.Fatalf("%v\n%s", err, first.String())
		}
		next, _, err := protobuf.Schema(files, &protobuf.Options{Previous: before})
		if err != nil && len(before.Objects)+len(before.Enums) > 0 {
			t.Fatalf("with the schema as the previous one: %v\n%s", err, first.String())
		}
		if err == nil {
			if err := fbs.Write(&second, next); err != nil || first.String() != second.String() {
				t.Fatalf("the next schema is another (%v):\n%s\n%s", err, first.String(), second.String())
			}
		}
	})
}
