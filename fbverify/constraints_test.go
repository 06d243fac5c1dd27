package fbverify_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/fbverify/fbread"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

// constrained parses a schema, with the attributes of constraints declared.
func constrained(t testing.TB, text string) *fbverify.Type {
	t.Helper()
	var b strings.Builder
	for _, key := range schema.ConstraintAttributes() {
		fmt.Fprintf(&b, "attribute %q;", key)
	}
	s, err := fbs.Parse("t.fbs", []byte(b.String()+text))
	if err != nil {
		t.Fatal(err)
	}
	typ, err := fbverify.Compile(s, "")
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

const mapSchema = `
enum Kind : ubyte { None, Text, Number }
enum Flags : ubyte (bit_flags) { A, B }
struct Range { offset: ulong (must_lie_in: "@body", with: "length"); length: ulong; }
struct Box { ranges: [Range:2]; id: uint (must_index: "Map.tiles"); }
struct Span { count: short; start: int; }
table Named { name: string (key); }
table Numbered { id: int (key); }
table Big { x: int; }
union Content { Tile, Named, Range, text: string }
table Tile {
  image: Range;
  above: uint (must_index: "Map.layers");
  kind: Kind (must_be_known);
  text: string (must_be_set: "if kind == Text", must_have: "<= 3 if kind == Text");
}
table Layer {
  tiles: [int] (must_index: "Map.tiles", may_be: "-1");
  bytes: [ubyte] (must_index: "tiles");
  shorts: [short] (must_index: "Map.tiles + 1", may_be: "-1");
  longs: [long] (must_index: "Map.tiles", may_be: "-1 | -5");
  top: uint (must_index: "Map.layers[up].tiles if up is set");
  up: uint = null;
  sub: [Layer];
}
table Map {
  tiles: [Tile] (must_have: "<= 4");
  layers: [Layer];
  name: string (must_be_set);
  scale: float = 1 (must_be: "> 0, <= 100");
  limit: int = 10;
  level: int (must_be: ">= 0, < limit");
  bits: uint = 8 (must_be: "one of 8 | 16 | 32, multiple of 8");
  sizes: [uint] (must_be: "!= 7, multiple of 2", must_be_sorted, must_be_unique);
  pairs: [ushort] (must_have: "== sizes * 2", may_have: "0");
  words: [string] (must_be_unique, must_be_sorted);
  named: [Named];
  numbered: [Numbered] (must_be_unique: "id");
  use: string (must_be_key_of: "named");
  uses: [string] (must_be_key_of: "Map.named");
  number: int (must_be_key_of: "numbered", may_be: "0");
  content: Content (must_be_set: "if limit == 11", must_be_known);
  flags: Flags (must_be_known);
  kinds: [Kind] (must_be_known);
  half: [int] (must_index: "sizes / 2");
  box: Box;
  boxes: [Box];
  big: ulong (must_be: "> 9223372036854775807", may_be: "0 | 1");
  vip: Named (must_be_set: "if name is not set, content is set");
  prime: int (must_satisfy: "test.prime");
  wanted: [Content] (must_be_known);
  spans: [Span] (must_lie_in: "@body - 10", from: "start", with: "count", may_be: "-1");
  span: Span (must_lie_in: "tiles", from: "start", with: "count");
  row: int;
  scale_of: [float] (must_have: "one of 1 | sizes[row]", may_have: "0");
  lax: int (must_index: "@lax if @lax is set");
}
root_type Map;
`

func init() {
	fbverify.RegisterConstraint("test.prime", func(table fbread.Table) error {
		if n := fbread.Int32(table, 52, 0); n == 4 {
			return errors.New("4 is no prime")
		}
		return nil
	})
}

// TestConstraints: each holds, and each is broken with its own kind, path and sentence.
func TestConstraints(t *testing.T) {
	typ := constrained(t, mapSchema)
	if f := typ.Root().Field("prime"); f.Offset != 52 {
		t.Fatal(f.Offset)
	}
	const good = `name: "m", tiles: [{kind: "None", image: {offset: 10, length: 90}}, {}], layers: [{}, {}]`
	for _, c := range []struct {
		json string // beside name, tiles and layers, unless it has them
		kind fbverify.Kind
		path string
		say  string // in the sentence
	}{
		{json: good},
		{json: `name: "m"`},
		{``, fbverify.ErrNotSet, "Map.name", "has to be set"},
		{good + `, tiles: [{}, {}, {}, {}, {}]`, fbverify.ErrLength, "Map.tiles", "the length is 5, and has to be <= 4"},
		{json: `name: "m", tiles: [{}], layers: [{tiles: [0, -1, 0]}]`},
		{`name: "m", tiles: [{}], layers: [{tiles: [0, -1, 1]}]`, fbverify.ErrIndex, "Map.layers[0].tiles[2]", "the index is 1, and Map.tiles comes to 1: 0 to 0 are allowed, and -1"},
		{`name: "m", tiles: [{}], layers: [{tiles: [0, -2]}]`, fbverify.ErrIndex, "Map.layers[0].tiles[1]", "the index is -2"},
		{`name: "m", layers: [{tiles: [0]}]`, fbverify.ErrIndex, "Map.layers[0].tiles[0]", "none are allowed, and -1"},
		{json: `name: "m", layers: [{tiles: [-1]}]`},
		{`name: "m", tiles: [{}]`, fbverify.ErrIndex, "Map.tiles[0].above", "the index is 0 (the default of the absent field)"},
		{json: good + `, layers: [{tiles: [1], bytes: [0]}]`},
		{good + `, layers: [{tiles: [1], bytes: [0, 1]}]`, fbverify.ErrIndex, "Map.layers[0].bytes[1]", "Layer.tiles comes to 1"},
		{json: good + `, layers: [{shorts: [2, -1]}]`},
		{good + `, layers: [{shorts: [3]}]`, fbverify.ErrIndex, "Map.layers[0].shorts[0]", "Map.tiles + 1 comes to 3"},
		{good + `, layers: [{shorts: [-2]}]`, fbverify.ErrIndex, "Map.layers[0].shorts[0]", "the index is -2"},
		{json: good + `, layers: [{longs: [-5, -1, 1]}]`},
		{good + `, layers: [{longs: [-5, -1, 2]}]`, fbverify.ErrIndex, "Map.layers[0].longs[2]", "0 to 1 are allowed, and -1, -5"},
		{good + `, layers: [{longs: [-9223372036854775808]}]`, fbverify.ErrIndex, "Map.layers[0].longs[0]", "the index is -9223372036854775808"},
		{json: good + `, layers: [{tiles: [0]}, {up: 0, top: 0}]`},
		{good + `, layers: [{tiles: [0]}, {up: 0, top: 1}]`, fbverify.ErrIndex, "Map.layers[1].top", "Map.layers[Layer.up].tiles comes to 1"},
		{good + `, layers: [{tiles: [0]}, {up: 7, top: 0}]`, fbverify.ErrIndex, "Map.layers[1].top", "comes to 0"},
		{good + `, layers: [{sub: [{sub: [{tiles: [5]}]}]}]`, fbverify.ErrIndex, "Map.layers[0].sub[0].sub[0].tiles[0]", "the index is 5"},
		{`name: "m", layers: [{}], tiles: [{kind: 7}]`, fbverify.ErrValue, "Map.tiles[0].kind", "the value is 7, which Kind does not name"},
		{`name: "m", layers: [{}], tiles: [{kind: "Text"}]`, fbverify.ErrNotSet, "Map.tiles[0].text", "since Tile.kind == Text"},
		{json: `name: "m", layers: [{}], tiles: [{kind: "Text", text: "abc"}, {text: "abcd"}]`},
		{`name: "m", layers: [{}], tiles: [{kind: "Text", text: "abcd"}]`, fbverify.ErrLength, "Map.tiles[0].text", "the length is 4, and has to be <= 3"},
		{`name: "m", layers: [{}], tiles: [{image: {offset: 10, length: 91}}]`, fbverify.ErrExtent, "Map.tiles[0].image.offset", "it reaches from 10 for 91 to 101, past the end of the fact @body at 100"},
		{`name: "m", layers: [{}], tiles: [{image: {offset: 18446744073709551615, length: 18446744073709551615}}]`, fbverify.ErrExtent, "Map.tiles[0].image.offset", "to 36893488147419103230"},
		{good + `, scale: 0`, fbverify.ErrValue, "Map.scale", "the value is 0, and has to be > 0"},
		{good + `, scale: nan`, fbverify.ErrValue, "Map.scale", "NaN"},
		{json: good + `, scale: 100`},
		{json: good + `, level: 9`},
		{good + `, level: 10`, fbverify.ErrValue, "Map.level", "has to be < Map.limit, which comes to 10"},
		{good + `, level: -1`, fbverify.ErrValue, "Map.level", "has to be >= 0"},
		{good + `, limit: 0`, fbverify.ErrValue, "Map.level", "the value is 0 (the default of the absent field)"},
		{good + `, bits: 24`, fbverify.ErrValue, "Map.bits", "one of 8 | 16 | 32"},
		{json: good + `, bits: 32, sizes: [0, 2, 4]`},
		{good + `, sizes: [2, 3]`, fbverify.ErrValue, "Map.sizes[1]", "multiple of 2"},
		{good + `, sizes: [4, 2]`, fbverify.ErrOrder, "Map.sizes[1]", "2 comes after 4"},
		{good + `, sizes: [2, 4, 4]`, fbverify.ErrDuplicate, "Map.sizes[2]", "4 is there already, in element 1"},
		{json: good + `, sizes: [2, 4], pairs: [1, 2, 3, 4]`},
		{json: good + `, sizes: [2, 4], pairs: []`},
		{good + `, sizes: [2, 4], pairs: [1]`, fbverify.ErrLength, "Map.pairs", "has to be == Map.sizes * 2, which comes to 4, and 0"},
		{json: good + `, words: ["a", "b"]`},
		{good + `, words: ["b", "a"]`, fbverify.ErrOrder, "Map.words[1]", `"a" comes after "b"`},
		{good + `, words: ["a", "a"]`, fbverify.ErrDuplicate, "Map.words[1]", `"a" is there already, in element 0`},
		{json: good + `, named: [{name: "x"}, {name: "y"}, {name: "z"}], use: "y", uses: ["x", "z"]`},
		{good + `, named: [{name: "x"}, {name: "z"}], use: "y"`, fbverify.ErrKey, "Map.use", `the key "y" is looked for among the 2 of Map.named`},
		{good + `, named: [{name: "x"}, {name: "z"}], uses: ["x", "q"]`, fbverify.ErrKey, "Map.uses[1]", `the key "q"`},
		{good + `, number: 5`, fbverify.ErrKey, "Map.number", "the key 5 is looked for among the 0"},
		{json: good + `, numbered: [{}, {id: 5}], number: 5`},
		{good + `, numbered: [{id: 5}, {id: 5}]`, fbverify.ErrDuplicate, "Map.numbered[1]", "5 is there already"},
		{good + `, limit: 11`, fbverify.ErrNotSet, "Map.content", "the type of the union is NONE"},
		{json: good + `, limit: 11, content_type: "text", content: "t"`},
		{good + `, content_type: "Tile", content: {kind: 9}`, fbverify.ErrValue, "Map.content.kind", "9"},
		{good + `, content_type: "Range", content: {offset: 101, length: 0}`, fbverify.ErrExtent, "Map.content.offset", "101"},
		{good + `, wanted_type: ["NONE", "Range"], wanted: [null, {offset: 101, length: 0}]`, fbverify.ErrExtent, "Map.wanted[1].offset", "101"},
		{json: good + `, flags: "A B"`},
		{good + `, flags: 4`, fbverify.ErrValue, "Map.flags", "the flags 4 have bits that Flags does not name"},
		{good + `, kinds: [1, 2, 3]`, fbverify.ErrValue, "Map.kinds[2]", "3"},
		{json: good + `, sizes: [2, 4, 6], half: [0]`},
		{good + `, sizes: [2, 4, 6], half: [1]`, fbverify.ErrIndex, "Map.half[0]", "Map.sizes / 2 comes to 1"},
		{good + `, box: {ranges: [{offset: 0, length: 0}, {offset: 100, length: 1}], id: 0}`, fbverify.ErrExtent, "Map.box.ranges[1].offset", "101"},
		{good + `, boxes: [{ranges: [{offset: 0, length: 0}, {offset: 0, length: 0}], id: 1}, {ranges: [{offset: 0, length: 0}, {offset: 0, length: 0}], id: 2}]`, fbverify.ErrIndex, "Map.boxes[1].id", "2"},
		{json: good + `, big: 9223372036854775808`},
		{good + `, big: 9223372036854775807`, fbverify.ErrValue, "Map.big", "> 9223372036854775807"},
		{good + `, prime: 4`, fbverify.ErrUnsatisfied, "Map.prime", "test.prime says: 4 is no prime"},
		{json: good + `, spans: [{start: 0, count: 90}, {start: -1, count: 4}]`},
		{good + `, spans: [{start: 0, count: 90}, {start: 89, count: 2}]`, fbverify.ErrExtent, "Map.spans[1].start", "it reaches from 89 for 2 to 91, past the end of the fact @body - 10 at 90"},
		{good + `, spans: [{start: 0, count: -1}]`, fbverify.ErrExtent, "Map.spans[0].start", "the length count is -1"},
		{good + `, span: {start: -2, count: 1}`, fbverify.ErrExtent, "Map.span.start", "the offset is -2"},
		{json: good + `, span: {start: 1, count: 1}`},
		{good + `, span: {start: 2, count: 1}`, fbverify.ErrExtent, "Map.span.start", "past the end of Map.tiles at 2"},
		{json: good + `, sizes: [2, 4], row: 1, scale_of: [1, 2, 3, 4]`},
		{json: good + `, sizes: [2, 4], row: 1, scale_of: [1]`},
		{good + `, sizes: [2, 4], row: 1, scale_of: [1, 2]`, fbverify.ErrLength, "Map.scale_of", "Map.sizes[Map.row]"},
		{good + `, sizes: [2, 4], row: 2, scale_of: [1, 2]`, fbverify.ErrLength, "Map.scale_of", "which comes to 0"},
		{json: good + `, lax: 7`},
	} {
		json := c.json
		// What is there twice is there once: the last counts.
		for _, key := range []string{"tiles: [{}", "layers: [{"} {
			if i := strings.LastIndex(json, ", "+key); i > 0 && strings.Count(json, key[:6]) > 1 && strings.HasPrefix(json, good) {
				json = drop(good, key[:strings.Index(key, ":")]) + json[len(good):]
			}
		}
		buf, err := dynamic.EncodeJSON(typ, []byte("{"+json+"}"), nil)
		if err != nil {
			t.Errorf("%s: %v", c.json, err)
			continue
		}
		opts := &fbverify.Options{Facts: map[string]int64{"body": 100}}
		err = typ.Verify(buf, opts)
		if all := typ.Explain(buf, opts); len(all) == 0 != (err == nil) || err != nil && all[0].Error() != err.Error() {
			t.Errorf("%s: Verify says %v, Explain %v", c.json, err, all)
		}
		if c.kind == 0 {
			if err != nil {
				t.Errorf("%s: %v", c.json, err)
			}
			continue
		}
		var e *fbverify.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: accepted", c.json)
			continue
		}
		if e.Kind != c.kind || e.Path != c.path || !strings.Contains(e.Detail, c.say) {
			t.Errorf("%s:\n got %v %s: %s\nwant %v %s: %s", c.json, e.Kind.Name(), e.Path, e.Detail, c.kind.Name(), c.path, c.say)
		}
		if !e.Kind.IsConstraint() || e.Offset < 0 || e.Offset+e.Size > len(buf) || e.Target < 0 || e.Target >= int64(len(buf)) {
			t.Errorf("%s: %#v of %d bytes", c.json, e, len(buf))
		}
		if err := typ.Verify(buf, &fbverify.Options{SkipConstraints: true}); err != nil {
			t.Errorf("%s: with SkipConstraints: %v", c.json, err)
		}
		if err := typ.Verify(buf, &fbverify.Options{Strict: true, Facts: opts.Facts}); err == nil {
			t.Errorf("%s: accepted by Strict", c.json)
		}
	}
}

