package flatgeobuf

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math"

	"github.com/fbverify/go/fbverify/container"
	fb "github.com/fbverify/go/generated/flatgeobuf"
	"github.com/fbverify/go/internal/places"
	"github.com/fbverify/go/readers"
	"github.com/fbverify/go/readers/internal/ranged"
)

// Box is a rectangle, its edges part of it.
type Box struct{ MinX, MinY, MaxX, MaxY float64 }

// touches tells whether two boxes have a point in common; numbers that are none keep nothing apart.
func (b Box) touches(c Box) bool {
	return !(b.MaxX < c.MinX || b.MaxY < c.MinY || b.MinX > c.MaxX || b.MinY > c.MaxY)
}

// Bounds returns the box around the positions of a feature; ok is false where it has none.
func (ft *Feature) Bounds() (b Box, ok bool) {
	b = Box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	bound(&b, ft.Root().Geometry())
	return b, b.MinX <= b.MaxX && b.MinY <= b.MaxY
}

func bound(b *Box, g fb.Geometry) {
	xy := g.Xy()
	for i := 0; i+1 < len(xy); i += 2 {
		b.MinX, b.MaxX = min(b.MinX, xy[i]), max(b.MaxX, xy[i])
		b.MinY, b.MaxY = min(b.MinY, xy[i+1]), max(b.MaxY, xy[i+1])
	}
	for part := range g.Parts().Values() {
		bound(b, part)
	}
}

// nodes are some of a level of the index, one after the other.
type nodes struct{ from, to uint64 }

const (
	nodesAtOnce    = 1 << 15 // of a level, before those below them are looked at
	featuresAtOnce = 1 << 12
	bytesAtOnce    = 8 << 20 // of features
	likely         = 1 << 16 // bytes that a feature is believed to have before its size was seen
)

// found is a feature that a search has found: where it begins, and how long it is at most, both in bytes.
type found struct {
	number    int64
	at, bytes int64
}

// search is the state of one.
type search struct {
	*File
	ctx   context.Context
	box   Box
	yield func(*Feature, error) bool
	hits  []found
	end   int64 // of the last feature
}

// Search returns the features whose box in the index touches a box, in the order of the file. An error
// stands in the place of a feature, which is nil then; the next is gone on with where the FlatBuffer of one is not sound,
// and it is the last where the index is wrong, reading has failed, or ctx is done. Of a file without an index it is of
// kind ErrReference: [File.All] and [Feature.Bounds] take its place.
func (f *File) Search(ctx context.Context, box Box) iter.Seq2[*Feature, error] {
	return func(yield func(*Feature, error) bool) {
		if !f.HasIndex() {
			if count, known := f.Count(); known && count == 0 {
				return
			}
			yield(nil, f.src.Fault(container.ErrReference, "index", f.index.Offset, "the file has no index", "", ""))
			return
		}
		s := &search{File: f, ctx: ctx, box: box, yield: yield, end: f.features.Offset}
		if s.level(0, []nodes{{0, 1}}) {
			s.flush()
		}
	}
}

// level looks at nodes of a level, and at what those that touch the box lead to. It returns false where nothing more is wanted.
func (s *search) level(level int, list []nodes) bool {
	for len(list) > 0 {
		var now []nodes
		for room := uint64(nodesAtOnce); room > 0 && len(list) > 0; {
			n := list[0]
			if n.to-n.from > room {
				n.to = n.from + room
				list[0].from = n.to
			} else {
				list = list[1:]
			}
			now = append(now, n)
			room -= n.to - n.from
		}
		if !s.some(level, now) {
			return false
		}
	}
	return true
}

func (s *search) fail(err error) bool {
	s.yield(nil, err)
	return false
}

