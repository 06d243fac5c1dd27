package growth_test

import (
	"io"
	"testing"
	"time"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/growth"
	"github.com/fbverify/go/schema/bfbs"
	"github.com/fbverify/go/schema/fbs"
)

// TestSchemasGrowAsTheirBytes holds all that reads and writes schemas to time and memory that
// grow as the text does. Sorting, caches and the collector's share take the factor to about
// 2.5 on a busy machine; what is quadratic has 4.
func TestSchemasGrowAsTheirBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes processor time by the second")
	}
	text := func(do func(b []byte)) func([]byte) { return do }
	entries := []struct {
		name     string
		families []growth.Family
		f        func(b []byte)
	}{
		{"fbs.Parse", growth.SchemaTexts(), text(func(b []byte) { fbs.Parse("x.fbs", b) })},
		{"check, compile", growth.SchemaTexts(), text(func(b []byte) {
			s, err := fbs.Parse("x.fbs", b)
			if err != nil || s.Check() != nil {
				return
			}
			// A type that reaches all: the last table's, and of a few others.
			for i := 0; i < len(s.Objects); i += max(1, len(s.Objects)/3) {
				if !s.Objects[i].IsStruct {
					fbverify.Compile(s, s.Objects[i].Name)
				}
			}
		})},
		{"fbs.Write", growth.SchemaTexts(), text(func(b []byte) {
			if s, err := fbs.Parse("x.fbs", b); err == nil {
				fbs.Write(io.Discard, s)
			}
		})},
		{"bfbs.Marshal, bfbs.Load", growth.SchemaTexts(), text(func(b []byte) {
			if s, err := fbs.Parse("x.fbs", b); err == nil {
				if binary, err := bfbs.Marshal(s); err == nil {
					bfbs.Load(binary)
				}
			}
		})},
		{"bfbs.Load", growth.BinarySchemas(), func(b []byte) { bfbs.Load(b) }},
	}
	for _, e := range entries {
		for _, fam := range e.families {
			t.Run(e.name+"/"+fam.Name, func(t *testing.T) {
				s, stopped := growth.Measure(fam, growth.Sizes(8<<10, min(*most, 128<<10)), 3*time.Second, e.f)
				ns, memory := s.PerByte()
				t.Logf("%d sizes, factor %.2f, memory %.2f, %.0f ns and %.0f bytes a byte", len(s), s.Factor(), s.MemoryFactor(), ns, memory)
				if stopped || s.Factor() > 3 || ns > 5000 || memory > 1000 {
					t.Errorf("time grows by %.2f where the size doubles; %.0f ns and %.0f bytes a byte; stopped: %v", s.Factor(), ns, memory, stopped)
				}
			})
		}
	}
}
