package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
)

// TestReadmeShowsWhatIsPrinted runs every command in the README's transcripts: what stands
// below it is what it prints.
func TestReadmeShowsWhatIsPrinted(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(oracle.RepoRoot(), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	shell := oracle.Tool(t, "sh")
	// A shell finds this test as fbinspect.
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "fbinspect")); err != nil {
		t.Skip(err)
	}
	run := func(line string) string {
		cmd := exec.Command(shell, "-c", line)
		cmd.Dir = oracle.RepoRoot()
		cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "NO_COLOR=1")
		out, err := cmd.Output()
		if _, bad := err.(*exec.ExitError); err != nil && !bad {
			t.Fatal(err)
		}
		return string(out)
	}
	commands := 0
	for i, block := range strings.Split(string(readme), "```console\n") {
		if i == 0 {
			continue
		}
		block, _, _ = strings.Cut(block, "```")
		var line string
		var shown strings.Builder
		check := func() {
			if line == "" {
				return
			}
			commands++
			// Lines of spaces and the empty line that ends a transcript are not shown.
			want, got := strings.TrimRight(shown.String(), "\n"), strings.TrimRight(run(line), "\n")
			if got != want {
				t.Errorf("%s\nprints\n%s\nand the README shows\n%s", line, got, want)
			}
			line = ""
			shown.Reset()
		}
		for text := range strings.Lines(block) {
			switch {
			case strings.HasPrefix(text, "$ "):
				check()
				line = strings.TrimSpace(text[2:])
			case strings.HasPrefix(text, "# ") && endsTranscript(block, text):
				check()
			default:
				shown.WriteString(text)
			}
		}
		check()
	}
	if commands < 6 {
		t.Errorf("the README has %d commands with what they print, and there should be 6", commands)
	}
	// The pictures are those of the file of the first transcript, and there.
	for _, name := range []string{"docs/html-light.png", "docs/html-dark.png"} {
		info, err := os.Stat(filepath.Join(oracle.RepoRoot(), filepath.FromSlash(name)))
		if err != nil || info.Size() > 150_000 || !strings.Contains(string(readme), name) {
			t.Errorf("%s: %v, or it is too large, or the README does not show it", name, err)
		}
	}
}

// endsTranscript reports whether a line that starts with # is a remark before a command, and
// not printed by one: annotate prints such lines.
func endsTranscript(block, text string) bool {
	_, after, _ := strings.Cut(block, text)
	return strings.HasPrefix(after, "$ ")
}
