package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/cmd/fbinspect/internal/conform"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/internal/files"
	"github.com/fbverify/go/schema"
)

type conformFlags struct {
	colour                                        colourFlag
	include                                       []string
	against                                       string
	json, strict, backward, forward, text, source bool
	notes                                         bool
}

func conformCommand() *cobra.Command {
	var c conformFlags
	cmd := &cobra.Command{
		Use:   "conform {OLD NEW | --against REV [SCHEMA…]}",
		Short: "Say whether programs with one version of a schema may read data of another",
		Long: `conform compares two versions of a schema, .fbs or .bfbs, or of the schemas in two folders.
Each difference that breaks something is named, with what it breaks:

  backward: programs with the new schema read data of the old one
  forward:  programs with the old schema read data of the new one
  text:     JSON texts of the old version are read with the new one
  source:   source code that uses the code generated from the old version is built with
            that of the new one

With --against the old version is that of a git revision, its includes too, and the new one
is what the files are now; without names all schemas in the working folder and below it.

The exit code is 1 when something breaks in a direction that was asked for: backward and
forward, unless some are named. It is 2 when a schema cannot be read. With --strict warnings
count too: then all is refused that flatc --conform refuses.

In continuous integration, of a checkout that has the branch that is merged into:

  git fetch origin main && fbinspect conform --against origin/main schemas/`,
		Example: `  fbinspect conform v1.fbs v2.fbs
  fbinspect conform --backward --json released.bfbs next.fbs
  fbinspect conform --against HEAD monster.fbs
  fbinspect conform --against v1.2.0 --forward --text --source
  fbinspect conform released/ schemas/`,
		Args: func(cmd *cobra.Command, args []string) error {
			if c.against == "" {
				return exactly(2, "the old schema and the new one, or --against and a git revision")(cmd, args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.against != "" {
				return c.revision(cmd, args)
			}
			return c.run(cmd, args[0], args[1])
		},
	}
	c.colour.add(cmd)
	includeFlag(cmd, &c.include)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return completeSchemas(cmd, args, word)
	}
	f := cmd.Flags()
	f.StringVar(&c.against, "against", "", "compare with what the schemas were in the git revision `REV`")
	f.BoolVar(&c.json, "json", false, "one JSON object for each difference, one a line")
	f.BoolVar(&c.backward, "backward", false, "what stops new programs from reading old data")
	f.BoolVar(&c.forward, "forward", false, "what stops old programs from reading new data")
	f.BoolVar(&c.text, "text", false, "what changes the meaning of JSON texts")
	f.BoolVar(&c.source, "source", false, "what stops source code from being built with code that is generated anew")
	f.BoolVar(&c.strict, "strict", false, "count warnings as breaks")
	f.BoolVar(&c.notes, "notes", false, "list differences that break nothing too")
	return cmd
}

// version is one of the two versions that are compared.
type schemaVersion struct {
	folder   string          // "" where a file is named
	revision *files.Revision // nil for what is there now
	include  []string
}

// list returns the names of a folder's schemas, from the folder.
func (v *schemaVersion) list() ([]string, error) {
	var names []string
	if v.revision != nil {
		for _, name := range v.revision.Files(v.folder, ".fbs", ".bfbs") {
			rel, err := filepath.Rel(v.folder, name)
			if err != nil {
				return nil, err
			}
			if !hidden(rel) {
				names = append(names, rel)
			}
		}
		return names, nil
	}
	root := v.folder
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch rel, _ := filepath.Rel(root, path); {
		case err != nil:
			return err
		case path != root && hidden(rel) && entry.IsDir():
			return fs.SkipDir
		case entry.Type().IsRegular() && isSchema(path) && !hidden(rel):
			names = append(names, rel)
		}
		return nil
	})
	return names, err
}

// hidden reports whether a name, or a folder of it, starts with a dot.
func hidden(name string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(name), "/") {
		if strings.HasPrefix(part, ".") && part != "." && part != ".." {
			return true
		}
	}
	return false
}

