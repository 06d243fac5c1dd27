package vortex

import (
	"encoding/binary"
	"fmt"
	"strings"

	fb "github.com/fbverify/go/generated/vortex"
)

// TypeString writes a type as Vortex does: "i32?", "{lat=f64, lon=f64?}", "list(utf8?)?",
// "fixed_size_list(f32)[3]", "decimal(12,2)", "vortex.timestamp[µs, tz=UTC](i64?)". A question mark stands after
// what may be null. It is "unknown type" and a number for what a newer writer made, and "" for an absent type.
func TypeString(t fb.DType) string {
	if !t.Present() {
		return ""
	}
	var b strings.Builder
	writeType(&b, t)
	return b.String()
}

// Nullable tells whether values of a type may be null; an extension's are those of what it is
// stored as.
func Nullable(t fb.DType) bool {
	for t.Present() {
		u := t.Type()
		if x, ok := u.AsExtension(); ok {
			t = x.StorageDtype()
			continue
		}
		return nullable(u)
	}
	return false
}

func nullable(u fb.TypeValue) bool {
	switch u.Kind() {
	case fb.TypeNull:
		return true
	case fb.TypeBool:
		x, _ := u.AsBool()
		return x.Nullable()
	case fb.TypePrimitive:
		x, _ := u.AsPrimitive()
		return x.Nullable()
	case fb.TypeDecimal:
		x, _ := u.AsDecimal()
		return x.Nullable()
	case fb.TypeUTF8:
		x, _ := u.AsUTF8()
		return x.Nullable()
	case fb.TypeBinary:
		x, _ := u.AsBinary()
		return x.Nullable()
	case fb.TypeStruct:
		x, _ := u.AsStruct()
		return x.Nullable()
	case fb.TypeList:
		x, _ := u.AsList()
		return x.Nullable()
	case fb.TypeFixedSizeList:
		x, _ := u.AsFixedSizeList()
		return x.Nullable()
	case fb.TypeVariant:
		x, _ := u.AsVariant()
		return x.Nullable()
	case fb.TypeUnion:
		x, _ := u.AsUnion()
		return x.Nullable()
	}
	return false
}

func writeType(b *strings.Builder, t fb.DType) {
	if !t.Present() {
		b.WriteString("no type")
		return
	}
	u := t.Type()
	switch u.Kind() {
	case fb.TypeNull:
		b.WriteString("null")
		return // it is always null
	case fb.TypeBool:
		b.WriteString("bool")
	case fb.TypePrimitive:
		x, _ := u.AsPrimitive()
		b.WriteString(strings.ToLower(x.Ptype().String()))
	case fb.TypeDecimal:
		x, _ := u.AsDecimal()
		fmt.Fprintf(b, "decimal(%d,%d)", x.Precision(), x.Scale())
	case fb.TypeUTF8:
		b.WriteString("utf8")
	case fb.TypeBinary:
		b.WriteString("binary")
	case fb.TypeStruct:
		x, _ := u.AsStruct()
		b.WriteByte('{')
		names, types := x.Names(), x.Dtypes()
		for i := range max(names.Len(), types.Len()) {
			if i > 0 {
				b.WriteString(", ")
			}
			if i < names.Len() {
				b.WriteString(names.At(i))
			}
			b.WriteByte('=')
			if i < types.Len() {
				writeType(b, types.At(i))
			}
		}
		b.WriteByte('}')
	case fb.TypeList:
		x, _ := u.AsList()
		b.WriteString("list(")
		writeType(b, x.ElementType())
		b.WriteByte(')')
	case fb.TypeFixedSizeList:
		x, _ := u.AsFixedSizeList()
		b.WriteString("fixed_size_list(")
		writeType(b, x.ElementType())
		fmt.Fprintf(b, ")[%d]", x.Size())
	case fb.TypeExtension:
		x, _ := u.AsExtension()
		b.WriteString(x.ID())
		b.WriteString(extension(x.ID(), x.Metadata()))
		b.WriteByte('(')
		writeType(b, x.StorageDtype())
		b.WriteByte(')')
	case fb.TypeVariant:
		b.WriteString("variant")
	case fb.TypeUnion:
		b.WriteString("union")
	case fb.TypeNone:
		b.WriteString("no type")
	default:
		fmt.Fprintf(b, "unknown type %d", uint8(u.Kind()))
	}
	if nullable(u) {
		b.WriteByte('?')
	}
}

// units are those of Vortex's own extensions for times, by the first byte of their metadata.
var units = [...]string{"ns", "µs", "ms", "s", "days"}

// extension writes the parameters of the extensions that are known: a unit, and for a timestamp the
// length of a zone in two bytes and the zone.
func extension(id string, metadata []byte) string {
	switch id {
	case "vortex.date", "vortex.time", "vortex.timestamp":
	default:
		return ""
	}
	if len(metadata) == 0 || int(metadata[0]) >= len(units) {
		return ""
	}
	s := "[" + units[metadata[0]]
	if rest := metadata[1:]; id == "vortex.timestamp" && len(rest) > 2 {
		if n := int(binary.LittleEndian.Uint16(rest)); n > 0 && n <= len(rest)-2 {
			s += ", tz=" + string(rest[2:2+n])
		}
	}
	return s + "]"
}
