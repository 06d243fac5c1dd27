package readers_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/readers"
	"github.com/fbverify/go/readers/arrow"
	"github.com/fbverify/go/readers/flatgeobuf"
	"github.com/fbverify/go/readers/tflite"
	"github.com/fbverify/go/readers/vortex"
)

// A format is a reader, with what reads all that it gives of a file.
type format struct {
	name string
	fits func(name string) bool
	read func(r io.ReaderAt, size int64) (seen, error)
}

// seen is what reading all of a file met.
type seen struct {
	ranges int     // places that were given
	errors []error // of parts, after the file opened
}

func (s *seen) err(err error) bool {
	if err != nil {
		s.errors = append(s.errors, err)
	}
	return err == nil
}

// in notes a range, which has to lie in the file.
func (s *seen) in(size int64, list ...readers.Range) {
	for _, r := range list {
		if r.Offset < 0 || r.Length < 0 || r.Offset > size || r.Length > size-r.Offset {
			panic(fmt.Sprintf("a range of %d bytes at %d was given in a file of %d", r.Length, r.Offset, size))
		}
		s.ranges++
	}
}

var ctx = context.Background()

// formats are all readers. They are given small limits, so that what a damaged file asks for
// is no work.
var formats = []format{
	{"vortex", suffix(".vortex"), wholeVortex},
	{"arrow", suffix(".arrow", ".arrow_file"), wholeArrow},
	{"arrow-stream", suffix(".arrows", ".stream"), wholeStream},
	{"tflite", suffix(".tflite"), wholeTFLite},
	{"flatgeobuf", suffix(".fgb"), wholeFlatGeobuf},
}

func suffix(list ...string) func(string) bool {
	return func(name string) bool {
		for _, s := range list {
			if strings.HasSuffix(name, s) {
				return true
			}
		}
		return false
	}
}

func wholeVortex(r io.ReaderAt, size int64) (s seen, err error) {
	f, err := vortex.Open(ctx, r, size, nil)
	if err != nil {
		return s, err
	}
	for _, m := range f.Metadata() {
		s.in(size, m.Range)
	}
	f.Postscript().Root().Unpack()
	f.Footer().Root().Unpack()
	f.Layout().Root().Unpack()
	if v, ok := f.DType(); ok {
		v.Root().Unpack()
	}
	if v, ok := f.Statistics(); ok {
		v.Root().Unpack()
	}
	for _, c := range f.Columns() {
		c.Stats.Unpack()
		for _, chunk := range c.Chunks() {
			s.in(size, chunk.Range)
		}
	}
	var arrays []int
	for i, segment := range f.Segments() {
		s.in(size, segment.Range)
		if segment.HoldsArray {
			arrays = append(arrays, i)
		}
	}
	for a, err := range f.Arrays(ctx, arrays...) {
		if s.err(err) {
			a.Root().Unpack()
			s.in(size, a.Range)
			for _, b := range a.Buffers {
				s.in(size, b.Range)
			}
		}
	}
	return s, nil
}

func (s *seen) batch(size int64, b *arrow.Batch) {
	b.Root().Unpack()
	s.in(size, b.Message, b.Body)
	var columns func(list []arrow.ColumnData)
	columns = func(list []arrow.ColumnData) {
		for _, c := range list {
			_ = c.Field.Type()
			for _, buf := range c.Buffers {
				s.in(size, buf.Range)
			}
			columns(c.Children)
		}
	}
	columns(b.Columns())
}

func fields(list []arrow.Field) {
	for i := range list {
		_ = list[i].Type()
		fields(list[i].Children)
	}
}

func wholeArrow(r io.ReaderAt, size int64) (s seen, err error) {
	f, err := arrow.Open(ctx, r, size, nil)
	if err != nil {
		return s, err
	}
	f.Footer().Root().Unpack()
	fields(f.Schema().Fields)
	f.Metadata()
	for b, err := range f.Dictionaries(ctx) {
		if s.err(err) {
			s.batch(size, b)
		}
	}
	for b, err := range f.Batches(ctx) {
		if s.err(err) {
			s.batch(size, b)
		}
	}
	// What it gives out as a stream is one, if each of its messages is sound.
	whole, err := io.ReadAll(io.LimitReader(f.Stream(ctx), 64<<20))
	if err == nil && len(s.errors) == 0 {
		if _, err := wholeStream(bytes.NewReader(whole), int64(len(whole))); err != nil && len(whole) < 64<<20 {
			panic(fmt.Sprintf("the stream of a file is not read: %v", err))
		}
	}
	return s, nil
}

func wholeStream(r io.ReaderAt, size int64) (s seen, err error) {
	st, err := arrow.OpenStream(ctx, io.NewSectionReader(r, 0, size), nil)
	if err != nil {
		return s, err
	}
	fields(st.Schema().Fields)
	for {
		b, err := st.Next(ctx)
		if err == io.EOF {
			return s, nil
		}
		if err != nil {
			return s, err
		}
		before := int64(math.MaxInt64) // the body may be cut off
		s.batch(before, b)
	}
}

func wholeTFLite(r io.ReaderAt, size int64) (s seen, err error) {
	m, err := tflite.Open(ctx, r, size, nil)
	if err != nil {
		return s, err
	}
	m.Root().Unpack()
	s.in(size, m.FlatBuffer())
	s.in(size, m.Buffers()...)
	for _, x := range m.Metadata() {
		s.in(size, x.Range)
	}
	m.Signatures()
	for _, g := range m.Subgraphs() {
		for _, t := range g.Tensors() {
			_ = t.Type()
			s.in(size, t.Weights)
		}
		for _, op := range g.Operators() {
			s.in(size, op.Options)
		}
	}
	return s, nil
}

func wholeFlatGeobuf(r io.ReaderAt, size int64) (s seen, err error) {
	f, err := flatgeobuf.Open(ctx, r, size, nil)
	if err != nil {
		return s, err
	}
	f.Header().Root().Unpack()
	f.Columns()
	f.CRS()
	header, index, features := f.Places()
	s.in(size, header, index, features)
	feature := func(ft *flatgeobuf.Feature, err error) bool {
		if !s.err(err) {
			return len(s.errors) < 1000
		}
		ft.Root().Unpack()
		ft.Bounds()
		s.in(size, ft.Range)
		list, err := f.Properties(ft)
		s.err(err)
		for _, p := range list {
			p.Value()
		}
		return true
	}
	f.All(ctx)(feature)
	if f.HasIndex() {
		for _, box := range []flatgeobuf.Box{{MinX: -1e300, MinY: -1e300, MaxX: 1e300, MaxY: 1e300}, {MinX: -50, MinY: -50, MaxX: 20, MaxY: 20}} {
			f.Search(ctx, box)(feature)
		}
	}
	return s, nil
}

// real are the files of a format in testdata and, where it is there, in the corpus.
func real(t testing.TB, f format) map[string][]byte {
	files := map[string][]byte{}
	for _, dir := range []string{"testdata/arrow", "testdata/vortex", "testdata/tflite", "testdata/flatgeobuf", "../shared/corpus/arrow/valid", "../shared/corpus/tflite", "../shared/corpus/flatgeobuf"} {
		names, _ := filepath.Glob(filepath.Join(oracle.RepoRoot(), filepath.FromSlash(dir), "*"))
		for _, name := range names {
			if !f.fits(name) {
				continue
			}
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.Base(name)] = b
		}
	}
	if len(files) < 4 {
		t.Fatalf("only %d files of %s", len(files), f.name)
	}
	return files
}
