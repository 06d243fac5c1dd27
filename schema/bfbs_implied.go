package schema

// A .bfbs made without flatc's `--bfbs-builtins` has no built-in attributes, though
// it says of each field what most of them mean. They are put back here, so that
// a schema is the same however its .bfbs was made, as far as that can be known.

// impliedAttributes returns the keys of the built-in attributes that the field's
// other members stand for. A key of type string is required without the attribute.
func (f *Field) impliedAttributes() []string {
	var keys []string
	for _, a := range []struct {
		set bool
		key string
	}{
		{f.Deprecated, "deprecated"},
		{f.Key, "key"},
		{f.Offset64 && f.Type.Base != Vector64, "offset64"},
		{f.Required && !(f.Key && f.Type.Base == String), "required"},
		{f.Type.Base == Vector64, "vector64"},
	} {
		if a.set {
			keys = append(keys, a.key)
		}
	}
	return keys
}

// settleAttributes puts built-in attributes back where the file left them out.
func (s *Schema) settleAttributes() {
	for _, o := range s.Objects {
		for _, f := range o.Fields {
			if f.Type.Base == UType || f.Type.Element == UType {
				continue // a union's tag has no declaration to stand behind
			}
			for _, key := range f.impliedAttributes() {
				f.Attributes = withAttribute(f.Attributes, key)
			}
			if e := f.Type.Enum; e != nil && !o.allowsDefault(f) && e.couldBeFlags() {
				e.BitFlags = true
				e.Attributes = withAttribute(e.Attributes, "bit_flags")
			}
		}
	}
}

// allowsDefault reports whether the field's default is one of its enum's values, or
// the field has none.
func (o *Object) allowsDefault(f *Field) bool {
	e := f.Type.Enum
	return e == nil || e.IsUnion || f.Type.IsVector() || f.Optional || e.ByValue(f.DefaultInteger) != nil
}

// couldBeFlags reports whether each value is a mask of one bit.
func (e *Enum) couldBeFlags() bool {
	for _, v := range e.Values {
		if !e.isFlag(v.Value) {
			return false
		}
	}
	return !e.IsUnion && len(e.Values) > 0
}

// isFlag reports whether a value can be one of a bit_flags enum.
func (e *Enum) isFlag(value int64) bool {
	return value != 0 && value&(value-1) == 0 && (value > 0 || e.Underlying == ULong)
}

func withAttribute(list []Attribute, key string) []Attribute {
	if _, ok := attribute(list, key); ok {
		return list
	}
	return sorted(append(list, Attribute{Key: key}), func(a Attribute) string { return a.Key })
}
