package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/repair"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
)

func repairCommand() *cobra.Command {
	var format, output string
	cmd := &cobra.Command{
		Use:   "repair FILE -o FILE",
		Short: "Write a file of what is sound of a damaged one",
		Long: `repair writes a new file of what is sound of a damaged one, and never touches that:

  arrow         batches that are sound get a new footer
  arrow-stream  the stream ends after the last sound batch, damaged ones are left out
  flatgeobuf    damaged features are left out, and an index that does not fit with them

It says what was kept and what was lost, and the output verifies. Data buffers are copied as
they are: nobody can tell whether their values are right. Where nothing can be saved it
refuses, and writes nothing; so it does where nothing is wrong. The exit code is 0 when a file
was written, 1 when nothing is wrong, 2 otherwise.`,
		Example: `  fbinspect repair unsealed.arrow -o whole.arrow
  fbinspect repair --format arrow-stream cut.bin -o whole.arrows`,
		Args: exactly(1, "the name of one file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return fmt.Errorf("repair needs the name of the file that it is to write: -o FILE")
			}
			data := dataFlags{format: format}
			_, as, err := data.load()
			if err != nil {
				return err
			}
			src, err := input.OpenMapped(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer src.Close()
			return src.Guard(func() error {
				r, err := repair.Of(cmd.Context(), src, as)
				if errors.Is(err, repair.ErrSound) {
					fmt.Fprintf(cmd.ErrOrStderr(), "fbinspect: %s: %v: nothing is written\n", ui.Name(args[0]), err)
					return exitCode(exitInvalid)
				}
				if err != nil {
					return named(args[0], err)
				}
				out, err := ui.Create(output, cmd.OutOrStdout(), args[0])
				if err != nil {
					return err
				}
				_, err = r.WriteTo(out)
				if err := out.Close(err); err != nil {
					return err
				}
				for _, kept := range r.Kept {
					fmt.Fprintf(cmd.ErrOrStderr(), "kept: %s\n", ui.Plain(kept))
				}
				for _, lost := range r.Lost {
					fmt.Fprintf(cmd.ErrOrStderr(), "lost: %s\n", ui.Plain(lost))
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&format, "format", "auto", "`FORMAT` of the file: auto, arrow, arrow-stream or flatgeobuf")
	completeFlag(cmd, "format", cobra.FixedCompletions([]string{"auto", "arrow", "arrow-stream", "flatgeobuf"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE`, which appears when it is complete")
	return cmd
}
