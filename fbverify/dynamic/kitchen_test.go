package dynamic

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fbverify/go/schema/fbs"

	"github.com/fbverify/go/fbverify"
)

// kitchen has one of every construct of the language.
const kitchen = `
attribute "base64";
attribute "base64url";
namespace k;

enum Color : ubyte { Red = 1, Green, Blue = 8 }
enum Signed : short { Low = -300, Zero = 0, High = 300 }
enum Flags : uint (bit_flags) { A, B, C, Top = 31 }
enum Big : ulong { Small = 1, Huge = 18446744073709551615 }

struct Point { x: float; y: float; }
struct Deep (force_align: 16) {
  p: Point;
  grid: [short: 3];
  ps: [Point: 2];
  c: Signed;
  ok: bool;
  d: double;
}
struct Pair { id: uint (key); v: byte; }

table Leaf { name: string (key); n: int = 7; }
table Counted { id: long (key); }
union Any { Leaf, Point, Text: string, Other: k.Leaf }

table Inner { label: string; deep: Inner; big: ulong; }

table All {
  b: bool = true;
  i8: byte; u8: ubyte; i16: short; u16: ushort; i32: int; u32: uint; i64: long; u64: ulong;
  f32: float; f64: double = 1.5;
  ob: bool = null; oi: int = null; of: double = null; oe: Color = null;
  color: Color = Green; signed: Signed; flags: Flags; big: Big = Small;
  s: string; ds: string = "def\"ault";
  pt: Point; deep: Deep;
  leaf: Leaf;
  vb: [bool]; vi8: [byte]; vu8: [ubyte]; vi16: [short]; vu32: [uint]; vi64: [long]; vu64: [ulong];
  vf: [float]; vd: [double]; ve: [Color]; vfl: [Flags]; vs: [string];
  vp: [Point]; vdeep: [Deep]; vleaf: [Leaf]; vpair: [Pair]; vcount: [Counted];
  any: Any; anys: [Any];
  nest: [ubyte] (nested_flatbuffer: "Inner");
  raw: [ubyte] (base64); raw_url: [ubyte] (base64url);
  h: uint (hash: "fnv1a_32");
  dv: [int] = [];
  old: int (deprecated);
  aligned: [ubyte] (force_align: 32);
}
root_type All;
file_identifier "KTCH";
`

const far = `
struct S { a: int; b: double; }
table Sub { v: [byte] (offset64); }
table Far {
  bytes: [ubyte] (offset64);
  text: string (offset64);
  near: string;
  big: [ubyte] (vector64);
  wide: [double] (vector64);
  structs: [S] (vector64);
  subs: [Sub];
  nest: [ubyte] (vector64, nested_flatbuffer: "Far");
  aligned: [ubyte] (vector64, force_align: 32);
}
root_type Far;
`

