package arrow

import (
	"fmt"
	"strings"

	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/fbverify/fbread"
	fb "github.com/fbverify/go/generated/arrow"
	"github.com/fbverify/go/readers/internal/ranged"
)

// Schema is what a file or stream says of its columns.
type Schema struct {
	Fields   []Field
	Metadata []KeyValue

	// View is the schema as it stands in the footer or the first message.
	View fb.Schema

	dictionaries map[int64]*Field // by their ids, one of the fields that use each
}

// Field is a column, or a part of one.
type Field struct {
	Name     string // need not be unique, and may be ""
	Nullable bool
	Children []Field
	Metadata []KeyValue

	// View is the field as it stands in the schema. For one with a dictionary its type is that of the
	// dictionary's values, and so are the children.
	View fb.Field
}

// KeyValue is an entry of what applications want to remember. The value may be any bytes.
type KeyValue struct{ Key, Value string }

// IsDictionary tells whether the column holds indices into a dictionary, and into which.
func (f *Field) IsDictionary() (id int64, ok bool) {
	d := f.View.Dictionary()
	return d.ID(), d.Present()
}

// Type writes the field's type as Arrow's own libraries do: "int64", "timestamp[us, tz=UTC]", "list<item: string>",
// "dictionary<values=string, indices=int8, ordered=0>".
func (f *Field) Type() string {
	var b strings.Builder
	f.write(&b)
	return b.String()
}

func (f *Field) write(b *strings.Builder) {
	d := f.View.Dictionary()
	if !d.Present() {
		f.writeValues(b)
		return
	}
	b.WriteString("dictionary<values=")
	f.writeValues(b)
	index := "int32"
	if t := d.IndexType(); t.Present() {
		index = intName(t)
	}
	ordered := 0
	if d.IsOrdered() {
		ordered = 1
	}
	fmt.Fprintf(b, ", indices=%s, ordered=%d>", index, ordered)
}

func intName(t fb.Int) string {
	if t.IsSigned() {
		return fmt.Sprint("int", t.BitWidth())
	}
	return fmt.Sprint("uint", t.BitWidth())
}

// unitNames are those of times; of dates and intervals those that are used.
var unitNames = map[fb.TimeUnit]string{fb.TimeUnitSecond: "s", fb.TimeUnitMillisecond: "ms", fb.TimeUnitMicrosecond: "us", fb.TimeUnitNanosecond: "ns"}

func (f *Field) writeValues(b *strings.Builder) {
	t := f.View.Type()
	switch kind := f.View.TypeType(); kind {
	case fb.TypeNull, fb.TypeBool, fb.TypeBinary:
		b.WriteString(strings.ToLower(kind.String()))
	case fb.TypeUTF8:
		b.WriteString("string")
	case fb.TypeLargeBinary:
		b.WriteString("large_binary")
	case fb.TypeLargeUTF8:
		b.WriteString("large_string")
	case fb.TypeBinaryView:
		b.WriteString("binary_view")
	case fb.TypeUTF8View:
		b.WriteString("string_view")
	case fb.TypeInt:
		x, _ := t.AsInt()
		b.WriteString(intName(x))
	case fb.TypeFloatingPoint:
		x, _ := t.AsFloatingPoint()
		b.WriteString([]string{"halffloat", "float", "double"}[x.Precision()])
	case fb.TypeDecimal:
		x, _ := t.AsDecimal()
		fmt.Fprintf(b, "decimal%d(%d, %d)", x.BitWidth(), x.Precision(), x.Scale())
	case fb.TypeDate:
		x, _ := t.AsDate()
		b.WriteString([]string{"date32[day]", "date64[ms]"}[x.Unit()])
	case fb.TypeTime:
		x, _ := t.AsTime()
		fmt.Fprintf(b, "time%d[%s]", x.BitWidth(), unitNames[x.Unit()])
	case fb.TypeTimestamp:
		x, _ := t.AsTimestamp()
		b.WriteString("timestamp[" + unitNames[x.Unit()])
		if zone := x.Timezone(); zone != "" {
			b.WriteString(", tz=" + zone)
		}
		b.WriteByte(']')
	case fb.TypeDuration:
		x, _ := t.AsDuration()
		b.WriteString("duration[" + unitNames[x.Unit()] + "]")
	case fb.TypeInterval:
		x, _ := t.AsInterval()
		b.WriteString([]string{"month_interval", "day_time_interval", "month_day_nano_interval"}[x.Unit()])
	case fb.TypeFixedSizeBinary:
		x, _ := t.AsFixedSizeBinary()
		fmt.Fprintf(b, "fixed_size_binary[%d]", x.ByteWidth())
	case fb.TypeList:
		f.writeChildren(b, "list")
	case fb.TypeLargeList:
		f.writeChildren(b, "large_list")
	case fb.TypeListView:
		f.writeChildren(b, "list_view")
	case fb.TypeLargeListView:
		f.writeChildren(b, "large_list_view")
	case fb.TypeFixedSizeList:
		x, _ := t.AsFixedSizeList()
		f.writeChildren(b, "fixed_size_list")
		fmt.Fprintf(b, "[%d]", x.ListSize())
	case fb.TypeStruct:
		f.writeChildren(b, "struct")
	case fb.TypeRunEndEncoded:
		b.WriteString("run_end_encoded<run_ends: ")
		f.Children[0].write(b)
		b.WriteString(", values: ")
		f.Children[1].write(b)
		b.WriteByte('>')
	case fb.TypeMap:
		x, _ := t.AsMap()
		b.WriteString("map<")
		entries := f.Children[0].Children
		entries[0].write(b)
		b.WriteString(", ")
		entries[1].write(b)
		if x.KeysSorted() {
			b.WriteString(", keys_sorted")
		}
		b.WriteByte('>')
	case fb.TypeUnion:
		x, _ := t.AsUnion()
		b.WriteString(strings.ToLower(x.Mode().String()) + "_union<")
		ids := x.TypeIds()
		for i := range f.Children {
			if i > 0 {
				b.WriteString(", ")
			}
			f.Children[i].writeNamed(b)
			id := int32(i)
			if len(ids) > 0 {
				id = ids[i]
			}
			fmt.Fprintf(b, "=%d", id)
		}
		b.WriteByte('>')
	}
}

