package htmlpage

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"

	"github.com/fbverify/go/cmd/fbinspect/internal/annotate"
	"github.com/fbverify/go/cmd/fbinspect/internal/bytemap"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/verdict"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/schema"
)

// data is what the page's script works on. Lists of numbers stand for columns of a table
// with a row for each span or object; names stand in a pool and are numbers elsewhere. A
// span's position is the sum of the sizes before it.
type data struct {
	File   string `json:"file"`
	Format string `json:"format"`
	Size   int64  `json:"size"`
	Left   int64  `json:"left,omitempty"` // bytes of FlatBuffers that are not on the page

	Strings []string `json:"strings"`
	Kinds   []string `json:"kinds"` // of spans
	Regions []region `json:"regions"`
	Faults  []fault  `json:"faults"`
	Types   []typ    `json:"types"` // of elements

	Spans struct {
		Size   column `json:"size"`
		Kind   column `json:"kind"`
		Object column `json:"object"` // -1 for none
		Label  column `json:"label"`  // the field, with the path inside a struct; -1 for none
		Value  column `json:"value"`  // -1 where the script reads it from the bytes
		Target column `json:"target"` // object; -1 for none
		Type   column `json:"type"`   // of elements; -1 for others
		ID     column `json:"id"`     // of the field; -1 for none
	} `json:"spans"`
	Objects struct {
		Pos    column `json:"pos"`
		Parent column `json:"parent"`
		Label  column `json:"label"` // the field of the parent, -1 for an element or a root
		Index  column `json:"index"` // -1 for none
		What   column `json:"what"`
		Kind   column `json:"kind"`
	} `json:"objects"`

	// Bytes are runs of the file's bytes in base64; what lies between is not on the page.
	Bytes []chunk `json:"bytes"`
}

// column is a column of a table. On the page, several equal numbers in a row are the number
// and how many there are, in a list.
type column []int

// MarshalJSON writes the column.
func (c column) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 2*len(c)+2)
	b = append(b, '[')
	for i := 0; i < len(c); {
		n := 1
		for i+n < len(c) && c[i+n] == c[i] {
			n++
		}
		if i > 0 {
			b = append(b, ',')
		}
		if n > 2 {
			b = strconv.AppendInt(append(b, '['), int64(c[i]), 10)
			b = strconv.AppendInt(append(b, ','), int64(n), 10)
			b = append(b, ']')
			i += n
			continue
		}
		b = strconv.AppendInt(b, int64(c[i]), 10)
		i++
	}
	return append(b, ']'), nil
}

type region struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Offset int64  `json:"offset"`
	Length int64  `json:"length"`
	Type   string `json:"type,omitempty"`
	Object int    `json:"object"` // its root, -1 for none
	Span   int    `json:"span"`   // its first
	Spans  int    `json:"spans"`
}

type fault struct {
	Offset  int64  `json:"offset"`
	Size    int    `json:"size"` // number of bytes at fault; 0 for none in particular
	Kind    string `json:"kind"`
	Part    string `json:"part"`
	Path    string `json:"path"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"` // what to make of it
	Span    int    `json:"span"`
}

type chunk struct {
	Offset int64  `json:"offset"`
	Base64 string `json:"base64"`
}

// typ is the type of an element, for reading it from the bytes.
type typ struct {
	Name   string            `json:"name"`
	Size   int               `json:"size"`
	Read   string            `json:"read"`             // u8 … f64, bool, offset, struct, array
	Enum   map[string]string `json:"enum,omitempty"`   // names of values
	Fields []field           `json:"fields,omitempty"` // of a struct
	Elem   int               `json:"elem"`             // of an array
	Len    int               `json:"len,omitempty"`
}

type field struct {
	Name   string `json:"name"`
	Offset int    `json:"offset"`
	Type   int    `json:"type"`
}

// collector builds the data of one file.
type collector struct {
	d       data
	pool    map[string]int
	typeIDs map[typeKey]int
	end     int64 // of the spans so far
	data    int64 // bytes between FlatBuffers that are on the page

	format     container.Format
	identifier bool // one was asked for
}

type typeKey struct {
	base, elem schema.BaseType
	object     *schema.Object
	enum       *schema.Enum
	length     int
}

