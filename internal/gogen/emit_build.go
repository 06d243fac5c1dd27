package gogen

import (
	"fmt"
	"math"
	"strconv"

	"github.com/fbverify/go/schema"
)

// emitBuilder writes the builder functions of a table, under the names that
// users of flatc know.
func (m *model) emitBuilder(s *source, o *object) {
	n := o.goName
	s.p("// %s starts a table %s. Strings, vectors and tables that it refers to must have been", o.fns.start, n)
	s.p("// written before.")
	s.p("func %s(b *flatbuffers.Builder) { b.StartObject(%d) }\n", o.fns.start, len(o.Fields))
	for _, f := range o.fields {
		m.emitAdd(s, o, f)
		if f.start != "" {
			m.emitStartVector(s, f)
		}
	}
	s.p("// %s ends the %s and returns its position.", o.fns.end, n)
	s.p("func %s(b *flatbuffers.Builder) flatbuffers.UOffsetT { return b.EndObject() }\n", o.fns.end)
	m.emitKeyCompare(s, o)
	m.emitFinish(s, o)
}

// emitKeyCompare writes the order of two tables that a builder has, by their keys: what
// Builder.CreateVectorOfSortedTables asks for.
func (m *model) emitKeyCompare(s *source, o *object) {
	if o.key == nil || o.key.Type.Base == schema.Obj || wideOffset(o.key.Field) {
		return
	}
	name := m.derive(nil, o.Name, o.goName, "KeyCompare")
	slot := strconv.Itoa(o.key.Offset)
	s.p("// %s tells whether the key of the table at o1 is before that of the one at o2, both", name)
	s.p("// as positions in the builder whose Bytes are buf: see Builder.CreateVectorOfSortedTables.")
	s.p("func %s(o1, o2 flatbuffers.UOffsetT, buf []byte) bool {", name)
	s.p("\tx := flatbuffers.Table{Bytes: buf, Pos: flatbuffers.UOffsetT(len(buf)) - o1}")
	s.p("\ty := flatbuffers.Table{Bytes: buf, Pos: flatbuffers.UOffsetT(len(buf)) - o2}")
	switch t := o.key.Type; t.Base {
	case schema.String:
		s.p("\tkey := func(t *flatbuffers.Table) string {")
		s.p("\t\tif o := t.Offset(%s); o != 0 {\n\t\t\treturn t.String(t.Pos + flatbuffers.UOffsetT(o))\n\t\t}", slot)
		s.p("\t\treturn %q\n\t}", o.key.DefaultString)
		s.p("\treturn key(&x) < key(&y)")
	case schema.Bool:
		s.p("\treturn !x.GetBoolSlot(%s, %s) && y.GetBoolSlot(%s, %s)", slot, m.defaultLiteral(s, o.key), slot, m.defaultLiteral(s, o.key))
	default:
		get := func(v string) string {
			return fmt.Sprintf("%s.Get%sSlot(%s, %s)", v, scalarSuffix(t.Base), slot, m.defaultLiteral(s, o.key))
		}
		s.p("\treturn %s < %s", get("x"), get("y"))
	}
	s.p("}\n")
}

func (m *model) emitAdd(s *source, o *object, f *field) {
	p := m.param(f.goName)
	t := f.Type
	s.p("// %s sets the field %s.", f.add, f.Name)
	switch {
	case t.IsScalar() && f.Optional:
		s.p("func %s(b *flatbuffers.Builder, %s %s) {", f.add, p, m.scalarType(t))
		s.p("\tb.Prepend%s(%s)", scalarSuffix(t.Base), m.plain(t, p))
		s.p("\tb.Slot(%d)", f.ID)
		s.p("}\n")
	case t.IsScalar():
		s.p("func %s(b *flatbuffers.Builder, %s %s) {", f.add, p, m.scalarType(t))
		s.p("\tb.Prepend%sSlot(%d, %s, %s)", scalarSuffix(t.Base), f.ID, m.plain(t, p), m.defaultLiteral(s, f))
		s.p("}\n")
	case t.IsStruct():
		s.p("func %s(b *flatbuffers.Builder, %s flatbuffers.UOffsetT) {", f.add, p)
		s.p("\tb.PrependStructSlot(%d, %s, 0)", f.ID, p)
		s.p("}\n")
	case wideOffset(f.Field):
		s.p("func %s(b *flatbuffers.Builder, %s flatbuffers.UOffsetT) {", f.add, p)
		s.p("\tif %s != 0 { // the Builder's own offsets are of 32 bits, this one is of 64", p)
		s.p("\t\tb.Prep(8, 0)")
		s.p("\t\tb.PlaceUint64(uint64(b.Offset()-%s) + 8)", p)
		s.p("\t\tb.Slot(%d)", f.ID)
		s.p("\t}")
		s.p("}\n")
	default:
		s.p("func %s(b *flatbuffers.Builder, %s flatbuffers.UOffsetT) {", f.add, p)
		s.p("\tb.PrependUOffsetTSlot(%d, %s, 0)", f.ID, p)
		s.p("}\n")
	}
}

// wideOffset reports whether a field holds an offset of 64 bits.
func wideOffset(f *schema.Field) bool { return f.Offset64 || f.Type.Base == schema.Vector64 }

// plain converts a value of an enum to the number it is.
func (m *model) plain(t schema.Type, v string) string {
	if t.Enum != nil {
		return goScalar(t.Base) + "(" + v + ")"
	}
	return v
}

