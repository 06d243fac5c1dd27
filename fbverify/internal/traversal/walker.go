package traversal

import (
	"encoding/binary"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/rule"
	"github.com/fbverify/go/fbverify/traverse"
	"github.com/fbverify/go/schema"
)

// Config is a verification's limits and exceptions, with the defaults filled in.
type Config struct {
	MaxDepth  int
	MaxTables uint64
	MaxBytes  uint64 // ^0 = no limit
	Flags     program.Flags
	Strict    bool
	MaxFaults int // stop after that many, at least 1

	// Shared says that the buffer is known to share more than it could hold:
	// results are remembered from the start.
	Shared bool

	Identifier string // "" = any
	Framing    rule.Framing

	// plain leaves out the quick checks, so that a test can hold them to the
	// others.
	plain bool

	// After says that the positions of a size-prefixed message, and its alignment,
	// count from after the prefix. Events and faults count from the prefix all the same.
	After bool
}

// Result is what a walk found.
type Result struct {
	Faults        []Fault
	Tables, Bytes uint64 // met on the expanded walk
	Depth         uint32 // of the deepest table
	Unknown       bool   // a union has a tag that the schema does not know
}

// walker is the state of one walk.
type walker struct {
	unknown bool // see Result

	p   *program.Program
	cfg *Config

	b      []byte // the current buffer: the whole, or one nested in it
	n      uint64
	origin uint64 // of b in the slice that was given
	first  uint64 // where vtables can be at the earliest: behind a size prefix
	buffer uint32 // number of b, 0 for the whole
	owner  *program.Table
	path   []segment

	buffers map[span]uint32 // nested ones met, with their numbers

	tables, bytes uint64
	height        uint32 // of what was walked since it was last reset
	work, budget  uint64 // beyond the budget results are remembered
	memo          *memo

	last    *memoEntry // of what was walked, found or checked quickly last, nil at first
	checked memoEntry  // quickly, last
	layouts byTable
	align   uint64 // alignment minus one of tables, vectors and strings: 3, or 0 when alignment is skipped

	// For a listener.
	listener  traverse.Listener
	seen      *traverse.Seen
	events    []traverse.Event  // of what the walk is in
	at        uint64            // where the offset is that led to the table
	memberDef *schema.EnumValue // of the union whose value is met next
	atRoot    bool              // a root table is met next
	partly    bool              // something was not entered since this was last reset
	stopped   bool              // the listener wants no more
	told      func(*Fault)      // nil where nobody wants to know
	tellings  int               // of faults
	end       *Fault            // that ended the walk
	shallow   bool              // one object is looked at, and no other is entered
	nests     map[span]*program.Table
	newNests  []nest // of those, what Look has not put in order
	whole     uint64 // where the whole buffer's root offset is

	// What tests ask: the parts that a quick check found sound, and the tables
	// whose own bytes were found sound as a whole.
	quicks, sounds int

	walked uint64 // work done since then for what was not remembered yet

	faults    []Fault
	pathBytes int  // of their paths
	faulty    bool // a fault was met since it was last reset
	stop      bool // nothing more is to be looked at
}

// The work of a walk is counted so that a buffer without sharing never exceeds
// its own size: a table counts for its first four bytes, an element of a vector
// for its offset, a string for its bytes.
const (
	tableCost = 4

	// elementEffort is how many times longer the byte of an element takes than
	// that of a string.
	elementEffort = 8

	small = 64 // work below which the result of anything but a table is not worth remembering
)

// aligned reports whether pos is a multiple of align, or nobody asks.
func (w *walker) aligned(pos, align uint64) bool {
	return rule.Aligned(pos, align) || w.cfg.Flags&program.SkipAlignment != 0
}

// The reads below stand behind a check that their bytes are in the buffer; Go's
// own bounds check stands behind that.

func (w *walker) u16(pos uint64) uint16 { return binary.LittleEndian.Uint16(w.b[pos:]) }
func (w *walker) u32(pos uint64) uint32 { return binary.LittleEndian.Uint32(w.b[pos:]) }
func (w *walker) u64(pos uint64) uint64 { return binary.LittleEndian.Uint64(w.b[pos:]) }

// span is a nested buffer: where it starts in the whole, and its size.
type span struct{ start, size uint64 }

// key is the key of a position of the current buffer.
func (w *walker) key(pos uint64, node uint32) key {
	return key{pos: w.origin + pos, node: node, buffer: w.buffer}
}

