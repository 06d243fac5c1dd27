package benches

import (
	"testing"

	"example.com/synthetic"
)

var sink uint64

func BenchmarkWork(b *testing.B) {
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		b.Run("case="+name, func(b *testing.B) {
			for b.Loop() {
				sink += synthetic.Work(synthetic.Steps[name])
			}
		})
	}
}
