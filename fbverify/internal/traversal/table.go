package traversal

import (
	"math/bits"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/rule"
)

// follow returns where the offset at `at` leads, checked to be a forward one to
// at least `need` bytes inside the buffer, aligned. Wide offsets have 64 bits.
func (w *walker) follow(at uint64, wide bool, need, align uint64, to rule.Thing, what words) (pos uint64, ok bool) {
	offset, size := uint64(0), uint64(rule.OffsetSize)
	if wide {
		offset, size = w.u64(at), rule.Offset64Size
	} else {
		offset = uint64(w.u32(at))
	}
	pos, wraps := bits.Add64(at, offset, 0)
	switch {
	case offset == 0:
		w.fault(rule.BadOffset, at, size, leads(rule.ThingOffset, to, 0, number64(w.abs(at)), 1), "the offset to %s is 0: it leads to itself, and offsets lead forward", what)
	case wraps != 0 || !rule.Fits(pos, need, w.n):
		w.fault(rule.OutOfBounds, at, size, leads(rule.ThingOffset, to, number64(offset), number64(saturatingAdd(w.abs(at), offset)), w.abs(w.n)), "the offset %d leads to %s at %d, past the end of the buffer at %d", offset, what, w.abs(pos), w.abs(w.n))
	case !w.aligned(pos, align):
		w.fault(rule.Misaligned, at, size, leads(rule.ThingOffset, to, number64(offset), number64(saturatingAdd(w.abs(at), offset)), align), "the offset %d leads to %s at %d, which is no multiple of %d%s", offset, what, w.abs(pos), align, w.alignmentBase())
	default:
		return pos, true
	}
	return 0, false
}

// abs turns a position of the current buffer into one of the slice given, as
// faults and their sentences count them. One that wrapped around is left alone.
func (w *walker) abs(pos uint64) uint64 { return saturatingAdd(pos, w.origin) }

// alignmentBase says where alignment counts from when that is not the start.
func (w *walker) alignmentBase() string {
	if w.origin == 0 {
		return ""
	}
	return " counted from the start of the nested buffer or message"
}

// tableAt walks the table that the offset at `at` leads to.
func (w *walker) tableAt(at uint64, t *program.Table, depth int) {
	owner := w.owner
	w.owner = t
	if pos, ok := w.quickFollow(at); ok {
		w.at = at
		w.table(pos, t, depth)
	} else { // says why not
		w.follow(at, false, rule.OffsetSize, rule.OffsetSize, rule.ThingTable, words{text: "a table"})
	}
	w.owner = owner
}

// table walks a table whose first four bytes are inside the buffer. It is the
// owner already. Tables nest as deep as the limit allows, so what is rare is put
// where it takes no stack.
func (w *walker) table(pos uint64, t *program.Table, depth int) {
	if depth > w.cfg.MaxDepth {
		w.tooDeep(pos, depth)
		return
	}
	if w.listener != nil {
		w.meetTable(pos, t, depth)
		return
	}
	if w.again(pos, t, depth) || w.memo != nil && w.quick(pos, t, depth) {
		return
	}
	var v visit
	if !w.enter(&v, w.key(pos, t.Node), tableCost, tableCost, depth) {
		return
	}
	w.tables++
	if w.limits(pos); !w.stop {
		height := w.height
		w.height = 0
		w.fields(pos, t, depth)
		w.height = max(height, w.height+1)
	}
	w.leave(&v)
}

func (w *walker) tooDeep(pos uint64, depth int) {
	w.fault(rule.DepthLimit, pos, rule.OffsetSize, about(rule.ThingTable, uint64(depth), uint64(w.cfg.MaxDepth)), "a table at depth %d, and %d are allowed", depth, w.cfg.MaxDepth)
}

