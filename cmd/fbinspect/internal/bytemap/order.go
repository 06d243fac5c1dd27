package bytemap

import (
	"container/heap"
	"context"
	"slices"
	"strconv"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/traverse"
	"github.com/fbverify/go/schema"
)

// Placed is an object whose bytes are told in their order.
type Placed struct {
	Object

	// Path is that of the first offset in the file that leads to the object; of a vtable
	// that of the table that was met first with it. Refs is 1 for a vtable: who else uses
	// it may stand behind it.
	Path string

	// ID tells objects apart.
	ID int

	at int // where the offset is that led there, of the message
}

// Told is a span that is told in the order of bytes.
type Told struct {
	Span
	Of     *Placed // whose bytes they are; nil for gaps, and for padding between objects
	Target int     // the position that an offset leads to; -1 where it leads nowhere that can be read
}

// InOrder tells what the bytes of a buffer are for, in their order, and starts at once. It
// needs about eight bytes for each object that was met and not told, and a bit for each
// byte. It ends with the error of tell, or the context's.
//
// Offsets lead forward, so that what leads to an object stands before it. Vtables are the
// exception: where there are bytes that nothing leads to, it first looks at what comes behind
// for one. Where two objects claim the same bytes the one that starts first keeps them, and
// what another leads to is told all the same.
func InOrder(ctx context.Context, t *fbverify.Type, buf []byte, framing fbverify.Framing, tell func(*Told) error) error {
	return newOrder(ctx, t, buf, framing, tell).run(tell)
}

func newOrder(ctx context.Context, t *fbverify.Type, buf []byte, framing fbverify.Framing, tell func(*Told) error) *order {
	o := &order{ctx: ctx, root: -1, vtable: -1, nodes: map[int]*node{}}
	// Bytes that nothing leads to can be found one after the other.
	o.tell = func(s *Told) error {
		gap := s.Of == nil && s.Kind != Trailing
		switch {
		case gap && o.gap != nil:
			o.gap.Span = o.between(o.gap.Pos, s.End())
			return nil
		case gap:
			held := *s
			o.gap = &held
			return nil
		case o.gap != nil:
			held := o.gap
			o.gap = nil
			if err := tell(held); err != nil {
				return err
			}
		}
		return tell(s)
	}
	o.b = newWalk(t, buf, framing, o)
	o.b.plain = true
	o.places = newPlaces(o.b.end - o.b.shift)
	o.tr = o.b.traversal()
	return o
}

// overlap is how many times its bytes what is met of a buffer may be: a field, an element and
// an object have bytes of their own, and are met twice, but where others lie on top of them.
// What is beyond that is bytes that nothing leads to; the faults say so.
const overlap = 4

// order tells objects in the order of their positions, each before it looks for what it leads
// to, which can be millions of others.
type order struct {
	b    *walk
	tr   *fbverify.Traversal
	ctx  context.Context
	tell func(*Told) error
	gap  *Told                      // that may not have come to its end
	want func(*traverse.Event) bool // which objects; nil for all

	places places
	next   int // objects before it have taken their bytes
	at     int // bytes before it are told
	ahead  int // what objects before it lead to is known
	partly int // of the object there, how many of those that it leads to are known

	ready       spans    // taken, and not told yet
	tables      []hidden // with bytes that no field takes, in order
	identifiers []identifier

	from, to int  // where a vtable is looked for
	hit      bool // there is one
	vtable   int  // that was met last

	def  *schema.Object // of the last table
	flat bool           // all its fields are numbers

	root   int           // the root table; -1 when there is none
	nodes  map[int]*node // by position, of some objects with others in them
	vector *listing      // the last with elements
	ids    int
	looks  int
	effort int // events that may still be met

	// Of the object that is placed:
	placed *Placed
	spans  []Told
	newer  []uint16
}

// hidden is a table with the bytes in it that no known field takes.
type hidden struct {
	*Placed
	newer []uint16
}

// identifier is where one can be.
type identifier struct {
	pos int
	of  *Placed
}