// load reads a schema of this version.
func (v *schemaVersion) load(name string) (*schema.Schema, error) {
	if v.folder != "" {
		name = filepath.Join(v.folder, name)
	}
	if v.revision != nil {
		return input.LoadSchemaOf(v.revision, name, v.include)
	}
	return input.LoadSchema(name, v.include)
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// run compares two files, or two folders.
func (c *conformFlags) run(cmd *cobra.Command, older, newer string) error {
	before, after := schemaVersion{include: c.include}, schemaVersion{include: c.include}
	v, err := c.verdict(cmd)
	if err != nil {
		return err
	}
	switch a, b := isFolder(older), isFolder(newer); {
	case a && b:
		before.folder, after.folder = older, newer
		return v.end(v.folders(&before, &after))
	case a != b:
		return fmt.Errorf("%s and %s: the one is a folder, and the other is none", ui.Name(older), ui.Name(newer))
	}
	a, err := before.load(older)
	if err != nil {
		return v.end(err)
	}
	b, err := after.load(newer)
	if err != nil {
		return v.end(err)
	}
	return v.end(v.compare("", a, b))
}

// revision compares files and folders with what they were.
func (c *conformFlags) revision(cmd *cobra.Command, args []string) error {
	v, err := c.verdict(cmd)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	for _, name := range args {
		folder := name
		if !isFolder(name) {
			folder = filepath.Dir(name)
		}
		rev, err := files.OpenRevision(c.against, folder)
		if err != nil {
			return v.end(fmt.Errorf("--against %s: %w", ui.Name(c.against), err))
		}
		before, after := schemaVersion{revision: rev, include: c.include}, schemaVersion{include: c.include}
		if isFolder(name) {
			before.folder, after.folder = name, name
			if err := v.folders(&before, &after); err != nil {
				return v.end(err)
			}
			continue
		}
		b, err := after.load(name)
		if err != nil {
			return v.end(err)
		}
		if had, _ := rev.Has(name); !had {
			if err := v.fresh(name); err != nil {
				return v.end(err)
			}
			continue
		}
		a, err := before.load(name)
		if err != nil {
			return v.end(err)
		}
		if err := v.compare(name, a, b); err != nil {
			return v.end(err)
		}
	}
	return v.end(nil)
}

// conformVerdict prints differences and adds them up.
type conformVerdict struct {
	c      *conformFlags
	out    *ui.Output
	style  ui.Style
	counts map[conform.Severity]int64
	seen   map[conform.Difference]bool // those of files that others include are met again

	backward, forward, text, source int64 // breaks
	bad                             int64
	schemas                         int64
}

func (c *conformFlags) verdict(cmd *cobra.Command) (*conformVerdict, error) {
	style, err := c.colour.style(cmd.OutOrStdout())
	if err != nil {
		return nil, err
	}
	out, err := ui.Create("", cmd.OutOrStdout())
	if err != nil {
		return nil, err
	}
	return &conformVerdict{c: c, out: out, style: style, counts: map[conform.Severity]int64{}, seen: map[conform.Difference]bool{}}, nil
}

// folders compares the schemas of two folders by their names.
func (v *conformVerdict) folders(before, after *schemaVersion) error {
	older, err := before.list()
	if err != nil {
		return err
	}
	newer, err := after.list()
	if err != nil {
		return err
	}
	if len(older)+len(newer) == 0 {
		return fmt.Errorf("%s: there is no schema (.fbs, .bfbs) in either version", ui.Name(after.folder))
	}
	names := slices.Concat(older, newer)
	sort.Strings(names)
	var failed []error
	for _, name := range slices.Compact(names) {
		shown := filepath.Join(after.folder, name)
		switch {
		case !slices.Contains(newer, name):
			err = v.differences(shown, []conform.Difference{conform.FileRemoved(shown)})
		case !slices.Contains(older, name):
			err = v.fresh(shown)
		default:
			a, errA := before.load(name)
			b, errB := after.load(name)
			if err := errors.Join(errA, errB); err != nil { // the others are looked at all the same
				failed = append(failed, err)
				continue
			}
			err = v.compare(shown, a, b)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}

// fresh tells of a schema that is only there now.
func (v *conformVerdict) fresh(name string) error {
	v.schemas++
	return v.differences(name, []conform.Difference{conform.FileAdded(name)})
}

func (v *conformVerdict) compare(name string, before, after *schema.Schema) error {
	v.schemas++
	return v.differences(name, conform.Compare(before, after))
}

// wanted reports whether a difference is one of those that were asked for.
func (c *conformFlags) wanted(d conform.Difference) bool {
	if !c.backward && !c.forward && !c.text && !c.source || !d.Backward && !d.Forward && !d.Text && !d.Source {
		return true
	}
	return c.backward && d.Backward || c.forward && d.Forward || c.text && d.Text || c.source && d.Source
}

// breaks reports whether a difference breaks a direction that was asked for.
func (c *conformFlags) breaks(d conform.Difference) bool {
	if c.text && d.Text || c.source && d.Source {
		return true
	}
	bytes := c.backward && d.Backward || c.forward && d.Forward || !c.backward && !c.forward && !c.text && !c.source
	return bytes && (d.Severity == conform.Break || c.strict && d.Severity == conform.Warning)
}

func (v *conformVerdict) differences(name string, found []conform.Difference) error {
	for _, d := range found {
		if v.seen[d] {
			continue
		}
		v.seen[d] = true
		broken := d.Severity == conform.Break
		for _, n := range []struct {
			count *int64
			is    bool
		}{{&v.backward, d.Backward && broken}, {&v.forward, d.Forward && broken}, {&v.text, d.Text}, {&v.source, d.Source}} {
			if n.is {
				*n.count++
			}
		}
		if !v.c.wanted(d) {
			continue
		}
		v.counts[d.Severity]++
		counts := v.c.breaks(d)
		if counts {
			v.bad++
		}
		if d.Severity == conform.Note && !counts && !v.c.notes {
			continue
		}
		if err := v.print(name, d); err != nil {
			return err
		}
	}
	return nil
}

// jsonDifference is a difference for programs. Its form is stable.
type jsonDifference struct {
	File string `json:"file,omitempty"` // where several are compared
	conform.Difference
}

func (v *conformVerdict) print(name string, d conform.Difference) error {
	if v.c.json {
		return ui.NewJSON(v.out).Encode(jsonDifference{name, d})
	}
	severity := d.Severity.String()
	switch d.Severity {
	case conform.Break:
		severity = v.style.Bad(severity)
	case conform.Warning:
		severity = v.style.Warn(severity)
	}
	of := ""
	if name != "" && name != d.Where {
		of = v.style.Dim("  " + ui.Name(name))
	}
	fmt.Fprintf(v.out, "%s  %s  %s%s%s\n", severity, v.style.Field(ui.Plain(d.Where)), d.Kind, v.style.Dim(direction(d)), of)
	_, err := fmt.Fprintln(v.out, ui.Wrap(ui.Plain(d.Message), "    ", 100))
	return err
}

// end says what all the differences come to.
func (v *conformVerdict) end(err error) error {
	if err == nil && !v.c.json {
		for _, direction := range []struct {
			words string
			n     int64
		}{
			{"new programs read old data", v.backward}, {"old programs read new data", v.forward},
			{"JSON texts keep their meaning", v.text}, {"source code is built as before", v.source},
		} {
			word := v.style.Good("yes")
			if direction.n > 0 {
				word = v.style.Bad("no") + ", " + ui.Count(direction.n, "difference")
			}
			fmt.Fprintf(v.out, "%-32s %s\n", direction.words+":", word)
		}
		of := ""
		if v.schemas > 1 {
			of = " in " + ui.Count(v.schemas, "schema")
		}
		fmt.Fprintf(v.out, "%s, %s, %s%s\n", ui.Count(v.counts[conform.Break], "break"), ui.Count(v.counts[conform.Warning], "warning"), ui.Count(v.counts[conform.Note], "note"), of)
	}
	if err := v.out.Close(err); err != nil {
		return err
	}
	if v.bad > 0 {
		return exitCode(exitInvalid)
	}
	return nil
}

func direction(d conform.Difference) string {
	var words []string
	switch {
	case d.Backward && d.Forward:
		words = append(words, "both directions")
	case d.Backward:
		words = append(words, "backward: new programs, old data")
	case d.Forward:
		words = append(words, "forward: old programs, new data")
	}
	if d.Text {
		words = append(words, "text")
	}
	if d.Source {
		words = append(words, "source")
	}
	if len(words) == 0 {
		return ""
	}
	return "  (" + strings.Join(words, ", ") + ")"
}
