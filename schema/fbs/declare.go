package fbs

import (
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/internal/words"
)

var typeWords = map[string]schema.BaseType{
	"bool": schema.Bool, "byte": schema.Byte, "int8": schema.Byte, "ubyte": schema.UByte, "uint8": schema.UByte,
	"short": schema.Short, "int16": schema.Short, "ushort": schema.UShort, "uint16": schema.UShort,
	"int": schema.Int, "int32": schema.Int, "uint": schema.UInt, "uint32": schema.UInt,
	"long": schema.Long, "int64": schema.Long, "ulong": schema.ULong, "uint64": schema.ULong,
	"float": schema.Float, "float32": schema.Float, "double": schema.Double, "float64": schema.Double,
	"string": schema.String,
}

// typ resolves a type. sym is the symbol of the object in it, nil for none.
func (r *resolver) typ(t *typeSyntax) (typ schema.Type, sym *symbol, ok bool) {
	if base, found := typeWords[t.name.text]; found {
		typ.Base = base
	} else {
		typ, sym = r.namedType(t.name)
	}
	switch t.base {
	case schema.Vector:
		typ.Base, typ.Element = schema.Vector, typ.Base
	case schema.Array:
		n, err := schema.ParseInteger(t.length.text, schema.UShort)
		if err != nil || n < 1 {
			r.err.at(t.length.span, "an array has 1 to 65535 elements, not %s", words.Quote(t.length.text))
			return typ, sym, false
		}
		typ.Base, typ.Element, typ.FixedLength = schema.Array, typ.Base, int(n)
	}
	return typ, sym, true
}

func (r *resolver) namedType(n name) (schema.Type, *symbol) {
	if e := r.scope.enum(n.text); e != nil {
		if e.IsUnion {
			return schema.Type{Base: schema.Union, Enum: e}, nil
		}
		return schema.Type{Base: e.Underlying, Enum: e}, nil
	}
	sym := r.use(r.scope, n)
	return schema.Type{Base: schema.Obj, Object: sym.object}, sym
}

// enum adds an enum or a union.
func (r *resolver) enum(d *enumDecl) {
	e := &schema.Enum{
		Name: words.Qualified(r.scope.full, d.name.text), IsUnion: d.isUnion, Underlying: schema.UType,
		Doc: d.doc, DeclarationFile: r.fileName,
	}
	isNew := r.newType(d.name)
	if d.underlying != nil {
		e.Underlying = r.underlying(d)
	} else if !d.isUnion {
		e.Underlying = schema.Int // of an enum with a syntax error
	}
	attrs := r.attrs(d.attrs)
	e.Attributes = attrs.list()
	if a, ok := attrs.get("force_align"); ok {
		r.err.at(a.place, "force_align is an attribute of structs, not of enums and unions")
	}
	if a, ok := attrs.get("bit_flags"); ok {
		e.BitFlags = true
		if d.isUnion {
			e.BitFlags = false
			r.err.at(a.place, "bit_flags is an attribute of enums, not of unions")
		}
	}
	if isNew {
		r.scope.enums[d.name.text] = e
		r.s.Enums = append(r.s.Enums, e)
	}
	r.enumValues(e, d)
}

// underlying returns the integer type of an enum's values or a union's tags.
func (r *resolver) underlying(d *enumDecl) schema.BaseType {
	t := d.underlying
	if base, ok := typeWords[t.name.text]; ok && t.base == schema.None && base.IsInteger() && base != schema.Bool {
		return base
	}
	if e := r.scope.enum(t.name.text); e != nil && t.base == schema.None && !e.IsUnion {
		return e.Underlying
	}
	r.err.at(t.span, "found %s, expected the integer type of the values: byte, ubyte, short, ushort, int, uint, long or ulong",
		words.Quote(t.src.text[t.start:t.end]))
	return schema.Long
}

func (r *resolver) enumValues(e *schema.Enum, d *enumDecl) {
	// An enum without values gets the NONE that a union has.
	if d.isUnion || len(d.values) == 0 {
		e.Values = append(e.Values, &schema.EnumValue{Name: "NONE"})
	}
	byName, byValue := map[string]span{}, map[int64]name{}
	for _, v := range e.Values {
		byName[v.Name], byValue[v.Value] = d.name.span, name{v.Name, d.name.span}
	}
	next, overflow := int64(0), false
	if len(e.Values) > 0 {
		next = 1
	}
	for i := range d.values {
		if r.err.full() {
			return
		}
		s := &d.values[i]
		v := &schema.EnumValue{Name: s.name.text, Value: next, Doc: s.doc, Attributes: r.attrs(s.attrs).list()}
		if d.isUnion {
			v.Name, v.Type = r.member(s)
		}
		where := s.name.span
		ok := true
		if s.value != nil {
			where = s.value.span
			n, err := schema.ParseInteger(s.value.text, e.Underlying)
			if err != nil {
				r.err.at(where, "the value of %s: %v", v.Name, err)
				ok = false
			}
			v.Value, overflow = n, false
		} else if overflow || !e.Underlying.Fits(next) {
			least, most := e.Underlying.Range()
			r.err.at(where, "%s would be one more than the value before it and not fit %s, whose values are %d to %d", v.Name, e.Underlying, least, most)
			ok, overflow = false, true
		}
		next = v.Value + 1
		overflow = overflow || e.Underlying == schema.ULong && next == 0 || e.Underlying != schema.ULong && next < v.Value
		if d.isUnion && v.Value < 0 && e.Underlying != schema.ULong {
			r.err.at(where, "the tag of a union cannot be negative")
			ok = false
		}
		if e.BitFlags && ok {
			v.Value, ok = r.flag(e, v, where)
		}
		if before, taken := byName[v.Name]; taken {
			r.err.at(s.name.span, "%s has %s already, at %s", e.Name, words.Quote(v.Name), before.place())
			continue
		}
		byName[v.Name] = s.name.span
		if before, taken := byValue[v.Value]; taken && ok {
			r.err.at(where, "%s and %s are both %d; values have to differ", before.text, v.Name, v.Value)
			continue
		}
		byValue[v.Value] = name{v.Name, where}
		e.Values = append(e.Values, v)
	}
	e.SortValues()
}

