package stats_test

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/fbverify/go/cmd/fbinspect/internal/annotate"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/stats"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/internal/oracle"
)

// TestSizesAddUp: every byte of a file counts once, whichever way the file is cut up.
func TestSizesAddUp(t *testing.T) {
	survey, err := input.LoadTypes(filepath.Join(oracle.RepoRoot(), "testdata", "flatbuffers", "survey.fbs"), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	none, err := input.LoadTypes("", nil, "")
	if err != nil {
		t.Fatal(err)
	}
	reports := 0
	visit := func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == "make" {
				return fs.SkipDir
			}
			return err
		}
		types := none
		if ext := filepath.Ext(path); ext == ".bin" || ext == ".stream" {
			types = survey
		}
		src, err := input.OpenMapped(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		r, err := stats.Of(context.Background(), &annotate.Annotator{Types: types}, src)
		if err != nil {
			return nil // of no known kind: verify says so
		}
		reports++
		var regions, kinds, byType, flatbuffers int64
		for _, s := range r.Regions {
			regions += s.Bytes
			if s.Name == "flatbuffer" {
				flatbuffers = s.Bytes
			}
		}
		for _, s := range r.Kinds {
			kinds += s.Bytes
		}
		for _, typ := range r.Types {
			byType += typ.Bytes
			var fields int64
			for _, f := range typ.Fields {
				fields += f.Bytes
			}
			if fields != typ.Bytes {
				t.Errorf("%s: the fields of %s have %d bytes of its %d", path, typ.Name, fields, typ.Bytes)
			}
		}
		if regions != src.Size || r.Size != src.Size {
			t.Errorf("%s: regions have %d bytes of %d", path, regions, src.Size)
		}
		if kinds > flatbuffers || kinds < flatbuffers && r.Faulty == 0 && len(r.Faults) == 0 {
			t.Errorf("%s: spans have %d bytes, the FlatBuffers %d", path, kinds, flatbuffers)
		}
		if byType+r.Other != kinds {
			t.Errorf("%s: types have %d bytes and others %d, of %d", path, byType, r.Other, kinds)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		r.Write(io.Discard, ui.Style{}, false)
		r.Write(io.Discard, ui.Style{}, true)
		return nil
	}
	if err := filepath.WalkDir(filepath.Join(oracle.RepoRoot(), "testdata"), visit); err != nil {
		t.Fatal(err)
	}
	if corpus := filepath.Join(oracle.RepoRoot(), "..", "shared", "corpus"); isDir(corpus) {
		if err := filepath.WalkDir(corpus, visit); err != nil {
			t.Fatal(err)
		}
	}
	if reports < 60 {
		t.Errorf("only %d files were counted", reports)
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
