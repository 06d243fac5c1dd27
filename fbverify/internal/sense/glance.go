package sense

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"github.com/fbverify/go/schema"
)

// A glance comes before a walk. It accepts most buffers that break nothing, at a few
// nanoseconds for each table, and says nothing of the others: those are walked. So it may
// leave off at whatever it does not see at once, and needs neither paths nor memories.
//
// What is asked of a table is worked out once for a vtable: which fields are there, and of
// which nothing is left to ask. What is not of the common forms, check asks.

// glances is a program for glances. It belongs to the calls that state facts, or to
// those that state none: for these, what is asked only if a fact was stated is left out.
type glances struct {
	p     *Program
	root  *kind
	most  int // acts of a kind
	kinds uint32
	rooms sync.Pool // of *gallery
}

// kind is what is asked of a type.
type kind struct {
	number   uint32
	node     *node
	acts     []act
	fixed    []resolved // of a struct
	isStruct bool
	class    *[256]byte // by the tag of a union: tags of one class are asked the same
	tag      place      // of that union
	plain    bool       // of a struct: all acts are within, and of longs
}

// action says what an act does.
type action uint8

const (
	ask      action = iota // by check
	present                // the field is there
	tagged                 // the type of the union is not NONE
	index                  // below the limit of a slot
	indexes                // all of them
	within                 // from least to most
	among                  // one of a list
	measured               // the length is from least to most
	alike                  // the length is that of another
	ordered                // no number is less than the one before
	extents                // structs that say where something lies
	choose                 // the member of a union, and go there
	each                   // go to each table of a vector
	descend                // to what else is below
	refuse                 // see nothing: it is walked
)

// act is one thing to do at a field.
type act struct {
	action      action
	tested      bool // where mask has not the bit of the number at other, nothing is asked
	unasked     bool // nothing is asked where that is absent
	bare        bool // acts where the field is absent, too
	minusOne    bool
	binds       bool // what it goes down to depends on slots of the table
	base        schema.BaseType
	otherBase   schema.BaseType
	def         int64
	slot        int
	least, most int64
	mask        uint64
	other       place // the field that is looked at besides; off is 0 where there is none
	list        []int64
	size        uint64 // of a struct below, or of an element
	c           *check
	d           *down
	kind        *kind
	members     []glanced // by tag
}

// glanced is a member of a union.
type glanced struct {
	kind     *kind
	size     uint64 // of a struct
	isStruct bool
	binds    bool
}

// absent is the offset of a field that is not there.
const absent = math.MaxUint16

// resolved is an act for tables of one vtable, with the offsets of its fields.
type resolved struct {
	act        *act
	off, other uint16
}

// layout is what is asked of the tables of a kind with a vtable.
type layout struct {
	vtable uint64
	tag    uint64 // the glance and the kind
	acts   []resolved
	tagOff uint16 // of the union that says the class
	off    uint16 // of the only act's field, where
	only   *act   // that is all there is to do
	_      uint64 // for a size that is a power of two
}

// gallery is what a glance needs that cannot be on the stack.
type gallery struct {
	slots   []value
	limits  []uint64
	kept    []value
	round   uint64 // counts glances, so that layouts of earlier ones are not taken
	laid    uint64 // counts layouts
	layouts [64]layout
}

// glancer is the state of a glance.
type glancer struct {
	walker
	g    *glances
	room *gallery

	round  uint64
	limits []uint64 // of the slots; 0 where one is due
}

// look makes the program for glances out of p.
func look(p *Program) *glances {
	g := &glances{p: p}
	if p.root == nil {
		return g
	}
	v := viewer{g: g, kinds: map[*node]*kind{}}
	g.root = v.kind(p.root)
	g.rooms.New = func() any {
		r := &gallery{slots: make([]value, 2*len(p.slots)), limits: make([]uint64, len(p.slots))}
		acts := make([]resolved, len(r.layouts)*g.most)
		for i := range r.layouts {
			r.layouts[i].acts = acts[i*g.most:][:0:g.most]
		}
		return r
	}
	return g
}

