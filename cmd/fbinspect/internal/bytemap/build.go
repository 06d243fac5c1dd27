package bytemap

import (
	"sort"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/traverse"
	"github.com/fbverify/go/schema"
)

// Of maps a buffer. faults are what [fbverify.Type.Explain] says of it, with the
// same framing.
func Of(t *fbverify.Type, buf []byte, framing fbverify.Framing, faults []*fbverify.Error) *Map {
	b := &builder{
		m: &Map{Buf: buf, Type: t}, taken: newClaims(len(buf)), seen: map[key]int{}, newer: map[newerKey][]uint16{}, ref: -1,
	}
	b.m.Faults = append(b.m.Faults, faults...)
	sort.SliceStable(b.m.Faults, func(i, j int) bool { return b.m.Faults[i].Offset < b.m.Faults[j].Offset })
	b.whole(framing)
	b.rest()
	return b.m
}

// builder makes a map of what a traversal tells.
type builder struct {
	m     *Map
	taken claims
	shift int // of the message after its prefix, whose positions the traversal counts
	end   int // of the message
	seen  map[key]int
	newer map[newerKey][]uint16 // where tables have fields that the schema does not know

	stack []frame // what the traversal is in
	ref   int     // the span of the offset that is followed next; -1 for none
}

// frame is something that the traversal is in.
type frame struct {
	object int  // -1 for a buffer whose root is not met yet
	fresh  bool // of a table: its vtable was not met before

	// Of a vector that may hold a buffer: its elements. They are bytes like others
	// unless a root is met.
	bytes Span

	buffer traverse.Event
}

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

// newerKey is a vtable and the type that it is read as.
type newerKey struct {
	vtable int
	def    *schema.Object
}

// whole starts with what every buffer starts with, and has the rest traversed. What a
// map tells of does not depend on alignment, text and terminators; those are among the
// faults.
func (b *builder) whole(framing fbverify.Framing) {
	n, prefix := len(b.m.Buf), framing.Prefix()
	b.m.Objects = append(b.m.Objects, Object{Kind: Buffer, Size: n, Parent: -1, Index: -1, Def: b.m.Type.Root(), VTable: -1})
	message, _, _ := framing.Message(b.m.Buf) // what is wrong with it is one of the faults
	b.end = len(message)
	if prefix > 0 && n >= prefix {
		b.span(Span{Pos: 0, Size: prefix, Kind: SizePrefix})
	}
	b.shift = min(prefix, n)
	options := &fbverify.Options{MaxDepth: 1 << 16, MaxTables: 1<<31 - 1, SkipAlignment: true, SkipUTF8: true, SkipNullTerminator: true}
	// How it ends is for the faults to say: an overlap of objects, at the worst.
	_ = b.m.Type.Traversal(b.m.Buf[b.shift:b.end], options).Run(b)
}

// span takes bytes for a meaning, and reports whether they were free.
func (b *builder) span(s Span) bool {
	if s.Size == 0 {
		return true
	}
	if !b.taken.take(s.Pos, s.End()) {
		return false
	}
	if s.Kind != Offset && s.Kind != RootOffset && s.Kind != VTableOffset {
		s.Target = -1
	}
	b.m.Spans = append(b.m.Spans, s)
	return true
}

// Enter is told of everything that the traversal meets.
func (b *builder) Enter(e *traverse.Event) traverse.Answer {
	ref := b.ref
	b.ref = -1
	if e.What == traverse.Field {
		return b.field(e)
	}
	if e.What == traverse.VTable {
		b.vtable(e)
		return traverse.Skip // no more of it is looked at than was free
	}
	if e.What == traverse.Buffer {
		return b.buffer(e)
	}
	object, isNew := b.object(e)
	if ref >= 0 {
		b.m.Spans[ref].Target = object
	}
	if !isNew {
		return traverse.Skip
	}
	f := frame{object: object}
	switch e.What {
	case traverse.Vector:
		if e.Sound && !b.vector(e, object, &f) {
			return traverse.Skip
		}
	case traverse.String:
		b.text(e, object)
	case traverse.Struct:
		b.structAt(object, b.at(e.Pos), e.Object, nil, "")
	}
	if e.Sound && !e.Seen && (e.What == traverse.Table || e.What == traverse.Vector) {
		b.stack = append(b.stack, f)
	}
	return traverse.Go
}

