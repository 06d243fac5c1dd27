// Package traversal walks a buffer by its schema, with a check before each read, and
// says what is wrong with it, or hands what it meets to a listener ([Traversal]).
//
// It is the authority: the machine's yes is trusted, its no is not, and what it
// gave up on (too much sharing) is decided here. The walk remembers what it
// found by position and type once the buffer turns out to share more than it
// could hold otherwise, so its time is linear in the bytes whatever the sharing;
// for a listener it keeps a set of what was seen instead, and enters each object
// once. It also knows the rules of Strict, which the machine does not.
//
// Work is counted in bytes: those of text and of fields once, those of offsets eight
// times, and long keys where they are compared. A buffer whose parts do not overlap one another has at most eight times
// its own; one that takes more is refused.
package traversal

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/fbverify/internal/rule"
	"github.com/fbverify/go/schema"
)

// Fault is one broken rule.
type Fault struct {
	Kind   rule.Kind
	Type   string // full name of the table at fault
	Path   string
	Offset uint64 // from the start of the slice given to be verified
	Size   uint64 // number of bytes at fault from Offset on; 0 = none in particular
	fact
	Detail string
}

// fact is what a fault says as data; see fbverify.Error.
type fact struct {
	Thing, Leads   rule.Thing
	Target         int64
	Found, Allowed int64
}

// about is the fact that a number of a thing is not within what is allowed.
func about(thing rule.Thing, found, allowed uint64) fact {
	return signed(thing, number64(found), number64(allowed))
}

// signed is about for numbers that may be negative.
func signed(thing rule.Thing, found, allowed int64) fact {
	return fact{Thing: thing, Found: found, Allowed: allowed}
}

// leads is the fact that an offset does not lead to where the thing that it is for may be.
func leads(thing, to rule.Thing, offset, target int64, allowed uint64) fact {
	return fact{Thing: thing, Leads: to, Target: target, Found: offset, Allowed: number64(allowed)}
}

// number64 is a number as faults hold it: what is beyond that is as good as infinite.
func number64(n uint64) int64 { return int64(min(n, math.MaxInt64)) }

// segment is one step of the path from the root: a field, or an element.
type segment struct {
	field *schema.Field // nil for an element
	index uint64        // of the element
}

// fault records a fault of the size bytes at a position of the current buffer.
func (w *walker) fault(kind rule.Kind, pos, size uint64, what fact, format string, args ...any) {
	w.faulty = true
	ends := false
	if w.listener != nil {
		ends = kind == rule.TableLimit || kind == rule.SizeLimit || kind == rule.Overlap || len(w.events) == 0 && kind != rule.Identifier && kind != rule.Trailing
		if w.shallow || w.stopped || !ends && (w.told == nil || w.tellings == w.cfg.MaxFaults) {
			return
		}
		w.tellings++
	} else if len(w.faults) == w.cfg.MaxFaults {
		return // the walk has ended, and is on its way out
	}
	f := Fault{
		Kind: kind, Type: w.owner.Object.Name, Path: w.renderPath(),
		Offset: w.origin + pos, Size: size, fact: what, Detail: shorten(fmt.Sprintf(format, args...), mostDetail),
	}
	if w.listener != nil {
		if ends && w.end == nil {
			w.end = &f
		}
		if w.told != nil {
			w.told(&f)
		}
		return
	}
	w.faults = append(w.faults, f)
	if len(w.faults) == w.cfg.MaxFaults {
		w.stop = true
	}
}

// fieldFault is a fault of one field of the current table.
func (w *walker) fieldFault(f *program.Field, kind rule.Kind, pos, size uint64, what fact, format string, args ...any) {
	w.path = append(w.path, segment{field: f.Def})
	w.fault(kind, pos, size, what, format, args...)
	w.path = w.path[:len(w.path)-1]
}

// A path is as long as tables nest deep and names are long, and there may be thousands
// of faults: once all paths come to maxPaths bytes, of those of more than mostPath
// bytes the ends are left.
const (
	maxPaths = 1 << 20
	mostPath = 256

	// mostDetail is how many bytes a sentence may have, whatever names are in it.
	mostDetail = 1024
)

func (w *walker) renderPath() string {
	root := w.p.Root.Object.ShortName()
	left := max(maxPaths-w.pathBytes, mostPath)
	size := len(root)
	for i := 0; i < len(w.path) && size <= left; i++ {
		size += len("[0]")
		if f := w.path[i].field; f != nil {
			size += len(f.Name)
		}
	}
	if size > left {
		return w.pathEnds(root)
	}
	b := make([]byte, 0, size) // a path can be long, and garbage of its size would be collected with a deep stack
	b = append(b, root...)
	for _, s := range w.path {
		b = s.append(b)
	}
	w.pathBytes += len(b)
	return string(b)
}

// pathEnds returns the beginning and the end of a path that is too long.
func (w *walker) pathEnds(root string) string {
	const half = mostPath / 2
	begin := []byte(shorten(root, half))
	first := 0
	for ; first < len(w.path) && len(begin)+len(w.path[first].append(nil)) <= half; first++ {
		begin = w.path[first].append(begin)
	}
	end, last := "", len(w.path)
	for last > first {
		step := string(w.path[last-1].append(nil))
		if len(end)+len(step) > half {
			if end == "" {
				end = shorten(step, half)
			}
			break
		}
		end = step + end
		last--
	}
	return string(begin) + "…" + end
}

// append adds a step to a path.
func (s *segment) append(b []byte) []byte {
	if s.field != nil {
		return append(append(b, '.'), s.field.Name...)
	}
	return append(strconv.AppendUint(append(b, '['), s.index, 10), ']')
}

// shorten leaves out the middle of a text of more than n bytes.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	half := n / 2
	return strings.ToValidUTF8(text[:half], "") + "…" + strings.ToValidUTF8(text[len(text)-half:], "")
}
