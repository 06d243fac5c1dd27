package fbs

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fbverify/go/internal/oracle"
)

// refusals are schemas that are refused, each with the place and a part of the
// message. flatc refuses them too, unless flatcTakes says why it does not.
var refusals = []struct {
	name, text string
	line, col  int
	message    string
	flatcTakes string
}{
	// Words.
	{"character", "table T { x:int; }\n  § ", 2, 3, `the character "§" has no meaning here`, ""},
	{"unclosed string", "file_extension \"abc;\ntable T {}", 1, 16, `this string has no end: " is missing`, ""},
	{"unclosed comment", "table T {} /* and on", 1, 12, `"*/" is missing`, ""},
	{"two points", "table T { x:float = 1.2.3; }", 1, 21, `"1.2.3" is no number`, ""},
	{"hexadecimal without digits", "table T { x:int = 0x; }", 1, 19, `"0x" is no number`, ""},
	{"empty exponent", "table T { x:float = 1e; }", 1, 21, `"1e" is no number`, ""},
	{"lone sign", "table T { x:int = - 1; }", 1, 19, `"-" is no number`, ""},
	{"hexadecimal fraction without exponent", "table T { x:float = 0x1.8; }", 1, 21, "is no number", ""},
	{"bad escape", `file_extension "a\q";`, 1, 18, "unknown escape", ""},
	{"short escape", `file_extension "a\x1";`, 1, 18, `\x needs 2 hexadecimal digits`, ""},
	{"lone surrogate", `file_extension "a\ud800";`, 1, 18, "surrogate pair", ""},
	{"second surrogate first", `file_extension "a\udc00";`, 1, 18, "surrogate pair", ""},
	{"two first surrogates", `file_extension "a\ud800\ud800";`, 1, 24, "second half of a surrogate pair", ""},
	{"not UTF-8", "file_extension \"a\xff\";", 1, 16, "not valid UTF-8", ""},
	{"control character", "file_extension \"a\x01\";", 1, 18, "control character", ""},
	{"doc comment after something", "table T {\n  x:int; /// here\n}", 2, 10, "a line of its own", ""},
	{"NUL", "table T {}\x00 anything", 1, 11, "a NUL byte", ""},
	{"empty file", "", 1, 1, "the file is empty", ""},
	{"nothing but comments", "// nothing\n", 2, 1, "the file is empty", ""},

	// Declarations.
	{"unknown declaration", "tabel T {}", 1, 1, `"tabel", expected a declaration, did you mean "table"?`, ""},
	{"include after a declaration", "table T {}\ninclude \"x.fbs\";", 2, 1, "has to come before all declarations", ""},
	{"native_include after a declaration", "table T {}\nnative_include \"x.h\";", 2, 1, "has to come before all declarations", ""},
	{"missing include", "include \"x.fbs\";", 1, 9, `cannot include "x.fbs": there is no such file; looked for x.fbs`, ""},
	{"include outside", "include \"../x.fbs\";", 1, 9, "leads out of the folder", ""},
	{"no semicolon", "namespace A\ntable T {}", 2, 1, `found "table", expected ";" after the namespace`, ""},
	{"dot at the end", "namespace A.;", 1, 13, "expected a name after the dot", ""},
	{"no name", "table { x:int; }", 1, 7, `found "{", expected the name of the table`, ""},
	{"no brace", "table T x:int; }", 1, 9, `found "x", expected "{"`, ""},
	{"unclosed table", "table T {\n  x:int;\ntable U {}\n", 3, 1, `expected a field or the "}" of table "T"`, ""},
	{"unclosed table at the end", "table T {\n  x:int;\n", 3, 1, `found the end of the file`, ""},
	{"type twice", "table T {}\ntable T {}", 2, 7, "T is declared already, at bad.fbs:1", ""},
	{"enum and table of one name", "enum T : byte { a }\ntable T {}", 2, 7, "T is declared already", ""},
	{"service twice", "table T {}\nrpc_service S { a(T):T; }\nrpc_service S { a(T):T; }", 3, 13, "S is declared already", ""},
	{"unknown root", "table T {}\nroot_type U;", 2, 11, `there is no table "U"`, ""},
	{"root before its declaration", "root_type T;\ntable T {}", 1, 11, "a root type has to be declared before", ""},
	{"root of an outer namespace", "table T {}\nnamespace A.B;\ntable U {}\nnamespace A.B.C;\nroot_type U;", 5, 11, `did you mean "A.B.U"`, ""},
	{"struct as root", "struct T { x:int; }\nroot_type T;", 2, 11, "has to be a table, and T is a struct", ""},
	{"long identifier", "file_identifier \"ABCDE\";", 1, 17, "exactly 4 bytes; this one has 5", ""},
	{"identifier in characters", "file_identifier \"äbc\u00e4\";", 1, 17, "this one has 6", ""},
	{"unknown attribute", "table T { x:int (keey); }", 1, 18, `the attribute "keey" is not declared, did you mean "key"?`, ""},
	{"attribute declared later", "table T { x:int (mine); }\nattribute \"mine\";", 1, 18, "is not declared", ""},
	{"word as the value of an attribute", "table T { x:int (id: one); }", 1, 22, "expected a string in quotes or an integer", ""},
	{"float as the value of an attribute", "table T { x:int (id: 1.0); }", 1, 22, "expected a string in quotes or an integer", ""},
	{"unclosed attributes", "table T { x:int (id: 0; }", 1, 23, `expected "," or ")" after an attribute`, ""},
	{"number as an attribute", "table T { x:int (1); }", 1, 18, "expected the name of an attribute", ""},
	{"empty attributes", "table T { x:int (); }", 1, 18, "expected the name of an attribute", ""},
	{"vector as the value of an attribute", "attribute \"a\";\ntable T { x:int (a: []); }", 2, 21, "expected a string in quotes or an integer", ""},
	{"attributes without the value", "table T { x:int (id:); }", 1, 21, "expected a value", ""},
	{"large value of an attribute", "table T { x:int (id: 3000000000); }", 1, 22, "does not fit int", ""},
	{"unclosed data", "table T { x:int; }\nroot_type T;\n{ \"x\": [1", 3, 1, "has no end", ""},
	{"declaration after data", "table T { x:int; }\nroot_type T;\n{ \"x\": 1 }\ntable U {}", 4, 1, "declarations have to come before", ""},
	{"data without a root", "{ \"x\": 1 }", 1, 1, "names no root_type", ""},
	{"deep data", "table T { x:int; }\nroot_type T;\n{ \"x\": " + strings.Repeat("[", 70) + strings.Repeat("]", 70) + " }", 3, 71, "more than 64 deep", ""},
	{"crossed brackets", "table T { x:int; }\nroot_type T;\n{ \"x\": [1} ]", 3, 10, `expected "]"`, ""},

	// Types.
	{"unknown type", "table Weapon { x:int; }\ntable T { w:Weapn; }", 2, 13, `there is no type "Weapn", did you mean "Weapon"?`, ""},
	{"unknown builtin", "table T { w:Int; }", 1, 13, `did you mean "int"?`, ""},
	{"type of another namespace", "namespace A;\ntable W {}\nnamespace B;\ntable T { w:W; }", 4, 13, `there is no type "W", did you mean "A.W"?`, ""},
	{"enum before its declaration", "table T { e:E; }\nenum E : byte { a }", 1, 13, "enums and unions have to come before their use", ""},
	{"enum as the root of a nested buffer", "enum E:byte { A }\ntable T { d:[ubyte] (nested_flatbuffer: \"E\"); }", 2, 41, "E is an enum, and a table or a struct is needed", ""},
	{"union in a union", "table T {} union V { T }\nunion U { V }", 2, 11, "V is a union, and a table or a struct is needed", ""},
	{"a union before its declaration", "table T { u:U; }\nunion U { T }", 1, 13, "the union U is declared only after this", ""},
	{"partial name before its declaration", "namespace A.B;\ntable T { u:B.U; }\ntable U {}", 2, 13, "A.B.U is declared only after this", ""},
	{"vector of vectors", "table T { x:[[int]]; }", 1, 14, "wrap the inner one in a table", ""},
	{"array in a table", "table T { x:[int:3]; }", 1, 13, "only in a struct", ""},
	{"array of no elements", "struct T { x:[int:0]; }", 1, 19, "1 to 65535 elements", ""},
	{"array of too many", "struct T { x:[int:65536]; }", 1, 19, "1 to 65535 elements", ""},
	{"array of strings", "struct T { x:[string:2]; }", 1, 14, "a struct can hold only scalars", ""},
	{"array of unions", "union U { T }\ntable T {}\nstruct S { x:[U:2]; }", 3, 14, "a struct can hold only scalars", ""},
	{"string in a struct", "struct T { x:string; }", 1, 14, "a struct can hold only scalars", ""},
	{"vector in a struct", "struct T { x:[int]; }", 1, 14, "a struct can hold only scalars", ""},
	{"table in a struct", "table U {}\nstruct T { x:U; }", 2, 14, "U is a table", ""},
	{"struct before its declaration", "struct T { x:U; }\nstruct U { x:int; }", 1, 14, `the struct "U" has to be declared before`, ""},
	{"empty struct", "struct T {}", 1, 8, "it needs at least one", ""},
	{"struct in itself", "struct T { x:int; t:T; }", 1, 21, "would contain itself", "it takes the size the struct has so far"},
	{"deep structs", deepStructs(), 65, 8, "more than 64 deep", "it has no limit"},
	{"offset of a struct's field", "struct T { a:[ubyte:65535]; b:ubyte; c:ubyte; }", 1, 38, "at most 65535 is possible", "it cuts the offset to 16 bits"},
	{"size of a struct", "struct A { a:[ubyte:65535]; }\nstruct B { a:[A:65535]; }", 2, 12, "more than 2147483647 bytes", "it has no limit"},
	{"alignment below the natural", "struct T (force_align: 2) { x:int; }", 1, 8, `cannot have the alignment "2"`, ""},
	{"alignment that is no power of two", "struct T (force_align: 12) { x:int; }", 1, 8, `cannot have the alignment "12"`, ""},
	{"alignment above 32", "struct T (force_align: 64) { x:int; }", 1, 8, `cannot have the alignment "64"`, ""},
	{"alignment without a value", "struct T (force_align) { x:int; }", 1, 8, "cannot have the alignment", ""},

	// Fields.
	{"field twice", "table T {\n  x:int;\n  x:int;\n}", 3, 3, `T has a field "x" already, at bad.fbs:2`, ""},
	{"field like a type field", "table T {\n  u:U;\n  u_type:int;\n}\nunion U { T }", 2, 5, `there is no type "U"`, ""},
	{"field like a union's type", "table A {}\nunion U { A }\ntable T { u:U; u_type:int; }", 3, 16, `T has a field "u_type" already`, ""},
	{"field named as a type", "table U {}\ntable T { U:int; }", 2, 11, "cannot have the name of a table or struct", ""},
	{"no colon", "table T { x int; }", 1, 13, `found "int", expected ":"`, ""},
	{"no type", "table T { x:; }", 1, 13, `found ";", expected a type`, ""},
	{"no semicolon after a field", "table T {\n  x:int\n  y:int;\n}", 3, 3, `found "y", expected a default after "="`, ""},
	{"clash with a type function", "table A {}\nunion U { A }\ntable T { u:U; uType:int; }", 3, 16, "generated code uses", ""},
	{"clash with a length", "table T { x:[int]; x_length:int; }", 1, 20, "generated code uses", ""},
	{"clash with bytes", "table T { x:string; xByteVector:int; }", 1, 21, "generated code uses", ""},
	{"some ids", "table T { x:int (id: 0); y:int; }", 1, 26, `the field "y" has no id`, ""},
	{"id twice", "table T { x:int (id: 0); y:int (id: 0); }", 1, 37, `has the id 0, and so has "x"`, ""},
	{"gap in the ids", "table T { x:int (id: 0); y:int (id: 2); }", 1, 37, "with 2 fields (a union has two) the ids are 0 to 1", ""},
	{"negative id", "table T { x:int (id: -1); }", 1, 22, "expected an integer from 0", ""},
	{"id that is no number", "table T { x:int (id: \"a\"); }", 1, 22, "expected an integer from 0", ""},
	{"union with id 0", "table A {}\nunion U { A }\ntable T { u:U (id: 0); }", 3, 20, "expected an integer from 1", ""},
	{"required scalar", "table T { x:int (required); }", 1, 18, "a scalar that is absent has its default", ""},
	{"required in a struct", "struct T { x:int (required); }", 1, 19, "always there and cannot be required", ""},
	{"deprecated in a struct", "struct T { x:int (deprecated); }", 1, 19, "part of the layout", ""},
	{"two keys", "table T { x:int (key); y:int (key); }", 1, 31, `has the key "x" already`, ""},
	{"key of a vector", "table T { x:[int] (key); }", 1, 20, "a key is a scalar", ""},
	{"optional key", "table T { x:int = null (key); }", 1, 19, "cannot be an optional scalar", ""},
	{"hash of a byte", "table T { x:byte (hash: \"fnv1_16\"); }", 1, 19, "can hold a hash", ""},
	{"unknown hash", "table T { x:int (hash: \"fnv1_16\"); }", 1, 24, "allowed are fnv1_32 and fnv1a_32", ""},
	{"cpp_type without hash", "table T { x:long (cpp_type: \"X\"); }", 1, 19, "for fields with a hash", ""},
	{"shared number", "table T { x:long (shared); }", 1, 19, "only strings can be shared", ""},
	{"native_custom_alloc on a field", "table T { x:long (native_custom_alloc: \"x\"); }", 1, 19, "not of fields", ""},
	{"native_inline number", "table T { x:long (native_inline); }", 1, 19, "native_inline is for", ""},
	{"nested in a vector of ints", "table T { x:[int] (nested_flatbuffer: \"T\"); }", 1, 20, "only a vector [ubyte]", ""},
	{"nested without quotes", "table T { x:[ubyte] (nested_flatbuffer: 1); }", 1, 41, "in quotes", ""},
	{"nested of nothing", "table T { x:[ubyte] (nested_flatbuffer: \"U\"); }", 1, 41, `there is no type "U"`, ""},
	{"nested struct", "struct S { x:int; }\ntable T { x:[ubyte] (nested_flatbuffer: \"S\"); }", 2, 41, "names the struct S", "it does not look"},
	{"nested of a foreign namespace", "namespace A;\ntable T { x:[ubyte] (nested_flatbuffer: \"U\"); }\nnamespace B;\ntable U {}", 2, 41, "there is no such table",
		"a name that is not declared yet is taken by the next declaration of the word, in any namespace; the name in the schema does not tell"},
	{"nested of two meanings", "table U {}\nnamespace A;\ntable T { x:[ubyte] (nested_flatbuffer: \"U\"); }\ntable U {}", 3, 41, "at this place the name means U, and once all is declared it means A.U",
		"it takes the first, which the name in the schema does not tell"},
	{"flexbuffer in a string", "table T { x:string (flexbuffer); }", 1, 21, "only a vector [ubyte]", ""},
	{"vector64 of a string", "table T { x:string (vector64); }", 1, 21, "only a vector can be", ""},
	{"vector64 of strings", "table T { x:[string] (vector64); }", 1, 23, "only vectors of plain scalars", ""},
	{"vector64 of enums", "enum E : byte { a }\ntable T { x:[E] (vector64); }", 2, 18, "only vectors of plain scalars", ""},
	{"offset64 of a number", "table T { x:int (offset64); }", 1, 18, "only strings and vectors", ""},

	// Defaults.
	{"large default", "table T { x:ubyte = 256; }", 1, 21, `"256" does not fit ubyte, whose values are 0 to 255`, ""},
	{"negative default", "table T { x:ulong = -1; }", 1, 21, "does not fit ulong", ""},
	{"default beyond a long", "table T { x:long = 9223372036854775808; }", 1, 20, "does not fit long", ""},
	{"default beyond a ulong", "table T { x:ulong = 18446744073709551616; }", 1, 21, "does not fit ulong", ""},
	{"float for an integer", "table T { x:int = 1.5; }", 1, 19, `found the float "1.5"`, ""},
	{"word for an integer", "table T { x:int = one; }", 1, 19, `found the name "one"`, ""},
	{"word for a float", "table T { x:float = one; }", 1, 21, `expected a number, nan, inf`, ""},
	{"word for a bool", "table T { x:bool = yes; }", 1, 20, "true, false or null", ""},
	{"hexadecimal integer for a float", "table T { x:float = 0x10; }", 1, 21, "needs an exponent", ""},
	{"number for a string", "table T { x:string = 1; }", 1, 22, "a string in quotes", ""},
	{"word for a string", "table T { x:string = null; }", 1, 22, "a string in quotes", ""},
	{"number for a vector", "table T { x:[int] = 0; }", 1, 21, "can have is []", ""},
	{"elements for a vector", "table T { x:[int] = [1]; }", 1, 22, "can have is []", ""},
	{"vector for a number", "table T { x:int = []; }", 1, 19, "[] is a default for vectors", ""},
	{"default of a table", "table U {}\ntable T { x:U = null; }", 2, 17, "cannot have a default", ""},
	{"default of a union", "table A {}\nunion U { A }\ntable T { x:U = A; }", 3, 17, "cannot have a default", ""},
	{"default in a struct", "struct T { x:int = 1; }", 1, 20, "cannot have defaults", ""},
	{"float zero in a struct", "struct T { x:float = 0.0; }", 1, 22, "cannot have defaults", ""},
	{"value with its enum", "enum E : byte { a }\ntable T { x:E = E.a; }", 2, 17, "the name of the enum's value alone", ""},
	{"unknown value", "enum E : byte { red, green }\ntable T { x:E = gren; }", 2, 17, `the enum E has no value "gren", did you mean "green"?`, ""},
	{"unknown enum in quotes", "enum E : byte { red }\ntable T { x:int = \"F.red\"; }", 2, 19, `there is no enum "F"`, ""},
	{"two spaces in flags", "enum E : ubyte (bit_flags) { a, b }\ntable T { x:E = \"a  b\"; }", 2, 17, "has no value", ""},
	{"value that does not fit", "enum E : int { a = 300 }\ntable T { x:byte = \"E.a\"; }", 2, 20, "is 300, which does not fit byte", ""},
	{"number outside the enum", "enum E : byte { a }\ntable T { x:E = 3; }", 2, 17, "the default 3 is none of the values of E", ""},
	{"enum without zero", "enum E : byte { a = 1 }\ntable T { x:E; }", 2, 11, "E has no value 0, so the field needs a default: a", ""},
	{"enum without zero in a struct", "enum E : byte { a = 1 }\nstruct T { x:E; }", 2, 14, "E has no value 0", ""},
	{"null that is a value", "enum E : byte { null }\ntable T { x:E = null; }", 2, 17, "has a value of that name", ""},
	{"escape in a number", `table T { x:int = "\x31"; }`, 1, 19, "printable ASCII without escapes", ""},
	{"call for an integer", "table T { x:int = rad(1); }", 1, 19, "a default for floats", ""},
	{"unknown function", "table T { x:float = sine(1); }", 1, 21, `there is no function "sine", did you mean "sin"?`, ""},
	{"signed function", "table T { x:float = -sin(1); }", 1, 21, `there is no function "-sin"`, ""},
	{"null in a function", "table T { x:float = sin(null); }", 1, 25, "null is no number", ""},
	{"deep calls", "table T { x:float = " + strings.Repeat("sin(", 100) + "1" + strings.Repeat(")", 100) + "; }", 1, 277, "more than 64 calls", ""},

	// Enums and unions.
	{"enum without a name", "enum : byte { a }", 1, 6, "expected the name of the enum", ""},
	{"enum without a brace", "enum E : byte a }", 1, 15, `expected "{" and the values of the enum`, ""},
	{"value without a number", "enum E : byte { a = }", 1, 21, "expected an integer", ""},
	{"alias without a type", "union U { a: }", 1, 14, "expected a type", ""},
	{"alias in an enum", "enum E : byte { a: b }", 1, 18, `expected "," or "}"`, ""},
	{"enum without a type", "enum E { a }", 1, 8, `expected ":" and the integer type`, ""},
	{"enum of floats", "enum E : float { a }", 1, 10, "expected the integer type of the values", ""},
	{"enum of bools", "enum E : bool { a }", 1, 10, "expected the integer type of the values", ""},
	{"enum of itself", "enum E : E { a }", 1, 10, "expected the integer type of the values", "it takes int, the type the enum has until it says otherwise"},
	{"enum of a vector", "enum E : [int] { a }", 1, 10, "expected the integer type of the values", ""},
	{"value twice", "enum E : byte { a, a }", 1, 20, `E has "a" already`, ""},
	{"number twice", "enum E : byte { a, b = 0 }", 1, 24, "a and b are both 0", ""},
	{"value too large", "enum E : ubyte { a = 256 }", 1, 22, "does not fit ubyte", ""},
	{"counting too far", "enum E : byte { a = 127, b }", 1, 26, "b would be one more", ""},
	{"counting beyond a ulong", "enum E : ulong { a = 18446744073709551615, b }", 1, 44, "b would be one more", ""},
	{"counting beyond a long", "enum E : long { a = 9223372036854775807, b }", 1, 42, "b would be one more", ""},
	{"word as a number", "enum E : byte { a, b = a }", 1, 24, "expected an integer", ""},
	{"no comma", "enum E : byte { a b }", 1, 19, `expected "," or "}"`, ""},
	{"flag too high", "enum E : ubyte (bit_flags) { a = 8 }", 1, 34, "has the bits 0 to 7", ""},
	{"flag in the sign", "enum E : byte (bit_flags) { a = 7 }", 1, 33, "has the bits 0 to 6", ""},
	{"negative flag", "enum E : byte (bit_flags) { a = -1 }", 1, 33, "has the bits 0 to 6", ""},
	{"aligned enum", "enum E : byte (force_align: 4) { a }", 1, 16, "not of enums", ""},
	{"union of scalars", "union U { a: int }", 1, 14, "a table, a struct or a string, not int", ""},
	{"union of vectors", "table T {}\nunion U { a: [T] }", 2, 14, "a table, a struct or a string", ""},
	{"union of enums", "enum E : byte { a }\nunion U { E }", 2, 11, "E is an enum, and a table or a struct is needed", ""},
	{"union member twice", "table T {}\nunion U { T, T }", 2, 14, `U has "T" already`, ""},
	{"union with NONE", "table NONE {}\nunion U { NONE }", 2, 11, `U has "NONE" already`, ""},
	{"tag too large", "table T {}\nunion U { T = 256 }", 2, 15, "does not fit utype", ""},
	{"tag of nothing", "table T {}\nunion U { T = 0 }", 2, 15, "NONE and T are both 0", ""},
	{"negative tag", "table T {}\nunion U : int { T = -1 }", 2, 21, "cannot be negative", "the values of an int can be"},
	{"union of flags", "table T {}\nunion U (bit_flags) { T }", 2, 10, "of enums, not of unions", "it takes NONE for bit 0"},

	// Services.
	{"no methods", "rpc_service S {}", 1, 16, "at least one", ""},
	{"service without a name", "rpc_service { }", 1, 13, "expected the name of the rpc_service", ""},
	{"service without a brace", "rpc_service S a", 1, 15, `expected "{" and the methods`, ""},
	{"method without a request", "rpc_service S { a; }", 1, 18, `expected "(" and the request's table`, ""},
	{"method with an empty request", "rpc_service S { a():T; }", 1, 19, "expected the name of the request's table", ""},
	{"method without a response", "table T {}\nrpc_service S { a(T); }", 2, 21, `expected ":" and the response's table`, ""},
	{"method with an empty response", "table T {}\nrpc_service S { a(T):; }", 2, 22, "expected the name of the response's table", ""},
	{"method without a semicolon", "table T {}\nrpc_service S { a(T):T }", 2, 24, `expected ";" after the method`, ""},
	{"method twice", "table T {}\nrpc_service S { a(T):T; a(T):T; }", 2, 25, `the method "a" is declared already`, ""},
	{"struct as a message", "struct T { x:int; }\nrpc_service S { a(T):T; }", 2, 19, "has to be a table, and T is a struct", ""},
	{"late struct as a message", "rpc_service S { a(T):T; }\nstruct T { x:int; }", 1, 19, "has to be a table, and T is a struct", "it does not look again"},
	{"scalar as a message", "rpc_service S { a(int):int; }", 1, 19, `there is no type "int"`, ""},
}

