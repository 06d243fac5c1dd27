package sense

import (
	"hash/maphash"
	"slices"
	"sync"

	"github.com/fbverify/go/fbverify/internal/mem"
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
	kinds uint32
	far   int // acts that are held against what a path leads to

	beside []place   // of the slots that are the length of a field of their table; off is 0 for others
	rooms  sync.Pool // of *gallery
}

// gallery is what a glance needs that cannot be on the stack.
type gallery struct {
	slots    []value
	limits   []uint64
	kept     []value
	round    uint64 // counts glances, so that families of earlier ones are not taken
	families [64]family
	layouts  layouts
	far      []distant
}

// distant is what is remembered of a path.
type distant struct{ stamp, limit uint64 }

// glancer is the state of a glance.
type glancer struct {
	walker
	g    *glances
	room *gallery

	round  uint64
	bound  uint64   // how often a table was entered or left that something is held against
	limits []uint64 // of the slots; 0 where one is due
	m      mem.Guarded
}

// look makes the program for glances out of p.
func look(p *Program) *glances {
	g := &glances{p: p}
	if p.root == nil {
		return g
	}
	for i := range p.slots {
		at := place{}
		if op := p.slots[i].operand; op != nil {
			at, _ = op.lengthBeside()
		}
		g.beside = append(g.beside, at)
	}
	v := viewer{g: g, kinds: map[*node]*kind{}}
	g.root = v.kind(p.root)
	g.rooms.New = func() any {
		r := &gallery{slots: make([]value, 2*len(p.slots)), limits: make([]uint64, len(p.slots)), far: make([]distant, g.far)}
		r.layouts.seed = maphash.MakeSeed()
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
	if r.layouts.full() {
		r.layouts.forget()
		clear(r.families[:])
	}
	if r.round++; r.round>>32 != 0 { // families of so long ago could seem to be of now
		return false
	}
	w.round, w.limits, w.m = r.round<<32, r.limits, mem.Guard(buf)
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
func (w *glancer) limit(slot uint32) uint64 {
	if n := w.limits[slot]; n != 0 {
		return n
	}
	return w.learn(slot)
}

// learn fills a slot that is due.
func (w *glancer) learn(slot uint32) uint64 {
	v := &w.slots[slot]
	if v.due {
		if beside := w.g.beside[slot]; beside.off != 0 {
			vtable := v.at - uint64(int64(int32(w.m.Load32(v.at))))
			if off := w.find(vtable, beside); off != absent {
				w.limits[slot] = w.length(v.at + uint64(off))
			}
			return w.limits[slot]
		}
		w.resolve(int(slot))
	}
	w.limits[slot] = w.slots[slot].limit
	return w.limits[slot]
}

// far returns the limit that a path from an enclosing table leads to, 0 where it is not known.
// It stays as it is until another table is entered or left that something is held against.
func (w *glancer) far(a *act) uint64 {
	m := &w.room.far[a.slot]
	if now := w.round + w.bound; m.stamp != now {
		v := w.evaluate(&a.c.bound, &object{})
		v.bounds()
		m.stamp, m.limit = now, v.limit
	}
	return m.limit
}

// table looks at a table and what is below it.
func (w *glancer) table(k *kind, pos uint64) bool {
	if w.work += 4; w.work > w.budget {
		return false
	}
	return w.one(k, pos)
}

// one is table, of one that is counted.
func (w *glancer) one(k *kind, pos uint64) bool {
	vtable := pos - uint64(int64(int32(w.m.Load32(pos))))
	l := w.of(w.family(k, vtable), k, pos)
	return l != nil && (len(l.ops) == 0 || w.do(k, l.ops, pos, vtable))
}

// do does what is left to do for a table or a struct.
func (w *glancer) do(k *kind, ops []op, pos, vtable uint64) bool {
	bound := false
	m := &w.m
	for i := range ops {
		r := &ops[i]
		at := pos + uint64(r.off)
		if r.tested {
			if n := uint64(w.long(pos+uint64(r.other), r.otherBase)); n < 64 && r.mask>>n&1 == 0 {
				continue
			}
		}
		switch r.action {
		case withinByte:
			if uint64(m.Load8(at))-uint64(r.least) <= r.span {
				continue
			}
		case withinInt:
			if uint64(int64(int32(m.Load32(at))))-uint64(r.least) <= r.span {
				continue
			}
		case within:
			if uint64(w.long(at, r.base))-uint64(r.least) <= r.span {
				continue
			}
		case amongInt:
			if slices.Contains(r.act.list, int64(int32(m.Load32(at)))) {
				continue
			}
		case noMore:
			if w.long(at, r.base) <= w.long(pos+uint64(r.other), r.otherBase) {
				continue
			}
		case among:
			if slices.Contains(r.act.list, w.long(at, r.base)) {
				continue
			}
		case tagged:
			if w.long(pos+uint64(r.other), r.base) != 0 {
				continue
			}
		case indexUInt:
			if uint64(m.Load32(at)) < w.limit(r.slot) {
				continue
			}
		case index:
			if uint64(w.long(at, r.base)) < w.limit(r.slot) {
				continue
			}
		case indexPath:
			n := r.act.def
			if r.off != absent {
				n = w.long(at, r.base)
			}
			if uint64(n) < w.far(r.act) {
				continue
			}
		case indexDefault:
			if uint64(r.least) < w.limit(r.slot) {
				continue
			}
		case indexes:
			if limit := w.limit(r.slot); limit != 0 && w.below(r.act, at, limit) {
				continue
			}
		case indexesBeside:
			if w.below(r.act, at, w.length(pos+uint64(r.other))) {
				continue
			}
		case measured:
			if w.length(at)-uint64(r.least) <= r.span {
				continue
			}
		case alike:
			if w.length(at) == w.length(pos+uint64(r.other)) {
				continue
			}
		case ordered:
			if w.ordered(r.act, at) {
				continue
			}
		case extents:
			if w.lie(r.act, at) {
				continue
			}
		case goTo:
			if r.binds && !bound {
				w.bind(k.node, pos)
				bound = true
			}
			if !w.table(r.kind, at+uint64(m.Load32(at))) {
				return false
			}
			continue
		case each:
			data := at + uint64(m.Load32(at))
			n := uint64(m.Load32(data))
			if n == 0 {
				continue
			}
			if r.binds && !bound {
				w.bind(k.node, pos)
				bound = true
			}
			if !w.tables(r.kind, data+4, n) {
				return false
			}
			continue
		case choose:
			tag := uint64(w.long(pos+uint64(r.other), r.base))
			if tag >= uint64(len(r.act.members)) || r.act.members[tag].kind == nil {
				continue
			}
			one := &r.act.members[tag]
			if one.binds && !bound {
				w.bind(k.node, pos)
				bound = true
			}
			if !w.value(one, at+uint64(m.Load32(at))) {
				return false
			}
			continue
		case descend:
			if r.binds && !bound {
				w.bind(k.node, pos)
				bound = true
			}
			if !w.descend(r.act, pos, at, r.other) {
				return false
			}
			continue
		case refuse:
			return false
		}
		o := object{pos: pos, vtable: vtable}
		if !k.isStruct {
			o.size = w.u16(vtable)
		}
		if w.check(r.act.c, &o, k.node, nil); w.stop {
			return false
		}
	}
	if bound {
		w.unbind(k.node)
	}
	return true
}

// value looks at the value of a union.
func (w *glancer) value(m *glanced, at uint64) bool {
	if !m.isStruct {
		return w.table(m.kind, at)
	}
	w.work += m.size
	return w.work <= w.budget && w.do(m.kind, m.kind.fixed, at, 0)
}

// bind fills the slots of a table, and unbind gives them the values back that they had.
func (w *glancer) bind(n *node, pos uint64) {
	w.bound++
	for _, s := range n.binds {
		v := &w.slots[s]
		if n.again {
			w.room.kept = append(w.room.kept, *v)
		}
		w.limits[s] = 0
		v.at, v.limit = pos, 0
		if v.due = w.p.slots[s].operand != nil; v.due {
			v.known = false
		} else {
			v.n, v.known = schema.Unsigned(pos), true
		}
	}
}

func (w *glancer) unbind(n *node) {
	w.bound++
	first := len(w.room.kept) - len(n.binds)
	for i, s := range n.binds {
		if n.again {
			w.slots[s] = w.room.kept[first+i]
		} else {
			w.slots[s] = w.outer[s]
		}
		w.limits[s] = w.slots[s].limit
	}
	if n.again {
		w.room.kept = w.room.kept[:first]
	}
}

// descend looks at what is below a field. Of a union, tag is the field with its type.
func (w *glancer) descend(a *act, pos, at uint64, tag uint16) bool {
	d := a.d
	switch d.kind {
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
			if !w.value(&a.members[t], w.follow(data+4*i, false)) {
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

// structs looks at the structs of a vector or an array.
func (w *glancer) structs(k *kind, data, n, size uint64) bool {
	m := &w.m
	for i := range k.fixed {
		r := &k.fixed[i]
		at, end := data+uint64(r.off), data+n*size
		switch {
		case r.action == within && r.base.Size() == 8:
			most, least := uint64(0), uint64(r.least)
			for ; at < end; at += size {
				most = max(most, m.Load64(at)-least)
			}
			if most <= r.span {
				continue
			}
		case r.action == withinByte:
			most, least := uint64(0), uint64(r.least)
			for ; at < end; at += size {
				most = max(most, uint64(m.Load8(at))-least)
			}
			if most <= r.span {
				continue
			}
		case r.action == noMore && r.base.Size() == 8:
			fine, other := true, data+uint64(r.other)
			for ; at < end; at += size {
				fine = fine && int64(m.Load64(at)) <= int64(m.Load64(other))
				other += size
			}
			if fine {
				continue
			}
		}
		for j := range n {
			if !w.do(k, k.fixed[i:i+1], data+j*size, 0) {
				return false
			}
		}
	}
	return true
}

// long returns the integer at a position; a ulong that no long holds is negative.
func (w *glancer) long(pos uint64, base schema.BaseType) int64 {
	switch base {
	case schema.Byte:
		return int64(int8(w.m.Load8(pos)))
	case schema.Short:
		return int64(int16(w.m.Load16(pos)))
	case schema.UShort:
		return int64(w.m.Load16(pos))
	case schema.Int:
		return int64(int32(w.m.Load32(pos)))
	case schema.UInt:
		return int64(w.m.Load32(pos))
	case schema.Long, schema.ULong:
		return int64(w.m.Load64(pos))
	}
	return int64(w.m.Load8(pos))
}

// length returns the length of the vector or the string that a field leads to.
func (w *glancer) length(at uint64) uint64 {
	return uint64(w.m.Load32(at + uint64(w.m.Load32(at))))
}

// elements returns where the elements of the vector are that a field leads to, and where the
// one after the last would be.
func (w *glancer) elements(at, size uint64) (data, end uint64) {
	at += uint64(w.m.Load32(at))
	n := uint64(w.m.Load32(at)) * size
	w.work += n
	return at + 4, at + 4 + n
}

// below reports whether all elements of a vector are below a limit, a stand-in of -1 aside.
func (w *glancer) below(a *act, at, limit uint64) bool {
	at, end := w.elements(at, a.size)
	m := &w.m
	switch a.base {
	case schema.Int:
		// -1 is the greatest number without a sign: with one added it is the least.
		shift := int64(0)
		if a.minusOne {
			shift = 1
		}
		limit += uint64(shift)
		for ; at < end; at += 4 {
			if uint64(int64(int32(m.Load32(at)))+shift) >= limit {
				return false
			}
		}
	case schema.UInt:
		for ; at < end; at += 4 {
			if uint64(m.Load32(at)) >= limit {
				return false
			}
		}
	case schema.UShort:
		for ; at < end; at += 2 {
			if uint64(m.Load16(at)) >= limit {
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
	size, off := a.c.size, uint64(a.c.by.off) // 0 where the elements themselves are compared
	at, end := w.elements(at, size)
	m := &w.m
	last := uint64(0)
	switch a.base {
	case schema.ULong:
		for ; at < end; at += size {
			v := m.Load64(at + off)
			if v < last {
				return false
			}
			last = v
		}
	case schema.UInt:
		for ; at < end; at += size {
			v := uint64(m.Load32(at + off))
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
	limit := w.limit(uint32(a.slot))
	size, from, with := a.c.size, uint64(a.c.from.off), uint64(a.c.with.off)
	at, end := w.elements(at, size)
	m := &w.m
	wrong := uint64(0) // its highest bit: something is negative
	for ; at < end; at += size {
		offset, length := m.Load64(at+from), m.Load64(at+with)
		end := offset + length
		wrong |= offset | length | end | (limit - end)
	}
	return int64(wrong) >= 0
}
