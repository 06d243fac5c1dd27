package container

import (
	"fmt"
	"strings"

	"github.com/fbverify/go/fbverify/traverse"
	"github.com/fbverify/go/internal/places"
)

const (
	magicVortex   = places.Vortex
	vortexVersion = places.VortexVersion
	vortexTrailer = places.VortexTrailer
)

// Facts of a SegmentSpec: where its numbers stand, in bytes from its start, and the highest
// exponent of an alignment. Readers in Rust keep alignments below 65,536.
const (
	specLength    = 8
	specAlignment = 12
	mostAlignment = 15
)

// readersVortexEnd are those that look for the mark at the end of a file alone.
const readersVortexEnd = "vortex-data"

// The fields that lead from a Postscript and a Footer to the rest of a file.
var (
	postscriptFields = []string{"dtype", "layout", "statistics", "footer", "offset", "length", "alignment_exponent", "metadata", "segment", "_compression", "_encryption", "scheme"}
	footerFields     = []string{"segment_specs", "compression_specs", "layout_specs", "scheme", "id"}
)

// vortexFile is what is known of a Vortex file while it is walked.
type vortexFile struct {
	*walker
	postscript int64 // where it starts, and everything it locates ends
	specs      vector
	arrays     bitset // the segments that end with an Array
	spans      []span // of the segments that fit, in order
	inlined    bitset // the segments whose Array lies in the layout
	inlineRoom int64  // bytes that such arrays may still take
	metadata   []metadataSpan
}

// metadataSpan is a FlatBuffer that the postscript locates.
type metadataSpan struct {
	name, root string
	span
	encoded string // "compressed" or "encrypted", "" when it is neither
	own     bool   // the writer's: what is in it is not known
}

// vortex is data segments and FlatBuffers in any order, a postscript that
// locates the latter, and a trailer that locates the postscript.
func (w *walker) vortex() {
	size := w.f.size
	start := w.src.is(0, magicVortex)
	if size >= 4+vortexTrailer && w.src.is(size-4, magicVortex) {
		if !start && !w.deviate(readersVortexEnd, w.noMark("", 0, magicVortex, "the file does not start with VTXF")) {
			return
		}
		w.meet(0, 4)
	} else if !start && !w.report(w.noMark("", 0, magicVortex, "the file does not start with VTXF")) {
		return
	}
	if size < 4+vortexTrailer || !w.src.is(size-4, magicVortex) {
		if start {
			w.region(Magic, "magic", 0, 4)
		}
		w.report(w.noEnd("postscript", 4+vortexTrailer, magicVortex, "so that nothing in it can be found: it was cut off, or its writer did not close it"))
		return
	}
	if v, _ := w.src.uint(size-8, 2); v != vortexVersion {
		if !w.report(&Error{Kind: ErrVersion, Part: "version", Offset: size - 8, Newer: v > vortexVersion, Detail: otherVersion(v > vortexVersion, "version of Vortex"), Found: fmt.Sprint(v), Allowed: fmt.Sprint(vortexVersion)}) {
			return
		}
	}
	n, _ := w.src.uint(size-6, 2)
	length := int64(n)
	v := &vortexFile{walker: w, postscript: size - vortexTrailer - length}
	if length == 0 || v.postscript < 4 {
		if !w.report(&Error{Kind: ErrLength, Part: "postscript.length", Offset: size - 6, Detail: "the length of the postscript does not fit",
			Found: bytesOf(length), Allowed: upTo(size - vortexTrailer - 4)}) {
			return
		}
		v.postscript = size - vortexTrailer
	} else {
		v.locate(length)
	}
	if w.done || start && !w.region(Magic, "magic", 0, 4) || !v.lay() {
		return
	}
	if v.postscript < size-vortexTrailer && !w.part(Part{Name: "postscript", Root: rootPostscript, Offset: v.postscript, Length: length}) {
		return
	}
	if w.region(Framing, "version", size-8, 2) && w.region(Framing, "postscript.length", size-6, 2) {
		w.region(Magic, "magic", size-4, 4)
	}
}

