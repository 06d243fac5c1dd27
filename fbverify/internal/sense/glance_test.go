package sense_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/sense"
	"github.com/fbverify/go/internal/race"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

// glanced has the forms that a glance sees at once, at several widths, and some that it does
// not.
const glanced = `
enum Kind : ubyte { None, Text, Number }
enum Sparse : short { A = -3, B = 4, C = 5 }
struct Span { offset: long; length: long; }
struct Node { n: long (must_be: ">= 0"); m: ulong (must_be: "<= 1000"); }
struct Part { at: ulong; size: uint; kind: ushort (must_be: "!= 3"); }
struct Inner { kind: Kind (must_be_known); index: short (must_index: "Root.items"); }
table Number { bits: int (must_be: "one of 8 | 16 | -4"); unit: Kind = Text (must_be_known); }
table Text { max: uint = 4 (must_be: "> 3, < 300"); names: [string] (must_have: "== Item.list", may_have: "0"); }
table Plain { x: int; }
union Value { Number, Text, Plain, Span }
table Item {
  value: Value (must_be_set);
  list: [int] (must_have: "== 1 if value_type one of Number | Plain; <= 3 if value_type == Text", must_index: "Root.items", may_be: "-1");
  index: uint (must_index: "Root.items");
  small: byte = 1 (must_index: "Root.items", may_be: "-1");
  items: [Item];
  one: Item;
  key: string (must_be_set: "if index > 0");
  scale: [float];
  zero: [long] (must_have: "== scale if scale > 0");
  sparse: Sparse = B (must_be_known);
  maybe: long = null (must_be: ">= -1, <= 50");
}
table Root {
  items: [Item] (must_have: "> 0");
  shorts: [ushort] (must_index: "@count if @count is set");
  uints: [uint] (must_index: "Root.items + 2");
  spans: [Span] (must_lie_in: "@body if @body is set", from: "offset", with: "length");
  nodes: [Node];
  parts: [Part] (must_be_sorted: "at");
  sorted: [uint] (must_be_sorted);
  inner: Inner;
  values: [Value];
  offset: ulong (must_lie_in: "@body if offset > 1, items is set, @body is set", with: "size");
  size: ulong;
}
root_type Root;
`

var glancedTexts = []string{
	`{items: [{value_type: "Number", value: {bits: 8}, list: [0], small: 0}]}`,
	`{items: [{value_type: "Text", value: {names: ["a", "b"]}, list: [-1, 1], index: 1, key: "k", one: {value_type: "Plain", value: {x: 3}, list: [1]}},
	  {value_type: "Number", value: {bits: 16, unit: "Number"}, list: [1], scale: [1, 2], zero: [4, 5], items: [
	    {value_type: "Plain", value: {}, list: [0]}, {value_type: "Span", value: {offset: 1, length: 2}, list: [0, 1]}, {value_type: "Number", value: {bits: -4}, list: [0]}]}],
	  shorts: [1, 2], uints: [0, 3], spans: [{offset: 0, length: 90}, {offset: 50, length: 50}], nodes: [{n: 1, m: 2}, {n: 0, m: 0}, {n: 8, m: 1000}],
	  parts: [{at: 1, size: 0, kind: 0}, {at: 1, size: 5, kind: 2}, {at: 9, size: 1, kind: 4}], sorted: [1, 2, 2, 9], inner: {kind: "Text", index: 1},
	  values_type: ["Plain", "Number", "Text"], values: [{x: 1}, {bits: 8}, {}], offset: 30, size: 70}`,
	`{items: [{value_type: "Plain", value: {}, list: [0], sparse: "A", maybe: 3, small: -1}, {value_type: "Text", value: {max: 9}, small: 0},
	  {value_type: "Number", value: {bits: 16}, list: [2], small: 2, index: 2, key: ""}], sorted: [], spans: [], offset: 1}`,
}

// manyGlanced has vectors that are looked at together, of tables with a few vtables and of
// tables with many.
func manyGlanced() string {
	var items, kinds []string
	for i := range 150 {
		item := []string{
			`{value_type: "Number", value: {bits: 8}, list: [%d], small: 0, index: %[1]d, key: "k"}`,
			`{value_type: "Number", value: {bits: 16, unit: "Number"}, list: [-1], items: [{value_type: "Plain", value: {}, list: [0]}]}`,
			`{value_type: "Text", value: {names: ["a", "b"]}, list: [%d, 1], key: "k", index: 1, one: {value_type: "Plain", value: {x: 3}, list: [1]}}`,
			`{value_type: "Text", value: {max: 9}, small: 3, scale: [1, 2], zero: [4, 5]}`,
			`{value_type: "Plain", value: {}, list: [-1], maybe: %d, sparse: "A"}`,
			`{value_type: "Span", value: {offset: 1, length: 2}, list: [0, 1]}`,
			`{value_type: "Number", value: {bits: -4, unit: "Text"}, list: [%d], small: -1}`,
		}[i/3%7]
		if strings.Contains(item, "%") {
			item = fmt.Sprintf(item, i%50)
		}
		items = append(items, item)
	}
	for i := range 20 {
		kinds = append(kinds, fmt.Sprintf(`{value_type: "Number", value: {bits: 8}, list: [%d]}`, i))
	}
	return "{items: [" + strings.Join(items, ", ") + ", {value_type: \"Plain\", value: {}, list: [0], items: [" + strings.Join(kinds, ", ") + "]}]}"
}

