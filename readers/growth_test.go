package readers_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"testing"
	"time"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	arrowfb "github.com/fbverify/go/generated/arrow"
	tflitefb "github.com/fbverify/go/generated/tflite"
	vortexfb "github.com/fbverify/go/generated/vortex"
	"github.com/fbverify/go/internal/growth"
	"github.com/fbverify/go/readers"
	"github.com/fbverify/go/readers/vortex"
)

// reads reads a file whole, as users of the package of its format do.
func reads(t *testing.T) growth.Entry {
	return growth.Entry{Name: "readers", NS: 2000, Memory: 200, Prepare: func(fam growth.Family, b []byte) func() {
		for _, f := range formats {
			if f.name == fam.Of {
				return func() {
					if _, err := f.read(bytes.NewReader(b), int64(len(b))); err != nil && !typed(err) {
						t.Error(err)
					}
				}
			}
		}
		return nil
	}}
}

// opens finds the FlatBuffers of a file, verifies each and says what is odd.
var opens = growth.Entry{Name: "container", NS: 2000, Memory: 200, Prepare: growth.Call(func(b []byte) {
	f, err := container.OpenBytes(b, nil)
	if err != nil {
		return
	}
	for p, err := range f.Parts() {
		if err == nil {
			_ = p.Verify(nil)
			_, _ = p.Judge(nil)
		}
	}
	for range f.Regions() {
	}
	for range f.Findings() {
	}
})}

// TestWorkGrowsWithTheMetadata: with -v it prints a line for each family of files, honest ones and ones that share
// what they can.
func TestWorkGrowsWithTheMetadata(t *testing.T) {
	families := growth.Messages(t)
	for _, fam := range []struct {
		name   string
		format format
		unit   int // bytes of metadata that n stands for, about
		make   func(n int) []byte
	}{
		{"columns", formats[0], 570, func(n int) []byte { return vortexFile(n, 2) }},
		{"shared layouts", formats[0], 4, func(n int) []byte {
			return vortexFileThat(1, 1, func(p *vortexParts) { p.instead = shared{n, 1} })
		}},
		{"columns", formats[1], 260, func(n int) []byte { return arrowFile(n, 2) }},
		{"batches", formats[1], 400, func(n int) []byte { return arrowFile(4, n) }},
		{"shared fields", formats[1], 4, sharedFields},
		{"tensors", formats[3], 172, tfliteFile},
		{"shared tensors", formats[3], 4, sharedTensors},
		{"features", formats[4], 123, flatGeobufFile},
	} {
		families = append(families, growth.Family{Name: fam.name, Of: fam.format.name, Make: func(size int) []byte { return fam.make(size / fam.unit) }})
	}
	growth.Check(t, []int{32 << 10, 64 << 10, 128 << 10}, 16<<20, []growth.Entry{reads(t), opens}, families)
}

// sharedFields is an Arrow file whose schema has one field n times.
func sharedFields(n int) []byte {
	return arrowFileThat(1, 0, nil, nil, packerFunc(func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		f := arrowfb.NewFieldT()
		f.Name, f.Type = "x", &arrowfb.TypeT{Type: arrowfb.TypeBool, Value: arrowfb.NewBoolT()}
		fields := repeated(b, f.Pack(b), n)
		b.StartObject(4)
		b.PrependUOffsetTSlot(1, fields, 0)
		schema := b.EndObject()
		b.StartObject(5)
		b.PrependUOffsetTSlot(1, schema, 0)
		return b.EndObject()
	}))
}

// sharedTensors is a model whose graph has one tensor n times.
func sharedTensors(n int) []byte {
	b := flatbuffers.NewBuilder(1 << 10)
	t := tflitefb.NewTensorT()
	t.Name, t.Shape = "x", []int32{1}
	tensors := repeated(b, t.Pack(b), n)
	b.StartObject(6)
	b.PrependUOffsetTSlot(0, tensors, 0)
	graphs := repeated(b, b.EndObject(), 1)
	b.StartObject(10)
	b.PrependUint32Slot(0, 3, 0)
	b.PrependUOffsetTSlot(2, graphs, 0)
	b.FinishWithFileIdentifier(b.EndObject(), []byte(tflitefb.ModelIdentifier))
	return b.FinishedBytes()
}

type packerFunc func(b *flatbuffers.Builder) flatbuffers.UOffsetT

func (f packerFunc) Pack(b *flatbuffers.Builder) flatbuffers.UOffsetT { return f(b) }

// repeated writes a vector of n offsets to one table.
func repeated(b *flatbuffers.Builder, at flatbuffers.UOffsetT, n int) flatbuffers.UOffsetT {
	b.StartVector(4, n, 4)
	for range n {
		b.PrependUOffsetT(at)
	}
	return b.EndVector(n)
}

