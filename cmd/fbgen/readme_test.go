package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
)

// block returns the text of the README's next code block of a language, and what
// follows the block.
func block(t *testing.T, text, language string) (code, rest string) {
	t.Helper()
	_, text, ok := strings.Cut(text, "\n```"+language+"\n")
	code, rest, closed := strings.Cut(text, "```\n")
	if !ok || !closed {
		t.Fatalf("the README has no code block of %s where one is looked for", language)
	}
	return code, rest
}

// What the README shows is what a newcomer types: its schema, its go:generate line
// and its Go, as they stand there, in a module of their own.
func TestTheReadmesExampleRuns(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(readme), "\n## Reading in Go\n")
	if !ok {
		t.Fatal("the README has no section about reading in Go")
	}
	fbs, text := block(t, text, "fbs")
	generate, text := block(t, text, "go")
	read, _ := block(t, text, "go")
	run := module(t, map[string]string{
		"hero.fbs": fbs,
		"main.go": "package main\n\n" + generate + `
import (
	"fmt"

	"example.test/shop/hero"
	"github.com/fbverify/go/fbverify"
	flatbuffers "github.com/google/flatbuffers/go"
)

func show(buf []byte) error {
` + read + `	return nil
}

func main() {
	b := flatbuffers.NewBuilder(0)
	h := hero.HeroT{Name: "Ann", Weapon: &hero.WeaponT{Damage: 7}, Friends: []*hero.HeroT{{Name: "Bo"}}}
	hero.FinishHeroBuffer(b, h.Pack(b))
	fmt.Println(show(b.FinishedBytes()), show(nil) != nil)
}
`,
	})
	// What go get -tool writes; the module beside it stands for the one that it would download.
	tool := []string{"mod", "edit", "-tool=github.com/fbverify/go/cmd/fbgen"}
	for _, args := range [][]string{tool, {"generate", "./..."}, {"vet", "./..."}} {
		if out, err := run(args...); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	out, err := run("run", ".")
	if want := "Ann 7\n0 Bo 1\n<nil> true\n"; err != nil || out != want {
		t.Errorf("%v, got:\n%s\nwant:\n%s", err, out, want)
	}
}

// The ten-minute page is typed from top to bottom: its schema, its commands and its Go.
func TestTheTenMinutePageRuns(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "docs", "ten-minutes.md"))
	if err != nil {
		t.Fatal(err)
	}
	fbs, text := block(t, string(page), "fbs")
	commands, text := block(t, text, "sh")
	write, text := block(t, text, "go")
	read, text := block(t, text, "go")
	look, text := block(t, text, "go")
	stream, _ := block(t, text, "go")
	imports, look, ok := strings.Cut(look, "\n")
	if !ok || !strings.HasPrefix(imports, "import \"github.com/fbverify/go/fbverify/dynamic\"") {
		t.Fatalf("the page imports %q", imports)
	}
	generate := ""
	for _, line := range strings.Split(commands, "\n") {
		if strings.HasPrefix(line, "go tool fbgen ") {
			generate = line
		}
	}
	run := module(t, map[string]string{
		"hero.fbs": fbs,
		"main.go": "package main\n\n//go:generate " + generate + `

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"example.test/shop/hero"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	flatbuffers "github.com/google/flatbuffers/go"
)

func show(buf []byte) error {
` + read + look + `
	fmt.Println(string(text), err, typ)
	return nil
}

` + stream + `
func main() {
` + strings.Replace(write, "&hero.WeaponT{Damage: 7}}", "&hero.WeaponT{Damage: 7}, Friends: []*hero.HeroT{{Name: \"Bo\"}, {Name: \"Ann\", Weapon: &hero.WeaponT{}}}}", 1) + `	fmt.Println(show(buf), show(nil) != nil)
	var file bytes.Buffer
	fmt.Println(record(&file, []*hero.HeroT{{Name: "Cy"}, {Name: "Di"}}), replay(&file))
}
`,
	})
	tool := []string{"mod", "edit", "-tool=github.com/fbverify/go/cmd/fbgen"}
	check := append(strings.Fields(generate)[1:], "-check")
	for _, args := range [][]string{tool, {"generate", "./..."}, check, {"vet", "./..."}} {
		if out, err := run(args...); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	const json = `{"name":"Orin","weapon":{"damage":7},"friends":[{"name":"Ann","weapon":{"damage":0}},{"name":"Bo"}]}`
	out, err := run("run", ".")
	if want := "Ann 0\nBo 1\ntrue\n" + json + "\nOrin\n<Weapon>\n" + json + " <nil> Hero\n<nil> true\nCy\nDi\n<nil> <nil>\n"; err != nil || out != want {
		t.Errorf("%v, got:\n%s\nwant:\n%s", err, out, want)
	}
}
