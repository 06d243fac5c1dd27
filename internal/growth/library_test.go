package growth_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"io"
	"testing"
	"testing/fstest"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/dynamic"
	"github.com/fbverify/go/internal/gogen"
	"github.com/fbverify/go/internal/growth"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/bfbs"
	"github.com/fbverify/go/schema/fbs"
)

var (
	seeds = flag.Int("seeds", 4, "how many composed families to try")
	first = flag.Int("first", 1, "the first seed")
)

// reading makes an entry of what reads buffers of a type.
func reading(name string, ns, memory float64, f func(typ *fbverify.Type, b []byte)) growth.Entry {
	return growth.Entry{Name: name, NS: ns, Memory: memory, Prepare: func(fam growth.Family, input []byte) func() {
		typ := compiled(fam)
		return func() { f(typ, input) }
	}}
}

func verify(name string, o *fbverify.Options) growth.Entry {
	ns := 150.0
	if o != nil && o.MaxTables > 1<<30 {
		ns = 400 // what the limits bound otherwise: constraints on nodes that many share
	}
	return reading(name, ns, 24, func(typ *fbverify.Type, b []byte) { _ = typ.Verify(b, o) })
}

// accepted calls f where the buffer is accepted: what reads proved bytes is given no others.
// What it costs is bounded by what may be read, and not by the bytes.
func accepted(name string, f func(m dynamic.Message)) growth.Entry {
	o := &fbverify.Options{MaxTables: 1 << 20, MaxApparentSize: 64 << 20}
	return growth.Entry{Name: name, Prepare: func(fam growth.Family, input []byte) func() {
		m, err := dynamic.Root(compiled(fam), input, o)
		if err != nil {
			return nil
		}
		return func() { f(m) }
	}}
}

// damaged is a copy with something wrong every few bytes.
func damaged(b []byte) []byte {
	b = bytes.Clone(b)
	for i := 64; i < len(b); i += 256 {
		b[i] ^= 0x55
	}
	return b
}

var entries = []growth.Entry{
	verify("Verify", nil),
	verify("Verify, no limits", &fbverify.Options{MaxDepth: 1 << 16, MaxTables: 1<<31 - 1}),
	verify("Verify, no UTF-8", &fbverify.Options{SkipUTF8: true}),
	verify("Verify, no alignment", &fbverify.Options{SkipAlignment: true}),
	verify("Verify, no nested", &fbverify.Options{NestedUnchecked: true}),
	verify("Verify, parallel", &fbverify.Options{Parallel: 4}),
	verify("Verify, strict", &fbverify.Options{Strict: true}),
	reading("Measure", 100, 24, func(typ *fbverify.Type, b []byte) { _, _ = typ.Measure(b, nil) }),
	reading("Unknown", 150, 24, func(typ *fbverify.Type, b []byte) { typ.Unknown(b, nil) }),
	reading("Deviations", 150, 24, func(typ *fbverify.Type, b []byte) { typ.Deviations(b, nil) }),
	reading("Explain", 150, 24, func(typ *fbverify.Type, b []byte) { typ.Explain(b, nil) }),
	reading("Explain of damage", 600, 400, func(typ *fbverify.Type, b []byte) { typ.Explain(damaged(b), &fbverify.Options{Strict: true}) }),
	{Name: "Reader", NS: 150, Memory: 64, Prepare: func(fam growth.Family, b []byte) func() {
		typ, message := compiled(fam), append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
		return func() { _, _ = typed(typ, message) }
	}},
	accepted("dynamic paths", func(m dynamic.Message) {
		for _, p := range paths {
			// As many as anybody asks for: what is shared is met again and again.
			left := 1 << 20
			_ = p.Select(m.Root().AsValue(), func(string, dynamic.Value) error {
				if left--; left == 0 {
					return io.EOF
				}
				return nil
			})
		}
	}),
	accepted("WriteJSON", func(m dynamic.Message) {
		_ = dynamic.WriteJSON(io.Discard, m, &dynamic.JSONOptions{MaxBytes: 16 << 20})
	}),
}

// typed reads all messages of a stream.
func typed(typ *fbverify.Type, stream []byte) (n int, err error) {
	r := fbverify.NewReader(bytes.NewReader(stream), typ, nil)
	for {
		if _, err = r.Next(); err != nil {
			return n, err
		}
		n++
	}
}

// paths are of the schema of the families of buffers.
var paths = func() (list []*dynamic.Path) {
	for _, text := range []string{"children[*].child", "children[*].words[*]", "anys[*]", "*", "children[5:].children[-1]", `keyed["kkkkkkkk"]`, "nested.child.word", "wides[*].*"} {
		p, err := dynamic.ParsePath(text)
		if err != nil {
			panic(err)
		}
		list = append(list, p)
	}
	return list
}()

var compiledOf struct {
	fam growth.Family
	typ *fbverify.Type
}

// compiled is the type of a family: that of the last is kept.
func compiled(fam growth.Family) *fbverify.Type {
	c := &compiledOf
	if c.typ == nil || c.fam.Name != fam.Name || c.fam.Schema != fam.Schema {
		s, err := fbs.ParseFS(fstest.MapFS{"g.fbs": {Data: []byte(fam.Schema)}}, "g.fbs")
		if err != nil {
			panic(err)
		}
		c.fam, c.typ = fam, fbverify.MustCompile(s, fam.Root)
	}
	return c.typ
}

