package vortex

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	fb "github.com/fbverify/go/generated/vortex"
	"github.com/fbverify/go/readers"
	"github.com/fbverify/go/readers/internal/ranged"
)

// Array is the metadata of a serialized array, verified, and where its buffers are. Its nodes refer to
// encodings that the footer lists and to buffers that there are.
type Array struct {
	Segment int // the number of the segment
	fbverify.Verified[fb.Array]
	readers.Range // of the FlatBuffer

	// Encodings names the encodings of the nodes by their numbers.
	Encodings []string

	// Buffers are the data, in the order in which the nodes count them.
	Buffers []Buffer
}

// Buffer is one of an array's.
type Buffer struct {
	readers.Range
	AlignmentExponent uint8
	Compression       fb.Compression
}

const (
	lengthSize = 4       // of the word that a segment with an array ends with
	tailSize   = 4 << 10 // bytes of a segment's end that are read at first: most arrays are shorter
	batchSize  = 256     // segments of which the ends are read together
)

// Array reads the metadata of the array in a segment, in one read or two, and verifies it. The error is
// that of [Open], of kind ErrReference where the segment holds no array.
func (f *File) Array(ctx context.Context, segment int) (*Array, error) {
	for a, err := range f.Arrays(ctx, segment) {
		return a, err
	}
	panic("unreachable: a segment gives an array or an error")
}

// Arrays is Array for many segments, in the order given: the ends of those that lie close together are read at once.
// An error stands in the place of its array, which is nil then, and the next is gone on with, unless
// reading has failed or ctx is done.
func (f *File) Arrays(ctx context.Context, segments ...int) iter.Seq2[*Array, error] {
	return func(yield func(*Array, error) bool) {
		for len(segments) > 0 {
			n := min(batchSize, len(segments))
			list, errs, err := f.ends(ctx, segments[:n])
			if err != nil {
				yield(nil, err)
				return
			}
			for i, id := range segments[:n] {
				if errs[i] != nil {
					if !yield(nil, errs[i]) {
						return
					}
					continue
				}
				a, err := f.array(id, list[i])
				if !yield(a, err) {
					return
				}
			}
			segments = segments[n:]
		}
	}
}

// ends reads the arrays of segments, and returns them with their places, and what is wrong
// with the segments.
func (f *File) ends(ctx context.Context, segments []int) ([]ranged.Wanted, []error, error) {
	list, errs := make([]ranged.Wanted, len(segments)), make([]error, len(segments))
	for i, id := range segments {
		w := &list[i]
		w.Part = name(id)
		switch {
		case id < 0 || id >= len(f.segments):
			errs[i] = f.fault(container.ErrReference, "footer", "segment_specs", "there is no such segment", fmt.Sprint(id), fmt.Sprintf("below %d", len(f.segments)))
		case f.segments[id].Encryption != 0:
			errs[i] = f.src.Fault(container.ErrEncoded, w.Part, f.segments[id].Offset, "it is encrypted, so that the FlatBuffer in it cannot be looked at", "", "")
		case f.compressed(f.segments[id].Compression):
			errs[i] = f.src.Fault(container.ErrEncoded, w.Part, f.segments[id].Offset, "it is compressed, so that the FlatBuffer in it cannot be looked at", "", "")
		case !f.segments[id].HoldsArray:
			errs[i] = f.src.Fault(container.ErrReference, w.Part, f.segments[id].Offset, "no flat layout leads to the segment, so that it holds no array", "", "")
		case f.inlined(id):
		case f.segments[id].Length < lengthSize:
			errs[i] = f.src.Fault(container.ErrLength, w.Part, f.segments[id].Offset, "the segment has no room for the length of its array", bytesOf(f.segments[id].Length), fmt.Sprintf("%d or more", lengthSize))
		default:
			s := f.segments[id].Range
			w.Length = min(s.Length, tailSize)
			w.Offset = s.End() - w.Length
		}
	}
	if err := f.src.ReadAll(ctx, list, nil, readers.Range{}); err != nil {
		return nil, nil, err
	}
	var more []ranged.Wanted
	var of []int
	for i, id := range segments {
		w := &list[i]
		if errs[i] != nil {
			continue
		}
		if a, ok := f.inline[uint32(id)]; ok {
			w.Range, w.Bytes = readers.Range{Offset: a.at, Length: int64(len(a.bytes))}, a.bytes
			continue
		}
		s, end := f.segments[id].Range, len(w.Bytes)-lengthSize
		n := int64(binary.LittleEndian.Uint32(w.Bytes[end:]))
		if n == 0 || n > s.Length-lengthSize {
			errs[i] = f.src.Fault(container.ErrLength, w.Part, s.End()-lengthSize, "the length of the array at the segment's end does not fit the segment", bytesOf(n), fmt.Sprintf("1 to %d", s.Length-lengthSize))
			continue
		}
		w.Range = readers.Range{Offset: s.End() - lengthSize - n, Length: n}
		if n <= int64(end) {
			w.Bytes = w.Bytes[int64(end)-n : end : end]
			continue
		}
		more, of = append(more, *w), append(of, i)
	}
	if err := f.src.ReadAll(ctx, more, nil, readers.Range{}); err != nil {
		return nil, nil, err
	}
	for k, i := range of {
		list[i].Bytes = more[k].Bytes
	}
	return list, errs, nil
}

