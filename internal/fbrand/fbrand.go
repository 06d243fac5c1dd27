// Package fbrand makes random schemas, random valid buffers for a schema, and
// damaged buffers, for tests. Everything follows from its seeds alone.
//
// The buffers come from a writer of its own and not from a Builder, since a
// Builder writes one layout of all that the format allows. This one puts vtables
// before, between and after tables, shares vtables, strings and tables or does
// not, leaves gaps, orders fields and objects as it likes, stores defaults,
// and lets a vector, a string or a vtable end the buffer.
package fbrand

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing/fstest"

	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

// SchemaOptions say which constructs a random schema may use.
type SchemaOptions struct {
	// NoWide leaves out offset64 and vector64, NoWideTags unions with tags of
	// more than eight bits, NoUnionMembers members that are no tables and vectors
	// of unions: what some writers do not know.
	NoWide, NoWideTags, NoUnionMembers bool

	// NoArrays leaves out fixed-length arrays, NoOptional optional scalars,
	// NoNested nested_flatbuffer, NoKeys keys.
	NoArrays, NoOptional, NoNested, NoKeys bool

	// OneNamespace puts everything into one namespace, "rnd".
	OneNamespace bool
}

// NewRand returns the source of randomness for a seed.
func NewRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x5eed)) }

// Schema makes a schema and its text. The root table is the last.
func Schema(r *rand.Rand, opts SchemaOptions) (text string, s *schema.Schema) {
	g := &schemaText{r: r, opts: opts}
	text = g.write()
	s, err := fbs.ParseFS(fstest.MapFS{"random.fbs": {Data: []byte(text)}}, "random.fbs")
	if err != nil {
		panic(fmt.Sprintf("fbrand wrote a schema that is none: %v\n%s", err, text))
	}
	return text, s
}

// schemaText writes a schema. Names are full wherever a type is named, so that
// namespaces cannot hide one.
type schemaText struct {
	r    *rand.Rand
	opts SchemaOptions
	b    strings.Builder

	enums, structs, tables, unions []string
	lone                           map[string]bool // unions with a member that is no table
	aligned                        map[string]bool // structs with a force_align
	namespace                      string
}

func (g *schemaText) linef(format string, args ...any) { fmt.Fprintf(&g.b, format+"\n", args...) }

func (g *schemaText) chance(percent int) bool { return g.r.IntN(100) < percent }

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// space starts another namespace now and then, and returns the full name of what
// is declared next.
func (g *schemaText) space(name string) string {
	switch {
	case g.opts.OneNamespace && g.namespace == "":
		g.namespace = "rnd"
		g.linef("namespace rnd;")
	case !g.opts.OneNamespace && g.chance(40):
		g.namespace = pick(g.r, "a", "b", "a.b", "a.b.c", "d")
		g.linef("namespace %s;", g.namespace)
	}
	if g.namespace == "" {
		return name
	}
	return g.namespace + "." + name
}

func (g *schemaText) write() string {
	g.lone, g.aligned = map[string]bool{}, map[string]bool{}
	g.linef("// random")
	for i := range 2 + g.r.IntN(3) {
		g.enum(fmt.Sprintf("E%d", i))
	}
	for i := range 2 + g.r.IntN(4) {
		g.structure(fmt.Sprintf("S%d", i))
	}
	// Members of unions are declared before them, and the last tables use all.
	tables := 3 + g.r.IntN(5)
	unions := 1 + g.r.IntN(2)
	for i := range tables {
		if i >= 2 && unions > 0 {
			unions--
			g.union(fmt.Sprintf("U%d", unions))
		}
		g.table(fmt.Sprintf("T%d", i))
	}
	g.linef("root_type %s;", g.tables[len(g.tables)-1])
	if g.chance(60) {
		g.linef("file_identifier \"RAND\";")
	}
	return g.b.String()
}

var integers = []string{"byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong"}

func (g *schemaText) scalar() string {
	return pick(g.r, "bool", "byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong", "float", "double")
}

func (g *schemaText) enum(name string) {
	full := g.space(name)
	base := pick(g.r, integers...)
	if strings.HasPrefix(base, "u") && g.chance(50) {
		g.linef("enum %s : %s (bit_flags) { A, B, C = %d }", name, base, 3+g.r.IntN(4))
	} else {
		low := "Low = 0"
		if !strings.HasPrefix(base, "u") {
			low = fmt.Sprintf("Low = %d, Zero = 0", -1-g.r.IntN(100))
		}
		g.linef("enum %s : %s { %s, Mid = %d, High = %d }", name, base, low, 1+g.r.IntN(20), 100+g.r.IntN(27))
	}
	g.enums = append(g.enums, full)
}

