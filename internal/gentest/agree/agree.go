// Package agree compares, for every field of every table of a verified buffer,
// what generated views return with what is at the slots of the schema (read with
// github.com/google/flatbuffers/go), with the owned structs that Unpack makes, with
// package dynamic, and with the accessors that flatc writes. It is for tests.
package agree

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/schema"
)

// Root compares everything below the root of a verified buffer, fixed views where
// they apply included, and returns what it met.
func Root[T fbverify.View[T]](t testing.TB, v fbverify.Verified[T]) Counts {
	t.Helper()
	return RootBy(t, v, v.Root().FlatBuffersType().Schema())
}

// RootBy is Root with the schema as its text says it: a .bfbs, which generated
// code has its types from, holds no defaults of strings and vectors.
func RootBy[T fbverify.View[T]](t testing.TB, v fbverify.Verified[T], s *schema.Schema) Counts {
	t.Helper()
	root := v.Root()
	c := &checker{t: t, buf: v.Bytes(), schema: s}
	pos := uint64(binary.LittleEndian.Uint32(c.buf))
	o := s.Object(root.FlatBuffersType().Root().Name)
	c.view(reflect.ValueOf(root), pos, o, o.ShortName())
	c.dynamicRoot(root.FlatBuffersType(), o.ShortName())
	return c.counts
}

// Counts is how much was compared: tables, fields of views, fixed views, nested
// buffers, fields that package dynamic read, and fields that flatc's accessors read.
type Counts struct{ Tables, Fields, Fixed, Nested, Dynamic, Flatc int }

type checker struct {
	t      testing.TB
	buf    []byte
	base   uint64 // where buf lies in the buffer that was verified, for nested ones
	schema *schema.Schema
	counts Counts
}

func (c *checker) errorf(path, layout string, args ...any) {
	c.t.Helper()
	c.t.Errorf("%s: %s", path, fmt.Sprintf(layout, args...))
}

// view compares a view with the table at pos, and with its own copy.
func (c *checker) view(view reflect.Value, pos uint64, o *schema.Object, path string) {
	c.counts.Tables++
	tab := flatbuffers.Table{Bytes: c.buf, Pos: flatbuffers.UOffsetT(pos)}
	if present := view.MethodByName("Present").Call(nil)[0].Bool(); !present {
		c.errorf(path, "not Present")
		return
	}
	owned := view.MethodByName("Unpack").Call(nil)[0].Elem()
	receivers := []reflect.Value{view}
	for _, name := range []string{"Fixed", "Fixed2", "Fixed3"} {
		m := view.MethodByName(name)
		if !m.IsValid() || m.Type().NumIn() != 0 || m.Type().NumOut() != 2 {
			continue
		}
		if out := m.Call(nil); out[1].Bool() {
			c.counts.Fixed++
			receivers = append(receivers, out[0])
			if back := out[0].MethodByName("View").Call(nil)[0]; back.Interface() != view.Interface() {
				c.errorf(path, "%s().View() is another table", name)
			}
		}
	}
	for _, f := range o.Fields {
		if f.Deprecated {
			continue
		}
		for _, r := range receivers {
			c.counts.Fields++
			c.field(r, owned, tab, f, path+"."+f.Name)
		}
		c.has(view, tab, o, f, path)
		if root, _ := c.schema.NestedRoot(o, f); root != nil {
			c.nested(view, f, root, path+"."+f.Name)
		}
	}
}

// has compares the method that tells whether a field is there with the vtable.
func (c *checker) has(view reflect.Value, tab flatbuffers.Table, o *schema.Object, f *schema.Field, path string) {
	if o.Field("has_"+f.Name) != nil {
		return // a getter has that name
	}
	i := member(view.NumMethod(), func(i int) string { return view.Type().Method(i).Name }, "Has"+f.Name)
	switch t := f.Type; {
	case i < 0 && !f.Required && (t.Base == schema.String || t.IsTable() || t.IsVector() && t.Element != schema.Union && t.Element != schema.UType && t.Enum == nil):
		c.errorf(path, "%s has no method that tells whether %s is there", view.Type(), f.Name)
	case i >= 0 && view.Method(i).Call(nil)[0].Bool() != (tab.Offset(flatbuffers.VOffsetT(f.Offset)) != 0):
		c.errorf(path, "Has%s is wrong", f.Name)
	}
}

