package container

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/traverse"
	"github.com/fbverify/go/internal/places"
)

// The fields that lead from a Layout and an Array to segments and buffers, and the size of
// Array's Buffer: u16 padding before it, u8 alignment, u8 compression, u32 length.
var (
	layoutFields = []string{"encoding", "metadata", "children", "segments"}
	arrayFields  = []string{"buffers"}
)

// layoutDepth is how deep a tree of layouts is followed, many times deeper than one that
// verifies.
const layoutDepth = 4096

// flatLayout is a layout whose one segment is a serialized array, or of which that is not
// known.
type flatLayout struct {
	pos                int64
	encoding           uint64
	metadata, segments vector
}

// layout walks the layout tree and marks the segments that end with an Array. A flat
// layout may instead keep its Array in its own metadata: that one is handed on
// at once. It returns false when the consumer wants no more.
func (v *vortexFile) layout(l *metadataSpan, flat []bool) bool {
	isFlat := func(encoding uint64) bool { return encoding >= uint64(len(flat)) || flat[encoding] }
	var layouts []flatLayout
	r := v.src.follow(knownTypes[rootLayout](), l.offset, l.length, mostRead, fbverify.Options{MaxDepth: layoutDepth}, layoutFields, func(r *reading) func(*traverse.Event) traverse.Answer {
		layouts = nil
		var open []flatLayout // the layouts around
		r.leave = func(e *traverse.Event) {
			if e.What == traverse.Table {
				if l := open[len(open)-1]; isFlat(l.encoding) {
					layouts = append(layouts, l)
				}
				open = open[:len(open)-1]
			}
		}
		return func(e *traverse.Event) traverse.Answer {
			switch {
			case !e.Sound || e.What == traverse.Table && e.Seen:
			case e.What == traverse.Table: // the same one twice has the same children
				open = append(open, flatLayout{pos: r.base + int64(e.Pos)})
			case e.What == traverse.Field && e.Field.Name == "encoding":
				open[len(open)-1].encoding = r.value(e)
			case e.What == traverse.Vector && e.Field.Name == "metadata":
				open[len(open)-1].metadata = r.vector(e)
			case e.What == traverse.Vector && e.Field.Name == "segments":
				open[len(open)-1].segments = r.vector(e)
			}
			return traverse.Go
		}
	})
	v.inlined, v.inlineRoom = newBitset(int64(v.specs.n)), l.length
	budget := max(1_000_000, l.length/4)
	for i := range layouts {
		if !v.flatLayout(&layouts[i], int64(len(flat)), &budget) {
			return false
		}
		if budget < 0 {
			return v.report(&Error{Kind: ErrLimit, Part: "layout", Offset: l.offset, Detail: "its layouts refer to more segments than it could hold; not all segments with arrays can be found",
				Allowed: fmt.Sprint(max(1_000_000, l.length/4))})
		}
	}
	f := r.any()
	return f == nil || v.unreadable("layout", f, "not all segments with arrays can be found")
}

// flatLayout marks what a flat layout refers to.
func (v *vortexFile) flatLayout(l *flatLayout, encodings int64, budget *int64) bool {
	if l.encoding >= uint64(encodings) {
		return v.report(&Error{Kind: ErrReference, Part: "layout", Offset: l.pos, Detail: "a layout's encoding is not in the footer's list, so that whether its segments hold arrays is not known",
			Found: fmt.Sprint(l.encoding), Allowed: fmt.Sprintf("below %d", encodings)})
	}
	at, n, found := places.InlineArray(l.metadata.bytes())
	inline, length := int64(0), int64(n)
	if found {
		inline = l.metadata.at(at)
	}
	for i := range l.segments.n {
		if *budget--; *budget < 0 {
			return true // reported by the caller
		}
		id := int64(l.segments.uint(i, 0, 4))
		switch {
		case id >= int64(v.specs.n):
			if !v.report(&Error{Kind: ErrReference, Part: "layout", Offset: l.segments.at(i), Detail: "a layout refers to a segment that the footer does not list",
				Found: fmt.Sprint(id), Allowed: fmt.Sprintf("below %d", v.specs.n)}) {
				return false
			}
		case found && v.inlined.has(id):
		case found:
			// Arrays that lie side by side take no more bytes than the layout has;
			// those that share bytes would cost each of their readers anew.
			if v.inlineRoom -= length; v.inlineRoom < 0 {
				return v.report(&Error{Kind: ErrOverlap, Part: indexed("segment", id, ".array"), Offset: inline, Detail: "the arrays in the layout's metadata take more bytes than the layout has"})
			}
			v.inlined.set(id)
			if !v.emit(item{isPart: true, nested: true, part: Part{Name: indexed("segment", id, ".array"), Root: rootArray, Offset: inline, Length: length, file: v.f}}) {
				return false
			}
			found = false // one Array, one part
		default:
			v.arrays.set(id)
		}
	}
	return true
}

