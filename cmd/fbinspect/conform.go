package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/cmd/fbinspect/internal/conform"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
)

type conformFlags struct {
	colour                          colourFlag
	include                         []string
	json, strict, backward, forward bool
	notes                           bool
}

func conformCommand() *cobra.Command {
	var c conformFlags
	cmd := &cobra.Command{
		Use:   "conform OLD NEW",
		Short: "Say whether programs with one version of a schema may read data of another",
		Long: `conform compares two versions of a schema, .fbs or .bfbs. Each difference that breaks
something is named, with the direction it breaks:

  backward: programs with the new schema read data of the old one
  forward:  programs with the old schema read data of the new one

The exit code is 1 when something breaks in a direction that was asked for; both are, unless
one is named. With --strict warnings count too: then all is refused that flatc --conform
refuses.`,
		Example: `  fbinspect conform v1.fbs v2.fbs
  fbinspect conform --backward --json released.bfbs next.fbs`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args[0], args[1]) },
	}
	c.colour.add(cmd)
	includeFlag(cmd, &c.include)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return completeSchemas(cmd, args, word)
	}
	f := cmd.Flags()
	f.BoolVar(&c.json, "json", false, "one JSON object for each difference, one a line")
	f.BoolVar(&c.backward, "backward", false, "only what stops new programs from reading old data")
	f.BoolVar(&c.forward, "forward", false, "only what stops old programs from reading new data")
	f.BoolVar(&c.strict, "strict", false, "count warnings as breaks")
	f.BoolVar(&c.notes, "notes", false, "list differences that break nothing too")
	return cmd
}

func (c *conformFlags) run(cmd *cobra.Command, older, newer string) error {
	style, err := c.colour.style(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	before, err := input.LoadSchema(older, c.include)
	if err != nil {
		return err
	}
	after, err := input.LoadSchema(newer, c.include)
	if err != nil {
		return err
	}
	out, err := ui.Create("", cmd.OutOrStdout())
	if err != nil {
		return err
	}
	counts := map[conform.Severity]int64{}
	for _, d := range conform.Compare(before, after) {
		directional := d.Backward || d.Forward
		if c.backward != c.forward && directional && (c.backward && !d.Backward || c.forward && !d.Forward) {
			continue
		}
		counts[d.Severity]++
		if d.Severity == conform.Note && !c.notes {
			continue
		}
		if c.json {
			if err := ui.NewJSON(out).Encode(d); err != nil {
				return out.Close(err)
			}
			continue
		}
		severity := d.Severity.String()
		switch d.Severity {
		case conform.Break:
			severity = style.Bad(severity)
		case conform.Warning:
			severity = style.Warn(severity)
		}
		fmt.Fprintf(out, "%s  %s  %s%s\n", severity, style.Field(ui.Plain(d.Where)), d.Kind, style.Dim(direction(d)))
		fmt.Fprintln(out, ui.Wrap(ui.Plain(d.Message), "    ", 100))
	}
	bad := counts[conform.Break]
	if c.strict {
		bad += counts[conform.Warning]
	}
	if !c.json {
		fmt.Fprintf(out, "%s, %s, %s\n", ui.Count(counts[conform.Break], "break"), ui.Count(counts[conform.Warning], "warning"), ui.Count(counts[conform.Note], "note"))
	}
	if err := out.Close(nil); err != nil {
		return err
	}
	if bad > 0 {
		return exitCode(exitInvalid)
	}
	return nil
}

func direction(d conform.Difference) string {
	switch {
	case d.Backward && d.Forward:
		return "  (both directions)"
	case d.Backward:
		return "  (backward: new programs, old data)"
	case d.Forward:
		return "  (forward: old programs, new data)"
	}
	return ""
}
