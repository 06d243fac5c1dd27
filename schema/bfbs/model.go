package bfbs

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fbverify/go/schema"
)

// loader makes the model of a buffer. The first fault sticks in err.
type loader struct {
	buffer
	text string // the same bytes; the strings of the model are parts of it
	s    *schema.Schema
	err  error

	// objects and enums are in the order of the file, which types refer to.
	objects []schema.Object
	enums   []schema.Enum
	where   place

	fields     slab[schema.Field]
	fieldLists slab[*schema.Field]
	values     slab[schema.EnumValue]
	valueLists slab[*schema.EnumValue]
	attributes slab[schema.Attribute]
	lines      slab[string]
}

// place is what is being read, for errors: an element of a vector of the schema, and an
// element of a vector of that. An index is -1 where the whole is meant.
type place struct {
	list, below   string
	index, indexB int
}

func (p place) String() string {
	var b strings.Builder
	b.WriteString("Schema")
	add := func(list string, index int) {
		if list != "" {
			b.WriteString("." + list)
			if index >= 0 {
				b.WriteString("[" + strconv.Itoa(index) + "]")
			}
		}
	}
	add(p.list, p.index)
	add(p.below, p.indexB)
	return b.String()
}

// slab hands out slices of elements that are allocated many at a time.
type slab[T any] struct{ free []T }

func (s *slab[T]) take(n int) []T {
	if n > len(s.free) {
		s.free = make([]T, max(n, 32, min(2*cap(s.free), 4096)))
	}
	list := s.free[:n:n]
	s.free = s.free[n:]
	return list
}

func newLoader(b []byte, text string) *loader {
	return &loader{buffer: b, text: text, s: &schema.Schema{}}
}

// fail reports a fault of what is read, or of the part of it that what names; the path is
// spelled as a verification spells it.
func (l *loader) fail(what, format string, args ...any) {
	if l.err != nil {
		return
	}
	path := l.where.String()
	if what != "" {
		path += "." + what
	}
	l.err = fmt.Errorf("%s: %s", path, fmt.Sprintf(format, args...))
}

func (l *loader) load() error {
	s, root := l.s, l.root()
	objects, enums := l.vectorField(root, schemaObjects), l.vectorField(root, schemaEnums)

	// All exist before any is filled, since types refer to them by position.
	l.objects, l.enums = make([]schema.Object, objects.n), make([]schema.Enum, enums.n)
	for i := range l.objects {
		l.where = place{list: "objects", index: i}
		l.object(table(l.element(objects, i)), &l.objects[i])
		if l.err != nil {
			return l.err
		}
	}
	for i := range l.enums {
		l.where = place{list: "enums", index: i}
		l.enum(table(l.element(enums, i)), &l.enums[i])
		if l.err != nil {
			return l.err
		}
	}
	s.Objects, s.Enums = pointers(l.objects), pointers(l.enums)
	byName(s.Objects, func(o *schema.Object) string { return o.Name })
	byName(s.Enums, func(e *schema.Enum) string { return e.Name })
	l.where = place{}
	if t := l.tableField(root, schemaRootTable); t != 0 {
		s.Root = l.named(t, "root_table")
	}
	services := l.vectorField(root, schemaServices)
	for i := range int(services.n) {
		l.where = place{list: "services", index: i}
		s.Services = append(s.Services, l.service(table(l.element(services, i))))
		if l.err != nil {
			return l.err
		}
	}
	byName(s.Services, func(v *schema.Service) string { return v.Name })
	l.where = place{}
	s.FileIdentifier = l.string(root, schemaFileIdent, "file_ident")
	s.FileExtension = l.string(root, schemaFileExt, "file_ext")
	s.Features = schema.Features(l.uint64Field(root, schemaFeatures))
	files := l.vectorField(root, schemaFiles)
	for i := range int(files.n) {
		l.where = place{list: "fbs_files", index: i}
		t := table(l.element(files, i))
		s.Files = append(s.Files, schema.File{
			Name:     l.string(t, fileName, "filename"),
			Includes: l.strings(l.vectorField(t, fileIncludes), "included_filenames"),
		})
	}
	byName(s.Files, func(f schema.File) string { return f.Name })
	return l.err
}

func pointers[T any](list []T) []*T {
	p := make([]*T, len(list))
	for i := range list {
		p[i] = &list[i]
	}
	return p
}

// byName brings a list into the order of names, which is the one that flatc writes.
func byName[T any](list []T, name func(T) string) {
	order := func(a, b T) int { return strings.Compare(name(a), name(b)) }
	if !slices.IsSortedFunc(list, order) {
		slices.SortStableFunc(list, order)
	}
}

