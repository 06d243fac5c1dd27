package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/cmd/fbinspect/internal/annotate"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
)

// small is a file of which so little is kept that garbage may be several times as much.
const small = 8 << 20

type annotateFlags struct {
	data    dataFlags
	options optionFlags
	colour  colourFlag
	output  string
	json    bool
	limit   int
}

func annotateCommand() *cobra.Command {
	var a annotateFlags
	cmd := &cobra.Command{
		Use:   "annotate [flags] FILE",
		Short: "Say of every byte of a file what it is for",
		Long: `annotate accounts for every byte of a file exactly once: its offset, the bytes, what they
are, the field they belong to and the value. Padding and gaps are named, faults are marked
where they are, and it goes on after them.

Rows are written as they are made, at once also of a large file: of what many offsets lead to
the path is that of the first in the file, and how far vtables are shared is for stats to say.

Vectors of many elements are cut short to --limit rows and one for the rest; --limit 0 lists
all.`,
		Example: `  fbinspect annotate model.tflite | less
  fbinspect annotate --schema monster.fbs hero.bin -o hero.txt
  fbinspect annotate --json table.arrow | jq 'select(.kind=="gap")'`,
		Args: exactly(1, "the name of one file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.run(cmd, args[0]) },
	}
	a.data.add(cmd)
	a.options.add(cmd.Flags())
	a.colour.add(cmd)
	f := cmd.Flags()
	f.BoolVar(&a.json, "json", false, "one JSON object for each row, one a line")
	f.IntVar(&a.limit, "limit", 32, "rows for the elements of one vector; 0 for all")
	f.StringVarP(&a.output, "output", "o", "", "write to `FILE`, which appears when it is complete")
	return cmd
}

// prompt writes the first rows at once: what comes behind them can take a while, and who
// asked for the first few wants no more.
func prompt(write func(*annotate.Row) error, out *ui.Output) func(*annotate.Row) error {
	const first = 256
	rows := 0
	return func(r *annotate.Row) error {
		if err := write(r); err != nil {
			return err
		}
		if rows++; rows <= first {
			return out.Flush()
		}
		return nil
	}
}

func (a *annotateFlags) run(cmd *cobra.Command, name string) error {
	types, format, err := a.data.load()
	if err != nil {
		return err
	}
	defer noteUnused(cmd, types)
	if err := a.options.check(); err != nil {
		return err
	}
	style, err := a.colour.style(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	if a.output != "" {
		style = ui.Style{}
	}
	if a.limit < 0 {
		return fmt.Errorf("--limit must not be negative")
	}
	src, err := input.OpenMapped(cmd.Context(), name)
	if err != nil {
		return err
	}
	defer src.Close()
	out, err := ui.Create(a.output, cmd.OutOrStdout(), name, a.data.schema)
	if err != nil {
		return err
	}
	text := &annotate.Text{W: out, Style: style}
	enc := ui.NewJSON(out)
	write := text.Write
	if a.json {
		write = func(r *annotate.Row) error { return enc.Encode(r) }
	}
	if a.output == "" {
		write = prompt(write, out)
	}
	faults := 0
	annotator := &annotate.Annotator{Types: types, Format: format, Options: a.options.Options, Limit: a.limit, Hex: a.json}
	if src.Size < small {
		defer debug.SetGCPercent(debug.SetGCPercent(200)) // a row is garbage once it is written
	}
	done, line := startTask(cmd, name, src.Size, a.output != "")
	annotator.Done = done
	err = src.Guard(func() (err error) {
		faults, err = annotator.Rows(cmd.Context(), src, write)
		return err
	})
	line.end()
	if err := out.Close(err); err != nil {
		return named(name, err)
	}
	if faults > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "fbinspect: %s: %s\n", ui.Name(name), ui.Count(int64(faults), "fault"))
		return exitCode(exitInvalid)
	}
	return nil
}
