package dynamic

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"weak"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/schema"
)

// model is a whole schema prepared for reading. There is one per schema, made at
// first use, and immutable but for the lazily compiled nested types.
type model struct {
	// schema is a shallow copy, so that the cache, which finds a model by its
	// schema, does not itself keep that schema alive.
	schema  *schema.Schema
	objects map[*schema.Object]*Object
	unions  map[*schema.Enum]*union
	enums   map[*schema.Enum]*enum

	nested sync.Map // *schema.Object -> *fbverify.Type
}

// models finds the model of a schema: weak.Pointer[schema.Schema] -> *modelOnce.
// An entry goes when its schema does.
var models sync.Map

type modelOnce struct {
	once sync.Once
	m    *model
}

func modelOf(s *schema.Schema) *model {
	key := weak.Make(s)
	entry, ok := models.Load(key)
	if !ok {
		var loaded bool
		entry, loaded = models.LoadOrStore(key, new(modelOnce))
		if !loaded {
			runtime.AddCleanup(s, func(key weak.Pointer[schema.Schema]) { models.Delete(key) }, key)
		}
	}
	o := entry.(*modelOnce)
	o.once.Do(func() { o.m = newModel(s) })
	return o.m
}

// nestedType returns the compiled type of a nested buffer's root.
func (m *model) nestedType(root *schema.Object) (*fbverify.Type, error) {
	if t, ok := m.nested.Load(root); ok {
		return t.(*fbverify.Type), nil
	}
	t, err := fbverify.Compile(m.schema, root.Name)
	if err != nil {
		return nil, err
	}
	m.nested.Store(root, t)
	return t, nil
}

// ObjectOf returns the root table of t, prepared for reading. It is for callers
// that resolve field handles before they have a buffer.
func ObjectOf(t *fbverify.Type) *Object { return modelOf(t.Schema()).objects[t.Root()] }

// Object is a table or struct type, prepared for reading. Objects are equal if
// and only if they are the same type of the same schema.
type Object struct {
	schema *schema.Object
	model  *model
	fields []*Field // by id
	byName map[string]*Field
	key    *Field
	needed []*Field // the required ones, by id
	values int64    // scalars in a struct, those of its structs and arrays included
	typ    Type     // of a value that is this table or struct
}

func (o *Object) asType() *Type { return &o.typ }

// Schema returns the definition. It must not be changed.
func (o *Object) Schema() *schema.Object { return o.schema }

// Name returns the full name, with namespace.
func (o *Object) Name() string { return o.schema.Name }

// IsStruct reports whether it is a struct and not a table.
func (o *Object) IsStruct() bool { return o.schema.IsStruct }

// Field returns the field of that name, or nil. It looks into a map: resolve
// once, outside of loops.
func (o *Object) Field(name string) *Field { return o.byName[name] }

// NumFields returns the number of fields.
func (o *Object) NumFields() int { return len(o.fields) }

// FieldByID returns the field with that id, 0 <= id < NumFields().
func (o *Object) FieldByID(id int) *Field { return o.fields[id] }

// Key returns the field that vectors of this type are sorted by, or nil.
func (o *Object) Key() *Field { return o.key }

// Field is a handle to one field of a table or struct: what a read needs to know,
// resolved beforehand.
type Field struct {
	owner *Object
	slot  int    // tables: position in the vtable; structs: position in the struct
	bits  uint64 // the default, as scalarBits widens
	typ   Type
	kind  scalarKind
	float bool // the bits are those of a float64

	optional bool
	offset64 bool
	fixed    bool // of a struct

	id     int
	schema *schema.Field
	tag    *Field // of a union or vector of unions: its type field
	value  *Field // of a type field: its union
	nested *Object

	jsonKey   string // `"name":`
	plainKey  string // `name:`
	printable bool   // the default is printed with JSONOptions.Defaults
	required  bool
	key       bool
	base64    base64Kind
	flexible  bool
}

// Schema returns the definition. It must not be changed.
func (f *Field) Schema() *schema.Field { return f.schema }

// Name returns the field's name.
func (f *Field) Name() string { return f.schema.Name }

// Owner returns the table or struct the field belongs to.
func (f *Field) Owner() *Object { return f.owner }

// Type returns the field's type.
func (f *Field) Type() *Type { return &f.typ }

// Required reports whether a verified buffer always has the field.
func (f *Field) Required() bool { return f.required }

// Deprecated reports whether writers should no longer set the field. It then reads
// as absent: see [IncludeDeprecated].
func (f *Field) Deprecated() bool { return f.schema.Deprecated }

// TypeField returns, for a union or a vector of unions, the field with its tags;
// nil for all others.
func (f *Field) TypeField() *Field { return f.tag }

// Nested returns the root table of the buffer that the field's bytes hold, for a
// field with the attribute nested_flatbuffer; nil for all others.
func (f *Field) Nested() *Object { return f.nested }

// String returns "Table.field".
func (f *Field) String() string { return f.owner.schema.Name + "." + f.schema.Name }

