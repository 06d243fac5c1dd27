package protobuf

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/schema"
)

// Converter converts the messages of one type into buffers and back. It is compiled once
// and used for ever, and is safe for concurrent use, so long as its exported fields are not changed.
type Converter struct {
	// MaxDepth is how deep the tables of a buffer may nest that FromProto and Marshal make,
	// the root being at depth 1; 0 means 64, which is what a verification allows unless told otherwise.
	MaxDepth int

	// MaxBytes is how many bytes of a buffer ToProto and Unmarshal read, what is shared
	// each time. 0 means sixteen times the size of the buffer and 4,096 more for Unmarshal, and
	// 64 MiB for ToProto, which does not know the size.
	MaxBytes int64

	// Lost is told of what a conversion leaves out. The conversion ends with the
	// error that it returns, and goes on after nil. A nil Lost returns what it is told.
	Lost func(*LossError) error

	t    *fbverify.Type
	root *plan
}

// Error is a fault of a conversion.
type Error struct {
	Path   string // of the value in the message, "shop.Order.items[3].name"
	Reason string
}

// Error returns the path and the reason.
func (e *Error) Error() string { return "protobuf: " + e.Path + ": " + e.Reason }

// LossKind says what is left out.
type LossKind string

// The kinds of losses.
const (
	UnknownFields LossKind = "unknown fields" // of the message, which its descriptor does not know
	SetExtension  LossKind = "extension"      // that is set
	NoField       LossKind = "no field"       // the other side has none for a field that is set, or one of another type
	NoMember      LossKind = "no member"      // the descriptor, or the schema, does not know the member that a union holds
)

// LossError is something that a conversion would leave out.
type LossError struct {
	Path string // of the message, or of the field in it
	Kind LossKind
}

// Error returns the path and the kind.
func (e *LossError) Error() string {
	return "protobuf: " + e.Path + ": " + string(e.Kind) + " would be lost"
}

// NewConverter returns a converter between buffers of t and messages of a type. The schema of t
// has to be one that [Schema] made, of the same files or of an earlier or a later version of them:
// fields are matched by their numbers, and those that only one side has can be lost, see [Converter.Lost].
//
// The error says that the root of t is the table of another message, or of none.
func NewConverter(t *fbverify.Type, d protoreflect.MessageDescriptor) (*Converter, error) {
	p := &planner{plans: map[planKey]*plan{}}
	root, err := p.plan(dynamic.ObjectOf(t), d)
	if err != nil {
		return nil, err
	}
	for _, q := range p.plans {
		q.order()
	}
	return &Converter{t: t, root: root}, nil
}

// plan is how one message and one table are each other's.
type plan struct {
	d      protoreflect.MessageDescriptor
	o      *dynamic.Object
	slots  int
	fields []*fieldPlan // in the order in which they are written: the most aligned first
	refs   int          // number of fields that are behind an offset

	known    map[protoreflect.FieldNumber]bool // numbers that the table has fields or members for
	complete bool                              // all that can be set is known
	extra    []*dynamic.Field                  // fields of the table that the message does not have
}

// shape is what has to be done for a field.
type shape uint8

const (
	scalarShape shape = iota
	textShape         // string or bytes
	messageShape
	listShape
	mapShape
	unionShape
)

// fieldPlan is how one field, or the oneof, of a message is stored.
type fieldPlan struct {
	shape shape
	fd    protoreflect.FieldDescriptor // nil for a oneof
	f     *dynamic.Field
	slot  int
	size  int // inline
	ref   int // index among those that are behind an offset

	// always says that an unset field without presence is stored, too: the schema's default is another.
	always bool

	child      *plan // of a message, of the elements of a list, of a map's values
	wrapped    bool  // the list's elements are bytes in a table
	key, value *fieldPlan

	of      protoreflect.OneofDescriptor
	members map[protoreflect.FieldNumber]*memberPlan
	tags    map[int64]*memberPlan
}

// memberPlan is how a field of a oneof is stored: as the table of a message, or in the
// table that wraps it.
type memberPlan struct {
	fd    protoreflect.FieldDescriptor
	tag   int64
	child *plan
	inner *fieldPlan // of a wrapper, its only field
}

type planKey struct {
	o *dynamic.Object
	d protoreflect.FullName
}

type planner struct {
	plans map[planKey]*plan
}

