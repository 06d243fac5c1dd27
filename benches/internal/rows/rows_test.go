package rows

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/inputs"
)

func TestAllWaysDecodeTheSameRows(t *testing.T) {
	for _, count := range []int{0, 1, 1000} {
		if _, err := ProveAll(inputs.Rows(count), count); err != nil {
			t.Errorf("%d rows: %v", count, err)
		}
	}
}

// TestAChangedRowIsNoticed changes one number in one row.
func TestAChangedRowIsNoticed(t *testing.T) {
	stream := inputs.Rows(100)
	at := bytes.LastIndex(stream, []byte{99, 0, 0, 0, 0, 0, 0, 0}) // the id of the last but one
	if at < 0 {
		t.Fatal("no row has the id 99")
	}
	stream[at]++
	if _, err := ProveAll(stream, 100); err == nil {
		t.Error("a changed row went unnoticed")
	}
}

func TestBothWaysOfWritingWriteTheSame(t *testing.T) {
	rows := Make(500)
	var streamed, gathered bytes.Buffer
	if err := WriteStreaming(&streamed, rows); err != nil {
		t.Fatal(err)
	}
	if err := WriteAllThenSend(&gathered, rows, 0); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(streamed.Bytes(), gathered.Bytes()) {
		t.Error("the streams differ")
	}
	if !bytes.Equal(gathered.Bytes(), inputs.Rows(500)) {
		t.Error("the stream is not the one that is decoded")
	}
}

func TestCopiedCountsStrings(t *testing.T) {
	stream := inputs.Rows(50)
	text := 0
	for _, row := range Make(50) {
		text += len(row.Symbol) + len(row.Venue) + len(row.Note)
	}
	for _, w := range Ways {
		want := len(stream)
		if w.Name == "owned" || strings.HasPrefix(w.Name, "dynamic") {
			want += text
		}
		if got, err := w.Copied(stream); err != nil || got != want {
			t.Errorf("%s: %d bytes, %v; want %d", w.Name, got, err, want)
		}
	}
}

// TestOnlyOwnedRowsAreAllocated counts what a thousand rows take.
func TestOnlyOwnedRowsAreAllocated(t *testing.T) {
	stream := inputs.Rows(1000)
	for name, limit := range map[string]float64{"pass_through": 0.05, "borrowed": 0.05, "owned": 4, "dynamic": 4, "dynamic_by_name": 4} {
		way := WayNamed(name)
		got := testing.AllocsPerRun(10, func() {
			if _, err := way.Decode(stream, io.Discard); err != nil {
				t.Fatal(err)
			}
		}) / 1000
		if got > limit {
			t.Errorf("%s: %v allocations a row, want at most %v", name, got, limit)
		}
	}
}
