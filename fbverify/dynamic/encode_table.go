package dynamic

import (
	"encoding/binary"
	"slices"
)

// table reads an object, or an array of all fields in order, writes it as a table
// and returns its offset.
func (e *encoder) table(o *Object) int {
	if e.depth++; e.depth > e.opts.MaxDepth {
		e.failf("tables nest deeper than %d levels", e.opts.MaxDepth)
	}
	start, fields, scratch := e.start, len(e.fields), len(e.scratch)
	tags := tagFinder{fields: fields}
	e.members(o, func(f *Field) { e.field(f, &tags) })
	own := e.sorted(fields)
	e.checkComplete(o, own, start)
	off := e.writeTable(own)
	e.fields, e.scratch = e.fields[:fields], e.scratch[:scratch]
	e.depth--
	return off
}

// members reads an object, or an array of all fields in order, and calls read at
// each value; read takes it, and notes it in e.fields.
func (e *encoder) members(o *Object, read func(*Field)) {
	switch e.tok {
	case '{':
		once := e.once()
		e.next()
		for e.tok != '}' {
			name, at := e.memberName()
			f := o.byName[string(name)]
			if f == nil {
				e.unknown(o, name, at)
			} else {
				e.push(f, -1)
				e.next()
				once.see(f)
				read(f)
				e.pop()
			}
			if e.tok != '}' {
				e.comma('}')
			}
		}
		once.done()
		e.next()
	case '[':
		e.next()
		i := 0
		for ; e.tok != ']'; i++ {
			if i == len(o.fields) {
				e.failf("%s has %d fields, and here are more", o.Name(), len(o.fields))
			}
			e.push(o.fields[i], -1)
			read(o.fields[i])
			e.pop()
			if e.tok != ']' {
				e.comma(']')
			}
		}
		if i != len(o.fields) {
			e.failf("%s has %d fields, and this array only %d", o.Name(), len(o.fields), i)
		}
		e.next()
	default:
		e.failf("expected an object for the %s %s, found %s", o.asType().Kind, o.Name(), e.found())
	}
}

// once sees to it that an object sets no field twice.
type once struct {
	e      *encoder
	fields int // where the object's entries of e.fields start
	last   int // the highest id that was seen
	seen   int // where the object's bits start in e.seen, -1 while ids only went up
}

func (e *encoder) once() once { return once{e, len(e.fields), -1, -1} }

// see is called when the value of a field comes next. It fails where the field was set
// before, so that a name which is repeated costs nothing: null sets nothing.
func (c *once) see(f *Field) {
	if c.e.isNull() {
		return
	}
	if c.seen < 0 {
		if f.id > c.last {
			c.last = f.id
			return
		}
		c.seen = len(c.e.seen)
		c.e.seen = append(c.e.seen, make([]uint64, len(f.owner.fields)/64+1)...)
		for _, v := range c.e.fields[c.fields:] {
			c.e.seen[c.seen+v.f.id/64] |= 1 << (v.f.id % 64)
		}
	}
	word, bit := &c.e.seen[c.seen+f.id/64], uint64(1)<<(f.id%64)
	if *word&bit != 0 {
		c.e.failf("the field is set a second time")
	}
	*word |= bit
}

func (c *once) done() {
	if c.seen >= 0 {
		c.e.seen = c.e.seen[:c.seen]
	}
}

func (e *encoder) comma(closer token) {
	if e.tok != ',' {
		e.failf("expected ',' or %s, found %s", closer, e.found())
	}
	e.next()
}

// unknown skips the value of a name that is no field, or fails. at is where the
// name stands.
func (e *encoder) unknown(o *Object, name []byte, at int) {
	if !e.opts.IgnoreUnknown && string(name) != "$schema" {
		e.failAt(at, "%s has no field %q%s", o.Name(), clip(string(name)), suggest(o, string(name)))
	}
	e.next()
	e.skipValue(false)
}

func (e *encoder) isNull() bool { return e.tok == tokIdent && string(e.str) == "null" }

