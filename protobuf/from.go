package protobuf

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	flatbuffers "github.com/google/flatbuffers/go"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fbverify/go/schema"
)

// MaxBuffer is how many bytes a buffer can have that is made here: 1 GiB. A builder of
// google/flatbuffers/go panics where it would grow further.
const MaxBuffer = 1 << 30

// defaultDepth is how deep a verification lets tables nest unless told otherwise.
const defaultDepth = 64

// Marshal returns a message as a buffer, with the schema's file identifier if it has one. The buffer
// verifies as the converter's type if MaxDepth is not more than the verification's, and
// strictly too unless it has numbers that an enum does not name or NUL bytes in strings, which Protobuf allows.
func (c *Converter) Marshal(m proto.Message) ([]byte, error) {
	b := flatbuffers.NewBuilder(1024)
	root, err := c.FromProto(b, m)
	if err != nil {
		return nil, err
	}
	if id := c.t.Schema().FileIdentifier; id != "" {
		b.FinishWithFileIdentifier(root, []byte(id))
	} else {
		b.Finish(root)
	}
	return b.FinishedBytes(), nil
}

// FromProto builds the table for a message and returns its offset, for Finish or for
// a field of a larger buffer. After an error the builder has to be reset.
//
// The error is a [*LossError], what Lost returned, or a [*Error]: a string that is not UTF-8, tables that nest deeper
// than MaxDepth, a required string, message or bytes that are not set, or a buffer of more than
// MaxBuffer bytes.
func (c *Converter) FromProto(b *flatbuffers.Builder, m proto.Message) (flatbuffers.UOffsetT, error) {
	r, err := c.checkType(m)
	if err != nil {
		return 0, err
	}
	w := &writer{trail: trail{c: c}, tables: tables{b: b}, left: c.MaxDepth}
	if w.left <= 0 {
		w.left = defaultDepth
	}
	return w.message(c.root, r)
}

// writer makes a buffer of one message.
type writer struct {
	trail
	tables
	left int // how many levels of tables may follow
	refs []flatbuffers.UOffsetT
}

// down goes one table deeper.
func (w *writer) down() error {
	if w.left--; w.left < 0 {
		return w.fail("", "tables nest deeper than MaxDepth allows")
	}
	return nil
}

func (w *writer) up() { w.left++ }

// room returns an error if n more bytes, and what aligns them, are too many.
func (w *writer) room(n int) error {
	if n > MaxBuffer || int(w.b.Offset()) > MaxBuffer-n-64 {
		return w.fail("", "the buffer would have more than %d bytes", MaxBuffer)
	}
	return nil
}

// message writes a message and all below it.
func (w *writer) message(p *plan, m protoreflect.Message) (flatbuffers.UOffsetT, error) {
	if err := w.down(); err != nil {
		return 0, err
	}
	defer w.up()
	if err := w.losses(p, m); err != nil {
		return 0, err
	}
	if err := w.room(4 + 14*p.slots); err != nil {
		return 0, err
	}
	// What the table refers to comes before it.
	base := len(w.refs)
	w.refs = append(w.refs, make([]flatbuffers.UOffsetT, p.refs)...)
	for _, f := range p.fields {
		if f.shape == scalarShape {
			continue
		}
		offset, err := w.field(f, m)
		if err != nil {
			return 0, err
		}
		w.refs[base+f.ref] = offset
	}
	w.begin()
	for _, f := range p.fields {
		switch {
		case f.shape != scalarShape:
			if offset := w.refs[base+f.ref]; offset != 0 {
				w.b.PrependUOffsetT(offset)
				w.slot(f.slot)
			}
		case f.always || m.Has(f.fd):
			w.scalar(f, m.Get(f.fd))
		}
	}
	for _, f := range p.fields {
		if f.shape == unionShape && w.refs[base+f.ref] != 0 {
			w.b.PrependByte(byte(f.members[m.WhichOneof(f.of).Number()].tag))
			w.slot(f.slot - 1)
		}
	}
	w.refs = w.refs[:base]
	return w.table()
}

// table ends a table.
func (w *writer) table() (flatbuffers.UOffsetT, error) {
	offset, ok := w.finish()
	if !ok {
		return 0, w.fail("", "its fields have more than %d bytes, and no table can", maxTable)
	}
	return offset, nil
}

