package bytemap

import (
	"fmt"
	"sort"

	"github.com/fbverify/go/schema"
)

// table takes the bytes of a table and follows its fields.
func (w *walker) table(it item) {
	o := w.m.Objects[it.object] // a copy: the list grows
	a := it.area
	w.m.Objects[it.object].Size = 4
	vt := int64(o.Pos) - int64(int32(uint32(w.u32(o.Pos))))
	vtSize := 0
	sound := vt >= int64(a.start) && vt <= int64(a.end) && a.fits(int(vt), 4)
	if sound {
		vtSize = w.u16(int(vt))
		sound = vtSize >= 4 && vtSize%2 == 0 && a.fits(int(vt), vtSize)
	}
	if !sound {
		return
	}
	size := w.u16(int(vt) + 2)
	v := w.vtable(int(vt), vtSize, it.object)
	w.m.Spans[o.head].Target = v
	w.m.Objects[it.object].VTable = v
	w.m.Objects[it.object].Size = max(4, min(size, a.end-o.Pos))
	slot := func(id int) int {
		if at := 4 + 2*id; at < vtSize {
			return w.u16(int(vt) + at)
		}
		return 0
	}
	for _, f := range o.Def.Fields[:min(len(o.Def.Fields), (vtSize-4)/2)] {
		off := slot(f.ID)
		inline := inlineSize(f)
		if off == 0 || !a.fits(o.Pos+off, inline) {
			continue
		}
		w.field(it, o, f, o.Pos+off, slot)
	}
}

// inlineSize is the bytes that a field takes in its table.
func inlineSize(f *schema.Field) int {
	if f.Offset64 {
		return 8
	}
	if f.Type.IsVector() || f.Type.Base == schema.String || f.Type.Base == schema.Union || f.Type.IsTable() {
		return 4
	}
	return f.Type.InlineSize()
}

// unknown takes the bytes of a table that no known field claimed: those of fields that a
// newer schema has, and padding. How long such a field is, is not known: each is taken to
// reach to the next claimed byte.
func (w *walker) unknown(object int) {
	o := w.m.Objects[object]
	k := newerKey{o.VTable, o.Def}
	newer, ok := w.newer[k]
	if !ok {
		v := &w.m.Objects[o.VTable]
		for id := len(o.Def.Fields); id < v.Count; id++ {
			if off := w.u16(v.Pos + 4 + 2*id); off >= 4 {
				newer = append(newer, off)
			}
		}
		sort.Ints(newer)
		w.newer[k] = newer
	}
	w.taken.runs(o.Pos, min(o.Pos+o.Size, w.end), func(from, to int) {
		i := sort.SearchInts(newer, from-o.Pos)
		start, kind := from, Padding
		for ; i < len(newer) && o.Pos+newer[i] < to; i++ {
			w.span(Span{Pos: start, Size: o.Pos + newer[i] - start, Kind: kind, Object: object})
			start, kind = o.Pos+newer[i], UnknownField
		}
		w.span(Span{Pos: start, Size: to - start, Kind: kind, Object: object})
	})
}

// field takes a field's inline bytes at `at`, and follows what it leads to.
func (w *walker) field(it item, o Object, f *schema.Field, at int, slot func(int) int) {
	t := f.Type
	switch {
	case t.IsScalar():
		w.span(Span{Pos: at, Size: t.Base.Size(), Kind: Scalar, Object: it.object, Field: f, Type: t})
		return
	case t.IsStruct():
		w.structAt(it.object, at, t.Object, f, "")
		return
	}
	s := Span{Pos: at, Size: inlineSize(f), Kind: Offset, Object: it.object, Field: f, Target: -1}
	if !w.taken.take(at, s.End()) {
		return
	}
	if pos, ok := w.follow(it.area, at, f.Offset64); ok {
		s.Target = w.target(it, o, f, pos, slot)
	}
	w.m.Spans = append(w.m.Spans, s)
}

