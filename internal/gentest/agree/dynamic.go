package agree

import (
	"encoding/binary"
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/schema"
)

// dynamicRoot compares what package dynamic reads with the bytes in the buffer,
// the same that views are compared with.
func (c *checker) dynamicRoot(t *fbverify.Type, path string) {
	root := dynamic.RootUnchecked(t, c.buf, fbverify.Unframed).Root()
	c.dynamicTable(root, uint64(binary.LittleEndian.Uint32(c.buf)), t.Root(), path)
}

func (c *checker) dynamicTable(t dynamic.Table, pos uint64, o *schema.Object, path string) {
	if !t.Present() || uint64(t.Offset()) != c.base+pos {
		c.errorf(path, "a table at %d, and it is at %d", t.Offset(), c.base+pos)
		return
	}
	tab := flatbuffers.Table{Bytes: c.buf, Pos: flatbuffers.UOffsetT(pos)}
	for _, f := range o.Fields {
		if f.Deprecated {
			continue
		}
		c.counts.Dynamic++
		c.dynamicField(t, t.Field(f.Name), tab, f, path+"."+f.Name)
	}
}

func (c *checker) dynamicField(t dynamic.Table, h *dynamic.Field, tab flatbuffers.Table, f *schema.Field, path string) {
	at := uint64(tab.Offset(flatbuffers.VOffsetT(f.Offset)))
	present := at != 0
	at += uint64(tab.Pos)
	v, ok := t.Get(h)
	if t.Has(h) != present || ok != present {
		c.errorf(path, "Has is %v, Get says %v, and it should be %v", t.Has(h), ok, present)
		return
	}
	switch {
	case f.Type.IsScalar():
		want := uint64(0)
		if present {
			want = c.bits(at, number(f.Type))
		} else if !f.Optional {
			want = c.defaultBits(f)
		}
		c.same(path, dynamicBits(v), want)
		switch v.Kind() { // and by the handle alone
		case dynamic.KindFloat:
			c.same(path, floatBits(t.Float(h)), want)
		case dynamic.KindInt:
			c.same(path, uint64(t.Int(h)), want)
		default:
			c.same(path, t.Uint(h), v.Uint())
		}
		return
	case f.Type.Base == schema.String:
		want := f.DefaultString
		if present {
			want = c.text(c.follow(at, f))
		}
		c.same(path, v.String(), want)
		c.same(path, t.String(h), want)
		return
	case !present:
		if v.Present() {
			c.errorf(path, "present, and the field is absent")
		}
		return
	case f.Type.IsStruct():
		c.dynamicStruct(v.Struct(), at, f.Type.Object, path)
	case f.Type.IsTable():
		c.dynamicTable(v.Table(), c.follow(at, f), f.Type.Object, path)
	case f.Type.Base == schema.Union:
		tag := uint64(tab.Offset(flatbuffers.VOffsetT(f.Offset - 2)))
		kind := uint64(0)
		if tag != 0 {
			kind = c.bits(uint64(tab.Pos)+tag, f.Type.Enum.Underlying)
		}
		c.dynamicUnion(v, kind, c.follow(at, f), f.Type.Enum, path)
	default:
		c.dynamicVector(v, tab, f, at, path)
	}
	if h.Nested() != nil && v.Len() > 0 {
		m, err := v.Nested()
		if err != nil {
			c.errorf(path, "the nested buffer: %v", err)
			return
		}
		head := uint64(4)
		if f.Type.Base == schema.Vector64 {
			head = 8
		}
		inner := &checker{t: c.t, buf: v.Bytes(), base: c.base + c.follow(at, f) + head, schema: c.schema}
		inner.dynamicTable(m.Root(), uint64(binary.LittleEndian.Uint32(inner.buf)), h.Nested().Schema(), path+"(nested)")
		c.counts.Dynamic += inner.counts.Dynamic
	}
}

func (c *checker) dynamicVector(v dynamic.Value, tab flatbuffers.Table, f *schema.Field, at uint64, path string) {
	p := c.follow(at, f)
	count, start := uint64(binary.LittleEndian.Uint32(c.buf[p:])), p+4
	if f.Type.Base == schema.Vector64 {
		count, start = binary.LittleEndian.Uint64(c.buf[p:]), p+8
	}
	if uint64(v.Len()) != count {
		c.errorf(path, "%d elements, and there are %d", v.Len(), count)
		return
	}
	e := f.Type.ElementType()
	size := uint64(e.InlineSize())
	for i, got := range v.All() {
		pos, where := start+uint64(i)*size, fmt.Sprintf("%s[%d]", path, i)
		target := func() uint64 { return pos + uint64(binary.LittleEndian.Uint32(c.buf[pos:])) }
		switch {
		case e.IsScalar():
			c.same(where, dynamicBits(got), c.bits(pos, number(e)))
		case e.Base == schema.String:
			c.same(where, got.String(), c.text(target()))
		case e.IsStruct():
			c.dynamicStruct(got.Struct(), pos, e.Object, where)
		case e.IsTable():
			c.dynamicTable(got.Table(), target(), e.Object, where)
		default:
			tag := uint64(tab.Pos) + uint64(tab.Offset(flatbuffers.VOffsetT(f.Offset-2)))
			kinds := tag + uint64(binary.LittleEndian.Uint32(c.buf[tag:])) + 4
			base := f.Type.Enum.Underlying
			c.dynamicUnion(got, c.bits(kinds+uint64(i*base.Size()), base), target(), f.Type.Enum, where)
		}
	}
}

func (c *checker) dynamicUnion(v dynamic.Value, kind, pos uint64, e *schema.Enum, path string) {
	var member *schema.EnumValue
	for _, m := range e.Values {
		if uint64(m.Value) == kind && m.Type.Base != schema.None {
			member = m
		}
	}
	if member == nil {
		if v.Present() || v.Union().Kind() != dynamic.KindNone {
			c.errorf(path, "kind %d has a value", kind)
		}
		return
	}
	c.same(path+" kind", uint64(v.Tag()), kind)
	c.same(path+" member", v.Member(), member.Name)
	switch {
	case member.Type.IsTable():
		c.dynamicTable(v.Table(), pos, member.Type.Object, path)
	case member.Type.IsStruct():
		c.dynamicStruct(v.Struct(), pos, member.Type.Object, path)
	default:
		c.same(path, v.Union().String(), c.text(pos))
	}
}

func (c *checker) dynamicStruct(s dynamic.Struct, pos uint64, o *schema.Object, path string) {
	for _, f := range o.Fields {
		c.dynamicInline(s.Get(s.Field(f.Name)), pos+uint64(f.Offset), f.Type, path+"."+f.Name)
	}
}

func (c *checker) dynamicInline(v dynamic.Value, pos uint64, t schema.Type, path string) {
	switch {
	case t.Base == schema.Array:
		e := t.ElementType()
		for i := range t.FixedLength {
			c.dynamicInline(v.At(i), pos+uint64(i*e.InlineSize()), e, fmt.Sprintf("%s[%d]", path, i))
		}
	case t.Base == schema.Obj:
		c.dynamicStruct(v.Struct(), pos, t.Object, path)
	default:
		c.same(path, dynamicBits(v), c.bits(pos, t.Base))
	}
}

// dynamicBits is checker.bits for a scalar that package dynamic read.
func dynamicBits(v dynamic.Value) uint64 {
	switch v.Kind() {
	case dynamic.KindFloat:
		return floatBits(v.Float())
	case dynamic.KindInt:
		return uint64(v.Int())
	case dynamic.KindBool:
		if v.Bool() {
			return 1
		}
		return 0
	}
	return v.Uint()
}
