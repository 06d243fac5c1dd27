package traversal

import (
	"github.com/fbverify/go/fbverify/internal/kernel"
	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/rule"
)

// What is here makes the walk of a buffer that shares much cheap where nothing
// is wrong: a table is checked by what its vtable says of all its tables, and is not
// remembered, because looking it up would take as long as checking it again. It
// only ever says that all is well. Otherwise nothing has been counted, and the
// code that can say what is wrong walks the same part. So faults, paths and
// counts are what they would be without it.

// again reports whether the table at pos is the one before once more, which is
// the sharing that is easiest to make, and was found sound.
func (w *walker) again(pos uint64, t *program.Table, depth int) bool {
	e := w.last
	return e != nil && e.pos == w.origin+pos && e.node == t.Node && e.buffer == w.buffer &&
		!w.cfg.plain && !e.faulty && depth+int(e.height)-1 <= w.cfg.MaxDepth && w.count(e.tables, e.bytes, e.height)
}

// quick checks the table at pos, if it leads to nothing that was not walked before.
func (w *walker) quick(pos uint64, t *program.Table, depth int) bool {
	if w.cfg.Strict || w.cfg.plain {
		return false
	}
	var vt vtable
	l, broken := w.read(pos, t, &vt)
	if broken != rule.OK || !l.quick || !w.sound(pos, l) {
		return false
	}
	w.sounds++
	all := outcome{tables: 1, bytes: l.reach, height: 1}
	for i := range l.vectors {
		v := &l.vectors[i]
		data, count, ok := w.quickElements(pos+v.at, uint64(v.field.ElemSize))
		if !ok || count > 0 && !w.aligned(data, uint64(v.field.ElemAlign)) {
			return false
		}
		all.bytes += rule.OffsetSize + count*uint64(v.field.ElemSize) // four vectors of at most 1<<48 bytes
	}
	for i := range l.steps {
		if !w.known(pos, &l.steps[i], depth+1, &all) {
			return false
		}
	}
	if !w.count(all.tables, all.bytes, all.height) {
		return false
	}
	// Field by field: what is assigned as a whole is made elsewhere first.
	c := &w.checked
	c.pos, c.node, c.buffer = w.origin+pos, t.Node, w.buffer
	c.tables, c.bytes, c.height = all.tables, all.bytes, all.height
	w.last = c
	return true
}

// count counts what was found sound, unless that goes beyond a limit.
func (w *walker) count(tables, bytes uint64, height uint32) bool {
	tables, bytes = saturatingAdd(w.tables, tables), saturatingAdd(w.bytes, bytes)
	if tables > w.cfg.MaxTables || bytes > w.cfg.MaxBytes {
		return false
	}
	w.quicks++
	w.tables, w.bytes, w.height = tables, bytes, max(w.height, height)
	return true
}

// known adds to what a table comes to what a step leads to, if that is
// remembered.
func (w *walker) known(pos uint64, s *step, depth int, all *outcome) bool {
	f := s.field
	size := uint64(f.ElemSize)
	data, count, ok := w.quickElements(pos+s.at, size)
	if !ok {
		return false
	}
	all.bytes = saturatingAdd(all.bytes, rule.OffsetSize+size*count)
	k := w.key(data-rule.OffsetSize, f.Node)
	switch f.Op {
	case program.UnionVector:
		tagSize := uint64(f.Union.TagSize)
		tags, n, ok := w.quickElements(pos+s.tag, tagSize)
		if !ok || !w.aligned(tags, tagSize) || n != count {
			return false
		}
		all.bytes = saturatingAdd(all.bytes, rule.OffsetSize+tagSize*count)
		k.tag = tags
	case program.NestedBuffer:
		k = w.nestedKey(data, count, f.Table)
	}
	e := w.memo.find(k)
	if !e.used || e.faulty || depth+int(e.height)-1 > w.cfg.MaxDepth {
		return false
	}
	all.tables = saturatingAdd(all.tables, e.tables)
	all.bytes = saturatingAdd(all.bytes, e.bytes)
	all.height = max(all.height, e.height+1)
	return true
}

// quickElements follows the offset at `at` to a vector that is inside the buffer
// and returns where its elements start and their number.
func (w *walker) quickElements(at, size uint64) (data, count uint64, ok bool) {
	pos, ok := w.quickFollow(at)
	if !ok {
		return 0, 0, false
	}
	data, count = pos+4, uint64(w.u32(pos))
	return data, count, count*size <= w.n-data // both are below 1<<32
}

// quickFollow follows the offset at `at` to an aligned place of four bytes inside
// the buffer.
func (w *walker) quickFollow(at uint64) (pos uint64, ok bool) {
	offset := uint64(w.u32(at))
	pos = at + offset
	return pos, offset != 0 && pos&w.align == 0 && rule.Fits(pos, rule.OffsetSize, w.n)
}

// quickString checks the short string that the offset at `at` leads to.
func (w *walker) quickString(at uint64) bool {
	if w.cfg.Strict || w.cfg.plain || w.cfg.Flags&program.SkipTerminator != 0 {
		return false
	}
	data, size, ok := w.quickElements(at, 1)
	if !ok || size >= small || data+size >= w.n || w.b[data+size] != 0 {
		return false
	}
	if w.cfg.Flags&program.SkipUTF8 == 0 && !kernel.Valid(w.b, data, size) {
		return false
	}
	return w.count(0, 5+size, 0)
}
