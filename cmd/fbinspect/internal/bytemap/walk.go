package bytemap

import (
	"encoding/binary"
	"sort"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/schema"
)

// Of maps a buffer. faults are what [fbverify.Type.Explain] says of it, with the
// same framing.
func Of(t *fbverify.Type, buf []byte, framing fbverify.Framing, faults []*fbverify.Error) *Map {
	w := &walker{
		m: &Map{Buf: buf, Type: t}, schema: t.Schema(), taken: newClaims(len(buf)),
		seen: map[key]int{}, nested: map[*schema.Field]*schema.Object{}, newer: map[newerKey][]int{},
	}
	w.m.Faults = append(w.m.Faults, faults...)
	sort.SliceStable(w.m.Faults, func(i, j int) bool { return w.m.Faults[i].Offset < w.m.Faults[j].Offset })
	w.whole(t.Root(), framing)
	for len(w.queue) > 0 {
		next := w.queue[0]
		w.queue = w.queue[1:]
		w.visit(next)
	}
	w.rest()
	return w.m
}

// newerKey is a vtable and the type that it is read as.
type newerKey struct {
	vtable int
	def    *schema.Object
}

// area is a buffer's range of bytes: offsets do not lead out of it.
type area struct{ start, end int }

// key tells objects apart. One run of bytes may be read as two types.
type key struct {
	pos  int
	kind ObjectKind
	def  any // *schema.Object of tables and structs, element type of vectors
}

type elemKey struct {
	base schema.BaseType
	size int
	def  *schema.Object
	enum *schema.Enum
}

// item is an object to visit.
type item struct {
	object int
	area   area
	tags   int // of a vector of unions: where the tags are, and how many; 0 = none
	ntags  int
}

type walker struct {
	m      *Map
	schema *schema.Schema
	taken  claims
	seen   map[key]int
	queue  []item
	nested map[*schema.Field]*schema.Object // nil = none
	end    int                              // of the message
	newer  map[newerKey][]int               // where tables have fields that the schema does not know
}

func (w *walker) u16(pos int) int { return int(binary.LittleEndian.Uint16(w.m.Buf[pos:])) }
func (w *walker) u32(pos int) uint64 {
	return uint64(binary.LittleEndian.Uint32(w.m.Buf[pos:]))
}

// fits reports whether size bytes at pos lie in the area.
func (a area) fits(pos, size int) bool {
	return pos >= a.start && size >= 0 && pos <= a.end && size <= a.end-pos
}

// span takes bytes for a meaning, and reports whether they were free.
func (w *walker) span(s Span) bool {
	if s.Size == 0 {
		return true
	}
	if !w.taken.take(s.Pos, s.End()) {
		return false
	}
	if s.Kind != Offset && s.Kind != RootOffset && s.Kind != VTableOffset {
		s.Target = -1
	}
	w.m.Spans = append(w.m.Spans, s)
	return true
}

// whole starts with what every buffer starts with.
func (w *walker) whole(root *schema.Object, framing fbverify.Framing) {
	n, prefix := len(w.m.Buf), framing.Prefix()
	w.m.Objects = append(w.m.Objects, Object{Kind: Buffer, Size: n, Parent: -1, Index: -1, Def: root, VTable: -1})
	message, _, _ := framing.Message(w.m.Buf) // what is wrong with it is one of the faults
	w.end = len(message)
	if prefix > 0 && n >= prefix {
		w.span(Span{Pos: 0, Size: prefix, Kind: SizePrefix})
	}
	w.root(0, area{min(prefix, n), w.end}, root, 1)
}

// root follows the root offset of a buffer, the whole or a nested one.
func (w *walker) root(object int, a area, root *schema.Object, depth int) {
	if !a.fits(a.start, 4) {
		return
	}
	target := -1
	if pos, ok := w.follow(a, a.start, false); ok && a.fits(pos, 4) {
		target = w.object(Object{Kind: Table, Pos: pos, Parent: object, Index: -1, Def: root, Depth: depth}, root, a, 0, 0)
	}
	w.span(Span{Pos: a.start, Size: 4, Kind: RootOffset, Object: object, Target: target})
}

// follow returns where an offset leads, which lies in the area.
func (w *walker) follow(a area, at int, wide bool) (int, bool) {
	offset := w.u32(at)
	if wide {
		offset |= w.u32(at+4) << 32
	}
	if offset == 0 || offset >= uint64(a.end-at) {
		return 0, false
	}
	return at + int(offset), true
}