// segment hands on one segment: buffers, Array and its length if it holds an
// array, else one region.
func (v *vortexFile) segment(s span) bool {
	name := indexed("segment", int64(s.id), "")
	v.meet(s.offset, s.length)
	if !v.arrays.has(int64(s.id)) {
		return v.region(Data, name, s.offset, s.length)
	}
	end := s.offset + s.length - 4
	if s.length < 4 {
		return v.report(&Error{Kind: ErrLength, Part: name + ".array", Offset: s.offset, Detail: "the segment has no room for the length of its array", Found: bytesOf(s.length), Allowed: "4 or more"}) &&
			v.region(Data, name, s.offset, s.length)
	}
	n, ok := v.src.uint(end, 4)
	if !ok {
		return !v.done
	}
	length := int64(n)
	if length == 0 || length > s.length-4 {
		return v.report(&Error{Kind: ErrLength, Part: name + ".array", Offset: end, Detail: "the length of the array at the segment's end does not fit the segment",
			Found: bytesOf(length), Allowed: upTo(s.length - 4)}) && v.region(Data, name, s.offset, s.length)
	}
	return v.buffers(name, s.offset, end-length, length) &&
		v.part(Part{Name: name + ".array", Root: rootArray, Offset: end - length, Length: length}) &&
		v.region(Framing, name+".length", end, 4)
}

// buffers tells the data buffers of an array apart, which lie from pos to at, where
// the Array that describes them starts.
func (v *vortexFile) buffers(name string, pos, at, length int64) bool {
	var entries vector
	v.follow(rootArray, at, length, arrayFields, func(r *reading) func(*traverse.Event) traverse.Answer {
		entries = vector{}
		return func(e *traverse.Event) traverse.Answer {
			if e.What == traverse.Vector && e.Sound {
				entries = r.vector(e)
			}
			return traverse.Go
		}
	}) // what is broken the part's verification tells
	for i := range entries.n {
		pad, n := int64(entries.uint(i, 0, 2)), int64(entries.uint(i, 4, 4))
		if exponent := entries.uint(i, 2, 1); exponent > mostAlignment && !v.alignment(indexed(name+".buffer", int64(i), ""), exponent, entries.at(i)+2) {
			return false
		}
		if pad+n > at-pos {
			return v.report(&Error{Kind: ErrLength, Part: indexed(name+".buffer", int64(i), ""), Offset: entries.at(i) + 4, Detail: "the array's buffers do not fit the segment before it",
				Found: fmt.Sprintf("%d bytes after %d of padding", n, pad), Allowed: fmt.Sprintf("%d together", at-pos)})
		}
		if v.regions && (!v.region(Padding, name+".padding", pos, pad) || !v.region(Data, indexed(name+".buffer", int64(i), ""), pos+pad, n)) {
			return false
		}
		pos += pad + n
	}
	if v.regions && at-pos < 64 && v.src.zero(pos, at-pos, 64) {
		return v.region(Padding, name+".padding", pos, at-pos)
	}
	return !v.done
}

func sortMetadata(m []metadataSpan) {
	slices.SortStableFunc(m, func(a, b metadataSpan) int { return cmp.Compare(a.offset, b.offset) })
}

// bitset is a set of numbers from 0.
type bitset []uint64

func newBitset(n int64) bitset    { return make(bitset, n/64+1) }
func (s bitset) has(i int64) bool { return i>>6 < int64(len(s)) && s[i>>6]>>(i&63)&1 != 0 }
func (s bitset) set(i int64)      { s[i>>6] |= 1 << (i & 63) }
func (s bitset) clear(i int64)    { s[i>>6] &^= 1 << (i & 63) }