// TestAGlanceAcceptsOnlyWhatAWalkDoes mutates the values of messages: whatever a glance
// accepts, a walk has to find nothing wrong with; and it has to accept the messages
// themselves, so that they are not walked.
func TestAGlanceAcceptsOnlyWhatAWalkDoes(t *testing.T) {
	typ, asked := compiled(t, glanced)
	cfgs := []*sense.Config{{MaxFaults: 1}, {MaxFaults: 1, Facts: map[string]int64{"count": 3, "body": 100}}, {MaxFaults: 1, Facts: map[string]int64{"body": 100}}}
	rounds := 30_000
	if testing.Short() {
		rounds = 3_000
	}
	random := rand.New(rand.NewPCG(1, 2))
	interesting := []byte{0, 1, 2, 3, 4, 5, 8, 16, 0x7F, 0x80, 0xFC, 0xFD, 0xFE, 0xFF}
	for i, text := range append(glancedTexts, manyGlanced()) {
		if i == len(glancedTexts) {
			rounds /= 3 // they are long
		}
		good, err := dynamic.EncodeJSON(typ, []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, cfg := range cfgs {
			if !sense.Glance(asked, good, cfg) {
				t.Errorf("%s: a glance does not accept it with %v; a walk finds %+v", text, cfg.Facts, sense.Walked(asked, good, cfg))
			}
		}
		accepted, refused, missed := 0, 0, 0
		for range rounds {
			buf := append([]byte(nil), good...)
			for range 1 + random.IntN(3) {
				i := random.IntN(len(buf))
				buf[i] = interesting[random.IntN(len(interesting))]
				if random.IntN(4) == 0 {
					for j := i; j < min(i+8, len(buf)); j++ {
						buf[j] = buf[i]
					}
				}
			}
			if typ.Verify(buf, &fbverify.Options{SkipConstraints: true}) != nil {
				continue
			}
			for _, cfg := range cfgs {
				faults := sense.Walked(asked, buf, cfg)
				switch glance := sense.Glance(asked, buf, cfg); {
				case glance && len(faults) > 0:
					t.Fatalf("%s\n% x\nwith %v: a glance accepts it, and a walk does not: %+v", text, buf, cfg.Facts, faults[0])
				case glance:
					accepted++
				case len(faults) > 0:
					refused++
				default:
					missed++
				}
			}
		}
		if accepted == 0 || refused == 0 || missed > accepted/20 {
			t.Errorf("%.200s: %d accepted, %d refused, %d walked though nothing is wrong", text, accepted, refused, missed)
		}
		t.Logf("%d accepted, %d refused, %d walked though nothing is wrong", accepted, refused, missed)
	}
}

func compiled(t *testing.T, text string) (*fbverify.Type, *sense.Program) {
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
	p, err := program.Compile(s, typ.Root(), false)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := sense.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	return typ, asked
}

// TestBytesThatAreAskedTwiceAreNotShared: what several constraints look at is no reason to
// start again with a memory.
func TestBytesThatAreAskedTwiceAreNotShared(t *testing.T) {
	typ, asked := compiled(t, `
struct Inner { low: uint (must_be: "< 9"); high: uint; }
struct Part { at: ulong (must_lie_in: "@body", with: "size"); size: ulong; inner: Inner; }
table Root { parts: [Part] (must_be_sorted: "at", must_be_unique: "at", must_have: "> 9"); }
root_type Root;`)
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "{at: %d, size: 1, inner: {low: 1, high: 2}}, ", i)
	}
	buf, err := dynamic.EncodeJSON(typ, []byte("{parts: ["+strings.TrimSuffix(b.String(), ", ")+"]}"), nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg := &sense.Config{MaxFaults: 1, Facts: map[string]int64{"body": 2000}}
	if !sense.Glance(asked, buf, cfg) {
		t.Error("a glance does not accept it")
	}
	if n := testing.AllocsPerRun(100, func() {
		if faults := sense.Walked(asked, buf, cfg); faults != nil {
			t.Fatal(faults)
		}
	}); n >= 1 && !race.Enabled {
		t.Errorf("a walk allocates %v times", n)
	}
}
