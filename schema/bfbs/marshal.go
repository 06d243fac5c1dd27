package bfbs

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"github.com/fbverify/go/schema"
	flatbuffers "github.com/google/flatbuffers/go"
)

// Marshal writes the schema in binary form, as `flatc --binary --schema
// --bfbs-builtins --bfbs-comments` would: everything sorted, attributes and doc
// comments included. [Load] gives an equal schema back, but for the defaults of
// strings and vectors, which a .bfbs cannot hold. It fails where [schema.Schema.Check]
// does, and where a number is too large for its place.
func Marshal(s *schema.Schema) ([]byte, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	m := &marshaler{
		objectIndex: make(map[*schema.Object]int, len(s.Objects)),
		enumIndex:   make(map[*schema.Enum]int, len(s.Enums)),
		objects:     make(map[*schema.Object]flatbuffers.UOffsetT, len(s.Objects)),
	}
	if m.size(s) > math.MaxInt32/2 {
		return nil, errors.New("schema: too large for a .bfbs")
	}
	m.b = flatbuffers.NewBuilder(4096)
	root := m.schema(s)
	if m.err != nil {
		return nil, fmt.Errorf("schema: cannot be written as .bfbs: %w", m.err)
	}
	m.b.FinishWithFileIdentifier(root, []byte(Identifier))
	return m.b.FinishedBytes(), nil
}

// marshaler holds the state of one Marshal. The first error sticks.
type marshaler struct {
	b           *flatbuffers.Builder
	objectIndex map[*schema.Object]int // in order of names, as types refer to them
	enumIndex   map[*schema.Enum]int
	objects     map[*schema.Object]flatbuffers.UOffsetT
	err         error
}

func (m *marshaler) schema(s *schema.Schema) flatbuffers.UOffsetT {
	objects := sorted(s.Objects, func(o *schema.Object) string { return o.Name })
	enums := sorted(s.Enums, func(e *schema.Enum) string { return e.Name })
	services := sorted(s.Services, func(v *schema.Service) string { return v.Name })
	files := sorted(s.Files, func(f schema.File) string { return f.Name })
	for i, o := range objects {
		m.objectIndex[o] = i
	}
	for i, e := range enums {
		m.enumIndex[e] = i
	}
	b := m.b
	objectList := each(m, objects, m.object)
	enumList := each(m, enums, m.enum)
	serviceList := each(m, services, m.service)
	fileList := each(m, files, func(f schema.File) flatbuffers.UOffsetT {
		// flatc reads the list of includes without asking whether there is one.
		name, includes := b.CreateSharedString(f.Name), each(m, f.Includes, b.CreateSharedString)
		b.StartObject(numFile)
		m.offset(fileName, name)
		m.offset(fileIncludes, includes)
		return b.EndObject()
	})
	identifier, extension := b.CreateSharedString(s.FileIdentifier), b.CreateSharedString(s.FileExtension)
	b.StartObject(numSchema)
	m.offset(schemaObjects, objectList)
	m.offset(schemaEnums, enumList)
	m.offset(schemaFileIdent, identifier)
	m.offset(schemaFileExt, extension)
	if s.Root != nil {
		m.offset(schemaRootTable, m.objects[s.Root])
	}
	m.offset(schemaServices, serviceList)
	b.PrependUint64Slot(schemaFeatures, uint64(s.Features), 0)
	m.offset(schemaFiles, fileList)
	return b.EndObject()
}

func (m *marshaler) object(o *schema.Object) flatbuffers.UOffsetT {
	fields := each(m, sorted(o.Fields, func(f *schema.Field) string { return f.Name }), func(f *schema.Field) flatbuffers.UOffsetT {
		return m.field(o, f)
	})
	b := m.b
	name, file := b.CreateSharedString(o.Name), b.CreateSharedString(o.DeclarationFile)
	attributes, doc := m.attributes(o.Attributes), m.strings(o.Doc)
	b.StartObject(numObject)
	m.offset(objectName, name)
	m.offset(objectFields, fields)
	b.PrependBoolSlot(objectIsStruct, o.IsStruct, false)
	b.PrependInt32Slot(objectMinAlign, m.int32(o.MinAlign, o.Name), 0)
	b.PrependInt32Slot(objectByteSize, m.int32(o.ByteSize, o.Name), 0)
	m.offset(objectAttributes, attributes)
	m.offset(objectDoc, doc)
	m.offset(objectFile, file)
	m.objects[o] = b.EndObject()
	return m.objects[o]
}

