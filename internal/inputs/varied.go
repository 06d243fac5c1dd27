package inputs

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	flatbuffers "github.com/google/flatbuffers/go"
)

// The buffers here have the shapes that nobody chose for a benchmark: many kinds
// of siblings, vtables that differ, small nested buffers, small messages, trees
// whose tables lie anywhere.

// Siblings returns a layout with count children that come with so many vtables,
// at most 96, in random order. Children have the same four fields; vtables
// differ in the order of the fields, as writers choose it, and in which of them
// are absent.
func Siblings(count, kinds int) Buffer {
	r := rng(uint64(count)<<16 | uint64(kinds))
	b := flatbuffers.NewBuilder(1 << 16)
	orders := permutations([]int{layoutEncoding, layoutRowCount, layoutMetadata, layoutSegments})
	children := make([]flatbuffers.UOffsetT, count)
	for i := range children {
		kind := r.IntN(kinds)
		if i < kinds {
			kind = i // each occurs
		}
		metadata := b.CreateByteVector(blob(r, 12))
		segments := uint32s(b, []uint32{uint32(i)})
		absent := kind / len(orders) // 0: none; else the field of that place
		b.StartObject(layoutFields)
		for place, field := range orders[kind%len(orders)] {
			if place+1 == absent {
				continue
			}
			switch field {
			case layoutEncoding:
				b.PrependUint16Slot(field, encodingFlat+1, 0)
			case layoutRowCount:
				b.PrependUint64Slot(field, rowsPerChunk, 0)
			case layoutMetadata:
				b.PrependUOffsetTSlot(field, metadata, 0)
			case layoutSegments:
				b.PrependUOffsetTSlot(field, segments, 0)
			}
		}
		children[i] = b.EndObject()
	}
	root := layout(b, encodingChunked, rowsPerChunk, nil, children, nil)
	return Buffer{Name: fmt.Sprint(kinds), Bytes: finished(b, root), Tables: 1 + count}
}

// permutations returns all orders of some things.
func permutations(of []int) [][]int {
	if len(of) == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for i, first := range of {
		for _, rest := range permutations(slices.Concat(of[:i], of[i+1:])) {
			all = append(all, append([]int{first}, rest...))
		}
	}
	return all
}

func uint32s(b *flatbuffers.Builder, values []uint32) flatbuffers.UOffsetT {
	b.StartVector(4, len(values), 4)
	for i := len(values) - 1; i >= 0; i-- {
		b.PrependUint32(values[i])
	}
	return b.EndVector(len(values))
}

// VTables returns a bench.Variety of so many tables, which have so many vtables
// between them, all different and met in random order; as many as there are
// tables means that each is met once.
func VTables(tables, vtables int) Buffer {
	r := rng(uint64(tables)<<20 | uint64(vtables))
	w, first := varietyHead(tables)
	known := map[string]int{} // position by contents
	var positions []int
	for len(positions) < vtables {
		entries := choice(r)
		key := fmt.Sprint(entries)
		if _, ok := known[key]; ok {
			continue
		}
		known[key] = len(w)
		positions = append(positions, len(w))
		w.vtable(entries)
	}
	order := make([]int, tables)
	for i := range order {
		order[i] = i % vtables
	}
	r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for i, vtable := range order {
		at := first + 4*i
		binary.LittleEndian.PutUint32(w[at:], uint32(len(w)-at))
		w.u32(uint32(len(w) - positions[vtable]))
		for range varietyPresent {
			w.u32(r.Uint32())
		}
	}
	return Buffer{Name: fmt.Sprintf("%dx%d", tables, vtables), Bytes: w, Tables: 1 + tables}
}

