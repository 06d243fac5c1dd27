package dynamic

import (
	"runtime"
	"sync"
	"weak"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/internal/keyorder"
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

	byName struct {
		once  sync.Once
		enums map[string]*schema.Enum // see enumNamed
	}
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

	absentKey []byte // of a table that does not set its key, as keyorder.Compare takes it
	values    int64  // scalars in a struct, those of its structs and arrays included
	typ       Type   // of a value that is this table or struct
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
// resolved beforehand. Those of an object lie side by side, a line of the
// processor's cache each; what only other things than reads ask for is elsewhere.
type Field struct {
	owner *Object
	slot  int     // tables: position in the vtable; structs: position in the struct
	bits  uint64  // the default, as scalarBits widens
	mask  uint64  // see widener
	table *Object // that the field refers to, nil for other fields
	kind  scalarKind
	shift uint8
	float bool // the bits are those of a float64

	optional bool
	offset64 bool
	fixed    bool // of a struct

	*fieldInfo
}

// fieldInfo is what else there is to know of a field.
type fieldInfo struct {
	typ    Type
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
	hash      func(text []byte) uint64 // of the attribute hash, nil without
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
	for _, e := range s.Enums {
		m.enumOf(e)
		if e.IsUnion {
			m.unionOf(e) // now, since later nobody may write to the map
		}
	}
	for _, o := range s.Objects {
		m.objects[o].countValues()
	}
	return m
}

// enumNamed is [schema.Schema.Enum] for those who ask often: the enum of that full
// name, or the only one whose last word it is.
func (m *model) enumNamed(name string) *schema.Enum {
	m.byName.once.Do(func() {
		m.byName.enums = make(map[string]*schema.Enum, 2*len(m.schema.Enums))
		words := map[string]int{}
		for _, e := range m.schema.Enums {
			words[e.ShortName()]++
			m.byName.enums[e.ShortName()] = e
		}
		for word, n := range words {
			if n > 1 {
				delete(m.byName.enums, word)
			}
		}
		for _, e := range m.schema.Enums {
			m.byName.enums[e.Name] = e
		}
	})
	return m.byName.enums[name]
}

func (o *Object) compile() {
	o.fields = make([]*Field, len(o.schema.Fields))
	o.byName = make(map[string]*Field, len(o.schema.Fields))
	fields, infos := make([]Field, len(o.fields)), make([]fieldInfo, len(o.fields))
	for i, sf := range o.schema.Fields {
		f, info := &fields[i], &infos[i]
		*info = fieldInfo{
			id: i, schema: sf, required: sf.Required, key: sf.Key,
			jsonKey: string(appendJSONString(nil, sf.Name, &JSONOptions{})) + ":", plainKey: sf.Name + ":",
		}
		*f = Field{
			owner: o, slot: sf.Offset, fixed: o.schema.IsStruct,
			optional: sf.Optional && sf.Type.IsScalar(), offset64: sf.Offset64, fieldInfo: info,
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
		f.shift, f.mask = widener(f.kind)
		if f.typ.Kind == KindTable {
			f.table = f.typ.Object
		}
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
		if name, ok := sf.Attribute("hash"); ok {
			f.hash = hashes[name]
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
			o.key, o.absentKey = f, keyorder.Absent(sf)
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
