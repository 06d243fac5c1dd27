package traversal

import (
	"encoding/binary"
	"fmt"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/rule"
)

// Walk walks a buffer from its first byte to its last reachable one.
func Walk(p *program.Program, buf []byte, cfg *Config) Result {
	w := newWalker(p, buf, cfg)
	w.header()
	if w.memo != nil {
		w.memo.release()
	}
	return Result{Faults: w.faults, Tables: w.tables, Bytes: w.bytes, Depth: w.height, Unknown: w.unknown}
}

func newWalker(p *program.Program, buf []byte, cfg *Config) *walker {
	w := &walker{p: p, cfg: cfg, b: buf[:len(buf):len(buf)], n: uint64(len(buf)), owner: p.Root, layouts: newByTable(len(p.Tables)), align: rule.OffsetSize - 1}
	if cfg.Flags&program.SkipAlignment != 0 {
		w.align = 0
	}
	w.path = make([]segment, 0, min(uint64(cfg.MaxDepth), w.n/8)) // a table and the offset to it take eight bytes
	return w
}

// header looks at what stands before the root table, then walks that.
func (w *walker) header() {
	w.budget = w.n
	if !w.frame() {
		return
	}
	prefix := w.cfg.Framing.Prefix()
	if w.n > rule.MaxBuffer && !w.p.Root.Wide {
		w.fault(rule.TooLarge, 0, 0, about(rule.ThingBuffer, w.n, rule.MaxBuffer), "%s", TooLarge(w.n))
		return
	}
	if id := w.cfg.Identifier; id != "" {
		at := prefix + rule.OffsetSize
		switch {
		case !rule.Fits(at, 4, w.n):
			w.fault(rule.TooShort, 0, 0, about(rule.ThingIdentifier, w.n, at+4), "the buffer has %d bytes, too few for the file identifier %q at %d", w.n, id, at)
			return
		case string(w.b[at:at+4]) != id:
			w.fault(rule.Identifier, at, 4, about(rule.ThingIdentifier, uint64(w.u32(at)), uint64(word(id))), "the file identifier is %q, and %q was asked for", w.b[at:at+4], id)
			if w.stop {
				return
			}
		}
	}
	w.whole = prefix
	if w.cfg.After {
		w.b, w.n, w.origin, w.whole = w.b[prefix:], w.n-prefix, prefix, 0
	} else {
		w.first = prefix
	}
	w.rootOf(w.whole, w.p.Root, 1)
}

// frame cuts the buffer where its size prefix says.
func (w *walker) frame() bool {
	m := w.cfg.Framing.Message(w.b, w.n)
	if m.Fault != rule.OK {
		f := FramingFault(&m, w.n)
		w.fault(f.Kind, f.Offset, f.Size, f.fact, "%s", f.Detail)
		return false
	}
	if rest := w.n - m.End; rest > 0 && w.cfg.Strict {
		w.fault(rule.Trailing, m.End, rest, about(rule.ThingBuffer, rest, 0), "%d bytes follow the size-prefixed message", rest)
		if w.stop {
			return false
		}
	}
	if m.End < w.n {
		w.n = m.End
		w.b = w.b[:w.n]
	}
	return true
}

// rootOf walks the current buffer, whose root offset is at `at`.
func (w *walker) rootOf(at uint64, t *program.Table, depth int) {
	if w.listener == nil {
		w.root(at, t, depth)
		return
	}
	if !w.meetBuffer(at, t, depth) {
		if !w.stop && !rule.Fits(at, rule.OffsetSize, w.n) {
			w.root(at, t, depth)
		}
		return
	}
	w.atRoot = true
	w.root(at, t, depth)
	w.atRoot = false
	w.met()
}

// TooLarge says that n bytes are more than 32-bit offsets reach.
func TooLarge(n uint64) string {
	return fmt.Sprintf("the buffer has %d bytes; 32-bit offsets reach %d", n, uint64(rule.MaxBuffer))
}

// FramingFault says why no message could be found among n bytes.
func FramingFault(m *rule.Message, n uint64) *Fault {
	if m.Fault == rule.TooShort {
		return &Fault{Kind: m.Fault, fact: about(rule.ThingSizePrefix, n, m.Start), Detail: fmt.Sprintf("the buffer has %d bytes, too few for a size prefix of %d", n, m.Start)}
	}
	return &Fault{Kind: m.Fault, Size: m.Start, fact: about(rule.ThingSizePrefix, m.Promised, n-m.Start), Detail: fmt.Sprintf("the size prefix promises %d bytes, and %d follow it", m.Promised, n-m.Start)}
}

// root walks the table that the root offset at `at` leads to.
func (w *walker) root(at uint64, t *program.Table, depth int) {
	w.owner = t
	if !rule.Fits(at, rule.OffsetSize, w.n) {
		w.fault(rule.TooShort, at, 0, about(rule.ThingOffset, w.n-min(at, w.n), rule.OffsetSize), "%d bytes are too few for the offset to the root table", w.n-min(at, w.n))
		return
	}
	w.tableAt(at, t, depth)
}

// word is an identifier as the number that its bytes are.
func word(identifier string) uint32 { return binary.LittleEndian.Uint32([]byte(identifier)) }