func (f *Field) writeChildren(b *strings.Builder, name string) {
	b.WriteString(name + "<")
	for i := range f.Children {
		if i > 0 {
			b.WriteString(", ")
		}
		f.Children[i].writeNamed(b)
	}
	b.WriteByte('>')
}

func (f *Field) writeNamed(b *strings.Builder) {
	b.WriteString(f.Name + ": ")
	f.write(b)
	if !f.Nullable {
		b.WriteString(" not null")
	}
}

// faulty makes an error about a part.
type faulty struct {
	src    *ranged.Source
	part   string
	offset int64
}

func (p faulty) fault(kind container.Kind, path *ranged.Path, detail, found, allowed string) error {
	e := p.src.Fault(kind, p.part, p.offset, detail, found, allowed)
	e.Path = path.String()
	return e
}

// schemaOf takes a schema that stands at path in a part.
func schemaOf(p faulty, view fb.Schema, path *ranged.Path) (*Schema, error) {
	if !view.Present() {
		return nil, p.fault(container.ErrReference, path, "there is no schema", "", "")
	}
	if e := view.Endianness(); e != fb.EndiannessLittle && e != fb.EndiannessBig {
		return nil, p.fault(container.ErrMismatch, path.Field("endianness"), "no such byte order", fmt.Sprint(int(e)), "0 or 1")
	}
	s := &Schema{View: view, Metadata: keyValues(view.CustomMetadata()), dictionaries: map[int64]*Field{}}
	var err error
	if s.Fields, err = s.fields(p, view.Fields(), path, "fields"); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Schema) fields(p faulty, views fbread.Vector[fb.Field], path *ranged.Path, name string) ([]Field, error) {
	if views.Len() == 0 {
		return nil, nil
	}
	list := make([]Field, views.Len())
	for i, view := range views.All() {
		at := path.Element(name, i)
		f := &list[i]
		*f = Field{Name: view.Name(), Nullable: view.Nullable(), Metadata: keyValues(view.CustomMetadata()), View: view}
		var err error
		if f.Children, err = s.fields(p, view.Children(), at, "children"); err != nil {
			return nil, err
		}
		if err := check(p, f, at); err != nil {
			return nil, err
		}
		if d := view.Dictionary(); d.Present() {
			if t := d.IndexType(); t.Present() && !intWidth(t.BitWidth()) {
				return nil, p.fault(container.ErrMismatch, at.Field("dictionary").Field("indexType").Field("bitWidth"), "integers of such a width are not known", fmt.Sprint(t.BitWidth()), "8, 16, 32 or 64")
			}
			if other := s.dictionaries[d.ID()]; other == nil {
				s.dictionaries[d.ID()] = f
			} else if !sameShape(other, f) {
				return nil, p.fault(container.ErrMismatch, at.Field("dictionary").Field("id"), "the dictionary is also that of a field with values of another type", fmt.Sprint(d.ID()), "")
			}
		}
	}
	return list, nil
}

func intWidth(bits int32) bool { return bits == 8 || bits == 16 || bits == 32 || bits == 64 }

// sameShape reports whether two fields with one dictionary ask the same of a batch.
func sameShape(a, b *Field) bool {
	_, da := a.IsDictionary()
	_, db := b.IsDictionary()
	if a.View.TypeType() != b.View.TypeType() || len(a.Children) != len(b.Children) || da != db || dense(a) != dense(b) {
		return false
	}
	for i := range a.Children {
		if !sameShape(&a.Children[i], &b.Children[i]) {
			return false
		}
	}
	return true
}

