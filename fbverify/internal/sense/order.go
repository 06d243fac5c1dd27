package sense

import (
	"bytes"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/fbverify/go/schema"
)

// element returns where the scalar or the string of element i is that is compared, and the
// string; at is 0 where it is a default.
func (w *walker) element(c *check, data, i uint64) (at uint64, n schema.Integer, text []byte) {
	pos := data + i*c.size
	if !c.byKey {
		if c.base == schema.String {
			pos = w.follow(pos, false)
			return pos, n, w.text(pos)
		}
		return pos, w.load(pos, c.base), nil
	}
	o := object{pos: pos}
	if !c.by.inStruct {
		o = w.tableAt(w.follow(pos, false))
	}
	at = w.field(&o, c.by.place)
	switch {
	case c.by.base == schema.String && at != 0:
		at = w.follow(at, c.by.wide)
		return at, n, w.text(at)
	case at != 0:
		return at, w.load(at, c.by.base), nil
	}
	return 0, c.by.def, nil
}

func (c *check) comparesText() bool {
	return c.byKey && c.by.base == schema.String || !c.byKey && c.base == schema.String
}

// sorted asks whether no element is less than the one before.
func (w *walker) sorted(c *check, pos, count, data uint64, f *frame) {
	if count == 0 {
		return
	}
	isText := c.comparesText()
	_, last, lastText := w.element(c, data, 0)
	for i := uint64(1); i < count; i++ {
		at, n, text := w.element(c, data, i)
		if isText {
			if !w.spend(uint64(min(len(text), len(lastText))), c.Owner, pos, f) {
				return
			}
		}
		if isText && bytes.Compare(text, lastText) < 0 || !isText && n.Compare(last) < 0 {
			f.index = i
			w.notSorted(c, pos, at, last, n, lastText, text, f)
			return
		}
		last, lastText = n, text
	}
}

// unique asks whether no two elements are equal.
func (w *walker) unique(c *check, pos, count, data uint64, f *frame) {
	if count < 2 {
		return
	}
	isText := c.comparesText()
	if !isText {
		// Most are in order.
		_, last, _ := w.element(c, data, 0)
		i := uint64(1)
		for ; i < count; i++ {
			_, n, _ := w.element(c, data, i)
			if last.Compare(n) >= 0 {
				break
			}
			last = n
		}
		if i == count {
			return
		}
	}
	keys := scratch.Get().(*[]uint64)
	defer scratch.Put(keys)
	k := (*keys)[:0]
	seed := maphash.MakeSeed()
	for i := range count {
		_, n, text := w.element(c, data, i)
		if isText {
			if !w.spend(uint64(len(text)), c.Owner, pos, f) {
				return
			}
			n.Low = maphash.Bytes(seed, text)
		}
		k = append(k, n.Low) // of one type, so the low word tells numbers apart
	}
	*keys = k
	slices.Sort(k)
	for i := 1; i < len(k); i++ {
		if k[i] != k[i-1] {
			continue
		}
		// Twice there, unless two strings have one hash.
		if first, second, at, twice := w.twice(c, count, data, k[i], isText, seed); twice {
			f.index = second
			w.notUnique(c, pos, at, data, first, second, f)
			return
		}
	}
}

var scratch = sync.Pool{New: func() any { return new([]uint64) }}

// twice looks for two elements of a hash that are equal.
func (w *walker) twice(c *check, count, data, hash uint64, isText bool, seed maphash.Seed) (first, second, at uint64, twice bool) {
	var firstText []byte
	found := false
	for i := range count {
		pos, n, text := w.element(c, data, i)
		if isText {
			n.Low = maphash.Bytes(seed, text)
		}
		switch {
		case n.Low != hash:
		case !found:
			found, first, firstText = true, i, text
		case !isText || bytes.Equal(text, firstText):
			return first, i, pos, true
		}
	}
	return 0, 0, 0, false
}

// key looks for a key by binary search, as readers do.
func (w *walker) key(c *check, o *object, at uint64, n schema.Integer, f *frame) {
	bound := w.evaluate(&c.bound, o)
	if !bound.known {
		w.unstated(c, &c.bound, o, f)
		return
	}
	if c.bound.kind == slotted {
		w.exactly(c.bound.slot)
	}
	var count, data uint64
	if bound.at != 0 {
		count, data = w.vector(bound.at, c.keyed.long)
	}
	var wanted []byte
	isText := c.base == schema.String
	if isText {
		wanted = w.text(at)
	}
	i, j := uint64(0), count
	for i < j {
		m := i + (j-i)/2
		t := w.tableAt(w.follow(data+4*m, false))
		var order int
		if isText {
			found := w.textOf(&t, &c.keyed.key)
			if !w.spend(uint64(min(len(found), len(wanted))), c.Owner, at, f) {
				return
			}
			order = bytes.Compare(found, wanted)
		} else {
			order = w.scalar(&t, &c.keyed.key).Compare(n)
		}
		switch {
		case order == 0:
			return
		case order < 0:
			i = m + 1
		default:
			j = m
		}
	}
	w.notKey(c, o, at, n, wanted, bound, count, f)
}
