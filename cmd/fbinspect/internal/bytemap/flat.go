package bytemap

import (
	"slices"

	"github.com/fbverify/go/fbverify/traverse"
	"github.com/fbverify/go/schema"
)

// A flat table consists of numbers alone, and of no byte that is not its own. Another one
// with its vtable, of its type, consists of the same spans if all its bytes are free: they
// are told without a look at its fields. Files of millions of tables mostly have such.

// flatKey is a vtable, by its position, and the type that it is read as.
type flatKey struct {
	vtable int
	def    *schema.Object
}

// flat is what flat tables consist of.
type flat struct {
	size, vtableSize int
	vtable           int    // its number
	spans            []Span // positions count from the table
}

// mostTraced is how many spans a flat table may have.
const mostTraced = 1 << 10

// learn remembers the spans of a table that is left, if it is flat.
func (b *walk) learn(e *traverse.Event, f *frame) {
	if b.plain || b.refused || b.traced != f.object || len(b.trace) == mostTraced {
		return
	}
	k := flatKey{b.at(e.VTable), e.Object}
	if b.flat[k] != nil {
		return
	}
	l := &flat{size: e.Size, vtableSize: e.VTableSize, vtable: f.o.VTable}
	for _, s := range b.trace {
		if s.Object != f.object {
			continue // of the vtable
		}
		if s.Kind == Offset {
			return
		}
		s.Pos -= f.o.Pos
		l.spans = append(l.spans, s)
	}
	end := 0
	inOrder := slices.Clone(l.spans)
	slices.SortFunc(inOrder, func(a, b Span) int { return a.Pos - b.Pos })
	for _, s := range inOrder {
		if s.Pos != end {
			return
		}
		end = s.End()
	}
	if end == l.size {
		b.flat[k] = l
	}
}

// likeAnother takes the bytes of a table that was met, of which those of the offset to the
// vtable are taken, if it is flat like another one, and reports whether it was.
func (b *walk) likeAnother(e *traverse.Event, f *frame) bool {
	if !e.Sound || e.Seen {
		return false
	}
	l := b.flat[flatKey{b.at(e.VTable), e.Object}]
	head := 4
	if l == nil || l.size != e.Size || l.vtableSize != e.VTableSize || !b.taken.take(f.o.Pos+head, f.o.Pos+l.size) {
		return false
	}
	b.sink.Target(f.o.head, l.vtable)
	b.sink.Uses(f.object, l.vtable, false)
	b.whose(&f.o, f.table, nil)
	for i := range l.spans {
		if l.spans[i].Kind == VTableOffset {
			continue
		}
		b.told = l.spans[i]
		b.told.Pos += f.o.Pos
		b.told.Object = f.object
		b.sink.Span(&b.told, &b.in)
		b.spans++
	}
	return true
}
