package growth

import (
	"fmt"
	"strings"

	flatbuffers "github.com/google/flatbuffers/go"
)

// constrainedSchema asks of its fields what the words of constraints can ask.
const constrainedSchema = `
attribute "must_index"; attribute "must_be_key_of"; attribute "must_be_sorted"; attribute "must_be_unique";
attribute "must_lie_in"; attribute "with"; attribute "must_have"; attribute "must_be_set"; attribute "must_be_known";
enum Kind:ubyte { A, B }
struct Range { at:uint (must_lie_in:"Group.bytes", with:"length"); length:uint; }
table Named { key:string (key); }
table Sized { size:uint; ranges:[Range]; }
table Node {
  left:Node; right:Node;
  index:uint (must_index:"Group.bytes");
  group:uint (must_index:"Root.groups");
  inner:uint (must_index:"Root.groups[group].bytes");
  ranges:[Range];
  kinds:[Kind] (must_be_known);
}
table Group {
  bytes:[ubyte];
  node:Node;
  nodes:[Node];
  refs:[uint] (must_index:"Root.groups");
  sorted:[string] (must_be_sorted);
  unique:[string] (must_be_unique);
  numbers:[uint] (must_be_unique);
  name:string (must_be_key_of:"Root.named");
  names:[string] (must_be_key_of:"Root.named");
  sized:[Sized] (must_be_sorted:"size");
  words:[string] (must_have:"<= Root.groups");
}
table Root { groups:[Group] (must_be_set); named:[Named]; group:Group; }
root_type Root;
`

// The slots of Group in constrainedSchema.
const (
	groupBytes = iota
	groupNode
	groupNodes
	groupRefs
	groupSorted
	groupUnique
	groupNumbers
	groupName
	groupNames
	groupSized
	groupWords
	groupSlots
)

