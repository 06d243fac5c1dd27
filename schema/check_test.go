package schema_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/bfbs"
	"github.com/fbverify/go/schema/fbs"
	"github.com/fbverify/go/schema/internal/schematest"
)

func SoundSchema(t testing.TB) *schema.Schema {
	t.Helper()
	s, err := fbs.Parse("ship.fbs", []byte(schematest.SoundText))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	return s
}

// spoiled are changes to the sound schema, each with a part of what Check says.
var spoiled = []struct {
	name    string
	spoil   func(s *schema.Schema, ship *schema.Object)
	message string
}{
	{"nil object", func(s *schema.Schema, _ *schema.Object) { s.Objects[0] = nil }, "object 0 is nil"},
	{"nil enum", func(s *schema.Schema, _ *schema.Object) { s.Enums[0] = nil }, "enum 0 is nil"},
	{"nil service", func(s *schema.Schema, _ *schema.Object) { s.Services[0] = nil }, "service 0 is nil"},
	{"nil field", func(_ *schema.Schema, o *schema.Object) { o.Fields[2] = nil }, "Ship.Ship: field 2 is nil"},
	{"nil field of a struct", func(s *schema.Schema, _ *schema.Object) { s.Object("Point").Fields[0] = nil }, "field 0 is nil"},
	{"nil value", func(s *schema.Schema, _ *schema.Object) { s.Enum("Color").Values[1] = nil }, "Ship.Color: value 1 is nil"},
	{"nil method", func(s *schema.Schema, _ *schema.Object) { s.Services[0].Calls[0] = nil }, "method 0 is nil"},
	{"nil request", func(s *schema.Schema, _ *schema.Object) { s.Services[0].Calls[0].Request = nil }, "the request or the response is nil"},
	{"order of the objects", func(s *schema.Schema, _ *schema.Object) { s.Objects[0], s.Objects[1] = s.Objects[1], s.Objects[0] }, "not in order of their names"},
	{"one name twice", func(s *schema.Schema, _ *schema.Object) { s.Enums[2].Name = "Ship.Color" }, "two objects or enums of this name"},
	{"enum and object of one name", func(s *schema.Schema, _ *schema.Object) { s.Enums[2].Name = "Ship.Ship" }, "two objects or enums of this name"},
	{"service twice", func(s *schema.Schema, _ *schema.Object) { s.Services = append(s.Services, s.Services[0]) }, "two services of this name"},
	{"empty name", func(_ *schema.Schema, o *schema.Object) { o.Fields[1].Name = "" }, `the name "" of the field is none`},
	{"odd name", func(s *schema.Schema, _ *schema.Object) { s.Objects[2].Name = "Ship.a b" }, "letters, digits"},
	{"name with an empty word", func(s *schema.Schema, _ *schema.Object) { s.Objects[2].Name = "Ship..T" }, "letters, digits"},
	{"foreign root", func(s *schema.Schema, _ *schema.Object) { s.Root = &schema.Object{Name: "Ship.Ship"} }, "the root type Ship.Ship is none of its objects"},
	{"struct as root", func(s *schema.Schema, _ *schema.Object) { s.Root = s.Object("Point") }, "is a struct"},
	{"long identifier", func(s *schema.Schema, _ *schema.Object) { s.FileIdentifier = "ABCDE" }, "has 5 bytes, not 4"},
	{"extension", func(s *schema.Schema, _ *schema.Object) { s.FileExtension = "\xff" }, "not valid UTF-8"},
	{"file order", func(s *schema.Schema, _ *schema.Object) { s.Files = []schema.File{{Name: "//b"}, {Name: "//a"}} }, "the files are not in order"},

	{"foreign object", func(_ *schema.Schema, o *schema.Object) {
		o.Field("course").Type.Object = &schema.Object{Name: "Ship.Line", IsStruct: true}
	}, "its type Ship.Line is none of the schema's objects"},
	{"foreign enum", func(_ *schema.Schema, o *schema.Object) {
		o.Field("color").Type.Enum = &schema.Enum{Name: "Ship.Color", Underlying: schema.UByte}
	}, "none of the schema's enums"},
	{"missing object", func(_ *schema.Schema, o *schema.Object) { o.Field("course").Type.Object = nil }, "objects have one"},
	{"object of a scalar", func(_ *schema.Schema, o *schema.Object) { o.Field("speed").Type.Object = o }, "nothing else has"},
	{"enum of another type", func(_ *schema.Schema, o *schema.Object) { o.Field("color").Type.Base = schema.Int }, "the type is int, and the values of Ship.Color are ubyte"},
	{"union as a scalar", func(s *schema.Schema, o *schema.Object) { o.Field("color").Type.Enum = s.Enum("Cargo") }, "is a union"},
	{"no union", func(_ *schema.Schema, o *schema.Object) { o.Field("cargo").Type.Enum = nil }, "no union is given"},
	{"unknown type", func(_ *schema.Schema, o *schema.Object) { o.Field("speed").Type.Base = 99 }, "BaseType(99)"},
	{"no type", func(_ *schema.Schema, o *schema.Object) { o.Field("speed").Type.Base = schema.None }, "none a value can have"},
	{"vector of vectors", func(_ *schema.Schema, o *schema.Object) {
		o.Field("rigs").Type = schema.Type{Base: schema.Vector, Element: schema.Vector}
	}, "element type of a vector cannot be vector"},
	{"vector of nothing", func(_ *schema.Schema, o *schema.Object) { o.Field("log").Type.Element = schema.None }, "cannot be none"},
	{"vector of the unknown", func(_ *schema.Schema, o *schema.Object) { o.Field("log").Type.Element = 77 }, "unknown BaseType(77)"},
	{"element of a scalar", func(_ *schema.Schema, o *schema.Object) { o.Field("speed").Type.Element = schema.Int }, "only vectors and arrays have"},
	{"array in a table", func(_ *schema.Schema, o *schema.Object) {
		o.Field("rigs").Type = schema.Type{Base: schema.Array, Element: schema.Int, FixedLength: 2}
	}, "only in a struct"},
	{"array without a length", func(s *schema.Schema, _ *schema.Object) { s.Object("Point").Field("z").Type.FixedLength = 0 }, "fixed length 0"},
	{"long array", func(s *schema.Schema, _ *schema.Object) { s.Object("Point").Field("z").Type.FixedLength = 1 << 16 }, "fixed length 65536"},
	{"vector with a length", func(_ *schema.Schema, o *schema.Object) { o.Field("log").Type.FixedLength = 3 }, "only arrays have one"},

	{"id", func(_ *schema.Schema, o *schema.Object) { o.Fields[3].ID = 9 }, "its id is 9"},
	{"attribute id", func(_ *schema.Schema, o *schema.Object) {
		for i, f := range o.Fields {
			f.Attributes = []schema.Attribute{{"id", strconv.FormatInt(int64(i+1), 10)}}
		}
	}, `the attribute id says "1"`},
	{"some ids", func(_ *schema.Schema, o *schema.Object) { o.Fields[1].Attributes = []schema.Attribute{{"id", "1"}} }, "either all have it or none"},
	{"offset", func(_ *schema.Schema, o *schema.Object) { o.Fields[3].Offset = 4 }, "slot at offset 10"},
	{"field twice", func(_ *schema.Schema, o *schema.Object) { o.Fields[1].Name = "name" }, "two fields of this name"},
	{"table with a size", func(_ *schema.Schema, o *schema.Object) { o.ByteSize = 4 }, "the alignment 1 and the size 0"},
	{"too many fields", func(_ *schema.Schema, o *schema.Object) { o.Fields = make([]*schema.Field, schema.MaxFields+1) }, "a table can have 32765"},
	{"two keys", func(_ *schema.Schema, o *schema.Object) { o.Field("speed").Key = true }, "it is a key, and so is name"},
	{"key of a vector", func(_ *schema.Schema, o *schema.Object) { o.Field("name").Key = false; o.Field("rigs").Key = true }, "a key is a scalar"},
	{"required scalar", func(_ *schema.Schema, o *schema.Object) { o.Field("speed").Required = true }, "a scalar cannot be required"},
	{"required and optional", func(_ *schema.Schema, o *schema.Object) { o.Field("must").Optional = true }, "both required and optional"},
	{"attribute and model", func(_ *schema.Schema, o *schema.Object) { o.Field("must").Required = false }, "it has the attribute required"},
	{"attributes out of order", func(_ *schema.Schema, o *schema.Object) {
		a := o.Field("name").Attributes
		a[0], a[1] = a[1], a[0]
	}, "attributes are not in order"},
	{"doc with a line break", func(_ *schema.Schema, o *schema.Object) { o.Doc = []string{"a\nb"} }, "a line break"},
	{"doc in no UTF-8", func(_ *schema.Schema, o *schema.Object) { o.Fields[0].Doc = []string{"\xc3"} }, "not valid UTF-8"},

	{"union without its type", func(_ *schema.Schema, o *schema.Object) { o.Fields[o.Field("cargo").ID-1].Name = "kind" }, "has to hold its type and be called cargo_type"},
	{"union with another type", func(_ *schema.Schema, o *schema.Object) {
		o.Fields[o.Field("cargo").ID-1].Type = schema.Type{Base: schema.UByte}
	}, "has to hold its type"},
	{"union first", func(_ *schema.Schema, o *schema.Object) {
		u := *o.Field("cargo")
		u.ID, u.Offset = 0, 4
		o.Fields = []*schema.Field{&u}
	}, "has to hold its type"},
	{"type without a union", func(_ *schema.Schema, o *schema.Object) { o.Fields = o.Fields[:o.Field("cargo").ID] }, "the union is not the field after it"},
	{"vector of unions without types", func(_ *schema.Schema, o *schema.Object) { o.Fields[o.Field("holds").ID-1].Type.Base = schema.Vector64 }, "has to hold its type"},
	{"default of a union", func(_ *schema.Schema, o *schema.Object) { o.Field("cargo_type").DefaultInteger = 1 }, "NONE by default"},

	{"default that does not fit", func(_ *schema.Schema, o *schema.Object) { o.Field("color").DefaultInteger = 300 }, "the default 300"},
	{"integer default of a float", func(_ *schema.Schema, o *schema.Object) { o.Field("speed").DefaultInteger = 3 }, "the default 3"},
	{"float default of an integer", func(_ *schema.Schema, o *schema.Object) { o.Field("old").DefaultReal = math.NaN() }, "the default NaN"},
	{"default of an optional", func(_ *schema.Schema, o *schema.Object) { o.Field("maybe").DefaultInteger = 3 }, "that is optional"},
	{"string default of a vector", func(_ *schema.Schema, o *schema.Object) { o.Field("crew").HasDefaultString = true }, "is none for a field of type [int]"},
	{"string default without the flag", func(_ *schema.Schema, o *schema.Object) { o.Field("title").HasDefaultString = false }, "HasDefaultString is false"},
	{"vector default of a string", func(_ *schema.Schema, o *schema.Object) { o.Field("title").HasDefaultVector = true }, "the default []"},

	{"narrow vector64", func(_ *schema.Schema, o *schema.Object) { f := o.Field("wide"); f.Offset64, f.Attributes = false, nil }, "Offset64 is false"},
	{"offset64 of a number", func(_ *schema.Schema, o *schema.Object) { o.Field("speed").Offset64 = true }, "can have 64-bit offsets"},
	{"vector64 of tables", func(_ *schema.Schema, o *schema.Object) {
		o.Field("wide").Type = schema.Type{Base: schema.Vector64, Element: schema.Obj, Object: o}
	}, "64-bit offsets"},
	{"nested of ints", func(_ *schema.Schema, o *schema.Object) { o.Field("log").Type.Element = schema.Int }, "not [ubyte]"},
	{"nested of nothing", func(_ *schema.Schema, o *schema.Object) { o.Field("log").Attributes[0].Value = "Boat" }, `nested_flatbuffer names "Boat"`},
	{"nested struct", func(_ *schema.Schema, o *schema.Object) { o.Field("log").Attributes[0].Value = "Point" }, "names the struct Ship.Point"},
	{"flexbuffer of a string", func(_ *schema.Schema, o *schema.Object) {
		o.Field("title").Attributes = []schema.Attribute{{"flexbuffer", ""}}
	}, "not [ubyte]"},

	{"struct with a string", func(s *schema.Schema, _ *schema.Object) { s.Object("Point").Fields[0].Type.Base = schema.String }, "a struct can hold only"},
	{"struct with a table", func(s *schema.Schema, o *schema.Object) {
		s.Object("Point").Fields[0].Type = schema.Type{Base: schema.Obj, Object: o}
	}, "a struct can hold only"},
	{"struct with a default", func(s *schema.Schema, _ *schema.Object) { s.Object("Point").Fields[0].DefaultInteger = 1 }, "cannot have a default"},
	{"optional field of a struct", func(s *schema.Schema, _ *schema.Object) { s.Object("Point").Fields[0].Optional = true }, "cannot be optional"},
	{"struct in itself", func(s *schema.Schema, _ *schema.Object) {
		s.Object("Point").Fields[0].Type = schema.Type{Base: schema.Obj, Object: s.Object("Line")}
	}, "contains itself"},
	{"empty struct", func(s *schema.Schema, _ *schema.Object) { s.Object("Point").Fields = nil }, "it needs at least one"},
	{"offset in a struct", func(s *schema.Schema, _ *schema.Object) { s.Object("Point").Fields[1].Offset = 2 }, "the layout of structs puts it at 8"},
	{"padding in a struct", func(s *schema.Schema, _ *schema.Object) { s.Object("Point").Fields[0].Padding = 0 }, "at 0 with 6"},
	{"size of a struct", func(s *schema.Schema, _ *schema.Object) { s.Object("Point").ByteSize = 1 << 30 }, "the layout of structs gives it 24 and 8"},
	{"alignment of a struct", func(s *schema.Schema, _ *schema.Object) { s.Object("Point").MinAlign = 3 }, `cannot have the alignment "3"`},
	{"alignment and attribute", func(s *schema.Schema, _ *schema.Object) { s.Object("Line").MinAlign = 8 }, "the layout of structs gives it 48 and 16"},

	{"underlying type", func(s *schema.Schema, _ *schema.Object) { s.Enum("Color").Underlying = schema.Float }, "is not an integer type"},
	{"enum of union types", func(s *schema.Schema, _ *schema.Object) { s.Enum("Color").Underlying = schema.UType }, "is not an integer type"},
	{"no values", func(s *schema.Schema, _ *schema.Object) { s.Enum("Color").Values = nil }, "it has no values"},
	{"value that does not fit", func(s *schema.Schema, _ *schema.Object) { s.Enum("Color").Values[1].Value = 256 }, "does not fit ubyte"},
	{"values out of order", func(s *schema.Schema, _ *schema.Object) { s.Enum("Color").Values[0].Value = 9 }, "not in order"},
	{"value twice", func(s *schema.Schema, _ *schema.Object) { s.Enum("Color").Values[0].Value = 7 }, "not in order, each there once"},
	{"value name twice", func(s *schema.Schema, _ *schema.Object) { s.Enum("Color").Values[1].Name = "red" }, "the name is there twice"},
	{"flags of two bits", func(s *schema.Schema, _ *schema.Object) { s.Enum("Rig").Values[1].Value = 3 }, "not one bit"},
	{"flags without the flag", func(s *schema.Schema, _ *schema.Object) { s.Enum("Rig").BitFlags = false }, "BitFlags is false"},
	{"union of flags", func(s *schema.Schema, _ *schema.Object) { s.Enum("Cargo").BitFlags = true }, "a union cannot have bit flags"},
	{"union without NONE", func(s *schema.Schema, _ *schema.Object) { s.Enum("Cargo").Values = s.Enum("Cargo").Values[1:] }, "has to be NONE, 0"},
	{"union of scalars", func(s *schema.Schema, _ *schema.Object) {
		s.Enum("Cargo").Values[1].Type = schema.Type{Base: schema.Int}
	}, "not int"},
	{"enum value with a type", func(s *schema.Schema, o *schema.Object) {
		s.Enum("Color").Values[1].Type = schema.Type{Base: schema.Obj, Object: o}
	}, "only the members of a union have types"},
	{"member that is foreign", func(s *schema.Schema, _ *schema.Object) {
		s.Enum("Cargo").Values[1].Type.Object = &schema.Object{Name: "X"}
	}, "its type X is none"},
}