// accepts reports whether nothing is wrong with a buffer, as far as can be seen at once.
func (g *glances) accepts(buf []byte, cfg *Config) bool {
	if g.root == nil {
		return true
	}
	r := g.rooms.Get().(*gallery)
	n := len(g.p.slots)
	w := glancer{g: g, room: r}
	w.p, w.b, w.cfg = g.p, buf, *cfg
	w.slots, w.outer = r.slots[:n], r.slots[n:]
	w.budget, w.glances = g.p.times*uint64(len(buf))+1<<12, true
	r.kept = r.kept[:0]
	if r.round++; r.round>>32 != 0 { // layouts of so long ago could seem to be of now
		return false
	}
	w.round, w.limits = r.round<<32, r.limits
	root := w.begin()
	for i := range w.limits {
		w.limits[i] = w.slots[i].limit
	}
	fine := w.table(g.root, root)
	g.rooms.Put(r)
	return fine
}

// limit returns how many numbers from 0 on are below what a slot holds, as far as a long
// says it; 0 where that is not known.
func (w *glancer) limit(slot int) uint64 {
	if n := w.limits[slot]; n != 0 {
		return n
	}
	return w.learn(slot)
}

// learn fills a slot that is due.
func (w *glancer) learn(slot int) uint64 {
	if w.slots[slot].due {
		w.resolve(slot)
	}
	w.limits[slot] = w.slots[slot].limit
	return w.limits[slot]
}

// tag tells the layouts of a kind in this glance from others. Its lowest byte is for the class.
func (w *glancer) tag(k *kind) uint64 { return w.round | uint64(k.number)<<8 }

// layout returns the layout of a table.
func (w *glancer) layout(k *kind, pos, vtable uint64) *layout {
	tag := w.tag(k)
	at := vtable>>1 + uint64(k.number)*5
	if k.class != nil {
		class := k.class[0]
		if off := w.find(vtable, k.tag); off != absent {
			class = k.class[w.b[pos+uint64(off)]]
		}
		tag |= uint64(class)
		at += uint64(class) * 7
	}
	l := &w.room.layouts[at%uint64(len(w.room.layouts))]
	if l.vtable != vtable || l.tag != tag {
		l.tag = tag
		w.lay(l, k, pos, vtable)
	}
	return l
}

// find returns the offset of a field.
func (w *glancer) find(vtable uint64, at place) uint16 {
	if at.off < w.u16(vtable) {
		if off := w.u16(vtable + uint64(at.off)); off != 0 {
			return off
		}
	}
	return absent
}

// lay works out a layout; pos is the first table that has it.
func (w *glancer) lay(l *layout, k *kind, pos, vtable uint64) {
	find := func(at place) uint16 { return w.find(vtable, at) }
	w.room.laid++
	l.vtable, l.acts, l.only = vtable, l.acts[:0], nil
	l.tagOff = absent
	tag := byte(0)
	if k.class != nil {
		if l.tagOff = find(k.tag); l.tagOff != absent {
			tag = w.b[pos+uint64(l.tagOff)]
		}
	}
	for i := range k.acts {
		a := &k.acts[i]
		r := resolved{act: a, off: absent, other: absent}
		switch {
		case a.action >= choose:
			r.off = find(a.d.place)
		default:
			r.off = find(a.c.place)
		}
		if a.other.off != 0 {
			r.other = find(a.other)
		}
		switch {
		case r.other == absent && a.unasked:
			continue
		case r.off == absent && !a.bare:
			continue
		case r.off != absent && a.action == present:
			continue
		case k.class == nil || a.other != k.tag || r.other == absent:
		case a.tested && tag < 64 && a.mask>>tag&1 == 0:
			continue
		case a.action == tagged && r.off != absent && tag != 0:
			continue
		case a.action == choose && (int(tag) >= len(a.members) || a.members[tag].kind == nil):
			continue
		}
		l.acts = append(l.acts, r)
	}
	if len(l.acts) == 1 {
		r := l.acts[0]
		a := r.act
		if r.off != absent && !a.tested && (a.action == index || a.action == within || a.action == among) {
			l.only, l.off = a, r.off
		}
	}
}

