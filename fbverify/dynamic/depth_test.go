package dynamic

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
)

// TestWhatIsAcceptedCanBePrintedAndEncodedAgain, however deep its tables nest: vectors,
// unions and nested buffers in between do not count.
func TestWhatIsAcceptedCanBePrintedAndEncodedAgain(t *testing.T) {
	const deepest = 1 << 16
	typ := compile(t, `union U { T } table T { c:T; v:[T]; u:U; w:[U]; n:int; } root_type T;`, "")
	for _, step := range []string{`{"c":|}`, `{"v":[|]}`, `{"u_type":"T","u":|}`, `{"w_type":["T"],"w":[|]}`} {
		before, after, _ := strings.Cut(step, "|")
		text := strings.Repeat(before, deepest-1) + `{"n":1}` + strings.Repeat(after, deepest-1)
		buf, err := EncodeJSON(typ, []byte(text), &EncodeOptions{MaxDepth: deepest})
		if err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		m, err := Root(typ, buf, &fbverify.Options{MaxDepth: deepest})
		if err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		if got, err := AppendJSON(nil, m, nil); err != nil || string(got) != text {
			t.Errorf("%s: printed are %d bytes of %d, %v", step, len(got), len(text), err)
		}
		// Neither a text nor its indentation is quadratic.
		var pretty bytes.Buffer
		if err := WriteJSON(&pretty, m, &JSONOptions{Indent: 2}); err != nil {
			t.Fatal(err)
		}
		if n := pretty.Len(); n > 600*len(text) {
			t.Errorf("%s: %d bytes are printed for %d", step, n, len(text))
		}
		again, err := EncodeJSON(typ, pretty.Bytes(), &EncodeOptions{MaxDepth: deepest})
		if err != nil || !bytes.Equal(again, buf) {
			t.Errorf("%s: what is indented is not encoded as before: %v", step, err)
		}
		if _, err := EncodeJSON(typ, []byte(text), &EncodeOptions{MaxDepth: deepest - 1}); err == nil || !strings.Contains(err.Error(), "65535 levels") {
			t.Errorf("%s: one level less: %v", step, err)
		}
	}
}

// TestFlexBuffersCountTheirOwnLevels and not those of the tables around them.
func TestFlexBuffersCountTheirOwnLevels(t *testing.T) {
	typ := compile(t, `table T { c:[T]; f:[ubyte] (flexbuffer); } root_type T;`, "")
	nested := func(tables, values int) string {
		return strings.Repeat(`{"c":[`, tables) + `{"f":` + strings.Repeat("[", values) + strings.Repeat("]", values) + "}" + strings.Repeat(`]}`, tables)
	}
	print := func(text string) error {
		buf, err := EncodeJSON(typ, []byte(text), &EncodeOptions{MaxDepth: 1000})
		if err != nil {
			t.Fatal(err)
		}
		m, err := Root(typ, buf, &fbverify.Options{MaxDepth: 1000})
		if err != nil {
			t.Fatal(err)
		}
		got, err := AppendJSON(nil, m, nil)
		if err == nil && string(got) != text {
			t.Errorf("printed is %s", clip(string(got)))
		}
		return err
	}
	if err := print(nested(400, 200)); err != nil {
		t.Error(err)
	}
	if err := print(nested(0, 400)); err == nil || !strings.Contains(err.Error(), "256 levels") {
		t.Errorf("400 levels of a flexbuffer: %v", err)
	}
}