// member finds the method or field that a name of the schema became.
func member(n int, name func(int) string, want string) int {
	want = strings.ReplaceAll(want, "_", "")
	for i := range n {
		if strings.EqualFold(strings.ReplaceAll(name(i), "_", ""), want) {
			return i
		}
	}
	return -1
}

func (c *checker) call(v reflect.Value, name, path string) []reflect.Value {
	i := member(v.NumMethod(), func(i int) string { return v.Type().Method(i).Name }, name)
	if i < 0 {
		c.t.Fatalf("%s: %s has no method for %s", path, v.Type(), name)
	}
	return v.Method(i).Call(nil)
}

func (c *checker) structField(v reflect.Value, name, path string) reflect.Value {
	i := member(v.NumField(), func(i int) string { return v.Type().Field(i).Name }, name)
	if i < 0 {
		c.t.Fatalf("%s: %s has no field for %s", path, v.Type(), name)
	}
	return v.Field(i)
}

// field compares one field of a view and of its owned copy.
func (c *checker) field(view, owned reflect.Value, tab flatbuffers.Table, f *schema.Field, path string) {
	out := c.call(view, f.Name, path)
	isTag := f.Type.Enum != nil && f.Type.Enum.IsUnion && f.Type.Base != schema.Union && f.Type.Element != schema.Union
	var copied reflect.Value
	if !isTag {
		copied = c.structField(owned, f.Name, path)
	}
	at := uint64(tab.Offset(flatbuffers.VOffsetT(f.Offset)))
	present := at != 0
	at += uint64(tab.Pos)
	switch t := f.Type; {
	case t.IsScalar():
		want := c.defaultBits(f)
		if present {
			want = c.bits(at, number(t))
		}
		if f.Optional && !present {
			want = 0
		}
		c.same(path, bits(out[0]), want)
		switch {
		case f.Optional:
			if out[1].Bool() != present || copied.IsNil() == present {
				c.errorf(path, "present is %v, the copy is %v, and it should be %v", out[1], copied, present)
			} else if present {
				c.same(path+" (copy)", bits(copied.Elem()), want)
			}
		case !isTag:
			c.same(path+" (copy)", bits(copied), want)
		}
	case t.Base == schema.String:
		want := f.DefaultString
		if present {
			want = c.text(c.follow(at, f))
		}
		c.same(path, out[0].String(), want)
		c.same(path+" (copy)", copied.String(), want)
	case t.IsStruct():
		if out[1].Bool() != present || copied.IsNil() == present {
			c.errorf(path, "presence differs: %v, %v", out[1], present)
		} else if present {
			c.structAt(out[0], at, t.Object, path)
			c.structAt(copied.Elem(), at, t.Object, path+" (copy)")
		}
	case t.IsTable():
		if !present {
			if out[0].MethodByName("Present").Call(nil)[0].Bool() || !copied.IsNil() {
				c.errorf(path, "present, and the field is absent")
			}
			return
		}
		c.ordinary(out[0], c.follow(at, f), t.Object, path)
	case t.Base == schema.Union:
		c.union(out[0], copied, tab, f, at, present, path)
	default:
		c.vector(out[0], copied, tab, f, at, present, path)
	}
}

// ordinary compares a table, which may be given as a fixed view.
func (c *checker) ordinary(view reflect.Value, pos uint64, o *schema.Object, path string) {
	if m := view.MethodByName("View"); m.IsValid() && !view.MethodByName("FlatBuffersType").IsValid() {
		view = m.Call(nil)[0]
	}
	c.view(view, pos, o, path)
}

func (c *checker) union(value, copied reflect.Value, tab flatbuffers.Table, f *schema.Field, at uint64, present bool, path string) {
	kind := uint64(0)
	base := f.Type.Enum.Underlying
	if tag := tab.Offset(flatbuffers.VOffsetT(f.Offset - 2)); tag != 0 {
		kind = c.bits(uint64(tab.Pos)+uint64(tag), base)
	}
	c.unionValue(value, copied, kind, func() uint64 {
		if !present {
			c.t.Fatalf("%s: a verified union of kind %d has no value", path, kind)
		}
		return c.follow(at, f)
	}, f.Type.Enum, path)
}

