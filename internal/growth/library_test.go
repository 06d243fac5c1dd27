package growth_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"testing"
	"testing/fstest"
	"time"

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
	most  = flag.Int("most", 0, "bytes of the largest input; 0 = two small ones, which takes seconds")
)

// bounds are what no entry may exceed. Doubling an input may not do much more than double
// the time, sorting included; caches that are left behind are in it.
const (
	mostFactor = 2.2
	mostMemory = 2.2
)

// An entry is a public function that takes bytes from strangers.
type entry struct {
	name string
	make func(t *testing.T, typ *fbverify.Type) func(input []byte)

	// perByte and memory are the most nanoseconds and bytes of memory for a byte of the input.
	perByte, memory float64
}

func verify(o *fbverify.Options) func(*testing.T, *fbverify.Type) func([]byte) {
	return func(_ *testing.T, typ *fbverify.Type) func([]byte) {
		return func(b []byte) { _ = typ.Verify(b, o) }
	}
}

// accepted calls f where the buffer is accepted: what reads proved bytes is given no others.
func accepted(f func(m dynamic.Message)) func(*testing.T, *fbverify.Type) func([]byte) {
	o := &fbverify.Options{MaxTables: 1 << 20, MaxApparentSize: 64 << 20}
	return func(_ *testing.T, typ *fbverify.Type) func([]byte) {
		return func(b []byte) {
			if m, err := dynamic.Root(typ, b, o); err == nil {
				f(m)
			}
		}
	}
}

var entries = []entry{
	{"Verify", verify(nil), 100, 24},
	{"Verify, no limits", verify(&fbverify.Options{MaxDepth: 1 << 16, MaxTables: 1<<31 - 1}), 100, 24},
	{"Verify, no UTF-8", verify(&fbverify.Options{SkipUTF8: true}), 100, 24},
	{"Verify, no alignment", verify(&fbverify.Options{SkipAlignment: true}), 100, 24},
	{"Verify, no nested", verify(&fbverify.Options{NestedUnchecked: true}), 100, 24},
	{"Verify, parallel", verify(&fbverify.Options{Parallel: 4}), 100, 24},
	{"Verify, strict", verify(&fbverify.Options{Strict: true}), 150, 24},
	{"Measure", func(_ *testing.T, typ *fbverify.Type) func([]byte) {
		return func(b []byte) { _, _ = typ.Measure(b, nil) }
	}, 100, 24},
	{"Explain", func(_ *testing.T, typ *fbverify.Type) func([]byte) {
		return func(b []byte) { typ.Explain(b, nil) }
	}, 150, 24},
	{"Explain of damage", func(_ *testing.T, typ *fbverify.Type) func([]byte) {
		return func(b []byte) {
			b = bytes.Clone(b)
			for i := 64; i < len(b); i += 256 {
				b[i] ^= 0x55
			}
			typ.Explain(b, &fbverify.Options{Strict: true})
		}
	}, 600, 400},
	{"WriteJSON", accepted(func(m dynamic.Message) {
		_ = dynamic.WriteJSON(io.Discard, m, &dynamic.JSONOptions{MaxBytes: 16 << 20})
	}), 0, 0}, // bounded by what may be printed, not by the bytes
}

