package sense

import (
	"fmt"
	"slices"
	"sync"

	"github.com/fbverify/go/fbverify/internal/program"
	"github.com/fbverify/go/schema"
)

// Compile compiles the constraints of p's schema for p's root, and returns nil where there
// are none on the way from there.
func Compile(p *program.Program) (*Program, error) {
	list, err := CompileAll([]*program.Program{p})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// CompileAll is Compile for programs that were compiled together.
func CompileAll(list []*program.Program) ([]*Program, error) {
	programs := make([]*Program, len(list))
	if len(list) == 0 || !anyConstraint(list[0].Schema) {
		return programs, nil
	}
	all, err := compile(list[0], false)
	if err != nil {
		return nil, err
	}
	some := sync.OnceValue(func() *compiler {
		c, _ := compile(list[0], true) // the same, less some
		return c
	})
	for i, of := range list {
		p := all.rooted(of.Root)
		if p.root == nil {
			continue
		}
		p.stated = sync.OnceValue(func() *glances { return look(p) })
		p.unstated = sync.OnceValue(func() *glances { return look(some().rooted(of.Root)) })
		programs[i] = p
	}
	return programs, nil
}

// rooted returns the program for a root table.
func (c *compiler) rooted(t *program.Table) *Program {
	p := *c.p
	if root := c.tables[t]; root.asks {
		p.root = root
	}
	return &p
}

func compile(p *program.Program, unstated bool) (*compiler, error) {
	c := &compiler{
		unstated: unstated, of: p.Schema.ConstraintsOf(), p: &Program{}, tables: map[*program.Table]*node{}, structs: map[*schema.Object]*node{},
		byType: map[*schema.Object]*node{}, unions: map[*program.Union]*union{}, slots: map[string]int{}, bound: map[*node][]int{},
	}
	for _, t := range p.Tables {
		c.tables[t] = c.node(t.Object)
		c.byType[t.Object] = c.tables[t]
	}
	for _, t := range p.Tables {
		c.table(t)
	}
	if c.err != nil {
		return nil, c.err
	}
	c.prune()
	times := map[*node]uint64{}
	for _, n := range c.all {
		c.p.times = max(c.p.times, n.times(times))
	}
	return c, nil
}

func anyConstraint(s *schema.Schema) bool {
	for _, o := range s.Objects {
		for _, f := range o.Fields {
			for _, a := range f.Attributes {
				if len(a.Key) > 5 && a.Key[:5] == "must_" {
					return true
				}
			}
		}
	}
	return false
}

func (c *compiler) number() uint32 { c.p.keys++; return c.p.keys - 1 }

func (c *compiler) node(o *schema.Object) *node {
	n := &node{object: o, key: c.number()}
	c.all = append(c.all, n)
	return n
}

// table fills the node of a table.
func (c *compiler) table(t *program.Table) {
	n := c.tables[t]
	for id := range t.Fields {
		f := &t.Fields[id]
		if f.Op == program.Skipped {
			continue
		}
		at := place{off: uint16(4 + 2*id)}
		c.checks(n, t.Object, f.Def, at)
		d := down{place: at, field: f.Def, wide: f.Wide, long: f.Long}
		switch f.Op {
		case program.Inline:
			if !f.Def.Type.IsStruct() {
				continue
			}
			d.kind, d.node = toStruct, c.structNode(f.Def.Type.Object)
		case program.SubTable:
			d.kind, d.node = toTable, c.tables[f.Table]
		case program.TableVector:
			d.kind, d.node = toTables, c.tables[f.Table]
		case program.NestedBuffer:
			d.kind, d.node = toBuffer, c.tables[f.Table]
		case program.UnionValue:
			d.kind, d.union = toUnion, c.union(f.Union)
		case program.UnionVector:
			d.kind, d.union = toUnions, c.union(f.Union)
		case program.ScalarVector:
			elem := f.Def.Type.ElementType()
			if !elem.IsStruct() {
				continue
			}
			d.kind, d.node, d.size = toStructs, c.structNode(elem.Object), uint64(elem.Object.ByteSize)
		default:
			continue
		}
		d.key = c.number()
		n.downs = append(n.downs, d)
	}
}

// structNode returns the node of a struct. A struct holds only structs declared before.
func (c *compiler) structNode(o *schema.Object) *node {
	if n := c.structs[o]; n != nil {
		return n
	}
	n := c.node(o)
	c.structs[o] = n
	for _, f := range o.Fields {
		at := place{off: uint16(f.Offset), inStruct: true}
		c.checks(n, o, f, at)
		d := down{place: at, field: f}
		switch elem := f.Type.ElementType(); {
		case f.Type.IsStruct():
			d.kind, d.node = toStruct, c.structNode(f.Type.Object)
		case elem.IsStruct():
			d.kind, d.node, d.size, d.count = toArray, c.structNode(elem.Object), uint64(elem.Object.ByteSize), uint64(f.Type.FixedLength)
		default:
			continue
		}
		d.key = c.number()
		n.downs = append(n.downs, d)
	}
	return n
}

func (c *compiler) union(u *program.Union) *union {
	if done := c.unions[u]; done != nil {
		return done
	}
	v := &union{tag: u.Enum.Underlying, members: map[schema.Integer]member{}}
	c.unions[u] = v
	for _, e := range u.Enum.Values {
		m := u.Member(e.Value)
		switch {
		case m == nil:
		case m.Op == program.SubTable:
			v.members[enumValue(u.Enum, e)] = member{node: c.tables[m.Table]}
		case m.Op == program.Inline:
			v.members[enumValue(u.Enum, e)] = member{node: c.structNode(e.Type.Object), isStruct: true}
		}
	}
	return v
}

func enumValue(e *schema.Enum, v *schema.EnumValue) schema.Integer {
	return integer(v.Value, e.Underlying)
}

// integer is an integer as the model has it: a ulong as its two's complement.
func integer(n int64, base schema.BaseType) schema.Integer {
	if base.IsUnsigned() {
		return schema.Unsigned(uint64(n))
	}
	return schema.Signed(n)
}

// prune leaves what is asked for something, and works out what each node depends on.
func (c *compiler) prune() {
	// Both grow until nothing changes: from the leaves upwards, a few rounds for a schema
	// that people write. The order of c.all is from the root, mostly.
	for changed := true; changed; {
		changed = false
		for _, n := range slices.Backward(c.all) {
			before, free := n.asks, len(n.free)
			n.asks = n.asks || len(n.checks) > 0
			for i := range n.checks {
				n.depend(n.checks[i].slots)
			}
			for i := range n.downs {
				d := &n.downs[i]
				if d.union != nil {
					for _, m := range d.union.members {
						n.asks = n.asks || m.node.asks
						n.depend(m.node.free)
					}
					continue
				}
				n.asks = n.asks || d.node.asks
				n.depend(d.node.free)
			}
			changed = changed || n.asks != before || len(n.free) != free
		}
	}
	for _, n := range c.all {
		n.downs = slices.DeleteFunc(n.downs, func(d down) bool {
			if d.union == nil {
				return !d.node.asks
			}
			for tag, m := range d.union.members {
				if !m.node.asks {
					delete(d.union.members, tag)
				}
			}
			return len(d.union.members) == 0
		})
	}
	for _, u := range c.unions {
		for tag, m := range u.members {
			if tag.High == 0 && tag.Low < 256 {
				for uint64(len(u.dense)) <= tag.Low {
					u.dense = append(u.dense, member{})
				}
				u.dense[tag.Low] = m
			}
		}
		for _, m := range u.members {
			for _, s := range m.node.free {
				if !slices.Contains(u.free, s) {
					u.free = append(u.free, s)
				}
			}
		}
	}
	for _, n := range c.all {
		n.again = len(n.binds) > 0 && reaches(n)
	}
}

// times returns how often a byte of one field may be looked at: by each constraint of the
// field, on the way down, and there again as far as it is of structs.
func (n *node) times(known map[*node]uint64) uint64 {
	if most, ok := known[n]; ok {
		return most
	}
	fields := map[*schema.Field]uint64{}
	for i := range n.checks {
		fields[n.checks[i].Field]++
	}
	for i := range n.downs {
		d := &n.downs[i]
		fields[d.field]++
		if d.node != nil && d.node.object.IsStruct {
			fields[d.field] += d.node.times(known)
		}
	}
	most := uint64(1)
	for _, times := range fields {
		most = max(most, times)
	}
	known[n] = most
	return most
}

// depend adds slots that are not the node's own.
func (n *node) depend(slots []int) {
	for _, s := range slots {
		if !slices.Contains(n.binds, s) && !slices.Contains(n.free, s) {
			n.free = append(n.free, s)
		}
	}
}

// reaches reports whether a node can hold another of its type.
func reaches(from *node) bool {
	seen := map[*node]bool{}
	todo := []*node{from}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for i := range n.downs {
			next := []*node{n.downs[i].node}
			if u := n.downs[i].union; u != nil {
				next = next[:0]
				for _, m := range u.members {
					next = append(next, m.node)
				}
			}
			for _, m := range next {
				if m == from {
					return true
				}
				if !seen[m] {
					seen[m] = true
					todo = append(todo, m)
				}
			}
		}
	}
	return false
}

