package growth

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
)

// jsonSchema is what the texts are of. Its widest table has so many fields; Big has as
// many values, and there are as many enums.
func jsonSchema(fields int) string {
	var b strings.Builder
	for i := range fields {
		fmt.Fprintf(&b, "namespace Ns%d; enum Colour%d:ushort { First, Last = 9 }\n", i%7, i)
	}
	b.WriteString("namespace Top;\nattribute \"base64\";\nenum Big:uint {\n")
	for i := range fields {
		fmt.Fprintf(&b, "  Value%d,\n", i)
	}
	b.WriteString(`}
enum Flags:ulong (bit_flags) { A, B, C, D = 63 }
struct Pair { a:int; b:int; }
struct Deep { p:[Pair:4]; q:Pair; }
struct ByPair { k:Pair (key); }
struct ByArray { k:[ubyte:8] (key); n:int; }
table ByText { k:string (key); n:int; }
table ByStruct { k:Pair (key); }
union Any { Node, Text:string, Pair }
table Node {
  child:Node; children:[Node]; any:Any; anys:[Any];
  word:string; words:[string]; n:int; f:double; numbers:[int]; floats:[double]; bools:[bool];
  big:Big; bigs:[Big]; flags:Flags; any_number:uint; any_numbers:[uint];
  hash:ulong (hash:"fnv1a_64"); hashes:[uint] (hash:"fnv1_32");
  deep:Deep; deeps:[Deep]; pairs:[Pair];
  by_pair:[ByPair]; by_array:[ByArray]; by_text:[ByText]; by_struct:[ByStruct];
  flex:[ubyte] (flexbuffer); nested:[ubyte] (nested_flatbuffer:"Node"); blob:[ubyte] (base64);
  wide:Wide; wides:[Wide];
}
table Wide {
`)
	for i := range fields {
		switch i % 4 {
		case 0:
			fmt.Fprintf(&b, "  u%d:Any;\n", i)
		case 1:
			fmt.Fprintf(&b, "  s%d:string;\n", i)
		default:
			fmt.Fprintf(&b, "  n%d:int;\n", i)
		}
	}
	b.WriteString("}\nroot_type Node;\n")
	return b.String()
}

