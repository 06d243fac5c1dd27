package schema

import (
	"fmt"
	"math"
	"slices"
)

// Equal reports whether two schemas say the same, doc comments and file names
// included. Objects and enums are the same when their names are. An attribute
// without a value equals one with the value "0", since a .bfbs does not tell
// them apart, and a NaN equals a NaN.
func Equal(a, b *Schema) bool { return len(Differences(a, b, 1)) == 0 }

// Differences is [Comparison.Differences] of all that counts, at most limit of them.
func Differences(a, b *Schema, limit int) []string {
	return Comparison{Limit: limit}.Differences(a, b)
}

// Comparison says what counts as a difference between two schemas, and how many are
// looked for. The zero value looks for none.
type Comparison struct {
	// Limit is the number of differences after which the comparison ends.
	Limit int

	// OnlyWire leaves out what changes neither bytes nor names: docs, attributes, files
	// and services.
	OnlyWire bool

	// OnlyBinary leaves out what a .bfbs cannot hold: defaults of strings and vectors.
	OnlyBinary bool
}

// Differences says in words where two schemas differ, in the order of a; nil when they
// are equal by the rules of [Equal]. The words call the schemas "first" and "second".
func (c Comparison) Differences(a, b *Schema) []string {
	d := &differ{Comparison: c}
	d.schema(a, b)
	return d.found
}

// differ collects differences.
type differ struct {
	Comparison
	found []string
}

func (d *differ) full() bool { return len(d.found) >= d.Limit }

func (d *differ) say(format string, args ...any) {
	if !d.full() {
		d.found = append(d.found, fmt.Sprintf(format, args...))
	}
}

// value compares two values of one thing.
func value[T comparable](d *differ, where, what string, a, b T) {
	if a != b {
		d.say("%s: %s is %#v in the first, %#v in the second", where, what, a, b)
	}
}

// lines compares two lists of strings; an empty one equals nil.
func (d *differ) lines(where, what string, a, b []string) {
	if !slices.Equal(a, b) {
		d.say("%s: %s is %q in the first, %q in the second", where, what, a, b)
	}
}

// pairs compares two lists by the names of their items: what both have by
// compare, and that both have the same names. Order does not matter.
func pairs[T any](d *differ, where, what string, a, b []T, name func(T) string, compare func(a, b T)) {
	second := make(map[string]T, len(b))
	for _, item := range b {
		second[name(item)] = item
	}
	first := make(map[string]bool, len(a))
	for _, item := range a {
		if d.full() {
			return
		}
		first[name(item)] = true
		if other, ok := second[name(item)]; ok {
			compare(item, other)
		} else {
			d.say("%s: %s %q is in the first only", where, what, name(item))
		}
	}
	for _, item := range b {
		if !first[name(item)] {
			d.say("%s: %s %q is in the second only", where, what, name(item))
		}
	}
	if len(a) != len(b) {
		d.say("%s: %d of %s in the first, %d in the second", where, len(a), what, len(b))
	}
}

func (d *differ) schema(a, b *Schema) {
	if a == nil || b == nil {
		if a != b {
			d.say("one of the schemas is nil")
		}
		return
	}
	const where = "schema"
	objectName := func(o *Object) string { return o.Name }
	pairs(d, where, "object", a.Objects, b.Objects, objectName, d.object)
	pairs(d, where, "enum", a.Enums, b.Enums, func(e *Enum) string { return e.Name }, d.enum)
	value(d, where, "the root type", nameOfObject(a.Root), nameOfObject(b.Root))
	value(d, where, "the file identifier", a.FileIdentifier, b.FileIdentifier)
	value(d, where, "the file extension", a.FileExtension, b.FileExtension)
	if d.OnlyWire {
		return
	}
	value(d, where, "the set of features", a.Features, b.Features)
	pairs(d, where, "service", a.Services, b.Services, func(s *Service) string { return s.Name }, d.service)
	pairs(d, where, "file", a.Files, b.Files, func(f File) string { return f.Name }, func(a, b File) {
		d.lines("file "+a.Name, "the list of includes", a.Includes, b.Includes)
	})
}

func nameOfObject(o *Object) string {
	if o == nil {
		return ""
	}
	return o.Name
}

