package growth

import (
	"fmt"
	"strings"
)

// filled repeats what piece writes for 0, 1, 2 … until there are size bytes, between a head
// and a tail.
func filled(size int, head, tail string, piece func(b *strings.Builder, i int)) []byte {
	var b strings.Builder
	b.WriteString(head)
	for i := 0; b.Len()+len(tail) < size; i++ {
		piece(&b, i)
	}
	b.WriteString(tail)
	return []byte(b.String())
}

// moreSchemas are families of schemas as text. Each is one thing that a schema can have
// large here: a reader takes each in time of its size, or refuses it.
func moreSchemas() []Family {
	text := func(name string, make func(size int) []byte) Family {
		return Family{Name: name, Of: "schemas", Make: make}
	}
	pieces := func(name, head, tail, format string) Family {
		return text(name, func(size int) []byte {
			return filled(size, head, tail, func(b *strings.Builder, i int) {
				b.WriteString(strings.NewReplacer("<i>", fmt.Sprint(i), "<i+1>", fmt.Sprint(i+1)).Replace(format))
			})
		})
	}
	const root = "table Root { x:int; }\nroot_type Root;\n"
	constrained := func(name, head, format, tail string) Family {
		return text(name, func(size int) []byte {
			n := 0
			b := filled(size-128, "attribute \"must_index\";\nattribute \"must_be\";\n"+head, "", func(b *strings.Builder, i int) {
				b.WriteString(strings.NewReplacer("<i>", fmt.Sprint(i), "<i+1>", fmt.Sprint(i+1), "<i+2>", fmt.Sprint(i+2)).Replace(format))
				n = i + 1
			})
			return append(b, strings.NewReplacer("<i>", fmt.Sprint(n), "<i+1>", fmt.Sprint(n+1)).Replace(tail)...)
		})
	}
	return []Family{
		constrained("constraints from one table", "table Root { v:[ubyte]; t:T0; }\nroot_type Root;\n",
			"table T<i> { next:T<i+1>; n:uint (must_index:\"Root.v\"); }\n", "table T<i> { x:int; }\n"),
		constrained("constraints, each from another table", "table T0 { v:[ubyte]; next:T1; }\nroot_type T0;\n",
			"table T<i+1> { v:[ubyte]; next:T<i+2>; n:uint (must_index:\"T<i>.v\"); }\n", "table T<i+1> { x:int; }\n"),
		constrained("clauses of a constraint", "table Root { k:uint; n:uint (must_be:\"", "> <i> if k == <i>; ", "== 1\"); }\nroot_type Root;\n"),
		constrained("values of a constraint", "table Root { n:uint (must_be:\"one of ", "<i> | ", "<i>\"); }\nroot_type Root;\n"),
		constrained("conditions of a constraint", "table Root { n:ulong (must_be:\"", ">= <i>, ", ">= <i>\"); }\nroot_type Root;\n"),
		pieces("tables", root, "", "table T<i> { a:int; b:string; }\n"),
		text("chain of tables", func(size int) []byte {
			n := 0
			b := filled(size-32, "", "", func(b *strings.Builder, i int) {
				fmt.Fprintf(b, "table T%d { next:T%d; v:[ubyte]; }\n", i, i+1)
				n = i + 1
			})
			return fmt.Appendf(b, "table T%d { x:int; }\nroot_type T0;\n", n)
		}),
		pieces("fields of a table", "table Root {\n", "}\nroot_type Root;\n", "f<i>:int;\n"),
		pieces("fields of a struct", "struct S {\n", "}\ntable Root { s:S; }\nroot_type Root;\n", "f<i>:int;\n"),
		text("structs in structs", func(size int) []byte {
			n := 0
			b := filled(size-64, "struct S0 { a:bool; }\n", "", func(b *strings.Builder, i int) {
				n = i + 1
				fmt.Fprintf(b, "struct S%d { a:S%d; }\n", n, i)
			})
			return fmt.Appendf(b, "table Root { s:S%d; }\nroot_type Root;\n", n)
		}),
		text("structs that double", func(size int) []byte {
			// Sixteen doublings are as large as a struct may be, and then many use the last.
			var b strings.Builder
			b.WriteString("struct S0 { a:ubyte; }\n")
			const doublings = 12
			for i := range doublings {
				fmt.Fprintf(&b, "struct S%d { a:S%d; b:S%d; }\n", i+1, i, i)
			}
			b.WriteString("table Root {\n")
			for i := 0; b.Len() < size-32; i++ {
				fmt.Fprintf(&b, "f%d:S%d; v%d:[S%d];\n", i, doublings, i, doublings)
			}
			b.WriteString("}\nroot_type Root;\n")
			return []byte(b.String())
		}),
		text("structs that hold one another", func(size int) []byte {
			n := 0
			b := filled(size-64, "struct S0 { a:ubyte; }\n", "", func(b *strings.Builder, i int) {
				n = i + 1
				fmt.Fprintf(b, "struct S%d { a:S0; b:S0; c:S%d; }\n", n, i)
			})
			return fmt.Appendf(b, "table Root { s:S%d; }\nroot_type Root;\n", n)
		}),
		pieces("enum values", "enum E:long {\n", "}\ntable Root { e:E; }\nroot_type Root;\n", "V<i>,\n"),
		pieces("defaults by name", "enum E:int { A, B, C }\ntable Root {\n", "}\nroot_type Root;\n", "f<i>:int = E.C;\n"),
		pieces("flags of a default", "enum E:ulong (bit_flags) { A, B, C }\ntable Root { e:E = \"", "\"; }\nroot_type Root;\n", "A B C "),
		pieces("unions", "table A {} \ntable B {}\n", root, "union U<i> { A, B }\n"),
		text("union members", func(size int) []byte {
			var members strings.Builder
			b := filled(size*2/3, "", "", func(b *strings.Builder, i int) {
				fmt.Fprintf(b, "table T%d {}\n", i)
				if i < 250 {
					fmt.Fprintf(&members, "T%d, ", i)
				}
			})
			return fmt.Appendf(b, "union U { %s }\ntable Root { u:U; us:[U]; }\nroot_type Root;\n", strings.TrimSuffix(members.String(), ", "))
		}),
		pieces("docs", "", root, "/// A line of documentation, of which there are very many.\n"),
		pieces("comments", "", root, "// A comment. /* and more */\n"),
		pieces("attributes", "", root, "attribute \"a<i>\";\n"),
		pieces("namespaces", "", root, "namespace a.b.c<i>;\ntable T { x:int; }\n"),
		text("deep namespace", func(size int) []byte {
			name := strings.TrimSuffix(strings.Repeat("n.", size/4), ".")
			return []byte("namespace " + name + ";\ntable T { x:U; }\ntable U { t:T; }\nroot_type T;\n" + strings.Repeat("table V { u:U; }\n", 1))
		}),
		pieces("names that resolve outwards", "namespace a.b.c.d.e.f.g.h;\ntable T { x:int; }\n", "table Root { t:T; }\nroot_type Root;\n", "table U<i> { t:T; u:a.b.T; }\n"),
		pieces("nested roots", "table Root {\n", "}\nroot_type Root;\n", "f<i>:[ubyte] (nested_flatbuffer:\"Root\");\n"),
		pieces("keys", "", root, "table K<i> { k:string (key); }\ntable L<i> { v:[K<i>]; }\n"),
		pieces("services", "", root, "rpc_service S<i> { Get(Root):Root; }\n"),
		pieces("long name", "table T", " { x:int; }\nroot_type R;\ntable R { x:int; }\n", "abcdefgh"),
		pieces("open brackets", "table Root { x:", "", "["),
		pieces("open braces", "", "", "table T {"),
		pieces("one long line", "table Root {", "}\nroot_type Root;", "f<i>:int;"),
		pieces("errors", "table Root {\n", "}\n", "f<i>:nothing;\n"),
		pieces("long string", "table Root { x:string = \"", "\"; }\nroot_type Root;\n", "\\u00e4bc"),
		pieces("declared twice", "", root, "table T { x:int; }\n"),
	}
}
