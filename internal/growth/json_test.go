package growth_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/internal/growth"
)

// textEntries read texts. What they may cost a byte is generous, so that only what grows
// faster than its input exceeds it.
var textEntries = []entry{
	{"EncodeJSON", encode(&dynamic.EncodeOptions{}), 1500, 200},
	{"EncodeJSON, any depth", encode(&dynamic.EncodeOptions{MaxDepth: 1 << 16, IgnoreUnknown: true}), 1500, 200},
	{"EncodeJSON and back", func(_ *testing.T, typ *fbverify.Type) func([]byte) {
		return func(text []byte) {
			buf, err := dynamic.EncodeJSON(typ, text, &dynamic.EncodeOptions{MaxDepth: 1 << 16, IgnoreUnknown: true})
			if err != nil {
				return
			}
			m, err := dynamic.Root(typ, buf, &fbverify.Options{MaxDepth: 1 << 16})
			if err != nil {
				panic(err)
			}
			err = dynamic.WriteJSON(io.Discard, m, &dynamic.JSONOptions{Indent: 2})
			if err != nil && !strings.Contains(err.Error(), "nests deeper than 256") { // a flexbuffer
				panic(err)
			}
		}
	}, 2500, 300},
}

func encode(o *dynamic.EncodeOptions) func(*testing.T, *fbverify.Type) func([]byte) {
	return func(_ *testing.T, typ *fbverify.Type) func([]byte) {
		return func(text []byte) { _, _ = dynamic.EncodeJSON(typ, text, o) }
	}
}

// TestCostOfTextsGrowsAsTheyDo: with -v it prints a line for each entry and family.
func TestCostOfTextsGrowsAsTheyDo(t *testing.T) {
	sizes := growth.Sizes(4<<10, min(*most, 1<<20))
	if *most == 0 {
		sizes = []int{4 << 10, 32 << 10}
	}
	t.Logf("%-22s %-60s %9s %9s %9s %7s %7s", "entry", "family", "bytes", "ns/byte", "mem/byte", "time x2", "mem x2")
	for _, fields := range []int{8, 1000} {
		for _, fam := range growth.JSON(fields) {
			typ := compile(t, fam.Schema, fam.Root)
			for _, e := range textEntries {
				s, stopped := growth.Measure(fam, sizes, 5*time.Second, e.make(t, typ))
				ns, memory := s.PerByte()
				row := fmt.Sprintf("%-22s %-60s %9d %9.1f %9.1f %7.2f %7.2f", e.name, fam.Name, s[len(s)-1].Size, ns, memory, s.Factor(), s.MemoryFactor())
				t.Log(row)
				switch {
				case stopped:
					t.Errorf("took more than 5 s:\n%s", row)
				case ns > e.perByte:
					t.Errorf("more than %v ns a byte:\n%s", e.perByte, row)
				case memory > e.memory:
					t.Errorf("more than %v bytes of memory a byte:\n%s", e.memory, row)
				case s.Factor() > mostFactor || s.MemoryFactor() > mostMemory:
					t.Errorf("grows faster than its input:\n%s", row)
				}
			}
		}
	}
}