func (l *loader) object(t table, o *schema.Object) {
	o.Name = l.string(t, objectName, "name")
	o.IsStruct = l.uint8Field(t, objectIsStruct) != 0
	o.MinAlign = int(l.int32Field(t, objectMinAlign, 0))
	o.ByteSize = int(l.int32Field(t, objectByteSize, 0))
	o.Attributes = l.attributeList(l.vectorField(t, objectAttributes))
	o.Doc = l.doc(l.vectorField(t, objectDoc))
	o.DeclarationFile = l.string(t, objectFile, "declaration_file")
	list := l.vectorField(t, objectFields)
	n := int(list.n)
	fields := l.fields.take(n)
	o.Fields = l.fieldLists.take(n)
	where := l.where
	for i := range fields {
		l.where = place{list: where.list, index: where.index, below: "fields", indexB: i}
		f := &fields[i]
		l.field(table(l.element(list, i)), f)
		// Early writers called all that is no scalar optional, in structs too.
		f.Optional = f.Optional && !o.IsStruct
		switch {
		case f.ID >= n:
			l.fail("", "field %q has the id %d, and there are only %d fields", f.Name, f.ID, n)
		case o.Fields[f.ID] != nil:
			l.fail("", "fields %q and %q both have the id %d", o.Fields[f.ID].Name, f.Name, f.ID)
		default:
			o.Fields[f.ID] = f
		}
		if l.err != nil {
			return
		}
	}
	l.where = where
}

func (l *loader) field(t table, f *schema.Field) {
	f.Name = l.string(t, fieldName, "name")
	f.Type = l.typ(l.tableField(t, fieldType), "type")
	f.ID = int(l.uint16Field(t, fieldID))
	f.Offset = int(l.uint16Field(t, fieldOffset))
	f.Padding = int(l.uint16Field(t, fieldPadding))
	f.DefaultInteger = int64(l.uint64Field(t, fieldDefaultInteger))
	f.DefaultReal = l.float64Field(t, fieldDefaultReal)
	f.Deprecated = l.uint8Field(t, fieldDeprecated) != 0
	f.Required = l.uint8Field(t, fieldRequired) != 0
	f.Key = l.uint8Field(t, fieldKey) != 0
	f.Optional = l.uint8Field(t, fieldOptional) != 0
	f.Offset64 = l.uint8Field(t, fieldOffset64) != 0
	f.Attributes = l.attributeList(l.vectorField(t, fieldAttributes))
	f.Doc = l.doc(l.vectorField(t, fieldDoc))
}

func (l *loader) enum(t table, e *schema.Enum) {
	e.Name = l.string(t, enumName, "name")
	e.IsUnion = l.uint8Field(t, enumIsUnion) != 0
	e.Underlying = l.typ(l.tableField(t, enumUnderlying), "underlying_type").Base
	e.Attributes = l.attributeList(l.vectorField(t, enumAttributes))
	_, e.BitFlags = schema.FindAttribute(e.Attributes, "bit_flags")
	e.Doc = l.doc(l.vectorField(t, enumDoc))
	e.DeclarationFile = l.string(t, enumFile, "declaration_file")
	list := l.vectorField(t, enumValues)
	values := l.values.take(int(list.n))
	hasZero := false
	where := l.where
	for i := range values {
		l.where = place{list: where.list, index: where.index, below: "values", indexB: i}
		v, t := &values[i], table(l.element(list, i))
		v.Name = l.string(t, enumValName, "name")
		v.Value = int64(l.uint64Field(t, enumValValue))
		v.Type = l.typ(l.tableField(t, enumValType), "union_type")
		v.Attributes = l.attributeList(l.vectorField(t, enumValAttributes))
		v.Doc = l.doc(l.vectorField(t, enumValDoc))
		hasZero = hasZero || v.Value == 0
		if l.err != nil {
			return
		}
	}
	l.where = where
	e.Values = l.valueLists.take(len(values))
	for i := range values {
		e.Values[i] = &values[i]
	}
	if e.IsUnion && !hasZero {
		e.Values = append(e.Values, &schema.EnumValue{Name: "NONE"})
	}
	e.SortValues()
}

