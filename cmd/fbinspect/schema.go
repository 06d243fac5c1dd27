package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/schemas"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/bfbs"
	"github.com/fbverify/go/schema/fbs"
	"github.com/fbverify/go/schema/formats"
)

func schemaCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "List, print, convert and find schemas",
		Long: `schema works on schemas in text (.fbs) and binary form (.bfbs), and on those that come with
fbinspect, which go by names such as vortex/layout.`,
		Example: `  fbinspect schema list
  fbinspect schema print tflite/tflite Tensor
  fbinspect schema convert monster.fbs -o monster.bfbs
  fbinspect schema find unknown.bin`,
	}
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownVerb(cmd, args[0])
	}
	cmd.AddCommand(schemaListCommand(), schemaPrintCommand(), schemaConvertCommand(), schemaFindCommand(), schemaFmtCommand(), schemaFormatsCommand())
	return cmd
}

func schemaListCommand() *cobra.Command {
	var colour colourFlag
	var include []string
	cmd := &cobra.Command{
		Use: "list [SCHEMA]",
		Example: `  fbinspect schema list
  fbinspect schema list tflite/tflite`,
		Short: "List the known schemas, or the types of one",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			style, err := colour.style(cmd.OutOrStdout())
			if err != nil {
				return err
			}
			out, err := ui.Create("", cmd.OutOrStdout())
			if err != nil {
				return err
			}
			if len(args) == 1 {
				s, err := input.LoadSchema(args[0], include)
				if err != nil {
					return err
				}
				schemas.List(out, style, s)
				return out.Close(nil)
			}
			for _, k := range formats.All() {
				s, err := k.Load()
				if err != nil {
					return err
				}
				root := "no root_type"
				if s.Root != nil {
					root = "root " + s.Root.Name
				}
				if s.FileIdentifier != "" {
					root += fmt.Sprintf(", identifier %q", s.FileIdentifier)
				}
				fmt.Fprintf(out, "%-22s %s  %s\n", k.Name, root, style.Dim(ui.Count(int64(len(s.Objects)+len(s.Enums)), "type")))
			}
			return out.Close(nil)
		},
	}
	colour.add(cmd)
	cmd.ValidArgsFunction = completeTypes(&include, false)
	includeFlag(cmd, &include)
	return cmd
}

func includeFlag(cmd *cobra.Command, include *[]string) {
	cmd.Flags().StringArrayVarP(include, "include-dir", "I", nil, "look for included .fbs files in `FOLDER` too (repeatable)")
	cmd.MarkFlagDirname("include-dir")
}

func schemaPrintCommand() *cobra.Command {
	var colour colourFlag
	var include []string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "print SCHEMA [TYPE…]",
		Example: `  fbinspect schema print vortex/layout
  fbinspect schema print monster.bfbs Monster Weapon
  fbinspect schema print --json-schema monster.fbs > monster.schema.json`,
		Short: "Print a schema as .fbs, or all about some of its types",
		Long: `print writes a schema as .fbs, or all about the types that are named.

With --json-schema it writes a JSON Schema (draft 2020-12) for the JSON that flatc and
fbinspect dump --json print of the schema's root, or of the table that is named.`,
		Args: atLeast(1, "a schema"),
		RunE: func(cmd *cobra.Command, args []string) error {
			style, err := colour.style(cmd.OutOrStdout())
			if err != nil {
				return err
			}
			s, err := input.LoadSchema(args[0], include)
			if err != nil {
				return err
			}
			out, err := ui.Create("", cmd.OutOrStdout())
			if err != nil {
				return err
			}
			if asJSON {
				b, err := jsonSchemaOf(s, args[1:])
				if err == nil {
					_, err = out.Write(append(b, '\n'))
				}
				return out.Close(err)
			}
			if len(args) == 1 {
				var text strings.Builder
				if err := writeText(&text, args[0], s); err != nil {
					return out.Close(err)
				}
				// Comments may hold what a terminal acts on; convert writes them as they are.
				_, err := io.WriteString(out, ui.Plain(text.String()))
				return out.Close(err)
			}
			for i, name := range args[1:] {
				if i > 0 {
					fmt.Fprintln(out)
				}
				if !schemas.Describe(out, style, s, name) {
					return out.Close(fmt.Errorf("%s: it has no type %s%s", args[0], ui.Name(name), ui.DidYouMean(name, typeNames(s))))
				}
			}
			return out.Close(nil)
		},
	}
	colour.add(cmd)
	cmd.ValidArgsFunction = completeTypes(&include, true)
	cmd.Flags().BoolVar(&asJSON, "json-schema", false, "print a JSON Schema for the JSON texts of the root, or of the table that is named")
	includeFlag(cmd, &include)
	return cmd
}

