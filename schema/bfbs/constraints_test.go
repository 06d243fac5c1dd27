package bfbs_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/bfbs"
	"github.com/fbverify/go/schema/fbs"
)

// asked lists what all fields of a schema ask.
func asked(t *testing.T, s *schema.Schema) (list []string) {
	t.Helper()
	for _, o := range s.Objects {
		for _, f := range o.Fields {
			constraints, err := s.Constraints(o, f)
			if err != nil {
				t.Fatal(err)
			}
			for i := range constraints {
				list = append(list, fmt.Sprintf("%s.%s %s", o.Name, f.Name, &constraints[i]))
			}
		}
	}
	return list
}

// TestConstraintsPassThroughFlatcAndBack: flatc reads a schema with all of their attributes,
// its binary form asks the same, and so does the text that is written from that.
func TestConstraintsPassThroughFlatcAndBack(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	var b strings.Builder
	for _, key := range schema.ConstraintAttributes() {
		fmt.Fprintf(&b, "attribute %q;\n", key)
	}
	b.WriteString(`namespace n;
enum Kind : ubyte { Small, Large }
union Any { Leaf }
struct Span { at: ulong (must_lie_in: "@body", with: "size"); size: ulong; }
table Leaf { key: string (key); id: uint; }
table Root {
  leaves: [Leaf] (must_be_unique: "id", must_have: "> 0 if kind == Large");
  kind: Kind (must_be_known);
  any: Any (must_be_set, must_be_known);
  spans: [Span] (must_lie_in: "@file if @file is set", from: "at", with: "size");
  index: int (must_index: "leaves", may_be: "-1");
  number: int (must_be: "one of 1 | 2; != 7 if index > 3", may_be: -1);
  sorted: [uint] (must_be_sorted, must_be_unique, must_have: "== leaves * 2", may_have: 0);
  use: string (must_be_key_of: "Root.leaves", must_satisfy: "test.name");
  row: uint (must_index: "sorted[index]");
}
root_type Root;
`)
	text := []byte(b.String())
	s, err := fbs.Parse("s.fbs", text)
	if err != nil {
		t.Fatal(err)
	}
	want := asked(t, s)
	if len(want) != 16 {
		t.Errorf("%d constraints: %q", len(want), want)
	}
	binary, err := flatc.BFBS(map[string][]byte{"s.fbs": text}, "s.fbs")
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := bfbs.Load(binary)
	if err != nil {
		t.Fatal(err)
	}
	if got := asked(t, loaded); !slices.Equal(got, want) {
		t.Errorf("flatc's binary form asks\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var out bytes.Buffer
	if err := fbs.Write(&out, loaded); err != nil {
		t.Fatal(err)
	}
	written := out.Bytes()
	again, err := fbs.Parse("again.fbs", written)
	if err != nil {
		t.Fatal(err)
	}
	if got := asked(t, again); !slices.Equal(got, want) {
		t.Errorf("what is written asks\n%s", strings.Join(got, "\n"))
	}
	if _, err := flatc.BFBS(map[string][]byte{"s.fbs": written}, "s.fbs"); err != nil {
		t.Errorf("flatc does not read what is written: %v", err)
	}
}
