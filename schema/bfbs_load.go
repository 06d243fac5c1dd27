package schema

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fbverify/go/internal/wire"
)

// LoadBFBS reads a binary schema, as `flatc --binary --schema` writes it, with or
// without a size prefix. The bytes may come from anywhere: they are verified as
// they are read, and the work is bounded by a small multiple of their number.
// An error says where in the .bfbs the fault is.
//
// What flatc leaves out without `--bfbs-builtins` stays out: the attributes
// nested_flatbuffer, flexbuffer, hash and bit_flags, and with them what they mean.
// (An alignment that a struct owes to force_align is seen from its layout.) A
// .bfbs holds no defaults of strings and vectors. A union without a NONE
// gets one; enum values may stand in any order. Bytes of doc comments that
// are no UTF-8 are replaced by U+FFFD; everywhere else they are an error.
func LoadBFBS(b []byte) (*Schema, error) {
	body, shift, err := bfbsBody(b)
	if err != nil {
		return nil, fmt.Errorf("schema: .bfbs: %w", err)
	}
	s, err := loadBFBS(body, shift)
	if err != nil && shift != 0 {
		// Some put the length before a finished buffer by hand: it is aligned
		// from its own first byte then.
		if plain, plainErr := loadBFBS(body, 0); plainErr == nil {
			return plain, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("schema: .bfbs: %w", err)
	}
	return s, nil
}

// bfbsBody cuts a size prefix off and looks at the identifier. shift is the
// number of bytes cut off.
func bfbsBody(b []byte) (body []byte, shift uint64, err error) {
	identified := func(at int) bool {
		return len(b) >= at+4 && string(b[at:at+4]) == BFBSIdentifier
	}
	switch {
	case identified(4):
		return b, 0, nil
	case identified(8):
		size := uint64(binary.LittleEndian.Uint32(b))
		if size > uint64(len(b)-4) {
			return nil, 0, fmt.Errorf("its size prefix promises %d bytes, and %d follow", size, len(b)-4)
		}
		if size < 8 {
			return nil, 0, fmt.Errorf("its size prefix of %d leaves no room for a root offset and the identifier", size)
		}
		return b[4 : 4+size], 4, nil
	case len(b) < 8:
		return nil, 0, fmt.Errorf("%d bytes are too few for a root offset and the identifier %q", len(b), BFBSIdentifier)
	}
	return nil, 0, fmt.Errorf("the file identifier at offset 4 is %q, not %q: this is no binary schema", b[4:8], BFBSIdentifier)
}

// loader holds the state of one LoadBFBS. The first fault sticks in err; after
// it every read gives zero values, and loops end early.
type loader struct {
	r    wire.Reader
	text string // a copy of the buffer; strings of the schema are parts of it
	err  error

	// units is how many more tables and vector elements may be met. A buffer
	// without sharing has at most one for each four of its bytes; twice
	// that leaves room for writers that share names, types and attributes, and
	// stops those whose sharing stands for more than they are.
	units int64

	// chars is how many more bytes of strings may be looked at; a string is
	// looked at once, however many offsets lead to it. strings are those that
	// were found to be UTF-8.
	chars   int64
	strings map[uint64]string

	s        *Schema
	objectAt map[uint64]*Object
	byName   map[string]*Object
}

func loadBFBS(b []byte, shift uint64) (*Schema, error) {
	l := &loader{
		r:        wire.Reader{B: b, Rules: true, Shift: shift},
		text:     string(b),
		units:    int64(len(b)) / 2,
		chars:    int64(len(b)) * 4,
		strings:  map[uint64]string{},
		objectAt: map[uint64]*Object{},
		s:        &Schema{},
	}
	root := record{l: l, label: "schema"}
	t, err := l.r.Root()
	if err != nil {
		root.fail(err)
		return nil, l.err
	}
	root.t = t
	l.schema(&root)
	if l.err != nil {
		return nil, l.err
	}
	l.sort()
	if err := settleLayout(l.s.Objects); err != nil {
		return nil, err
	}
	if err := l.s.Check(); err != nil {
		return nil, err
	}
	return l.s, nil
}

func (l *loader) schema(root *record) {
	s := l.s
	objects := root.tables(schemaObjects, "objects", true)
	enums := root.tables(schemaEnums, "enums", true)

	// All exist before any is filled, since types refer to them by position.
	for i := range objects {
		o := &Object{Name: objects[i].str(objectName, "name", true)}
		s.Objects = append(s.Objects, o)
		l.objectAt[objects[i].t.Pos] = o
	}
	if len(l.objectAt) != len(s.Objects) {
		root.fail(errors.New("two of the objects are the same table"))
	}
	for range enums {
		s.Enums = append(s.Enums, &Enum{})
	}
	for i := range objects {
		l.object(&objects[i], s.Objects[i])
	}
	for i := range enums {
		l.enum(&enums[i], s.Enums[i])
	}
	services := root.tables(schemaServices, "services", false)
	for i := range services {
		s.Services = append(s.Services, l.service(&services[i]))
	}
	s.FileIdentifier = root.str(schemaFileIdent, "file_ident", false)
	s.FileExtension = root.str(schemaFileExt, "file_ext", false)
	s.Root = root.object(schemaRootTable, "root_table", false)
	s.Features = Features(root.uint(schemaFeatures, 8, "advanced_features"))
	files := root.tables(schemaFiles, "fbs_files", false)
	for i := range files {
		s.Files = append(s.Files, File{
			Name:     files[i].str(fileName, "filename", true),
			Includes: files[i].strs(fileIncludes, "included_filenames", utf8Required),
		})
	}
}

func (l *loader) object(r *record, o *Object) {
	o.IsStruct = r.bool(objectIsStruct, "is_struct")
	o.MinAlign = int(r.int(objectMinAlign, 4, "minalign", 0))
	o.ByteSize = int(r.int(objectByteSize, 4, "bytesize", 0))
	o.Attributes = r.attributes(objectAttributes)
	o.Doc = r.strs(objectDoc, "documentation", utf8Replaced)
	o.DeclarationFile = r.str(objectFile, "declaration_file", false)
	fields := r.tables(objectFields, "fields", true)
	o.Fields = make([]*Field, len(fields))
	for i := range fields {
		f := l.field(&fields[i])
		if l.err != nil {
			return
		}
		// Early writers called all that is no scalar optional, in structs too.
		f.Optional = f.Optional && !o.IsStruct
		switch {
		case f.ID >= len(fields):
			fields[i].fail(fmt.Errorf("field %q has the id %d, and there are only %d fields", f.Name, f.ID, len(fields)))
			return
		case o.Fields[f.ID] != nil:
			fields[i].fail(fmt.Errorf("fields %q and %q both have the id %d", o.Fields[f.ID].Name, f.Name, f.ID))
			return
		}
		o.Fields[f.ID] = f
	}
}

func (l *loader) field(r *record) *Field {
	return &Field{
		Name:           r.str(fieldName, "name", true),
		Type:           r.typ(fieldType, "type", true),
		ID:             int(r.uint(fieldID, 2, "id")),
		Offset:         int(r.uint(fieldOffset, 2, "offset")),
		Padding:        int(r.uint(fieldPadding, 2, "padding")),
		DefaultInteger: r.int(fieldDefaultInteger, 8, "default_integer", 0),
		DefaultReal:    r.float(fieldDefaultReal, "default_real"),
		Deprecated:     r.bool(fieldDeprecated, "deprecated"),
		Required:       r.bool(fieldRequired, "required"),
		Key:            r.bool(fieldKey, "key"),
		Optional:       r.bool(fieldOptional, "optional"),
		Offset64:       r.bool(fieldOffset64, "offset64"),
		Attributes:     r.attributes(fieldAttributes),
		Doc:            r.strs(fieldDoc, "documentation", utf8Replaced),
	}
}

func (l *loader) enum(r *record, e *Enum) {
	e.Name = r.str(enumName, "name", true)
	e.IsUnion = r.bool(enumIsUnion, "is_union")
	e.Underlying = r.typ(enumUnderlying, "underlying_type", true).Base
	e.Attributes = r.attributes(enumAttributes)
	_, e.BitFlags = attribute(e.Attributes, "bit_flags")
	e.Doc = r.strs(enumDoc, "documentation", utf8Replaced)
	e.DeclarationFile = r.str(enumFile, "declaration_file", false)
	values := r.tables(enumValues, "values", true)
	hasZero := false
	for i := range values {
		v := &values[i]
		value := &EnumValue{
			Name:       v.str(enumValName, "name", true),
			Value:      v.int(enumValValue, 8, "value", 0),
			Type:       v.typ(enumValType, "union_type", false),
			Attributes: v.attributes(enumValAttributes),
			Doc:        v.strs(enumValDoc, "documentation", utf8Replaced),
		}
		hasZero = hasZero || value.Value == 0
		e.Values = append(e.Values, value)
	}
	if e.IsUnion && !hasZero {
		e.Values = append(e.Values, &EnumValue{Name: "NONE"})
	}
}

func (l *loader) service(r *record) *Service {
	v := &Service{
		Name:            r.str(serviceName, "name", true),
		Attributes:      r.attributes(serviceAttributes),
		Doc:             r.strs(serviceDoc, "documentation", utf8Replaced),
		DeclarationFile: r.str(serviceFile, "declaration_file", false),
	}
	calls := r.tables(serviceCalls, "calls", false)
	for i := range calls {
		c := &calls[i]
		v.Calls = append(v.Calls, &Call{
			Name:       c.str(callName, "name", true),
			Request:    c.object(callRequest, "request", true),
			Response:   c.object(callResponse, "response", true),
			Attributes: c.attributes(callAttributes),
			Doc:        c.strs(callDoc, "documentation", utf8Replaced),
		})
	}
	return v
}

// sort puts everything into the order the model promises, whatever order the
// writer of the .bfbs chose.
func (l *loader) sort() {
	s := l.s
	sort.SliceStable(s.Objects, func(i, j int) bool { return s.Objects[i].Name < s.Objects[j].Name })
	sort.SliceStable(s.Enums, func(i, j int) bool { return s.Enums[i].Name < s.Enums[j].Name })
	sort.SliceStable(s.Services, func(i, j int) bool { return s.Services[i].Name < s.Services[j].Name })
	sort.SliceStable(s.Files, func(i, j int) bool { return s.Files[i].Name < s.Files[j].Name })
	for _, e := range s.Enums {
		sort.SliceStable(e.Values, func(i, j int) bool {
			a, b := e.Values[i].Value, e.Values[j].Value
			if e.Underlying.IsUnsigned() {
				return uint64(a) < uint64(b)
			}
			return a < b
		})
	}
}

// record is one table of the .bfbs, and where it was found.
type record struct {
	l      *loader
	t      wire.Table
	parent *record
	label  string
	index  int // in the vector called label, or -1
}

func (r *record) path() string {
	if r.parent == nil {
		return r.label
	}
	p := r.parent.path() + "." + r.label
	if r.index >= 0 {
		p += "[" + strconv.Itoa(r.index) + "]"
	}
	return p
}

func (r *record) fail(err error) {
	if r.l.err == nil && err != nil {
		r.l.err = fmt.Errorf("%s: %w", r.path(), err)
	}
}

// at returns the position of a field's bytes, and whether there are any.
func (r *record) at(id uint64, name string, required bool) (pos uint64, ok bool) {
	if r.l.err != nil {
		return 0, false
	}
	pos, ok, err := r.t.Field(id)
	r.fail(err)
	if required && !ok && err == nil {
		r.fail(fmt.Errorf("at offset %d: the required field %s is missing", r.t.Pos, name))
	}
	return pos, ok && r.l.err == nil
}

func (r *record) uint(id, size uint64, name string) uint64 {
	pos, ok := r.at(id, name, false)
	if !ok {
		return 0
	}
	v, err := r.l.r.Uint(pos, size, name)
	r.fail(err)
	return v
}

func (r *record) int(id, size uint64, name string, absent int64) int64 {
	pos, ok := r.at(id, name, false)
	if !ok {
		return absent
	}
	v, err := r.l.r.Int(pos, size, name)
	r.fail(err)
	return v
}

func (r *record) bool(id uint64, name string) bool { return r.uint(id, 1, name) != 0 }

func (r *record) float(id uint64, name string) float64 {
	pos, ok := r.at(id, name, false)
	if !ok {
		return 0
	}
	v, err := r.l.r.Float64(pos, name)
	r.fail(err)
	return v
}

// charge takes n tables or elements off the allowance.
func (r *record) charge(n uint64) bool {
	l := r.l
	if l.err == nil && n > uint64(l.units) {
		r.fail(errors.New("the offsets of this schema share so many of its parts that it stands for far more than its size"))
	}
	if l.err != nil {
		return false
	}
	l.units -= int64(n)
	return true
}

// vector returns the positions of the elements, offsets, of a vector.
func (r *record) vector(id uint64, name string, required bool) (start, count uint64) {
	pos, ok := r.at(id, name, required)
	if !ok {
		return 0, 0
	}
	pos, err := r.l.r.Follow(pos, 4, name)
	if err == nil {
		start, count, err = r.l.r.Vector(pos, 4, 4, 4, name)
	}
	r.fail(err)
	if err != nil || !r.charge(count) {
		return 0, 0
	}
	return start, count
}

func (r *record) tables(id uint64, name string, required bool) []record {
	start, count := r.vector(id, name, required)
	var list []record
	for i := uint64(0); i < count; i++ {
		child, ok := r.follow(start+4*i, name, int(i))
		if !ok {
			return nil
		}
		list = append(list, child)
	}
	return list
}

// follow returns the table that the offset at pos leads to.
func (r *record) follow(pos uint64, name string, index int) (record, bool) {
	child := record{l: r.l, parent: r, label: name, index: index}
	to, err := r.l.r.Follow(pos, 4, name)
	if err == nil {
		child.t, err = r.l.r.Table(to)
	}
	child.fail(err)
	return child, child.charge(1)
}

// utf8Rule says what becomes of a string that is no UTF-8.
type utf8Rule bool

const (
	utf8Required utf8Rule = false
	utf8Replaced utf8Rule = true
)

func (r *record) strs(id uint64, name string, rule utf8Rule) []string {
	start, count := r.vector(id, name, false)
	var list []string
	for i := uint64(0); i < count && r.l.err == nil; i++ {
		list = append(list, r.text(start+4*i, name, rule))
	}
	return list
}

func (r *record) str(id uint64, name string, required bool) string {
	pos, ok := r.at(id, name, required)
	if !ok {
		return ""
	}
	return r.text(pos, name, utf8Required)
}

// text returns the string that the offset at pos leads to.
func (r *record) text(pos uint64, name string, rule utf8Rule) string {
	l := r.l
	to, err := l.r.Follow(pos, 4, name)
	if err != nil {
		r.fail(err)
		return ""
	}
	if s, ok := l.strings[to]; ok {
		return s
	}
	b, err := l.r.String(to, name)
	if err == nil && int64(len(b)) > l.chars {
		err = errors.New("the strings of this schema overlap")
	}
	if err != nil {
		r.fail(err)
		return ""
	}
	l.chars -= int64(len(b))
	s := l.text[to+4 : to+4+uint64(len(b))]
	if !utf8.ValidString(s) {
		if rule == utf8Required {
			r.fail(fmt.Errorf("at offset %d: %s %q is not UTF-8", to+4, name, s))
			return ""
		}
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	l.strings[to] = s
	return s
}

// object returns the object whose table an offset leads to: one of the schema's
// own, or a copy of one, which is known by its name.
func (r *record) object(id uint64, name string, required bool) *Object {
	pos, ok := r.at(id, name, required)
	if !ok {
		return nil
	}
	o, ok := r.follow(pos, name, -1)
	if !ok {
		return nil
	}
	if known := r.l.objectAt[o.t.Pos]; known != nil {
		return known
	}
	full := o.str(objectName, "name", true)
	if known := r.l.objectNamed(full); known != nil {
		return known
	}
	o.fail(fmt.Errorf("%q is none of the schema's objects", full))
	return nil
}

func (l *loader) objectNamed(name string) *Object {
	if l.byName == nil {
		l.byName = make(map[string]*Object, len(l.s.Objects))
		for _, o := range l.s.Objects {
			l.byName[o.Name] = o
		}
	}
	return l.byName[name]
}

func (r *record) attributes(id uint64) []Attribute {
	list := r.tables(id, "attributes", false)
	var attributes []Attribute
	for i := range list {
		attributes = append(attributes, readAttribute(list[i].str(keyValueKey, "key", true), list[i].str(keyValueValue, "value", false)))
	}
	sort.SliceStable(attributes, func(i, j int) bool { return attributes[i].Key < attributes[j].Key })
	for i := 1; i < len(attributes); i++ {
		if attributes[i].Key == attributes[i-1].Key {
			r.fail(fmt.Errorf("the attribute %q is there twice", attributes[i].Key))
		}
	}
	return attributes
}

// typ reads a reflection.Type; absent means None.
func (r *record) typ(id uint64, name string, required bool) Type {
	pos, ok := r.at(id, name, required)
	if !ok {
		return Type{}
	}
	t, ok := r.follow(pos, name, -1)
	if !ok {
		return Type{}
	}
	typ := Type{
		Base:        t.baseType(typeBase, "base_type"),
		Element:     t.baseType(typeElement, "element"),
		FixedLength: int(t.uint(typeFixedLength, 2, "fixed_length")),
	}
	index := t.int(typeIndex, 4, "index", defaultTypeIndex)
	refers := typ.Base
	switch typ.Base {
	case Vector, Vector64, Array:
		refers = typ.Element
	}
	s := r.l.s
	switch {
	case refers == Obj && (index < 0 || index >= int64(len(s.Objects))):
		t.fail(fmt.Errorf("index %d: the type is an object, and there are %d", index, len(s.Objects)))
	case refers == Obj:
		typ.Object = s.Objects[index]
	case (refers == Union || refers.IsInteger()) && index >= int64(len(s.Enums)):
		t.fail(fmt.Errorf("index %d: the type is an enum, and there are %d", index, len(s.Enums)))
	case (refers == Union || refers.IsInteger()) && index >= 0:
		typ.Enum = s.Enums[index]
	}
	return typ
}

func (r *record) baseType(id uint64, name string) BaseType {
	b := r.uint(id, 1, name)
	if b > uint64(Vector64) {
		r.fail(fmt.Errorf("%s is %d, which names no type", name, b))
		return None
	}
	return BaseType(b)
}