func compile(t *testing.T, text, root string) *fbverify.Type {
	t.Helper()
	s, err := fbs.ParseFS(fstest.MapFS{"g.fbs": {Data: []byte(text)}}, "g.fbs")
	if err != nil {
		t.Fatal(err)
	}
	typ, err := fbverify.Compile(s, root)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// TestCostOfBuffersGrowsAsTheyDo: with -v it prints a line for each entry and family.
func TestCostOfBuffersGrowsAsTheyDo(t *testing.T) {
	sizes, widths := growth.Sizes(16<<10, *most), []int{10, 100, 1000}
	if *most == 0 {
		sizes, widths = []int{16 << 10, 64 << 10}, []int{1000}
	}
	var families []growth.Family
	for _, fields := range widths {
		families = append(families, growth.Single(fields)...)
	}
	families = append(families, growth.Composed(*first, *seeds, 40)...)
	t.Logf("%-22s %-36s %9s %9s %9s %7s %7s", "entry", "family", "bytes", "ns/byte", "mem/byte", "time x2", "mem x2")
	for _, e := range entries {
		for _, fam := range families {
			f := e.make(t, compile(t, fam.Schema, fam.Root))
			s, stopped := growth.Measure(fam, sizes, 5*time.Second, f)
			ns, memory := s.PerByte()
			row := fmt.Sprintf("%-22s %-36s %9d %9.1f %9.1f %7.2f %7.2f", e.name, fam.Name, s[len(s)-1].Size, ns, memory, s.Factor(), s.MemoryFactor())
			t.Log(row)
			switch {
			case stopped:
				t.Errorf("took more than 5 s:\n%s", row)
			case s.Factor() > mostFactor || s.MemoryFactor() > mostMemory:
				t.Errorf("grows faster than its input:\n%s", row)
			case e.perByte > 0 && ns > e.perByte:
				t.Errorf("more than %v ns a byte:\n%s", e.perByte, row)
			case e.memory > 0 && memory > e.memory:
				t.Errorf("more than %v bytes of memory a byte:\n%s", e.memory, row)
			}
		}
	}
}

// TestCostOfSchemasGrowsAsTheyDo runs the functions that take a schema's text, and what is made of it, on the families
// of schemas.
func TestCostOfSchemasGrowsAsTheyDo(t *testing.T) {
	parsed := func(f func(s *schema.Schema)) func([]byte) func() {
		return func(text []byte) func() {
			s, err := fbs.Parse("g.fbs", text)
			if err != nil {
				return nil
			}
			return func() { f(s) }
		}
	}
	check(t, growth.SchemaTexts(), []prepared{
		{name: "fbs.Parse", of: func(text []byte) func() { return func() { _, _ = fbs.Parse("g.fbs", text) } }},
		{name: "fbs.Write", of: parsed(func(s *schema.Schema) { _ = fbs.Write(io.Discard, s) })},
		{name: "Check", of: parsed(func(s *schema.Schema) { _ = s.Check() })},
		{name: "Equal", of: parsed(func(s *schema.Schema) { _ = schema.Equal(s, s) })},
		{name: "bfbs.Marshal", of: parsed(func(s *schema.Schema) { _, _ = bfbs.Marshal(s) })},
		{name: "Compile", of: parsed(func(s *schema.Schema) { _, _ = fbverify.Compile(s, "") })},
		{name: "bfbs.Load", of: func(text []byte) func() {
			s, err := fbs.Parse("g.fbs", text)
			if err != nil {
				return nil
			}
			b, err := bfbs.Marshal(s)
			if err != nil {
				return nil
			}
			return func() { _, _ = bfbs.Load(b) }
		}},
	})
	check(t, growth.BinarySchemas(), []prepared{
		{name: "bfbs.Load", of: func(b []byte) func() { return func() { _, _ = bfbs.Load(b) } }},
	})
}

// TestCostOfGeneratedCodeGrowsAsSchemasDo: a table becomes a hundred times as much Go, which
// gofmt reads, so the schemas are small and few.
func TestCostOfGeneratedCodeGrowsAsSchemasDo(t *testing.T) {
	var families []growth.Family
	for _, fam := range growth.SchemaTexts() {
		switch fam.Name {
		case "chain of tables", "fields of a table", "structs that hold one another", "enum values", "union members", "keys", "nested roots":
			families = append(families, fam)
		}
	}
	check(t, families, []prepared{{name: "gogen.Generate", most: 64 << 10, of: func(text []byte) func() {
		s, err := fbs.Parse("g.fbs", text)
		if err != nil {
			return nil
		}
		return func() {
			_, _ = gogen.Generate([]gogen.Input{{Name: "g.fbs", Schema: s}}, gogen.Options{Package: "g"})
		}
	}}})
}

// prepared is a function, and what makes its call for an input; nil where it takes none such.
type prepared struct {
	name string
	of   func(input []byte) func()

	most int // bytes of the largest input; 0 = no other limit
}

// check holds functions against families of texts, from 4 KB to 1 MB.
func check(t *testing.T, families []growth.Family, functions []prepared) {
	sizes := growth.Sizes(4<<10, min(*most, 1<<20))
	if *most == 0 {
		sizes = []int{4 << 10, 8 << 10}
	}
	t.Logf("%-16s %-34s %9s %9s %9s %7s %7s", "entry", "family", "bytes", "ns/byte", "mem/byte", "time x2", "mem x2")
	for _, f := range functions {
		for _, fam := range families {
			var s growth.Series
			stopped := false
			for _, size := range sizes {
				if f.most > 0 && size > f.most {
					break
				}
				input := fam.Make(size)
				call := f.of(input)
				if call == nil {
					break
				}
				one := fam
				one.Make = func(int) []byte { return input }
				points, slow := growth.Measure(one, []int{size}, 5*time.Second, func([]byte) { call() })
				s = append(s, points...)
				if stopped = slow; slow {
					break
				}
			}
			if len(s) == 0 {
				continue
			}
			ns, memory := s.PerByte()
			row := fmt.Sprintf("%-16s %-34s %9d %9.1f %9.1f %7.2f %7.2f", f.name, fam.Name, s[len(s)-1].Size, ns, memory, s.Factor(), s.MemoryFactor())
			t.Log(row)
			if stopped {
				t.Errorf("took more than 5 s:\n%s", row)
			} else if s.Factor() > mostFactor || s.MemoryFactor() > mostMemory {
				t.Errorf("grows faster than its input:\n%s", row)
			}
		}
	}
}