// overlap is the effort after which a buffer is refused: eight times its own
// bytes, once results are remembered. Without parts that overlap one another the
// answer is once for each type that its bytes are read as, which no writer takes
// beyond two or three, and elements lead to more bytes than they have; a buffer
// whose every position starts a string of thousands of bytes has no bound but
// this one.
func (w *walker) overlap() uint64 { return 8*w.budget + 1<<12 }

// spend counts work and effort for a part of the buffer that is looked at and not
// remembered by itself. It returns false where that is too much.
func (w *walker) spend(pos, work, effort uint64) bool {
	w.work = saturatingAdd(w.work, work)
	if w.memo == nil && w.listener == nil {
		return true
	}
	if w.walked = saturatingAdd(w.walked, effort); w.walked > w.overlap() {
		w.fault(rule.Overlap, pos, 0, about(rule.ThingBuffer, w.overlap()+1, w.overlap()), "parts of the buffer overlap one another: walking each once takes longer than its %d bytes warrant", w.budget)
		w.stop = true
		return false
	}
	return true
}

// visit is a part of the buffer that is being walked.
type visit struct {
	key
	entry  *memoEntry // nil when it is not remembered
	grown  int        // of the memo when entry was taken
	before outcome    // what the walk came to until then
}

// remembered walks a part of the buffer, unless it was walked before: see enter.
func (w *walker) remembered(k key, cost, effort uint64, depth int, walk func()) {
	var v visit
	if w.enter(&v, k, cost, effort, depth) {
		walk()
		w.leave(&v)
	}
}

// enter reports whether a part of the buffer is to be walked; leave is to be
// called with v after that. If it was walked before the outcome stands for the walk.
// cost is the work of the part itself, without what it leads to, and effort the
// same with elements given their weight; what costs little is walked again.
func (w *walker) enter(v *visit, k key, cost, effort uint64, depth int) bool {
	w.work = saturatingAdd(w.work, cost)
	if w.memo == nil && (w.work > w.budget || w.cfg.Shared) {
		w.memo = newMemo(w.budget)
	}
	if w.memo == nil || cost < small && cost != tableCost {
		return true
	}
	e := w.memo.find(k)
	if e.used {
		w.last = e
		w.tables = saturatingAdd(w.tables, e.tables)
		w.bytes = saturatingAdd(w.bytes, e.bytes)
		w.height = max(w.height, e.height)
		w.faulty = w.faulty || e.faulty
		if depth+int(e.height)-1 > w.cfg.MaxDepth {
			w.fault(rule.DepthLimit, k.pos-w.origin, rule.OffsetSize, about(rule.ThingTable, uint64(depth)+uint64(e.height)-1, uint64(w.cfg.MaxDepth)), "tables nest %d deep here, %d are allowed", depth+int(e.height)-1, w.cfg.MaxDepth)
		}
		w.limits(k.pos - w.origin)
		return false
	}
	if !w.spend(k.pos-w.origin, 0, effort) {
		return false
	}
	// Offsets lead forward, so nobody looks for the part while it is walked.
	v.entry = w.memo.take(e, k)
	v.key = k
	v.before.tables, v.before.bytes, v.before.height, v.before.faulty = w.tables, w.bytes, w.height, w.faulty
	v.grown = w.memo.grown
	w.height, w.faulty = 0, false
	return true
}

// leave remembers what a visit came to.
func (w *walker) leave(v *visit) {
	e := v.entry
	if e == nil {
		return
	}
	if v.grown != w.memo.grown {
		e = w.memo.find(v.key)
	}
	e.tables, e.bytes, e.height, e.faulty = w.tables-v.before.tables, w.bytes-v.before.bytes, w.height, w.faulty
	w.last = e
	w.height, w.faulty = max(v.before.height, w.height), v.before.faulty || w.faulty
}

// limits stops the walk where the limits on tables or bytes are exceeded.
func (w *walker) limits(pos uint64) {
	switch {
	case w.tables > w.cfg.MaxTables:
		w.fault(rule.TableLimit, pos, 0, about(rule.ThingTable, w.tables, w.cfg.MaxTables), "an expanded walk meets more than the %d tables allowed", w.cfg.MaxTables)
		w.stop = true
	case w.bytes > w.cfg.MaxBytes:
		w.fault(rule.SizeLimit, pos, 0, about(rule.ThingBuffer, w.bytes, w.cfg.MaxBytes), "an expanded walk meets more than the %d bytes allowed", w.cfg.MaxBytes)
		w.stop = true
	}
}

func saturatingAdd(a, b uint64) uint64 {
	if a+b < a {
		return ^uint64(0)
	}
	return a + b
}
