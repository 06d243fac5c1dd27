package trust_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/schema"
	"github.com/fbverify/go/schema/fbs"
)

// The judge of constraints. It knows no bytes and no parsed constraint: random schemas are
// written from lists of judgedField, messages are trees of judgedTable, and what is asked is
// worked out of these two with big integers, along each way from the root. Buffers are made
// by the builder of google/flatbuffers.

type judgedField struct {
	name  string
	kind  byte   // 'i' integer, 'v' vector of integers, 's' string, 't' table, 'T' vector of tables, 'p' vector of spans, 'u' union, 'o' optional integer, 'e' enum
	base  string // of integers
	table int    // of 't' and 'T'
	def   int64  // of integers
	slot  int    // of a union, that of the type
	asked []judged
	pass  []int64 // may_be
}

// judged is a constraint.
type judged struct {
	kind       string // the attribute
	bound      judgedOperand
	conditions []judgedCondition
	with       string // of must_lie_in
	from       string
	by         string // of must_be_unique and must_be_sorted
	pass       []int64
	passText   string // the attribute that says so; "" where it stands with another constraint
	ifs        []judgedTest
}

// numbersAsked are the attributes that may_be goes with.
const numbersAsked = "must_index must_be must_lie_in"

type judgedOperand struct {
	literal int64
	fact    string
	table   int // of a path
	field   string
	op      byte
	by      int64
}

type judgedCondition struct {
	relation string
	of       []judgedOperand
}

type judgedTest struct {
	of judgedOperand
	judgedCondition
}

type judgedSchema struct {
	tables [][]*judgedField
	facts  map[string]int64
}

type judgedTable struct {
	of     int
	values map[string]any // *big.Int, []*big.Int, string, *judgedTable, []*judgedTable, [][2]*big.Int
	at     flatbuffers.UOffsetT
	reads  int // ways that lead here
}

var judgedBases = []string{"byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong"}

func judgedLimits(base string) (lo, hi *big.Int) {
	bits := uint(8) << (slices.Index(judgedBases, base) / 2)
	one := big.NewInt(1)
	if base[0] == 'u' {
		return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, bits), one)
	}
	half := new(big.Int).Lsh(one, bits-1)
	return new(big.Int).Neg(half), new(big.Int).Sub(half, one)
}

func judgedSize(base string) int { return 1 << (slices.Index(judgedBases, base) / 2) }

// judgedEnum are the values that the schema names.
var judgedEnum = []int64{-1, 0, 2, 5}

func randomJudgedSchema(r *rand.Rand) *judgedSchema {
	s := &judgedSchema{facts: map[string]int64{"q": r.Int64N(6)}}
	n := 2 + r.IntN(3)
	for i := range n {
		var list []*judgedField
		slot := 0
		for k := range 2 + r.IntN(6) {
			f := &judgedField{name: fmt.Sprintf("f%d", k), kind: "iiivvsttTTpuoe"[r.IntN(14)], base: judgedBases[r.IntN(8)], table: i + r.IntN(n-i)}
			switch f.kind {
			case 'i':
				f.def = int64(r.IntN(3))
			case 'u':
				if i == n-1 {
					continue
				}
				slot++
			}
			f.slot = slot
			slot++
			list = append(list, f)
		}
		// One field is there in each table, so that paths have an end, and ways lead down.
		list = append(list, &judgedField{name: "n", kind: 'i', base: "int", def: 1, slot: slot}, &judgedField{name: "l", kind: 'v', base: "uint", slot: slot + 1})
		if i < n-1 {
			list = append(list, &judgedField{name: "down", kind: 'T', table: i + 1, slot: slot + 2})
		}
		s.tables = append(s.tables, list)
		for _, f := range list {
			s.facts[fmt.Sprintf("T%d.%s", i, f.name)] = r.Int64N(6)
		}
	}
	rare := 1 + r.IntN(20) // else nearly every message breaks one
	for i, list := range s.tables {
		for _, f := range list {
			if r.IntN(rare) > 0 {
				continue
			}
			for range 1 + r.IntN(2) {
				if c, ok := s.constraint(r, i, f); ok {
					f.asked = append(f.asked, c)
				}
			}
			// may_be is one attribute of the field, whatever is asked of its numbers.
			for k := range f.asked {
				if c := &f.asked[k]; strings.Contains(numbersAsked, c.kind) {
					c.pass, c.passText = f.pass, ""
					if !slices.ContainsFunc(f.asked[:k], func(b judged) bool { return strings.Contains(numbersAsked, b.kind) }) {
						c.passText = "may_be"
					}
				} else if c.kind == "must_have" {
					c.passText = "may_have"
				}
			}
		}
	}
	return s
}