// fields walks the fields of a table in the order of their ids.
func (w *walker) fields(pos uint64, t *program.Table, depth int) {
	var vt vtable
	l, broken := w.read(pos, t, &vt)
	if broken != rule.OK {
		w.brokenVTable(pos, vt, broken)
		return
	}
	if !w.repeats() && !w.spend(pos, l.inline, l.effort) {
		return
	}
	if w.listener != nil || w.cfg.Strict || w.cfg.plain || !w.sound(pos, l) {
		w.eachField(pos, t, &vt, l.reach, depth)
		return
	}
	w.sounds++
	w.bytes += l.reach
	if w.limits(pos); w.stop {
		return
	}
	// Only what the fields lead to is left. The layout may be made that of another vtable
	// meanwhile.
	fills := l.fills
	for i := 0; i < len(l.leads) && !w.stop; i++ {
		f, at, tag := l.leads[i].field, pos+l.leads[i].at, pos+l.leads[i].tag
		w.path = append(w.path, segment{field: f.Def})
		switch f.Op {
		case program.SubTable:
			w.tableAt(at, f.Table, depth+1)
		case program.UnionTag:
			w.loneTag(at, f, false)
		case program.UnionValue:
			w.union(tag, at, f.Union, depth+1)
		case program.UnionVector:
			w.unionVector(tag, at, f, depth+1)
		default:
			w.follows(at, f, depth)
		}
		w.path = w.path[:len(w.path)-1]
		if l.fills != fills {
			w.rest(pos, t, &vt, int(f.Def.ID)+1, depth)
			return
		}
	}
}

// rest walks what the fields from an id on lead to, of a table whose own bytes are sound.
func (w *walker) rest(pos uint64, t *program.Table, vt *vtable, id, depth int) {
	for id = vt.next(id, len(t.Fields)); id < len(t.Fields) && !w.stop; id = vt.next(id+1, len(t.Fields)) {
		if f := &t.Fields[id]; f.Op > program.Inline {
			w.path = append(w.path, segment{field: f.Def})
			w.present(pos, pos+vt.slot(id), f, id, vt, depth)
			w.path = w.path[:len(w.path)-1]
		}
	}
}

// eachField walks the fields of a table each by itself.
func (w *walker) eachField(pos uint64, t *program.Table, vt *vtable, reach uint64, depth int) {
	declared := vt.declared()
	if w.cfg.Strict && (declared < rule.OffsetSize || !rule.Fits(pos, declared, w.n)) {
		w.fault(rule.BadTableSize, vt.pos+2, 2, about(rule.ThingTable, declared, w.n-pos), "the vtable declares a table of %d bytes at %d, and the buffer ends at %d", declared, w.abs(pos), w.abs(w.n))
	}
	w.bytes += reach
	w.limits(pos)
	// Ids that nobody has to look at are passed over: those without a slot, unless
	// one is missing there.
	required, lone := t.Required, -1
	for id := 0; id < len(t.Fields) && !w.stop; id++ {
		next := vt.next(id, len(t.Fields))
		if len(required) > 0 {
			next = min(next, int(required[0]))
		}
		if lone >= id {
			next = min(next, lone)
		}
		if id = next; id == len(t.Fields) {
			break
		}
		if len(required) > 0 && id == int(required[0]) {
			required = required[1:]
		}
		f, off := &t.Fields[id], vt.slot(id)
		if f.Op == program.UnionTagVector && off != 0 {
			lone = id + 1
		}
		w.field(pos, t, f, id, off, vt, declared, depth)
	}
}

