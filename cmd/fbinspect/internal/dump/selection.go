package dump

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fbverify/go/schema"
)

// selection hands on what a path selects of a partial dump. Faults on the way there are
// handed on too: they are why something cannot be reached. Its methods that only ask may be
// called on nil, which selects everything.
type selection struct {
	out    emitter
	lines  emitter // the innermost of it, which each value starts anew
	steps  []wanted
	json   bool
	at     []string // names of the objects and lists around, of those on the way to what is wanted
	inside int      // how many of these are within what is selected
	found  int
}

// wanted is one step of a path.
type wanted struct {
	name   string // of a field; "" for elements
	lo, hi uint64 // elements
	all    bool   // every field, or every element
}

// newSelection takes the text of a path that was parsed already.
func newSelection(path, root string, object *schema.Object, out, lines emitter, json bool) (*selection, error) {
	s := &selection{out: out, lines: lines, json: json}
	fail := func(what string) error {
		return fmt.Errorf("--path %q: with --partial, of what is not sound, a path takes names, indexes, slices and *, but no %s", path, what)
	}
	for rest := path; rest != ""; {
		rest = strings.TrimPrefix(rest, ".")
		if strings.HasPrefix(rest, `["`) {
			return nil, fail("key")
		}
		if !strings.HasPrefix(rest, "[") {
			n := strings.IndexAny(rest, ".[")
			if n < 0 {
				n = len(rest)
			}
			s.steps = append(s.steps, wanted{name: rest[:n], all: rest[:n] == "*"})
			rest = rest[n:]
			continue
		}
		inner, after, _ := strings.Cut(rest[1:], "]")
		rest = after
		w := wanted{hi: math.MaxUint64, all: inner == "*"}
		lo, hi, slice := strings.Cut(inner, ":")
		var err error
		if !w.all && lo != "" {
			if w.lo, err = strconv.ParseUint(lo, 10, 63); err != nil {
				return nil, fail("number such as " + lo)
			}
		}
		switch {
		case slice && hi != "":
			if w.hi, err = strconv.ParseUint(hi, 10, 63); err != nil {
				return nil, fail("number such as " + hi)
			}
		case !slice && !w.all:
			w.hi = w.lo + 1
		}
		s.steps = append(s.steps, w)
	}
	if len(s.steps) > 0 && s.steps[0].name == root && !hasField(object, root) {
		s.steps = s.steps[1:]
	}
	if len(s.steps) > 0 && s.steps[0].name != "" && !s.steps[0].all && !hasField(object, s.steps[0].name) {
		return nil, fmt.Errorf("--path %q: %s has no field %q", path, object.Name, s.steps[0].name)
	}
	return s, nil
}

func hasField(o *schema.Object, name string) bool {
	for _, f := range o.Fields {
		if f.Name == name {
			return true
		}
	}
	return false
}

// fits reports whether a step leads to the field, or the element "[3]", of that name.
func (w *wanted) fits(name string) bool {
	if strings.HasPrefix(name, "[") {
		i, err := strconv.ParseUint(strings.Trim(name, "[]"), 10, 64)
		return err == nil && w.name == "" && (w.all || i >= w.lo && i < w.hi)
	}
	return w.name != "" && (w.all || w.name == name)
}

// enters reports whether what has that name, in the object or list that is open, is
// selected or on the way to it.
func (s *selection) enters(name string) bool {
	if s == nil || s.inside > 0 {
		return true
	}
	depth := len(s.at) - 1 // the root has no name
	return depth < len(s.steps) && s.steps[depth].fits(name)
}

// within reports whether the elements of the list of that name are asked for one by one.
func (s *selection) within(name string) bool {
	return s != nil && s.inside == 0 && s.enters(name) && len(s.at) < len(s.steps)
}

// selects reports whether what has that name is where the path ends.
func (s *selection) selects(name string) bool {
	return s.inside == 0 && s.enters(name) && len(s.at) == len(s.steps)
}

// path is where something of that name is.
func (s *selection) path(name string) string {
	var b strings.Builder
	for _, n := range append(s.at[min(1, len(s.at)):len(s.at):len(s.at)], name) {
		if b.Len() > 0 && !strings.HasPrefix(n, "[") {
			b.WriteByte('.')
		}
		b.WriteString(n)
	}
	return b.String()
}

// start begins one of the values that are selected: in JSON it has a line for itself.
func (s *selection) start(path string) {
	if j, ok := s.lines.(*jsonEmitter); ok {
		j.begin(path)
	}
	if t, ok := s.lines.(*treeEmitter); ok {
		t.level = max(t.level, 1)
	}
	s.found++
}

func (s *selection) open(name string, list bool, what string) {
	switch {
	case len(s.at) == 0 && len(s.steps) == 0: // all of it
		s.start("")
		s.inside++
		s.out.open(name, list, what)
	case len(s.at) > 0 && s.inside == 0 && s.selects(name):
		s.start(s.path(name))
		s.inside++
		s.out.open(s.path(name), list, what)
	case s.inside > 0:
		s.inside++
		s.out.open(name, list, what)
	}
	s.at = append(s.at, name)
}

func (s *selection) close(list bool) {
	s.at = s.at[:len(s.at)-1]
	if s.inside > 0 {
		s.inside--
		s.out.close(list)
	}
}

func (s *selection) value(name, tree, json string) {
	switch {
	case s.inside > 0:
		s.out.value(name, tree, json)
	case s.selects(name):
		s.start(s.path(name))
		s.out.value(s.path(name), tree, json)
	}
}

func (s *selection) fault(name string, err error) {
	switch {
	case s.inside > 0:
		s.out.fault(name, err)
	case s.json: // told on the error stream with all others
	case name == "" || len(s.at) == 0:
		s.start(name)
		s.out.fault(name, err)
	case s.enters(name):
		s.start(s.path(name))
		s.out.fault(s.path(name), err)
	}
}

func (s *selection) end() error { return s.out.end() }

var _ emitter = (*selection)(nil)
