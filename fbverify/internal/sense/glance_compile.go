package sense

import (
	"math"
	"slices"

	"github.com/fbverify/go/schema"
)

// viewer makes the kinds of a program for glances.
type viewer struct {
	g     *glances
	kinds map[*node]*kind
}

func (v *viewer) kind(n *node) *kind {
	if k := v.kinds[n]; k != nil {
		return k
	}
	k := &kind{node: n, number: v.g.kinds, isStruct: n.object.IsStruct}
	v.g.kinds++
	v.kinds[n] = k
	for i := range n.checks {
		k.acts = append(k.acts, v.act(&n.checks[i]))
	}
	for i := range n.downs {
		k.acts = append(k.acts, v.down(n, &n.downs[i]))
	}
	k.classify()
	reach := func(at place) {
		if at.off != 0 {
			k.reach = max(k.reach, at.off+2)
		}
	}
	reach(k.tag)
	for i := range k.acts {
		a := &k.acts[i]
		at := a.place()
		reach(at)
		reach(a.other)
		if k.isStruct {
			k.fixed = append(k.fixed, a.op(at.off, a.other.off))
		}
	}
	return k
}

// classify tells apart the tags of the first union that may lead down. What is asked of a
// table is the same for all tags of a class.
func (k *kind) classify() {
	i := slices.IndexFunc(k.acts, func(a act) bool { return a.action == choose })
	if i < 0 || k.isStruct || k.acts[i].base.Size() != 1 {
		return
	}
	k.tag = k.acts[i].other
	type same struct {
		known bool
		kind  *kind
		masks string
	}
	classes := map[same]byte{}
	k.class = new([256]byte)
	for tag := range k.class {
		s := same{known: tag != 0}
		if m := k.acts[i].members; tag < len(m) {
			s.kind = m[tag].kind
		}
		for j := range k.acts {
			if a := &k.acts[j]; a.tested && a.other == k.tag {
				one := byte('1')
				if tag < 64 && a.mask>>tag&1 == 0 {
					one = '0'
				}
				s.masks += string(one)
			}
		}
		class, seen := classes[s]
		if !seen {
			class = byte(len(classes))
			classes[s] = class
		}
		k.class[tag] = class
	}
}

// down makes the act that goes down.
func (v *viewer) down(n *node, d *down) act {
	a := act{action: descend, d: d}
	bound := func(free []int) bool {
		return slices.ContainsFunc(free, func(s int) bool { return slices.Contains(n.binds, s) })
	}
	if d.union == nil {
		a.kind, a.binds = v.kind(d.node), bound(d.node.free)
		a.size = uint64(d.node.object.ByteSize)
		switch {
		case d.kind == toTable:
			a.action = goTo
		case d.kind == toTables && !d.wide && !d.long:
			a.action = each
		}
		return a
	}
	if !d.union.small() {
		a.action = refuse
		return a
	}
	if d.kind == toUnion {
		a.action = choose
	}
	a.base, a.other = d.union.tag, place{off: d.off - 2}
	for tag, m := range d.union.members {
		one := glanced{kind: v.kind(m.node), isStruct: m.isStruct, size: uint64(m.node.object.ByteSize), binds: bound(m.node.free)}
		a.binds = a.binds || one.binds
		for uint64(len(a.members)) <= tag.Low {
			a.members = append(a.members, glanced{})
		}
		a.members[tag.Low] = one
	}
	return a
}

// small reports whether the tags of all members are, so that they can be in a list.
func (u *union) small() bool {
	for tag := range u.members {
		if tag.High != 0 || tag.Low > math.MaxUint8 {
			return false
		}
	}
	return true
}