// Nested returns a bench.Envelopes of count tables, each of which holds a buffer
// of its own of 12 bytes, a table without fields, or of 60, two strings.
func Nested(count, bytes int) Buffer {
	var inner []byte
	b := flatbuffers.NewBuilder(128)
	switch bytes {
	case 12:
		b.StartObject(0)
		inner = finished(b, b.EndObject())
	case 60:
		lines := offsets(b, []flatbuffers.UOffsetT{b.CreateString("Dear Sir")})
		title := b.CreateString("Letter")
		b.StartObject(2)
		b.PrependUOffsetTSlot(1, lines, 0)
		b.PrependUOffsetTSlot(0, title, 0)
		inner = finished(b, b.EndObject())
	}
	if len(inner) != bytes {
		panic(fmt.Sprintf("inputs: a nested buffer of %d bytes has %d", bytes, len(inner)))
	}
	b = flatbuffers.NewBuilder(1 << 16)
	envelopes := make([]flatbuffers.UOffsetT, count)
	for i := range envelopes {
		b.StartVector(1, len(inner), 8)
		for j := len(inner) - 1; j >= 0; j-- {
			b.PlaceByte(inner[j])
		}
		letter := b.EndVector(len(inner))
		b.StartObject(1)
		b.PrependUOffsetTSlot(0, letter, 0)
		envelopes[i] = b.EndObject()
	}
	envelopesAt := offsets(b, envelopes)
	b.StartObject(1)
	b.PrependUOffsetTSlot(0, envelopesAt, 0)
	return Buffer{Name: fmt.Sprint(bytes), Bytes: finished(b, b.EndObject()), Tables: 1 + 2*count}
}

// SmallRow returns a bench.Row of 96 bytes.
func SmallRow() Buffer {
	b := flatbuffers.NewBuilder(256)
	row := Row{ID: 7, At: 1_700_000_000_000_000_000, Price: 101.5, Quantity: 12, Side: 1, Symbol: "ACME", Venue: "London"}
	return exactly(96, Buffer{Name: "96", Bytes: finished(b, row.Build(b)), Tables: 1})
}

// Person returns a bench.Person of 232 bytes: short strings, a table, a vector of
// strings.
func Person() Buffer {
	b := flatbuffers.NewBuilder(512)
	name, email := b.CreateString("Ada Lovelace"), b.CreateString("ada@example.org")
	street, city, country := b.CreateString("12 St James's Square, 2nd floor left"), b.CreateString("London"), b.CreateString("GB")
	b.StartObject(3)
	b.PrependUOffsetTSlot(2, country, 0)
	b.PrependUOffsetTSlot(1, city, 0)
	b.PrependUOffsetTSlot(0, street, 0)
	address := b.EndObject()
	tags := offsets(b, []flatbuffers.UOffsetT{b.CreateString("mathematics"), b.CreateString("engines")})
	b.StartObject(6)
	b.PrependUint64Slot(0, 1815, 0)
	b.PrependUOffsetTSlot(5, tags, 0)
	b.PrependUOffsetTSlot(4, address, 0)
	b.PrependUOffsetTSlot(2, email, 0)
	b.PrependUOffsetTSlot(1, name, 0)
	b.PrependUint16Slot(3, 36, 0)
	return exactly(232, Buffer{Name: "232", Bytes: finished(b, b.EndObject()), Tables: 2})
}

func exactly(bytes int, in Buffer) Buffer {
	if len(in.Bytes) != bytes {
		panic(fmt.Sprintf("inputs: a message of %d bytes has %d", bytes, len(in.Bytes)))
	}
	return in
}

// Tree returns a full binary tree of bench.Tree with so many levels. Tables lie in
// random order, but after their parents, since offsets lead forward only.
func Tree(levels int) Buffer {
	r := rng(uint64(levels))
	count := 1<<levels - 1
	// Heap order: the children of i are 2i+1 and 2i+2.
	place := make([]int, count) // in the order of the buffer
	open := []int{0}
	for next := 0; len(open) > 0; next++ {
		i := r.IntN(len(open))
		table := open[i]
		open[i] = open[len(open)-1]
		open = open[:len(open)-1]
		place[table] = next
		if 2*table+2 < count {
			open = append(open, 2*table+1, 2*table+2)
		}
	}
	order := make([]int, count)
	for table, p := range place {
		order[p] = table
	}
	const (
		inner, leaf = 4, 14 // positions of the vtables
		first       = 24    // of the first table
		size        = 24    // of each: offset, left, right, and a value at 16
	)
	var w raw
	w.u32(first)
	for _, v := range []uint16{10, size, 4, 8, 16, 10, size, 0, 0, 16} {
		w.u16(v)
	}
	for p, table := range order {
		at := len(w)
		var left, right uint32
		vtable := leaf
		if l := 2*table + 1; l < count {
			vtable = inner
			left = uint32(size*(place[l]-p) - 4)
			right = uint32(size*(place[l+1]-p) - 8)
		}
		w.u32(uint32(at - vtable))
		w.u32(left)
		w.u32(right)
		w.u32(0)
		w.u32(r.Uint32())
		w.u32(0)
	}
	return Buffer{Name: fmt.Sprint(count), Bytes: w, Tables: count}
}

