package gentest

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/fbverify/fbread"
	"github.com/fbverify/go/internal/gentest/features"
)

func verifiedEverything(t *testing.T) fbverify.Verified[features.Everything] {
	t.Helper()
	b := flatbuffers.NewBuilder(0)
	features.FinishEverythingBuffer(b, everything().Pack(b))
	verified, err := fbverify.Root[features.Everything](b.FinishedBytes())
	if err != nil {
		t.Fatal(err)
	}
	return verified
}

// TestViewsMarshalAsTheirBufferDoes holds what a view turns into, which knows nothing
// of its buffer's ends, to what the whole buffer turns into.
func TestViewsMarshalAsTheirBufferDoes(t *testing.T) {
	verified := verifiedEverything(t)
	m, err := dynamic.Root(fbverify.TypeFor[features.Everything](), verified.Bytes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := dynamic.AppendJSON(nil, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{verified, verified.Root(), struct {
		fbverify.Verified[features.Everything]
	}{verified}} {
		got, err := json.Marshal(v)
		if err != nil || string(got) != compact(t, want) {
			t.Errorf("%T: got %.200s, %v", v, got, err)
		}
	}
	if text := verified.String(); text != string(want) {
		t.Errorf("got %s, want %s", text, want)
	}
	// The parts, against the same parts of the whole.
	root, whole := verified.Root(), map[string]any{}
	if err := json.Unmarshal(want, &whole); err != nil {
		t.Fatal(err)
	}
	part := func(name string, got any) {
		t.Helper()
		text, err := json.Marshal(got)
		var back any
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if fmt.Sprint(back) != fmt.Sprint(whole[name]) || err != nil {
			t.Errorf("%s: got %s, %v, want %v", name, text, err, whole[name])
		}
	}
	part("keyed", root.Keyed())
	part("required", root.Required())
	part("more", root.More())
	if inner, ok := root.InnerRoot(); !ok {
		t.Error("the nested buffer is not there")
	} else {
		part("inner", inner)
	}
	if text := root.Big().String(); text != `{"type":"Spot","value":{"id":77,"value":19.25}}` {
		t.Errorf("got %s", text)
	}
	text, err := json.Marshal(root.Bigs())
	if err != nil || string(text) != `[{"type":"Text","value":"text"},{"type":"Spot","value":{"id":1,"value":0.25}},{"type":"ByString","value":{"name":"u","value":9}}]` {
		t.Errorf("got %s, %v", text, err)
	}
	if text := fmt.Sprint(root.Required().Words()); text != `["","ü"]` {
		t.Errorf("got %s", text)
	}
}

// compact is what encoding/json makes of what MarshalJSON returned.
func compact(t *testing.T, text []byte) string {
	t.Helper()
	b, err := json.Marshal(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWhatIsNotThereIsNull(t *testing.T) {
	var none fbverify.Verified[features.Everything]
	for _, v := range []any{none, features.Everything{}, fbread.Absent[features.Everything](), features.BigValue{}} {
		text, err := json.Marshal(v)
		if fmt.Sprint(v) != "null" || string(text) != "null" || err != nil {
			t.Errorf("%T: got %v, %s, %v", v, v, text, err)
		}
	}
	if !none.IsZero() || verifiedEverything(t).IsZero() {
		t.Error("IsZero is wrong")
	}
	if err := json.Unmarshal([]byte("{}"), &none); err == nil || !strings.Contains(err.Error(), "Root verifies") {
		t.Errorf("got %v", err)
	}
}

// TestTextsAreBounded prints a table of a million bytes, a list of many strings, and
// one long string.
func TestTextsAreBounded(t *testing.T) {
	b := flatbuffers.NewBuilder(0)
	in := required()
	in.Name = strings.Repeat("ü", 1<<20)
	in.Words = append([]string{strings.Repeat("w", 1<<20)}, make([]string, 100_000)...)
	for range 10_000 {
		in.Children = append(in.Children, &features.ByStringT{Name: "child"})
	}
	b.Finish(in.Pack(b))
	verified, err := fbverify.Root[features.Required](b.FinishedBytes())
	if err != nil {
		t.Fatal(err)
	}
	r := verified.Root()
	for _, text := range []string{verified.String(), r.String(), r.Words().String(), r.Children().String()} {
		if len(text) > 3*4096 || !strings.Contains(text, "…") || strings.ContainsRune(text, '\uFFFD') {
			t.Errorf("got %d bytes, which end in %q", len(text), text[max(0, len(text)-20):])
		}
	}
}

// TestTextOfUnknownKindsAndConcurrentUse prints a value that a newer writer left, from
// several goroutines at once.
func TestTextOfUnknownKindsAndConcurrentUse(t *testing.T) {
	b := flatbuffers.NewBuilder(0)
	s := b.CreateString("from the future")
	features.EverythingStart(b)
	features.EverythingAddBigType(b, features.Big(99))
	features.EverythingAddBig(b, s)
	features.FinishEverythingBuffer(b, features.EverythingEnd(b))
	verified, err := fbverify.Root[features.Everything](b.FinishedBytes())
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			if text := verified.Root().Big().String(); text != `{"type":99,"value":null}` {
				t.Errorf("got %s", text)
			}
		}()
	}
	all.Wait()
}

func TestFieldsOfAViewByName(t *testing.T) {
	table := dynamic.Of(verifiedEverything(t).Root())
	required := table.Value("required").Table()
	if got := required.Value("name").String(); got != "r" {
		t.Errorf("got %q", got)
	}
	if got := required.Value("spot").Struct().Value("id").Uint(); got != 5 {
		t.Errorf("got %d", got)
	}
	var names []string
	for f, v := range table.Fields() {
		if v.Present() {
			names = append(names, f.Name())
		}
	}
	if len(names) != 13 {
		t.Errorf("got %v", names)
	}
	if v, ok := table.Value("keyed").Table().Value("strings").LookupString("é"); !ok || v.Table().Value("value").Int() != 2 {
		t.Error("the key is not found")
	}
	nested, err := table.Value("inner").Nested()
	if err != nil || nested.Root().Value("name").String() != "r" {
		t.Errorf("got %v", err)
	}
	if none := dynamic.Of(features.Everything{}); none.Present() || none.Value("required").Table().Present() {
		t.Error("the zero view is there")
	}
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, `features.Required has no field "nmae"; it has name, ints`) {
			t.Errorf("got %s", text)
		}
	}()
	required.Value("nmae")
}