// losses tells of what the table has no place for.
func (w *writer) losses(p *plan, m protoreflect.Message) (err error) {
	if len(m.GetUnknown()) > 0 {
		if err := w.lost("", UnknownFields); err != nil {
			return err
		}
	}
	if p.complete {
		return nil
	}
	m.Range(func(fd protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		switch {
		case fd.IsExtension():
			err = w.lost(fd.Name(), SetExtension)
		case p.known[fd.Number()]:
		case realOneof(fd) != nil:
			err = w.lost(fd.Name(), NoMember)
		default:
			err = w.lost(fd.Name(), NoField)
		}
		return err == nil
	})
	return err
}

// field writes what a field refers to, and returns 0 where there is nothing.
func (w *writer) field(f *fieldPlan, m protoreflect.Message) (flatbuffers.UOffsetT, error) {
	if f.shape == unionShape {
		return w.oneof(f, m)
	}
	if !m.Has(f.fd) {
		if f.f.Required() {
			return 0, w.fail(f.fd.Name(), "it is required and not set")
		}
		return 0, nil
	}
	w.push(f.fd.Name())
	offset, err := w.value(f, m.Get(f.fd))
	if err == nil {
		w.pop()
	}
	return offset, err
}

// value writes a value that is no scalar.
func (w *writer) value(f *fieldPlan, v protoreflect.Value) (flatbuffers.UOffsetT, error) {
	switch f.shape {
	case textShape:
		return w.text(f.fd, v)
	case messageShape:
		return w.message(f.child, v.Message())
	case listShape:
		return w.list(f, v.List())
	default:
		return w.entries(f, v.Map())
	}
}

func (w *writer) text(fd protoreflect.FieldDescriptor, v protoreflect.Value) (flatbuffers.UOffsetT, error) {
	if fd.Kind() == protoreflect.BytesKind {
		b := v.Bytes()
		if err := w.room(len(b) + 4); err != nil {
			return 0, err
		}
		return w.b.CreateByteVector(b), nil
	}
	s := v.String()
	if err := w.room(len(s) + 5); err != nil {
		return 0, err
	}
	if !utf8.ValidString(s) {
		return 0, w.fail("", "the string is not UTF-8")
	}
	return w.b.CreateString(s), nil
}

// list writes a vector.
func (w *writer) list(f *fieldPlan, l protoreflect.List) (flatbuffers.UOffsetT, error) {
	n := l.Len()
	size := f.f.Type().Elem.Size
	if n > MaxBuffer/size {
		return 0, w.room(MaxBuffer)
	}
	if err := w.room(4 + n*size); err != nil {
		return 0, err
	}
	if f.child == nil && f.fd.Kind() != protoreflect.StringKind {
		w.b.StartVector(size, n, size)
		for i := n - 1; i >= 0; i-- {
			w.prepend(f.fd.Kind(), l.Get(i))
		}
		return w.b.EndVector(n), nil
	}
	base := len(w.refs)
	for i := range n {
		w.at(i)
		var offset flatbuffers.UOffsetT
		var err error
		switch {
		case f.wrapped:
			offset, err = w.wrap(f.child.fields[0], l.Get(i))
		case f.child != nil:
			offset, err = w.message(f.child, l.Get(i).Message())
		default:
			offset, err = w.text(f.fd, l.Get(i))
		}
		if err != nil {
			return 0, err
		}
		w.refs = append(w.refs, offset)
	}
	return w.offsets(base)
}

// offsets writes a vector of the offsets that were pushed since base.
func (w *writer) offsets(base int) (flatbuffers.UOffsetT, error) {
	list := w.refs[base:]
	if err := w.room(4 + 4*len(list)); err != nil {
		return 0, err
	}
	w.b.StartVector(4, len(list), 4)
	for _, offset := range slices.Backward(list) {
		w.b.PrependUOffsetT(offset)
	}
	w.refs = w.refs[:base]
	return w.b.EndVector(len(list)), nil
}

// entries writes a map as a vector of entries in the order of their keys.
func (w *writer) entries(f *fieldPlan, m protoreflect.Map) (flatbuffers.UOffsetT, error) {
	keys := make([]protoreflect.MapKey, 0, m.Len())
	m.Range(func(k protoreflect.MapKey, _ protoreflect.Value) bool {
		keys = append(keys, k)
		return true
	})
	kind := f.fd.MapKey().Kind()
	slices.SortFunc(keys, func(a, b protoreflect.MapKey) int { return compareKeys(kind, a, b) })
	base := len(w.refs)
	for _, k := range keys {
		w.atKey(k)
		offset, err := w.entry(f, k, m.Get(k))
		if err != nil {
			return 0, err
		}
		w.refs = append(w.refs, offset)
	}
	return w.offsets(base)
}

