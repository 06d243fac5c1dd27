package protobuf

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

// Schema makes a FlatBuffers schema of all messages, enums and services of the files, and
// of what they refer to in files that they import. Nil opts are the defaults.
//
// The warnings stand in the order of the declarations. An error means that there is no such schema: a
// oneof with too many members, names that no schema can have, a root that is not there, or a
// Previous that was made otherwise.
func Schema(files []protoreflect.FileDescriptor, opts *Options) (*schema.Schema, []Warning, error) {
	if opts == nil {
		opts = &Options{}
	}
	m := &maker{
		s:        &schema.Schema{},
		names:    map[string]bool{},
		tables:   map[string]bool{},
		objects:  map[protoreflect.FullName]*schema.Object{},
		enums:    map[protoreflect.FullName]*schema.Enum{},
		made:     map[protoreflect.FullName]bool{},
		wrapper:  map[protoreflect.FullName]*schema.Object{},
		services: map[protoreflect.FullName]bool{},
	}
	if opts.Previous != nil {
		if err := m.carryOn(opts.Previous); err != nil {
			return nil, nil, err
		}
	}
	for _, f := range files {
		m.file(f)
	}
	m.work()
	for _, f := range files {
		for i := range f.Services().Len() {
			m.service(f.Services().Get(i))
		}
	}
	m.work() // what only services refer to
	m.gone()
	if opts.Root != "" {
		if m.s.Root = m.objects[opts.Root]; m.s.Root == nil || !m.made[opts.Root] {
			m.fail(opts.Root, "there is no message of this name to be the root")
		}
	}
	if opts.Identifier != "" {
		m.s.FileIdentifier = opts.Identifier
	}
	if len(m.faults) > 0 {
		return nil, nil, errors.Join(m.faults...)
	}
	m.finish()
	if err := m.s.Check(); err != nil {
		return nil, nil, fmt.Errorf("protobuf: no schema can say this: %w", err)
	}
	return m.s, m.warnings, nil
}

// maker makes one schema. What Previous had is in it before it begins.
type maker struct {
	s *schema.Schema

	names   map[string]bool                          // full names that are taken
	tables  map[string]bool                          // full names of tables
	objects map[protoreflect.FullName]*schema.Object // tables by their message
	enums   map[protoreflect.FullName]*schema.Enum   // enums by their enum
	wrapper map[protoreflect.FullName]*schema.Object // of enums, for members of oneofs
	made    map[protoreflect.FullName]bool           // messages and enums of this run
	todo    []protoreflect.MessageDescriptor         // messages that have a table without fields as yet

	services map[protoreflect.FullName]bool

	warnings []Warning
	faults   []error
}

func (m *maker) warn(where protoreflect.FullName, kind WarningKind, format string, args ...any) {
	m.warnings = append(m.warnings, Warning{where, kind, fmt.Sprintf(format, args...)})
}

func (m *maker) fail(where protoreflect.FullName, format string, args ...any) {
	m.faults = append(m.faults, fmt.Errorf("protobuf: %s: %s", where, fmt.Sprintf(format, args...)))
}

// carryOn takes over what an earlier schema has.
func (m *maker) carryOn(previous *schema.Schema) error {
	// A copy by way of the text, which is what a lock file has been through anyhow.
	var text bytes.Buffer
	err := fbs.Write(&text, previous)
	if err == nil {
		m.s, err = fbs.Parse("previous.fbs", text.Bytes())
	}
	if err != nil {
		return fmt.Errorf("protobuf: the previous schema: %w", err)
	}
	m.s.Files = nil
	for _, o := range m.s.Objects {
		m.names[o.Name], o.DeclarationFile = true, ""
		m.tables[o.Name] = true
		if name, ok := o.Attribute(Attribute); ok {
			m.objects[protoreflect.FullName(name)] = o
		}
	}
	for _, e := range m.s.Enums {
		m.names[e.Name], e.DeclarationFile = true, ""
		if name, ok := e.Attribute(Attribute); ok {
			m.enums[protoreflect.FullName(name)] = e
		}
	}
	for name, e := range m.enums {
		for _, o := range m.s.Objects {
			if isWrapperOf(o, e) {
				m.wrapper[name] = o
			}
		}
	}
	if len(m.objects)+len(m.enums) == 0 && len(m.s.Objects)+len(m.s.Enums) > 0 {
		return errors.New("protobuf: the previous schema was not made of .proto files: no table or enum in it has the attribute " + Attribute)
	}
	// Services are in no buffer: they are made anew.
	m.s.Services = nil
	return nil
}

// file declares everything in a file.
func (m *maker) file(f protoreflect.FileDescriptor) {
	for i := range f.Messages().Len() {
		m.message(f.Messages().Get(i))
	}
	for i := range f.Enums().Len() {
		m.enum(f.Enums().Get(i))
	}
	m.extensions(f.Extensions())
}

func (m *maker) extensions(list protoreflect.ExtensionDescriptors) {
	for i := range list.Len() {
		x := list.Get(i)
		m.warn(x.FullName(), LostExtension, "an extension of %s: it is not carried", x.ContainingMessage().FullName())
	}
}