// checks compiles the constraints of a field.
func (c *compiler) checks(n *node, o *schema.Object, f *schema.Field, at place) {
	list, err := c.of(o, f)
	if err != nil {
		c.err = fmt.Errorf("field %s.%s: %w", o.Name, f.Name, err)
		return
	}
	for i := range list {
		if ch := c.check(o, f, &list[i], at); c.err == nil && !(c.unstated && ch.needsFact()) {
			n.checks = append(n.checks, ch)
		}
	}
}

// needsFact reports whether nothing is asked where no fact was stated.
func (ch *check) needsFact() bool {
	for i := range ch.tests {
		switch t := &ch.tests[i]; {
		case !t.certain():
			return false
		case t.of.kind == slotted && t.relation == schema.Set:
			return true
		}
	}
	return false
}

func (c *compiler) check(o *schema.Object, f *schema.Field, con *schema.Constraint, at place) check {
	t := f.Type
	ch := check{
		place: at, Constraint: con, key: c.number(), base: t.Base, form: single,
		wide: f.Offset64 || t.Base == schema.Vector64, long: t.Base == schema.Vector64,
		def: integer(f.DefaultInteger, t.Base), optional: f.Optional,
	}
	elem := t
	switch {
	case t.IsVector():
		ch.form, elem = vector, t.ElementType()
	case t.Base == schema.Array:
		ch.form, elem, ch.count = array, t.ElementType(), uint64(t.FixedLength)
	case t.Base == schema.String:
		ch.form = text
	case !t.IsScalar():
		ch.form = other
	}
	ch.base = elem.Base
	ch.size = 4
	if elem.IsScalar() || elem.IsStruct() {
		ch.size = uint64(elem.InlineSize())
	}
	if elem.Base == schema.Union {
		ch.union = elem.Enum.Underlying
	}
	use := func(op operand) operand { ch.uses(&op); return op }
	switch con.Kind {
	case schema.MustIndex, schema.MustLieIn:
		ch.bound = use(c.operand(o, con.Bound, asNumber))
	case schema.MustBeKeyOf:
		ch.bound = use(c.operand(o, con.Bound, asKeyed))
		last := con.Bound.Path.Last()
		ch.keyed = &keyed{key: storedOf(last.Type.Object, last.Type.Object.Key()), long: last.Type.Base == schema.Vector64}
	case schema.MustBeKnown:
		for _, v := range elem.Enum.Values {
			ch.known = append(ch.known, enumValue(elem.Enum, v))
			if elem.Enum.BitFlags {
				ch.flags |= uint64(v.Value)
			}
		}
		if elem.Base == schema.Union {
			ch.base, ch.size = elem.Enum.Underlying, uint64(elem.Enum.Underlying.Size())
			if ch.form == other {
				ch.form = single
			}
			ch.off -= 2 // the tag stands before
		}
	}
	switch {
	case con.From != nil:
		ch.from, ch.with = storedOf(elem.Object, con.From), storedOf(elem.Object, con.With)
		ch.base = con.From.Type.Base
	case con.With != nil:
		ch.with, ch.own = storedOf(o, con.With), true
	}
	if con.By != nil {
		ch.by, ch.byKey = storedOf(elem.Object, con.By), true
	}
	for _, d := range con.Conditions {
		cond := condition{relation: d.Relation}
		for _, op := range d.Operands {
			cond.operands = append(cond.operands, use(c.operand(o, op, asNumber)))
		}
		ch.conditions = append(ch.conditions, cond)
	}
	for _, t := range con.If {
		as := asNumber
		if t.Relation >= schema.Set {
			as = asField
		}
		compiled := test{condition: condition{relation: t.Relation}, of: use(c.operand(o, t.Of, as))}
		for _, op := range t.Operands {
			compiled.operands = append(compiled.operands, use(c.operand(o, op, asNumber)))
		}
		compiled.tabulate()
		ch.tests = append(ch.tests, compiled)
	}
	for _, op := range con.MayBe {
		ch.mayBe = append(ch.mayBe, op.Integer)
	}
	ch.minusOne = len(ch.mayBe) == 1 && ch.mayBe[0] == schema.Signed(-1)
	ch.interval()
	return ch
}

