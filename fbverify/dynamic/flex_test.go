package dynamic

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/oracle"
)

const flexSchema = `
table T { a: int; x: [ubyte] (flexbuffer); b: string; }
root_type T;
`

// flexes are FlexBuffers as JSON, the way a dump prints them.
var flexes = []string{
	`1`, `-1`, `0`, `127`, `128`, `-129`, `65536`, `-9223372036854775808`, `18446744073709551615`,
	`0.5`, `1e+300`, `true`, `false`, `""`, `"text é \n"`, `[]`, `{}`, `[1,2,3]`, `[1,70000,"a",null,0.5]`,
	`{"a":1,"b":[true,{"a":2}],"c":{"a":"x","z":null}}`, `[[[[[]]]]]`,
	`["` + strings.Repeat("long ", 100) + `",{"k":"` + strings.Repeat("x", 70000) + `"},7]`,
}

func TestFlexBuffersSurviveTheWayThroughABuffer(t *testing.T) {
	typ := compile(t, flexSchema, "")
	for _, x := range flexes {
		text := `{"a":1,"x":` + x + `,"b":"after"}`
		m := encodeRoot(t, typ, text)
		if got := dump(t, m, nil); got != text {
			t.Errorf("got %.300s, want %.300s", got, text)
		}
		asBytes := dump(t, m, &JSONOptions{FlexBytes: true})
		buf, err := EncodeJSON(typ, []byte(asBytes), &EncodeOptions{FlexBytes: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := dump(t, RootUnchecked(typ, buf, fbverify.Unframed), nil); got != text {
			t.Errorf("through bytes: got %.300s, want %.300s", got, text)
		}
	}
}

func TestFlatcAndThisPackageReadEachOthersFlexBuffers(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	files := map[string][]byte{"s.fbs": []byte(flexSchema)}
	typ := compile(t, flexSchema, "")
	for _, x := range flexes {
		if strings.Contains(x, "1844674") {
			continue // flatc reads integers of FlexBuffers as int64
		}
		text := `{"a":1,"x":` + x + `,"b":"after"}`
		ours, err := EncodeJSON(typ, []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		printed, err := flatc.ToJSON(files, "s.fbs", ours)
		if err != nil {
			t.Errorf("%.100s: %v", text, err)
			continue
		}
		if err := sameJSON(parseJSON(t, printed), parseJSON(t, []byte(text)), ""); err != nil {
			t.Errorf("flatc prints our %.100s as %.300s: %v", x, printed, err)
		}
		theirs, err := flatc.ToBinary(files, "s.fbs", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		m, err := Root(typ, theirs, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := dump(t, m, nil); got != text {
			t.Errorf("flatc's: got %.300s, want %.300s", got, text)
		}
		if a, b := get(t, m, "x").Bytes(), get(t, RootUnchecked(typ, ours, fbverify.Unframed), "x").Bytes(); !bytes.Equal(a, b) {
			t.Logf("%.60s: %d bytes, flatc's %d", x, len(b), len(a))
		}
	}
}

func TestMalformedFlexBuffersAreErrorsAndNeverPanics(t *testing.T) {
	typ := compile(t, flexSchema, "")
	r := rand.New(rand.NewPCG(5, 6))
	refused := 0
	for round := range 20000 {
		m := encodeRoot(t, typ, `{"x":`+flexes[round%21]+`}`)
		x := get(t, m, "x").Bytes()
		for range 1 + r.IntN(3) {
			x[r.IntN(len(x))] = byte(r.Uint32())
		}
		b, err := AppendJSON(nil, m, &JSONOptions{NonUTF8: NonUTF8Replace})
		if err != nil {
			refused++
			if !strings.Contains(err.Error(), "T.x: the flexbuffer at offset") {
				t.Fatal(err)
			}
		} else {
			parseJSON(t, b)
		}
	}
	if refused < 1000 {
		t.Errorf("only %d were refused", refused)
	}
}

// TestAFlexBufferThatSharesIsBounded holds a few dozen bytes that stand for 2^60
// values: each vector has the one before it twice.
func TestAFlexBufferThatSharesIsBounded(t *testing.T) {
	w := &flexWriter{}
	it := w.vector(flexVector, nil, nil)
	for range 60 {
		it = w.vector(flexVector, []flexItem{it, it}, nil)
	}
	data := w.finish(it)
	p := newPrinter(nil, nil, nil)
	p.flex(&source{buf: data}, nil, 0, len(data), 0)
	if p.err == nil || !strings.Contains(p.err.Error(), "more values than it has bytes") {
		t.Errorf("got %v", p.err)
	}
}

// TestAFlexBufferThatSharesTextIsBounded: each element is the string that is half of
// the bytes, or each member's name is.
func TestAFlexBufferThatSharesTextIsBounded(t *testing.T) {
	const half = 64 << 10
	long := strings.Repeat("x", half)
	for _, shared := range []string{"values", "names"} {
		w := &flexWriter{keys: map[string]int{}}
		text := w.text([]byte(long))
		items := make([]flexItem, half/10)
		var data []byte
		for i := range items {
			if items[i] = text; shared == "names" {
				items[i] = flexItem{inline: true, key: long}
			}
		}
		if shared == "names" {
			data = w.finish(w.mapOf(items))
		} else {
			data = w.finish(w.vector(flexVector, items, nil))
		}
		p := newPrinter(nil, nil, nil)
		p.flex(&source{buf: data}, nil, 0, len(data), 0)
		if p.err == nil || !strings.Contains(p.err.Error(), "64 times as much text") {
			t.Errorf("%s: %d bytes are printed for %d: %v", shared, len(p.out), len(data), p.err)
		}
	}
}
