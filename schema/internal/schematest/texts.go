package schematest

import (
	"strings"
)

// SoundText is a schema that has a bit of everything.
const SoundText = `
attribute "note";
namespace Ship;
enum Color : ubyte { red, green = 7 }
enum Rig : ushort (bit_flags) { sloop, ketch }
struct Point { x:short; y:double; z:[ubyte:3]; c:Color; }
struct Line (force_align: 16) { from:Point; to:Point; }
union Cargo { Ship, Point, Text: string }
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
rpc_service Harbour { Enter(Ship):Ship; }
root_type Ship;
file_identifier "SHIP";
`

// Texts has each construct of the language in a text that is as small as it can be,
// and some that nest or repeat.
var Texts = map[string]string{
	"nothing":           "",
	"table":             "table T { a:int; b:string; c:[T]; d:T; }\nroot_type T;",
	"scalars":           "table T { a:bool; b:int8; c:ubyte; d:short; e:uint16; f:int; g:uint32; h:long; i:uint64; j:float; k:double; }",
	"defaults":          "table T { a:int = -1; b:float = 1.5e-3; c:bool = true; d:ulong = 18446744073709551615; e:int = null; f:string = \"x\"; g:[int] = []; h:double = -inf; i:short = 0x7f; }",
	"enums":             "enum E : ubyte { a, b = 7, c }\nenum F : uint (bit_flags) { x, y = 5 }\ntable T { e:E = b; f:F = \"x y\"; }",
	"structs":           "struct P { x:float; y:float; }\nstruct Q (force_align: 16) { p:[P:2]; n:[ubyte:3]; }\ntable T { q:Q; qs:[Q]; }",
	"unions":            "table A {}\nstruct S { x:int; }\nunion U : int { A, S, text: string }\ntable T { u:U; us:[U]; }",
	"attributes":        "attribute \"mine\";\ntable T (mine) { a:int (id: 1); b:int (id: 0, deprecated); c:string (id: 2, required, key); d:[ubyte] (id: 3, nested_flatbuffer: \"T\", mine: \"x\"); }",
	"wide":              "table T { a:[ubyte] (vector64); b:string (offset64); c:[ubyte] (vector64, nested_flatbuffer: \"T\"); }",
	"include":           "include \"other.fbs\";\ntable T { o:Other; }",
	"include-itself":    "include \"x.fbs\";\ntable T { t:T; }",
	"include-nothing":   "include \"absent.fbs\";",
	"namespaces":        "namespace a.b;\ntable T { x:a.c.U; }\nnamespace a.c;\ntable U { t:a.b.T; }\nnamespace;\ntable V { t:a.b.T; }",
	"comments":          "/// doc\n/* a /* b */ // c\ntable T { /// of a\n a:int; // end\n }\n//",
	"services":          "table Q {}\nrpc_service S { m(Q):Q (streaming: \"server\"); }",
	"file":              "table T {}\nroot_type T;\nfile_identifier \"ABCD\";\nfile_extension \"x\";",
	"words-as-names":    "table table { table:int; struct:string; root_type:[enum]; }\nenum enum : byte { union }",
	"escapes":           "table T { s:string = \"\\u00e9\\n\\\"\\x41\\ud83d\\ude00\"; }",
	"byte-order-mark":   "\ufefftable T {}",
	"struct-in-itself":  "struct S { s:S; }",
	"unclosed":          "table T { a:[[int",
	"expressions":       "table T { a:float = rad(180); b:float = cos(rad(180)); c:int = 1.0; }",
	"nested-brackets":   "table T { a:" + strings.Repeat("[", 200) + "int" + strings.Repeat("]", 200) + "; }",
	"many-errors":       strings.Repeat("table { ; } ", 60),
	"object-at-the-end": "table T { a:int; }\nroot_type T;\n{ a: 5 }",
}
