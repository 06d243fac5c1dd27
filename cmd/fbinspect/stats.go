package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/cmd/fbinspect/internal/annotate"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/stats"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/cmd/fbinspect/internal/verdict"
)

type statsFlags struct {
	data      dataFlags
	options   optionFlags
	colour    colourFlag
	folders   folderFlags
	json, all bool
}

func statsCommand() *cobra.Command {
	var s statsFlags
	cmd := &cobra.Command{
		Use:   "stats [flags] FILE…",
		Short: "Say where the bytes of files go, and which could be saved",
		Long: `stats adds up the bytes of a file: by what they are for, by type and field, with the largest
things, how far vtables are shared, how deep tables nest, strings that stand there more than
once, and what could be smaller. Each byte counts once.

With -r, FILE may be a folder; files in it that are of no known kind are passed over.`,
		Example: `  fbinspect stats model.tflite
  fbinspect stats --json table.arrow | jq .savings
  fbinspect stats -r --include '*.vortex' /data`,
		Args: atLeast(1, "the name of a file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd, args) },
	}
	s.data.add(cmd)
	s.options.add(cmd.Flags())
	s.colour.add(cmd)
	s.folders.add(cmd)
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
	faulty, printed := false, 0
	failed, err := s.folders.each(cmd, args, func(file verdict.Found, _ bool) error {
		r, err := statsOf(cmd, annotator, file)
		if err != nil {
			return err
		}
		faulty = faulty || len(r.Faults) > 0
		if s.json {
			return ui.NewJSON(out).Encode(r)
		}
		if printed++; printed > 1 {
			fmt.Fprintln(out)
		}
		r.Write(out, style, s.all)
		return nil
	})
	if err := out.Close(err); err != nil {
		return err
	}
	switch {
	case failed > 0:
		return exitCode(exitFailed)
	case faulty:
		return exitCode(exitInvalid)
	}
	return nil
}

func statsOf(cmd *cobra.Command, a *annotate.Annotator, file verdict.Found) (r *stats.Report, err error) {
	src, err := input.OpenMapped(cmd.Context(), file.Name)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	src.InFolder = file.InFolder
	done, line := startTask(cmd, file.Name, src.Size, false)
	defer line.end()
	a.Done = done
	err = src.Guard(func() error {
		r, err = stats.Of(cmd.Context(), a, src)
		return err
	})
	return r, err
}
