package agree

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/schema"
)

// Random writes a buffer of random content: an owned struct of T with random
// fields, packed.
func Random[T fbverify.View[T]](t testing.TB, rng *rand.Rand) []byte {
	t.Helper()
	var view T
	f := &filler{t, rng, view.FlatBuffersType().Schema(), 100}
	owned := f.table(reflect.TypeOf(view), view.FlatBuffersType().Root(), 0)
	b := flatbuffers.NewBuilder(0)
	root := owned.MethodByName("Pack").Call([]reflect.Value{reflect.ValueOf(b)})[0]
	b.Finish(flatbuffers.UOffsetT(root.Uint()))
	return b.FinishedBytes()
}

type filler struct {
	t      testing.TB
	rng    *rand.Rand
	schema *schema.Schema
	tables int // still to be made at most
}

// table returns an owned struct of the table that view is a view of.
func (f *filler) table(view reflect.Type, o *schema.Object, depth int) reflect.Value {
	method, ok := view.MethodByName("Unpack")
	if !ok {
		f.t.Fatalf("%s has no Unpack", view)
	}
	owned := reflect.New(method.Type.Out(0).Elem())
	f.tables--
	if depth > 8 || f.tables < 0 {
		return owned
	}
	c := &checker{t: f.t}
	for _, fd := range o.Fields {
		isTag := fd.Type.Enum != nil && fd.Type.Enum.IsUnion && fd.Type.Base != schema.Union && fd.Type.Element != schema.Union
		if fd.Deprecated || isTag || f.rng.IntN(4) == 0 {
			continue
		}
		to := c.structField(owned.Elem(), fd.Name, o.Name)
		i := member(view.NumMethod(), func(i int) string { return view.Method(i).Name }, fd.Name)
		if i < 0 {
			f.t.Fatalf("%s has no method for %s", view, fd.Name)
		}
		getter := view.Method(i).Type.Out(0)
		switch root, _ := f.schema.NestedRoot(o, fd); {
		case root != nil:
			// A verified nested buffer, or none.
			nested, _ := view.MethodByName(view.Method(i).Name + "Root")
			inner, _ := nested.Type.Out(0).MethodByName("Root")
			value := f.table(inner.Type.Out(0), root, depth+1)
			b := flatbuffers.NewBuilder(0)
			b.Finish(flatbuffers.UOffsetT(value.MethodByName("Pack").Call([]reflect.Value{reflect.ValueOf(b)})[0].Uint()))
			to.SetBytes(b.FinishedBytes())
		case fd.Type.IsVector():
			to.Set(reflect.MakeSlice(to.Type(), f.rng.IntN(5), 5))
			element := fd.Type.ElementType()
			for i := range to.Len() {
				f.value(to.Index(i), elementType(getter), element, depth)
			}
		default:
			f.value(to, getter, fd.Type, depth)
		}
	}
	return owned
}

// elementType returns what a vector's elements are read as.
func elementType(vector reflect.Type) reflect.Type {
	if vector.Kind() == reflect.Slice {
		return vector.Elem()
	}
	at, _ := vector.MethodByName("At")
	return at.Type.Out(0)
}

// value fills one field or element.
func (f *filler) value(to reflect.Value, read reflect.Type, t schema.Type, depth int) {
	switch {
	case t.Base == schema.Union:
		f.union(to, read, t.Enum, depth)
	case t.IsTable():
		to.Set(f.table(read, t.Object, depth+1))
	case to.Kind() == reflect.Pointer: // an optional scalar, or a struct
		to.Set(reflect.New(to.Type().Elem()))
		f.plain(to.Elem())
	default:
		f.plain(to)
	}
}

func (f *filler) union(to reflect.Value, read reflect.Type, e *schema.Enum, depth int) {
	v := e.Values[f.rng.IntN(len(e.Values))]
	if v.Type.Base == schema.None {
		return
	}
	to.Set(reflect.New(to.Type().Elem()))
	kind := to.Elem().FieldByName("Type")
	if kind.CanUint() {
		kind.SetUint(uint64(v.Value))
	} else {
		kind.SetInt(v.Value)
	}
	i := member(read.NumMethod(), func(i int) string { return read.Method(i).Name }, "As"+v.Name)
	got := read.Method(i).Type.Out(0)
	var value reflect.Value
	if v.Type.IsTable() {
		value = f.table(got, v.Type.Object, depth+1)
	} else {
		value = reflect.New(got).Elem()
		f.plain(value)
	}
	to.Elem().FieldByName("Value").Set(value)
}

// plain fills a number, bool, string, struct or array.
func (f *filler) plain(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(f.rng.IntN(2) == 0)
	case reflect.String:
		text := []string{"", "a", "z", "äöü", "0123456789", "\x00", "日本語"}
		v.SetString(text[f.rng.IntN(len(text))] + text[f.rng.IntN(len(text))])
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "_" {
				f.plain(v.Field(i))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			f.plain(v.Index(i))
		}
	case reflect.Float32:
		v.SetFloat(float64(math.Float32frombits(f.rng.Uint32())))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(f.rng.Uint64()))
	default:
		bits := f.rng.Uint64() >> (f.rng.IntN(8) * 8)
		if v.CanInt() {
			v.SetInt(int64(bits<<(64-v.Type().Bits())) >> (64 - v.Type().Bits()))
		} else {
			v.SetUint(bits << (64 - v.Type().Bits()) >> (64 - v.Type().Bits()))
		}
	}
}
