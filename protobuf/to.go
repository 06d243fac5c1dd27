package protobuf

import (
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
)

// Of ToProto, unless told otherwise.
const (
	defaultBytes = 64 << 20
	// bytesPerByte is how often a buffer may stand for its own size.
	bytesPerByte = 16
)

// maxDepth is how deep messages nest that google.golang.org/protobuf reads.
const maxDepth = 10_000

// Unmarshal verifies a buffer and makes a message of it, which is reset before. Nil opts are the defaults
// of a verification; SkipUTF8 gives strings that Protobuf does not marshal.
//
// The error is that of the verification, or that of ToProto. Then what m holds is not told.
func (c *Converter) Unmarshal(buf []byte, m proto.Message, opts *fbverify.Options) error {
	if _, err := c.checkType(m); err != nil {
		return err
	}
	message, err := dynamic.Root(c.t, buf, opts)
	if err != nil {
		return err
	}
	proto.Reset(m)
	left := c.MaxBytes
	if left <= 0 {
		left = int64(len(buf))*bytesPerByte + 4096
	}
	return c.read(message.Root(), m, left)
}

// ToProto adds what a table of a verified buffer holds to a message, as a table of [dynamic.Message] or, for a view
// of the converter's type, of [dynamic.Of]. The message shares no memory with the buffer.
//
// The error is a [*LossError], what Lost returned, or a [*Error] where the table stands for more than MaxBytes, or nests deeper than
// 10,000 tables.
func (c *Converter) ToProto(t dynamic.Table, m proto.Message) error {
	left := c.MaxBytes
	if left <= 0 {
		left = defaultBytes
	}
	return c.read(t, m, left)
}

func (c *Converter) read(t dynamic.Table, m proto.Message, left int64) error {
	r, err := c.checkType(m)
	if err != nil {
		return err
	}
	if !r.IsValid() {
		return fmt.Errorf("protobuf: the message is nil, not a %s", c.root.d.FullName())
	}
	if t.Object() != c.root.o {
		return fmt.Errorf("protobuf: the table is a %s of another schema than the converter's", t.Object().Name())
	}
	return (&reader{trail: trail{c: c}, left: left}).message(c.root, t, r)
}

// reader makes one message.
type reader struct {
	trail
	left  int64 // bytes that may still be read
	depth int
}

// spend counts n bytes.
func (r *reader) spend(n int) error {
	if r.left -= int64(n); r.left < 0 {
		return r.fail("", "the buffer stands for more than MaxBytes bytes: tables or vectors are shared")
	}
	return nil
}

// tableSize is what a table costs at least: a place that leads to it, and where its vtable is.
const tableSize = 8

func (r *reader) message(p *plan, t dynamic.Table, m protoreflect.Message) error {
	if r.depth++; r.depth > maxDepth {
		return r.fail("", "tables nest deeper than %d", maxDepth)
	}
	defer func() { r.depth-- }()
	if err := r.spend(tableSize); err != nil {
		return err
	}
	for _, f := range p.extra {
		if t.Has(f) {
			if err := r.lost(protoreflect.Name(f.Name()), NoField); err != nil {
				return err
			}
		}
	}
	for _, f := range p.fields {
		switch {
		case f.shape == scalarShape:
			r.scalar(f, t, m)
		case f.shape == unionShape:
			if err := r.oneof(f, t, m); err != nil {
				return err
			}
		case t.Has(f.f):
			r.push(f.fd.Name())
			if err := r.field(f, t, m); err != nil {
				return err
			}
			r.pop()
		}
	}
	return nil
}

// scalar reads a number. A default that the schema has and Protobuf has not is set.
func (r *reader) scalar(f *fieldPlan, t dynamic.Table, m protoreflect.Message) {
	if !t.Has(f.f) && (f.fd.HasPresence() || !f.always) {
		return
	}
	m.Set(f.fd, scalarOf(f, t))
}

// scalarOf returns a number, or its default.
func scalarOf(f *fieldPlan, t dynamic.Table) protoreflect.Value {
	switch f.fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(t.Bool(f.f))
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(t.Int(f.f)))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(t.Int(f.f)))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(t.Int(f.f))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(t.Uint(f.f)))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(t.Uint(f.f))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(t.Float(f.f)))
	}
	return protoreflect.ValueOfFloat64(t.Float(f.f))
}

// element returns a number of a vector.
func element(kind protoreflect.Kind, v dynamic.Value) protoreflect.Value {
	switch kind {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(v.Bool())
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(v.Int()))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(v.Int()))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(v.Int())
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(v.Uint()))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(v.Uint())
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(v.Float()))
	}
	return protoreflect.ValueOfFloat64(v.Float())
}