// Leave is told of the end of what was entered.
func (b *builder) Leave(e *traverse.Event) {
	last := len(b.stack) - 1
	f := b.stack[last]
	b.stack = b.stack[:last]
	if e.What == traverse.Vector && f.bytes.Size > 0 {
		b.span(f.bytes) // there is no buffer in it
	}
}

// at returns a position in the map.
func (b *builder) at(pos int) int { return pos + b.shift }

// buffer is told of a buffer, the whole or a nested one. A nested one is an object once
// its root is met.
func (b *builder) buffer(e *traverse.Event) traverse.Answer {
	if !e.Sound || e.Seen {
		return traverse.Go
	}
	f := frame{buffer: *e, object: -1}
	if len(b.stack) == 0 {
		f.object = 0
		b.ref = b.rootOffset(0, b.at(e.Data))
	}
	b.stack = append(b.stack, f)
	return traverse.Go
}

// rootOffset takes the bytes of a root offset, and returns its span.
func (b *builder) rootOffset(object, at int) int {
	if b.span(Span{Pos: at, Size: 4, Kind: RootOffset, Object: object, Target: -1}) {
		return len(b.m.Spans) - 1
	}
	return -1
}

// parent returns the object that the traversal is in.
func (b *builder) parent() int {
	f := &b.stack[len(b.stack)-1]
	if f.object < 0 { // the buffer's root is met
		vector := &b.stack[len(b.stack)-2]
		vector.bytes = Span{}
		e := &f.buffer
		f.object = len(b.m.Objects)
		b.m.Objects = append(b.m.Objects, Object{
			Kind: Buffer, Pos: b.at(e.Pos), Size: e.Size, Parent: vector.object, Refs: 1, Field: e.Field, Index: -1, Def: e.Object, VTable: -1,
			Depth: b.m.Objects[vector.object].Depth,
		})
		if ref := b.rootOffset(f.object, b.at(e.Data)); ref >= 0 {
			b.m.Spans[ref].Target = len(b.m.Objects) // the next that is made is the root
		}
	}
	return f.object
}

// object returns the index of the object of an event, and whether it is new. The bytes at
// its start are taken at once, so that there can be no more objects than the buffer has
// room for; where they are taken already there is no object, and the answer is -1.
func (b *builder) object(e *traverse.Event) (object int, isNew bool) {
	o := Object{Pos: b.at(e.Pos), Size: e.Size, Refs: 1, Depth: e.Depth, VTable: -1, Field: e.Field, Index: e.Index, Def: e.Object, Count: e.Count}
	head := Span{Pos: o.Pos, Size: 4, Kind: Length, Target: -1}
	var def any
	switch e.What {
	case traverse.Table:
		o.Kind, head.Kind, def = Table, VTableOffset, e.Object
	case traverse.Struct:
		o.Kind, head.Size, def = Struct, 0, e.Object
	case traverse.String:
		o.Kind = String
	case traverse.Vector:
		o.Kind, head.Size, o.Type = Vector, e.Data-e.Pos, e.Field.Type
		elem := o.Type.ElementType()
		def = elemKey{elem.Base, e.ElemSize, elem.Object, elem.Enum}
	}
	k := key{o.Pos, o.Kind, def}
	if i, ok := b.seen[k]; ok {
		b.m.Objects[i].Refs++
		return i, false
	}
	if b.taken.next(head.Pos, head.End(), true) < head.End() {
		return -1, false
	}
	o.Parent = b.parent()
	object = len(b.m.Objects)
	head.Object = object
	b.span(head)
	o.head = len(b.m.Spans) - 1
	b.seen[k] = object
	b.m.Objects = append(b.m.Objects, o)
	return object, true
}

