package fbverify_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// wrongUse is a program with two views; STATEMENT is what is compiled.
const wrongUse = `package wronguse

import (
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/fbread"
)

type A fbread.Table

func (A) FlatBuffersType() *fbverify.Type { return nil }

type B fbread.Table

func (B) FlatBuffersType() *fbverify.Type { return nil }

// NotAView has the method but is no table.
type NotAView struct{}

func (NotAView) FlatBuffersType() *fbverify.Type { return nil }

func takesA(fbverify.Verified[A]) {}

func use(a fbverify.Verified[A], b fbverify.Verified[B], va fbread.Vector[A], buf []byte) {
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
		{"right use", "takesA(a); _ = a.Root(); _ = fbverify.RootUnchecked[B](buf)", ""},
		{"a Verified of another type as an argument", "takesA(b)", "cannot use b"},
		{"a conversion of a Verified to another type", "_ = fbverify.Verified[A](b)", "cannot convert b"},
		{"a Verified by hand", "_ = fbverify.Verified[A]{a.Root(), buf}", "implicit assignment to unexported field"},
		{"a Verified with its fields by name", "_ = fbverify.Verified[A]{root: a.Root()}", "unexported field root"},
		{"a root put into a Verified", "a.root = A{}", "root"},
		{"a Verified of something else than a table", "_, _ = fbverify.Root[NotAView](buf)", "NotAView does not satisfy fbverify.View"},
		{"a table made by hand", "_ = fbread.Table{nil, nil}", "unexported field"},
		{"a vector of another type", "_ = fbread.Vector[B](va)", "cannot convert va"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			source := filepath.Join(dir, "use.go")
			if err := os.WriteFile(source, []byte(strings.Replace(wrongUse, "STATEMENT", c.statement, 1)), 0o600); err != nil {
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
			case c.refused != "" && (err == nil || !strings.Contains(string(out), c.refused)):
				t.Errorf("the compiler says %q, want a message with %q", out, c.refused)
			}
		})
	}
}
