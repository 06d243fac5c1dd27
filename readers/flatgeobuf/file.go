package flatgeobuf

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	fb "github.com/fbverify/go/generated/flatgeobuf"
	"github.com/fbverify/go/internal/places"
	"github.com/fbverify/go/readers"
	"github.com/fbverify/go/readers/internal/ranged"
)

// File is a FlatGeobuf file that was opened. It is safe for concurrent use if its reader is.
type File struct {
	src    *ranged.Source
	header fbverify.Verified[fb.Header]

	headerAt, index, features readers.Range

	tree   places.Tree
	head   []byte // the beginning of the file, which the search of the index needs again
	headAt readers.Range
}

const (
	magicSize  = 8
	prefixSize = 4 // of the size before a FlatBuffer
	major      = 3
)

// options are what readers need to be true of a FlatBuffer: they read numbers at any position.
var options = fbverify.Options{Framing: fbverify.SizePrefixed, SkipAlignment: true}

// Open opens a file of size bytes. It makes one read of the file's beginning, and one more where
// the header is not all in there. Nil opts are the defaults.
//
// The error is a [*container.Error]: of kind ErrTruncated, ErrMagic, ErrVersion, ErrUnreadable (the header's FlatBuffer
// is not sound: Err is its [*fbverify.Error]), ErrMismatch, ErrLimit or ErrRead; or it is that of ctx.
func Open(ctx context.Context, r io.ReaderAt, size int64, opts *readers.Options) (*File, error) {
	src, err := ranged.New(container.FlatGeobuf, r, size, opts)
	if err != nil {
		return nil, err
	}
	f := &File{src: src}
	if err := f.open(ctx); err != nil {
		return nil, err
	}
	return f, nil
}

// OpenBytes is [Open] for a file in memory, whose bytes must not change while the File is in use.
func OpenBytes(b []byte, opts *readers.Options) (*File, error) {
	return Open(context.Background(), readers.Bytes(b), int64(len(b)), opts)
}

func (f *File) open(ctx context.Context) error {
	size := f.src.Size
	const least = magicSize + prefixSize
	if size < least {
		return f.src.Fault(container.ErrTruncated, "header", size, "the file ends before its header", ranged.Bytes(size), fmt.Sprintf("%d or more", least))
	}
	var err error
	if f.head, f.headAt, err = f.src.Ends(ctx, false, least); err != nil {
		return err
	}
	if m := f.head[:magicSize]; string(m[:3]) != "fgb" || string(m[4:7]) != "fgb" {
		return f.src.Fault(container.ErrMagic, "", 0, "the file does not start with FlatGeobuf's magic bytes", fmt.Sprintf("%q", m), `"fgb\x03fgb" and a byte`)
	} else if m[3] != major {
		return f.src.Fault(container.ErrVersion, "", 3, "another major version of FlatGeobuf, which may be misread", fmt.Sprint(m[3]), fmt.Sprint(major))
	}
	n := prefixSize + int64(binary.LittleEndian.Uint32(f.head[magicSize:]))
	if n > size-magicSize {
		return f.src.Fault(container.ErrTruncated, "header", magicSize, "its size prefix promises more than the file has", ranged.Bytes(n-prefixSize), fmt.Sprintf("at most %d", size-least))
	}
	f.headerAt = readers.Range{Offset: magicSize, Length: n}
	want := []ranged.Wanted{{Part: "header", Range: f.headerAt}}
	if err := f.src.ReadAll(ctx, want, f.head, f.headAt); err != nil {
		return err
	}
	if f.header, err = ranged.Verified[fb.Header](f.src, "header", magicSize, want[0].Bytes, options); err != nil {
		return err
	}
	h := f.header.Root()
	start := f.headerAt.End()
	tree, ok := places.PackedTree(h.FeaturesCount(), h.IndexNodeSize(), size-start)
	if !ok {
		return f.src.Fault(container.ErrTruncated, "index", start, "the index that the header announces does not fit into the file",
			fmt.Sprintf("a tree over %d features with %d to a node", h.FeaturesCount(), h.IndexNodeSize()), fmt.Sprintf("at most %d bytes", size-start))
	}
	f.tree = tree
	f.index = readers.Range{Offset: start, Length: tree.Bytes()}
	f.features = readers.Range{Offset: f.index.End(), Length: size - f.index.End()}
	if count := h.FeaturesCount(); count > uint64(f.features.Length)/prefixSize {
		return f.src.Fault(container.ErrTruncated, "header", magicSize, "the file has no room for as many features as its header says", fmt.Sprint(count), fmt.Sprintf("at most %d", f.features.Length/prefixSize))
	}
	if e := h.Envelope(); len(e) != 0 && len(e) < 4 {
		e := f.src.Fault(container.ErrMismatch, "header", magicSize, "a box has four numbers", fmt.Sprint(len(e)), "0, or 4 or more")
		e.Path = "envelope"
		return e
	}
	return nil
}

