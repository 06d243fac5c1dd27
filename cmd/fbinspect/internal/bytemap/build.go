package bytemap

import (
	"context"
	"sort"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/traverse"
	"github.com/fbverify/go/schema"
)

// Of maps a buffer. faults are what [fbverify.Type.Explain] says of it, with the
// same framing. It ends with the context's error, or nil.
func Of(ctx context.Context, t *fbverify.Type, buf []byte, framing fbverify.Framing, faults []*fbverify.Error) (*Map, error) {
	m := &Map{Buf: buf, Type: t}
	m.Faults = append(m.Faults, faults...)
	sort.SliceStable(m.Faults, func(i, j int) bool { return m.Faults[i].Offset < m.Faults[j].Offset })
	if err := Walk(ctx, t, buf, framing, &store{m: m, seen: map[Key]int{}}); err != nil {
		return nil, err
	}
	sort.Slice(m.Spans, func(i, j int) bool { return m.Spans[i].Pos < m.Spans[j].Pos })
	return m, nil
}

// Sink is told what a walk finds. Objects and spans have numbers, in the order in which
// they are told; an object may be told after spans of it. What is told is the walk's own,
// and changes afterwards.
type Sink interface {
	// Again is told of an offset that leads to an object, and reports whether the object
	// was told before; its number is -1 where that is forgotten. seen is what the
	// traversal says: that the same was met before, and may have become an object.
	Again(k Key, seen bool) (object int, known bool)

	// Object is told of a new object. in tells what it is in.
	Object(k Key, o *Object, in *Within)

	// Span is told of bytes with a meaning. in tells whose they are.
	Span(s *Span, in *Within)

	// Target is told where the offset of a span leads, as soon as that is known.
	Target(span, object int)

	// Uses is told of a table's vtable, for every table of a vtable. It is not new where
	// other tables have it, too.
	Uses(table, vtable int, isNew bool)
}

// Within is what an object or a span that is told belongs to.
type Within struct {
	// Object is the object itself, nil where the bytes belong to none.
	Object *Object

	// Table is the nearest table that it is, or is in; nil for a buffer, where that is
	// the nearest. Field is the field of the table that leads to the object.
	Table *schema.Object
	Field *schema.Field

	b *walk
}

// Path returns the path of the object.
func (in *Within) Path() string {
	m := &Map{Type: in.b.typ}
	add := func(o Object) {
		o.Parent = len(m.Objects) - 1
		m.Objects = append(m.Objects, o)
	}
	for i := range in.b.stack {
		if f := &in.b.stack[i]; f.object >= 0 {
			add(f.o)
		}
	}
	if n := len(m.Objects); n == 0 || m.Objects[n-1].Pos != in.Object.Pos || m.Objects[n-1].Kind != in.Object.Kind {
		add(*in.Object)
	}
	return m.Path(len(m.Objects) - 1)
}

// store keeps everything in a map.
type store struct {
	m    *Map
	seen map[Key]int
}

func (s *store) Again(k Key, _ bool) (int, bool) {
	i, ok := s.seen[k]
	if ok {
		s.m.Objects[i].Refs++
	}
	return i, ok
}

func (s *store) Object(k Key, o *Object, _ *Within) {
	s.seen[k] = len(s.m.Objects)
	s.m.Objects = append(s.m.Objects, *o)
}

func (s *store) Span(span *Span, _ *Within) { s.m.Spans = append(s.m.Spans, *span) }

func (s *store) Target(span, object int) { s.m.Spans[span].Target = object }

func (s *store) Uses(table, vtable int, isNew bool) {
	s.m.Objects[table].VTable = vtable
	if !isNew {
		s.m.Objects[vtable].Refs++
	}
}