func compile(t testing.TB, text, root string) *fbverify.Type {
	t.Helper()
	s, err := fbs.ParseFS(fstest.MapFS{"s.fbs": &fstest.MapFile{Data: []byte(text)}}, "s.fbs")
	if err != nil {
		t.Fatal(err)
	}
	typ, err := fbverify.Compile(s, root)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// compileKitchen returns the type All with no field deprecated.
func compileKitchen(t testing.TB) *fbverify.Type {
	t.Helper()
	typ, err := IncludeDeprecated(compile(t, kitchen, ""))
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// encodeRoot encodes JSON and verifies the result strictly.
func encodeRoot(t testing.TB, typ *fbverify.Type, json string) Message {
	t.Helper()
	buf, err := EncodeJSON(typ, []byte(json), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, json)
	}
	m, err := Root(typ, buf, &fbverify.Options{Strict: true})
	if err != nil {
		t.Fatalf("what was encoded does not verify: %v\n%s", err, json)
	}
	return m
}

func dump(t testing.TB, m Message, opts *JSONOptions) string {
	t.Helper()
	b, err := AppendJSON(nil, m, opts)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// everything is strict JSON with every field of All set, as a dump prints it.
const everything = `{"b":false,"i8":-128,"u8":255,"i16":-32768,"u16":65535,"i32":-2147483648,"u32":4294967295,` +
	`"i64":-9223372036854775808,"u64":18446744073709551615,"f32":0.1,"f64":1e-20,` +
	`"ob":false,"oi":0,"of":0.0,"oe":"Blue","color":"Red","signed":"Low","flags":"A C Top","big":"Huge",` +
	`"s":"a\"\\\n\u0001é😀","ds":"","pt":{"x":1.0,"y":-2.5},` +
	`"deep":{"p":{"x":3.0,"y":4.0},"grid":[1,-2,3],"ps":[{"x":1.0,"y":2.0},{"x":3.0,"y":4.0}],"c":"High","ok":true,"d":1e+300},` +
	`"leaf":{"name":"l","n":8},"vb":[true,false],"vi8":[-1,1],"vu8":[0,9,10,99,100,255],"vi16":[-2],"vu32":[4000000000],` +
	`"vi64":[-5],"vu64":[18446744073709551615],"vf":[1.5,"nan","inf","-inf"],"vd":[0.1,-0.0],"ve":["Red","Blue"],"vfl":["A B","Top"],"vs":["","x"],` +
	`"vp":[{"x":1.0,"y":2.0}],"vdeep":[],"vleaf":[{"name":"a"},{"name":"b","n":1}],"vpair":[{"id":1,"v":2},{"id":5,"v":-1}],"vcount":[{"id":-1},{"id":0},{"id":3}],` +
	`"any_type":"Text","any":"hi","anys_type":["Leaf","NONE","Point","Text","Other"],` +
	`"anys":[{"name":"q"},null,{"x":5.0,"y":6.0},"t",{"name":"o"}],` +
	`"nest":{"label":"in","deep":{"big":3}},"raw":[1,2,3],"raw_url":[255],"h":5,"dv":[],"old":4,"aligned":[1]}`

func TestEveryConstructSurvivesTheWayThroughABuffer(t *testing.T) {
	typ := compileKitchen(t)
	m := encodeRoot(t, typ, everything)
	if got := dump(t, m, nil); got != everything {
		t.Errorf("got  %s\nwant %s", got, everything)
	}
	for f := range m.Root().AllFields() {
		if !m.Root().Has(f) {
			t.Errorf("%s is not set: the test does not cover it", f)
		}
	}
	for _, opts := range []JSONOptions{
		{Indent: 2}, {EnumNumbers: true}, {Unquoted: true}, {ASCII: true}, {NestedBytes: true}, {Base64: true},
		{Indent: 3, Unquoted: true, Base64: true, Defaults: true},
	} {
		text := dump(t, m, &opts)
		buf, err := EncodeJSON(typ, []byte(text), &EncodeOptions{OmitDefaults: opts.Defaults})
		if err != nil {
			t.Fatalf("%+v: %v", opts, err)
		}
		if got := dump(t, RootUnchecked(typ, buf, fbverify.Unframed), nil); got != everything {
			t.Errorf("%+v: got  %s\nwant %s\nfrom %s", opts, got, everything, text)
		}
	}
}

func TestSixtyFourBitOffsetsSurviveTheWayThroughABuffer(t *testing.T) {
	typ := compile(t, far, "")
	const text = `{"bytes":[1,2,3],"text":"far away","near":"close","big":[9,8],"wide":[1.5,2.5],"structs":[{"a":1,"b":2.0},{"a":3,"b":4.0}],` +
		`"subs":[{"v":[1]},{},{"v":[-1,2]}],"nest":{"text":"inner","wide":[0.5]},"aligned":[7]}`
	m := encodeRoot(t, typ, text)
	if got := dump(t, m, nil); got != text {
		t.Errorf("got  %s\nwant %s", got, text)
	}
	v, _ := m.Root().Get(m.Root().Field("aligned"))
	if at := v.Offset() + 8; at%32 != 0 {
		t.Errorf("the elements with force_align 32 are at %d", at)
	}
	for _, framing := range []fbverify.Framing{fbverify.SizePrefixed, fbverify.LongSizePrefixed} {
		buf, err := EncodeJSON(typ, []byte(text), &EncodeOptions{Framing: framing})
		if err != nil {
			t.Fatal(err)
		}
		m, err := Root(typ, buf, &fbverify.Options{Strict: true, Framing: framing})
		if err != nil {
			t.Fatal(err)
		}
		if got := dump(t, m, nil); got != text {
			t.Errorf("%v: got  %s\nwant %s", framing, got, text)
		}
	}
}

func TestRelaxedFormsMeanTheSameAsStrictOnes(t *testing.T) {
	typ := compileKitchen(t)
	for name, c := range map[string]struct{ in, want string }{
		"unquoted names":         {`{i32: 5}`, `{"i32":5}`},
		"single quotes":          {`{'s': 'it"s'}`, `{"s":"it\"s"}`},
		"trailing commas":        {`{vu8: [1,2,], i8: 1,}`, `{"i8":1,"vu8":[1,2]}`},
		"comments":               {"/* a */{ // b\n i8: /**/ 1 } // c", `{"i8":1}`},
		"byte order mark":        {"\ufeff{i8: 1}", `{"i8":1}`},
		"$schema":                {`{"$schema": "x", i8: 1}`, `{"i8":1}`},
		"null is absent":         {`{i8: null, s: null, vu8: null, oi: null, any: null}`, `{}`},
		"default is kept":        {`{f64: 1.5, color: "Green", b: true}`, `{"b":true,"f64":1.5,"color":"Green"}`},
		"negative zero stays":    {`{f32: -0.0}`, `{"f32":-0.0}`},
		"enum by word":           {`{color: Blue}`, `{"color":"Blue"}`},
		"enum by number":         {`{color: 8}`, `{"color":"Blue"}`},
		"enum by qualified name": {`{color: "Color.Blue", signed: k.Signed.High, i32: "k.Signed.High"}`, `{"i32":300,"color":"Blue","signed":"High"}`},
		"unknown enum number":    {`{color: 200}`, `{"color":200}`},
		"flags":                  {`{flags: "B  A"}`, `{"flags":"A B"}`},
		"flags by number":        {`{flags: 5}`, `{"flags":"A C"}`},
		"number in string":       {`{i32: "42 ", f32: "1.25", b: "false"}`, `{"b":false,"i32":42,"f32":1.25}`},
		"hexadecimal":            {`{i32: -0x1F, u64: 0xFFFFFFFFFFFFFFFF, f64: 0x1p-2}`, `{"i32":-31,"u64":18446744073709551615,"f64":0.25}`},
		"zeros and plus":         {`{i32: +007, i8: -009}`, `{"i8":-9,"i32":7}`},
		"points":                 {`{f32: .5, f64: 5.}`, `{"f32":0.5,"f64":5.0}`},
		"bool as number":         {`{b: 0, ob: 1}`, `{"b":false,"ob":true}`},
		"not finite":             {`{f32: nan, f64: -inf, of: +inf, vf: ["nan", -Infinity, infinity, NaN]}`, `{"f32":"nan","f64":"-inf","of":"inf","vf":["nan","-inf","inf","nan"]}`},
		"functions":              {`{f64: rad(180), f32: cos(rad( 0 ))}`, `{"f32":1.0,"f64":3.141592653589793}`},
		"escapes":                {`{s: "\u00e9\uD83D\uDE00\/\x41\'"}`, `{"s":"é😀/A'"}`},
		"hash":                   {`{h: "a"}`, `{"h":3826002220}`},
		"struct as array":        {`{pt: [1, 2]}`, `{"pt":{"x":1.0,"y":2.0}}`},
		"table as array":         {`{leaf: ["x", 3]}`, `{"leaf":{"name":"x","n":3}}`},
		"struct fields anyhow":   {`{pt: {y: 2, x: 1}}`, `{"pt":{"x":1.0,"y":2.0}}`},
		"type after value":       {`{any: {name: "x", n: 3}, i8: 1, any_type: "Leaf"}`, `{"i8":1,"any_type":"Leaf","any":{"name":"x","n":3}}`},
		"types after values":     {`{anys: ["a", {x:1,y:2}], anys_type: ["Text", 2]}`, `{"anys_type":["Text","Point"],"anys":["a",{"x":1.0,"y":2.0}]}`},
		"type without value":     {`{any_type: "NONE"}`, `{"any_type":"NONE"}`},
		"unknown type":           {`{any_type: 99}`, `{"any_type":99}`},
		"nested as bytes":        {`{nest: [12,0,0,0, 0,0, 4,0, 4,0,0,0, 4,0,0,0]}`, `{"nest":{}}`},
		"base64":                 {`{raw: "AQID", raw_url: "_w=="}`, `{"raw":[1,2,3],"raw_url":[255]}`},
		"sorted by key":          {`{vleaf: [{name:"c"},{name:"a"},{name:"b"}], vpair: [{id:9,v:1},{id:2,v:2}], vcount: [{id:5},{},{id:-5}]}`, `{"vleaf":[{"name":"a"},{"name":"b"},{"name":"c"}],"vpair":[{"id":2,"v":2},{"id":9,"v":1}],"vcount":[{"id":-5},{"id":0},{"id":5}]}`},
		"any order":              {`{u64: 1, i8: 1, leaf: {name: "a"}, b: false}`, `{"b":false,"i8":1,"u64":1,"leaf":{"name":"a"}}`},
		"deprecated":             {`{old: 3}`, `{"old":3}`},
	} {
		t.Run(name, func(t *testing.T) {
			buf, err := EncodeJSON(typ, []byte(c.in), nil)
			if err != nil {
				t.Fatal(err)
			}
			m, err := Root(typ, buf, nil)
			if err != nil {
				t.Fatalf("what was encoded does not verify: %v", err)
			}
			if got := dump(t, m, nil); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestDefaultsAreOmittedWhenAskedFor(t *testing.T) {
	typ := compile(t, kitchen, "")
	buf, err := EncodeJSON(typ, []byte(`{f64: 1.5, color: "Green", b: true, oi: 0, i8: 0, f32: -0.0, any_type: "NONE"}`), &EncodeOptions{OmitDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	// Optional scalars have no default, and -0 is another number than 0.
	if got, want := dump(t, RootUnchecked(typ, buf, fbverify.Unframed), nil), `{"f32":-0.0,"oi":0}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDeprecatedFieldsReadAsAbsentUnlessIncluded(t *testing.T) {
	const text = `{"i8":1,"old":3}`
	typ := compile(t, kitchen, "")
	m := encodeRoot(t, typ, text)
	if got, want := dump(t, m, nil), `{"i8":1}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if f := m.Root().Field("old"); m.Root().Has(f) || m.Root().Int(f) != 0 || !f.Deprecated() {
		t.Error("a deprecated field, which was not verified, is read")
	}
	all, err := Root(compileKitchen(t), m.Bytes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := dump(t, all, nil); got != text {
		t.Errorf("included: got %s, want %s", got, text)
	}
}

func TestErrorsOfJSONSayWhereAndWhatWasExpected(t *testing.T) {
	typ := compile(t, kitchen, "")
	for _, c := range []struct{ in, want string }{
		{``, "1:1: All: expected an object for the table k.All, found the end"},
		{`[`, "1:2: All.b: expected true or false, found the end"},
		{"{\n  i32: 5,\n  color: \"Purple\"\n}", `3:10: All.color: expected a value of k.Color, found "Purple"`},
		{`{leaf: {name: "a", m: 1}}`, `1:20: All.leaf: k.Leaf has no field "m", did you mean "n"?`},
		{`{vleaf: [{name: "a"}, {n: 1}]}`, `1:23: All.vleaf[1]: expected all required fields of k.Leaf: "name" is missing`},
		{`{i8: 128}`, "1:6: All.i8: expected a number from -128 to 127, found 128"},
		{`{u8: -1}`, "1:6: All.u8: expected a number from 0 to 255, found -1"},
		{`{u64: 18446744073709551616}`, "1:7: All.u64: expected an integer from 0 to 18446744073709551615, found 18446744073709551616"},
		{`{i32: 1.5}`, "1:7: All.i32: expected an integer from -2147483648 to 2147483647, found 1.5"},
		{`{i32: []}`, "1:7: All.i32: expected an integer from -2147483648 to 2147483647, found '['"},
		{`{f32: 1e39}`, "1:7: All.f32: 1e39 does not fit into a float"},
		{`{f32: 1_0}`, "1:7: All.f32: expected a number, found 1_0"},
		{`{b: 2}`, "1:5: All.b: expected a number from 0 to 1, found 2"},
		{`{s: 5}`, "1:5: All.s: expected a string, found 5"},
		{`{s: "a` + "\n" + `"}`, `1:7: All.s: the control character 0x0A in a string: write it as \u000A`},
		{`{s: "\q"}`, `1:6: All.s: unknown escape: a backslash before 'q'`},
		{`{s: "\uD800"}`, `1:6: All.s: the first half of a surrogate pair without its second`},
		{`{s: "\xff"}`, `1:5: All.s: the string is not UTF-8`},
		{`{s: "abc`, `1:5: All.s: a string that does not end`},
		{`{i8: 1, i8: 2}`, `1:13: All.i8: the field is set a second time`},
		{`{i8: 1`, `1:7: All: expected ',' or '}', found the end`},
		{`{i8: 1}}`, `1:8: All: expected nothing after the root object, found '}'`},
		{`{i8 1}`, `1:5: All: expected ':', found 1`},
		{`{vu8: [1 2]}`, `1:10: All.vu8[0]: expected ',' or ']', found 2`},
		{`{vu8: 3}`, `1:7: All.vu8: expected an array for the [ubyte], found 3`},
		{`{vu8: [1, 300]}`, `1:11: All.vu8[1]: expected a number from 0 to 255, found 300`},
		{`{pt: {x: 1}}`, `1:6: All.pt: expected all fields of the struct k.Point: "y" is missing`},
		{`{pt: {x: 1, y: 2, x: 3}}`, `1:22: All.pt.x: the field is set a second time`},
		{`{pt: [1]}`, `1:8: All.pt: k.Point has 2 fields, and this array only 1`},
		{`{deep: {grid: [1,2]}}`, `1:15: All.deep.grid: expected 3 elements, found 2`},
		{`{deep: {grid: [1,2,3,4]}}`, `1:22: All.deep.grid[3]: expected 3 elements, and here are more`},
		{`{any: {}}`, `1:7: All.any: the union needs its type: a field "any_type"`},
		{`{any_type: "Leaf"}`, `1:12: All.any_type: a type without its value: expected a field "any"`},
		{`{any_type: "NONE", any: {}}`, `1:25: All.any: any_type is NONE, which takes no value: expected null, found '{'`},
		{`{anys_type: ["Leaf"], anys: []}`, `1:29: All.anys: anys_type has 1 types, and here are 0 values`},
		{`{anys_type: [], anys: ["x"]}`, `1:24: All.anys[0]: anys_type has 0 types, and here are more values`},
		{`{anys_type: []}`, `1:13: All.anys_type: types without their values: expected a field "anys"`},
		{`{color: "Red Blue"}`, `1:9: All.color: expected a value of k.Color, found "Red Blue": only bit_flags can be several at once`},
		{`{raw: "*"}`, `1:7: All.raw: expected base64, found the string "*"`},
		{`{f64: foo(1)}`, `1:7: All.f64: expected one of deg, rad, sin, cos, tan, asin, acos and atan, found the function foo`},
		{`{nest: {label: 5}}`, `1:16: All.nest.label: expected a string, found 5`},
		{"{i8: 1 /* ", `1:8: All.i8: a comment that does not end`},
		{"{i8: \x01}", "1:6: All.i8: the byte 0x01 stands for nothing here"},
		{"{i8: #}", "1:6: All.i8: the character '#' stands for nothing here"},
	} {
		_, err := EncodeJSON(typ, []byte(c.in), nil)
		if err == nil {
			t.Errorf("%s: accepted, want %s", c.in, c.want)
		} else if err.Error() != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.in, err, c.want)
		}
	}
	if _, err := EncodeJSON(typ, []byte(`{nest: [1, 2]}`), nil); err == nil || !strings.HasPrefix(err.Error(), "1:8: All.nest: the bytes are no k.Inner: ") {
		t.Errorf("nested bytes that do not verify: %v", err)
	}
}
