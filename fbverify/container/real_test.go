package container

import (
	"fmt"
	"strings"
	"testing"
)

// counts are the numbers of parts of each kind in real files, as other readers
// count them: pyarrow 26.0.1 the messages of its MessageReader and the batches of
// open_file, GDAL (pyogrio) the features, and for Vortex a walk of the layout
// written in Python for this table.
var counts = map[string]string{
	"arrow/valid/0.14.1-primitive_zerolength.arrow_file":          "schema 1, batch 3, footer 1",
	"arrow/valid/0.14.1-primitive_zerolength.stream":              "schema 1, batch 3",
	"arrow/valid/1.0.0-bigendian-primitive_zerolength.arrow_file": "schema 1, batch 3, footer 1",
	"arrow/valid/1.0.0-bigendian-primitive_zerolength.stream":     "schema 1, batch 3",
	"arrow/valid/1.0.0-custom_metadata.arrow_file":                "schema 1, batch 1, footer 1",
	"arrow/valid/1.0.0-custom_metadata.stream":                    "schema 1, batch 1",
	"arrow/valid/1.0.0-dictionary.arrow_file":                     "schema 1, dictionary 3, batch 2, footer 1",
	"arrow/valid/1.0.0-dictionary.stream":                         "schema 1, dictionary 3, batch 2",
	"arrow/valid/1.0.0-extension.arrow_file":                      "schema 1, dictionary 1, batch 2, footer 1",
	"arrow/valid/1.0.0-extension.stream":                          "schema 1, dictionary 1, batch 2",
	"arrow/valid/2.0.0-lz4.arrow_file":                            "schema 1, batch 2, footer 1",
	"arrow/valid/2.0.0-lz4.stream":                                "schema 1, batch 2",
	"arrow/valid/2.0.0-zstd.arrow_file":                           "schema 1, batch 2, footer 1",
	"arrow/valid/2.0.0-zstd.stream":                               "schema 1, batch 2",
	"arrow/dictionary-delta.arrows":                               "schema 1, dictionary 2, batch 2",
	"arrow/dictionary-replaced.arrows":                            "schema 1, dictionary 2, batch 2",
	"arrow/dictionary.arrow":                                      "schema 1, dictionary 2, batch 2, footer 1",
	"arrow/legacy.arrow":                                          "schema 1, batch 2, footer 1",
	"arrow/legacy.arrows":                                         "schema 1, batch 2",
	"arrow/no-batches.arrow":                                      "schema 1, footer 1",
	"arrow/wide.arrow":                                            "schema 1, batch 1, footer 1",
	"arrow/batch.message":                                         "batch 1",
	"arrow/tensor.message":                                        "tensor 1",
	"arrow/v1.feather":                                            "metadata 1",
	"flatgeobuf/alldatatypes.fgb":                                 "header 1, feature 1",
	"flatgeobuf/empty.fgb":                                        "header 1",
	"flatgeobuf/heterogeneous.fgb":                                "header 1, feature 3",
	"flatgeobuf/poly00.fgb":                                       "header 1, feature 10",
	"flatgeobuf/unknown_feature_count.fgb":                        "header 1, feature 1",
	"flatgeobuf/gdal-points-indexed.fgb":                          "header 1, feature 60",
	"flatgeobuf/gdal-polygons-indexed.fgb":                        "header 1, feature 12",
	"flatgeobuf/gdal-empty.fgb":                                   "header 1",
	"flatgeobuf/js-points.fgb":                                    "header 1, feature 25",
	"vortex/empty.vortex":                                         "dtype 1, layout 1, statistics 1, footer 1, postscript 1",
	"vortex/one.vortex":                                           "segment.array 2, dtype 1, layout 1, statistics 1, footer 1, postscript 1",
	"vortex/types.vortex":                                         "segment.array 34, dtype 1, layout 1, statistics 1, footer 1, postscript 1",
	"vortex/wide.vortex":                                          "segment.array 438, dtype 1, layout 1, statistics 1, footer 1, postscript 1",
	"tflite/person_detect.tflite":                                 "model 1",
	"tflite/weights-outside.tflite":                               "model 1",
	"schemas/tflite/tflite.bfbs":                                  "schema 1",
}

