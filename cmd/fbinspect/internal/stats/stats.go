// Package stats is the work of fbinspect stats: where the bytes of a file go, and which of
// them could be saved. Each byte counts once, so that every table of sizes adds up to
// the size of the file.
package stats

import (
	"context"
	"errors"
	"sort"
	"sync/atomic"

	"github.com/fbverify/go/cmd/fbinspect/internal/annotate"
	"github.com/fbverify/go/cmd/fbinspect/internal/bytemap"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/schema"
)

// Report is what a file consists of. Sizes are bytes. Its JSON form is stable.
type Report struct {
	File   string `json:"file"`
	Format string `json:"format"`
	Size   int64  `json:"size"`
	Parts  int    `json:"parts"`
	Faulty int    `json:"faulty"` // parts that are not sound; what they hold is counted as far as it can be read

	Regions []Share `json:"regions"` // by what the parts of the file are for; adds up to Size
	Kinds   []Share `json:"kinds"`   // within the FlatBuffers; adds up to their region
	Types   []Type  `json:"types"`   // by table and struct type; what belongs to none is in Other
	Other   int64   `json:"other"`   // size prefixes, root offsets, identifiers, padding between objects, gaps

	VTables  VTables        `json:"vtables"`
	Depths   []int          `json:"depths"` // tables at depth 1, 2, …
	Largest  []Thing        `json:"largest"`
	Repeated []Repeated     `json:"repeated"` // strings that stand in a buffer more than once
	Savings  []Saving       `json:"savings"`
	Faults   map[string]int `json:"faults,omitempty"`

	// Uncompared are the strings and vtables of FlatBuffers with more than MostDistinct
	// different ones that were not compared with others: there may be more that are equal.
	Uncompared int `json:"uncompared,omitempty"`
}

// Share is a part of the whole.
type Share struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
	Bytes int64  `json:"bytes"`
}

// Type is what the tables of one type take.
type Type struct {
	Name   string  `json:"name"`
	Count  int     `json:"count"`  // tables
	Bytes  int64   `json:"bytes"`  // of the tables, their fields' strings and vectors, and vtables that were theirs first
	Fields []Share `json:"fields"` // what each field takes: its inline bytes and its string or vector
}

// VTables says how far they are shared.
type VTables struct {
	Count      int   `json:"count"`
	Bytes      int64 `json:"bytes"`
	Tables     int   `json:"tables"`     // that use them
	Duplicates int   `json:"duplicates"` // equal to another one of the same buffer
}

// Thing is a large object.
type Thing struct {
	Part   string `json:"part"`
	Path   string `json:"path"`
	What   string `json:"what"`
	Offset int64  `json:"offset"`
	Bytes  int64  `json:"bytes"`

	key  bytemap.Key
	refs int // offsets that lead there, while its FlatBuffer is counted
}

// Repeated is a string that stands in the same buffer several times.
type Repeated struct {
	Text  string `json:"text"`
	Count int    `json:"count"`
	Bytes int64  `json:"bytes"` // that sharing one would save
}

// Saving is what could be smaller.
type Saving struct {
	What  string `json:"what"`
	Bytes int64  `json:"bytes"`
}

// largest is how many large things are named.
const largest = 10

// Collector gathers the report of one file.
type collector struct {
	r        *Report
	regions  map[string]*Share
	kinds    [bytemap.Kinds]Share // by bytemap.Kind
	types    map[string]*typeShare
	byDef    map[*schema.Object]*typeShare
	repeated map[string]*Repeated
	saved    map[string]int64
}

// typeShare is a type's share. Types of several schemas may have one name, and their
// fields, too.
type typeShare struct {
	Type
	fields map[string]*Share
	byDef  map[*schema.Field]*Share
}

// Of reports on one file.
func Of(ctx context.Context, a *annotate.Annotator, src *input.Source) (*Report, error) {
	f, err := src.OpenAs(a.Types, a.Format, &a.Options)
	if err != nil {
		return nil, err
	}
	c := &collector{
		r:       &Report{File: src.Name, Format: f.Format().String(), Size: src.Size, Faults: map[string]int{}},
		regions: map[string]*Share{}, types: map[string]*typeShare{}, byDef: map[*schema.Object]*typeShare{},
		repeated: map[string]*Repeated{}, saved: map[string]int64{},
	}
	for _, err := range f.Parts() {
		var ce *container.Error
		if errors.As(err, &ce) {
			c.r.Faults[ce.Kind.Name()]++
		}
	}
	for r := range f.Regions() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		add(c.regions, r.Kind.String(), r.Length)
		if r.Part == nil {
			if r.Kind == container.Data || r.Kind == container.Index {
				c.large(Thing{Part: r.Name, What: r.Kind.String(), Offset: r.Offset, Bytes: r.Length})
			}
			continue
		}
		if err := c.part(ctx, a, f, r); err != nil {
			return nil, err
		}
	}
	c.finish()
	return c.r, nil
}

