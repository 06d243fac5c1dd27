package info

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/fbverify/go/cmd/fbinspect/internal/input"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/generated/feather"
	fb "github.com/fbverify/go/generated/vortex"
	"github.com/fbverify/go/readers/arrow"
	"github.com/fbverify/go/readers/flatgeobuf"
	"github.com/fbverify/go/readers/tflite"
	"github.com/fbverify/go/readers/vortex"
	"github.com/fbverify/go/schema"
)

// arrowFile tells of an Arrow file, by its footer.
func (i *Info) arrowFile(ctx context.Context, src *input.Source) error {
	f, err := arrow.Open(ctx, src, src.Size, nil)
	if err != nil {
		i.fault(err)
		const start = 8 // after the mark the file is a stream
		if i.arrowMessages(ctx, io.NewSectionReader(src, start, max(src.Size-start, 0))) != nil {
			return ctx.Err()
		}
		i.Notes = append(i.Notes, "rows and columns are those of the batches before the fault")
		return ctx.Err()
	}
	i.Version = f.Footer().Root().Version().String()
	i.Metadata = arrowPairs(f.Metadata())
	a := i.arrow(f.Schema())
	for b, err := range f.Dictionaries(ctx) {
		a.batch(b, err)
	}
	for b, err := range f.Batches(ctx) {
		a.batch(b, err)
	}
	a.end()
	return ctx.Err()
}

// arrowStream tells of an Arrow stream, message by message.
func (i *Info) arrowStream(ctx context.Context, src *input.Source) error {
	return i.arrowMessages(ctx, io.NewSectionReader(src, 0, src.Size))
}

func (i *Info) arrowMessages(ctx context.Context, r io.Reader) error {
	s, err := arrow.OpenStream(ctx, bufio.NewReader(r), nil)
	if err != nil {
		return err
	}
	i.Version = s.Version().String()
	a := i.arrow(s.Schema())
	for {
		b, err := s.Next(ctx)
		if err == io.EOF {
			break
		}
		a.batch(b, err)
		if err != nil {
			break // nothing behind it can be found
		}
	}
	if !s.Ended() && i.Sound {
		i.Notes = append(i.Notes, "the stream has no mark at its end")
	}
	a.end()
	return ctx.Err()
}

// arrowInfo adds up batches.
type arrowInfo struct {
	i                      *Info
	rows, batches          int64
	dictionaries, deltas   int64
	codecs                 tally
	dictionaryBytes, plain int64
}

// arrow tells of a schema.
func (i *Info) arrow(s *arrow.Schema) *arrowInfo {
	i.Metadata = append(i.Metadata, arrowPairs(s.Metadata)...)
	for j := range s.Fields {
		i.Columns = append(i.Columns, arrowColumn(&s.Fields[j]))
	}
	for _, p := range i.Metadata {
		switch p.Key { // who writes these is known
		case "pandas":
			i.Writer = "pandas, by pyarrow"
		case "ARROW:schema":
			i.Writer = "Arrow"
		case "geo":
			i.Writer = "GeoArrow"
		}
	}
	return &arrowInfo{i: i, codecs: tally{}}
}

func arrowPairs(list []arrow.KeyValue) (pairs []Pair) {
	for _, kv := range list {
		pairs = append(pairs, Pair{kv.Key, kv.Value})
	}
	return pairs
}

func arrowColumn(f *arrow.Field) Column {
	c := Column{Name: f.Name, Type: f.Type(), Nullable: f.Nullable, Metadata: arrowPairs(f.Metadata)}
	if _, ok := f.IsDictionary(); ok {
		c.Encodings = []string{"dictionary"}
		return c // children are those of its values
	}
	for j := range f.Children {
		c.Columns = append(c.Columns, arrowColumn(&f.Children[j]))
	}
	return c
}

// batch adds up one batch.
func (a *arrowInfo) batch(b *arrow.Batch, err error) {
	if err != nil {
		a.i.fault(err)
		return
	}
	if codec, ok := b.Compression(); ok {
		a.codecs[strings.ToLower(strings.TrimSuffix(codec.String(), "_FRAME"))]++
	} else if b.Body.Length > 0 {
		a.plain++
	}
	if b.Dictionary {
		a.dictionaries++
		if b.Delta {
			a.deltas++
		}
		a.dictionaryBytes += b.Body.Length
		return
	}
	a.batches++
	a.rows += b.Rows
	columns := b.Columns()
	for j := range columns {
		arrowData(&a.i.Columns[j], &columns[j])
	}
}