// tabulate works out the mask of a test.
func (t *test) tabulate() {
	if t.relation >= schema.Set || t.of.kind != path || t.of.slot >= 0 || t.of.arithmetic != 0 || len(t.of.steps) != 1 || t.of.steps[0].kind != stepScalar {
		return
	}
	for n := range uint64(64) {
		for i := range t.operands {
			if t.operands[i].kind != literal {
				return
			}
			if relates(t.relation, schema.Unsigned(n), t.operands[i].n) {
				t.mask |= 1 << n
			}
		}
	}
	t.masked = true
}

// uses notes what the verdict of a check depends on besides the field.
func (ch *check) uses(op *operand) {
	add := func(s int) {
		if !slices.Contains(ch.slots, s) {
			ch.slots = append(ch.slots, s)
		}
	}
	switch op.kind {
	case slotted:
		add(op.slot)
	case path:
		if op.slot < 0 {
			ch.own = true
		}
		for _, s := range op.slots {
			add(s)
		}
	}
}

// interval sets least and most where the conditions are one.
func (ch *check) interval() {
	if len(ch.conditions) == 0 || ch.base.IsFloat() && ch.Kind == schema.MustBe {
		return
	}
	base := ch.base
	if ch.Kind == schema.MustHave {
		base = schema.ULong
	}
	least, most := base.Range()
	ch.least, ch.most = schema.Signed(least), schema.Unsigned(most)
	for _, d := range ch.conditions {
		n := d.operands[0].n
		if d.operands[0].kind != literal {
			return
		}
		switch d.relation {
		case schema.EqualTo:
			ch.least, ch.most = larger(ch.least, n), smaller(ch.most, n)
		case schema.LessThan:
			ch.most = smaller(ch.most, n.Add(schema.Signed(-1)))
		case schema.AtMost:
			ch.most = smaller(ch.most, n)
		case schema.GreaterThan:
			ch.least = larger(ch.least, n.Add(schema.Signed(1)))
		case schema.AtLeast:
			ch.least = larger(ch.least, n)
		default:
			return
		}
	}
	ch.literal = true
}

