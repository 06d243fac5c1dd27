package dynamic

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/fbverify/go/fbverify"
)

func get(t *testing.T, m Message, name string) Value {
	t.Helper()
	f := m.Root().Field(name)
	if f == nil {
		t.Fatalf("no field %s", name)
	}
	v, ok := m.Root().Get(f)
	if !ok {
		t.Fatalf("%s is not set", name)
	}
	return v
}

func TestScalarsOfEveryWidthAreRead(t *testing.T) {
	m := encodeRoot(t, compile(t, kitchen, ""), everything)
	r := m.Root()
	for name, want := range map[string]int64{
		"i8": -128, "u8": 255, "i16": -32768, "u16": 65535, "i32": math.MinInt32, "u32": math.MaxUint32,
		"i64": math.MinInt64, "b": 0, "color": 1, "signed": -300, "ob": 0, "oi": 0, "oe": 8, "f32": 0,
	} {
		f := r.Field(name)
		if got := r.Int(f); got != want {
			t.Errorf("Int(%s) = %d, want %d", name, got, want)
		}
		v := get(t, m, name)
		if got := v.Int(); got != want {
			t.Errorf("the Value's Int of %s = %d, want %d", name, got, want)
		}
		if got := v.Offset(); got != r.InlineOffset(f) || got < 8 {
			t.Errorf("%s is at %d, its inline bytes at %d", name, got, r.InlineOffset(f))
		}
	}
	if got := r.Uint(r.Field("u64")); got != math.MaxUint64 {
		t.Errorf("u64 = %d", got)
	}
	if got := r.Uint(r.Field("flags")); got != 1|4|1<<31 {
		t.Errorf("flags = %d", got)
	}
	if got := get(t, m, "flags").EnumName(); got != "A C Top" {
		t.Errorf("flags are %q", got)
	}
	if got := r.Float(r.Field("f32")); got != float64(float32(0.1)) {
		t.Errorf("f32 = %v", got)
	}
	if got := r.Float(r.Field("f64")); got != 1e-20 {
		t.Errorf("f64 = %v", got)
	}
	if got := r.Float(r.Field("i8")); got != -128 {
		t.Errorf("i8 as a float = %v", got)
	}
	if !r.Bool(r.Field("u8")) || r.Bool(r.Field("of")) {
		t.Error("Bool does not tell zero from the rest")
	}
}