func (m *marshaler) field(o *schema.Object, f *schema.Field) flatbuffers.UOffsetT {
	full := o.Name + "." + f.Name
	b := m.b
	name, typ := b.CreateSharedString(f.Name), m.typ(f.Type, full)
	attributes, doc := m.attributes(f.Attributes), m.strings(f.Doc)
	b.StartObject(numField)
	m.offset(fieldName, name)
	m.offset(fieldType, typ)
	b.PrependUint16Slot(fieldID, m.uint16(f.ID, full), 0)
	b.PrependUint16Slot(fieldOffset, m.uint16(f.Offset, full), 0)
	if f.Type.IsInteger() {
		b.PrependInt64Slot(fieldDefaultInteger, f.DefaultInteger, 0)
	}
	if f.Type.IsFloat() {
		b.PrependFloat64Slot(fieldDefaultReal, f.DefaultReal, 0)
	}
	b.PrependBoolSlot(fieldDeprecated, f.Deprecated, false)
	b.PrependBoolSlot(fieldRequired, f.Required, false)
	b.PrependBoolSlot(fieldKey, f.Key, false)
	m.offset(fieldAttributes, attributes)
	m.offset(fieldDoc, doc)
	b.PrependBoolSlot(fieldOptional, f.Optional, false)
	b.PrependUint16Slot(fieldPadding, m.uint16(f.Padding, full), 0)
	b.PrependBoolSlot(fieldOffset64, f.Offset64, false)
	return b.EndObject()
}

func (m *marshaler) typ(t schema.Type, full string) flatbuffers.UOffsetT {
	index := defaultTypeIndex
	if t.Object != nil {
		index = m.objectIndex[t.Object]
	} else if t.Enum != nil {
		index = m.enumIndex[t.Enum]
	}
	elementSize := writtenSize(t.Element)
	if t.Base == schema.Vector && t.Element == schema.Obj && t.Object.IsStruct {
		elementSize = uint32(t.Object.ByteSize)
	}
	b := m.b
	b.StartObject(numType)
	b.PrependByteSlot(typeBase, byte(t.Base), 0)
	b.PrependByteSlot(typeElement, byte(t.Element), 0)
	b.PrependInt32Slot(typeIndex, int32(index), defaultTypeIndex)
	b.PrependUint16Slot(typeFixedLength, m.uint16(t.FixedLength, full), 0)
	b.PrependUint32Slot(typeBaseSize, writtenSize(t.Base), defaultTypeBaseSize)
	b.PrependUint32Slot(typeElementSize, elementSize, defaultTypeElementSize)
	return b.EndObject()
}

// writtenSize returns what flatc writes as the size of a type: it takes None for
// a byte and an Array for an offset.
func writtenSize(b schema.BaseType) uint32 {
	switch b {
	case schema.None:
		return 1
	case schema.Array:
		return 4
	}
	return uint32(b.Size())
}

func (m *marshaler) enum(e *schema.Enum) flatbuffers.UOffsetT {
	b := m.b
	values := each(m, e.Values, func(v *schema.EnumValue) flatbuffers.UOffsetT {
		name, typ := b.CreateSharedString(v.Name), m.typ(v.Type, e.Name)
		attributes, doc := m.attributes(v.Attributes), m.strings(v.Doc)
		b.StartObject(numEnumVal)
		m.offset(enumValName, name)
		b.PrependInt64Slot(enumValValue, v.Value, 0)
		m.offset(enumValType, typ)
		m.offset(enumValDoc, doc)
		m.offset(enumValAttributes, attributes)
		return b.EndObject()
	})
	name, file := b.CreateSharedString(e.Name), b.CreateSharedString(e.DeclarationFile)
	underlying := m.typ(schema.Type{Base: e.Underlying, Enum: e}, e.Name)
	attributes, doc := m.attributes(e.Attributes), m.strings(e.Doc)
	b.StartObject(numEnum)
	m.offset(enumName, name)
	m.offset(enumValues, values)
	b.PrependBoolSlot(enumIsUnion, e.IsUnion, false)
	m.offset(enumUnderlying, underlying)
	m.offset(enumAttributes, attributes)
	m.offset(enumDoc, doc)
	m.offset(enumFile, file)
	return b.EndObject()
}