func (l *loader) service(t table) *schema.Service {
	v := &schema.Service{
		Name:            l.string(t, serviceName, "name"),
		Attributes:      l.attributeList(l.vectorField(t, serviceAttributes)),
		Doc:             l.doc(l.vectorField(t, serviceDoc)),
		DeclarationFile: l.string(t, serviceFile, "declaration_file"),
	}
	calls := l.vectorField(t, serviceCalls)
	where := l.where
	for i := range int(calls.n) {
		l.where = place{list: where.list, index: where.index, below: "calls", indexB: i}
		c := table(l.element(calls, i))
		v.Calls = append(v.Calls, &schema.Call{
			Name:       l.string(c, callName, "name"),
			Request:    l.named(l.tableField(c, callRequest), "request"),
			Response:   l.named(l.tableField(c, callResponse), "response"),
			Attributes: l.attributeList(l.vectorField(c, callAttributes)),
			Doc:        l.doc(l.vectorField(c, callDoc)),
		})
		if l.err != nil {
			return v
		}
	}
	l.where = where
	return v
}

// named returns the object whose table t is, or a copy of whose table it is: the one of its
// name. All objects are known and in order.
func (l *loader) named(t table, what string) *schema.Object {
	name := l.string(t, objectName, what+".name")
	i, ok := slices.BinarySearchFunc(l.s.Objects, name, func(o *schema.Object, name string) int { return strings.Compare(o.Name, name) })
	if !ok {
		l.fail(what, "%q is none of the schema's objects", name)
		return nil
	}
	return l.s.Objects[i]
}

func (l *loader) attributeList(v vector) []schema.Attribute {
	if v.n == 0 {
		return nil
	}
	list := l.attributes.take(int(v.n))
	for i := range list {
		t := table(l.element(v, i))
		list[i] = schema.NewAttribute(l.string(t, keyValueKey, "attributes.key"), l.string(t, keyValueValue, "attributes.value"))
	}
	order := func(a, b schema.Attribute) int { return cmp.Compare(a.Key, b.Key) }
	if !slices.IsSortedFunc(list, order) {
		slices.SortStableFunc(list, order)
	}
	for i := 1; i < len(list); i++ {
		if list[i].Key == list[i-1].Key {
			l.fail("attributes", "the attribute %q is there twice", list[i].Key)
		}
	}
	return list
}

// doc returns the lines of a doc comment, which need not be UTF-8.
func (l *loader) doc(v vector) []string {
	if v.n == 0 {
		return nil
	}
	list := l.lines.take(int(v.n))
	for i := range list {
		start, end := l.stringSpan(l.element(v, i))
		list[i] = strings.ToValidUTF8(l.text[start:end], string(utf8.RuneError))
	}
	return list
}

func (l *loader) strings(v vector, what string) []string {
	var list []string
	for i := range int(v.n) {
		list = append(list, l.stringAt(l.element(v, i), what))
	}
	return list
}

func (l *loader) string(t table, id int, what string) string {
	at := l.slot(t, id)
	if at == 0 {
		return ""
	}
	return l.stringAt(l.follow(at), what)
}

func (l *loader) stringAt(at uint32, what string) string {
	start, end := l.stringSpan(at)
	s := l.text[start:end]
	if !utf8.ValidString(s) {
		l.fail(what, "at offset %d: %q is not UTF-8", start, s)
	}
	return s
}

// typ reads a type; an absent one means None.
func (l *loader) typ(t table, what string) schema.Type {
	if t == 0 {
		return schema.Type{}
	}
	typ := schema.Type{
		Base:        schema.BaseType(l.uint8Field(t, typeBase)),
		Element:     schema.BaseType(l.uint8Field(t, typeElement)),
		FixedLength: int(l.uint16Field(t, typeFixedLength)),
	}
	if typ.Base > schema.Vector64 {
		l.fail(what, "base_type is %d, which names no type", uint8(typ.Base))
		return schema.Type{}
	}
	if typ.Element > schema.Vector64 {
		l.fail(what, "element is %d, which names no type", uint8(typ.Element))
		return schema.Type{}
	}
	refers := typ.Base
	switch typ.Base {
	case schema.Vector, schema.Vector64, schema.Array:
		refers = typ.Element
	}
	index := int(l.int32Field(t, typeIndex, defaultTypeIndex))
	switch {
	case refers == schema.Obj && (index < 0 || index >= len(l.objects)):
		l.fail(what, "index %d: the type is an object, and there are %d", index, len(l.objects))
	case refers == schema.Obj:
		typ.Object = &l.objects[index]
	case (refers == schema.Union || refers.IsInteger()) && index >= len(l.enums):
		l.fail(what, "index %d: the type is an enum, and there are %d", index, len(l.enums))
	case (refers == schema.Union || refers.IsInteger()) && index >= 0:
		typ.Enum = &l.enums[index]
	}
	return typ
}
