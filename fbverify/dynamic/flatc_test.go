package dynamic

import (
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/oracle"
)

// forFlatc is what of everything flatc can write itself: it has no null elements,
// no base64 and no -0.0 where that is the default.
const forFlatc = `{"b":false,"i8":-128,"u8":255,"i16":-32768,"u16":65535,"i32":-2147483648,"u32":4294967295,` +
	`"i64":-9223372036854775808,"u64":18446744073709551615,"f32":0.1,"f64":0.25,` +
	`"ob":false,"oi":0,"of":0.0,"oe":"Blue","color":"Red","signed":"Low","flags":"A C Top","big":"Huge",` +
	`"s":"a\"\\\n\u0001é😀","ds":"","pt":{"x":1.0,"y":-2.5},` +
	`"deep":{"p":{"x":3.0,"y":4.0},"grid":[1,-2,3],"ps":[{"x":1.0,"y":2.0},{"x":3.0,"y":4.0}],"c":"High","ok":true,"d":1e+25},` +
	`"leaf":{"name":"l","n":8},"vb":[true,false],"vi8":[-1,1],"vu8":[0,9,10,99,100,255],"vi16":[-2],"vu32":[4000000000],` +
	`"vi64":[-5],"vu64":[18446744073709551615],"vf":[1.5],"vd":[0.1,-0.5],"ve":["Red","Green"],"vfl":["A B"],"vs":["","x"],` +
	`"vp":[{"x":1.0,"y":2.0}],"vdeep":[],"vleaf":[{"name":"a"},{"name":"b","n":1}],"vpair":[{"id":1,"v":2},{"id":5,"v":-1}],"vcount":[{"id":-1},{"id":0},{"id":3}],` +
	`"any_type":"Text","any":"hi","anys_type":["Leaf","Point","Text","Other"],` +
	`"anys":[{"name":"q"},{"x":5.0,"y":6.0},"t",{"name":"o"}],` +
	`"nest":{"label":"in","deep":{"big":3}},"raw":[1,2,3],"raw_url":[255],"h":5,"dv":[],"aligned":[1]}`

func TestFlatcReadsWhatIsEncodedAndTheOtherWayRound(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	files := map[string][]byte{"s.fbs": []byte(kitchen)}
	typ := compile(t, kitchen, "")
	for _, framing := range []fbverify.Framing{fbverify.Unframed, fbverify.SizePrefixed} {
		var flags []string
		text := forFlatc
		if framing == fbverify.SizePrefixed {
			flags = []string{"--size-prefixed"}
			// flatc then writes a size prefix into nested buffers too, which its own
			// readers do not expect there.
			text = strings.Replace(text, `"nest":{"label":"in","deep":{"big":3}},`, "", 1)
		}
		ours, err := EncodeJSON(typ, []byte(text), &EncodeOptions{Framing: framing})
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := flatc.ToBinary(files, "s.fbs", []byte(text), flags...)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Root(typ, theirs, &fbverify.Options{Framing: framing}) // not Strict: flatc misaligns empty vectors
		if err != nil {
			t.Fatalf("flatc's buffer does not verify: %v", err)
		}
		if got := dump(t, m, nil); got != text {
			t.Errorf("flatc's buffer: got %s\nwant %s", got, text)
		}
		printed, err := flatc.ToJSON(files, "s.fbs", ours, flags...)
		if err != nil {
			t.Fatal(err)
		}
		if err := sameJSON(parseJSON(t, printed), parseJSON(t, []byte(text)), ""); err != nil {
			t.Errorf("flatc reads our buffer differently: %v", err)
		}
	}
}

// TestFlatcReadsWhatADumpPrints holds the formats of the dump against flatc's parser.
func TestFlatcReadsWhatADumpPrints(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	files := map[string][]byte{"s.fbs": []byte(kitchen)}
	typ := compile(t, kitchen, "")
	m := encodeRoot(t, typ, forFlatc)
	for _, opts := range []JSONOptions{{}, {Indent: 2}, {EnumNumbers: true}, {Unquoted: true}, {ASCII: true}, {Defaults: true}} {
		text := dump(t, m, &opts)
		buf, err := flatc.ToBinary(files, "s.fbs", []byte(text))
		if err != nil {
			t.Errorf("%+v: %v", opts, err)
			continue
		}
		again, err := Root(typ, buf, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := dump(t, again, nil); got != forFlatc { // flatc omits defaults
			t.Errorf("%+v: got %s", opts, got)
		}
	}
}

// TestRelaxedFormsOfFlatcAreAccepted holds what this package takes against what
// flatc takes, value by value.
func TestRelaxedFormsOfFlatcAreAccepted(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	files := map[string][]byte{"s.fbs": []byte(kitchen)}
	typ := compile(t, kitchen, "")
	for _, in := range []string{
		`{i32: 5,}`, `{'s': 'it'}`, `{i32: "42"}`, `{i32: 0x1F}`, `{i32: -0x1F}`, `{i32: "0x1F"}`, `{i32: +7}`, `{i32: 007}`,
		`{f32: .5}`, `{f32: 5.}`, `{f32: 1e3}`, `{f64: 0x1p-2}`, `{f32: "1.5"}`, `{f64: nan}`, `{f64: -inf}`, `{f64: infinity}`, `{f64: +inf}`, `{f64: "nan"}`,
		`{f64: cos(rad(180))}`, `{b: 0}`, `{b: "true"}`, `{color: Blue}`, `{color: "Blue"}`, `{color: 8}`, `{color: "8"}`,
		`{flags: "A B"}`, `{flags: 5}`, `{oi: null}`, `{s: null}`, `{pt: [1, 2]}`, `{pt: {y: 1, x: 2}}`,
		`{leaf: ["a", 3]}`, `{any: {name: "a"}, any_type: "Leaf"}`, `{any_type: 3, any: "x"}`, `{h: "hash me"}`, `{s: "\x41\u00e9\/"}`,
		`{vleaf: [{name: "c"}, {name: "a"}]}`, `{vpair: [{id: 4, v: 0}, {id: 2, v: 1}]}`, `/* c */ {i8: 1 // x` + "\n}",
		`{"$schema": "x", "i8": 1}`, `{vu8: []}`, `{dv: []}`, `{nest: {label: "x"}}`, `{big: "Huge"}`, `{u64: 18446744073709551615}`,
	} {
		theirs, err := flatc.ToBinary(files, "s.fbs", []byte(in))
		if err != nil {
			t.Errorf("%s: flatc does not take it, so the test should not list it: %v", in, err)
			continue
		}
		m, err := Root(typ, theirs, nil)
		if err != nil {
			t.Fatalf("%s: flatc's buffer does not verify: %v", in, err)
		}
		ours, err := EncodeJSON(typ, []byte(in), &EncodeOptions{OmitDefaults: true})
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		n, err := Root(typ, ours, nil)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if a, b := dump(t, n, nil), dump(t, m, nil); a != b {
			t.Errorf("%s: encoded as %s, by flatc as %s", in, a, b)
		}
	}
}
