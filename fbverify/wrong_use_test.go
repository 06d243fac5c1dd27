package fbverify_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// wrongUse is a program with two views; STATEMENT or DECLARATION is what is wrong in
// it. It lies in a package of its own, as a program that imports generated views does.
const wrongUse = `package wronguse

import (
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/fbread"
	"github.com/fbverify/go/internal/gentest/features"
)

type A fbread.Of[A]

func (A) FlatBuffersType() *fbverify.Type { return nil }

type B fbread.Of[B]

func (B) FlatBuffersType() *fbverify.Type { return nil }

// Masked is defined as the view A, and is none.
type Masked fbread.Of[A]

func (Masked) FlatBuffersType() *fbverify.Type { return nil }

// NotAView has the method but is no table.
type NotAView struct{}

func (NotAView) FlatBuffersType() *fbverify.Type { return nil }

type AFixed fbread.FixedOf[AFixed]

type BFixed fbread.FixedOf[BFixed]

func takesA(fbverify.Verified[A]) {}

DECLARATION

func use(a fbverify.Verified[A], b fbverify.Verified[B], va fbread.Vector[A], fa AFixed, buf []byte, texts fbread.StringVector,
	everything features.Everything, big features.BigValue) {
	STATEMENT
}
`

func TestWrongUseDoesNotCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the compiler")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command here")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, statement, refused string }{
		{"right use", "takesA(a); _ = a.Root() == a.Root(); _ = fbverify.RootUnchecked[B](buf, fbverify.Unframed)", ""},
		{"a view that says Unchecked of itself", "_ = fbread.As[B](fbread.Unchecked(a.Root()))", ""},
		{"a Verified of another type as an argument", "takesA(b)", "cannot use b"},
		{"a conversion of a Verified to another type", "_ = fbverify.Verified[A](b)", "cannot convert b"},
		{"a Verified by hand", "_ = fbverify.Verified[A]{a.Root(), buf}", "implicit assignment to unexported field"},
		{"a Verified with its fields by name", "_ = fbverify.Verified[A]{root: a.Root()}", "unexported field root"},
		{"a root put into a Verified", "a.root = A{}", "root"},
		{"a Verified of something else than a table", "_, _ = fbverify.Root[NotAView](buf)", "NotAView does not satisfy fbverify.View"},
		{"a view as another", "_ = B(a.Root())", "cannot convert a.Root()"},
		{"a view as what another is defined as", "_ = fbread.Of[B](a.Root())", "cannot convert a.Root()"},
		{"a view as a table", "_ = fbread.Table(a.Root())", "cannot convert a.Root()"},
		{"a table as a view", "_ = A(fbread.Table{})", "cannot convert fbread.Table{}"},
		{"a fixed view as another", "_ = BFixed(fa)", "cannot convert fa"},
		{"a fixed view as one of no type", "_ = fbread.Fixed(fa)", "cannot convert fa"},
		{"a view as a fixed one", "_ = AFixed(a.Root())", "cannot convert a.Root()"},
		{"a view through type parameters", "func swap[V fbread.View[V], W fbread.View[W]](v V) W { return W(v) }", "cannot convert v"},
		{"a root verified as another type", "_, _ = fbverify.Root[Masked](buf)", "Masked does not satisfy fbverify.View"},
		{"a field read as another type", "_ = fbread.String(a.Root(), 4)", "as fbread.Table value in argument"},
		{"a child read as another type", "_ = fbread.Child[B](a.Root(), 4)", "as fbread.Table value in argument"},
		{"a vector read as another type", "_ = fbread.Tables[B](a.Root(), 4)", "as fbread.Table value in argument"},
		{"a union read as another member", "_ = fbread.UnionOf(a.Root(), 4)", "as fbread.Table value in argument"},
		{"a nested buffer of another type", "_ = fbverify.Nested[B](a.Root(), 4)", "undefined: fbverify.Nested"},
		{"a lookup by another field", "_, _ = fbread.LookupString(va, 4, \"\")", "undefined: fbread.LookupString"},
		{"a fixed view by another vtable", "_ = fbread.AllFixed[AFixed](va, \"\")", "undefined: fbread.AllFixed"},
		{"a vector of strings as one of unions", "_ = fbread.UnionVector(texts)", "cannot convert texts"},
		{"a generated view as another", "_ = features.Keyed(everything)", "cannot convert everything"},
		{"a union's value of another kind", "big.uncheckedKind = 1", "big.uncheckedKind undefined"},
		{"a union's value by hand", "_ = features.BigValue{1, fbread.UnionValue{}}", "implicit assignment to unexported field"},
		{"a table made by hand", "_ = fbread.Table{nil, nil}", "unexported field"},
		{"a view made by hand", "_ = fbread.Of[A]{nil, fbread.Table{}}", "unexported field"},
		{"a vector of another type", "_ = fbread.Vector[B](va)", "cannot convert va"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			source := filepath.Join(dir, "use.go")
			declaration, statement := "", c.statement
			if strings.HasPrefix(statement, "func ") {
				declaration, statement = statement, ""
			}
			program := strings.NewReplacer("DECLARATION", declaration, "STATEMENT", statement).Replace(wrongUse)
			if err := os.WriteFile(source, []byte(program), 0o600); err != nil {
				t.Fatal(err)
			}
			overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(here, "wronguse", "use.go"): source}})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(goTool, "build", "-overlay", filepath.Join(dir, "overlay.json"), "./wronguse").CombinedOutput()
			switch {
			case c.refused == "" && err != nil:
				t.Errorf("it does not compile: %s", out)
			case c.refused != "" && err == nil:
				t.Error("it compiles")
			case c.refused != "":
				_, messages, _ := strings.Cut(string(out), "\n") // the first line names the package
				for message := range strings.Lines(messages) {
					if !strings.Contains(message, c.refused) {
						t.Errorf("the compiler says %q, want a message with %q", message, c.refused)
					}
				}
			}
		})
	}
}
