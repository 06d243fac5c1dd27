package walk

import (
	"fmt"
	"strconv"

	"github.com/fbverify/go/internal/wire"
	"github.com/fbverify/go/schema"
)

// vector reads every element of the vector at pos, which is none of unions.
func (w *walker) vector(t task, f *schema.Field, p *path, pos uint64) error {
	r := t.buf.r
	head := vectorHead(f)
	if size := scalarSize(f.Type.ElementType().Stored()); size != 0 {
		start, count, err := r.Vector(pos, head, size, mayAlign(f, size), "a vector")
		if err != nil {
			return err
		}
		return w.openNested(t, f, p, start, count)
	}
	if f.Type.Element == schema.Obj && f.Type.Object.IsStruct {
		o := f.Type.Object
		align := mayAlign(f, uint64(o.MinAlign))
		start, count, err := r.Vector(pos, head, uint64(o.ByteSize), align, "a vector of "+o.Name)
		if err != nil || count == 0 {
			return err
		}
		// Those between them can be read if these two can.
		if err := structureAt(r, o, start, align); err != nil {
			return err
		}
		return structureAt(r, o, start+(count-1)*uint64(o.ByteSize), align)
	}
	start, count, err := r.Vector(pos, head, 4, 4, "a vector of offsets")
	if err != nil {
		return err
	}
	var what any
	switch f.Type.Element {
	case schema.Obj:
		what = f.Type.Object
	case schema.String:
		what = schema.String
	default:
		return fmt.Errorf("a vector of %s", f.Type.Element)
	}
	return w.unwalked(t.buf, start, count, what, func(slot uint64) error {
		to, err := r.Follow(slot, 4, "an element")
		if err != nil {
			return err
		}
		if f.Type.Element == schema.String {
			return w.text(t.buf, to, false)
		}
		w.push(task{t.buf, to, f.Type.Object, p})
		return nil
	})
}

// unwalked calls read for the slots of a vector of offsets that were not met yet
// with the same kind of elements. Vectors may be shared, and may overlap: w.slots
// leads from a slot that was walked to one farther on that may not have been.
func (w *walker) unwalked(b buffer, start, count uint64, what any, read func(slot uint64) error) error {
	end := start + 4*count
	next := func(slot uint64) uint64 {
		to := slot
		for {
			w.steps++
			n, ok := w.slots[visit{b.id, to, what}]
			if !ok {
				break
			}
			to = n
		}
		for slot != to { // so that the next to come this way has it shorter
			n := w.slots[visit{b.id, slot, what}]
			w.slots[visit{b.id, slot, what}] = to
			slot = n
		}
		return to
	}
	for slot := next(start); slot < end; slot = next(slot) {
		w.slots[visit{b.id, slot, what}] = slot + 4
		if err := read(slot); err != nil {
			return err
		}
	}
	return nil
}

// openNested walks the bytes of a vector as a buffer of their own if the schema
// says that they are one.
func (w *walker) openNested(t task, f *schema.Field, p *path, start, count uint64) error {
	if w.opts.SkipNested || f.Type.Element != schema.UByte {
		return nil
	}
	root, err := w.s.NestedRoot(t.object, f)
	if err != nil || root == nil {
		return err
	}
	// By its place in the message, since buffers that overlap may hold it too.
	v := visit{-1, t.buf.start + start, [2]any{count, root}}
	if w.tables[v] {
		return nil
	}
	w.tables[v] = true
	b, err := t.buf.r.Bytes(start, count, "a nested buffer")
	if err != nil {
		return err
	}
	return w.open(b, t.buf.start+start, 0, root, p)
}

