package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/benches/internal/record"
)

// TestWaysAgree runs the command with a megabyte, as a program of its own, since it starts
// itself again.
func TestWaysAgree(t *testing.T) {
	program := filepath.Join(t.TempDir(), "index")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var said bytes.Buffer
	cmd := exec.Command(program, "--size", "1", "--lookups", "1000", "--rounds", "1", "--json")
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(lines) != len(ways) {
		t.Fatalf("%d lines of %d ways:\n%s", len(lines), len(ways), out)
	}
	for i, line := range lines {
		var r record.Index
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if r.Way != ways[i].name || r.Entries < 5000 || r.Bytes < 1<<19 || r.ColdNS <= 0 || r.FirstNS <= 0 || r.EarlyNS <= 0 || r.LookupNS <= 0 {
			t.Errorf("%s", line)
		}
	}
}

func TestWrongArguments(t *testing.T) {
	for _, args := range [][]string{{"--size", "0"}, {"--lookups", "0"}, {"--rounds", "0"}, {"x"}, {"--child", "no such way"}} {
		if err := run(t.Context(), args, &bytes.Buffer{}, &bytes.Buffer{}); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}

// TestDamagedFilesAreRefused cuts a file and overwrites an offset: ways that check say so.
func TestDamagedFilesAreRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows")
	if err := writeFlat(file, 100); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for what, data := range map[string][]byte{"cut": whole[:len(whole)-1], "overwritten": bytes.Replace(whole, whole[4:8], []byte{0xff, 0xff, 0xff, 0x7f}, 1)} {
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, w := range ways {
			if strings.Contains(w.name, "vouched") || w.proto {
				continue
			}
			if _, err := w.open(file, 100); err == nil {
				t.Errorf("%s: a file that is %s is opened", w.name, what)
			}
		}
	}
}
