package growth

import (
	"fmt"
	"math/rand/v2"
	"strings"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Schema is the schema of the buffers, with so many fields in its widest table, 10 at least.
// Node is what sharing, nesting and overlap are made of; the fields of Wide are what vtables
// differ by: every other one is a vector, and every eighth a number.
func Schema(fields int) string {
	var b strings.Builder
	b.WriteString(`
enum Kind:ubyte { A, B, C }
struct Point { set:bool; kind:Kind; x:int; }
table Keyed { key:string (key); }
table Other { child:Node; word:string; }
union Any { Node, Other, Text:string, Point }
/// A node.
table Node {
  child:Node;
  children:[Node];
  any:Any;
  anys:[Any];
  nested:[ubyte] (nested_flatbuffer:"Node");
  words:[string];
  word:string;
  bytes:[ubyte];
  points:[Point];
  keyed:[Keyed];
  others:[Other];
  wides:[Wide];
}
table Wide {
`)
	for i := range fields {
		kind := "[ubyte]"
		if i%2 == 1 {
			kind = []string{"int", "string", "Node", "[Point]"}[i/2%4]
		}
		fmt.Fprintf(&b, "  /// The field number %d.\n  field_%d:%s;\n", i, i, kind)
	}
	b.WriteString("}\nroot_type Node;\n")
	return b.String()
}

// The slots of Node.
const (
	slotChild = iota
	slotChildren
	slotAnyType
	slotAny
	slotAnysType
	slotAnys
	slotNested
	slotWords
	slotWord
	slotBytes
	slotPoints
	slotKeyed
	slotOthers
	slotWides
	nodeSlots
)

// The tags of Any.
const (
	tagNode  = 1
	tagOther = 2
	tagText  = 3
	tagPoint = 4
)

// builder puts ingredients on top of one another. Positions count from the end, as those of
// the builder below do.
type builder struct {
	*flatbuffers.Builder
	fields int // of Node
	r      *rand.Rand
}

type offset = flatbuffers.UOffsetT

func (b *builder) node(set func()) offset {
	b.StartObject(nodeSlots)
	set()
	return b.EndObject()
}

func (b *builder) leaf() offset { return b.node(func() {}) }

// repeat writes a vector of count offsets to one thing.
func (b *builder) repeat(count int, at offset) offset {
	b.StartVector(4, count, 4)
	for range count {
		b.PrependUOffsetT(at)
	}
	return b.EndVector(count)
}

func (b *builder) offsets(list []offset) offset {
	b.StartVector(4, len(list), 4)
	for i := len(list) - 1; i >= 0; i-- {
		b.PrependUOffsetT(list[i])
	}
	return b.EndVector(len(list))
}

func (b *builder) tags(count int, tag byte) offset {
	b.StartVector(1, count, 1)
	for range count {
		b.PrependByte(tag)
	}
	return b.EndVector(count)
}

func (b *builder) refer(slot int, at offset) func() {
	return func() { b.PrependUOffsetTSlot(slot, at, 0) }
}

// An ingredient takes about room bytes and returns a node that has what was below in it.
type ingredient struct {
	name string
	add  func(b *builder, below offset, room int) offset
}

func ingredients() []ingredient {
	return []ingredient{
		{"chain", func(b *builder, at offset, room int) offset {
			// Deeper than that is refused, so the rest of the room is siblings.
			deep := min(room/8, 24)
			for range deep {
				at = b.node(b.refer(slotChild, at))
			}
			return at
		}},
		{"shared tables", func(b *builder, at offset, room int) offset {
			return b.node(b.refer(slotChildren, b.repeat(max(1, room/4), at)))
		}},
		{"tables that share", func(b *builder, at offset, room int) offset {
			list := make([]offset, max(1, room/12))
			for i := range list {
				list[i] = b.node(b.refer(slotChild, at))
			}
			return b.node(b.refer(slotChildren, b.offsets(list)))
		}},
		{"shared union members", func(b *builder, at offset, room int) offset {
			n := max(1, room/5)
			tags, values := b.tags(n, tagNode), b.repeat(n, at)
			return b.node(func() {
				b.PrependUOffsetTSlot(slotAnysType, tags, 0)
				b.PrependUOffsetTSlot(slotAnys, values, 0)
			})
		}},
		{"union members of all kinds", func(b *builder, at offset, room int) offset {
			n := max(1, room/24)
			tags, values := make([]byte, n), make([]offset, n)
			for i := range n {
				tags[i] = byte(1 + b.r.IntN(4))
				switch tags[i] {
				case tagNode:
					values[i] = at
				case tagOther:
					b.StartObject(2)
					b.PrependUOffsetTSlot(0, at, 0)
					values[i] = b.EndObject()
				case tagText:
					values[i] = b.CreateString("text")
				case tagPoint:
					b.Prep(4, 8)
					b.PrependUint32(7)
					b.PrependUint32(1)
					values[i] = b.Offset()
				}
			}
			types, list := b.CreateByteVector(tags), b.offsets(values)
			return b.node(func() {
				b.PrependUOffsetTSlot(slotAnysType, types, 0)
				b.PrependUOffsetTSlot(slotAnys, list, 0)
			})
		}},
		{"two ways down", func(b *builder, at offset, room int) offset {
			for range min(max(1, room/20), 16) {
				below := at
				at = b.node(func() {
					b.PrependUOffsetTSlot(slotChild, below, 0)
					b.PrependByteSlot(slotAnyType, tagNode, 0)
					b.PrependUOffsetTSlot(slotAny, below, 0)
				})
			}
			return at
		}},
		{"shared nested buffer", func(b *builder, at offset, room int) offset {
			inner := Compose(b.r.Uint64(), b.fields, room/2, 2)
			data := b.CreateByteVector(inner)
			list := make([]offset, max(1, room/24))
			for i := range list {
				list[i] = b.node(b.refer(slotNested, data))
			}
			list[0] = b.node(func() {
				b.PrependUOffsetTSlot(slotNested, data, 0)
				b.PrependUOffsetTSlot(slotChild, at, 0)
			})
			return b.node(b.refer(slotChildren, b.offsets(list)))
		}},
		{"shared words", func(b *builder, at offset, room int) offset {
			text := b.CreateString(strings.Repeat("wörter ", max(1, room/16)))
			words := b.repeat(max(1, room/8), text)
			return b.node(func() {
				b.PrependUOffsetTSlot(slotWords, words, 0)
				b.PrependUOffsetTSlot(slotChild, at, 0)
			})
		}},
		{"overlapping strings", func(b *builder, at offset, room int) offset { return b.overlapping(at, room, slotWords) }},
		{"overlapping vectors", func(b *builder, at offset, room int) offset { return b.overlapping(at, room, slotBytes) }},
		{"overlapping structs", func(b *builder, at offset, room int) offset { return b.overlapping(at, room, slotPoints) }},
		{"keys that share", func(b *builder, at offset, room int) offset {
			key := b.CreateString(strings.Repeat("k", max(1, room/2)))
			list := make([]offset, max(1, room/32))
			for i := range list {
				b.StartObject(1)
				b.PrependUOffsetTSlot(0, key, 0)
				list[i] = b.EndObject()
			}
			keyed := b.offsets(list)
			return b.node(func() {
				b.PrependUOffsetTSlot(slotKeyed, keyed, 0)
				b.PrependUOffsetTSlot(slotChild, at, 0)
			})
		}},
		{"vtables all distinct", func(b *builder, at offset, room int) offset {
			b.Pad(4 * variants) // what the numbers of the last tables are read from
			list := make([]offset, max(1, (room-4*variants)/(16+2*b.fields)))
			for i := range list {
				list[i] = b.ownVTable(i)
			}
			return b.wides(list, at)
		}},
		{"vtables that overlap", func(b *builder, at offset, room int) offset { return b.overlappingVTables(at, room) }},
		{"one vtable, very many tables", func(b *builder, at offset, room int) offset {
			list := make([]offset, max(1, room/16))
			for i := range list {
				list[i] = b.node(func() { b.PrependUOffsetTSlot(slotChild, at, 0) })
			}
			return b.node(b.refer(slotChildren, b.offsets(list)))
		}},
	}
}

// overlapping writes a run of words that are all lengths, each that of a vector or string
// up to the end of the run, and a table for each.
func (b *builder) overlapping(at offset, room int, slot int) offset {
	size := 1
	if slot == slotPoints {
		size = 8
	}
	words := max(2, room/4/5)
	b.Prep(4, 4*words)
	b.PrependUint32(0)
	heads := make([]offset, words)
	for i := range words {
		length := uint32(4*i) / uint32(size)
		if slot == slotWords {
			length = textLength(uint32(4 * i))
		}
		b.PrependUint32(length)
		heads[i] = b.Offset()
	}
	if slot == slotWords {
		vector := b.offsets(heads)
		return b.node(func() {
			b.PrependUOffsetTSlot(slotWords, vector, 0)
			b.PrependUOffsetTSlot(slotChild, at, 0)
		})
	}
	list := make([]offset, words)
	for i := range list {
		list[i] = b.node(b.refer(slot, heads[i]))
	}
	list[0] = b.node(b.refer(slotChild, at))
	return b.node(b.refer(slotChildren, b.offsets(list)))
}

// textLength is a length up to most, and near it, whose own bytes are ASCII, and that ends
// where such a length has its highest byte, which is zero; 3 where there is none.
func textLength(most uint32) uint32 {
	n := uint32(0)
	for shift := 24; shift >= 0; shift -= 8 {
		digit := most >> shift & 0xff
		if digit > 0x7f { // all that follows may be the largest
			n |= 0x7f7f7f7f & (1<<(shift+8) - 1)
			break
		}
		n |= digit << shift
	}
	for n > 3 && (n&3 != 3 || n&0x80808080 != 0) {
		n--
	}
	return max(n, 3)
}

// variants is how many values each number of a vtable of its own has.
const variants = 512

// wides writes a node with these tables.
func (b *builder) wides(list []offset, below offset) offset {
	wides := b.offsets(list)
	return b.node(func() {
		b.PrependUOffsetTSlot(slotWides, wides, 0)
		b.PrependUOffsetTSlot(slotChild, below, 0)
	})
}

// ownVTable writes a table Wide whose vtable says of two of its numbers, by where they lie,
// which table it is: no two vtables are the same. The builder below would look for an equal
// one among all that it wrote.
func (b *builder) ownVTable(number int) offset {
	slots := b.fields &^ 1
	size := 4 + 2*slots
	b.Prep(4, size+4)
	b.PrependInt32(int32(size))
	table := b.Offset()
	for slot := slots - 1; slot >= 0; slot-- {
		at := 0
		switch slot {
		case 1:
			at = 4 * (1 + number%variants)
		case 9:
			at = 4 * (1 + number/variants%variants)
		}
		b.PrependUint16(uint16(at))
	}
	b.PrependUint16(8)
	b.PrependUint16(uint16(size))
	return table
}

// overlappingVTables writes tables whose vtables begin a word after one another in a run of
// words that are all a vtable's size. Half of their slots are that too, and where they lead
// is the offset of a later table to its vtable, which as an offset leads to zeros: an empty
// vector.
func (b *builder) overlappingVTables(at offset, room int) offset {
	size := (4 + 2*b.fields) &^ 3
	words := max(2, (room-3*size)/16)
	toVTable := uint32(4*words + size)
	b.Prep(4, 4)
	for range words + size/4 + 4 {
		b.PrependUint32(0)
	}
	for range size / 4 {
		b.PrependUint32(toVTable)
	}
	tables := make([]offset, words)
	for i := range tables {
		b.PrependUint32(toVTable)
		tables[i] = b.Offset()
	}
	for range words + size/4 {
		b.PrependUint32(uint32(size))
	}
	return b.wides(tables, at)
}

// Compose makes a buffer of about size bytes from layers of ingredients that follow from the
// seed. Where they nest deeper than a verification allows by default it is refused, which
// has to be cheap as well.
func Compose(seed uint64, fields, size, layers int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	b := &builder{flatbuffers.NewBuilder(size + 1<<10), fields, r}
	all, at := ingredients(), b.leaf()
	left := size
	for i := range layers {
		share := left
		if i < layers-1 {
			share = left / (2 + r.IntN(3))
		}
		at = all[r.IntN(len(all))].add(b, at, share)
		left = max(64, size-int(b.Offset()))
	}
	b.Finish(at)
	return b.FinishedBytes()
}

// ofFields names the group of families of a schema that has so many fields in its widest table.
func ofFields(fields int) string { return fmt.Sprintf("%d fields", fields) }

// Single are the families of one ingredient each, twice on top of itself, so that its
// sharing has something to share.
func Single(fields int) (families []Family) {
	for _, in := range ingredients() {
		families = append(families, Family{
			Name: in.name, Of: ofFields(fields), Schema: Schema(fields), Root: "Node",
			Make: func(size int) []byte {
				b := &builder{flatbuffers.NewBuilder(size + 1<<10), fields, rand.New(rand.NewPCG(1, 1))}
				at := in.add(b, b.leaf(), size/2)
				at = in.add(b, at, max(64, size-int(b.Offset())))
				b.Finish(at)
				return b.FinishedBytes()
			},
		})
	}
	return families
}

// Composed are count families from seeds from first on.
func Composed(first, count, fields int) (families []Family) {
	for seed := first; seed < first+count; seed++ {
		families = append(families, Family{
			Name: fmt.Sprintf("seed %d", seed), Of: ofFields(fields) + ", composed", Schema: Schema(fields), Root: "Node",
			Make: func(size int) []byte { return Compose(uint64(seed), fields, size, 2+seed%4) },
		})
	}
	return families
}
