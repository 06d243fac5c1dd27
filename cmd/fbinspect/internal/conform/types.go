package conform

import (
	"fmt"

	"github.com/fbverify/go/schema"
)

// sameType reports whether two types are the same in the bytes and by name.
func sameType(a, b schema.Type) bool {
	return a.Base == b.Base && a.Element == b.Element && a.FixedLength == b.FixedLength &&
		objectName(a) == objectName(b) && enumName(a) == enumName(b)
}

func objectName(t schema.Type) string {
	if t.Object == nil {
		return ""
	}
	return t.Object.Name
}

func enumName(t schema.Type) string {
	if t.Enum == nil {
		return ""
	}
	return t.Enum.Name
}

// types compares the types of a field, and reports whether they are near enough to go on
// comparing.
func (c *comparer) types(where string, a, b schema.Type) bool {
	if sameType(a, b) {
		return true
	}
	say := func(severity Severity, direction, why string) {
		c.say(where, "type", severity, direction, "it was %s and is %s: %s", a, b, why)
		if number := func(t schema.Type) bool { return t.IsScalar() && t.Enum == nil && t.Base != schema.Bool }; number(a) && number(b) && (a.IsFloat() == b.IsFloat() || b.IsFloat()) {
			c.last().Text = false // a number in a text has no size
		}
	}
	if a.Base != b.Base || a.Element != b.Element || a.FixedLength != b.FixedLength {
		say(Break, both, wireDifference(a, b))
		return false
	}
	// The same shape, and other names inside.
	switch {
	case objectName(a) != objectName(b):
		if a.Object == nil || b.Object == nil || a.Object.IsStruct != b.Object.IsStruct {
			say(Break, both, "the bytes are not the same")
			return false
		}
		if exactObject(c.after, a.Object.Name) == nil && c.alike(a.Object, b.Object) {
			say(Warning, neither, "the type has another name, and its fields are the same")
			return true
		}
		say(Break, both, "fields of the one are read as fields of the other")
		return false
	case enumName(a) != enumName(b):
		if a.Base == schema.Union || a.Element == schema.Union || a.Base == schema.UType || a.Element == schema.UType {
			say(Break, both, "members of the one are read as members of the other")
			return false
		}
		say(Warning, both, "the numbers are the same, and what they mean may not be")
		return true
	}
	return true
}

// alike reports whether two types with different names have the same fields.
func (c *comparer) alike(a, b *schema.Object) bool {
	sub := &comparer{before: c.before, after: c.after}
	if len(a.Fields) != len(b.Fields) || a.ByteSize != b.ByteSize {
		return false
	}
	for i, f := range a.Fields {
		g := b.Fields[i]
		// A type that refers to itself has the new name inside.
		own := objectName(f.Type) == a.Name && objectName(g.Type) == b.Name
		if f.Name != g.Name || f.Offset != g.Offset || !own && !sameType(f.Type, g.Type) {
			return false
		}
		sub.defaults("", f, g)
	}
	return len(sub.found) == 0
}

// wireDifference says what becomes of the bytes of the one type read as the other.
func wireDifference(a, b schema.Type) string {
	switch {
	case a.IsScalar() && b.IsScalar() && a.Base.Size() != b.Base.Size():
		return fmt.Sprintf("%d bytes are read where %d were written", b.Base.Size(), a.Base.Size())
	case a.IsFloat() != b.IsFloat() && a.IsScalar() && b.IsScalar():
		return "the bits of the one are no number in the other"
	case a.IsInteger() && b.IsInteger():
		return "numbers beyond what both can hold change their value"
	case a.IsScalar() != b.IsScalar():
		return "a number would be followed as an offset, or the other way round"
	}
	return "the bytes are not the same"
}

// structs compares two structs: everything is fixed.
func (c *comparer) structs(a, b *schema.Object) {
	if a.ByteSize != b.ByteSize || a.MinAlign != b.MinAlign {
		c.say(a.Name, "struct-layout", Break, both, "it had %d bytes with an alignment of %d, and has %d with %d", a.ByteSize, a.MinAlign, b.ByteSize, b.MinAlign)
	}
	for i, f := range a.Fields {
		where := a.Name + "." + f.Name
		if i >= len(b.Fields) {
			c.say(where, "struct-field", Break, both, "it is gone: fields of a struct cannot be removed")
			continue
		}
		g := b.Fields[i]
		if g.Name != f.Name {
			if b.Field(f.Name) != nil {
				c.say(where, "struct-field", Break, both, "it is no longer at byte %d but at %d", f.Offset, b.Field(f.Name).Offset)
				continue
			}
			c.say(where, "renamed", Note, neither, "it is called %s now", g.Name)
		}
		if c.types(where, f.Type, g.Type) && f.Offset != g.Offset {
			c.say(where, "struct-field", Break, both, "it was at byte %d and is at %d", f.Offset, g.Offset)
		}
		c.constraints(where, a, f, b, g)
		if f.Key != g.Key {
			c.say(where, "key", Warning, both, "vectors were sorted by %s and are by %s", keyName(a), keyName(b))
		}
	}
	for _, g := range b.Fields[min(len(a.Fields), len(b.Fields)):] {
		c.say(b.Name+"."+g.Name, "struct-field", Break, both, "it was added: structs cannot grow")
	}
}

// enums compares enums and unions, value by value.
func (c *comparer) enums(a, b *schema.Enum) {
	if a.IsUnion != b.IsUnion {
		c.say(a.Name, "kind", Break, both, "it was %s and is %s", enumKind(a), enumKind(b))
		return
	}
	if a.Underlying != b.Underlying {
		c.say(a.Name, "underlying-type", Break, both, "its values were stored as %s and are as %s", a.Underlying, b.Underlying)
	}
	if a.BitFlags != b.BitFlags {
		c.say(a.Name, "bit-flags", Warning, both, "it is bit_flags in one version only: combined values have no name in the other")
	}
	for _, v := range a.Values {
		where := a.Name + "." + v.Name
		w := b.Value(v.Name)
		at := b.ByValue(v.Value)
		switch {
		case w != nil && w.Value != v.Value:
			c.say(where, "value-changed", Break, both, "it was %d and is %d", v.Value, w.Value)
		case w == nil && at != nil && a.Value(at.Name) == nil && sameType(v.Type, at.Type):
			c.say(where, "renamed", Note, neither, "it is called %s now", at.Name)
		case w == nil && at != nil:
			c.say(where, "value-changed", Break, both, "%d stands for %s now", v.Value, at.Name)
			c.last().Text, c.last().Source = true, true // the name is gone
		case w == nil:
			c.say(where, "value-removed", Warning, backward, "it is gone: new programs do not know it in old data")
		case a.IsUnion && !sameType(v.Type, w.Type):
			c.say(where, "member-type", Break, both, "the member was %s and is %s", v.Type, w.Type)
		}
	}
	for _, w := range b.Values {
		if a.Value(w.Name) == nil && a.ByValue(w.Value) == nil {
			c.say(b.Name+"."+w.Name, "value-added", Note, forward, "it is new: old programs do not know it and have to expect values they do not know")
		}
	}
}

func enumKind(e *schema.Enum) string {
	if e.IsUnion {
		return "a union"
	}
	return "an enum"
}
