package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/fbverify/go/schema/bfbs"
	"github.com/fbverify/go/schema/fbs"
)

// Strings that a terminal or a browser would act on: colours, a window's title, control
// characters beyond ASCII, a turned direction, the end of a script.
const (
	evilTerminal = "\x1b[31mred\x1b]0;owned\x07\u009b31m\u202etxt.exe\u2066\r\b\x7f"
	evilPage     = `</script><img src=x onerror="owned=1"><!--{{script}}'"&`
)

// hostile makes a folder with a schema, a FlatBuffer of it, a damaged one and files of known
// formats, all full of such strings, down to their names. It returns the schema and the files.
func hostile(t *testing.T) (schemaFile string, files []string) {
	t.Helper()
	dir := t.TempDir()
	if runtime.GOOS == "windows" {
		t.Skip("such file names cannot be made here")
	}
	write := func(name, content string) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	schemaFile = write("s.fbs", "/// "+strings.ReplaceAll(evilPage+evilTerminal, "\r", "")+`
namespace n;
table Item { name:string (key); value:string; }
table Root { text:string; items:[Item]; words:[string]; }
root_type Root;
`)
	value, err := json.Marshal(map[string]any{
		"text":  evilTerminal + evilPage,
		"words": []string{evilPage, evilTerminal},
		"items": []map[string]string{{"name": evilTerminal, "value": evilPage}, {"name": evilPage, "value": evilTerminal}},
	})
	if err != nil {
		t.Fatal(err)
	}
	input := write("v.json", string(value))
	name := filepath.Join(dir, "a<img src=x onerror=owned=1>\x1b[31m\u202e.bin")
	if code, _, stderr := command(t, "encode", "--schema", schemaFile, input, "-o", name); code != 0 {
		t.Fatal(stderr)
	}
	sound, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, name)
	// The same with a string that is not UTF-8, with one that lacks its end, and cut off.
	at := bytes.Index(sound, []byte("\x1b[31m"))
	files = append(files, write("b\x1b[31m.bin", string(sound[:at])+"\xff"+string(sound[at+1:])))
	files = append(files, write("c\x9b31m.bin", string(sound[:len(sound)*2/3])))
	// Files of no format, of known ones with strings that are wrong, and none at all.
	files = append(files, write("d\n.arrow", "ARROW1\x00\x00"+evilTerminal+evilPage))
	files = append(files, write("e\x1b.fgb", "fgb\x03fgb\x01"+evilTerminal+evilPage))
	files = append(files, write("f\x1b.vortex", evilTerminal+evilPage+"VTXF"))
	files = append(files, write("g\x1b.tflite", "\x1b[2J<script>"+evilTerminal), filepath.Join(dir, "no such\x1b[31m"))
	return schemaFile, files
}

// hostileSchema has such strings wherever a schema can have text.
func hostileSchema(evil string) string {
	evil = strings.NewReplacer("\r", "", "\n", "").Replace(evil)
	quoted := `"` + strings.NewReplacer(`"`, `\"`, "\x1b", `\x1b`, "\x07", `\x07`, "\b", `\b`, "\x7f", `\x7f`, "\u009b", `\u009b`, "\u202e", `\u202e`, "\u2066", `\u2066`).Replace(evil) + `"`
	doc := "/// " + evil + "\n"
	return `attribute "custom"; rpc_service S { call(T):T; }
` + doc + `enum E:byte {
` + doc + `  A }
` + doc + `union U {
` + doc + ` T }
` + doc + `struct P {
` + doc + ` x:int (custom: ` + quoted + `); }
` + doc + `table T {
` + doc + `  a:string = ` + quoted + ` (custom: ` + quoted + `); p:P; u:U; e:E;
}
root_type T; file_extension ` + quoted + `;
`
}

// harmless checks that a terminal only shows a text.
func harmless(t *testing.T, what []string, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%q: what it prints is not UTF-8: %q", what, text)
	}
	for i, r := range text {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			t.Errorf("%q: it prints %q: …%q", what, r, text[max(0, i-80):min(len(text), i+80)])
			return
		}
	}
}