func add(m map[string]*Share, name string, bytes int64) {
	s := m[name]
	if s == nil {
		s = &Share{Name: name}
		m[name] = s
	}
	s.Count++
	s.Bytes += bytes
}

// part adds one FlatBuffer.
func (c *collector) part(ctx context.Context, a *annotate.Annotator, f *container.File, r container.Region) error {
	t, b, faults, err := a.Explain(f, *r.Part)
	if err != nil {
		return err
	}
	c.r.Parts++
	if len(faults) > 0 {
		c.r.Faulty++
		for _, f := range faults {
			c.r.Faults[f.Kind.Name()]++
		}
	}
	p := &part{c: c, region: r, buf: b, vtables: newDistinct(b), texts: newDistinct(b), done: a.Done}
	if err := bytemap.Walk(ctx, t, b, r.Part.Framing, p); err != nil {
		return err
	}
	for i := range c.r.Largest {
		l := &c.r.Largest[i]
		if l.refs > 1 {
			l.What += bytemap.SharedBy(l.refs)
		}
		l.refs = 0
	}
	c.saved["padding, which alignment asks for"] += p.padding
	c.saved["bytes that nothing leads to"] += p.gaps
	c.saved["fields stored although they have their default"] += p.defaults
	c.r.Uncompared += p.texts.left + p.vtables.left
	for _, text := range p.texts.runs {
		n := text.count
		if n < 2 {
			continue
		}
		saved := int64(n-1) * int64((4+text.size+1+3)/4*4)
		c.saved["strings that stand in a buffer more than once"] += saved
		shown := string(b[text.pos : text.pos+min(text.size, 200)])
		rep := c.repeated[shown]
		if rep == nil {
			if len(c.repeated) >= 100_000 {
				continue
			}
			rep = &Repeated{Text: shown}
			c.repeated[shown] = rep
		}
		rep.Count += n
		rep.Bytes += saved
	}
	return nil
}

// part counts what is in one FlatBuffer, and keeps no object and no span of it.
type part struct {
	c       *collector
	region  container.Region
	buf     []byte
	vtables *distinct
	texts   *distinct
	done    *atomic.Int64 // bytes of the file that are counted; nil where nobody asks

	padding, gaps, defaults int64
}

// Span counts bytes by what they are, and for the table type, and the field, that they are
// there for.
func (p *part) Span(s *bytemap.Span, in *bytemap.Within) {
	c, size := p.c, int64(s.Size)
	c.kinds[s.Kind].Count++
	c.kinds[s.Kind].Bytes += size
	if p.done != nil {
		p.done.Add(size)
	}
	switch {
	case s.Kind == bytemap.Padding:
		p.padding += size
	case s.Kind == bytemap.Gap:
		p.gaps += size
	case s.Kind == bytemap.Text:
		p.texts.add(s.Pos, s.Size)
	case s.Kind == bytemap.Scalar && s.Field != nil && s.Sub == "" && in.Object.Kind == bytemap.Table && isDefault(p.buf[s.Pos:s.End()], s.Field):
		p.defaults += size
	}
	if in.Table == nil {
		c.r.Other += size
		return
	}
	field := in.Field
	if in.Object.Kind == bytemap.Table {
		field = s.Field
	}
	t := c.typeOf(in.Table)
	t.Bytes += size
	f := t.field(field)
	f.Count++
	f.Bytes += size
}

// Again counts offsets to what is among the largest; whatever else was met is forgotten.
func (p *part) Again(k bytemap.Key, seen bool) (object int, known bool) {
	if seen {
		for i := range p.c.r.Largest {
			if l := &p.c.r.Largest[i]; l.refs > 0 && l.key == k {
				l.refs++
			}
		}
	}
	return -1, seen
}

// Target is of no interest.
func (p *part) Target(span, object int) {}

// Uses counts the tables of vtables.
func (p *part) Uses(table, vtable int, isNew bool) { p.c.r.VTables.Tables++ }

// isDefault reports whether a table's scalar has the value that its absence would have.
func isDefault(b []byte, f *schema.Field) bool {
	if f.Optional || f.Type.IsFloat() {
		return false
	}
	for i := range b {
		if b[i] != byte(uint64(f.DefaultInteger)>>(8*i)) {
			return false
		}
	}
	return true
}

