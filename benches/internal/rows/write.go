package rows

import (
	"encoding/json"
	"io"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/generated/bench"
	"github.com/fbverify/go/internal/inputs"
	flatbuffers "github.com/google/flatbuffers/go"
)

// WriteStreaming writes the rows to w through a Writer, in the memory of its
// buffer.
func WriteStreaming(w io.Writer, rows []inputs.Row) error {
	stream := fbverify.NewWriter(w, nil)
	for i := range rows {
		if err := stream.Finish(rows[i].Build(stream.Builder())); err != nil {
			return err
		}
	}
	return stream.Close()
}

// WriteAllThenSend gathers the same stream in memory, of which it knows the size in
// bytes, and writes it at once.
func WriteAllThenSend(w io.Writer, rows []inputs.Row, size int) error {
	stream := make([]byte, 0, size)
	b := flatbuffers.NewBuilder(1024)
	for i := range rows {
		b.Reset()
		b.FinishSizePrefixed(rows[i].Build(b))
		stream = append(stream, b.FinishedBytes()...)
	}
	_, err := w.Write(stream)
	return err
}

// Texts are rows as JSON, which is how a program holds those whose schema it learned at
// run time.
func Texts(rows []inputs.Row) ([][]byte, error) {
	texts := make([][]byte, len(rows))
	for i, r := range rows {
		fields := map[string]any{
			"id": r.ID, "at": r.At, "price": r.Price, "quantity": r.Quantity, "side": r.Side,
			"symbol": r.Symbol, "venue": r.Venue,
		}
		if r.Note != "" {
			fields["note"] = r.Note
		}
		text, err := json.Marshal(fields)
		if err != nil {
			return nil, err
		}
		texts[i] = text
	}
	return texts, nil
}

// WriteDynamic writes rows that are JSON to w through a Writer: each is encoded by its
// schema, into a buffer of its own.
func WriteDynamic(w io.Writer, texts [][]byte) error {
	t := bench.Row{}.FlatBuffersType()
	stream := fbverify.NewWriter(w, nil)
	for _, text := range texts {
		message, err := dynamic.EncodeJSON(t, text, nil)
		if err == nil {
			err = stream.WriteMessage(message)
		}
		if err != nil {
			return err
		}
	}
	return stream.Close()
}

// Make returns the first count rows.
func Make(count int) []inputs.Row {
	rows := make([]inputs.Row, count)
	for i := range rows {
		rows[i] = inputs.RowAt(i)
	}
	return rows
}