// operand is a number or a length of a table around.
func (s *judgedSchema) operand(r *rand.Rand, own int, literal bool) (o judgedOperand) {
	if literal && r.IntN(2) == 0 {
		o.literal = r.Int64N(6)
		return o
	}
	if r.IntN(5) == 0 {
		o.fact = "q"
	} else {
		o.table = r.IntN(own + 1)
		list := s.tables[o.table]
		for {
			if f := list[r.IntN(len(list))]; strings.IndexByte("ivsTp", f.kind) >= 0 {
				o.field = f.name
				break
			}
		}
	}
	if r.IntN(3) == 0 {
		o.op, o.by = "+-*/"[r.IntN(4)], 1+r.Int64N(3)
	}
	return o
}

func (s *judgedSchema) condition(r *rand.Rand, own int) (c judgedCondition) {
	c.relation = []string{"==", "!=", "<", "<=", ">", ">=", "multiple of", "one of"}[r.IntN(8)]
	switch c.relation {
	case "multiple of":
		c.of = []judgedOperand{{literal: 1 + r.Int64N(3)}}
	case "one of":
		for range 2 + r.IntN(3) {
			c.of = append(c.of, s.operand(r, own, true))
		}
	default:
		c.of = []judgedOperand{s.operand(r, own, true)}
	}
	return c
}

func (s *judgedSchema) constraint(r *rand.Rand, own int, f *judgedField) (c judged, ok bool) {
	var kinds []string
	switch f.kind {
	case 'i', 'o':
		kinds = []string{"must_index", "must_be", "must_be", "must_lie_in"}
		if f.kind == 'o' {
			kinds = append(kinds, "must_be_set")
		}
	case 'v':
		kinds = []string{"must_index", "must_be", "must_have", "must_be_sorted", "must_be_unique", "must_be_set"}
	case 's':
		kinds = []string{"must_have", "must_be_set"}
	case 'T':
		kinds = []string{"must_have", "must_be_set", "must_be_unique", "must_be_sorted"}
	case 'p':
		kinds = []string{"must_have", "must_lie_in", "must_be_sorted", "must_be_unique"}
	case 't', 'u':
		kinds = []string{"must_be_set"}
	case 'e':
		kinds = []string{"must_be_known"}
	}
	c.kind = kinds[r.IntN(len(kinds))]
	if slices.ContainsFunc(f.asked, func(a judged) bool { return a.kind == c.kind }) {
		return c, false // an attribute is there once
	}
	switch c.kind {
	case "must_index":
		c.bound = s.operand(r, own, false)
	case "must_lie_in":
		c.bound = s.operand(r, own, false)
		c.with = "n"
		if f.kind == 'p' {
			c.from, c.with = "offset", "length"
		}
	case "must_be", "must_have":
		for range 1 + r.IntN(2) {
			c.conditions = append(c.conditions, s.condition(r, own))
		}
	case "must_be_sorted", "must_be_unique":
		switch f.kind {
		case 'T':
			c.by = "n"
		case 'p':
			c.by = "offset"
		}
	}
	if r.IntN(3) == 0 && strings.Contains("must_index must_be must_have must_lie_in", c.kind) {
		for range 1 + r.IntN(2) {
			v := r.Int64N(8)
			if c.kind != "must_have" && f.kind != 'p' && f.base[0] != 'u' && r.IntN(2) == 0 {
				v = -v
			}
			to := &f.pass
			if c.kind == "must_have" {
				to = &c.pass
			}
			if !slices.Contains(*to, v) {
				*to = append(*to, v)
			}
		}
	}
	for range r.IntN(3) {
		if r.IntN(2) == 0 {
			break
		}
		t := judgedTest{of: s.operand(r, own, false)}
		if r.IntN(4) == 0 && t.of.field != "" && t.of.table == own {
			g := s.field(own, t.of.field)
			t.of.op = 0
			if g.kind == 'i' {
				t.of.field = "l"
			}
			t.relation = []string{"is set", "is not set"}[r.IntN(2)]
		} else {
			t.judgedCondition = s.condition(r, own)
		}
		c.ifs = append(c.ifs, t)
	}
	return c, true
}