// drop leaves a field out of the text of good.
func drop(text, field string) string {
	i := strings.Index(text, field+": [")
	depth := 0
	for j := i; j < len(text); j++ {
		switch text[j] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return strings.Trim(text[:i]+strings.TrimPrefix(text[j+1:], ", "), ", ")
			}
		}
	}
	return text
}

// TestAFactThatNobodyStatedIsAnError, and names what to state.
func TestAFactThatNobodyStatedIsAnError(t *testing.T) {
	whole := constrained(t, mapSchema)
	layer, err := fbverify.Compile(whole.Schema(), "Layer")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		typ        *fbverify.Type
		json       string
		fact, says string
	}{
		{whole, `name: "m", layers: [{}], tiles: [{image: {offset: 0, length: 0}}]`, "body", `needs the fact "body", and nobody stated it: Options.Facts does`},
		{layer, `tiles: [0]`, "Map.tiles", `state it as the fact "Map.tiles"`},
		{layer, `up: 0`, "", `needs a table Map around`},
	} {
		buf, err := dynamic.EncodeJSON(c.typ, []byte("{"+c.json+"}"), nil)
		if err != nil {
			t.Fatal(err)
		}
		err = c.typ.Verify(buf, nil)
		if !errors.Is(err, fbverify.ErrUnstated) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.json, err)
		}
		if c.fact == "" {
			continue
		}
		if err := c.typ.Verify(buf, &fbverify.Options{Facts: map[string]int64{c.fact: 1}}); err != nil {
			t.Errorf("%s: with the fact: %v", c.json, err)
		}
		if !strings.Contains(fmt.Sprint(c.typ.Facts()), c.fact) {
			t.Errorf("the facts %v", c.typ.Facts())
		}
	}
	// Nothing is asked where nothing is met.
	if err := layer.Verify(mustEncode(t, layer, "{}"), nil); err != nil {
		t.Error(err)
	}
}

func mustEncode(t testing.TB, typ *fbverify.Type, json string) []byte {
	t.Helper()
	buf, err := dynamic.EncodeJSON(typ, []byte(json), nil)
	if err != nil {
		t.Fatal(err)
	}
	return buf
}
