package main

import (
	"fmt"
	"runtime/debug"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fbverify/go/cmd/fbinspect/internal/annotate"
	"github.com/fbverify/go/cmd/fbinspect/internal/htmlpage"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify/dynamic"
)

type htmlFlags struct {
	data      dataFlags
	options   optionFlags
	output    string
	dataLimit int64
	path      string
	at        []string
	app       bool
}

func htmlCommand() *cobra.Command {
	var h htmlFlags
	cmd := &cobra.Command{
		Use:   "html [flags] {FILE | --app} -o PAGE",
		Short: "Make a page that shows a file's structure and bytes side by side",
		Long: `html makes one self-contained page: what the file is and its faults on top, the structure on
the left, the bytes on the right. Click either to find the other, or use keys alone (? lists
them); search by path, value, offset or bytes; see the bytes at the cursor as numbers, text and
offset. The page loads nothing from anywhere, so it can be mailed and kept; what the file is and
the list of its faults are there without JavaScript too.

Of a FlatBuffer of more than 6 MiB the page has the first objects, and the first of each list;
--path and --at say what else of it. How much it leaves out is said, and stands on the page.

With --app there is no FILE: PAGE is then a program, this one built for WebAssembly, that makes
the page of whatever is dropped on it, with its schema where it needs one. It is one file that
opens no connection: what is dropped on it stays in the browser. Making it needs the Go
toolchain, and a checkout of the module as the current folder, or a released fbinspect.`,
		Example: `  fbinspect html model.tflite -o model.html
  fbinspect html --schema monster.fbs damaged.bin -o damaged.html
  fbinspect html --schema rows.fbs --path 'Root.rows[9000000]' large.bin -o row.html
  fbinspect html --app -o fbinspect.html`,
		Args: func(cmd *cobra.Command, args []string) error {
			if !h.app {
				return exactly(1, "the name of one file, or - for standard input")(cmd, args)
			}
			if len(args) > 0 {
				return fmt.Errorf("--app makes a page for any file, and takes no name: drop %s on the page", ui.Name(args[0]))
			}
			var other []string
			cmd.Flags().Visit(func(f *pflag.Flag) {
				if f.Name != "app" && f.Name != "output" {
					other = append(other, "--"+f.Name)
				}
			})
			if len(other) > 0 {
				return fmt.Errorf("--app makes a page for any file: %s is for the page of one", ui.List(other))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if h.app {
				return h.makeApp(cmd)
			}
			return h.run(cmd, args[0])
		},
	}
	h.data.add(cmd)
	h.options.add(cmd.Flags())
	cmd.Flags().StringVarP(&h.output, "output", "o", "", "write to `PAGE`, which appears when it is complete; - for standard output")
	cmd.Flags().Int64Var(&h.dataLimit, "data-limit", htmlpage.DataLimit, "`BYTES` to show of each run of data between FlatBuffers, until 4 MiB are on the page, and 256 behind; all of it where more than the default")
	cmd.Flags().StringVar(&h.path, "path", "", "of a large FlatBuffer also what `PATH` selects")
	cmd.Flags().StringSliceVar(&h.at, "at", nil, "of a large FlatBuffer also what is at `OFFSET` in the file, in decimal or 0x…")
	cmd.Flags().BoolVar(&h.app, "app", false, "make a page that opens what is dropped on it")
	completeFlag(cmd, "at", cobra.NoFileCompletions)
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
	opts := htmlpage.Options{DataLimit: h.dataLimit}
	if h.path != "" {
		if opts.Path, err = dynamic.ParsePath(h.path); err != nil {
			return fmt.Errorf("--path: %w%s", err, pathHint(h.path))
		}
	}
	for _, text := range h.at {
		at, err := strconv.ParseInt(text, 0, 64)
		if err != nil || at < 0 {
			return fmt.Errorf("--at %s: it is an offset in the file, in decimal or with 0x before it", ui.Name(text))
		}
		opts.At = append(opts.At, at)
	}
	src, err := input.OpenMapped(cmd.Context(), name)
	if err != nil {
		return err
	}
	defer src.Close()
	out, err := ui.Create(h.output, cmd.OutOrStdout(), name, h.data.schema)
	if err != nil {
		return err
	}
	// What is gathered grows until it is written: garbage would take as much again.
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	var o htmlpage.Outcome
	annotator := &annotate.Annotator{Types: types, Format: format, Options: h.options.Options}
	_, line := startTask(cmd, name, src.Size, h.output != "-")
	err = src.Guard(func() (err error) {
		o, err = htmlpage.Write(cmd.Context(), out, annotator, src, opts)
		return err
	})
	line.end()
	if err := out.Close(err); err != nil {
		return named(name, err)
	}
	if o.LeftOut > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "fbinspect: %s: %s of FlatBuffers are not on the page: --path and --at say what else of them to show\n", ui.Name(name), ui.Bytes(o.LeftOut))
	}
	if o.Faults > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "fbinspect: %s: %s, marked on the page\n", ui.Name(name), ui.Count(int64(o.Faults), "fault"))
		return exitCode(exitInvalid)
	}
	return nil
}

func (h *htmlFlags) makeApp(cmd *cobra.Command) error {
	if h.output == "" {
		return fmt.Errorf("name the page with -o PAGE.html")
	}
	wasm, script, err := htmlpage.BuildApp(cmd.Context(), buildVersion().Version)
	if err != nil {
		return err
	}
	out, err := ui.Create(h.output, cmd.OutOrStdout())
	if err != nil {
		return err
	}
	return out.Close(htmlpage.WriteApp(out, wasm, script))
}
