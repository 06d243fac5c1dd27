package bfbs

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/internal/schematest"
)

func MustLoad(t testing.TB, b []byte) *schema.Schema {
	t.Helper()
	s, err := Load(b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustMarshal(t testing.TB, s *schema.Schema) []byte {
	t.Helper()
	b, err := Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestEveryCorpusSchemaLoadsAndSurvivesMarshalling(t *testing.T) {
	for name, b := range schematest.CorpusSchemas(t) {
		t.Run(name, func(t *testing.T) {
			s := MustLoad(t, b)
			if len(s.Objects) == 0 || s.Root == nil {
				t.Fatalf("%d objects, root %v", len(s.Objects), s.Root)
			}
			for _, d := range schema.Differences(s, MustLoad(t, mustMarshal(t, s)), 10) {
				t.Error(d)
			}
		})
	}
}

// TestMarshalWritesWhatFlatcWrote reads both files with flatc and the format's own
// schema, so that no field can be lost both in writing and in reading.
func TestMarshalWritesWhatFlatcWrote(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	reflection := map[string][]byte{"reflection.fbs": schematest.Upstream(t, "reflection/reflection.fbs")}
	for name, b := range schematest.CorpusSchemas(t) {
		t.Run(name, func(t *testing.T) {
			want, err := flatc.ToJSON(reflection, "reflection.fbs", b)
			if err != nil {
				t.Fatal(err)
			}
			got, err := flatc.ToJSON(reflection, "reflection.fbs", mustMarshal(t, MustLoad(t, b)))
			if err != nil {
				t.Fatal(err)
			}
			g, w := canonical(t, got), canonical(t, want)
			if name == "google/annotated_binary" {
				// Made by an older flatc, which wrote 4 for the size of a struct in a
				// vector, and called fields of structs optional.
				g, w = olderFlatc.ReplaceAllString(g, ""), olderFlatc.ReplaceAllString(w, "")
			}
			if name == "google/test_64bit" {
				// Made without --bfbs-builtins, which Marshal writes.
				g = regexp.MustCompile(`"attributes":\[\{"key":"(offset64|vector64)","value":"0"\}\],`).ReplaceAllString(g, "")
			}
			if g != w {
				i := 0
				for i < len(g) && i < len(w) && g[i] == w[i] {
					i++
				}
				from := max(0, i-200)
				t.Errorf("differs:\n got …%s\nwant …%s", g[from:min(len(g), i+100)], w[from:min(len(w), i+100)])
			}
		})
	}
}

var (
	olderFlatc = regexp.MustCompile(`,"element_size":[0-9]+|,"optional":true`)
	notJSON    = regexp.MustCompile(`: (-?inf|-?nan)\b`)
)

// canonical writes JSON with sorted keys, and without what an absent vector and
// an empty one may differ in.
func canonical(t *testing.T, text []byte) string {
	t.Helper()
	text = notJSON.ReplaceAll(text, []byte(`: "$1"`))
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	var prune func(v any)
	prune = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				if list, ok := e.([]any); ok && len(list) == 0 {
					delete(v, k)
				}
				prune(e)
			}
		case []any:
			for _, e := range v {
				prune(e)
			}
		}
	}
	prune(v)
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestFlatcWorksFromMarshalledSchemas(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	for name, b := range schematest.CorpusSchemas(t) {
		t.Run(name, func(t *testing.T) {
			want, err := flatc.GenCpp(map[string][]byte{"x.bfbs": b}, "x.bfbs")
			if err != nil {
				t.Skipf("flatc does not load its own: %v", err) // it knows no Vector64 there
			}
			ours := map[string][]byte{"x.bfbs": mustMarshal(t, MustLoad(t, b))}
			got, err := flatc.GenCpp(ours, "x.bfbs")
			if err != nil {
				t.Fatal(err)
			}
			for file, code := range want {
				if !bytes.Equal(got[file], code) {
					t.Errorf("%s: flatc writes other code from our .bfbs than from its own", file)
				}
			}
			if len(want) == 0 {
				t.Error("flatc wrote no code")
			}
		})
	}
}

func TestFlatcReadsDataWithMarshalledSchemas(t *testing.T) {
	flatc := oracle.NewFlatc(t)
	b := schematest.CorpusSchemas(t)["google/monster_test"]
	data, err := os.ReadFile(filepath.Join(oracle.Corpus(t), "google", "monsterdata_test.mon"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := flatc.ToJSON(map[string][]byte{"m.bfbs": mustMarshal(t, MustLoad(t, b))}, "m.bfbs", data)
	if err != nil {
		t.Fatal(err)
	}
	want, err := flatc.ToJSON(map[string][]byte{"m.bfbs": b}, "m.bfbs", data)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) || !bytes.Contains(got, []byte("MyMonster")) {
		t.Errorf("got %s, want %s", got, want)
	}
}
