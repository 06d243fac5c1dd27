// Package rows decodes and writes the streams of rows that BenchmarkDecode and
// BenchmarkStream measure: the ways a program may hold a row, from not at all to
// an owned copy.
package rows

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/generated/bench"
	"github.com/fbverify/go/internal/inputs"
)

// A Way is a way of decoding a stream of rows. All of them verify every row.
type Way struct {
	Name string

	// Decode goes through a stream. It returns the sum of its rows, or, where
	// rows are not looked into, writes their bytes to out and returns 0.
	Decode func(stream []byte, out io.Writer) (uint64, error)

	// Copied is how many bytes are copied for the rows of a stream, counted
	// from the code and not measured: those that framing moves and those of
	// strings that are made.
	Copied func(stream []byte) (int, error)
}

// Ways are the ways of decoding, the cheapest first.
var Ways = []Way{
	{"pass_through", passThrough, framed},
	{"borrowed", borrowed, framed},
	{"owned", owned, framedAndStrings},
	{"dynamic", dynamically, framedAndStrings},
	{"dynamic_by_name", byName, framedAndStrings},
}

// WayNamed returns the way of that name.
func WayNamed(name string) Way {
	for _, w := range Ways {
		if w.Name == name {
			return w
		}
	}
	panic("rows: no way " + name)
}

// reader is the Reader of all ways: no row outlives the next, so one buffer
// serves them all.
func reader(stream []byte) *fbverify.Reader {
	return fbverify.NewReader(bytes.NewReader(stream), bench.Row{}.FlatBuffersType(), &fbverify.ReaderOptions{ReuseUnchecked: true})
}

// passThrough hands each row's message on.
func passThrough(stream []byte, out io.Writer) (uint64, error) {
	return 0, each(stream, func(message []byte) error {
		_, err := out.Write(message)
		return err
	})
}

// each hands each message of a stream on.
func each(stream []byte, use func(message []byte) error) error {
	r := reader(stream)
	for {
		message, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := use(message); err != nil {
			return err
		}
	}
}

// borrowed reads each row into a struct whose strings are the stream's bytes.
func borrowed(stream []byte, _ io.Writer) (uint64, error) {
	return eachBorrowed(stream, (*inputs.Row).Sum)
}

// eachBorrowed adds up what use makes of each row, which is gone when the next
// is decoded.
func eachBorrowed(stream []byte, use func(*inputs.Row) uint64) (uint64, error) {
	r := reader(stream)
	var row inputs.Row
	sum := uint64(0)
	for {
		verified, err := fbverify.Next[bench.Row](r)
		if err == io.EOF {
			return sum, nil
		}
		if err != nil {
			return 0, err
		}
		v := verified.Root()
		row = inputs.Row{
			ID: v.ID(), At: v.At(), Price: v.Price(), Quantity: v.Quantity(), Side: uint8(v.Side()),
			Symbol: v.Symbol(), Venue: v.Venue(), Note: v.Note(),
		}
		sum += use(&row)
	}
}

// owned unpacks each row into a struct of its own.
func owned(stream []byte, _ io.Writer) (uint64, error) { return eachOwned(stream, sumOwned) }

func sumOwned(row *bench.RowT) uint64 {
	return inputs.RowSum(row.ID, row.At, row.Price, row.Quantity, uint8(row.Side), row.Symbol, row.Venue, row.Note)
}

func eachOwned(stream []byte, use func(*bench.RowT) uint64) (uint64, error) {
	r := reader(stream)
	sum := uint64(0)
	for {
		verified, err := fbverify.Next[bench.Row](r)
		if err == io.EOF {
			return sum, nil
		}
		if err != nil {
			return 0, err
		}
		sum += use(verified.Root().Unpack())
	}
}

// dynamically reads each row by field handles, as a program does that learned
// of the schema at run time: by position, as databases call it. Its strings are
// copies.
func dynamically(stream []byte, _ io.Writer) (uint64, error) {
	return eachDynamic(stream, (*inputs.Row).Sum)
}

