package vortex

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	fb "github.com/fbverify/go/generated/vortex"
	"github.com/fbverify/go/internal/places"
	"github.com/fbverify/go/readers"
	"github.com/fbverify/go/readers/internal/ranged"
)

// File is a Vortex file that was opened. It is safe for concurrent use if its reader is.
type File struct {
	src *ranged.Source

	postscript fbverify.Verified[fb.Postscript]
	footer     fbverify.Verified[fb.Footer]
	layout     fbverify.Verified[fb.Layout]
	dtype      fbverify.Verified[fb.DType]
	statistics fbverify.Verified[fb.FileStatistics]
	metadata   []Part

	encodings []string // of layouts, by their numbers
	arrays    []string // encodings of arrays
	segments  []Segment
	inline    map[uint32]inlined // by segment
	columns   []Column
}

// inlined is an Array that stands in the layout: its segment has only the buffers.
type inlined struct {
	bytes []byte
	at    int64 // in the file
}

// Part is a FlatBuffer of the file's metadata.
type Part struct {
	Name string // "postscript", "dtype", "layout", "statistics", "footer"
	readers.Range
}

// Segment is a range of the file that layouts refer to by its number.
type Segment struct {
	readers.Range
	AlignmentExponent uint8 // the power of two that its offset was aligned to, as the writer says
	Compression       uint8 // 0 = none, else a number of the footer's compression_specs, from 1 on
	Encryption        uint16

	// HoldsArray says that a flat layout leads to the segment, so that it holds a serialized array: see
	// [File.Array].
	HoldsArray bool
}

// Open opens a file of size bytes. It makes one read of the file's end, and one or two more
// where the metadata is not all in there. Nil opts are the defaults.
//
// The error is a [*container.Error]: of kind ErrTruncated, ErrMagic, ErrVersion, ErrLength, ErrOverlap,
// ErrMismatch, ErrReference, ErrEncoded, ErrUnreadable (a FlatBuffer is not sound: Err is its
// [*fbverify.Error]), ErrLimit or ErrRead; or it is that of ctx.
func Open(ctx context.Context, r io.ReaderAt, size int64, opts *readers.Options) (*File, error) {
	src, err := ranged.New(container.Vortex, r, size, opts)
	if err != nil {
		return nil, err
	}
	f := &File{src: src}
	if err := f.open(ctx); err != nil {
		return nil, err
	}
	return f, nil
}

const head = int64(len(places.Vortex))

func (f *File) open(ctx context.Context) error {
	size := f.src.Size
	const least = head + places.VortexTrailer
	if size < least {
		return f.src.Fault(container.ErrTruncated, "postscript", size, "the file is too short for what stands between its marks", bytesOf(size), fmt.Sprintf("%d or more", least))
	}
	tail, at, err := f.src.Ends(ctx, true, places.VortexTrailer)
	if err != nil {
		return err
	}
	trailer := tail[len(tail)-places.VortexTrailer:]
	if mark := trailer[4:]; string(mark) != places.Vortex {
		e := f.src.Fault(container.ErrTruncated, "postscript", size, "the file does not end with VTXF, so that nothing in it can be found: it was cut off, or its writer did not close it", fmt.Sprintf("%q", mark), fmt.Sprintf("%q", places.Vortex))
		e.Mark = places.Vortex
		return e
	}
	version, n := places.Trailer(trailer)
	if version != places.VortexVersion {
		return f.src.Fault(container.ErrVersion, "version", size-places.VortexTrailer, "another version of Vortex, which may be misread", fmt.Sprint(version), fmt.Sprint(places.VortexVersion))
	}
	if n == 0 || n > size-least {
		return f.src.Fault(container.ErrLength, "postscript.length", size-places.VortexTrailer+2, "the length of the postscript does not fit", bytesOf(n), fmt.Sprintf("1 to %d", size-least))
	}
	ps := []ranged.Wanted{{Part: "postscript", Range: readers.Range{Offset: size - places.VortexTrailer - n, Length: n}}}
	if err := f.src.ReadAll(ctx, ps, tail, at); err != nil {
		return err
	}
	if f.postscript, err = ranged.Verified[fb.Postscript](f.src, "postscript", ps[0].Offset, ps[0].Bytes, fbverify.Options{}); err != nil {
		return err
	}
	if err := f.located(ctx, ps[0].Range, tail, at); err != nil {
		return err
	}
	if err := f.listed(ps[0].Offset); err != nil {
		return err
	}
	return f.described()
}

