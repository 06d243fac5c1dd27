package dump

import (
	"fmt"
	"io"
	"strings"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/schema"
)

// TreeOptions say how much a tree shows.
type TreeOptions struct {
	Depth    int  // nested tables and vectors; 0 = all
	Limit    int  // elements of a vector; 0 = all
	Defaults bool // also fields that are not set
	Offsets  bool // where each value lies
}

// tree prints values indented, one field a line.
type tree struct {
	w     io.Writer
	style ui.Style
	opts  TreeOptions
	err   error
}

// maxText is how many bytes of a string or of a byte vector a line shows.
const (
	maxText  = 4096
	maxBytes = 32
)

func (t *tree) line(level int, name, text string, v dynamic.Value) {
	if t.err != nil {
		return
	}
	at := ""
	if t.opts.Offsets && v.Present() {
		at = t.style.Dim(fmt.Sprintf("  @%d", v.Offset()))
	}
	if text != "" {
		text = " " + text
	}
	_, t.err = fmt.Fprintf(t.w, "%s%s:%s%s\n", ui.Indent(level), name, text, at)
}

// fields prints the fields of a table or struct.
func (t *tree) fields(v dynamic.Value, level int) {
	if v.Kind() == dynamic.KindStruct {
		for f, u := range v.Struct().Fields() {
			t.value(t.style.Field(f.Name()), "", u, level)
		}
		return
	}
	table := v.Table()
	if !t.opts.Defaults {
		for f, u := range table.Fields() {
			t.field(f, u, true, level)
		}
		return
	}
	for f, u := range table.AllFields() {
		t.field(f, u, table.Has(f), level)
	}
}

func (t *tree) field(f *dynamic.Field, v dynamic.Value, set bool, level int) {
	if !set {
		switch {
		case f.Deprecated():
		case v.IsScalar() && f.Schema().Optional:
			t.line(level, t.style.Field(f.Name()), t.style.Dim("null (not set)"), v)
		case v.IsScalar():
			t.line(level, t.style.Field(f.Name()), t.style.Dim(v.String()+" (default)"), v)
		case f.Schema().HasDefaultString:
			t.line(level, t.style.Field(f.Name()), t.style.Dim(ui.Text(v.Bytes(), maxText)+" (default)"), v)
		case f.Schema().HasDefaultVector:
			t.line(level, t.style.Field(f.Name()), t.style.Dim("[] (default)"), v)
		default:
			t.line(level, t.style.Field(f.Name()), t.style.Dim("(not set)"), v)
		}
		return
	}
	t.value(t.style.Field(f.Name()), "", v, level)
}

// value prints one value after its name. what is put before a table's fields.
func (t *tree) value(name, what string, v dynamic.Value, level int) {
	if t.err != nil {
		return
	}
	deep := t.opts.Depth > 0 && level >= t.opts.Depth
	switch v.Kind() {
	case dynamic.KindNone:
		t.line(level, name, "(nothing)", v)
	case dynamic.KindUnion:
		t.union(name, v, level)
	case dynamic.KindTable:
		text := t.style.Type(what)
		if what == "" {
			text = t.style.Dim(v.Type().Object.Schema().ShortName())
		}
		empty := true
		for range v.Table().Fields() {
			empty = false
			break
		}
		switch {
		case empty && !t.opts.Defaults:
			t.line(level, name, strings.TrimSpace(text+" {}"), v)
		case deep:
			t.line(level, name, strings.TrimSpace(text+" {…}"), v)
		default:
			t.line(level, name, text, v)
			t.fields(v, level+1)
		}
	case dynamic.KindVector, dynamic.KindArray:
		t.vector(name, v, level, deep)
	case dynamic.KindStruct:
		t.line(level, name, t.inline(v), v)
	default:
		t.line(level, name, t.inline(v), v)
	}
}

func (t *tree) union(name string, v dynamic.Value, level int) {
	inner := v.Union()
	switch {
	case v.Tag() == 0:
		t.line(level, name, "NONE, with a value that is never read", v)
	case inner.Kind() == dynamic.KindNone:
		t.line(level, name, fmt.Sprintf("a member with the tag %d, which this schema does not know", v.Tag()), v)
	case inner.Kind() == dynamic.KindTable:
		t.value(name, v.Member(), inner, level)
	default:
		t.line(level, name, t.style.Type(v.Member())+" "+t.inline(inner), v)
	}
}

