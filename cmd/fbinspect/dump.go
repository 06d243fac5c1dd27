package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/cmd/fbinspect/internal/dump"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/cmd/fbinspect/internal/verdict"
	"github.com/fbverify/go/fbverify/dynamic"
)

const dumpExamples = `  fbinspect dump model.tflite
  fbinspect dump --path 'subgraphs[0].tensors[*].name' model.tflite
  fbinspect dump --part footer --json table.arrow
  fbinspect dump --json --schema monster.fbs hero.bin > hero.json
  fbinspect dump --lines --schema monster.fbs --path 'inventory[*]' hero.bin | jq .name
  fbinspect dump --partial damaged.vortex`

type dumpFlags struct {
	data     dataFlags
	options  optionFlags
	colour   colourFlag
	folders  folderFlags
	part     string
	path     string
	output   string
	json     bool
	lines    bool
	partial  bool
	textconv bool
	depth    int
	limit    int
	maxText  int64
	tree     dump.TreeOptions
	print    dynamic.JSONOptions
	nonUTF8  string
}

func dumpCommand() *cobra.Command {
	var d dumpFlags
	cmd := &cobra.Command{
		Use:   "dump [flags] FILE…",
		Short: "Print the data of files, as a tree or as JSON",
		Long: `dump prints the data of the FlatBuffers in files, as a tree for people or, with --json, in
the JSON that flatc reads and fbinspect encode turns back into the same data.

What is not sound is not printed; --partial prints as much of it as can be read.

A path selects values: field names with dots between them, and in brackets an index, a slice
[2:5], every element [*], or the key of an element ["name"]; * is every field.

Of the flags for what is printed, --partial heeds --json, --path, --depth and --limit; its paths
take no keys, and no indexes from the end.

JSON of a file with parts of several types is one object a line, with the keys part, type,
offset and data, and path where --path selects; that of other files, and of a part that --part
names, is the data alone. Of several files, and with -r, each line is an object, and has the
key file, too. With --lines each line is the data alone, whatever it is of.

With -r, FILE may be a folder; files in it that are of no known kind are passed over.`,
		Example: dumpExamples,
		Args:    atLeast(1, "the name of a file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if d.textconv {
				return d.forGit(cmd, args)
			}
			return d.run(cmd, args)
		},
	}
	d.data.add(cmd)
	d.options.add(cmd.Flags())
	d.colour.add(cmd)
	d.folders.add(cmd)
	f := cmd.Flags()
	f.StringVar(&d.part, "part", "", "only the part of this `NAME`; * stands for anything: 'batch[*]'")
	f.StringVar(&d.path, "path", "", "only what `PATH` selects")
	f.BoolVar(&d.json, "json", false, "JSON, one value a line")
	f.BoolVar(&d.lines, "lines", false, "JSON, of each selected value the data alone on a line; without --path of the rows: the root's one vector of tables")
	f.IntVar(&d.depth, "depth", 0, "nested objects and lists to print (default all)")
	f.IntVar(&d.limit, "limit", -1, "elements of a list to print, 0 for all (default 100 in a tree, all in JSON)")
	f.BoolVar(&d.tree.Defaults, "defaults", false, "print fields that are not set too")
	f.BoolVar(&d.tree.Offsets, "offsets", false, "in a tree, say at which offset of its part each value lies")
	f.Int64Var(&d.maxText, "max-text", 0, "`BYTES` to print of one FlatBuffer (default 128 times its own in a tree, 64 times in JSON without --indent)")
	f.BoolVar(&d.textconv, "textconv", false, "for git's textconv: as --partial, with faults in the output, and never fail")
	f.BoolVar(&d.partial, "partial", false, "print what is sound of a faulty file")
	f.IntVar(&d.print.Indent, "indent", 0, "`N` spaces to indent each level of JSON by (default all on one line)")
	f.BoolVar(&d.print.EnumNumbers, "enum-numbers", false, "in JSON, print enums as numbers")
	f.BoolVar(&d.print.ASCII, "ascii", false, "in JSON, escape all but ASCII")
	f.BoolVar(&d.print.FlexBytes, "flex-bytes", false, "in JSON, print fields with the attribute flexbuffer as arrays of bytes")
	f.BoolVar(&d.print.NestedBytes, "nested-bytes", false, "in JSON, print nested FlatBuffers as arrays of bytes")
	f.StringVar(&d.nonUTF8, "non-utf8", "error", "with --no-utf8, print strings that are not UTF-8: `HOW` is error, escape (\\xFF, as flatc) or replace")
	completeFlag(cmd, "part", d.data.completeParts)
	completeFlag(cmd, "path", d.completePaths)
	completeFlag(cmd, "non-utf8", cobra.FixedCompletions([]string{"error", "escape", "replace"}, cobra.ShellCompDirectiveNoFileComp))
	f.StringVarP(&d.output, "output", "o", "", "write to `FILE`, which appears when it is complete")
	return cmd
}

// forGit dumps as git's textconv wants it: whatever the file is, there is text, and no failure,
// since git would show no difference at all.
func (d *dumpFlags) forGit(cmd *cobra.Command, args []string) error {
	d.partial = true
	faults := cmd.ErrOrStderr()
	cmd.SetErr(cmd.OutOrStdout())
	defer cmd.SetErr(faults)
	err := d.run(cmd, args)
	var code exitCode
	switch {
	case err == nil, errors.As(err, &code):
		return nil
	case cmd.Context().Err() != nil || ui.IsBrokenPipe(err):
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "fbinspect: %s\n", ui.Plain(err.Error()))
	return err
}