// flag turns the position of a bit into its mask.
func (r *resolver) flag(e *schema.Enum, v *schema.EnumValue, where span) (int64, bool) {
	bits := 8 * e.Underlying.Size()
	if !e.Underlying.IsUnsigned() {
		bits-- // the sign
	}
	if v.Value < 0 || v.Value >= int64(bits) {
		r.err.at(where, "%s is bit %d, and as flags %s has the bits 0 to %d", v.Name, v.Value, e.Underlying, bits-1)
		return 0, false
	}
	return int64(uint64(1) << uint(v.Value)), true
}

// member returns the name and type of a union's member. The parts of a dotted
// name are joined with underscores, unless an alias is given.
func (r *resolver) member(s *enumValueSyntax) (string, schema.Type) {
	named := []byte(s.name.text)
	for i, c := range named {
		if c == '.' {
			named[i] = '_'
		}
	}
	if s.typ == nil {
		return string(named), schema.Type{Base: schema.Obj, Object: r.use(r.scope, s.name).object}
	}
	t, _, _ := r.typ(s.typ)
	if t.Base != schema.Obj && t.Base != schema.String {
		r.err.at(s.typ.span, "a member of a union is a table, a struct or a string, not %s", t)
		return string(named), schema.Type{}
	}
	return string(named), t
}

// service adds an rpc_service.
func (r *resolver) service(d *serviceDecl) {
	v := &schema.Service{
		Name: words.Qualified(r.scope.full, d.name.text), Doc: d.doc, DeclarationFile: r.fileName,
		Attributes: r.attrs(d.attrs).list(),
	}
	if r.scope.services[d.name.text] != nil {
		r.err.at(d.name.span, "the rpc_service %s is declared already", v.Name)
	} else {
		r.scope.services[d.name.text] = v
		r.s.Services = append(r.s.Services, v)
	}
	names := map[string]span{}
	for i := range d.calls {
		if r.err.full() {
			return
		}
		s := &d.calls[i]
		if before, taken := names[s.name.text]; taken {
			r.err.at(s.name.span, "the method %s is declared already, at %s", words.Quote(s.name.text), before.place())
			continue
		}
		names[s.name.text] = s.name.span
		v.Calls = append(v.Calls, &schema.Call{
			Name: s.name.text, Doc: s.doc, Attributes: r.attrs(s.attrs).list(),
			Request:  r.messageTable(s.request, "the request of a method"),
			Response: r.messageTable(s.response, "the response of a method"),
		})
	}
}

func (r *resolver) messageTable(n name, as string) *schema.Object {
	if e := r.scope.enum(n.text); e != nil {
		r.err.at(n.span, "%s has to be a table, and %s is an enum or union", as, e.Name)
		return nil
	}
	sym := r.use(r.scope, n)
	r.tables = append(r.tables, tableUse{sym, n.span, as})
	return sym.object
}

// object adds a table or struct.
func (r *resolver) object(d *objectDecl) {
	isNew := r.newType(d.name)
	sym := r.declare(r.scope, d.name)
	if sym == nil || !isNew {
		// Read it all the same, for its faults.
		sym = &symbol{object: &schema.Object{Name: words.Qualified(r.scope.full, d.name.text), MinAlign: 1}, declared: true}
	} else {
		r.s.Objects = append(r.s.Objects, sym.object)
	}
	o := sym.object
	o.IsStruct, o.Doc, o.DeclarationFile = d.isStruct, d.doc, r.fileName
	o.Attributes = r.attrs(d.attrs).list()
	b := &objectBuilder{r: r, o: o, d: d, names: make(map[string]*schema.Field, len(d.fields)), places: make(map[*schema.Field]span, len(d.fields)), sound: !d.partial}
	for i := range d.fields {
		if r.err.full() {
			return
		}
		b.field(&d.fields[i])
	}
	b.end()
	sym.complete = true
}
