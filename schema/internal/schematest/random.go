package schematest

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"

	"github.com/fbverify/go/schema/internal/words"
)

// Random makes the text of a schema. Its few names recur in nested
// namespaces, so that what they mean hangs on place and order; many of these
// schemas are therefore faulty.
func Random(r *rand.Rand) string {
	g := &randomText{r: r}
	namespaces := []string{"", "A", "B", "A.A", "A.B", "B.A", "A.B.T"}
	words := []string{"T", "U", "A", "B", "V"}
	for range 2 + r.Intn(6) {
		g.plan = append(g.plan, planned{
			namespace: g.pick(namespaces), word: g.pick(words), kind: g.pick([]string{"table", "table", "table", "struct", "enum", "union"}),
		})
	}
	if r.Intn(3) == 0 {
		g.line("attribute \"mine\";")
	}
	for i, d := range g.plan {
		if i == 0 || d.namespace != g.plan[i-1].namespace {
			g.line("namespace %s;", d.namespace)
		}
		g.declared = g.plan[:i]
		g.doc("")
		switch d.kind {
		case "table":
			g.table(d)
		case "struct":
			g.structure(d)
		case "enum":
			g.enum(d)
		default:
			g.union(d)
		}
	}
	if r.Intn(2) == 0 {
		g.line("root_type %s;", g.full(g.plan[len(g.plan)-1]))
	}
	if r.Intn(4) == 0 {
		g.line("file_identifier \"ABCD\";")
	}
	return g.b.String()
}

type planned struct{ namespace, word, kind string }

type randomText struct {
	r        *rand.Rand
	b        strings.Builder
	plan     []planned
	declared []planned
}

func (g *randomText) pick(list []string) string { return list[g.r.Intn(len(list))] }

func (g *randomText) line(format string, args ...any) { fmt.Fprintf(&g.b, format+"\n", args...) }

func (g *randomText) doc(indent string) {
	if g.r.Intn(6) == 0 {
		g.line("%s/// says something %d", indent, g.r.Intn(10))
	}
}

func (g *randomText) full(d planned) string { return words.Qualified(d.namespace, d.word) }

// name returns some way to write the name of a type, most often of one that is
// declared already.
func (g *randomText) name(kinds ...string) string {
	list := g.declared
	if len(list) == 0 || g.r.Intn(3) == 0 {
		list = g.plan
	}
	var fitting []planned
	for _, d := range list {
		if slices.Contains(kinds, d.kind) {
			fitting = append(fitting, d)
		}
	}
	if len(fitting) == 0 {
		return "int"
	}
	full := g.full(fitting[g.r.Intn(len(fitting))])
	if g.r.Intn(2) == 0 {
		return full
	}
	parts := strings.Split(full, ".")
	return strings.Join(parts[g.r.Intn(len(parts)):], ".")
}

func (g *randomText) scalar() string {
	return g.pick([]string{"bool", "byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"})
}

func (g *randomText) table(d planned) {
	g.line("table %s {", d.word)
	for i := range g.r.Intn(6) {
		g.doc("  ")
		g.line("  f%d:%s;", i, g.tableField())
	}
	g.line("}")
}

func (g *randomText) tableField() string {
	switch g.r.Intn(10) {
	case 0, 1:
		t := g.scalar()
		return t + g.pick([]string{"", "", " = 1", " = null", " = 100 (deprecated)", " = 0", " (mine: 3)"})
	case 2:
		return "string" + g.pick([]string{"", " (required)", " = \"x\"", " = \"\" (shared)"})
	case 3:
		return "[" + g.scalar() + "]" + g.pick([]string{"", " (required)", " = []", " (vector64)", " (offset64)"})
	case 4:
		return "[string]"
	case 5:
		return "[" + g.name("table", "struct", "enum", "union") + "]"
	case 6:
		return g.name("enum")
	case 7:
		return g.name("union") + g.pick([]string{"", " (required)"})
	case 8:
		return "[ubyte] (nested_flatbuffer: \"" + g.name("table") + "\")"
	}
	return g.name("table", "struct") + g.pick([]string{"", "", " (required)"})
}

func (g *randomText) structure(d planned) {
	g.line("struct %s%s {", d.word, g.pick([]string{"", "", " (force_align: 16)"}))
	for i := range 1 + g.r.Intn(4) {
		t := g.scalar()
		if g.r.Intn(3) == 0 {
			t = g.name("struct", "enum")
		}
		if g.r.Intn(4) == 0 {
			t = fmt.Sprintf("[%s:%d]", t, 1+g.r.Intn(5))
		}
		g.line("  f%d:%s;", i, t)
	}
	g.line("}")
}

func (g *randomText) enum(d planned) {
	g.line("enum %s : %s%s {", d.word, g.pick([]string{"byte", "ubyte", "int", "ulong"}), g.pick([]string{"", "", " (bit_flags)"}))
	for i := range 1 + g.r.Intn(4) {
		g.doc("  ")
		g.line("  v%d%s,", i, g.pick([]string{"", "", "", fmt.Sprintf(" = %d", i+g.r.Intn(3))}))
	}
	g.line("}")
}

func (g *randomText) union(d planned) {
	g.line("union %s%s {", d.word, g.pick([]string{"", "", "", " : ushort"}))
	for i := range 1 + g.r.Intn(3) {
		switch g.r.Intn(4) {
		case 0:
			g.line("  m%d: %s,", i, g.pick([]string{"string", g.name("table", "struct")}))
		default:
			g.line("  %s,", g.name("table", "struct"))
		}
	}
	g.line("}")
}
