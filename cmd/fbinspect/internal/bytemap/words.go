package bytemap

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/schema"
)

// A path of more steps than mostSteps, more than buffers of the usual depth limit have, is
// written with the last few: else the paths of a long chain of tables together would be as
// long as the square of its length.
const (
	mostSteps = 192
	fewSteps  = 16

	// mostPath is how many bytes a path has: of a longer one, of names that are long, the
	// last steps are written that have no more, and one at least.
	mostPath = 512
)

// Path returns the path of an object, "Model.subgraphs[0].tensors", as errors have it, or
// "Model….child.child" where it is very long. That of a vtable is its first table's.
func (m *Map) Path(object int) string {
	var steps []string
	left := ""
	for i := object; i >= 0; {
		if len(steps) == mostSteps {
			steps, left = steps[:fewSteps], "…"
			break
		}
		o := &m.Objects[i]
		switch {
		case o.Parent < 0 || i == object && o.Kind == VTable:
		case o.Index >= 0:
			steps = append(steps, "["+strconv.Itoa(o.Index)+"]")
		case o.Kind == Buffer || o.Field == nil:
		default:
			steps = append(steps, "."+o.Field.Name)
		}
		i = o.Parent
	}
	return joined(m.Type.Root().ShortName()+left, steps)
}

// joined is a path of steps, the last of which comes first.
func joined(root string, steps []string) string {
	size := len(root)
	for i, step := range steps {
		if size += len(step); size > mostPath && i > 0 {
			steps, root = steps[:i], strings.TrimSuffix(root, "…")+"…"
			break
		}
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteString(root)
	for i := len(steps) - 1; i >= 0; i-- {
		b.WriteString(steps[i])
	}
	return b.String()
}

// SpanPath returns the path of what a span holds, "" for gaps and padding between objects.
func (m *Map) SpanPath(s *Span) string {
	if s.Object < 0 {
		return ""
	}
	return s.PathIn(m.Path(s.Object), m.Objects[s.Object].Kind)
}

// PathIn is the path of what a span of an object holds, by the object's.
func (s *Span) PathIn(path string, of ObjectKind) string {
	switch s.Kind {
	case Slot, Scalar, Offset:
		if s.Field != nil {
			path += "." + s.Field.Name
		}
	case Padding, Elements:
		if s.Field != nil && of != Vector {
			path += "." + s.Field.Name
		}
	}
	return path + s.Sub
}

// TypeName returns the type of what a span holds, as a schema writes it.
func (s *Span) TypeName() string {
	switch s.Kind {
	case Scalar:
		return s.Type.String()
	case Elements:
		return "[" + s.Type.String() + "]"
	case Offset:
		return s.Field.Type.String()
	case SizePrefix, RootOffset, Length:
		return "uint"
	case VTableOffset:
		return "int"
	case VTableSize, TableSize, Slot, UnknownSlot:
		return "ushort"
	case Text:
		return "string"
	}
	return ""
}

// Value returns the text of a scalar, and what else a span of a buffer holds, in a few words.
func (s *Span) Value(buf []byte) string {
	b := buf[s.Pos:s.End()]
	switch s.Kind {
	case Scalar:
		return ScalarText(b, s.Type)
	case Identifier:
		return strconv.Quote(string(b))
	case Text:
		return ui.Text(b, 120)
	case SizePrefix, Length:
		if len(b) == 8 {
			return strconv.FormatUint(uint64(integer(b, schema.ULong)), 10)
		}
		return strconv.FormatInt(integer(b, schema.UInt), 10)
	case VTableSize, TableSize:
		return strconv.FormatInt(integer(b, schema.UShort), 10)
	case Slot, UnknownSlot:
		if at := integer(b, schema.UShort); at != 0 {
			return "+" + strconv.FormatInt(at, 10)
		}
		return "absent"
	case Offset, RootOffset:
		v := uint64(integer(b, schema.UInt))
		if len(b) == 8 {
			v = uint64(integer(b, schema.ULong))
		}
		return "+" + strconv.FormatUint(v, 10)
	case VTableOffset:
		return fmt.Sprintf("%+d", -integer(b, schema.Int))
	case Elements:
		return s.elements(buf, 8)
	}
	return ""
}

// elements is the first few elements of scalars or structs.
func (s *Span) elements(buf []byte, most int) string {
	size := max(s.Type.InlineSize(), 1)
	n := s.Size / size
	var b strings.Builder
	for i := range min(n, most) {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s.Element(buf, i))
	}
	if n > most {
		fmt.Fprintf(&b, ", … (%d)", n)
	}
	return b.String()
}