func TestCheckFindsWhatIsWrong(t *testing.T) {
	for _, c := range spoiled {
		t.Run(c.name, func(t *testing.T) {
			s := SoundSchema(t)
			c.spoil(s, s.Object("Ship.Ship"))
			err := s.Check()
			if err == nil || !strings.Contains(err.Error(), c.message) {
				t.Errorf("expected …%s…, got %v", c.message, err)
			}
			if err := fbs.Write(&strings.Builder{}, s); err == nil {
				t.Error("it was written all the same")
			}
		})
	}
}

func TestNestingOfStructsIsBounded(t *testing.T) {
	s := &schema.Schema{}
	var part *schema.Object
	for i := range 100_000 {
		o := &schema.Object{Name: "S" + strings.Repeat("0", 6-len(strconv.FormatInt(int64(i), 10))) + strconv.FormatInt(int64(i), 10), IsStruct: true, MinAlign: 1, ByteSize: 1}
		o.Fields = []*schema.Field{{Name: "x", Type: schema.Type{Base: schema.UByte}}}
		if part != nil {
			o.Fields[0].Type = schema.Type{Base: schema.Obj, Object: part}
		}
		s.Objects = append(s.Objects, o)
		part = o
	}
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), "more than 64 deep") {
		t.Error(err)
	}
}

func TestANilSchemaIsRefusedAndNotReadFrom(t *testing.T) {
	var s *schema.Schema
	_, marshal := bfbs.Marshal(s)
	for what, err := range map[string]error{"Check": s.Check(), "bfbs.Marshal": marshal, "fbs.Write": fbs.Write(&strings.Builder{}, s)} {
		if err == nil || !strings.Contains(err.Error(), "schema is nil") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