// start tells the header, and finds the root.
func (o *order) start() {
	b := o.b
	whole := o.object(b.whole(), &node{})
	b.prefix(&whole.Object)
	// How it ends is for the faults to say.
	_ = o.tr.Run(&header{o: o, whole: whole})
	o.effort = len(b.buf)*overlap + 1<<16
	o.push()
}

func (o *order) run(tell func(*Told) error) error {
	b := o.b
	b.taken = newClaims(len(b.buf))
	o.start()
	for {
		if o.looks++; o.looks%1024 == 0 && o.ctx.Err() != nil {
			return o.ctx.Err()
		}
		p, ok := o.nextPlace()
		limit := b.end
		if ok {
			limit = b.at(p.pos)
		}
		again, err := o.upTo(limit)
		if err != nil {
			return err
		}
		if again {
			continue
		}
		if !ok {
			break
		}
		o.put(p)
		o.next = p.pos + 1
		if err := o.adjacent(); err != nil {
			return err
		}
	}
	if err := o.ctx.Err(); err != nil {
		return err
	}
	if rest := len(b.buf) - b.end; rest > 0 {
		return o.tell(&Told{Span: Span{Pos: b.end, Size: rest, Kind: Trailing, Object: -1, Target: -1}, Target: -1})
	}
	if o.gap != nil {
		return tell(o.gap)
	}
	return nil
}

// object makes an object the one that is placed.
func (o *order) object(obj Object, at *node) *Placed {
	o.ids++
	o.placed = &Placed{Object: obj, Path: at.path(o.b.typ.Root().ShortName()), ID: o.ids}
	return o.placed
}

// Again is the sink's: every object that is placed is new.
func (o *order) Again(Key, bool) (int, bool) { return -1, false }

// Object is known already.
func (o *order) Object(Key, *Object, *Within) {}

// Span remembers bytes that the object took.
func (o *order) Span(s *Span, _ *Within) {
	o.spans = append(o.spans, Told{Span: *s, Of: o.placed, Target: -1})
}

// Target is told with the span.
func (o *order) Target(int, int) {}

// Uses is of no interest.
func (o *order) Uses(int, int, bool) {}

// note says where the last span leads.
func (o *order) note(target int) {
	if n := len(o.spans); n > 0 && target >= 0 {
		o.spans[n-1].Target = o.b.at(target)
	}
}

// push makes the spans of the object ready.
func (o *order) push() {
	slices.SortFunc(o.spans, func(a, b Told) int { return a.Pos - b.Pos })
	for i := range o.spans {
		heap.Push(&o.ready, &o.spans[i])
	}
	o.spans = make([]Told, 0, len(o.spans)) // the next object is often alike
}

// spans are a heap.
type spans []*Told

func (s spans) Len() int           { return len(s) }
func (s spans) Less(i, j int) bool { return s[i].Pos < s[j].Pos }
func (s spans) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *spans) Push(x any)        { *s = append(*s, x.(*Told)) }
func (s *spans) Pop() any {
	last := len(*s) - 1
	x := (*s)[last]
	(*s)[last] = nil
	*s = (*s)[:last]
	return x
}

// nextPlace returns the next object, once it is known what those before it lead to.
func (o *order) nextPlace() (place, bool) {
	for o.ahead < o.next && o.discover() {
	}
	if o.effort < 0 {
		return place{}, false
	}
	return o.places.next(o.next)
}

// discover looks for what the next object leads to, and reports whether there is one.
func (o *order) discover() bool {
	p, ok := o.places.next(o.ahead)
	if !ok || o.effort < 0 {
		o.ahead = o.b.end
		return false
	}
	o.ahead = p.pos
	f := finder{o: o}
	if !p.leaf {
		o.tr.Look(traverse.Place{Pos: p.pos, As: p.as}, &f)
	}
	if o.hit {
		o.partly = f.met
	} else {
		o.ahead, o.partly = p.pos+1, 0
	}
	return true
}