// regionKinds follow the kinds of package bytemap.
var regionKinds = []string{"magic", "framing", "data", "index", "flatbuffer", "unknown"}

// collect gathers what the page shows of a file. Of data between the FlatBuffers that is
// longer than limit only the start is kept.
func collect(ctx context.Context, a *annotate.Annotator, src *input.Source, opts Options) (*data, error) {
	limit := opts.DataLimit
	c := &collector{pool: map[string]int{}, typeIDs: map[typeKey]int{}, identifier: a.Options.Identifier != ""}
	c.d.File, c.d.Size = src.Name, src.Size
	// Lists are lists on the page too, when there is nothing in them.
	c.d.Strings, c.d.Regions, c.d.Faults, c.d.Types, c.d.Bytes = []string{}, []region{}, []fault{}, []typ{}, []chunk{}
	s, o := &c.d.Spans, &c.d.Objects
	for _, list := range []*column{&s.Size, &s.Kind, &s.Object, &s.Label, &s.Value, &s.Target, &s.Type, &s.ID, &o.Parent, &o.Label, &o.Index, &o.What, &o.Kind} {
		*list = column{}
	}
	o.Pos = column{}
	for k := bytemap.SizePrefix; int(k) < bytemap.Kinds; k++ {
		c.d.Kinds = append(c.d.Kinds, k.String())
	}
	c.d.Kinds = append(c.d.Kinds, regionKinds...)
	f, err := src.OpenAs(a.Types, a.Format, &a.Options)
	var unknown *container.Error
	if errors.As(err, &unknown) && unknown.Kind == container.ErrUnknownFormat {
		c.d.Format = "unknown"
		c.plain(src, "file", "unknown", 0, src.Size, limit)
		c.d.Faults = []fault{{Kind: unknown.Kind.Name(), Message: unknown.Detail}}
		return &c.d, nil
	}
	if err != nil {
		return nil, err
	}
	c.format = f.Format()
	c.d.Format = c.format.String()
	for _, err := range f.Parts() {
		var ce *container.Error
		if errors.As(err, &ce) {
			message := ce.Detail
			if ce.Found != "" {
				message += ": found " + ce.Found
				if ce.Allowed != "" {
					message += ", allowed is " + ce.Allowed
				}
			}
			c.d.Faults = append(c.d.Faults, fault{Offset: ce.Offset, Size: ce.Size, Kind: ce.Kind.Name(), Part: ce.Part, Message: message, Hint: verdict.FramingHint(src, ce)})
		}
	}
	var shown int64
	for r := range f.Regions() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if r.Part == nil {
			c.plain(src, r.Name, r.Kind.String(), r.Offset, r.Length, limit)
			continue
		}
		if shown += r.Length; r.Length > whole || shown > mostOfIt {
			if err := c.some(ctx, a, f, r, opts); err != nil {
				return nil, err
			}
			continue
		}
		m, err := a.Map(ctx, f, *r.Part)
		if err != nil {
			return nil, err
		}
		c.part(r, m)
		c.bytes(r.Offset, m.Buf)
	}
	c.faults()
	return &c.d, nil
}

// intern returns the number of a text.
func (c *collector) intern(text string) int {
	if i, ok := c.pool[text]; ok {
		return i
	}
	i := len(c.d.Strings)
	c.pool[text] = i
	c.d.Strings = append(c.d.Strings, text)
	return i
}

func (c *collector) kind(name string) int {
	for i, k := range c.d.Kinds {
		if k == name {
			return i
		}
	}
	return len(c.d.Kinds) - 1
}

// span adds a row to the table of spans.
func (c *collector) span(size, kind, object, label, value, target, typ, id int) {
	s := &c.d.Spans
	s.Size = append(s.Size, size)
	s.Kind = append(s.Kind, kind)
	s.Object = append(s.Object, object)
	s.Label = append(s.Label, label)
	s.Value = append(s.Value, value)
	s.Target = append(s.Target, target)
	s.Type = append(s.Type, typ)
	s.ID = append(s.ID, id)
	c.end += int64(size)
}

// bytes adds bytes to the page, joined to those before where they are next to each other.
func (c *collector) bytes(offset int64, b []byte) {
	const each = 3 << 20 // a multiple of three: pieces of base64 can be decoded alone
	for len(b) > 0 {
		n := min(len(b), each)
		c.d.Bytes = append(c.d.Bytes, chunk{offset, base64.StdEncoding.EncodeToString(b[:n])})
		offset, b = offset+int64(n), b[n:]
	}
}

