package sense

import (
	"slices"

	"github.com/fbverify/go/schema"
)

// Tables of a vector are asked together, where there are many: what is left to do for a
// vtable is looked up once for all that have it, and each op goes over all of them. The
// tables that their fields lead to are asked together in turn. Nothing depends on the order,
// as nobody hears of what was found.

// batch is how many tables are asked together, at most.
const batch = 64

// few is how many are not worth the sorting.
const few = 6

// tables looks at the tables of a vector.
func (w *glancer) tables(k *kind, data, n uint64) bool {
	if w.work += 4 * n; w.work > w.budget {
		return false
	}
	for ; n >= few; n -= min(n, batch) {
		if !w.some(k, data, min(n, batch)) {
			return false
		}
		data += 4 * min(n, batch)
	}
	for ; n > 0; n-- {
		if !w.one(k, data+uint64(w.m.Load32(data))) {
			return false
		}
		data += 4
	}
	return true
}

// some looks at the tables that n offsets from a position on lead to.
func (w *glancer) some(k *kind, data, n uint64) bool {
	var at [batch]uint64
	m := &w.m
	for i := range n {
		at[i%batch] = data + uint64(m.Load32(data))
		data += 4
	}
	return w.alike(k, at[:n])
}

// alike looks at tables, those with the same layout together. It changes their order.
func (w *glancer) alike(k *kind, at []uint64) bool {
	const most = 4 // layouts
	m := &w.m
	for range most {
		pos := at[0]
		vtable := pos - uint64(int64(int32(m.Load32(pos))))
		f := w.family(k, vtable)
		l := w.of(f, k, pos)
		if l == nil {
			return false
		}
		n := 1
		if f.tagOff == absent {
			for i := 1; i < len(at); i++ {
				pos := at[i]
				if pos-uint64(int64(int32(m.Load32(pos)))) == vtable {
					at[i] = at[n]
					at[n] = pos
					n++
				}
			}
		} else {
			for i := 1; i < len(at); i++ {
				pos := at[i]
				if pos-uint64(int64(int32(m.Load32(pos)))) == vtable && k.class[m.Load8(pos+uint64(f.tagOff))] == l.class {
					at[i] = at[n]
					at[n] = pos
					n++
				}
			}
		}
		if !w.all(k, l.ops, at[:n], vtable) {
			return false
		}
		if at = at[n:]; len(at) == 0 {
			return true
		}
	}
	for _, pos := range at {
		if !w.one(k, pos) {
			return false
		}
	}
	return true
}

// all does what is left to do for tables with one layout.
func (w *glancer) all(k *kind, ops []op, at []uint64, vtable uint64) bool {
	if len(at) == 1 {
		return w.do(k, ops, at[0], vtable)
	}
	m := &w.m
	for i := range ops {
		r := &ops[i]
		off := uint64(r.off)
		wrong := 0 // how many are not seen to be right: all are asked one by one then
		action := r.action
		if r.tested {
			action = ask
		}
		switch action {
		case withinByte:
			least, span := uint64(r.least), r.span
			for _, pos := range at {
				if uint64(m.Load8(pos+off))-least > span {
					wrong++
				}
			}
		case withinInt:
			least, span := uint64(r.least), r.span
			for _, pos := range at {
				if uint64(int64(int32(m.Load32(pos+off))))-least > span {
					wrong++
				}
			}
		case amongInt:
			list := r.act.list
			last := list[0]
			for _, pos := range at {
				if n := int64(int32(m.Load32(pos + off))); n != last {
					if !slices.Contains(list, n) {
						wrong++
						continue
					}
					last = n
				}
			}
		case indexUInt:
			limit := w.limit(r.slot)
			for _, pos := range at {
				if uint64(m.Load32(pos+off)) >= limit {
					wrong++
				}
			}
		case indexDefault:
			if uint64(r.least) >= w.limit(r.slot) {
				wrong++
			}
		case indexes:
			if limit := w.limit(r.slot); limit == 0 || !w.allBelow(r, at, limit) {
				wrong++
			}
		case alike:
			other := uint64(r.other)
			for _, pos := range at {
				if w.length(pos+off) != w.length(pos+other) {
					wrong++
				}
			}
		case goTo:
			if r.binds {
				wrong++
			} else if !w.next(r.kind, at, off) {
				return false
			}
		case each:
			if r.binds {
				wrong++
				break
			}
			for _, pos := range at {
				data := pos + off
				data += uint64(m.Load32(data))
				if n := uint64(m.Load32(data)); n > 0 && !w.tables(r.kind, data+4, n) {
					return false
				}
			}
		default:
			wrong++
		}
		if wrong == 0 {
			continue
		}
		for _, pos := range at {
			if !w.do(k, ops[i:i+1], pos, vtable) {
				return false
			}
		}
	}
	return true
}

// allBelow reports whether all elements of vectors are below a limit, a stand-in of -1 aside.
func (w *glancer) allBelow(r *op, at []uint64, limit uint64) bool {
	if r.base != schema.Int {
		for _, pos := range at {
			if !w.below(r.act, pos+uint64(r.off), limit) {
				return false
			}
		}
		return true
	}
	m := &w.m
	shift := uint32(0) // -1 is the greatest number without a sign: with one added it is the least
	if r.act.minusOne {
		shift = 1
	}
	limit = min(limit, 1<<31-1) + uint64(shift)
	work := uint64(0)
	for _, pos := range at {
		pos += uint64(r.off)
		pos += uint64(m.Load32(pos))
		n := uint64(m.Load32(pos))
		work += n
		for ; n > 0; n-- {
			pos += 4
			if uint64(m.Load32(pos)+shift) >= limit {
				return false
			}
		}
	}
	w.work += 4 * work
	return true
}

// next looks at the tables that a field of tables leads to.
func (w *glancer) next(k *kind, from []uint64, off uint64) bool {
	if w.work += 4 * uint64(len(from)); w.work > w.budget {
		return false
	}
	var at [batch]uint64
	m := &w.m
	for i, pos := range from {
		pos += off
		at[i%batch] = pos + uint64(m.Load32(pos))
	}
	return w.alike(k, at[:len(from)])
}
