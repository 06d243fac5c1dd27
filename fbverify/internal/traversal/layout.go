package traversal

import (
	"encoding/binary"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/rule"
)

// vtable is a vtable that was found sound: inside the buffer, of an even size of
// at least four bytes. This is the only place where the traversal reads one.
type vtable struct {
	pos  uint64 // in the current buffer
	b    []byte // all of it
	size uint64
}

// vtableOf sets v to the vtable of the table at pos, whose first four bytes are
// inside the buffer. Where it is not sound the answer is the rule that it breaks.
// A vtable that was returned would be copied on its way, at each table.
func (w *walker) vtableOf(pos uint64, v *vtable) (broken rule.Kind) {
	v.pos = pos - uint64(int64(int32(w.u32(pos))))
	v.b, v.size = nil, 0
	switch {
	case v.pos < w.first || !rule.Fits(v.pos, rule.VTableHeader, w.n): // what was subtracted from zero wrapped around, and is far above
		return rule.OutOfBounds
	case v.pos&w.align&1 != 0:
		return rule.Misaligned
	}
	v.size = uint64(w.u16(v.pos))
	// Whatever SkipAlignment says, a size is even: half a slot is no slot.
	if v.size < rule.VTableHeader || v.size%2 != 0 || !rule.Fits(v.pos, v.size, w.n) {
		return rule.BadVTable
	}
	v.b = w.b[v.pos : v.pos+v.size]
	return rule.OK
}

// brokenVTable says what is wrong with the vtable of the table at pos.
func (w *walker) brokenVTable(pos uint64, v vtable, broken rule.Kind) {
	soffset := int64(int32(w.u32(pos)))
	target := int64(w.origin+pos) - soffset // which may lie before the start
	switch {
	case broken == rule.OutOfBounds && v.pos < w.first:
		w.fault(rule.OutOfBounds, pos, rule.OffsetSize, leads(rule.ThingVTableOffset, rule.ThingVTable, soffset, target, w.abs(w.first)), "the table's vtable offset %d leads to %d, into the size prefix before the buffer", soffset, v.pos)
	case broken == rule.OutOfBounds:
		w.fault(rule.OutOfBounds, pos, rule.OffsetSize, leads(rule.ThingVTableOffset, rule.ThingVTable, soffset, target, w.abs(w.n)), "the table's vtable offset %d leads to %d, outside the buffer of %d bytes", soffset, target, w.n)
	case broken == rule.Misaligned:
		w.fault(rule.Misaligned, pos, rule.OffsetSize, leads(rule.ThingVTableOffset, rule.ThingVTable, soffset, target, 2), "the table's vtable offset %d leads to %d, which is odd: vtables are 2-aligned", soffset, w.abs(v.pos))
	case v.size < rule.VTableHeader:
		w.fault(rule.BadVTable, v.pos, 2, about(rule.ThingVTable, v.size, rule.VTableHeader), "the vtable says that it has %d bytes, and at least 4 are needed", v.size)
	case v.size%2 != 0:
		w.fault(rule.BadVTable, v.pos, 2, about(rule.ThingVTable, v.size, v.size-1), "the vtable says that it has %d bytes, which is odd", v.size)
	default:
		w.fault(rule.OutOfBounds, v.pos, 2, about(rule.ThingVTable, v.size, w.n-v.pos), "the vtable of %d bytes at %d reaches past the end of the buffer at %d", v.size, w.abs(v.pos), w.abs(w.n))
	}
}

// slot returns where the vtable puts the field of an id in its tables, 0 where
// they have none.
func (v *vtable) slot(id int) uint64 {
	if at := rule.VTableHeader + 2*id; at+2 <= len(v.b) {
		return uint64(binary.LittleEndian.Uint16(v.b[at:]))
	}
	return 0
}

// declared returns how many bytes the vtable says that its tables have.
func (v *vtable) declared() uint64 { return uint64(binary.LittleEndian.Uint16(v.b[2:])) }

