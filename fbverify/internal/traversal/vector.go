package traversal

import (
	"bytes"
	"unicode/utf8"

	"github.com/fbverify/go/fbverify/internal/kernel"
	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/rule"
	"github.com/fbverify/go/fbverify/traverse"
)

// elements follows the offset at `at` to a vector and checks that its elements
// are inside the buffer and aligned.
func (w *walker) elements(at uint64, f *program.Field, what words) (pos, data, count uint64, ok bool) {
	size, align, long := uint64(f.ElemSize), uint64(f.ElemAlign), f.Long
	head := headSize(f)
	pos, ok = w.follow(at, f.Wide, head, head, rule.ThingVector, what)
	if !ok {
		return 0, 0, 0, false
	}
	if long {
		count = w.u64(pos)
	} else {
		count = uint64(w.u32(pos))
	}
	data = pos + head
	if !rule.VectorFits(data, count, size, w.n) {
		if w.listener != nil {
			w.meetVector(at, pos, head, 0, size, f, traverse.None, false)
		}
		w.fault(rule.OutOfBounds, pos, head, about(rule.ThingVector, count, (w.n-data)/size), "%s of %d elements of %d bytes reaches past the end of the buffer: there is room for %d", what, count, size, (w.n-data)/size)
		return 0, 0, 0, false
	}
	if (count > 0 || w.cfg.Strict) && !w.aligned(data, align) {
		w.fault(rule.Misaligned, pos, head, about(rule.ThingVector, w.abs(data), align), "the elements of %s start at %d, which is no multiple of %d%s", what, w.abs(data), align, w.alignmentBase())
		return 0, 0, 0, false
	}
	w.bytes += head + count*size
	w.limits(pos)
	return pos, data, count, !w.stop
}

// headSize returns how many bytes the length of a vector takes.
func headSize(f *program.Field) uint64 {
	if f.Long {
		return rule.Offset64Size
	}
	return rule.OffsetSize
}

// str walks the string that the offset at `at` leads to.
func (w *walker) str(at uint64, wide bool, node uint32) {
	pos, ok := w.follow(at, wide, rule.OffsetSize, rule.OffsetSize, rule.ThingString, words{text: "a string"})
	if !ok {
		return
	}
	data, size := pos+rule.OffsetSize, uint64(w.u32(pos))
	if size > w.n-data {
		if w.listener != nil {
			w.meetString(at, pos, 0, node, false)
		}
		w.fault(rule.OutOfBounds, pos, rule.OffsetSize, about(rule.ThingString, size, w.n-data), "a string of %d bytes reaches past the end of the buffer: there is room for %d", size, w.n-data)
		return
	}
	if w.listener != nil {
		if !w.meetString(at, pos, size, node, true) {
			return
		}
		w.met()
	}
	terminator := uint64(0)
	if w.cfg.Flags&program.SkipTerminator == 0 {
		terminator = 1
		if !rule.Terminated(data, size, w.n) {
			w.fault(rule.NotTerminated, pos, rule.OffsetSize, about(rule.ThingString, size, 0), "the string ends where the buffer ends, with no room for the NUL byte after it")
			return
		}
		if c := w.b[data+size]; c != 0 {
			w.fault(rule.NotTerminated, data+size, 1, about(rule.ThingString, uint64(c), 0), "the byte after the string is 0x%02x, and must be 0", c)
			return
		}
	}
	// Bytes are counted apart from the rest: they do not depend on the memo.
	w.bytes += rule.OffsetSize + size + terminator
	w.limits(pos)
	if w.stop {
		return
	}
	if w.listener != nil {
		w.text(data, size, node)
		return
	}
	w.remembered(w.key(pos, node), size, size, 0, func() { w.text(data, size, node) })
}

// text looks at the bytes of a string.
func (w *walker) text(data, size uint64, node uint32) {
	text := w.b[data : data+size]
	if w.cfg.Flags&program.SkipUTF8 == 0 && node != program.BinaryNode && !kernel.Valid(w.b, data, size) {
		i := invalidUTF8(text)
		w.fault(rule.InvalidUTF8, data+uint64(i), 1, about(rule.ThingString, uint64(text[i]), 0), "byte 0x%02x at index %d of the string is not UTF-8; SkipUTF8 accepts such strings", text[i], i)
	}
	if w.cfg.Strict {
		if i := bytes.IndexByte(text, 0); i >= 0 {
			w.fault(rule.EmbeddedNUL, data+uint64(i), 1, about(rule.ThingString, 0, 0), "the string has a NUL byte at index %d of %d", i, size)
		}
	}
}

// invalidUTF8 returns the index of the first byte that is not UTF-8.
func invalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return 0
}