func (d *differ) object(a, b *Object) {
	where := a.Name
	value(d, where, "is_struct", a.IsStruct, b.IsStruct)
	value(d, where, "the alignment", a.MinAlign, b.MinAlign)
	value(d, where, "the size", a.ByteSize, b.ByteSize)
	d.notes(where, a.Attributes, b.Attributes, a.Doc, b.Doc, a.DeclarationFile, b.DeclarationFile)
	pairs(d, where, "field", a.Fields, b.Fields, func(f *Field) string { return f.Name }, func(f, g *Field) {
		d.field(where+"."+f.Name, f, g)
	})
}

func (d *differ) field(where string, a, b *Field) {
	d.typ(where, "the type", a.Type, b.Type)
	value(d, where, "the id", a.ID, b.ID)
	value(d, where, "the offset", a.Offset, b.Offset)
	value(d, where, "the padding", a.Padding, b.Padding)
	value(d, where, "the default", a.DefaultInteger, b.DefaultInteger)
	if a.DefaultReal != b.DefaultReal && !(math.IsNaN(a.DefaultReal) && math.IsNaN(b.DefaultReal)) {
		value(d, where, "the default", a.DefaultReal, b.DefaultReal)
	}
	if !d.OnlyBinary {
		value(d, where, "whether it has a string default", a.HasDefaultString, b.HasDefaultString)
		value(d, where, "the default", a.DefaultString, b.DefaultString)
		value(d, where, "whether it has a vector default", a.HasDefaultVector, b.HasDefaultVector)
	}
	value(d, where, "optional", a.Optional, b.Optional)
	value(d, where, "required", a.Required, b.Required)
	value(d, where, "deprecated", a.Deprecated, b.Deprecated)
	value(d, where, "key", a.Key, b.Key)
	value(d, where, "offset64", a.Offset64, b.Offset64)
	d.notes(where, a.Attributes, b.Attributes, a.Doc, b.Doc, "", "")
}

func (d *differ) typ(where, what string, a, b Type) {
	value(d, where, what, a.words(), b.words())
}

// words names everything about a type, unlike String, which writes a vector of
// either width as a schema does.
func (t Type) words() string {
	w := t.Base.String()
	if t.Element != None {
		w += " of " + t.Element.String()
	}
	if t.Base == Array {
		w += fmt.Sprintf(" (%d)", t.FixedLength)
	}
	if t.Object != nil {
		w += " " + t.Object.Name
	}
	if t.Enum != nil {
		w += " " + t.Enum.Name
	}
	return w
}

func (d *differ) enum(a, b *Enum) {
	where := a.Name
	value(d, where, "is_union", a.IsUnion, b.IsUnion)
	value(d, where, "the underlying type", a.Underlying.String(), b.Underlying.String())
	if !d.OnlyWire {
		value(d, where, "bit_flags", a.BitFlags, b.BitFlags)
	}
	d.notes(where, a.Attributes, b.Attributes, a.Doc, b.Doc, a.DeclarationFile, b.DeclarationFile)
	pairs(d, where, "value", a.Values, b.Values, func(v *EnumValue) string { return v.Name }, func(v, w *EnumValue) {
		where := where + "." + v.Name
		value(d, where, "the value", v.Value, w.Value)
		d.typ(where, "the type", v.Type, w.Type)
		d.notes(where, v.Attributes, w.Attributes, v.Doc, w.Doc, "", "")
	})
}

func (d *differ) service(a, b *Service) {
	where := a.Name
	d.notes(where, a.Attributes, b.Attributes, a.Doc, b.Doc, a.DeclarationFile, b.DeclarationFile)
	pairs(d, where, "call", a.Calls, b.Calls, func(c *Call) string { return c.Name }, func(c, e *Call) {
		where := where + "." + c.Name
		value(d, where, "the request", nameOfObject(c.Request), nameOfObject(e.Request))
		value(d, where, "the response", nameOfObject(c.Response), nameOfObject(e.Response))
		d.notes(where, c.Attributes, e.Attributes, c.Doc, e.Doc, "", "")
	})
}

// notes compares what every declaration carries beside its meaning.
func (d *differ) notes(where string, attrA, attrB []Attribute, docA, docB []string, fileA, fileB string) {
	if d.OnlyWire {
		return
	}
	d.lines(where, "the doc comment", docA, docB)
	value(d, where, "the file", fileA, fileB)
	pairs(d, where, "attribute", attrA, attrB, func(a Attribute) string { return a.Key }, func(a, b Attribute) {
		value(d, where, "the attribute "+a.Key, a.BinaryValue(), b.BinaryValue())
	})
}
