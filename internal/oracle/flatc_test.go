package oracle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func ship() map[string][]byte {
	return map[string][]byte{
		"ship.fbs": []byte(`include "parts/mast.fbs";
namespace harbour;

/// A vessel that called.
table Ship {
  /// As painted on the bow.
  name: string (required);
  tons: uint32;
  masts: [Mast];
}
root_type Ship;
file_identifier "SHIP";
`),
		"parts/mast.fbs": []byte(`namespace harbour;
table Mast { height: float = 7.5; }
`),
	}
}

func TestFlatcIsTheVersionThatIsPinned(t *testing.T) {
	result, err := NewFlatc(t).Run(nil, "--version")
	if err != nil {
		t.Fatal(err)
	}
	if want := "flatc version " + FlatcVersion + "\n"; result.Stdout != want || result.Code != 0 {
		t.Errorf("got %q, exit status %d; want %q", result.Stdout, result.Code, want)
	}
}

func TestBFBSHoldsCommentsAndBuiltinAttributes(t *testing.T) {
	bfbs, err := NewFlatc(t).BFBS(ship(), "ship.fbs")
	if err != nil {
		t.Fatal(err)
	}
	if string(bfbs[4:8]) != "BFBS" {
		t.Errorf("identifier is %q", bfbs[4:8])
	}
	for _, want := range []string{"As painted on the bow.", "A vessel that called.", "required", "harbour.Mast"} {
		if !bytes.Contains(bfbs, []byte(want)) {
			t.Errorf("%q is not in the .bfbs", want)
		}
	}
}

func TestIncludesAreFoundThroughIncludePaths(t *testing.T) {
	files := map[string][]byte{
		"a.fbs":            []byte(`include "b.fbs"; table A { b: B; }`),
		"somewhere/b.fbs":  []byte(`table B { x: int; }`),
		"unrelated/ab.fbs": []byte(`not a schema`),
	}
	f := NewFlatc(t)
	if _, err := f.BFBS(files, "a.fbs"); err == nil {
		t.Error("found b.fbs without a path to it")
	}
	if _, err := f.BFBS(files, "a.fbs", "unrelated", "somewhere"); err != nil {
		t.Error(err)
	}
}

func TestJSONSurvivesTheWayToBinaryAndBack(t *testing.T) {
	f := NewFlatc(t)
	bfbs, err := f.BFBS(ship(), "ship.fbs")
	if err != nil {
		t.Fatal(err)
	}
	binarySchema := map[string][]byte{"ship.bfbs": bfbs}
	const in = `{"name": "Ariadne", "tons": 912, "masts": [{"height": 21.5}, {}]}`
	for _, flags := range [][]string{nil, {"--size-prefixed"}} {
		bin, err := f.ToBinary(ship(), "ship.fbs", []byte(in), flags...)
		if err != nil {
			t.Fatal(err)
		}
		at := 4 + 4*len(flags)
		if got := string(bin[at : at+4]); got != "SHIP" {
			t.Errorf("%v: identifier is %q", flags, got)
		}
		for name, decode := range map[string]func() ([]byte, error){
			"fbs":  func() ([]byte, error) { return f.ToJSON(ship(), "ship.fbs", bin, flags...) },
			"bfbs": func() ([]byte, error) { return f.ToJSON(binarySchema, "ship.bfbs", bin, flags...) },
		} {
			out, err := decode()
			if err != nil {
				t.Fatal(err)
			}
			if got, want := compact(t, out), compact(t, []byte(in)); got != want {
				t.Errorf("%v, through .%s: got %s, want %s", flags, name, got, want)
			}
		}
		out, err := f.ToJSON(ship(), "ship.fbs", bin, append(flags, "--defaults-json")...)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(compact(t, out), `{"height":7.5}`) {
			t.Errorf("--defaults-json left a default out: %s", out)
		}
	}
}

func compact(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return b.String()
}

func TestAnErrorInASchemaIsReportedInFlatcsWords(t *testing.T) {
	_, err := NewFlatc(t).BFBS(map[string][]byte{"bad.fbs": []byte("table T {\n  x: nothing;\n}")}, "bad.fbs")
	var failure *Failure
	if !errors.As(err, &failure) {
		t.Fatalf("got %v, want a *Failure", err)
	}
	if failure.Code == 0 || !strings.Contains(err.Error(), "nothing") || !strings.Contains(err.Error(), "bad.fbs") {
		t.Errorf("exit status %d, %q", failure.Code, err)
	}
}

func TestNothingLeaksFromOneRunToTheNext(t *testing.T) {
	f := NewFlatc(t)
	if _, err := f.BFBS(ship(), "ship.fbs"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.BFBS(nil, "ship.fbs"); err == nil {
		t.Error("a file of an earlier run is still there")
	}
}

func TestOnlyWrittenFilesAreReturned(t *testing.T) {
	result, err := NewFlatc(t).Run(ship(), "--binary", "--schema", "ship.fbs")
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Files) != 1 || result.Files["ship.bfbs"] == nil {
		t.Errorf("got %d files; want ship.bfbs alone", len(result.Files))
	}
}

