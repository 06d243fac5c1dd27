package info

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/internal/oracle"
)

// told is what a format's own library says of a file; testdata/make/describe.py writes it.
type told struct {
	File    string
	Refused string
	Rows    *int64
	Columns []struct {
		Name, Type string
		Nullable   bool
		Nulls      *int64
	}
	Geometry, CRS string
	Extent        []float64
	Version       int
	Subgraphs     []struct {
		Tensors         int
		Inputs, Outputs [][2]any
		Operators       map[string]int
	}
}

// TestInfoSaysWhatTheLibrariesSay holds info to pyarrow, vortex, GDAL and the tflite package on
// the files of testdata and of the corpus: rows, columns, their types and nulls, extent and
// reference system, tensors and operators. What they say is in testdata/libraries.jsonl, made by
//
//	cd testdata && python3 make/describe.py arrow/*.arrow* arrow/*.feather vortex/* flatgeobuf/* tflite/* \
//		../../shared/corpus/{arrow/valid,flatgeobuf,tflite}/*
func TestInfoSaysWhatTheLibrariesSay(t *testing.T) {
	lines, err := os.ReadFile(filepath.Join("testdata", "libraries.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for line := range bytes.Lines(lines) {
		var want told
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		t.Run(want.File, func(t *testing.T) {
			name := filepath.Join(oracle.RepoRoot(), "testdata", want.File)
			if rest, ok := strings.CutPrefix(want.File, "../../shared/corpus/"); ok {
				name = filepath.Join(oracle.Corpus(t), rest)
			}
			src, err := input.OpenMapped(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			got, err := (&Reporter{Types: &input.Types{}}).Of(context.Background(), src)
			if err != nil {
				t.Fatal(err)
			}
			if want.Refused != "" {
				t.Logf("the library refuses it: %s; here it is sound: %t", want.Refused, got.Sound)
				return
			}
			held++
			for _, wrong := range differences(got, &want) {
				t.Error(wrong)
			}
		})
	}
	if held < 25 {
		t.Errorf("%d files were compared", held)
	}
}

func differences(got *Info, want *told) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if !got.Sound {
		say("it is not sound: %s", got.Faults)
	}
	if want.Rows != nil && *want.Rows >= 0 && (got.Rows == nil || *got.Rows != *want.Rows) {
		say("%d rows, want %d", got.Rows, *want.Rows)
	}
	if n := len(want.Columns); n != len(got.Columns) {
		say("%d columns, want %d", len(got.Columns), n)
		return wrong
	}
	for i, c := range want.Columns {
		g := got.Columns[i]
		if g.Name != c.Name {
			say("column %d is %q, want %q", i, g.Name, c.Name)
		}
		if strings.HasPrefix(c.Type, "run_end_encoded<") { // pyarrow does not say that ends are never null
			g.Type = strings.ReplaceAll(g.Type, "run_ends: int32 not null", "run_ends: int32")
		}
		if c.Type != "" && (g.Type != c.Type && !strings.HasPrefix(c.Type, "extension<") || g.Nullable != c.Nullable) {
			say("%s is %s, null %t, want %s, null %t", c.Name, g.Type, g.Nullable, c.Type, c.Nullable)
		}
		// A library counts the nulls of what runs and unions hold, or none; the file says none.
		if c.Nulls != nil && !strings.Contains(c.Type, "union") && !strings.Contains(c.Type, "run_end") && (got.Rows != nil && *got.Rows > 0) && (g.Nulls == nil || *g.Nulls != *c.Nulls) {
			say("%s has %v nulls, want %d", c.Name, g.Nulls, *c.Nulls)
		}
	}
	if m := got.Map; want.Geometry != "" && m != nil {
		library := strings.Fields(want.Geometry)[0]
		if m.Geometry != library {
			say("geometries are %s, want %s", m.Geometry, want.Geometry)
		}
		if m.CRS != want.CRS && want.CRS != "" {
			say("the reference system is %q, want %q", m.CRS, want.CRS)
		}
		for i, x := range want.Extent {
			if len(m.Extent) != 4 || math.Abs(m.Extent[i]-x) > 1e-9 {
				say("the extent is %v, want %v", m.Extent, want.Extent)
				break
			}
		}
	}
	if want.Version != 0 && got.Version != fmt.Sprint(want.Version) {
		say("version %s, want %d", got.Version, want.Version)
	}
	if len(want.Subgraphs) != len(got.Subgraphs) {
		say("%d subgraphs, want %d", len(got.Subgraphs), len(want.Subgraphs))
		return wrong
	}
	for i, s := range want.Subgraphs {
		g := got.Subgraphs[i]
		operators := map[string]int{}
		for _, o := range g.Operators {
			operators[o.Name] = o.Count
		}
		if g.Tensors != s.Tensors || fmt.Sprint(operators) != fmt.Sprint(s.Operators) {
			say("%d tensors and the operators %v, want %d and %v", g.Tensors, operators, s.Tensors, s.Operators)
		}
		for _, x := range []struct {
			got  []Tensor
			want [][2]any
		}{{g.Inputs, s.Inputs}, {g.Outputs, s.Outputs}} {
			if !slices.EqualFunc(x.got, x.want, func(g Tensor, w [2]any) bool {
				shape := strings.ReplaceAll(strings.Trim(fmt.Sprint(w[1]), "[]"), " ", ",")
				return g.Name == w[0] && (strings.HasSuffix(g.Type, "["+shape+"]") || strings.Contains(g.Type, "?"))
			}) {
				say("tensors %v, want %v", x.got, x.want)
			}
		}
	}
	return wrong
}
