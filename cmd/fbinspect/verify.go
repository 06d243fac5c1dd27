package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/cmd/fbinspect/internal/verdict"
)

const verifyExamples = `  fbinspect verify model.tflite table.arrow
  fbinspect verify --schema monster.fbs hero.bin
  fbinspect verify -r --include '*.vortex' /data
  fbinspect verify --all --json damaged.fgb
  curl -s https://example.org/roads.fgb | fbinspect verify -`

type verifyFlags struct {
	data                dataFlags
	options             optionFlags
	colour              colourFlag
	find                folderFlags
	all, failFast, json bool
	quiet, verbose      bool
	parallel            int
}

func verifyCommand() *cobra.Command {
	var v verifyFlags
	cmd := &cobra.Command{
		Use:   "verify [flags] FILE…",
		Short: "Say whether files are sound, and where they are not",
		Long: `verify says of each file whether the FlatBuffers in it are sound: that no read through
their schema leaves the buffer. Of each fault it tells the part of the file, the path in the
data, the offset, and what to make of it.

A file is sound, damaged, or deviates: it breaks the letter of its format, and the readers that
people use open it all the same. It is valid then, unless --strict is given. Notes tell what is
odd, or was not looked at.

With --json each file gives one object:

  {"file","format","valid","verdict","parts":[{"name","type","offset","length","valid","verdict",
  "tables","errors":[{"kind","type","path","offset","message","part"}]}],"errors","error",
  "deviations":[{"kind","part","path","offset","message","readers"}],
  "notes":[{"kind","part","path","offset","message"}]}

"verdict" is "sound", "deviating" or "damaged". Offsets count from the start of the file.
"errors" beside "parts" are faults of what lies around the FlatBuffers; "error" says why a file
could not be judged.

With -r, FILE may be a folder. Files in it that are of no known kind are passed over, unless
a schema is given; so are names that start with a dot, and links. When that leaves nothing to
verify the exit code is 2.`,
		Example: verifyExamples,
		Args:    atLeast(1, "the names of files, or - for standard input"),
		RunE:    func(cmd *cobra.Command, args []string) error { return v.run(cmd, args) },
	}
	v.data.add(cmd)
	v.options.add(cmd.Flags())
	v.colour.add(cmd)
	v.find.add(cmd)
	f := cmd.Flags()
	f.BoolVar(&v.all, "all", false, "list every fault, not only the first of each part")
	f.BoolVar(&v.failFast, "fail-fast", false, "stop at the first file that is not valid")
	f.BoolVar(&v.json, "json", false, "one JSON object for each file, one a line")
	f.IntVar(&v.parallel, "parallel", 0, "`N` files at a time (default one for each processor)")
	f.BoolVarP(&v.quiet, "quiet", "q", false, "print nothing about valid files")
	f.BoolVarP(&v.verbose, "verbose", "v", false, "list the parts of valid files too, and the files passed over")
	return cmd
}

func (v *verifyFlags) run(cmd *cobra.Command, args []string) error {
	types, format, err := v.data.load()
	if err != nil {
		return err
	}
	if err := v.options.check(); err != nil {
		return err
	}
	if err := v.find.Check(); err != nil {
		return err
	}
	if v.parallel < 0 {
		return fmt.Errorf("--parallel must not be negative")
	}
	style, err := v.colour.style(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	const few = 5
	checker := &verdict.Checker{
		Types: types, Format: format, Options: v.options.Options,
		All: v.all, KeepParts: v.json || v.verbose, FewFaults: few,
	}
	if v.json {
		checker.FewFaults = 0
	}
	stderr := cmd.ErrOrStderr()
	out, err := ui.Create("", cmd.OutOrStdout())
	if err != nil {
		return err
	}
	text := &verdict.Text{W: out, Style: style, Width: min(ui.Width(cmd.OutOrStdout(), 100), 120), Quiet: v.quiet, Verbose: v.verbose}
	lines := &verdict.JSON{W: out}
	var summary verdict.Summary
	progress, stop := startProgress(stderr, !v.json || !ui.IsTerminal(cmd.OutOrStdout()))
	ctx := cmd.Context()
	var writeErr error
	checker.Run(ctx, v.find.Find, args, v.parallel, progress, func(r *verdict.Result) bool {
		summary.Add(r)
		if v.json {
			if r.Skipped == "" || v.verbose {
				writeErr = lines.Write(r)
			}
		} else {
			text.Write(r)
		}
		if r.Error != "" {
			stop.clear()
			fmt.Fprintf(stderr, "fbinspect: %s: %s\n", ui.Name(r.File), ui.Plain(r.Error))
		}
		// A person at a terminal sees each verdict as it comes.
		if ui.IsTerminal(cmd.OutOrStdout()) {
			stop.clear()
			writeErr = out.Flush()
		}
		return writeErr == nil && !(v.failFast && r.Skipped == "" && !r.Valid)
	})
	stop.end()
	if writeErr == nil && !v.json && (summary.Files > 1 || v.find.Recursive) {
		summary.Write(out, style)
	}
	if err := out.Close(writeErr); err != nil {
		return err
	}
	noteUnused(cmd, types)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if judged := summary.Valid + summary.Invalid + summary.Failed; judged == 0 {
		why := "there is no file"
		if summary.Skipped > 0 {
			why = ui.Count(summary.Skipped, "file") + ", none of a known kind (-v tells why; --schema names the schema of others)"
		}
		return fmt.Errorf("nothing was verified: %s", why)
	}
	if code := summary.ExitCode(); code != exitOK {
		return exitCode(code)
	}
	return nil
}
