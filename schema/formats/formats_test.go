package formats

import (
	"io/fs"
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
			for _, d := range wireDifferences(mustLoad(t, b), ours) {
				t.Error(d)
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
