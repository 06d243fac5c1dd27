package trust_test

// peersCommon is what both peers know of the language; peersMembers is what the
// code that flatc generates for Rust cannot do.
const (
	peersCommon = `
namespace peers;
enum E : byte { A = -1, B = 0, C = 5 }
enum F : ushort (bit_flags) { X, Y, Z = 9 }
struct S { d:double; b:bool; e:E; a:[ushort:3]; }
struct K { id:uint (key); v:ubyte; }
table Leaf { v:int; name:string; }
table Must { s:string (required); l:Leaf; }
table Keyed { key:string (key); n:long; }
union U { Leaf, Must }
`
	peersMembers = `
union V : short { L:Leaf = 2, P:S = 300, T:string = 7 }
`
	peersRoot = `
table R {
  b:bool;                // 0
  e:E = B;               // 1
  f:F;                   // 2
  l:long;                // 3
  o:int = null;          // 4
  s:S;                   // 5
  str:string;            // 6
  leaf:Leaf;             // 7
  must:Must;             // 8
  u:U;                   // 9, 10
  bytes:[ubyte];         // 11
  longs:[long];          // 12
  bools:[bool];          // 13
  es:[E];                // 14
  ss:[S];                // 15
  ks:[K];                // 16
  strs:[string];         // 17
  leaves:[Leaf];         // 18
  keyed:[Keyed];         // 19
  nested:[ubyte] (nested_flatbuffer: "R"); // 20
  old:string (deprecated); // 21
  r:R;                   // 22
`
	peersMore = `
  v:V;                   // 23, 24
  us:[U];                // 25, 26
  vs:[V];                // 27, 28
`
	peersEnd = `
}
root_type R;
`
	cppSchema  = peersCommon + peersMembers + peersRoot + peersMore + peersEnd
	rustSchema = peersCommon + peersRoot + peersEnd
)
