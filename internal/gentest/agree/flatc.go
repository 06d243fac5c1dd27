package agree

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/schema"
)

// Flatc compares what accessors that `flatc --go` generated return with the bytes
// of a verified buffer, the same that views are compared with. Types has a value
// of each table and struct type of flatc's package, by the type's name.
func Flatc[T fbverify.View[T]](t testing.TB, v fbverify.Verified[T], types map[string]any) Counts {
	t.Helper()
	typ := v.Root().FlatBuffersType()
	c := &flatcChecker{checker{t: t, buf: v.Bytes(), schema: typ.Schema()}, map[string]reflect.Type{}}
	for name, value := range types {
		c.types[name] = reflect.TypeOf(value)
	}
	pos := binary.LittleEndian.Uint32(c.buf)
	root := c.make(typ.Root())
	root.MethodByName("Init").Call([]reflect.Value{reflect.ValueOf(c.buf), reflect.ValueOf(flatbuffers.UOffsetT(pos))})
	c.table(root, uint64(pos), typ.Root(), typ.Root().ShortName())
	return c.counts
}

type flatcChecker struct {
	checker
	types map[string]reflect.Type
}

// make returns a new accessor of a type, a pointer.
func (c *flatcChecker) make(o *schema.Object) reflect.Value {
	t, ok := c.types[o.ShortName()]
	if !ok {
		c.t.Fatalf("flatc's %s was not given", o.Name)
	}
	return reflect.New(t)
}

// position returns the position that an accessor is at.
func position(v reflect.Value) uint64 {
	return uint64(v.MethodByName("Table").Call(nil)[0].Interface().(flatbuffers.Table).Pos)
}

// get calls the accessor of a field, whose name in flatc's code ends in suffix.
func (c *flatcChecker) get(v reflect.Value, name, suffix, path string, args ...any) reflect.Value {
	want := strings.ReplaceAll(name, "_", "") + suffix
	m := member(v.NumMethod(), func(i int) string { return v.Type().Method(i).Name }, want)
	if m < 0 {
		c.t.Fatalf("%s: flatc's %s has no method %s", path, v.Type(), want)
	}
	var in []reflect.Value
	for _, a := range args {
		if r, ok := a.(reflect.Value); ok {
			in = append(in, r)
		} else {
			in = append(in, reflect.ValueOf(a))
		}
	}
	return v.Method(m).Call(in)[0]
}

func (c *flatcChecker) at(v reflect.Value, pos uint64, path string) bool {
	if v.IsNil() || position(v) != pos {
		c.errorf(path, "flatc is not at %d", pos)
		return false
	}
	return true
}

func (c *flatcChecker) table(v reflect.Value, pos uint64, o *schema.Object, path string) {
	if !c.at(v, pos, path) {
		return
	}
	c.counts.Tables++
	tab := flatbuffers.Table{Bytes: c.buf, Pos: flatbuffers.UOffsetT(pos)}
	for _, f := range o.Fields {
		if !f.Deprecated {
			c.counts.Flatc++
			c.field(v, tab, o, f, path+"."+f.Name)
		}
	}
}

func (c *flatcChecker) field(v reflect.Value, tab flatbuffers.Table, o *schema.Object, f *schema.Field, path string) {
	at := uint64(tab.Offset(flatbuffers.VOffsetT(f.Offset)))
	present := at != 0
	at += uint64(tab.Pos)
	switch t := f.Type; {
	case t.IsScalar():
		got := c.get(v, f.Name, "", path)
		if f.Optional {
			if got.IsNil() == present {
				c.errorf(path, "flatc says nil: %v, and the field is there: %v", got.IsNil(), present)
				return
			}
			if !present {
				return
			}
			got = got.Elem()
		}
		want := c.defaultBits(f)
		if present {
			want = c.bits(at, number(t))
		}
		c.same(path, bits(got), want)
	case t.Base == schema.String:
		want := ""
		if present {
			want = c.text(c.follow(at, f))
		}
		c.same(path, string(c.get(v, f.Name, "", path).Bytes()), want)
	case t.Base == schema.Obj:
		got := c.get(v, f.Name, "", path, reflect.Zero(reflect.PointerTo(c.make(t.Object).Type().Elem())))
		switch {
		case got.IsNil() == present:
			c.errorf(path, "flatc says nil: %v, and the field is there: %v", got.IsNil(), present)
		case present && t.IsStruct():
			c.structAt(got, at, t.Object, path)
		case present:
			c.table(got, c.follow(at, f), t.Object, path)
		}
	case t.Base == schema.Union:
		var value flatbuffers.Table
		ok := c.get(v, f.Name, "", path, &value).Bool()
		if ok != present {
			c.errorf(path, "flatc says %v of a union, and it is there: %v", ok, present)
			return
		}
		for _, m := range t.Enum.Values {
			if m.Value != 0 && uint64(m.Value) == bits(c.get(v, f.Name, "Type", path)) {
				c.member(value, c.follow(at, f), m, path)
			}
		}
	default:
		c.vector(v, o, f, at, present, path)
	}
}