// A file of nothing but zeros between its ends costs what its ends cost.
type sparse struct {
	head, tail []byte
	size       int64
	read       int64
}

func (s *sparse) ReadAt(b []byte, off int64) (int, error) {
	n := int(min(int64(len(b)), s.size-off))
	if n <= 0 {
		return 0, io.EOF
	}
	s.read += int64(n)
	clear(b[:n])
	if off < int64(len(s.head)) {
		copy(b[:n], s.head[off:])
	}
	if at := s.size - int64(len(s.tail)) - off; at >= 0 && at < int64(n) {
		copy(b[at:n], s.tail)
	} else if at < 0 {
		copy(b[:n], s.tail[-at:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func TestAHugeFileIsOpenedByItsMetadata(t *testing.T) {
	const terabyte = 1 << 40
	// The metadata of a small file, moved to the end of a large one.
	small := vortexFile(50, 2)
	moved := func(at int64) []byte {
		return vortexFileThat(50, 2, func(p *vortexParts) {
			if ps := p.postscript; ps != nil {
				for _, s := range []*vortexfb.PostscriptSegmentT{ps.Dtype, ps.Layout, ps.Statistics, ps.Footer} {
					s.Offset += uint64(at)
				}
			}
		})
	}
	b := moved(terabyte)
	f, err := vortex.OpenBytes(small, nil)
	if err != nil {
		t.Fatal(err)
	}
	first := f.Metadata()[0].Offset // the segments come before it
	s := &sparse{head: b[:first], tail: b[first:], size: int64(len(small)) + terabyte}
	if seen, err := formats[0].read(s, s.size); err != nil || len(seen.errors) > 0 {
		t.Error(err, seen.errors)
	}
	if s.read > int64(len(small))+128<<10 {
		t.Errorf("%d bytes were read", s.read)
	}
}

// Lengths that only a huge file has room for are not memory.
func TestLengthsOfHugeFilesAreLimited(t *testing.T) {
	for _, c := range []struct {
		name       string
		format     format
		head, tail string
	}{
		{"an Arrow footer of 2^31-1 bytes", formats[1], "ARROW1\x00\x00", "\xff\xff\xff\x7fARROW1"},
		{"an Arrow message of 2^31-1 bytes", formats[2], "\xff\xff\xff\xff\xff\xff\xff\x7f", ""},
		{"a Vortex file of zeros", formats[0], "VTXF", "\x01\x00\xff\xffVTXF"},
		{"a FlatGeobuf header of 2^32-1 bytes", formats[4], "fgb\x03fgb\x00\xff\xff\xff\xff", ""},
		{"a model of zeros", formats[3], "\x10\x00\x00\x00TFL3", ""},
	} {
		s := &sparse{head: []byte(c.head), tail: []byte(c.tail), size: 1 << 40}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := c.format.read(s, s.size)
		runtime.ReadMemStats(&after)
		if err == nil || !typed(err) {
			t.Errorf("%s: %v", c.name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 || s.read > 8<<20 {
			t.Errorf("%s: %d bytes allocated and %d read: %v", c.name, used, s.read, err)
		}
	}
}

// shared is a layout that has the one below it many times, that the next, and so on.
type shared struct{ wide, deep int }

func (s shared) Pack(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	leaf := vortexfb.NewLayoutT()
	leaf.Encoding, leaf.Segments = 3, []uint32{0}
	at := leaf.Pack(b)
	for range s.deep {
		children := repeated(b, at, s.wide)
		b.StartObject(5)
		b.PrependUint16Slot(0, 2, 0)
		b.PrependUOffsetTSlot(3, children, 0)
		at = b.EndObject()
	}
	return at
}

// Subtrees that are shared are few bytes and stand for many: they are refused where nobody would write so.
func TestMetadataThatIsSharedTooOftenIsRefused(t *testing.T) {
	for _, c := range []struct {
		shared
		refused bool
	}{{shared{2, 3}, false}, {shared{2, 40}, true}, {shared{3000, 2}, true}, {shared{100000, 1}, false}} {
		b := vortexFileThat(1, 1, func(p *vortexParts) { p.instead = c.shared })
		start := time.Now()
		s, err := formats[0].read(readers.Bytes(b), int64(len(b)))
		if c.refused != errors.Is(err, fbverify.ErrSizeLimit) && c.refused != errors.Is(err, fbverify.ErrTableLimit) {
			t.Errorf("%d wide, %d deep: %v, %v", c.wide, c.deep, err, s.errors)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%d wide, %d deep: %v", c.wide, c.deep, took)
		}
	}
}
