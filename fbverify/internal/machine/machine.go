// Package machine runs a verification program over a buffer and answers one
// question: is the buffer sound? It builds no errors; where the answer is not
// yes, package traversal walks again and says why.
//
// The walk descends from the root, a call for each level of tables, so that it
// goes no deeper than the limit on nesting. Most tables need no call: siblings
// that hold nothing but vectors of numbers are checked in one loop. A run that
// meets only vtables that earlier runs met allocates nothing and takes nothing
// from a pool: the machine is a few words on the caller's stack.
package machine

import (
	"math/bits"
	"unsafe"

	"github.com/fbverify/go/fbverify/internal/kernel"
	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/rule"
)

// Verdict is what a run found.
type Verdict uint8

// The verdicts.
const (
	Invalid Verdict = iota // some check or limit failed
	Valid
	// Shared says that the walk met more than a buffer without sharing can
	// hold, and was given up: the traversal, which remembers results, decides.
	Shared
)

// Config is a verification's limits and exceptions, with the defaults filled in.
type Config struct {
	MaxDepth  int
	MaxTables uint64 // 0 = as many as the buffer has room for, if none is shared
	MaxBytes  uint64 // ^0 = no limit
	Flags     program.Flags
	Parallel  int
}

// Counts are what an expanded walk met.
type Counts struct {
	Tables uint64
	Bytes  uint64 // inline bytes of tables, vectors and strings with their length words

	Unknown bool // a union has a tag that the schema does not know, and its value was not followed
}

// Run verifies that the offset behind the first prefix bytes of buf, whose own
// bytes are inside it, leads to a table of type p.Root. The prefix, an even number of
// bytes, is no part of what is verified, but positions count from it.
func Run(p *program.Program, buf []byte, prefix uint64, cfg *Config) (Verdict, Counts) {
	n := uint64(len(buf))
	// Assignments and no literal, which the compiler would build elsewhere and copy.
	var m machine
	m.P, m.N, m.Align = unsafe.Pointer(unsafe.SliceData(buf)), n, rule.OffsetSize-1
	m.first, m.vtables = prefix, room(n, prefix)
	m.Left, m.Text, m.slots = budgets(n)
	m.maxDepth, m.maxBytes, m.split = cfg.MaxDepth, cfg.MaxBytes, ^uint64(0)
	m.maxTables = n/8 + 1 // each takes four bytes, and the offset to it four
	m.flags, m.shapes = cfg.Flags, p.Shapes(cfg.Flags)
	if cfg.MaxTables > 0 {
		m.maxTables = min(m.maxTables, cfg.MaxTables)
	}
	if cfg.Flags&program.SkipAlignment != 0 {
		m.Align = 0
	}
	if cfg.Parallel > 1 {
		m.split = 4 * splitElements
	}
	v := m.verdict(m.tableAt(prefix, p.Root, m.shapes.Hint(p.Root), 1))
	if v == Valid && len(m.wide) > 0 {
		v = m.runParallel(cfg.Parallel)
	}
	if m.memory != nil {
		m.memory.release()
	}
	return v, Counts{m.Tables, m.Bytes, m.unknown}
}

// machine is the state of one run.
type machine struct {
	// The buffer being walked, and what was met. Kernels work on these too.
	// Align is 3, or 0 when alignment is skipped.
	kernel.Run
	kindsOf *program.Step // that leads to the vectors that Kinds were met in

	origin  uint64 // of a nested buffer, from the start of the whole
	behind  uint64 // bytes of the whole behind a nested buffer
	first   uint64 // where vtables can be at the earliest: behind a size prefix
	vtables uint64 // half the room for positions from first on that a vtable can be guessed at

	maxDepth            int
	maxTables, maxBytes uint64

	// slots is how many bytes of vtables may still be read that no hint knows.
	slots int64

	flags   program.Flags
	unknown bool // see Counts

	pushed bool   // this run has asked for the place of another's shape
	luck   uint64 // numbers by chance, four bits each
	misses uint8  // vtables that were not what their hint said, up to maxMisses
	kept   uint16 // shapes handed to the cache by this run
	shapes *program.Shapes
	few    [few]known
	memory *memory // of more vtables, nil until many are met that no hint knows

	lastText, lastSize uint64 // the string that was looked at last, as bytes from the start of the whole and their number

	wide  []part // vectors of tables put aside for several goroutines
	split uint64 // vectors whose offsets take that many bytes are put aside
}