// LongStrings returns a bench.Texts with one list of count strings of about so
// many bytes each: of ASCII, or of the scripts of Texts.
func LongStrings(count, bytes int, ascii bool) Buffer {
	r := rng(uint64(count)<<32 | uint64(bytes))
	pick := func() string { return words[r.IntN(len(words))] }
	if ascii {
		pick = func() string { return asciiWords[r.IntN(len(asciiWords))] }
	}
	return texts(count, func() string {
		var text strings.Builder
		for text.Len() < bytes {
			text.WriteString(pick())
			text.WriteByte(' ')
		}
		return text.String()
	})
}

var asciiWords = []string{"the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog", "while", "numbers", "42", "count"}

// ShortStrings returns a bench.Texts with one list of count ASCII strings of 1 to
// 31 bytes.
func ShortStrings(count int) Buffer {
	r := rng(uint64(count))
	return texts(count, func() string {
		text := make([]byte, 1+r.IntN(31))
		for i := range text {
			text[i] = byte('a' + r.IntN(26))
		}
		return string(text)
	})
}

// texts returns a bench.Texts with one list.
func texts(count int, text func() string) Buffer {
	b := flatbuffers.NewBuilder(1 << 16)
	elements := make([]flatbuffers.UOffsetT, count)
	for i := range elements {
		elements[i] = b.CreateString(text())
	}
	wordsAt := offsets(b, elements)
	b.StartObject(1)
	b.PrependUOffsetTSlot(0, wordsAt, 0)
	lists := offsets(b, []flatbuffers.UOffsetT{b.EndObject()})
	b.StartObject(1)
	b.PrependUOffsetTSlot(0, lists, 0)
	return Buffer{Name: fmt.Sprint(count), Bytes: finished(b, b.EndObject()), Tables: 2}
}

// Blobs returns a bench.Blobs of count tables that hold up to 255 bytes each.
func Blobs(count int) Buffer {
	r := rng(uint64(count))
	b := flatbuffers.NewBuilder(1 << 16)
	tables := make([]flatbuffers.UOffsetT, count)
	for i := range tables {
		data := b.CreateByteVector(blob(r, r.IntN(256)))
		b.StartObject(1)
		b.PrependUOffsetTSlot(0, data, 0)
		tables[i] = b.EndObject()
	}
	tablesAt := offsets(b, tables)
	b.StartObject(1)
	b.PrependUOffsetTSlot(0, tablesAt, 0)
	return Buffer{Name: fmt.Sprint(count), Bytes: finished(b, b.EndObject()), Tables: 1 + count}
}

// Slots of tables of Arrow (schema/arrow/Schema.fbs and Message.fbs), and what
// the unions' members are called by number.
const (
	fieldName = iota
	fieldNullable
	fieldTypeType
	fieldType
	fieldDictionary
	fieldChildren
	fieldMetadata
	fieldFields
)

const (
	typeInt       = 2
	typeFloat     = 3
	typeUtf8      = 5
	typeTimestamp = 10
	headerSchema  = 1
	versionV5     = 4
)