// adjacent tells what follows without a gap.
func (o *order) adjacent() error {
	for len(o.ready) > 0 && o.ready[0].Pos == o.at {
		s := heap.Pop(&o.ready).(*Told)
		o.at = s.End()
		if err := o.tell(s); err != nil {
			return err
		}
	}
	return nil
}

// upTo tells what is before a position, and reports whether an object was found there.
func (o *order) upTo(limit int) (again bool, err error) {
	for {
		n := limit
		if len(o.ready) > 0 {
			n = min(n, o.ready[0].Pos)
		}
		for o.at < n {
			if again, err := o.free(o.at, n); again || err != nil {
				return again, err
			}
		}
		if len(o.ready) == 0 || o.ready[0].Pos >= limit {
			return false, nil
		}
		s := heap.Pop(&o.ready).(*Told)
		o.at = s.End()
		if err := o.tell(s); err != nil {
			return false, err
		}
	}
}

// free tells what the first of the free bytes from a position are.
func (o *order) free(from, to int) (again bool, err error) {
	b := o.b
	o.prune(from)
	o.placed = nil
	switch {
	case len(o.tables) > 0:
		t := &o.tables[0]
		o.placed = t.Placed
		b.whose(&t.Object, nil, nil)
		b.hidden(0, t.Pos, from, min(to, t.Pos+t.Size), t.newer)
	case len(o.identifiers) > 0 && o.identifiers[0].pos == from && to-from >= 4 && looksLikeIdentifier(b.buf[from:from+4]):
		o.placed = o.identifiers[0].of
		b.whose(&o.placed.Object, nil, nil)
		b.span(Span{Pos: from, Size: 4, Kind: Identifier})
	default:
		if len(o.identifiers) > 0 && o.identifiers[0].pos > from {
			to = min(to, o.identifiers[0].pos)
		}
		if o.want == nil && !allZero(b.buf[from:to]) && o.vtableIn(from-b.shift, to-b.shift) {
			return true, nil
		}
		b.whose(nil, nil, nil)
		b.span(o.between(from, to))
	}
	for i := range o.spans {
		o.at = o.spans[i].End()
		if err := o.tell(&o.spans[i]); err != nil {
			return false, err
		}
	}
	o.spans = o.spans[:0]
	return false, nil
}

// between is the span of bytes that no object has, of those that are wanted.
func (o *order) between(from, to int) Span {
	s := o.b.between(from, to)
	if o.want != nil && s.Kind == Gap {
		s.Kind = LeftOut
	}
	return s
}

// prune forgets what ends before a position.
func (o *order) prune(pos int) {
	for len(o.tables) > 0 && o.tables[0].Pos+o.tables[0].Size <= pos {
		o.tables = o.tables[1:]
	}
	for len(o.identifiers) > 0 && o.identifiers[0].pos < pos {
		o.identifiers = o.identifiers[1:]
	}
}

// vtableIn looks ahead for a table whose vtable is in a run of bytes that nothing leads to.
func (o *order) vtableIn(from, to int) bool {
	if o.effort < 0 {
		return false
	}
	if p, ok := o.places.next(max(o.next, from)); ok && p.pos < to {
		return true
	}
	o.from, o.to, o.hit = from, to, false
	for !o.hit && o.ctx.Err() == nil && o.discover() {
	}
	hit := o.hit
	o.from, o.to, o.hit = 0, 0, false
	return hit
}

// found is told of an object that another leads to, and reports whether it is new.
func (o *order) found(e *traverse.Event) bool {
	if o.want != nil && !o.want(e) {
		return false
	}
	isNew := o.places.add(place{way{as: e.As, field: e.Field, element: e.Index >= 0, leaf: o.leaf(e)}, e.Pos, e.At})
	if isNew && e.What == traverse.Table && e.Sound && e.VTable != o.vtable {
		o.vtable = e.VTable
		if o.places.add(place{way{as: e.As, vtable: true, leaf: true}, e.VTable, e.Pos}) && e.VTable >= o.from && e.VTable < o.to {
			o.hit = true
		}
	}
	return isNew
}