func (s *judgedSchema) field(table int, name string) *judgedField {
	for _, f := range s.tables[table] {
		if f.name == name {
			return f
		}
	}
	panic(name)
}

func (o judgedOperand) text() (t string) {
	switch {
	case o.fact != "":
		t = "@" + o.fact
	case o.field != "":
		t = fmt.Sprintf("T%d.%s", o.table, o.field)
	default:
		t = fmt.Sprint(o.literal)
	}
	if o.op != 0 {
		t += fmt.Sprintf(" %c %d", o.op, o.by)
	}
	return t
}

func (c judgedCondition) text() string {
	var list []string
	for _, o := range c.of {
		list = append(list, o.text())
	}
	return strings.TrimSpace(c.relation + " " + strings.Join(list, " | "))
}

func (c judged) text() string {
	var v string
	switch c.kind {
	case "must_index", "must_lie_in":
		v = c.bound.text()
	case "must_be", "must_have":
		var list []string
		for _, d := range c.conditions {
			list = append(list, d.text())
		}
		v = strings.Join(list, ", ")
	default:
		v = c.by
	}
	for i, t := range c.ifs {
		v += []string{" if ", ", "}[min(i, 1)] + t.of.text() + " " + t.judgedCondition.text()
	}
	text := c.kind
	if v != "" {
		text += fmt.Sprintf(": %q", strings.TrimSpace(v))
	}
	if c.from != "" {
		text += fmt.Sprintf(", from: %q", c.from)
	}
	if c.with != "" {
		text += fmt.Sprintf(", with: %q", c.with)
	}
	if len(c.pass) > 0 && c.passText != "" {
		text += fmt.Sprintf(", %s: %q", c.passText, strings.ReplaceAll(strings.Trim(fmt.Sprint(c.pass), "[]"), " ", " | "))
	}
	return text
}

func (s *judgedSchema) text() string {
	var b strings.Builder
	for _, key := range schema.ConstraintAttributes() {
		fmt.Fprintf(&b, "attribute %q;\n", key)
	}
	b.WriteString("enum E : int { A = -1, B = 0, C = 2, D = 5 }\nstruct Span { offset: uint; length: ushort; }\n")
	fmt.Fprintf(&b, "union U { T%d }\n", len(s.tables)-1)
	for i, list := range s.tables {
		fmt.Fprintf(&b, "table T%d {\n", i)
		for _, f := range list {
			typ := map[byte]string{'i': fmt.Sprintf("%s = %d", f.base, f.def), 'o': f.base + " = null", 'v': "[" + f.base + "]", 's': "string",
				't': fmt.Sprintf("T%d", f.table), 'T': fmt.Sprintf("[T%d]", f.table), 'p': "[Span]", 'u': "U", 'e': "E"}[f.kind]
			fmt.Fprintf(&b, "  %s: %s", f.name, typ)
			for k, c := range f.asked {
				b.WriteString([]string{" (", ", "}[min(k, 1)] + c.text())
			}
			if len(f.asked) > 0 {
				b.WriteString(")")
			}
			b.WriteString(";\n")
		}
		b.WriteString("}\n")
	}
	b.WriteString("root_type T0;\n")
	return b.String()
}