// ArrowSchema returns an org.apache.arrow.flatbuf.Message with the schema of so
// many columns: whole numbers, floats, strings and times in turn, each with two
// pairs of metadata and an empty vector of children, as the C++ writer leaves it.
func ArrowSchema(columns int) Buffer {
	b := flatbuffers.NewBuilder(1 << 16)
	tables := 2
	pair := func(key, value string) flatbuffers.UOffsetT {
		k, v := b.CreateString(key), b.CreateString(value)
		b.StartObject(2)
		b.PrependUOffsetTSlot(1, v, 0)
		b.PrependUOffsetTSlot(0, k, 0)
		tables++
		return b.EndObject()
	}
	fields := make([]flatbuffers.UOffsetT, columns)
	for i := range fields {
		var tag byte
		var zone flatbuffers.UOffsetT
		switch i % 4 {
		case 0:
			tag = typeInt
			b.StartObject(2)
			b.PrependInt32Slot(0, 64, 0)
			b.PrependBoolSlot(1, true, false)
		case 1:
			tag = typeFloat
			b.StartObject(1)
			b.PrependInt16Slot(0, 2, 0)
		case 2:
			tag = typeUtf8
			b.StartObject(0)
		case 3:
			tag = typeTimestamp
			zone = b.CreateString("UTC")
			b.StartObject(2)
			b.PrependUOffsetTSlot(1, zone, 0)
			b.PrependInt16Slot(0, 2, 0)
		}
		kind := b.EndObject()
		metadata := offsets(b, []flatbuffers.UOffsetT{
			pair("PARQUET:field_id", fmt.Sprint(i+1)),
			pair("description", fmt.Sprintf("what column %d holds", i)),
		})
		children := offsets(b, nil)
		name := b.CreateString(fmt.Sprintf("column_%04d", i))
		b.StartObject(fieldFields)
		b.PrependUOffsetTSlot(fieldMetadata, metadata, 0)
		b.PrependUOffsetTSlot(fieldChildren, children, 0)
		b.PrependUOffsetTSlot(fieldType, kind, 0)
		b.PrependUOffsetTSlot(fieldName, name, 0)
		b.PrependByteSlot(fieldTypeType, tag, 0)
		b.PrependBoolSlot(fieldNullable, true, false)
		fields[i] = b.EndObject()
		tables += 2
	}
	fieldsAt := offsets(b, fields)
	metadata := offsets(b, []flatbuffers.UOffsetT{pair("pandas", `{"index_columns": [], "columns": []}`)})
	b.StartObject(4) // a Schema
	b.PrependUOffsetTSlot(2, metadata, 0)
	b.PrependUOffsetTSlot(1, fieldsAt, 0)
	schema := b.EndObject()
	b.StartObject(5) // a Message
	b.PrependUOffsetTSlot(2, schema, 0)
	b.PrependInt16Slot(0, versionV5, 0)
	b.PrependByteSlot(1, headerSchema, 0)
	return Buffer{Name: fmt.Sprint(columns), Bytes: finished(b, b.EndObject()), Tables: tables}
}

// VortexFooter returns a Footer of Vortex, as a file of 32 columns has it: ids of
// 40 encodings of arrays and 8 of layouts, and the places of so many segments.
func VortexFooter(segments int) Buffer {
	b := flatbuffers.NewBuilder(1 << 16)
	specs := func(count int, name string) flatbuffers.UOffsetT {
		tables := make([]flatbuffers.UOffsetT, count)
		for i := range tables {
			id := b.CreateString(fmt.Sprintf(name, i))
			b.StartObject(1)
			b.PrependUOffsetTSlot(0, id, 0)
			tables[i] = b.EndObject()
		}
		return offsets(b, tables)
	}
	arrays, layouts := specs(40, "vortex.encoding%d"), specs(8, "vortex.layout%d")
	b.StartVector(16, segments, 8)
	for i := segments - 1; i >= 0; i-- { // offset, length, alignment_exponent, _compression, _encryption
		b.Prep(8, 16)
		b.PrependUint16(0)
		b.PrependByte(0)
		b.PrependByte(6)
		b.PrependUint32(4096)
		b.PrependUint64(uint64(i) * 4096)
	}
	segmentsAt := b.EndVector(segments)
	b.StartObject(5)
	b.PrependUOffsetTSlot(2, segmentsAt, 0)
	b.PrependUOffsetTSlot(1, layouts, 0)
	b.PrependUOffsetTSlot(0, arrays, 0)
	return Buffer{Name: "footer", Bytes: finished(b, b.EndObject()), Tables: 1 + 48}
}

// choice returns the entries of a vtable of bench.Flat100 that has a few fields
// of four bytes, chosen at random, in random order.
func choice(r *rand.Rand) []uint16 {
	var chosen []int
	for len(chosen) < varietyPresent {
		slot := r.IntN(varietySlots)
		if flatKinds[slot%len(flatKinds)].size == 4 && !slices.Contains(chosen, slot) {
			chosen = append(chosen, slot)
		}
	}
	entries := make([]uint16, slices.Max(chosen)+1)
	for place, slot := range chosen {
		entries[slot] = uint16(4 + 4*place)
	}
	return entries
}
