package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/cmd/fbinspect/internal/annotate"
	"github.com/fbverify/go/cmd/fbinspect/internal/htmlpage"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
)

type htmlFlags struct {
	data      dataFlags
	options   optionFlags
	output    string
	dataLimit int64
}

func htmlCommand() *cobra.Command {
	var h htmlFlags
	cmd := &cobra.Command{
		Use:   "html [flags] FILE -o PAGE",
		Short: "Make a page that shows a file's structure and bytes side by side",
		Long: `html makes one self-contained page: the structure on the left, the bytes on the right. Click
either to find the other; search by field, value, offset or bytes; faults are listed and
marked. The page loads nothing from anywhere, so it can be mailed and kept.`,
		Example: `  fbinspect html model.tflite -o model.html
  fbinspect html --schema monster.fbs damaged.bin -o damaged.html`,
		Args: exactly(1, "the name of one file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error { return h.run(cmd, args[0]) },
	}
	h.data.add(cmd)
	h.options.add(cmd.Flags())
	cmd.Flags().StringVarP(&h.output, "output", "o", "", "write to `PAGE`, which appears when it is complete; - for standard output")
	cmd.Flags().Int64Var(&h.dataLimit, "data-limit", htmlpage.DataLimit, "`BYTES` to show of each run of data between FlatBuffers")
	return cmd
}

func (h *htmlFlags) run(cmd *cobra.Command, name string) error {
	types, format, err := h.data.load()
	if err != nil {
		return err
	}
	defer noteUnused(cmd, types)
	if err := h.options.check(); err != nil {
		return err
	}
	if h.output == "" {
		return fmt.Errorf("name the page with -o PAGE.html")
	}
	if h.dataLimit < 0 {
		return fmt.Errorf("--data-limit must not be negative")
	}
	src, err := input.OpenMapped(name)
	if err != nil {
		return err
	}
	defer src.Close()
	out, err := ui.Create(h.output, cmd.OutOrStdout(), name, h.data.schema)
	if err != nil {
		return err
	}
	faults := 0
	annotator := &annotate.Annotator{Types: types, Format: format, Options: h.options.Options}
	err = src.Guard(func() (err error) {
		faults, err = htmlpage.Write(cmd.Context(), out, annotator, src, h.dataLimit)
		return err
	})
	if err := out.Close(err); err != nil {
		return named(name, err)
	}
	if faults > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "fbinspect: %s: %s, marked on the page\n", ui.Name(name), ui.Count(int64(faults), "fault"))
		return exitCode(exitInvalid)
	}
	return nil
}