// vtable takes the bytes of the vtable of the table that was entered last, as far as they
// are free: vtables that overlap would together be as long as the square of their bytes.
func (b *builder) vtable(e *traverse.Event) {
	f := &b.stack[len(b.stack)-1]
	f.fresh = !e.Seen
	table := &b.m.Objects[f.object]
	pos, k := b.at(e.Pos), key{b.at(e.Pos), VTable, nil}
	i, ok := b.seen[k]
	if ok {
		b.m.Objects[i].Refs++
	} else if i = len(b.m.Objects); b.span(Span{Pos: pos, Size: 2, Kind: VTableSize, Object: i}) {
		b.seen[k] = i
		o := Object{Kind: VTable, Pos: pos, Size: 2, Parent: f.object, Refs: 1, Index: -1, Def: e.Object, VTable: -1}
		if b.span(Span{Pos: pos + 2, Size: 2, Kind: TableSize, Object: i}) {
			for o.Size = 4; o.Size < e.Size; o.Size += 2 {
				s := Span{Pos: pos + o.Size, Size: 2, Kind: UnknownSlot, Object: i}
				if o.Count < len(e.Object.Fields) {
					s.Kind, s.Field = Slot, e.Object.Fields[o.Count]
				}
				if !b.span(s) {
					break
				}
				o.Count++
			}
		}
		b.m.Objects = append(b.m.Objects, o)
		table = &b.m.Objects[f.object]
	} else {
		return
	}
	table.VTable = i
	b.m.Spans[table.head].Target = i
}

// field takes the inline bytes of a field.
func (b *builder) field(e *traverse.Event) traverse.Answer {
	f := &b.stack[len(b.stack)-1]
	pos := b.at(e.Pos)
	if e.Field == nil {
		if o := &b.m.Objects[f.object]; f.fresh && o.VTable >= 0 {
			k := newerKey{o.VTable, o.Def}
			b.newer[k] = append(b.newer[k], uint16(pos-o.Pos))
		}
		return traverse.Go
	}
	t := e.Field.Type
	switch {
	case t.IsScalar():
		b.span(Span{Pos: pos, Size: e.Size, Kind: Scalar, Object: f.object, Field: e.Field, Type: t})
	case t.IsStruct():
		b.structAt(f.object, pos, t.Object, e.Field, "")
	default:
		if !b.span(Span{Pos: pos, Size: e.Size, Kind: Offset, Object: f.object, Field: e.Field, Target: -1}) {
			return traverse.Skip
		}
		b.ref = len(b.m.Spans) - 1
	}
	return traverse.Go
}

// vector takes the bytes of a sound vector's elements, and reports whether they were free.
func (b *builder) vector(e *traverse.Event, object int, f *frame) bool {
	elem := e.Field.Type.ElementType()
	_, nested := e.Field.Attribute("nested_flatbuffer")
	s := Span{Pos: b.at(e.Data), Size: e.Count * e.ElemSize, Kind: Elements, Object: object, Field: e.Field, Type: elem}
	if nested && s.Size > 0 {
		f.bytes = s
		return true
	}
	return b.span(s)
}

// text takes the bytes of a string.
func (b *builder) text(e *traverse.Event, object int) {
	if !e.Sound {
		return
	}
	s := Span{Pos: b.at(e.Data), Size: e.Count, Kind: Text, Object: object, Field: e.Field}
	b.m.Objects[object].Size = 4 + e.Count
	b.span(s)
	if end := s.End(); end < b.at(e.End()) && b.span(Span{Pos: end, Size: 1, Kind: Terminator, Object: object}) {
		b.m.Objects[object].Size++
	}
}
