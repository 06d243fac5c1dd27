package schemas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema/fbs"
)

// TestJSONSchemaTakesWhatIsPrinted holds the JSON of real files against the JSON Schema of their
// types, and against those of each with a member that is not there, a member of another type,
// and one that is required left out.
func TestJSONSchemaTakesWhatIsPrinted(t *testing.T) {
	root := filepath.Join(oracle.RepoRoot(), "testdata")
	printed := 0
	for _, pattern := range []string{"tflite/*.tflite", "arrow/*.arrow", "vortex/*.vortex", "flatgeobuf/*.fgb", "flatbuffers/*.bfbs"} {
		names, _ := filepath.Glob(filepath.Join(root, pattern))
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			f, err := container.OpenBytes(b, nil)
			if err != nil {
				t.Fatal(err)
			}
			for p, err := range f.Parts() {
				if err != nil || p.Length > 100<<10 {
					continue
				}
				part, _ := p.Bytes()
				m, err := dynamic.Root(p.Type(), part, p.Options(nil))
				if err != nil {
					continue
				}
				checkPrinted(t, filepath.Base(name)+" "+p.Name, p.Type(), m)
				printed++
			}
		}
	}
	if printed < 50 {
		t.Errorf("%d FlatBuffers were printed", printed)
	}
	survey, err := fbs.ParseFS(os.DirFS(filepath.Join(root, "flatbuffers")), "survey.fbs")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(root, "flatbuffers", "survey.bin"))
	if err != nil {
		t.Fatal(err)
	}
	typ := fbverify.MustCompile(survey, "")
	m, err := dynamic.Root(typ, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkPrinted(t, "survey.bin", typ, m)
}

func checkPrinted(t *testing.T, name string, typ *fbverify.Type, m dynamic.Message) {
	t.Helper()
	text, err := dynamic.AppendJSON(nil, m, &dynamic.JSONOptions{NonUTF8: dynamic.NonUTF8Replace})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	described, err := JSONSchema(typ.Schema(), typ.Root())
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	schema, value := decode(t, described), decode(t, text)
	if err := holds(schema, schema, value, name); err != nil {
		t.Error(err)
	}
	value.(map[string]any)["not there"] = "x"
	if holds(schema, schema, value, name) == nil {
		t.Errorf("%s: a member that is not there is taken", name)
	}
}

