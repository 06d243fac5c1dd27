package bfbs

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sort"

	"github.com/fbverify/go/internal/wire"
	"github.com/fbverify/go/schema"
)

// Load reads a binary schema, as `flatc --binary --schema` writes it, with or
// without a size prefix. The bytes may come from anywhere: they are verified as
// they are read, and the work is bounded by a small multiple of their number.
// An error says where in the .bfbs the fault is.
//
// Without `--bfbs-builtins` flatc leaves built-in attributes out. Those that the
// rest of the file tells are put back: deprecated, key, required, offset64,
// vector64, force_align of structs, and bit_flags of an enum when a field has a
// default that is none of its values, which nothing else may have. The others
// are lost with what they mean: nested_flatbuffer, flexbuffer, hash, and bit_flags
// that do not show.
//
// A .bfbs holds no defaults of strings and vectors. A union without a NONE gets
// one; enum values may stand in any order. Bytes of doc comments that are no
// UTF-8 are replaced by U+FFFD; everywhere else they are an error.
func Load(b []byte) (*schema.Schema, error) {
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
	return s, err
}

// bfbsBody cuts a size prefix off and looks at the identifier. shift is the
// number of bytes cut off.
func bfbsBody(b []byte) (body []byte, shift uint64, err error) {
	identified := func(at int) bool {
		return len(b) >= at+4 && string(b[at:at+4]) == Identifier
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
		return nil, 0, fmt.Errorf("%d bytes are too few for a root offset and the identifier %q", len(b), Identifier)
	}
	return nil, 0, fmt.Errorf("the file identifier at offset 4 is %q, not %q: this is no binary schema", b[4:8], Identifier)
}

// LoadUnchecked is Load for bytes that [Marshal] wrote and that nobody can have changed, as
// those that are embedded in generated code.
func LoadUnchecked(b []byte) *schema.Schema {
	s, err := Load(b)
	if err != nil {
		panic(err)
	}
	return s
}

// loader holds the state of one Load. The first fault sticks in err; after
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

	s        *schema.Schema
	objectAt map[uint64]*schema.Object
	byName   map[string]*schema.Object
}

func loadBFBS(b []byte, shift uint64) (*schema.Schema, error) {
	l := &loader{
		r:        wire.Reader{B: b, Rules: true, Shift: shift},
		text:     string(b),
		units:    int64(len(b)) / 2,
		chars:    int64(len(b)) * 4,
		strings:  map[uint64]string{},
		objectAt: map[uint64]*schema.Object{},
		s:        &schema.Schema{},
	}
	root := record{l: l, label: "schema"}
	t, err := l.r.Root()
	if err != nil {
		root.fail(err)
		return nil, fmt.Errorf("schema: .bfbs: %w", l.err)
	}
	root.t = t
	l.schema(&root)
	if l.err != nil {
		return nil, fmt.Errorf("schema: .bfbs: %w", l.err)
	}
	l.sort()
	if err := settleLayout(l.s.Objects); err != nil {
		return nil, fmt.Errorf("schema: .bfbs: %w", err)
	}
	settleAttributes(l.s)
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
		o := &schema.Object{Name: objects[i].str(objectName, "name", true)}
		s.Objects = append(s.Objects, o)
		l.objectAt[objects[i].t.Pos] = o
	}
	if len(l.objectAt) != len(s.Objects) {
		root.fail(errors.New("two of the objects are the same table"))
	}
	for range enums {
		s.Enums = append(s.Enums, &schema.Enum{})
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
	s.Features = schema.Features(root.uint(schemaFeatures, 8, "advanced_features"))
	files := root.tables(schemaFiles, "fbs_files", false)
	for i := range files {
		s.Files = append(s.Files, schema.File{
			Name:     files[i].str(fileName, "filename", true),
			Includes: files[i].strs(fileIncludes, "included_filenames", utf8Required),
		})
	}
}

func (l *loader) object(r *record, o *schema.Object) {
	o.IsStruct = r.bool(objectIsStruct, "is_struct")
	o.MinAlign = int(r.int(objectMinAlign, 4, "minalign", 0))
	o.ByteSize = int(r.int(objectByteSize, 4, "bytesize", 0))
	o.Attributes = r.attributes(objectAttributes)
	o.Doc = r.strs(objectDoc, "documentation", utf8Replaced)
	o.DeclarationFile = r.str(objectFile, "declaration_file", false)
	fields := r.tables(objectFields, "fields", true)
	o.Fields = make([]*schema.Field, len(fields))
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

func (l *loader) field(r *record) *schema.Field {
	return &schema.Field{
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

func (l *loader) enum(r *record, e *schema.Enum) {
	e.Name = r.str(enumName, "name", true)
	e.IsUnion = r.bool(enumIsUnion, "is_union")
	e.Underlying = r.typ(enumUnderlying, "underlying_type", true).Base
	e.Attributes = r.attributes(enumAttributes)
	_, e.BitFlags = schema.FindAttribute(e.Attributes, "bit_flags")
	e.Doc = r.strs(enumDoc, "documentation", utf8Replaced)
	e.DeclarationFile = r.str(enumFile, "declaration_file", false)
	values := r.tables(enumValues, "values", true)
	hasZero := false
	for i := range values {
		v := &values[i]
		value := &schema.EnumValue{
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
		e.Values = append(e.Values, &schema.EnumValue{Name: "NONE"})
	}
}

func (l *loader) service(r *record) *schema.Service {
	v := &schema.Service{
		Name:            r.str(serviceName, "name", true),
		Attributes:      r.attributes(serviceAttributes),
		Doc:             r.strs(serviceDoc, "documentation", utf8Replaced),
		DeclarationFile: r.str(serviceFile, "declaration_file", false),
	}
	calls := r.tables(serviceCalls, "calls", false)
	for i := range calls {
		c := &calls[i]
		v.Calls = append(v.Calls, &schema.Call{
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
