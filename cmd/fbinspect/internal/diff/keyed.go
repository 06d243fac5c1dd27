package diff

import (
	"slices"

	"github.com/fbverify/go/fbverify/dynamic"
)

// keyed compares vectors whose elements have a key, in the order of their keys. An element
// whose key stands there more than once is matched by its turn.
func (c *comparer) keyed(a, b dynamic.Value) {
	key := a.Key()
	before, after := c.sorted(a, keysBefore), c.sorted(b, keysAfter)
	n, m := a.Len(), b.Len()
	for i, j := 0, 0; (i < n || j < m) && !c.done; {
		order := 0
		switch {
		case i == n:
			order = 1
		case j == m:
			order = -1
		default:
			order = c.order(a.At(before(i)), b.At(after(j)), keysOfBoth)
		}
		switch {
		case order < 0:
			v := a.At(before(i))
			c.path.push(step{field: key, element: v})
			c.say(Removed, v, dynamic.Value{})
			i++
		case order > 0:
			w := b.At(after(j))
			c.path.push(step{field: key, element: w})
			c.say(Added, dynamic.Value{}, w)
			j++
		default:
			v := a.At(before(i))
			c.path.push(step{field: key, element: v})
			c.values(v, b.At(after(j)))
			i, j = i+1, j+1
		}
		c.path.pop()
	}
}

// sorted returns the indexes of a vector's elements in the order of their keys. Writers sort
// such vectors, so there mostly is nothing to keep.
func (c *comparer) sorted(v dynamic.Value, where question) func(i int) int {
	n, ok := v.Len(), true
	for i := 1; i < n && ok; i++ {
		ok = c.order(v.At(i-1), v.At(i), where) <= 0
	}
	if ok {
		return func(i int) int { return i }
	}
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(i, j uint32) int {
		if o := c.order(v.At(int(i)), v.At(int(j)), where); o != 0 {
			return o
		}
		return int(i) - int(j)
	})
	return func(i int) int { return int(order[i]) }
}

// order compares the keys of two elements. Long ones are compared once, since many elements
// can share one.
func (c *comparer) order(a, b dynamic.Value, where question) int {
	k, l := longKey(a), longKey(b)
	if !k.Present() || !l.Present() {
		return dynamic.CompareKeys(a, b)
	}
	p := c.memo.pair(k, l, where)
	if o, ok := c.memo.find(p); ok {
		return int(o) - 1
	}
	c.spend(min(k.Size(), l.Size()))
	o := dynamic.CompareKeys(a, b)
	c.memo.keep(p, result(o+1))
	return o
}

// longKey returns the key of an element, where to compare it is work. A struct's key is
// part of it, and not shared.
func longKey(v dynamic.Value) dynamic.Value {
	if v.Kind() != dynamic.KindTable {
		return dynamic.Value{}
	}
	k, _ := v.Table().Get(v.Type().Object.Key())
	if k.Kind() != dynamic.KindString || k.Len() <= 64 {
		return dynamic.Value{}
	}
	return k
}
