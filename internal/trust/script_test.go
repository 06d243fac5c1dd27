package trust_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/schema"
)

// A script is what has to be called of a builder to write a message, one call a
// line, so that small programs in other languages can drive the builders there with
// any schema. What a call makes is known by its number among those of its buffer:
//
//	buffer CAPACITY FORCE           starts a buffer, inside of another too
//	string SHARED xHEX              makes a string
//	bytes xHEX                      makes a vector of bytes
//	nest                            makes one of the buffer that was finished last
//	vector WAY TYPE VALUE…          makes a vector of scalars
//	offsets ID…                     makes a vector of offsets; of zero for "-"
//	structs WAY SIZE ALIGN [/ PART…]…   makes a vector of structs
//	lone SIZE ALIGN / PART…         makes a struct that a union holds
//	table FIELDS                    starts a table, which end makes
//	add FIELD TYPE VALUE DEFAULT    stores a scalar, if it is not the default or that is forced
//	set FIELD TYPE VALUE            stores a scalar that has no default
//	struct FIELD SIZE ALIGN / PART… stores a struct
//	offset FIELD ID                 stores an offset
//	need FIELD                      checks, after end, that a required field is there
//	finish ID PREFIX xHEX           ends the buffer; the identifier is in hexadecimal
//
// A PART of a struct is TYPE:VALUE or pad:BYTES. Floats are given by their bits.
// WAY picks one where a builder has several.
type script struct {
	r      *rand.Rand
	b      strings.Builder
	style  style
	shared bool // objects and strings of the source that are shared stay so

	made map[place]int
	ids  int
}

// style is how a writer goes about defaults.
type style int

const (
	dropDefaults  style = iota
	forceDefaults       // what is set is stored
	forceAll            // and what is not set too, as generated Create functions do
)

// place is an object of the source. Where it lies is not enough: an empty table and
// an empty vector may lie at one position.
type place struct {
	at  int
	typ any
}

// writeScript writes the calls that make a buffer with the contents of m.
func writeScript(r *rand.Rand, m dynamic.Message, how style, prefixed bool, identifier string) string {
	s := &script{r: r, style: how, shared: r.IntN(2) == 0}
	s.buffer(m, prefixed, identifier)
	return s.b.String()
}

func (s *script) linef(format string, args ...any) { fmt.Fprintf(&s.b, format+"\n", args...) }

// makes is linef for calls that make something; it returns its number.
func (s *script) makes(format string, args ...any) int {
	s.linef(format, args...)
	s.ids++
	return s.ids - 1
}

// once makes what lies at a place, again or only once.
func (s *script) once(at int, typ any, make func() int) int {
	p := place{at, typ}
	if id, ok := s.made[p]; ok && s.shared {
		return id
	}
	id := make()
	s.made[p] = id
	return id
}

func flag01(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *script) buffer(m dynamic.Message, prefixed bool, identifier string) {
	made, ids := s.made, s.ids
	s.made, s.ids = map[place]int{}, 0
	s.linef("buffer %d %d", 1+s.r.IntN(200), flag01(s.style != dropDefaults))
	root := s.table(m.Root())
	s.linef("finish %d %d x%x", root, flag01(prefixed), identifier)
	s.made, s.ids = made, ids
}

func (s *script) table(t dynamic.Table) int {
	return s.once(t.Offset(), t.Object(), func() int {
		type slot struct {
			field *dynamic.Field
			line  string
		}
		var slots []slot
		for f, v := range t.AllFields() {
			if line := s.field(f, v, t.Has(f)); line != "" {
				slots = append(slots, slot{f, line})
			}
		}
		s.r.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
		s.linef("table %d", t.Object().NumFields())
		for _, l := range slots {
			s.linef("%s", l.line)
		}
		id := s.makes("end")
		for _, l := range slots {
			if l.field.Required() {
				s.linef("need %d", l.field.Schema().ID)
			}
		}
		return id
	})
}

// field makes what a field leads to and returns the call that stores it, "" if there
// is nothing to store.
func (s *script) field(f *dynamic.Field, v dynamic.Value, set bool) string {
	def := f.Schema()
	if f.Deprecated() || !set && !(s.style == forceAll && def.Type.IsScalar() && !def.Optional) {
		return ""
	}
	switch v.Kind() {
	case dynamic.KindBool, dynamic.KindInt, dynamic.KindUint, dynamic.KindFloat:
		typ := scalarName(def.Type.Stored())
		if def.Optional {
			return fmt.Sprintf("set %d %s %s", def.ID, typ, number(v, typ))
		}
		return fmt.Sprintf("add %d %s %s %s", def.ID, typ, number(v, typ), defaultNumber(def, typ))
	case dynamic.KindStruct:
		return fmt.Sprintf("struct %d %s", def.ID, structCall(v.Struct()))
	}
	id, ok := s.object(f, v)
	if !ok {
		return ""
	}
	return fmt.Sprintf("offset %d %d", def.ID, id)
}