func compareKeys(kind protoreflect.Kind, a, b protoreflect.MapKey) int {
	switch {
	case kind == protoreflect.StringKind:
		return strings.Compare(a.String(), b.String())
	case kind == protoreflect.BoolKind:
		return bit(a.Bool()) - bit(b.Bool())
	case scalars[kind].IsUnsigned():
		return cmp.Compare(a.Uint(), b.Uint())
	}
	return cmp.Compare(a.Int(), b.Int())
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// entry writes the table of one entry.
func (w *writer) entry(f *fieldPlan, k protoreflect.MapKey, v protoreflect.Value) (flatbuffers.UOffsetT, error) {
	if err := w.down(); err != nil {
		return 0, err
	}
	defer w.up()
	if err := w.room(64); err != nil {
		return 0, err
	}
	var key, value flatbuffers.UOffsetT
	var err error
	if f.key.shape != scalarShape {
		if key, err = w.text(f.key.fd, k.Value()); err != nil {
			return 0, err
		}
	}
	if f.value.shape != scalarShape {
		if value, err = w.value(f.value, v); err != nil {
			return 0, err
		}
	}
	w.begin()
	put := func(f *fieldPlan, v protoreflect.Value, offset flatbuffers.UOffsetT) {
		switch {
		case f.shape != scalarShape:
			w.b.PrependUOffsetT(offset)
			w.slot(f.slot)
		case f.always || !isZero(f.fd.Kind(), v):
			w.scalar(f, v)
		}
	}
	if f.value.size > f.key.size {
		put(f.value, v, value)
		put(f.key, k.Value(), key)
	} else {
		put(f.key, k.Value(), key)
		put(f.value, v, value)
	}
	return w.table()
}

// oneof writes the member of a union that is set.
func (w *writer) oneof(f *fieldPlan, m protoreflect.Message) (flatbuffers.UOffsetT, error) {
	fd := m.WhichOneof(f.of)
	if fd == nil {
		return 0, nil
	}
	member := f.members[fd.Number()]
	if member == nil {
		return 0, nil // losses told of it
	}
	w.push(fd.Name())
	var offset flatbuffers.UOffsetT
	var err error
	if member.child != nil {
		offset, err = w.message(member.child, m.Get(fd).Message())
	} else {
		offset, err = w.wrap(member.inner, m.Get(fd))
	}
	if err == nil {
		w.pop()
	}
	return offset, err
}

// wrap writes the table that holds one value.
func (w *writer) wrap(f *fieldPlan, v protoreflect.Value) (flatbuffers.UOffsetT, error) {
	if err := w.down(); err != nil {
		return 0, err
	}
	defer w.up()
	if err := w.room(64); err != nil {
		return 0, err
	}
	var offset flatbuffers.UOffsetT
	if f.shape != scalarShape {
		var err error
		if offset, err = w.text(f.fd, v); err != nil {
			return 0, err
		}
	}
	w.begin()
	if f.shape != scalarShape {
		w.b.PrependUOffsetT(offset)
		w.slot(f.slot)
	} else {
		w.scalar(f, v)
	}
	return w.table()
}

// scalar writes a number into the table that was begun, whatever the default is.
func (w *writer) scalar(f *fieldPlan, v protoreflect.Value) {
	w.prepend(f.fd.Kind(), v)
	w.slot(f.slot)
}

func (w *writer) prepend(kind protoreflect.Kind, v protoreflect.Value) {
	switch scalars[kind] {
	case schema.Bool:
		w.b.PrependBool(v.Bool())
	case schema.Int:
		w.b.PrependInt32(int32(v.Int()))
	case schema.UInt:
		w.b.PrependUint32(uint32(v.Uint()))
	case schema.Long:
		w.b.PrependInt64(v.Int())
	case schema.ULong:
		w.b.PrependUint64(v.Uint())
	case schema.Float:
		w.b.PrependFloat32(float32(v.Float()))
	case schema.Double:
		w.b.PrependFloat64(v.Float())
	default:
		w.b.PrependInt32(int32(v.Enum()))
	}
}

// isZero reports whether a number is the default of a field without presence, all of its
// bits 0.
func isZero(kind protoreflect.Kind, v protoreflect.Value) bool {
	switch {
	case kind == protoreflect.EnumKind:
		return v.Enum() == 0
	case kind == protoreflect.BoolKind:
		return !v.Bool()
	case scalars[kind].IsFloat():
		return math.Float64bits(v.Float()) == 0
	case scalars[kind].IsUnsigned():
		return v.Uint() == 0
	}
	return v.Int() == 0
}
