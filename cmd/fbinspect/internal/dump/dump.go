// Package dump is the work of fbinspect dump: it prints the data of a file, as a tree for
// a person or as JSON, all of it or what a path selects.
//
// Only what was verified is printed. With Partial the rest is printed too, by
// reads that check each step, as far as it is sound.
package dump

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/schema"
)

// ErrNoPart is what the error wraps where a file has no part of the name that was given.
var ErrNoPart = errors.New("no part of the file")

// Dumper prints files.
type Dumper struct {
	Types   *input.Types
	FileKey string // to name in each line of JSON; "" for a file alone
	Format  container.Format
	Options fbverify.Options

	Part    string        // a pattern of names, "batch[*]" with or without wildcards; "" = all
	Path    *dynamic.Path // what to print of each part; nil = all
	Partial bool
	AsJSON  bool
	Lines   bool // of JSON the data alone, without a path that of each element of the root's one vector of tables
	JSON    dynamic.JSONOptions
	Tree    TreeOptions
	Style   ui.Style
	MaxText int64 // bytes to print of one FlatBuffer; 0 = in proportion to its own

	widest struct { // of the type that was printed last
		typ    *fbverify.Type
		fields int
	}

	// Start is called before a file's first line that is not JSON; nil = nothing.
	Start func()

	// Warn is told what is wrong with the file, one sentence each.
	Warn func(format string, args ...any)
}

// Outcome says how a dump went.
type Outcome struct {
	Parts   int // that matched
	Faulty  int // of these; printed only with Partial
	Framing int // faults of the file around its FlatBuffers
	Values  int // that the path selected
}

// File prints one file to w.
func (d *Dumper) File(ctx context.Context, w io.Writer, src *input.Source) (Outcome, error) {
	var o Outcome
	f, err := src.OpenAs(d.Types, d.Format, &d.Options)
	if err != nil {
		return o, err
	}
	several := f.Format().Several()
	var names []string
	for p, err := range f.Parts() {
		if ctx.Err() != nil {
			return o, ctx.Err()
		}
		if err != nil {
			o.Framing++
			if d.Part == "" {
				d.Warn("%v", err)
			}
			continue
		}
		if d.Part != "" {
			if len(names) < 1000 {
				names = append(names, p.Name)
			}
			if !Matches(d.Part, p.Name) {
				continue
			}
		}
		o.Parts++
		if err := d.part(w, f, p, several, &o); err != nil {
			return o, err
		}
	}
	if d.Part != "" && o.Parts == 0 {
		hint := ui.DidYouMean(d.Part, names)
		if hint == "" && len(names) > 0 {
			hint = "; it has " + strings.Join(names[:min(len(names), 10)], ", ")
			if len(names) > 10 {
				hint += fmt.Sprintf(" and %d more", len(names)-10)
			}
		}
		return o, fmt.Errorf("%w is called %s%s", ErrNoPart, ui.Name(d.Part), hint)
	}
	return o, nil
}

// Matches reports whether a pattern fits the name of a part. Brackets stand for
// themselves, since names have them: "batch[*]" is every batch.
func Matches(pattern, name string) bool {
	escaped := strings.NewReplacer("[", `\[`, "]", `\]`).Replace(pattern)
	ok, err := path.Match(escaped, name)
	return err == nil && ok || pattern == name
}

// part prints one part.
func (d *Dumper) part(w io.Writer, f *container.File, p container.Part, several bool, o *Outcome) error {
	typ, err := d.Types.Of(p)
	if err != nil {
		return input.Untyped(f, p, err)
	}
	b, err := p.Bytes()
	if err != nil {
		return err
	}
	most := d.mostText(typ, p.Length)
	w = &bounded{w, most, most}
	opts := d.Types.Options(p, &d.Options)
	shown := d.Types.Whole(typ)
	msg, err := dynamic.Root(shown, b, opts)
	if err != nil && shown != typ {
		whole := err
		if msg, err = dynamic.Root(typ, b, opts); err == nil {
			d.Warn("the deprecated fields of %s are not printed, since they are not sound: %v", p.Name, whole)
		}
	}
	if err != nil {
		var fault *fbverify.Error
		if !errors.As(err, &fault) || fault.Kind == fbverify.ErrOptions {
			return err
		}
		o.Faulty++
		if !d.Partial {
			if note := d.Types.IdentifierNote(p, b, false); note != "" && opts.Identifier == "" {
				d.Warn("%s", note)
			}
			d.Warn("%s is not sound and not printed (--partial prints what is sound of it): %v", p.Name, err)
			return nil
		}
		faults := typ.Explain(b, opts)
		for i, fault := range faults {
			if i == 10 {
				d.Warn("%s: %d more faults", p.Name, len(faults)-i)
				break
			}
			d.Warn("%s: %v", p.Name, fault)
		}
		return d.partial(w, typ, p, b, opts, several)
	}
	if d.AsJSON {
		return d.json(w, p, typ, msg, several, o)
	}
	t := &tree{w: w, style: d.Style, opts: d.Tree}
	root := msg.Root().AsValue()
	if d.Path == nil {
		d.header(w, p, typ, several)
		t.fields(root, 0)
		return t.err
	}
	headed := false
	return d.Path.Select(root, func(path string, v dynamic.Value) error {
		if o.Values++; !headed {
			d.header(w, p, typ, several)
			headed = true
		}
		t.value(path, "", v, 0)
		return t.err
	})
}

