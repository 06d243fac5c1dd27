package vortex

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/fbverify/go/fbverify/container"
	fb "github.com/fbverify/go/generated/vortex"
	"github.com/fbverify/go/internal/places"
	"github.com/fbverify/go/readers"
	"github.com/fbverify/go/readers/internal/ranged"
)

// Column is a field of the file's rows, or the rows themselves where they are no structs.
type Column struct {
	Name     string // "" where the rows are no structs
	Type     string // as Vortex writes it, "i32?"; see [TypeString]. "" where the file has no types
	Nullable bool

	// DType is the type, absent where the file has none.
	DType fb.DType

	// Layout is the root of the column's layouts.
	Layout fb.Layout

	// Stats are what the writer found out about the values, absent where nothing is said.
	Stats fb.ArrayStats

	f *File
}

// Chunk is a segment that a column's layouts lead to.
type Chunk struct {
	// Role says what the segment is for: "data", or what layouts lead to it, the outermost first:
	// "zones" (statistics of each zone of rows), "dictionary" (its values) and "codes" (the numbers of
	// them), "validity". Where the encoding of a layout is not known, it is that with the number of
	// the child, "vortex.new[2]"; several are joined by dots.
	Role string

	// Field is the path below the column, where its layout is one of structs: "place.lat".
	Field string

	// FirstRow is the row that the first value is of, counted from the start of the file, and Rows how
	// many values there are. In "zones" and "dictionary", and below encodings that are not known, they
	// count what the layout itself has, from 0 on.
	FirstRow, Rows uint64

	// Encoding is that of the layout which has the segment: "vortex.flat".
	Encoding string

	Segment       int // its number
	readers.Range     // where in the file it is
}

// described takes the columns, and checks the layouts.
func (f *File) described() error {
	root := f.layout.Root()
	layouts := []fb.Layout{root}
	names := []string{""}
	var types []fb.DType
	if v, ok := f.DType(); ok {
		types = []fb.DType{v.Root()}
	}
	if encoding, err := f.encoding(root, nil); err != nil {
		return err
	} else if s, ok := f.fields(); encoding == places.LayoutStruct && (ok || len(types) == 0) {
		layouts = slices.Collect(root.Children().Values())
		names = make([]string, len(layouts))
		if ok {
			if s.Names().Len() != s.Dtypes().Len() {
				return f.fault(container.ErrMismatch, "dtype", "type.names", "a struct has not as many names as types", fmt.Sprint(s.Names().Len()), fmt.Sprint(s.Dtypes().Len()))
			}
			if s.Nullable() && len(layouts) == s.Names().Len()+1 {
				layouts = layouts[1:] // the first is of which rows are null
			}
			if s.Names().Len() != len(layouts) {
				return f.fault(container.ErrMismatch, "layout", "children", "the struct has not as many layouts as its type has fields", fmt.Sprint(len(layouts)), fmt.Sprint(s.Names().Len()))
			}
			names = slices.AppendSeq(names[:0], s.Names().Values())
			types = slices.Collect(s.Dtypes().Values())
		}
	}
	var stats []fb.ArrayStats
	if v, ok := f.Statistics(); ok {
		stats = slices.Collect(v.Root().FieldStats().Values())
		if len(stats) != 0 && len(stats) != len(layouts) {
			return f.fault(container.ErrMismatch, "statistics", "field_stats", "there are not as many statistics as columns", fmt.Sprint(len(stats)), fmt.Sprint(len(layouts)))
		}
	}
	f.columns = make([]Column, len(layouts))
	for i, l := range layouts {
		c := Column{Name: names[i], Layout: l, f: f}
		if i < len(types) {
			c.DType = types[i]
			c.Type = TypeString(c.DType)
			c.Nullable = Nullable(c.DType)
		}
		if i < len(stats) {
			c.Stats = stats[i]
		}
		f.columns[i] = c
	}
	return f.check(root, nil)
}

// fields returns the root type where it is a struct.
func (f *File) fields() (fb.Struct, bool) {
	if v, ok := f.DType(); ok {
		return v.Root().Type().AsStruct()
	}
	return fb.Struct{}, false
}

// encoding names the encoding of a layout, which stands at path.
func (f *File) encoding(l fb.Layout, path *ranged.Path) (string, error) {
	if n := int(l.Encoding()); n < len(f.encodings) {
		return f.encodings[n], nil
	}
	return "", f.fault(container.ErrReference, "layout", path.Field("encoding").String(), "the encoding is not in the footer's list of layouts", fmt.Sprint(l.Encoding()), fmt.Sprintf("below %d", len(f.encodings)))
}

// check holds a layout and those below it against the footer, and notes which segments hold
// arrays. That it was verified has bounded depth and number.
func (f *File) check(l fb.Layout, path *ranged.Path) error {
	encoding, err := f.encoding(l, path)
	if err != nil {
		return err
	}
	segments := l.Segments()
	for i, id := range segments {
		if uint64(id) >= uint64(len(f.segments)) {
			return f.fault(container.ErrReference, "layout", path.Element("segments", i).String(), "the footer lists no such segment", fmt.Sprint(id), fmt.Sprintf("below %d", len(f.segments)))
		}
	}
	if encoding == places.LayoutFlat {
		if len(segments) != 1 {
			return f.fault(container.ErrMismatch, "layout", path.Field("segments").String(), "a flat layout has not one segment", fmt.Sprint(len(segments)), "1")
		}
		f.segments[segments[0]].HoldsArray = true
		if pos, n, ok := places.InlineArray(l.Metadata()); ok {
			if f.inline == nil {
				f.inline = map[uint32]inlined{}
			}
			b := l.Metadata()[pos : pos+n : pos+n]
			f.inline[segments[0]] = inlined{b, f.offsetOf(b)}
		}
	}
	if err := f.rows(l, encoding, path); err != nil {
		return err
	}
	for i, child := range l.Children().All() {
		if err := f.check(child, path.Element("children", i)); err != nil {
			return err
		}
	}
	return nil
}