// unionValue compares one union value, whose position is asked for only where its
// kind has one.
func (c *checker) unionValue(value, copied reflect.Value, kind uint64, pos func() uint64, e *schema.Enum, path string) {
	c.same(path+" kind", bits(value.MethodByName("Kind").Call(nil)[0]), kind)
	if copied.IsNil() != (kind == 0) {
		c.errorf(path, "the copy is %v, the kind %d", copied, kind)
	}
	for _, v := range e.Values {
		if v.Type.Base == schema.None {
			continue
		}
		out := c.call(value, "As"+v.Name, path)
		if out[1].Bool() != (uint64(v.Value) == kind) {
			c.errorf(path, "As%s says %v for kind %d", v.Name, out[1], kind)
			continue
		}
		if uint64(v.Value) != kind {
			continue
		}
		member := copied.Elem().FieldByName("Value").Elem()
		switch {
		case v.Type.IsTable():
			c.view(out[0], pos(), v.Type.Object, path)
		case v.Type.IsStruct():
			c.structAt(out[0], pos(), v.Type.Object, path)
			c.structAt(member, pos(), v.Type.Object, path+" (copy)")
		default:
			c.same(path, out[0].String(), c.text(pos()))
			c.same(path+" (copy)", member.String(), c.text(pos()))
		}
	}
}

func (c *checker) vector(v, copied reflect.Value, tab flatbuffers.Table, f *schema.Field, at uint64, present bool, path string) {
	e := f.Type.ElementType()
	count, start := uint64(0), uint64(0)
	if present {
		p := c.follow(at, f)
		count, start = uint64(binary.LittleEndian.Uint32(c.buf[p:])), p+4
		if f.Type.Base == schema.Vector64 {
			count, start = binary.LittleEndian.Uint64(c.buf[p:]), p+8
		}
	}
	if f.Type.Element != schema.UType && (f.Type.Enum == nil || !f.Type.Enum.IsUnion || f.Type.Element == schema.Union) {
		if copied.IsNil() == (present || f.HasDefaultVector) {
			c.errorf(path, "the copy is nil: %v, the field is there: %v", copied.IsNil(), present)
		}
		if uint64(copied.Len()) != count {
			c.errorf(path, "the copy has %d elements, and there are %d", copied.Len(), count)
			return
		}
	} else {
		copied = reflect.Value{} // the kinds of unions are with their values
	}
	if got := length(v); uint64(got) != count {
		c.errorf(path, "%d elements, and there are %d", got, count)
		return
	}
	size := uint64(e.InlineSize())
	for i := range int(count) {
		pos, where := start+uint64(i)*size, fmt.Sprintf("%s[%d]", path, i)
		got := element(v, i)
		switch {
		case e.IsScalar():
			want := c.bits(pos, number(e))
			c.same(where, bits(got), want)
			if copied.IsValid() {
				c.same(where+" (copy)", bits(copied.Index(i)), want)
			}
		case e.Base == schema.String:
			want := c.text(pos + uint64(binary.LittleEndian.Uint32(c.buf[pos:])))
			c.same(where, got.String(), want)
			c.same(where+" (copy)", copied.Index(i).String(), want)
		case e.IsStruct():
			c.structAt(got, pos, e.Object, where)
			c.structAt(copied.Index(i), pos, e.Object, where+" (copy)")
		case e.IsTable():
			c.view(got, pos+uint64(binary.LittleEndian.Uint32(c.buf[pos:])), e.Object, where)
		default: // union
			tag := uint64(tab.Pos) + uint64(tab.Offset(flatbuffers.VOffsetT(f.Offset-2)))
			kinds := tag + uint64(binary.LittleEndian.Uint32(c.buf[tag:])) + 4
			base := f.Type.Enum.Underlying
			kind := c.bits(kinds+uint64(i*base.Size()), base)
			c.unionValue(got, copied.Index(i), kind, func() uint64 {
				return pos + uint64(binary.LittleEndian.Uint32(c.buf[pos:]))
			}, f.Type.Enum, where)
		}
	}
}

func length(v reflect.Value) int {
	if v.Kind() == reflect.Slice {
		return v.Len()
	}
	return int(v.MethodByName("Len").Call(nil)[0].Int())
}

func element(v reflect.Value, i int) reflect.Value {
	if v.Kind() == reflect.Slice {
		return v.Index(i)
	}
	return v.MethodByName("At").Call([]reflect.Value{reflect.ValueOf(i)})[0]
}

// structAt compares a Go struct with the struct at pos.
func (c *checker) structAt(v reflect.Value, pos uint64, o *schema.Object, path string) {
	for _, f := range o.Fields {
		if !f.Deprecated {
			c.inline(c.structField(v, f.Name, path), pos+uint64(f.Offset), f.Type, path+"."+f.Name)
		}
	}
}

