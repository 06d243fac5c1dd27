package container

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"
	"testing"

	"github.com/fbverify/go/fbverify"
	flatbuffers "github.com/google/flatbuffers/go"
)

// sparse is a file with content at its start and at its end, and zeros between. It
// counts the bytes that are read.
type sparse struct {
	head, tail []byte
	size       int64
	read       atomic.Int64
}

func (s *sparse) ReadAt(b []byte, off int64) (int, error) {
	n := int(min(int64(len(b)), s.size-off))
	if n < 0 {
		return 0, io.EOF
	}
	s.read.Add(int64(n))
	clear(b[:n])
	if off < int64(len(s.head)) {
		copy(b[:n], s.head[off:])
	}
	from := s.size - int64(len(s.tail))
	if at := from - off; at >= 0 && at < int64(n) {
		copy(b[at:n], s.tail)
	} else if at < 0 {
		copy(b[:n], s.tail[-at:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// verifyAll opens a file, verifies all of its parts, and goes through its regions.
func verifyAll(t *testing.T, s *sparse) (parts int) {
	t.Helper()
	f, err := Open(s, s.size, nil)
	if err != nil {
		t.Fatal(err)
	}
	for p, err := range f.Parts() {
		if err != nil {
			t.Error(err)
			continue
		}
		parts++
		if err := p.Verify(nil); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	end := int64(0)
	for r := range f.Regions() {
		end += r.Length
	}
	if end != s.size {
		t.Errorf("the regions have %d bytes of %d", end, s.size)
	}
	return parts
}

const fourGB = 4 << 30

func TestAVortexFileOfFourGigabytesIsVerifiedByItsEnds(t *testing.T) {
	r := twoArrays()
	a := segmentOf(8)
	// The first segment's buffer takes all but the ends of the file.
	const buffer = fourGB - 1<<20
	array := arrayFlat(buffer)
	tail := append(bytes.Clone(array), byte(len(array)), 0, 0, 0)
	first := place{4, buffer + 2 + uint32(len(tail))}
	r.data = append(tail, a...)
	shift := uint64(first.length) - uint64(len(tail))
	r.segments = []place{first, {4 + uint64(first.length), uint32(len(a))}}
	// Built as if the buffer were not there, then moved: all that lies after it says so.
	small := r
	build := func(layout, footer place) []byte {
		small.layoutPlace, small.footerPlace = &layout, &footer
		return small.bytes()
	}
	where := func(b []byte) (layout, footer place) {
		parts := make(map[string]Part)
		for p, err := range mustOpen(t, b, nil).Parts() {
			if err == nil {
				parts[p.Name] = p
			}
		}
		at := func(p Part) place { return place{uint64(p.Offset), uint32(p.Length)} }
		return at(parts["layout"]), at(parts["footer"])
	}
	layout, footer := where(r.bytes())
	if layout.length == 0 || footer.length == 0 {
		t.Fatal("the small file has no layout or footer")
	}
	layout.offset += shift
	footer.offset += shift
	b := build(layout, footer)
	s := &sparse{head: []byte("VTXF"), tail: b[4:], size: int64(len(b)) + int64(shift)}
	if s.size < fourGB-2<<20 {
		t.Fatalf("the file has only %d bytes", s.size)
	}
	if n := verifyAll(t, s); n != 5 {
		t.Errorf("%d parts", n)
	}
	if n := s.read.Load(); n > 300<<10 {
		t.Errorf("%d bytes were read", n)
	}
}

func TestAnArrowFileOfFourGigabytesIsVerifiedByItsMetadata(t *testing.T) {
	r := twoBatches()
	const body = fourGB
	m := messageFlat(headerRecordBatch, body, [2]int64{0, body - 8})
	r.first, r.second = encapsulate(m, nil), nil
	at := int64(8 + len(r.schema))
	r.blocks = []blockEntry{{at, body, int32(len(r.first))}}
	b := r.bytes()
	cut := at + int64(len(r.first))
	s := &sparse{head: b[:cut], tail: b[cut:], size: int64(len(b)) + body}
	if n := verifyAll(t, s); n != 3 {
		t.Errorf("%d parts", n)
	}
	if n := s.read.Load(); n > 200<<10 {
		t.Errorf("%d bytes were read", n)
	}
}

func TestAModelWithWeightsBeyondTwoGigabytesIsVerified(t *testing.T) {
	const start, size = 1 << 16, 3 << 30
	b := modelFlat([]place64{{start, size}})
	s := &sparse{head: b, size: start + size}
	if n := verifyAll(t, s); n != 1 {
		t.Errorf("%d parts", n)
	}
	if n := s.read.Load(); n > 300<<10 {
		t.Errorf("%d bytes were read", n)
	}
}

type place64 struct{ offset, size uint64 }

// modelFlat makes a Model whose buffers lie after it.
func modelFlat(weights []place64) []byte {
	b := flatbuffers.NewBuilder(0)
	var list []flatbuffers.UOffsetT
	for _, w := range weights {
		b.StartObject(3)
		b.PrependUint64Slot(1, w.offset, 0)
		b.PrependUint64Slot(2, w.size, 0)
		list = append(list, b.EndObject())
	}
	b.StartVector(4, len(list), 4)
	for i := len(list) - 1; i >= 0; i-- {
		b.PrependUOffsetT(list[i])
	}
	buffers := b.EndVector(len(list))
	b.StartVector(4, 0, 4)
	tensors := b.EndVector(0)
	b.StartObject(1)
	b.PrependUOffsetTSlot(0, tensors, 0)
	graph := b.EndObject()
	b.StartVector(4, 1, 4)
	b.PrependUOffsetT(graph)
	graphs := b.EndVector(1)
	b.StartObject(8)
	b.PrependUint32Slot(0, 3, 0)
	b.PrependUOffsetTSlot(2, graphs, 0)
	b.PrependUOffsetTSlot(4, buffers, 0)
	b.FinishWithFileIdentifier(b.EndObject(), []byte("TFL3"))
	return b.FinishedBytes()
}

// pieces reads a file that is not in memory as far as the package can tell.
type pieces struct{ r *bytes.Reader }

func (p pieces) ReadAt(b []byte, off int64) (int, error) { return p.r.ReadAt(b, off) }

func TestAFileReadInPiecesGivesTheSameAsOneInMemory(t *testing.T) {
	for name, b := range everyFile(t) {
		for _, format := range append(Formats(), Unknown) {
			opts := &Options{Format: format}
			whole, err := OpenBytes(b, opts)
			read, err2 := Open(pieces{bytes.NewReader(b)}, int64(len(b)), opts)
			if err != nil || err2 != nil {
				if err == nil || err2 == nil || err.Error() != err2.Error() {
					t.Errorf("%s: %v, in pieces %v", name, err, err2)
				}
				continue
			}
			parts, faults := list(whole)
			parts2, faults2 := list(read)
			if partNames(parts) != partNames(parts2) || len(faults) != len(faults2) {
				t.Errorf("%s as %s: %q with %d faults, in pieces %q with %d", name, format, partNames(parts), len(faults), partNames(parts2), len(faults2))
				continue
			}
			for i, p := range parts2 {
				got, err := p.Bytes()
				if want, _ := parts[i].Bytes(); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s as %s: the bytes of %s differ: %v", name, format, p.Name, err)
				}
			}
			for i := range faults {
				if faults[i].Error() != faults2[i].Error() {
					t.Errorf("%s as %s: %v, in pieces %v", name, format, faults[i], faults2[i])
				}
			}
		}
	}
}

var errDisk = errors.New("the disk is gone")

// failing gives an error for every read from a position on.
type failing struct {
	r    *bytes.Reader
	from int64
}

func (f failing) ReadAt(b []byte, off int64) (int, error) {
	if off+int64(len(b)) > f.from {
		return 0, errDisk
	}
	return f.r.ReadAt(b, off)
}

func TestAnErrorOfReadingIsToldAsSuch(t *testing.T) {
	r := twoBatches()
	r.second = append(r.second, make([]byte, 32<<10)...)
	b := r.bytes()
	if _, err := Open(failing{bytes.NewReader(b), 0}, int64(len(b)), nil); !errors.Is(err, ErrRead) || !errors.Is(err, errDisk) {
		t.Errorf("open: %v", err)
	}
	f, err := Open(failing{bytes.NewReader(b), 8 << 10}, int64(len(b)), &Options{Format: ArrowFile})
	if err != nil {
		t.Fatal(err)
	}
	_, faults := list(f)
	if len(faults) != 1 || !errors.Is(faults[0], ErrRead) || !errors.Is(faults[0], errDisk) {
		t.Errorf("faults %v", faults)
	}
}

func TestASizeThatIsTooLargeIsAnErrorOfReading(t *testing.T) {
	b := twoBatches().bytes()
	f, err := Open(bytes.NewReader(b), 1<<50, &Options{Format: Raw})
	if err != nil {
		t.Fatal(err)
	}
	for p := range f.Parts() {
		if _, err := p.Bytes(); !errors.Is(err, ErrRead) && !errors.Is(err, ErrLimit) {
			t.Errorf("the bytes of a petabyte: %v", err)
		}
	}
	if _, err := Open(bytes.NewReader(b), -1, nil); !errors.Is(err, ErrLimit) {
		t.Errorf("a negative size: %v", err)
	}
	if _, err := Open(bytes.NewReader(b), 1<<63-1, nil); !errors.Is(err, ErrLimit) {
		t.Errorf("the largest size: %v", err)
	}
}

// Nobody's 32-bit offsets reach so far, so that nothing but the head needs reading.
func TestAPartTooLongForItsOffsetsIsRefusedUnread(t *testing.T) {
	for name, file := range map[string]struct {
		s    *sparse
		opts Options
	}{
		"raw":            {&sparse{head: []byte{16}, size: fourGB}, Options{Format: Raw, Type: knownTypes[rootModel]()}},
		"bfbs":           {&sparse{head: []byte("\x10\x00\x00\x00BFBS"), size: 1 << 31}, Options{}},
		"tflite":         {&sparse{head: []byte("\x10\x00\x00\x00TFL3"), size: 1 << 40}, Options{}},
		"size-prefixed":  {&sparse{head: []byte("\x00\x00\x00\xf0\x10"), size: fourGB}, Options{Format: SizePrefixed, Type: knownTypes[rootModel]()}},
		"feature header": {&sparse{head: []byte("fgb\x03fgb\x00\x00\x00\x00\xf0\x10"), size: fourGB}, Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Open(file.s, file.s.size, &file.opts)
			if err != nil {
				t.Fatal(err)
			}
			parts := 0
			for p, err := range f.Parts() {
				if err != nil {
					continue // framing faults of what is but zeros
				}
				parts++
				if err := p.Verify(nil); !errors.Is(err, fbverify.ErrTooLarge) {
					t.Errorf("%s: Verify: %v", p.Name, err)
				}
				if faults, err := p.Explain(nil); err != nil || len(faults) != 1 || faults[0].Kind != fbverify.ErrTooLarge {
					t.Errorf("%s: Explain: %v, %v", p.Name, faults, err)
				}
				if _, err := p.Bytes(); !errors.Is(err, fbverify.ErrTooLarge) {
					t.Errorf("%s: Bytes: %v", p.Name, err)
				}
			}
			if parts != 1 {
				t.Errorf("%d parts", parts)
			}
			if n := file.s.read.Load(); n > 1<<20 {
				t.Errorf("%d bytes were read", n)
			}
		})
	}
}

// TestWhatIsReadOfAFlatBufferIsWhatItLeadsTo: not the megabytes behind that, nor those that
// an offset promises and the file does not have.
func TestWhatIsReadOfAFlatBufferIsWhatItLeadsTo(t *testing.T) {
	const size = 1 << 30
	far := modelFlat([]place64{{size - 16, 16}})
	outside := bytes.Clone(far)
	outside[3] = 0x7f // the root offset
	for name, c := range map[string]struct {
		head        []byte
		least, most int64
	}{"a model": {far, 1, 256 << 10}, "no FlatBuffer": {outside[:4], 1, 4 << 20}} {
		s := &sparse{head: c.head, size: size}
		f, err := Open(s, s.size, nil)
		if err == nil {
			_, faults := list(f)
			checkFault(t, faults, 0, "")
		}
		if n := s.read.Load(); n < c.least || n > c.most {
			t.Errorf("%s: %d bytes were read", name, n)
		}
	}
}

// TestAFlatBufferIsReadOnWhereItLeadsOn: what is looked for lies behind the first bytes
// that are read.
func TestAFlatBufferIsReadOnWhereItLeadsOn(t *testing.T) {
	weights := make([]place64, 40_000)
	for i := range weights {
		weights[i] = place64{uint64(2<<20 + 16*i), 16}
	}
	b := modelFlat(weights)
	if len(b) > 2<<20 || len(b) < moreRead*firstRead {
		t.Fatalf("the model has %d bytes", len(b))
	}
	s := &sparse{head: b, size: 2<<20 + 16*int64(len(weights))}
	f, err := Open(s, s.size, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for r := range f.Regions() {
		if r.Kind == Data {
			n++
		}
	}
	if n != len(weights) {
		t.Errorf("%d of %d weights were found", n, len(weights))
	}
}