// inlined tells whether the Array of a segment stands in the layout.
func (f *File) inlined(id int) bool {
	_, ok := f.inline[uint32(id)]
	return ok
}

// compressed tells whether entry n of the footer's compressions, counted from 1, says so.
func (f *File) compressed(n uint8) bool {
	if n == 0 {
		return false
	}
	specs := f.footer.Root().CompressionSpecs()
	return int(n) > specs.Len() || specs.At(int(n)-1).Scheme() != fb.CompressionSchemeNone
}

func name(segment int) string { return indexed("segment", segment) + ".array" }

// array verifies an array and finds its buffers.
func (f *File) array(segment int, w ranged.Wanted) (*Array, error) {
	v, err := ranged.Verified[fb.Array](f.src, w.Part, w.Offset, w.Bytes, fbverify.Options{})
	if err != nil {
		return nil, err
	}
	a := &Array{Segment: segment, Verified: v, Range: w.Range, Encodings: f.arrays}
	fail := func(kind container.Kind, path *ranged.Path, detail, found, allowed string) error {
		e := f.src.Fault(kind, w.Part, w.Offset, detail, found, allowed)
		e.Path = path.String()
		return e
	}
	var top *ranged.Path
	s := f.segments[segment].Range
	pos, end := s.Offset, s.End()
	if !f.inlined(segment) {
		end = w.Offset
	}
	for i, b := range v.Root().Buffers() {
		pad, n := int64(b.Padding), int64(b.Length)
		if pad+n > end-pos {
			return nil, fail(container.ErrLength, top.Element("buffers", i), "the buffers do not fit the segment", fmt.Sprintf("%d bytes after %d of padding", n, pad), fmt.Sprintf("%d together", end-pos))
		}
		a.Buffers = append(a.Buffers, Buffer{readers.Range{Offset: pos + pad, Length: n}, b.AlignmentExponent, b.Compression})
		pos += pad + n
	}
	root := v.Root().Root()
	at := top.Field("root")
	if !root.Present() {
		return nil, fail(container.ErrReference, at, "the array has no root", "", "")
	}
	var check func(n fb.ArrayNode, path *ranged.Path) error
	check = func(n fb.ArrayNode, path *ranged.Path) error {
		if int(n.Encoding()) >= len(f.arrays) {
			return fail(container.ErrReference, path.Field("encoding"), "the encoding is not in the footer's list of arrays", fmt.Sprint(n.Encoding()), fmt.Sprintf("below %d", len(f.arrays)))
		}
		for i, b := range n.Buffers() {
			if int(b) >= len(a.Buffers) {
				return fail(container.ErrReference, path.Element("buffers", i), "the array has no such buffer", fmt.Sprint(b), fmt.Sprintf("below %d", len(a.Buffers)))
			}
		}
		for i, c := range n.Children().All() {
			if err := check(c, path.Element("children", i)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := check(root, at); err != nil {
		return nil, err
	}
	return a, nil
}