// Constrained are the families of buffers of which a schema's constraints ask much: of what
// is shared they ask it once in each place, and where strings are compared these are long.
func Constrained() (families []Family) {
	add := func(name string, make func(b *builder, size int) (groups []offset, named offset)) {
		families = append(families, Family{Name: name, Of: "constraints", Schema: constrainedSchema, Root: "Root", Make: func(size int) []byte {
			b := &builder{Builder: flatbuffers.NewBuilder(size + 1<<10)}
			groups, named := make(b, size)
			list := b.offsets(groups)
			b.StartObject(3)
			b.PrependUOffsetTSlot(0, list, 0)
			b.PrependUOffsetTSlot(1, named, 0)
			b.Finish(b.EndObject())
			return b.FinishedBytes()
		}})
	}
	group := func(b *builder, slots ...offset) offset { // pairs of a slot and what is there
		b.StartObject(groupSlots)
		for i := 0; i < len(slots); i += 2 {
			b.PrependUOffsetTSlot(int(slots[i]), slots[i+1], 0)
		}
		return b.EndObject()
	}
	node := func(b *builder, left, right offset, index uint32) offset {
		b.StartObject(7)
		b.PrependUOffsetTSlot(0, left, 0)
		b.PrependUOffsetTSlot(1, right, 0)
		b.PrependUint32Slot(2, index, 0)
		return b.EndObject()
	}
	numbers := func(b *builder, n int, f func(i int) uint32) offset {
		b.StartVector(4, n, 4)
		for i := n - 1; i >= 0; i-- {
			b.PrependUint32(f(i))
		}
		return b.EndVector(n)
	}
	// groups makes groups of what is shared by all, each with bytes of its own number.
	groups := func(b *builder, room int, slots ...offset) (list []offset) {
		for i := range max(2, room/40) {
			bytes := b.CreateByteVector(make([]byte, 3+i%9))
			list = append(list, group(b, append([]offset{groupBytes, bytes}, slots...)...))
		}
		return list
	}
	add("groups that share a tree", func(b *builder, size int) ([]offset, offset) {
		at := node(b, 0, 0, 2)
		for i := range min(size/64, 40) {
			at = node(b, at, at, uint32(i%3))
		}
		return groups(b, size, groupNode, at), 0
	})
	add("groups that share many nodes", func(b *builder, size int) ([]offset, offset) {
		leaf, n := node(b, 0, 0, 1), max(1, size/2/24)
		list := make([]offset, n)
		for i := range list {
			list[i] = node(b, leaf, 0, uint32(i%3))
		}
		return groups(b, size/2, groupNodes, b.offsets(list)), 0
	})
	add("groups that share indexes", func(b *builder, size int) ([]offset, offset) {
		refs := numbers(b, size/8, func(i int) uint32 { return uint32(i & 1) })
		return groups(b, size/2, groupRefs, refs), 0
	})
	add("groups that share numbers, all distinct", func(b *builder, size int) ([]offset, offset) {
		return groups(b, size/2, groupNumbers, numbers(b, size/8, func(i int) uint32 { return uint32(i) * 2654435761 })), 0
	})
	add("numbers, all distinct", func(b *builder, size int) ([]offset, offset) {
		return []offset{group(b, groupNumbers, numbers(b, size/4, func(i int) uint32 { return uint32(i) * 2654435761 }))}, 0
	})
	add("one long text, sorted", func(b *builder, size int) ([]offset, offset) {
		text := b.CreateString(strings.Repeat("k", size/2))
		return []offset{group(b, groupSorted, b.repeat(size/8, text))}, 0
	})
	add("groups that share texts, sorted", func(b *builder, size int) ([]offset, offset) {
		var list []offset
		for i := range size / 2 / 20 {
			list = append(list, b.CreateString(fmt.Sprintf("k%07d", i)))
		}
		return groups(b, size/2, groupSorted, b.offsets(list)), 0
	})
	add("texts, all distinct", func(b *builder, size int) ([]offset, offset) {
		var list []offset
		for i := range size / 20 {
			list = append(list, b.CreateString(fmt.Sprintf("k%07d", uint32(i)*2654435761%10_000_000)))
		}
		return []offset{group(b, groupUnique, b.offsets(list))}, 0
	})
	add("texts within one another, all distinct", func(b *builder, size int) ([]offset, offset) {
		words := size / 12
		b.Prep(4, 4*words)
		b.PrependUint32(0)
		list := make([]offset, words)
		for i := range words {
			b.PrependUint32(textLength(uint32(4 * i)))
			list[i] = b.Offset()
		}
		return []offset{group(b, groupUnique, b.offsets(list))}, 0
	})
	keyed := func(b *builder, keys []offset) offset {
		list := make([]offset, len(keys))
		for i, k := range keys {
			b.StartObject(1)
			b.PrependUOffsetTSlot(0, k, 0)
			list[i] = b.EndObject()
		}
		return b.offsets(list)
	}
	long := func(b *builder, size int) (keys []offset, name offset) {
		text := strings.Repeat("k", size/8)
		for i := range 3 { // each a long way alike
			keys = append(keys, b.CreateString(text+fmt.Sprint(i)))
		}
		return keys, b.CreateString(text + "1")
	}
	add("one long name, looked up in each group", func(b *builder, size int) ([]offset, offset) {
		keys, name := long(b, size)
		return groups(b, size/2, groupName, name), keyed(b, keys)
	})
	add("one long name again and again", func(b *builder, size int) ([]offset, offset) {
		keys, name := long(b, size)
		return []offset{group(b, groupNames, b.repeat(size/8, name))}, keyed(b, keys)
	})
	add("names, each looked up", func(b *builder, size int) ([]offset, offset) {
		var keys []offset
		for i := range size / 2 / 44 {
			keys = append(keys, b.CreateString(fmt.Sprintf("k%07d", i)))
		}
		named := keyed(b, keys)
		return []offset{group(b, groupNames, b.offsets(keys))}, named
	})
	add("one key very often", func(b *builder, size int) ([]offset, offset) {
		key := b.CreateString(strings.Repeat("k", size/4))
		b.StartObject(1)
		b.PrependUOffsetTSlot(0, key, 0)
		named := b.repeat(size/8, b.EndObject())
		return groups(b, size/2, groupName, key), named
	})
	add("groups that share ranges", func(b *builder, size int) ([]offset, offset) {
		n := size / 16
		b.StartVector(8, n, 4)
		for range n {
			b.Prep(4, 8)
			b.PrependUint32(1)
			b.PrependUint32(1)
		}
		ranges := b.EndVector(n)
		b.StartObject(7)
		b.PrependUOffsetTSlot(5, ranges, 0)
		shared := b.EndObject()
		return groups(b, size/2, groupNode, shared), 0
	})
	add("groups that share words", func(b *builder, size int) ([]offset, offset) {
		word := b.CreateString("word")
		return groups(b, size/2, groupWords, b.repeat(max(1, size/100), word)), 0
	})
	return families
}
