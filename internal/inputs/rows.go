package inputs

import (
	flatbuffers "github.com/google/flatbuffers/go"
)

// Slots of the table bench.Row.
const (
	rowID = iota
	rowAt
	rowPrice
	rowQuantity
	rowSide
	rowSymbol
	rowVenue
	rowNote
	rowFields
)

// A Row is one row of the streams that are decoded, as plain Go.
type Row struct {
	ID       uint64
	At       int64
	Price    float64
	Quantity uint32
	Side     uint8
	Symbol   string
	Venue    string
	Note     string
}

var (
	symbols = []string{"ACME", "BOLT", "CRUX", "DELTA", "EMBER", "FJORD", "GLYPH", "HELIX", "INDIGO", "JUNO"}
	venues  = []string{"Amsterdam", "Frankfurt", "Hong Kong", "London", "New York", "São Paulo", "Zürich", "東京"}
	notes   = []string{"", "", "", "partial fill, remainder at the close", "client asked for best execution", "überprüft"}
)

// RowAt returns row i: a trade a millisecond or so after the one before.
func RowAt(i int) Row {
	r := rng(uint64(i))
	return Row{
		ID:       uint64(i) + 1,
		At:       1_700_000_000_000_000_000 + int64(i)*1_000_000 + r.Int64N(1_000_000),
		Price:    float64(r.IntN(1_000_000)+1) / 128,
		Quantity: r.Uint32N(10_000) + 1,
		Side:     uint8(i & 1),
		Symbol:   symbols[r.IntN(len(symbols))],
		Venue:    venues[r.IntN(len(venues))],
		Note:     notes[r.IntN(len(notes))],
	}
}

// Build writes the row as a table into b. A note that is empty is left out.
func (row *Row) Build(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	symbol, venue := b.CreateString(row.Symbol), b.CreateString(row.Venue)
	var note flatbuffers.UOffsetT
	if row.Note != "" {
		note = b.CreateString(row.Note)
	}
	b.StartObject(rowFields)
	b.PrependFloat64Slot(rowPrice, row.Price, 0)
	b.PrependInt64Slot(rowAt, row.At, 0)
	b.PrependUint64Slot(rowID, row.ID, 0)
	b.PrependUOffsetTSlot(rowNote, note, 0)
	b.PrependUOffsetTSlot(rowVenue, venue, 0)
	b.PrependUOffsetTSlot(rowSymbol, symbol, 0)
	b.PrependUint32Slot(rowQuantity, row.Quantity, 0)
	b.PrependByteSlot(rowSide, row.Side, 0)
	return b.EndObject()
}

// Sum returns a number that a reader of the row can compute from any form of
// it: every field has a part in it.
func (row *Row) Sum() uint64 {
	return RowSum(row.ID, row.At, row.Price, row.Quantity, row.Side, row.Symbol, row.Venue, row.Note)
}

// RowSum is Row.Sum of a row in parts. It is cheap on purpose, a few additions
// and the ends of each string, so that it does not hide what it takes to get at
// the parts.
func RowSum(id uint64, at int64, price float64, quantity uint32, side uint8, symbol, venue, note string) uint64 {
	return id + uint64(at) + uint64(price*128) + uint64(quantity)<<8 + uint64(side)<<40 +
		ends(symbol) + ends(venue)<<17 + ends(note)<<34
}

func ends(s string) uint64 {
	if s == "" {
		return 1
	}
	return uint64(s[0]) + uint64(s[len(s)-1])<<8 + uint64(len(s))<<16
}

// RowMessage returns row i as a message with root bench.Row.
func RowMessage(i int) []byte {
	b := flatbuffers.NewBuilder(512)
	row := RowAt(i)
	return finished(b, row.Build(b))
}

// Rows returns a stream of rows, each a size-prefixed message with root
// bench.Row.
func Rows(count int) []byte {
	var stream []byte
	b := flatbuffers.NewBuilder(512)
	for i := range count {
		b.Reset()
		row := RowAt(i)
		b.FinishSizePrefixed(row.Build(b))
		stream = append(stream, b.FinishedBytes()...)
	}
	return stream
}

// RowsSum returns the sum of the sums of the first count rows.
func RowsSum(count int) uint64 {
	sum := uint64(0)
	for i := range count {
		row := RowAt(i)
		sum += row.Sum()
	}
	return sum
}
