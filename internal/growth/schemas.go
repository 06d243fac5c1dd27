package growth

import (
	"fmt"
	"strings"

	flatbuffers "github.com/google/flatbuffers/go"
)

// SchemaTexts are families of .fbs texts, each sound but for those called faults.
func SchemaTexts() []Family {
	text := func(name string, make func(b *strings.Builder, size int)) Family {
		return Family{Name: name, Of: "schemas", Make: func(size int) []byte {
			var b strings.Builder
			make(&b, size)
			return []byte(b.String())
		}}
	}
	// Until the text has its size, what add writes for 0, 1, 2 and so on.
	fill := func(b *strings.Builder, size int, add func(i int)) {
		for i := 0; b.Len() < size; i++ {
			add(i)
		}
	}
	deep := strings.TrimSuffix(strings.Repeat("a.", 30), ".")
	return append(moreSchemas(), []Family{
		text("tables, each with another", func(b *strings.Builder, size int) {
			fill(b, size, func(i int) { fmt.Fprintf(b, "table T%d { a:int; b:T%d; c:string; }\n", i, i/2) })
		}),
		text("fields of several tables", func(b *strings.Builder, size int) {
			fill(b, size, func(i int) {
				if i%20000 == 0 {
					if i > 0 {
						b.WriteString("}\n")
					}
					fmt.Fprintf(b, "table T%d {\n", i)
				}
				fmt.Fprintf(b, "f%d:int;\n", i)
			})
			b.WriteString("}\n")
		}),
		text("structs of structs", func(b *strings.Builder, size int) {
			// Each stands for twice as many as the one before. No enum and no bool is in
			// them, so that who looks for one has to look everywhere.
			b.WriteString("struct S0 { x:byte; }\n")
			for i := 1; i < 16; i++ {
				fmt.Fprintf(b, "struct S%d { a:S%d; b:S%d; }\n", i, i-1, i-1)
			}
			fill(b, size, func(i int) { fmt.Fprintf(b, "table T%d { a:S13; b:S15; c:[S14]; d:T%d; }\n", i, i+1) })
			b.WriteString("table T")
			fmt.Fprintf(b, "%d {}\n", strings.Count(b.String(), "table")-1)
		}),
		text("chains of structs", func(b *strings.Builder, size int) {
			fill(b, size, func(i int) {
				if i%60 == 0 {
					fmt.Fprintf(b, "struct S%d { x:byte; }\n", i)
				} else {
					fmt.Fprintf(b, "struct S%d { s:S%d; }\n", i, i-1)
				}
			})
		}),
		text("dotted names of enums", func(b *strings.Builder, size int) {
			fmt.Fprintf(b, "namespace %s;\nenum E:byte { A }\n", deep)
			fmt.Fprintf(b, "namespace %s.%s;\n", deep, deep)
			fill(b, size, func(i int) { fmt.Fprintf(b, "table T%d { x:%s.E; }\n", i, deep) })
		}),
		text("dotted names of tables", func(b *strings.Builder, size int) {
			fmt.Fprintf(b, "namespace %s;\ntable U {}\n", deep)
			fmt.Fprintf(b, "namespace %s.%s;\n", deep, deep)
			fill(b, size, func(i int) { fmt.Fprintf(b, "table T%d { x:%s.U; }\n", i, deep) })
		}),
		text("namespaces", func(b *strings.Builder, size int) {
			fill(b, size, func(i int) { fmt.Fprintf(b, "namespace n%d.m%d;\ntable T { a:n%d.m%d.T; }\n", i%7, i, i%7, i) })
		}),
		text("one word in many namespaces", func(b *strings.Builder, size int) {
			fill(b, size, func(i int) {
				fmt.Fprintf(b, "namespace n%d;\ntable T {}\nenum E:byte { A }\ntable U { t:T; e:E; v:n%d.T; }\n", i, i/2)
			})
		}),
		text("nested buffers", func(b *strings.Builder, size int) {
			fill(b, size, func(i int) { fmt.Fprintf(b, "table T%d { d:[ubyte] (nested_flatbuffer:\"T%d\"); }\n", i, i) })
		}),
		text("docs", func(b *strings.Builder, size int) {
			fill(b, size, func(int) { b.WriteString("/// a line\n") })
			b.WriteString("table T {}\n")
		}),
		text("values of an enum", func(b *strings.Builder, size int) {
			b.WriteString("enum E:int {\n")
			fill(b, size*3/4, func(i int) { fmt.Fprintf(b, "V%d,\n", i) })
			b.WriteString("}\n")
			b.WriteString("table T {\n")
			fill(b, size, func(i int) { fmt.Fprintf(b, "f%d:E = V%d;\n", i, i) })
			b.WriteString("}\n")
		}),
		text("flags in a default", func(b *strings.Builder, size int) {
			b.WriteString("enum E:ulong (bit_flags) { A, B, C }\ntable T { e:E = \"A")
			fill(b, size, func(int) { b.WriteString(" B C") })
			b.WriteString("\"; }\n")
		}),
		text("members of a union", func(b *strings.Builder, size int) {
			b.WriteString("table T {}\nunion U:int {\n")
			fill(b, size, func(i int) { fmt.Fprintf(b, "m%d:T,\n", i) })
			b.WriteString("}\n")
		}),
		text("attributes", func(b *strings.Builder, size int) {
			n := min(200, size/80)
			for i := range n {
				fmt.Fprintf(b, "attribute \"a%d\";\n", i)
			}
			fill(b, size, func(i int) {
				fmt.Fprintf(b, "table T%d (", i)
				for j := range n {
					if j > 0 {
						b.WriteByte(',')
					}
					fmt.Fprintf(b, "a%d", n-1-j)
				}
				b.WriteString(") {}\n")
			})
		}),
		text("attributes of one table", func(b *strings.Builder, size int) {
			n := size / 24
			for i := range n {
				fmt.Fprintf(b, "attribute \"a%d\";\n", i)
			}
			b.WriteString("table T (a0")
			for i := range n - 1 {
				fmt.Fprintf(b, ",a%d", i+1)
			}
			b.WriteString(") {}\n")
		}),
		text("services", func(b *strings.Builder, size int) {
			b.WriteString("table T {}\nrpc_service S {\n")
			fill(b, size, func(i int) { fmt.Fprintf(b, "m%d(T):T;\n", i) })
			b.WriteString("}\n")
		}),
		text("faults: unknown types", func(b *strings.Builder, size int) {
			fill(b, size, func(i int) { fmt.Fprintf(b, "table T%d { a:Unknown%d; }\n", i, i) })
		}),
		text("faults: open brackets", func(b *strings.Builder, size int) {
			b.WriteString("table T { a:")
			fill(b, size, func(int) { b.WriteByte('[') })
		}),
		text("faults: one long line", func(b *strings.Builder, size int) {
			fill(b, size, func(i int) { fmt.Fprintf(b, "table T%d { a:[] } ", i) })
		}),
	}...)
}

