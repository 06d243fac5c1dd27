package growth

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
)

// Row is the worst that one entry cost at a group of families.
type Row struct {
	Entry string
	Of    string // what the families have in common, as a schema of so many fields

	Families int
	Bytes    int     // of the largest input
	NS       float64 // nanoseconds for a byte, in sizes from 16 KiB on
	Memory   float64 // bytes of memory for a byte

	// Factor is how much more time is taken where the size doubles, and MemoryFactor how
	// much more memory. 0 is for too little to measure.
	Factor, MemoryFactor float64

	NSFamily, FactorFamily string // those that were the worst
}

// add makes the row the worst of itself and another.
func (r *Row) add(o Row) {
	r.Families += o.Families
	r.Bytes = max(r.Bytes, o.Bytes)
	if o.NS > r.NS || r.NSFamily == "" {
		r.NS, r.NSFamily = o.NS, o.NSFamily
	}
	if o.Factor > r.Factor || r.FactorFamily == "" {
		r.Factor, r.FactorFamily = o.Factor, o.FactorFamily
	}
	r.Memory, r.MemoryFactor = max(r.Memory, o.Memory), max(r.MemoryFactor, o.MemoryFactor)
}

// bookName is the file with the rows that were recorded, in the repository.
const bookName = "internal/growth/series.tsv"

// Book is what was recorded of all entries.
type Book struct{ Rows []Row }

const bookHead = "entry\tof\tfamilies\tlargest\tns/byte\tat\tmemory/byte\ttime x2\tat\tmemory x2"

func readBook(t testing.TB) *Book {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), filepath.FromSlash(bookName)))
	if err != nil {
		t.Fatal(err)
	}
	book := &Book{}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if i == 0 {
			continue
		}
		r, err := parseRow(line)
		if err != nil {
			t.Fatalf("%s:%d: %v", bookName, i+1, err)
		}
		book.Rows = append(book.Rows, r)
	}
	return book
}

// ReadBook reads what is committed.
func ReadBook(t testing.TB) *Book { return readBook(t) }

func parseRow(line string) (r Row, err error) {
	c := strings.Split(line, "\t")
	if len(c) != 10 {
		return r, fmt.Errorf("%d columns, want 10", len(c))
	}
	r.Entry, r.Of, r.NSFamily, r.FactorFamily = c[0], c[1], c[5], c[8]
	for _, n := range []struct {
		to   *int
		from string
	}{{&r.Families, c[2]}, {&r.Bytes, c[3]}} {
		if *n.to, err = strconv.Atoi(n.from); err != nil {
			return r, err
		}
	}
	for _, n := range []struct {
		to   *float64
		from string
	}{{&r.NS, c[4]}, {&r.Memory, c[6]}, {&r.Factor, c[7]}, {&r.MemoryFactor, c[9]}} {
		if *n.to, err = strconv.ParseFloat(n.from, 64); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (r *Row) tsv() string {
	return fmt.Sprintf("%s\t%s\t%d\t%d\t%.1f\t%s\t%.1f\t%.2f\t%s\t%.2f", r.Entry, r.Of, r.Families, r.Bytes, r.NS, r.NSFamily, r.Memory, r.Factor, r.FactorFamily, r.MemoryFactor)
}

// find returns the row of an entry; nil where there is none.
func (b *Book) find(entry, of string) *Row {
	for i := range b.Rows {
		if r := &b.Rows[i]; r.Entry == entry && r.Of == of {
			return r
		}
	}
	return nil
}

// record writes rows in the place of those of the same entries.
func (b *Book) record(t testing.TB, rows []*Row) {
	t.Helper()
	for _, r := range rows {
		if old := b.find(r.Entry, r.Of); old != nil {
			*old = *r
		} else {
			b.Rows = append(b.Rows, *r)
		}
	}
	slices.SortStableFunc(b.Rows, func(x, y Row) int { return strings.Compare(x.Entry+"\t"+x.Of, y.Entry+"\t"+y.Of) })
	var text strings.Builder
	text.WriteString(bookHead + "\n")
	for i := range b.Rows {
		text.WriteString(b.Rows[i].tsv() + "\n")
	}
	if err := os.WriteFile(filepath.Join(oracle.RepoRoot(), filepath.FromSlash(bookName)), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