func smaller(a, b schema.Integer) schema.Integer {
	if a.Compare(b) < 0 {
		return a
	}
	return b
}

func larger(a, b schema.Integer) schema.Integer {
	if a.Compare(b) > 0 {
		return a
	}
	return b
}

// storedOf says where a field of an object is.
func storedOf(o *schema.Object, f *schema.Field) stored {
	return stored{
		place: place{off: uint16(f.Offset), inStruct: o.IsStruct}, base: f.Type.Base,
		wide: f.Offset64 || f.Type.Base == schema.Vector64, def: integer(f.DefaultInteger, f.Type.Base),
	}
}

// mode says what an operand is for.
type mode uint8

const (
	asNumber mode = iota
	asKeyed       // the place of a keyed vector
	asField       // whether it is set
)

// operand compiles an operand of a constraint of o.
func (c *compiler) operand(o *schema.Object, op schema.Operand, as mode) operand {
	switch op.Kind {
	case schema.LiteralInteger:
		return operand{kind: literal, n: op.Integer, real: float(op.Integer)}
	case schema.LiteralReal:
		return operand{kind: literal, real: op.Real}
	case schema.Fact:
		return operand{kind: slotted, slot: c.slot("@"+op.String(), slot{name: op.Name, fact: true, arithmetic: op.Arithmetic, by: op.By})}
	}
	late := as == asField || slices.ContainsFunc(op.Path.Steps, func(s schema.Step) bool { return s.Index != nil })
	compiled := c.path(o, op.Path, as, late)
	compiled.arithmetic, compiled.by = op.Arithmetic, op.By
	if late || op.Path.Type == o {
		return compiled
	}
	// It is the same for all that is in the enclosing table: a slot is filled there.
	return operand{kind: slotted, slot: c.slot(fmt.Sprint(op.Path.Type.Name, " ", op, " ", as), slot{
		operand: &compiled, owner: c.byType[op.Path.Type], name: op.Path.String(), fact: as == asNumber,
		arithmetic: op.Arithmetic, by: op.By,
	})}
}

