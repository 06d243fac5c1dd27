package protobuf_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fbverify/go/internal/oracle"
	"github.com/fbverify/go/protobuf"
	"github.com/fbverify/go/schema"
)

// protoField is one field of a .proto file that is edited.
type protoField struct {
	name, typ string // typ with its label
	number    int
	oneof     string
}

// protoFile is a .proto file with messages M0, M1, … and enums E0, E1, …, to be edited at random.
type protoFile struct {
	r        *rand.Rand
	messages [][]*protoField
	reserved []map[int]bool
	enums    []map[int]string
	names    int
	swapped  bool // two fields have changed names

	sameTypes bool // edits leave types as they are, and fields in their oneofs
}

func newProtoFile(r *rand.Rand) *protoFile {
	p := &protoFile{r: r}
	for range 2 + r.IntN(3) {
		p.enums = append(p.enums, map[int]string{0: p.name("V")})
		p.messages = append(p.messages, nil)
		p.reserved = append(p.reserved, map[int]bool{})
	}
	for range 40 {
		p.add()
	}
	return p
}

func (p *protoFile) name(prefix string) string {
	p.names++
	return fmt.Sprintf("%s%d", prefix, p.names)
}

func (p *protoFile) single() string {
	all := []string{"int32", "sint64", "fixed32", "uint64", "float", "double", "bool", "string", "bytes"}
	switch n := p.r.IntN(len(all) + 4); {
	case n < len(all):
		return all[n]
	case n < len(all)+2:
		return fmt.Sprintf("M%d", p.r.IntN(len(p.messages)))
	}
	return fmt.Sprintf("E%d", p.r.IntN(len(p.enums)))
}

func (p *protoFile) randomType() string {
	switch p.r.IntN(8) {
	case 0:
		return "repeated " + p.single()
	case 1:
		return "optional " + p.single()
	case 2:
		return "map<" + []string{"string", "int32", "bool", "fixed64"}[p.r.IntN(4)] + ", " + p.single() + ">"
	}
	return p.single()
}

// add adds a field of any number that is free.
func (p *protoFile) add() {
	i := p.r.IntN(len(p.messages))
	f := &protoField{name: p.name("f"), typ: p.randomType(), number: 1 + p.r.IntN(60)}
	if p.r.IntN(8) == 0 {
		f.number = 20000 + p.r.IntN(1<<29-20000)
	}
	if p.reserved[i][f.number] {
		return
	}
	p.reserved[i][f.number] = true
	if p.r.IntN(4) == 0 {
		f.typ, f.oneof = p.single(), fmt.Sprintf("choice%d", p.r.IntN(2))
	}
	p.messages[i] = append(p.messages[i], f)
}

// edit changes the file in a way that Protobuf calls safe.
func (p *protoFile) edit() {
	i := p.r.IntN(len(p.messages))
	fields := p.messages[i]
	n := p.r.IntN(10)
	if p.sameTypes && (n == 6 || n == 9) {
		n = 0
	}
	switch {
	case n < 3 || len(fields) == 0:
		p.add()
	case n == 3: // removed and reserved
		at := p.r.IntN(len(fields))
		p.messages[i] = slices.Delete(fields, at, at+1)
	case n == 4:
		fields[p.r.IntN(len(fields))].name = p.name("f")
	case n == 5: // two names change places
		a, b := fields[p.r.IntN(len(fields))], fields[p.r.IntN(len(fields))]
		a.name, b.name = b.name, a.name
		p.swapped = p.swapped || a != b
	case n == 6: // a wider number: the same to Protobuf
		f := fields[p.r.IntN(len(fields))]
		f.typ = strings.Replace(strings.Replace(f.typ, "int32", "int64", 1), "bytes", "string", 1)
	case n == 7: // presence comes or goes
		if f := fields[p.r.IntN(len(fields))]; f.oneof == "" && !strings.Contains(f.typ, " ") {
			f.typ = "optional " + f.typ
		} else {
			f.typ = strings.TrimPrefix(f.typ, "optional ")
		}
	case n == 8: // values of an enum come, go and are renamed
		e := p.enums[p.r.IntN(len(p.enums))]
		number := p.r.IntN(6) - 2
		if _, ok := e[number]; ok && number != 0 && p.r.IntN(2) == 0 {
			delete(e, number)
		} else {
			e[number] = p.name("V")
		}
	default: // a oneof is renamed, or a field gets into one or out of it
		f := fields[p.r.IntN(len(fields))]
		switch {
		case f.oneof == "" && !strings.ContainsAny(f.typ, " <"):
			f.oneof = p.name("choice")
		case p.r.IntN(2) == 0:
			f.oneof = ""
		default:
			old, name := f.oneof, p.name("choice")
			for _, g := range fields {
				if g.oneof == old && old != "" {
					g.oneof = name
				}
			}
		}
	}
}