// arrowData adds what a batch has of a column.
func arrowData(c *Column, d *arrow.ColumnData) (bytes int64) {
	for _, b := range d.Buffers {
		bytes += b.Length
	}
	for j := range d.Children {
		if j < len(c.Columns) {
			bytes += arrowData(&c.Columns[j], &d.Children[j])
		}
	}
	c.Bytes += bytes
	if d.Nulls >= 0 {
		if c.Nulls == nil {
			c.Nulls = count(0)
		}
		*c.Nulls += d.Nulls
	}
	return bytes
}

func (a *arrowInfo) end() {
	a.i.Rows, a.i.Batches = &a.rows, &a.batches
	a.i.Codecs = a.codecs.names()
	if len(a.i.Codecs) > 0 && a.plain > 0 {
		a.i.Codecs = append(a.i.Codecs, "none")
	}
	if a.dictionaries > 0 {
		about := fmt.Sprintf(" of %d bytes", a.dictionaryBytes)
		if a.deltas > 0 {
			about += fmt.Sprintf(", %d of them added to others", a.deltas)
		}
		a.i.Indexes = append(a.i.Indexes, some(a.dictionaries, "dictionary batch", about)...)
	}
}

// vortex tells of a Vortex file.
func (i *Info) vortex(ctx context.Context, src *input.Source) error {
	f, err := vortex.Open(ctx, src, src.Size, nil)
	if err != nil {
		return err
	}
	if end := src.Around(src.Size-8, 8); len(end) == 8 { // version, length of the postscript, mark
		i.Version = strconv.Itoa(int(end[0]) | int(end[1])<<8)
	}
	i.Rows = count(f.Rows())
	segments := f.Segments()
	seen := make([]bool, len(segments))
	zones := int64(0)
	for _, c := range f.Columns() {
		column := Column{Name: c.Name, Type: c.Type, Nullable: c.Nullable}
		encodings := tally{}
		for _, chunk := range c.Chunks() {
			encodings[chunk.Encoding]++
			if strings.HasPrefix(chunk.Role, "zones") {
				zones++
			}
			if !seen[chunk.Segment] { // columns may share one
				seen[chunk.Segment] = true
				column.Bytes += chunk.Length
			}
		}
		if n, ok := c.Stats.NullCount(); ok {
			column.Nulls = count(n)
		}
		column.Encodings = encodings.names()
		i.Columns = append(i.Columns, column)
	}
	i.Indexes = append(i.Indexes, some(zones, "segment", " of statistics of zones of rows")...)
	if _, ok := f.Statistics(); ok {
		i.Indexes = append(i.Indexes, "statistics of the whole file")
	}
	used := tally{}
	var arrays []int
	for n := range segments {
		if segments[n].HoldsArray {
			arrays = append(arrays, n)
		}
	}
	for a, err := range f.Arrays(ctx, arrays...) {
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			i.fault(err)
			continue
		}
		encodingsOf(a.Root().Root(), a.Encodings, used)
	}
	i.Codecs = used.names()
	return nil
}

// encodingsOf counts the encodings of an array's nodes.
func encodingsOf(n fb.ArrayNode, names []string, used tally) {
	if e := int(n.Encoding()); n.Present() && e < len(names) {
		used[names[e]]++
	}
	for _, child := range n.Children().All() {
		encodingsOf(child, names, used)
	}
}