func randomJudgedNumber(r *rand.Rand, base string) *big.Int {
	lo, hi := judgedLimits(base)
	switch r.IntN(40) {
	case 0:
		return lo
	case 1:
		return hi
	}
	n := big.NewInt(r.Int64N(7) - 1)
	if n.Cmp(lo) < 0 {
		n = lo
	}
	return n
}

// message makes a table whose parts may be parts of others, too.
func (s *judgedSchema) message(r *rand.Rand, of, depth int, pool [][]*judgedTable) *judgedTable {
	if p := pool[of]; len(p) > 0 && (depth > 3 || r.IntN(4) == 0) {
		return p[r.IntN(len(p))]
	}
	t := &judgedTable{of: of, values: map[string]any{}}
	for _, f := range s.tables[of] {
		if r.IntN(4) == 0 || depth > 3 && strings.IndexByte("tTu", f.kind) >= 0 {
			continue
		}
		n := r.IntN(4)
		switch f.kind {
		case 'i', 'o':
			t.values[f.name] = randomJudgedNumber(r, f.base)
		case 'e':
			t.values[f.name] = big.NewInt(r.Int64N(14) - 1)
			if r.IntN(3) > 0 {
				t.values[f.name] = big.NewInt(judgedEnum[r.IntN(len(judgedEnum))])
			}
		case 'v':
			list := make([]*big.Int, n)
			for i := range list {
				list[i] = randomJudgedNumber(r, f.base)
			}
			if r.IntN(2) == 0 {
				slices.SortFunc(list, (*big.Int).Cmp)
			}
			t.values[f.name] = list
		case 's':
			t.values[f.name] = strings.Repeat("s", n)
		case 'p':
			list := make([][2]*big.Int, n)
			for i := range list {
				list[i] = [2]*big.Int{randomJudgedNumber(r, "uint"), randomJudgedNumber(r, "ushort")}
			}
			t.values[f.name] = list
		case 't':
			t.values[f.name] = s.message(r, f.table, depth+1, pool)
		case 'u':
			t.values[f.name] = s.message(r, len(s.tables)-1, depth+1, pool)
		case 'T':
			list := make([]*judgedTable, min(n, 2))
			for i := range list {
				list[i] = s.message(r, f.table, depth+1, pool)
			}
			t.values[f.name] = list
		}
	}
	pool[of] = append(pool[of], t)
	return t
}

func prependNumber(b *flatbuffers.Builder, base string, n *big.Int) {
	raw := n.Uint64()
	if n.Sign() < 0 {
		raw = uint64(n.Int64())
	}
	switch judgedSize(base) {
	case 1:
		b.PrependByte(byte(raw))
	case 2:
		b.PrependUint16(uint16(raw))
	case 4:
		b.PrependUint32(uint32(raw))
	case 8:
		b.PrependUint64(raw)
	}
}

func (s *judgedSchema) build(b *flatbuffers.Builder, t *judgedTable) flatbuffers.UOffsetT {
	if t.at != 0 {
		return t.at
	}
	at := map[string]flatbuffers.UOffsetT{}
	slots := 0
	for _, f := range s.tables[t.of] {
		slots = f.slot + 1
		switch v := t.values[f.name].(type) {
		case []*big.Int:
			b.StartVector(judgedSize(f.base), len(v), judgedSize(f.base))
			for _, n := range slices.Backward(v) {
				prependNumber(b, f.base, n)
			}
			at[f.name] = b.EndVector(len(v))
		case string:
			at[f.name] = b.CreateString(v)
		case *judgedTable:
			at[f.name] = s.build(b, v)
		case []*judgedTable:
			var list []flatbuffers.UOffsetT
			for _, child := range v {
				list = append(list, s.build(b, child))
			}
			b.StartVector(4, len(list), 4)
			for _, o := range slices.Backward(list) {
				b.PrependUOffsetT(o)
			}
			at[f.name] = b.EndVector(len(list))
		case [][2]*big.Int:
			b.StartVector(8, len(v), 4)
			for _, n := range slices.Backward(v) {
				b.Prep(4, 8)
				b.Pad(2)
				b.PrependUint16(uint16(n[1].Uint64()))
				b.PrependUint32(uint32(n[0].Uint64()))
			}
			at[f.name] = b.EndVector(len(v))
		}
	}
	b.StartObject(slots)
	for _, f := range s.tables[t.of] {
		v := t.values[f.name]
		if v == nil {
			continue
		}
		if n, ok := v.(*big.Int); ok {
			base := f.base
			if f.kind == 'e' {
				base = "int"
			}
			prependNumber(b, base, n)
		} else {
			b.PrependUOffsetT(at[f.name])
		}
		b.Slot(f.slot)
		if f.kind == 'u' {
			b.PrependByte(1)
			b.Slot(f.slot - 1)
		}
	}
	t.at = b.EndObject()
	return t.at
}

