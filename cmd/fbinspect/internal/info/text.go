package info

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
)

// Text writes what files are for a person.
type Text struct {
	W     io.Writer
	Style ui.Style
	Width int  // columns to use
	All   bool // do not cut lists and texts short
}

// Lists are cut to so many entries, and texts to so many bytes, unless Text.All.
const (
	fewColumns  = 40
	fewTensors  = 12
	fewTypes    = 30
	fewMetadata = 20
	shortText   = 200
)

// Write writes what one file is.
func (t *Text) Write(i *Info) {
	version := ""
	if i.Version != "" {
		version = ", version " + ui.Name(i.Version)
	}
	fmt.Fprintf(t.W, "%s: %s%s, %s\n", t.Style.Bold(ui.Name(i.File)), i.What, version, size(i.Size))
	for _, fault := range i.Faults {
		fmt.Fprintln(t.W, ui.Wrap(t.Style.Bad("not sound:")+" "+ui.Plain(fault), "  ", t.Width))
	}
	for _, note := range i.Notes {
		fmt.Fprintln(t.W, ui.Wrap(t.Style.Warn("note:")+" "+ui.Plain(note), "  ", t.Width))
	}
	t.line("writer", ui.Plain(i.Writer))
	if i.Rows != nil {
		noun := "row"
		switch {
		case i.Map != nil:
			noun = "feature"
		case i.Columns == nil || i.Format == "stream" || i.Format == "long-stream":
			noun = "message"
		}
		text := ui.Count(*i.Rows, noun)
		if i.Batches != nil {
			text += " in " + batches(*i.Batches)
		}
		if i.Map != nil && i.Map.Counted {
			text += " (counted: the header does not say)"
		}
		t.line(noun+"s", text)
	}
	t.geometry(i.Map)
	t.line("codecs", ui.Plain(strings.Join(i.Codecs, ", ")))
	for _, x := range i.Indexes {
		t.line("index", ui.Plain(x))
	}
	t.columns(i)
	for n := range i.Subgraphs {
		t.subgraph(&i.Subgraphs[n], len(i.Subgraphs), i.Size)
	}
	t.types(i.Types)
	t.metadata(i.Metadata)
}

func size(n int64) string {
	if n < 1000 {
		return ui.Count(n, "byte")
	}
	return fmt.Sprintf("%s (%s)", ui.Count(n, "byte"), ui.Bytes(n))
}

func batches(n int64) string {
	if n == 1 {
		return "1 batch"
	}
	return ui.Thousands(n) + " batches"
}

// line writes a fact, unless there is none.
func (t *Text) line(name, text string) {
	if text != "" {
		fmt.Fprintf(t.W, "  %-9s %s\n", name, text)
	}
}

func (t *Text) geometry(m *Map) {
	if m == nil {
		return
	}
	layer := ui.Name(m.Layer)
	if m.Layer == "" {
		layer = "(without a name)"
	}
	t.line("layer", fmt.Sprintf("%s: %s, %s, %s of geometry", layer, m.Geometry, m.Dimensions, ui.Bytes(m.GeometryBytes)))
	t.line("title", ui.Plain(m.Title))
	t.line("about", t.short(m.Description))
	t.line("CRS", t.short(m.CRS))
	if len(m.Extent) == 4 {
		var n [4]string
		for k, x := range m.Extent {
			n[k] = strconv.FormatFloat(x, 'g', 10, 64)
		}
		t.line("extent", fmt.Sprintf("%s, %s to %s, %s", n[0], n[1], n[2], n[3]))
	}
}

// short is a text that is not too long, safe to print.
func (t *Text) short(text string) string {
	if len(text) > shortText && !t.All {
		cut := text[:shortText]
		for !utf8.ValidString(cut) && len(cut) > shortText-utf8.UTFMax {
			cut = cut[:len(cut)-1]
		}
		text = cut + "… (" + ui.Count(int64(len(text)), "byte") + ")"
	}
	return strings.Join(strings.Fields(ui.Plain(text)), " ")
}

// row is a line of a list with bytes and a bar.
type row struct {
	name, typ, more string
	bytes           int64
}

// columns lists columns as a tree, with their bytes.
func (t *Text) columns(i *Info) {
	if len(i.Columns) == 0 {
		return
	}
	if i.Map == nil && i.Rows == nil && i.Format != "vortex" {
		t.line("fields", ui.Thousands(int64(len(i.Columns))))
	} else {
		t.line("columns", ui.Thousands(int64(len(i.Columns))))
	}
	var rows []row
	total := int64(0)
	hidden := 0
	var add func(list []Column, level int)
	add = func(list []Column, level int) {
		for n := range list {
			c := &list[n]
			if level == 0 {
				total += c.Bytes
			}
			if len(rows) >= fewColumns && !t.All {
				hidden++
			} else {
				rows = append(rows, row{ui.Indent(level) + named(c.Name), columnType(c), columnMore(c), c.Bytes})
			}
			if level < 64 {
				add(c.Columns, level+1)
			}
		}
	}
	add(i.Columns, 0)
	t.list(rows, total)
	if hidden > 0 {
		fmt.Fprintf(t.W, "    %s\n", t.Style.Dim(fmt.Sprintf("… %s more (--all)", ui.Thousands(int64(hidden)))))
	}
}

func named(name string) string {
	if name == "" {
		return `""`
	}
	return ui.Name(name)
}

