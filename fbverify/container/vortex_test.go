package container

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	flatbuffers "github.com/google/flatbuffers/go"
)

// twoArrays is a sound file: a root with two flat children, each with a segment of its own.
func twoArrays() vortexRecipe {
	a, b := segmentOf(8, 3), segmentOf()
	data := append(slices.Clone(a), b...)
	return vortexRecipe{
		data:      data,
		segments:  []place{{4, uint32(len(a))}, {uint64(4 + len(a)), uint32(len(b))}},
		encodings: []string{"vortex.struct", "vortex.flat"},
		layout: func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
			x := layoutTable(b, 1, nil, []uint32{0})
			y := layoutTable(b, 1, nil, []uint32{1})
			return layoutTable(b, 0, nil, nil, x, y)
		},
	}
}

const soundVortex = "segment[0].array segment[1].array layout footer postscript"

func TestVortexPositionsThatLieAreFaults(t *testing.T) {
	for _, c := range []struct {
		name  string
		lie   func(*vortexRecipe)
		parts string // what is still found
		kind  Kind   // of the first fault
		where string // the part it concerns
	}{
		{"no lie", func(*vortexRecipe) {}, soundVortex, 0, ""},
		{"segment past the end", func(r *vortexRecipe) { r.segments[0].offset = 1 << 40 }, "segment[1].array layout footer postscript", ErrLength, "segment[0]"},
		{"segment at the largest offset", func(r *vortexRecipe) { r.segments[0].offset = 1<<64 - 1 }, "segment[1].array layout footer postscript", ErrLength, "segment[0]"},
		{"segment within the first magic bytes", func(r *vortexRecipe) { r.segments[0].offset = 0 }, "segment[1].array layout footer postscript", ErrLength, "segment[0]"},
		{"segment too long", func(r *vortexRecipe) { r.segments[1].length = 1<<32 - 1 }, "segment[0].array layout footer postscript", ErrLength, "segment[1]"},
		{"segment over another", func(r *vortexRecipe) { r.segments[1].offset-- }, "segment[0].array layout footer postscript", ErrOverlap, "segment[1]"},
		{"segment into the layout", func(r *vortexRecipe) { r.segments[1].length += 20 }, "segment[0].array layout footer postscript", ErrOverlap, "segment[1]"},
		{"segment at the place of the layout", func(r *vortexRecipe) { r.segments[1].offset = uint64(4+len(r.data)+7) &^ 7 }, "segment[0].array layout footer postscript", ErrOverlap, "segment[1]"},
		{"segment from the first to the layout", func(r *vortexRecipe) { r.segments[0].length = uint32(len(r.data) + 40) }, "segment[1].array layout footer postscript", ErrOverlap, "segment[0]"},
		{"layout at the start, over the segments", func(r *vortexRecipe) { r.layoutPlace = &place{8, 100} }, "layout footer postscript", ErrUnreadable, "layout"},
		{"footer in the place of the layout", func(r *vortexRecipe) {
			at := place{uint64(4+len(r.data)+7) &^ 7, 40}
			r.footerPlace = &at
		}, "layout footer postscript", ErrReference, "layout"}, // and then an overlap
		{"segment without room for a length", func(r *vortexRecipe) { r.segments[1].length = 3 }, "segment[0].array layout footer postscript", ErrLength, "segment[1].array"},
		{"empty segment", func(r *vortexRecipe) { r.segments[1].length = 0 }, "segment[0].array layout footer postscript", ErrLength, "segment[1].array"},
		{"array longer than its segment", func(r *vortexRecipe) { r.data[len(r.data)-3] = 0xff }, "segment[0].array layout footer postscript", ErrLength, "segment[1].array"},
		{"array of no bytes", func(r *vortexRecipe) { copy(r.data[len(r.data)-4:], "\x00\x00\x00\x00") }, "segment[0].array layout footer postscript", ErrLength, "segment[1].array"},
		{"layout refers to a segment that is not listed", func(r *vortexRecipe) { r.segments = r.segments[:1] }, "segment[0].array layout footer postscript", ErrReference, "layout"},
		{"encoding that is not listed", func(r *vortexRecipe) { r.encodings = r.encodings[:1] }, "layout footer postscript", ErrReference, "layout"},
		{"layout past the end", func(r *vortexRecipe) { r.layoutPlace = &place{1 << 63, 8} }, "footer postscript", ErrLength, "layout"},
		{"layout over the postscript", func(r *vortexRecipe) { r.layoutPlace = &place{8, 1 << 20} }, "footer postscript", ErrLength, "layout"},
		{"footer past the end", func(r *vortexRecipe) { r.footerPlace = &place{1 << 20, 8} }, "layout postscript", ErrLength, "footer"},
		{"footer of no bytes", func(r *vortexRecipe) { r.footerPlace = &place{8, 0} }, "footer layout postscript", ErrUnreadable, "footer"},
		{"compressed layout", func(r *vortexRecipe) { r.layoutZip = true }, "footer postscript", ErrEncoded, "layout"},
		{"compressed segment", func(r *vortexRecipe) { r.compression, r.schemes = []byte{1}, []byte{3} }, "segment[1].array layout footer postscript", ErrEncoded, "segment[0].array"},
		{"segment of a compression that is not listed", func(r *vortexRecipe) { r.compression = []byte{9} }, "segment[1].array layout footer postscript", ErrEncoded, "segment[0].array"},
		{"segment compressed by nothing", func(r *vortexRecipe) { r.compression, r.schemes = []byte{1}, []byte{0} }, soundVortex, 0, ""},
		{"later version", func(r *vortexRecipe) { r.version = 7 }, soundVortex, ErrVersion, "version"},
		{"postscript longer than the file", func(r *vortexRecipe) { r.psLength = 60000 }, "", ErrLength, "postscript.length"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := twoArrays()
			c.lie(&r)
			b := r.bytes()
			checkFile(t, c.name, b, nil)
			parts, faults := list(mustOpen(t, b, nil))
			var found []string
			for _, p := range parts {
				found = append(found, p.Name)
			}
			if got := strings.Join(found, " "); got != c.parts {
				t.Errorf("found %q, want %q", got, c.parts)
			}
			checkFault(t, faults, c.kind, c.where)
		})
	}
}

