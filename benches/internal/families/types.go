package families

import (
	"fmt"
	"strings"
	"sync"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/internal/inputs"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
	"github.com/fbverify/go/schema/formats"
)

// Schemas are the sources of the types that rows are of: the name of a known
// format's schema, or inputs/ and the name of one in package inputs.
var Schemas = []struct {
	Name  string
	Roots []string // full names
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
	{"reflection/reflection", []string{"reflection.Schema"}},
	{"inputs/bench", []string{"bench.Variety", "bench.Row", "bench.Texts", "bench.Hier"}},
	{"inputs/varied", []string{"bench.Person", "bench.Tree", "bench.Blobs", "bench.Envelopes"}},
}

var types sync.Map // root to *fbverify.Type

// TypeOf returns the type of Schemas with that full name, compiled once.
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
			if file, ok := strings.CutPrefix(s.Name, "inputs/"); ok {
				loaded, err = fbs.ParseFS(inputs.Schemas(), file+".fbs")
			} else {
				loaded, err = formats.Load(s.Name)
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
