package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
)

// TestNoVerbIsSilentOrPanicsOnDamagedFiles runs each verb that reads data on each file with
// something wrong: it works on what is sound or says why not.
func TestNoVerbIsSilentOrPanicsOnDamagedFiles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(oracle.RepoRoot(), "testdata", "damaged", "*"))
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	if fuzz, err := filepath.Glob(filepath.Join(oracle.RepoRoot(), "..", "shared", "corpus", "*", "fuzz*", "*")); err == nil {
		files = append(files, fuzz...)
	}
	page := filepath.Join(t.TempDir(), "page.html")
	for _, file := range files {
		var schema []string
		if ext := filepath.Ext(file); ext == ".bin" || ext == ".stream" {
			schema = []string{"--schema", filepath.Join(oracle.RepoRoot(), "testdata", "flatbuffers", "survey.fbs")}
		}
		for _, verb := range [][]string{
			{"verify", "--all"}, {"verify", "--json"}, {"verify", "--strict", "--no-utf8", "--no-alignment"},
			{"dump"}, {"dump", "--json"}, {"dump", "--partial"}, {"dump", "--partial", "--json"}, {"dump", "--partial", "--json", "--path", "*"},
			{"annotate"}, {"annotate", "--json"}, {"stats"}, {"stats", "--json"}, {"html", "-o", page},
		} {
			args := append(append(append([]string{}, verb...), schema...), file)
			code, stdout, stderr := command(t, args...)
			if stdout == "" && stderr == "" && code != 0 {
				t.Errorf("%v: exit code %d and not a word", args, code)
			}
			if code != 0 && code != 1 && code != 2 {
				t.Errorf("%v: exit code %d", args, code)
			}
			if slices.Contains(verb, "--json") {
				for line := range strings.Lines(stdout) {
					if !json.Valid([]byte(line)) {
						t.Errorf("%v: a line is no JSON: %.200s", args, line)
						break
					}
				}
			}
			if strings.Contains(stdout+stderr, "internal in ") || strings.Contains(stderr, "panic") {
				t.Errorf("%v: %s%s", args, stdout, stderr)
			}
		}
	}
}

// TestRandomDamageOfContainersIsSurvived overwrites bytes of real files at random and runs
// the verbs that follow positions in them.
func TestRandomDamageOfContainersIsSurvived(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	file, page := filepath.Join(dir, "damaged"), filepath.Join(dir, "page.html")
	for _, name := range []string{"vortex/one.vortex", "arrow/plain.arrow", "arrow/legacy.arrows", "arrow/v1.feather", "tflite/weights-outside.tflite", "flatgeobuf/js-mixed.fgb", "flatbuffers/survey.bfbs"} {
		original, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "testdata", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			b := bytes.Clone(original)
			for range 1 + random.IntN(6) {
				at := random.IntN(len(b))
				for i := at; i < min(at+1+random.IntN(4), len(b)); i++ {
					b[i] = []byte{0, 0xff, 0x7f, 0x80, byte(random.IntN(256))}[random.IntN(5)]
				}
			}
			if random.IntN(4) == 0 {
				b = b[:random.IntN(len(b))]
			}
			if err := os.WriteFile(file, b, 0o644); err != nil {
				t.Fatal(err)
			}
			for _, verb := range [][]string{{"verify", "--all"}, {"dump", "--partial"}, {"annotate"}, {"stats"}, {"html", "-o", page}, {"diff", file}} {
				if code, _, stderr := command(t, append(verb, file)...); code > 2 {
					t.Fatalf("%s: %v: exit code %d: %s", name, verb, code, stderr)
				}
			}
		}
	}
}