// checkFault asks for a first fault of that kind, or for none.
func checkFault(t *testing.T, faults []*Error, kind Kind, where string) {
	t.Helper()
	switch {
	case kind == 0 && len(faults) > 0:
		t.Errorf("a fault in what is sound: %v", faults[0])
	case kind == 0:
	case len(faults) == 0:
		t.Error("no fault")
	case faults[0].Kind != kind || faults[0].Part != where:
		t.Errorf("the fault is of kind %s in %q, want %s in %q: %v", faults[0].Kind.Name(), faults[0].Part, kind.Name(), where, faults[0])
	}
}

func TestMetadataThatOverlapsIsAFaultAndStillAPart(t *testing.T) {
	r := twoArrays()
	r.footerPlace = &place{uint64(4+len(r.data)+7) &^ 7, 40} // where the layout is
	parts, faults := list(mustOpen(t, r.bytes(), nil))
	overlaps := 0
	for _, e := range faults {
		if e.Kind == ErrOverlap && (e.Part == "footer" || e.Part == "layout") {
			overlaps++
		}
	}
	if overlaps != 1 || partNames(parts) != "layout footer postscript" {
		t.Errorf("%d overlaps, parts %q", overlaps, partNames(parts))
	}
}

func TestAnArrayInItsLayoutsMetadataIsFound(t *testing.T) {
	r := twoArrays()
	array := arrayFlat(8, 3)
	metadata := append([]byte{1<<3 | 2, byte(len(array))}, array...)
	r.layout = func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		x := layoutTable(b, 1, metadata, []uint32{0})
		y := layoutTable(b, 1, []byte{1<<3 | 2, 200, 0}, []uint32{1}) // no such array: the one in the segment counts
		return layoutTable(b, 0, nil, nil, x, y)
	}
	b := r.bytes()
	checkFile(t, "inline", b, nil)
	parts, faults := list(mustOpen(t, b, nil))
	checkFault(t, faults, 0, "")
	if len(parts) != 5 || parts[0].Name != "segment[0].array" {
		t.Fatalf("parts %v", parts)
	}
	if got, _ := parts[0].Bytes(); string(got) != string(array) {
		t.Errorf("the array in the layout is read as % x", got)
	}
}

