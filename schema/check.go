package schema

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fbverify/go/schema/internal/words"
)

// Check reports whether the schema keeps the promises of the model: what the
// comments of the package and of its types say, and what the format demands. It
// is for models made by hand and from elsewhere; packages fbs and bfbs return
// none that fails. All other packages rely on a checked schema.
//
// The error lists the faults that were found, at most [MaxErrors] of them, each
// with the full name of the declaration; [errors.Join] made it.
func (s *Schema) Check() error {
	if s == nil {
		return errors.New("schema: the schema is nil")
	}
	c := &checker{s: s, objects: map[*Object]bool{}, enums: map[*Enum]bool{}}
	c.schema()
	return errors.Join(c.faults...)
}

type checker struct {
	s       *Schema
	objects map[*Object]bool
	enums   map[*Enum]bool
	faults  []error
}

func (c *checker) full() bool { return len(c.faults) >= MaxErrors }

// fail reports a fault of the declaration or field where.
func (c *checker) fail(where, format string, args ...any) {
	if !c.full() {
		c.faults = append(c.faults, fmt.Errorf("schema: %s: %s", words.Shorten(where), fmt.Sprintf(format, args...)))
	}
}

func (c *checker) schema() {
	s := c.s
	names := map[string]bool{}
	last := ""
	declared := func(kind, name string, i int) {
		if c.fullName(kind, name) && names[name] {
			c.fail(name, "there are two objects or enums of this name")
		}
		names[name] = true
		if i > 0 && name < last {
			c.fail(name, "the %ss are not in order of their names: %s comes before", kind, words.Quote(last))
		}
		last = name
	}
	for i, o := range s.Objects {
		if o == nil {
			c.fail("the schema", "object %d is nil", i)
			return
		}
		c.objects[o] = true
		declared("object", o.Name, i)
	}
	for i, e := range s.Enums {
		if e == nil {
			c.fail("the schema", "enum %d is nil", i)
			return
		}
		c.enums[e] = true
		declared("enum", e.Name, i)
	}
	for _, e := range s.Enums {
		if c.enum(e); c.full() {
			return
		}
	}
	for _, o := range s.Objects {
		if c.object(o); c.full() {
			return
		}
	}
	// Only sound types have a size.
	if len(c.faults) == 0 {
		c.layout()
	}
	if len(c.faults) == 0 {
		c.constraints()
	}
	c.nested()
	services := map[string]bool{}
	for i, v := range s.Services {
		if v == nil {
			c.fail("the schema", "service %d is nil", i)
			return
		}
		if c.fullName("service", v.Name); services[v.Name] {
			c.fail(v.Name, "there are two services of this name")
		}
		services[v.Name] = true
		if i > 0 && v.Name < s.Services[i-1].Name {
			c.fail(v.Name, "the services are not in order of their names")
		}
		c.service(v)
	}
	c.file()
}

// file checks what the schema says of buffers and files.
func (c *checker) file() {
	s := c.s
	const where = "the schema"
	switch {
	case s.Root == nil:
	case !c.objects[s.Root]:
		c.fail(where, "the root type %s is none of its objects", words.Shorten(s.Root.Name))
	case s.Root.IsStruct:
		c.fail(where, "the root type %s is a struct, and only a table can be one", s.Root.Name)
	}
	if n := len(s.FileIdentifier); n != 0 && n != 4 {
		c.fail(where, "the file identifier %s has %d bytes, not 4", words.Quote(s.FileIdentifier), n)
	}
	c.text(where, "the file identifier", s.FileIdentifier)
	c.text(where, "the file extension", s.FileExtension)
	for i, f := range s.Files {
		c.text(where, "the name of a file", f.Name)
		if i > 0 && f.Name <= s.Files[i-1].Name {
			c.fail(where, "the files are not in order of their names, each there once: %s comes after %s", words.Quote(f.Name), words.Quote(s.Files[i-1].Name))
		}
		for _, name := range f.Includes {
			c.text(where, "the name of an included file", name)
		}
	}
}

// fullName checks a name with a namespace.
func (c *checker) fullName(kind, full string) bool {
	if len(full) > 2*words.MaxName || strings.Count(full, ".") > words.MaxParts {
		c.fail(full, "the name of the %s is too long", kind)
		return false
	}
	for _, word := range strings.Split(full, ".") {
		if !words.IsIdentifier(word) {
			c.fail(full, "the name of the %s is none: it has to be words of letters, digits and \"_\" with dots between them", kind)
			return false
		}
	}
	return true
}

func (c *checker) word(where, kind, word string) {
	if !words.IsIdentifier(word) {
		c.fail(where, "the name %s of the %s is none: it has to be of letters, digits and \"_\"", words.Quote(word), kind)
	}
}

func (c *checker) text(where, what, text string) {
	if !utf8.ValidString(text) {
		c.fail(where, "%s is not valid UTF-8", what)
	}
}

// notes checks what every declaration carries beside its meaning.
func (c *checker) notes(where string, attributes []Attribute, doc []string) {
	for i, a := range attributes {
		c.text(where, "the name of an attribute", a.Key)
		c.text(where, "the value of the attribute "+words.Quote(a.Key), a.Value)
		if i > 0 && a.Key <= attributes[i-1].Key {
			c.fail(where, "the attributes are not in order of their names, each there once: %s comes after %s", words.Quote(a.Key), words.Quote(attributes[i-1].Key))
		}
	}
	for _, line := range doc {
		c.text(where, "the doc comment", line)
		if strings.ContainsAny(line, "\n\r\x00") {
			c.fail(where, "the line %s of the doc comment has a line break or a NUL in it", words.Quote(line))
		}
	}
}

