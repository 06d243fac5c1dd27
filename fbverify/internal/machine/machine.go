// Package machine runs a verification program over a buffer and answers one
// question: is the buffer sound? It builds no errors; where the answer is not
// yes, package explain walks again and says why.
//
// The walk is a loop over a stack of frames, each a table whose steps are not
// all done or a vector whose elements are not. Most tables never get a frame:
// their shape is flat (nothing to descend into), and they are checked where
// their offset is met. Nothing on the way allocates once a pooled machine has
// grown its stack.
package machine

import (
	"sync"
	"unsafe"

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
	MaxTables uint64
	MaxBytes  uint64 // ^0 = no limit
	Flags     program.Flags
	Parallel  int
	Prefix    uint64 // bytes of the size prefix, which is no part of what is verified
}

// Counts are what an expanded walk met.
type Counts struct {
	Tables uint64
	Bytes  uint64 // inline bytes of tables, vectors and strings with their length words
}

// Run verifies that the offset at root in buf, whose own bytes are inside it,
// leads to a table of type p.Root.
func Run(p *program.Program, buf []byte, root uint64, cfg *Config) (Verdict, Counts) {
	m := pool.Get().(*machine)
	m.start(p, buf, cfg)
	var v Verdict
	if m.root(root, p.Root, 1) {
		v = m.run()
	} else {
		v = m.reason()
	}
	if v == Valid && len(m.wide) > 0 {
		v = m.runParallel(buf, p, *cfg)
	}
	counts := Counts{m.tables, m.bytes}
	m.stop()
	return v, counts
}

var pool = sync.Pool{New: func() any { return new(machine) }}

// machine is the state of one run.
type machine struct {
	buffer
	origin   uint64 // of a nested buffer, from the start of the whole
	first    uint64 // where vtables can be at the earliest: behind a size prefix
	align    uint64 // alignment minus one of tables, vectors and strings: 3, or 0 when alignment is skipped
	evenMask uint64 // of vtables: 1 or 0

	stack    []frame
	maxDepth int32

	tables, maxTables uint64
	bytes, maxBytes   uint64

	// What costs time though it is no table: bytes of strings, and elements of
	// vectors of strings and of unions.
	textBytes, maxText uint64
	items, maxItems    uint64

	flags  program.Flags
	shapes *program.Shapes
	kept   int // shapes handed to the cache by this run

	nested []nested // buffers in buffers, still to do
	wide   []frame  // vectors put aside for several goroutines
	split  uint64   // vectors with that many elements are put aside

	epoch  uint32 // tells entries of this run and buffer from older ones
	recent [recentShapes]recent
}

// nested is a buffer in the buffer that is still to be walked.
type nested struct {
	start, size uint64 // from the start of the whole buffer
	table       *program.Table
	depth       int32
}

// start prepares a pooled machine. The walk is given up once it has met more
// tables, or more elements, than can lie side by side in so many bytes: then
// results are worth remembering. Strings get more, since writers share them and
// reading one again is cheap.
func (m *machine) start(p *program.Program, buf []byte, cfg *Config) {
	n := uint64(len(buf))
	m.buffer, m.origin = buffer{unsafe.Pointer(unsafe.SliceData(buf)), n}, 0
	m.first = cfg.Prefix
	m.align, m.evenMask = rule.OffsetSize-1, 1
	if cfg.Flags&program.SkipAlignment != 0 {
		m.align, m.evenMask = 0, 0
	}
	m.maxDepth = int32(cfg.MaxDepth)
	m.tables, m.maxTables = 0, min(cfg.MaxTables, n/8+1) // a table takes four bytes, and the offset to it four
	m.bytes, m.maxBytes = 0, cfg.MaxBytes
	m.textBytes, m.maxText = 0, 8*n
	m.items, m.maxItems = 0, n/4
	m.flags = cfg.Flags
	m.shapes = p.Shapes(cfg.Flags)
	m.kept = 0
	m.split = ^uint64(0)
	if cfg.Parallel > 1 {
		m.split = splitElements
	}
	m.newEpoch()
}

// stop gives the machine back, with no pointer into the buffer left in it.
func (m *machine) stop() {
	m.buffer = buffer{}
	m.stack, m.nested, m.wide = m.stack[:0], m.nested[:0], m.wide[:0]
	const large = 1 << 12
	if cap(m.stack) > large || cap(m.nested) > large || cap(m.wide) > large {
		m.stack, m.nested, m.wide = nil, nil, nil
	}
	pool.Put(m)
}

// run walks the buffer, then the buffers nested in it, until nothing is left.
func (m *machine) run() Verdict {
	whole, first := m.buffer, m.first
	for {
		if !m.walk() {
			return m.reason()
		}
		if len(m.nested) == 0 {
			if m.origin != 0 {
				m.buffer, m.origin, m.first = whole, 0, first
				m.newEpoch()
			}
			return Valid
		}
		last := len(m.nested) - 1
		next := m.nested[last]
		m.nested = m.nested[:last]
		if !m.enterNested(whole, next) {
			return m.reason()
		}
	}
}

// reason tells a refusal from a walk that was given up.
func (m *machine) reason() Verdict {
	if m.tables > m.maxTables || m.textBytes > m.maxText || m.items > m.maxItems {
		return Shared
	}
	return Invalid
}

// enterNested makes a nested buffer the one that is walked.
func (m *machine) enterNested(whole buffer, next nested) bool {
	if next.size < rule.OffsetSize {
		return false
	}
	m.buffer, m.origin = buffer{unsafe.Add(whole.p, uintptr(next.start)), next.size}, next.start
	m.first = 0
	m.newEpoch()
	m.split = ^uint64(0) // positions of vectors put aside are those of the whole buffer
	return m.root(0, next.table, next.depth)
}