// budgets returns how much a walk of n bytes may meet before it is given up: many times
// what can lie side by side in them. Beyond that results are worth remembering, which
// the traversal does.
func budgets(n uint64) (work, text, slots int64) {
	bytes := int64(min(n, 1<<59))
	return tableBytes * bytes, textBytes * bytes, slotBytes * bytes
}

// How many bytes of tables may be met for each byte of a buffer: writers share tables,
// too. What takes time and has few bytes counts for as many as it would if it were read
// four times.
const (
	tableBytes   = 4
	elementBytes = tableBytes * rule.OffsetSize // an element that is no table
)

// How many bytes of strings may be read for each byte of a buffer, and how many of
// vtables that hints do not know.
const (
	textBytes = 8
	slotBytes = 8
)

// room returns half the room for positions from first on, in n bytes, that a vtable can
// be guessed at: sixteen bytes must be left behind them.
func room(n, first uint64) uint64 {
	if n < first+program.Peek {
		return 0
	}
	return (n-first-program.Peek)/2 + 1
}

// verdict tells a refusal from a walk that was given up.
func (m *machine) verdict(ok bool) Verdict {
	switch {
	case m.Left < 0 || m.Text < 0 || m.slots < 0 || m.Tables > m.maxTables:
		return Shared
	case !ok || m.Bytes > m.maxBytes:
		return Invalid
	}
	return Valid
}

// nestedAt walks the buffer in the buffer that the offset at `at` leads to.
func (m *machine) nestedAt(at uint64, t *program.Table, depth int) bool {
	data, size, ok := m.elements(at, 1, 0)
	return ok && m.nested(data, size, t, depth)
}

// nested walks a buffer in the buffer: the size bytes at data.
func (m *machine) nested(data, size uint64, t *program.Table, depth int) bool {
	if size < rule.OffsetSize || size > rule.MaxBuffer && !t.Wide {
		return false
	}
	if m.Left -= nestedWork; m.Left < 0 {
		return false
	}
	p, n, origin, behind, first, vtables, split := m.P, m.N, m.origin, m.behind, m.first, m.vtables, m.split
	m.P, m.N, m.origin, m.behind, m.first = unsafe.Add(p, uintptr(data)), size, origin+data, behind+n-data-size, 0
	m.split = ^uint64(0) // positions of vectors put aside are those of the whole buffer
	m.kindsOf = nil      // they are known by position
	m.vtables = room(size, 0)
	m.few = [few]known{} // positions are those of the nested buffer
	ok := m.tableAt(0, t, m.shapes.Hint(t), depth)
	m.P, m.N, m.origin, m.behind, m.first, m.vtables, m.split = p, n, origin, behind, first, vtables, split
	m.kindsOf = nil
	m.few = [few]known{}
	return ok
}

// nestedWork is what a nested buffer takes of the budget, beside what is in it. It has
// its length word and an offset to its root.
const nestedWork = 2 * elementBytes

// peeks reports whether a vtable at vt can be guessed at: it may be there, and there are
// enough bytes to look at.
func (m *machine) peeks(vt uint64) bool {
	// vt came from a subtraction: one that wrapped is far above. So is half of an odd
	// number.
	return bits.RotateLeft64(vt-m.first, -1) < m.vtables
}

// ends reports whether the vtable at vt, which begins as that of s, is that of s.
func (m *machine) ends(s *program.Shape, vt uint64) bool {
	return s.Ends(unsafe.Add(m.P, uintptr(vt)), m.N-vt)
}
