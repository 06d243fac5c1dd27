package dynamic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
)

// TestElementsAreSortedByEveryKindOfKey: written in any order the elements are found
// in order, by a look-up and by a strict verification.
func TestElementsAreSortedByEveryKindOfKey(t *testing.T) {
	const structs = `struct In { a:short; b:short; } struct Keyed { a:int; b:byte (key); }
		struct InS { k:In (key); } struct Bytes { k:[ubyte:3] (key); } struct Shorts { k:[short:2] (key); }
		struct Floats { k:[float:2] (key); } struct Pairs { k:[In:2] (key); } struct Inner { k:Keyed (key); }
		struct Bool { k:bool (key); } struct Double { k:double (key); } struct Byte { k:byte (key); } struct ULong { k:ulong (key); }
		table InT { k:In (key); } table KeyedT { k:Keyed (key); } table Int { k:int = 3 (key); } table Float { k:float (key); }
		table Str { k:string (key); } table Far { k:string (key, offset64); } `
	for _, c := range []struct {
		elem string
		keys []string // in order
	}{
		{"InS", []string{`{"a":-2,"b":1}`, `{"a":1,"b":-1}`, `{"a":1,"b":0}`, `{"a":300,"b":2}`}},
		{"InT", []string{`{"a":-2,"b":1}`, `{"a":0,"b":-1}`, `null`, `{"a":0,"b":1}`, `{"a":300,"b":2}`}},
		{"Inner", []string{`{"a":-300,"b":3}`, `{"a":0,"b":2}`, `{"a":1,"b":1}`}},
		{"KeyedT", []string{`{"a":-300,"b":3}`, `{"a":0,"b":2}`, `{"a":1,"b":-1}`, `{"a":1,"b":1}`}},
		{"Bytes", []string{`[0,0,255]`, `[1,2,3]`, `[1,3,0]`, `[200,0,0]`}},
		{"Shorts", []string{`[-1,5]`, `[0,-5]`, `[0,300]`, `[256,0]`}},
		{"Floats", []string{`[-1.5,0.5]`, `[-0.5,7.5]`, `[0.25,-7.5]`, `[0.25,1.5]`}},
		{"Pairs", []string{`[{"a":1,"b":1},{"a":1,"b":1}]`, `[{"a":1,"b":1},{"a":1,"b":2}]`, `[{"a":1,"b":2},{"a":0,"b":0}]`}},
		{"Bool", []string{`false`, `true`}},
		{"Double", []string{`"nan"`, `"-inf"`, `-1.5`, `0.5`, `300.5`}},
		{"Byte", []string{`-128`, `-1`, `0`, `127`}},
		{"ULong", []string{`0`, `9223372036854775807`, `9223372036854775808`, `18446744073709551615`}},
		{"Int", []string{`-5`, `2`, `null`, `4`}},
		{"Float", []string{`"nan"`, `-1.5`, `0.0`, `0.5`}},
		{"Str", []string{`""`, `"a"`, `"ab"`, `"b"`, `"é"`}},
		{"Far", []string{`""`, `"a"`, `"ab"`, `"b"`}},
	} {
		typ := compile(t, structs+"table T { v:["+c.elem+"]; } root_type T;", "T")
		r := rand.New(rand.NewPCG(1, 2))
		for range 20 {
			// Each key twice, so that there are equal ones.
			order := slices.Concat(r.Perm(len(c.keys)), r.Perm(len(c.keys)))
			elements := make([]string, len(order))
			for i, k := range order {
				elements[i] = fmt.Sprintf(`{"k":%s}`, c.keys[k])
			}
			text := `{"v":[` + strings.Join(elements, ",") + "]}"
			buf, err := EncodeJSON(typ, []byte(text), nil)
			if err != nil {
				t.Fatalf("%s: %v", c.elem, err)
			}
			m, err := Root(typ, buf, &fbverify.Options{Strict: true})
			if err != nil {
				t.Fatalf("%s: %s: %v", c.elem, text, err)
			}
			v, _ := m.Root().Get(m.Root().Field("v"))
			for i, want := range c.keys {
				at := v.At(2 * i)
				if got := keyText(t, at); got != strings.Trim(want, `"`) && !(want == "null" && at.Kind() == KindTable) {
					t.Fatalf("%s: element %d has the key %s and not %s", c.elem, 2*i, got, want)
				}
				if c := CompareKeys(at, v.At(2*i+1)); c != 0 {
					t.Errorf("the key of element %d is %d to an equal one", 2*i, c)
				}
				if i > 0 && (CompareKeys(v.At(2*i-1), at) >= 0 || CompareKeys(at, v.At(2*i-1)) <= 0) {
					t.Errorf("%s: the key of element %d is not before %s", c.elem, 2*i-1, want)
				}
				var key Value
				if at.Kind() == KindStruct {
					key = at.Struct().Get(v.Key())
				} else {
					key, _ = at.Table().Get(v.Key())
				}
				if found, ok := v.Lookup(key); !ok || found.Offset() != at.Offset() {
					t.Errorf("%s: the look-up of %s found %v, %v", c.elem, want, found, ok)
				}
			}
		}
	}
}