// field reads the value of a table's field onto the stack.
func (e *encoder) field(f *Field, tags *tagFinder) {
	if e.isNull() {
		e.next()
		return
	}
	v := fieldValue{f: f, pos: e.start, lo: len(e.scratch)}
	switch f.typ.Kind {
	case KindString:
		v.bits = uint64(e.stringValue(f.offset64))
	case KindTable:
		v.bits = uint64(e.table(f.typ.Object))
	case KindStruct:
		e.structValue(f.typ.Object)
	case KindVector:
		switch {
		case f.typ.Elem.Kind == KindUnion:
			v.bits = uint64(e.unionVector(f, tags))
		case f.flexible && !e.opts.FlexBytes:
			v.bits = uint64(e.flexField(f))
		case f.nested != nil:
			v.bits = uint64(e.nestedValue(f))
		default:
			v.bits = uint64(e.vectorValue(f))
		}
	case KindUnion:
		tag := e.tagOf(f, tags)
		m := f.typ.union.member(tag)
		if m == nil {
			e.failf("%s is %s, which takes no value: expected null, found %s", f.tag.Name(), e.tagName(f, tag), e.found())
		}
		v.bits = uint64(e.member(m))
	default:
		v.bits = e.scalar(&f.typ, f)
	}
	e.fields = append(e.fields, v)
}

func (e *encoder) tagName(f *Field, tag uint64) string {
	if tag == 0 {
		return "NONE"
	}
	return string(appendScalar(nil, &f.tag.typ, tag, &JSONOptions{EnumNumbers: true}))
}

// member reads the value of a union's member and returns its offset.
func (e *encoder) member(m *member) int {
	switch m.typ.Kind {
	case KindTable:
		return e.table(m.typ.Object)
	case KindStruct:
		lo := len(e.scratch)
		o := m.typ.Object
		e.structValue(o)
		e.b.align(max(o.schema.MinAlign, 1), len(e.scratch)-lo)
		copy(e.b.room(len(e.scratch)-lo), e.scratch[lo:])
		e.scratch = e.scratch[:lo]
		return e.b.size()
	}
	return e.stringValue(false)
}

// sorted returns the fields of the innermost table in the order of their ids.
func (e *encoder) sorted(fields int) []fieldValue {
	own := e.fields[fields:]
	byID := func(a, b fieldValue) int { return a.f.id - b.f.id }
	if !slices.IsSortedFunc(own, byID) {
		slices.SortFunc(own, byID)
	}
	return own
}

// checkComplete fails where a required field, or half of a union, is missing in
// the table that starts at start.
func (e *encoder) checkComplete(o *Object, own []fieldValue, start int) {
	i := 0
	for _, f := range o.needed {
		for i < len(own) && own[i].f.id < f.id {
			i++
		}
		if i == len(own) || own[i].f != f {
			e.failAt(start, "expected all required fields of %s: %q is missing", o.Name(), f.Name())
		}
	}
	for i := range own {
		v := own[i].f.value
		if v == nil || i+1 < len(own) && own[i+1].f == v {
			continue
		}
		if v.typ.Kind == KindVector {
			e.push(own[i].f, -1)
			e.failAt(own[i].pos, "types without their values: expected a field %q", v.Name())
		}
		if v.typ.union.member(own[i].bits) != nil {
			e.push(own[i].f, -1)
			e.failAt(own[i].pos, "a type without its value: expected a field %q", v.Name())
		}
	}
}