// next returns the first id from a given one on that the vtable has a place for
// and that is below n; n where there is none. Long vtables are mostly zeros: four
// slots at a time.
func (v *vtable) next(id, n int) int {
	slots := v.b[rule.VTableHeader:]
	n, end := min(n, len(slots)/2), n
	for id < n {
		if id+4 <= n && binary.LittleEndian.Uint64(slots[2*id:]) == 0 {
			id += 4
			continue
		}
		if binary.LittleEndian.Uint16(slots[2*id:]) != 0 {
			return id
		}
		id++
	}
	return end
}

// layout is what a vtable says of all tables of a type that have it.
type layout struct {
	// Whose it is: a vtable, by its position in the whole, in a buffer. The table
	// type is that of the list it is in.
	vtable uint64
	size   uint64 // of the vtable
	buffer uint32
	fills  uint32 // how often this was made another's: 0 is nobody's

	reach  uint64 // bytes to the end of the furthest known field, at least 4
	inline uint64 // bytes of all known fields: fields that overlap count twice
	effort uint64 // the same, with those of offsets given their weight

	// whole says that fields which lie inside the buffer are sound, if the position
	// of the table and mask is want: none is missing, and they can all be aligned.
	whole      bool
	mask, want uint64

	// leads are what the fields lead to, in the order of their ids.
	leads []step

	// quick says that such a table leads to no more than steps and vectors.
	quick   bool
	steps   []step
	vectors []step
}

// step is something that a table leads to.
type step struct {
	field   *program.Field
	at, tag uint64 // from the start of the table: the offset, and of a union's values that to the tags
}

// What a table may lead to and be checked quickly. One of more is worth remembering.
const (
	quickSteps   = 2
	quickVectors = 4
	quickVTable  = rule.VTableHeader + 2*32 // bytes
)

// layouts are the last two of a table type. They stay where they are: to swap them would
// take longer than to check a small table.
type layouts struct {
	two  [2]layout
	last int // the one that was asked for last
}

// byTable holds layouts by Table.ID. It is in pages, since a buffer has few of the types of a
// schema that has very many, and may be looked at as each of them.
type byTable []*[tablePage]*layouts

const tablePage = 64

func newByTable(tables int) byTable { return make(byTable, (tables+tablePage-1)/tablePage) }

// of returns what is known of a table type, nil at first.
func (b byTable) of(t *program.Table) *layouts {
	if page := b[t.ID/tablePage]; page != nil {
		return page[t.ID%tablePage]
	}
	return nil
}

// add makes room for what is known of a table type.
func (b byTable) add(t *program.Table) *layouts {
	page := &b[t.ID/tablePage]
	if *page == nil {
		*page = new([tablePage]*layouts)
	}
	both := new(layouts)
	(*page)[t.ID%tablePage] = both
	return both
}

// read sets v to the vtable of the table at pos, as vtableOf does, and returns its layout.
// Nearly always it is that of the table of this type before, and was found sound then.
func (w *walker) read(pos uint64, t *program.Table, v *vtable) (*layout, rule.Kind) {
	if both := w.layouts.of(t); both != nil {
		l := &both.two[both.last]
		at := pos - uint64(int64(int32(w.u32(pos))))
		if l.vtable == w.origin+at && l.buffer == w.buffer && l.fills > 0 {
			v.pos, v.size, v.b = at, l.size, w.b[at:at+l.size]
			return l, rule.OK
		}
	}
	if broken := w.vtableOf(pos, v); broken != rule.OK {
		return nil, broken
	}
	return w.layoutOf(v, t), rule.OK
}

// layoutOf returns what the vtable says of the tables of type t. It holds until the
// next one of that type is asked for, which counts its fills.
func (w *walker) layoutOf(v *vtable, t *program.Table) *layout {
	both := w.layouts.of(t)
	if both == nil {
		both = w.layouts.add(t)
	}
	vt := w.origin + v.pos
	for range both.two {
		if l := &both.two[both.last]; l.vtable == vt && l.buffer == w.buffer && l.fills > 0 {
			return l
		}
		both.last ^= 1
	}
	both.last ^= 1
	l := &both.two[both.last]
	l.vtable, l.size, l.buffer = vt, v.size, w.buffer
	l.fills++
	w.fill(l, v, t)
	return l
}

