package fbrand_test

import (
	"testing"

	"github.com/fbverify/go/internal/fbrand"
	"github.com/fbverify/go/schema"
)

func TestSchemasUseEveryConstruct(t *testing.T) {
	met := map[string]int{}
	for seed := range uint64(300) {
		text, s := fbrand.Schema(fbrand.NewRand(seed), fbrand.SchemaOptions{})
		if again, _ := fbrand.Schema(fbrand.NewRand(seed), fbrand.SchemaOptions{}); again != text {
			t.Fatalf("seed %d gives two schemas", seed)
		}
		if err := s.Check(); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for _, e := range s.Enums {
			if e.BitFlags {
				met["bit_flags"]++
			}
			if e.IsUnion && e.Underlying.Size() > 1 {
				met["wide tag"]++
			}
			for _, v := range e.Values {
				if e.IsUnion && v.Type.IsStruct() {
					met["union of a struct"]++
				}
				if e.IsUnion && v.Type.Base == schema.String {
					met["union of a string"]++
				}
			}
			met["enum of "+e.Underlying.String()]++
		}
		for _, o := range s.Objects {
			if o.Namespace() != s.Root.Namespace() {
				met["other namespace"]++
			}
			if o.IsStruct && o.MinAlign > 8 {
				met["force_align"]++
			}
			for _, f := range o.Fields {
				kind := f.Type.Base.String()
				if f.Type.Element != schema.None {
					kind += " of " + f.Type.Element.String()
				}
				met[kind]++
				for what, is := range map[string]bool{
					"required": f.Required, "key": f.Key, "optional": f.Optional, "deprecated": f.Deprecated, "offset64": f.Offset64,
					"required union": f.Required && f.Type.Base == schema.Union,
				} {
					if is {
						met[what]++
					}
				}
				if nested, _ := s.NestedRoot(o, f); nested != nil {
					met["nested"]++
				}
			}
		}
	}
	for _, want := range []string{
		"bit_flags", "wide tag", "union of a struct", "union of a string", "other namespace", "force_align",
		"enum of byte", "enum of ubyte", "enum of short", "enum of ushort", "enum of int", "enum of uint", "enum of long", "enum of ulong",
		"required", "required union", "key", "optional", "deprecated", "offset64", "nested",
	} {
		if met[want] == 0 {
			t.Errorf("no schema of 300 has %s", want)
		}
	}
	for _, base := range []schema.BaseType{schema.Vector, schema.Array} {
		for _, elem := range []schema.BaseType{schema.Bool, schema.Byte, schema.UByte, schema.Short, schema.UShort, schema.Int, schema.UInt,
			schema.Long, schema.ULong, schema.Float, schema.Double, schema.Obj} {
			if kind := base.String() + " of " + elem.String(); met[kind] == 0 {
				t.Errorf("no schema of 300 has a %s", kind)
			}
		}
	}
	for _, elem := range []schema.BaseType{schema.String, schema.Union} {
		if kind := schema.Vector.String() + " of " + elem.String(); met[kind] == 0 {
			t.Errorf("no schema of 300 has a %s", kind)
		}
	}
}