func TestAbsentFieldsReadAsTheirDefaults(t *testing.T) {
	m := encodeRoot(t, compile(t, kitchen, ""), `{}`)
	r := m.Root()
	for f, v := range r.AllFields() {
		if v.Present() || r.Has(f) || v.Offset() != -1 || v.Size() != 0 || r.InlineOffset(f) != -1 {
			t.Errorf("%s is present", f)
		}
	}
	if !r.Bool(r.Field("b")) || r.Float(r.Field("f64")) != 1.5 || r.Int(r.Field("color")) != 2 || r.Uint(r.Field("big")) != 1 {
		t.Error("a default is not read")
	}
	if v, ok := r.OptionalInt(r.Field("oi")); ok || v != 0 {
		t.Errorf("oi = %v, %v", v, ok)
	}
	if got := r.String(r.Field("ds")); got != `def"ault` {
		t.Errorf("ds = %q", got)
	}
	if got := r.String(r.Field("s")); got != "" {
		t.Errorf("s = %q", got)
	}
	leaf := r.Table(r.Field("leaf"))
	if leaf.Present() || leaf.Int(leaf.Field("n")) != 7 || leaf.Offset() != -1 || leaf.Size() != 0 {
		t.Error("an absent table does not read as one without fields")
	}
	v, _ := r.Get(r.Field("vleaf"))
	if v.Len() != 0 {
		t.Error("an absent vector has elements")
	}
	v, _ = r.Get(r.Field("pt"))
	if s := v.Struct(); s.Present() || s.Float(s.Field("x")) != 0 {
		t.Error("an absent struct is not zero")
	}
	v, _ = r.Get(r.Field("deep"))
	if g := v.Struct().Get(v.Struct().Field("grid")); g.Len() != 3 || g.At(2).Int() != 0 {
		t.Error("an array of an absent struct is not zero")
	}
	v, _ = r.Get(r.Field("any"))
	if v.Tag() != 0 || v.Member() != "NONE" || v.Union().Kind() != KindNone {
		t.Error("an absent union is not NONE")
	}
	for range r.Fields() {
		t.Error("Fields yields a field that is not set")
	}
	const want = `{"b":true,"i8":0,"u8":0,"i16":0,"u16":0,"i32":0,"u32":0,"i64":0,"u64":0,"f32":0.0,"f64":1.5,"ob":null,"oi":null,"of":null,"oe":null,` +
		`"color":"Green","signed":"Zero","flags":0,"big":"Small","any_type":"NONE","h":0}`
	if got := dump(t, m, &JSONOptions{Defaults: true}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestValuesOfEveryKindAreRead(t *testing.T) {
	m := encodeRoot(t, compile(t, kitchen, ""), everything)
	if got := get(t, m, "s").String(); got != "a\"\\\n\x01é😀" {
		t.Errorf("s = %q", got)
	}
	if got := get(t, m, "vu8").Bytes(); !bytes.Equal(got, []byte{0, 9, 10, 99, 100, 255}) || cap(got) != len(got) {
		t.Errorf("vu8 = %v, capacity %d", got, cap(got))
	}
	vi := get(t, m, "vi64")
	if vi.Len() != 1 || vi.At(0).Int() != -5 || vi.At(0).Offset() != vi.Offset()+4 || vi.Size() != 12 {
		t.Errorf("vi64 is %v at %d of %d bytes", vi, vi.Offset(), vi.Size())
	}
	deep := get(t, m, "deep").Struct()
	if got := deep.Get(deep.Field("ps")).At(1).Struct(); got.Float(got.Field("y")) != 4 {
		t.Error("deep.ps[1].y is not 4")
	}
	if got := deep.Get(deep.Field("grid")).At(1).Int(); got != -2 {
		t.Errorf("deep.grid[1] = %d", got)
	}
	if !deep.Bool(deep.Field("ok")) || deep.Int(deep.Field("c")) != 300 {
		t.Error("a scalar of a struct is wrong")
	}
	any := get(t, m, "any")
	if any.Tag() != 3 || any.Member() != "Text" || any.Union().String() != "hi" {
		t.Errorf("any is %s %v", any.Member(), any.Union())
	}
	var kinds []string
	for _, v := range get(t, m, "anys").All() {
		kinds = append(kinds, v.Member()+":"+v.Union().Kind().String())
	}
	if got := strings.Join(kinds, " "); got != "Leaf:table NONE:none Point:struct Text:string Other:table" {
		t.Errorf("anys are %s", got)
	}
	inner, err := get(t, m, "nest").Nested()
	if err != nil {
		t.Fatal(err)
	}
	ir := inner.Root()
	if got := ir.String(ir.Field("label")); got != "in" {
		t.Errorf("nest.label = %q", got)
	}
	// Positions inside a nested buffer count from the start of the outer one.
	v, _ := ir.Get(ir.Field("label"))
	if at := v.Offset() + 4; string(m.Bytes()[at:at+2]) != "in" {
		t.Errorf("nest.label is said to be at %d", v.Offset())
	}
	if _, err := get(t, m, "raw").Nested(); err == nil {
		t.Error("bytes that are no nested buffer were opened")
	}
	if m.Identifier() != "KTCH" {
		t.Errorf("the identifier is %q", m.Identifier())
	}
}

func TestKeyedVectorsAreSearched(t *testing.T) {
	m := encodeRoot(t, compile(t, kitchen, ""), everything)
	if v, ok := get(t, m, "vleaf").LookupString("b"); !ok || v.Table().Int(v.Table().Field("n")) != 1 {
		t.Error("vleaf has no b")
	}
	if _, ok := get(t, m, "vleaf").LookupString("ab"); ok {
		t.Error("vleaf has ab")
	}
	if v, ok := get(t, m, "vpair").LookupUint(5); !ok || v.Struct().Int(v.Struct().Field("v")) != -1 {
		t.Error("vpair has no 5")
	}
	for _, key := range []int64{-1, 0, 3} {
		if _, ok := get(t, m, "vcount").LookupInt(key); !ok {
			t.Errorf("vcount has no %d", key)
		}
	}
	if _, ok := get(t, m, "vcount").LookupInt(1); ok {
		t.Error("vcount has 1")
	}
}

func TestPathsLeadToValues(t *testing.T) {
	m := encodeRoot(t, compile(t, kitchen, ""), everything)
	for path, want := range map[string]string{
		"i8":                  "i8=-128",
		"All.i8":              "All.i8=-128",
		"leaf.name":           `leaf.name="l"`,
		"vu8[1]":              "vu8[1]=9",
		"vu8[-1]":             "vu8[5]=255",
		"vu8[1:3]":            "vu8[1]=9 vu8[2]=10",
		"vu8[-2:]":            "vu8[4]=100 vu8[5]=255",
		"vu8[:1]":             "vu8[0]=0",
		"vu8[4:99]":           "vu8[4]=100 vu8[5]=255",
		"vleaf[*].name":       `vleaf[0].name="a" vleaf[1].name="b"`,
		`vleaf["b"].n`:        "vleaf[1].n=1",
		"vleaf[*].n":          "vleaf[0].n=7 vleaf[1].n=1",
		"deep.ps[1].x":        "deep.ps[1].x=3.0",
		"deep.grid":           "deep.grid=[1,-2,3]",
		"anys[0].name":        `anys[0].name="q"`,
		"anys[1]":             "",
		"any":                 `any="hi"`,
		"nest.deep.big":       `nest.deep.big="Huge"`,
		"leaf.*":              `leaf.name="l" leaf.n=8`,
		"vp[*].*":             "vp[0].x=1.0 vp[0].y=2.0",
		"nest.deep.deep.deep": "",
	} {
		if path == "nest.deep.big" {
			want = "nest.deep.big=3"
		}
		p, err := ParsePath(path)
		if err != nil {
			t.Error(err)
			continue
		}
		var got []string
		err = p.Select(m.Root().AsValue(), func(at string, v Value) error {
			b, err := AppendValueJSON(nil, v, nil)
			got = append(got, at+"="+string(b))
			return err
		})
		if s := strings.Join(got, " "); err != nil || s != want {
			t.Errorf("%s: got %s, %v; want %s", path, s, err, want)
		}
	}
	for path, want := range map[string]string{
		"nope":         `path "nope", column 1: k.All has no field "nope"`,
		"leaf.nam":     `path "leaf.nam", column 5: k.Leaf has no field "nam", did you mean "name"?`,
		"i8.x":         `path "i8.x", column 3: a value of type byte has no fields`,
		"i8[0]":        `path "i8[0]", column 3: a value of type byte has no elements`,
		"vu8[6]":       `path "vu8[6]", column 4: index 6 of a [ubyte] of 6 elements`,
		`vleaf["zz"]`:  `path "vleaf[\"zz\"]", column 6: no element has the key "zz"`,
		`vu8["zz"]`:    `path "vu8[\"zz\"]", column 4: a value of type [ubyte] is not keyed by a string`,
		"a..b":         `path "a..b", column 3: expected a field name`,
		".a":           `path ".a", column 1: expected a field name or '['`,
		"a[":           `path "a[", column 3: expected ']'`,
		"a[x]":         `path "a[x]", column 3: expected an index such as [3], a slice such as [2:5], or [*]`,
		"a[]":          `path "a[]", column 3: expected an index such as [3], a slice such as [2:5], or [*]`,
		"a[1:x]":       `path "a[1:x]", column 5: expected a number, in a slice such as [2:5]`,
		`a["x]`:        `path "a[\"x]", column 3: expected a key in double quotes`,
		"a]":           `path "a]", column 2: expected '.' or '['`,
		"vu8[0]i":      `path "vu8[0]i", column 7: expected '.' or '['`,
		"vleaf[0].nm2": `path "vleaf[0].nm2", column 9: k.Leaf has no field "nm2"`,
	} {
		p, err := ParsePath(path)
		if err == nil {
			err = p.Select(m.Root().AsValue(), func(string, Value) error { return nil })
		}
		var pe *PathError
		if !errors.As(err, &pe) || err.Error() != want {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
}

func TestReadsDoNotAllocate(t *testing.T) {
	m := encodeRoot(t, compile(t, kitchen, ""), everything)
	n := testing.AllocsPerRun(100, func() {
		for f, v := range m.Root().Fields() {
			if f.Type().Kind == KindVector {
				for _, e := range v.All() {
					sink += int64(e.Offset())
				}
			}
			sink += int64(v.Offset() + v.Size())
		}
	})
	if n != 0 {
		t.Errorf("a walk allocates %v times", n)
	}
}

func TestNestedBuffersThatWereNotVerifiedAreVerifiedWhenOpened(t *testing.T) {
	typ := compile(t, kitchen, "")
	plain := compile(t, strings.Replace(kitchen, `(nested_flatbuffer: "Inner")`, "", 1), "")
	for text, bad := range map[string]bool{
		`{"nest":[12,0,0,0,0,0,4,0,4,0,0,0,4,0,0,0]}`: false,
		`{"nest":[255,255,255,255]}`:                  true,
		`{"nest":[]}`:                                 true,
	} {
		buf, err := EncodeJSON(plain, []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Root(typ, buf, nil); (err != nil) != bad {
			t.Errorf("bad %v: verified with %v", bad, err)
		}
		m, err := Root(typ, buf, &fbverify.Options{NestedUnchecked: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := get(t, m, "nest").Nested(); (err != nil) != bad {
			t.Errorf("bad %v: opened with %v", bad, err)
		}
		if got := dump(t, m, nil); got != text {
			t.Errorf("got %s, want the bytes %s", got, text)
		}
	}
}

func TestAFieldOfAnotherTypePanicsWithAReason(t *testing.T) {
	m := encodeRoot(t, compile(t, kitchen, ""), everything)
	leaf := m.Root().Table(m.Root().Field("leaf"))
	defer func() {
		if got, want := recover(), "dynamic: field k.All.i8 read from a k.Leaf"; got != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}()
	leaf.Int(m.Root().Field("i8"))
}

func TestOneSchemaIsPreparedOnce(t *testing.T) {
	typ := compile(t, kitchen, "")
	other, err := fbverify.Compile(typ.Schema(), "Leaf")
	if err != nil {
		t.Fatal(err)
	}
	a, b := ObjectOf(typ), ObjectOf(other)
	if a != ObjectOf(typ) || a.Field("leaf").Type().Object != b {
		t.Error("the same type gives different objects")
	}
}

func TestTypesAreSafeForConcurrentUse(t *testing.T) {
	typ := compile(t, kitchen, "") // its model is made by whoever comes first
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			buf, err := EncodeJSON(typ, []byte(`{i8: 1, nest: [12,0,0,0,0,0,4,0,4,0,0,0,4,0,0,0]}`), nil)
			if err != nil {
				t.Error(err)
				return
			}
			m, err := Root(typ, buf, &fbverify.Options{NestedUnchecked: true})
			if err != nil {
				t.Error(err)
				return
			}
			v, _ := m.Root().Get(m.Root().Field("nest"))
			if _, err := v.Nested(); err != nil {
				t.Error(err)
			}
			if b, err := AppendJSON(nil, m, nil); err != nil || len(b) < 20 {
				t.Errorf("%s, %v", b, err)
			}
		}()
	}
	wg.Wait()
}

// TestOpeningAMessageAllocatesOnce: what all values of a message share is one
// allocation, and options that nobody gave are none.
func TestOpeningAMessageAllocatesOnce(t *testing.T) {
	s := corpus(t)[0]
	hp := s.root(t).Root().Field("hp")
	for name, open := range map[string]func() Message{
		"checked":   func() Message { m, _ := Root(s.typ, s.buf, nil); return m },
		"unchecked": func() Message { return RootUnchecked(s.typ, s.buf, fbverify.Unframed) },
	} {
		if n := testing.AllocsPerRun(100, func() { sink += open().Root().Int(hp) }); n > 1 {
			t.Errorf("%s: %v allocations a message", name, n)
		}
	}
}