// Size returns the file's length in bytes.
func (f *File) Size() int64 { return f.src.Size }

// Header returns the header, verified.
func (f *File) Header() fbverify.Verified[fb.Header] { return f.header }

// Places returns where header, index and features lie; an index of no bytes is none.
func (f *File) Places() (header, index, features readers.Range) {
	return f.headerAt, f.index, f.features
}

// HasIndex tells whether the file can be searched.
func (f *File) HasIndex() bool { return f.index.Length > 0 }

// Count returns the number of features that the header says; known is false where it does not
// say, and the features go on to the end of the file.
func (f *File) Count() (n uint64, known bool) {
	n = f.header.Root().FeaturesCount()
	return n, n > 0 || f.features.Length == 0
}

// Envelope returns the box around all features; ok is false where the header does not say.
func (f *File) Envelope() (b Box, ok bool) {
	if e := f.header.Root().Envelope(); len(e) >= 4 {
		return Box{e[0], e[1], e[2], e[3]}, true
	}
	return Box{}, false
}

// GeometryType returns the kind of all geometries; Unknown says that each feature says its own.
func (f *File) GeometryType() fb.GeometryType { return f.header.Root().GeometryType() }

// CRS returns the reference system as people write it: "EPSG:4326"; "" where the header does not say.
func (f *File) CRS() string {
	c := f.header.Root().CRS()
	org, code := c.Org(), c.CodeString()
	if org == "" {
		org = "EPSG"
	}
	switch {
	case code != "":
	case c.Code() != 0:
		code = fmt.Sprint(c.Code())
	default:
		return c.Name()
	}
	return org + ":" + code
}

// Column is an attribute that features may have.
type Column struct {
	Name     string
	Type     string // "Int", "String"
	Nullable bool
	View     fb.Column
}

// Columns returns the columns that the features have in common.
func (f *File) Columns() []Column {
	var list []Column
	for c := range f.header.Root().Columns().Values() {
		list = append(list, columnOf(c))
	}
	return list
}

func columnOf(c fb.Column) Column {
	return Column{c.Name(), c.Type().String(), c.Nullable(), c}
}

// Feature is a shape and its attributes, verified.
type Feature struct {
	fbverify.Verified[fb.Feature]
	Number        int64 // in the order of the file, from 0 on
	readers.Range       // where it lies, with the size before it
}

func name(number int64) string { return fmt.Sprintf("feature[%d]", number) }

// window is how many bytes of features are read at once.
const window = 1 << 20