func TestPathsOutsideTheWorkingDirectoryAreRefused(t *testing.T) {
	f := NewFlatc(t)
	for _, name := range []string{"/etc/a.fbs", "../a.fbs", "a//b.fbs", ".", ""} {
		if _, err := f.Run(map[string][]byte{name: nil}, "--version"); err == nil {
			t.Errorf("accepted %q", name)
		}
	}
}

func TestARunAfterAnAbortIsNotAffected(t *testing.T) {
	f := NewFlatc(t)
	// The root table's vtable would be far outside: flatc reads it all the same.
	bin := []byte("\x08\x00\x00\x00SHIPzzzzzzzzzzzz")
	_, err := f.ToJSON(ship(), "ship.fbs", bin)
	if !errors.Is(err, ErrAborted) {
		t.Fatalf("got %v, want ErrAborted", err)
	}
	if _, err := f.BFBS(ship(), "ship.fbs"); err != nil {
		t.Error(err)
	}
}

func TestConformTellsAnEvolutionFromABreak(t *testing.T) {
	files := map[string][]byte{
		"old.fbs":    []byte("table T { a: int; }"),
		"longer.fbs": []byte("table T { a: int; b: int; }"),
		"broken.fbs": []byte("table T { a: string; }"),
	}
	f := NewFlatc(t)
	if err := f.Conform(files, "old.fbs", "longer.fbs"); err != nil {
		t.Error(err)
	}
	var failure *Failure
	if err := f.Conform(files, "old.fbs", "broken.fbs"); !errors.As(err, &failure) {
		t.Errorf("got %v, want a *Failure", err)
	}
}

func TestCodeIsGeneratedForEachLanguage(t *testing.T) {
	f := NewFlatc(t)
	for _, c := range []struct {
		name, path, text string
		generate         func(map[string][]byte, string, ...string) (map[string][]byte, error)
	}{
		{"Go", "harbour/Ship.go", "func GetRootAsShip", f.GenGo},
		{"C++", "ship_generated.h", "struct Ship ", f.GenCpp},
		{"Rust", "ship_generated.rs", "pub struct Ship<'a>", f.GenRust},
	} {
		code, err := c.generate(ship(), "ship.fbs", "--gen-all")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !bytes.Contains(code[c.path], []byte(c.text)) {
			t.Errorf("%s: no %q in %q among %d files", c.name, c.text, c.path, len(code))
		}
	}
}

func TestAnnotateTakesBothKindsOfSchema(t *testing.T) {
	f := NewFlatc(t)
	bin, err := f.ToBinary(ship(), "ship.fbs", []byte(`{"name": "Ariadne"}`))
	if err != nil {
		t.Fatal(err)
	}
	fromText, err := f.Annotate(ship(), "ship.fbs", bin)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(fromText, []byte("Ariadne")) {
		t.Errorf("no value in\n%s", fromText)
	}
	bfbs, err := f.BFBS(ship(), "ship.fbs")
	if err != nil {
		t.Fatal(err)
	}
	fromBinary, err := f.Annotate(map[string][]byte{"ship.bfbs": bfbs}, "ship.bfbs", bin)
	if err != nil {
		t.Fatal(err)
	}
	if len(fromBinary) == 0 {
		t.Error("nothing from a .bfbs")
	}
}

func TestRunsFromManyGoroutinesEachGetTheirOwnAnswer(t *testing.T) {
	f := NewFlatc(t)
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			schema := fmt.Sprintf("table Only%d { x: int; }", i)
			bfbs, err := f.BFBS(map[string][]byte{"s.fbs": []byte(schema)}, "s.fbs")
			if err != nil {
				t.Error(err)
			} else if !bytes.Contains(bfbs, fmt.Appendf(nil, "Only%d", i)) {
				t.Errorf("run %d got another's answer", i)
			}
		}()
	}
	wg.Wait()
}

func TestAProcessThatHangsIsKilledAndReplaced(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node")
	}
	dir := t.TempDir()
	// Hangs when asked to, answers anything else.
	script := `import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  if (JSON.parse(line).args[0] === 'hang') for (;;);
  if (JSON.parse(line).args[0] === 'die') { console.error('last words'); process.exit(3); }
  process.stdout.write('{"stdout": "here"}\n');
}`
	if err := os.WriteFile(filepath.Join(dir, "peer.mjs"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	f := &Flatc{Timeout: 2 * time.Second, server: &server{command: []string{node, "peer.mjs"}, dir: dir}}
	if _, err := f.Run(nil, "hang"); !errors.Is(err, ErrTimeout) {
		t.Errorf("got %v, want ErrTimeout", err)
	}
	if _, err := f.Run(nil, "die"); err == nil || !strings.Contains(err.Error(), "last words") {
		t.Errorf("got %v, want what the process said before it ended", err)
	}
	f.Timeout = time.Minute
	if result, err := f.Run(nil, "answer"); err != nil || result.Stdout != "here" {
		t.Errorf("got %v, %v", result, err)
	}
	f.server.child.end()
}

func TestCorpusHoldsSchemas(t *testing.T) {
	if _, err := os.Stat(filepath.Join(Corpus(t), "schemas")); err != nil {
		t.Error(err)
	}
}
