package annotate_test

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/cmd/fbinspect/internal/annotate"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/internal/oracle"
)

// files calls f with every file of testdata and the corpus, the damaged ones included, and
// the types that it needs.
func files(t testing.TB, f func(path string, types *input.Types)) {
	t.Helper()
	flatbuffers := filepath.Join(oracle.RepoRoot(), "testdata", "flatbuffers")
	load := func(schema, root string) *input.Types {
		types, err := input.LoadTypes(schema, nil, root)
		if err != nil {
			t.Fatal(err)
		}
		return types
	}
	none, survey, archive := load("", ""), load(filepath.Join(flatbuffers, "survey.fbs"), ""), load(filepath.Join(flatbuffers, "archive.fbs"), "")
	corpus := filepath.Join(oracle.RepoRoot(), "..", "shared", "corpus")
	n := 0
	visit := func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "make" {
				return fs.SkipDir
			}
			return nil
		}
		types, base := none, filepath.Base(path)
		switch filepath.Ext(path) {
		case ".fbs", ".json", ".md", ".tsv":
			if !strings.Contains(path, "damaged") {
				return nil
			}
		case ".bin", ".stream", ".mon":
			types = survey
			google := filepath.Join(corpus, "schemas", "google")
			switch {
			case strings.Contains(base, "archive") || strings.Contains(base, "offset64"):
				types = archive
			case strings.Contains(path, "google") && base == "test_64bit.bin":
				types = load(filepath.Join(google, "test_64bit.bfbs"), "")
			case strings.Contains(path, "google") && filepath.Ext(path) == ".mon":
				types = load(filepath.Join(google, "monster_test.bfbs"), "")
			case strings.Contains(path, "google"):
				types = load(filepath.Join(google, "annotated_binary.bfbs"), "")
			}
		}
		n++
		f(path, types)
		return nil
	}
	if err := filepath.WalkDir(filepath.Join(oracle.RepoRoot(), "testdata"), visit); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(corpus); err == nil && info.IsDir() {
		if err := filepath.WalkDir(corpus, visit); err != nil {
			t.Fatal(err)
		}
	} else {
		t.Log("without the corpus beside the repository")
	}
	if n < 60 {
		t.Fatalf("only %d files", n)
	}
}

// TestEveryByteOfEveryFileIsInOneRow sums the rows, with and without a limit on elements.
func TestEveryByteOfEveryFileIsInOneRow(t *testing.T) {
	files(t, func(path string, types *input.Types) {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, limit := range []int{0, 1, 32} {
			src := input.FromBytes(path, content)
			text := &annotate.Text{W: io.Discard}
			at, told := int64(0), 0
			a := &annotate.Annotator{Types: types, Limit: limit, Hex: true}
			faults, err := a.Rows(context.Background(), src, func(r *annotate.Row) error {
				if r.Offset != at || r.Length <= 0 {
					t.Fatalf("%s: a row of %d bytes at %d, after byte %d", path, r.Length, r.Offset, at)
				}
				if want := content[at:min(at+64, at+r.Length)]; r.Bytes != hex.EncodeToString(want) {
					t.Fatalf("%s: the bytes at %d are %x and not %s", path, at, want, r.Bytes)
				}
				at += r.Length
				told += len(r.Faults)
				return text.Write(r)
			})
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			if at != int64(len(content)) {
				t.Errorf("%s: the rows end at %d of %d", path, at, len(content))
			}
			if told != faults && len(content) > 0 {
				t.Errorf("%s: %d faults, and rows tell of %d", path, faults, told)
			}
			if strings.Contains(path, "damaged") && faults == 0 && !strings.Contains(path, "unknown-tag") && !strings.Contains(path, "identifier-wrong") {
				t.Errorf("%s: no fault is told", path)
			}
		}
	})
}

func TestAnErrorOfTheReaderEndsTheRows(t *testing.T) {
	types, err := input.LoadTypes("", nil, "")
	if err != nil {
		t.Fatal(err)
	}
	src, err := input.OpenMapped(t.Context(), filepath.Join(oracle.RepoRoot(), "testdata", "tflite", "conv.tflite"))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	stop := errors.New("stop")
	rows := 0
	_, err = (&annotate.Annotator{Types: types}).Rows(context.Background(), src, func(*annotate.Row) error {
		rows++
		return stop
	})
	if err != stop || rows != 1 {
		t.Errorf("%d rows, error %v", rows, err)
	}
}
