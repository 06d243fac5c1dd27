// Package places knows where formats say that things lie: the few rules about bytes that are no
// FlatBuffers. Package container, which lists what a file has, and the readers, which open it, both
// follow them; what is broken each tells in its own way.
package places

import (
	"encoding/binary"
	"math"

	"github.com/fbverify/go/fbverify"
)

// The marks of formats.
const (
	Vortex = "VTXF"
	Arrow  = "ARROW1"
)

// VortexVersion is the version of Vortex files that is known.
const VortexVersion = 1

// VortexTrailer is how many bytes a Vortex file ends with after its postscript: two of version,
// two of the postscript's length, and the mark.
const VortexTrailer = 8

// Trailer reads the last bytes of a Vortex file.
func Trailer(b []byte) (version, postscript int64) {
	return int64(binary.LittleEndian.Uint16(b)), int64(binary.LittleEndian.Uint16(b[2:]))
}

// The layouts of Vortex whose children and segments are known.
const (
	LayoutFlat    = "vortex.flat" // its one segment is a serialized array
	LayoutChunked = "vortex.chunked"
	LayoutStruct  = "vortex.struct"
	LayoutZoned   = "vortex.zoned"
	LayoutStats   = "vortex.stats" // as LayoutZoned was called
	LayoutDict    = "vortex.dict"
)

// InlineArray finds the Array that a flat layout keeps in its metadata, a Protocol Buffers
// message whose field 1 it is: the segment then holds buffers only.
func InlineArray(metadata []byte) (pos, length int, ok bool) {
	const field = 1<<3 | 2 // bytes
	if len(metadata) < 2 || metadata[0] != field {
		return 0, 0, false
	}
	n, w := binary.Uvarint(metadata[1:min(len(metadata), 6)])
	if at := 1 + w; w > 0 && n > 0 && n <= uint64(len(metadata)-at) {
		return at, int(n), true
	}
	return 0, 0, false
}

// ArrowTrailer is how many bytes an Arrow file ends with after its footer: four of the
// footer's length, and the mark. ArrowHead is how many it begins with: the mark and two zeros.
const (
	ArrowTrailer = 10
	ArrowHead    = 8
)

// Continuation stands before the length of a message since version 0.15 of Arrow.
const Continuation = 0xffffffff

// MessagePrefix reads what stands before the metadata of an Arrow message: how many bytes that
// takes, 4 or 8, and the length of the metadata, 0 at the end of a stream. b has 8 bytes or,
// at the end of what there is, fewer; size is 0 where it has too few.
func MessagePrefix(b []byte) (size int, length int64) {
	if len(b) < 4 {
		return 0, 0
	}
	first := binary.LittleEndian.Uint32(b)
	if first != Continuation {
		return 4, int64(int32(first))
	}
	if len(b) < 8 {
		return 0, 0
	}
	return 8, int64(int32(binary.LittleEndian.Uint32(b[4:])))
}

// ArrowLimits are those of Arrow's C++ reader: tables nest 128 deep, and there are eight for
// each byte.
func ArrowLimits(length int64) fbverify.Options {
	tables := max(int64(1_000_000), 8*min(length, 1<<27)) // the product stays within an int32
	return fbverify.Options{MaxDepth: 128, MaxTables: int(tables)}
}

// NodeSize is the bytes of a node of FlatGeobuf's packed R-tree: four doubles and an offset.
const NodeSize = 40

// Tree is a packed R-tree. Its levels lie one after the other from the root on.
type Tree struct {
	Node   uint64 // entries to a node
	Levels []Level
}

// Level is one level of a tree, its nodes counted from the first of the root's.
type Level struct{ First, Count uint64 }

// Bytes is how many bytes the tree takes.
func (t Tree) Bytes() int64 {
	if len(t.Levels) == 0 {
		return 0
	}
	last := t.Levels[len(t.Levels)-1]
	return int64(last.First+last.Count) * NodeSize
}

// PackedTree returns the tree over count features, the last level of which are these. A node size
// of 0 or an unknown count, which is 0, mean that there is none: it has no levels. ok is false when it takes
// more than room bytes.
func PackedTree(count uint64, node uint16, room int64) (t Tree, ok bool) {
	if count == 0 || node == 0 {
		return Tree{}, true
	}
	most := uint64(max(0, room)) / NodeSize
	if count > most {
		return Tree{}, false
	}
	t.Node = max(2, uint64(node))
	counts, nodes := []uint64{count}, count
	for n := count; ; {
		n = (n + t.Node - 1) / t.Node
		counts, nodes = append(counts, n), nodes+n
		if n <= 1 {
			break
		}
	}
	if nodes > most {
		return Tree{}, false
	}
	first := uint64(0)
	for i := len(counts) - 1; i >= 0; i-- {
		t.Levels = append(t.Levels, Level{first, counts[i]})
		first += counts[i]
	}
	return t, true
}

// Box reads the box of a node: the least x and y, the greatest, and where it leads to. That is
// a node of the next level, or for one of the last level the bytes from the first feature to its own.
func Box(b []byte) (minX, minY, maxX, maxY float64, to uint64) {
	f := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:])) }
	return f(0), f(1), f(2), f(3), binary.LittleEndian.Uint64(b[32:])
}
