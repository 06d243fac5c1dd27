// Results rewrites the tables of benches/RESULTS.md from the records in
// benches/results: what lies between the lines
//
//	<!-- begin NAME -->
//	<!-- end NAME -->
//
// and nothing else. benches/record.sh makes the records.
//
// Exit status: 0, 1 when --check finds the file to be another, 2 when something
// went wrong.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/fbverify/go/benches/internal/record"
)

const usage = `usage: go run ./benches/cmd/results [flags]

Rewrites the tables of benches/RESULTS.md from the records in benches/results.

`

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

func run(args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("results", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage); flags.PrintDefaults() }
	records := flags.String("records", filepath.Join("benches", "results"), "`folder` of the records")
	name := flags.String("file", filepath.Join("benches", "RESULTS.md"), "`file` whose tables are rewritten")
	check := flags.Bool("check", false, "change nothing, and fail if there is something to change")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err == nil && flags.NArg() > 0:
		fmt.Fprintf(stderr, "results: unexpected argument %q\n", flags.Arg(0))
		return 2
	case err != nil:
		return 2
	}
	changed, err := rewrite(*name, *records, *check, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "results:", err)
		return 2
	}
	if changed && *check {
		fmt.Fprintf(stderr, "results: %s is not what the records give; run go run ./benches/cmd/results\n", *name)
		return 1
	}
	return 0
}

// rewrite makes the tables of a file anew, or only says whether they would
// change. The file is replaced as a whole or not at all.
func rewrite(name, records string, dry bool, stderr io.Writer) (changed bool, err error) {
	f, err := record.Open(records)
	if err != nil {
		return false, err
	}
	old, err := os.ReadFile(name)
	if err != nil {
		return false, err
	}
	text, err := fill(string(old), f)
	if err != nil {
		return false, fmt.Errorf("%s: %w", name, err)
	}
	for _, t := range unexplained(f) {
		fmt.Fprintf(stderr, "results: nothing is said of why this was missed: %s, against %s\n", t.what, t.against)
	}
	changed = !bytes.Equal(old, []byte(text))
	if !changed || dry {
		return changed, nil
	}
	return true, record.WriteFile(name, []byte(text))
}

// unexplained are the targets that were missed and do not say why.
func unexplained(f *record.Folder) (list []target) {
	for _, t := range targets {
		if t.missed(t.measure(f)) && t.why == "" {
			list = append(list, t)
		}
	}
	return list
}

// fill returns the text with all tables made anew.
func fill(text string, f *record.Folder) (string, error) {
	for _, t := range tables {
		begin, end := "<!-- begin "+t.name+" -->\n", "<!-- end "+t.name+" -->\n"
		if strings.Count(text, begin) != 1 || strings.Count(text, end) != 1 {
			return "", fmt.Errorf("there is not one %q and one %q", strings.TrimSpace(begin), strings.TrimSpace(end))
		}
		at := strings.Index(text, begin) + len(begin)
		to := strings.Index(text, end)
		if to < at {
			return "", fmt.Errorf("%q stands before %q", strings.TrimSpace(end), strings.TrimSpace(begin))
		}
		text = text[:at] + "\n" + t.make(f) + "\n" + text[to:]
	}
	if n := strings.Count(text, "<!-- begin "); n != len(tables) {
		return "", fmt.Errorf("%d tables are begun, and %d are known", n, len(tables))
	}
	return text, nil
}
