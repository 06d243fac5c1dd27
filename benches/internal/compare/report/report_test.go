package report

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fbverify/go/benches/internal/compare/count"
	"github.com/fbverify/go/benches/internal/compare/session"
	"github.com/fbverify/go/internal/pair"
)

// measured is a benchmark whose head takes factor times as long as its base,
// each round off by up to the spread.
func measured(name string, factor, spread float64, rounds int) *session.Benchmark {
	b := &session.Benchmark{Name: name}
	for i := range rounds {
		off := math.Exp(spread * (float64(i%7) - 3) / 3)
		b.Base, b.Head = append(b.Base, 1000), append(b.Head, 1000*factor*off)
		if i%2 == 1 {
			b.Own = append(b.Own, math.Exp(0.001*float64(i%3-1)))
		}
	}
	rule := pair.Rule{Alpha: 0.05 / 5, Peeking: true}
	b.Verdict = pair.Judge(b.Ratios(), b.Own, rule)
	b.From, b.To = pair.Interval(b.Ratios(), rule)
	return b
}

func single(name, only string) *session.Benchmark { return &session.Benchmark{Name: name, Only: only} }

var aRun = Run{
	Base: Revision{Rev: "main", Commit: strings.Repeat("a", 40)}, Head: Revision{Rev: "worktree", Commit: strings.Repeat("b", 40), Modified: true},
	CPU: "A Processor", Pinned: []int{3}, Go: "go1.25.0", Platform: "linux/amd64", Threshold: 0.2, Level: 0.05,
	Budget: 10 * time.Minute, Used: 90 * time.Second,
}

func top(name string) string { suite, _, _ := strings.Cut(name, "/"); return suite }

func build(counts map[string]count.Counts, benchmarks ...*session.Benchmark) *Report {
	return New(&session.Outcome{Benchmarks: benchmarks, Length: 100 * time.Millisecond, Ended: "everything is decided"}, counts, aRun, top)
}

func TestVerdictsOfASuite(t *testing.T) {
	noisy := func(n string) *session.Benchmark { return measured("S/"+n, 1, 0.6, 20) }
	quiet := func(n string) *session.Benchmark { return measured("S/"+n, 1, 0.01, 20) }
	for _, c := range []struct {
		name       string
		benchmarks []*session.Benchmark
		counts     map[string]count.Counts
		want       string
		confidence float64 // -1 for none
	}{
		{"one slower", []*session.Benchmark{measured("S/a", 1.3, 0.01, 20), quiet("b")}, nil, Regression, 0.9999},
		{"one faster", []*session.Benchmark{measured("S/a", 0.7, 0.01, 20), quiet("b")}, nil, Improvement, 0.9999},
		{"one of each", []*session.Benchmark{measured("S/a", 0.7, 0.01, 20), measured("S/b", 1.4, 0.01, 20)}, nil, Regression, 0.9999},
		{"a little slower", []*session.Benchmark{measured("S/a", 1.1, 0.01, 20), quiet("b")}, nil, NoSignal, 1},
		{"quiet", []*session.Benchmark{quiet("a"), quiet("b"), noisy("c")}, nil, NoSignal, 2. / 3},
		{"noisy", []*session.Benchmark{quiet("a"), noisy("b"), noisy("c")}, nil, TooNoisy, 1. / 3},
		{"noisy, equal counts", []*session.Benchmark{noisy("a"), noisy("b")}, map[string]count.Counts{"S/a": {Base: 100, Head: 101}}, NoSignal, 0.5},
		{"noisy, more counted", []*session.Benchmark{noisy("a"), noisy("b")}, map[string]count.Counts{"S/a": {Base: 100, Head: 130}}, Regression, -1},
		{"noisy, fewer counted", []*session.Benchmark{noisy("a"), noisy("b")}, map[string]count.Counts{"S/a": {Base: 100, Head: 70}}, Improvement, -1},
		{"noisy, a little more counted", []*session.Benchmark{noisy("a"), noisy("b")}, map[string]count.Counts{"S/a": {Base: 100, Head: 110}}, TooNoisy, 0},
		{"clocks against counts", []*session.Benchmark{quiet("a"), quiet("b")}, map[string]count.Counts{"S/a": {Base: 100, Head: 130}}, NoSignal, 1},
		{"few rounds", []*session.Benchmark{measured("S/a", 3, 0.01, 8), measured("S/b", 3, 0.01, 8)}, nil, TooNoisy, 0},
		{"no rounds", []*session.Benchmark{measured("S/a", 3, 0.01, 0)}, nil, TooNoisy, 0},
		{"new only", []*session.Benchmark{single("S/a", "head")}, nil, NothingBoth, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := build(c.counts, c.benchmarks...)
			if len(r.Suites) != 1 || r.Suites[0].Verdict != c.want {
				t.Fatalf("got %+v, want %s", r.Suites, c.want)
			}
			got := -1.0
			if p := r.Suites[0].Confidence; p != nil {
				got = *p
			}
			if math.Abs(got-c.confidence) > 0.002 {
				t.Errorf("confidence %v, want %v", got, c.confidence)
			}
			for _, format := range Formats {
				var b bytes.Buffer
				if err := r.Write(&b, format); err != nil || b.Len() == 0 {
					t.Errorf("%s: %v", format, err)
				}
			}
		})
	}
}

