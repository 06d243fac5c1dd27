package growth_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/growth"
	"github.com/fbverify/go/internal/oracle"
)

// TestSecuritySaysWhatWasMeasured: the tables of costs in SECURITY.md are those of the series
// that is committed, and nothing in it grows faster than its input. UPDATE_COST=1 writes them.
func TestSecuritySaysWhatWasMeasured(t *testing.T) {
	book := growth.ReadBook(t)
	for _, r := range book.Rows {
		if r.Factor > growth.Limit || r.MemoryFactor > growth.Limit {
			t.Errorf("%s of %s: %.2f times the time (%s), %.2f times the memory", r.Entry, r.Of, r.Factor, r.FactorFamily, r.MemoryFactor)
		}
	}
	name := filepath.Join(oracle.RepoRoot(), "SECURITY.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const start, end = "<!-- cost: go test ./internal/growth -run Security, with UPDATE_COST=1 -->\n", "<!-- end of cost -->\n"
	before, rest, ok := strings.Cut(string(text), start)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("SECURITY.md has no place for the tables")
	}
	want := before + start + tables(book) + end + after
	if os.Getenv("UPDATE_COST") != "" {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(text) {
		t.Error("SECURITY.md does not say what internal/growth/series.tsv does: UPDATE_COST=1 go test ./internal/growth -run Security")
	}
}

// tables are what SECURITY.md says of the costs.
func tables(book *growth.Book) string {
	var b strings.Builder
	b.WriteString("\n| entry | 10 fields | 100 fields | 1,000 fields | factor | largest |\n| --- | --- | --- | --- | --- | --- |\n")
	find := func(entry, of string) *growth.Row {
		for i := range book.Rows {
			if r := &book.Rows[i]; r.Entry == entry && r.Of == of {
				return r
			}
		}
		return nil
	}
	wide := map[string]bool{}
	for _, r := range book.Rows {
		if r.Of != "10 fields" {
			continue
		}
		wide[r.Entry] = true
		fmt.Fprintf(&b, "| `%s`", r.Entry)
		factor, largest := 0.0, 0
		for _, of := range []string{"10 fields", "100 fields", "1000 fields"} {
			c := find(r.Entry, of)
			if c == nil {
				b.WriteString(" | ")
				continue
			}
			fmt.Fprintf(&b, " | %.0f ns, %.0f bytes", c.NS, c.Memory)
			factor, largest = max(factor, c.Factor), max(largest, c.Bytes)
		}
		fmt.Fprintf(&b, " | %.2f | %s |\n", factor, size(largest))
	}
	b.WriteString("\n| entry | families | largest | worst | factor, and of which family |\n| --- | --- | --- | --- | --- |\n")
	for _, r := range book.Rows {
		if wide[r.Entry] && strings.HasSuffix(r.Of, "fields") {
			continue
		}
		factor := "too little to measure"
		if r.Factor > 0 {
			factor = fmt.Sprintf("%.2f, %s", r.Factor, r.FactorFamily)
		}
		fmt.Fprintf(&b, "| `%s` | %d of %s | %s | %.0f ns, %.0f bytes | %s |\n", r.Entry, r.Families, r.Of, size(r.Bytes), r.NS, r.Memory, factor)
	}
	b.WriteString("\n")
	return b.String()
}

// size is a number of bytes in a few digits.
func size(bytes int) string {
	switch {
	case bytes >= 1<<20-1<<16:
		return fmt.Sprintf("%.0f MiB", float64(bytes)/(1<<20))
	case bytes >= 1<<10:
		return fmt.Sprintf("%.0f KiB", float64(bytes)/(1<<10))
	}
	return fmt.Sprint(bytes)
}
