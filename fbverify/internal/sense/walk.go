package sense

import (
	"sync"

	"github.com/fbverify/go/fbverify/internal/rule"
	"github.com/fbverify/go/schema"
)

// Config says how a walk goes.
type Config struct {
	Start      uint64 // of the root offset: behind a size prefix
	SkipNested bool   // nested buffers were not verified
	MaxFaults  int
	Facts      map[string]int64 // what was stated

	// Judge asks the function of that name about the table at a position. known is
	// false where there is no such function.
	Judge func(name string, buf []byte, table uint64) (err error, known bool)
}

// Walk looks at the values of a message whose shape is proved, and returns what is wrong.
func Walk(p *Program, buf []byte, cfg *Config) []Fault {
	if p.look(len(cfg.Facts) > 0).accepts(buf, cfg) {
		if debug {
			for _, f := range p.walk(buf, cfg) {
				if f.Kind != rule.Overlap { // a glance may ask less of what is shared
					panic("sense: a glance accepted what a walk refuses: " + f.Path + ": " + f.Detail)
				}
			}
		}
		return nil
	}
	return p.walk(buf, cfg)
}

// look returns the program for glances.
func (p *Program) look(stated bool) *glances {
	if stated {
		return p.stated()
	}
	return p.unstated()
}

// walk looks at each value.
func (p *Program) walk(buf []byte, cfg *Config) []Fault {
	var w walker
	r := rooms.Get().(*room)
	defer rooms.Put(r)
	n := len(p.slots)
	if len(r.slots) < 2*n {
		r.slots = make([]value, 2*n)
	}
	w.slots, w.outer, w.found = r.slots[:n], r.slots[n:2*n], &r.faults
	w.p, w.b, w.cfg = p, buf, *cfg
	w.budget = p.times*uint64(len(buf)) + 1<<12
	w.run()
	if w.restart {
		w.remember()
		w.run()
	}
	faults := r.faults
	r.faults = nil
	return faults
}