func example() *Report {
	return build(map[string]count.Counts{"Read/e": {Base: 1000, Head: 1250}, "Read/d": {Base: 2000, Head: 2000}},
		measured("Root/a", 1.01, 0.01, 20), measured("Root/b", 1.5, 0.01, 20), measured("Root/c", 0.5, 0.01, 20),
		measured("Read/d", 1.1, 0.02, 20), measured("Read/e", 1, 0.6, 20), single("Read/f", "head"), single("Read/g", "base"))
}

func TestRowsCalledOutComeFirstAndTheWorstOfThemFirst(t *testing.T) {
	var got []string
	for _, row := range example().Benchmarks {
		got = append(got, row.Name)
	}
	if text := strings.Join(got, " "); text != "Root/b Read/e Root/c Read/d Root/a Read/f Read/g" {
		t.Errorf("order is %s", text)
	}
}

func TestMarkdownHasMarkerVerdictsAndFoldsTheRest(t *testing.T) {
	var b bytes.Buffer
	if err := example().Markdown(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	last := -1
	for _, want := range []string{
		Marker + "\n", "base aaaaaaaaaaaa against head bbbbbbbbbbbb with changes", "Evidence to review, not a verdict.",
		"- **Root**: regression, confidence ", "of 3 benchmarks 1 up, 1 down, 2 called out", "- **Read**: regression, by instruction counts",
		"1 new; 1 gone", "`Root/b`", "`Read/e`", "not separable", "1.250", "`Root/c`", "<details><summary>Everything else (4)", "`Read/d`", "`Root/a`", "`Read/f`",
		"</details>", "<details><summary>Where this comes from", "CPU: A Processor, pinned to processor 3", "go1.25.0", "rounds: 20 to 20 of 100ms each",
		"1m30s of a budget of 10m0s", "</details>",
	} {
		at := strings.Index(text[last+1:], want)
		if at < 0 {
			t.Fatalf("no %q where it should be in:\n%s", want, text)
		}
		last += 1 + at
	}
	if !strings.HasPrefix(text, Marker) {
		t.Error("the marker is not the first line")
	}
}

// TestNamesCannotChangeTheComment: they come from the code under review.
func TestNamesCannotChangeTheComment(t *testing.T) {
	for _, name := range []string{"S/a|b", "S/`x`", "S/</details>", "S/@everyone", "S/<!--", "S/a\nb"} {
		var b bytes.Buffer
		if err := build(nil, measured(name, 1, 0.6, 20), measured("@team/x", 1.5, 0.01, 20)).Markdown(&b); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		for _, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "| `") && strings.Count(line, "|")-strings.Count(line, "\\|") != 9 {
				t.Errorf("%q breaks the table: %s", name, line)
			}
		}
		if strings.Contains(text, "**@team") || strings.Count(text, "<summary>") != 2 {
			t.Errorf("%q in:\n%s", name, text)
		}
	}
}

