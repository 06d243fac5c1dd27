package bfbs

import (
	"github.com/fbverify/go/schema"
)

// A .bfbs made without flatc's `--bfbs-builtins` has no built-in attributes, though
// it says of each field what most of them mean. They are put back here, so that
// a schema is the same however its .bfbs was made, as far as that can be known.

// settleAttributes puts built-in attributes back where the file left them out.
func settleAttributes(s *schema.Schema) {
	for _, o := range s.Objects {
		for _, f := range o.Fields {
			if f.Type.Base == schema.UType || f.Type.Element == schema.UType {
				continue // a union's tag has no declaration to stand behind
			}
			for _, key := range f.ImpliedAttributes() {
				f.Attributes = withAttribute(f.Attributes, key)
			}
			if e := f.Type.Enum; e != nil && !allowsDefault(f) && couldBeFlags(e) {
				e.BitFlags = true
				e.Attributes = withAttribute(e.Attributes, "bit_flags")
			}
		}
	}
}

// allowsDefault reports whether the field's default is one of its enum's values, or
// the field has none.
func allowsDefault(f *schema.Field) bool {
	e := f.Type.Enum
	return e == nil || e.IsUnion || f.Type.IsVector() || f.Optional || e.ByValue(f.DefaultInteger) != nil
}

// couldBeFlags reports whether each value is a mask of one bit.
func couldBeFlags(e *schema.Enum) bool {
	for _, v := range e.Values {
		if !e.IsFlag(v.Value) {
			return false
		}
	}
	return !e.IsUnion && len(e.Values) > 0
}

func withAttribute(list []schema.Attribute, key string) []schema.Attribute {
	if _, ok := schema.FindAttribute(list, key); ok {
		return list
	}
	return sorted(append(list, schema.Attribute{Key: key}), func(a schema.Attribute) string { return a.Key })
}
