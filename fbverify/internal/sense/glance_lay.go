package sense

import (
	"hash/maphash"
	"math"

	"github.com/fbverify/go/schema"
)

// What is asked of a type is acts; what is left of them for one vtable, and for one class
// of tags of its union, is ops, which know where in the table their fields are. A layout is
// such ops. It depends on the bytes of the vtable alone, so that it is kept from one buffer
// to the next. A family is the layouts of a vtable at its place in this buffer.

// kind is what is asked of a type.
type kind struct {
	number   uint32
	reach    uint16 // of a vtable's bytes, how many say where the fields of the acts are
	node     *node
	acts     []act
	fixed    []op // of a struct
	isStruct bool
	class    *[256]byte // by the tag of a union: tags of one class are asked the same
	tag      place      // of that union
}

// action says what an act or an op does.
type action uint8

const (
	ask           action = iota // by check
	present                     // the field is there
	tagged                      // the type of the union is not NONE
	index                       // below the limit of a slot
	indexUInt                   // the same of a uint
	indexPath                   // the same of what a path from elsewhere leads to, slot counts these
	indexDefault                // the same of least
	indexes                     // all of them
	indexesBeside               // all of them are below the length of the other field
	within                      // from least to most
	withinByte                  // the same of a byte without a sign
	withinInt                   // the same of an int
	noMore                      // than the other field
	among                       // one of a list
	amongInt                    // the same of an int
	measured                    // the length is from least to most
	alike                       // the length is that of another
	ordered                     // no number is less than the one before
	extents                     // structs that say where something lies
	choose                      // the member of a union, and go there
	goTo                        // a table
	each                        // go to each table of a vector
	descend                     // to what else is below
	refuse                      // see nothing: it is walked
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

// op is an act for tables of one vtable.
type op struct {
	action          action
	tested          bool
	binds           bool
	base, otherBase schema.BaseType
	off, other      uint16
	slot            uint32
	least           int64
	span            uint64 // from least to most
	mask            uint64
	kind            *kind
	act             *act
}

// layout is what is left to ask of the tables of a kind and a class with a vtable.
type layout struct {
	kind  *kind
	class byte
	key   []byte // of the vtable, what follows its two sizes
	ops   []op
}

// families is how many classes of tags a family has layouts for.
const families = 16

// family is the layouts of the tables of a kind with a vtable.
type family struct {
	vtable  uint64
	tag     uint64  // the glance and the kind
	tagOff  uint16  // of the union that says the class
	common  *layout // where no such union is
	any     *layout // one of them, whose key is that of all
	classes [families]*layout
}

// tag tells the families of a kind in this glance from others.
func (w *glancer) tag(k *kind) uint64 { return w.round | uint64(k.number) }

// family returns the family of a vtable.
func (w *glancer) family(k *kind, vtable uint64) *family {
	f := &w.room.families[(vtable>>1+uint64(k.number)*5)%uint64(len(w.room.families))]
	if f.vtable != vtable || f.tag != w.round|uint64(k.number) {
		w.found(f, k, vtable)
	}
	return f
}

// key returns the bytes of a vtable that say where the fields are that are asked.
func (w *glancer) key(k *kind, vtable uint64) []byte {
	return w.b[vtable+4 : vtable+max(4, uint64(min(w.u16(vtable), k.reach)))]
}

// found makes the family of a vtable. Its common layout is nil where there is no room for one.
func (w *glancer) found(f *family, k *kind, vtable uint64) {
	key := w.key(k, vtable)
	if f.any != nil && f.any.kind == k && string(f.any.key) == string(key) {
		f.vtable, f.tag = vtable, w.tag(k) // it was one of an earlier buffer, or stood elsewhere
		return
	}
	*f = family{vtable: vtable, tag: w.tag(k), tagOff: absent}
	class := byte(0)
	if k.class != nil {
		if f.tagOff = w.find(vtable, k.tag); f.tagOff != absent {
			return
		}
		class = k.class[0]
	}
	f.common = w.laid(k, class, vtable, key, 0)
	f.any = f.common
}

// of returns the layout of a table of a family, nil where there is no room for it.
func (w *glancer) of(f *family, k *kind, pos uint64) *layout {
	if f.tagOff == absent {
		return f.common
	}
	class := k.class[w.b[pos+uint64(f.tagOff)]]
	if l := f.classes[class%families]; l != nil && l.class == class {
		return l
	}
	return w.layout(f, k, pos)
}

// layout is of, of a layout that the family does not have.
func (w *glancer) layout(f *family, k *kind, pos uint64) *layout {
	tag := w.b[pos+uint64(f.tagOff)]
	class := k.class[tag]
	l := w.laid(k, class, f.vtable, w.key(k, f.vtable), tag)
	f.classes[class%families], f.any = l, l
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

// laid returns a layout, of those that are known or a new one; nil where there is no room.
func (w *glancer) laid(k *kind, class byte, vtable uint64, key []byte, tag byte) *layout {
	all := &w.room.layouts
	l := all.find(k, class, key)
	if l != nil && l.kind == nil {
		l.kind, l.class, l.key = k, class, all.keep(key)
		l.ops = w.lay(all.room(len(k.acts)), k, vtable, tag)
	}
	return l
}

// lay works out what is left to do. tag is one of the class.
func (w *glancer) lay(ops []op, k *kind, vtable uint64, tag byte) []op {
	classed := k.class != nil && w.find(vtable, k.tag) != absent
	for i := range k.acts {
		a := &k.acts[i]
		off, other := w.find(vtable, a.place()), uint16(absent)
		if a.other.off != 0 {
			other = w.find(vtable, a.other)
		}
		r := a.op(off, other)
		if a.tested && other == absent {
			if a.unasked {
				continue
			}
			r.tested = false
		}
		if a.tested && classed && a.other == k.tag {
			if tag < 64 && a.mask>>tag&1 == 0 {
				continue
			}
			r.tested = false
		}
		if off == absent {
			if !a.bare {
				continue
			}
			switch a.action {
			case index:
				r.action, r.least = indexDefault, a.def
			case indexPath:
			case alike:
				if other == absent {
					continue
				}
				r.action, r.off, r.least, r.span = measured, other, 0, 0
			case measured:
				if a.least <= 0 && a.most >= 0 {
					continue
				}
				r.action = ask
			default:
				r.action = ask
			}
			ops = append(ops, r)
			continue
		}
		switch a.action {
		case present:
			continue
		case tagged:
			switch {
			case other == absent:
				r.action = ask
			case classed && a.other == k.tag && tag != 0:
				continue
			}
		case alike:
			if other == absent {
				r.action, r.least, r.span = measured, 0, 0
			}
		case indexesBeside, noMore:
			if other == absent {
				r.action = ask
			}
		case choose:
			if other == absent {
				continue
			}
			if !classed || a.other != k.tag {
				break
			}
			if int(tag) >= len(a.members) || a.members[tag].kind == nil {
				continue
			}
			if m := &a.members[tag]; !m.isStruct {
				r.action, r.kind, r.binds = goTo, m.kind, m.binds
			}
		}
		ops = append(ops, r)
	}
	return ops
}

// op is an act with the offsets of its fields.
func (a *act) op(off, other uint16) op {
	r := op{action: a.action, tested: a.tested, binds: a.binds, base: a.base, otherBase: a.otherBase, off: off, other: other,
		slot: uint32(a.slot), least: a.least, span: uint64(a.most) - uint64(a.least), mask: a.mask, kind: a.kind, act: a}
	switch {
	case a.action == index && a.base == schema.UInt:
		r.action = indexUInt
	case a.action == within && a.base == schema.Int:
		r.action = withinInt
	case a.action == among && a.base == schema.Int:
		r.action = amongInt
	case a.action == within && (a.base == schema.UByte || a.base == schema.UType || a.base == schema.Bool):
		r.action = withinByte
	}
	return r
}

// layouts are the layouts that a gallery knows. None is overwritten while a glance lasts.
type layouts struct {
	seed  maphash.Seed
	list  [mostLayouts]layout
	used  int
	table [2 * mostLayouts]uint16 // one more than a place in the list, by hash
	ops   [][]op                  // where the ops are
	chunk int                     // the one that has room
	keys  [][]byte
	text  int
}

// mostLayouts is how many a glance may need. Buffers that need more are walked.
const mostLayouts = 256

// full reports whether few more layouts fit.
func (s *layouts) full() bool { return s.used > mostLayouts/2 }

// forget makes room.
func (s *layouts) forget() {
	for i := range s.list[:s.used] {
		s.list[i] = layout{}
	}
	s.used, s.chunk, s.text = 0, 0, 0
	clear(s.table[:])
	for i := range s.ops {
		s.ops[i] = s.ops[i][:0]
	}
	for i := range s.keys {
		s.keys[i] = s.keys[i][:0]
	}
}

// find returns the layout of a kind and a class for the bytes of a vtable, or an empty one
// to become it; nil where there are too many.
func (s *layouts) find(k *kind, class byte, key []byte) *layout {
	at := (maphash.Bytes(s.seed, key) + uint64(k.number)<<8 + uint64(class)) % uint64(len(s.table))
	for ; s.table[at] != 0; at = (at + 1) % uint64(len(s.table)) {
		if l := &s.list[s.table[at]-1]; l.kind == k && l.class == class && string(l.key) == string(key) {
			return l
		}
	}
	if s.used == len(s.list) {
		return nil
	}
	s.used++
	s.table[at] = uint16(s.used)
	return &s.list[s.used-1]
}

// room returns an empty list for n ops.
func (s *layouts) room(n int) []op {
	list := reserve(&s.ops, &s.chunk, n, 128)
	return list[:0]
}

// keep returns a copy of a key.
func (s *layouts) keep(key []byte) []byte {
	list := reserve(&s.keys, &s.text, len(key), 1024)
	copy(list, key)
	return list
}

// reserve takes n elements of the chunks, of which those before the one at *at are full.
func reserve[T any](chunks *[][]T, at *int, n, size int) []T {
	for ; *at < len(*chunks); *at++ {
		c := &(*chunks)[*at]
		if used := len(*c); cap(*c)-used >= n {
			*c = (*c)[:used+n]
			return (*c)[used : used+n : used+n]
		}
	}
	*chunks = append(*chunks, make([]T, n, max(n, size)))
	return (*chunks)[*at][:n:n]
}
