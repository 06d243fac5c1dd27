package dynamic

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
)

func TestFloatsPrintTheShortestDigitsThatAreTheSameNumber(t *testing.T) {
	opts := &JSONOptions{}
	for f, want := range map[float64]string{
		0: "0.0", 1: "1.0", -2.5: "-2.5", 1e20: "100000000000000000000.0", 1e21: "1e+21", 1e-6: "0.000001", 1e-7: "1e-07",
		math.MaxFloat64: "1.7976931348623157e+308", 5e-324: "5e-324", 123456789012: "123456789012.0",
	} {
		if got := string(appendFloat(nil, f, 64, opts)); got != want {
			t.Errorf("%g: got %s, want %s", f, got, want)
		}
	}
	if got := string(appendFloat(nil, math.Copysign(0, -1), 64, opts)); got != "-0.0" {
		t.Errorf("-0: got %s", got)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		f := math.Float64frombits(r.Uint64())
		if f != f || math.IsInf(f, 0) {
			continue
		}
		text := appendFloat(nil, f, 64, opts)
		if g, err := strconv.ParseFloat(string(text), 64); err != nil || g != f || !json.Valid(text) {
			t.Fatalf("%v prints as %s", f, text)
		}
		f32 := math.Float32frombits(r.Uint32())
		if f32 != f32 || math.IsInf(float64(f32), 0) {
			continue
		}
		text = appendFloat(nil, float64(f32), 32, opts)
		if g, err := strconv.ParseFloat(string(text), 32); err != nil || float32(g) != f32 {
			t.Fatalf("%v prints as %s", f32, text)
		}
	}
}

func TestExactFloatIsRightOrDeclines(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	taken := 0
	for range 50000 {
		text := strconv.AppendInt(nil, r.Int64N(1<<uint(r.IntN(56)+1)), 10)
		if r.IntN(2) == 0 {
			at := r.IntN(len(text) + 1)
			text = append(text[:at:at], append([]byte("."), text[at:]...)...)
		}
		for _, width := range []int{32, 64} {
			got, ok := exactFloat(text, width)
			want, err := strconv.ParseFloat(string(text), width)
			if ok && (err != nil || got != want) {
				t.Fatalf("%s in %d bits: got %v, want %v", text, width, got, want)
			}
			if ok {
				taken++
			}
		}
	}
	if taken < 20000 {
		t.Errorf("only %d were taken", taken)
	}
}