// writeTable writes the fields, given in the order of their ids, as a table. As
// flatc does, it puts wide fields last in the buffer, unless the schema says
// original_order.
func (e *encoder) writeTable(own []fieldValue) int {
	b := e.b
	start := b.size()
	e.slots = append(e.slots[:0], 0, 0)
	inOrder := false
	if len(own) > 0 {
		_, inOrder = own[0].f.owner.schema.Attribute("original_order")
	}
	for size := 8; size > 0; size /= 2 {
		for i := len(own) - 1; i >= 0; i-- {
			v := &own[i]
			if inOrder && size == 8 || !inOrder && v.f.sortSize() == size {
				e.writeField(v)
			}
		}
	}
	b.align(4, 0)
	b.u32(0)
	object := b.size()
	if object-start > 0xFFFF {
		e.failf("the fields of this table take %d bytes, more than the 65535 that a table can have", object-start)
	}
	// The vtable: its size, the table's, and where each field is in the table.
	e.vtable = binary.LittleEndian.AppendUint16(e.vtable[:0], uint16(2*len(e.slots)))
	e.vtable = binary.LittleEndian.AppendUint16(e.vtable, uint16(object-start))
	for _, end := range e.slots[2:] {
		if end != 0 {
			end = object - end
		}
		e.vtable = binary.LittleEndian.AppendUint16(e.vtable, uint16(end))
	}
	raw := e.vtable
	at, ok := b.vtables[string(raw)]
	if !ok {
		copy(b.room(len(raw)), raw)
		at = uint32(b.size())
		b.vtables[string(raw)] = at
	}
	if b.tooLarge {
		e.failf("the buffer is larger than its offsets can address")
	}
	binary.LittleEndian.PutUint32(b.buf[len(b.buf)-object:], at-uint32(object))
	return object
}

// sortSize is the width by which fields are sorted in a table: structs count as
// four bytes, whatever their size.
func (f *Field) sortSize() int {
	if f.typ.Kind == KindStruct {
		return 4
	}
	return f.typ.Size
}

// writeField writes the inline part of a field and notes its offset in slots.
func (e *encoder) writeField(v *fieldValue) {
	b, f := e.b, v.f
	switch {
	case f.kind != notScalar:
		if e.opts.OmitDefaults && v.bits == f.bits && !f.optional {
			return
		}
		b.scalar(f.kind, v.bits)
	case f.typ.Kind == KindStruct:
		o := f.typ.Object.schema
		b.align(max(o.MinAlign, 1), o.ByteSize)
		copy(b.room(o.ByteSize), e.scratch[v.lo:v.lo+o.ByteSize])
	case f.offset64:
		// The target is in the second part, which starts where the first ends.
		b.align(8, 8)
		at := b.size() + 8
		b.u64(uint64(at) + v.bits)
	default:
		b.align(4, 4)
		at := b.size() + 4
		b.u32(uint32(at) - uint32(v.bits))
	}
	for len(e.slots) <= 2+f.id {
		e.slots = append(e.slots, 0)
	}
	e.slots[2+f.id] = b.size()
}

// structValue reads an object, or an array of all fields in order, and appends the
// struct's bytes to scratch. All fields must be there.
func (e *encoder) structValue(o *Object) {
	lo := len(e.scratch)
	size := o.schema.ByteSize
	if left := len(e.src) - e.start; o.values > int64(left) {
		// A small text cannot ask for the memory of a large struct.
		e.failf("expected all fields of the struct %s, which has %d values, and only %d bytes are left", o.Name(), o.values, left)
	}
	e.scratch = slices.Grow(e.scratch, size)[:lo+size]
	clear(e.scratch[lo:])
	first := len(e.fields)
	start := e.start
	e.members(o, func(f *Field) {
		e.fields = append(e.fields, fieldValue{f: f, pos: e.start})
		e.inlineValue(&f.typ, f, lo+f.slot)
	})
	own := e.sorted(first)
	for i, f := range o.fields {
		if i >= len(own) || own[i].f != f {
			e.failAt(start, "expected all fields of the struct %s: %q is missing", o.Name(), f.Name())
		}
	}
	e.fields = e.fields[:first]
}

// inlineValue reads a value of a struct's field or array into scratch.
func (e *encoder) inlineValue(t *Type, f *Field, at int) {
	switch t.Kind {
	case KindStruct:
		end := len(e.scratch)
		e.structValue(t.Object)
		copy(e.scratch[at:], e.scratch[end:])
		e.scratch = e.scratch[:end]
	case KindArray:
		start := e.start
		n := 0
		e.elements(f, func(i int) {
			if i >= t.Len {
				e.failf("expected %d elements, and here are more", t.Len)
			}
			e.inlineValue(t.Elem, f, at+i*t.Elem.Size)
			n++
		})
		if n != t.Len {
			e.failAt(start, "expected %d elements, found %d", t.Len, n)
		}
	default:
		appendBits(e.scratch[at:at], t.scalar, e.scalar(t, f))
	}
}