// leaf reports whether nothing of the type of an object leads elsewhere.
func (o *order) leaf(e *traverse.Event) bool {
	switch e.What {
	case traverse.Vector:
		_, nested := e.Field.Attribute("nested_flatbuffer")
		elem := e.Field.Type.ElementType()
		return !nested && (elem.IsScalar() || elem.IsStruct())
	case traverse.Table:
		if o.def != e.Object {
			o.def, o.flat = e.Object, true
			for _, f := range e.Object.Fields {
				o.flat = o.flat && (f.Type.IsScalar() || f.Type.IsStruct())
			}
		}
		return o.flat
	}
	return true
}

// put takes the bytes of an object.
func (o *order) put(p place) {
	if p.vtable {
		if table, ok := o.places.next(p.at); ok && table.pos == p.at {
			o.tr.Look(traverse.Place{Pos: p.at, As: p.as}, &vtablePutter{o, o.nodeOf(table)})
		}
	} else {
		putter := putter{o: o, p: p, node: o.nodeOf(p)}
		o.tr.Look(traverse.Place{Pos: p.pos, As: p.as}, &putter)
		putter.end()
	}
	o.push()
}

// header starts at the root.
type header struct {
	o     *order
	whole *Placed
	taken bool // the bytes of the root offset
}

// Enter is told of the buffer and of its root.
func (h *header) Enter(e *traverse.Event) traverse.Answer {
	o, b := h.o, h.o.b
	switch e.What {
	case traverse.Buffer:
		if e.Sound {
			b.whose(&h.whole.Object, nil, nil)
			h.taken = b.rootOffset(0, b.at(e.Data)) >= 0
			o.identifiers = append(o.identifiers, identifier{b.at(e.Data) + 4, h.whole})
		}
		return traverse.Go
	case traverse.Table:
		if h.taken {
			o.note(e.Pos)
		}
		o.root = e.Pos
		o.found(e)
	}
	return traverse.Skip
}

// Leave is of no interest.
func (h *header) Leave(*traverse.Event) {}

// finder finds what an object leads to.
type finder struct {
	o      *order
	inside bool
	met    int
}

// Enter is told of the object, and then of others.
func (f *finder) Enter(e *traverse.Event) traverse.Answer {
	if f.o.looks++; f.o.looks%4096 == 0 && f.o.ctx.Err() != nil {
		return traverse.Stop
	}
	if f.o.effort--; f.o.effort < 0 {
		return traverse.Stop
	}
	switch {
	case e.What == traverse.VTable:
		return traverse.Skip
	case !f.inside || e.What == traverse.Field || e.What == traverse.Buffer:
		f.inside = true
		return traverse.Go
	}
	if f.met++; f.met <= f.o.partly {
		return traverse.Go // that it was new is forgotten
	}
	isNew := f.o.found(e)
	switch {
	case f.o.hit:
		return traverse.Stop
	case isNew:
		return traverse.Go // into the values of unions: no other is entered
	}
	return traverse.Skip
}

// Leave is of no interest.
func (f *finder) Leave(*traverse.Event) {}

// putter takes the bytes of one object.
type putter struct {
	o      *order
	p      place
	node   *node
	f      *frame
	buffer *traverse.Event // that is in it
	root   int             // of the buffer
	table  bool            // it is one, and sound

	refused bool // its first bytes are taken
}

// Enter is told of the object, and then of what is in it.
func (u *putter) Enter(e *traverse.Event) traverse.Answer {
	o, b := u.o, u.o.b
	if o.effort--; o.effort < 0 {
		return traverse.Stop
	}
	switch {
	case u.f == nil:
		return u.start(e)
	case e.What == traverse.Field && e.Field == nil:
		o.newer = append(o.newer, uint16(b.at(e.Pos)-u.f.o.Pos))
	case e.What == traverse.Field:
		before := len(o.spans)
		b.field(e)
		if len(o.spans) > before && o.spans[before].Kind == Offset {
			o.note(e.Target)
		}
	case e.What == traverse.Buffer:
		nested := *e
		u.buffer = &nested
		return traverse.Go
	case u.buffer != nil && e.What == traverse.Table:
		u.root = e.Pos
	}
	return traverse.Skip
}