// object returns the index of the object, which is visited later if it is new. The bytes at
// its start are taken at once, so that there can be no more objects than the buffer has
// room for; where they are taken already there is no object, and the answer is -1.
func (w *walker) object(o Object, def any, a area, tags, ntags int) int {
	k := key{o.Pos, o.Kind, def}
	if i, ok := w.seen[k]; ok {
		w.m.Objects[i].Refs++
		return i
	}
	i := len(w.m.Objects)
	head := Span{Pos: o.Pos, Size: 4, Kind: Length, Object: i, Target: -1}
	switch o.Kind {
	case Table:
		head.Kind = VTableOffset
	case Vector:
		head.Size = headSize(o.Type)
	case Struct:
		head.Size = 0
	}
	if !w.span(head) {
		return -1
	}
	o.Refs, o.VTable, o.head = 1, -1, len(w.m.Spans)-1
	w.seen[k] = i
	w.m.Objects = append(w.m.Objects, o)
	w.queue = append(w.queue, item{i, a, tags, ntags})
	return i
}

func (w *walker) visit(it item) {
	switch w.m.Objects[it.object].Kind {
	case Table:
		w.table(it)
	case Vector:
		w.vector(it)
	case String:
		w.str(it)
	case Struct:
		o := &w.m.Objects[it.object]
		o.Size = o.Def.ByteSize
		if it.area.fits(o.Pos, o.Size) {
			w.structAt(it.object, o.Pos, o.Def, nil, "")
		}
	}
}

// vtable returns the vtable at pos, whose first table is the object owner; -1 where its
// bytes are taken for something else. It ends where they are: vtables that overlap would
// together be as long as the square of their bytes.
func (w *walker) vtable(pos, size, owner int) int {
	def := w.m.Objects[owner].Def
	k := key{pos, VTable, nil}
	if i, ok := w.seen[k]; ok {
		w.m.Objects[i].Refs++
		return i
	}
	i := len(w.m.Objects)
	if !w.span(Span{Pos: pos, Size: 2, Kind: VTableSize, Object: i}) {
		return -1
	}
	w.seen[k] = i
	o := Object{Kind: VTable, Pos: pos, Size: 2, Parent: owner, Refs: 1, Index: -1, Def: def, VTable: -1}
	if w.span(Span{Pos: pos + 2, Size: 2, Kind: TableSize, Object: i}) {
		for o.Size = 4; o.Size < size; o.Size += 2 {
			s := Span{Pos: pos + o.Size, Size: 2, Kind: UnknownSlot, Object: i}
			if o.Count < len(def.Fields) {
				s.Kind, s.Field = Slot, def.Fields[o.Count]
			}
			if !w.span(s) {
				break
			}
			o.Count++
		}
	}
	w.m.Objects = append(w.m.Objects, o)
	return i
}

// rest names the bytes that no object claimed, and puts the spans in order.
func (w *walker) rest() {
	n := len(w.m.Buf)
	for i := range w.m.Objects {
		o := &w.m.Objects[i]
		if o.Kind == Table && o.VTable >= 0 {
			w.unknown(i)
		}
	}
	w.identifiers()
	w.taken.runs(0, w.end, func(from, to int) {
		kind := Gap
		if to-from < maxPadding && allZero(w.m.Buf[from:to]) {
			kind = Padding
		}
		w.span(Span{Pos: from, Size: to - from, Kind: kind, Object: -1})
	})
	w.span(Span{Pos: w.end, Size: n - w.end, Kind: Trailing, Object: -1})
	sort.Slice(w.m.Spans, func(i, j int) bool { return w.m.Spans[i].Pos < w.m.Spans[j].Pos })
}

// maxPadding is more than any alignment that writers use asks for: a longer run of zeros
// was not left for alignment.
const maxPadding = 64

// identifiers takes the four bytes after a root offset for what they look like.
func (w *walker) identifiers() {
	for i := range w.m.Objects {
		o := &w.m.Objects[i]
		if o.Kind != Buffer {
			continue
		}
		at := o.Pos + 4
		if i == 0 {
			at = w.rootAt() + 4
		}
		if at+4 > w.end || w.taken.next(at, at+4, true) != at+4 {
			continue
		}
		looks := true
		for _, c := range w.m.Buf[at : at+4] {
			looks = looks && (c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_')
		}
		if looks {
			w.span(Span{Pos: at, Size: 4, Kind: Identifier, Object: i})
		}
	}
}

// rootAt returns the position of the whole buffer's root offset.
func (w *walker) rootAt() int {
	for i := range w.m.Spans {
		if s := &w.m.Spans[i]; s.Kind == RootOffset && s.Object == 0 {
			return s.Pos
		}
	}
	return 0
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
