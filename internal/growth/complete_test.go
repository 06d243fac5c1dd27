package growth_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/growth"
	"github.com/fbverify/go/internal/oracle"
)

// publicFolders hold the packages whose functions take bytes from strangers.
var publicFolders = []string{
	"fbverify", "fbverify/fbread", "fbverify/split", "fbverify/container", "fbverify/dynamic", "fbverify/traverse",
	"schema", "schema/bfbs", "schema/fbs", "schema/formats", "readers", "readers/arrow", "readers/flatgeobuf", "readers/tflite", "readers/vortex",
}

// measuredBy says which entry of the series measures a function that takes bytes, texts or
// schemas; with "no: " it says why none does.
var measuredBy = map[string]string{
	"fbverify.Framing.Message":        "Reader",
	"fbverify.Framing.Size":           "Reader",
	"fbverify.NewReader":              "Reader",
	"fbverify/split.Stream":           "Reader",
	"fbverify.Root":                   "Verify",
	"fbverify.RootAs":                 "Verify",
	"fbverify.RootWithOptions":        "Verify",
	"fbverify.Type.Verify":            "Verify",
	"fbverify.Type.Measure":           "Measure",
	"fbverify.Type.Explain":           "Explain",
	"fbverify.Type.Unknown":           "Unknown",
	"fbverify.Type.Deviations":        "Deviations",
	"fbverify.Type.Traversal":         "fbinspect annotate",
	"fbverify.Compile":                "Compile",
	"fbverify.MustCompile":            "Compile",
	"fbverify.CompileAll":             "fbinspect schema find",
	"fbverify.Verified.UnmarshalJSON": "no: it always refuses",
	"fbverify.Writer.WriteMessage":    "no: it writes the bytes as they are",

	"fbverify/container.Detect":        "container",
	"fbverify/container.Open":          "container",
	"fbverify/container.OpenBytes":     "container",
	"fbverify/container.Judge":         "container",
	"fbverify/container.Part.AppendTo": "no: the bytes are where it writes",

	"fbverify/dynamic.EncodeJSON":      "EncodeJSON",
	"fbverify/dynamic.Root":            "dynamic paths",
	"fbverify/dynamic.AppendJSON":      "WriteJSON",
	"fbverify/dynamic.AppendValueJSON": "WriteJSON",

	"schema.Equal":                  "Equal",
	"schema.Differences":            "Equal",
	"schema.Comparison.Differences": "Equal",
	"schema/bfbs.Load":              "bfbs.Load",
	"schema/bfbs.Marshal":           "bfbs.Marshal",
	"schema/fbs.ParseFS":            "fbs.Parse",
	"schema/fbs.Options.ParseFS":    "fbs.Parse",
	"schema/fbs.Parse":              "fbs.Parse",
	"schema/fbs.Format":             "fbs.Format",
	"schema/fbs.Write":              "fbs.Write",

	"readers.Bytes.ReadAt":          "no: the bytes are where it writes",
	"readers/arrow.Open":            "readers",
	"readers/arrow.OpenBytes":       "readers",
	"readers/arrow.OpenStream":      "readers",
	"readers/arrow.File.AppendTo":   "no: the bytes are where it writes",
	"readers/flatgeobuf.Open":       "readers",
	"readers/flatgeobuf.OpenBytes":  "readers",
	"readers/tflite.Open":           "readers",
	"readers/tflite.OpenBytes":      "readers",
	"readers/tflite.Model.AppendTo": "no: the bytes are where it writes",
	"readers/vortex.Open":           "readers",
	"readers/vortex.OpenBytes":      "readers",
	"readers/vortex.File.AppendTo":  "no: the bytes are where it writes",
}

// TestEveryFunctionThatTakesBytesIsMeasured: who adds one says which entry of the series has
// its cost. What is unchecked takes bytes that were proved.
func TestEveryFunctionThatTakesBytesIsMeasured(t *testing.T) {
	rows := map[string]bool{}
	for _, r := range growth.ReadBook(t).Rows {
		rows[r.Entry] = true
	}
	met := map[string]bool{}
	for _, folder := range publicFolders {
		for _, name := range takingBytes(t, folder) {
			met[name] = true
			switch by, ok := measuredBy[name]; {
			case !ok:
				t.Errorf("%s takes bytes, a text or a schema, and no entry is named that measures it", name)
			case !strings.HasPrefix(by, "no: ") && !rows[by]:
				t.Errorf("%s: the series has no entry %q", name, by)
			}
		}
	}
	for name := range measuredBy {
		if !met[name] {
			t.Errorf("there is no %s", name)
		}
	}
}

// takingBytes lists the exported functions and methods of the package in a folder that take
// what strangers can have made.
func takingBytes(t *testing.T, folder string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(oracle.RepoRoot(), filepath.FromSlash(folder)))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(oracle.RepoRoot(), filepath.FromSlash(folder), e.Name()), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || strings.HasSuffix(f.Name.Name, "Unchecked") || !takes(f) {
				continue
			}
			name := folder + "."
			if f.Recv != nil {
				of := receiver(f.Recv.List[0].Type)
				if !ast.IsExported(of) {
					continue
				}
				name += of + "."
			}
			if name += f.Name.Name; !seen[name] { // of another system, too
				seen[name] = true
				list = append(list, name)
			}
		}
	}
	return list
}

func takes(f *ast.FuncDecl) bool {
	for _, p := range f.Type.Params.List {
		switch spelled(p.Type) {
		case "[]byte", "io.Reader", "io.ReaderAt", "fs.FS", "*schema.Schema", "*Schema":
			return true
		}
	}
	return false
}

func spelled(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return "*" + spelled(e.X)
	case *ast.ArrayType:
		if e.Len == nil {
			return "[]" + spelled(e.Elt)
		}
	case *ast.SelectorExpr:
		return spelled(e.X) + "." + e.Sel.Name
	}
	return ""
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