// BinarySchemas are families of .bfbs files that share what writers do not share.
func BinarySchemas() []Family {
	finish := func(b *flatbuffers.Builder, objects flatbuffers.UOffsetT) []byte {
		b.StartVector(4, 0, 4)
		enums := b.EndVector(0)
		b.StartObject(8)
		b.PrependUOffsetTSlot(0, objects, 0)
		b.PrependUOffsetTSlot(1, enums, 0)
		b.FinishWithFileIdentifier(b.EndObject(), []byte("BFBS"))
		return b.FinishedBytes()
	}
	list := func(b *flatbuffers.Builder, offsets []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
		b.StartVector(4, len(offsets), 4)
		for i := len(offsets) - 1; i >= 0; i-- {
			b.PrependUOffsetT(offsets[i])
		}
		return b.EndVector(len(offsets))
	}
	object := func(b *flatbuffers.Builder, i int, fields, doc flatbuffers.UOffsetT) flatbuffers.UOffsetT {
		name := b.CreateString(fmt.Sprintf("T%08d", i))
		b.StartObject(8)
		b.PrependUOffsetTSlot(0, name, 0)
		b.PrependUOffsetTSlot(1, fields, 0)
		b.PrependInt32Slot(3, 1, 0)
		b.PrependUOffsetTSlot(6, doc, 0)
		return b.EndObject()
	}
	return []Family{
		{Name: "shared docs", Of: "binary schemas", Make: func(size int) []byte {
			b := flatbuffers.NewBuilder(size)
			none := list(b, nil)
			line := b.CreateString("a line")
			lines := make([]flatbuffers.UOffsetT, size/8)
			for i := range lines {
				lines[i] = line
			}
			doc := list(b, lines)
			var objects []flatbuffers.UOffsetT
			for i := range size / 96 {
				objects = append(objects, object(b, i, none, doc))
			}
			return finish(b, list(b, objects))
		}},
		{Name: "a shared long line", Of: "binary schemas", Make: func(size int) []byte {
			b := flatbuffers.NewBuilder(size)
			none := list(b, nil)
			doc := list(b, []flatbuffers.UOffsetT{b.CreateString(strings.Repeat("\xff", size/2))})
			var objects []flatbuffers.UOffsetT
			for i := range size / 96 {
				objects = append(objects, object(b, i, none, doc))
			}
			return finish(b, list(b, objects))
		}},
		{Name: "shared fields", Of: "binary schemas", Make: func(size int) []byte {
			b := flatbuffers.NewBuilder(size)
			b.StartObject(6)
			b.PrependByteSlot(0, 7, 0)
			typ := b.EndObject()
			var fields []flatbuffers.UOffsetT
			for i := range min(size/160, 30000) {
				name := b.CreateString(fmt.Sprintf("f%06d", i))
				b.StartObject(14)
				b.PrependUOffsetTSlot(0, name, 0)
				b.PrependUOffsetTSlot(1, typ, 0)
				b.PrependUint16Slot(2, uint16(i), 0)
				fields = append(fields, b.EndObject())
			}
			shared := list(b, fields)
			var objects []flatbuffers.UOffsetT
			for i := range size / 96 {
				objects = append(objects, object(b, i, shared, 0))
			}
			return finish(b, list(b, objects))
		}},
		{Name: "one table many times", Of: "binary schemas", Make: func(size int) []byte {
			b := flatbuffers.NewBuilder(size)
			one := object(b, 0, list(b, nil), 0)
			objects := make([]flatbuffers.UOffsetT, size/4)
			for i := range objects {
				objects[i] = one
			}
			return finish(b, list(b, objects))
		}},
	}
}