func TestTextIsATableWithReasons(t *testing.T) {
	var b bytes.Buffer
	if err := example().Text(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"called out\n", "everything else\n", "regression, by instructions; clocks: the same thing differs from itself", "1.500", "0.500", "new\n", "gone\n"} {
		if !strings.Contains(strings.ReplaceAll(b.String(), " \n", "\n"), want) && !strings.Contains(b.String(), strings.TrimSpace(want)) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
}

func TestJSONIsReadAgain(t *testing.T) {
	r := example()
	var b bytes.Buffer
	if err := r.JSON(&b); err != nil {
		t.Fatal(err)
	}
	again, err := Read(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Benchmarks {
		r.Benchmarks[i].median = 0 // has gone into the suite's mean
	}
	if !reflect.DeepEqual(r, again) {
		t.Errorf("got %+v\nwant %+v", again, r)
	}
	var plain struct{ Benchmarks []map[string]any }
	if err := json.Unmarshal(b.Bytes(), &plain); err != nil {
		t.Fatal(err)
	}
	for _, row := range plain.Benchmarks {
		for _, key := range []string{"called_out", "separable", "ratio", "name", "suite", "status"} {
			if _, ok := row[key]; !ok {
				t.Errorf("%v lacks %s", row["name"], key)
			}
		}
		if (row["ratio"] != nil) != row["separable"].(bool) {
			t.Errorf("%v: a ratio of %v, separable %v", row["name"], row["ratio"], row["separable"])
		}
	}
}

func TestAFileThatIsNoReportIsRefused(t *testing.T) {
	for _, text := range []string{"", "{", "[]", "{}", `{"runs": []}`, `{"runs": [{}], "benchmarks": [{"separable": true}]}`,
		`{"runs": [{}], "benchmarks": [{"called_out": true, "by": "instructions"}]}`, `{"runs": [{}], "benchmarks": [{"base": {"ns": 1}}]}`} {
		if _, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%q is taken for a report", text)
		}
	}
	// What is a report, however little it says, can be written.
	r, err := Read(strings.NewReader(`{"runs": [{}], "benchmarks": [{"name": "x"}, {"status": "both"}], "suites": [{}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range Formats {
		if err := r.Write(&bytes.Buffer{}, format); err != nil {
			t.Error(err)
		}
	}
}

func TestMergedReportsSayWhichSuiteHasNone(t *testing.T) {
	a, b := build(nil, measured("Real/a", 1.5, 0.01, 20)), build(nil, measured("Root/b", 1.7, 0.01, 20))
	m := Merge([]*Report{a, b}, []string{"Root", "Read", "Real"})
	var got []string
	for _, s := range m.Suites {
		got = append(got, s.Name+" "+s.Verdict)
	}
	if text := strings.Join(got, ", "); text != "Root regression, Read no result, Real regression" {
		t.Errorf("suites are %s", text)
	}
	if len(m.Runs) != 2 || m.Benchmarks[0].Name != "Root/b" {
		t.Errorf("%d runs, first row %s", len(m.Runs), m.Benchmarks[0].Name)
	}
	var text bytes.Buffer
	m.Markdown(&text)
	if !strings.Contains(text.String(), "**Read**: no result: its run failed") {
		t.Errorf("got:\n%s", text.String())
	}
}

func TestExceedsNamesWhatIsSeparablyOrCountablySlower(t *testing.T) {
	if got := strings.Join(example().Exceeds(0.05), " "); got != "Root/b Read/e Read/d" {
		t.Errorf("over 5 %%: %s", got)
	}
	if got := strings.Join(example().Exceeds(0.2), " "); got != "Root/b Read/e" {
		t.Errorf("over 20 %%: %s", got)
	}
}