// walk finds objects and spans in what a traversal tells. It keeps a bit for each byte
// that is taken, the vtables, and the tables with bytes that no field takes.
type walk struct {
	buf   []byte
	typ   *fbverify.Type
	sink  Sink
	taken claims
	shift int // of the message after its prefix, whose positions the traversal counts
	end   int // of the message
	root  int // where the root offset of the whole is

	framing fbverify.Framing

	ctx context.Context // of a walk
	met int             // events

	objects, spans int // that were told

	vtables map[int]int           // by their positions, their numbers
	newer   map[newerKey][]uint16 // where tables have fields that the schema does not know
	readAs  map[newerKey]uint32   // index of kinds
	kinds   []newerKey
	holes   [][]hole
	nested  []buffer

	stack []frame // what the traversal is in
	refs  [2]ref  // the last offsets: those to the types of a vector of unions are followed with the values
	in    Within
	told  Span

	plain   bool // no table is told without a look at its fields, so that a test can hold those to it
	flat    map[flatKey]*flat
	traced  int    // the table whose spans are in trace
	trace   []Span // what was taken since it was met
	refused bool   // something was not free since then
}

// ref is an offset: where the traversal counts it, and its span.
type ref struct{ at, span int }

func (b *walk) refer(at, span int) { b.refs[0], b.refs[1] = b.refs[1], ref{at, span} }

// hole is a table with bytes that no field takes.
type hole struct {
	at     uint64 // its position, and behind that 16 bits for its size
	object uint32
	kind   uint32
}

// buffer is a nested buffer.
type buffer struct{ object, pos int }

// frame is something that the traversal is in.
type frame struct {
	object int // its number; -1 for a buffer whose root is not met yet
	o      Object
	fresh  bool // of a table: its vtable was not met before

	// Of a vector that may hold a buffer: its elements. They are bytes like others
	// unless a root is met.
	bytes *Span

	table *schema.Object // see Within
	field *schema.Field

	buffer *traverse.Event // whose root is not met yet
}

