// Package traversal walks a buffer slowly and says what is wrong with it.
//
// It is the authority: the machine's yes is trusted, its no is not, and what it
// gave up on (too much sharing) is decided here. The walk remembers what it
// found by position and type once the buffer turns out to share more than it
// could hold otherwise, so its time is linear in the bytes whatever the sharing.
// It also knows the rules of Strict, which the machine does not.
package traversal

import (
	"fmt"
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
	Detail string
}

// segment is one step of the path from the root: a field, or an element.
type segment struct {
	field *schema.Field // nil for an element
	index uint64        // of the element
}

// fault records a fault of the size bytes at a position of the current buffer.
func (w *walker) fault(kind rule.Kind, pos, size uint64, format string, args ...any) {
	w.faulty = true
	if len(w.faults) == w.cfg.MaxFaults {
		return // the walk has ended, and is on its way out
	}
	w.faults = append(w.faults, Fault{
		Kind: kind, Type: w.owner.Object.Name, Path: w.renderPath(),
		Offset: w.origin + pos, Size: size, Detail: fmt.Sprintf(format, args...),
	})
	if len(w.faults) == w.cfg.MaxFaults {
		w.stop = true
	}
}

// fieldFault is a fault of one field of the current table.
func (w *walker) fieldFault(f *program.Field, kind rule.Kind, pos, size uint64, format string, args ...any) {
	w.path = append(w.path, segment{field: f.Def})
	w.fault(kind, pos, size, format, args...)
	w.path = w.path[:len(w.path)-1]
}

// A path is as long as tables nest deep, and there may be thousands of faults: once
// all paths have maxPaths bytes, those of more than 2*pathEnds steps are cut in the
// middle.
const (
	maxPaths = 1 << 20
	pathEnds = 16
)

func (w *walker) renderPath() string {
	var b strings.Builder
	root := w.p.Root.Object.ShortName()
	if w.pathBytes >= maxPaths && len(w.path) > 2*pathEnds {
		b.WriteString(root)
		appendPath(&b, w.path[:pathEnds])
		b.WriteString("…")
		appendPath(&b, w.path[len(w.path)-pathEnds:])
		return b.String()
	}
	size := len(root)
	for _, s := range w.path {
		size += len("[0]")
		if s.field != nil {
			size += len(s.field.Name)
		}
	}
	b.Grow(size) // a path can be long, and garbage of its size would be collected with a deep stack
	b.WriteString(root)
	appendPath(&b, w.path)
	w.pathBytes += b.Len()
	return b.String()
}

func appendPath(b *strings.Builder, path []segment) {
	for _, s := range path {
		if s.field != nil {
			b.WriteByte('.')
			b.WriteString(s.field.Name)
		} else {
			b.WriteByte('[')
			b.WriteString(strconv.FormatUint(s.index, 10))
			b.WriteByte(']')
		}
	}
}