// flatgeobuf tells of a map.
func (i *Info) flatgeobuf(ctx context.Context, src *input.Source) error {
	f, err := flatgeobuf.Open(ctx, src, src.Size, nil)
	if err != nil {
		return err
	}
	h := f.Header().Root()
	if v := src.Around(3, 1); len(v) == 1 {
		i.Version = strconv.Itoa(int(v[0]))
		if patch := src.Around(7, 1); len(patch) == 1 {
			i.Version += fmt.Sprintf(".%d", patch[0])
		}
	}
	m := &Map{Layer: h.Name(), Title: h.Title(), Description: h.Description(), Geometry: f.GeometryType().String(), Dimensions: "XY", CRS: f.CRS()}
	for _, d := range []struct {
		has  bool
		name string
	}{{h.HasZ(), "Z"}, {h.HasM(), "M"}, {h.HasT(), "T"}, {h.HasTm(), "Tm"}} {
		if d.has {
			m.Dimensions += d.name
		}
	}
	if b, ok := f.Envelope(); ok {
		m.Extent = []float64{b.MinX, b.MinY, b.MaxX, b.MaxY}
	}
	if text := h.Metadata(); text != "" {
		i.Metadata = append(i.Metadata, Pair{"metadata", text})
	}
	i.Map = m
	byName := map[string]int{}
	for _, c := range f.Columns() {
		byName[c.Name] = len(i.Columns)
		i.Columns = append(i.Columns, Column{Name: c.Name, Type: c.Type, Nullable: c.Nullable})
	}
	own := map[string]int{} // columns that features bring along
	n := int64(0)
	box := flatgeobuf.Box{MinX: math.Inf(1), MinY: math.Inf(1), MaxX: math.Inf(-1), MaxY: math.Inf(-1)}
	for ft, err := range f.All(ctx) {
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			i.fault(err)
			continue
		}
		n++
		if b, ok := ft.Bounds(); ok {
			box = flatgeobuf.Box{MinX: min(box.MinX, b.MinX), MinY: min(box.MinY, b.MinY), MaxX: max(box.MaxX, b.MaxX), MaxY: max(box.MaxY, b.MaxY)}
		}
		properties, err := f.Properties(ft)
		if err != nil {
			i.fault(err)
			continue
		}
		rest := ft.Length
		for _, p := range properties {
			rest -= int64(len(p.Bytes))
			at, ok := byName[p.Name]
			if !ok {
				if at, ok = own[p.Name]; !ok && len(own) < 1000 {
					at = len(i.Columns)
					own[p.Name] = at
					i.Columns = append(i.Columns, Column{Name: p.Name, Type: p.Type, Nullable: p.Nullable})
				} else if !ok {
					continue
				}
			}
			i.Columns[at].Bytes += int64(len(p.Bytes))
		}
		m.GeometryBytes += max(rest, 0)
	}
	if len(own) > 0 {
		i.Notes = append(i.Notes, "features bring columns of their own")
	}
	i.Rows = &n
	if says, known := f.Count(); known && says != uint64(n) && i.Sound {
		i.Notes = append(i.Notes, fmt.Sprintf("the header says %d features", says))
	} else {
		m.Counted = !known
	}
	if m.Extent == nil && box.MinX <= box.MaxX {
		m.Extent = []float64{box.MinX, box.MinY, box.MaxX, box.MaxY}
	}
	for k, x := range m.Extent { // writers say of no features what is no number, which no JSON has
		if math.IsNaN(x) || math.IsInf(x, 0) {
			m.Extent = nil
			break
		}
		m.Extent[k] = x + 0 // of -0, too
	}
	if f.HasIndex() {
		_, index, _ := f.Places()
		i.Indexes = append(i.Indexes, fmt.Sprintf("packed R-tree of %d bytes, %d entries a node", index.Length, h.IndexNodeSize()))
	}
	return nil
}

// tflite tells of a model.
func (i *Info) tflite(ctx context.Context, src *input.Source) error {
	m, err := tflite.Open(ctx, src, src.Size, nil)
	if err != nil {
		return err
	}
	i.Version = strconv.FormatUint(uint64(m.Version()), 10)
	i.Writer = m.Description()
	for _, md := range m.Metadata() {
		value := fmt.Sprintf("%d bytes", md.Length)
		if md.Length <= 64 {
			if b, err := m.AppendTo(ctx, md.Range, nil); err == nil {
				if text := strings.TrimRight(string(b), "\x00"); isPlain(text) {
					value = text
				}
			}
		}
		i.Metadata = append(i.Metadata, Pair{md.Name, value})
	}
	for _, s := range m.Signatures() {
		i.Metadata = append(i.Metadata, Pair{"signature " + s.Key, fmt.Sprintf("(%s) → (%s)", arguments(s.Inputs), arguments(s.Outputs))})
	}
	for _, g := range m.Subgraphs() {
		tensors := g.Tensors()
		of := func(numbers []int32) []Tensor {
			list := []Tensor{}
			for _, n := range numbers {
				if n >= 0 && int(n) < len(tensors) {
					list = append(list, Tensor{Name: tensors[n].Name, Type: tensors[n].Type()})
				}
			}
			return list
		}
		s := Subgraph{Name: g.Name, Inputs: of(g.Inputs), Outputs: of(g.Outputs), Tensors: len(tensors)}
		for _, t := range tensors {
			if t.Weights.Length > 0 {
				s.Constants = append(s.Constants, Tensor{t.Name, t.Type(), t.Weights.Length})
			}
		}
		sort.SliceStable(s.Constants, func(a, b int) bool { return s.Constants[a].Bytes > s.Constants[b].Bytes })
		operators := tally{}
		for _, op := range g.Operators() {
			name := op.Name
			if op.Custom {
				name += " (custom)"
			}
			operators[name]++
		}
		s.Operators = operators.operators()
		i.Subgraphs = append(i.Subgraphs, s)
	}
	return nil
}

