package readers_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/readers/arrow"
	"github.com/fbverify/go/readers/flatgeobuf"
	"github.com/fbverify/go/readers/tflite"
	"github.com/fbverify/go/readers/vortex"
)

// TestReadersSayWhatTheFormatsOwnLibrariesSay compares with testdata/expected.json, which testdata/make.py writes with
// pyarrow, vortex-data, GDAL and the tflite package.
func TestReadersSayWhatTheFormatsOwnLibrariesSay(t *testing.T) {
	text, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected map[string][]string
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	for name, want := range expected {
		b, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "testdata", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		switch filepath.Ext(name) {
		case ".arrow", ".arrows":
			got, err = sayArrow(name, b)
		case ".vortex":
			got, err = sayVortex(b)
		case ".fgb":
			got, want, err = sayFlatGeobuf(b, want)
		case ".tflite":
			got, err = sayTFLite(b)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nthe format's own library says\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if len(expected) < 25 {
		t.Errorf("only %d files", len(expected))
	}
}

func sayArrow(name string, b []byte) (lines []string, err error) {
	say := func(s *arrow.Schema) {
		for i := range s.Fields {
			lines = append(lines, s.Fields[i].Name+": "+s.Fields[i].Type())
		}
	}
	batch := func(b *arrow.Batch) {
		if b.Dictionary {
			return
		}
		line := fmt.Sprintf("%d rows,", b.Rows)
		for _, c := range b.Columns() {
			if len(c.Buffers) > 0 && c.Buffers[0].Kind == arrow.Validity {
				line += fmt.Sprint(" ", c.Nulls)
			} else {
				line += " -"
			}
		}
		lines = append(lines, line)
	}
	if strings.HasSuffix(name, ".arrow") {
		f, err := arrow.OpenBytes(b, nil)
		if err != nil {
			return nil, err
		}
		say(f.Schema())
		for b, err := range f.Batches(ctx) {
			if err != nil {
				return nil, err
			}
			batch(b)
		}
		return lines, nil
	}
	s, err := arrow.OpenStream(ctx, bytes.NewReader(b), nil)
	if err != nil {
		return nil, err
	}
	say(s.Schema())
	for {
		b, err := s.Next(ctx)
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return nil, err
		}
		batch(b)
	}
}

func sayVortex(b []byte) ([]string, error) {
	f, err := vortex.OpenBytes(b, nil)
	if err != nil {
		return nil, err
	}
	var fields []string
	for _, c := range f.Columns() {
		fields = append(fields, c.Name+"="+c.Type)
		rows := map[string]uint64{} // of the column, or of each field that has layouts of its own
		for _, chunk := range c.Chunks() {
			if chunk.Role != "data" && chunk.Role != "codes" {
				continue
			}
			if chunk.FirstRow != rows[chunk.Field] {
				return nil, fmt.Errorf("a chunk of %s %s from row %d on comes after row %d", c.Name, chunk.Field, chunk.FirstRow, rows[chunk.Field])
			}
			rows[chunk.Field] += chunk.Rows
		}
		for field, n := range rows {
			if n != f.Rows() {
				return nil, fmt.Errorf("the chunks of %s %s have %d of %d rows", c.Name, field, n, f.Rows())
			}
		}
	}
	root, _ := f.DType()
	whole := "{" + strings.Join(fields, ", ") + "}"
	if got := vortex.TypeString(root.Root()); got != whole {
		return nil, fmt.Errorf("the type is %s, that of the columns %s", got, whole)
	}
	return []string{whole, fmt.Sprintf("%d rows", f.Rows())}, nil
}

// sayFlatGeobuf leaves out of want what GDAL finds in a file without an index, which this reader does not search.
func sayFlatGeobuf(b []byte, want []string) (got, left []string, err error) {
	f, err := flatgeobuf.OpenBytes(b, nil)
	if err != nil {
		return nil, nil, err
	}
	count, _ := f.Count()
	crs := f.CRS()
	if crs == "" {
		crs = "no crs"
	}
	var columns []string
	for _, c := range f.Columns() {
		columns = append(columns, c.Name)
	}
	got = []string{fmt.Sprintf("%d features, %s", count, crs), "columns " + strings.Join(columns, " ")}
	if !f.HasIndex() {
		return got, want[:2], nil
	}
	for _, line := range want[2:] {
		var box flatgeobuf.Box
		head, _, _ := strings.Cut(line, ": ")
		if _, err := fmt.Sscanf(head, "[%f, %f, %f, %f]", &box.MinX, &box.MinY, &box.MaxX, &box.MaxY); err != nil {
			return nil, nil, err
		}
		var found []string
		for ft, err := range f.Search(ctx, box) {
			if err != nil {
				return nil, nil, err
			}
			found = append(found, fmt.Sprint(ft.Number))
		}
		got = append(got, head+": "+strings.Join(found, " "))
	}
	return got, want, nil
}

func sayTFLite(b []byte) (lines []string, err error) {
	m, err := tflite.OpenBytes(b, nil)
	if err != nil {
		return nil, err
	}
	list := func(numbers any) string { return strings.ReplaceAll(fmt.Sprint(numbers), " ", ", ") }
	for _, g := range m.Subgraphs() {
		for _, t := range g.Tensors() {
			weights, err := m.AppendTo(ctx, t.Weights, nil)
			if err != nil {
				return nil, err
			}
			lines = append(lines, fmt.Sprintf("%s %s %s %d %s", t.Name, t.View.Type(), list(t.Shape), len(weights), list(weights[:min(4, len(weights))])))
		}
		for _, op := range g.Operators() {
			lines = append(lines, fmt.Sprintf("%s %s %s", op.Name, list(op.Inputs), list(op.Outputs)))
		}
	}
	return lines, nil
}