// object makes a string, vector, table or what a union holds. A union of NONE has
// nothing.
func (s *script) object(f *dynamic.Field, v dynamic.Value) (id int, ok bool) {
	if !v.Present() {
		return 0, false
	}
	switch v.Kind() {
	case dynamic.KindTable:
		return s.table(v.Table()), true
	case dynamic.KindString:
		return s.once(v.Offset(), "string", func() int {
			return s.makes("string %d x%x", flag01(s.r.IntN(2) == 0), v.Bytes())
		}), true
	case dynamic.KindUnion:
		return s.object(nil, v.Union())
	case dynamic.KindStruct:
		return s.makes("lone %s", structCall(v.Struct())), true
	case dynamic.KindVector:
		return s.once(v.Offset(), f, func() int { return s.vector(f, v) }), true
	}
	panic(fmt.Sprintf("a %v in a table", v.Kind()))
}

func (s *script) vector(f *dynamic.Field, v dynamic.Value) int {
	if f.Nested() != nil {
		inner, err := v.Nested()
		if err != nil {
			panic(err)
		}
		s.buffer(inner, false, [...]string{"", "NEST"}[s.r.IntN(2)])
		return s.makes("nest")
	}
	elem := v.Type().Elem
	var line strings.Builder
	switch elem.Kind {
	case dynamic.KindBool, dynamic.KindInt, dynamic.KindUint, dynamic.KindFloat:
		if elem.Base == schema.UByte && s.r.IntN(2) == 0 {
			return s.makes("bytes x%x", v.Bytes())
		}
		typ := scalarName(f.Schema().Type.ElementType().Stored())
		for _, e := range v.All() {
			line.WriteString(" " + number(e, typ))
		}
		return s.makes("vector %d %s%s", s.r.IntN(3), typ, line.String())
	case dynamic.KindStruct:
		for _, e := range v.All() {
			line.WriteString(" /" + structParts(e.Struct()))
		}
		o := elem.Object.Schema()
		return s.makes("structs %d %d %d%s", s.r.IntN(3), o.ByteSize, o.MinAlign, line.String())
	}
	for _, e := range v.All() {
		if id, ok := s.object(nil, e); ok {
			fmt.Fprintf(&line, " %d", id)
		} else {
			line.WriteString(" -") // a union of NONE
		}
	}
	return s.makes("offsets%s", line.String())
}

var scalarNames = map[schema.BaseType]string{
	schema.UType: "u8", schema.Bool: "bool", schema.Byte: "i8", schema.UByte: "u8", schema.Short: "i16", schema.UShort: "u16",
	schema.Int: "i32", schema.UInt: "u32", schema.Long: "i64", schema.ULong: "u64", schema.Float: "f32", schema.Double: "f64",
}

func scalarName(b schema.BaseType) string {
	name, ok := scalarNames[b]
	if !ok {
		panic(fmt.Sprintf("%v is no scalar", b))
	}
	return name
}

// number writes a scalar as the scripts have it.
func number(v dynamic.Value, typ string) string {
	switch typ[0] {
	case 'b':
		return fmt.Sprint(flag01(v.Bool()))
	case 'i':
		return fmt.Sprint(v.Int())
	case 'u':
		return fmt.Sprint(v.Uint())
	}
	return float(v.Float(), typ)
}

func float(f float64, typ string) string {
	if typ == "f32" {
		return fmt.Sprint(math.Float32bits(float32(f)))
	}
	return fmt.Sprint(math.Float64bits(f))
}

func defaultNumber(f *schema.Field, typ string) string {
	switch typ[0] {
	case 'u':
		return fmt.Sprint(uint64(f.DefaultInteger))
	case 'f':
		return float(f.DefaultReal, typ)
	}
	return fmt.Sprint(f.DefaultInteger)
}

// structCall is the arguments of a call that writes one struct.
func structCall(v dynamic.Struct) string {
	o := v.Object().Schema()
	return fmt.Sprintf("%d %d /%s", o.ByteSize, o.MinAlign, structParts(v))
}

// structParts lists the scalars and the padding of a struct in their order.
func structParts(v dynamic.Struct) string {
	var b strings.Builder
	at := v.Offset()
	var walk func(v dynamic.Value)
	skip := func(to int) {
		if to > at {
			fmt.Fprintf(&b, " pad:%d", to-at)
		}
		at = to
	}
	walk = func(v dynamic.Value) {
		switch v.Kind() {
		case dynamic.KindStruct:
			for _, v := range v.Struct().Fields() {
				walk(v)
			}
			skip(v.Offset() + v.Size())
		case dynamic.KindArray:
			for _, v := range v.All() {
				walk(v)
			}
		default:
			skip(v.Offset())
			typ := scalarName(v.Type().Base)
			fmt.Fprintf(&b, " %s:%s", typ, number(v, typ))
			at += v.Type().Size
		}
	}
	walk(v.AsValue())
	return b.String()
}
