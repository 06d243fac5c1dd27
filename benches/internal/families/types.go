package families

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/inputs"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
	"github.com/fbverify/go/schema/formats"
)

// Varied.fbs is the schema of the tables that the known formats do not have.
//
//go:embed varied.fbs
var VariedSchema []byte

// Schemas are the sources of the types that rows are of, but for those of real
// files that bring their schema with them: the known schema's name, the roots.
var Schemas = []struct {
	Known string // "" is VariedSchema, hostile.fbs the one of inputs
	Roots []string
}{
	{"vortex/footer", []string{"Footer", "Postscript", "FileStatistics"}},
	{"vortex/layout", []string{"Layout"}},
	{"vortex/array", []string{"Array"}},
	{"vortex/dtype", []string{"DType"}},
	{"arrow/File", []string{"org.apache.arrow.flatbuf.Footer"}},
	{"arrow/Message", []string{"org.apache.arrow.flatbuf.Message"}},
	{"tflite/tflite", []string{"tflite.Model"}},
	{"flatgeobuf/header", []string{"FlatGeobuf.Header"}},
	{"flatgeobuf/feature", []string{"FlatGeobuf.Feature"}},
	{"hostile.fbs", []string{"bench.Node", "bench.Variety", "bench.Row", "bench.Texts", "bench.Hier"}},
	{"", []string{"bench.Person", "bench.Tree", "bench.Blobs"}},
}

var types sync.Map // root to *fbverify.Type

// TypeOf returns the type with that full name, compiled once.
func TypeOf(root string) (*fbverify.Type, error) {
	if t, ok := types.Load(root); ok {
		return t.(*fbverify.Type), nil
	}
	for _, s := range Schemas {
		for _, r := range s.Roots {
			if r != root {
				continue
			}
			var loaded *schema.Schema
			var err error
			switch s.Known {
			case "":
				loaded, err = fbs.Parse("varied.fbs", VariedSchema)
			case "hostile.fbs":
				loaded, err = inputs.HostileSchema()
			default:
				loaded, err = formats.Load(s.Known)
			}
			if err != nil {
				return nil, err
			}
			t, err := fbverify.Compile(loaded, root)
			if err != nil {
				return nil, err
			}
			kept, _ := types.LoadOrStore(root, t)
			return kept.(*fbverify.Type), nil
		}
	}
	return nil, fmt.Errorf("families: no schema has a root type %s", root)
}

// family is the first word of a row's name.
func family(name string) string {
	first, _, _ := strings.Cut(name, "/")
	return first
}