// fill says what a vtable means. It sets each field by itself: a new layout, assigned as a
// whole, took most of the time where every table has a vtable of its own.
func (w *walker) fill(l *layout, v *vtable, t *program.Table) {
	l.reach, l.inline, l.effort = rule.OffsetSize, 0, 0
	l.whole, l.mask, l.want = true, 0, 0
	l.quick, l.steps, l.vectors, l.leads = v.size <= quickVTable, l.steps[:0], l.vectors[:0], l.leads[:0]
	for _, id := range t.Required {
		l.whole = l.whole && v.slot(int(id)) != 0
	}
	for id := v.next(0, len(t.Fields)); id < len(t.Fields); id = v.next(id+1, len(t.Fields)) {
		f, off := &t.Fields[id], v.slot(id)
		if f.Op == program.Skipped {
			continue
		}
		l.reach = max(l.reach, off+uint64(f.Size))
		l.inline += uint64(f.Size)
		l.effort += uint64(f.Size)
		if f.Op > program.Inline && f.Op != program.UnionTag {
			l.effort += (elementEffort - 1) * uint64(f.Size)
		}
		if w.align != 0 {
			l.aligned(off, uint64(f.Align))
		}
		l.lead(v, f, id, off)
		switch f.Op {
		case program.Inline:
		case program.UnionTagVector: // checked with the values, which must be there
			l.whole = l.whole && v.slot(id+1) != 0
		case program.UnionVector:
			tag := v.slot(id - 1)
			l.whole = l.whole && tag != 0
			l.step(step{f, off, tag})
		case program.StringVector, program.TableVector:
			l.step(step{f, off, 0})
		case program.NestedBuffer, program.ScalarVector:
			switch {
			case f.Wide || f.Long || f.ElemAlign > rule.OffsetSize && w.align != 0:
				l.quick = false
			case f.Op == program.NestedBuffer && w.cfg.Flags&program.SkipNested == 0:
				l.step(step{f, off, 0})
			case len(l.vectors) == quickVectors:
				l.quick = false
			default:
				l.vectors = append(l.vectors, step{f, off, 0})
			}
		default:
			l.quick = false
		}
	}
	l.quick = l.quick && l.whole
}

// lead adds what a field at off leads to.
func (l *layout) lead(v *vtable, f *program.Field, id int, off uint64) {
	switch f.Op {
	case program.Inline, program.UnionTagVector: // the latter is looked at with the values
	case program.UnionTag:
		if v.slot(id+1) == 0 {
			l.leads = append(l.leads, step{f, off, 0})
		}
	case program.UnionValue, program.UnionVector:
		if tag := v.slot(id - 1); tag != 0 { // without one a value has no reading
			l.leads = append(l.leads, step{f, off, tag})
		}
	default:
		l.leads = append(l.leads, step{f, off, 0})
	}
}

// step adds a step, if there are not too many.
func (l *layout) step(s step) {
	if len(l.steps) == quickSteps {
		l.quick = false
		return
	}
	l.steps = append(l.steps, s)
}

// aligned adds the condition that the table's position and off make a multiple of
// align, a power of two.
func (l *layout) aligned(off, align uint64) {
	mask := align - 1
	want := -off & mask
	if (want^l.want)&mask&l.mask != 0 {
		l.whole = false // the stronger condition excludes the weaker one
	}
	if mask > l.mask {
		l.mask, l.want = mask, want
	}
}

// sound reports whether the fields of the table at pos are inside the buffer and
// aligned, and none is missing.
func (w *walker) sound(pos uint64, l *layout) bool {
	return l.whole && rule.Fits(pos, l.reach, w.n) && (pos^l.want)&l.mask == 0
}
