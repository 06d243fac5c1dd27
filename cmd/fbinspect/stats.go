package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/cmd/fbinspect/internal/annotate"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/stats"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
)

type statsFlags struct {
	data      dataFlags
	options   optionFlags
	colour    colourFlag
	json, all bool
}

func statsCommand() *cobra.Command {
	var s statsFlags
	cmd := &cobra.Command{
		Use:   "stats [flags] FILE…",
		Short: "Say where the bytes of files go, and which could be saved",
		Long: `stats adds up the bytes of a file: by what they are for, by type and field, with the largest
things, how far vtables are shared, how deep tables nest, strings that stand there more than
once, and what could be smaller. Each byte counts once.`,
		Example: `  fbinspect stats model.tflite
  fbinspect stats --json table.arrow | jq .savings`,
		Args: atLeast(1, "the name of a file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd, args) },
	}
	s.data.add(cmd)
	s.options.add(cmd.Flags())
	s.colour.add(cmd)
	cmd.Flags().BoolVar(&s.json, "json", false, "one JSON object for each file, one a line")
	cmd.Flags().BoolVar(&s.all, "all", false, "do not cut lists short")
	return cmd
}

func (s *statsFlags) run(cmd *cobra.Command, args []string) error {
	types, format, err := s.data.load()
	if err != nil {
		return err
	}
	defer noteUnused(cmd, types)
	if err := s.options.check(); err != nil {
		return err
	}
	style, err := s.colour.style(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	out, err := ui.Create("", cmd.OutOrStdout())
	if err != nil {
		return err
	}
	annotator := &annotate.Annotator{Types: types, Format: format, Options: s.options.Options}
	failed, faulty := false, false
	for i, name := range args {
		r, err := statsOf(cmd, annotator, name)
		if err != nil {
			if cmd.Context().Err() != nil {
				return err
			}
			complain(cmd, name, err)
			failed = true
			continue
		}
		faulty = faulty || len(r.Faults) > 0
		if s.json {
			if err := ui.NewJSON(out).Encode(r); err != nil {
				return out.Close(err)
			}
			continue
		}
		if i > 0 {
			fmt.Fprintln(out)
		}
		r.Write(out, style, s.all)
	}
	if err := out.Close(nil); err != nil {
		return err
	}
	switch {
	case failed:
		return exitCode(exitFailed)
	case faulty:
		return exitCode(exitInvalid)
	}
	return nil
}

func statsOf(cmd *cobra.Command, a *annotate.Annotator, name string) (r *stats.Report, err error) {
	src, err := input.OpenMapped(name)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	err = src.Guard(func() error {
		r, err = stats.Of(cmd.Context(), a, src)
		return err
	})
	return r, err
}