// vector prints short elements in a line, others one below the other.
func (t *tree) vector(name string, v dynamic.Value, level int, deep bool) {
	if m, ok := nested(v); ok {
		t.value(name, "nested "+m.Root().Object().Schema().ShortName(), m.Root().AsValue(), level)
		return
	}
	if f := v.Field(); f != nil && v.Type() == f.Type() {
		if _, ok := f.Schema().Attribute("flexbuffer"); ok {
			if text, err := dynamic.AppendValueJSON(nil, v, &dynamic.JSONOptions{MaxBytes: 1 << 20}); err == nil {
				t.line(level, name, t.style.Dim("flexbuffer")+" "+string(text), v)
				return
			}
		}
	}
	elem := v.Type().Elem
	if v.IsScalar() || elem.Kind != dynamic.KindTable && elem.Kind != dynamic.KindString && elem.Kind != dynamic.KindStruct && elem.Kind != dynamic.KindUnion {
		t.line(level, name, t.inline(v), v)
		return
	}
	n := v.Len()
	count := ui.Count(int64(n), elementNoun(elem))
	if n == 0 || deep {
		t.line(level, name, t.style.Dim(count), v)
		return
	}
	t.line(level, name, t.style.Dim(count), v)
	shown := n
	if t.opts.Limit > 0 {
		shown = min(n, t.opts.Limit)
	}
	for i := range shown {
		t.value(fmt.Sprintf("[%d]", i), "", v.At(i), level+1)
		if t.err != nil {
			return
		}
	}
	if shown < n {
		_, t.err = fmt.Fprintf(t.w, "%s%s\n", ui.Indent(level+1), t.style.Dim(fmt.Sprintf("… %s more", ui.Thousands(int64(n-shown)))))
	}
}

func elementNoun(t *dynamic.Type) string {
	switch t.Kind {
	case dynamic.KindTable, dynamic.KindStruct:
		return t.Object.Schema().ShortName()
	case dynamic.KindUnion:
		return t.Enum.ShortName()
	}
	return t.String()
}

// nested opens the buffer inside a field's bytes, where the field has one that is sound.
func nested(v dynamic.Value) (dynamic.Message, bool) {
	if f := v.Field(); f == nil || f.Nested() == nil || v.Type() != f.Type() || !v.Present() {
		return dynamic.Message{}, false
	}
	m, err := v.Nested()
	return m, err == nil
}

// inline is a value in one line.
func (t *tree) inline(v dynamic.Value) string {
	switch v.Kind() {
	case dynamic.KindString:
		return t.style.Text(ui.Text(v.Bytes(), maxText))
	case dynamic.KindStruct:
		var b strings.Builder
		b.WriteByte('{')
		for f, u := range v.Struct().Fields() {
			if b.Len() > 1 {
				b.WriteString(", ")
			}
			b.WriteString(t.style.Field(f.Name()) + ": " + t.inline(u))
		}
		return b.String() + "}"
	case dynamic.KindVector, dynamic.KindArray:
		return t.elements(v)
	case dynamic.KindNone:
		return "(nothing)"
	}
	return t.style.Number(scalarText(v))
}

// scalarText is a number, and the name it stands for.
func scalarText(v dynamic.Value) string {
	if v.Type().Enum == nil {
		return v.String()
	}
	name := v.EnumName()
	number := fmt.Sprint(v.Int())
	if v.Type().Base.IsUnsigned() {
		number = fmt.Sprint(v.Uint())
	}
	if name == "" {
		return number + " (no name in " + v.Type().Enum.ShortName() + ")"
	}
	return name
}

// elements is a vector of short elements in one line.
func (t *tree) elements(v dynamic.Value) string {
	n, elem := v.Len(), v.Type().Elem
	limit := n
	if elem.Base == schema.UByte && elem.Enum == nil && n > 16 {
		b := v.Bytes()
		shown := n
		if t.opts.Limit > 0 {
			shown = min(n, t.opts.Limit, maxBytes)
		}
		text := fmt.Sprintf("% x", b[:shown])
		if shown < n {
			text += " …"
		}
		return fmt.Sprintf("%s %s", t.style.Dim("<"+ui.Count(int64(n), "byte")+">"), t.style.Number(text))
	}
	if t.opts.Limit > 0 {
		limit = min(n, t.opts.Limit)
	}
	var b strings.Builder
	b.WriteByte('[')
	for i := range limit {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(t.inline(v.At(i)))
	}
	if limit < n {
		fmt.Fprintf(&b, "%s… %s more", map[bool]string{true: ", "}[limit > 0], ui.Thousands(int64(n-limit)))
	}
	b.WriteByte(']')
	return b.String()
}