// plan returns the plan of a message; that of one which is being made has no fields as yet.
func (p *planner) plan(o *dynamic.Object, d protoreflect.MessageDescriptor) (*plan, error) {
	if name, ok := o.Schema().Attribute(Attribute); !ok {
		return nil, fmt.Errorf("protobuf: the table %s stands for no message: it does not have the attribute %s", o.Name(), Attribute)
	} else if name != string(d.FullName()) {
		return nil, fmt.Errorf("protobuf: the table %s stands for the message %s, not for %s", o.Name(), name, d.FullName())
	}
	key := planKey{o, d.FullName()}
	if q := p.plans[key]; q != nil {
		return q, nil
	}
	q := &plan{d: d, o: o, slots: o.NumFields(), known: map[protoreflect.FieldNumber]bool{}}
	p.plans[key] = q
	for f := range fieldsOf(o) {
		n, ok := numberOf(f.Schema().Attributes)
		if !ok || f.Deprecated() || q.known[n] {
			continue
		}
		if fd := d.Fields().ByNumber(n); fd != nil && realOneof(fd) == nil {
			if fp := p.field(f, fd); fp != nil {
				q.fields = append(q.fields, fp)
				q.known[n] = true
			}
		}
	}
	for i := range d.Oneofs().Len() {
		if of := d.Oneofs().Get(i); !of.IsSynthetic() {
			p.oneof(q, of)
		}
	}
	used := map[*dynamic.Field]bool{}
	for _, fp := range q.fields {
		used[fp.f] = true
	}
	for f := range fieldsOf(o) {
		if !used[f] && !f.Deprecated() && f.Schema().Type.Base != schema.UType {
			q.extra = append(q.extra, f)
		}
	}
	q.complete = len(q.known) == d.Fields().Len() && d.ExtensionRanges().Len() == 0
	return q, nil
}

func fieldsOf(o *dynamic.Object) func(func(*dynamic.Field) bool) {
	return func(yield func(*dynamic.Field) bool) {
		for i := range o.NumFields() {
			if !yield(o.FieldByID(i)) {
				return
			}
		}
	}
}

// field returns the plan for a field, nil where the schema's field has another type.
func (p *planner) field(f *dynamic.Field, fd protoreflect.FieldDescriptor) *fieldPlan {
	fp := &fieldPlan{fd: fd, f: f, slot: f.Schema().ID, size: f.Type().Size}
	t := f.Schema().Type
	switch {
	case fd.IsMap():
		return p.entries(fp)
	case fd.IsList():
		if t.Base != schema.Vector {
			return nil
		}
		fp.shape = listShape
		if fd.Kind() == protoreflect.BytesKind {
			fp.wrapped = true
			if fp = p.elements(fp, f.Type().Elem.Object, wrapperOf(fd)); fp == nil || len(fp.child.fields) != 1 {
				return nil
			}
			return fp
		}
		if fd.Message() != nil {
			return p.elements(fp, f.Type().Elem.Object, fd.Message())
		}
		t = t.ElementType()
	case fd.Message() != nil:
		fp.shape = messageShape
		if !t.IsTable() {
			return nil
		}
		return p.elements(fp, f.Type().Object, fd.Message())
	case isText(fd):
		fp.shape = textShape
	}
	want := schema.Type{Base: scalars[fd.Kind()]}
	switch fd.Kind() {
	case protoreflect.EnumKind:
		want = schema.Type{Base: schema.Int, Enum: t.Enum}
	case protoreflect.BytesKind:
		want = schema.Type{Base: schema.Vector, Element: schema.UByte}
	}
	if t != want {
		return nil
	}
	if s := f.Schema(); fp.shape == scalarShape && !fd.HasPresence() {
		fp.always = s.DefaultInteger != 0 || s.DefaultReal != 0
	}
	return fp
}

// elements completes the plan for a field that holds tables of a message.
func (p *planner) elements(fp *fieldPlan, o *dynamic.Object, d protoreflect.MessageDescriptor) *fieldPlan {
	if o == nil {
		return nil
	}
	var err error
	if fp.child, err = p.plan(o, d); err != nil {
		return nil
	}
	return fp
}

// entries completes the plan for a map.
func (p *planner) entries(fp *fieldPlan) *fieldPlan {
	fp.shape = mapShape
	t := fp.f.Type()
	if t.Elem == nil || t.Elem.Object == nil || t.Elem.Object.NumFields() != 2 {
		return nil
	}
	o := t.Elem.Object
	if o.Key() == nil || o.Key() != o.FieldByID(0) {
		return nil
	}
	fp.key = p.field(o.FieldByID(0), fp.fd.MapKey())
	fp.value = p.field(o.FieldByID(1), fp.fd.MapValue())
	if fp.key == nil || fp.value == nil {
		return nil
	}
	// The value of an entry is always there, whether it has presence (proto2) or not.
	fp.value.always = fp.value.shape == scalarShape && fp.value.f.Schema().Optional
	return fp
}