// locate reads the postscript, then the footer and the layout that it locates,
// to find out what lies where.
func (v *vortexFile) locate(length int64) {
	type place struct {
		span
		raw                uint64 // the offset as it stands there
		offsetAt, lengthAt int64  // where the numbers stand
		alignmentAt        int64
		alignment          uint64
		encoded            string
	}
	places := map[string]*place{}
	var own []*place
	r := v.follow(rootPostscript, v.postscript, length, postscriptFields, func(r *reading) func(*traverse.Event) traverse.Answer {
		clear(places)
		own = nil
		at := &place{}
		return func(e *traverse.Event) traverse.Answer {
			switch {
			case e.What == traverse.Table && (e.Depth == 2 || e.Field != nil && e.Field.Name == "segment") && e.Sound:
				pos := r.base + int64(e.Pos)
				at = &place{offsetAt: pos, lengthAt: pos}
				switch {
				case e.Depth > 2: // of the writer's own
					own = append(own, at)
				case e.Index == traverse.None:
					places[e.Field.Name] = at
				}
			case e.What != traverse.Field:
			case e.Field.Name == "offset":
				at.raw, at.offsetAt = r.value(e), r.base+int64(e.Pos)
				at.offset = clamp(at.raw)
			case e.Field.Name == "length":
				at.length, at.lengthAt = int64(r.value(e)), r.base+int64(e.Pos)
			case e.Field.Name == "alignment_exponent":
				at.alignment, at.alignmentAt = r.value(e), r.base+int64(e.Pos)
			case e.Field.Name == "scheme" && r.value(e) != 0 && at.encoded == "":
				at.encoded = "compressed"
			case e.Field.Name == "_encryption":
				at.encoded = "encrypted"
			}
			return traverse.Again // places may share what they have
		}
	})
	if f := r.first(); f != nil {
		v.unreadable("postscript", f, "nothing else in the file can be found")
		return
	}
	broken := map[string]*fault{}
	for i := range r.faults {
		_, steps, _ := strings.Cut(r.faults[i].path, ".")
		name, _, _ := strings.Cut(steps, ".")
		if broken[name] == nil {
			broken[name] = &r.faults[i]
		}
	}
	type wanted struct {
		name, root string
		found      **metadataSpan
	}
	var footer, layout *metadataSpan
	v.metadata = make([]metadataSpan, 0, 4+len(own))
	all := []wanted{
		{"dtype", rootDType, nil},
		{"layout", rootLayout, &layout},
		{"statistics", rootStatistics, nil},
		{"footer", rootVortexFooter, &footer},
	}
	for i, at := range own {
		name := indexed("metadata", int64(i), "")
		all = append(all, wanted{name: name})
		places[name] = at
	}
	for _, m := range all {
		if f := broken[m.name]; f != nil {
			if !v.unreadable("postscript", f, "the "+m.name+" cannot be found") {
				return
			}
			continue
		}
		at := places[m.name]
		if at == nil {
			continue
		}
		s := metadataSpan{name: m.name, root: m.root, span: at.span, encoded: at.encoded, own: m.root == ""}
		if !v.alignment(m.name, at.alignment, at.alignmentAt) {
			return
		}
		if number, fits := v.fits(s.span); !fits {
			pos, width := at.offsetAt, 8
			if number == lengthNumber {
				pos, width = at.lengthAt, 4
			}
			if !v.report(&Error{Kind: ErrLength, Part: m.name, Offset: pos, Size: width, Detail: "the place that the postscript gives it does not fit between the start of the file and the postscript",
				Found: fmt.Sprintf("%d bytes at %d", s.length, at.raw), Allowed: fmt.Sprintf("4 to %d", v.postscript)}) {
				return
			}
			continue
		}
		v.metadata = append(v.metadata, s)
		if m.found != nil && s.encoded == "" {
			*m.found = &v.metadata[len(v.metadata)-1]
		}
	}
	if footer == nil {
		v.report(&Error{Kind: ErrReference, Part: "footer", Offset: v.postscript, Detail: "the postscript leads to no footer that can be read, so that the segments cannot be found"})
		return
	}
	v.segments(footer, layout)
}

