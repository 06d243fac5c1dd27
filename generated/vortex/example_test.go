package vortex_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/vortex"
)

// Reader knows where the data of a Vortex file is. Each FlatBuffer is verified
// once, when the file is opened, and its proof is kept; listing verifies nothing.
type Reader struct {
	dtype  fbverify.Verified[vortex.DType]
	layout fbverify.Verified[vortex.Layout]
	footer fbverify.Verified[vortex.Footer]
	size   uint64
}

// Open reads the end of a file, and what its postscript leads to.
func Open(r io.ReaderAt, size int64) (*Reader, error) {
	const tail = 8 // version, length of the postscript, magic
	end, err := read(r, size, size-tail, tail)
	if err != nil {
		return nil, err
	}
	if string(end[4:]) != "VTXF" {
		return nil, errors.New("not a Vortex file")
	}
	n := int64(binary.LittleEndian.Uint16(end[2:]))
	buf, err := read(r, size, size-tail-n, n)
	if err != nil {
		return nil, fmt.Errorf("postscript: %w", err)
	}
	ps, err := fbverify.Root[vortex.Postscript](buf)
	if err != nil {
		return nil, fmt.Errorf("postscript: %w", err)
	}
	f := &Reader{size: uint64(size)}
	if f.dtype, err = part[vortex.DType](r, size, ps.Root().Dtype()); err != nil {
		return nil, fmt.Errorf("dtype: %w", err)
	}
	if f.layout, err = part[vortex.Layout](r, size, ps.Root().Layout()); err != nil {
		return nil, fmt.Errorf("layout: %w", err)
	}
	if f.footer, err = part[vortex.Footer](r, size, ps.Root().Footer()); err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	return f, nil
}

// part reads and verifies what a segment of the postscript names.
func part[T fbverify.View[T]](r io.ReaderAt, size int64, s vortex.PostscriptSegment) (v fbverify.Verified[T], err error) {
	if !s.Present() {
		return v, errors.New("the file has none")
	}
	if s.Offset() > uint64(size) {
		return v, io.ErrUnexpectedEOF
	}
	buf, err := read(r, size, int64(s.Offset()), int64(s.Length()))
	if err != nil {
		return v, err
	}
	return fbverify.Root[T](buf)
}

// read reads n bytes at off, which the file may not have.
func read(r io.ReaderAt, size, off, n int64) ([]byte, error) {
	if off < 0 || n > size-off {
		return nil, io.ErrUnexpectedEOF
	}
	buf := make([]byte, n)
	_, err := r.ReadAt(buf, off)
	return buf, err
}

// Column is a column and where in the file its values are.
type Column struct {
	Name   string
	Type   vortex.Type
	Chunks []Chunk
}

// Chunk is one segment of a column.
type Chunk struct {
	Rows       uint64
	Start, End uint64 // bytes of the file
	Role       string
}

// Columns lists the columns of a table.
func (f *Reader) Columns() ([]Column, error) {
	fields, ok := f.dtype.Root().Type().AsStruct()
	if !ok {
		return nil, fmt.Errorf("the file holds a %v and no table", f.dtype.Root().TypeType())
	}
	root := f.layout.Root()
	if name := f.encoding(root); name != "vortex.struct" {
		return nil, fmt.Errorf("the root layout is %q", name)
	}
	// That a buffer is verified says nothing about numbers that must match.
	names, types, children := fields.Names(), fields.Dtypes(), root.Children()
	if names.Len() != types.Len() || names.Len() != children.Len() {
		return nil, fmt.Errorf("%d names, %d types, %d layouts", names.Len(), types.Len(), children.Len())
	}
	var columns []Column
	for i, name := range names.All() {
		c := Column{Name: name, Type: types.At(i).TypeType()}
		if err := f.chunks(&c, children.At(i), "data"); err != nil {
			return nil, fmt.Errorf("column %s: %w", name, err)
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// encoding names a layout's encoding, "" where the footer does not.
func (f *Reader) encoding(l vortex.Layout) string {
	if specs := f.footer.Root().LayoutSpecs(); int(l.Encoding()) < specs.Len() {
		return specs.At(int(l.Encoding())).ID()
	}
	return ""
}

// chunks collects the segments below a layout. Verification has bounded its depth.
func (f *Reader) chunks(c *Column, l vortex.Layout, role string) error {
	segments := f.footer.Root().SegmentSpecs()
	for _, i := range l.Segments() {
		if int64(i) >= int64(len(segments)) {
			return fmt.Errorf("segment %d of %d", i, len(segments))
		}
		s := segments[i]
		if s.Offset > f.size || uint64(s.Length) > f.size-s.Offset {
			return fmt.Errorf("segment %d lies outside the file", i)
		}
		c.Chunks = append(c.Chunks, Chunk{l.RowCount(), s.Offset, s.Offset + uint64(s.Length), role})
	}
	for i, child := range l.Children().All() {
		role := role
		switch name := f.encoding(l); {
		case name == "vortex.zoned" && i == 1:
			role = "zones"
		case name == "vortex.dict" && i == 0:
			role = "dictionary"
		}
		if err := f.chunks(c, child, role); err != nil {
			return err
		}
	}
	return nil
}

func Example() {
	file, err := os.Open("../../testdata/vortex/wide.vortex")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := Open(file, info.Size())
	if err != nil {
		fmt.Println(err)
		return
	}
	columns, err := f.Columns()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(columns), "columns,", f.layout.Root().RowCount(), "rows")
	for _, c := range columns[:2] {
		fmt.Println(c.Name, c.Type)
		for _, chunk := range c.Chunks {
			fmt.Printf("  %6d rows at [%d, %d) %s\n", chunk.Rows, chunk.Start, chunk.End, chunk.Role)
		}
	}
	// Output:
	// 110 columns, 267144 rows
	// instrument_000 Primitive
	//   131072 rows at [8, 120) data
	//   131072 rows at [120, 232) data
	//     5000 rows at [232, 344) data
	//       33 rows at [142248, 142516) zones
	// instrument_001 Primitive
	//   131072 rows at [344, 464) data
	//   131072 rows at [464, 588) data
	//     5000 rows at [592, 716) data
	//       33 rows at [142520, 143164) zones
}
