package traversal

import (
	"unsafe"

	"github.com/fbverify/go/fbverify/internal/kernel"
	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/rule"
)

// What is here makes the walk of a buffer that shares much cheap where nothing
// is wrong: a table is checked by its shape, as the machine does, and is not
// remembered, because looking it up would take as long as checking it again. It
// only ever says that all is well. Otherwise nothing has been counted, and the
// code that can say what is wrong walks the same part. So faults, paths and
// counts are what they would be without it.

// A table of more steps or vectors than these is worth remembering.
const (
	quickSteps   = 2
	quickVectors = 4
)

// again reports whether the table at pos is the one before once more, which is
// the sharing that is easiest to make, and was found sound.
func (w *walker) again(pos uint64, t *program.Table, depth int) bool {
	e := w.last
	return e != nil && e.pos == w.origin+pos && e.node == t.Node && e.buffer == w.buffer &&
		!w.cfg.plain && !e.faulty && depth+int(e.height)-1 <= w.cfg.MaxDepth && w.count(e.tables, e.bytes, e.height)
}

// quick checks the table of shape s, which may be nil, at pos, if it leads to
// nothing that was not walked before.
func (w *walker) quick(pos uint64, s *program.Shape, depth int) bool {
	if s == nil || w.memo == nil || !s.Containers || len(s.Steps) > quickSteps || len(s.Vectors) > quickVectors {
		return false
	}
	bytes, ok := w.sound(pos, s)
	if !ok {
		return false
	}
	if len(s.Steps) == 0 {
		return w.count(1, s.Bytes+bytes, 1)
	}
	all := outcome{tables: 1, bytes: s.Bytes + bytes, height: 1}
	for i := range s.Steps {
		if !w.known(pos, &s.Steps[i], depth+1, &all) {
			return false
		}
	}
	return w.count(all.tables, all.bytes, all.height)
}

// steps walks a table of which nothing is wrong but perhaps what its steps lead
// to. It returns false, with nothing done, where that is not so.
func (w *walker) steps(pos uint64, s *program.Shape, depth int) bool {
	if s == nil || w.cfg.MaxBytes != ^uint64(0) {
		return false
	}
	bytes, ok := w.sound(pos, s)
	if !ok {
		return false
	}
	for i := range s.Steps {
		if op := s.Steps[i].Op; op == program.StepNoUnion || op == program.StepImpossible {
			return false
		}
	}
	w.quicks++
	w.bytes += s.Bytes + bytes
	for i := range s.Steps {
		if w.stop {
			break
		}
		step := &s.Steps[i]
		f, at := step.Field, pos+uint64(step.Slot)
		w.path = append(w.path, segment{field: f.Def})
		switch step.Op {
		case program.StepTable:
			w.tableAt(at, step.Table, depth+1)
		case program.StepUnion:
			w.union(at, pos+uint64(step.Slot2), f.Union, depth+1)
		case program.StepUnions:
			w.unionVector(at, pos+uint64(step.Slot2), f, depth+1)
		default:
			w.follows(at, f, depth)
		}
		w.path = w.path[:len(w.path)-1]
	}
	return true
}

// sound reports whether the table at pos is sound as far as its own bytes and its
// vectors of numbers go, and how many bytes the latter have.
func (w *walker) sound(pos uint64, s *program.Shape) (bytes uint64, ok bool) {
	w.sounds++
	return s.Sound(unsafe.Pointer(unsafe.SliceData(w.b)), pos, w.n, w.align)
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
func (w *walker) known(pos uint64, s *program.Step, depth int, all *outcome) bool {
	at := pos + uint64(s.Slot)
	var e *memoEntry
	switch s.Op {
	case program.StepStrings, program.StepTables:
		data, count, ok := w.quickElements(at, rule.OffsetSize)
		if !ok {
			return false
		}
		all.bytes = saturatingAdd(all.bytes, 4+4*count)
		e = w.memo.find(w.key(data-4, s.Field.Node))
	case program.StepUnions:
		tags, n, ok := w.quickElements(at, uint64(s.Union.TagSize))
		if !ok || tags&uint64(s.Union.TagSize-1) != 0 {
			return false
		}
		data, count, ok := w.quickElements(pos+uint64(s.Slot2), rule.OffsetSize)
		if !ok || n != count {
			return false
		}
		all.bytes = saturatingAdd(all.bytes, 8+count*uint64(4+s.Union.TagSize))
		k := w.key(data-4, s.Field.Node)
		k.tag = tags
		e = w.memo.find(k)
	case program.StepNested:
		data, size, ok := w.quickElements(at, 1)
		if !ok {
			return false
		}
		all.bytes = saturatingAdd(all.bytes, 4+size)
		e = w.memo.find(w.nestedKey(data, size, s.Table))
	default:
		return false
	}
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

// shape returns the shape of the vtable of the table at pos, whose first four
// bytes are inside the buffer. It is nil where the vtable is not sound, or not
// known, and for Strict, which asks more than a shape can tell.
func (w *walker) shape(pos uint64, t *program.Table) *program.Shape {
	if w.cfg.Strict || w.cfg.plain {
		return nil
	}
	vt := pos - uint64(int64(int32(w.u32(pos))))
	if vt < w.first || vt&w.align&1 != 0 || !rule.Fits(vt, program.Peek, w.n) {
		return nil
	}
	hint := &w.shapes.Last[t.ID]
	if s := hint.Last(); s != nil && s.Begins(w.u64(vt), w.u64(vt+8), w.n-vt) {
		return s
	}
	if s := hint.Guess(unsafe.Pointer(unsafe.SliceData(w.b[vt:])), w.n-vt); s != nil {
		return s
	}
	// No shape is kept of a vtable that says it has an odd size, or less than four.
	size := uint64(w.u16(vt))
	if size > w.n-vt {
		return nil
	}
	s := w.shapes.Find(t, w.b[vt:vt+size])
	if s != nil {
		hint.Set(s)
	}
	return s
}