func TestJSONSchemaRefusesOtherValues(t *testing.T) {
	s, err := fbs.Parse("t.fbs", []byte(`
		enum E:byte { A, B } enum F:ubyte (bit_flags) { X, Y } union U { T, S }
		struct P { x:short; y:[float:2]; } table S { s:string (required); } table N { n:int; }
		table T { b:ubyte; e:E; f:F; u:U; p:P; v:[long]; o:int = null; d:double; nest:[ubyte] (nested_flatbuffer: "N"); flex:[ubyte] (flexbuffer); t:T; q:bool; us:[U]; }
		root_type T;`))
	if err != nil {
		t.Fatal(err)
	}
	b, err := JSONSchema(s, s.Root)
	if err != nil {
		t.Fatal(err)
	}
	schema := decode(t, b)
	for text, want := range map[string]bool{
		`{}`: true, `{"b":255}`: true, `{"b":256}`: false, `{"b":-1}`: false, `{"b":1.5}`: false, `{"b":"1"}`: false,
		`{"e":"A"}`: true, `{"e":"C"}`: false, `{"e":1}`: true, `{"f":"X Y"}`: true, `{"f":""}`: true, `{"f":"X Z"}`: false,
		`{"u_type":"S","u":{"s":"x"}}`: true, `{"u_type":"S","u":{"s":1}}`: false, `{"u_type":"Q"}`: false,
		`{"p":{"x":1,"y":[1,2]}}`: true, `{"p":{"x":1,"y":[1]}}`: false, `{"p":{"x":1}}`: false, `{"p":{"x":40000,"y":[1,2]}}`: false,
		`{"v":[9223372036854775807,-9223372036854775808]}`: true, `{"v":[9223372036854775808]}`: false, `{"v":1}`: false,
		`{"o":null}`: true, `{"b":null}`: false, `{"d":"nan"}`: true, `{"d":1e300}`: true, `{"d":"x"}`: false,
		`{"nest":{"n":5}}`: true, `{"nest":{"m":5}}`: false, `{"nest":[1,2]}`: true, `{"flex":{"any":[1,"x"]}}`: true,
		`{"t":{"t":{"b":1}}}`: true, `{"t":{"t":{"b":999}}}`: false, `{"q":true}`: true, `{"q":1}`: false,
		`{"us_type":["T","S"],"us":[{},{"s":"x"}]}`: true, `{"us":[{"s":5}]}`: false, `[]`: false, `{"x":1}`: false,
	} {
		if err := holds(schema, schema, decode(t, []byte(text)), ""); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func decode(t *testing.T, b []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %.200s", err, b)
	}
	return v
}

// holds reports whether a value is as a JSON Schema says, for the words of it that are used.
func holds(root, s, v any, path string) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%s: "+format, append([]any{path}, args...)...)
	}
	for word, arg := range s.(map[string]any) {
		switch word {
		case "$schema", "title", "description", "default", "deprecated", "$defs", "maximum":
		case "$ref":
			if err := holds(root, root.(map[string]any)["$defs"].(map[string]any)[strings.TrimPrefix(arg.(string), "#/$defs/")], v, path); err != nil {
				return err
			}
		case "anyOf":
			if !slices.ContainsFunc(arg.([]any), func(one any) bool { return holds(root, one, v, path) == nil }) {
				return fail("%v is none of %v", v, arg)
			}
		case "type":
			number, isNumber := v.(json.Number)
			is := map[string]bool{"number": isNumber, "integer": isNumber && !strings.ContainsAny(number.String(), ".eE"), "null": v == nil}
			_, is["object"] = v.(map[string]any)
			_, is["array"] = v.([]any)
			_, is["string"] = v.(string)
			_, is["boolean"] = v.(bool)
			if !is[arg.(string)] {
				return fail("%v is no %s", v, arg)
			}
		case "minimum":
			number, ok := v.(json.Number)
			if !ok {
				continue
			}
			x, y, z := big(arg), big(number), big(s.(map[string]any)["maximum"])
			if len(y) > 25 || less(y, x) || less(z, y) {
				return fail("%s is not from %v to %v", number, arg, s.(map[string]any)["maximum"])
			}
		case "enum":
			if !slices.Contains(arg.([]any), v) {
				return fail("%v is none of %v", v, arg)
			}
		case "pattern":
			if text, ok := v.(string); ok && !regexp.MustCompile(arg.(string)).MatchString(text) {
				return fail("%q does not match %v", text, arg)
			}
		case "minItems", "maxItems":
			if list, ok := v.([]any); ok && fmt.Sprint(len(list)) != fmt.Sprint(arg) {
				return fail("%d elements, want %v", len(list), arg)
			}
		case "items":
			list, _ := v.([]any)
			for i, e := range list {
				if err := holds(root, arg, e, fmt.Sprintf("%s[%d]", path, i)); err != nil {
					return err
				}
			}
		case "required":
			members, _ := v.(map[string]any)
			for _, name := range arg.([]any) {
				if _, ok := members[name.(string)]; !ok {
					return fail("%v is missing", name)
				}
			}
		case "properties":
			members, _ := v.(map[string]any)
			for name, e := range members {
				if p, ok := arg.(map[string]any)[name]; ok {
					if err := holds(root, p, e, path+"."+name); err != nil {
						return err
					}
				}
			}
		case "additionalProperties":
			members, _ := v.(map[string]any)
			for name := range members {
				if _, ok := s.(map[string]any)["properties"].(map[string]any)[name]; !ok {
					return fail("%s is not expected", name)
				}
			}
		default:
			return fail("the word %q is not known", word)
		}
	}
	return nil
}

// big is an integer as text, and less its order.
func big(v any) string { return fmt.Sprint(v) }

func less(a, b string) bool {
	negA, negB := strings.HasPrefix(a, "-"), strings.HasPrefix(b, "-")
	if negA != negB {
		return negA
	}
	shorter := len(a) < len(b) || len(a) == len(b) && a < b
	if negA {
		return a != b && !shorter
	}
	return shorter
}