// ways counts the ways through a table, each once per table around.
func (t *judgedTable) ways(known map[*judgedTable]int) int {
	if n := known[t]; n > 0 {
		return n
	}
	n := 1
	for _, v := range t.values {
		switch v := v.(type) {
		case *judgedTable:
			n += v.ways(known)
		case []*judgedTable:
			for _, child := range v {
				n += child.ways(known)
			}
		}
	}
	n = min(n, 1<<30)
	known[t] = n
	return n
}

// asking goes along the ways of a message.
type asking struct {
	s      *judgedSchema
	around []*judgedTable
	faults map[string]bool // kind and path
	shared bool
}

func (a *asking) measure(t *judgedTable, name string) *big.Int {
	f := a.s.field(t.of, name)
	switch v := t.values[name].(type) {
	case *big.Int:
		return v
	case []*big.Int:
		return big.NewInt(int64(len(v)))
	case string:
		return big.NewInt(int64(len(v)))
	case []*judgedTable:
		return big.NewInt(int64(len(v)))
	case [][2]*big.Int:
		return big.NewInt(int64(len(v)))
	}
	return big.NewInt(f.def) // and 0 for what has none
}

func (a *asking) value(o judgedOperand) *big.Int {
	var n *big.Int
	switch {
	case o.fact != "":
		n = big.NewInt(a.s.facts[o.fact])
	case o.field != "":
		n = big.NewInt(a.s.facts[fmt.Sprintf("T%d.%s", o.table, o.field)])
		for _, t := range a.around {
			if t.of == o.table {
				n = a.measure(t, o.field)
			}
		}
	default:
		n = big.NewInt(o.literal)
	}
	by := big.NewInt(o.by)
	switch o.op {
	case '+':
		return new(big.Int).Add(n, by)
	case '-':
		return new(big.Int).Sub(n, by)
	case '*':
		return new(big.Int).Mul(n, by)
	case '/':
		return new(big.Int).Div(n, by) // Euclid's, which is the floor as by is above 0
	}
	return n
}

func (a *asking) holds(n *big.Int, c judgedCondition) bool {
	if c.relation == "multiple of" {
		return new(big.Int).Mod(n, a.value(c.of[0])).Sign() == 0
	}
	if c.relation == "one of" {
		return slices.ContainsFunc(c.of, func(o judgedOperand) bool { return n.Cmp(a.value(o)) == 0 })
	}
	d := n.Cmp(a.value(c.of[0]))
	return map[string]bool{"==": d == 0, "!=": d != 0, "<": d < 0, "<=": d <= 0, ">": d > 0, ">=": d >= 0}[c.relation]
}

func (a *asking) asked(t *judgedTable, c judged) bool {
	for _, test := range c.ifs {
		switch test.relation {
		case "is set", "is not set":
			if (t.values[test.of.field] != nil) != (test.relation == "is set") {
				return false
			}
		default:
			if !a.holds(a.value(test.of), test.judgedCondition) {
				return false
			}
		}
	}
	return true
}

