package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/fbverify/dynamic"
)

type encodeFlags struct {
	schema, root string
	include      []string
	output       string
	options      dynamic.EncodeOptions
	lines        bool
	format       string
}

func encodeCommand() *cobra.Command {
	var e encodeFlags
	cmd := &cobra.Command{
		Use:   "encode --schema SCHEMA [flags] JSON",
		Short: "Turn JSON into a FlatBuffer",
		Long: `encode turns JSON into a FlatBuffer: strict JSON as dump --json prints it, or the relaxed form
that flatc reads, with comments, names without quotes, enum names and trailing commas.
Vectors of elements with a key come out sorted by it.

With --lines, or where the format is a stream, each line is a buffer of its own, and the
output a stream of size-prefixed buffers, as dump --json takes it apart.`,
		Example: `  fbinspect encode --schema monster.fbs hero.json -o hero.bin
  fbinspect dump --json model.tflite | fbinspect encode --root tflite.Model - -o copy.tflite`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return e.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&e.schema, "schema", "", "schema `FILE`, .fbs or .bfbs, or the name of a known one")
	f.StringVar(&e.root, "root", "", "root `TYPE`: full name, or its last word")
	f.StringVarP(&e.output, "output", "o", "", "write to `FILE`, which appears when it is complete")
	f.StringVar(&e.format, "format", "", "`FORMAT` to write: raw, size-prefixed, stream, long-size-prefixed, long-stream (default raw)")
	f.StringVar(&e.options.Identifier, "identifier", "", "file `ID` to write (default the schema's)")
	f.BoolVar(&e.options.NoIdentifier, "no-identifier", false, "write no file identifier")
	f.BoolVar(&e.options.IgnoreUnknown, "ignore-unknown", false, "skip fields that the schema does not have")
	f.BoolVar(&e.options.OmitDefaults, "omit-defaults", false, "leave out numbers that are the field's default, as flatc does")
	f.BoolVar(&e.options.FlexBytes, "flex-bytes", false, "fields with the attribute flexbuffer are arrays of bytes")
	f.BoolVar(&e.options.AllowNonUTF8, "non-utf8", false, `accept strings that are not UTF-8, written with "\xFF"`)
	f.IntVar(&e.options.MaxDepth, "max-depth", 0, "how deep tables may nest (default 64)")
	f.BoolVar(&e.lines, "lines", false, "make a size-prefixed buffer of each line")
	includeFlag(cmd, &e.include)
	cmd.MarkFlagFilename("schema", "fbs", "bfbs")
	return cmd
}

func (e *encodeFlags) run(cmd *cobra.Command, name string) error {
	if e.schema == "" && e.root == "" {
		return fmt.Errorf("encode needs --schema, or the --root of a known schema")
	}
	if err := e.framing(); err != nil {
		return err
	}
	types, err := input.LoadTypes(e.schema, e.include, e.root)
	if err != nil {
		return err
	}
	if types.Root() == nil {
		return fmt.Errorf("the schema has no root_type: name the root table with --root")
	}
	if e.output == "" && ui.IsTerminal(cmd.OutOrStdout()) {
		return fmt.Errorf("a FlatBuffer is binary: name a file with -o, or send it into a pipe")
	}
	src, err := input.OpenMapped(cmd.Context(), name)
	if err != nil {
		return err
	}
	defer src.Close()
	out, err := ui.Create(e.output, cmd.OutOrStdout(), name, e.schema)
	if err != nil {
		return err
	}
	return out.Close(src.Guard(func() error {
		text, err := src.Bytes()
		if err != nil {
			return err
		}
		if !e.lines {
			return e.encode(out, types.Root(), name, text, 0)
		}
		for n := 0; len(text) > 0; n++ {
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			line, rest, _ := bytes.Cut(text, []byte("\n"))
			text = rest
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			if err := e.encode(out, types.Root(), name, line, n); err != nil {
				return err
			}
		}
		return nil
	}))
}

// framing finds out what stands before each buffer.
func (e *encodeFlags) framing() error {
	format, err := container.ParseFormat(e.format)
	switch {
	case err != nil || format.KnowsTypes():
		return fmt.Errorf("--format %s: encode writes raw, size-prefixed, stream, long-size-prefixed and long-stream", ui.Name(e.format))
	case e.lines && format == container.Raw:
		return fmt.Errorf("--format raw: with --lines a length stands before each buffer")
	case format == container.Unknown && e.lines:
		format = container.Stream
	}
	e.lines = e.lines || format.Several() && format != container.Unknown
	e.options.Framing = format.Framing()
	return nil
}

// encode writes one buffer. before is the number of lines before the text.
func (e *encodeFlags) encode(out *ui.Output, typ *fbverify.Type, name string, text []byte, before int) error {
	buf, err := dynamic.EncodeJSON(typ, text, &e.options)
	var fault *dynamic.JSONError
	if errors.As(err, &fault) {
		return fmt.Errorf("%s:%d:%d: %s: %s\n%s", ui.Name(name), fault.Line+before, fault.Column, fault.Path, fault.Reason, place(text, fault))
	}
	if err != nil {
		return err
	}
	_, err = out.Write(buf)
	return err
}

// place shows the line of a fault with a mark below it.
func place(text []byte, fault *dynamic.JSONError) string {
	start := min(max(fault.Offset, 0), len(text))
	for start > 0 && text[start-1] != '\n' && fault.Offset-start < 60 {
		start--
	}
	end := min(max(fault.Offset, 0), len(text))
	for end < len(text) && text[end] != '\n' && end-fault.Offset < 40 {
		end++
	}
	show := func(b []byte) string {
		return strings.Map(func(r rune) rune {
			if r < ' ' || r == 0x7f {
				return ' '
			}
			return r
		}, strings.ToValidUTF8(string(b), "?"))
	}
	before := show(text[start:min(fault.Offset, len(text))])
	return "    " + before + show(text[min(fault.Offset, len(text)):end]) + "\n    " + strings.Repeat(" ", len([]rune(before))) + "^"
}
