package benches

import (
	"testing"

	"github.com/fbverify/go/benches/internal/reads"
)

// BenchmarkRead is nine or more fields of a message that is verified already,
// through each form: one iteration is one message.
//
// Walked goes the way from the root for each field, cached keeps the innermost
// table. Flat messages have no way to go: walked and cached are the same there.
// The write=between benchmarks store each value before the next is read.
func BenchmarkRead(b *testing.B) {
	b.Run("case=flat10", func(b *testing.B) { readFlat(b, reads.NewFlat10) })
	b.Run("case=flat100", func(b *testing.B) { readFlat(b, reads.NewFlat100) })
	b.Run("case=hier-hot", readHot)
	b.Run("case=hier-cold", readCold)
}

// visit times a loop.
func visit(b *testing.B, name string, loop reads.Loop) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		b.ResetTimer()
		sink += loop(b.N)
	})
}

func readFlat(b *testing.B, make func() (*reads.Flat, error)) {
	flat, err := make()
	if err != nil {
		b.Fatal(err)
	}
	for _, form := range reads.Forms {
		if got := flat.Loop(form)(flat.Messages); got != flat.Sum {
			b.Fatalf("%s: the sum is %d, want %d", form, got, flat.Sum)
		}
	}
	for _, form := range reads.Forms {
		b.Run("via="+form, func(b *testing.B) {
			visit(b, "chain=cached", flat.Loop(form))
			visit(b, "chain=walked", flat.Loop(form))
		})
	}
}

func readHot(b *testing.B) {
	hot, err := reads.NewHot()
	if err != nil {
		b.Fatal(err)
	}
	for _, form := range reads.Forms {
		for chain, loop := range map[string]reads.Loop{"cached": hot.Cached(form), "walked": hot.Walked(form), "written": hot.Wrote(form)} {
			if got := loop(reads.HotMessages); got != hot.Sum {
				b.Fatalf("%s, %s: the sum is %d, want %d", form, chain, got, hot.Sum)
			}
		}
	}
	for _, form := range reads.Forms {
		b.Run("via="+form, func(b *testing.B) {
			visit(b, "chain=cached", hot.Cached(form))
			visit(b, "chain=walked", hot.Walked(form))
			visit(b, "chain=walked/write=between", hot.Wrote(form))
		})
	}
}

func readCold(b *testing.B) {
	size := reads.ColdSize
	if testing.Short() {
		size = reads.ColdSizeShort
	}
	cold, err := reads.NewCold(size)
	if err != nil {
		b.Fatal(err)
	}
	const some = 1000 // visits that show that all forms take the same way
	want := cold.Loop("struct", true)(some)
	for _, form := range reads.Forms {
		for _, walked := range []bool{true, false} {
			if got := cold.Loop(form, walked)(some); got != want {
				b.Fatalf("%s: the sum of %d visits is %d, want %d", form, some, got, want)
			}
		}
	}
	for _, form := range reads.Forms {
		b.Run("via="+form, func(b *testing.B) {
			visit(b, "chain=cached", cold.Loop(form, false))
			visit(b, "chain=walked", cold.Loop(form, true))
		})
	}
}
