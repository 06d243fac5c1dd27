package growth_test

import (
	"io"
	"strings"
	"testing"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/internal/growth"
)

// textEntries read texts. What they may cost a byte is generous, so that only what grows
// faster than its input exceeds it.
var textEntries = []growth.Entry{
	encode("EncodeJSON", &dynamic.EncodeOptions{}),
	encode("EncodeJSON, any depth", &dynamic.EncodeOptions{MaxDepth: 1 << 16, IgnoreUnknown: true}),
	reading("EncodeJSON and back", 2500, 300, func(typ *fbverify.Type, text []byte) {
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
	}),
}

func encode(name string, o *dynamic.EncodeOptions) growth.Entry {
	return reading(name, 1500, 200, func(typ *fbverify.Type, text []byte) { _, _ = dynamic.EncodeJSON(typ, text, o) })
}

// TestCostOfTextsGrowsAsTheyDo: with -v it prints a line for each entry and family.
func TestCostOfTextsGrowsAsTheyDo(t *testing.T) {
	growth.Check(t, []int{4 << 10, 32 << 10}, 1<<20, textEntries, append(growth.JSON(8), growth.JSON(1000)...))
}