// act makes the act for a check: of one of the common forms, if it accepts only what
// passes whatever the tests say. Tests that may turn out to be of something that nobody
// stated are asked in their place.
func (v *viewer) act(c *check) act {
	a := act{action: ask, bare: true, c: c, base: c.base, size: c.size, minusOne: c.minusOne}
	for i := range c.tests {
		if !c.tests[i].certain() {
			return a
		}
	}
	if len(c.tests) > 0 {
		// The first one, of a small number of the table itself.
		t := &c.tests[0]
		if t.masked {
			s := &t.of.steps[0].stored
			if !s.inStruct {
				a.tested, a.mask, a.other, a.otherBase = true, t.mask, s.place, s.base
				a.unasked = s.def.High == 0 && s.def.Low < 64 && t.mask>>s.def.Low&1 == 0
			}
		}
	}
	if c.wide || c.long || c.base == schema.String && c.Kind != schema.MustHave && c.Kind != schema.MustBeSet {
		return a
	}
	wide := c.base == schema.Long || c.base == schema.ULong
	switch c.Kind {
	case schema.MustBeSet:
		switch {
		case c.union == 0:
			a.action = present
		case c.form == other && !a.tested:
			a.action, a.base, a.other = tagged, c.union, place{off: c.off - 2}
		}
	case schema.MustIndex:
		indexed := c.form == vector && (len(c.mayBe) == 0 || c.minusOne && c.base == schema.Int)
		if c.bound.kind != slotted {
			if at, beside := c.bound.lengthBeside(); beside && indexed && !a.tested && !c.inStruct {
				a.action, a.other, a.bare = indexesBeside, at, false
			} else if c.form == single && c.bound.elsewhere() && c.def == schema.Signed(c.def.Int64()) {
				a.action, a.slot, a.bare, a.def = indexPath, v.g.far, !c.optional, c.def.Int64()
				v.g.far++
			}
			return a
		}
		a.slot = c.bound.slot
		switch {
		case c.form == single && c.def == schema.Signed(c.def.Int64()):
			a.action, a.bare, a.def = index, !c.optional, c.def.Int64()
		case indexed:
			a.action, a.bare = indexes, false
		}
	case schema.MustBe, schema.MustBeKnown:
		if c.form != single || c.base.IsFloat() {
			return a
		}
		passes := false // the default
		switch {
		case c.Kind == schema.MustBeKnown && c.flags == 0 && c.dense():
			a.between(c.known[0], c.known[len(c.known)-1])
		case c.Kind == schema.MustBeKnown:
			return a
		case c.literal:
			a.between(c.least, c.most)
		case len(c.conditions) == 1 && c.conditions[0].relation == schema.OneOf:
			for _, op := range c.conditions[0].operands {
				if n := op.n.Int64(); op.kind == literal && op.n == schema.Signed(n) && (n >= 0 || c.base != schema.ULong) {
					a.list = append(a.list, n)
				}
			}
			a.action = among
		case len(c.conditions) == 1 && c.conditions[0].relation == schema.AtMost && !a.tested && !c.optional:
			// Of bases whose numbers a long holds.
			op := &c.conditions[0].operands[0]
			if op.kind == path && op.slot < 0 && op.arithmetic == 0 && len(op.steps) == 1 && op.steps[0].kind == stepScalar &&
				c.base != schema.ULong && op.steps[0].base != schema.ULong {
				a.action, a.other, a.otherBase = noMore, op.steps[0].place, op.steps[0].base
			}
			return a
		default:
			return a
		}
		n := c.def.Int64()
		if a.action == among {
			passes = slices.Contains(a.list, n)
		} else {
			passes = n >= a.least && n <= a.most
		}
		if c.def != schema.Signed(n) {
			passes = false
		}
		a.bare = !passes && !c.optional
	case schema.MustHave:
		switch {
		case c.literal:
			a.between(c.least, c.most)
			a.action, a.bare = measured, a.least > 0 || a.most < 0
		case len(c.conditions) == 1 && c.conditions[0].relation == schema.EqualTo && !a.tested:
			if at, beside := c.conditions[0].operands[0].lengthBeside(); beside && !c.inStruct {
				a.action, a.other = alike, at
			}
		}
	case schema.MustBeSorted:
		base := c.base
		switch {
		case c.byKey && !c.by.inStruct || c.form != vector:
			return a
		case c.byKey:
			base = c.by.base
		}
		if base == schema.ULong || base == schema.UInt {
			a.action, a.base, a.bare = ordered, base, false
		}
	case schema.MustLieIn:
		if c.form == vector && c.From != nil && wide && (c.with.base == schema.Long || c.with.base == schema.ULong) && c.bound.kind == slotted {
			a.action, a.slot, a.bare = extents, c.bound.slot, false
		}
	}
	return a
}

// elsewhere reports whether an operand depends on slots alone.
func (op *operand) elsewhere() bool {
	if op.kind == path {
		return op.slot >= 0 && !slices.ContainsFunc(op.steps, func(s step) bool { return s.index != nil && !s.index.elsewhere() })
	}
	return true
}

// lengthBeside returns the field of the same table whose length an operand is, if it is.
func (op *operand) lengthBeside() (place, bool) {
	if op.kind != path || op.slot >= 0 || op.arithmetic != 0 || len(op.steps) != 1 {
		return place{}, false
	}
	s := &op.steps[0]
	if s.kind != stepLength || s.wide || s.long {
		return place{}, false
	}
	return s.place, true
}

// place is where the field of an act is.
func (a *act) place() place {
	if a.c != nil {
		return a.c.place
	}
	return a.d.place
}

// between makes an act ask for a number from least to most, as far as a long holds them.
func (a *act) between(least, most schema.Integer) {
	a.action = within
	a.least, a.most = larger(least, schema.Signed(math.MinInt64)).Int64(), smaller(most, schema.Signed(math.MaxInt64)).Int64()
	if least.Compare(schema.Signed(math.MaxInt64)) > 0 || most.Compare(schema.Signed(math.MinInt64)) < 0 {
		a.action, a.least, a.most = ask, 1, 0
	}
}

// dense reports whether the known values are all from the first one to the last.
func (c *check) dense() bool {
	for i := range c.known[1:] {
		if c.known[i].Add(schema.Signed(1)) != c.known[i+1] {
			return false
		}
	}
	return true
}

// certain reports whether a test is of what is always known: the table itself, or
// whether a fact was stated.
func (t *test) certain() bool {
	if t.of.kind == slotted {
		return t.relation >= schema.Set
	}
	if t.of.kind == path && t.of.uncertain() {
		return false
	}
	for i := range t.operands {
		if op := &t.operands[i]; op.kind == slotted || op.kind == path && op.uncertain() {
			return false
		}
	}
	return true
}

// uncertain reports whether a path starts elsewhere, or needs an index that the buffer says.
func (op *operand) uncertain() bool {
	return op.slot >= 0 || slices.ContainsFunc(op.steps, func(s step) bool { return s.index != nil && s.index.kind != literal })
}
