package fbs

import (
	"slices"

	"github.com/fbverify/go/schema"
)

// constraintKeys are the attributes that constraints are written with.
var constraintKeys = schema.ConstraintAttributes()

// constrain reports whether an attribute among the set may be part of a constraint.
func (s attrSet) constrain() bool {
	for _, a := range s {
		if slices.Contains(constraintKeys, a.Key) {
			return true
		}
	}
	return false
}

// constraints looks for mistakes in what attributes ask of values. A path may lead to
// what is declared later, so they are looked at when all is known, and the schema is
// otherwise sound.
func (r *resolver) constraints() {
	if len(r.err.list) > 0 || r.incomplete {
		return
	}
	of := r.s.ConstraintsOf()
	for _, a := range r.asked {
		if r.err.full() {
			return
		}
		_, err := of(a.object, a.field)
		if err == nil {
			continue
		}
		wrong, ok := err.(*schema.ConstraintError)
		if !ok {
			continue
		}
		at, _ := a.attrs.get(wrong.Key)
		r.err.at(at.within(wrong.Offset), "%v", wrong)
	}
}

// within returns the place at a byte of the attribute's value; all of the value where
// that is -1 or escapes hide the byte, and the attribute where it has no value.
func (a attr) within(offset int) span {
	switch {
	case a.syntax == nil:
		return a.place
	case offset < 0 || a.syntax.kind != tokenString || !a.syntax.plain || offset > len(a.syntax.text):
		return a.syntax.span
	}
	start := a.syntax.start + len(`"`) + offset
	end := start
	for end < a.syntax.end && wordByte(a.syntax.src.text[end]) {
		end++
	}
	return a.syntax.src.span(start, max(end, start+1))
}

func wordByte(c byte) bool {
	return c == '_' || c == '.' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}
