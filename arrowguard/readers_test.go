package arrowguard_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/fbverify/go/arrowguard"
	"github.com/fbverify/go/readers/arrow"
)

// What package readers/arrow gives out of a file as a stream is to arrow-go what the file is, batch
// by batch, and says as many rows and nulls of each column.
func TestAFileGivenOutAsAStreamIsReadTheSame(t *testing.T) {
	ctx := context.Background()
	files, batches := 0, 0
	for _, in := range inputs(t) {
		if !in.file {
			continue
		}
		f, err := arrow.OpenBytes(in.data, nil)
		if err != nil {
			t.Errorf("%s: %v", in.name, err)
			continue
		}
		whole, err := ipc.NewFileReader(bytes.NewReader(in.data))
		if err != nil {
			t.Logf("%s: arrow-go does not read it: %v", in.name, err)
			continue
		}
		files++
		stream, err := arrowguard.NewReader(f.Stream(ctx))
		if err != nil {
			t.Errorf("%s: %v", in.name, err)
			continue
		}
		if !whole.Schema().Equal(stream.Schema()) {
			t.Errorf("%s: the schema is %v, of the stream %v", in.name, whole.Schema(), stream.Schema())
		}
		for i := range whole.NumRecords() {
			want, err := whole.RecordBatchAt(i)
			if err != nil {
				t.Errorf("%s: %v", in.name, err)
				break
			}
			got, err := stream.Read()
			if err != nil {
				t.Errorf("%s, batch %d: %v", in.name, i, err)
				break
			}
			if !array.RecordEqual(want, got) {
				t.Errorf("%s, batch %d: %v, of the stream %v", in.name, i, want, got)
			}
			says, err := f.Batch(ctx, i)
			if err != nil {
				t.Errorf("%s, batch %d: %v", in.name, i, err)
				break
			}
			for c, data := range says.Columns() {
				a := want.Column(c)
				if int64(a.Len()) != data.Length || data.Nulls >= 0 && int64(a.NullN()) != data.Nulls && a.Data().Buffers()[0] != nil {
					t.Errorf("%s, batch %d, column %s: %d values and %d nulls, arrow-go has %d and %d", in.name, i, data.Field.Name, data.Length, data.Nulls, a.Len(), a.NullN())
				}
			}
			batches++
			want.Release()
		}
		if _, err := stream.Read(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: after the last batch: %v", in.name, err)
		}
		stream.Release()
		whole.Close()
	}
	if files < 10 || batches < 15 {
		t.Errorf("only %d files with %d batches", files, batches)
	}
}
