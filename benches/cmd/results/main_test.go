package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/benches/internal/record"
)

var (
	records = filepath.Join("..", "..", "results")
	file    = filepath.Join("..", "..", "RESULTS.md")
)

func TestResultsAreWhatTheRecordsGive(t *testing.T) {
	var stderr bytes.Buffer
	if code := run([]string{"--check", "--records", records, "--file", file}, &stderr); code != 0 {
		t.Errorf("exit status %d: %s", code, &stderr)
	}
}

func TestWhatWasMissedSaysWhy(t *testing.T) {
	f, err := record.Open(records)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range unexplained(f) {
		t.Errorf("%s, against %s: no word of why", m.what, m.against)
	}
}

// copyOf returns a copy of the text and of the records that may be changed.
func copyOf(t *testing.T) (name, dir string) {
	t.Helper()
	dir = t.TempDir()
	name = filepath.Join(dir, "RESULTS.md")
	put := func(from, to string) {
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	put(file, name)
	sections, err := filepath.Glob(filepath.Join(records, "*.jsonl"))
	if err != nil || len(sections) == 0 {
		t.Fatal("no records", err)
	}
	for _, s := range sections {
		put(s, filepath.Join(dir, filepath.Base(s)))
	}
	return name, dir
}

func TestAnotherRecordGivesAnotherTable(t *testing.T) {
	name, dir := copyOf(t)
	row := `{"work":"root/Layout/1x8","ours":"checked","peer":"rust","ratio":0.4321,"rounds":11,"agree":11,"separable":true,"low":0.43,"high":0.44,"noise":0.01,"ours_ns":100,"peer_ns":231,"bytes":2000,"tables":10}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "root.jsonl"), []byte(`{"about":{"cpu":"Abacus 9"}}`+"\n"+row), 0o666); err != nil {
		t.Fatal(err)
	}
	if code := run([]string{"--check", "--records", dir, "--file", name}, io.Discard); code != 1 {
		t.Errorf("--check: exit status %d", code)
	}
	if code := run([]string{"--records", dir, "--file", name}, io.Discard); code != 0 {
		t.Fatalf("exit status %d", code)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| checked root, Layout 1x8 | Rust crate | 1/4 |  | 0.43 (1/2.3) | **missed** |",
		"- checked root, Layout 1x8, against Rust crate: ",
		"| checked root, Layout 1024x32 | Rust crate | 1/5 | 1/10 | not recorded | not shown |",
		"| Layout 1x8 | 2 KB | 10 | 100 ns | 10.0 | 20.0 | 0.43 (1/2.3) | not recorded |",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q", want)
		}
	}
	if code := run([]string{"--check", "--records", dir, "--file", name}, io.Discard); code != 0 {
		t.Errorf("the second time something changes: exit status %d", code)
	}
}

// TestNothingIsWrittenWhereSomethingIsWrong damages records and markers.
func TestNothingIsWrittenWhereSomethingIsWrong(t *testing.T) {
	for what, damage := range map[string]func(t *testing.T, name, dir string){
		"a line that is no JSON": func(t *testing.T, _, dir string) { add(t, filepath.Join(dir, "root.jsonl"), "{") },
		"a second beginning":     func(t *testing.T, _, dir string) { add(t, filepath.Join(dir, "root.jsonl"), `{"about":{}}`) },
		"a row of nothing":       func(t *testing.T, _, dir string) { add(t, filepath.Join(dir, "root.jsonl"), `{}`) },
		"a row that contradicts itself": func(t *testing.T, _, dir string) {
			add(t, filepath.Join(dir, "root.jsonl"), `{"work":"a","separable":true,"ratio":null}`)
		},
		"a section without a beginning": func(t *testing.T, _, dir string) { add(t, filepath.Join(dir, "new.jsonl"), `{"work":"a"}`) },
		"an empty section":              func(t *testing.T, _, dir string) { add(t, filepath.Join(dir, "new.jsonl"), "") },
		"a table too many":              func(t *testing.T, name, _ string) { add(t, name, "<!-- begin more -->\n<!-- end more -->") },
		"a table twice":                 func(t *testing.T, name, _ string) { add(t, name, "<!-- begin root -->\n<!-- end root -->") },
	} {
		name, dir := copyOf(t)
		damage(t, name, dir)
		before, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		if code := run([]string{"--records", dir, "--file", name}, &stderr); code != 2 || stderr.Len() == 0 {
			t.Errorf("%s: exit status %d: %s", what, code, &stderr)
		}
		if after, err := os.ReadFile(name); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: the file was changed, %v", what, err)
		}
	}
}

// add adds text to a file.
func add(t *testing.T, name, text string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if text != "" {
		text += "\n"
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestARatioThatIsNotSeparableIsHeldByItsBounds(t *testing.T) {
	near := &record.Folder{Sections: []*record.Section{{Rows: []record.Row{
		{Work: "a", Peer: "b", Within: &[2]float64{0.97, 1.04}}, {Work: "few", Peer: "b"},
	}}}}
	for _, c := range []struct {
		work string
		must float64
		want string
	}{
		{"a", 1.3, "reached"}, {"a", 1.04, "reached"}, {"a", 1, "not shown"}, {"a", 0.9, "**missed**"}, {"few", 9, "not shown"},
	} {
		target := target{measure: ratio(c.work, "b"), must: c.must}
		if got := target.verdict(target.measure(near)); got != c.want {
			t.Errorf("%s, at most %v: %s, want %s", c.work, c.must, got, c.want)
		}
	}
}

func TestTargetsThatNobodyMeasuredAreNotShown(t *testing.T) {
	for i := range targets {
		target := &targets[i]
		r := target.measure(&record.Folder{})
		if got := target.verdict(r); got != "not shown" || target.missed(r) {
			t.Errorf("%s: %s", target.what, got)
		}
	}
}

func TestWrongUseIsExplained(t *testing.T) {
	for _, args := range [][]string{{"--nope"}, {"here"}, {"--file", filepath.Join(t.TempDir(), "none"), "--records", records}} {
		var stderr bytes.Buffer
		if code := run(args, &stderr); code != 2 || stderr.Len() == 0 {
			t.Errorf("%q: exit status %d", args, code)
		}
	}
}