// text returns a string or bytes as a copy.
func (r *reader) text(fd protoreflect.FieldDescriptor, b []byte) (protoreflect.Value, error) {
	if err := r.spend(4 + len(b)); err != nil {
		return protoreflect.Value{}, err
	}
	if fd.Kind() == protoreflect.BytesKind {
		return protoreflect.ValueOfBytes(append([]byte{}, b...)), nil
	}
	return protoreflect.ValueOfString(string(b)), nil
}

// field reads a field that is there and no scalar.
func (r *reader) field(f *fieldPlan, t dynamic.Table, m protoreflect.Message) error {
	switch f.shape {
	case messageShape:
		return r.message(f.child, t.Table(f.f), m.Mutable(f.fd).Message())
	case textShape:
		value, err := r.bytes(f, t)
		if err != nil {
			return err
		}
		m.Set(f.fd, value)
		return nil
	}
	v, _ := t.Get(f.f)
	if err := r.spend(4 + v.Len()*v.Type().Elem.Size); err != nil {
		return err
	}
	if v.Len() == 0 {
		return nil
	}
	if f.shape == mapShape {
		return r.entries(f, v, m.Mutable(f.fd).Map())
	}
	return r.list(f, v, m.Mutable(f.fd).List())
}

// bytes reads a string or bytes; empty ones where they are not set.
func (r *reader) bytes(f *fieldPlan, t dynamic.Table) (protoreflect.Value, error) {
	v, _ := t.Get(f.f)
	return r.text(f.fd, v.Bytes())
}

func (r *reader) list(f *fieldPlan, v dynamic.Value, l protoreflect.List) error {
	for i := range v.Len() {
		r.at(i)
		switch {
		case f.wrapped:
			if err := r.spend(tableSize); err != nil {
				return err
			}
			value, err := r.bytes(f.child.fields[0], v.At(i).Table())
			if err != nil {
				return err
			}
			l.Append(value)
		case f.child != nil:
			if err := r.message(f.child, v.At(i).Table(), l.AppendMutable().Message()); err != nil {
				return err
			}
		case f.fd.Kind() == protoreflect.StringKind:
			value, err := r.text(f.fd, v.At(i).Bytes())
			if err != nil {
				return err
			}
			l.Append(value)
		default:
			l.Append(element(f.fd.Kind(), v.At(i)))
		}
	}
	return nil
}

// entries reads a map. Of entries with one key the last counts, as in Protobuf.
func (r *reader) entries(f *fieldPlan, v dynamic.Value, m protoreflect.Map) error {
	for i := range v.Len() {
		r.at(i)
		if err := r.spend(tableSize); err != nil {
			return err
		}
		t := v.At(i).Table()
		var key protoreflect.Value
		if f.key.shape == scalarShape {
			key = scalarOf(f.key, t)
		} else {
			var err error
			if key, err = r.bytes(f.key, t); err != nil {
				return err
			}
		}
		var value protoreflect.Value
		var err error
		switch f.value.shape {
		case scalarShape:
			value = scalarOf(f.value, t)
		case messageShape:
			value = m.NewValue()
			if t.Has(f.value.f) {
				err = r.message(f.value.child, t.Table(f.value.f), value.Message())
			}
		default:
			value, err = r.bytes(f.value, t)
		}
		if err != nil {
			return err
		}
		m.Set(key.MapKey(), value)
	}
	return nil
}

// oneof reads what a union holds.
func (r *reader) oneof(f *fieldPlan, t dynamic.Table, m protoreflect.Message) error {
	tag := int64(t.Uint(f.f.TypeField()))
	if tag == 0 {
		return nil
	}
	p := f.tags[tag]
	if p == nil {
		return r.lost(f.of.Name(), NoMember)
	}
	v, _ := t.Get(f.f)
	inner := v.Union().Table()
	r.push(p.fd.Name())
	if p.child != nil {
		if err := r.message(p.child, inner, m.Mutable(p.fd).Message()); err != nil {
			return err
		}
		r.pop()
		return nil
	}
	if err := r.spend(tableSize); err != nil {
		return err
	}
	if p.inner.shape == scalarShape {
		m.Set(p.fd, scalarOf(p.inner, inner))
	} else {
		value, err := r.bytes(p.inner, inner)
		if err != nil {
			return err
		}
		m.Set(p.fd, value)
	}
	r.pop()
	return nil
}