// table asks the fields of a table, and of all below.
func (a *asking) table(t *judgedTable, path string) {
	if t.reads++; t.reads > 1 {
		a.shared = true
	}
	a.around = append(a.around, t)
	for _, f := range a.s.tables[t.of] {
		v := t.values[f.name]
		at := path + "." + f.name
		for _, c := range f.asked {
			if a.asked(t, c) {
				a.ask(t, f, c, v, at)
			}
		}
		switch v := v.(type) {
		case *judgedTable:
			a.table(v, at)
		case []*judgedTable:
			for i, child := range v {
				a.table(child, fmt.Sprintf("%s[%d]", at, i))
			}
		}
	}
	a.around = a.around[:len(a.around)-1]
}

func (a *asking) fault(kind fbverify.Kind, path string) {
	a.faults[kind.Name()+" "+path] = true
}

func passes(n *big.Int, list []int64) bool {
	return slices.ContainsFunc(list, func(v int64) bool { return n.Cmp(big.NewInt(v)) == 0 })
}

func (a *asking) ask(t *judgedTable, f *judgedField, c judged, v any, at string) {
	each := func(ok func(n *big.Int) bool, kind fbverify.Kind) {
		one := func(n *big.Int, at string) {
			if !passes(n, c.pass) && !ok(n) {
				a.fault(kind, at)
			}
		}
		switch v := v.(type) {
		case *big.Int:
			one(v, at)
		case []*big.Int:
			for i, n := range v {
				one(n, fmt.Sprintf("%s[%d]", at, i))
			}
		default:
			if f.kind == 'i' {
				one(big.NewInt(f.def), at)
			}
		}
	}
	all := func(n *big.Int) bool {
		for _, d := range c.conditions {
			if !a.holds(n, d) {
				return false
			}
		}
		return true
	}
	switch c.kind {
	case "must_be_set":
		if v == nil {
			a.fault(fbverify.ErrNotSet, at)
		}
	case "must_be_known":
		if v != nil && !passes(v.(*big.Int), judgedEnum) {
			a.fault(fbverify.ErrValue, at)
		}
	case "must_index":
		each(func(n *big.Int) bool { return n.Sign() >= 0 && n.Cmp(a.value(c.bound)) < 0 }, fbverify.ErrIndex)
	case "must_be":
		each(all, fbverify.ErrValue)
	case "must_have":
		if n := a.measure(t, f.name); !passes(n, c.pass) && !all(n) {
			a.fault(fbverify.ErrLength, at)
		}
	case "must_lie_in":
		end := a.value(c.bound)
		if f.kind == 'p' {
			spans, _ := v.([][2]*big.Int)
			for i, n := range spans {
				if !passes(n[0], c.pass) && new(big.Int).Add(n[0], n[1]).Cmp(end) > 0 {
					a.fault(fbverify.ErrExtent, fmt.Sprintf("%s[%d]", at, i))
				}
			}
			return
		}
		with := a.measure(t, c.with)
		each(func(n *big.Int) bool {
			return n.Sign() >= 0 && with.Sign() >= 0 && new(big.Int).Add(n, with).Cmp(end) <= 0
		}, fbverify.ErrExtent)
	case "must_be_sorted", "must_be_unique":
		var list []*big.Int
		switch v := v.(type) {
		case []*big.Int:
			list = v
		case []*judgedTable:
			for _, child := range v {
				list = append(list, a.measure(child, c.by))
			}
		case [][2]*big.Int:
			for _, n := range v {
				list = append(list, n[0])
			}
		}
		for i, n := range list {
			switch {
			case c.kind == "must_be_sorted" && i > 0 && list[i-1].Cmp(n) > 0:
				a.fault(fbverify.ErrOrder, at)
			case c.kind == "must_be_unique" && slices.ContainsFunc(list[:i], func(m *big.Int) bool { return m.Cmp(n) == 0 }):
				a.fault(fbverify.ErrDuplicate, at)
			}
		}
	}
}

