// Package diff is the work of fbinspect diff: two files compared by the data in them, path
// by path, and not byte by byte.
package diff

import (
	"bytes"
	"strconv"

	"github.com/fbverify/go/fbverify/dynamic"
)

// Op is what became of a value.
type Op string

// What can become of a value.
const (
	Added   Op = "add"
	Removed Op = "remove"
	Changed Op = "change"
)

// Change is one difference. Old is not set for what was added, New not for what was
// removed.
type Change struct {
	Op       Op
	Path     string
	Old, New dynamic.Value
}

// Options say what counts as a difference.
type Options struct {
	// Presence makes a field that is not set differ from one that is set to its default.
	Presence bool
}

// Compare calls yield with each difference between two roots of the same type, in the order
// of the fields, until it returns false. Elements of a vector that has a key are matched by
// it; those of others by their index, after what both ends have in common.
func Compare(before, after dynamic.Message, opts Options, yield func(Change) bool) {
	c := &comparer{opts: opts, yield: yield, path: []byte(before.Root().Object().Schema().ShortName())}
	c.tables(before.Root(), after.Root())
}

type comparer struct {
	opts  Options
	yield func(Change) bool // nil: only ask whether there is a difference
	path  []byte
	found bool
	done  bool
}

// say reports a difference.
func (c *comparer) say(op Op, before, after dynamic.Value) {
	c.found = true
	if c.yield == nil || c.done {
		c.done = true
		return
	}
	c.done = !c.yield(Change{Op: op, Path: string(c.path), Old: before, New: after})
}

// into goes one step down the path for as long as f runs.
func (c *comparer) into(step string, f func()) {
	n := len(c.path)
	c.path = append(c.path, step...)
	f()
	c.path = c.path[:n]
}

// equal reports whether two values of one type are the same.
func (c *comparer) equal(a, b dynamic.Value) bool {
	sub := &comparer{opts: c.opts}
	sub.values(a, b)
	return !sub.found
}

// tables compares two tables of one type, field by field.
func (c *comparer) tables(a, b dynamic.Table) {
	o := a.Object()
	for id := range o.NumFields() {
		if c.done {
			return
		}
		f := o.FieldByID(id)
		if f.Schema().Deprecated {
			continue
		}
		v, hasA := a.Get(f)
		w, hasB := b.Get(f)
		c.into("."+f.Name(), func() {
			switch {
			case !hasA && !hasB:
			case v.IsScalar() && !f.Schema().Optional && (!c.opts.Presence || hasA == hasB):
				c.values(v, w)
			case hasA && !hasB:
				c.say(Removed, v, dynamic.Value{})
			case !hasA && hasB:
				c.say(Added, dynamic.Value{}, w)
			default:
				c.values(v, w)
			}
		})
	}
}

// values compares two values of one type.
func (c *comparer) values(a, b dynamic.Value) {
	if c.done {
		return
	}
	switch a.Kind() {
	case dynamic.KindNone:
	case dynamic.KindTable:
		c.tables(a.Table(), b.Table())
	case dynamic.KindStruct:
		s, t := a.Struct(), b.Struct()
		for f, v := range s.Fields() {
			c.into("."+f.Name(), func() { c.values(v, t.Get(f)) })
		}
	case dynamic.KindUnion:
		c.unions(a, b)
	case dynamic.KindVector, dynamic.KindArray:
		c.lists(a, b)
	case dynamic.KindString:
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			c.say(Changed, a, b)
		}
	case dynamic.KindFloat:
		// A NaN is as it was.
		if x, y := a.Float(), b.Float(); x != y && (x == x || y == y) {
			c.say(Changed, a, b)
		}
	default:
		if a.Uint() != b.Uint() {
			c.say(Changed, a, b)
		}
	}
}

func (c *comparer) unions(a, b dynamic.Value) {
	v, w := a.Union(), b.Union()
	switch {
	case v.Kind() == dynamic.KindNone && w.Kind() == dynamic.KindNone:
		// Nothing that this schema knows; the tags are fields of their own.
	case a.Tag() != b.Tag() || v.Kind() != w.Kind():
		c.say(Changed, a, b)
	default:
		c.values(v, w)
	}
}

