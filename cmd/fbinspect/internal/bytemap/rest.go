package bytemap

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"

	"github.com/fbverify/go/schema"
)

// unknown takes the bytes of a table that no known field claimed: those of fields that a
// newer schema has, and padding. How long such a field is, is not known: each is taken to
// reach to the next claimed byte.
func (b *walk) unknown(h hole) {
	k, object := b.kinds[h.kind], int(h.object)
	o := Object{Kind: Table, Pos: int(h.at >> 16), Size: int(h.at & 0xffff), VTable: k.vtable, Def: k.def}
	b.whose(&o, o.Def, nil)
	b.taken.runs(o.Pos, min(o.Pos+o.Size, b.end), func(from, to int) { b.hidden(object, o.Pos, from, to, b.newer[k]) })
}

// hidden takes a run of bytes of a table at pos that no known field claimed. newer are where
// in it the fields start that the schema does not know, in order.
func (b *walk) hidden(object, pos, from, to int, newer []uint16) {
	i := sort.Search(len(newer), func(i int) bool { return int(newer[i]) >= from-pos })
	start, kind := from, Padding
	for ; i < len(newer) && pos+int(newer[i]) < to; i++ {
		b.span(Span{Pos: start, Size: pos + int(newer[i]) - start, Kind: kind, Object: object})
		start, kind = pos+int(newer[i]), UnknownField
	}
	b.span(Span{Pos: start, Size: to - start, Kind: kind, Object: object})
}

// between is the span of bytes that no object has.
func (b *walk) between(from, to int) Span {
	kind := Gap
	if to-from < maxPadding && allZero(b.buf[from:to]) {
		kind = Padding
	}
	return Span{Pos: from, Size: to - from, Kind: kind, Object: -1}
}

// rest names the bytes that no object claimed.
func (b *walk) rest() {
	for _, newer := range b.newer {
		slices.Sort(newer)
	}
	for _, h := range b.inOrder() {
		for _, h := range h {
			b.unknown(h)
		}
	}
	b.identifiers()
	b.whose(nil, nil, nil)
	b.taken.runs(0, b.end, func(from, to int) {
		b.span(b.between(from, to))
	})
	b.span(Span{Pos: b.end, Size: len(b.buf) - b.end, Kind: Trailing, Object: -1})
}

// inOrder returns the tables with free bytes in the order in which they were met. They were
// remembered in the order in which they were left, which differs where tables nest.
func (b *walk) inOrder() [][]hole {
	last := uint32(0)
	for _, list := range b.holes {
		for _, h := range list {
			if h.object < last {
				all := slices.Concat(b.holes...)
				b.holes = nil
				slices.SortFunc(all, func(a, b hole) int { return cmp.Compare(a.object, b.object) })
				return [][]hole{all}
			}
			last = h.object
		}
	}
	return b.holes
}

// maxPadding is more than any alignment that writers use asks for: a longer run of zeros
// was not left for alignment.
const maxPadding = 64

// identifiers takes the four bytes after a root offset for what they look like.
func (b *walk) identifiers() {
	for _, n := range append([]buffer{{0, b.root}}, b.nested...) {
		at := n.pos + 4
		if at+4 > b.end || b.taken.next(at, at+4, true) != at+4 {
			continue
		}
		if looksLikeIdentifier(b.buf[at : at+4]) {
			b.whose(&Object{Kind: Buffer, Pos: n.pos}, nil, nil)
			b.span(Span{Pos: at, Size: 4, Kind: Identifier, Object: n.object})
		}
	}
}

func looksLikeIdentifier(four []byte) bool {
	for _, c := range four {
		if !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_') {
			return false
		}
	}
	return true
}

func allZero(bytes []byte) bool {
	for _, c := range bytes {
		if c != 0 {
			return false
		}
	}
	return true
}

// structAt takes the bytes of a struct, a span for each number in it and for its padding.
// f is the table's field that holds it, nil for one that an offset leads to.
func (b *walk) structAt(object, pos int, def *schema.Object, f *schema.Field, sub string) {
	if !b.taken.free(pos, pos+def.ByteSize) {
		b.refused = true
		return // structs that overlap have a claim to each other's numbers
	}
	end := 0
	for _, g := range def.Fields {
		if g.Offset > end {
			b.span(Span{Pos: pos + end, Size: g.Offset - end, Kind: Padding, Object: object, Field: f, Sub: sub})
		}
		b.inline(object, pos+g.Offset, g.Type, f, sub+"."+g.Name)
		end = g.Offset + g.Type.InlineSize()
	}
	if end < def.ByteSize {
		b.span(Span{Pos: pos + end, Size: def.ByteSize - end, Kind: Padding, Object: object, Field: f, Sub: sub})
	}
}

// inline takes the bytes of a number, a struct or an array in a struct.
func (b *walk) inline(object, pos int, t schema.Type, f *schema.Field, sub string) {
	switch {
	case t.IsStruct():
		b.structAt(object, pos, t.Object, f, sub)
	case t.Base == schema.Array && t.ElementType().IsScalar():
		b.span(Span{Pos: pos, Size: t.InlineSize(), Kind: Elements, Object: object, Field: f, Sub: sub, Type: t.ElementType()})
	case t.Base == schema.Array:
		e := t.ElementType()
		for i := range t.FixedLength {
			b.inline(object, pos+i*e.InlineSize(), e, f, fmt.Sprintf("%s[%d]", sub, i))
		}
	default:
		b.span(Span{Pos: pos, Size: t.Base.Size(), Kind: Scalar, Object: object, Field: f, Sub: sub, Type: t})
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