// dense tells whether a field is a dense union.
func dense(f *Field) bool {
	u, ok := f.View.Type().AsUnion()
	return ok && u.Mode() == fb.UnionModeDense
}

// check holds the parameters of a field's type against what the format knows.
func check(p faulty, f *Field, path *ranged.Path) error {
	t := f.View.Type()
	at := path.Field("type")
	among := func(field string, n int64, allowed ...int64) error {
		var words []string
		for _, a := range allowed {
			if n == a {
				return nil
			}
			words = append(words, fmt.Sprint(a))
		}
		return p.fault(container.ErrMismatch, at.Field(field), "the "+f.View.TypeType().String()+" type knows no such value", fmt.Sprint(n), strings.Join(words, ", "))
	}
	children := 0
	var err error
	switch kind := f.View.TypeType(); kind {
	case fb.TypeNull, fb.TypeBool, fb.TypeBinary, fb.TypeUTF8, fb.TypeLargeBinary, fb.TypeLargeUTF8, fb.TypeBinaryView, fb.TypeUTF8View:
	case fb.TypeInt:
		x, _ := t.AsInt()
		err = among("bitWidth", int64(x.BitWidth()), 8, 16, 32, 64, 128) // 128 by Polars
	case fb.TypeFloatingPoint:
		x, _ := t.AsFloatingPoint()
		err = among("precision", int64(x.Precision()), 0, 1, 2)
	case fb.TypeDecimal:
		x, _ := t.AsDecimal()
		err = among("bitWidth", int64(x.BitWidth()), 32, 64, 128, 256)
	case fb.TypeDate:
		x, _ := t.AsDate()
		err = among("unit", int64(x.Unit()), 0, 1)
	case fb.TypeTime:
		x, _ := t.AsTime()
		if err = among("unit", int64(x.Unit()), 0, 1, 2, 3); err == nil {
			err = among("bitWidth", int64(x.BitWidth()), 32<<(x.Unit()/2))
		}
	case fb.TypeTimestamp:
		x, _ := t.AsTimestamp()
		err = among("unit", int64(x.Unit()), 0, 1, 2, 3)
	case fb.TypeDuration:
		x, _ := t.AsDuration()
		err = among("unit", int64(x.Unit()), 0, 1, 2, 3)
	case fb.TypeInterval:
		x, _ := t.AsInterval()
		err = among("unit", int64(x.Unit()), 0, 1, 2)
	case fb.TypeFixedSizeBinary:
		if x, _ := t.AsFixedSizeBinary(); x.ByteWidth() < 0 {
			err = p.fault(container.ErrMismatch, at.Field("byteWidth"), "the width is negative", fmt.Sprint(x.ByteWidth()), "0 or more")
		}
	case fb.TypeFixedSizeList:
		if x, _ := t.AsFixedSizeList(); x.ListSize() < 0 {
			err = p.fault(container.ErrMismatch, at.Field("listSize"), "the size is negative", fmt.Sprint(x.ListSize()), "0 or more")
		}
		children = 1
	case fb.TypeList, fb.TypeLargeList, fb.TypeListView, fb.TypeLargeListView, fb.TypeMap:
		children = 1
	case fb.TypeRunEndEncoded:
		children = 2
	case fb.TypeStruct:
		children = -1
	case fb.TypeUnion:
		children = -1
		x, _ := t.AsUnion()
		err = among("mode", int64(x.Mode()), 0, 1)
		if n := len(x.TypeIds()); err == nil && n != 0 && n != len(f.Children) {
			err = p.fault(container.ErrMismatch, at.Field("typeIds"), "a union has not as many type ids as children", fmt.Sprint(n), fmt.Sprint(len(f.Children)))
		}
	case fb.TypeNone:
		return p.fault(container.ErrReference, at, "the field has no type", "", "")
	default:
		return p.fault(container.ErrReference, at, "the type is not known", fmt.Sprint(uint8(kind)), fmt.Sprintf("1 to %d", fb.TypeLargeListView))
	}
	if err != nil {
		return err
	}
	if children >= 0 && len(f.Children) != children {
		return p.fault(container.ErrMismatch, path.Field("children"), "the "+f.View.TypeType().String()+" type has another number of children", fmt.Sprint(len(f.Children)), fmt.Sprint(children))
	}
	if f.View.TypeType() == fb.TypeMap {
		if pair := &f.Children[0]; pair.View.TypeType() != fb.TypeStruct || len(pair.Children) != 2 {
			return p.fault(container.ErrMismatch, path.Element("children", 0), "the entries of a map are no struct of two", fmt.Sprintf("%s of %d", pair.View.TypeType(), len(pair.Children)), "Struct_ of 2")
		}
	}
	return nil
}

func keyValues(v fbread.Vector[fb.KeyValue]) []KeyValue {
	if v.Len() == 0 {
		return nil
	}
	list := make([]KeyValue, 0, v.Len())
	for _, kv := range v.All() {
		list = append(list, KeyValue{kv.Key(), kv.Value()})
	}
	return list
}
