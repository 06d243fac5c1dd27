package readers_test

import (
	"bytes"
	"compress/gzip"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"testing"

	"github.com/fbverify/go/readers/arrow"
	"github.com/fbverify/go/readers/vortex"
)

// unzipped returns a file of testdata. testdata/writers/write_wide.py has Vortex and Arrow C++ write the wide ones.
func unzipped(t *testing.T, name string) []byte {
	t.Helper()
	z, err := os.ReadFile("../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(z))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTheColumnsOfAFileOfVortexTakeTwoReads(t *testing.T) {
	b := unzipped(t, "wide/columns-5000.vortex.gz")
	r := count(b)
	f, err := vortex.Open(ctx, r, int64(len(b)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(f.Columns()); n != 5000 || f.Rows() != 2 {
		t.Fatalf("%d columns of %d rows", n, f.Rows())
	}
	metadata := int64(0)
	for _, m := range f.Metadata() {
		metadata += m.Length
	}
	for _, c := range f.Columns() {
		chunks := c.Chunks()
		if c.Type != "i64?" || len(chunks) != 2 || chunks[0].Role != "data" || chunks[0].Length == 0 || chunks[1].Role != "zones" {
			t.Fatalf("%s %s %v", c.Name, c.Type, chunks)
		}
	}
	r.most(t, "the columns of a file that Vortex wrote", 2, metadata+64<<10+4<<10)
}

func TestTheBatchesOfAFileOfArrowTakeFewReads(t *testing.T) {
	const batches = 3
	b := unzipped(t, "wide/columns-5000.arrow.gz")
	r := count(b)
	f, err := arrow.Open(ctx, r, int64(len(b)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Schema().Fields) != 5000 || len(f.BatchBlocks()) != batches {
		t.Fatalf("%d columns, %d batches", len(f.Schema().Fields), len(f.BatchBlocks()))
	}
	r.most(t, "opening a file that Arrow C++ wrote", 2, f.FooterRange().Length+64<<10+4<<10)
	for batch, err := range f.Batches(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if len(batch.Columns()) != 5000 || batch.Rows != 2 {
			t.Errorf("%s: %d columns of %d rows", batch.Name, len(batch.Columns()), batch.Rows)
		}
	}
	r.most(t, "its batches", batches, batches*(f.BatchBlocks()[0].Message.Length+64))
}

// TestListsTakeThirtyLines: the examples, which list columns or tensors with their types and where their values are.
func TestListsTakeThirtyLines(t *testing.T) {
	const most = 30
	for _, name := range []string{"vortex", "arrow", "tflite"} {
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, name+"/example_test.go", nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == "Example" {
				found = true
				body := fn.Body.List
				lines := files.Position(body[len(body)-1].End()).Line - files.Position(body[0].Pos()).Line + 1
				t.Logf("%s: %d lines", name, lines)
				if lines > most {
					t.Errorf("%s: %d lines, and %d are to be enough", name, lines, most)
				}
			}
		}
		if !found {
			t.Errorf("%s has no example", name)
		}
	}
}
