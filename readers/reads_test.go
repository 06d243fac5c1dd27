package readers_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/fbverify/go/readers/arrow"
	"github.com/fbverify/go/readers/flatgeobuf"
	"github.com/fbverify/go/readers/tflite"
	"github.com/fbverify/go/readers/vortex"
)

// counted counts the reads of a file, and their bytes.
type counted struct {
	io.ReaderAt
	reads int
	bytes int64
}

func (c *counted) ReadAt(b []byte, off int64) (int, error) {
	c.reads++
	c.bytes += int64(len(b))
	return c.ReaderAt.ReadAt(b, off)
}

func (c *counted) most(t *testing.T, what string, reads int, bytes int64) {
	t.Helper()
	t.Logf("%s: %d reads, %d bytes", what, c.reads, c.bytes)
	if c.reads > reads || c.bytes > bytes {
		t.Errorf("%s took %d reads of %d bytes, and %d of %d are enough", what, c.reads, c.bytes, reads, bytes)
	}
	c.reads, c.bytes = 0, 0
}

func count(b []byte) *counted { return &counted{ReaderAt: bytes.NewReader(b)} }

func TestTheColumnsOfAWideVortexFileTakeTwoReads(t *testing.T) {
	const columns, chunks = 5000, 2
	b := vortexFile(columns, chunks)
	r := count(b)
	f, err := vortex.Open(ctx, r, int64(len(b)), nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range f.Columns() {
		n += len(c.Chunks())
		if c.Type != "i64?" {
			t.Fatalf("the column %s is %s", c.Name, c.Type)
		}
	}
	if len(f.Columns()) != columns || n != columns*(chunks+1) {
		t.Errorf("%d columns with %d segments", len(f.Columns()), n)
	}
	metadata := int64(0)
	for _, m := range f.Metadata() {
		metadata += m.Length
	}
	r.most(t, "opening", 2, metadata+64<<10+4<<10)
	// All arrays of one column, whose segments lie next to one another.
	chunked := f.Columns()[2500].Chunks()
	for a, err := range f.Arrays(ctx, chunked[0].Segment, chunked[1].Segment, chunked[2].Segment) {
		if err != nil || len(a.Buffers) != 1 {
			t.Error(err)
		}
	}
	r.most(t, "the arrays of a column", 1, 4<<10)
}

func TestASmallFileIsOneRead(t *testing.T) {
	for what, open := range map[string]func() (*counted, error){
		"vortex": func() (*counted, error) {
			b := vortexFile(20, 2)
			r := count(b)
			_, err := vortex.Open(ctx, r, int64(len(b)), nil)
			return r, err
		},
		"arrow": func() (*counted, error) {
			b := arrowFile(20, 20)
			r := count(b)
			_, err := arrow.Open(ctx, r, int64(len(b)), nil)
			return r, err
		},
		"tflite": func() (*counted, error) {
			b := tfliteFile(200)
			r := count(b)
			_, err := tflite.Open(ctx, r, int64(len(b)), nil)
			return r, err
		},
		"flatgeobuf": func() (*counted, error) {
			b := flatGeobufFile(2000)
			r := count(b)
			_, err := flatgeobuf.Open(ctx, r, int64(len(b)), nil)
			return r, err
		},
	} {
		r, err := open()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		r.most(t, what, 1, 128<<10)
	}
}

func TestTheBatchesOfAWideArrowFile(t *testing.T) {
	const columns, batches = 5000, 20
	b := arrowFile(columns, batches)
	r := count(b)
	f, err := arrow.Open(ctx, r, int64(len(b)), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.most(t, "opening", 2, f.FooterRange().Length+64<<10+4<<10)
	if _, err := f.Batch(ctx, 7); err != nil {
		t.Error(err)
	}
	r.most(t, "a batch", 1, f.BatchBlocks()[7].Message.Length+64)
	n := 0
	for batch, err := range f.Batches(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		n += len(batch.Columns())
	}
	if n != columns*batches {
		t.Errorf("%d columns in all", n)
	}
	r.most(t, "all batches, whose bodies are passed over", batches, int64(batches)*(f.BatchBlocks()[0].Message.Length+64))
	// Narrow batches lie close together.
	b = arrowFile(4, 1000)
	r = count(b)
	if f, err = arrow.Open(ctx, r, int64(len(b)), nil); err != nil {
		t.Fatal(err)
	}
	r.reads, r.bytes = 0, 0
	for _, err := range f.Batches(ctx) {
		if err != nil {
			t.Fatal(err)
		}
	}
	r.most(t, "a thousand narrow batches", 4, int64(len(b)))
}

func TestASearchReadsWhatItNeeds(t *testing.T) {
	const features = 200 * 200
	b := flatGeobufFile(features)
	r := count(b)
	f, err := flatgeobuf.Open(ctx, r, int64(len(b)), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.most(t, "opening", 1, 64<<10)
	_, index, _ := f.Places()
	find := func(box flatgeobuf.Box) (n int) {
		for _, err := range f.Search(ctx, box) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		return n
	}
	if n := find(flatgeobuf.Box{MinX: 100, MinY: 100, MaxX: 100, MaxY: 100}); n != 1 {
		t.Errorf("%d features at a point", n)
	}
	r.most(t, "one feature", 3, 32<<10)
	if n := find(flatgeobuf.Box{MinX: 20, MinY: 50, MaxX: 29, MaxY: 54}); n != 50 {
		t.Errorf("%d features in a box of 10 by 5", n)
	}
	r.most(t, "fifty features in five rows", 8, 160<<10)
	if n := find(flatgeobuf.Box{MinX: -1, MinY: -1, MaxX: 1e6, MaxY: 1e6}); n != features {
		t.Errorf("%d features everywhere", n)
	}
	r.most(t, "all features", 20, 2*int64(len(b)))
	if n := find(flatgeobuf.Box{MinX: 0.5, MinY: 0.5, MaxX: 0.6, MaxY: 0.6}); n != 0 {
		t.Errorf("%d features between points", n)
	}
	r.most(t, "none", 3, index.Length)
	n := 0
	for _, err := range f.All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != features {
		t.Errorf("%d features in the file", n)
	}
	r.most(t, "all in order", len(b)>>20+2, int64(len(b))+8<<10)
}
