package traversal

import (
	"math/bits"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/rule"
)

// follow returns where the offset at `at` leads, checked to be a forward one to
// at least `need` bytes inside the buffer, aligned. Wide offsets have 64 bits.
func (w *walker) follow(at uint64, wide bool, need, align uint64, what string) (pos uint64, ok bool) {
	offset, size := uint64(0), uint64(rule.OffsetSize)
	if wide {
		offset, size = w.u64(at), rule.Offset64Size
	} else {
		offset = uint64(w.u32(at))
	}
	pos, wraps := bits.Add64(at, offset, 0)
	switch {
	case offset == 0:
		w.fault(rule.BadOffset, at, size, "the offset to %s is 0: it leads to itself, and offsets lead forward", what)
	case wraps != 0 || !rule.Fits(pos, need, w.n):
		w.fault(rule.OutOfBounds, at, size, "the offset %d leads to %s at %d, past the end of the buffer at %d", offset, what, w.abs(pos), w.abs(w.n))
	case !w.aligned(pos, align):
		w.fault(rule.Misaligned, at, size, "the offset %d leads to %s at %d, which is no multiple of %d%s", offset, what, w.abs(pos), align, w.alignmentBase())
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
		w.table(pos, t, depth)
	} else { // says why not
		w.follow(at, false, rule.OffsetSize, rule.OffsetSize, "a table")
	}
	w.owner = owner
}

// table walks a table whose first four bytes are inside the buffer. It is the
// owner already.
func (w *walker) table(pos uint64, t *program.Table, depth int) {
	if depth > w.cfg.MaxDepth {
		w.fault(rule.DepthLimit, pos, rule.OffsetSize, "a table at depth %d, and %d are allowed", depth, w.cfg.MaxDepth)
		return
	}
	if w.again(pos, t, depth) {
		return
	}
	s := w.shape(pos, t)
	if w.quick(pos, s, depth) {
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
		if !w.steps(pos, s, depth) {
			w.fields(pos, t, depth)
		}
		w.height = max(height, w.height+1)
	}
	w.leave(&v)
}

