package fbs

import (
	"errors"
	"strings"
	"testing"

	"github.com/fbverify/go/schema"
)

// declared is a schema with the attributes of constraints declared before the text.
func declared(text string) string {
	var b strings.Builder
	for _, key := range schema.ConstraintAttributes() {
		b.WriteString("attribute \"" + key + "\"; ")
	}
	return b.String() + "\n" + text
}

// TestMistakesInConstraintsAreShown: each with a caret where it is.
func TestMistakesInConstraintsAreShown(t *testing.T) {
	const types = `
enum Kind : ubyte { Small, Large }
union Any { Leaf }
table Leaf { key: string (key); n: int; }
struct Pair { a: uint; b: uint; }
table Root { leaves: [Leaf]; kind: Kind; any: Any; old: int (deprecated); inner: Inner; real: float; flag: bool; }
table Other { list: [int]; }
table Inner { %; b: int; list: [int]; more: [Other]; name: string; k: Kind; }
root_type Root;
`
	for _, c := range []struct{ field, message, marked string }{
		{`x: int (must_index: "Rot.leaves")`, `Inner has no field "Rot"`, "Rot.leaves"},
		{`x: int (must_index: "Root.leave")`, `Root has no field "leave", did you mean "leaves"?`, "leave"},
		{`x: int (must_index: "Other.list")`, "no Other is around a Inner", `"Other.list"`},
		{`x: int (must_index: "Pair.a")`, "Pair is a struct", `"Pair.a"`},
		{`x: int (must_index: "Root.old")`, "deprecated", "old"},
		{`x: int (must_index: "Root.any")`, "neither a number nor something that has a length", `"Root.any"`},
		{`x: int (must_index: "Root.leaves.n")`, "has no fields to go on to", "leaves.n"},
		{`x: int (must_index: "Root.leaves[name].n")`, "no index", "leaves"},
		{`x: int (must_index: "more[b]")`, "a dot and a field of the element", `"`},
		{`x: int (must_index: "list[b].x")`, "has no fields to go on to", "list"},
		{`x: int (must_index: "")`, "found the end", `"`},
		{`x: int (must_index: "@")`, "the name of a fact", `"`},
		{`x: int (must_index: "b +")`, "a number from 1", `"`},
		{`x: int (must_index: "b + 1 + 1")`, `expected ";"`, "+"},
		{`x: float (must_index: "list")`, "only an integer", `"list"`},
		{`x: [string] (must_index: "list")`, "only an integer", `"list"`},
		{`x: int (must_be: "5")`, "expected a comparison", "5"},
		{`x: int (must_be: ">= 5, < 5")`, "no int meets it", `">= 5, < 5"`},
		{`x: ubyte (must_be: "== 256")`, "no ubyte meets it", `"== 256"`},
		{`x: ubyte (must_be: "one of 1 | 300")`, "no ubyte is 300", `"one of 1 | 300"`},
		{`x: int (must_be: "multiple of 0")`, "nothing is a multiple of 0", `"multiple of 0"`},
		{`x: int (must_be: "> 1.5")`, "1.5 is no integer", `"> 1.5"`},
		{`x: float (must_be: "< list")`, "a float is compared with numbers alone", `"< list"`},
		{`x: string (must_be: "== 1")`, "only numbers", `"== 1"`},
		{`x: Kind (must_be: "one of Small | Huge")`, "no such value", "Huge"},
		{`x: int (must_have: "> 1")`, "only a vector or a string has a length", `"> 1"`},
		{`x: [int] (must_have: "< 0")`, "no ulong meets it", `"< 0"`},
		{`x: int (must_be_set)`, `give it "= null"`, "must_be_set"},
		{`x: int (must_be_known)`, "only an enum or a union", "must_be_known"},
		{`x: ulong (must_lie_in: "@body")`, "with", `"@body"`},
		{`x: ulong (must_lie_in: "@body", with: "c")`, `no field "c"`, "c"},
		{`x: ulong (must_lie_in: "@body", with: "name")`, "offsets and lengths are integers", "name"},
		{`x: [ulong] (must_lie_in: "@body", with: "b")`, "only an integer", `"@body"`},
		{`x: int (must_be_key_of: "Root.leaves")`, "as what is looked for is", `"Root.leaves"`},
		{`x: string (must_be_key_of: "list")`, "vector of tables", `"list"`},
		{`x: string (must_be_key_of: "@keys")`, "not in @keys", `"@keys"`},
		{`x: int (must_be_sorted)`, "only a vector or an array", "must_be_sorted"},
		{`x: [Leaf] (must_be_sorted)`, "name the field of Leaf", "must_be_sorted"},
		{`x: [Leaf] (must_be_unique: "m")`, `no field "m"`, "m"},
		{`x: [float] (must_be_unique)`, "not float", "must_be_unique"},
		{`x: int (must_satisfy: "1")`, "the name of a function", "1"},
		{`x: int (may_be: "1", must_be_set: "if b == 1")`, "asks for it", `"1"`},
		{`x: [int] (may_be: "1", must_have: "> 1")`, "asks for it", `"1"`},
		{`x: ubyte (may_be: "-1", must_index: "list")`, "no ubyte is -1", `"-1"`},
		{`x: int (may_be: "b", must_index: "list")`, "has to be numbers", "b"},
		{`x: int (must_index: "list if 1 == 1")`, "a test is of a field", "1"},
		{`x: int (must_index: "list if more is set and b")`, `expected ";"`, "and"},
		{`x: int (must_index: "list if Root.any == 1")`, "can only be tested", "Root.any"},
		{`x: int (must_index: "list if k == Huge")`, "Kind no such value", "Huge"},
		{`x: int (must_index: "list", with: "b")`, "asks for it", `"b"`},
		{`x: int (deprecated, must_index: "list")`, "deprecated", `"list"`},
	} {
		text := declared(strings.Replace(types, "%", c.field, 1))
		_, err := Parse("a.fbs", []byte(text))
		var list ErrorList
		if !errors.As(err, &list) || len(list) != 1 {
			t.Errorf("%s: %v", c.field, err)
			continue
		}
		e := list[0]
		if !strings.Contains(e.Message, c.message) {
			t.Errorf("%s: %s, want %q", c.field, e.Message, c.message)
		}
		at := strings.IndexByte(e.Caret, '^')
		marked := e.Source[at : at+strings.Count(e.Caret, "^")]
		if marked != c.marked {
			t.Errorf("%s: marked %q, want %q", c.field, marked, c.marked)
		}
	}
}

