package flatgeobuf_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/generated/flatgeobuf"
)

// Reader reads the features of a FlatGeobuf in order, each verified when it is
// met. The header's proof is kept: it says what the features' bytes mean.
type Reader struct {
	header fbverify.Verified[flatgeobuf.Header]
	rest   []byte
}

// Open reads the header and passes over the index.
func Open(file []byte) (*Reader, error) {
	const magic = "fgb\x03fgb"
	if len(file) < 8 || string(file[:7]) != magic {
		return nil, errors.New("not a FlatGeobuf")
	}
	message, rest, err := message(file[8:])
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	header, err := fbverify.RootWithOptions[flatgeobuf.Header](message, &fbverify.Options{Framing: fbverify.SizePrefixed})
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	index := indexSize(header.Root().FeaturesCount(), header.Root().IndexNodeSize())
	if index > uint64(len(rest)) {
		return nil, fmt.Errorf("index: %w", io.ErrUnexpectedEOF)
	}
	return &Reader{header, rest[index:]}, nil
}

// message splits a size-prefixed message off.
func message(b []byte) (message, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, io.ErrUnexpectedEOF
	}
	n := uint64(binary.LittleEndian.Uint32(b)) + 4
	if n > uint64(len(b)) {
		return nil, nil, io.ErrUnexpectedEOF
	}
	return b[:n], b[n:], nil
}

// indexSize returns the bytes of the packed R-tree, 40 for each node; 2^64-1 for
// one that no file could hold.
func indexSize(features uint64, nodeSize uint16) uint64 {
	if features == 0 || nodeSize == 0 {
		return 0
	}
	if nodeSize == 1 || features > math.MaxUint64/80 {
		return math.MaxUint64
	}
	nodes, level := features, features
	for level > 1 {
		level = (level + uint64(nodeSize) - 1) / uint64(nodeSize)
		nodes += level
	}
	return nodes * 40
}

// Next returns the next feature, io.EOF after the last.
func (r *Reader) Next() (v fbverify.Verified[flatgeobuf.Feature], err error) {
	if len(r.rest) == 0 {
		return v, io.EOF
	}
	var next []byte
	if next, r.rest, err = message(r.rest); err != nil {
		return v, err
	}
	return fbverify.RootWithOptions[flatgeobuf.Feature](next, &fbverify.Options{Framing: fbverify.SizePrefixed})
}

// sizes are the bytes of properties of a fixed size, by column type.
var sizes = map[flatgeobuf.ColumnType]int{
	flatgeobuf.ColumnTypeByte: 1, flatgeobuf.ColumnTypeUByte: 1, flatgeobuf.ColumnTypeBool: 1,
	flatgeobuf.ColumnTypeShort: 2, flatgeobuf.ColumnTypeUShort: 2, flatgeobuf.ColumnTypeInt: 4, flatgeobuf.ColumnTypeUInt: 4,
	flatgeobuf.ColumnTypeLong: 8, flatgeobuf.ColumnTypeULong: 8, flatgeobuf.ColumnTypeFloat: 4, flatgeobuf.ColumnTypeDouble: 8,
}

// property is one property of a feature, its value undecoded.
type property struct {
	column flatgeobuf.Column
	value  []byte
}

// properties splits the properties of a feature. They are a format of their own
// inside a byte vector, which no verification of the FlatBuffer knows, so they
// are read with care.
func (r *Reader) properties(f flatgeobuf.Feature) (list []property, err error) {
	columns := f.Columns()
	if columns.Len() == 0 {
		columns = r.header.Root().Columns()
	}
	for p := f.Properties(); len(p) > 0; {
		if len(p) < 2 || int(binary.LittleEndian.Uint16(p)) >= columns.Len() {
			return nil, errors.New("a property of no column")
		}
		c := columns.At(int(binary.LittleEndian.Uint16(p)))
		p = p[2:]
		size, fixed := sizes[c.Type()]
		if !fixed { // text and bytes have their length before them
			if len(p) < 4 {
				return nil, io.ErrUnexpectedEOF
			}
			if n := binary.LittleEndian.Uint32(p); uint64(n) > uint64(len(p)-4) {
				return nil, io.ErrUnexpectedEOF
			} else {
				size, p = int(n), p[4:]
			}
		}
		if size > len(p) {
			return nil, io.ErrUnexpectedEOF
		}
		list = append(list, property{c, p[:size]})
		p = p[size:]
	}
	return list, nil
}

func Example() {
	file, err := os.ReadFile("../../testdata/flatgeobuf/gdal-polygons-indexed.fgb")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := Open(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	for column := range r.header.Root().Columns().Values() {
		fmt.Println("column", column.Name(), column.Type())
	}
	for {
		v, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		g := v.Root().Geometry()
		kind := g.Type()
		if kind == flatgeobuf.GeometryTypeUnknown { // the header says it for all
			kind = r.header.Root().GeometryType()
		}
		fmt.Printf("%v of %d points", kind, len(g.Xy())/2)
		if ends := g.Ends(); len(ends) > 0 {
			fmt.Printf(", rings to %v", ends)
		}
		properties, err := r.properties(v.Root())
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, p := range properties {
			switch p.column.Type() {
			case flatgeobuf.ColumnTypeString:
				fmt.Printf(", %s=%s", p.column.Name(), p.value)
			case flatgeobuf.ColumnTypeInt:
				fmt.Printf(", %s=%d", p.column.Name(), int32(binary.LittleEndian.Uint32(p.value)))
			case flatgeobuf.ColumnTypeDouble:
				fmt.Printf(", %s=%g", p.column.Name(), math.Float64frombits(binary.LittleEndian.Uint64(p.value)))
			default:
				fmt.Printf(", %s=%x", p.column.Name(), p.value)
			}
		}
		fmt.Println()
	}
	// Output:
	// column id Int
	// Polygon of 10 points, rings to [5 10], id=10
	// Polygon of 10 points, rings to [5 10], id=11
	// Polygon of 10 points, rings to [5 10], id=9
	// Polygon of 10 points, rings to [5 10], id=8
	// Polygon of 10 points, rings to [5 10], id=7
	// Polygon of 10 points, rings to [5 10], id=6
	// Polygon of 10 points, rings to [5 10], id=4
	// Polygon of 10 points, rings to [5 10], id=5
	// Polygon of 10 points, rings to [5 10], id=3
	// Polygon of 10 points, rings to [5 10], id=2
	// Polygon of 10 points, rings to [5 10], id=1
	// Polygon of 10 points, rings to [5 10], id=0
}
