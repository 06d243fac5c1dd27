package inputs

import (
	"math"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Slots of the table bench.Node; the unions' types stand before their values.
const (
	nodeChild = iota
	nodeChildVector
	nodeMemberType
	nodeMember
	nodeMembersType
	nodeMembers
	nodeNested
	nodeWords
	nodeValue
	hostileFields
)

// Tags of the union bench.Any.
const (
	anyNone = iota
	anyNode
	anyText
	anyPoint
	anyLeaf
	anyFlat10
	anyTextList
	anyRow
	anyWide
)

// A Hostile is a way of making a buffer that costs a careless verifier far more
// than its size. All of them are sound: nothing in them is out of bounds, so
// they are accepted once the limits of a verification are high enough, and
// refused for a limit otherwise.
type Hostile struct {
	Name string
	Root string // the root type

	// Make returns a buffer of about size bytes, at least 1 KB.
	Make func(size int) []byte

	// Depth is how deep the tables of a buffer of size bytes nest, or 65,536
	// where that is less: the deepest that a verification can be told to allow.
	Depth func(size int) int
}

// HostileSizes are the sizes in bytes that the hostile buffers are made in.
var HostileSizes = []int{1 << 10, 16 << 10, 256 << 10, 4 << 20, 16 << 20}

// shallow is the depth of buffers that stay below the default limit of 64.
func shallow(int) int { return 64 }

// Hostiles are the hostile buffers, by what they are made of.
var Hostiles = []Hostile{
	{"tables", "bench.Node", sharedTables, shallow},
	{"fields", "bench.Node", sharedFields, shallow},
	{"unions", "bench.Node", sharedUnions, shallow},
	{"nested", "bench.Node", sharedNested, shallow},
	{"strings", "bench.Node", sharedString, shallow},
	{"string-vectors", "bench.Node", sharedWords, shallow},
	{"overlapping-strings", "bench.Node", overlappingStrings, shallow},
	{"overlapping-vectors", "bench.Node", overlappingVectors, shallow},
	{"none-unions", "bench.Node", sharedNones, shallow},
	{"chain", "bench.Node", chain, func(size int) int { return min(size/8, 1<<16) }},
	{"wide-unions", "bench.Node", wideUnions, shallow},
	{"vtables", "bench.Variety", manyVTables, shallow},
}

// node writes a table bench.Node with what is not zero.
type node struct {
	child, children, member, membersType, members, nested, words flatbuffers.UOffsetT
	memberType                                                   byte
}

func (n node) write(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	b.StartObject(hostileFields)
	b.PrependUOffsetTSlot(nodeWords, n.words, 0)
	b.PrependUOffsetTSlot(nodeNested, n.nested, 0)
	b.PrependUOffsetTSlot(nodeMembers, n.members, 0)
	b.PrependUOffsetTSlot(nodeMembersType, n.membersType, 0)
	b.PrependUOffsetTSlot(nodeMember, n.member, 0)
	b.PrependUOffsetTSlot(nodeChildVector, n.children, 0)
	b.PrependUOffsetTSlot(nodeChild, n.child, 0)
	b.PrependByteSlot(nodeMemberType, n.memberType, 0)
	return b.EndObject()
}

// repeated writes a vector of count offsets to one thing.
func repeated(b *flatbuffers.Builder, count int, at flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(4, count, 4)
	for range count {
		b.PrependUOffsetT(at)
	}
	return b.EndVector(count)
}

// levels is how many tables nest in a bomb of size bytes: as many as the
// default limit on depth allows, but fewer in small ones, so that each can
// point more than once at the one below.
func levels(size int) int { return min(60, size/64) }

// sharedTables nests vectors of tables: every element of a level's vector is
// the same table of the level below. What a plain walk meets is width to the
// power of levels.
func sharedTables(size int) []byte {
	n := levels(size)
	width := (size/n - 20) / 4
	b := flatbuffers.NewBuilder(size + 1024)
	at := node{}.write(b)
	for range n {
		at = node{children: repeated(b, width, at)}.write(b)
	}
	return finished(b, at)
}

// sharedFields nests tables that hold the table below twice, as a child and as
// a union's member: two to the power of levels from a few bytes. A vector at
// the root has as many of these as fit.
func sharedFields(size int) []byte {
	b := flatbuffers.NewBuilder(size + 1024)
	var roots []flatbuffers.UOffsetT
	for unit := 0; unit == 0 || int(b.Offset())+4*len(roots)+unit < size; unit = int(b.Offset()) / len(roots) {
		at := node{}.write(b)
		for range min(58, size/18) {
			at = node{child: at, member: at, memberType: anyNode}.write(b)
		}
		roots = append(roots, at)
	}
	return finished(b, node{children: offsets(b, roots)}.write(b))
}

// sharedUnions is sharedTables with vectors of unions.
func sharedUnions(size int) []byte {
	n := levels(size)
	width := (size/n - 22) / 5
	b := flatbuffers.NewBuilder(size + 1024)
	at := node{}.write(b)
	for range n {
		b.StartVector(1, width, 1)
		for range width {
			b.PrependByte(anyNode)
		}
		types := b.EndVector(width)
		at = node{membersType: types, members: repeated(b, width, at)}.write(b)
	}
	return finished(b, at)
}

// sharedNested nests whole buffers: the tables of each level all hold the same
// nested buffer, which is the level below.
func sharedNested(size int) []byte {
	n := min(16, size/160)
	width := (size/n - 56) / 12 // a table of 8 bytes and its offset
	var inner []byte
	for range n {
		b := flatbuffers.NewBuilder(len(inner) + size/n + 1024)
		var nested flatbuffers.UOffsetT
		if inner != nil {
			nested = b.CreateByteVector(inner)
		}
		nodes := make([]flatbuffers.UOffsetT, width)
		for i := range nodes {
			nodes[i] = node{nested: nested}.write(b)
		}
		inner = finished(b, node{children: offsets(b, nodes)}.write(b))
	}
	return inner
}

// sharedString has a vector of strings that are all the same long one.
func sharedString(size int) []byte {
	b := flatbuffers.NewBuilder(size + 1024)
	text := make([]byte, 0, size/2)
	for i := 0; len(text) < size/2-32; i++ {
		text = append(text, words[i%len(words)]...)
	}
	at := b.CreateByteString(text)
	return finished(b, node{words: repeated(b, (size/2-32)/4, at)}.write(b))
}

// sharedWords has many tables that all hold the same long vector of strings.
func sharedWords(size int) []byte {
	b := flatbuffers.NewBuilder(size + 1024)
	at := repeated(b, size/8-8, b.CreateString("Ελλάδα"))
	nodes := make([]flatbuffers.UOffsetT, (size/2-24)/12)
	for i := range nodes {
		nodes[i] = node{words: at}.write(b)
	}
	return finished(b, node{children: offsets(b, nodes)}.write(b))
}

// sharedNones has many tables that all hold the same long vector of unions,
// none of which has a value, so that no table is met in it.
func sharedNones(size int) []byte {
	b := flatbuffers.NewBuilder(size + 1024)
	count := (size/2 - 32) / 5
	b.StartVector(4, count, 4)
	for range count {
		b.PrependUint32(0)
	}
	members := b.EndVector(count)
	types := b.CreateByteVector(make([]byte, count))
	nodes := make([]flatbuffers.UOffsetT, (size/2-32)/16)
	for i := range nodes {
		nodes[i] = node{membersType: types, members: members}.write(b)
	}
	return finished(b, node{children: offsets(b, nodes)}.write(b))
}

// chain is a list of tables, each the child of the one before.
func chain(size int) []byte {
	b := flatbuffers.NewBuilder(size + 1024)
	at := node{}.write(b)
	for int(b.Offset()) < size-8 {
		at = node{child: at}.write(b)
	}
	return finished(b, at)
}

// wideUnions has vectors of unions whose members are of all kinds in turn.
func wideUnions(size int) []byte {
	r := rng(uint64(size))
	b := flatbuffers.NewBuilder(size + size/4)
	var wides []flatbuffers.UOffsetT
	for unit := 0; unit == 0 || int(b.Offset())+4*len(wides)+unit < size; unit = int(b.Offset()) / len(wides) {
		count := min(40, size/50)
		members := make([]flatbuffers.UOffsetT, count)
		tags := make([]byte, count)
		for i := range members {
			tags[i] = byte(1 + i%anyWide)
			members[i] = anyMember(b, tags[i], r.Uint64N(math.MaxInt32))
		}
		wides = append(wides, node{membersType: b.CreateByteVector(tags), members: offsets(b, members)}.write(b))
	}
	return finished(b, node{children: offsets(b, wides)}.write(b))
}

// anyMember writes a member of the union bench.Any.
func anyMember(b *flatbuffers.Builder, tag byte, v uint64) flatbuffers.UOffsetT {
	switch tag {
	case anyText:
		return b.CreateString(words[v%uint64(len(words))])
	case anyPoint:
		b.Prep(8, 16)
		b.PrependFloat64(float64(v))
		b.PrependFloat64(float64(v))
		return b.Offset()
	case anyLeaf:
		values := Values(int(v), HierFields)
		return hierTable(b, values, 0)
	case anyFlat10:
		return flatTable(b, Values(int(v), 10))
	case anyTextList:
		return textList(b, rng(v), 1)
	case anyRow:
		row := RowAt(int(v))
		return row.Build(b)
	case anyWide:
		b.StartObject(2)
		return b.EndObject()
	default:
		return node{}.write(b)
	}
}
