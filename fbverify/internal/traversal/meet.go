package traversal

import (
	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/rule"
	"github.com/fbverify/go/fbverify/traverse"
	"github.com/fbverify/go/schema"
)

// What is here tells a listener what the walk meets. Each object is entered once,
// so that no results are remembered beside the set of what was seen.

// What an object is read as is its node; of nested buffers and vtables that of
// their table type, above all nodes.

func (w *walker) nestedAs(t *program.Table) uint32 { return w.p.Nodes + t.Node }
func (w *walker) vtableAs(t *program.Table) uint32 { return 2*w.p.Nodes + t.Node }

// pos returns a position of the current buffer as listeners count it.
func (w *walker) pos(pos uint64) int { return int(w.origin + pos) }

// meet tells the listener of an object that is read as a node, and reports whether
// to go into it. effort is the work of the object itself. Where the answer is true,
// met is to be called behind what is inside, and the event is the last of w.events.
func (w *walker) meet(e traverse.Event, as uint32, effort uint64) bool {
	if w.stop {
		return false
	}
	e.As = as
	e.Seen = w.shallow || !w.seen.Add(traverse.Place{Pos: e.Pos, As: as})
	w.via(&e)
	if !w.tell(e) {
		w.partly = true
		return false
	}
	if !e.Seen && !w.spend(uint64(e.Pos)-w.origin, effort, effort) {
		w.met()
		return false
	}
	return true
}

// via says how the walk came to an object.
func (w *walker) via(e *traverse.Event) {
	e.Index, e.Member = traverse.None, w.memberDef
	w.memberDef = nil
	if w.shallow && len(w.events) == 0 {
		e.At = traverse.None
		return
	}
	if w.atRoot {
		w.atRoot = false
		return
	}
	if n := len(w.path); n > 0 {
		if s := w.path[n-1]; s.field == nil {
			e.Index = int(s.index)
			e.Field = w.path[n-2].field
		} else if e.Field == nil {
			e.Field = s.field
		}
	}
}

// tell tells the listener of an event, and reports whether to go into what it is
// about.
func (w *walker) tell(e traverse.Event) bool {
	if e.What != traverse.Buffer && len(w.events) > 0 && e.Depth == 0 {
		e.Depth = w.events[len(w.events)-1].Depth
	}
	w.events = append(w.events, e)
	last := &w.events[len(w.events)-1]
	seen, sound := last.Seen, last.Sound
	switch answer := w.listener.Enter(last); {
	case answer == traverse.Stop:
		w.stop, w.stopped = true, true
	case sound && w.shallow:
		if answer != traverse.Skip && w.ofOne() {
			return true
		}
	case sound && (answer == traverse.Again || answer == traverse.Go && !seen):
		return true
	}
	w.events = w.events[:len(w.events)-1]
	return false
}

// ofOne reports whether the last event is about the object that is looked at, or a part of
// it: also its values, of a union, whose types the table has, and the root of a buffer that
// a vector holds.
func (w *walker) ofOne() bool {
	last := len(w.events) - 1
	switch e := &w.events[last]; e.What {
	case traverse.Field, traverse.VTable:
		return true
	case traverse.Vector:
		return last == 0 || last == 1 && e.Tags != traverse.None
	case traverse.Buffer:
		return last == 0 || last == 1 && w.events[0].What == traverse.Vector
	}
	return last == 0
}

// repeats reports whether the listener wanted what it is in again: the work is its own
// to bound.
func (w *walker) repeats() bool {
	return w.listener != nil && w.events[len(w.events)-1].Seen
}

// met ends an event for which meet returned true, and tells of it where there may be
// something inside.
func (w *walker) met() {
	last := len(w.events) - 1
	switch w.events[last].What {
	case traverse.Buffer, traverse.Table, traverse.Vector:
		if !w.stopped {
			w.listener.Leave(&w.events[last])
		}
	}
	w.events = w.events[:last]
}

