// Package machine runs a verification program over a buffer and answers one
// question: is the buffer sound? It builds no errors; where the answer is not
// yes, package explain walks again and says why.
//
// The walk descends from the root, a call for each level of tables, so that it
// goes no deeper than the limit on nesting. Most tables need no call: siblings
// that hold nothing but vectors of numbers are checked in one loop. A run that
// meets only vtables that earlier runs met allocates nothing and takes nothing
// from a pool: the machine is a few words on the caller's stack.
package machine

import (
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
	// hold, and was given up: the explainer, which remembers results, decides.
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
}

// Run verifies that the offset behind the first prefix bytes of buf, whose own
// bytes are inside it, leads to a table of type p.Root. The prefix is no part of
// what is verified, but positions count from it.
func Run(p *program.Program, buf []byte, prefix uint64, cfg *Config) (Verdict, Counts) {
	n := uint64(len(buf))
	var m machine
	m.P, m.N = unsafe.Pointer(unsafe.SliceData(buf)), n
	m.first, m.maxDepth, m.maxBytes, m.split = prefix, cfg.MaxDepth, cfg.MaxBytes, ^uint64(0)
	m.flags, m.shapes = cfg.Flags, p.Shapes(cfg.Flags)
	m.setBudgets(n, cfg)
	if cfg.Flags&program.SkipAlignment == 0 {
		m.Align, m.even = rule.OffsetSize-1, 1
	}
	if cfg.Parallel > 1 {
		m.split = 4 * splitElements
	}
	v := m.verdict(m.root(prefix, p.Root, 1) && m.nestedBuffers())
	if v == Valid && len(m.wide) > 0 {
		v = m.runParallel(cfg.Parallel)
	}
	if m.memory != nil {
		m.memory.release()
	}
	return v, Counts{m.Tables, m.Bytes}
}

// machine is the state of one run.
type machine struct {
	// The buffer being walked, and what was met. Kernels work on these too.
	// Align is 3, or 0 when alignment is skipped.
	kernel.Run
	kindsOf *program.Step // that leads to the vectors that Kinds were met in

	origin uint64 // of a nested buffer, from the start of the whole
	first  uint64 // where vtables can be at the earliest: behind a size prefix
	even   uint64 // alignment minus one of vtables: 1 or 0

	maxDepth            int
	maxTables, maxBytes uint64

	// What costs time though it is no table, and may still be met: elements of
	// vectors of strings and of unions, and bytes of strings.
	items, textBytes int64

	flags  program.Flags
	shapes *program.Shapes
	memory *memory // of vtables, nil until one is met that no hint knows
	kept   int     // shapes handed to the cache by this run

	guesses uint8 // vtables that were not that of the table before

	lastText, lastSize uint64 // the string that was looked at last, as bytes and their number

	nested []nested // buffers in buffers, still to do
	wide   []part   // vectors of tables put aside for several goroutines
	split  uint64   // vectors whose offsets take that many bytes are put aside
}

// A walk is given up once it has met more than can lie side by side in the
// buffer: beyond that results are worth remembering, which the explainer does.
// A table takes four bytes, and the offset to it four; the bytes of all tables
// are no more than those of the buffer. Strings get more, since writers share
// them and reading one again is cheap.
func (m *machine) setBudgets(n uint64, cfg *Config) {
	m.maxTables = n/8 + 1
	if cfg.MaxTables > 0 {
		m.maxTables = min(m.maxTables, cfg.MaxTables)
	}
	m.Inline, m.items, m.textBytes = int64(n), int64(n/4), 8*int64(min(n, 1<<59))
}

// verdict tells a refusal from a walk that was given up.
func (m *machine) verdict(ok bool) Verdict {
	switch {
	case m.Tables > m.maxTables || m.Inline < 0 || m.items < 0 || m.textBytes < 0:
		return Shared
	case !ok || m.Bytes > m.maxBytes:
		return Invalid
	}
	return Valid
}

// root checks the table that the root offset at `at` leads to.
func (m *machine) root(at uint64, t *program.Table, depth int) bool {
	return m.table(at, t, &m.shapes.Last[t.ID], depth)
}

// nested is a buffer in the buffer that is still to be walked.
type nested struct {
	start, size uint64 // from the start of the whole buffer
	table       *program.Table
	depth       int
}

// nestedBuffers walks the buffers nested in what was walked, and those nested in
// them, until nothing is left. The order does not matter for a yes.
func (m *machine) nestedBuffers() bool {
	if len(m.nested) == 0 {
		return true
	}
	whole, n, first, split := m.P, m.N, m.first, m.split
	for len(m.nested) > 0 {
		last := len(m.nested) - 1
		next := m.nested[last]
		m.nested = m.nested[:last]
		if next.size < rule.OffsetSize {
			return false
		}
		m.P, m.N, m.origin = unsafe.Add(whole, uintptr(next.start)), next.size, next.start
		m.first = 0
		m.split = ^uint64(0) // positions of vectors put aside are those of the whole buffer
		m.moved()
		if !m.root(0, next.table, next.depth) {
			return false
		}
	}
	m.P, m.N, m.origin, m.first, m.split = whole, n, 0, first, split
	m.moved()
	return true
}

// moved forgets what was remembered by position: positions mean something else
// now.
func (m *machine) moved() {
	m.lastText, m.lastSize = 0, 0
	m.kindsOf = nil
	if m.memory != nil {
		m.memory.newEpoch()
	}
}