func (c *checker) inline(v reflect.Value, pos uint64, t schema.Type, path string) {
	switch {
	case t.Base == schema.Array:
		e := t.ElementType()
		for i := range t.FixedLength {
			c.inline(v.Index(i), pos+uint64(i*e.InlineSize()), e, fmt.Sprintf("%s[%d]", path, i))
		}
	case t.Base == schema.Obj:
		c.structAt(v, pos, t.Object, path)
	default:
		c.same(path, bits(v), c.bits(pos, t.Base))
	}
}

// nested compares the buffer in a field with the verified root that the view
// gives of it.
func (c *checker) nested(view reflect.Value, f *schema.Field, root *schema.Object, path string) {
	out := c.call(view, f.Name+"Root", path)
	buf := c.call(view, f.Name, path)[0].Bytes()
	if out[1].Bool() != (len(buf) > 0) {
		c.errorf(path, "a nested root is there: %v, of %d bytes", out[1], len(buf))
	}
	if len(buf) == 0 {
		return
	}
	c.counts.Nested++
	inner := &checker{t: c.t, buf: buf, schema: c.schema}
	nested := out[0].MethodByName("Root").Call(nil)[0]
	inner.view(nested, uint64(binary.LittleEndian.Uint32(buf)), root, path+"("+root.ShortName()+")")
	c.counts.Tables += inner.counts.Tables
	c.counts.Fields += inner.counts.Fields
	c.counts.Fixed += inner.counts.Fixed
	c.counts.Nested += inner.counts.Nested
}

// follow reads the offset at a position.
func (c *checker) follow(at uint64, f *schema.Field) uint64 {
	if f.Offset64 || f.Type.Base == schema.Vector64 {
		return at + binary.LittleEndian.Uint64(c.buf[at:])
	}
	return at + uint64(binary.LittleEndian.Uint32(c.buf[at:]))
}

func (c *checker) text(pos uint64) string {
	n := uint64(binary.LittleEndian.Uint32(c.buf[pos:]))
	return string(c.buf[pos+4 : pos+4+n])
}

// bits reads a number as 64 bits: integers extended by their sign, bools as 0 or
// 1, floats as the bits of a float64.
func (c *checker) bits(pos uint64, base schema.BaseType) uint64 {
	b := c.buf[pos:]
	switch base {
	case schema.Bool:
		if b[0] != 0 {
			return 1
		}
		return 0
	case schema.UByte, schema.UType:
		return uint64(b[0])
	case schema.Byte:
		return uint64(int64(int8(b[0])))
	case schema.UShort:
		return uint64(binary.LittleEndian.Uint16(b))
	case schema.Short:
		return uint64(int64(int16(binary.LittleEndian.Uint16(b))))
	case schema.UInt:
		return uint64(binary.LittleEndian.Uint32(b))
	case schema.Int:
		return uint64(int64(int32(binary.LittleEndian.Uint32(b))))
	case schema.Float:
		return floatBits(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	case schema.Double:
		return floatBits(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return binary.LittleEndian.Uint64(b)
}

// number returns the type of a number; a union's kind may be any integer.
func number(t schema.Type) schema.BaseType {
	if t.Base == schema.UType && t.Enum != nil {
		return t.Enum.Underlying
	}
	return t.Base
}

func (c *checker) defaultBits(f *schema.Field) uint64 {
	switch f.Type.Base {
	case schema.Float:
		return floatBits(float64(float32(f.DefaultReal)))
	case schema.Double:
		return floatBits(f.DefaultReal)
	}
	return uint64(f.DefaultInteger)
}

// bits is checker.bits for a Go value.
func bits(v reflect.Value) uint64 {
	switch {
	case v.Kind() == reflect.Bool:
		if v.Bool() {
			return 1
		}
		return 0
	case v.CanInt():
		return uint64(v.Int())
	case v.CanUint():
		if v.Type().Name() == "Bool8" && v.Uint() != 0 {
			return 1
		}
		return v.Uint()
	}
	return floatBits(v.Float())
}

// floatBits returns the bits of a float, those of one NaN for every NaN.
func floatBits(f float64) uint64 {
	if math.IsNaN(f) {
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(f)
}

// same compares numbers, as bits, or strings.
func (c *checker) same(path string, got, want any) {
	if got != want {
		c.errorf(path, "got %v, and the buffer has %v", got, want)
	}
}
