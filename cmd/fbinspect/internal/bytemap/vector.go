package bytemap

import (
	"encoding/binary"

	"github.com/fbverify/go/schema"
)

// vectorObject adds a vector. tags is where the tags of a vector of unions are, ntags
// how many.
func (w *walker) vectorObject(a area, o Object, t schema.Type, tags, ntags int) int {
	if !a.fits(o.Pos, headSize(t)) {
		return -1
	}
	o.Kind, o.Type = Vector, t
	e := t.ElementType()
	return w.object(o, elemKey{e.Base, e.InlineSize(), e.Object, e.Enum}, a, tags, ntags)
}

// headSize is the bytes of a vector's length.
func headSize(t schema.Type) int {
	if t.Base == schema.Vector64 {
		return 8
	}
	return 4
}

// vector takes the bytes of a vector and follows its elements.
func (w *walker) vector(it item) {
	o := w.m.Objects[it.object]
	head := headSize(o.Type)
	e := o.Type.ElementType()
	size := max(e.InlineSize(), 1)
	count := w.u32(o.Pos)
	if head == 8 {
		count |= w.u32(o.Pos+4) << 32
	}
	w.m.Objects[it.object].Size = head
	data := o.Pos + head
	if count > uint64(it.area.end-data)/uint64(size) {
		return // nothing can be said of what follows
	}
	n := int(count)
	w.m.Objects[it.object].Count = n
	w.m.Objects[it.object].Size = head + n*size
	if root := w.nestedRoot(o); root != nil && n >= 8 {
		inner := area{data, data + n}
		// A buffer of its own, unless its first four bytes are no root offset.
		if pos, ok := w.follow(inner, data, false); ok && inner.fits(pos, 4) {
			buffer := len(w.m.Objects)
			w.m.Objects = append(w.m.Objects, Object{
				Kind: Buffer, Pos: data, Size: n, Parent: it.object, Refs: 1, Field: o.Field, Index: -1, Def: root, VTable: -1, Depth: o.Depth,
			})
			w.root(buffer, inner, root, o.Depth)
			return
		}
	}
	if !w.span(Span{Pos: data, Size: n * size, Kind: Elements, Object: it.object, Field: o.Field, Type: e}) {
		return
	}
	if e.IsScalar() || e.IsStruct() {
		return
	}
	for i := range n {
		at := data + i*size
		pos, ok := w.follow(it.area, at, false)
		if !ok {
			continue
		}
		child := Object{Pos: pos, Parent: it.object, Field: o.Field, Index: i, Depth: o.Depth}
		switch {
		case e.Base == schema.String:
			w.plain(it.area, child, String)
		case e.Base == schema.Union:
			if i < it.ntags {
				size := e.Enum.Underlying.Size()
				if tag, ok := w.tag(it.area, it.tags+i*size, true, e.Enum); ok {
					w.member(it.area, child, e.Enum.ByValue(tag))
				}
			}
		default:
			child.Def = e.Object
			w.plain(it.area, child, Table)
		}
	}
}

// nestedRoot returns the root of the buffer that a field's bytes hold, nil for other
// fields.
func (w *walker) nestedRoot(o Object) *schema.Object {
	if o.Field == nil || o.Type.Element != schema.UByte || o.Index >= 0 {
		return nil
	}
	root, known := w.nested[o.Field]
	if !known {
		owner := w.m.Objects[o.Parent].Def
		if owner != nil {
			root, _ = w.schema.NestedRoot(owner, o.Field)
		}
		w.nested[o.Field] = root
	}
	return root
}

// str takes the bytes of a string.
func (w *walker) str(it item) {
	o := w.m.Objects[it.object]
	w.m.Objects[it.object].Size = 4
	n := w.u32(o.Pos)
	if n > uint64(it.area.end-o.Pos-4) {
		return
	}
	data, end := o.Pos+4, o.Pos+4+int(n)
	w.m.Objects[it.object].Count = int(n)
	w.m.Objects[it.object].Size = 4 + int(n)
	w.span(Span{Pos: data, Size: int(n), Kind: Text, Object: it.object, Field: o.Field})
	if end < it.area.end && w.m.Buf[end] == 0 && w.span(Span{Pos: end, Size: 1, Kind: Terminator, Object: it.object}) {
		w.m.Objects[it.object].Size++
	}
}

// integer reads a little-endian integer of the base type.
func integer(b []byte, t schema.BaseType) int64 {
	switch t.Size() {
	case 1:
		if t.IsUnsigned() {
			return int64(b[0])
		}
		return int64(int8(b[0]))
	case 2:
		v := binary.LittleEndian.Uint16(b)
		if t.IsUnsigned() {
			return int64(v)
		}
		return int64(int16(v))
	case 4:
		v := binary.LittleEndian.Uint32(b)
		if t.IsUnsigned() {
			return int64(v)
		}
		return int64(int32(v))
	}
	return int64(binary.LittleEndian.Uint64(b))
}