// Element returns the text of element i of a span of Elements of a buffer.
func (s *Span) Element(buf []byte, i int) string {
	size := max(s.Type.InlineSize(), 1)
	return InlineText(buf[s.Pos+i*size:][:size], s.Type)
}

// InlineText is the text of a scalar, struct, array or offset.
func InlineText(b []byte, t schema.Type) string {
	switch {
	case t.IsScalar():
		return ScalarText(b, t)
	case t.IsStruct():
		var text strings.Builder
		text.WriteByte('{')
		for i, f := range t.Object.Fields {
			if i > 0 {
				text.WriteString(", ")
			}
			text.WriteString(f.Name + ": " + InlineText(b[f.Offset:][:f.Type.InlineSize()], f.Type))
		}
		return text.String() + "}"
	case t.Base == schema.Array:
		var text strings.Builder
		text.WriteByte('[')
		e := t.ElementType()
		for i := range t.FixedLength {
			if i > 0 {
				text.WriteString(", ")
			}
			if i == 16 {
				fmt.Fprintf(&text, "… (%d)", t.FixedLength)
				break
			}
			text.WriteString(InlineText(b[i*e.InlineSize():][:e.InlineSize()], e))
		}
		return text.String() + "]"
	}
	return "+" + strconv.FormatInt(integer(b, schema.UInt), 10)
}

// ScalarText is the text of a number, with the name it stands for.
func ScalarText(b []byte, t schema.Type) string {
	switch t.Base {
	case schema.Float:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(integer(b, schema.UInt)))), 'g', -1, 32)
	case schema.Double:
		return strconv.FormatFloat(math.Float64frombits(uint64(integer(b, schema.ULong))), 'g', -1, 64)
	}
	v := integer(b, t.Base)
	text := strconv.FormatInt(v, 10)
	if t.Base.IsUnsigned() {
		text = strconv.FormatUint(uint64(v), 10)
	}
	switch {
	case t.Enum != nil:
		if name := EnumName(t.Enum, v); name != "" {
			return text + " (" + name + ")"
		}
	case t.Base == schema.Bool && v <= 1:
		return strconv.FormatBool(v != 0)
	}
	return text
}

// EnumName returns the name of a value, of all flags where it has several; "" where there
// is none.
func EnumName(e *schema.Enum, number int64) string {
	if v := e.ByValue(number); v != nil {
		return v.Name
	}
	if !e.BitFlags || number == 0 {
		return ""
	}
	var names []string
	rest := uint64(number)
	for _, v := range e.Values {
		if bits := uint64(v.Value); bits != 0 && rest&bits == bits {
			names, rest = append(names, v.Name), rest&^bits
		}
	}
	if rest != 0 {
		return ""
	}
	return strings.Join(names, " ")
}

// Describe names an object: "table tflite.Model", "vector of 3 [tflite.Tensor]".
func (o *Object) Describe() string {
	text := ""
	switch o.Kind {
	case Buffer:
		text = "buffer of " + o.Def.Name
		if o.Parent >= 0 {
			text = "nested " + text
		}
	case Table:
		text = "table " + o.Def.Name
	case Struct:
		text = "struct " + o.Def.Name
	case VTable:
		text = "vtable of " + o.Def.Name
		if o.Refs > 1 {
			return text + fmt.Sprintf(", shared by %d tables", o.Refs)
		}
	case Vector:
		text = fmt.Sprintf("vector %s, %s", o.Type, ui.Count(int64(o.Count), "element"))
	case String:
		text = "string"
	}
	if o.Refs > 1 && o.Kind != VTable {
		text += SharedBy(o.Refs)
	}
	return text
}

// SharedBy says how many offsets lead to an object, behind its name.
func SharedBy(offsets int) string { return fmt.Sprintf(", shared by %d offsets", offsets) }

// Describe names an object of the map.
func (m *Map) Describe(object int) string { return m.Objects[object].Describe() }
