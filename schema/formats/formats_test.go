package formats

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/bfbs"
	"github.com/fbverify/go/schema/internal/schematest"
)

// wireDifferences leaves out what changes neither bytes nor names.
func wireDifferences(a, b *schema.Schema) []string {
	return schema.Comparison{Limit: 20, OnlyWire: true}.Differences(a, b)
}

// bfbsDifferences leaves out what a .bfbs cannot hold.
func bfbsDifferences(a, b *schema.Schema) []string {
	return schema.Comparison{Limit: 20, OnlyBinary: true}.Differences(a, b)
}

// since is what newer versions of the formats have than those of the corpus, to the word. The
// schemas say which versions these are.
var since = map[string][]string{
	"vortex/dtype":   append(slices.Clone(vortexTypes), `schema: 13 of object in the first, 14 in the second`),
	"vortex/message": append(slices.Clone(vortexTypes), `schema: 21 of object in the first, 22 in the second`),
	"vortex/footer": {
		`Postscript: field "metadata" is in the second only`,
		`Postscript: 4 of field in the first, 5 in the second`,
		`schema: object "PostscriptMetadata" is in the second only`,
		`schema: 14 of object in the first, 15 in the second`,
	},
	"tflite/tflite": {
		`tflite.BlockwiseQuantization: field "block_shape" is in the second only`,
		`tflite.BlockwiseQuantization: 3 of field in the first, 4 in the second`,
		`tflite.FullyConnectedOptions: field "quant_spec" is in the second only`,
		`tflite.FullyConnectedOptions: 5 of field in the first, 6 in the second`,
	},
}

// vortexTypes are Map, and a Union that has members: before, it had nullable alone, and no writer
// made one.
var vortexTypes = []string{
	`Union.nullable: the id is 0 in the first, 3 in the second`,
	`Union.nullable: the offset is 4 in the first, 10 in the second`,
	`Union: field "names" is in the second only`,
	`Union: field "dtypes" is in the second only`,
	`Union: field "type_ids" is in the second only`,
	`Union: 1 of field in the first, 4 in the second`,
	`schema: object "Map" is in the second only`,
	`Type: value "Map" is in the second only`,
	`Type: 13 of value in the first, 14 in the second`,
}

// TestKnownSchemasAreThoseOfTheirFormats compares names, ids, types, defaults,
// layouts, root types, identifiers and extensions with what flatc made of the
// formats' own schemas.
func TestKnownSchemasAreThoseOfTheirFormats(t *testing.T) {
	corpus := schematest.CorpusSchemas(t)
	compared := map[string]bool{}
	for name, b := range corpus {
		if strings.HasPrefix(name, "google/") {
			continue // upstream's tests, no format
		}
		t.Run(name, func(t *testing.T) {
			ours, err := Load(name)
			if err != nil {
				t.Fatal(err)
			}
			differences := wireDifferences(mustLoad(t, b), ours)
			for _, d := range differences {
				if !slices.Contains(since[name], d) {
					t.Error(d)
				}
			}
			for _, d := range since[name] {
				if !slices.Contains(differences, d) {
					t.Errorf("not so any more: %s", d)
				}
			}
		})
		compared[name] = true
	}
	for _, k := range All() {
		if k.Format != "reflection" && !compared[k.Name] {
			t.Errorf("nothing in the corpus to compare %s with", k.Name)
		}
	}
}

func TestKnownReflectionSchemaIsUpstreams(t *testing.T) {
	b, err := oracle.NewFlatc(t).BFBS(map[string][]byte{"reflection.fbs": schematest.Upstream(t, "reflection/reflection.fbs")}, "reflection.fbs")
	if err != nil {
		t.Fatal(err)
	}
	ours, err := Load("reflection/reflection")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range wireDifferences(mustLoad(t, b), ours) {
		t.Error(d)
	}
}

// TestFlatcReadsKnownSchemasAsWeDo compares all of each schema, doc comments and
// attributes too, with what flatc makes of the same text.
func TestFlatcReadsKnownSchemasAsWeDo(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	for _, k := range All() {
		t.Run(k.Name, func(t *testing.T) {
			files := map[string][]byte{}
			paths, err := fs.Glob(Files(), k.Format+"/*.fbs")
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range paths {
				// Below a folder: flatc names files in a .bfbs only from one.
				if files[p], err = fs.ReadFile(Files(), p); err != nil {
					t.Fatal(err)
				}
			}
			b, err := flatc.BFBS(files, k.Path)
			if err != nil {
				t.Fatal(err)
			}
			ours, err := k.Load()
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range bfbsDifferences(mustLoad(t, b), ours) {
				t.Error(d)
			}
		})
	}
}

func TestEveryDeclarationOfKnownSchemasIsDocumented(t *testing.T) {
	for _, k := range All() {
		s, err := k.Load()
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range s.Objects {
			if len(o.Doc) == 0 {
				t.Errorf("%s: %s has no doc comment", k.Name, o.Name)
			}
			for _, f := range o.Fields {
				if len(f.Doc) == 0 && f.Type.Base != schema.UType {
					t.Errorf("%s: %s.%s has no doc comment", k.Name, o.Name, f.Name)
				}
			}
		}
		for _, e := range s.Enums {
			if len(e.Doc) == 0 {
				t.Errorf("%s: %s has no doc comment", k.Name, e.Name)
			}
		}
	}
}

func TestAnUnknownNameIsAnsweredWithTheKnownOnes(t *testing.T) {
	if _, err := Load("Vortex/LAYOUT"); err != nil {
		t.Errorf("case matters: %v", err)
	}
	_, err := Load("vortex/nothing")
	if err == nil || !strings.Contains(err.Error(), "vortex/layout") {
		t.Errorf("got %v", err)
	}
}

func mustLoad(t testing.TB, b []byte) *schema.Schema {
	t.Helper()
	s, err := bfbs.Load(b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