// Type is the type of a value.
type Type struct {
	Kind Kind

	// Base is the kind in the schema's terms.
	Base schema.BaseType

	// Object is the table or struct; nil for other kinds.
	Object *Object

	// Enum is the enum of a scalar, or the union of a Union; else nil.
	Enum *schema.Enum

	// Elem is the element type of a Vector or an Array; else nil.
	Elem *Type

	// Size is the bytes a value takes where it stands: in a table, in a struct
	// or as an element.
	Size int

	// Len is the number of elements of an Array.
	Len int

	field   *Field // whose type, or whose elements' type, this is; nil for unions' members
	scalar  scalarKind
	longLen bool // a Vector64
	enum    *enum
	union   *union
}

// union is a union type: its members by tag.
type union struct {
	enum    *schema.Enum
	members map[int64]*member
	small   []*member // by tag, those below 256
}

type member struct {
	name string
	typ  Type
}

// member returns the union's member with that tag, nil for NONE and for tags
// that the schema does not know.
func (u *union) member(tag uint64) *member {
	if tag < uint64(len(u.small)) {
		return u.small[tag]
	}
	return u.members[int64(tag)]
}

// String returns the type as a schema writes it.
func (t *Type) String() string {
	switch t.Kind {
	case KindVector:
		return "[" + t.Elem.String() + "]"
	case KindArray:
		return fmt.Sprintf("[%s:%d]", t.Elem, t.Len)
	case KindTable, KindStruct:
		return t.Object.schema.Name
	}
	if t.Enum != nil {
		return t.Enum.Name
	}
	return t.Base.String()
}

func newModel(s *schema.Schema) *model {
	sc := *s
	m := &model{
		schema:  &sc,
		objects: make(map[*schema.Object]*Object, len(s.Objects)),
		unions:  make(map[*schema.Enum]*union),
		enums:   make(map[*schema.Enum]*enum),
	}
	for _, o := range s.Objects {
		m.objects[o] = &Object{schema: o, model: m}
	}
	for _, o := range s.Objects {
		m.objects[o].typ = m.typeOf(schema.Type{Base: schema.Obj, Object: o})
		m.objects[o].compile()
	}
	for _, o := range s.Objects {
		m.objects[o].countValues()
	}
	return m
}

func (o *Object) compile() {
	o.fields = make([]*Field, len(o.schema.Fields))
	o.byName = make(map[string]*Field, len(o.schema.Fields))
	for i, sf := range o.schema.Fields {
		f := &Field{
			owner: o, id: i, schema: sf,
			slot: sf.Offset, fixed: o.schema.IsStruct,
			optional: sf.Optional && sf.Type.IsScalar(), offset64: sf.Offset64,
			required: sf.Required, key: sf.Key,
			jsonKey: string(appendJSONString(nil, sf.Name, &JSONOptions{})) + ":", plainKey: sf.Name + ":",
		}
		if !f.fixed {
			f.slot = 4 + 2*i
		}
		f.typ = o.model.typeOf(sf.Type)
		f.typ.field = f
		if f.typ.Elem != nil {
			f.typ.Elem.field = f
		}
		f.kind = f.typ.scalar
		f.float = f.typ.Kind == KindFloat
		f.bits = defaultBits(sf)
		f.printable = f.kind != notScalar && !sf.Deprecated
		if f.offset64 {
			f.typ.Size = 8
		}
		if _, ok := sf.Attribute("base64"); ok {
			f.base64 = base64Std
		} else if _, ok := sf.Attribute("base64url"); ok {
			f.base64 = base64URL
		}
		if isBytes(&f.typ) {
			_, f.flexible = sf.Attribute("flexbuffer")
			// A name that leads nowhere is an error of Compile, so there is none here.
			if root, err := o.model.schema.NestedRoot(o.schema, sf); err == nil && root != nil {
				f.nested = o.model.objects[root]
			}
		}
		if f.required && !sf.Deprecated {
			o.needed = append(o.needed, f)
		}
		if f.key && o.key == nil {
			o.key = f
		}
		o.fields[i] = f
		o.byName[sf.Name] = f
	}
	for i, f := range o.fields {
		if i > 0 && f.isUnion() {
			f.tag = o.fields[i-1]
			o.fields[i-1].value = f
		}
	}
	o.hideDeprecated()
}

// countValues sets values. Structs do not contain themselves, and nest no deeper
// than 64 levels; they are below 2^31 bytes, so that no sum overflows.
func (o *Object) countValues() int64 {
	if !o.schema.IsStruct || o.values > 0 {
		return o.values
	}
	for _, f := range o.fields {
		t, n := &f.typ, int64(1)
		if t.Kind == KindArray {
			t, n = t.Elem, int64(t.Len)
		}
		if t.Kind == KindStruct {
			n *= t.Object.countValues()
		}
		o.values += n
	}
	return o.values
}

func (f *Field) isUnion() bool {
	return f.typ.Kind == KindUnion || f.typ.Kind == KindVector && f.typ.Elem.Kind == KindUnion
}

// isBytes reports whether a value is a vector of ubyte.
func isBytes(t *Type) bool { return t.Kind == KindVector && t.Elem.Base == schema.UByte }