func TestEveryPartOfARealFileIsFound(t *testing.T) {
	files, corpus := realFiles(t), hasCorpus(t)
	for name, want := range counts {
		b, ok := files[name]
		if !ok && !corpus {
			continue // of the corpus
		}
		if !ok {
			t.Errorf("%s is not there", name)
			continue
		}
		parts, faults := list(mustOpen(t, b, nil))
		for _, e := range faults {
			t.Errorf("%s: %v", name, e)
		}
		if got := countKinds(parts); got != want {
			t.Errorf("%s has %s, want %s", name, got, want)
		}
	}
}

// countKinds counts parts by their names without numbers.
func countKinds(parts []Part) string {
	var order []string
	n := make(map[string]int)
	for _, p := range parts {
		kind, rest, ok := strings.Cut(p.Name, "[")
		if _, after, found := strings.Cut(rest, "]"); ok && found {
			kind += after
		}
		if n[kind]++; n[kind] == 1 {
			order = append(order, kind)
		}
	}
	var s []string
	for _, kind := range order {
		s = append(s, fmt.Sprint(kind, " ", n[kind]))
	}
	return strings.Join(s, ", ")
}

func TestARealFileHasNoFaultAndNoGap(t *testing.T) {
	for name, b := range realFiles(t) {
		checkFile(t, name, b, nil)
		f := mustOpen(t, b, nil)
		if d := f.Detection(); d.Confidence < Likely || d.Advice != "" {
			t.Errorf("%s: detected as %s with %d: %s", name, d.Format, d.Confidence, d)
		}
		if _, faults := list(f); len(faults) > 0 {
			t.Errorf("%s: %v", name, faults[0])
		}
		for r := range f.Regions() {
			if r.Kind == Gap {
				t.Errorf("%s: nothing says what the %d bytes at %d are for", name, r.Length, r.Offset)
			}
		}
	}
}

func TestEveryPartOfARealFileIsValid(t *testing.T) {
	for name, b := range realFiles(t) {
		f := mustOpen(t, b, nil)
		n := 0
		for p := range f.Parts() {
			n++
			if err := p.Verify(nil); err != nil {
				t.Errorf("%s: %s (%s): %v", name, p.Name, p.Root, err)
			}
		}
		if n == 0 {
			t.Errorf("%s has no parts", name)
		}
	}
}

func TestWeightsAfterAModelAreNoPartOfIt(t *testing.T) {
	f := mustOpen(t, realFiles(t)["tflite/weights-outside.tflite"], nil)
	var got []string
	for r := range f.Regions() {
		got = append(got, fmt.Sprintf("%s %s %d+%d", r.Kind, r.Name, r.Offset, r.Length))
	}
	parts, _ := list(f)
	if len(parts) != 1 || parts[0].Length >= f.Size() || len(got) < 2 || !strings.HasPrefix(got[len(got)-1], "data buffer[") {
		t.Errorf("regions %q", got)
	}
}

func TestAnArrowFileAndItsStreamHaveTheSameMessages(t *testing.T) {
	files := realFiles(t)
	pairs := 0
	if !hasCorpus(t) {
		t.Skip("the pairs are in the corpus")
	}
	for name, b := range files {
		stream, ok := strings.CutSuffix(name, ".arrow_file")
		if !ok {
			continue
		}
		pairs++
		inFile, _ := list(mustOpen(t, b, nil))
		inStream, _ := list(mustOpen(t, files[stream+".stream"], nil))
		if got, want := countKinds(inFile), countKinds(inStream)+", footer 1"; got != want {
			t.Errorf("%s has %s, its stream %s", name, got, want)
		}
	}
	if pairs == 0 {
		t.Error("there is no pair of a file and a stream")
	}
}