func TestStringsThatAreNotUTF8(t *testing.T) {
	typ := compile(t, kitchen, "")
	buf, err := EncodeJSON(typ, []byte(`{"s": "a\xffé\xC3"}`), &EncodeOptions{AllowNonUTF8: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Root(typ, buf, nil); !errors.Is(err, fbverify.ErrInvalidUTF8) {
		t.Errorf("verified with %v", err)
	}
	m, err := Root(typ, buf, &fbverify.Options{SkipUTF8: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := AppendJSON(nil, m, nil); err == nil || !strings.Contains(err.Error(), "k.All.s: the string at offset") {
		t.Errorf("got %v", err)
	}
	if got, want := dump(t, m, &JSONOptions{NonUTF8: NonUTF8Escape}), `{"s":"a\xFFé\xC3"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := dump(t, m, &JSONOptions{NonUTF8: NonUTF8Replace}), `{"s":"a\uFFFDé\uFFFD"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDepthAndLimitSayWhatTheyLeaveOut(t *testing.T) {
	m := encodeRoot(t, compile(t, kitchen, ""), `{"leaf":{"name":"l"},"vu8":[1,2,3],"vleaf":[{"name":"a"},{"name":"b"}],"pt":{"x":1,"y":2}}`)
	for _, c := range []struct {
		opts JSONOptions
		want string
	}{
		{JSONOptions{Depth: 1}, `{"pt":"{...}","leaf":"{...}","vu8":"[... 3]","vleaf":"[... 2]"}`},
		{JSONOptions{Depth: 2}, `{"pt":{"x":1.0,"y":2.0},"leaf":{"name":"l"},"vu8":[1,2,3],"vleaf":["{...}","{...}"]}`},
		{JSONOptions{Limit: 1}, `{"pt":{"x":1.0,"y":2.0},"leaf":{"name":"l"},"vu8":[1,"... and 2 more"],"vleaf":[{"name":"a"},"... and 1 more"]}`},
		{JSONOptions{Limit: 2, Depth: 2, Indent: 1}, "{\n \"pt\": {\n  \"x\": 1.0,\n  \"y\": 2.0\n },\n \"leaf\": {\n  \"name\": \"l\"\n },\n \"vu8\": [\n  1,\n  2,\n  \"... and 1 more\"\n ],\n \"vleaf\": [\n  \"{...}\",\n  \"{...}\"\n ]\n}"},
	} {
		if got := dump(t, m, &c.opts); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.opts, got, c.want)
		}
	}
}

// pieces is a writer that notes the largest write.
type pieces struct {
	bytes.Buffer
	largest, writes int
	fail            int // the write that fails, counted from 1
}

var errFull = errors.New("full")

func (p *pieces) Write(b []byte) (int, error) {
	p.largest = max(p.largest, len(b))
	if p.writes++; p.writes == p.fail {
		return 0, errFull
	}
	return p.Buffer.Write(b)
}

// large is a message whose JSON takes a few megabytes, in one string, in bytes, in
// floats and in tables.
func large(t *testing.T) Message {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"s":"` + strings.Repeat("text é \\n", 100_000) + `","vu8":[` + strings.Repeat("200,", 500_000) + `1],"vf":[` + strings.Repeat("0.1,", 100_000) + `1],"vs":[` + strings.Repeat(`"",`, 50_000) + `"x"],"vcount":[`)
	for i := range 50_000 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"id":` + strconv.Itoa(i) + `}`)
	}
	b.WriteString(`]}`)
	return encodeRoot(t, compile(t, kitchen, ""), b.String())
}

func TestWritingNeedsNoMemoryThatGrowsWithTheMessage(t *testing.T) {
	m := large(t)
	for _, opts := range []*JSONOptions{nil, {Indent: 2}, {ASCII: true}, {Base64: true}} {
		want, err := AppendJSON([]byte("before "), m, opts)
		if err != nil {
			t.Fatal(err)
		}
		var w pieces
		if err := WriteJSON(&w, m, opts); err != nil {
			t.Fatal(err)
		}
		if got := "before " + w.String(); got != string(want)+"\n" {
			t.Errorf("%+v: what is written differs from what is appended", opts)
		}
		if w.largest > 2*flushAt {
			t.Errorf("%+v: a write of %d bytes", opts, w.largest)
		}
	}
}

func TestTheWritersErrorEndsTheWriting(t *testing.T) {
	m := large(t)
	for fail := 1; fail < 40; fail += 3 {
		w := pieces{fail: fail}
		if err := WriteJSON(&w, m, nil); !errors.Is(err, errFull) {
			t.Errorf("write %d failed, and the error is %v", fail, err)
		}
		if w.writes != fail {
			t.Errorf("%d writes after the one that failed", w.writes-fail)
		}
	}
}

func TestMaxBytesIsALimit(t *testing.T) {
	m := large(t)
	whole, err := AppendJSON(nil, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := int64(len(whole))
	for _, limit := range []int64{1, 10, 100_000, n - 1, n, n + 2} {
		want := limit < n
		got, err := AppendJSON([]byte("before"), m, &JSONOptions{MaxBytes: limit})
		if (err != nil) != want {
			t.Errorf("limit %d of %d: %v", limit, n, err)
		}
		if want && len(got) > len("before") {
			t.Errorf("limit %d: an error, and %d bytes appended", limit, len(got)-len("before"))
		}
		var w pieces
		err = WriteJSON(&w, m, &JSONOptions{MaxBytes: limit})
		if (err != nil) != (limit < n+1) { // the newline counts
			t.Errorf("limit %d of %d, writing: %v", limit, n, err)
		}
		if int64(w.Len()) > limit {
			t.Errorf("limit %d: %d bytes written", limit, w.Len())
		}
	}
}

func TestDeepJSONIsBounded(t *testing.T) {
	typ := compile(t, kitchen, "")
	deep := func(n int) []byte {
		return []byte(`{"nest":` + strings.Repeat(`{"deep":`, n) + "{}" + strings.Repeat("}", n+1))
	}
	for depth, ok := range map[int]bool{62: true, 63: false, 500_000: false} {
		buf, err := EncodeJSON(typ, deep(depth), nil)
		if (err == nil) != ok {
			t.Errorf("depth %d: %.200v", depth, err)
			continue
		}
		if ok {
			if _, err := Root(typ, buf, nil); err != nil {
				t.Errorf("depth %d: %v", depth, err)
			}
		}
	}
	if _, err := EncodeJSON(typ, deep(62), &EncodeOptions{MaxDepth: 63}); err == nil {
		t.Error("the limit of the options does not count")
	}
	buf, err := EncodeJSON(typ, deep(90_000), &EncodeOptions{MaxDepth: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := AppendJSON(nil, RootUnchecked(typ, buf, fbverify.Unframed), nil); err != nil {
		t.Error(err)
	}
	if _, err := EncodeJSON(typ, deep(1_000_000), &EncodeOptions{MaxDepth: 1 << 30}); err == nil {
		t.Error("a million levels were accepted")
	}
	many := strings.Repeat("[", 1_000_000)
	if _, err := EncodeJSON(typ, []byte(`{"x":`+many), &EncodeOptions{IgnoreUnknown: true}); err == nil {
		t.Error("brackets that do not close were accepted")
	}
	skipped := []byte(`{"x":` + many + strings.Repeat("]", 1_000_000) + `,"y":{"a":[1,{"b":rad(1)}]},"i8":1}`)
	if _, err := EncodeJSON(typ, skipped, &EncodeOptions{IgnoreUnknown: true}); err != nil {
		t.Errorf("unknown fields were not skipped: %v", err)
	}
}

func TestTheBufferCannotOutgrowItsOffsets(t *testing.T) {
	typ := compile(t, kitchen, "")
	text := `{"vleaf":[` + strings.Repeat(`{"name":"abcdefgh"},`, 2000) + `],"vu8":[` + strings.Repeat("1,", 5000) + `],"vs":[` + strings.Repeat(`"abc",`, 1000) + `]}`
	root := ObjectOf(typ)
	whole, err := EncodeJSON(typ, []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for limit := 0; limit <= len(whole)+64; limit += 997 {
		b := newBuilder(0)
		b.limit = limit
		e := &encoder{lexer: lexer{src: []byte(text)}, opts: &EncodeOptions{MaxDepth: 64}, root: root, b: b}
		_, err := e.encode("KTCH", 0)
		if (err == nil) != (limit >= len(whole)) {
			t.Errorf("limit %d of %d: %v", limit, len(whole), err)
		}
	}
}

func TestTablesThatAreTooWideForAVTableAreRefused(t *testing.T) {
	var fbs, text strings.Builder
	fbs.WriteString("struct Big { a: [ubyte: 40000]; } table T { a: Big; b: Big; } root_type T;")
	zeros := strings.Repeat("0,", 40000)
	text.WriteString(`{"a":{"a":[` + zeros + `]},"b":{"a":[` + zeros + `]}}`)
	_, err := EncodeJSON(compile(t, fbs.String(), ""), []byte(text.String()), nil)
	if err == nil || !strings.Contains(err.Error(), "more than the 65535") {
		t.Errorf("got %v", err)
	}
}

func TestALargeStructNeedsALargeText(t *testing.T) {
	typ := compile(t, "struct A { a: [double: 60000]; } struct B { b: [A: 4000]; } table T { b: B; } root_type T;", "")
	n := testing.AllocsPerRun(1, func() {
		_, err := EncodeJSON(typ, []byte(`{"b":{"b":[{"a":[1,2]}]}}`), nil)
		if err == nil || !strings.Contains(err.Error(), "which has 240000000 values") {
			t.Errorf("got %v", err)
		}
	})
	if n > 100 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzEncodeJSON says that no text makes the encoder panic, that what it accepts
// verifies, and that the dump of that encodes to the same dump.
func FuzzEncodeJSON(f *testing.F) {
	types := []*fbverify.Type{compile(f, kitchen, ""), compile(f, far, ""), compile(f, flexSchema, "")}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, typ := range types {
			buf, err := EncodeJSON(typ, text, nil)
			if err != nil {
				var je *JSONError
				if !errors.As(err, &je) || je.Line < 1 || je.Column < 1 || je.Offset > len(text) {
					t.Fatalf("the error is %#v", err)
				}
				continue
			}
			m, err := Root(typ, buf, nil)
			if err != nil {
				t.Fatalf("what was encoded does not verify: %v", err)
			}
			first, err := AppendJSON(nil, m, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !json.Valid(first) {
				t.Fatalf("no JSON: %s", first)
			}
			again, err := EncodeJSON(typ, first, nil)
			if err != nil {
				t.Fatalf("%v in %s", err, first)
			}
			n, err := Root(typ, again, nil)
			if err != nil {
				t.Fatal(err)
			}
			if second, err := AppendJSON(nil, n, nil); err != nil || !bytes.Equal(first, second) {
				t.Fatalf("%v: %s became %s", err, first, second)
			}
		}
	})
}

// TestCutPrintsTheStartOfAValue and does no more work than that.
func TestCutPrintsTheStartOfAValue(t *testing.T) {
	typ := compile(t, `table T { s:string; v:[T]; b:[ubyte]; } root_type T;`, "")
	for _, in := range []string{`{s:"` + strings.Repeat("é", 100_000) + `"}`, `{v:[` + strings.Repeat("{},", 50_000) + `]}`, `{b:[` + strings.Repeat("100,", 50_000) + `]}`, `{}`} {
		m := encodeRoot(t, typ, in)
		whole := dump(t, m, nil)
		for _, n := range []int{1, 2, 7, 300, 70_000} {
			want := whole[:min(n, len(whole))]
			opts := &JSONOptions{MaxBytes: int64(n), Cut: true}
			got, err := AppendJSON([]byte("before"), m, opts)
			if err != nil || string(got) != "before"+want {
				t.Errorf("%d bytes: %q, %v", n, clip(string(got)), err)
			}
			if cap(got) > 4*(n+16<<10) {
				t.Errorf("%d bytes took %d", n, cap(got))
			}
			var w strings.Builder
			if err := WriteJSON(&w, m, opts); err != nil || !strings.HasPrefix(whole+"\n", w.String()) || w.Len() != min(n, len(whole)+1) {
				t.Errorf("%d bytes are written: %d, %v", n, w.Len(), err)
			}
		}
	}
}