// number says which of a place's numbers is at fault.
type number uint8

const (
	offsetNumber number = iota
	lengthNumber
)

// fits reports whether a place lies between the start of the file and the postscript, and if
// not which number is at fault.
func (v *vortexFile) fits(s span) (at number, ok bool) {
	if s.offset < 4 || s.offset > v.postscript {
		return offsetNumber, false
	}
	return lengthNumber, s.length <= v.postscript-s.offset
}

// alignment notes an alignment, as a power of two, that no reader takes.
func (v *vortexFile) alignment(part string, exponent uint64, at int64) bool {
	return exponent <= mostAlignment || v.note(&Error{Kind: ErrRange, Part: part, Offset: at, Size: 1, Detail: "its alignment is two to a power that no reader takes",
		Found: fmt.Sprint(exponent), Allowed: fmt.Sprintf("0 to %d", mostAlignment)})
}

// segments reads the footer's list of segments, and from the layout which of
// them hold arrays.
func (v *vortexFile) segments(footer, layout *metadataSpan) {
	var schemes []scheme // by entry
	var flat []bool      // the layout encodings whose one segment is a serialized array
	r := v.follow(rootVortexFooter, footer.offset, footer.length, footerFields, func(r *reading) func(*traverse.Event) traverse.Answer {
		v.specs, schemes, flat = vector{}, nil, nil
		entry := 0
		return func(e *traverse.Event) traverse.Answer {
			switch {
			case !e.Sound:
			case e.What == traverse.Vector && e.Field.Name == "segment_specs":
				v.specs = r.vector(e)
			case e.What == traverse.Vector && e.Field.Name == "compression_specs":
				schemes = make([]scheme, e.Count)
			case e.What == traverse.Vector:
				flat = make([]bool, e.Count)
			case e.What == traverse.Table && e.Index != traverse.None:
				if entry = e.Index; e.Field.Name == "compression_specs" {
					schemes[entry] = uncompressed
				}
			case e.What == traverse.Field && e.Field.Name == "scheme" && r.value(e) != 0:
				schemes[entry] = unknownScheme
			case e.What == traverse.String:
				flat[entry] = string(r.b[e.Data:e.Data+e.Count]) == places.LayoutFlat
			}
			return traverse.Again // entries may share what they have
		}
	})
	if f := r.first("segment_specs", "compression_specs", "layout_specs"); f != nil {
		v.unreadable("footer", f, "the segments cannot be found")
		return
	}
	v.arrays = newBitset(int64(v.specs.n))
	if layout != nil && !v.layout(layout, flat) {
		return
	}
	for i := range v.specs.n {
		s := span{clamp(v.specs.uint(i, 0, 8)), int64(v.specs.uint(i, specLength, 4)), i}
		compression, encryption := v.specs.uint(i, 13, 1), v.specs.uint(i, 14, 2)
		if exponent := v.specs.uint(i, specAlignment, 1); exponent > mostAlignment && !v.alignment(indexed("segment", int64(i), ""), exponent, v.specs.at(i)+specAlignment) {
			return
		}
		if number, fits := v.fits(s); !fits {
			pos, width := v.specs.at(i), 8
			if number == lengthNumber {
				pos, width = pos+specLength, 4
			}
			if !v.report(&Error{Kind: ErrLength, Part: indexed("segment", int64(i), ""), Offset: pos, Size: width, Detail: "the place that the footer gives it does not fit between the start of the file and the postscript",
				Found: fmt.Sprintf("%d bytes at %d", s.length, v.specs.uint(i, 0, 8)), Allowed: fmt.Sprintf("4 to %d", v.postscript)}) {
				return
			}
			continue
		}
		if v.arrays.has(int64(i)) && (encryption != 0 || compression != 0 && compressed(schemes, int(compression))) {
			v.arrays.clear(int64(i))
			what := "compressed"
			if encryption != 0 {
				what = "encrypted"
			}
			if !v.encoded(indexed("segment", int64(i), ".array"), s.offset, what) {
				return
			}
		}
		v.spans = append(v.spans, s)
	}
	sortSpans(v.spans)
}

