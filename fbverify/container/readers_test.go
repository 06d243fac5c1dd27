package container

import (
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
)

// TestReadersOfDeviationsWereTried: the readers that are named with a deviation are those which
// opened files that have it (testdata/writers/read.py tried them), no more and no fewer, and the
// package's documentation names the same.
func TestReadersOfDeviationsWereTried(t *testing.T) {
	table, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "testdata", "writers", "readers.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	refused, tried := map[string]map[string]bool{}, map[string][]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		cell := strings.Split(line, "\t")
		deviation, reader, outcome := cell[0], cell[2], cell[4]
		if refused[deviation] == nil {
			refused[deviation] = map[string]bool{}
		}
		if !slices.Contains(tried[deviation], reader) {
			tried[deviation] = append(tried[deviation], reader)
		}
		if !strings.HasPrefix(outcome, "rows ") {
			refused[deviation][reader] = true
		}
	}
	listing := words(t)
	for _, c := range []struct {
		deviations []string // whose readers are said together: those that open files with each
		said       string
	}{
		{[]string{"arrow-mark"}, readersArrowEnd},
		{[]string{"arrow-schema-bare", "arrow-schema-none"}, readersArrowFooter},
		{[]string{"arrow-behind"}, readersArrowStop},
		{[]string{"arrow-binary", "arrow-aligned"}, readersArrowFields},
		{[]string{"vortex-mark"}, readersVortexEnd},
		{[]string{"flatgeobuf-behind"}, readersFeatures},
	} {
		said := strings.Split(c.said, ", ")
		for _, deviation := range c.deviations {
			if len(tried[deviation]) == 0 {
				t.Errorf("no reader was tried with %s", deviation)
			}
			for _, reader := range said {
				if !slices.Contains(tried[deviation], reader) || refused[deviation][reader] {
					t.Errorf("%s is said to open files with %s, and has not", reader, deviation)
				}
			}
			for _, reader := range tried[deviation] {
				everywhere := !slices.ContainsFunc(c.deviations, func(d string) bool {
					return refused[d][reader] || !slices.Contains(tried[d], reader)
				})
				if everywhere && !slices.Contains(said, reader) {
					t.Errorf("%s opens files with %s, and is not named", reader, deviation)
				}
			}
		}
		if !strings.Contains(listing, ": "+c.said+".") {
			t.Errorf("the package's documentation does not list %q", c.said)
		}
	}
}

// words returns the documentation of this package as one line.
func words(t *testing.T) string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	text := new(comment.Printer).Text(new(comment.Parser).Parse(f.Doc.Text()))
	return strings.Join(strings.Fields(string(text)), " ")
}

// TestFlatcReadsAMessageAndNotWhatComesBehind: flatc is one of the readers of one message.
func TestFlatcReadsAMessageAndNotWhatComesBehind(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	files := map[string][]byte{"survey.fbs": testFile(t, "flatbuffers/survey.fbs"), "rock.fbs": testFile(t, "flatbuffers/rock.fbs")}
	message := testFile(t, "flatbuffers/survey.size-prefixed.bin")
	want, err := flatc.ToJSON(files, "survey.fbs", message, "--size-prefixed")
	if err != nil {
		t.Fatal(err)
	}
	longer := append(slices.Clone(message), "and so on"...)
	got, err := flatc.ToJSON(files, "survey.fbs", longer, "--size-prefixed")
	if err != nil || string(got) != string(want) || len(want) < 10 {
		t.Errorf("with bytes behind it is %s, %v; and %s without", got, err, want)
	}
	parts, found := findings(mustOpen(t, longer, &Options{Format: SizePrefixed}))
	if len(parts) != 1 || len(found) != 1 || found[0].Severity != Deviation || found[0].Kind != ErrTrailing {
		t.Errorf("%d parts, %v", len(parts), found)
	}
}