func eachDynamic(stream []byte, use func(*inputs.Row) uint64) (uint64, error) {
	t := bench.Row{}.FlatBuffersType()
	object := dynamic.ObjectOf(t)
	field := func(name string) *dynamic.Field { return object.Field(name) }
	id, at, price, quantity, side := field("id"), field("at"), field("price"), field("quantity"), field("side")
	symbol, venue, note := field("symbol"), field("venue"), field("note")

	r := reader(stream)
	var row inputs.Row
	sum := uint64(0)
	for {
		message, err := r.Next()
		if err == io.EOF {
			return sum, nil
		}
		if err != nil {
			return 0, err
		}
		v := dynamic.RootUnchecked(t, message, fbverify.SizePrefixed).Root() // the Reader has verified it
		row = inputs.Row{
			ID: v.Uint(id), At: v.Int(at), Price: v.Float(price), Quantity: uint32(v.Uint(quantity)), Side: uint8(v.Uint(side)),
			Symbol: v.String(symbol), Venue: v.String(venue), Note: v.String(note),
		}
		sum += use(&row)
	}
}

// byName reads each row by the names of its fields, each looked up again, as a
// program does that keeps no handles. Its strings are copies.
func byName(stream []byte, _ io.Writer) (uint64, error) {
	return eachNamed(stream, (*inputs.Row).Sum)
}

func eachNamed(stream []byte, use func(*inputs.Row) uint64) (uint64, error) {
	t := bench.Row{}.FlatBuffersType()
	r := reader(stream)
	var row inputs.Row
	sum := uint64(0)
	for {
		message, err := r.Next()
		if err == io.EOF {
			return sum, nil
		}
		if err != nil {
			return 0, err
		}
		v := dynamic.RootUnchecked(t, message, fbverify.SizePrefixed).Root() // the Reader has verified it
		field := v.Object().Field
		row = inputs.Row{
			ID: v.Uint(field("id")), At: v.Int(field("at")), Price: v.Float(field("price")),
			Quantity: uint32(v.Uint(field("quantity"))), Side: uint8(v.Uint(field("side"))),
			Symbol: v.String(field("symbol")), Venue: v.String(field("venue")), Note: v.String(field("note")),
		}
		sum += use(&row)
	}
}

// framed is what the Reader moves into its own buffer.
func framed(stream []byte) (int, error) { return len(stream), nil }

func framedAndStrings(stream []byte) (int, error) {
	copied := len(stream)
	r := reader(stream)
	for verified, err := range fbverify.Messages[bench.Row](r) {
		if err != nil {
			return 0, err
		}
		v := verified.Root()
		copied += len(v.Symbol()) + len(v.Venue()) + len(v.Note())
	}
	return copied, nil
}

// Prove returns the sum of the rows of a stream as way comes to it. A way that
// does not look into rows is held to the bytes it hands on, and comes to their
// sum.
func (w Way) Prove(stream []byte) (uint64, error) {
	var out bytes.Buffer
	sum, err := w.Decode(stream, &out)
	if err != nil || out.Len() == 0 {
		return sum, err
	}
	if !bytes.Equal(out.Bytes(), stream) {
		return 0, errors.New("rows: what was handed on is not what came in")
	}
	return borrowed(out.Bytes(), nil)
}

// ProveAll returns the sum of the first count rows, once all ways have come to
// it from the stream.
func ProveAll(stream []byte, count int) (uint64, error) {
	want := inputs.RowsSum(count)
	for _, w := range Ways {
		got, err := w.Prove(stream)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", w.Name, err)
		}
		if got != want {
			return 0, fmt.Errorf("rows: %s comes to the sum %#x, and %d rows have %#x", w.Name, got, count, want)
		}
	}
	return want, nil
}

// Count is a writer that counts bytes and forgets them.
type Count int64

func (c *Count) Write(p []byte) (int, error) {
	*c += Count(len(p))
	return len(p), nil
}
