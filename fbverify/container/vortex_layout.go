package container

import (
	"cmp"
	"fmt"
	"slices"
)

// Field ids of Vortex's Layout, LayoutSpec and Array, and the size of Array's Buffer:
// u16 padding before it, u8 alignment, u8 compression, u32 length.
const (
	layoutEncoding, layoutMetadata, layoutChildren, layoutSegments = 0, 2, 3, 4

	layoutSpecID = 0

	arrayBuffers = 1
	arrayBuffer  = 8
)

// encodingFlat names the layouts whose one segment is a serialized array.
const encodingFlat = "vortex.flat"

// layout walks the layout tree and marks the segments that end with an Array. A flat
// layout may instead keep its Array in its own metadata: that one is handed on
// at once. It returns false when the consumer wants no more.
func (v *vortexFile) layout(l *metadataSpan, encodings vector) bool {
	b := v.flat(l.offset, l.length)
	flat := flatEncodings{list: encodings, known: make(map[uint64]bool)}
	seen := newBitset(l.length + 1) // by position: the same table twice has the same children
	v.inlined, v.inlineRoom = newBitset(v.specs.n), l.length
	budget := max(1_000_000, l.length/4)
	type frame struct {
		children vector
		next     int64
	}
	var stack []frame
	visit := func(t table) bool {
		if t.pos < 0 || seen.has(t.pos) {
			return true
		}
		seen.set(t.pos)
		if !v.flatLayout(t, &flat, &budget) {
			return false
		}
		if c := t.vector(layoutChildren, 4, "a layout's list of children"); c.n > 0 {
			stack = append(stack, frame{c, 0})
		}
		return true
	}
	fault := func() bool {
		f := b.take()
		return f == nil || v.unreadable("layout", f, "not all segments with arrays can be found")
	}
	if !visit(b.root(0)) || !fault() {
		return false
	}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == top.children.n {
			stack = stack[:len(stack)-1]
			continue
		}
		if budget--; budget < 0 {
			return v.report(&Error{Kind: ErrLimit, Part: "layout", Offset: l.offset, Detail: "its tree has more branches than it could hold; not all segments with arrays can be found",
				Allowed: fmt.Sprint(max(1_000_000, l.length/4))})
		}
		i := top.next
		top.next++
		if !visit(top.children.table(i, "a child layout")) || !fault() {
			return false
		}
	}
	return true
}

// flatLayout marks what the layout at t refers to, if it is a flat one.
func (v *vortexFile) flatLayout(t table, flat *flatEncodings, budget *int64) bool {
	encoding := t.uint(layoutEncoding, 2, 0)
	if encoding >= uint64(flat.list.n) {
		return t.b.fault != nil || v.report(&Error{Kind: ErrReference, Part: "layout", Offset: t.b.base + t.pos, Detail: "a layout's encoding is not in the footer's list, so that whether its segments hold arrays is not known",
			Found: fmt.Sprint(encoding), Allowed: fmt.Sprintf("below %d", flat.list.n)})
	}
	if !flat.is(encoding) {
		return true
	}
	segments := t.vector(layoutSegments, 4, "a layout's list of segments")
	inline, length, found := v.inlineArray(t)
	for i := range segments.n {
		if *budget--; *budget < 0 {
			return true // reported by the caller
		}
		id := int64(segments.uint(i, 0, 4))
		switch {
		case t.b.fault != nil:
			return true
		case id >= v.specs.n:
			if !v.report(&Error{Kind: ErrReference, Part: "layout", Offset: t.b.base + segments.pos + i*4, Detail: "a layout refers to a segment that the footer does not list",
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

// inlineArray returns the place of the Array that a flat layout keeps in its
// metadata, a Protocol Buffers message whose field 1 it is: the segment
// then holds buffers only.
func (v *vortexFile) inlineArray(t table) (pos, length int64, ok bool) {
	m := t.vector(layoutMetadata, 1, "a layout's metadata")
	var n uint64
	at := int64(1)
	if m.n < 2 || m.uint(0, 0, 1) != 1<<3|2 { // field 1, bytes
		return 0, 0, false
	}
	for shift := 0; ; shift += 7 {
		c := m.uint(at, 0, 1)
		if at++; shift > 28 || at > m.n {
			return 0, 0, false
		}
		n |= c & 0x7f << shift
		if c < 0x80 {
			break
		}
	}
	if n == 0 || int64(n) > m.n-at {
		return 0, 0, false
	}
	return t.b.base + m.pos + at, int64(n), true
}

// flatEncodings remembers which entries of the footer's list of layout
// encodings are flat.
type flatEncodings struct {
	list  vector
	known map[uint64]bool // at most 65536
}

func (f *flatEncodings) is(encoding uint64) bool {
	is, ok := f.known[encoding]
	if !ok {
		is = f.list.table(int64(encoding), "a layout encoding").isString(layoutSpecID, encodingFlat)
		f.list.b.take() // the footer's own verification tells
		f.known[encoding] = is
	}
	return is
}

// segment hands on one segment: buffers, Array and its length if it holds an
// array, else one region.
func (v *vortexFile) segment(s span) bool {
	name := indexed("segment", int64(s.id), "")
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
	b := v.flat(at, length)
	list := b.root(0).vector(arrayBuffers, arrayBuffer, "the list of buffers")
	for i := range list.n {
		pad, n := int64(list.uint(i, 0, 2)), int64(list.uint(i, 4, 4))
		if b.fault != nil {
			break // the part's verification tells
		}
		if pad+n > at-pos {
			return v.report(&Error{Kind: ErrLength, Part: indexed(name+".buffer", i, ""), Offset: b.base + list.pos + i*arrayBuffer, Detail: "the array's buffers do not fit the segment before it",
				Found: fmt.Sprintf("%d bytes after %d of padding", n, pad), Allowed: fmt.Sprintf("%d together", at-pos)})
		}
		if v.regions && (!v.region(Padding, name+".padding", pos, pad) || !v.region(Data, indexed(name+".buffer", i, ""), pos+pad, n)) {
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