func TestSegmentsListedTwiceAreOnePart(t *testing.T) {
	r := twoArrays()
	r.segments = append(r.segments, r.segments[0])
	parts, faults := list(mustOpen(t, r.bytes(), nil))
	checkFault(t, faults, 0, "")
	if got := countKinds(parts); got != "segment.array 2, layout 1, footer 1, postscript 1" {
		t.Errorf("found %s", got)
	}
}

func TestALayoutOfSharedSubtreesIsWalkedOnce(t *testing.T) {
	r := twoArrays()
	r.layout = func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		t := layoutTable(b, 1, nil, []uint32{0, 1})
		for range 200 { // 2^200 leaves
			t = layoutTable(b, 0, nil, nil, t, t)
		}
		return t
	}
	start := time.Now()
	parts, faults := list(mustOpen(t, r.bytes(), nil))
	checkFault(t, faults, 0, "")
	if got := countKinds(parts); got != "segment.array 2, layout 1, footer 1, postscript 1" || time.Since(start) > 5*time.Second {
		t.Errorf("found %s in %v", got, time.Since(start))
	}
}

func TestAListOfChildrenSharedByManyLayoutsIsWalkedOnce(t *testing.T) {
	r := twoArrays()
	const wide, tall = 3000, 3000 // nine million ways, in 36 kB
	r.layout = func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		leaf := layoutTable(b, 1, nil, []uint32{0, 1})
		leaves := slices.Repeat([]flatbuffers.UOffsetT{leaf}, wide)
		b.StartVector(4, wide, 4)
		for _, l := range leaves {
			b.PrependUOffsetT(l)
		}
		shared := b.EndVector(wide)
		var kids []flatbuffers.UOffsetT
		for range tall {
			b.StartObject(5)
			b.PrependUOffsetTSlot(3, shared, 0)
			kids = append(kids, b.EndObject())
		}
		return layoutTable(b, 0, nil, nil, kids...)
	}
	start := time.Now()
	parts, faults := list(mustOpen(t, r.bytes(), nil))
	checkFault(t, faults, 0, "")
	if got := countKinds(parts); got != "segment.array 2, layout 1, footer 1, postscript 1" || time.Since(start) > 5*time.Second {
		t.Errorf("found %s in %v", got, time.Since(start))
	}
}

func TestAListOfSegmentsSharedByManyLayoutsHasALimit(t *testing.T) {
	r := twoArrays()
	const wide, tall = 3000, 3000
	r.layout = func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		b.StartVector(4, wide, 4)
		for range wide {
			b.PrependUint32(0)
		}
		shared := b.EndVector(wide)
		var kids []flatbuffers.UOffsetT
		for range tall {
			b.StartObject(5)
			b.PrependUint16Slot(0, 1, 0)
			b.PrependUOffsetTSlot(4, shared, 0)
			kids = append(kids, b.EndObject())
		}
		return layoutTable(b, 0, nil, nil, kids...)
	}
	_, faults := list(mustOpen(t, r.bytes(), nil))
	checkFault(t, faults, ErrLimit, "layout")
}

func TestRegionsOfASegmentAreItsBuffersAndItsArray(t *testing.T) {
	var got []string
	for r := range mustOpen(t, twoArrays().bytes(), nil).Regions() {
		if strings.HasPrefix(r.Name, "segment[0]") {
			got = append(got, fmt.Sprintf("%s %s %d", r.Kind, r.Name, r.Length))
		}
	}
	want := []string{"padding segment[0].padding 2", "data segment[0].buffer[0] 8", "padding segment[0].padding 2", "data segment[0].buffer[1] 3",
		fmt.Sprintf("flatbuffer segment[0].array %d", len(arrayFlat(8, 3))), "framing segment[0].length 4"}
	if !slices.Equal(got, want) {
		t.Errorf("regions %q, want %q", got, want)
	}
}
