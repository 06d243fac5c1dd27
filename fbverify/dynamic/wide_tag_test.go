package dynamic_test

import (
	"testing"
	"testing/fstest"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	. "github.com/fbverify/go/internal/fbasm"
	"github.com/fbverify/go/schema/fbs"
)

// TestTagsAreReadInTheirWholeWidth: the tag 0x0101 of a union with 16-bit tags is
// unknown, though its low byte alone would name a member.
func TestTagsAreReadInTheirWholeWidth(t *testing.T) {
	s, err := fbs.ParseFS(fstest.MapFS{"t.fbs": {Data: []byte(`
		table M {} union U : short { M, Text:string = 300 } table T { u:U; us:[U]; } root_type T;`)}}, "t.fbs")
	if err != nil {
		t.Fatal(err)
	}
	typ := fbverify.MustCompile(s, "")
	buf := Build(
		Offset("root"), Label("vt"), U16(12, 20, 16, 4, 8, 12), Align(4),
		Label("root"), VTable("vt"), U32(0xffffffff), Offset("tags"), Offset("values"), U16(0x0101, 0),
		Label("tags"), U32(3), U16(0x0101, 300, 0xff01), Align(4),
		Label("values"), U32(3), U32(0xffffffff), Offset("text"), U32(0xffffffff),
		Label("text"), String("text"),
	)
	m, err := dynamic.Root(typ, buf, nil)
	if err != nil {
		t.Fatal(err)
	}
	u, _ := m.Root().Get(m.Root().Field("u"))
	if u.Tag() != 0x0101 || u.Member() != "" || u.Union().Kind() != dynamic.KindNone {
		t.Errorf("tag %d, member %q, value %v", u.Tag(), u.Member(), u.Union())
	}
	us, _ := m.Root().Get(m.Root().Field("us"))
	for i, want := range []int64{0x0101, 300, -255} {
		if got := us.At(i); got.Tag() != want || (got.Union().Kind() == dynamic.KindString) != (want == 300) {
			t.Errorf("element %d: tag %d, want %d, value %v", i, got.Tag(), want, got.Union())
		}
	}
	if text := us.At(1).Union().String(); text != "text" {
		t.Errorf("text %q", text)
	}
}