// TestConstraintsReadAsTheyAreWritten: what a constraint says of itself is the attribute.
func TestConstraintsReadAsTheyAreWritten(t *testing.T) {
	const types = `
enum Kind : ubyte { Small, Large }
union Any { Leaf }
table Leaf { key: string (key); id: uint; }
table Root { leaves: [Leaf]; at: uint; inner: Inner; bytes: ulong; }
table Inner { %; b: int; list: [int]; k: Kind; length: ulong; any: Any; }
root_type Root;
`
	for _, c := range []struct{ field, want string }{
		{`x: int (must_index:"Root.leaves",may_be:"-1|-2")`, `must_index: "Root.leaves", may_be: "-1 | -2"`},
		{`x: int (must_index:"@n+1;list if b==1,any is not set;list*2 if k == Large")`,
			`must_index: "@n + 1"; must_index: "Inner.list if Inner.b == 1, Inner.any is not set"; must_index: "Inner.list * 2 if Inner.k == Large"`},
		{`x: [int] (must_be:">=0,<100,multiple of 5,one of 5|Inner.b",must_have:"==list",may_have:0)`,
			`must_be: ">= 0, < 100, multiple of 5, one of 5 | Inner.b"; must_have: "== Inner.list", may_have: "0"`},
		{`x: Kind (must_be_known,must_be:"!=Large")`, `must_be: "!= Large"; must_be_known`},
		{`x: ulong (must_lie_in:"@body",with:"length")`, `must_lie_in: "@body", with: "length"`},
		{`x: Any (must_be_set,must_be_known)`, `must_be_known; must_be_set`},
		{`x: string (must_be_key_of:"Root.leaves",must_be_set:"if Root.bytes>=0x10")`, `must_be_key_of: "Root.leaves"; must_be_set: "if Root.bytes >= 16"`},
		{`x: [Leaf] (must_be_sorted:"id",must_be_unique:"key")`, `must_be_sorted: "id"; must_be_unique: "key"`},
		{`x: double (must_be:">= -1.5, < 1e300")`, `must_be: ">= -1.5, < 1e+300"`},
		{`x: int (must_satisfy:"math.prime if Root.leaves[b].id == 7")`, `must_satisfy: "math.prime if Root.leaves[Inner.b].id == 7"`},
		{`x: int (may_be: "3")`, ``}, // somebody else's
	} {
		text := declared(strings.Replace(types, "%", c.field, 1))
		s, err := Parse("a.fbs", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", c.field, err)
			continue
		}
		list, err := s.Constraints(s.Object("Inner"), s.Object("Inner").Field("x"))
		if err != nil {
			t.Errorf("%s: %v", c.field, err)
			continue
		}
		var got []string
		for i := range list {
			got = append(got, list[i].String())
		}
		if got := strings.Join(got, "; "); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.field, got, c.want)
		}
	}
}