func arguments(list []tflite.Argument) string {
	var names []string
	for _, a := range list {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

func isPlain(text string) bool {
	for _, r := range text {
		if !strconv.IsPrint(r) {
			return false
		}
	}
	return text != ""
}

// plain tells of FlatBuffers of no format that has a reader: of which type they are, and what is
// in the type.
func (r *Reporter) plain(ctx context.Context, i *Info, f *container.File) error {
	rows := int64(0)
	for p, err := range f.Parts() {
		if err != nil || ctx.Err() != nil {
			continue // it was told
		}
		typ, err := r.Types.Of(p)
		if err != nil {
			return input.Untyped(f, p, err)
		}
		b, err := p.Bytes()
		if err != nil {
			return err
		}
		rows++
		counts, err := typ.Measure(b, r.Types.Options(p, &r.Options))
		if err != nil {
			i.fault(fmt.Errorf("%s: %w", p.Name, err))
			continue
		}
		if rows == 1 {
			i.Metadata = append(i.Metadata, Pair{"root", typ.String()}, Pair{"tables", strconv.Itoa(counts.Tables)})
			if id := typ.Schema().FileIdentifier; id != "" {
				i.Metadata = append(i.Metadata, Pair{"schema's file identifier", id})
			}
			if f.Format() == container.BFBS {
				return i.binarySchema(b)
			}
			for _, field := range typ.Root().Fields {
				i.Columns = append(i.Columns, Column{Name: field.Name, Type: field.Type.String(), Nullable: !field.Required})
			}
		}
	}
	if f.Format().Several() {
		i.Rows = &rows
	}
	return ctx.Err()
}

// feather tells of a Feather file of version 1.
func (i *Info) feather(_ context.Context, src *input.Source) error {
	f, err := container.Open(src, src.Size, &container.Options{Format: container.Feather})
	if err != nil {
		return err
	}
	for p, err := range f.Parts() {
		if err != nil {
			continue // it was told
		}
		b, err := p.Bytes()
		if err != nil {
			return err
		}
		v, err := fbverify.RootWithOptions[feather.CTable](b, p.Options(nil))
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		t := v.Root()
		i.Version, i.Rows = strconv.Itoa(int(t.Version())), count(t.NumRows())
		for _, text := range []Pair{{"description", t.Description()}, {"metadata", t.Metadata()}} {
			if text.Value != "" {
				i.Metadata = append(i.Metadata, text)
			}
		}
		for _, c := range t.Columns().All() {
			values := c.Values()
			column := Column{Name: c.Name(), Type: strings.ToLower(values.Type().String()), Nullable: true, Bytes: max(values.TotalBytes(), 0), Nulls: count(values.NullCount())}
			if values.Encoding() != feather.EncodingPlain {
				column.Encodings = []string{strings.ToLower(values.Encoding().String())}
			}
			if text := c.UserMetadata(); text != "" {
				column.Metadata = []Pair{{"metadata", text}}
			}
			i.Columns = append(i.Columns, column)
		}
	}
	return nil
}

// types tells of a schema's declarations.
func (i *Info) types(s *schema.Schema) {
	for _, o := range s.Objects {
		kind := "table"
		if o.IsStruct {
			kind = "struct"
		}
		i.Types = append(i.Types, Type{kind, o.Name, len(o.Fields), o == s.Root})
	}
	for _, e := range s.Enums {
		kind := "enum"
		if e.IsUnion {
			kind = "union"
		}
		i.Types = append(i.Types, Type{kind, e.Name, len(e.Values), false})
	}
	for _, v := range s.Services {
		i.Types = append(i.Types, Type{"service", v.Name, len(v.Calls), false})
	}
}
