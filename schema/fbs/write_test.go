package fbs

import (
	"github.com/fbverify/go/schema/internal/schematest"

	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/fbverify/go/schema"
)

func TestWrittenTextReadsWell(t *testing.T) {
	s := soundSchema(t)
	s.Object("Ship.Ship").Doc = []string{" A vessel.", " Of wood."}
	s.Enum("Color").Values[1].Doc = []string{" like the sea"}
	const expected = `attribute "note";

namespace Ship;

enum Color : ubyte {
  red,
  /// like the sea
  green = 7,
}

enum Rig : ushort (bit_flags) {
  sloop,
  ketch,
}

struct Point {
  x:short;
  y:double;
  z:[ubyte:3];
  c:Color;
}

struct Line (force_align: 16) {
  from:Point;
  to:Point;
}

union Cargo {
  Ship,
  Point,
  Text: string,
}

/// A vessel.
/// Of wood.
table Ship {
  name:string (key, note: "n");
  color:Color = green;
  rigs:[Rig];
  cargo:Cargo;
  holds:[Cargo];
  course:Line;
  log:[ubyte] (nested_flatbuffer: "Ship");
  wide:[ubyte] (vector64);
  far:string (offset64);
  must:[Ship] (required);
  speed:float = 1.5;
  maybe:int = null;
  old:int (deprecated);
  title:string = "x";
  crew:[int] = [];
}

rpc_service Harbour {
  Enter(Ship):Ship;
}

root_type Ship.Ship;
file_identifier "SHIP";
`
	if got := string(readBack(t, s)); got != expected {
		t.Errorf("got\n%s", got)
	}
}

func TestWhatABFBSLeftOutIsWrittenAgain(t *testing.T) {
	s := soundSchema(t)
	// A .bfbs without built-in attributes, and its missing defaults.
	for _, o := range s.Objects {
		o.Attributes = nil
		for _, f := range o.Fields {
			f.Attributes = nil
			f.HasDefaultString, f.DefaultString, f.HasDefaultVector = false, "", false
		}
	}
	for _, e := range s.Enums {
		e.Attributes = nil
	}
	var b bytes.Buffer
	if err := Write(&b, s); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"enum Rig : ushort (bit_flags) {", "struct Line (force_align: 16) {", "name:string (key);", "must:[Ship] (required);",
		"wide:[ubyte] (vector64);", "far:string (offset64);", "old:int (deprecated);", `title:string = "";`, "crew:[int] = [];",
	} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("%q is missing from\n%s", line, b.String())
		}
	}
}

func TestNamesAreWrittenSoThatTheyMeanTheSame(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"global and local table", "table T {} namespace A; table U { t:T; } table T { u:U; } namespace B; table V { t:T; }"},
		{"tables that need each other", "namespace A; table T { u:B.U; } namespace B; table U { t:A.T; }"},
		{"one word in two namespaces", "namespace A; table T { x:A.T; } namespace B; table T { x:T; y:A.T; }"},
		{"enum that hides a table", "table E {} namespace A; table T { e:E; } enum E : byte { a }"},
		{"field named as a later type", "namespace A; table T { Later:int; } table Later { t:T; }"},
		{"namespace named as a type", "namespace A.B; struct B { x:int; } namespace A; table B { x:A.B.B; y:B; }"},
		{"namespace in a namespace of its name", "namespace B.B; table Obj {} namespace B; table Obj { here:Obj; } namespace A.B; table Obj { b_b:B.B.Obj; }"},
		{"name through the middle", "namespace A.B; table T {} namespace A.C; table U { t:B.T; }"},
		{"member named as a namespace", "namespace A; table T {} table A_T {} union U { A.T, A_T2: A_T, Other: T } table V { u:U; }"},
		{"nested by a short name", "namespace A.B; table T { b:[ubyte] (nested_flatbuffer: \"B.R\"); } namespace A.B; table R {}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Parse("x.fbs", []byte(c.text))
			if c.name == "nested by a short name" {
				if err == nil {
					t.Fatal("a part of a name is no use before the declaration")
				}
				s, err = Parse("x.fbs", []byte("namespace A.B; table R {} table A { b:[ubyte] (nested_flatbuffer: \"B.R\"); }"))
			}
			if err != nil {
				t.Fatal(err)
			}
			readBack(t, s)
		})
	}
}

func TestAnEmptySchemaIsWritten(t *testing.T) {
	readBack(t, &schema.Schema{})
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errFolder }

func TestTheErrorOfTheWriterIsReturned(t *testing.T) {
	if err := Write(failingWriter{}, soundSchema(t)); !errors.Is(err, errFolder) {
		t.Error(err)
	}
}

func soundSchema(t testing.TB) *schema.Schema {
	t.Helper()
	s, err := Parse("ship.fbs", []byte(schematest.SoundText))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