// header names the file, once, and a part, as a comment.
func (d *Dumper) header(w io.Writer, p container.Part, typ *fbverify.Type, several bool) {
	if d.Start != nil {
		d.Start()
		d.Start = nil
	}
	if several {
		fmt.Fprintln(w, d.Style.Dim(fmt.Sprintf("# %s: %s, %s at offset %s", ui.Plain(p.Name), typ, ui.Count(p.Length, "byte"), ui.Thousands(p.Offset))))
	}
}

// json prints a part, or what the path selects, one value a line.
func (d *Dumper) json(w io.Writer, p container.Part, typ *fbverify.Type, msg dynamic.Message, several bool, o *Outcome) error {
	opts := d.JSON
	named := d.named(p, several)
	write := func(path string, v dynamic.Value) error {
		o.Values++
		if d.Lines || !named && d.FileKey == "" {
			return d.nonUTF8(dynamic.WriteValueJSON(w, v, &opts))
		}
		io.WriteString(w, d.jsonHead(p, typ, path, named))
		if err := dynamic.WriteValueJSON(trimNewline{w}, v, &opts); err != nil {
			return d.nonUTF8(err)
		}
		_, err := io.WriteString(w, "}\n")
		return err
	}
	root := msg.Root().AsValue()
	path := d.Path
	if path == nil && d.Lines {
		var err error
		if path, err = rows(typ.Root()); err != nil {
			return err
		}
	}
	if path == nil {
		return write("", root)
	}
	return path.Select(root, write)
}

// rows is the path to the elements of a table's one vector of tables.
func rows(o *schema.Object) (*dynamic.Path, error) {
	var names []string
	for _, f := range o.Fields {
		if f.Type.Base == schema.Vector && f.Type.Element == schema.Obj && !f.Type.Object.IsStruct && !f.Deprecated {
			names = append(names, f.Name+"[*]")
		}
	}
	switch len(names) {
	case 0:
		return nil, fmt.Errorf("--lines: %s has no vector of tables: name one with --path", o.Name)
	case 1:
		return dynamic.ParsePath(names[0])
	}
	return nil, fmt.Errorf("--lines: %s has several vectors of tables: name one with --path, %s", o.Name, strings.Join(names, ", "))
}

// named reports whether lines of JSON say of what they are: where parts are of different types.
func (d *Dumper) named(p container.Part, several bool) bool {
	return several && d.Part != p.Name && p.Root != "" && p.Type() != d.Types.Root()
}

// jsonHead starts an object that says of what the data is that comes next.
func (d *Dumper) jsonHead(p container.Part, typ *fbverify.Type, path string, named bool) string {
	head := "{"
	if d.FileKey != "" {
		head += fmt.Sprintf(`"file":%s,`, ui.JSONString(d.FileKey))
	}
	if named {
		head += fmt.Sprintf(`"part":%s,"type":%s,"offset":%d,`, ui.JSONString(p.Name), ui.JSONString(typ.String()), p.Offset)
	}
	if path != "" {
		head += fmt.Sprintf(`"path":%s,`, ui.JSONString(path))
	}
	return head + `"data":`
}

// nonUTF8 says how strings that are no text can be printed all the same.
func (d *Dumper) nonUTF8(err error) error {
	if d.Options.SkipUTF8 && errors.Is(err, dynamic.ErrNotUTF8) {
		return fmt.Errorf("%w; --non-utf8 escape or replace prints such strings", err)
	}
	return err
}

// trimNewline leaves out the newline that ends a JSON value. Inside one there may be
// others, where it is indented.
type trimNewline struct{ w io.Writer }

func (t trimNewline) Write(p []byte) (int, error) {
	q := p
	if n := len(q); n > 0 && q[n-1] == '\n' {
		q = q[:n-1]
	}
	if _, err := t.w.Write(q); err != nil {
		return 0, err
	}
	return len(p), nil
}