func (m *model) emitStartVector(s *source, f *field) {
	element := f.Type.ElementType()
	align := m.vectorAlign(f)
	if f.Type.Base != schema.Vector64 {
		s.p("// %s starts the vector for the field %s: n elements, to be", f.start, f.Name)
		s.p("// prepended from the last to the first, and then b.EndVector(n).")
		s.p("func %s(b *flatbuffers.Builder, n int) flatbuffers.UOffsetT {", f.start)
		s.p("\treturn b.StartVector(%d, n, %d)", element.InlineSize(), align)
		s.p("}\n")
		return
	}
	s.p("// %s starts the vector for the field %s: n elements, to be", f.start, f.Name)
	s.p("// prepended from the last to the first, and then %s.", f.end)
	s.p("func %s(b *flatbuffers.Builder, n int) flatbuffers.UOffsetT {", f.start)
	s.p("\treturn b.StartVector(%d, n, %d)", element.InlineSize(), max(align, 8))
	s.p("}\n")
	s.p("// %s ends the vector for the field %s, whose length takes 64 bits.", f.end, f.Name)
	s.p("func %s(b *flatbuffers.Builder, n int) flatbuffers.UOffsetT {", f.end)
	s.p("\tb.PlaceUint32(0) // the length's upper half: a Builder holds less than 4 GiB")
	s.p("\treturn b.EndVector(n)")
	s.p("}\n")
}

// vectorAlign returns the alignment of a vector's elements, in bytes. Bytes that
// hold a buffer are aligned as the buffer's own content wants to be.
func (m *model) vectorAlign(f *field) int {
	align := f.Type.ElementType().Align()
	if f.nested != nil {
		align = max(align, m.bufferAlign())
	}
	if text, ok := f.Attribute("force_align"); ok {
		if n, err := strconv.Atoi(text); err == nil && n > align && n <= 256 && n&(n-1) == 0 {
			align = n
		}
	}
	return align
}

// bufferAlign returns the largest alignment of anything in the schema.
func (m *model) bufferAlign() int {
	align := 4
	for _, o := range m.Objects {
		for _, f := range o.Fields {
			align = max(align, f.Type.Align())
			if f.Type.IsVector() {
				align = max(align, f.Type.ElementType().Align())
			}
		}
	}
	return align
}

func (m *model) emitFinish(s *source, o *object) {
	id := ""
	if o.fns.identifier != "" {
		id = o.fns.identifier
		s.p("// %s is the file identifier of buffers whose root is a table %s.", id, o.goName)
		s.p("const %s = %q\n", id, m.identifiers[o.Name])
	}
	s.p("// %s makes the %s at root the root of the buffer and finishes it.", o.fns.finish, o.goName)
	s.p("func %s(b *flatbuffers.Builder, root flatbuffers.UOffsetT) {", o.fns.finish)
	if id != "" {
		s.p("\tb.FinishWithFileIdentifier(root, []byte(%s))", id)
	} else {
		s.p("\tb.Finish(root)")
	}
	s.p("}\n")
	s.p("// %s is %s for a buffer that", o.fns.finishPrefixed, o.fns.finish)
	s.p("// starts with its length, an uint32.")
	s.p("func %s(b *flatbuffers.Builder, root flatbuffers.UOffsetT) {", o.fns.finishPrefixed)
	if id != "" {
		s.p("\tb.FinishSizePrefixedWithFileIdentifier(root, []byte(%s))", id)
	} else {
		s.p("\tb.FinishSizePrefixed(root)")
	}
	s.p("}\n")
	if o.fns.finishLong == "" {
		return
	}
	s.p("// %s is %s with a length of", o.fns.finishLong, o.fns.finishPrefixed)
	s.p("// 64 bits, as C++ code writes and expects it for schemas with 64-bit offsets. Read it")
	s.p("// with Options.Framing LongSizePrefixed.")
	s.p("func %s(b *flatbuffers.Builder, root flatbuffers.UOffsetT) {", o.fns.finishLong)
	s.p("\t%s(b, root)", o.fns.finish)
	s.p("\tn := b.Offset()")
	s.p("\tb.Prep(1, 8) // makes room and does not align: the buffer follows its length at once")
	s.p("\tb.PlaceUint64(uint64(n))")
	s.p("}\n")
}

// defaultLiteral spells the default of a scalar field as a plain number.
func (m *model) defaultLiteral(s *source, f *field) string {
	t := f.Type
	switch {
	case t.Base == schema.Bool:
		return strconv.FormatBool(f.DefaultInteger != 0)
	case t.IsFloat():
		return floatLiteral(s, f.DefaultReal, t.Base)
	}
	return integer(f.DefaultInteger, t.Base)
}

// floatLiteral spells a float so that the compiler reads the same bits, except
// that every NaN is the one NaN of package math.
func floatLiteral(s *source, v float64, b schema.BaseType) string {
	bits := 64
	if b == schema.Float {
		bits = 32
		v = float64(float32(v))
	}
	text := ""
	switch {
	case math.IsNaN(v):
		text = "math.NaN()"
	case math.IsInf(v, 0):
		text = fmt.Sprintf("math.Inf(%d)", int(math.Copysign(1, v)))
	case v == 0 && math.Signbit(v):
		text = "math.Copysign(0, -1)"
	default:
		return strconv.FormatFloat(v, 'g', -1, bits)
	}
	if bits == 32 {
		return "float32(" + text + ")"
	}
	return text
}
