package container

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
)

// judge returns the verdict on a whole file: the worst of its parts and of what is around them.
func judge(t testing.TB, f *File) (worst Verdict) {
	t.Helper()
	for p, err := range f.Findings() {
		if err != nil {
			worst = max(worst, err.(*Error).Severity.Verdict())
			continue
		}
		j, err := p.Judge(nil)
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		worst = max(worst, j.Verdict)
	}
	return worst
}

// TestFilesOfManyWriters: what is said of small files of many writers in many versions, as
// testdata/writers/run.py wrote them and their table down. None is damaged.
func TestFilesOfManyWriters(t *testing.T) {
	dir := filepath.Join(oracle.RepoRoot(), "testdata", "writers")
	table, err := os.ReadFile(filepath.Join(dir, "table.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	listed, writers := map[string]bool{}, map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		cell := strings.Split(line, "\t")
		writer, version, name, format, verdict := cell[0], cell[1], cell[2], cell[3], cell[4]
		listed[name] = true
		writers[writer+" "+version] = true
		t.Run(name, func(t *testing.T) {
			b := testFile(t, filepath.Join("writers", "files", name))
			f := mustOpen(t, b, nil)
			if got := judge(t, f); got.String() != verdict || f.Format().String() != format || got == Damaged {
				t.Errorf("it is %v, of format %v; want %s, %s", got, f.Format(), verdict, format)
			}
			strict := mustOpen(t, b, &Options{Strict: true})
			if verdict == "deviating" {
				faulty := false
				for p, err := range strict.Parts() {
					if err == nil {
						o := p.Preset
						o.NoExceptions = true
						err = p.Verify(&o)
					}
					faulty = faulty || err != nil
				}
				if !faulty {
					t.Error("it deviates, and to the letter it is sound")
				}
			}
			checkFile(t, name, b, nil)
		})
	}
	entries, err := os.ReadDir(filepath.Join(dir, "files"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !listed[e.Name()] {
			t.Errorf("%s is not in the table", e.Name())
		}
	}
	if len(writers) < 15 {
		t.Errorf("only %d writers and versions", len(writers))
	}
}

var mutants = flag.Int("mutants", 200, "how many mutants of each format are judged")

// TestMutantsOfEachContainerAreJudged: mutants of each format, of real files: bytes changed,
// pieces cut out, doubled, moved, numbers made large. Each gets a verdict: no panic, no error but
// of the format, and no part that is not what it says.
func TestMutantsOfEachContainerAreJudged(t *testing.T) {
	mutants := *mutants
	for format, names := range map[Format][]string{
		ArrowFile:   {"arrow/plain.arrow", "arrow/dictionary.arrow", "arrow/legacy.arrow", "writers/files/polars-2.1.0.arrow", "writers/files/polars-1.0.0.arrow", "writers/files/datafusion-55.0.0.arrow"},
		ArrowStream: {"arrow/plain.arrows", "arrow/dictionary-delta.arrows", "arrow/tensor.message", "writers/files/pyarrow-26.0.1-binary-metadata.arrows"},
		Feather:     {"arrow/v1.feather"},
		Vortex:      {"vortex/one.vortex", "writers/files/vortex-0.93.0.vortex", "writers/files/vortex-0.50.0.vortex"},
		TFLite:      {"tflite/conv.tflite", "tflite/weights-outside.tflite", "tflite/quantized.tflite"},
		FlatGeobuf:  {"flatgeobuf/js-mixed.fgb", "flatgeobuf/gdal-empty.fgb", "writers/files/pyogrio-0.13.0-indexed.fgb"},
		BFBS:        {"flatbuffers/archive.bfbs"},
		Stream:      {"flatbuffers/surveys.stream"},
	} {
		t.Run(format.String(), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(16, uint64(format)))
			verdicts := map[Verdict]int{}
			for i := range mutants {
				b := mutant(random, testFile(t, names[i%len(names)]))
				f, err := OpenBytes(b, &Options{Format: format})
				if err != nil {
					t.Fatal(err)
				}
				verdict := Sound
				for p, err := range f.Findings() {
					if err != nil {
						verdict = max(verdict, err.(*Error).Severity.Verdict())
					} else if format.KnowsTypes() {
						j, err := p.Judge(nil)
						if err != nil {
							t.Fatalf("mutant %d: %s: %v", i, p.Name, err)
						}
						if (j.Verdict == Damaged) != (j.Fault != nil) || (p.Verify(nil) == nil) != (j.Fault == nil) {
							t.Fatalf("mutant %d: %s is %v, with %v", i, p.Name, j.Verdict, j.Fault)
						}
						verdict = max(verdict, j.Verdict)
					}
				}
				verdicts[verdict]++
				if i%16 == 0 {
					checkFile(t, names[i%len(names)], b, &Options{Format: format})
				}
			}
			t.Logf("%d sound, %d deviating, %d damaged", verdicts[Sound], verdicts[Deviating], verdicts[Damaged])
			if verdicts[Damaged] < mutants/20 {
				t.Errorf("only %d of %d mutants are damaged: they test little", verdicts[Damaged], mutants)
			}
		})
	}
}

// mutant returns b with one to four changes.
func mutant(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + r.IntN(4) {
		if len(b) < 16 {
			return b
		}
		at := r.IntN(len(b))
		if r.IntN(2) == 0 { // most of what leads to the rest is near the ends
			at = min(len(b)-1, r.IntN(64))
			if r.IntN(2) == 0 {
				at = len(b) - 1 - at
			}
		}
		n := min(1+r.IntN(64), len(b)-at)
		switch r.IntN(8) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = byte(r.Uint32())
		case 2:
			for i := range min(8, n) {
				b[at+i] = 0xff
			}
		case 3:
			clear(b[at : at+n])
		case 4:
			b = append(b[:at], b[at+n:]...)
		case 5:
			b = append(b[:at+n], b[at:]...)
		case 6:
			copy(b[at:], b[r.IntN(len(b)):])
		default:
			b = b[:at]
		}
	}
	return b
}