// lists compares two vectors.
func (c *comparer) lists(a, b dynamic.Value) {
	if v, ok := nested(a); ok {
		if w, ok := nested(b); ok {
			c.tables(v, w)
			return
		}
	}
	if v, ok := flexible(a); ok {
		// The bytes of a FlexBuffer depend on its writer; what it says is compared.
		if w, ok := flexible(b); ok {
			if !bytes.Equal(v, w) {
				c.say(Changed, a, b)
			}
			return
		}
	}
	if a.Kind() == dynamic.KindVector && a.Key() != nil {
		c.keyed(a, b)
		return
	}
	n, m := a.Len(), b.Len()
	if isBytes(a) && n+m > 64 {
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			c.say(Changed, a, b)
		}
		return
	}
	head := 0
	for head < min(n, m) && !c.done && c.equal(a.At(head), b.At(head)) {
		head++
	}
	tail := 0
	for n != m && tail < min(n, m)-head && !c.done && c.equal(a.At(n-1-tail), b.At(m-1-tail)) {
		tail++
	}
	both := min(n, m) - tail
	for i := head; i < both && !c.done; i++ {
		c.into("["+strconv.Itoa(i)+"]", func() { c.values(a.At(i), b.At(i)) })
	}
	for i := both; i < n-tail && !c.done; i++ {
		c.into("["+strconv.Itoa(i)+"]", func() { c.say(Removed, a.At(i), dynamic.Value{}) })
	}
	for i := both; i < m-tail && !c.done; i++ {
		c.into("["+strconv.Itoa(i)+"]", func() { c.say(Added, dynamic.Value{}, b.At(i)) })
	}
}

func nested(v dynamic.Value) (dynamic.Table, bool) {
	if f := v.Field(); f == nil || f.Nested() == nil || v.Type() != f.Type() || !v.Present() {
		return dynamic.Table{}, false
	}
	m, err := v.Nested()
	if err != nil {
		return dynamic.Table{}, false
	}
	return m.Root(), true
}

// flexible returns what the FlexBuffer in a field's bytes says, as JSON.
func flexible(v dynamic.Value) ([]byte, bool) {
	f := v.Field()
	if f == nil || v.Type() != f.Type() || !v.Present() {
		return nil, false
	}
	if _, ok := f.Schema().Attribute("flexbuffer"); !ok {
		return nil, false
	}
	b, err := dynamic.AppendValueJSON(nil, v, &dynamic.JSONOptions{NonUTF8: dynamic.NonUTF8Escape})
	return b, err == nil
}

func isBytes(v dynamic.Value) bool {
	e := v.Type().Elem
	return e.Size == 1 && (e.Kind == dynamic.KindUint || e.Kind == dynamic.KindInt)
}

// keyed compares vectors whose elements have a key. An element whose key stands there
// more than once is matched by its turn.
func (c *comparer) keyed(a, b dynamic.Value) {
	key := a.Key()
	text := func(e dynamic.Value) string {
		if e.Kind() == dynamic.KindStruct {
			return e.Struct().Get(key).String()
		}
		v, _ := e.Table().Get(key)
		return v.String()
	}
	index := func(v dynamic.Value) (map[string][]int, []string) {
		m, names := map[string][]int{}, make([]string, v.Len())
		for i, e := range v.All() {
			names[i] = text(e)
			m[names[i]] = append(m[names[i]], i)
		}
		return m, names
	}
	_, before := index(a)
	there, after := index(b)
	matched := make([]bool, b.Len())
	turn := map[string]int{}
	for i, name := range before {
		if c.done {
			return
		}
		c.into(keyStep(key, name), func() {
			if at := there[name]; turn[name] < len(at) {
				j := at[turn[name]]
				turn[name]++
				matched[j] = true
				c.values(a.At(i), b.At(j))
				return
			}
			c.say(Removed, a.At(i), dynamic.Value{})
		})
	}
	for j, name := range after {
		if !matched[j] && !c.done {
			c.into(keyStep(key, name), func() { c.say(Added, dynamic.Value{}, b.At(j)) })
		}
	}
}

// keyStep is a step of a path as --path reads it for strings.
func keyStep(key *dynamic.Field, name string) string {
	if key.Type().Kind == dynamic.KindString {
		return "[" + strconv.Quote(name) + "]"
	}
	return "[" + key.Name() + "=" + name + "]"
}