// text returns the file, its fields in any order.
func (p *protoFile) text() string {
	var b strings.Builder
	b.WriteString("syntax = \"proto3\";\npackage p;\n")
	for i, e := range p.enums {
		fmt.Fprintf(&b, "enum E%d { %s = 0;", i, e[0])
		for n := range 20 {
			if name, ok := e[n-10]; ok && n != 10 {
				fmt.Fprintf(&b, " %s = %d;", name, n-10)
			}
		}
		b.WriteString(" }\n")
	}
	for i, fields := range p.messages {
		fmt.Fprintf(&b, "message M%d {\n", i)
		oneofs := map[string][]*protoField{}
		var names []string
		for _, f := range p.r.Perm(len(fields)) {
			f := fields[f]
			if f.oneof == "" {
				fmt.Fprintf(&b, "  %s %s = %d;\n", f.typ, f.name, f.number)
				continue
			}
			if oneofs[f.oneof] == nil {
				names = append(names, f.oneof)
			}
			oneofs[f.oneof] = append(oneofs[f.oneof], f)
		}
		for _, name := range names {
			fmt.Fprintf(&b, "  oneof %s {\n", name)
			for _, f := range oneofs[name] {
				fmt.Fprintf(&b, "    %s %s = %d;\n", f.typ, f.name, f.number)
			}
			b.WriteString("  }\n")
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// schemaOf makes the schema of one file.
func schemaOf(t testing.TB, proto string, previous *schema.Schema) *schema.Schema {
	t.Helper()
	s, _, err := protobuf.Schema(parse(t, "x.proto", proto), &protobuf.Options{Previous: previous})
	if err != nil {
		t.Fatalf("%v\n%s", err, proto)
	}
	return s
}

// conformers are the programs that say whether a schema is an evolution of another.
type conformers struct {
	inspect string
	flatc   *oracle.Flatc
}

func newConformers(t *testing.T) *conformers {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program and runs it often")
	}
	program := filepath.Join(t.TempDir(), "fbinspect")
	cmd := exec.Command("go", "build", "-o", program, "./cmd/fbinspect")
	cmd.Dir = oracle.RepoRoot()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return &conformers{program, oracle.NewFlatc(t)}
}

// check returns an error where either program says that data or programs break.
func (c *conformers) check(t *testing.T, before, after string) error {
	t.Helper()
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.fbs"), filepath.Join(dir, "b.fbs")
	for name, text := range map[string]string{a: before, b: after} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command(c.inspect, "conform", a, b).CombinedOutput(); err != nil {
		return fmt.Errorf("fbinspect conform: %w\n%s", err, out)
	}
	return c.flatc.Conform(map[string][]byte{"a.fbs": []byte(before), "b.fbs": []byte(after)}, "a.fbs", "b.fbs")
}

func TestSafeEditsAreSafeEvolutions(t *testing.T) {
	c := newConformers(t)
	for seed := range uint64(12) {
		p := newProtoFile(rand.New(rand.NewPCG(seed, 19)))
		s := schemaOf(t, p.text(), nil)
		first := text(t, s)
		before := first
		for step := range 12 {
			for range 1 + p.r.IntN(4) {
				p.edit()
			}
			proto := p.text()
			s = schemaOf(t, proto, s)
			after := text(t, s)
			olders := []string{before}
			if !p.swapped {
				olders = append(olders, first) // it knows no name for another field
			}
			for _, older := range olders {
				if err := c.check(t, older, after); err != nil {
					t.Fatalf("seed %d, step %d: %v\n%s\n%s\n%s", seed, step, err, older, proto, after)
				}
			}
			before = after
		}
	}
}

func TestWithoutThePreviousSchemaAnEditBreaks(t *testing.T) {
	// That is, the test above can fail.
	c := newConformers(t)
	before := text(t, schemaOf(t, `syntax = "proto3"; message M { string b = 2; }`, nil))
	after := text(t, schemaOf(t, `syntax = "proto3"; message M { int32 a = 1; string b = 2; }`, nil))
	if err := c.check(t, before, after); err == nil {
		t.Fatalf("a field that comes before another is safe:\n%s\n%s", before, after)
	}
}

func TestTheOrderOfDeclarationsDoesNotMatter(t *testing.T) {
	for seed := range uint64(50) {
		p := newProtoFile(rand.New(rand.NewPCG(seed, 20)))
		s := schemaOf(t, p.text(), nil)
		one, two := text(t, s), text(t, schemaOf(t, p.text(), nil))
		if fieldIDs(t, s) == "" || !sameIDs(t, s, schemaOf(t, p.text(), nil)) {
			t.Fatalf("seed %d: the same messages, and other ids:\n%s\n%s", seed, one, two)
		}
	}
}

func sameIDs(t *testing.T, a, b *schema.Schema) bool {
	return fieldIDs(t, a) == fieldIDs(t, b)
}

func fieldIDs(t *testing.T, s *schema.Schema) string {
	t.Helper()
	var b strings.Builder
	for _, o := range s.Objects {
		for _, f := range o.Fields {
			fmt.Fprintln(&b, o.Name, f.ID, f.Name, f.Type)
		}
	}
	return b.String()
}

func TestNothingChangesWhereNothingWasEdited(t *testing.T) {
	for seed := range uint64(50) {
		p := newProtoFile(rand.New(rand.NewPCG(seed, 21)))
		s := schemaOf(t, p.text(), nil)
		for range 10 {
			p.edit()
			s = schemaOf(t, p.text(), s)
		}
		proto := p.text()
		once := schemaOf(t, proto, s)
		twice, warnings, err := protobuf.Schema(parse(t, "x.proto", proto), &protobuf.Options{Previous: once})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range warnings {
			if w.Kind == protobuf.Renamed || w.Kind == protobuf.TypeChanged {
				t.Errorf("seed %d: %v", seed, w)
			}
		}
		if a, b := text(t, once), text(t, twice); a != b {
			t.Fatalf("seed %d: the schema changed:\n%s\n%s", seed, a, b)
		}
	}
}