func (w *glancer) table(k *kind, pos uint64) bool {
	if w.work += 4; w.work > w.budget {
		return false
	}
	vtable := pos - uint64(int64(int32(w.u32(pos))))
	l := w.layout(k, pos, vtable)
	if l.only != nil && w.passes(l.only, pos+uint64(l.off)) {
		return true
	}
	return len(l.acts) == 0 || w.do(k, l.acts, pos, vtable)
}

// passes reports whether a number passes.
func (w *glancer) passes(a *act, at uint64) bool {
	n := w.long(at, a.base)
	switch a.action {
	case index:
		return uint64(n) < w.limit(a.slot)
	case within:
		return n >= a.least && n <= a.most
	}
	return slices.Contains(a.list, n)
}

// tables looks at the tables of a vector.
func (w *glancer) tables(k *kind, data, n uint64) bool {
	if w.work += 4 * n; w.work > w.budget {
		return false
	}
	tag := w.tag(k)
	l := &w.room.layouts[0]
	b := w.b
	for at := data; n > 0; n-- {
		pos := at + uint64(binary.LittleEndian.Uint32(b[at:]))
		vtable := pos - uint64(int64(int32(binary.LittleEndian.Uint32(b[pos:]))))
		at += 4
		if k.class != nil || l.vtable != vtable || l.tag != tag {
			l = w.layout(k, pos, vtable)
		}
		if a := l.only; a != nil {
			if a.action == index && a.base == schema.UInt && uint64(binary.LittleEndian.Uint32(b[pos+uint64(l.off):])) < w.limits[a.slot] ||
				w.passes(a, pos+uint64(l.off)) {
				continue
			}
		}
		if len(l.acts) > 0 && !w.do(k, l.acts, pos, vtable) {
			return false
		}
	}
	return true
}

// structs looks at the structs of a vector or an array.
func (w *glancer) structs(k *kind, data, n, size uint64) bool {
	if k.plain {
		for i := range k.acts {
			a := &k.acts[i]
			b := w.b[data:][:n*size]
			for at := uint64(k.fixed[i].off); at < uint64(len(b)); at += size {
				if v := int64(binary.LittleEndian.Uint64(b[at:])); v < a.least || v > a.most {
					return false
				}
			}
		}
		return true
	}
	for i := range n {
		if !w.do(k, k.fixed, data+i*size, 0) {
			return false
		}
	}
	return true
}

// long returns the integer at a position; a ulong that no long holds is negative.
func (w *glancer) long(pos uint64, base schema.BaseType) int64 {
	switch base {
	case schema.Byte:
		return int64(int8(w.b[pos]))
	case schema.Short:
		return int64(int16(w.u16(pos)))
	case schema.UShort:
		return int64(w.u16(pos))
	case schema.Int:
		return int64(int32(w.u32(pos)))
	case schema.UInt:
		return int64(w.u32(pos))
	case schema.Long, schema.ULong:
		return int64(w.u64(pos))
	}
	return int64(w.b[pos])
}

// length returns the length of the vector or the string of a field, 0 where it is absent.
func (w *glancer) length(pos uint64, off uint16) int64 {
	if off == absent {
		return 0
	}
	at := pos + uint64(off)
	return int64(w.u32(at + uint64(w.u32(at))))
}