// field walks a field that the vtable puts at off, or is missing where that is 0.
func (w *walker) field(pos uint64, t *program.Table, f *program.Field, id int, off uint64, vt *vtable, declared uint64, depth int) {
	if f.Op == program.Skipped {
		w.meetDeprecated(pos+off, t, f, off != 0, depth)
		return
	}
	if off == 0 {
		w.absent(pos, f, id, vt)
		return
	}
	at, entry := pos+off, vt.pos+rule.VTableHeader+2*uint64(id)
	switch {
	case !rule.Fits(at, uint64(f.Size), w.n):
		w.fieldFault(f, rule.OutOfBounds, entry, 2, about(rule.ThingField, w.abs(at), w.abs(w.n)), "the vtable puts the field's %d bytes at %d, past the end of the buffer at %d", f.Size, w.abs(at), w.abs(w.n))
		return
	case !w.aligned(at, uint64(f.Align)):
		w.fieldFault(f, rule.Misaligned, at, uint64(f.Size), about(rule.ThingField, w.abs(at), uint64(f.Align)), "the field is at %d, which is no multiple of its alignment %d%s", w.abs(at), f.Align, w.alignmentBase())
		return
	case w.cfg.Strict && off < rule.OffsetSize:
		w.fieldFault(f, rule.BadTableSize, entry, 2, about(rule.ThingField, off, rule.OffsetSize), "the vtable puts the field at byte %d of the table, inside the offset to the vtable", off)
		return
	case w.cfg.Strict && off+uint64(f.Size) > declared:
		w.fieldFault(f, rule.BadTableSize, entry, 2, about(rule.ThingField, off+uint64(f.Size), declared), "the field ends at byte %d of a table that the vtable declares to have %d", off+uint64(f.Size), declared)
		return
	}
	if w.meetField(pos, at, t, f, id, vt, depth) {
		w.path = append(w.path, segment{field: f.Def})
		w.present(pos, at, f, id, vt, depth)
		w.path = w.path[:len(w.path)-1]
	}
}

// absent looks at a field that the vtable does not have.
func (w *walker) absent(pos uint64, f *program.Field, id int, vt *vtable) {
	switch {
	case f.Def.Required:
		w.fieldFault(f, rule.MissingRequired, pos, rule.OffsetSize, about(rule.ThingField, 0, 0), "the field is required and absent from the table at %d", w.abs(pos))
	case f.Op == program.UnionVector && vt.slot(id-1) != 0:
		w.fieldFault(f, rule.UnionVectors, pos, rule.OffsetSize, about(rule.ThingUnionValue, 0, 0), "the vector of the union's types is there, the vector of its values is not")
	}
}

// present walks what a present field at `at` leads to.
func (w *walker) present(pos, at uint64, f *program.Field, id int, vt *vtable, depth int) {
	switch f.Op {
	case program.Inline:
		if w.cfg.Strict {
			w.values(at, f.Def.Type)
		}
	case program.UnionTag:
		w.loneTag(at, f, vt.slot(id+1) != 0)
	case program.UnionValue:
		tag := vt.slot(id - 1)
		if tag == 0 {
			if w.cfg.Strict {
				w.fault(rule.UnionValueUnexpected, at, rule.OffsetSize, about(rule.ThingUnionValue, 0, 0), "the union has a value and no type")
			}
			return
		}
		// The tag's own bytes were checked as the field before this one; a
		// fault there leaves nothing to say here.
		size, align := uint64(f.Union.TagSize), uint64(f.Union.TagSize)
		if rule.Fits(pos+tag, size, w.n) && w.aligned(pos+tag, align) {
			w.union(pos+tag, at, f.Union, depth+1)
		}
	case program.UnionTagVector: // looked at with the values, unless there are none
		if w.listener != nil && vt.slot(id+1) == 0 {
			told := w.told
			w.told = nil // that there are no values is the fault
			w.tags(at, f)
			w.told = told
		}
	case program.UnionVector:
		tag := vt.slot(id - 1)
		if tag == 0 {
			w.fault(rule.UnionVectors, at, rule.OffsetSize, about(rule.ThingUnionType, 0, 0), "the vector of the union's values is there, the vector of its types is not")
			return
		}
		if tags := pos + tag; rule.Fits(tags, rule.OffsetSize, w.n) && w.aligned(tags, rule.OffsetSize) {
			w.unionVector(tags, at, f, depth+1)
		}
	default:
		w.follows(at, f, depth)
	}
}

// follows walks what the offset of a field leads to.
func (w *walker) follows(at uint64, f *program.Field, depth int) {
	switch f.Op {
	case program.SubTable:
		w.tableAt(at, f.Table, depth+1)
	case program.String, program.Binary:
		w.str(at, f.Wide, f.Node)
	default:
		w.vector(at, f, depth+1)
	}
}