// jsonSchemaOf is the JSON Schema of a table, of the root where none is named.
func jsonSchemaOf(s *schema.Schema, names []string) ([]byte, error) {
	root := s.Root
	switch {
	case len(names) > 1:
		return nil, fmt.Errorf("--json-schema is of one table, and %d are named", len(names))
	case len(names) == 1:
		if root = s.Object(names[0]); root == nil {
			return nil, fmt.Errorf("the schema has no type %s%s", ui.Name(names[0]), ui.DidYouMean(names[0], typeNames(s)))
		}
	case root == nil:
		return nil, fmt.Errorf("--json-schema: the schema has no root_type: name a table behind it")
	}
	return schemas.JSONSchema(s, root)
}

func typeNames(s *schema.Schema) []string {
	var names []string
	for _, o := range s.Objects {
		names = append(names, o.Name)
	}
	for _, e := range s.Enums {
		names = append(names, e.Name)
	}
	return names
}

// writeText writes a schema as .fbs. One that comes with fbinspect is written as it is,
// with its comments, unless it includes others.
func writeText(w io.Writer, name string, s *schema.Schema) error {
	if !exists(name) && len(s.Files) <= 1 {
		for _, k := range formats.All() {
			if strings.EqualFold(k.Name, name) {
				f, err := formats.Files().Open(k.Path)
				if err != nil {
					return err
				}
				defer f.Close()
				_, err = io.Copy(w, f)
				return err
			}
		}
	}
	return fbs.Write(w, s)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func schemaConvertCommand() *cobra.Command {
	var output, to string
	var include []string
	cmd := &cobra.Command{
		Use: "convert SCHEMA -o FILE",
		Example: `  fbinspect schema convert monster.fbs -o monster.bfbs
  fbinspect schema convert monster.bfbs -o monster.fbs`,
		Short: "Turn .fbs into .bfbs and back",
		Long: `convert reads a schema in either form and writes it in the form that the name of the output
says, or --to. What a .bfbs of flatc does not hold (the defaults of strings and vectors) is
lost on the way through one.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to == "" {
				to = strings.TrimPrefix(strings.ToLower(filepath.Ext(output)), ".")
			}
			if to != "fbs" && to != "bfbs" {
				return fmt.Errorf("name the output with -o FILE.fbs or -o FILE.bfbs, or say --to fbs or --to bfbs")
			}
			s, err := input.LoadSchema(args[0], include)
			if err != nil {
				return err
			}
			out, err := ui.Create(output, cmd.OutOrStdout(), args[0])
			if err != nil {
				return err
			}
			if to == "fbs" {
				return out.Close(fbs.Write(out, s))
			}
			if output == "" && ui.IsTerminal(cmd.OutOrStdout()) {
				return out.Close(fmt.Errorf("a .bfbs is binary: name a file with -o, or send it into a pipe"))
			}
			b, err := bfbs.Marshal(s)
			if err == nil {
				_, err = out.Write(b)
			}
			return out.Close(err)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE`, which appears when it is complete")
	cmd.Flags().StringVar(&to, "to", "", "`FORM` to write: fbs or bfbs (default by the output's name)")
	cmd.ValidArgsFunction = completeTypes(&include, false)
	completeFlag(cmd, "to", cobra.FixedCompletions([]string{"fbs", "bfbs"}, cobra.ShellCompDirectiveNoFileComp))
	includeFlag(cmd, &include)
	return cmd
}

func schemaFormatsCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "formats",
		Example: `  fbinspect schema formats`,
		Short:   "List the formats that --format takes",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			words := map[container.Format]string{
				container.Raw:              "one FlatBuffer and nothing else",
				container.SizePrefixed:     "one FlatBuffer with its length, four bytes, before it",
				container.Stream:           "size-prefixed FlatBuffers, one after the other",
				container.LongSizePrefixed: "as size-prefixed, the length having eight bytes",
				container.LongStream:       "as stream, the lengths having eight bytes",
				container.Vortex:           "a Vortex file: postscript, footer, layout, dtype, statistics, arrays",
				container.ArrowFile:        "an Arrow IPC file (Feather version 2): messages and a footer",
				container.ArrowStream:      "Arrow IPC messages, also before version 0.15",
				container.Feather:          "a Feather file of version 1",
				container.TFLite:           "a TFLite model",
				container.FlatGeobuf:       "a FlatGeobuf file: header, index, features",
				container.BFBS:             "a binary FlatBuffers schema",
			}
			for _, f := range container.Formats() {
				need := ""
				if !f.KnowsTypes() {
					need = " (needs --schema)"
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%-18s %s%s\n", f, words[f], need)
			}
			return nil
		},
	}
}

