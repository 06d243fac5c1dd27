package schemas

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/schema/fbs"
)

// TestTheFieldsOfTheRootAreCounted with every framing, those of a newer writer among them,
// and those of tables that it leads to not.
func TestTheFieldsOfTheRootAreCounted(t *testing.T) {
	old, err := fbs.Parse("old.fbs", []byte(`table T { a: int; t: T; } root_type T;`))
	if err != nil {
		t.Fatal(err)
	}
	newer, err := fbs.Parse("new.fbs", []byte(`table T { a: int; t: T; b: string; c: short; } root_type T;`))
	if err != nil {
		t.Fatal(err)
	}
	b, err := dynamic.EncodeJSON(fbverify.MustCompile(newer, ""), []byte(`{"a": 1, "t": {"a": 2, "c": 3}, "b": "x"}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, framing := range []fbverify.Framing{fbverify.Unframed, fbverify.SizePrefixed, fbverify.LongSizePrefixed} {
		head := binary.LittleEndian.AppendUint64(nil, uint64(len(b)))[:framing.Prefix()]
		found, err := Find(context.Background(), append(head, b...), []Named{{"old", old}}, &fbverify.Options{})
		if err != nil || len(found) == 0 || found[0].Fields != 3 || found[0].Tables != 2 {
			t.Errorf("%v: %+v, %v", framing, found, err)
		}
	}
}