// JSON are the families of texts, for a schema that has so many fields in its widest table,
// at least 8, and as many enums. Some are of buffers, and some are refused, which has to be
// cheap as well.
func JSON(fields int) (families []Family) {
	schema := jsonSchema(fields)
	add := func(name string, text func(room int, r *rand.Rand) string) {
		families = append(families, Family{
			Name: name, Of: "JSON, " + ofFields(fields), Schema: schema, Root: "Top.Node",
			Make: func(size int) []byte { return []byte(text(size, rand.New(rand.NewPCG(1, uint64(fields))))) },
		})
	}
	// list repeats what item returns between head and tail, with commas.
	list := func(head, tail string, item func(i int, r *rand.Rand) string) func(int, *rand.Rand) string {
		return func(room int, r *rand.Rand) string {
			var b strings.Builder
			b.WriteString(head)
			for i := 0; b.Len() < room-len(tail); i++ {
				if i > 0 {
					b.WriteByte(',')
				}
				b.WriteString(item(i, r))
			}
			return b.String() + tail
		}
	}
	constant := func(text string) func(int, *rand.Rand) string {
		return func(int, *rand.Rand) string { return text }
	}
	repeat := func(before, middle, after string, most int) func(int, *rand.Rand) string {
		return func(room int, _ *rand.Rand) string {
			n := min(room/len(before+after), most)
			return strings.Repeat(before, n) + middle + strings.Repeat(after, n)
		}
	}
	add("a union named again and again", list(`{"any_type":"Node",`, `}`, constant(`"any":{}`)))
	add("a union named again and again, its type last", list(`{`, `,"any_type":"Node"}`, constant(`"any":{}`)))
	add("a field named again and again", list(`{`, `}`, constant(`"n":1`)))
	add("null again and again", list(`{"any_type":"Node",`, `}`, constant(`"any":null`)))
	add("unknown names", list(`{`, `}`, func(i int, _ *rand.Rand) string { return fmt.Sprintf(`"x%d":[[{"a":{}}]]`, i) }))
	add("objects without end", repeat(`{"child":`, `{}`, `}`, 1<<30))
	add("objects", repeat(`{"child":`, `{}`, `}`, 60))
	add("types after their values, deep", repeat(`{"any":`, `{}`, `,"any_type":"Node"}`, 1<<30))
	add("types after their values, side by side", list(`{"children":[`, `]}`, constant(`{"any":{"any":{"any":{},"any_type":"Node"},"any_type":"Node"},"any_type":"Node"}`)))
	add("types after their values, deep and side by side", list(`{"children":[`, `]}`, constant(
		strings.Repeat(`{"any":`, 40)+`{}`+strings.Repeat(`,"any_type":"Node"}`, 40))))
	add("unknown lists without end", repeat(`{"x":[`, ``, `]}`, 1<<30))
	add("brackets", func(room int, _ *rand.Rand) string { return `{"any":` + strings.Repeat("[", room) })
	add("types of a vector after it", list(`{"children":[`, `]}`, constant(`{"anys":[{},"x",{"a":1,"b":2}],"anys_type":["Node","Text","Pair"]}`)))
	add("a long vector of unions", func(room int, _ *rand.Rand) string {
		n := room / 10
		return `{"anys":[` + strings.Repeat(`{},`, n) + `],"anys_type":[` + strings.Repeat(`Node,`, n) + `]}`
	})
	wide := func(r *rand.Rand, order func(i int) int) string {
		var types, values []string
		for i := range fields {
			switch i := order(i); i % 4 {
			case 0:
				types, values = append(types, fmt.Sprintf(`"u%d_type":"Node"`, i)), append(values, fmt.Sprintf(`"u%d":{}`, i))
			case 2:
				values = append(values, fmt.Sprintf(`"n%d":%d`, i, r.IntN(100)))
			}
		}
		r.Shuffle(len(types), func(i, j int) { types[i], types[j] = types[j], types[i] })
		return "{" + strings.Join(append(types, values...), ",") + "}"
	}
	add("all types before all values", list(`{"wides":[`, `]}`, func(_ int, r *rand.Rand) string {
		return wide(r, func(i int) int { return i })
	}))
	add("all types after all values, backwards", list(`{"wides":[`, `]}`, func(_ int, r *rand.Rand) string {
		text := wide(r, func(i int) int { return fields - 1 - i })
		at := strings.Index(text, `"n`)
		if at < 0 {
			return text
		}
		return "{" + strings.TrimSuffix(text[at:], "}") + "," + strings.TrimSuffix(text[1:at], ",") + "}"
	}))
	add("sets of fields all distinct", list(`{"wides":[`, `]}`, func(i int, _ *rand.Rand) string {
		var b strings.Builder
		b.WriteString(`{"n2":1`)
		for bit, field := 0, 3; field < fields && bit < 20; bit, field = bit+1, field+4 {
			if i>>bit&1 != 0 {
				fmt.Fprintf(&b, `,"n%d":%d`, field, bit)
			}
		}
		return b.String() + "}"
	}))
	add("names of enums", list(`{"any_numbers":[`, `]}`, func(i int, _ *rand.Rand) string {
		n := fields - 1 - i%fields
		return fmt.Sprintf(`"Ns%d.Colour%d.Last"`, n%7, n)
	}))
	add("names of no enum", list(`{"hashes":[1],"any_numbers":[`, `]}`, func(i int, _ *rand.Rand) string { return `"Ns1.Colour1.Last Ns2.Colour2.First"` }))
	add("many dots", func(room int, _ *rand.Rand) string { return `{"big":` + strings.Repeat("a.", room/2) + `}` })
	add("values of a large enum", list(`{"bigs":[`, `]}`, func(i int, _ *rand.Rand) string { return fmt.Sprintf(`"Value%d"`, fields-1-i%fields) }))
	add("flags", func(room int, _ *rand.Rand) string { return `{"flags":"` + strings.Repeat("A D ", room/4) + `"}` })
	add("hashes", list(`{"hashes":[`, `]}`, func(i int, _ *rand.Rand) string { return fmt.Sprintf(`"text %d"`, i) }))
	add("numbers", list(`{"numbers":[`, `]}`, func(i int, r *rand.Rand) string { return fmt.Sprint(int32(r.Uint32())) }))
	add("floats", list(`{"floats":[`, `]}`, func(i int, r *rand.Rand) string { return fmt.Sprint(r.NormFloat64()) }))
	add("a long number", func(room int, _ *rand.Rand) string {
		return `{"f":1` + strings.Repeat("7", room) + `e-` + fmt.Sprint(room) + `}`
	})
	add("a long integer", func(room int, _ *rand.Rand) string { return `{"n":` + strings.Repeat("0", room) + `7}` })
	add("functions", list(`{"floats":[`, `]}`, constant(`sin(rad(cos(deg(1.5))))`)))
	add("a long string", func(room int, _ *rand.Rand) string { return `{"word":"` + strings.Repeat("é😀x", room/7) + `"}` })
	add("escapes", func(room int, _ *rand.Rand) string { return `{"word":"` + strings.Repeat(`\u00e9\n`, room/8) + `"}` })
	add("strings", list(`{"words":[`, `]}`, func(i int, _ *rand.Rand) string { return fmt.Sprintf(`"w%d\u00e9"`, i) }))
	add("comments and spaces", list(`{"numbers":[`, `]}`, constant("/* c */ 1 // d\n \t ")))
	add("one comment", func(room int, _ *rand.Rand) string { return `{/*` + strings.Repeat("*", room) + `/ "n":1}` })
	add("structs", list(`{"deeps":[`, `]}`, constant(`{"q":{"b":2,"a":1},"p":[[1,2],[3,4],[5,6],{"b":1,"a":2}]}`)))
	add("structs keyed by a struct, backwards", list(`{"by_pair":[`, `]}`, func(i int, _ *rand.Rand) string { return fmt.Sprintf(`{"k":{"a":%d,"b":%d}}`, -i/4, -i) }))
	add("structs keyed by an array, in disorder", list(`{"by_array":[`, `]}`, func(_ int, r *rand.Rand) string {
		return fmt.Sprintf(`{"k":[0,0,0,%d,%d,%d,%d,1],"n":1}`, r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(256))
	}))
	add("tables keyed by a text, in disorder", list(`{"by_text":[`, `]}`, func(_ int, r *rand.Rand) string {
		return fmt.Sprintf(`{"k":"a common beginning of a name %d"}`, r.Uint32())
	}))
	add("tables keyed by a struct, equal", list(`{"by_struct":[`, `]}`, constant(`{"k":{"a":1,"b":2}}`)))
	add("tables keyed by one long text", func(room int, r *rand.Rand) string {
		long := strings.Repeat("k", room/64)
		return list(`{"by_text":[`, `]}`, constant(`{"k":"`+long+`"}`))(room, r)
	})
	add("a flexbuffer's names", list(`{"flex":{`, `}}`, func(_ int, r *rand.Rand) string { return fmt.Sprintf(`"name%d":[%d]`, r.Uint64(), r.IntN(9)) }))
	add("a flexbuffer's same name", list(`{"flex":{`, `}}`, constant(`"name":1`)))
	add("a flexbuffer's small maps", list(`{"flex":[`, `]}`, constant(`{"a":1,"b":[2.5,"x"]}`)))
	add("a flexbuffer's depth", func(room int, r *rand.Rand) string { return `{"flex":` + repeat(`[`, ``, `]`, 1<<30)(room, r) + `}` })
	add("nested buffers", list(`{"children":[`, `]}`, constant(`{"nested":{"nested":{"nested":{"n":1}}}}`)))
	add("nested buffers, deep", repeat(`{"nested":`, `{}`, `}`, 60))
	add("nested bytes", list(`{"nested":[8,0,0,0,0,0,4,0,4,0,0,0`, `]}`, constant(`,0`)))
	add("base64", func(room int, _ *rand.Rand) string {
		return `{"blob":"` + base64.StdEncoding.EncodeToString(make([]byte, room*3/4)) + `"}`
	})
	return families
}