// target returns the object that a field's offset leads to, -1 where it is not followed.
func (w *walker) target(it item, o Object, f *schema.Field, pos int, slot func(int) int) int {
	t, child := f.Type, Object{Pos: pos, Parent: it.object, Field: f, Index: -1, Depth: o.Depth + 1}
	switch {
	case t.Base == schema.Union:
		tag, ok := w.tag(it.area, o.Pos+slot(f.ID-1), slot(f.ID-1) != 0, t.Enum)
		if !ok {
			return -1
		}
		return w.member(it.area, child, t.Enum.ByValue(tag))
	case t.IsVector() && t.Element == schema.Union:
		if slot(f.ID-1) == 0 || !it.area.fits(o.Pos+slot(f.ID-1), 4) {
			return -1
		}
		tags, ok := w.follow(it.area, o.Pos+slot(f.ID-1), false)
		if !ok || !it.area.fits(tags, 4) {
			return -1
		}
		n := w.u32(tags)
		size := uint64(t.Enum.Underlying.Size())
		if n > uint64(it.area.end-tags-4)/size {
			return -1
		}
		return w.vectorObject(it.area, child, t, tags+4, int(n))
	case t.IsVector():
		return w.vectorObject(it.area, child, t, 0, 0)
	case t.Base == schema.String:
		return w.plain(it.area, child, String)
	case t.IsTable():
		child.Def = t.Object
		return w.plain(it.area, child, Table)
	}
	return -1
}

// plain adds an object that starts with four bytes.
func (w *walker) plain(a area, o Object, kind ObjectKind) int {
	if !a.fits(o.Pos, 4) {
		return -1
	}
	o.Kind = kind
	return w.object(o, defOf(o), a, 0, 0)
}

func defOf(o Object) any {
	if o.Def == nil {
		return nil
	}
	return o.Def
}

// tag reads the tag of a union at a position, and reports whether it names a member.
func (w *walker) tag(a area, at int, present bool, u *schema.Enum) (int64, bool) {
	size := u.Underlying.Size()
	if !present || !a.fits(at, size) {
		return 0, false
	}
	tag := integer(w.m.Buf[at:at+size], u.Underlying)
	return tag, tag != 0 && u.ByValue(tag) != nil
}

// member adds the member of a union.
func (w *walker) member(a area, o Object, v *schema.EnumValue) int {
	switch {
	case v == nil:
		return -1
	case v.Type.Base == schema.String:
		return w.plain(a, o, String)
	case v.Type.Object == nil:
		return -1
	case v.Type.Object.IsStruct:
		o.Kind, o.Def, o.Size = Struct, v.Type.Object, v.Type.Object.ByteSize
		if !a.fits(o.Pos, o.Size) {
			return -1
		}
		return w.object(o, o.Def, a, 0, 0)
	}
	o.Def = v.Type.Object
	return w.plain(a, o, Table)
}

// structAt takes the bytes of a struct, a span for each number in it and for its padding.
// f is the table's field that holds it, nil for one that an offset leads to.
func (w *walker) structAt(object, pos int, def *schema.Object, f *schema.Field, sub string) {
	if !w.taken.free(pos, pos+def.ByteSize) {
		return // structs that overlap have a claim to each other's numbers
	}
	end := 0
	for _, g := range def.Fields {
		if g.Offset > end {
			w.span(Span{Pos: pos + end, Size: g.Offset - end, Kind: Padding, Object: object, Field: f, Sub: sub})
		}
		w.inline(object, pos+g.Offset, g.Type, f, sub+"."+g.Name)
		end = g.Offset + g.Type.InlineSize()
	}
	if end < def.ByteSize {
		w.span(Span{Pos: pos + end, Size: def.ByteSize - end, Kind: Padding, Object: object, Field: f, Sub: sub})
	}
}

// inline takes the bytes of a number, a struct or an array in a struct.
func (w *walker) inline(object, pos int, t schema.Type, f *schema.Field, sub string) {
	switch {
	case t.IsStruct():
		w.structAt(object, pos, t.Object, f, sub)
	case t.Base == schema.Array && t.ElementType().IsScalar():
		w.span(Span{Pos: pos, Size: t.InlineSize(), Kind: Elements, Object: object, Field: f, Sub: sub, Type: t.ElementType()})
	case t.Base == schema.Array:
		e := t.ElementType()
		for i := range t.FixedLength {
			w.inline(object, pos+i*e.InlineSize(), e, f, fmt.Sprintf("%s[%d]", sub, i))
		}
	default:
		w.span(Span{Pos: pos, Size: t.Base.Size(), Kind: Scalar, Object: object, Field: f, Sub: sub, Type: t})
	}
}