// located reads and verifies what the postscript leads to.
func (f *File) located(ctx context.Context, ps readers.Range, tail []byte, at readers.Range) error {
	root := f.postscript.Root()
	var list []ranged.Wanted
	for _, m := range []struct {
		name   string
		place  fb.PostscriptSegment
		needed bool
	}{
		{"dtype", root.Dtype(), false},
		{"layout", root.Layout(), true},
		{"statistics", root.Statistics(), false},
		{"footer", root.Footer(), true},
	} {
		fail := func(kind container.Kind, detail, found, allowed string) error {
			e := f.src.Fault(kind, "postscript", ps.Offset, detail, found, allowed)
			e.Path = m.name
			return e
		}
		if !m.place.Present() {
			if m.needed {
				return fail(container.ErrReference, "it is absent, so that the file's data cannot be found", "", "")
			}
			continue
		}
		if !ranged.Fits(m.place.Offset(), uint64(m.place.Length()), head, ps.Offset) {
			return fail(container.ErrLength, "it does not fit between the start of the file and the postscript", fmt.Sprintf("%d bytes at %d", m.place.Length(), m.place.Offset()), fmt.Sprintf("%d to %d", head, ps.Offset))
		}
		if m.place.Encryption().Present() {
			return fail(container.ErrEncoded, "it is encrypted, so that the FlatBuffer in it cannot be looked at", "", "")
		}
		if c := m.place.Compression(); c.Present() && c.Scheme() != fb.CompressionSchemeNone {
			return fail(container.ErrEncoded, "it is compressed, so that the FlatBuffer in it cannot be looked at", c.Scheme().String(), "")
		}
		list = append(list, ranged.Wanted{Part: m.name, Range: readers.Range{Offset: int64(m.place.Offset()), Length: int64(m.place.Length())}})
	}
	if err := f.src.ReadAll(ctx, list, tail, at); err != nil {
		return err
	}
	for _, m := range list {
		var err error
		switch m.Part {
		case "dtype":
			f.dtype, err = ranged.Verified[fb.DType](f.src, m.Part, m.Offset, m.Bytes, fbverify.Options{})
		case "layout":
			f.layout, err = ranged.Verified[fb.Layout](f.src, m.Part, m.Offset, m.Bytes, fbverify.Options{})
		case "statistics":
			f.statistics, err = ranged.Verified[fb.FileStatistics](f.src, m.Part, m.Offset, m.Bytes, fbverify.Options{})
		case "footer":
			f.footer, err = ranged.Verified[fb.Footer](f.src, m.Part, m.Offset, m.Bytes, fbverify.Options{})
		}
		if err != nil {
			return err
		}
		f.metadata = append(f.metadata, Part{m.Part, m.Range})
	}
	f.metadata = append(f.metadata, Part{"postscript", ps})
	return nil
}

// listed takes the lists of the footer.
func (f *File) listed(end int64) error {
	root := f.footer.Root()
	for s := range root.LayoutSpecs().Values() {
		f.encodings = append(f.encodings, s.ID())
	}
	for s := range root.ArraySpecs().Values() {
		f.arrays = append(f.arrays, s.ID())
	}
	specs := root.SegmentSpecs()
	f.segments = make([]Segment, len(specs))
	for i, s := range specs {
		if !ranged.Fits(s.Offset, uint64(s.Length), head, end) {
			return f.fault(container.ErrLength, "footer", indexed("segment_specs", i), "the segment does not fit between the start of the file and the postscript",
				fmt.Sprintf("%d bytes at %d", s.Length, s.Offset), fmt.Sprintf("%d to %d", head, end))
		}
		f.segments[i] = Segment{readers.Range{Offset: int64(s.Offset), Length: int64(s.Length)}, s.AlignmentExponent, s.Compression, s.Encryption, false}
	}
	return f.apart()
}