// Leave is of no interest.
func (u *putter) Leave(*traverse.Event) {}

// start takes the first bytes of the object, and of what has no parts all.
func (u *putter) start(e *traverse.Event) traverse.Answer {
	o, b := u.o, u.o.b
	obj, head := b.start(e)
	if b.taken.next(head.Pos, head.End(), true) < head.End() {
		u.f, u.refused = &frame{}, true
		return traverse.Skip
	}
	obj.Field, obj.Refs, obj.Index = u.p.field, o.places.refs(u.p.pos), u.node.index
	placed := o.object(obj, u.node)
	placed.at = u.p.at
	b.stack = append(b.stack[:0], frame{o: obj})
	u.f = &b.stack[0]
	b.whose(&placed.Object, nil, nil)
	b.span(head)
	switch e.What {
	case traverse.Table:
		o.note(e.VTable)
		u.table = e.Sound
	case traverse.String:
		b.text(e, 0, &placed.Object)
	case traverse.Struct:
		b.structAt(0, obj.Pos, e.Object, nil, "")
	case traverse.Vector:
		if e.Sound {
			b.vector(e, 0, u.f)
		}
	}
	return traverse.Go
}

// end takes what is left when everything in the object is known.
func (u *putter) end() {
	o, b := u.o, u.o.b
	if u.f == nil || u.refused {
		return
	}
	switch {
	case u.root > 0:
		// The elements are a buffer, which is an object of its own.
		e := u.buffer
		nested := o.object(Object{Kind: Buffer, Pos: b.at(e.Pos), Size: e.Size, Refs: 1, Field: e.Field, Index: -1, Def: e.Object, VTable: -1}, u.node)
		b.whose(&nested.Object, nil, nil)
		if b.rootOffset(0, b.at(e.Data)) >= 0 {
			o.note(u.root)
		}
		o.identifiers = append(o.identifiers, identifier{b.at(e.Data) + 4, nested})
	case u.f.bytes != nil:
		b.span(*u.f.bytes)
	}
	o.prune(o.at)
	if u.table {
		o.tables = append(o.tables, hidden{o.placed, slices.Sorted(slices.Values(o.newer))})
	}
	o.newer = o.newer[:0]
}

// vtablePutter takes the bytes of the vtable of a table.
type vtablePutter struct {
	o    *order
	node *node // of the table
}

// Enter is told of the table, and of the vtable.
func (u *vtablePutter) Enter(e *traverse.Event) traverse.Answer {
	o, b := u.o, u.o.b
	if e.What != traverse.VTable {
		if e.What == traverse.Table {
			return traverse.Go
		}
		return traverse.Skip
	}
	placed := o.object(Object{Kind: VTable, Pos: b.at(e.Pos), Size: 2, Refs: 1, Index: -1, Def: e.Object, VTable: -1}, u.node)
	b.whose(&placed.Object, nil, nil)
	b.slots(e, &placed.Object, 0)
	return traverse.Stop
}

// Leave is of no interest.
func (u *vtablePutter) Leave(*traverse.Event) {}

// node is an object on the paths of others.
type node struct {
	parent *node
	field  *schema.Field
	index  int // -1 for no element
	depth  int
	steps  int  // of its path
	cut    bool // it had a parent
}

// Nodes would keep all that leads to the last of them.
const (
	longest = 1024 // nodes in a row
	kept    = 256  // of these, when there are more
)

func newNode(parent *node, field *schema.Field, index int) *node {
	if parent.depth == longest {
		last := parent
		parent = &node{}
		*parent = *last
		for n, i := parent, 0; n.parent != nil; n, i = n.parent, i+1 {
			copied := *n.parent
			copied.depth = kept - i
			n.parent = &copied
			if i == kept {
				copied.parent, copied.cut = nil, true
				n.parent = &copied
				break
			}
		}
		parent.depth = kept + 1
	}
	n := &node{parent: parent, field: field, index: index, depth: parent.depth + 1, steps: parent.steps}
	if index >= 0 || field != nil {
		n.steps++
	}
	return n
}