// rows checks that the children of a layout have as many rows as it needs.
func (f *File) rows(l fb.Layout, encoding string, path *ranged.Path) error {
	rows, children := l.RowCount(), l.Children()
	mismatch := func(i int, found uint64) error {
		return f.fault(container.ErrMismatch, "layout", path.Element("children", i).Field("row_count").String(), "the rows are not as many as the "+encoding+" layout has", fmt.Sprint(found), fmt.Sprint(rows))
	}
	few := func(n int) error {
		return f.fault(container.ErrMismatch, "layout", path.Field("children").String(), "a "+encoding+" layout has too few children", fmt.Sprint(children.Len()), fmt.Sprintf("%d or more", n))
	}
	switch encoding {
	case places.LayoutChunked:
		sum := uint64(0)
		for i, c := range children.All() {
			total, over := bits.Add64(sum, c.RowCount(), 0)
			if over != 0 || total > rows {
				return mismatch(i, c.RowCount())
			}
			sum = total
		}
		if sum != rows {
			return f.fault(container.ErrMismatch, "layout", path.Field("children").String(), "the chunks have not as many rows together as their layout", fmt.Sprint(sum), fmt.Sprint(rows))
		}
	case places.LayoutStruct:
		for i, c := range children.All() {
			if c.RowCount() != rows {
				return mismatch(i, c.RowCount())
			}
		}
	case places.LayoutZoned, places.LayoutStats:
		if children.Len() < 1 {
			return few(1)
		}
		if n := children.At(0).RowCount(); n != rows {
			return mismatch(0, n)
		}
	case places.LayoutDict:
		if children.Len() < 2 {
			return few(2)
		}
		if n := children.At(1).RowCount(); n != rows {
			return mismatch(1, n)
		}
	}
	return nil
}

// Columns returns the fields of the file's rows in order. Where the rows are no structs, they are
// one column without a name. The list is the file's, and not to be written to.
func (f *File) Columns() []Column { return f.columns }

// Chunks returns the segments of a column in the order of its layouts, so that those of
// one role and field are in the order of their rows.
func (c Column) Chunks() []Chunk {
	if c.f == nil {
		return nil
	}
	var list []Chunk
	c.f.chunks(&list, Chunk{}, c.Layout, c.DType)
	return list
}

// chunks adds the segments below a layout. [File.check] has seen all of it.
func (f *File) chunks(list *[]Chunk, at Chunk, l fb.Layout, t fb.DType) {
	at.Encoding, at.Rows = f.encodings[l.Encoding()], l.RowCount()
	for _, id := range l.Segments() {
		c := at
		if c.Role == "" {
			c.Role = "data"
		}
		c.Segment, c.Range = int(id), f.segments[id].Range
		*list = append(*list, c)
	}
	children := l.Children()
	for i, child := range children.All() {
		next, nextType := at, t
		role := ""
		switch at.Encoding {
		case places.LayoutFlat:
		case places.LayoutChunked:
			at.FirstRow += child.RowCount()
		case places.LayoutZoned, places.LayoutStats:
			if i > 0 {
				role = "zones"
			}
		case places.LayoutDict:
			role = "dictionary"
			if i > 0 {
				role = "codes"
			}
		case places.LayoutStruct:
			var name string
			if name, nextType = structChild(t, children.Len(), i); name == "" && !nextType.Present() && t.Present() {
				role = "validity"
			} else {
				next.Field = join(next.Field, name)
			}
		default:
			role = indexed(at.Encoding, i)
			nextType = fb.DType{}
		}
		if role != "" {
			next.Role = join(next.Role, role)
			if role != "codes" && role != "validity" {
				next.FirstRow = 0
			}
		}
		f.chunks(list, next, child, nextType)
	}
}

// structChild names child i of a struct's n layouts, and returns its type: neither for the one
// that says which rows are null.
func structChild(t fb.DType, n, i int) (name string, child fb.DType) {
	if !t.Present() {
		return fmt.Sprint(i), child
	}
	s, ok := t.Type().AsStruct()
	if !ok {
		return fmt.Sprint(i), child
	}
	if s.Nullable() && n == s.Names().Len()+1 {
		if i == 0 {
			return "", child
		}
		i--
	}
	if i < s.Names().Len() && i < s.Dtypes().Len() {
		return s.Names().At(i), s.Dtypes().At(i)
	}
	return fmt.Sprint(i), child
}

func join(path, step string) string {
	if path == "" {
		return step
	}
	return path + "." + step
}

// offsetOf returns where in the file a piece of the layout's bytes is.
func (f *File) offsetOf(piece []byte) int64 {
	for _, m := range f.metadata {
		if m.Name == "layout" {
			return m.Offset + ranged.Within(f.layout.Bytes(), piece)
		}
	}
	return 0
}