// All returns the features in the order of the file, which is read about 1 MiB at a time: a feature that is
// kept keeps as much memory. An error stands in the place of a feature, which is nil then. The next is gone on with where the
// FlatBuffer of one is not sound; where the size of one does not fit, reading has failed, or ctx is done, it is the last.
func (f *File) All(ctx context.Context) iter.Seq2[*Feature, error] {
	return func(yield func(*Feature, error) bool) {
		count, known := f.Count()
		at := readers.Range{Offset: f.features.Offset}
		var buf []byte // the bytes from at on
		more := func(n int64) (bool, error) {
			if int64(len(buf)) >= n {
				return true, nil
			}
			if n > f.src.Size-at.Offset {
				return false, nil
			}
			b, err := f.src.Read(ctx, "features", readers.Range{Offset: at.Offset, Length: min(max(n, min(window, f.src.MaxRead())), f.src.Size-at.Offset)})
			buf = b
			return err == nil, err
		}
		for i := int64(0); !known || i < int64(count); i++ {
			if !known && at.Offset == f.src.Size {
				return
			}
			part := name(i)
			ok, err := more(prefixSize)
			if err == nil && !ok {
				err = f.src.Fault(container.ErrTruncated, part, at.Offset, "the file ends before its size prefix", ranged.Bytes(f.src.Size-at.Offset), fmt.Sprintf("%d or more", prefixSize))
			}
			if err == nil {
				at.Length = prefixSize + int64(binary.LittleEndian.Uint32(buf))
				if ok, err = more(at.Length); err == nil && !ok {
					err = f.src.Fault(container.ErrTruncated, part, at.Offset, "its size prefix promises more than the file has", ranged.Bytes(at.Length-prefixSize), fmt.Sprintf("at most %d", f.src.Size-at.Offset-prefixSize))
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(f.feature(i, at, buf[:at.Length:at.Length])) {
				return
			}
			buf = buf[at.Length:]
			at.Offset = at.End()
		}
	}
}

// feature verifies a feature.
func (f *File) feature(number int64, at readers.Range, b []byte) (*Feature, error) {
	v, err := ranged.Verified[fb.Feature](f.src, name(number), at.Offset, b, options)
	if err != nil {
		return nil, err
	}
	return &Feature{v, number, at}, nil
}

// Property is an attribute of a feature.
type Property struct {
	Column
	Bytes []byte // of the value; a piece of the feature
}

// sizes are the bytes of values of a fixed size, by the type of their column.
var sizes = [...]int{
	fb.ColumnTypeByte: 1, fb.ColumnTypeUByte: 1, fb.ColumnTypeBool: 1, fb.ColumnTypeShort: 2, fb.ColumnTypeUShort: 2,
	fb.ColumnTypeInt: 4, fb.ColumnTypeUInt: 4, fb.ColumnTypeLong: 8, fb.ColumnTypeULong: 8, fb.ColumnTypeFloat: 4, fb.ColumnTypeDouble: 8,
	fb.ColumnTypeString: -1, fb.ColumnTypeJSON: -1, fb.ColumnTypeDateTime: -1, fb.ColumnTypeBinary: -1,
}

// Properties returns the attributes that a feature has. They are a format of their own inside the FlatBuffer, so
// that verification says nothing about them: an error is a [*container.Error] of kind ErrReference, ErrLength or ErrVersion, given with the
// properties before it.
func (f *File) Properties(ft *Feature) ([]Property, error) {
	columns := ft.Root().Columns()
	if columns.Len() == 0 {
		columns = f.header.Root().Columns()
	}
	var list []Property
	for p := ft.Root().Properties(); len(p) > 1; { // a byte more is left alone, as by GDAL
		fail := func(kind container.Kind, detail, found, allowed string) ([]Property, error) {
			e := f.src.Fault(kind, name(ft.Number), ft.Offset+ranged.Within(ft.Verified.Bytes(), p), detail, found, allowed)
			e.Path = "properties"
			return list, e
		}
		i := int(binary.LittleEndian.Uint16(p))
		if i >= columns.Len() {
			return fail(container.ErrReference, "a property of no column", fmt.Sprint(i), fmt.Sprintf("below %d", columns.Len()))
		}
		c := columnOf(columns.At(i))
		if int(c.View.Type()) >= len(sizes) {
			return fail(container.ErrVersion, fmt.Sprintf("the column %q has a type that is not known, so that how long its values are is not", c.Name), fmt.Sprint(uint8(c.View.Type())), fmt.Sprintf("below %d", len(sizes)))
		}
		rest, n := p[2:], int64(sizes[c.View.Type()])
		if n < 0 { // its length stands before it
			if len(rest) < 4 {
				return fail(container.ErrLength, fmt.Sprintf("the properties end within the length of %q", c.Name), ranged.Bytes(int64(len(rest))), "4 or more")
			}
			n, rest = int64(binary.LittleEndian.Uint32(rest)), rest[4:]
		}
		if n > int64(len(rest)) {
			return fail(container.ErrLength, fmt.Sprintf("the value of %q does not fit the properties", c.Name), ranged.Bytes(n), fmt.Sprintf("at most %d", len(rest)))
		}
		list = append(list, Property{c, rest[:n:n]})
		p = rest[n:]
	}
	return list, nil
}

// Value returns the value as one of Go's: an integer or a float of its width, a bool, a string for text, JSON and
// moments, and []byte, a piece of the feature, for the rest.
func (p Property) Value() any {
	b := p.Bytes
	switch p.View.Type() {
	case fb.ColumnTypeByte:
		return int8(b[0])
	case fb.ColumnTypeUByte:
		return b[0]
	case fb.ColumnTypeBool:
		return b[0] != 0
	case fb.ColumnTypeShort:
		return int16(binary.LittleEndian.Uint16(b))
	case fb.ColumnTypeUShort:
		return binary.LittleEndian.Uint16(b)
	case fb.ColumnTypeInt:
		return int32(binary.LittleEndian.Uint32(b))
	case fb.ColumnTypeUInt:
		return binary.LittleEndian.Uint32(b)
	case fb.ColumnTypeLong:
		return int64(binary.LittleEndian.Uint64(b))
	case fb.ColumnTypeULong:
		return binary.LittleEndian.Uint64(b)
	case fb.ColumnTypeFloat:
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	case fb.ColumnTypeDouble:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case fb.ColumnTypeString, fb.ColumnTypeJSON, fb.ColumnTypeDateTime:
		return strings.Clone(string(b))
	}
	return b
}