// do does the acts of a table or a struct.
func (w *glancer) do(k *kind, acts []resolved, pos, vtable uint64) bool {
	if w.work > w.budget {
		return false
	}
	bound, laid := false, w.room.laid // acts are overwritten where more are laid
	for i := 0; i < len(acts); i++ {
		r := acts[i]
		a := r.act
		at := pos + uint64(r.off)
		if a.tested && r.other != absent {
			if n := uint64(w.long(pos+uint64(r.other), a.otherBase)); n < 64 && a.mask>>n&1 == 0 {
				continue
			}
		}
		switch a.action {
		case tagged:
			if r.off != absent && r.other != absent && w.long(pos+uint64(r.other), a.base) != 0 {
				continue
			}
		case index:
			n := a.def
			if r.off != absent {
				n = w.long(at, a.base)
			}
			if uint64(n) < w.limit(a.slot) {
				continue
			}
		case indexes:
			if w.below(a, at) {
				continue
			}
		case within:
			if r.off != absent {
				if n := w.long(at, a.base); n >= a.least && n <= a.most {
					continue
				}
			}
		case among:
			if r.off != absent && slices.Contains(a.list, w.long(at, a.base)) {
				continue
			}
		case measured:
			if n := w.length(pos, r.off); n >= a.least && n <= a.most {
				continue
			}
		case alike:
			if w.length(pos, r.off) == w.length(pos, r.other) {
				continue
			}
		case ordered:
			if w.ordered(a, at) {
				continue
			}
		case extents:
			if w.lie(a, at) {
				continue
			}
		case choose:
			if r.other == absent {
				continue
			}
			tag := uint64(w.long(pos+uint64(r.other), a.base))
			if tag >= uint64(len(a.members)) || a.members[tag].kind == nil {
				continue
			}
			m := &a.members[tag]
			if m.binds && !bound {
				w.bind(k.node, pos)
				bound = true
			}
			next := w.follow(at, false)
			switch {
			case m.isStruct:
				w.work += m.size
				if !w.do(m.kind, m.kind.fixed, next, 0) {
					return false
				}
			case !w.table(m.kind, next):
				return false
			}
			if laid != w.room.laid && !k.isStruct && i+1 < len(acts) {
				acts, laid = w.layout(k, pos, vtable).acts, w.room.laid
			}
			continue
		case each:
			data := w.follow(at, false)
			n := uint64(w.u32(data))
			if n == 0 {
				continue
			}
			if a.binds && !bound {
				w.bind(k.node, pos)
				bound = true
			}
			if !w.tables(a.kind, data+4, n) {
				return false
			}
			if laid != w.room.laid && !k.isStruct && i+1 < len(acts) {
				acts, laid = w.layout(k, pos, vtable).acts, w.room.laid
			}
			continue
		case descend:
			if a.binds && !bound {
				w.bind(k.node, pos)
				bound = true
			}
			if !w.descend(a, pos, at, r.other) {
				return false
			}
			if laid != w.room.laid && !k.isStruct && i+1 < len(acts) {
				acts, laid = w.layout(k, pos, vtable).acts, w.room.laid
			}
			continue
		case refuse:
			return false
		}
		o := object{pos: pos, vtable: vtable}
		if !k.isStruct {
			o.size = w.u16(vtable)
		}
		if w.check(a.c, &o, k.node, nil); w.stop {
			return false
		}
	}
	if bound {
		w.unbind(k.node)
	}
	return true
}

// bind fills the slots of a table, and unbind gives them the values back that they had.
func (w *glancer) bind(n *node, pos uint64) {
	for _, s := range n.binds {
		w.room.kept = append(w.room.kept, w.slots[s])
		w.limits[s] = 0
		if w.p.slots[s].operand != nil {
			w.slots[s] = value{at: pos, due: true}
		} else {
			w.slots[s] = value{n: schema.Unsigned(pos), at: pos, known: true}
		}
	}
}

func (w *glancer) unbind(n *node) {
	first := len(w.room.kept) - len(n.binds)
	for i, s := range n.binds {
		w.slots[s] = w.room.kept[first+i]
		w.limits[s] = w.slots[s].limit
	}
	w.room.kept = w.room.kept[:first]
}