// plain adds a region that is no FlatBuffer.
func (c *collector) plain(src *input.Source, name, kind string, offset, length, limit int64) {
	if length == 0 {
		return
	}
	c.d.Regions = append(c.d.Regions, region{Name: name, Kind: kind, Offset: offset, Length: length, Object: -1, Span: len(c.d.Spans.Size), Spans: 1})
	c.span(int(length), c.kind(kind), -1, c.intern(name), -1, -1, -1, -1)
	n := min(length, limit)
	if limit <= DataLimit && c.data+n > mostData {
		n = min(n, leastData)
	}
	c.data += n
	c.bytes(offset, src.Around(offset, int(n)))
}

// part adds a FlatBuffer.
func (c *collector) part(r container.Region, m *bytemap.Map) {
	first := len(c.d.Objects.Pos)
	reg := region{Name: r.Name, Kind: "flatbuffer", Offset: r.Offset, Length: r.Length, Type: m.Type.String(), Object: first, Span: len(c.d.Spans.Size), Spans: len(m.Spans)}
	for i := range m.Objects {
		o := &m.Objects[i]
		parent, label := -1, -1
		if o.Parent >= 0 {
			parent = first + o.Parent
		}
		if o.Field != nil {
			label = c.intern(o.Field.Name)
		}
		c.d.Objects.Pos = append(c.d.Objects.Pos, int(r.Offset)+o.Pos)
		c.d.Objects.Parent = append(c.d.Objects.Parent, parent)
		c.d.Objects.Label = append(c.d.Objects.Label, label)
		c.d.Objects.Index = append(c.d.Objects.Index, o.Index)
		c.d.Objects.What = append(c.d.Objects.What, c.intern(m.Describe(i)))
		c.d.Objects.Kind = append(c.d.Objects.Kind, int(o.Kind))
	}
	for i := range m.Spans {
		s := &m.Spans[i]
		object, label, value, target, typ := -1, -1, -1, -1, -1
		if s.Object >= 0 {
			object = first + s.Object
		}
		if s.Field != nil {
			name := s.Field.Name
			if k := m.Objects[max(s.Object, 0)].Kind; k == bytemap.Vector || k == bytemap.String {
				name = ""
			}
			label = c.intern(strings.TrimPrefix(name+s.Sub, "."))
		} else if s.Sub != "" {
			label = c.intern(strings.TrimPrefix(s.Sub, "."))
		}
		switch {
		case s.Target >= 0:
			target = first + s.Target
		case s.Target == bytemap.Unmapped:
			target = s.Target
		}
		switch s.Kind {
		case bytemap.Elements:
			typ = c.typ(s.Type)
		case bytemap.Scalar, bytemap.Text, bytemap.Identifier, bytemap.Slot, bytemap.UnknownSlot:
			value = c.intern(s.Value(m.Buf))
		}
		id := -1
		if s.Field != nil {
			id = s.Field.ID
		}
		c.span(s.Size, int(s.Kind), object, label, value, target, typ, id)
	}
	c.d.Regions = append(c.d.Regions, reg)
	for _, f := range m.Faults {
		c.d.Faults = append(c.d.Faults, fault{
			Offset: r.Offset + int64(f.Offset), Size: f.Size, Kind: f.Kind.Name(), Part: r.Name, Path: f.Path, Message: f.Detail,
			Hint: verdict.Hint(f, c.format, m.Type, m.Buf, c.identifier),
		})
	}
}