// meetTable walks a table whose first four bytes are inside the buffer.
func (w *walker) meetTable(pos uint64, t *program.Table, depth int) {
	var vt vtable
	broken := w.vtableOf(pos, &vt)
	e := traverse.Event{
		What: traverse.Table, Pos: w.pos(pos), Size: rule.OffsetSize, At: w.pos(w.at), Depth: depth, Sound: broken == rule.OK,
		Object: t.Object, VTable: traverse.None, Target: traverse.None, Tags: traverse.None,
	}
	if e.Sound {
		e.VTable, e.VTableSize = w.pos(vt.pos), int(vt.size)
		e.Size = int(max(rule.OffsetSize, min(vt.declared(), w.n-pos)))
	}
	if !w.meet(e, t.Node, tableCost) {
		if broken != rule.OK && !w.stop {
			w.brokenVTable(pos, vt, broken)
		}
		return
	}
	w.tables++
	w.limits(pos)
	if !w.stop {
		w.tellVTable(&vt, t)
		if w.fields(pos, t, depth); !w.stop {
			w.newer(pos, t, &vt, depth)
		}
	}
	w.met()
}

// newer tells of the fields of a table that the schema does not know: where they start
// is all that is known of them.
func (w *walker) newer(pos uint64, t *program.Table, vt *vtable, depth int) {
	slots := (len(vt.b) - rule.VTableHeader) / 2
	if slots <= len(t.Fields) || !w.spend(pos, 0, uint64(slots)/32) {
		return
	}
	end := pos + min(vt.declared(), w.n-pos)
	for id := vt.next(len(t.Fields), slots); id < slots && !w.stop; id = vt.next(id+1, slots) {
		at := pos + vt.slot(id)
		if at < pos+rule.OffsetSize || at >= end || !w.spend(pos, 0, 1) {
			continue
		}
		e := traverse.Event{
			What: traverse.Field, Pos: w.pos(at), At: traverse.None, Depth: depth, Sound: true,
			Index: traverse.None, Object: t.Object, VTable: traverse.None, Target: traverse.None, Tags: traverse.None,
		}
		if w.tell(e) {
			w.met()
		}
	}
}

// tellVTable tells of a vtable: that of the table that was entered, or one alone.
func (w *walker) tellVTable(vt *vtable, t *program.Table) {
	at := traverse.None
	if n := len(w.events); n > 0 {
		at = w.events[n-1].Pos
	}
	e := traverse.Event{
		What: traverse.VTable, Pos: w.pos(vt.pos), Size: int(vt.size), At: at, Sound: true, Object: t.Object,
		Index: traverse.None, VTable: w.pos(vt.pos), VTableSize: int(vt.size), Target: traverse.None, Tags: traverse.None,
	}
	e.As = w.vtableAs(t)
	e.Seen = w.shallow || !w.seen.Add(traverse.Place{Pos: e.Pos, As: e.As})
	if w.tell(e) {
		if !e.Seen {
			w.spend(vt.pos, vt.size, vt.size)
		}
		w.met()
	}
}

// meetField tells of a present field, whose inline bytes are sound, and reports whether
// to look at it.
func (w *walker) meetField(pos, at uint64, t *program.Table, f *program.Field, id int, vt *vtable, depth int) bool {
	if w.listener == nil {
		return true
	}
	if w.stop {
		return false
	}
	e := w.fieldEvent(at, t, f, int(f.Size), depth)
	switch f.Op {
	case program.Inline, program.UnionTag:
	case program.UnionValue:
		if tag := vt.slot(id - 1); tag != 0 && rule.Fits(pos+tag, uint64(f.Union.TagSize), w.n) {
			if m := f.Union.Member(w.tag(pos+tag, f.Union)); m != nil {
				e.Target, e.Member = w.leads(at, false, max(1, uint64(m.Size))), m.Def
			}
		}
	default:
		e.Target = w.leads(at, f.Wide, rule.OffsetSize)
	}
	if !w.tell(e) {
		w.partly = true
		return false
	}
	w.met()
	return true
}

