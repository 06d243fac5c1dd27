package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fbverify/go/cmd/fbinspect/internal/diff"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify/dynamic"
)

type diffFlags struct {
	data    dataFlags
	options optionFlags
	colour  colourFlag
	compare diff.Options
	json    bool
	quiet   bool
	asData  bool
	limit   int
	value   int64
}

func diffCommand() *cobra.Command {
	var d diffFlags
	cmd := &cobra.Command{
		Use:   "diff [flags] OLD NEW",
		Short: "Compare two files by their data, or two schemas by what they break",
		Long: `diff compares the data of two files path by path: what was added (+), removed (-) and changed
(~). Lists with a key are compared by it, others by index. How the bytes are laid out does
not matter.

Of a value that is large, which hostile files can make of a few bytes, --json says that it is
omitted: see --max-value. Two values that other values share are compared once; where they
differ and are met again, they are one difference.

Two schemas (.fbs or .bfbs) are compared as fbinspect conform does; --data compares .bfbs
files as data. The exit code is 0 when there is no difference, 1 when there is one.`,
		Example: `  fbinspect diff yesterday.tflite today.tflite
  fbinspect diff --json --schema monster.fbs a.bin b.bin
  fbinspect diff v1.fbs v2.fbs`,
		Args: exactly(2, "the names of two files"),
		RunE: func(cmd *cobra.Command, args []string) error { return d.run(cmd, args[0], args[1]) },
	}
	d.data.add(cmd)
	d.options.add(cmd.Flags())
	d.colour.add(cmd)
	f := cmd.Flags()
	f.BoolVar(&d.json, "json", false, "one JSON object for each difference, one a line")
	f.BoolVarP(&d.quiet, "quiet", "q", false, "say nothing: only the exit code tells")
	f.BoolVar(&d.compare.Presence, "presence", false, "a field that is not set differs from one that is set to its default")
	f.BoolVar(&d.asData, "data", false, "compare .bfbs files as data")
	f.IntVar(&d.limit, "limit", 0, "stop after `N` differences (default no limit)")
	f.Int64Var(&d.value, "max-value", 64<<10, "with --json, omit values of more than `N` bytes; 0 for none")
	return cmd
}

// isSchema reports whether a file is a schema by its name.
func isSchema(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return ext == ".fbs" || ext == ".bfbs"
}

func (d *diffFlags) run(cmd *cobra.Command, older, newer string) error {
	if isSchema(older) && isSchema(newer) && !d.asData {
		c := conformFlags{colour: d.colour, include: d.data.include, json: d.json, notes: true}
		return c.run(cmd, older, newer)
	}
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
	if err := oneStdin([]string{older, newer}); err != nil {
		return err
	}
	before, err := input.OpenMapped(cmd.Context(), older)
	if err != nil {
		return err
	}
	defer before.Close()
	after, err := input.OpenMapped(cmd.Context(), newer)
	if err != nil {
		return err
	}
	defer after.Close()
	out, err := ui.Create("", cmd.OutOrStdout())
	if err != nil {
		return err
	}
	if d.value < 0 || d.limit < 0 {
		return fmt.Errorf("--limit and --max-value must not be negative")
	}
	p := &diffPrinter{w: out, style: style, json: d.json, quiet: d.quiet, limit: d.limit, value: d.value}
	p.budget = 16<<20 + 16*(before.Size+after.Size)
	_, line := startTask(cmd, newer, after.Size, false)
	files := &diff.Files{
		Types: types, Format: format, Options: d.options.Options, Compare: d.compare,
		Change: p.change, Say: p.say,
		Warn: func(format string, args ...any) {
			line.clear()
			fmt.Fprintf(cmd.ErrOrStderr(), "fbinspect: %s\n", ui.Plain(fmt.Sprintf(format, args...)))
		},
	}
	var o diff.Outcome
	err = before.Guard(func() error {
		return after.Guard(func() (err error) {
			o, err = files.Run(cmd.Context(), before, after)
			return err
		})
	})
	line.end()
	if err == nil {
		err = p.err
	}
	if err := out.Close(err); err != nil {
		return err
	}
	if o.Differences+o.Faulty > 0 {
		return exitCode(exitInvalid)
	}
	return nil
}

// diffPrinter writes differences.
type diffPrinter struct {
	w           *ui.Output
	style       ui.Style
	json, quiet bool
	limit, n    int
	value       int64 // bytes of the largest value that is printed as JSON
	budget      int64 // bytes of values that may still be printed while there is a largest
	part        string
	flushed     time.Time
	err         error
}