func schemaFindCommand() *cobra.Command {
	var asJSON, all bool
	var files, include []string
	var options optionFlags
	var colour colourFlag
	cmd := &cobra.Command{
		Use: "find FILE",
		Example: `  fbinspect schema find unknown.bin
  fbinspect schema find --schema monster.fbs --schema weapons.fbs unknown.bin`,
		Short: "Say which known schema a buffer of unknown type could be of",
		Long: `find tries every table of the known schemas, and of those that --schema names, as the root
type, with and without a size prefix, and ranks those that verify. A type that accounts for
most of the bytes is likely right; small buffers verify as many. What is not likely is listed
with --all only: then a type has less than half of the bytes, is of no schema that --schema
names, and the file does not have its identifier. The exit code is 1 when nothing is likely.

With --json each candidate is one object, with the keys schema, root and format as the flags
of those names take them, strict (it verifies with --strict), identifier (the file has that of
the schema), own (of a schema of --schema), tables, fields (set in the root) and covered (the
part of the bytes that a reader can reach, 0 to 1).`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			style, err := colour.style(cmd.OutOrStdout())
			if err != nil {
				return err
			}
			if err := options.check(); err != nil {
				return err
			}
			var list []schemas.Named
			for _, name := range files {
				s, err := input.LoadSchema(name, include)
				if err != nil {
					return err
				}
				list = append(list, schemas.Named{Name: name, Schema: s, Own: true})
			}
			for _, k := range formats.All() {
				if k.Format == "bench" {
					continue // of this project's benchmarks: no file anywhere is of these
				}
				s, err := k.Load()
				if err != nil {
					return err
				}
				list = append(list, schemas.Named{Name: k.Name, Schema: s})
			}
			src, err := input.OpenMapped(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer src.Close()
			var found []schemas.Candidate
			err = src.Guard(func() error {
				b, err := src.Bytes()
				if err == nil {
					found, err = schemas.Find(cmd.Context(), b, list, &options.Options)
				}
				return err
			})
			if err != nil {
				return err
			}
			return printCandidates(cmd, style, src, list, found, asJSON, all)
		},
	}
	cmd.Flags().StringArrayVar(&files, "schema", nil, "try the types of this schema `FILE` too, before the known ones (repeatable)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object for each candidate, one a line")
	cmd.Flags().BoolVar(&all, "all", false, "list all candidates, not only the ten likeliest")
	options.add(cmd.Flags())
	colour.add(cmd)
	completeFlag(cmd, "schema", completeSchemas)
	includeFlag(cmd, &include)
	return cmd
}

// identifierOf tells of the file identifier that a file of no known type has, in a clause.
func identifierOf(src *input.Source, known []schemas.Named) string {
	for _, at := range []int64{4, 8} {
		if id := src.Around(at, 4); len(id) == 4 && input.IsIdentifier(id) {
			for _, k := range known {
				if k.Schema.FileIdentifier == string(id) {
					return fmt.Sprintf("; it has the file identifier %q of %s, and is not sound as its root", id, k.Name)
				}
			}
			return fmt.Sprintf("; its file identifier %q is none of theirs", id)
		}
	}
	return ""
}

func printCandidates(cmd *cobra.Command, style ui.Style, src *input.Source, list []schemas.Named, found []schemas.Candidate, asJSON, all bool) error {
	out := cmd.OutOrStdout()
	shown := found
	if !all {
		likely := 0
		for likely < len(found) && likely < 10 && found[likely].Likely() {
			likely++
		}
		shown = found[:likely]
	}
	for _, c := range shown {
		if asJSON {
			if err := ui.NewJSON(out).Encode(c); err != nil {
				return err
			}
			continue
		}
		words := []string{fmt.Sprintf("%3.0f%% of the bytes", 100*c.Covered), ui.Count(int64(c.Tables), "table"), ui.Count(int64(c.Fields), "field") + " in the root"}
		if c.Identifier {
			words = append(words, "its file identifier")
		}
		if !c.Strict {
			words = append(words, "not with --strict")
		}
		prefix := ""
		if c.Format != container.Raw.String() {
			prefix = " --format " + c.Format
		}
		fmt.Fprintf(out, "--schema %s --root %s%s\n    %s\n", ui.Name(c.Schema), style.Type(c.Root), prefix, strings.Join(words, ", "))
	}
	switch n := len(found) - len(shown); {
	case len(found) == 0:
	case len(shown) == 0:
		best := slices.MaxFunc(found, func(a, b schemas.Candidate) int { return cmp.Compare(a.Covered, b.Covered) })
		fmt.Fprintf(cmd.ErrOrStderr(), "fbinspect: %s: it is most likely of none of the known schemas: %s of theirs verify, and account for %.0f%% of the bytes at most%s (--all lists them, --schema FILE tries another)\n",
			ui.Name(src.Name), ui.Count(int64(n), "candidate"), 100*best.Covered, identifierOf(src, list))
		return exitCode(exitInvalid)
	default:
		if n > 0 && !asJSON {
			fmt.Fprintf(out, "and %s more, less likely: --all lists them\n", ui.Thousands(int64(n)))
		}
		return nil
	}
	if f, err := container.Open(src, src.Size, nil); err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "fbinspect: %s: no table of a known schema fits: %s\n", ui.Name(src.Name), ui.Plain(err.Error()))
	} else {
		fmt.Fprintf(cmd.ErrOrStderr(), "fbinspect: %s: no table of a known schema fits the file as a whole, which is %s: %s\n", ui.Name(src.Name), f.Format(), ui.Plain(f.Detection().Reason))
	}
	return exitCode(exitInvalid)
}