func (m *marshaler) service(v *schema.Service) flatbuffers.UOffsetT {
	b := m.b
	calls := each(m, v.Calls, func(c *schema.Call) flatbuffers.UOffsetT {
		name := b.CreateSharedString(c.Name)
		attributes, doc := m.attributes(c.Attributes), m.strings(c.Doc)
		b.StartObject(numCall)
		m.offset(callName, name)
		m.offset(callRequest, m.objects[c.Request])
		m.offset(callResponse, m.objects[c.Response])
		m.offset(callAttributes, attributes)
		m.offset(callDoc, doc)
		return b.EndObject()
	})
	name, file := b.CreateSharedString(v.Name), b.CreateSharedString(v.DeclarationFile)
	attributes, doc := m.attributes(v.Attributes), m.strings(v.Doc)
	b.StartObject(numService)
	m.offset(serviceName, name)
	m.offset(serviceCalls, calls)
	m.offset(serviceAttributes, attributes)
	m.offset(serviceDoc, doc)
	m.offset(serviceFile, file)
	return b.EndObject()
}

func (m *marshaler) attributes(list []schema.Attribute) flatbuffers.UOffsetT {
	if len(list) == 0 {
		return 0
	}
	return each(m, sorted(list, func(a schema.Attribute) string { return a.Key }), func(a schema.Attribute) flatbuffers.UOffsetT {
		key, value := m.b.CreateSharedString(a.Key), m.b.CreateSharedString(a.BinaryValue())
		m.b.StartObject(numKeyValue)
		m.offset(keyValueKey, key)
		m.offset(keyValueValue, value)
		return m.b.EndObject()
	})
}

func (m *marshaler) strings(list []string) flatbuffers.UOffsetT {
	if len(list) == 0 {
		return 0
	}
	return each(m, list, m.b.CreateSharedString)
}

// offset fills the slot of a table with an offset; 0 leaves it empty.
func (m *marshaler) offset(id int, to flatbuffers.UOffsetT) {
	m.b.PrependUOffsetTSlot(id, to, 0)
}

// each writes every item and then the vector of their offsets.
func each[T any](m *marshaler, items []T, write func(T) flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	offsets := make([]flatbuffers.UOffsetT, len(items))
	for i, item := range items {
		offsets[i] = write(item)
	}
	m.b.StartVector(flatbuffers.SizeUOffsetT, len(offsets), flatbuffers.SizeUOffsetT)
	for i := len(offsets) - 1; i >= 0; i-- {
		m.b.PrependUOffsetT(offsets[i])
	}
	return m.b.EndVector(len(offsets))
}

// sorted returns a copy of items in order of their keys.
func sorted[T any](items []T, key func(T) string) []T {
	items = append([]T(nil), items...)
	sort.SliceStable(items, func(i, j int) bool { return key(items[i]) < key(items[j]) })
	return items
}

func (m *marshaler) uint16(v int, owner string) uint16 {
	if v < 0 || v > math.MaxUint16 {
		m.fail(v, 0, math.MaxUint16, owner)
	}
	return uint16(v)
}

func (m *marshaler) int32(v int, owner string) int32 {
	if v < 0 || v > math.MaxInt32 {
		m.fail(v, 0, math.MaxInt32, owner)
	}
	return int32(v)
}

func (m *marshaler) fail(v, low, high int, owner string) {
	if m.err == nil {
		m.err = fmt.Errorf("%s: %d is not in the range from %d to %d", owner, v, low, high)
	}
}

// size returns about how many bytes the .bfbs will have, from above: the builder
// panics where a buffer grows too large.
func (m *marshaler) size(s *schema.Schema) (n int64) {
	const table = 128 // no table of reflection.fbs takes more with its vtable and its type
	text := func(list ...string) {
		for _, t := range list {
			n += int64(len(t)) + 16
		}
	}
	common := func(name, file string, attributes []schema.Attribute, doc []string) {
		n += table
		text(name, file)
		text(doc...)
		for _, a := range attributes {
			n += table
			text(a.Key, a.Value)
		}
	}
	for _, o := range s.Objects {
		common(o.Name, o.DeclarationFile, o.Attributes, o.Doc)
		for _, f := range o.Fields {
			common(f.Name, "", f.Attributes, f.Doc)
		}
	}
	for _, e := range s.Enums {
		common(e.Name, e.DeclarationFile, e.Attributes, e.Doc)
		for _, v := range e.Values {
			common(v.Name, "", v.Attributes, v.Doc)
		}
	}
	for _, v := range s.Services {
		common(v.Name, v.DeclarationFile, v.Attributes, v.Doc)
		for _, c := range v.Calls {
			common(c.Name, "", c.Attributes, c.Doc)
		}
	}
	for _, f := range s.Files {
		common(f.Name, "", nil, f.Includes)
	}
	return n
}
