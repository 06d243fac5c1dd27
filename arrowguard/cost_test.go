package arrowguard_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// table writes a file or a stream with columns of numbers and texts in turn.
func table(t testing.TB, columns, rows, batches int, file bool) []byte {
	var fields []arrow.Field
	for i := range columns {
		typ := []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32}[i%4]
		fields = append(fields, arrow.Field{Name: fmt.Sprintf("column_%d", i), Type: typ, Nullable: i%3 == 0})
	}
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range columns {
		for row := range rows {
			switch b := b.Field(i).(type) {
			case *array.Int64Builder:
				b.Append(int64(row))
			case *array.Float64Builder:
				b.Append(float64(row))
			case *array.StringBuilder:
				b.Append("a text of a row")
			case *array.Int32Builder:
				b.Append(int32(row))
			}
		}
	}
	batch := b.NewRecordBatch()
	var out bytes.Buffer
	write := func(w interface {
		Write(arrow.RecordBatch) error
		Close() error
	}, err error) {
		for range batches {
			if err == nil {
				err = w.Write(batch)
			}
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if file {
		w, err := ipc.NewFileWriter(&out, ipc.WithSchema(schema))
		write(w, err)
	} else {
		write(ipc.NewWriter(&out, ipc.WithSchema(schema)), nil)
	}
	return out.Bytes()
}

// BenchmarkRead reads all batches of a file of 100 MB and 20 columns, and of one with 1,000
// columns and few rows, with a guard and without.
func BenchmarkRead(b *testing.B) {
	for _, size := range []struct {
		name                   string
		columns, rows, batches int
	}{{"large", 20, 1 << 16, 7}, {"wide", 1000, 4, 4}} {
		for i, w := range guarded {
			data := table(b, size.columns, size.rows, size.batches, w.file)
			for _, guard := range []bool{false, true} {
				read := unguarded[i].read
				if guard {
					read = w.read
				}
				b.Run(fmt.Sprintf("of=%s/as=%s/guard=%t", size.name, w.name, guard), func(b *testing.B) {
					b.SetBytes(int64(len(data)))
					b.ReportAllocs()
					for b.Loop() {
						batches, err := read(data)
						if err != nil || len(batches) != size.batches {
							b.Fatal(len(batches), err)
						}
						for _, r := range batches {
							r.Release()
						}
					}
				})
			}
		}
	}
}