// apart checks that no two of segments and metadata share bytes, unless they are the same segment.
func (f *File) apart() error {
	order := make([]int, 0, len(f.segments)+len(f.metadata)) // metadata after the segments
	at := func(i int) readers.Range {
		if i < len(f.segments) {
			return f.segments[i].Range
		}
		return f.metadata[i-len(f.segments)].Range
	}
	for i := range cap(order) {
		if at(i).Length > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(at(a).Offset, at(b).Offset), cmp.Compare(a, b)) })
	for k := 1; k < len(order); k++ {
		i, j := order[k-1], order[k]
		if at(j).Offset >= at(i).End() || j < len(f.segments) && at(i) == at(j) {
			continue
		}
		if i < len(f.segments) && j >= len(f.segments) { // told of the segment
			i, j = j, i
		}
		part, path := "footer", indexed("segment_specs", j)
		if j >= len(f.segments) {
			part, path = "postscript", f.metadata[j-len(f.segments)].Name
		}
		name := func(i int) string {
			if i < len(f.segments) {
				return indexed("segment", i)
			}
			return "the " + f.metadata[i-len(f.segments)].Name
		}
		return f.fault(container.ErrOverlap, part, path, "its bytes are also those of "+name(i), fmt.Sprintf("%d bytes at %d", at(j).Length, at(j).Offset), fmt.Sprintf("none of %d to %d", at(i).Offset, at(i).End()))
	}
	return nil
}

// fault is an error about a field of a part of the metadata.
func (f *File) fault(kind container.Kind, part, path, detail, found, allowed string) error {
	e := f.src.Fault(kind, part, 0, detail, found, allowed)
	e.Path = path
	for _, m := range f.metadata {
		if m.Name == part {
			e.Offset = m.Offset
		}
	}
	return e
}

// Size returns the file's length in bytes.
func (f *File) Size() int64 { return f.src.Size }

// Metadata returns where the file's FlatBuffers of metadata lie, the postscript last. The list is the file's, and
// not to be written to.
func (f *File) Metadata() []Part { return f.metadata }

// Rows returns the number of rows.
func (f *File) Rows() uint64 { return f.layout.Root().RowCount() }

// Postscript returns the postscript, verified.
func (f *File) Postscript() fbverify.Verified[fb.Postscript] { return f.postscript }

// Footer returns the footer, verified.
func (f *File) Footer() fbverify.Verified[fb.Footer] { return f.footer }

// Layout returns the tree of layouts, verified.
func (f *File) Layout() fbverify.Verified[fb.Layout] { return f.layout }

// DType returns the type of the file's rows, verified; ok is false where the file has none, as
// its readers have to bring it themselves.
func (f *File) DType() (v fbverify.Verified[fb.DType], ok bool) { return f.dtype, !f.dtype.IsZero() }

// Statistics returns what the writer found out about the columns, verified; ok is false where
// the file has none.
func (f *File) Statistics() (v fbverify.Verified[fb.FileStatistics], ok bool) {
	return f.statistics, !f.statistics.IsZero()
}

// Segments returns the segments by their numbers. The list is the file's, and not to be written to.
func (f *File) Segments() []Segment { return f.segments }

// AppendTo reads a range of the file into buf's memory from buf[:0] on, where there is room
// for it. The error is a [*container.Error] of kind ErrLength, ErrLimit or ErrRead, or that of ctx.
func (f *File) AppendTo(ctx context.Context, at readers.Range, buf []byte) ([]byte, error) {
	return f.src.Data(ctx, at, buf)
}

func indexed(name string, i int) string { return fmt.Sprintf("%s[%d]", name, i) }

func bytesOf(n int64) string { return ranged.Bytes(n) }

// OpenBytes is [Open] for a file in memory, whose bytes must not change while the File is in use.
func OpenBytes(b []byte, opts *readers.Options) (*File, error) {
	return Open(context.Background(), readers.Bytes(b), int64(len(b)), opts)
}
