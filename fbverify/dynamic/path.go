package dynamic

import (
	"fmt"
	"strconv"
	"strings"
)

// Path picks values out of a message: "children[3].metadata".
//
// A path is a list of steps from a table or struct: field names with dots between,
// and in brackets the elements of a vector or array: an index, where a negative
// one counts from the end; a slice, "[2:5]", "[2:]" or "[:5]"; all, "[*]"; or in
// quotes the string by which a vector is keyed, `["name"]`. "*" in place of a name
// means every field that is set. Steps lead through unions to the member they
// hold, and through nested buffers to their root. The empty path is the value
// itself, and the first name may be the root type's own, as in the paths of
// errors: "Model.subgraphs[0]".
type Path struct {
	text  string
	steps []step
}

type step struct {
	name string // "" for brackets
	col  int    // where in the text, counted from 1

	key    string // of ["key"]
	kind   stepKind
	lo, hi int
}

type stepKind uint8

const (
	stepField stepKind = iota
	stepAllFields
	stepIndex
	stepSlice
	stepAll
	stepKey
)

// maxPathSteps bounds the steps of a path, and with them the depth of Select.
const maxPathSteps = 10_000

// PathError says what is wrong with a path, and where in it.
type PathError struct {
	Path   string
	Column int // of the byte at fault, counted from 1
	Reason string
}

// Error returns the path, the column and the reason in one line.
func (e *PathError) Error() string {
	return fmt.Sprintf("path %q, column %d: %s", e.Path, e.Column, e.Reason)
}

// ParsePath parses a path. The error is a *PathError.
func ParsePath(text string) (*Path, error) {
	p := &Path{text: text}
	for i := 0; i < len(text); {
		s := step{col: i + 1}
		if len(p.steps) == maxPathSteps {
			return nil, p.fail(i, "more than "+strconv.Itoa(maxPathSteps)+" steps")
		}
		if text[i] == '[' {
			n, reason := s.brackets(text[i:])
			if reason != "" {
				return nil, p.fail(i+n, reason)
			}
			i += n
		} else {
			if text[i] == '.' {
				if i == 0 {
					return nil, p.fail(i, "expected a field name or '['")
				}
				i++
			} else if i > 0 {
				return nil, p.fail(i, "expected '.' or '['")
			}
			n := strings.IndexAny(text[i:], ".[]")
			if n < 0 {
				n = len(text) - i
			}
			if s.name = text[i : i+n]; s.name == "" {
				return nil, p.fail(i, "expected a field name")
			}
			if s.name == "*" {
				s.kind = stepAllFields
			}
			i += n
		}
		p.steps = append(p.steps, s)
	}
	return p, nil
}

func (p *Path) fail(at int, reason string) *PathError {
	return &PathError{Path: p.text, Column: at + 1, Reason: reason}
}

// brackets parses a step that starts with '[' and returns its length, or where it
// goes wrong and why.
func (s *step) brackets(text string) (n int, reason string) {
	if strings.HasPrefix(text, `["`) {
		quoted, err := strconv.QuotedPrefix(text[1:])
		if err == nil {
			s.key, err = strconv.Unquote(quoted)
		}
		if err != nil {
			return 1, "expected a key in double quotes"
		}
		s.kind = stepKey
		if n = 1 + len(quoted); n == len(text) || text[n] != ']' {
			return n, "expected ']'"
		}
		return n + 1, ""
	}
	end := strings.IndexByte(text, ']')
	if end < 0 {
		return len(text), "expected ']'"
	}
	inner := text[1:end]
	number := func(t string, missing int) (int, bool) {
		if t == "" {
			return missing, true
		}
		v, err := strconv.Atoi(t)
		return v, err == nil
	}
	var ok bool
	if lo, hi, colon := strings.Cut(inner, ":"); colon {
		s.kind = stepSlice
		if s.lo, ok = number(lo, 0); !ok {
			return 1, "expected a number, in a slice such as [2:5]"
		}
		if s.hi, ok = number(hi, int(^uint(0)>>1)); !ok {
			return 2 + len(lo), "expected a number, in a slice such as [2:5]"
		}
		return end + 1, ""
	}
	if inner == "*" {
		s.kind = stepAll
		return end + 1, ""
	}
	s.kind = stepIndex
	if s.lo, ok = number(inner, 0); !ok || inner == "" {
		return 1, "expected an index such as [3], a slice such as [2:5], or [*]"
	}
	return end + 1, ""
}

// String returns the path as it was given to ParsePath.
func (p *Path) String() string { return p.text }

// Select calls yield for each value that the path leads to from v, in the order of
// the path, with that value's own path. Fields that are not set, and unions
// without a known member, lead nowhere. It returns the first error of yield, or a
// *PathError where the path names a field that its type does not have, takes an
// element of what has none, or an index that is out of range and not below a
// wildcard or slice.
func (p *Path) Select(v Value, yield func(path string, v Value) error) error {
	w := &pathWalk{p: p, yield: yield}
	steps := p.steps
	if len(steps) > 0 && steps[0].kind == stepField && (v.Kind() == KindTable || v.Kind() == KindStruct) {
		o := v.typ.Object
		if o.Field(steps[0].name) == nil && o.schema.ShortName() == steps[0].name {
			w.at = append(w.at, steps[0].name...)
			steps = steps[1:]
		}
	}
	return w.walk(v, steps)
}

