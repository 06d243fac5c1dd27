package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
)

// dataFlags say what the FlatBuffers in a file are.
type dataFlags struct {
	schema, root, format string
	include              []string
}

func (d *dataFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&d.schema, "schema", "", "schema `FILE`, .fbs or .bfbs, or the name of a known one (fbinspect schema list)")
	f.StringArrayVarP(&d.include, "include-dir", "I", nil, "look for included .fbs files in `FOLDER` too (repeatable)")
	f.StringVar(&d.root, "root", "", "root `TYPE`: full name, or its last word; of a known schema where no --schema is given")
	f.StringVar(&d.format, "format", "auto", "`FORMAT` of the file: auto, "+formatNames())
	completeFlag(cmd, "format", cobra.FixedCompletions(append([]string{"auto"}, formatList()...), cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "schema", completeSchemas)
	completeFlag(cmd, "root", d.completeRoots)
	cmd.MarkFlagDirname("include-dir")
}

func formatList() []string {
	var names []string
	for _, f := range container.Formats() {
		names = append(names, f.String())
	}
	return names
}

func formatNames() string { return strings.Join(formatList(), ", ") }

// load reads the schema and finds the root type and the format.
func (d *dataFlags) load() (*input.Types, container.Format, error) {
	format, err := container.ParseFormat(d.format)
	if err != nil {
		return nil, 0, fmt.Errorf("--format %s: there is no such format%s; known are auto, %s", ui.Name(d.format), ui.DidYouMean(d.format, formatList()), formatNames())
	}
	types, err := input.LoadTypes(d.schema, d.include, d.root)
	return types, format, err
}

// noteUnused tells of a schema that was named and that no part of the files is of.
func noteUnused(cmd *cobra.Command, types *input.Types) {
	if types.Unused() {
		fmt.Fprintln(cmd.ErrOrStderr(), "fbinspect: note: the schema that was named was not used: the format of the files says of which types their FlatBuffers are (--format raw takes a file as one FlatBuffer of the named type)")
	}
}

// optionFlags are the verifier's limits and exceptions.
type optionFlags struct{ fbverify.Options }

func (o *optionFlags) add(f *pflag.FlagSet) {
	f.IntVar(&o.MaxDepth, "max-depth", 0, "how deep tables may nest (default 64; 128 for Arrow)")
	f.IntVar(&o.MaxTables, "max-tables", 0, "how many tables a walk may meet, shared ones counting each time (default the larger of 1,000,000 and a quarter of the bytes)")
	f.Int64Var(&o.MaxApparentSize, "max-apparent-size", 0, "how many bytes a walk may meet (default no limit)")
	f.StringVar(&o.Identifier, "identifier", "", "the `ID` of four bytes that the buffer must have")
	f.BoolVar(&o.SkipUTF8, "no-utf8", false, "accept strings that are not UTF-8")
	f.BoolVar(&o.SkipAlignment, "no-alignment", false, "accept values at positions that are no multiple of their alignment")
	f.BoolVar(&o.SkipNullTerminator, "no-terminator", false, "accept strings without a NUL byte after them")
	f.BoolVar(&o.NestedUnchecked, "no-nested", false, "do not look into nested FlatBuffers")
	f.BoolVar(&o.Strict, "strict", false, "refuse all that the format forbids, also what no read depends on")
}

// maxDepth is the largest MaxDepth that fbverify takes.
const maxDepth = 1 << 16

// check refuses limits that mean nothing.
func (o *optionFlags) check() error {
	switch {
	case o.MaxDepth < 0 || o.MaxTables < 0 || o.MaxApparentSize < 0:
		return fmt.Errorf("--max-depth, --max-tables and --max-apparent-size must not be negative")
	case o.MaxDepth > maxDepth:
		return fmt.Errorf("--max-depth %d: at most %d are supported", o.MaxDepth, maxDepth)
	case o.Identifier != "" && len(o.Identifier) != 4:
		return fmt.Errorf("--identifier %q: it has %s, and file identifiers have 4", o.Identifier, ui.Count(int64(len(o.Identifier)), "byte"))
	}
	return nil
}

// colourFlag is --color.
type colourFlag struct{ when string }

func (c *colourFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.when, "color", "auto", "use colours: `WHEN` is auto, always or never")
	completeFlag(cmd, "color", cobra.FixedCompletions([]string{"auto", "always", "never"}, cobra.ShellCompDirectiveNoFileComp))
}

func (c *colourFlag) style(w io.Writer) (ui.Style, error) {
	switch when := ui.When(c.when); when {
	case ui.Auto, ui.Always, ui.Never:
		return ui.StyleFor(w, when), nil
	}
	return ui.Style{}, fmt.Errorf("--color %s: it is auto, always or never", ui.Name(c.when))
}
