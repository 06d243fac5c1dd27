package rows

import (
	"io"

	"github.com/fbverify/go/fbverify"
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

// Make returns the first count rows.
func Make(count int) []inputs.Row {
	rows := make([]inputs.Row, count)
	for i := range rows {
		rows[i] = inputs.RowAt(i)
	}
	return rows
}