// some is level for so many nodes that they are read at once.
func (s *search) some(level int, list []nodes) bool {
	l := s.tree.Levels[level]
	last := level == len(s.tree.Levels)-1
	want := make([]ranged.Wanted, len(list))
	for i, n := range list {
		to := n.to
		if last { // one more, which says where the feature of the last ends
			to = min(to+1, l.Count)
		}
		want[i] = ranged.Wanted{Part: "index", Range: readers.Range{Offset: s.index.Offset + int64(l.First+n.from)*places.NodeSize, Length: int64(to-n.from) * places.NodeSize}}
	}
	if err := s.src.ReadAll(s.ctx, want, s.head, s.headAt); err != nil {
		return s.fail(err)
	}
	var below []nodes
	for i, n := range list {
		for k := n.from; k < n.to; k++ {
			b := want[i].Bytes[(k-n.from)*places.NodeSize:]
			minX, minY, maxX, maxY, to := places.Box(b)
			if !s.box.touches(Box{minX, minY, maxX, maxY}) {
				continue
			}
			at := want[i].Offset + int64(k-n.from)*places.NodeSize
			if last {
				if !s.hit(k, to, at, b[places.NodeSize:]) {
					return false
				}
				continue
			}
			next := s.tree.Levels[level+1]
			first := k * s.tree.Node
			if to != next.First+first {
				return s.fail(s.src.Fault(container.ErrMismatch, "index", at+places.NodeSize-8, "a node does not lead to where a packed tree has the next level", fmt.Sprint(to), fmt.Sprint(next.First+first)))
			}
			end := min(first+s.tree.Node, next.Count)
			if m := len(below); m > 0 && below[m-1].to == first {
				below[m-1].to = end
			} else {
				below = append(below, nodes{first, end})
			}
		}
	}
	if last {
		return true
	}
	return s.level(level+1, below)
}

// hit notes a feature that was found at to; rest are the bytes of the index after it, which may be none.
func (s *search) hit(number, to uint64, at int64, rest []byte) bool {
	room := s.File.features.Length
	if to > uint64(room) || uint64(room)-to < prefixSize {
		return s.fail(s.src.Fault(container.ErrLength, "index", at+places.NodeSize-8, fmt.Sprintf("the feature %d begins after the end of the file", number), fmt.Sprint(to), fmt.Sprintf("at most %d", room-prefixSize)))
	}
	end := uint64(room)
	if len(rest) >= places.NodeSize {
		if _, _, _, _, next := places.Box(rest); next < end {
			end = next
		}
	}
	h := found{number: int64(number), at: s.File.features.Offset + int64(to), bytes: likely}
	if end > to {
		h.bytes = int64(end - to)
	}
	h.bytes = min(max(h.bytes, prefixSize), likely, s.src.Size-h.at)
	s.hits = append(s.hits, h)
	return len(s.hits) < featuresAtOnce || s.flush()
}

// flush reads and gives out what was found.
func (s *search) flush() bool {
	hits := s.hits
	s.hits = s.hits[:0]
	for len(hits) > 0 {
		n, sum := 0, int64(0)
		for n < len(hits) && (n == 0 || sum+hits[n].bytes <= bytesAtOnce) {
			sum += hits[n].bytes
			n++
		}
		want := make([]ranged.Wanted, n)
		for i, h := range hits[:n] {
			want[i] = ranged.Wanted{Part: name(h.number), Range: readers.Range{Offset: h.at, Length: h.bytes}}
		}
		if err := s.src.ReadAll(s.ctx, want, s.head, s.headAt); err != nil {
			return s.fail(err)
		}
		for _, w := range want {
			if w.Offset < s.end {
				return s.fail(s.src.Fault(container.ErrOverlap, w.Part, w.Offset, "the index puts it before the end of the one before it", fmt.Sprint(w.Offset), fmt.Sprintf("%d or more", s.end)))
			}
			size := prefixSize + int64(binary.LittleEndian.Uint32(w.Bytes))
			if room := s.src.Size - w.Offset; size > room {
				return s.fail(s.src.Fault(container.ErrTruncated, w.Part, w.Offset, "its size prefix promises more than the file has", ranged.Bytes(size-prefixSize), fmt.Sprintf("at most %d", room-prefixSize)))
			}
			s.end = w.Offset + size
			if size > w.Length {
				b, err := s.src.Read(s.ctx, w.Part, readers.Range{Offset: w.Offset, Length: size})
				if err != nil {
					return s.fail(err)
				}
				w.Bytes = b
			}
			if !s.yield(s.feature(hits[0].number, readers.Range{Offset: w.Offset, Length: size}, w.Bytes[:size:size])) {
				return false
			}
			hits = hits[1:]
		}
	}
	return true
}