// oneof adds the plan for a oneof, if the schema has a union for it.
func (p *planner) oneof(q *plan, of protoreflect.OneofDescriptor) {
	for f := range fieldsOf(q.o) {
		if f.Schema().Type.Base != schema.Union || f.Deprecated() {
			continue
		}
		fp := &fieldPlan{
			shape: unionShape, f: f, slot: f.Schema().ID, size: 4, of: of,
			members: map[protoreflect.FieldNumber]*memberPlan{}, tags: map[int64]*memberPlan{},
		}
		for _, v := range f.Schema().Type.Enum.Values {
			n, ok := numberOf(v.Attributes)
			if fd := of.Fields().ByNumber(n); ok && fd != nil {
				// A member whose type was changed is there twice: the later is that of now.
				if m := p.member(f, v, fd); m != nil {
					fp.members[n], fp.tags[v.Value] = m, m
					q.known[n] = true
				}
			}
		}
		if len(fp.members) > 0 {
			q.fields = append(q.fields, fp)
			return
		}
	}
}

func (p *planner) member(f *dynamic.Field, v *schema.EnumValue, fd protoreflect.FieldDescriptor) *memberPlan {
	t := f.Type().Member(v.Value)
	if t == nil || t.Kind != dynamic.KindTable {
		return nil
	}
	o := t.Object
	m := &memberPlan{fd: fd, tag: v.Value}
	if fd.Message() != nil {
		child, err := p.plan(o, fd.Message())
		if err != nil {
			return nil
		}
		m.child = child
		return m
	}
	if fd.Enum() == nil {
		if _, err := p.plan(o, wrapperOf(fd)); err != nil {
			return nil
		}
	} else if o.NumFields() != 1 || o.FieldByID(0).Schema().Type.Enum == nil {
		return nil
	}
	if m.inner = p.field(o.FieldByID(0), fd); m.inner == nil {
		return nil
	}
	return m
}

// order brings fields into the order in which they are written.
func (q *plan) order() {
	slices.SortStableFunc(q.fields, func(a, b *fieldPlan) int { return cmp.Compare(b.size, a.size) })
	q.refs = 0
	for _, f := range q.fields {
		if f.shape != scalarShape {
			f.ref = q.refs
			q.refs++
		}
	}
}

// step is a part of a path.
type step struct {
	name  protoreflect.Name
	index int // of a list; -1 for none
	key   protoreflect.MapKey
}

// trail is where a conversion is, for its errors.
type trail struct {
	c     *Converter
	steps []step
}

func (t *trail) push(name protoreflect.Name) { t.steps = append(t.steps, step{name: name, index: -1}) }
func (t *trail) pop()                        { t.steps = t.steps[:len(t.steps)-1] }
func (t *trail) at(i int)                    { t.steps[len(t.steps)-1].index = i }
func (t *trail) atKey(k protoreflect.MapKey) { t.steps[len(t.steps)-1].key = k }

// path returns the place, and below it a field unless name is "".
func (t *trail) path(name protoreflect.Name) string {
	var b strings.Builder
	b.WriteString(string(t.c.root.d.FullName()))
	for _, s := range t.steps {
		b.WriteString("." + string(s.name))
		switch {
		case s.index >= 0:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case s.key.IsValid():
			if text, ok := s.key.Interface().(string); ok {
				b.WriteString("[" + strconv.Quote(text[:min(len(text), 100)]) + "]")
			} else {
				b.WriteString("[" + s.key.String() + "]")
			}
		}
	}
	if name != "" {
		b.WriteString("." + string(name))
	}
	return b.String()
}

func (t *trail) fail(name protoreflect.Name, format string, args ...any) error {
	return &Error{t.path(name), fmt.Sprintf(format, args...)}
}

func (t *trail) lost(name protoreflect.Name, kind LossKind) error {
	loss := &LossError{t.path(name), kind}
	if t.c.Lost == nil {
		return loss
	}
	return t.c.Lost(loss)
}

// checkType returns an error unless m is of the converter's type.
func (c *Converter) checkType(m proto.Message) (protoreflect.Message, error) {
	if m == nil {
		return nil, fmt.Errorf("protobuf: the message is nil, not a %s", c.root.d.FullName())
	}
	r := m.ProtoReflect()
	if name := r.Descriptor().FullName(); name != c.root.d.FullName() {
		return nil, fmt.Errorf("protobuf: the message is a %s, and the converter is for %s", name, c.root.d.FullName())
	}
	return r, nil
}
