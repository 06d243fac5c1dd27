package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/cmd/fbinspect/internal/verdict"
	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema/formats"
)

// command runs fbinspect in this process.
func command(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(args, &out, &err)
	return code, out.String(), err.String()
}

// TestVerdictsOfTheCorpus holds verify to the table of verdicts, by default and with --strict,
// with no flags but the schema and the root type.
func TestVerdictsOfTheCorpus(t *testing.T) {
	corpus := oracle.Corpus(t)
	f, err := os.Open(filepath.Join(corpus, "verdicts.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table := csv.NewReader(f)
	table.Comma = '\t'
	rows, err := table.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	for _, row := range rows[1:] {
		get := func(name string) string { return row[column[name]] }
		file := filepath.Join(corpus, filepath.FromSlash(get("file")))
		schema := filepath.Join(corpus, filepath.FromSlash(get("schema")))
		for _, mode := range []struct {
			flag, want string
		}{{"", get("expected")}, {"--strict", get("expected_strict")}} {
			if mode.want == "-" {
				continue
			}
			t.Run(get("file")+mode.flag, func(t *testing.T) {
				args := []string{"verify", "--schema", schema, "--root", get("root"), file}
				if mode.flag != "" {
					args = append(args, mode.flag)
				}
				code, stdout, stderr := command(t, args...)
				want := map[string]int{"valid": 0, "invalid": 1}[mode.want]
				if code != want {
					t.Errorf("exit code %d, want %d\n%s%s", code, want, stdout, stderr)
				}
				if mode.want == "invalid" && !strings.Contains(stdout, "offset  ") {
					t.Errorf("no offset is told:\n%s", stdout)
				}
			})
		}
	}
}

// realFiles are the files of the known formats that real writers made.
func realFiles(t testing.TB) []string {
	t.Helper()
	var files []string
	collect := func(dir string) {
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				t.Fatal(err)
			}
			if d.IsDir() {
				switch d.Name() {
				case "mcap", "wide": // of no format that is known without help; packed
					return fs.SkipDir
				case "damaged", "fuzz", "make", "malformed", "google", "node_modules":
					if filepath.Base(filepath.Dir(path)) != "schemas" {
						return fs.SkipDir
					}
				}
				return nil
			}
			switch {
			case strings.HasPrefix(d.Name(), "fuzz-"):
			case filepath.Base(filepath.Dir(path)) == "flatbuffers" && filepath.Ext(path) != ".bfbs":
			case d.Name() == "README.md" || d.Name() == "verdicts.tsv":
			case filepath.Base(filepath.Dir(path)) == "writers": // the programs that wrote the files below
			default:
				files = append(files, path)
			}
			return nil
		})
	}
	collect(filepath.Join(oracle.RepoRoot(), "testdata"))
	if corpus := filepath.Join(oracle.RepoRoot(), "..", "shared", "corpus"); exists(corpus) {
		collect(corpus)
	}
	if len(files) < 30 {
		t.Fatalf("only %d files found", len(files))
	}
	return files
}

// TestRealFilesAreValidWithoutFlags is the promise to a newcomer: any file of a known format
// can be verified with nothing but its name.
func TestRealFilesAreValidWithoutFlags(t *testing.T) {
	for _, file := range realFiles(t) {
		code, stdout, stderr := command(t, "verify", "--json", file)
		if code != 0 {
			t.Errorf("%s: exit code %d\n%s%s", file, code, stdout, stderr)
			continue
		}
		var r verdict.Result
		if err := json.Unmarshal([]byte(stdout), &r); err != nil {
			t.Errorf("%s: not JSON: %v", file, err)
			continue
		}
		if !r.Valid || len(r.Parts) == 0 {
			t.Errorf("%s: valid without a single part:\n%s", file, stdout)
		}
		for _, p := range r.Parts {
			if p.Tables == 0 || p.Type == "" || p.Length == 0 {
				t.Errorf("%s: part %+v says too little", file, p)
			}
		}
	}
}

