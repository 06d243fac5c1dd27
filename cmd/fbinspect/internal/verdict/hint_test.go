package verdict_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/verdict"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/internal/oracle"
)

// TestHintsSayHowAFileCameToBeDamaged damages sound files as transfers and programs do.
func TestHintsSayHowAFileCameToBeDamaged(t *testing.T) {
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "testdata", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	arrow, vortex, model, survey := read("arrow/plain.arrow"), read("vortex/one.vortex"), read("tflite/selfie_segmentation.tflite"), read("flatbuffers/survey.bin")
	for _, c := range []struct {
		name    string
		content []byte
		hint    string
		width   int // bytes that are marked
	}{
		{"something was appended to an Arrow file", append(bytes.Clone(arrow), "more\n"...), "ARROW1 stands there, but 5 bytes before the end", 0},
		{"something was appended to a Vortex file", append(bytes.Clone(vortex), make([]byte, 512)...), "head -c 2260 FILE", 0},
		{"the end of an Arrow file is missing", arrow[:len(arrow)/2], "The end of the file is missing", 0},
		{"line ends were changed", bytes.ReplaceAll(model, []byte("\n"), []byte("\r\n")), "as if it had been sent as text and its line ends been changed", 4},
		{"it was sent as Latin-1", []byte(latin1(survey)), "each byte from 0x80 up was turned into two", 4},
		{"the end of a model is missing, a vtable with it", read("damaged/truncated.tflite"), "either the end of the data was cut off", 4},
		{"a root offset is odd", read("damaged/root-offset-odd.bin"), "These bytes were overwritten", 4},
		{"bytes were replaced by U+FFFD", []byte(strings.ToValidUTF8(string(read("tflite/conv.tflite")), "\uFFFD")), "each byte that is none was replaced by U+FFFD", 4},
		{"the type of a union is wrong", read("damaged/union-tag-wrong.bin"), "if that type was overwritten, sound bytes are taken for something else", 1},
		{"the root type is another", read("damaged/vtable-outside.bin"), "fbinspect schema find tries the known ones", 4},
		{"the size of a vtable is odd", read("damaged/vtable-size-odd.bin"), "overwritten", 2},
		{"a size prefix is too long", read("damaged/truncated.fgb"), "The end of the file is missing", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			survey := filepath.Join(oracle.RepoRoot(), "testdata", "flatbuffers", "survey.fbs")
			if f, err := container.OpenBytes(c.content, nil); err == nil && f.Format().KnowsTypes() {
				survey = "" // which would overrule that
			}
			types, err := input.LoadTypes(survey, nil, "")
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(file, c.content, 0o644); err != nil {
				t.Fatal(err)
			}
			checker := &verdict.Checker{Types: types}
			r := checker.Check(context.Background(), file, false, new(verdict.Scratch))
			faults := r.Errors
			for _, p := range r.Parts {
				faults = append(p.Errors, faults...)
			}
			if r.Valid || len(faults) == 0 {
				t.Fatalf("no fault is found: %+v", r)
			}
			if f := faults[0]; !strings.Contains(f.Hint, c.hint) || f.Width != c.width {
				t.Errorf("%d bytes are marked and the hint is %q; want %d and %q", f.Width, f.Hint, c.width, c.hint)
			}
		})
	}
}

// latin1 is what becomes of bytes that are taken for Latin-1 and written as UTF-8.
func latin1(b []byte) string {
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}