// message declares a message with all that is declared in it, and returns its table.
func (m *maker) message(d protoreflect.MessageDescriptor) *schema.Object {
	name := d.FullName()
	if m.made[name] {
		return m.objects[name]
	}
	m.made[name] = true
	o := m.objects[name]
	if o == nil {
		o = m.table(m.freeName(name, fullName(d)), name)
		m.objects[name] = o
	}
	m.document(&o.Doc, d)
	m.todo = append(m.todo, d)
	for i := range d.Messages().Len() {
		if nested := d.Messages().Get(i); !nested.IsMapEntry() {
			m.message(nested)
		}
	}
	for i := range d.Enums().Len() {
		m.enum(d.Enums().Get(i))
	}
	m.extensions(d.Extensions())
	if d.ExtensionRanges().Len() > 0 {
		m.warn(name, LostExtension, "it can be extended: extensions are not carried")
	}
	return o
}

// work gives fields to the tables that were declared, until there are no more.
func (m *maker) work() {
	for len(m.todo) > 0 {
		d := m.todo[0]
		m.todo = m.todo[1:]
		m.fields(d)
	}
}

// gone warns of what only the previous schema has.
func (m *maker) gone() {
	var names []protoreflect.FullName
	for name := range m.objects {
		names = append(names, name)
	}
	for name := range m.enums {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !m.made[name] {
			m.warn(name, Removed, "it is no longer there; the schema keeps it as it was")
		}
	}
}

// enum declares an enum.
func (m *maker) enum(d protoreflect.EnumDescriptor) *schema.Enum {
	name := d.FullName()
	if m.made[name] {
		return m.enums[name]
	}
	m.made[name] = true
	e := m.enums[name]
	if e == nil {
		e = &schema.Enum{
			Name: m.freeName(name, fullName(d)), Underlying: schema.Int,
			Attributes: []schema.Attribute{{Key: Attribute, Value: string(name)}},
		}
		m.enums[name] = e
		m.s.Enums = append(m.s.Enums, e)
	}
	m.document(&e.Doc, d)
	m.enumValues(e, d)
	return e
}

func (m *maker) enumValues(e *schema.Enum, d protoreflect.EnumDescriptor) {
	before, names, values := map[string]int64{}, map[string]*schema.EnumValue{}, map[int64]*schema.EnumValue{}
	for _, v := range e.Values {
		before[v.Name], names[v.Name], values[v.Value] = v.Value, v, v
	}
	seen := map[int64]bool{}
	for i := range d.Values().Len() {
		vd := d.Values().Get(i)
		n := int64(vd.Number())
		if seen[n] {
			m.warn(vd.FullName(), LostAlias, "a second name of %d: the schema has the first", n)
			continue
		}
		seen[n] = true
		v := values[n]
		if v == nil {
			v = &schema.EnumValue{Value: n}
			e.Values = append(e.Values, v)
		}
		name := m.memberName(vd.FullName(), v.Name, string(vd.Name()), func(name string) bool {
			other, was := before[name]
			w := names[name]
			return was && other != n || w != nil && w != v || name == "null"
		})
		if names[v.Name] == v {
			delete(names, v.Name)
		}
		v.Name, names[name] = name, v
		m.document(&v.Doc, vd)
	}
	for _, v := range e.Values {
		if !seen[v.Value] {
			m.warn(d.FullName(), Removed, "the value %s = %d is no longer there; the schema keeps it", v.Name, v.Value)
		}
	}
	e.SortValues()
}

// table adds a table. Those that stand for no message have no attribute.
func (m *maker) table(name string, of protoreflect.FullName) *schema.Object {
	o := &schema.Object{Name: name, MinAlign: 1}
	if of != "" {
		o.Attributes = []schema.Attribute{{Key: Attribute, Value: string(of)}}
	}
	m.s.Objects = append(m.s.Objects, o)
	m.tables[name] = true
	return o
}

// service makes a service.
func (m *maker) service(d protoreflect.ServiceDescriptor) {
	if m.services[d.FullName()] {
		return
	}
	m.services[d.FullName()] = true
	s := &schema.Service{
		// Tables, enums and services share their names.
		Name:       m.freeName(d.FullName(), fullName(d)),
		Attributes: []schema.Attribute{{Key: Attribute, Value: string(d.FullName())}},
	}
	m.document(&s.Doc, d)
	for i := range d.Methods().Len() {
		method := d.Methods().Get(i)
		c := &schema.Call{Name: string(method.Name()), Request: m.message(method.Input()), Response: m.message(method.Output())}
		streaming := ""
		switch {
		case method.IsStreamingClient() && method.IsStreamingServer():
			streaming = "bidi"
		case method.IsStreamingClient():
			streaming = "client"
		case method.IsStreamingServer():
			streaming = "server"
		}
		if streaming != "" {
			c.Attributes = []schema.Attribute{{Key: "streaming", Value: streaming}}
		}
		m.document(&c.Doc, method)
		s.Calls = append(s.Calls, c)
	}
	m.s.Services = append(m.s.Services, s)
}

// finish brings everything into the order that the model promises.
func (m *maker) finish() {
	slices.SortFunc(m.s.Objects, func(a, b *schema.Object) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(m.s.Enums, func(a, b *schema.Enum) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(m.s.Services, func(a, b *schema.Service) int { return strings.Compare(a.Name, b.Name) })
	for _, o := range m.s.Objects {
		for _, f := range o.Fields {
			if f.Optional && f.Type.IsScalar() {
				m.s.Features |= schema.OptionalScalars
			}
		}
	}
}
