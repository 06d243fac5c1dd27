// Package diff is the work of fbinspect diff: two files compared by the data in them, path
// by path, and not byte by byte.
//
// Every two values that belong together are compared once, and each difference is told as
// it is found: the work grows as the files do, and of what was seen no more is kept than a
// few bits for each byte (see memo).
package diff

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"

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
// removed. Path is where it is in the old data, and in the new data what was added.
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
// of the fields, until it returns false or the context ends. Elements of a vector that has a
// key are matched by it, in its order; those of others by their index, after what both ends
// have in common. Two values that share their place with others are told apart once, and
// after that as a whole.
func Compare(ctx context.Context, before, after dynamic.Message, opts Options, yield func(Change) bool) error {
	return newComparer(ctx, before, after, opts, yield).run()
}

// ErrOverlap is the error for data whose vectors overlap one another at many places, as no
// writer leaves them: each is as long as the file.
var ErrOverlap = fmt.Errorf("its vectors and strings overlap one another, so that to compare them takes more than %d times the work that the bytes of the two files do", overlap)

// overlap is how many times their bytes the comparison of two files may take, once what
// they share is compared once.
const overlap = 64

func newComparer(ctx context.Context, before, after dynamic.Message, opts Options, yield func(Change) bool) *comparer {
	size := len(before.Bytes()) + len(after.Bytes())
	return &comparer{
		ctx: ctx, opts: opts, yield: yield, memo: newMemo(size), roots: [2]dynamic.Table{before.Root(), after.Root()}, before: before.Bytes(), after: after.Bytes(),
		budget: overlap * (int64(size) + 1<<16), path: path{root: before.Root().Object().Schema().ShortName()},
	}
}

func (c *comparer) run() error {
	c.tables(c.roots[0], c.roots[1])
	if c.over {
		return ErrOverlap
	}
	return c.ctx.Err()
}

type comparer struct {
	ctx   context.Context
	opts  Options
	yield func(Change) bool
	memo  *memo
	path  path
	told  int // differences
	seen  int // values
	done  bool

	roots         [2]dynamic.Table
	before, after []byte
	budget        int64 // bytes that may still be compared
	over          bool  // they are used up
}

// spend takes so many bytes from the budget.
func (c *comparer) spend(n int) {
	if c.budget -= int64(n); c.budget < 0 {
		c.over, c.done = true, true
	}
}

// elementCost is how many bytes can be compared in the time that an element takes.
const elementCost = 16

// say reports a difference.
func (c *comparer) say(op Op, before, after dynamic.Value) {
	if !c.done {
		c.told++
		c.done = !c.yield(Change{Op: op, Path: c.path.String(), Old: before, New: after})
	}
}

// tables compares two tables of one type, field by field.
func (c *comparer) tables(a, b dynamic.Table) {
	o := a.Object()
	for id := range o.NumFields() {
		if c.done {
			return
		}
		f := o.FieldByID(id)
		v, hasA := a.Get(f)
		w, hasB := b.Get(f)
		if !hasA && !hasB {
			continue
		}
		c.path.push(step{field: f})
		switch {
		case v.IsScalar() && !f.Schema().Optional && (!c.opts.Presence || hasA == hasB):
			c.values(v, w)
		case hasA && !hasB:
			c.say(Removed, v, dynamic.Value{})
		case !hasA && hasB:
			c.say(Added, dynamic.Value{}, w)
		default:
			c.values(v, w)
		}
		c.path.pop()
	}
}

// values compares two values of one type.
func (c *comparer) values(a, b dynamic.Value) {
	if c.seen++; c.seen%4096 == 0 && c.ctx.Err() != nil {
		c.done = true
	}
	if c.done {
		return
	}
	switch a.Kind() {
	case dynamic.KindNone:
	case dynamic.KindTable:
		c.once(a, b, func() { c.tables(a.Table(), b.Table()) })
	case dynamic.KindStruct:
		if bytes.Equal(a.Bytes(), b.Bytes()) {
			return
		}
		s, t := a.Struct(), b.Struct()
		for f, v := range s.Fields() {
			c.path.push(step{field: f})
			c.values(v, t.Get(f))
			c.path.pop()
		}
	case dynamic.KindUnion:
		c.unions(a, b)
	case dynamic.KindVector:
		c.once(a, b, func() { c.lists(a, b) })
	case dynamic.KindArray:
		c.lists(a, b)
	case dynamic.KindString:
		if a.Len() != b.Len() {
			c.say(Changed, a, b)
			return
		}
		if a.Len() <= 64 {
			c.strings(a, b)
			return
		}
		c.once(a, b, func() { c.strings(a, b) })
	default:
		if !sameNumber(a, b) {
			c.say(Changed, a, b)
		}
	}
}

func (c *comparer) strings(a, b dynamic.Value) {
	c.spend(a.Len())
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		c.say(Changed, a, b)
	}
}

// sameNumber reports whether two scalars are the same. A NaN is as it was.
func sameNumber(a, b dynamic.Value) bool {
	if a.Kind() == dynamic.KindFloat {
		x, y := a.Float(), b.Float()
		return x == y || x != x && y != y
	}
	return a.Uint() == b.Uint()
}