// TestCostOfBuffersGrowsAsTheyDo: with -v it prints a line for each entry and family.
func TestCostOfBuffersGrowsAsTheyDo(t *testing.T) {
	widths := []int{1000}
	if growth.Long() {
		widths = []int{10, 100, 1000}
	}
	var families []growth.Family
	for _, fields := range widths {
		families = append(families, growth.Single(fields)...)
	}
	families = append(families, growth.Composed(*first, *seeds, 40)...)
	growth.Check(t, []int{16 << 10, 64 << 10}, 16<<20, entries, families)
}

// TestCostOfConstraintsGrowsAsBuffersDo: what a schema asks of numbers is asked of what is shared, too.
func TestCostOfConstraintsGrowsAsBuffersDo(t *testing.T) {
	growth.Check(t, []int{16 << 10, 64 << 10}, 16<<20, []growth.Entry{
		verify("Verify", nil), verify("Verify, no limits", &fbverify.Options{MaxDepth: 1 << 16, MaxTables: 1<<31 - 1}),
		reading("Explain", 600, 400, func(typ *fbverify.Type, b []byte) { typ.Explain(b, nil) }),
	}, growth.Constrained())
}

// schemaEntries are what is made of a schema, by what reads it.
func schemaEntries(parse func(input []byte) (*schema.Schema, error)) (list []growth.Entry) {
	for _, e := range []struct {
		name string
		f    func(s *schema.Schema)
	}{
		{"fbs.Write", func(s *schema.Schema) { _ = fbs.Write(io.Discard, s) }},
		{"Check", func(s *schema.Schema) { _ = s.Check() }},
		{"Equal", func(s *schema.Schema) { _ = schema.Equal(s, s) }},
		{"bfbs.Marshal", func(s *schema.Schema) { _, _ = bfbs.Marshal(s) }},
		{"Compile", func(s *schema.Schema) { _, _ = fbverify.Compile(s, "") }},
		{"bfbs.Marshal and Load", func(s *schema.Schema) {
			if b, err := bfbs.Marshal(s); err == nil {
				_, _ = bfbs.Load(b)
			}
		}},
	} {
		list = append(list, growth.Entry{Name: e.name, Prepare: func(_ growth.Family, input []byte) func() {
			s, err := parse(input)
			if err != nil {
				return nil
			}
			return func() { e.f(s) }
		}})
	}
	return list
}

// TestCostOfSchemasGrowsAsTheyDo runs the functions that take a schema's text, and what is made of it, on the families
// of schemas.
func TestCostOfSchemasGrowsAsTheyDo(t *testing.T) {
	text := func(input []byte) (*schema.Schema, error) { return fbs.Parse("g.fbs", input) }
	short := []int{4 << 10, 8 << 10}
	growth.Check(t, short, 1<<20, append(schemaEntries(text),
		growth.Entry{Name: "fbs.Parse", Prepare: growth.Call(func(text []byte) { _, _ = fbs.Parse("g.fbs", text) })},
		growth.Entry{Name: "fbs.Format", Prepare: growth.Call(func(text []byte) { _, _ = fbs.Format("g.fbs", text) })},
	), growth.SchemaTexts())
	growth.Check(t, short, 1<<20, append(schemaEntries(bfbs.Load),
		growth.Entry{Name: "bfbs.Load", Prepare: growth.Call(func(b []byte) { _, _ = bfbs.Load(b) })},
		growth.Entry{Name: "gogen.Generate", Most: 64 << 10, Prepare: generate(gogen.Options{}, bfbs.Load)},
	), growth.BinarySchemas())
}

func generate(opts gogen.Options, parse func(input []byte) (*schema.Schema, error)) func(growth.Family, []byte) func() {
	opts.Package = "g"
	return func(_ growth.Family, input []byte) func() {
		s, err := parse(input)
		if err != nil {
			return nil
		}
		return func() {
			_, _ = gogen.Generate([]gogen.Input{{Name: "g.fbs", Schema: s}}, opts)
		}
	}
}

// TestCostOfGeneratedCodeGrowsAsSchemasDo: a table becomes a hundred times as much Go, which
// gofmt reads, so the schemas are small.
func TestCostOfGeneratedCodeGrowsAsSchemasDo(t *testing.T) {
	list := []growth.Entry{}
	for _, variant := range []struct {
		name string
		opts gogen.Options
	}{
		{"", gogen.Options{}}, {", flatc's names", gogen.Options{Flatc: true, Mutable: true}}, {", fixed", gogen.Options{Fixed: true}},
	} {
		list = append(list, growth.Entry{Name: "gogen.Generate" + variant.name, Memory: 6000, Every: 8, Prepare: generate(variant.opts, func(input []byte) (*schema.Schema, error) {
			return fbs.Parse("g.fbs", input)
		})})
	}
	growth.Check(t, []int{4 << 10, 8 << 10}, 128<<10, list, growth.SchemaTexts())
}