// Object counts an object.
func (p *part) Object(k bytemap.Key, o *bytemap.Object, in *bytemap.Within) {
	c := p.c
	switch o.Kind {
	case bytemap.Table:
		c.typeOf(o.Def).Count++
		for len(c.r.Depths) < o.Depth {
			c.r.Depths = append(c.r.Depths, 0)
		}
		if o.Depth > 0 {
			c.r.Depths[o.Depth-1]++
		}
	case bytemap.VTable:
		c.r.VTables.Count++
		c.r.VTables.Bytes += int64(o.Size)
		if p.vtables.add(o.Pos, o.Size) {
			c.r.VTables.Duplicates++
			c.saved["vtables that are equal to another"] += int64(o.Size)
		}
	case bytemap.Vector, bytemap.String:
		if int64(o.Size) > c.least() {
			c.large(Thing{Part: p.region.Name, Path: in.Path(), What: o.Describe(), Offset: p.region.Offset + int64(o.Pos), Bytes: int64(o.Size), key: k, refs: 1})
		}
	}
}

func (c *collector) typeOf(def *schema.Object) *typeShare {
	t := c.byDef[def]
	if t == nil {
		if t = c.types[def.Name]; t == nil {
			t = &typeShare{Type: Type{Name: def.Name}, fields: map[string]*Share{}, byDef: map[*schema.Field]*Share{}}
			c.types[def.Name] = t
		}
		c.byDef[def] = t
	}
	return t
}

// field returns the share of a field, or of what belongs to none where it is nil.
func (t *typeShare) field(def *schema.Field) *Share {
	f := t.byDef[def]
	if f == nil {
		name := "(vtables, offsets to them, padding)"
		if def != nil {
			name = def.Name
		}
		if f = t.fields[name]; f == nil {
			f = &Share{Name: name}
			t.fields[name] = f
		}
		t.byDef[def] = f
	}
	return f
}

// least is the size from which a thing may be among the largest.
func (c *collector) least() int64 {
	if len(c.r.Largest) < largest {
		return 0
	}
	return c.r.Largest[largest-1].Bytes
}

func (c *collector) large(t Thing) {
	if t.Bytes <= c.least() {
		return
	}
	l := append(c.r.Largest, t)
	sort.SliceStable(l, func(i, j int) bool { return l[i].Bytes > l[j].Bytes })
	c.r.Largest = l[:min(len(l), largest)]
}

// finish puts everything in order: the largest first.
func (c *collector) finish() {
	c.r.Regions, c.r.Kinds = shares(c.regions), c.ofKinds()
	for _, t := range c.types {
		t.Fields = shares(t.fields)
		c.r.Types = append(c.r.Types, t.Type)
	}
	sort.Slice(c.r.Types, func(i, j int) bool {
		a, b := &c.r.Types[i], &c.r.Types[j]
		return a.Bytes > b.Bytes || a.Bytes == b.Bytes && a.Name < b.Name
	})
	for _, rep := range c.repeated {
		c.r.Repeated = append(c.r.Repeated, *rep)
	}
	sort.Slice(c.r.Repeated, func(i, j int) bool {
		a, b := &c.r.Repeated[i], &c.r.Repeated[j]
		return a.Bytes > b.Bytes || a.Bytes == b.Bytes && a.Text < b.Text
	})
	c.r.Repeated = c.r.Repeated[:min(len(c.r.Repeated), largest)]
	for what, bytes := range c.saved {
		if bytes > 0 {
			c.r.Savings = append(c.r.Savings, Saving{what, bytes})
		}
	}
	sort.Slice(c.r.Savings, func(i, j int) bool {
		a, b := &c.r.Savings[i], &c.r.Savings[j]
		return a.Bytes > b.Bytes || a.Bytes == b.Bytes && a.What < b.What
	})
}

// ofKinds returns the shares of the kinds of which there is something.
func (c *collector) ofKinds() []Share {
	m := map[string]*Share{}
	for k := range c.kinds {
		if s := &c.kinds[k]; s.Count > 0 {
			s.Name = bytemap.Kind(k).String()
			m[s.Name] = s
		}
	}
	return shares(m)
}

func shares(m map[string]*Share) []Share {
	list := make([]Share, 0, len(m))
	for _, s := range m {
		list = append(list, *s)
	}
	sort.Slice(list, func(i, j int) bool {
		return list[i].Bytes > list[j].Bytes || list[i].Bytes == list[j].Bytes && list[i].Name < list[j].Name
	})
	return list
}