// TestNoTextFromAFileReachesTheTerminalAsItIs runs all verbs on files whose names, values and
// documentation a terminal would act on.
func TestNoTextFromAFileReachesTheTerminalAsItIs(t *testing.T) {
	schemaFile, files := hostile(t)
	for _, file := range files {
		for _, verb := range [][]string{
			{"verify"}, {"verify", "--all", "-v"}, {"verify", "--json"}, {"verify", "--json", "--strict"},
			{"dump"}, {"dump", "--offsets"}, {"dump", "--json"}, {"dump", "--partial"}, {"dump", "--partial", "--json"},
			{"dump", "--path", "items[*].name"}, {"dump", "--no-utf8"}, {"dump", "--no-utf8", "--non-utf8", "escape", "--json"},
			{"annotate"}, {"annotate", "--json"}, {"stats", "--all"}, {"stats", "--json"},
			{"diff", files[0]}, {"diff", "--json", files[0]}, {"encode"}, {"html", "-o", filepath.Join(t.TempDir(), "p")},
		} {
			args := append(append(append([]string{}, verb...), "--schema", schemaFile), file)
			_, stdout, stderr := command(t, args...)
			harmless(t, args, stdout+stderr)
		}
		_, stdout, stderr := command(t, "schema", "find", file)
		harmless(t, []string{"find", file}, stdout+stderr)
	}
	full := filepath.Join(t.TempDir(), "full\x1b[31m\u202e.fbs")
	other := filepath.Join(t.TempDir(), "other\x1b[31m.fbs")
	if err := os.WriteFile(full, []byte(hostileSchema(evilTerminal)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, []byte(strings.Replace(hostileSchema("x"+evilTerminal), "x:int", "x:short", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := command(t, "schema", "print", full); code != 0 {
		t.Fatal(stderr)
	}
	for _, args := range [][]string{
		{"schema", "list", full}, {"schema", "print", full}, {"schema", "print", full, "T", "E", "U", "P"}, {"conform", full, other}, {"diff", full, other},
		{"conform", "--json", "--notes", full, other}, {"schema", "find", "--schema", full, files[0]}, {"schema", "find", "--json", "--all", "--schema", schemaFile, files[0]},
		{evilTerminal}, {"verify", "--" + evilTerminal}, {"verify", "-\x1b"}, {"verify", "--root", evilTerminal, "x"}, {"verify", "--format", evilTerminal, "x"},
		{"verify", "--schema", evilTerminal, "x"}, {"verify", "-r", "--include", "[" + evilTerminal, "."}, {"dump", "--path", evilTerminal, files[0]},
		{"dump", "--schema", schemaFile, "--path", "it\u009b31ms", files[0]}, {"dump", "--part", evilTerminal, "--schema", schemaFile, files[0]},
		{"dump", "-o", "/nonexistent/" + evilTerminal, "--schema", schemaFile, files[0]}, {"verify", "--color", evilTerminal, files[0]},
		{"verify", "--identifier", evilTerminal, files[0]}, {"verify", "--max-depth", evilTerminal, files[0]}, {"schema", evilTerminal},
		{"schema", "print", evilTerminal}, {"schema", "print", schemaFile, evilTerminal}, {"schema", "print", schemaFile}, {"schema", "list", schemaFile},
		{"conform", evilTerminal, evilTerminal}, {"help", evilTerminal}, {"completion", evilTerminal}, {"encode", "--schema", schemaFile, files[0]},
	} {
		_, stdout, stderr := command(t, args...)
		harmless(t, args, stdout+stderr)
	}
}

// TestNamesOfASchemaReachTheTerminalHarmless changes names in a .bfbs to what a terminal acts
// on: it is refused, in words that are harmless, or its names are escaped.
func TestNamesOfASchemaReachTheTerminalHarmless(t *testing.T) {
	schemaFile, files := hostile(t)
	s, err := fbs.ParseFS(os.DirFS(filepath.Dir(schemaFile)), filepath.Base(schemaFile))
	if err != nil {
		t.Fatal(err)
	}
	b, err := bfbs.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"items", "n.Item", "n.Root", "value"} {
		evil := bytes.ReplaceAll(b, []byte(name), []byte("\x1b[1m\u009b\u202e<>")[:len(name)])
		if bytes.Equal(evil, b) {
			t.Fatalf("the .bfbs has no %s", name)
		}
		file := filepath.Join(t.TempDir(), "evil.bfbs")
		if err := os.WriteFile(file, evil, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"verify", "--schema", file, files[1]}, {"dump", "--schema", file, files[0]}, {"annotate", "--schema", file, files[0]},
			{"verify", file}, {"dump", file}, {"annotate", file}, {"stats", file}, {"schema", "print", file}, {"schema", "list", file},
			{"conform", schemaFile, file}, {"diff", schemaFile, file}, {"encode", "--schema", file, filepath.Join(filepath.Dir(schemaFile), "v.json"), "-o", os.DevNull},
		} {
			_, stdout, stderr := command(t, args...)
			harmless(t, args, stdout+stderr)
		}
	}
}
