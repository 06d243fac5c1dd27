package benches

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fbverify/go/benches/internal/families"
)

// BenchmarkReal is every FlatBuffer of at least 300 bytes of every real file at
// hand. One iteration of this and of the families below is one buffer.
func BenchmarkReal(b *testing.B) {
	dir, err := os.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	rows, err := families.Real(filepath.Dir(dir))
	if err != nil {
		b.Fatal(err)
	}
	verify(b, rows)
}

// BenchmarkCold is layouts that are not in any cache: a quarter of a gigabyte of
// copies, 32 MB with -short, is verified before a copy comes again.
func BenchmarkCold(b *testing.B) { verify(b, families.Cold(size())) }

// BenchmarkLarge is layouts of 35 KB to 500 MB, to 9 MB with -short.
func BenchmarkLarge(b *testing.B) { verify(b, families.Large(size())) }

// BenchmarkVaried is shapes that nobody chose.
func BenchmarkVaried(b *testing.B) { verify(b, families.Varied()) }

func size() families.Size {
	if testing.Short() {
		return families.Short
	}
	return families.Full
}

// verify verifies the buffers of each row in turn. What a row is made of is made
// when it runs.
func verify(b *testing.B, rows []families.Row) {
	for _, row := range rows {
		b.Run(strings.TrimPrefix(row.Name, row.Family()+"/"), func(b *testing.B) {
			in, err := row.Make()
			if err != nil {
				b.Fatal(err)
			}
			runner := families.NewRunner(in, row.WorkingSet)
			for range runner.Len() {
				if err := runner.Next(nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			b.SetBytes(int64(len(in.Buffers[0])))
			for b.Loop() {
				if runner.Next(nil) != nil {
					b.Fatal("the verdict changed")
				}
			}
			if in.Tables > 0 {
				perSecond(b, in.Tables, "tables/s")
			}
		})
	}
}

// BenchmarkFirst is the first verification of a process, which is started anew for
// each iteration: from the start of main until the buffer was
// verified. Ns/op is that alone, and not what starting a process takes.
func BenchmarkFirst(b *testing.B) {
	dir, err := os.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	for _, first := range families.Firsts() {
		b.Run(strings.TrimPrefix(first.Name, "first/"), func(b *testing.B) {
			p, err := families.BuildFirst(b.Context(), filepath.Dir(dir), b.TempDir(), first)
			if err != nil {
				b.Fatal(err)
			}
			var total time.Duration
			for b.Loop() {
				elapsed, err := p.Run(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				total += elapsed
			}
			b.ReportMetric(float64(total.Nanoseconds())/float64(b.N), "ns/op")
		})
	}
}