// member compares the value of a union, of which flatc gives the position.
func (c *flatcChecker) member(value flatbuffers.Table, pos uint64, m *schema.EnumValue, path string) {
	if uint64(value.Pos) != pos {
		c.errorf(path, "flatc's union is at %d, and it is at %d", value.Pos, pos)
		return
	}
	if m.Type.Base != schema.Obj {
		return // a string, which flatc leaves to its caller
	}
	v := c.make(m.Type.Object)
	v.MethodByName("Init").Call([]reflect.Value{reflect.ValueOf(value.Bytes), reflect.ValueOf(value.Pos)})
	if m.Type.IsStruct() {
		c.structAt(v, pos, m.Type.Object, path)
	} else {
		c.table(v, pos, m.Type.Object, path)
	}
}

func (c *flatcChecker) vector(v reflect.Value, o *schema.Object, f *schema.Field, at uint64, present bool, path string) {
	count, start := 0, uint64(0)
	if present {
		p := c.follow(at, f)
		count, start = int(binary.LittleEndian.Uint32(c.buf[p:])), p+4
	}
	if got := c.get(v, f.Name, "Length", path).Int(); got != int64(count) {
		c.errorf(path, "flatc has %d elements, and there are %d", got, count)
		return
	}
	e := f.Type.ElementType()
	for i := range count {
		pos, where := start+uint64(i*e.InlineSize()), fmt.Sprintf("%s[%d]", path, i)
		if e.Base == schema.Obj {
			got := c.make(e.Object)
			if !c.get(v, f.Name, "", where, got, i).Bool() {
				c.errorf(where, "flatc says that it is absent")
				continue
			}
			if e.IsStruct() {
				c.structAt(got, pos, e.Object, where)
			} else {
				c.table(got, pos+uint64(binary.LittleEndian.Uint32(c.buf[pos:])), e.Object, where)
			}
			continue
		}
		got := c.get(v, f.Name, "", where, i)
		if e.Base == schema.String {
			c.same(where, string(got.Bytes()), c.text(pos+uint64(binary.LittleEndian.Uint32(c.buf[pos:]))))
		} else {
			c.same(where, bits(got), c.bits(pos, number(e)))
		}
	}
	if root, _ := c.schema.NestedRoot(o, f); root != nil && count > 0 {
		inner := &flatcChecker{checker{t: c.t, buf: c.get(v, f.Name, "Bytes", path).Bytes(), schema: c.schema}, c.types}
		pos := binary.LittleEndian.Uint32(inner.buf)
		nested := inner.make(root)
		nested.MethodByName("Init").Call([]reflect.Value{reflect.ValueOf(inner.buf), reflect.ValueOf(flatbuffers.UOffsetT(pos))})
		inner.table(nested, uint64(pos), root, path+"(nested)")
		c.counts.Flatc += inner.counts.Flatc
		c.counts.Nested += 1 + inner.counts.Nested
	}
}

func (c *flatcChecker) structAt(v reflect.Value, pos uint64, o *schema.Object, path string) {
	if !c.at(v, pos, path) {
		return
	}
	for _, f := range o.Fields {
		where := path + "." + f.Name
		if f.Type.Base == schema.Obj {
			c.structAt(c.get(v, f.Name, "", where, c.make(f.Type.Object)), pos+uint64(f.Offset), f.Type.Object, where)
		} else {
			c.same(where, bits(c.get(v, f.Name, "", where)), c.bits(pos+uint64(f.Offset), f.Type.Base))
		}
	}
}