// scheme says of an entry of a footer's list of compressions whether there is one.
type scheme uint8

const (
	unknownScheme scheme = iota // there is, or it cannot be read
	uncompressed
)

// compressed reports whether entry n of the compressions, counted from 1, says
// so; one that cannot be read does not say that it is not.
func compressed(schemes []scheme, n int) bool {
	return n > len(schemes) || schemes[n-1] != uncompressed
}

func (v *vortexFile) encoded(part string, offset int64, what string) bool {
	return v.report(&Error{Kind: ErrEncoded, Part: part, Offset: offset, Detail: "it is " + what + ", so that the FlatBuffer in it cannot be looked at"})
}

// lay hands on segments and metadata in the order in which they lie in the
// file. It returns false when the consumer wants no more.
func (v *vortexFile) lay() bool {
	sortMetadata(v.metadata)
	end, last := int64(4), span{id: -1}
	next := 0
	for _, m := range append(v.metadata, metadataSpan{span: span{offset: v.postscript}}) {
		for ; next < len(v.spans) && v.spans[next].offset <= m.offset; next++ {
			s := v.spans[next]
			if s.offset == m.offset && m.name != "" && s.length > 0 {
				// reported below, as the metadata takes the bytes first
				if !v.overlap(indexed("segment", int64(s.id), ""), s, m.name) {
					return false
				}
				continue
			}
			if s.offset < end && s.length > 0 {
				if s.offset == last.offset && s.length == last.length {
					continue // two entries for one segment
				}
				if !v.overlap(indexed("segment", int64(s.id), ""), s, "what lies before it") {
					return false
				}
				continue
			}
			if s.length > m.offset-s.offset {
				if !v.overlap(indexed("segment", int64(s.id), ""), s, m.name) {
					return false
				}
				continue
			}
			if !v.padding(end, s.offset) || !v.segment(s) {
				return false
			}
			end, last = max(end, s.offset+s.length), s
		}
		if m.name == "" {
			break
		}
		if m.offset < end && m.length > 0 {
			if !v.overlap(m.name, m.span, "what lies before it") {
				return false
			}
		}
		if !v.padding(end, m.offset) {
			return false
		}
		if m.own {
			if !v.region(Data, m.name, m.offset, m.length) {
				return false
			}
		} else if m.encoded != "" {
			if !v.encoded(m.name, m.offset, m.encoded) || !v.region(Data, m.name, m.offset, m.length) {
				return false
			}
		} else if !v.part(Part{Name: m.name, Root: m.root, Offset: m.offset, Length: m.length}) {
			return false
		}
		end = max(end, m.offset+m.length)
	}
	return v.padding(end, v.postscript)
}

func (v *vortexFile) overlap(part string, s span, with string) bool {
	return v.report(&Error{Kind: ErrOverlap, Part: part, Offset: s.offset, Detail: "its bytes are also those of " + with, Found: fmt.Sprintf("%d bytes at %d", s.length, s.offset)})
}

// padding names the bytes between two segments when there are few of them and
// they are zero.
func (v *vortexFile) padding(from, to int64) bool {
	const most = 1 << 16 // the largest alignment that files were seen with is far below
	if n := to - from; v.regions && n > 0 && n <= most && v.src.zero(from, n, n) {
		return v.region(Padding, "padding", from, n)
	}
	return true
}
