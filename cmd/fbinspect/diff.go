package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

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
}

func diffCommand() *cobra.Command {
	var d diffFlags
	cmd := &cobra.Command{
		Use:   "diff [flags] OLD NEW",
		Short: "Compare two files by their data, or two schemas by what they break",
		Long: `diff compares the data of two files path by path: what was added (+), removed (-) and changed
(~). Lists with a key are compared by it, others by index. How the bytes are laid out does
not matter.

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
	before, err := input.OpenMapped(older)
	if err != nil {
		return err
	}
	defer before.Close()
	after, err := input.OpenMapped(newer)
	if err != nil {
		return err
	}
	defer after.Close()
	out, err := ui.Create("", cmd.OutOrStdout())
	if err != nil {
		return err
	}
	p := &diffPrinter{w: out, style: style, json: d.json, quiet: d.quiet, limit: d.limit}
	files := &diff.Files{
		Types: types, Format: format, Options: d.options.Options, Compare: d.compare,
		Change: p.change, Say: p.say,
		Warn: func(format string, args ...any) {
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
	w           io.Writer
	style       ui.Style
	json, quiet bool
	limit, n    int
	part        string
	err         error
}

// jsonChange is a difference for programs. Its form is stable.
type jsonChange struct {
	Op   diff.Op         `json:"op"`
	Part string          `json:"part"`
	Path string          `json:"path,omitempty"`
	Old  json.RawMessage `json:"old,omitempty"`
	New  json.RawMessage `json:"new,omitempty"`
	What string          `json:"what,omitempty"`
}

func (p *diffPrinter) more() bool {
	p.n++
	return p.err == nil && !p.quiet && (p.limit == 0 || p.n < p.limit)
}

func (p *diffPrinter) change(part string, c diff.Change) bool {
	if p.quiet {
		return false
	}
	if p.json {
		p.err = ui.NewJSON(p.w).Encode(jsonChange{Op: c.Op, Part: part, Path: c.Path, Old: p.value(c.Old), New: p.value(c.New)})
		return p.more()
	}
	p.heading(part)
	switch c.Op {
	case diff.Added:
		p.line("+", p.style.Good, c.Path, p.short(c.New))
	case diff.Removed:
		p.line("-", p.style.Bad, c.Path, p.short(c.Old))
	default:
		p.line("~", p.style.Warn, c.Path, p.short(c.Old)+" → "+p.short(c.New))
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
	_, p.err = fmt.Fprintf(p.w, "%s %s\n", sign, what)
	return p.more()
}

func (p *diffPrinter) line(sign string, paint func(string) string, path, text string) {
	_, p.err = fmt.Fprintf(p.w, "%s %s: %s\n", paint(sign), p.style.Field(path), text)
}

// heading names the part, where a file has several.
func (p *diffPrinter) heading(part string) {
	if p.part != part && part != "root" {
		fmt.Fprintf(p.w, "%s\n", p.style.Dim("# "+part))
	}
	p.part = part
}

// value is a value as JSON, nil for none.
func (p *diffPrinter) value(v dynamic.Value) json.RawMessage {
	if v.Kind() == dynamic.KindNone {
		return nil
	}
	b, err := dynamic.AppendValueJSON(nil, v, &dynamic.JSONOptions{NonUTF8: dynamic.NonUTF8Replace})
	if err != nil {
		b, _ = json.Marshal("(" + err.Error() + ")")
	}
	return b
}

// short is a value in not too many characters.
func (p *diffPrinter) short(v dynamic.Value) string {
	const most = 300
	b, err := dynamic.AppendValueJSON(nil, v, &dynamic.JSONOptions{NonUTF8: dynamic.NonUTF8Replace, Limit: 20, MaxBytes: 1 << 20})
	if err != nil {
		return "(" + err.Error() + ")"
	}
	if len(b) > most {
		return strings.ToValidUTF8(string(b[:most]), "") + "…"
	}
	return string(b)
}