// TestDamagedFilesAreRefusedWithAReason goes over files with one thing wrong each.
func TestDamagedFilesAreRefusedWithAReason(t *testing.T) {
	dir := filepath.Join(oracle.RepoRoot(), "testdata", "damaged")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	survey := filepath.Join(oracle.RepoRoot(), "testdata", "flatbuffers", "survey.fbs")
	archive := filepath.Join(oracle.RepoRoot(), "testdata", "flatbuffers", "archive.fbs")
	for _, e := range entries {
		args := []string{"verify"}
		switch {
		case strings.HasPrefix(e.Name(), "offset64-"):
			args = append(args, "--schema", archive)
		case filepath.Ext(e.Name()) == ".bin" || filepath.Ext(e.Name()) == ".stream":
			args = append(args, "--schema", survey)
		}
		code, stdout, stderr := command(t, append(args, filepath.Join(dir, e.Name()))...)
		want := 1
		if e.Name() == "unknown-tag.bin" || e.Name() == "identifier-wrong.bin" {
			want = 0
		}
		if code != want {
			t.Errorf("%s: exit code %d, want %d\n%s%s", e.Name(), code, want, stdout, stderr)
		}
		if want == 1 && !strings.Contains(stdout, "INVALID") {
			t.Errorf("%s: refused without a word\n%s%s", e.Name(), stdout, stderr)
		}
	}
}

// TestDumpsOfRealFilesEncodeToTheSameData: encode(dump(x)) dumps equal, for every FlatBuffer
// of every real file, and diff finds nothing between the two.
func TestDumpsOfRealFilesEncodeToTheSameData(t *testing.T) {
	dir := t.TempDir()
	for _, file := range realFiles(t) {
		code, stdout, stderr := command(t, "verify", "--json", file)
		if code != 0 {
			t.Fatalf("%s: %s%s", file, stdout, stderr)
		}
		var r verdict.Result
		if err := json.Unmarshal([]byte(stdout), &r); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range r.Parts {
			if i >= 12 {
				break // of many alike
			}
			original, copied, text := filepath.Join(dir, "original"), filepath.Join(dir, "copy"), filepath.Join(dir, "json")
			part := content[p.Offset : p.Offset+p.Length]
			types := []string{"--root", p.Type, "--schema", schemaFor(t, p.Type)}
			format := "raw"
			if r.Format == "flatgeobuf" {
				format = "size-prefixed"
			}
			if err := os.WriteFile(original, part, 0o644); err != nil {
				t.Fatal(err)
			}
			ok := func(args ...string) string {
				t.Helper()
				code, stdout, stderr := command(t, append(args, types...)...)
				if code != 0 {
					t.Fatalf("%s %s: %s: exit code %d\n%s%s", file, p.Name, args[0], code, stdout, stderr)
				}
				return stdout
			}
			if code, _, stderr := command(t, append([]string{"dump", "--json", "--format", format, original}, types...)...); code != 0 {
				// Bytes that are not text, where the schema lets them pass, are what JSON cannot hold.
				if verdict, _, _ := command(t, append([]string{"verify", "--format", format, original}, types...)...); verdict == 0 && strings.Contains(stderr, "so JSON cannot hold it") {
					continue
				}
			}
			before := ok("dump", "--json", "--format", format, original)
			if err := os.WriteFile(text, []byte(before), 0o644); err != nil {
				t.Fatal(err)
			}
			ok("encode", text, "-o", copied, "--format", format)
			// encode sorts keyed vectors, which not every writer did.
			_, strict, _ := command(t, append([]string{"verify", "--strict", "--format", format, original}, types...)...)
			if after := ok("dump", "--json", "--format", format, copied); after != before && !strings.Contains(strict, "unsorted in") {
				t.Errorf("%s %s: the copy dumps otherwise:\n%.500s\n%.500s", file, p.Name, before, after)
			}
			ok("diff", "--format", format, original, copied)
		}
	}
}

// schemaFor returns the known schema that has a root type.
func schemaFor(t *testing.T, root string) string {
	t.Helper()
	for _, k := range formats.All() {
		s, err := k.Load()
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range s.Objects {
			if o.Name == root {
				return k.Name
			}
		}
	}
	t.Fatalf("no known schema has %s", root)
	return ""
}
