package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
	"github.com/spf13/cobra"
)

// TestEachVerbShowsExamplesThatItAccepts parses the examples of each verb: their verbs and flags
// are there.
func TestEachVerbShowsExamplesThatItAccepts(t *testing.T) {
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if sub.Name() != "completion" {
				visit(sub)
			}
		}
		if !c.HasParent() || !c.IsAvailableCommand() && c.Name() != "help" {
			return
		}
		if c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for line := range strings.Lines(c.Example) {
			for _, part := range strings.FieldsFunc(line, func(r rune) bool { return r == '|' || r == '>' }) {
				words := strings.Fields(strings.ReplaceAll(part, "'", ""))
				if len(words) == 0 || words[0] != "fbinspect" {
					continue
				}
				fresh := newRoot(io.Discard, io.Discard)
				fresh.InitDefaultHelpCmd()
				verb, rest, err := fresh.Find(words[1:])
				if err != nil || !verb.HasParent() && len(rest) > 0 {
					t.Errorf("%s: %q: there is no such verb", c.CommandPath(), part)
					continue
				}
				verb.InitDefaultHelpFlag()
				if err := verb.ParseFlags(rest); err != nil {
					t.Errorf("%s: %q: %v", c.CommandPath(), part, err)
				} else if err := verb.ValidateArgs(verb.Flags().Args()); err != nil {
					t.Errorf("%s: %q: %v", c.CommandPath(), part, err)
				}
			}
		}
	}
	root := newRoot(io.Discard, io.Discard)
	root.InitDefaultHelpCmd()
	visit(root)
}

// TestCompletionScriptsAreSound lets each shell that is installed read its script, and bash
// complete a verb, a flag's value and a flag with it.
func TestCompletionScriptsAreSound(t *testing.T) {
	dir := t.TempDir()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		code, script, stderr := command(t, "completion", shell)
		if code != 0 || len(script) < 1000 || !strings.Contains(script, "fbinspect") {
			t.Errorf("%s: exit code %d, %d bytes: %s", shell, code, len(script), stderr)
		}
		t.Run(shell, func(t *testing.T) {
			path, file := oracle.Tool(t, shell), filepath.Join(dir, shell)
			if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(path, "-n", file).CombinedOutput(); err != nil {
				t.Errorf("%s -n: %v: %s", shell, err, out)
			}
		})
	}
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"ver"}, "verify"}, {[]string{"verify", "--format", "vor"}, "vortex"}, {[]string{"dump", "--part"}, "--partial"},
		{[]string{"schema", "fi"}, "find"}, {[]string{"help", "ann"}, "annotate"}, {[]string{"verify", "--color", ""}, "never"},
	} {
		_, out, _ := command(t, append([]string{"__complete"}, c.words...)...)
		if !strings.Contains("\n"+out, "\n"+c.want) {
			t.Errorf("%q completes to %q, without %s", c.words, out, c.want)
		}
	}
}

// TestManualPageHasEveryVerbAndFlag and is one that man can set without a complaint.
func TestManualPageHasEveryVerbAndFlag(t *testing.T) {
	code, page, stderr := command(t, "man")
	if code != 0 {
		t.Fatal(stderr)
	}
	for _, c := range newRoot(io.Discard, io.Discard).Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" && !strings.Contains(page, "\n.SS "+c.Name()) {
			t.Errorf("the manual has no section %s", c.Name())
		}
	}
	cmd := exec.Command(oracle.Tool(t, "groff"), "-man", "-Tutf8", "-ww", "-P-cbou")
	cmd.Stdin = strings.NewReader(page)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	if out, err := cmd.Output(); err != nil || complaints.Len() > 0 || !strings.Contains(string(out), "EXIT STATUS") {
		t.Errorf("groff: %v: %s", err, complaints.String())
	}
}