// keyText is an element's key as JSON has it, strings without quotes.
func keyText(t *testing.T, elem Value) string {
	t.Helper()
	b, err := AppendValueJSON(nil, elem, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, s, _ := strings.Cut(strings.TrimSuffix(string(b), "}"), ":")
	return strings.Trim(s, `"`)
}

// TestEqualKeysStayInTheirOrder, so that a text gives the same buffer each time.
func TestEqualKeysStayInTheirOrder(t *testing.T) {
	typ := compile(t, `struct S { k:[ubyte:2] (key); n:uint; } table K { k:int (key); n:uint; } table T { s:[S]; k:[K]; } root_type T;`, "T")
	var s, k []string
	for i := range 1000 {
		s = append(s, fmt.Sprintf(`{"k":[0,%d],"n":%d}`, i*7%5, i))
		k = append(k, fmt.Sprintf(`{"k":%d,"n":%d}`, i*7%5, i))
	}
	buf, err := EncodeJSON(typ, fmt.Appendf(nil, `{"s":[%s],"k":[%s]}`, strings.Join(s, ","), strings.Join(k, ",")), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Root(typ, buf, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"s", "k"} {
		v, _ := m.Root().Get(m.Root().Field(name))
		n := func(i int) uint64 {
			if name == "s" {
				return v.At(i).Struct().Uint(v.Type().Elem.Object.Field("n"))
			}
			return v.At(i).Table().Uint(v.Type().Elem.Object.Field("n"))
		}
		for i := 1; i < v.Len(); i++ {
			if CompareKeys(v.At(i-1), v.At(i)) == 0 && n(i-1) > n(i) {
				t.Fatalf("%s: element %d comes after element %d", name, n(i-1), n(i))
			}
		}
	}
}

// TestKeysThatNoElementCanHave are not found, and not taken for what is left of them
// in the key's type.
func TestKeysThatNoElementCanHave(t *testing.T) {
	typ := compile(t, `table B { k:byte (key); } table U { k:ushort (key); } table F { k:float (key); } table D { k:double (key); }
		table L { k:long (key); } table T { b:[B]; u:[U]; f:[F]; d:[D]; l:[L]; } root_type T;`, "T")
	buf, err := EncodeJSON(typ, []byte(`{b:[{k:-1},{k:0},{k:44}],u:[{k:1}],f:[{k:nan},{k:0.1},{k:1}],d:[{k:nan},{k:0.1},{k:3}],l:[{k:-1},{k:5}]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Root(typ, buf, nil)
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) Value { v, _ := m.Root().Get(m.Root().Field(name)); return v }
	for what, c := range map[string]struct {
		look func() (Value, bool)
		want bool
	}{
		"byte 300":          {func() (Value, bool) { return in("b").LookupInt(300) }, false},
		"byte 255":          {func() (Value, bool) { return in("b").LookupInt(255) }, false},
		"byte -1":           {func() (Value, bool) { return in("b").LookupInt(-1) }, true},
		"byte -129":         {func() (Value, bool) { return in("b").LookupInt(-129) }, false},
		"ushort 65537":      {func() (Value, bool) { return in("u").LookupUint(65537) }, false},
		"ushort 1":          {func() (Value, bool) { return in("u").LookupUint(1) }, true},
		"float 0.1":         {func() (Value, bool) { return in("f").LookupFloat(0.1) }, false},
		"the float 0.1":     {func() (Value, bool) { return in("f").LookupFloat(float64(float32(0.1))) }, true},
		"float 2":           {func() (Value, bool) { return in("f").LookupFloat(2) }, false},
		"float NaN":         {func() (Value, bool) { return in("f").LookupFloat(math.NaN()) }, true},
		"double 2":          {func() (Value, bool) { return in("d").LookupFloat(2) }, false},
		"double 3":          {func() (Value, bool) { return in("d").LookupFloat(3) }, true},
		"the least long":    {func() (Value, bool) { return in("l").LookupInt(math.MinInt64) }, false},
		"the long -1":       {func() (Value, bool) { return in("l").LookupInt(-1) }, true},
		"a float's default": {func() (Value, bool) { return in("f").LookupFloat(0) }, false},
	} {
		if v, ok := c.look(); ok != c.want {
			t.Errorf("%s: found %v, %v", what, v, ok)
		}
	}
}