func deepStructs() string {
	var b strings.Builder
	last := "int"
	for i := range 70 {
		name := "S" + strings.Repeat("x", i)
		b.WriteString("struct " + name + " { x:" + last + "; }\n")
		last = name
	}
	return b.String()
}

func TestFaultsAreReportedWhereTheyAre(t *testing.T) {
	for _, r := range refusals {
		t.Run(r.name, func(t *testing.T) {
			s, err := ParseFS(fstest.MapFS{"bad.fbs": {Data: []byte(r.text)}}, "bad.fbs")
			var list ErrorList
			if !errors.As(err, &list) || s != nil || len(list) == 0 {
				t.Fatalf("%v, %v", s, err)
			}
			e := list[0]
			if e.File != "bad.fbs" || e.Line != r.line || e.Column != r.col || !strings.Contains(e.Message, r.message) {
				t.Errorf("expected %d:%d: …%s…\n%v", r.line, r.col, r.message, err)
			}
		})
	}
}

func TestFlatcRefusesWhatIsRefused(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	for _, r := range refusals {
		t.Run(r.name, func(t *testing.T) {
			_, err := flatc.BFBS(map[string][]byte{"bad.fbs": []byte(r.text)}, "bad.fbs")
			if errors.Is(err, oracle.ErrAborted) {
				t.Fatalf("flatc crashed: %v", err)
			}
			if (err == nil) != (r.flatcTakes != "") {
				t.Errorf("flatc: %v; expected to be taken: %q", err, r.flatcTakes)
			}
		})
	}
}