// jsonChange is a difference for programs. Its form is stable.
type jsonChange struct {
	Op         diff.Op         `json:"op"`
	Part       string          `json:"part"`
	Path       string          `json:"path,omitempty"`
	Old        json.RawMessage `json:"old,omitempty"`
	New        json.RawMessage `json:"new,omitempty"`
	OldOmitted string          `json:"old_omitted,omitempty"`
	NewOmitted string          `json:"new_omitted,omitempty"`
	What       string          `json:"what,omitempty"`
}

// more reports whether the next difference is wanted. What was found is shown at once where
// differences are few and far between.
func (p *diffPrinter) more() bool {
	if now := time.Now(); p.err == nil && now.Sub(p.flushed) > 100*time.Millisecond {
		p.err = p.w.Flush()
		p.flushed = now
	}
	p.n++
	return p.err == nil && !p.quiet && (p.limit == 0 || p.n < p.limit)
}

func (p *diffPrinter) change(part string, c diff.Change) bool {
	if p.quiet {
		return false
	}
	if p.json {
		j := jsonChange{Op: c.Op, Part: part, Path: c.Path}
		j.Old, j.OldOmitted = p.whole(c.Old)
		j.New, j.NewOmitted = p.whole(c.New)
		p.err = ui.NewJSON(p.w).Encode(j)
		return p.more()
	}
	p.heading(part)
	switch path := ui.Plain(c.Path); c.Op {
	case diff.Added:
		p.line("+", p.style.Good, path, p.short(c.New))
	case diff.Removed:
		p.line("-", p.style.Bad, path, p.short(c.Old))
	default:
		p.line("~", p.style.Warn, path, p.short(c.Old)+" → "+p.short(c.New))
	}
	return p.more()
}

func (p *diffPrinter) say(op diff.Op, part, what string) bool {
	if p.quiet {
		return false
	}
	if p.json {
		p.err = ui.NewJSON(p.w).Encode(jsonChange{Op: op, Part: part, What: what})
		return p.more()
	}
	sign := map[diff.Op]string{diff.Added: "+", diff.Removed: "-", diff.Changed: "~"}[op]
	_, p.err = fmt.Fprintf(p.w, "%s %s\n", sign, ui.Plain(what))
	return p.more()
}

func (p *diffPrinter) line(sign string, paint func(string) string, path, text string) {
	_, p.err = fmt.Fprintf(p.w, "%s %s: %s\n", paint(sign), p.style.Field(path), text)
}

// heading names the part, where a file has several.
func (p *diffPrinter) heading(part string) {
	if p.part != part && part != "root" {
		fmt.Fprintf(p.w, "%s\n", p.style.Dim("# "+ui.Plain(part)))
	}
	p.part = part
}

// whole is a value as JSON, or why it is omitted; neither for none. Every value alone may be
// as large as the user allows, and all of them some times as large as the files: one that
// many others share is printed with each.
func (p *diffPrinter) whole(v dynamic.Value) (json.RawMessage, string) {
	if v.Kind() == dynamic.KindNone {
		return nil, ""
	}
	opts := dynamic.JSONOptions{NonUTF8: dynamic.NonUTF8Replace}
	if p.value > 0 {
		opts.MaxBytes = max(min(p.value, p.budget), min(p.value, shortest))
	}
	b, err := dynamic.AppendValueJSON(nil, v, &opts)
	switch {
	case err != nil && opts.MaxBytes > 0:
		p.budget -= opts.MaxBytes
		return nil, err.Error() + " (--max-value)"
	case err != nil:
		return nil, err.Error()
	}
	p.budget -= int64(len(b))
	return b, ""
}

// shortest is the bytes of a value that are shown to people, and to programs once all others
// have used up what there was.
const shortest = 300

// short is a value in not too many characters.
func (p *diffPrinter) short(v dynamic.Value) string {
	b, err := dynamic.AppendValueJSON(nil, v, &dynamic.JSONOptions{NonUTF8: dynamic.NonUTF8Replace, Limit: 20, MaxBytes: shortest + 1, Cut: true})
	if err != nil {
		return "(" + ui.Plain(err.Error()) + ")"
	}
	if len(b) > shortest {
		return strings.ToValidUTF8(string(b[:shortest]), "") + "…"
	}
	return string(b)
}