// union reads the value of a union, or a vector of them, with the tags in the
// field before it.
func (w *walker) union(t task, table wire.Table, f *schema.Field, pos uint64, present bool) error {
	if f.ID == 0 {
		return fmt.Errorf("a union that no field with its tags can stand before")
	}
	tagField := t.object.Fields[f.ID-1]
	tagPos, tagPresent, err := table.Field(uint64(tagField.ID))
	if err != nil {
		return err
	}
	if present && w.opts.Rules {
		// No accessor reads it without a tag; yet it is a field of this table.
		if _, err := t.buf.r.Uint(pos, offsetSize(f), "the offset of a union value"); err != nil {
			return err
		}
	}
	if f.Type.Base == schema.Union {
		if !tagPresent {
			return nil // NONE
		}
		tag, err := readTag(t.buf.r, f.Type.Enum.Underlying, tagPos)
		if err != nil {
			return err
		}
		return w.member(t, f, tag, pos, present)
	}
	if !tagPresent && !present {
		return nil
	}
	if w.opts.Rules && tagPresent != present {
		return fmt.Errorf("the table at offset %d has one of the two vectors of a vector of unions only", t.pos)
	}
	if !tagPresent {
		return nil
	}
	return w.unionVector(t, f, tagField, tagPos, pos, present)
}

func (w *walker) unionVector(t task, f, tagField *schema.Field, tagPos, pos uint64, present bool) error {
	r := t.buf.r
	tagSize := scalarSize(f.Type.Enum.Underlying)
	to, err := r.Follow(tagPos, offsetSize(tagField), "the vector of tags")
	if err != nil {
		return err
	}
	tags, tagCount, err := r.Vector(to, vectorHead(tagField), tagSize, tagSize, "a vector of tags")
	if err != nil {
		return err
	}
	var values, count uint64
	if present {
		if to, err = r.Follow(pos, offsetSize(f), "the vector of values"); err != nil {
			return err
		}
		if values, count, err = r.Vector(to, vectorHead(f), 4, 4, "a vector of union values"); err != nil {
			return err
		}
	}
	if w.opts.Rules && tagCount != count {
		return fmt.Errorf("%d tags at offset %d for %d union values at offset %d", tagCount, tags, count, values)
	}
	// The same two vectors give the same reads again. A tag vector that many
	// value vectors share, or the other way round, is walked with each.
	v := visit{t.buf.id, tags, [2]any{values, f}}
	if w.tables[v] {
		return nil
	}
	w.tables[v] = true
	for i := uint64(0); i < tagCount; i++ {
		w.steps++
		tag, err := readTag(r, f.Type.Enum.Underlying, tags+i*tagSize)
		if err != nil {
			return err
		}
		if err := w.member(t, f, tag, values+4*i, i < count); err != nil {
			return err
		}
	}
	return nil
}

// readTag reads the tag of a union.
func readTag(r *wire.Reader, base schema.BaseType, pos uint64) (int64, error) {
	if base.IsUnsigned() {
		tag, err := r.Uint(pos, scalarSize(base), "the tag of a union")
		return int64(tag), err
	}
	return r.Int(pos, scalarSize(base), "the tag of a union")
}

// member reads the value of a union whose offset is at pos, as its tag says. NONE,
// and a tag that the schema does not know, say nothing, and nothing is read.
func (w *walker) member(t task, f *schema.Field, tag int64, pos uint64, present bool) error {
	var member *schema.EnumValue
	for _, v := range f.Type.Enum.Values {
		if v.Value == tag {
			member = v
		}
	}
	if member == nil || member.Type.Base == schema.None {
		return nil
	}
	if !present {
		return fmt.Errorf("the table at offset %d: the tag of a union says %s, and there is no value", t.pos, member.Name)
	}
	to, err := t.buf.r.Follow(pos, 4, "the "+member.Name+" of a union")
	if err != nil {
		return err
	}
	switch {
	case member.Type.Base == schema.String:
		return w.text(t.buf, to, false)
	case member.Type.Base != schema.Obj:
		return fmt.Errorf("the member %s of a union is a %s", member.Name, member.Type.Base)
	case member.Type.Object.IsStruct:
		return structure(t.buf.r, member.Type.Object, to)
	}
	w.push(task{t.buf, to, member.Type.Object, &path{t.path, f.Name}})
	return nil
}

// mayAlign returns the alignment that the elements of a vector have to have, by a field's
// attribute or as their type asks.
func mayAlign(f *schema.Field, align uint64) uint64 {
	if text, ok := f.Attribute("may_align"); ok {
		least, err := strconv.ParseUint(text, 0, 32)
		if err != nil {
			panic(err) // it compiled
		}
		return min(align, least)
	}
	return align
}