// descend looks at what is below a field. Of a union, tag is the field with its type.
func (w *glancer) descend(a *act, pos, at uint64, tag uint16) bool {
	d := a.d
	switch d.kind {
	case toTable:
		return w.table(a.kind, w.follow(at, false))
	case toTables: // of 64-bit
		n, data := w.vector(w.follow(at, d.wide), d.long)
		return w.tables(a.kind, data, n)
	case toStruct:
		w.work += a.size
		return w.work <= w.budget && w.do(a.kind, a.kind.fixed, at, 0)
	case toArray:
		return w.structs(a.kind, at, d.count, a.size)
	case toStructs:
		n, data := w.vector(w.follow(at, d.wide), d.long)
		w.work += n * a.size
		return w.work <= w.budget && w.structs(a.kind, data, n, a.size)
	case toUnions:
		n, data := w.vector(w.follow(at, d.wide), d.long)
		_, tags := w.vector(w.follow(pos+uint64(tag), false), false)
		if w.work += n; w.work > w.budget {
			return false
		}
		size := uint64(a.base.Size())
		for i := range n {
			t := uint64(w.long(tags+i*size, a.base))
			if t >= uint64(len(a.members)) || a.members[t].kind == nil {
				continue
			}
			m := &a.members[t]
			next := w.follow(data+4*i, false)
			switch {
			case m.isStruct:
				w.work += m.size
				if !w.do(m.kind, m.kind.fixed, next, 0) {
					return false
				}
			case !w.table(m.kind, next):
				return false
			}
		}
		return true
	case toBuffer:
		if w.cfg.SkipNested {
			return true
		}
		_, data := w.vector(w.follow(at, d.wide), d.long)
		return w.table(a.kind, data+uint64(w.u32(data)))
	}
	return false
}

// below reports whether all elements of a vector are indexes.
func (w *glancer) below(a *act, at uint64) bool {
	limit := w.limit(a.slot)
	if limit == 0 {
		return false
	}
	n, data := w.vector(w.follow(at, false), false)
	w.work += n * a.size
	switch b := w.b[data:][:n*a.size]; a.base {
	case schema.Int:
		// -1 is the greatest number without a sign: with one added it is the least.
		shift := int64(0)
		if a.minusOne {
			shift = 1
		}
		limit += uint64(shift)
		for len(b) > 4 {
			if uint64(int64(int32(binary.LittleEndian.Uint32(b)))+shift) >= limit {
				return false
			}
			b = b[4:]
		}
		return len(b) < 4 || uint64(int64(int32(binary.LittleEndian.Uint32(b)))+shift) < limit
	case schema.UInt:
		for ; len(b) >= 4; b = b[4:] {
			if uint64(binary.LittleEndian.Uint32(b)) >= limit {
				return false
			}
		}
	case schema.UShort:
		for ; len(b) >= 2; b = b[2:] {
			if uint64(binary.LittleEndian.Uint16(b)) >= limit {
				return false
			}
		}
	default:
		return false
	}
	return true
}

// ordered reports whether no number of a vector is less than the one before.
func (w *glancer) ordered(a *act, at uint64) bool {
	n, data := w.vector(w.follow(at, false), false)
	size := a.c.size
	w.work += n * size
	b := w.b[data:][:n*size]
	at = uint64(a.c.by.off) // 0 where the elements themselves are compared
	switch a.base {
	case schema.ULong:
		for last := uint64(0); at < uint64(len(b)); at += size {
			v := binary.LittleEndian.Uint64(b[at:])
			if v < last {
				return false
			}
			last = v
		}
	case schema.UInt:
		for last := uint32(0); at < uint64(len(b)); at += size {
			v := binary.LittleEndian.Uint32(b[at:])
			if v < last {
				return false
			}
			last = v
		}
	default:
		return false
	}
	return true
}

// lie reports whether all structs of a vector describe what lies below a limit.
func (w *glancer) lie(a *act, at uint64) bool {
	limit := w.limit(a.slot)
	n, data := w.vector(w.follow(at, false), false)
	size, from, with := a.c.size, uint64(a.c.from.off), uint64(a.c.with.off)
	w.work += n * size
	b := w.b[data:][:n*size]
	wrong := uint64(0) // its highest bit: something is negative
	for ; uint64(len(b)) >= size; b = b[size:] {
		offset, length := binary.LittleEndian.Uint64(b[from:]), binary.LittleEndian.Uint64(b[with:])
		end := offset + length
		wrong |= offset | length | end | (limit - end)
	}
	return int64(wrong) >= 0
}