func (g *schemaText) structure(name string) {
	full := g.space(name)
	var fields []string
	if !g.opts.NoKeys && g.chance(40) {
		fields = append(fields, fmt.Sprintf("key:%s (key);", pick(g.r, integers...)))
	}
	aligns := []int{8, 16, 32} // no less than a member's
	nested := false            // more than one, and sizes would explode
	for i := range 1 + g.r.IntN(4) {
		t := g.scalar()
		switch {
		case g.chance(20):
			t = pick(g.r, g.enums...)
		case g.chance(25) && len(g.structs) > 0 && !nested:
			nested = true
			t = pick(g.r, g.structs...)
			if g.aligned[t] {
				g.aligned[full], aligns = true, []int{32}
			}
		}
		if !g.opts.NoArrays && g.chance(25) {
			t = fmt.Sprintf("[%s:%d]", t, 1+g.r.IntN(3))
		}
		fields = append(fields, fmt.Sprintf("f%d:%s;", i, t))
	}
	align := ""
	if g.chance(25) {
		align = fmt.Sprintf(" (force_align: %d)", pick(g.r, aligns...))
		g.aligned[full] = true
	}
	g.linef("struct %s%s {\n  %s\n}", name, align, strings.Join(fields, "\n  "))
	g.structs = append(g.structs, full)
}

func (g *schemaText) union(name string) {
	full := g.space(name)
	tag := ""
	numbered := false
	if !g.opts.NoWideTags && g.chance(50) {
		tag = " : " + pick(g.r, "ubyte", "byte", "short", "ushort", "int", "uint", "long")
		numbered = g.chance(60)
	}
	var members []string
	last := 0
	add := func(member string) {
		if numbered {
			last += 1 + g.r.IntN(8)
			member += fmt.Sprintf(" = %d", last)
		}
		members = append(members, member)
	}
	for i := range 1 + g.r.IntN(3) {
		add(fmt.Sprintf("M%d:%s", i, pick(g.r, g.tables...)))
	}
	if !g.opts.NoUnionMembers {
		for i := range g.r.IntN(3) {
			add(fmt.Sprintf("P%d:%s", i, pick(g.r, g.structs...)))
			g.lone[full] = true
		}
		if g.chance(60) {
			add("Text:string")
			g.lone[full] = true
		}
	}
	g.linef("union %s%s { %s }", name, tag, strings.Join(members, ", "))
	g.unions = append(g.unions, full)
}

func (g *schemaText) table(name string) {
	full := g.space(name)
	g.linef("table %s {", name)
	earlier := g.tables
	g.tables = append(g.tables, full) // it may hold itself
	if !g.opts.NoKeys && g.chance(35) {
		g.linef("  key:%s (key);", pick(g.r, append([]string{"string", "string", "double"}, integers...)...))
	}
	for i := range 1 + g.r.IntN(10) {
		g.linef("  f%d:%s;", i, g.field(earlier))
	}
	g.linef("}")
}

// field returns the type of a table's field, with its default and attributes.
// Only tables declared earlier can be required, so that a table can end.
func (g *schemaText) field(earlier []string) string {
	required := func(percent int) string {
		if g.chance(percent) {
			return " (required)"
		}
		return ""
	}
	switch g.r.IntN(20) {
	case 0, 1, 2:
		t := g.scalar()
		switch {
		case !g.opts.NoOptional && g.chance(30):
			return t + " = null"
		case g.chance(15):
			return t + " (deprecated)"
		case t == "bool":
			return t + pick(g.r, "", " = true")
		}
		return t + pick(g.r, "", "", " = 1", " = 100")
	case 3:
		return pick(g.r, g.enums...) + " = " + "0"
	case 4:
		return pick(g.r, g.structs...) + required(15)
	case 5, 6:
		return "string" + pick(g.r, "", "", "", " (required)", " (deprecated)")
	case 7:
		return "[" + g.scalar() + "]" + required(10)
	case 8:
		return "[" + pick(g.r, g.enums...) + "]" + required(5)
	case 9:
		return "[" + pick(g.r, g.structs...) + "]" + required(5)
	case 10:
		return "[string]" + required(10)
	case 11, 12:
		return "[" + pick(g.r, g.tables...) + "]" + required(5)
	case 13:
		if len(earlier) > 0 && g.chance(15) {
			return pick(g.r, earlier...) + " (required)"
		}
		return pick(g.r, g.tables...)
	case 14, 15:
		if len(g.unions) == 0 {
			return "string"
		}
		u := pick(g.r, g.unions...)
		if g.lone[u] {
			return u + required(10)
		}
		return u
	case 16:
		if len(g.unions) == 0 || g.opts.NoUnionMembers {
			return "[string]"
		}
		return "[" + pick(g.r, g.unions...) + "]" + required(5)
	case 17:
		if g.opts.NoNested {
			return "[ubyte]"
		}
		return fmt.Sprintf("[ubyte] (nested_flatbuffer: %q%s)", pick(g.r, g.tables...), g.wide(", vector64"))
	case 18:
		return pick(g.r, "string"+g.wide(" (offset64)"), "["+g.scalar()+"]"+g.wide(" (offset64)"))
	}
	return pick(g.r, "["+g.scalar()+"]", "["+pick(g.r, g.structs...)+"]") + g.wide(" (vector64)")
}

func (g *schemaText) wide(attribute string) string {
	if g.opts.NoWide {
		return ""
	}
	return attribute
}
