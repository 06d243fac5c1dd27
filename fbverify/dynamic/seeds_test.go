package dynamic

import (
	"testing"

	"github.com/fbverify/go/internal/seeds"
)

// seedTexts are JSON as the encoder takes it, right and wrong.
var seedTexts = map[string]string{
	"flexbuffer":             `{x: {"b": [1, -2.5, 1e400, true, null, nan], a: {c: "d"}}, b: "x"}`,
	"everything":             everything,
	"unions-before-types":    `{any: {name: "x"}, any_type: Leaf, anys: [null, "a"], anys_type: [0, "Text"], vu8: [1,], f32: rad(1), nest: {deep: {}}}`,
	"far":                    farText,
	"escapes-and-bases":      `{"s":"\ud83d\ude00\x41",i32:-0x1f,raw:"AQID",deep:[[1,2],[1,2,3],[[1,2],[3,4]],Low,true,1e3]}`,
	"nothing":                ``,
	"empty":                  `{}`,
	"comments":               "// a\n{ /* b */ s: 'c' } // d",
	"numbers-out-of-range":   `{i8: 128, u8: -1, u64: 18446744073709551616, f32: 1e39}`,
	"numbers-in-words":       `{f32: nan, f64: -inf, i32: "7", color: "Color.Blue", flags: "A|B", big: 1e1}`,
	"half-a-surrogate":       `{s: "\ud83d"}`,
	"not-utf8":               "{s: \"\xff\"}",
	"deep":                   `{nest:{deep:{nest:{deep:{nest:{deep:{nest:{deep:{nest:{deep:{}}}}}}}}}}}`,
	"field-twice":            `{s: "a", s: "b"}`,
	"field-that-is-not":      `{no: 1}`,
	"union-without-its-type": `{any: {}}`,
	"vector-of-structs":      `{vp: [{x: 1}, {y: 2}, [3, 4]], pt: {x: 1, y: 2, z: 3}}`,
	"keys-out-of-order":      `{vpair: [{id: 5}, {id: 1}], vcount: [{id: 3}, {id: -1}]}`,
	"cut":                    `{"s":"a","leaf":{"na`,
}

const farText = `{"bytes":[1,2,3],"text":"far away","near":"close","big":[9,8],"wide":[1.5,2.5],"structs":[{"a":1,"b":2.0}],"subs":[{"v":[1]},{}],"nest":{"text":"inner"}}`

func TestSeedsOfEncodeJSON(t *testing.T) {
	set := seeds.Set{}
	for name, text := range seedTexts {
		set[name] = seeds.Seed{[]byte(text)}
	}
	seeds.Check(t, "FuzzEncodeJSON", set)
}

func TestSeedsOfReads(t *testing.T) {
	set := seeds.Set{}
	for name, c := range map[string][2]string{
		"everything":     {kitchen, everything},
		"nearly-nothing": {kitchen, `{}`},
		"unions":         {kitchen, `{"any_type":"Text","any":"hi","anys_type":["Leaf","NONE","Point"],"anys":[{"name":"q"},null,{"x":5.0,"y":6.0}]}`},
		"nested":         {kitchen, `{"nest":{"label":"in","deep":{"big":3}},"h":5}`},
		"keys":           {kitchen, `{"vpair":[{"id":1,"v":2},{"id":5,"v":-1}],"vcount":[{"id":-1},{"id":0},{"id":3}]}`},
		"far":            {far, farText},
		"flexbuffer":     {flexSchema, `{"x":{"a":[1,"b",{"c":2.5}],"d":null,"e":[1.5,2.5],"f":[true,false]},"b":"x"}`},
	} {
		buf, err := EncodeJSON(compile(t, c[0], ""), []byte(c[1]), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		set[name] = seeds.Seed{buf}
	}
	seeds.Check(t, "FuzzReads", set)
}