// fields walks the fields of a table in the order of their ids.
func (w *walker) fields(pos uint64, t *program.Table, depth int) {
	soffset := int64(int32(w.u32(pos)))
	vt := pos - uint64(soffset)
	switch {
	case vt < w.first: // what was subtracted from zero wrapped around, and is far above
		w.fault(rule.OutOfBounds, pos, rule.OffsetSize, "the table's vtable offset %d leads to %d, into the size prefix before the buffer", soffset, vt)
		return
	case !rule.Fits(vt, rule.VTableHeader, w.n):
		w.fault(rule.OutOfBounds, pos, rule.OffsetSize, "the table's vtable offset %d leads to %d, outside the buffer of %d bytes", soffset, int64(w.origin+pos)-soffset, w.n)
		return
	case !w.aligned(vt, 2):
		w.fault(rule.Misaligned, pos, rule.OffsetSize, "the table's vtable offset %d leads to %d, which is odd: vtables are 2-aligned", soffset, w.abs(vt))
		return
	}
	size := uint64(w.u16(vt))
	switch {
	case size < rule.VTableHeader:
		w.fault(rule.BadVTable, vt, 2, "the vtable says that it has %d bytes, and at least 4 are needed", size)
		return
	case size%2 != 0: // whatever SkipAlignment says: half a slot is no slot
		w.fault(rule.BadVTable, vt, 2, "the vtable says that it has %d bytes, which is odd", size)
		return
	case !rule.Fits(vt, size, w.n):
		w.fault(rule.OutOfBounds, vt, 2, "the vtable of %d bytes at %d reaches past the end of the buffer at %d", size, w.abs(vt), w.abs(w.n))
		return
	}
	slot := func(id int) uint64 {
		if at := rule.VTableHeader + 2*uint64(id); at+2 <= size {
			return uint64(w.u16(vt + at))
		}
		return 0
	}
	declared := uint64(w.u16(vt + 2))
	if w.cfg.Strict {
		if declared < rule.OffsetSize || !rule.Fits(pos, declared, w.n) {
			w.fault(rule.BadTableSize, vt+2, 2, "the vtable declares a table of %d bytes at %d, and the buffer ends at %d", declared, w.abs(pos), w.abs(w.n))
		}
	}
	reach := uint64(rule.OffsetSize)
	for id := range t.Fields {
		if f, off := &t.Fields[id], slot(id); f.Op != program.Skipped && off != 0 {
			reach = max(reach, off+uint64(f.Size))
		}
	}
	w.bytes += reach
	w.limits(pos)
	for id := range t.Fields {
		if w.stop {
			return
		}
		f, off := &t.Fields[id], slot(id)
		if f.Op == program.Skipped {
			continue
		}
		if off == 0 {
			w.absent(pos, f, id, slot)
			continue
		}
		at := pos + off
		switch {
		case !rule.Fits(at, uint64(f.Size), w.n):
			w.fieldFault(f, rule.OutOfBounds, vt+rule.VTableHeader+2*uint64(id), 2, "the vtable puts the field's %d bytes at %d, past the end of the buffer at %d", f.Size, w.abs(at), w.abs(w.n))
			continue
		case !w.aligned(at, uint64(f.Align)):
			w.fieldFault(f, rule.Misaligned, at, uint64(f.Size), "the field is at %d, which is no multiple of its alignment %d%s", w.abs(at), f.Align, w.alignmentBase())
			continue
		case w.cfg.Strict && off < rule.OffsetSize:
			w.fieldFault(f, rule.BadTableSize, vt+rule.VTableHeader+2*uint64(id), 2, "the vtable puts the field at byte %d of the table, inside the offset to the vtable", off)
			continue
		case w.cfg.Strict && off+uint64(f.Size) > declared:
			w.fieldFault(f, rule.BadTableSize, vt+rule.VTableHeader+2*uint64(id), 2, "the field ends at byte %d of a table that the vtable declares to have %d", off+uint64(f.Size), declared)
			continue
		}
		w.path = append(w.path, segment{field: f.Def})
		w.present(pos, at, t, f, id, slot, depth)
		w.path = w.path[:len(w.path)-1]
	}
}

// absent looks at a field that the vtable does not have.
func (w *walker) absent(pos uint64, f *program.Field, id int, slot func(int) uint64) {
	switch {
	case f.Def.Required:
		w.fieldFault(f, rule.MissingRequired, pos, rule.OffsetSize, "the field is required and absent from the table at %d", w.abs(pos))
	case f.Op == program.UnionVector && slot(id-1) != 0:
		w.fieldFault(f, rule.UnionVectors, pos, rule.OffsetSize, "the vector of the union's types is there, the vector of its values is not")
	}
}

// present walks what a present field at `at` leads to.
func (w *walker) present(pos, at uint64, t *program.Table, f *program.Field, id int, slot func(int) uint64, depth int) {
	switch f.Op {
	case program.Inline:
		if w.cfg.Strict {
			w.values(at, f.Def.Type)
		}
	case program.UnionTag:
		w.loneTag(at, f, slot(id+1) != 0)
	case program.UnionValue:
		tag := slot(id - 1)
		if tag == 0 {
			if w.cfg.Strict {
				w.fault(rule.UnionValueUnexpected, at, rule.OffsetSize, "the union has a value and no type")
			}
			return
		}
		// The tag's own bytes were checked as the field before this one; a
		// fault there leaves nothing to say here.
		size, align := uint64(f.Union.TagSize), uint64(f.Union.TagSize)
		if rule.Fits(pos+tag, size, w.n) && w.aligned(pos+tag, align) {
			w.union(pos+tag, at, f.Union, depth+1)
		}
	case program.UnionTagVector: // looked at with the values
	case program.UnionVector:
		tag := slot(id - 1)
		if tag == 0 {
			w.fault(rule.UnionVectors, at, rule.OffsetSize, "the vector of the union's values is there, the vector of its types is not")
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
	case program.String:
		w.str(at, f.Wide, f.Node)
	default:
		w.vector(at, f, depth+1)
	}
}