func (c *checker) enum(e *Enum) {
	where := e.Name
	c.notes(where, e.Attributes, e.Doc)
	c.text(where, "the name of the file", e.DeclarationFile)
	if !e.Underlying.IsInteger() || e.Underlying == Bool || e.Underlying == UType && !e.IsUnion {
		c.fail(where, "the underlying type %s is not an integer type", e.Underlying)
		return
	}
	if e.BitFlags && e.IsUnion {
		c.fail(where, "a union cannot have bit flags")
	}
	if _, ok := e.Attribute("bit_flags"); ok && !e.BitFlags {
		c.fail(where, "it has the attribute bit_flags, and BitFlags is false")
	}
	if len(e.Values) == 0 {
		c.fail(where, "it has no values")
		return
	}
	least, most := e.Underlying.Range()
	names := map[string]bool{}
	for i, v := range e.Values {
		if v == nil {
			c.fail(where, "value %d is nil", i)
			return
		}
		at := where + "." + v.Name
		c.word(at, "value", v.Name)
		c.notes(at, v.Attributes, v.Doc)
		if names[v.Name] {
			c.fail(at, "the name is there twice")
		}
		names[v.Name] = true
		if !e.Underlying.Fits(v.Value) {
			c.fail(at, "the value %d does not fit %s, whose values are %d to %d", v.Value, e.Underlying, least, most)
		}
		if i > 0 {
			last := e.Values[i-1].Value
			less := last < v.Value
			if e.Underlying.IsUnsigned() {
				less = uint64(last) < uint64(v.Value)
			}
			if !less {
				c.fail(at, "the values are not in order, each there once: %d comes after %d", v.Value, last)
			}
		}
		if e.BitFlags && !e.IsFlag(v.Value) {
			c.fail(at, "the value %d is not one bit, as a flag is", v.Value)
		}
		if c.full() {
			return
		}
		c.member(at, e, v, i)
	}
}

// member checks the type of a union's member, and that an enum's value has none.
func (c *checker) member(where string, e *Enum, v *EnumValue, i int) {
	t := v.Type
	isNone := t == Type{}
	switch {
	case !e.IsUnion || i == 0:
		if !isNone {
			c.fail(where, "it has the type %s, and only the members of a union have types", words.Shorten(t.String()))
		}
		if e.IsUnion && (v.Name != "NONE" || v.Value != 0) {
			c.fail(where, "the first member of a union has to be NONE, 0")
		}
	case t.Base == Obj || t.Base == String:
		c.typ(where, t)
	default:
		c.fail(where, "a member of a union is a table, a struct or a string, not %s", t.Base)
	}
}

func (c *checker) service(v *Service) {
	c.notes(v.Name, v.Attributes, v.Doc)
	c.text(v.Name, "the name of the file", v.DeclarationFile)
	names := map[string]bool{}
	for i, call := range v.Calls {
		if call == nil {
			c.fail(v.Name, "method %d is nil", i)
			return
		}
		where := v.Name + "." + call.Name
		if c.word(where, "method", call.Name); names[call.Name] {
			c.fail(where, "there are two methods of this name")
		}
		names[call.Name] = true
		c.notes(where, call.Attributes, call.Doc)
		for _, o := range []*Object{call.Request, call.Response} {
			switch {
			case o == nil:
				c.fail(where, "the request or the response is nil")
			case !c.objects[o]:
				c.fail(where, "%s is none of the schema's objects", words.Shorten(o.Name))
			case o.IsStruct:
				c.fail(where, "%s is a struct, and requests and responses are tables", o.Name)
			}
		}
	}
}

// layout checks that each struct is laid out as the format says.
func (c *checker) layout() {
	order, err := structsInOrder(c.s.Objects)
	if err != nil {
		c.fail("the schema", "%v", err)
		return
	}
	for _, o := range order {
		if c.full() {
			return
		}
		// The structs in it were looked at before, so their sizes are right.
		computed := *o
		computed.Fields = make([]*Field, len(o.Fields))
		for i, f := range o.Fields {
			clone := *f
			computed.Fields[i] = &clone
		}
		if err := computed.Layout(o.MinAlign); err != nil {
			c.fail(o.Name, "%s", err.Text)
			return
		}
		for i, f := range o.Fields {
			if g := computed.Fields[i]; f.Offset != g.Offset || f.Padding != g.Padding {
				c.fail(o.Name+"."+f.Name, "it is at offset %d with a padding of %d after it; the layout of structs puts it at %d with %d", f.Offset, f.Padding, g.Offset, g.Padding)
			}
		}
		if o.MinAlign != computed.MinAlign || o.ByteSize != computed.ByteSize {
			c.fail(o.Name, "it has %d bytes and the alignment %d; the layout of structs gives it %d and %d", o.ByteSize, o.MinAlign, computed.ByteSize, computed.MinAlign)
			return
		}
	}
}

// nested checks that the tables named by nested_flatbuffer exist.
func (c *checker) nested() {
	byName := make(map[string]*Object, len(c.s.Objects))
	for _, o := range c.s.Objects {
		byName[o.Name] = o
	}
	for _, o := range c.s.Objects {
		for _, f := range o.Fields {
			if f == nil || c.full() {
				return
			}
			if _, ok := f.Attribute("nested_flatbuffer"); !ok {
				continue
			}
			if _, err := NestedRoot(o, f, func(name string) *Object { return byName[name] }); err != nil {
				c.fail(o.Name+"."+f.Name, "%v", err)
			}
		}
	}
}

// MaxErrors is the number of faults after which a parse gives up.
const MaxErrors = 50
