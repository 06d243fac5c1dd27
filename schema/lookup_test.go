package schema_test

import (
	"testing"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

func TestNamesAreFoundInFullOrByAnUnambiguousLastWord(t *testing.T) {
	s, err := fbs.Parse("x.fbs", []byte(`
namespace A; table T { x:int; } enum E : byte { lowest = -1, zero, highest = 127 }
namespace B; table T { x:int; } table Only { k:int (key); t:T; } enum W : ulong { zero, top = 18446744073709551615 }
rpc_service S { a(T):T; }`))
	if err != nil {
		t.Fatal(err)
	}
	if s.Object("T") != nil || s.Object("A.T") == nil || s.Object("Only") != s.Object("B.Only") || s.Object("nly") != nil {
		t.Error("objects")
	}
	if s.Enum("E") != s.Enum("A.E") || s.Enum("A.E") == nil || s.Service("S") != s.Services[0] {
		t.Error("enums and services")
	}
	only := s.Object("Only")
	if only.Key() != only.Field("k") || only.Field("x") != nil || s.Object("A.T").Key() != nil {
		t.Error("fields")
	}
	if only.ShortName() != "Only" || only.Namespace() != "B" || s.Enum("E").Namespace() != "A" || (&schema.Object{Name: "X"}).Namespace() != "" {
		t.Error("parts of names")
	}
	e, w := s.Enum("E"), s.Enum("W")
	if e.ByValue(-1) != e.Value("lowest") || e.ByValue(127).Name != "highest" || e.ByValue(3) != nil || w.ByValue(-1) != w.Value("top") {
		t.Error("values")
	}
}

func TestSizesOfTypes(t *testing.T) {
	s := SoundSchema(t)
	ship := s.Object("Ship.Ship")
	for _, c := range []struct {
		typ         schema.Type
		text        string
		size, align int
	}{
		{ship.Field("name").Type, "string", 4, 4},
		{ship.Field("course").Type, "Ship.Line", 48, 16},
		{ship.Field("wide").Type, "[ubyte]", 8, 8},
		{ship.Field("cargo_type").Type, "Ship.Cargo", 1, 1},
		{ship.Field("holds_type").Type, "[Ship.Cargo]", 4, 4},
		{ship.Field("must").Type.ElementType(), "Ship.Ship", 4, 4},
		{s.Object("Point").Field("z").Type, "[ubyte:3]", 3, 1},
		{schema.Type{Base: schema.UType, Enum: &schema.Enum{Name: "U", IsUnion: true, Underlying: schema.Int}}, "U", 4, 4},
		{schema.Type{}, "none", 0, 1},
	} {
		if c.typ.String() != c.text || c.typ.InlineSize() != c.size || c.typ.Align() != c.align {
			t.Errorf("%s: %d bytes aligned to %d, expected %s: %d and %d", c.typ, c.typ.InlineSize(), c.typ.Align(), c.text, c.size, c.align)
		}
	}
}

func TestTheRootOfANestedBufferIsLookedUpOutwards(t *testing.T) {
	s, err := fbs.Parse("x.fbs", []byte(`
table R { x:int; } struct S { x:int; }
namespace A; table R { x:int; }
namespace A.B; table T { a:[ubyte] (nested_flatbuffer: "R"); b:[ubyte] (nested_flatbuffer: "A.B.T"); c:[ubyte]; }`))
	if err != nil {
		t.Fatal(err)
	}
	o := s.Object("A.B.T")
	for field, expected := range map[string]*schema.Object{"a": s.Object("A.R"), "b": o, "c": nil} {
		if root, err := s.NestedRoot(o, o.Field(field)); root != expected || err != nil {
			t.Errorf("%s: %v, %v", field, root, err)
		}
	}
	for _, name := range []string{"S", "Nothing", "", "A.B.T."} {
		f := &schema.Field{Name: "f", Attributes: []schema.Attribute{{"nested_flatbuffer", name}}}
		if root, err := s.NestedRoot(o, f); root != nil || err == nil {
			t.Errorf("%q: %v", name, root)
		}
	}
}