func (m *model) typeOf(t schema.Type) Type {
	ct := Type{Base: t.Base, Enum: t.Enum, Size: t.InlineSize()}
	switch {
	case t.Base.IsScalar():
		ct.Kind, ct.scalar = scalarKinds(t.Base)
		if t.Enum != nil {
			ct.enum = m.enumOf(t.Enum)
		}
	case t.Base == schema.String:
		ct.Kind = KindString
	case t.Base == schema.Union:
		ct.Kind, ct.union = KindUnion, m.unionOf(t.Enum)
	case t.Base == schema.Obj:
		ct.Kind, ct.Object = KindTable, m.objects[t.Object]
		if t.Object.IsStruct {
			ct.Kind = KindStruct
		}
	case t.IsVector(), t.Base == schema.Array:
		elem := m.typeOf(t.ElementType())
		ct.Kind, ct.Elem, ct.Enum = KindVector, &elem, nil
		ct.longLen = t.Base == schema.Vector64
		if t.Base == schema.Array {
			ct.Kind, ct.Len = KindArray, t.FixedLength
		}
	}
	return ct
}

func scalarKinds(b schema.BaseType) (Kind, scalarKind) {
	switch b {
	case schema.Bool:
		return KindBool, scalarU8
	case schema.UType, schema.UByte:
		return KindUint, scalarU8
	case schema.Byte:
		return KindInt, scalarI8
	case schema.UShort:
		return KindUint, scalarU16
	case schema.Short:
		return KindInt, scalarI16
	case schema.UInt:
		return KindUint, scalarU32
	case schema.Int:
		return KindInt, scalarI32
	case schema.ULong:
		return KindUint, scalar64
	case schema.Long:
		return KindInt, scalar64
	case schema.Float:
		return KindFloat, scalarF32
	case schema.Double:
		return KindFloat, scalar64
	}
	return KindNone, notScalar
}

func defaultBits(f *schema.Field) uint64 {
	switch {
	case f.Type.Base == schema.Float:
		return math.Float64bits(float64(float32(f.DefaultReal)))
	case f.Type.Base == schema.Double:
		return math.Float64bits(f.DefaultReal)
	case f.Type.Base.IsInteger():
		return uint64(f.DefaultInteger)
	}
	return 0
}

// enum is an enum's values by number and by name.
type enum struct {
	names  map[int64]string
	values map[string]int64
	dense  []string // the names of the values 0, 1, 2, … without a gap
}

func (m *model) enumOf(e *schema.Enum) *enum {
	if i, ok := m.enums[e]; ok {
		return i
	}
	i := &enum{names: make(map[int64]string, len(e.Values)), values: make(map[string]int64, len(e.Values))}
	m.enums[e] = i
	for _, v := range e.Values {
		if _, ok := i.names[v.Value]; !ok {
			i.names[v.Value] = v.Name
		}
		if _, ok := i.values[v.Name]; !ok {
			i.values[v.Name] = v.Value
		}
	}
	for n := int64(0); i.names[n] != ""; n++ {
		i.dense = append(i.dense, i.names[n])
	}
	return i
}

// enumName returns the name of the enum value that bits stand for, "" if there
// is none.
func (t *Type) enumName(bits uint64) string {
	if t.enum == nil {
		return ""
	}
	if bits < uint64(len(t.enum.dense)) {
		return t.enum.dense[bits]
	}
	return t.enum.names[int64(bits)]
}

// appendFlags appends the names of a bit_flags value's bits with spaces between
// them. It reports false, having appended nothing, where a bit has no name.
func (t *Type) appendFlags(b []byte, bits uint64) ([]byte, bool) {
	if t.Enum == nil || !t.Enum.BitFlags || bits == 0 {
		return b, false
	}
	start := len(b)
	var seen uint64
	for _, v := range t.Enum.Values {
		if m := uint64(v.Value); m&bits != 0 {
			if len(b) > start {
				b = append(b, ' ')
			}
			b = append(b, v.Name...)
			seen |= m
		}
	}
	if seen != bits {
		return b[:start], false
	}
	return b, true
}

// EnumName returns the name of a scalar value of this type: an enum value's name,
// or for bit flags the names of all set bits with spaces between ("Red Blue").
// It is "" where the type has no enum or the value no name.
func (t *Type) EnumName(value int64) string {
	if name := t.enumName(uint64(value)); name != "" {
		return name
	}
	b, _ := t.appendFlags(nil, uint64(value))
	return string(b)
}

// unionOf prepares a union. Members are tables, structs and strings, so this
// does not recurse.
func (m *model) unionOf(e *schema.Enum) *union {
	if u, ok := m.unions[e]; ok {
		return u
	}
	u := &union{enum: e, members: make(map[int64]*member, len(e.Values))}
	m.unions[e] = u
	for _, v := range e.Values {
		if v.Type.Base == schema.None || v.Value == 0 {
			continue
		}
		mem := &member{name: v.Name, typ: m.typeOf(v.Type)}
		u.members[v.Value] = mem
		if v.Value > 0 && v.Value < 256 {
			for len(u.small) <= int(v.Value) {
				u.small = append(u.small, nil)
			}
			u.small[v.Value] = mem
		}
	}
	return u
}