// room is what a walk needs that cannot be on the stack.
type room struct {
	slots  []value
	faults []Fault // what is returned
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// walker is the state of one walk.
type walker struct {
	p     *Program
	b     []byte
	cfg   Config
	slots []value
	outer []value // what they are where their tables are not around

	work, budget uint64
	restart      bool // it takes longer than a buffer without sharing would
	memo         *memo

	found   *[]Fault
	stop    bool
	glances bool     // only whether there is a fault is asked, not which
	missing *operand // that was not known
	paths   int      // bytes of the paths of faults
}

// frame is a step of the path to what is looked at.
type frame struct {
	up       *frame
	field    *schema.Field
	index    uint64
	hasIndex bool
}

func (w *walker) run() { w.table(w.begin(), w.p.root, nil) }

// begin fills the slots, and returns where the root is.
func (w *walker) begin() uint64 {
	clear(w.slots)
	clear(w.outer)
	if len(w.cfg.Facts) > 0 {
		for i := range w.p.slots {
			if w.p.slots[i].fact {
				w.outer[i] = w.outside(i)
				w.outer[i].bounds()
				w.slots[i] = w.outer[i]
			}
		}
	}
	return w.cfg.Start + uint64(w.u32(w.cfg.Start))
}

// spend counts bytes that are looked at. A buffer that shares nothing has no more of them
// than it has bytes, each as often as constraints ask it.
func (w *walker) spend(bytes uint64, o *schema.Object, pos uint64, f *frame) bool {
	w.work += bytes
	if w.work <= w.budget {
		return true
	}
	if w.memo == nil {
		w.restart, w.stop = true, true
		return false
	}
	if !w.stop {
		w.fault(&Fault{Kind: rule.Overlap, Type: o.Name, Offset: pos, Thing: rule.ThingBuffer, Found: int64(w.work), Allowed: int64(w.budget)}, f,
			"parts of the buffer overlap one another: asking each what its constraints say takes longer than its bytes warrant")
		w.stop = true
	}
	return false
}

// table asks a table and what is below it.
func (w *walker) table(pos uint64, n *node, f *frame) {
	if !w.spend(4, n.object, pos, f) {
		return
	}
	if w.memo != nil {
		if v, ok := w.enter(key{pos: pos, as: n.key}, n.free); ok {
			w.tableNow(pos, n, f)
			w.leave(&v)
		}
		return
	}
	w.tableNow(pos, n, f)
}

func (w *walker) tableNow(pos uint64, n *node, f *frame) {
	o := w.tableAt(pos)
	if len(n.binds) == 0 {
		w.object(&o, n, f)
		return
	}
	w.within(&o, n, f)
}

// within asks a table that others refer to.
func (w *walker) within(o *object, n *node, f *frame) {
	const few = 8
	var room [few]value
	before := room[:0]
	if n.again {
		for _, s := range n.binds {
			before = append(before, w.slots[s])
		}
	}
	if w.memo != nil {
		w.memo.hide(n.binds)
	}
	for _, s := range n.binds {
		switch op := w.p.slots[s].operand; {
		case op != nil && w.memo == nil:
			w.slots[s] = value{at: o.pos, due: true}
		case op != nil:
			w.slots[s] = w.evaluate(op, o)
		default:
			w.slots[s] = value{n: schema.Unsigned(o.pos), at: o.pos, known: true}
		}
	}
	w.object(o, n, f)
	for i, s := range n.binds {
		if n.again {
			w.slots[s] = before[i]
		} else {
			w.slots[s] = w.outer[s]
		}
	}
	if w.memo != nil {
		w.memo.show(n.binds)
	}
}

// outside is the value of a slot where its table is not around.
func (w *walker) outside(s int) value {
	if p := &w.p.slots[s]; p.fact {
		if n, ok := w.cfg.Facts[p.name]; ok {
			return value{n: calculate(schema.Signed(n), p.arithmetic, p.by), known: true}
		}
	}
	return value{}
}

// object asks the fields of a table or a struct, and goes where they lead.
func (w *walker) object(o *object, n *node, f *frame) {
	for i := range n.checks {
		if w.check(&n.checks[i], o, n, f); w.stop {
			return
		}
	}
	// Declared in the loop, they would not be on the stack.
	var fr frame
	var s object
	for i := range n.downs {
		d := &n.downs[i]
		at := w.field(o, d.place)
		if at == 0 {
			continue
		}
		fr = frame{up: f, field: d.field}
		switch d.kind {
		case toTable:
			w.table(w.follow(at, false), d.node, &fr)
		case toTables, toStructs, toUnions:
			w.vectorOf(o, at, d, &fr)
		case toUnion:
			w.unionAt(o, at, d, &fr)
		case toStruct:
			if w.spend(uint64(d.node.object.ByteSize), d.node.object, at, &fr) {
				s = object{pos: at}
				w.object(&s, d.node, &fr)
			}
		case toArray:
			fr.hasIndex = true
			for i := range d.count {
				fr.index = i
				s = object{pos: at + i*d.size}
				if w.object(&s, d.node, &fr); w.stop {
					return
				}
			}
		case toBuffer:
			if w.cfg.SkipNested {
				continue
			}
			_, data := w.vector(w.follow(at, d.wide), d.long)
			w.table(data+uint64(w.u32(data)), d.node, &fr)
		}
		if w.stop {
			return
		}
	}
}

// vectorOf asks the elements of a vector.
func (w *walker) vectorOf(o *object, at uint64, d *down, f *frame) {
	pos := w.follow(at, d.wide)
	if w.memo == nil {
		w.elements(o, pos, d, f)
		return
	}
	free := d.union.freeOr(d.node)
	k := key{pos: pos, as: d.key}
	if d.kind == toUnions {
		// What the elements are, the vector of their types says.
		k.tags = w.follow(w.field(o, place{off: d.off - 2}), false)
	}
	if v, ok := w.enter(k, free); ok {
		w.elements(o, pos, d, f)
		w.leave(&v)
	}
}

func (u *union) freeOr(n *node) []int {
	if u != nil {
		return u.free
	}
	return n.free
}

func (w *walker) elements(o *object, pos uint64, d *down, f *frame) {
	n, data := w.vector(pos, d.long)
	f.hasIndex = true
	var s object
	switch d.kind {
	case toTables:
		for i := range n {
			f.index = i
			if w.table(w.follow(data+4*i, false), d.node, f); w.stop {
				return
			}
		}
	case toStructs:
		if !w.spend(n*d.size, d.node.object, pos, f) {
			return
		}
		for i := range n {
			f.index = i
			s = object{pos: data + i*d.size}
			if w.object(&s, d.node, f); w.stop {
				return
			}
		}
	case toUnions:
		_, tags := w.vector(w.follow(w.field(o, place{off: d.off - 2}), false), false)
		size := uint64(d.union.tag.Size())
		if !w.spend(n, d.union.any(), pos, f) {
			return
		}
		for i := range n {
			f.index = i
			if w.member(d.union, w.load(tags+i*size, d.union.tag), data+4*i, f); w.stop {
				return
			}
		}
	}
}

// any returns the type of a member, for words about the whole.
func (u *union) any() *schema.Object {
	for _, m := range u.members {
		return m.node.object
	}
	return nil
}

func (w *walker) unionAt(o *object, at uint64, d *down, f *frame) {
	if tag := w.field(o, place{off: d.off - 2}); tag != 0 {
		w.member(d.union, w.load(tag, d.union.tag), at, f)
	}
}

// member asks the value of a union, to which the offset at a position leads.
func (w *walker) member(u *union, tag schema.Integer, at uint64, f *frame) {
	var m member
	if tag.High == 0 && tag.Low < uint64(len(u.dense)) {
		m = u.dense[tag.Low]
	} else {
		m = u.members[tag]
	}
	switch {
	case m.node == nil:
	case m.isStruct:
		o := object{pos: w.follow(at, false)}
		w.object(&o, m.node, f)
	default:
		w.table(w.follow(at, false), m.node, f)
	}
}