type pathWalk struct {
	p     *Path
	yield func(string, Value) error
	at    []byte
	many  bool // below a wildcard or slice
}

func (w *pathWalk) fail(s *step, format string, args ...any) error {
	return w.p.fail(s.col-1, fmt.Sprintf(format, args...))
}

func (w *pathWalk) walk(v Value, steps []step) error {
	if v.Kind() == KindUnion && len(steps) > 0 {
		v = v.Union()
	}
	if v.Kind() == KindNone || !v.Present() && v.Kind() != KindArray {
		if len(steps) == 0 && v.Kind() != KindNone && v.IsScalar() {
			return w.yield(string(w.at), v) // a default
		}
		return nil
	}
	if len(steps) == 0 {
		return w.yield(string(w.at), v)
	}
	s := &steps[0]
	switch s.kind {
	case stepField, stepAllFields:
		return w.field(v, s, steps[1:])
	}
	return w.elements(v, s, steps[1:])
}

func (w *pathWalk) field(v Value, s *step, rest []step) error {
	if v.typ.field != nil && v.typ.field.nested != nil && v.typ == &v.typ.field.typ {
		m, err := v.Nested()
		if err != nil {
			return err
		}
		v = m.Root().AsValue()
	}
	if v.Kind() != KindTable && v.Kind() != KindStruct {
		if w.many && s.kind == stepAllFields {
			return nil
		}
		return w.fail(s, "a value of type %s has no fields", v.typ)
	}
	o := v.typ.Object
	get := func(f *Field) Value {
		if o.IsStruct() {
			return v.Struct().Get(f)
		}
		u, _ := v.Table().Get(f)
		return u
	}
	if s.kind == stepField {
		f := o.Field(s.name)
		if f == nil {
			return w.fail(s, "%s has no field %q%s", o.Name(), s.name, suggest(o, s.name))
		}
		return w.into(get(f), s.name, rest)
	}
	defer func(many bool) { w.many = many }(w.many)
	w.many = true
	for _, f := range o.fields {
		if u := get(f); u.Present() {
			if err := w.into(u, f.Name(), rest); err != nil {
				return err
			}
		}
	}
	return nil
}

// into walks on below a field.
func (w *pathWalk) into(v Value, name string, rest []step) error {
	n := len(w.at)
	if n > 0 {
		w.at = append(w.at, '.')
	}
	w.at = append(w.at, name...)
	err := w.walk(v, rest)
	w.at = w.at[:n]
	return err
}

func (w *pathWalk) elements(v Value, s *step, rest []step) error {
	if v.Kind() != KindVector && v.Kind() != KindArray {
		return w.fail(s, "a value of type %s has no elements", v.typ)
	}
	n := v.Len()
	lo, hi := 0, n
	switch s.kind {
	case stepKey:
		if v.Key() == nil || v.Key().typ.Kind != KindString {
			return w.fail(s, "a value of type %s is not keyed by a string", v.typ)
		}
		i, ok := v.search(v.Key(), []byte(s.key))
		if !ok {
			if w.many {
				return nil
			}
			return w.fail(s, "no element has the key %q", s.key)
		}
		lo, hi = i, i+1
	case stepIndex:
		if lo = s.lo; lo < 0 {
			lo += n
		}
		if hi = lo + 1; lo < 0 || lo >= n {
			if w.many {
				return nil
			}
			return w.fail(s, "index %d of a %s of %d elements", s.lo, v.typ, n)
		}
	case stepSlice:
		clamp := func(i int) int {
			if i < 0 {
				i += n
			}
			return min(max(i, 0), n)
		}
		lo, hi = clamp(s.lo), clamp(s.hi)
	}
	if s.kind != stepKey && s.kind != stepIndex {
		defer func(many bool) { w.many = many }(w.many)
		w.many = true
	}
	length := len(w.at)
	for i := lo; i < hi; i++ {
		w.at = append(w.at, '[')
		w.at = strconv.AppendInt(w.at, int64(i), 10)
		w.at = append(w.at, ']')
		err := w.walk(v.At(i), rest)
		w.at = w.at[:length]
		if err != nil {
			return err
		}
	}
	return nil
}

// suggest returns ", did you mean …?" where a field's name is near.
func suggest(o *Object, name string) string {
	best, at := "", max(1, len(name)/3)+1
	for _, f := range o.fields {
		if d := editDistance(f.Name(), name, at); d < at {
			best, at = f.Name(), d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}

// editDistance returns the number of changed, added and removed bytes between two
// names, or limit where they are further apart.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit || len(a) > 64 || len(b) > 64 {
		return limit
	}
	var row [65]int
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return min(row[len(b)], limit)
}