// some adds a part of a FlatBuffer: its start, and what was asked for.
func (c *collector) some(ctx context.Context, a *annotate.Annotator, f *container.File, r container.Region, opts Options) error {
	t, b, faults, err := a.Explain(f, *r.Part)
	if err != nil {
		return err
	}
	var asked []int
	for _, at := range opts.At {
		if at >= r.Offset && at < r.Offset+r.Length {
			asked = append(asked, int(at-r.Offset))
		}
	}
	if opts.Path != nil {
		msg, err := dynamic.Root(t, b, a.Types.Options(*r.Part, &a.Options))
		if err != nil {
			return fmt.Errorf("--path finds its way in sound data only, and --at in any: %w", err)
		}
		enough := errors.New("enough")
		err = opts.Path.Select(msg.Root().AsValue(), func(_ string, v dynamic.Value) error {
			if asked = append(asked, v.Offset()); len(asked) == mostAsked {
				return enough
			}
			return nil
		})
		if err != nil && err != enough {
			return fmt.Errorf("--path: %w", err)
		}
	}
	m, err := bytemap.Part(ctx, t, b, r.Part.Framing, faults, bytemap.Selection{Elements: elements, Spans: spans, Asked: asked})
	if err != nil {
		return err
	}
	c.part(r, m)
	// Bytes of what is on the page, of long lists and strings the start.
	from, to := 0, 0
	add := func(start, end int) {
		if end <= to {
			return
		}
		if start > to+64 {
			c.bytes(r.Offset+int64(from), b[from:to])
			from = start
		}
		to = end
	}
	for i := range m.Spans {
		s := &m.Spans[i]
		if s.Kind == bytemap.LeftOut {
			c.d.Left += int64(s.Size)
			continue
		}
		add(s.Pos, min(s.End(), s.Pos+start))
		if s.Size <= start {
			continue
		}
		for _, o := range m.LeadingIn(s) {
			add(max(s.Pos, o-64), min(s.End(), o+64))
		}
	}
	c.bytes(r.Offset+int64(from), b[from:to])
	return nil
}

// mostAsked is how many values of a path are on a page.
const mostAsked = 1000

// faults finds the span of each fault.
func (c *collector) faults() {
	sort.SliceStable(c.d.Faults, func(i, j int) bool { return c.d.Faults[i].Offset < c.d.Faults[j].Offset })
	span, end := 0, int64(0)
	for i := range c.d.Faults {
		for span < len(c.d.Spans.Size)-1 && end+int64(c.d.Spans.Size[span]) <= c.d.Faults[i].Offset {
			end += int64(c.d.Spans.Size[span])
			span++
		}
		c.d.Faults[i].Span = span
	}
	// What could not be followed comes last: it is what a fault of that part led to.
	unreadable := func(f *fault) int {
		if f.Kind == container.ErrUnreadable.Name() {
			return 1
		}
		return 0
	}
	sort.SliceStable(c.d.Faults, func(i, j int) bool { return unreadable(&c.d.Faults[i]) < unreadable(&c.d.Faults[j]) })
}

// typ returns the number of an element type.
func (c *collector) typ(t schema.Type) int {
	k := typeKey{t.Base, t.Element, t.Object, t.Enum, t.FixedLength}
	if i, ok := c.typeIDs[k]; ok {
		return i
	}
	i := len(c.d.Types)
	c.typeIDs[k] = i
	c.d.Types = append(c.d.Types, typ{})
	out := typ{Name: t.String(), Size: max(t.InlineSize(), 1), Read: "offset", Elem: -1}
	switch {
	case t.IsStruct():
		out.Read = "struct"
		for _, f := range t.Object.Fields {
			out.Fields = append(out.Fields, field{f.Name, f.Offset, c.typ(f.Type)})
		}
	case t.Base == schema.Array:
		out.Read, out.Elem, out.Len = "array", c.typ(t.ElementType()), t.FixedLength
	case t.IsScalar():
		out.Read = readers[t.Base]
		if t.Enum != nil && len(t.Enum.Values) <= 1000 {
			out.Enum = map[string]string{}
			for _, v := range t.Enum.Values {
				number := fmt.Sprint(v.Value)
				if t.Base.IsUnsigned() {
					number = fmt.Sprint(uint64(v.Value))
				}
				if _, ok := out.Enum[number]; !ok {
					out.Enum[number] = v.Name
				}
			}
		}
	}
	c.d.Types[i] = out
	return i
}

var readers = map[schema.BaseType]string{
	schema.UType: "u8", schema.Bool: "bool", schema.Byte: "i8", schema.UByte: "u8", schema.Short: "i16", schema.UShort: "u16",
	schema.Int: "i32", schema.UInt: "u32", schema.Long: "i64", schema.ULong: "u64", schema.Float: "f32", schema.Double: "f64",
}

// write writes the data as JSON that may stand in a page: < is escaped.
func (d *data) write(w io.Writer) error {
	return json.NewEncoder(w).Encode(d)
}
