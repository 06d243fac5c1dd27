// Package stats is the work of fbinspect stats: where the bytes of a file go, and which of
// them could be saved. Each byte counts once, so that every table of sizes adds up to
// the size of the file.
package stats

import (
	"context"
	"errors"
	"sort"

	"github.com/fbverify/go/cmd/fbinspect/internal/annotate"
	"github.com/fbverify/go/cmd/fbinspect/internal/bytemap"
	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/fbverify/container"
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
	kinds    map[string]*Share
	types    map[string]*typeShare
	repeated map[string]*Repeated
	saved    map[string]int64
}

type typeShare struct {
	Type
	fields map[string]*Share
}

// Of reports on one file.
func Of(ctx context.Context, a *annotate.Annotator, src *input.Source) (*Report, error) {
	f, err := src.OpenAs(a.Types, a.Format, &a.Options)
	if err != nil {
		return nil, err
	}
	c := &collector{
		r:       &Report{File: src.Name, Format: f.Format().String(), Size: src.Size, Faults: map[string]int{}},
		regions: map[string]*Share{}, kinds: map[string]*Share{}, types: map[string]*typeShare{},
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
		m, err := a.Map(f, *r.Part)
		if err != nil {
			return nil, err
		}
		c.part(r, m)
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
func (c *collector) part(r container.Region, m *bytemap.Map) {
	c.r.Parts++
	if len(m.Faults) > 0 {
		c.r.Faulty++
		for _, f := range m.Faults {
			c.r.Faults[f.Kind.Name()]++
		}
	}
	for i := range m.Spans {
		s := &m.Spans[i]
		add(c.kinds, s.Kind.String(), int64(s.Size))
		c.attribute(m, s)
		switch {
		case s.Kind == bytemap.Padding:
			c.saved["padding, which alignment asks for"] += int64(s.Size)
		case s.Kind == bytemap.Gap:
			c.saved["bytes that nothing leads to"] += int64(s.Size)
		case s.Kind == bytemap.Scalar && s.Field != nil && s.Sub == "" && isDefault(m, s):
			c.saved["fields stored although they have their default"] += int64(s.Size)
		}
	}
	vtables := map[string]bool{}
	texts := map[string]int{} // of bytes that no other string has: else all could be most of the buffer
	for i := range m.Spans {
		if s := &m.Spans[i]; s.Kind == bytemap.Text {
			texts[string(m.Buf[s.Pos:s.End()])]++
		}
	}
	for i := range m.Objects {
		c.object(r, m, i, vtables)
	}
	for text, n := range texts {
		if n < 2 {
			continue
		}
		saved := int64(n-1) * int64((4+len(text)+1+3)/4*4)
		c.saved["strings that stand in a buffer more than once"] += saved
		shown := text
		if len(shown) > 200 {
			shown = shown[:200]
		}
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
}

// isDefault reports whether a table's scalar has the value that its absence would have.
func isDefault(m *bytemap.Map, s *bytemap.Span) bool {
	f := s.Field
	if f.Optional || m.Objects[s.Object].Kind != bytemap.Table || f.Type.IsFloat() {
		return false
	}
	b := m.Buf[s.Pos:s.End()]
	for i := range b {
		if b[i] != byte(uint64(f.DefaultInteger)>>(8*i)) {
			return false
		}
	}
	return true
}

// attribute gives a span's bytes to the table type, and the field, that they are there for.
func (c *collector) attribute(m *bytemap.Map, s *bytemap.Span) {
	i, field := s.Object, s.Field
	for i >= 0 && m.Objects[i].Kind != bytemap.Table {
		o := &m.Objects[i]
		switch o.Kind {
		case bytemap.Buffer:
			i = -1
			continue
		case bytemap.VTable:
			field = nil
		default:
			field = o.Field
		}
		i = o.Parent
	}
	if i < 0 {
		c.r.Other += int64(s.Size)
		return
	}
	t := c.typeOf(m.Objects[i].Def.Name)
	t.Bytes += int64(s.Size)
	name := "(vtables, offsets to them, padding)"
	if field != nil {
		name = field.Name
	}
	add(t.fields, name, int64(s.Size))
}

func (c *collector) typeOf(name string) *typeShare {
	t := c.types[name]
	if t == nil {
		t = &typeShare{Type: Type{Name: name}, fields: map[string]*Share{}}
		c.types[name] = t
	}
	return t
}

// object counts an object.
func (c *collector) object(r container.Region, m *bytemap.Map, i int, vtables map[string]bool) {
	o := &m.Objects[i]
	switch o.Kind {
	case bytemap.Table:
		c.typeOf(o.Def.Name).Count++
		for len(c.r.Depths) < o.Depth {
			c.r.Depths = append(c.r.Depths, 0)
		}
		if o.Depth > 0 {
			c.r.Depths[o.Depth-1]++
		}
	case bytemap.VTable:
		c.r.VTables.Count++
		c.r.VTables.Bytes += int64(o.Size)
		c.r.VTables.Tables += o.Refs
		text := string(m.Buf[o.Pos : o.Pos+o.Size])
		if vtables[text] {
			c.r.VTables.Duplicates++
			c.saved["vtables that are equal to another"] += int64(o.Size)
		}
		vtables[text] = true
	case bytemap.Vector, bytemap.String:
		if int64(o.Size) > c.least() {
			c.large(Thing{Part: r.Name, Path: m.Path(i), What: m.Describe(i), Offset: r.Offset + int64(o.Pos), Bytes: int64(o.Size)})
		}
	}
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
	c.r.Regions, c.r.Kinds = shares(c.regions), shares(c.kinds)
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
