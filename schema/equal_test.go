package schema_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

const everything = `
namespace n;
enum E : int8 { A, B }
struct S { a: int8; b: [uint16:3]; }
union U { T, S, x: string }
/// doc
table T (private) { s: S; u: U; e: E = B; f: float32 = nan; t: string = "d"; v: [int32] = []; }
rpc_service R { m(T): T (streaming: "server"); }
root_type T;
`

func parseEverything(t *testing.T) *schema.Schema {
	t.Helper()
	s, err := fbs.Parse("everything.fbs", []byte(everything))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestNoPartOfTheModelIsForgotten changes every field of every kind of struct of
// the model, found by reflection, and wants the difference to be seen.
func TestNoPartOfTheModelIsForgotten(t *testing.T) {
	parts := map[string]func(s *schema.Schema) any{
		"Schema":    func(s *schema.Schema) any { return s },
		"File":      func(s *schema.Schema) any { return &s.Files[0] },
		"Object":    func(s *schema.Schema) any { return s.Object("n.T") },
		"Field":     func(s *schema.Schema) any { return s.Object("n.T").Field("t") },
		"Type":      func(s *schema.Schema) any { return &s.Object("n.S").Field("b").Type },
		"Enum":      func(s *schema.Schema) any { return s.Enum("n.E") },
		"EnumValue": func(s *schema.Schema) any { return s.Enum("n.E").Values[1] },
		"Attribute": func(s *schema.Schema) any { return &s.Object("n.T").Attributes[0] },
		"Service":   func(s *schema.Schema) any { return s.Services[0] },
		"Call":      func(s *schema.Schema) any { return s.Services[0].Calls[0] },
	}
	for name, part := range parts {
		typ := reflect.TypeOf(part(parseEverything(t))).Elem()
		if typ.Name() != name {
			t.Fatalf("%s is a %s", name, typ.Name())
		}
		for i := range typ.NumField() {
			if !typ.Field(i).IsExported() {
				continue // a mark is no part of what a schema says
			}
			t.Run(name+"."+typ.Field(i).Name, func(t *testing.T) {
				a, b := parseEverything(t), parseEverything(t)
				change(t, reflect.ValueOf(part(b)).Elem().Field(i), b)
				if schema.Equal(a, b) || schema.Equal(b, a) {
					t.Error("the change was not seen")
				}
			})
		}
	}
}

// change gives a field of the model another value.
func change(t *testing.T, v reflect.Value, s *schema.Schema) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(v.Uint() + 1)
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.Slice:
		if v.Len() > 0 {
			v.Set(v.Slice(0, v.Len()-1))
			return
		}
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	case reflect.Pointer:
		switch v.Interface().(type) {
		case *schema.Object:
			v.Set(reflect.ValueOf(s.Object("n.S")))
		case *schema.Enum:
			v.Set(reflect.ValueOf(s.Enum("n.E")))
		}
	case reflect.Struct:
		v.Set(reflect.ValueOf(schema.Type{Base: schema.Double}))
	default:
		t.Fatalf("the model has a %s now, and this test does not know how to change it", v.Type())
	}
}

func TestWhatDoesNotMatterToEqual(t *testing.T) {
	a := parseEverything(t)
	for name, change := range map[string]func(s *schema.Schema){
		"nothing": func(s *schema.Schema) {},
		"another NaN": func(s *schema.Schema) {
			s.Object("n.T").Field("f").DefaultReal = math.Float64frombits(math.Float64bits(math.NaN()) ^ 1)
		},
		"an attribute set to 0":  func(s *schema.Schema) { s.Object("n.T").Attributes[0].Value = "0" },
		"the order of objects":   func(s *schema.Schema) { s.Objects[0], s.Objects[1] = s.Objects[1], s.Objects[0] },
		"empty instead of nil":   func(s *schema.Schema) { s.Object("n.S").Doc = []string{} },
		"pointers to equal ones": func(s *schema.Schema) { *s = *parseEverything(t) },
	} {
		b := parseEverything(t)
		change(b)
		if d := schema.Differences(a, b, 5); d != nil {
			t.Errorf("%s: %s", name, d)
		}
	}
	if !schema.Equal(nil, nil) || schema.Equal(a, nil) || schema.Equal(nil, a) {
		t.Error("nil equals nil and nothing else")
	}
}

func TestDifferencesAreNamedAndLimited(t *testing.T) {
	a, b := parseEverything(t), parseEverything(t)
	f := b.Object("n.T").Field("e")
	f.DefaultInteger, f.ID, f.Required = 0, 9, true
	b.Objects = append(b.Objects, &schema.Object{Name: "n.Extra"})
	all := schema.Differences(a, b, 100)
	text := strings.Join(all, "\n")
	for _, want := range []string{
		"n.T.e: the default is 1 in the first, 0 in the second",
		"n.T.e: the id is 3 in the first, 9 in the second",
		`object "n.Extra" is in the second only`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if got := schema.Differences(a, b, 2); len(got) != 2 || got[0] != all[0] {
		t.Errorf("asked for 2, got %q", got)
	}
}