// vector walks a vector of anything but unions.
func (w *walker) vector(at uint64, f *program.Field, depth int) {
	pos, data, count, ok := w.elements(at, f, words{vector: f})
	if !ok {
		return
	}
	if w.listener != nil {
		if !w.meetVector(at, pos, headSize(f), count, uint64(f.ElemSize), f, traverse.None, true) {
			return
		}
		if f.Op != program.NestedBuffer {
			w.inside(data, count, f, depth)
		} else if w.cfg.Flags&program.SkipNested == 0 {
			w.into(data, count, f.Table, depth)
		}
		w.met()
		return
	}
	cost, effort := uint64(0), elementEffort*count
	switch f.Op {
	case program.StringVector, program.TableVector:
		cost, effort = 4*count, elementEffort*4*count
	case program.ScalarVector:
		if w.cfg.Strict && (f.Values || f.SortedBy != nil) {
			cost = count * uint64(f.ElemSize) // structs can be large
			effort = max(effort, cost)
		}
	case program.NestedBuffer:
		if w.cfg.Flags&program.SkipNested == 0 {
			w.nested(data, count, f.Table, depth)
		}
		return
	}
	if cost == 0 {
		return
	}
	w.remembered(w.key(pos, f.Node), cost, effort, depth, func() { w.inside(data, count, f, depth) })
}

// inside walks the elements of a vector.
func (w *walker) inside(data, count uint64, f *program.Field, depth int) {
	before, partly := w.faulty, w.partly
	w.faulty, w.partly = false, false
	switch f.Op {
	case program.ScalarVector:
		if !w.cfg.Strict || !f.Values {
			break
		}
		elem := f.Def.Type.ElementType()
		w.each(count, func(i uint64) { w.values(data+i*uint64(f.ElemSize), elem) })
	case program.StringVector:
		w.each(count, func(i uint64) {
			if at := data + 4*i; w.memo == nil || !w.quickString(at) {
				w.str(at, false, program.StringNode)
			}
		})
	case program.TableVector:
		w.each(count, func(i uint64) { w.tableAt(data+4*i, f.Table, depth) })
	}
	// Keys are read only where all elements are sound, also those that were
	// looked at before: their faults are not recorded again.
	// A listener may have kept the walk from looking at some of them.
	if w.cfg.Strict && f.SortedBy != nil && !w.faulty && !w.partly && !w.stop {
		w.sorted(data, count, f)
	}
	w.faulty, w.partly = w.faulty || before, w.partly || partly
}

// words say what an offset leads to, once somebody wants to read it.
type words struct {
	text   string
	vector *program.Field // that it is, where there is no text
}

func (w words) String() string {
	switch {
	case w.text != "":
		return w.text
	case w.vector.Op == program.NestedBuffer:
		return "the vector with a nested buffer"
	}
	return "a vector " + w.vector.Def.Type.String()
}

// each calls walk for every element, with its index on the path.
func (w *walker) each(count uint64, walk func(i uint64)) {
	w.path = append(w.path, segment{})
	top := len(w.path) - 1
	for i := uint64(0); i < count && !w.stop; i++ {
		w.path[top].index = i
		walk(i)
	}
	w.path = w.path[:top]
}

// nested walks a buffer in a buffer, whose positions count from its own start.
// What comes of it does not depend on the buffer around it, so it is remembered
// by itself: nested buffers that overlap would take exponential time otherwise.
func (w *walker) nested(data, size uint64, t *program.Table, depth int) {
	w.remembered(w.nestedKey(data, size, t), small, small, depth, func() { w.into(data, size, t, depth) })
}

// into walks a buffer in a buffer.
func (w *walker) into(data, size uint64, t *program.Table, depth int) {
	if size > rule.MaxBuffer && !t.Wide {
		w.fault(rule.TooLarge, data, 0, about(rule.ThingBuffer, size, rule.MaxBuffer), "%s", TooLarge(size))
		return
	}
	if w.listener != nil {
		if w.nests == nil {
			w.nests = map[span]*program.Table{}
		}
		if s := (span{w.origin + data, size}); w.nests[s] == nil {
			w.nests[s] = t
			w.newNests = append(w.newNests, nest{s, t})
		}
	}
	b, n, origin, first, buffer, owner := w.b, w.n, w.origin, w.first, w.buffer, w.owner
	s := span{origin + data, size}
	if w.buffers[s] == 0 {
		if w.buffers == nil {
			w.buffers = map[span]uint32{}
		}
		w.buffers[s] = uint32(len(w.buffers) + 1)
	}
	w.b, w.n, w.origin, w.first, w.buffer = b[data:data+size], size, s.start, 0, w.buffers[s]
	w.rootOf(0, t, depth)
	w.b, w.n, w.origin, w.first, w.buffer, w.owner = b, n, origin, first, buffer, owner
}

// nestedKey is the key of a nested buffer.
func (w *walker) nestedKey(data, size uint64, t *program.Table) key {
	return key{pos: w.origin + data, tag: size, node: w.p.Nodes + t.Node}
}