// path is the path of an object, as Map.Path has it.
func (n *node) path(root string) string {
	var few [2 * fewSteps]string // so that most paths need no more
	steps := few[:0]
	long := n.steps > mostSteps
	for ; n != nil; n = n.parent {
		if long && len(steps) == fewSteps || n.cut {
			return joined(root+"…", steps[:min(len(steps), fewSteps)])
		}
		switch {
		case n.parent == nil:
		case n.index >= 0:
			steps = append(steps, "["+strconv.Itoa(n.index)+"]")
		case n.field != nil:
			steps = append(steps, "."+n.field.Name)
		}
	}
	return joined(root, steps)
}

// listing is a vector with elements that lead elsewhere.
type listing struct {
	place
	data, end, size int
	node            *node // nil when it is not known yet
}

// mostNodes is how many nodes are remembered.
const mostNodes = 4096

// nodeOf returns the node of an object.
func (o *order) nodeOf(p place) *node {
	type step struct {
		place
		index int
	}
	var up []step
	var n *node
	for n == nil {
		switch v := o.vector; {
		case p.pos == o.root:
			n = &node{}
		case o.nodes[p.pos] != nil:
			n = o.nodes[p.pos]
		case v != nil && v.node != nil && v.leads(p):
			up = append(up, step{p, (p.at - v.data) / v.size})
			n = v.node
		default:
			owner, index, v := o.owner(p)
			if len(up) == 0 && v != nil {
				o.vector = v
			}
			if up = append(up, step{p, index}); owner == nil || len(up) == 2*mostSteps {
				n = &node{cut: true}
				break
			}
			p = *owner
			continue
		}
	}
	remember := func(pos int) {
		if o.vector != nil && o.vector.pos == pos {
			o.vector.node = n
		}
	}
	remember(p.pos)
	for i := len(up) - 1; i >= 0; i-- {
		s := &up[i]
		n = newNode(n, s.field, s.index)
		remember(s.pos)
		if i > 0 {
			if len(o.nodes) == mostNodes {
				clear(o.nodes)
			}
			o.nodes[s.pos] = n
		}
	}
	return n
}

// leads reports whether an element of the vector leads to a place.
func (v *listing) leads(p place) bool {
	return p.element && v.field == p.field && p.at >= v.data && p.at < v.end
}

// mostOwners is how many objects that start before an offset are looked at for the one with
// it: several where objects lie in one another.
const mostOwners = 64

// owner returns the object with the offset that led to another, and the element that it is,
// nil where it is not found. A vector with elements is returned as such, too.
func (o *order) owner(p place) (owner *place, index int, v *listing) {
	at := p.at + 1
	for range mostOwners {
		q, ok := o.places.before(at)
		if !ok {
			break
		}
		at = q.pos
		if q.vtable {
			continue
		}
		var e eventOf
		o.tr.Look(traverse.Place{Pos: q.pos, As: q.as}, &e)
		end := e.Data + e.Count*e.ElemSize
		switch {
		case e.What == traverse.Table && !p.element && p.field != nil && p.at-e.Pos < 1<<16:
			if id := p.field.ID; id < len(e.Object.Fields) && e.Object.Fields[id] == p.field {
				return &q, -1, nil
			}
		case e.What != traverse.Vector || p.at < e.Data || p.at >= end:
		case p.element && e.Field == p.field:
			q.field = e.Field
			return &q, (p.at - e.Data) / e.ElemSize, &listing{place: q, data: e.Data, end: end, size: e.ElemSize}
		case p.field == nil:
			if _, nested := e.Field.Attribute("nested_flatbuffer"); nested {
				return &q, -1, nil
			}
		}
	}
	return nil, -1, nil
}

// eventOf is the event of an object, without what is in it.
type eventOf struct{ traverse.Event }

// Enter keeps the event.
func (e *eventOf) Enter(of *traverse.Event) traverse.Answer {
	e.Event = *of
	return traverse.Skip
}

// Leave is of no interest.
func (e *eventOf) Leave(*traverse.Event) {}