func columnType(c *Column) string {
	text := ui.Plain(c.Type)
	if len(c.Columns) > 0 {
		text, _, _ = strings.Cut(text, "<") // the children stand below
	}
	if !c.Nullable && !strings.HasSuffix(text, "?") {
		text += " not null"
	}
	return text
}

func columnMore(c *Column) string {
	var words []string
	if c.Nulls != nil && *c.Nulls > 0 {
		words = append(words, ui.Count(*c.Nulls, "null"))
	}
	if len(c.Encodings) > 0 {
		words = append(words, strings.Join(c.Encodings, ", "))
	}
	return ui.Plain(strings.Join(words, ", "))
}

// list writes rows under each other, and what part of the whole each has.
func (t *Text) list(rows []row, total int64) {
	name, typ := 0, 0
	for _, r := range rows {
		name, typ = max(name, min(utf8.RuneCountInString(r.name), 40)), max(typ, min(utf8.RuneCountInString(r.typ), 32))
	}
	for _, r := range rows {
		fmt.Fprintf(t.W, "    %s%s  %s", t.Style.Field(r.name), pad(r.name, name), t.Style.Type(r.typ))
		if total > 0 {
			fmt.Fprintf(t.W, "%s %10s %s %3.0f%%", pad(r.typ, typ), ui.Bytes(r.bytes), t.Style.Number(bar(r.bytes, total)), 100*float64(r.bytes)/float64(total))
		}
		if r.more != "" {
			fmt.Fprintf(t.W, "  %s", t.Style.Dim(r.more))
		}
		fmt.Fprintln(t.W)
	}
}

// pad is what is missing to a width, nothing for what is wider.
func pad(text string, width int) string {
	return strings.Repeat(" ", max(width-utf8.RuneCountInString(text), 0))
}

// bar draws a part of the whole in ten cells of eighths.
func bar(n, total int64) string {
	const cells = 10
	eighths := int(float64(n) / float64(total) * 8 * cells)
	if n > 0 {
		eighths = max(eighths, 1)
	}
	eighths = min(eighths, 8*cells)
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune(" ▏▎▍▌▋▊▉")[rest])
	}
	return text + pad(text, cells)
}

func (t *Text) subgraph(g *Subgraph, of int, all int64) {
	name := ""
	if of > 1 || g.Name != "" {
		name = named(g.Name) + ": "
	}
	weights := int64(0)
	for _, c := range g.Constants {
		weights += c.Bytes
	}
	operators := 0
	for _, o := range g.Operators {
		operators += o.Count
	}
	t.line("graph", name+fmt.Sprintf("%s, %s, %s of weights (%.0f%% of the file)", ui.Count(int64(operators), "operator"), ui.Count(int64(g.Tensors), "tensor"), ui.Bytes(weights), 100*float64(weights)/float64(max(all, 1))))
	for _, x := range []struct {
		word string
		list []Tensor
	}{{"input", g.Inputs}, {"output", g.Outputs}} {
		for _, tensor := range x.list {
			fmt.Fprintf(t.W, "    %-7s %s  %s\n", x.word, t.Style.Field(named(tensor.Name)), t.Style.Type(ui.Plain(tensor.Type)))
		}
	}
	var words []string
	for _, o := range g.Operators {
		words = append(words, fmt.Sprintf("%d× %s", o.Count, ui.Plain(o.Name)))
	}
	if len(words) > 0 {
		fmt.Fprintln(t.W, ui.Wrap(strings.Join(words, ", "), "    ", t.Width))
	}
	shown := g.Constants
	if len(shown) > fewTensors && !t.All {
		shown = shown[:fewTensors]
	}
	var rows []row
	for _, c := range shown {
		rows = append(rows, row{named(c.Name), ui.Plain(c.Type), "", c.Bytes})
	}
	t.list(rows, weights)
	if n := len(g.Constants) - len(shown); n > 0 {
		fmt.Fprintf(t.W, "    %s\n", t.Style.Dim(fmt.Sprintf("… %s smaller (--all)", ui.Thousands(int64(n)))))
	}
}

func (t *Text) types(types []Type) {
	if len(types) == 0 {
		return
	}
	t.line("types", ui.Thousands(int64(len(types))))
	for n, ty := range types {
		if n == fewTypes && !t.All {
			fmt.Fprintf(t.W, "    %s\n", t.Style.Dim(fmt.Sprintf("… %s more (--all)", ui.Thousands(int64(len(types)-n)))))
			break
		}
		noun := map[string]string{"table": "field", "struct": "field", "enum": "value", "union": "member", "service": "call"}[ty.Kind]
		root := ""
		if ty.Root {
			root = t.Style.Good("  root")
		}
		fmt.Fprintf(t.W, "    %-7s %s  %s%s\n", ty.Kind, t.Style.Type(ui.Plain(ty.Name)), t.Style.Dim(ui.Count(int64(ty.Fields), noun)), root)
	}
}

func (t *Text) metadata(pairs []Pair) {
	if len(pairs) == 0 {
		return
	}
	t.line("metadata", "")
	for n, p := range pairs {
		if n == fewMetadata && !t.All {
			fmt.Fprintf(t.W, "    %s\n", t.Style.Dim(fmt.Sprintf("… %s more (--all)", ui.Thousands(int64(len(pairs)-n)))))
			break
		}
		fmt.Fprintf(t.W, "  %-9s %s\n", map[bool]string{true: "metadata"}[n == 0], t.Style.Field(named(p.Key))+": "+t.short(p.Value))
	}
}
