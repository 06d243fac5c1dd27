package fbs

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
)

// What names of files, includes and declarations hold must not reach a terminal.
func TestMessagesHoldNoControlCharacters(t *testing.T) {
	const hostile = "a\x1b[2J\u009b1m\u202e\x7f\tb"
	fsys := fstest.MapFS{
		hostile + ".fbs": {Data: []byte("table T {} table T { table U {")},
		"include.fbs":    {Data: []byte(`include "a\x1b[2J\u009b\u202e\u007f.fbs"; table T {}`)},
		"names.fbs":      {Data: []byte("table T { x:" + hostile + "; } root_type " + hostile + ";")},
		"attribute.fbs":  {Data: []byte(`table T { x:int ("a\x1b\u009b": 1); }`)},
		"default.fbs":    {Data: []byte(`table T { x:int = "a\x1b\u009b"; }`)},
		"identifier.fbs": {Data: []byte(`file_identifier "\x1b[2JX";`)},
		"nested.fbs":     {Data: []byte(`table T { x:[ubyte] (nested_flatbuffer: "a\x1b\u009b"); }`)},
		"id.fbs":         {Data: []byte(`table T { x:int (id: "\x1b[2J"); }`)},
		"align.fbs":      {Data: []byte(`struct S (force_align: "\x1b[2J") { x:int; }`)},
		"hash.fbs":       {Data: []byte(`table T { x:int (hash: "\x1b[2J"); }`)},
	}
	names := []string{"missing" + hostile, hostile, "/" + hostile}
	for name := range fsys {
		names = append(names, name)
	}
	for _, name := range names {
		_, err := ParseFS(fsys, name)
		if err == nil {
			t.Errorf("%q: no error", name)
			continue
		}
		for _, r := range strings.ReplaceAll(err.Error(), "\n", "") {
			if unicode.IsControl(r) && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("%q: %q in %q", name, r, err)
				break
			}
		}
	}
}

func TestAPathThatIsNoneOfAnFSIsExplained(t *testing.T) {
	for _, path := range []string{"/a.fbs", "../a.fbs", "./a.fbs", ""} {
		_, err := ParseFS(fstest.MapFS{"a.fbs": {Data: []byte("table T {}")}}, path)
		if err == nil || !strings.Contains(err.Error(), "fs.FS") {
			t.Errorf("%q: %v", path, err)
		}
		_, err = ParseFS(os.DirFS(t.TempDir()), path)
		if err == nil || !strings.Contains(err.Error(), "fs.FS") {
			t.Errorf("%q in a folder: %v", path, err)
		}
	}
}

func TestAnIncludeMustBeAFile(t *testing.T) {
	for _, mode := range []fs.FileMode{fs.ModeNamedPipe, fs.ModeDevice | fs.ModeCharDevice, fs.ModeSocket, fs.ModeDir} {
		fsys := fstest.MapFS{
			"a.fbs": {Data: []byte(`include "b.fbs"; table T {}`)},
			"b.fbs": {Data: []byte("table U {}"), Mode: mode},
		}
		if _, err := ParseFS(fsys, "a.fbs"); err == nil || !strings.Contains(err.Error(), "not a file") {
			t.Errorf("%v: %v", mode, err)
		}
	}
	fsys := fstest.MapFS{"a.fbs": {Data: []byte("table T {}"), Mode: fs.ModeNamedPipe}}
	if _, err := ParseFS(fsys, "a.fbs"); err != nil {
		t.Errorf("the first file: %v", err)
	}
}
