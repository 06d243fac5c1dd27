package dynamic

import (
	"bytes"
	"fmt"
	"strings"
	"unsafe"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/fbread"
	"github.com/fbverify/go/fbverify/internal/show"
	"github.com/fbverify/go/schema"
)

// Of returns the table that a view is of, to be read by its schema's names:
//
//	for name := range strings.FieldsSeq("id name") {
//		fmt.Println(dynamic.Of(hero).Value(name))
//	}
//
// A view does not know where its buffer begins, so positions count from the view's own
// table, and that of a vtable may be negative. Where the buffer ends it does not know
// either: unlike other tables of this package, these are as safe as the view, which is
// as long as nobody writes to the buffer. Nested buffers are verified when they are
// opened.
func Of[T fbverify.View[T]](v T) Table {
	return ofTable(ObjectOf(v.FlatBuffersType()), fbread.Unchecked(v))
}

func ofTable(o *Object, t fbread.Table) Table {
	p := fbread.AddressUnchecked(t)
	if p == nil {
		return Table{obj: o, pos: -1}
	}
	return tableAt(sourceOf(p), o, 0)
}

// sourceOf returns the surroundings of a place in a buffer. Which exceptions its
// verification made is not known, so that nested buffers get those that matter to no read.
func sourceOf(p unsafe.Pointer) *source { return &source{view: p, opts: &optionsOfViews} }

var optionsOfViews = fbverify.Options{SkipAlignment: true, SkipUTF8: true, SkipNullTerminator: true}

// nested returns the n bytes at pos, which the field f holds, as a buffer of their own;
// nil where there is none, or none that is known to be sound.
func (s *source) nested(f *Field, pos, n int) *source {
	if n == 0 {
		return nil
	}
	b := s.slice(pos, pos+n)
	if !s.nestedProven {
		if s.view == nil {
			return nil // it was the caller's wish that nobody looks into it
		}
		t, err := f.owner.model.nestedType(f.nested.schema)
		if err != nil || t.Verify(b, s.opts) != nil {
			return nil
		}
	}
	return newSource(b, s.base+pos, true, s.opts)
}

// Value returns the field of that name as [Table.Get] does: its default, or a value that
// is not Present, where it is not set. It looks into a map: in loops a [Field] is faster.
// It panics when the type has no such field, which [Table.Field] tells beforehand.
func (t Table) Value(name string) Value {
	v, _ := t.Get(t.obj.mustField(name))
	return v
}

// Value returns the field of that name. It panics when the type has no such field.
func (s Struct) Value(name string) Value { return s.Get(s.obj.mustField(name)) }

func (o *Object) mustField(name string) *Field {
	if f := o.byName[name]; f != nil {
		return f
	}
	var names []string
	for _, f := range o.fields[:min(len(o.fields), 20)] {
		names = append(names, f.Name())
	}
	panic(fmt.Sprintf("dynamic: %s has no field %q; it has %s", o.Name(), name, strings.Join(names, ", ")))
}

// Views print by this package, if it is part of the program.
func init() {
	show.Table = func(dst []byte, s *schema.Schema, o *schema.Object, t fbread.Table, limit int) ([]byte, error) {
		return appendShown(dst, ofTable(modelOf(s).objects[o], t).AsValue(), limit)
	}
	show.Union = func(dst []byte, s *schema.Schema, name string, kind int64, v fbread.UnionValue, limit int) ([]byte, error) {
		m := modelOf(s)
		union := m.unionOf(m.enumNamed(name))
		member := union.member(uint64(kind))
		if kind == 0 {
			return append(dst, "null"...), nil
		}
		value := Value{}
		dst = append(dst, `{"type":`...)
		if p := fbread.UnionAddressUnchecked(v); member != nil && p != nil {
			dst = appendJSONString(dst, member.name, &JSONOptions{})
			value = Value{src: sourceOf(p), typ: &member.typ}
		} else {
			dst = fmt.Append(dst, kind) // one of a newer schema
		}
		dst = append(dst, `,"value":`...)
		dst, err := appendShown(dst, value, limit)
		return append(dst, '}'), err
	}
}

// maxShown is the most JSON that a view turns into for a program, in bytes: tables that
// a buffer shares are printed each time.
const maxShown = 256 << 20

// appendShown appends a value for people or, with no limit, for programs.
func appendShown(dst []byte, v Value, limit int) ([]byte, error) {
	if limit == 0 {
		return AppendValueJSON(dst, v, &JSONOptions{MaxBytes: maxShown})
	}
	before := len(dst)
	dst, err := AppendValueJSON(dst, v, &JSONOptions{MaxBytes: int64(limit), Cut: true, NonUTF8: NonUTF8Replace})
	if len(dst)-before >= limit {
		dst = append(bytes.ToValidUTF8(dst, nil), "…"...) // without half a character
	}
	return dst, err
}
