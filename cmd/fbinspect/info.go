package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/cmd/fbinspect/internal/info"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/cmd/fbinspect/internal/verdict"
)

func infoCommand() *cobra.Command {
	var data dataFlags
	var options optionFlags
	var colour colourFlag
	var folders folderFlags
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "info [flags] FILE…",
		Short: "Say what files are: columns, rows, codecs, tensors, layers",
		Long: `info says what a file is: its format and version, who wrote it, its columns with their types,
rows and batches, codecs, how many bytes each column has, indexes and metadata; tensors and
operators of a model; layer, reference system and extent of a map; the types of a .bfbs.

It reads metadata only, and no value. Where that is not sound it tells what can be told, and the
exit code is 1; verify says where the fault is. What the data itself is worth it does not say.

With -r, FILE may be a folder; files in it that are of no known kind are passed over.`,
		Example: `  fbinspect info table.arrow
  fbinspect info --json model.tflite | jq '.subgraphs[0].operators'
  fbinspect info -r --include '*.vortex' /data`,
		Args: atLeast(1, "the name of a file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			types, format, err := data.load()
			if err != nil {
				return err
			}
			defer noteUnused(cmd, types)
			if err := options.check(); err != nil {
				return err
			}
			style, err := colour.style(cmd.OutOrStdout())
			if err != nil {
				return err
			}
			out, err := ui.Create("", cmd.OutOrStdout())
			if err != nil {
				return err
			}
			reporter := &info.Reporter{Types: types, Format: format, Options: options.Options}
			text := &info.Text{W: out, Style: style, Width: min(ui.Width(cmd.OutOrStdout(), 100), 120), All: all}
			unsound, printed := false, 0
			failed, err := folders.each(cmd, args, func(file verdict.Found, _ bool) error {
				i, err := infoOf(cmd, reporter, file)
				if err != nil {
					return err
				}
				unsound = unsound || !i.Sound
				if asJSON {
					return ui.NewJSON(out).Encode(i)
				}
				if printed++; printed > 1 {
					fmt.Fprintln(out)
				}
				text.Write(i)
				return nil
			})
			if err := out.Close(err); err != nil {
				return err
			}
			switch {
			case failed > 0:
				return exitCode(exitFailed)
			case unsound:
				return exitCode(exitInvalid)
			}
			return nil
		},
	}
	data.add(cmd)
	options.add(cmd.Flags())
	colour.add(cmd)
	folders.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object for each file, one a line")
	cmd.Flags().BoolVar(&all, "all", false, "do not cut lists and texts short")
	return cmd
}

func infoOf(cmd *cobra.Command, r *info.Reporter, file verdict.Found) (i *info.Info, err error) {
	src, err := input.OpenMappable(cmd.Context(), file.Name)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	src.InFolder = file.InFolder
	err = src.Guard(func() error {
		i, err = r.Of(cmd.Context(), src)
		return err
	})
	return i, err
}