// faultName is how the judge names a fault: one for all of an order, and spans by their element.
func faultName(e *fbverify.Error) string {
	path := e.Path
	switch e.Kind {
	case fbverify.ErrOrder, fbverify.ErrDuplicate:
		if i := strings.LastIndexByte(path, '['); i > strings.LastIndexByte(path, '.') {
			path = path[:i]
		} else if j := strings.LastIndexByte(path, '.'); i >= 0 && strings.IndexByte(path[i:], '.') >= 0 && j > i { // of a field of the elements
			path = path[:i]
		}
	case fbverify.ErrExtent:
		path = strings.TrimSuffix(strings.TrimSuffix(path, ".offset"), ".length")
	}
	return e.Kind.Name() + " " + path
}

// TestConstraintsAgreeWithASlowJudge compares verdicts, kinds and places on random messages of random schemas. With
//
//	FBVERIFY_SLOW=1 go test -v -run SlowJudge ./internal/trust
//
// on 100,000 buffers.
func TestConstraintsAgreeWithASlowJudge(t *testing.T) {
	want := 4000
	if os.Getenv("FBVERIFY_SLOW") != "" {
		want = 100_000
	} else if testing.Short() {
		want = 1500
	}
	r := rand.New(rand.NewPCG(18, 11))
	buffers, refused, shared, schemas, mistaken := 0, 0, 0, 0, 0
	kinds := map[string]int{}
	for buffers < want {
		s := randomJudgedSchema(r)
		text := s.text()
		parsed, err := fbs.Parse("judged.fbs", []byte(text))
		if err != nil {
			// A bound that no value meets is a mistake of the schema: nothing else may be.
			if !strings.Contains(err.Error(), "must_") && !strings.Contains(err.Error(), "may_") {
				t.Fatalf("%v\n%s", err, text)
			}
			if mistaken++; mistaken > 100*(schemas+10) {
				t.Fatalf("nearly all schemas are mistaken: %v", err)
			}
			continue
		}
		schemas++
		typ, err := fbverify.Compile(parsed, "")
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		opts := &fbverify.Options{Facts: s.facts}
		for range 20 {
			root := s.message(r, 0, 0, make([][]*judgedTable, len(s.tables)))
			if root.ways(map[*judgedTable]int{}) > 2000 {
				continue // the judge goes each of them
			}
			buffers++
			b := flatbuffers.NewBuilder(256)
			b.Finish(s.build(b, root))
			buf := b.FinishedBytes()
			a := &asking{s: s, faults: map[string]bool{}}
			a.table(root, "T0")
			err := typ.Verify(buf, opts)
			if (err == nil) != (len(a.faults) == 0) {
				t.Fatalf("buffer %d: %v, and the judge finds %v\n%s", buffers, err, a.faults, text)
			}
			if a.shared {
				shared++
			}
			if err == nil {
				continue
			}
			refused++
			var e *fbverify.Error
			if !errors.As(err, &e) || !a.faults[faultName(e)] {
				t.Fatalf("buffer %d: %v, and the judge finds %v\n%s", buffers, err, a.faults, text)
			}
			kinds[e.Kind.Name()]++
			found := map[string]bool{}
			list := typ.Explain(buf, opts)
			for _, e := range list {
				name := faultName(e)
				if found[name] = true; !a.faults[name] {
					t.Fatalf("buffer %d: %v, and the judge finds %v\n%s", buffers, e, a.faults, text)
				}
			}
			if !a.shared && len(found) != len(a.faults) {
				t.Fatalf("buffer %d: %v, and the judge finds %v\n%s", buffers, found, a.faults, text)
			}
		}
	}
	t.Logf("%d buffers of %d schemas (%d that were mistaken are left out), %d share tables; %d are refused: %v", buffers, schemas, mistaken, shared, refused, kinds)
	if refused < buffers/10 || buffers-refused < buffers/20 {
		t.Errorf("of %d buffers %d are refused: too few of one kind", buffers, refused)
	}
	for _, k := range []fbverify.Kind{fbverify.ErrIndex, fbverify.ErrValue, fbverify.ErrLength, fbverify.ErrNotSet, fbverify.ErrExtent, fbverify.ErrOrder, fbverify.ErrDuplicate} {
		if kinds[k.Name()] == 0 {
			t.Errorf("nothing is refused for %s", k.Name())
		}
	}
}