// meetDeprecated tells of a deprecated field, which nobody follows.
func (w *walker) meetDeprecated(at uint64, t *program.Table, f *program.Field, present bool, depth int) {
	size := inlineSize(f.Def)
	if w.listener != nil && !w.stop && present && rule.Fits(at, uint64(size), w.n) && w.tell(w.fieldEvent(at, t, f, size, depth)) {
		w.met()
	}
}

func (w *walker) fieldEvent(at uint64, t *program.Table, f *program.Field, size, depth int) traverse.Event {
	return traverse.Event{
		What: traverse.Field, Pos: w.pos(at), Size: size, At: traverse.None, Depth: depth, Sound: true,
		Field: f.Def, Index: traverse.None, Object: t.Object, VTable: traverse.None, Target: traverse.None, Tags: traverse.None,
	}
}

// inlineSize returns the bytes that a field takes in its table.
func inlineSize(f *schema.Field) int {
	switch {
	case f.Offset64:
		return rule.Offset64Size
	case f.Type.IsScalar() || f.Type.IsStruct() || f.Type.Base == schema.Array:
		return f.Type.InlineSize()
	}
	return rule.OffsetSize
}

// leads returns where the offset at `at` leads, as listeners count it; None where
// there are not so many bytes inside the buffer.
func (w *walker) leads(at uint64, wide bool, need uint64) int {
	offset := uint64(w.u32(at))
	if wide {
		offset = w.u64(at)
	}
	if pos := at + offset; offset != 0 && pos > at && rule.Fits(pos, need, w.n) {
		return w.pos(pos)
	}
	return traverse.None
}

// meetVector tells of the vector at pos, which an offset at `at` leads to, and reports
// whether to go into it. Of one that is not sound count is 0.
func (w *walker) meetVector(at, pos, head, count, size uint64, f *program.Field, tags int, sound bool) bool {
	e := traverse.Event{
		What: traverse.Vector, Pos: w.pos(pos), Size: int(head + count*size), At: w.pos(at), Sound: sound, Field: f.Def,
		Data: w.pos(pos + head), Count: int(count), ElemSize: int(size), VTable: traverse.None, Target: traverse.None, Tags: tags,
	}
	effort := head + count*size
	switch f.Op {
	case program.StringVector, program.TableVector, program.UnionVector:
		effort *= elementEffort
	}
	return w.meet(e, f.Node, effort)
}

// meetString tells of the string at pos.
func (w *walker) meetString(at, pos, size uint64, node uint32, sound bool) bool {
	e := traverse.Event{
		What: traverse.String, Pos: w.pos(pos), Size: int(rule.OffsetSize + size), At: w.pos(at), Sound: sound,
		Data: w.pos(pos + rule.OffsetSize), Count: int(size), ElemSize: 1, VTable: traverse.None, Target: traverse.None, Tags: traverse.None,
	}
	if end := pos + rule.OffsetSize + size; sound && end < w.n && w.b[end] == 0 {
		e.Size++
	}
	return w.meet(e, node, rule.OffsetSize+size)
}

// meetStruct tells of the struct of a union at pos.
func (w *walker) meetStruct(at, pos uint64, m *program.Member) bool {
	e := traverse.Event{
		What: traverse.Struct, Pos: w.pos(pos), Size: int(m.Size), At: w.pos(at), Sound: true, Object: m.Def.Type.Object,
		VTable: traverse.None, Target: traverse.None, Tags: traverse.None,
	}
	return w.meet(e, m.Node, uint64(m.Size))
}

// meetBuffer tells of the current buffer, whose root offset is at `at`.
func (w *walker) meetBuffer(at uint64, t *program.Table, depth int) bool {
	e := traverse.Event{
		What: traverse.Buffer, Pos: w.pos(0), Size: int(w.n), At: traverse.None, Depth: depth, Sound: rule.Fits(at, rule.OffsetSize, w.n),
		Object: t.Object, Data: w.pos(at), VTable: traverse.None, Target: traverse.None, Tags: traverse.None,
	}
	if w.cfg.After && w.buffer == 0 {
		e.Pos, e.Size = 0, e.End() // with the prefix, after which positions count
	}
	return w.meet(e, w.nestedAs(t), 0)
}
