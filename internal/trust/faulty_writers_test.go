package trust_test

import (
	"encoding/hex"
	"errors"
	"testing"
	"testing/fstest"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/trust/trusttest"
	"github.com/fbverify/go/schema/fbs"
)

// TestWhatWritersGetWrongIsRefused has what current writers were seen to write that
// no reader can read, in buffers as small as they come. Found by the tests of random
// values, which keep away from it.
func TestWhatWritersGetWrongIsRefused(t *testing.T) {
	for _, c := range []struct {
		what, schema, buffer string
		kind                 fbverify.Kind
	}{
		{
			"JavaScript, Python: the offset 0 of an absent field, when defaults are forced",
			"table T { s:string; } root_type T;",
			"0c00000000000600080004000600000004000000", fbverify.ErrOutOfBounds,
		},
		{
			"JavaScript: an empty shared string, for which the offset is 0, in a vector",
			"table T { s:string; v:[string]; } root_type T;",
			"0c000000080008000000040008000000040000000100000004000000", fbverify.ErrOutOfBounds,
		},
		{
			"TypeScript objects: an absent nested buffer, packed as one of no bytes",
			`table N { n:int; } table T { b:[ubyte] (nested_flatbuffer: "N"); } root_type T;`,
			"0c0000000000060008000400060000000400000000000000", fbverify.ErrTooShort,
		},
		{
			"TypeScript objects: a vector of unions without the values of those that are NONE",
			"table N { n:int; } union U { N } table T { u:[U]; } root_type T;",
			"0c00000008000c0008000400080000000800000008000000000000000100000000000000", fbverify.ErrUnionVectors,
		},
		{
			"flatc: a vector64 of structs with a key, sorted from the middle of its length on",
			"struct S { a:short (key); b:short; } table T { v:[S] (vector64); } root_type T;",
			"0c000000000006000c00040006000000080000000000000002000000ffff00000000000001000000", fbverify.ErrOutOfBounds,
		},
	} {
		s, err := fbs.ParseFS(fstest.MapFS{"t.fbs": {Data: []byte(c.schema)}}, "t.fbs")
		if err != nil {
			t.Fatal(err)
		}
		buf, err := hex.DecodeString(c.buffer)
		if err != nil {
			t.Fatal(err)
		}
		if err := trusttest.Compile(t, s).Verify(buf, nil); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}