func (d *dumpFlags) run(cmd *cobra.Command, args []string) (err error) {
	types, format, err := d.data.load()
	if err != nil {
		return err
	}
	defer noteUnused(cmd, types)
	if err := d.options.check(); err != nil {
		return err
	}
	style, err := d.colour.style(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	if d.output != "" {
		style = ui.Style{}
	}
	if d.lines && d.print.Indent > 0 {
		return fmt.Errorf("--lines puts each value on a line, and --indent on several")
	}
	if d.lines && d.partial && d.path == "" {
		return fmt.Errorf("--lines with --partial needs a --path")
	}
	if d.maxText < 0 {
		return fmt.Errorf("--max-text must not be negative")
	}
	if d.depth < 0 || d.limit < -1 || d.print.Indent < 0 || d.print.Indent > 16 {
		return fmt.Errorf("--depth and --limit must not be negative, and --indent is 0 to 16")
	}
	dumper := &dump.Dumper{
		Types: types, Format: format, Options: d.options.Options, Part: d.part, Partial: d.partial,
		AsJSON: d.json || d.lines, Lines: d.lines, JSON: d.print, Tree: d.tree, Style: style, MaxText: d.maxText,
	}
	switch d.nonUTF8 {
	case "error":
	case "escape":
		dumper.JSON.NonUTF8 = dynamic.NonUTF8Escape
	case "replace":
		dumper.JSON.NonUTF8 = dynamic.NonUTF8Replace
	default:
		return fmt.Errorf("--non-utf8 %s: it is error, escape or replace", ui.Name(d.nonUTF8))
	}
	if d.path != "" {
		if dumper.Path, err = dynamic.ParsePath(d.path); err != nil {
			return fmt.Errorf("--path: %w%s", err, pathHint(d.path))
		}
	}
	dumper.Tree.Depth, dumper.JSON.Depth = d.depth, d.depth
	dumper.JSON.Defaults = d.tree.Defaults
	dumper.Tree.Limit = 100
	if d.limit >= 0 {
		dumper.Tree.Limit, dumper.JSON.Limit = d.limit, d.limit
	}
	out, err := ui.Create(d.output, cmd.OutOrStdout(), append(args, d.data.schema)...)
	if err != nil {
		return err
	}
	var total dump.Outcome
	printed := 0
	failed, err := d.folders.each(cmd, args, func(file verdict.Found, alone bool) error {
		name := file.Name
		switch {
		case alone:
		case d.lines:
		case d.json:
			dumper.FileKey = input.Shown(file.Name)
		default:
			dumper.Start = func() {
				if printed++; printed > 1 {
					fmt.Fprintln(out)
				}
				fmt.Fprintf(out, "%s\n", style.Bold("== "+ui.Name(name)+" =="))
			}
		}
		dumper.Warn = func(format string, a ...any) {
			fmt.Fprintf(cmd.ErrOrStderr(), "fbinspect: %s: %s\n", ui.Name(name), ui.Plain(fmt.Sprintf(format, a...)))
		}
		o, err := dumpFile(cmd, dumper, out, file, d.output != "")
		total.Faulty += o.Faulty
		total.Framing += o.Framing
		return err
	})
	if err := out.Close(err); err != nil {
		return err
	}
	switch {
	case failed > 0:
		return exitCode(exitFailed)
	case total.Faulty+total.Framing > 0:
		return exitCode(exitInvalid)
	}
	return nil
}

func dumpFile(cmd *cobra.Command, dumper *dump.Dumper, out *ui.Output, file verdict.Found, toFile bool) (o dump.Outcome, err error) {
	src, err := input.OpenMapped(cmd.Context(), file.Name)
	if err != nil {
		return o, err
	}
	defer src.Close()
	src.InFolder = file.InFolder
	_, line := startTask(cmd, file.Name, src.Size, toFile)
	defer line.end()
	warn := dumper.Warn
	dumper.Warn = func(format string, a ...any) {
		line.clear()
		warn(format, a...)
	}
	err = src.Guard(func() error {
		o, err = dumper.File(cmd.Context(), out, src)
		return err
	})
	var wrong *dynamic.PathError
	if errors.As(err, &wrong) {
		err = &lacksError{fmt.Errorf("%w%s", err, pathHint(wrong.Path))}
	} else if errors.Is(err, dump.ErrNoPart) {
		err = &lacksError{err}
	}
	return o, err
}

// pathHint says how a path of jq or JSONPath is written here, in a clause; "" where that is
// not what is wrong with it.
func pathHint(text string) string {
	expression, _, piped := strings.Cut(text, "|")
	plain := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(expression), "$"), ".")
	plain = strings.NewReplacer("[]", "[*]", ".[", "[", "['", `["`, "']", `"]`, "?", "").Replace(plain)
	if plain == text {
		return ""
	}
	if _, err := dynamic.ParsePath(plain); err != nil || plain == "" {
		return ""
	}
	hint := fmt.Sprintf("; here it is written %s", ui.Name(plain))
	if piped {
		hint += ", and what comes after | is for jq: fbinspect dump --json --path … FILE | jq …"
	}
	return hint
}