func float(n schema.Integer) float64 {
	if n.High < 0 {
		return -float64(n.Negate().Low)
	}
	return float64(n.Low)
}

// slot returns the number of a slot.
func (c *compiler) slot(key string, s slot) int {
	if i, ok := c.slots[key]; ok {
		return i
	}
	i := len(c.p.slots)
	c.slots[key] = i
	c.p.slots = append(c.p.slots, s)
	if s.owner != nil {
		s.owner.binds = append(s.owner.binds, i)
	}
	if s.fact && !slices.Contains(c.p.Facts, s.name) {
		c.p.Facts = append(c.p.Facts, s.name)
	}
	return i
}

// path compiles the steps of a path. One that is late is read where it is used.
func (c *compiler) path(o *schema.Object, p *schema.Path, as mode, late bool) operand {
	op := operand{kind: path, slot: -1}
	if late && p.Type != o {
		op.slot = c.slot(p.Type.Name, slot{owner: c.byType[p.Type], name: p.Type.ShortName()})
		op.slots = []int{op.slot}
	}
	holder := p.Type
	for i, s := range p.Steps {
		st := step{stored: storedOf(holder, s.Field), long: s.Field.Type.Base == schema.Vector64}
		t := s.Field.Type
		switch {
		case s.IsElement():
			st.kind, holder = stepElement, t.Object
			if t.Element != schema.Obj {
				st.kind, st.base = stepNumber, t.Element
			}
			index := operand{kind: literal, n: schema.Unsigned(s.Element)}
			if !s.Fixed {
				index = c.path(o, s.Index, asNumber, true)
			}
			st.index = &index
			op.slots = append(op.slots, index.slots...)
		case t.IsScalar():
			st.kind = stepScalar
		case t.IsStruct():
			st.kind, holder = stepStruct, t.Object
		case t.IsTable():
			st.kind, holder = stepTable, t.Object
		case t.Base == schema.Union:
			st.kind, st.tag = stepUnion, t.Enum.Underlying
		case as == asKeyed && i == len(p.Steps)-1:
			st.kind = stepKeyed
		default:
			st.kind = stepLength
		}
		op.steps = append(op.steps, st)
	}
	return op
}