// once calls compare, unless these two were compared before, since others lead to them too.
// What was found then is told as one difference.
func (c *comparer) once(a, b dynamic.Value, compare func()) {
	if !a.Present() || !b.Present() {
		compare()
		return
	}
	p := c.memo.pair(a, b, whetherSame)
	switch result, ok := c.memo.find(p); {
	case ok && result == same:
		return
	case ok:
		c.say(Changed, a, b)
		return
	}
	before := c.told
	compare()
	if !c.done {
		c.memo.note(p, c.told > before)
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

// lists compares two vectors or arrays.
func (c *comparer) lists(a, b dynamic.Value) {
	if v, ok := nested(a); ok {
		if w, ok := nested(b); ok {
			c.tables(v, w)
			return
		}
	}
	if isFlex(a) {
		if !sameFlex(a, b) {
			c.say(Changed, a, b)
		}
		return
	}
	if a.Kind() == dynamic.KindVector && a.Key() != nil {
		c.keyed(a, b)
		return
	}
	n, m := a.Len(), b.Len()
	if a.Kind() == dynamic.KindVector && inline(a) {
		c.spend(min(a.Size(), b.Size()))
		switch {
		case n == m && bytes.Equal(c.before[a.Offset():a.Offset()+a.Size()], c.after[b.Offset():b.Offset()+b.Size()]):
			return
		case isBytes(a) && n+m > 64:
			c.say(Changed, a, b)
			return
		}
		c.spend(elementCost * (n + m))
	}
	// Where elements came or went, both ends say where: those that are alike at the
	// start belong together, and those at the end.
	both, tail := min(n, m), 0
	if n != m {
		head := 0
		for head < both && alike(a.At(head), b.At(head)) {
			head++
		}
		for tail < both-head && alike(a.At(n-1-tail), b.At(m-1-tail)) {
			tail++
		}
	}
	both -= tail
	for i := 0; i < both && !c.done; i++ {
		c.element(i, a.At(i), b.At(i))
	}
	for i := both; i < n-tail && !c.done; i++ {
		c.path.push(step{index: i})
		c.say(Removed, a.At(i), dynamic.Value{})
		c.path.pop()
	}
	for i := both; i < m-tail && !c.done; i++ {
		c.path.push(step{index: i})
		c.say(Added, dynamic.Value{}, b.At(i))
		c.path.pop()
	}
	for ; tail > 0 && !c.done; tail-- {
		c.element(n-tail, a.At(n-tail), b.At(m-tail))
	}
}

func (c *comparer) element(i int, a, b dynamic.Value) {
	c.path.push(step{index: i})
	c.values(a, b)
	c.path.pop()
}

// alike reports whether two values of one type look the same as far as a glance goes. What
// it leaves out is compared where the two are.
func alike(a, b dynamic.Value) bool {
	glance := 64
	return look(a, b, &glance)
}

func look(a, b dynamic.Value, glance *int) bool {
	if *glance--; *glance < 0 {
		return true
	}
	if a.Present() != b.Present() {
		return false
	}
	switch a.Kind() {
	case dynamic.KindNone:
		return b.Kind() == dynamic.KindNone
	case dynamic.KindTable:
		t, u := a.Table(), b.Table()
		o := t.Object()
		for id := 0; id < o.NumFields() && *glance > 0; id++ {
			f := o.FieldByID(id)
			v, hasA := t.Get(f)
			w, hasB := u.Get(f)
			if hasA != hasB && !v.IsScalar() || (hasA || hasB) && !look(v, w, glance) {
				return false
			}
			*glance--
		}
		return true
	case dynamic.KindStruct:
		return bytes.Equal(start(a.Bytes()), start(b.Bytes()))
	case dynamic.KindUnion:
		return a.Tag() == b.Tag() && a.Union().Kind() == b.Union().Kind() && look(a.Union(), b.Union(), glance)
	case dynamic.KindVector, dynamic.KindArray:
		n := a.Len()
		if n != b.Len() {
			return false
		}
		for i := 0; i < n && *glance > 0; i++ {
			if !look(a.At(i), b.At(i), glance) {
				return false
			}
		}
		return true
	case dynamic.KindString:
		return a.Len() == b.Len() && bytes.Equal(start(a.Bytes()), start(b.Bytes()))
	}
	return sameNumber(a, b) || !a.Present()
}

// start is as much of some bytes as a glance takes in.
func start(b []byte) []byte { return b[:min(len(b), 256)] }

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

func isFlex(v dynamic.Value) bool {
	f := v.Field()
	if f == nil || v.Type() != f.Type() {
		return false
	}
	_, ok := f.Schema().Attribute("flexbuffer")
	return ok && isBytes(v)
}

// sameFlex compares what two FlexBuffers say: their bytes depend on their writers.
func sameFlex(a, b dynamic.Value) bool {
	if bytes.Equal(a.Bytes(), b.Bytes()) {
		return true
	}
	seed := maphash.MakeSeed()
	sum := func(v dynamic.Value) (uint64, error) {
		var h maphash.Hash
		h.SetSeed(seed)
		err := dynamic.WriteValueJSON(&h, v, &dynamic.JSONOptions{NonUTF8: dynamic.NonUTF8Escape})
		return h.Sum64(), err
	}
	x, err := sum(a)
	if err != nil {
		return false
	}
	y, err := sum(b)
	return err == nil && x == y
}

// inline reports whether all of a vector's elements is in the vector itself.
func inline(v dynamic.Value) bool {
	switch v.Type().Elem.Kind {
	case dynamic.KindString, dynamic.KindTable, dynamic.KindUnion:
		return false
	}
	return v.Present()
}

func isBytes(v dynamic.Value) bool {
	e := v.Type().Elem
	return e.Size == 1 && (e.Kind == dynamic.KindUint || e.Kind == dynamic.KindInt)
}
