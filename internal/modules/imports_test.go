package modules_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
)

var update = flag.Bool("update", false, "write the imports into DESIGN.md as they are")

// rooms are the folders whose packages DESIGN.md draws, in its order. Of the generated
// packages one stands for all; those that only tests and measurements use are left out.
var rooms = []string{"schema", "fbverify", "generated/vortex", "readers", "cmd/fbgen", "internal/gogen", "arrowguard", "protobuf", "grpc", "remote", "cmd/fbinspect"}

func forTests(name string) bool {
	last := name[strings.LastIndexByte(name, '/')+1:]
	return strings.HasSuffix(last, "test") || last == "trust" || last == "pictures" || strings.Contains(name, "/testdata/")
}

// TestDesignDrawsTheImports holds the picture of the packages in DESIGN.md to what
// go list prints. After a change: go test ./internal/modules -run Imports -update.
func TestDesignDrawsTheImports(t *testing.T) {
	root := oracle.RepoRoot()
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}}:{{range .Imports}} {{.}}{{end}}`, "work")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOWORK="+filepath.Join(root, "go.work")) // also where the library is tested alone
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var drawn strings.Builder
	for _, room := range rooms {
		for line := range strings.Lines(string(out)) {
			name, imports, _ := strings.Cut(strings.TrimSpace(line), ":")
			name = strings.TrimPrefix(name, library+"/")
			if name != room && !strings.HasPrefix(name, room+"/") || forTests(name) {
				continue
			}
			drawn.WriteString(name + ":")
			ours := 0
			for _, path := range strings.Fields(imports) {
				if path, ok := strings.CutPrefix(path, library+"/"); ok {
					drawn.WriteString(" " + path)
					ours++
				}
			}
			if ours == 0 {
				drawn.WriteString(" -")
			}
			drawn.WriteByte('\n')
		}
	}
	design := filepath.Join(root, "DESIGN.md")
	text, err := os.ReadFile(design)
	if err != nil {
		t.Fatal(err)
	}
	const opening, closing = "```\nschema:", "```\n"
	start := bytes.Index(text, []byte(opening))
	if start < 0 {
		t.Fatalf("DESIGN.md has no picture of the packages, which starts with %q", opening)
	}
	start += len("```\n")
	end := start + bytes.Index(text[start:], []byte(closing))
	if string(text[start:end]) == drawn.String() {
		return
	}
	if !*update {
		t.Fatal("DESIGN.md draws other imports than go list prints: go test ./internal/modules -run Imports -update")
	}
	if err := os.WriteFile(design, append(append(bytes.Clone(text[:start]), drawn.String()...), text[end:]...), 0o644); err != nil {
		t.Fatal(err)
	}
}
