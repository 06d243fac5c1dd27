package schemas

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/schema/fbs"
)

// TestTheFieldsOfTheRootAreCounted with every framing and in streams,
// those of tables that it leads to aside.
func TestTheFieldsOfTheRootAreCounted(t *testing.T) {
	old, err := fbs.Parse("old.fbs", []byte(`table T { a: int; t: T; } root_type T;`))
	if err != nil {
		t.Fatal(err)
	}
	newer, err := fbs.Parse("new.fbs", []byte(`table T { a: int; t: T; b: string; c: short; } root_type T;`))
	if err != nil {
		t.Fatal(err)
	}
	typ := fbverify.MustCompile(newer, "")
	b, err := dynamic.EncodeJSON(typ, []byte(`{"a": 1, "t": {"a": 2, "c": 3}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range formats {
		framing := format.Framing()
		message := append(binary.LittleEndian.AppendUint64(nil, uint64(len(b)))[:framing.Prefix()], b...)
		buf, tables := message, 2
		if format.Several() {
			buf, tables = append(append(bytes.Clone(message), message...), message...), 6
		}
		found, err := Find(context.Background(), buf, []Named{{Name: "old", Schema: old}}, &fbverify.Options{})
		if err != nil || len(found) != 1 || found[0].Format != format.String() || found[0].Fields != 2 || found[0].Tables != tables {
			t.Errorf("%v: %+v, %v", format, found, err)
		}
		if format.Several() {
			buf[len(buf)-len(b)] = 0xff // the last root offset
			if found, err := Find(context.Background(), buf, []Named{{Name: "old", Schema: old}}, &fbverify.Options{}); err != nil || len(found) > 0 {
				t.Errorf("%v with a damaged end: %+v, %v", format, found, err)
			}
		}
	}
}
