package ui_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
)

func TestHexMarksTheFaultyBytes(t *testing.T) {
	b := make([]byte, 40)
	for i := range b {
		b[i] = byte(i + 'A')
	}
	for _, c := range []struct {
		name        string
		b           []byte
		start, mark int64
		size        int
		want        string
	}{
		{"inside a row", b[:16], 0x20, 0x22, 3, "" +
			"00000020  41 42 43 44 45 46 47 48  49 4a 4b 4c 4d 4e 4f 50  ABCDEFGHIJKLMNOP\n" +
			"                ^^^^^^^^\n"},
		{"across the gap in the middle", b[:16], 0, 6, 4, "" +
			"00000000  41 42 43 44 45 46 47 48  49 4a 4b 4c 4d 4e 4f 50  ABCDEFGHIJKLMNOP\n" +
			"                            ^^^^^^^^^^^^\n"},
		{"across two rows, the second short", b[:20], 0, 15, 2, "" +
			"00000000  41 42 43 44 45 46 47 48  49 4a 4b 4c 4d 4e 4f 50  ABCDEFGHIJKLMNOP\n" +
			"                                                        ^^\n" +
			"00000010  51 52 53 54                                       QRST\n" +
			"          ^^\n"},
		{"nothing marked", b[:3], 0, 0, 0, "00000000  41 42 43                                          ABC\n"},
	} {
		var out bytes.Buffer
		ui.Hex(&out, ui.Style{}, "", c.b, c.start, c.mark, c.size)
		if out.String() != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, out.String(), c.want)
		}
	}
}

func TestNumbersAndNamesForPeople(t *testing.T) {
	for got, want := range map[string]string{
		ui.Count(1, "file"):                                "1 file",
		ui.Count(1234567, "byte"):                          "1,234,567 bytes",
		ui.Count(2, "entry"):                               "2 entries",
		ui.Count(2, "array"):                               "2 arrays",
		ui.Thousands(-1234):                                "-1,234",
		ui.Bytes(999):                                      "999 B",
		ui.Bytes(1_500_000):                                "1.5 MB",
		ui.Bytes(999_999):                                  "1.0 MB",
		ui.Name("plain.bin"):                               "plain.bin",
		ui.Name("a\x1b[31mb"):                              `"a\x1b[31mb"`,
		ui.Name("a\xff"):                                   `"a\xff"`,
		ui.Text([]byte("héllo"), 2):                        `"h"… (6 bytes)`,
		ui.List([]string{"a", "b", "c"}):                   "a, b and c",
		ui.DidYouMean("verfy", []string{"dump", "verify"}): "; did you mean verify?",
		ui.DidYouMean("xyz", []string{"dump"}):             "",
		ui.DidYouMean("Tensro", []string{"tflite.Tensor", "tflite.Model"}): "; did you mean tflite.Tensor?",
		ui.Indent(2) + "|":                         "    |",
		strings.TrimLeft(ui.Indent(65), " ") + "|": "(level 65) |",
		ui.Wrap("one two three", "  ", 9):          "  one two\n  three",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAnOutputFileIsWholeOrNotThere(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out")
	write := func(text string, failed error) error {
		out, err := ui.Create(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(text)
		out.Flush()
		if b, err := os.ReadFile(name); err == nil && string(b) == text {
			t.Errorf("%q is there before it is complete", text)
		}
		return out.Close(failed)
	}
	broken := errors.New("broken")
	if err := write("half", broken); err != broken {
		t.Errorf("Close returns %v", err)
	}
	if err := write("first", nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := write("second", nil); err != nil {
		t.Fatal(err)
	}
	if err := write("half again", broken); err != broken {
		t.Errorf("Close returns %v", err)
	}
	b, err := os.ReadFile(name)
	if err != nil || string(b) != "second" {
		t.Errorf("the file holds %q, %v", b, err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file that was replaced had mode 0600, it has %v", info.Mode())
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left in the folder: %v", entries)
	}
	if _, err := ui.Create(dir, nil); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("a folder as output: %v", err)
	}
	out, err := ui.Create(filepath.Join(dir, "abandoned"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close(broken)
	ui.RemoveUnfinished()
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left after an interrupt: %v", entries)
	}
}

func TestBrokenPipesAreRecognised(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	if _, err := w.WriteString("x"); !ui.IsBrokenPipe(err) {
		t.Errorf("the error is %v", err)
	}
}
