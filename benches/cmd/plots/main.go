// Plots draws the pictures of benches/RESULTS.md from the records in
// benches/results: SVGs, legible on light and on dark pages, the same from the
// same records.
//
// Exit status: 0, or 2 when something went wrong.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/fbverify/go/benches/internal/record"
)

const usage = `usage: go run ./benches/cmd/plots [flags]

Draws benches/pictures/*.svg from the records in benches/results.

`

// pictures by the names of their files.
var pictures = []struct {
	name string
	draw func(*record.Folder) ([]byte, error)
}{
	{"root.svg", drawRoot},
	{"read.svg", drawRead},
	{"decode.svg", drawDecode},
}

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

func run(args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("plots", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage); flags.PrintDefaults() }
	records := flags.String("records", filepath.Join("benches", "results"), "`folder` of the records")
	out := flags.String("out", filepath.Join("benches", "pictures"), "`folder` of the pictures")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err == nil && flags.NArg() > 0:
		fmt.Fprintf(stderr, "plots: unexpected argument %q\n", flags.Arg(0))
		return 2
	case err != nil:
		return 2
	}
	if err := drawAll(*records, *out); err != nil {
		fmt.Fprintln(stderr, "plots:", err)
		return 2
	}
	return 0
}

func drawAll(records, out string) error {
	f, err := record.Open(records)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	for _, p := range pictures {
		svg, err := p.draw(f)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := record.WriteFile(filepath.Join(out, p.name), svg); err != nil {
			return err
		}
	}
	return nil
}