// Key tells objects apart. One run of bytes may be read as two types.
type Key struct {
	Pos  int
	Kind ObjectKind
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

// Walk tells a sink what the bytes of a buffer are for. It needs a few bits for each byte,
// besides what the sink keeps. What it finds does not depend on alignment, text and
// terminators. It ends with the context's error, or nil.
func Walk(ctx context.Context, t *fbverify.Type, buf []byte, framing fbverify.Framing, sink Sink) error {
	return run(ctx, t, buf, framing, sink, false)
}

func run(ctx context.Context, t *fbverify.Type, buf []byte, framing fbverify.Framing, sink Sink, plain bool) error {
	b := newWalk(t, buf, framing, sink)
	b.ctx = ctx
	b.taken = newClaims(len(buf))
	b.plain = plain
	whole := b.whole()
	b.tell(Key{}, &whole, nil, nil)
	b.prefix(&whole)
	// How it ends is for the faults to say: an overlap of objects, at the worst.
	_ = b.traversal().Run(b)
	if err := ctx.Err(); err != nil {
		return err
	}
	b.rest()
	return nil
}

func newWalk(t *fbverify.Type, buf []byte, framing fbverify.Framing, sink Sink) *walk {
	message, _, _ := framing.Message(buf) // what is wrong with it is one of the faults
	return &walk{
		buf: buf, typ: t, sink: sink, refs: [2]ref{{-1, -1}, {-1, -1}}, end: len(message), shift: min(framing.Prefix(), len(buf)),
		vtables: map[int]int{}, newer: map[newerKey][]uint16{}, readAs: map[newerKey]uint32{}, flat: map[flatKey]*flat{}, traced: -1,
		framing: framing,
	}
}

// whole is the object of the whole buffer.
func (b *walk) whole() Object {
	return Object{Kind: Buffer, Size: len(b.buf), Parent: -1, Index: -1, Def: b.typ.Root(), VTable: -1}
}

// prefix takes the bytes of the size prefix.
func (b *walk) prefix(whole *Object) {
	b.whose(whole, nil, nil)
	if n := b.framing.Prefix(); n > 0 && len(b.buf) >= n {
		b.span(Span{Pos: 0, Size: n, Kind: SizePrefix})
	}
}

// deepest is how deep tables are followed in which they nest: what is below is bytes that
// nothing leads to. Going as deep as buffers of the deepest limit nest would take a quarter
// of a gigabyte.
const deepest = 1 << 14

// traversal is that of the message: whatever can be followed is.
func (b *walk) traversal() *fbverify.Traversal {
	options := &fbverify.Options{MaxDepth: deepest, MaxTables: 1<<31 - 1, SkipAlignment: true, SkipUTF8: true, SkipNullTerminator: true}
	return b.typ.Traversal(b.buf[b.shift:b.end], options)
}

// whose says whose the spans are that are taken next.
func (b *walk) whose(o *Object, table *schema.Object, field *schema.Field) {
	b.in = Within{o, table, field, b}
}

// tell tells of a new object, and returns its number.
func (b *walk) tell(k Key, o *Object, table *schema.Object, field *schema.Field) int {
	before := b.in
	b.whose(o, table, field)
	b.sink.Object(k, o, &b.in)
	b.in = before
	b.objects++
	return b.objects - 1
}

// span takes bytes for a meaning, and reports whether they were free.
func (b *walk) span(s Span) bool {
	if s.Size == 0 {
		return true
	}
	if !b.taken.take(s.Pos, s.End()) {
		b.refused = true
		return false
	}
	if s.Kind != Offset && s.Kind != RootOffset && s.Kind != VTableOffset {
		s.Target = -1
	}
	if !b.plain && len(b.trace) < mostTraced {
		b.trace = append(b.trace, s)
	}
	b.told = s
	b.sink.Span(&b.told, &b.in)
	b.spans++
	return true
}

// Enter is told of everything that the traversal meets.
func (b *walk) Enter(e *traverse.Event) traverse.Answer {
	if b.met++; b.met%4096 == 0 && b.ctx.Err() != nil {
		return traverse.Stop
	}
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
	b.stack = append(b.stack, frame{})
	f := &b.stack[len(b.stack)-1]
	isNew := b.object(e, f)
	for _, r := range b.refs {
		if r.at == e.At {
			b.sink.Target(r.span, f.object)
		}
	}
	answer := traverse.Go
	if !isNew || e.What == traverse.Table && b.likeAnother(e, f) || e.What == traverse.Vector && e.Sound && !e.Seen && !b.vector(e, f.object, f) {
		answer = traverse.Skip
	}
	if answer == traverse.Skip || !e.Sound || e.Seen || e.What != traverse.Table && e.What != traverse.Vector {
		b.stack = b.stack[:len(b.stack)-1]
	}
	return answer
}

// Leave is told of the end of what was entered.
func (b *walk) Leave(e *traverse.Event) {
	last := len(b.stack) - 1
	f := &b.stack[last]
	if f.bytes != nil {
		b.whose(&f.o, f.table, f.field)
		b.span(*f.bytes) // there is no buffer in it
	}
	if e.What == traverse.Table && f.o.VTable >= 0 {
		b.hole(f)
		b.learn(e, f)
	}
	b.stack = b.stack[:last]
}

// hole remembers a table some bytes of which are free. All that lies in them by right has
// taken them when the traversal ends.
func (b *walk) hole(f *frame) {
	end := min(f.o.Pos+f.o.Size, b.end)
	if b.taken.next(f.o.Pos, end, false) >= end {
		return
	}
	k := newerKey{f.o.VTable, f.o.Def}
	kind, ok := b.readAs[k]
	if !ok {
		kind = uint32(len(b.kinds))
		b.readAs[k] = kind
		b.kinds = append(b.kinds, k)
	}
	last := len(b.holes) - 1
	if last < 0 || len(b.holes[last]) == cap(b.holes[last]) {
		b.holes = append(b.holes, make([]hole, 0, 1<<12))
		last++
	}
	b.holes[last] = append(b.holes[last], hole{uint64(f.o.Pos)<<16 | uint64(f.o.Size), uint32(f.object), kind})
}

// at returns a position in the map.
func (b *walk) at(pos int) int { return pos + b.shift }

// buffer is told of a buffer, the whole or a nested one. A nested one is an object once
// its root is met.
func (b *walk) buffer(e *traverse.Event) traverse.Answer {
	if !e.Sound || e.Seen {
		return traverse.Go
	}
	b.stack = append(b.stack, frame{object: -1})
	f := &b.stack[len(b.stack)-1]
	if len(b.stack) > 1 {
		nested := *e
		f.buffer = &nested
	} else {
		f.object = 0
		f.o = Object{Kind: Buffer, Parent: -1, Index: -1, Def: e.Object, VTable: -1}
		b.whose(&f.o, nil, nil)
		if span := b.rootOffset(0, b.at(e.Data)); span >= 0 {
			b.root = b.at(e.Data)
			b.refer(e.Data, span)
		}
	}
	return traverse.Go
}

// rootOffset takes the bytes of a root offset, and returns its span.
func (b *walk) rootOffset(object, at int) int {
	if b.span(Span{Pos: at, Size: 4, Kind: RootOffset, Object: object, Target: -1}) {
		return b.spans - 1
	}
	return -1
}

// parent returns what the object is in whose frame is on top.
func (b *walk) parent() *frame {
	f := &b.stack[len(b.stack)-2]
	if f.object < 0 { // the buffer's root is met
		vector := &b.stack[len(b.stack)-3]
		vector.bytes = nil
		e := f.buffer
		f.o = Object{
			Kind: Buffer, Pos: b.at(e.Pos), Size: e.Size, Parent: vector.object, Refs: 1, Field: e.Field, Index: -1, Def: e.Object, VTable: -1,
			Depth: vector.o.Depth,
		}
		f.object = b.objects
		b.nested = append(b.nested, buffer{f.object, f.o.Pos})
		b.tell(Key{Pos: f.o.Pos, Kind: Buffer, def: f.object}, &f.o, nil, nil)
		b.whose(&f.o, nil, nil)
		if ref := b.rootOffset(f.object, b.at(e.Data)); ref >= 0 {
			b.sink.Target(ref, b.objects) // the next that is told is the root
		}
	}
	return f
}

// start returns the object of an event, and the span of its first bytes, which is empty for
// a struct.
func (b *walk) start(e *traverse.Event) (o Object, head Span) {
	o = Object{Pos: b.at(e.Pos), Size: e.Size, Refs: 1, Depth: e.Depth, VTable: -1, Field: e.Field, Index: e.Index, Def: e.Object, Count: e.Count}
	head = Span{Pos: o.Pos, Size: 4, Kind: Length, Target: -1}
	switch e.What {
	case traverse.Table:
		o.Kind, head.Kind = Table, VTableOffset
	case traverse.Struct:
		o.Kind, head.Size = Struct, 0
	case traverse.String:
		o.Kind = String
	case traverse.Vector:
		o.Kind, head.Size, o.Type = Vector, e.Data-e.Pos, e.Field.Type
	}
	return o, head
}

// object returns the object of an event, and whether it is new. The bytes at its start are
// taken at once, so that there can be no more objects than the buffer has room for; where
// they are taken already there is no object, and its number is -1. All of its spans are
// taken, but for those of fields and of elements.
func (b *walk) object(e *traverse.Event, f *frame) (isNew bool) {
	f.object = -1 // until it is told
	o := &f.o
	var head Span
	*o, head = b.start(e)
	k := Key{Pos: o.Pos, Kind: o.Kind}
	switch o.Kind {
	case Table, Struct:
		k.def = e.Object
	case Vector:
		elem := o.Type.ElementType()
		k.def = elemKey{elem.Base, e.ElemSize, elem.Object, elem.Enum}
	}
	if i, ok := b.sink.Again(k, e.Seen); ok {
		f.object = i
		return false
	}
	if b.taken.next(head.Pos, head.End(), true) < head.End() {
		return false
	}
	parent := b.parent()
	o.Parent, f.object = parent.object, b.objects
	f.table, f.field = e.Object, nil
	if o.Kind != Table {
		f.table, f.field = parent.table, parent.field
		if parent.o.Kind == Table {
			f.field = o.Field
		}
	}
	head.Object = f.object
	b.whose(o, f.table, f.field)
	b.traced, b.trace, b.refused = f.object, b.trace[:0], false
	b.span(head)
	o.head = b.spans - 1
	switch e.What {
	case traverse.String:
		b.text(e, f.object, o)
	case traverse.Struct:
		b.structAt(f.object, o.Pos, e.Object, nil, "")
	}
	b.tell(k, o, f.table, f.field)
	return true
}

// vtable takes the bytes of the vtable of the table that was entered last, as far as they
// are free: vtables that overlap would together be as long as the square of their bytes.
func (b *walk) vtable(e *traverse.Event) {
	f := &b.stack[len(b.stack)-1]
	f.fresh = !e.Seen
	pos := b.at(e.Pos)
	i, ok := b.vtables[pos]
	if !ok {
		i = b.objects
		o := Object{Kind: VTable, Pos: pos, Size: 2, Parent: f.object, Refs: 1, Index: -1, Def: e.Object, VTable: -1}
		b.whose(&o, f.table, nil)
		if !b.slots(e, &o, i) {
			return
		}
		b.vtables[pos] = i
		b.tell(Key{Pos: pos, Kind: VTable}, &o, f.table, nil)
	}
	f.o.VTable = i
	b.sink.Target(f.o.head, i)
	b.sink.Uses(f.object, i, !ok)
}

// slots takes the bytes of a vtable, and reports whether there are any.
func (b *walk) slots(e *traverse.Event, o *Object, object int) bool {
	if !b.span(Span{Pos: o.Pos, Size: 2, Kind: VTableSize, Object: object}) {
		return false
	}
	if b.span(Span{Pos: o.Pos + 2, Size: 2, Kind: TableSize, Object: object}) {
		for o.Size = 4; o.Size < e.Size; o.Size += 2 {
			s := Span{Pos: o.Pos + o.Size, Size: 2, Kind: UnknownSlot, Object: object}
			if o.Count < len(e.Object.Fields) {
				s.Kind, s.Field = Slot, e.Object.Fields[o.Count]
			}
			if !b.span(s) {
				break
			}
			o.Count++
		}
	}
	return true
}

// field takes the inline bytes of a field.
func (b *walk) field(e *traverse.Event) traverse.Answer {
	f := &b.stack[len(b.stack)-1]
	pos := b.at(e.Pos)
	if e.Field == nil {
		if o := &f.o; f.fresh && o.VTable >= 0 {
			k := newerKey{o.VTable, o.Def}
			b.newer[k] = append(b.newer[k], uint16(pos-o.Pos))
		}
		return traverse.Go
	}
	b.whose(&f.o, f.table, nil)
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
		b.refer(e.Pos, b.spans-1)
	}
	return traverse.Go
}

// vector takes the bytes of a sound vector's elements, and reports whether they were free.
func (b *walk) vector(e *traverse.Event, object int, f *frame) bool {
	elem := e.Field.Type.ElementType()
	_, nested := e.Field.Attribute("nested_flatbuffer")
	s := Span{Pos: b.at(e.Data), Size: e.Count * e.ElemSize, Kind: Elements, Object: object, Field: e.Field, Type: elem}
	if nested && s.Size > 0 {
		f.bytes = &s
		return true
	}
	b.whose(&f.o, f.table, f.field)
	return b.span(s)
}

// text takes the bytes of a string.
func (b *walk) text(e *traverse.Event, object int, o *Object) {
	if !e.Sound {
		return
	}
	s := Span{Pos: b.at(e.Data), Size: e.Count, Kind: Text, Object: object, Field: e.Field}
	o.Size = 4 + e.Count
	b.span(s)
	if end := s.End(); end < b.at(e.End()) && b.span(Span{Pos: end, Size: 1, Kind: Terminator, Object: object}) {
		o.Size++
	}
}
