package sense

import (
	"math"

	"github.com/fbverify/go/fbverify/internal/rule"
	"github.com/fbverify/go/schema"
)

// check asks one thing of a field.
func (w *walker) check(c *check, o *object, n *node, f *frame) {
	fr := frame{up: f, field: c.Field}
	if len(c.tests) > 0 && !w.applies(c, o, &fr) {
		return
	}
	at := w.field(o, c.place)
	switch c.Kind {
	case schema.MustBeSet:
		w.set(c, o, at, &fr)
		return
	case schema.MustHave:
		w.have(c, o, at, &fr)
		return
	case schema.MustSatisfy:
		w.satisfy(c, o, &fr)
		return
	}
	if c.From != nil {
		w.extents(c, o, at, n, &fr)
		return
	}
	if c.form == single || c.form == text {
		switch {
		case at != 0 && c.base == schema.String:
			w.one(c, o, w.follow(at, c.wide), schema.Integer{}, &fr)
		case c.base == schema.String:
		case at != 0:
			w.one(c, o, at, w.load(at, c.base), &fr)
		case !c.optional:
			w.one(c, o, 0, c.def, &fr)
		}
		return
	}
	if at == 0 {
		return // nothing to be asked of no elements
	}
	pos, count, data := at, c.count, at
	if c.form == vector {
		pos = w.follow(at, c.wide)
		count, data = w.vector(pos, c.long)
	}
	if !w.spend(count*c.size, n.object, pos, &fr) {
		return
	}
	fr.hasIndex = true
	if w.memo != nil && !c.own && c.form == vector {
		if v, ok := w.enter(key{pos: pos, as: c.key}, c.slots); ok {
			w.all(c, o, pos, count, data, &fr)
			w.leave(&v)
		}
		return
	}
	w.all(c, o, pos, count, data, &fr)
}

// all asks the elements of a vector or an array.
func (w *walker) all(c *check, o *object, pos, count, data uint64, f *frame) {
	switch c.Kind {
	case schema.MustBeSorted:
		w.sorted(c, pos, count, data, f)
		return
	case schema.MustBeUnique:
		w.unique(c, pos, count, data, f)
		return
	case schema.MustIndex:
		if w.indexes(c, o, count, data) {
			return
		}
	case schema.MustBe:
		if c.base.IsFloat() {
			for i := range count {
				f.index = i
				if w.real(c, data+i*c.size, 0, f); w.stop {
					return
				}
			}
			return
		}
	}
	for i := range count {
		f.index = i
		at := data + i*c.size
		if c.base == schema.String {
			w.one(c, o, w.follow(at, false), schema.Integer{}, f)
		} else {
			w.one(c, o, at, w.load(at, c.base), f)
		}
		if w.stop {
			return
		}
	}
}

// stands reports whether n passes whatever is asked.
func (c *check) stands(n schema.Integer) bool {
	for _, m := range c.mayBe {
		if n == m {
			return true
		}
	}
	return false
}

// one asks a number, or the string at a position. at is 0 where the number is a default.
func (w *walker) one(c *check, o *object, at uint64, n schema.Integer, f *frame) {
	if len(c.mayBe) > 0 && c.base != schema.String && c.stands(n) {
		return
	}
	switch c.Kind {
	case schema.MustIndex:
		bound := w.evaluate(&c.bound, o)
		switch {
		case !bound.known:
			w.unstated(c, &c.bound, o, f)
		case n.High < 0 || n.Compare(bound.n) >= 0:
			w.notIndex(c, o, at, n, bound, f)
		case c.bound.kind == slotted:
			w.need(c.bound.slot, n.Add(schema.Signed(1)))
		}
	case schema.MustLieIn:
		w.extent(c, o, at, n, f)
	case schema.MustBe:
		if c.base.IsFloat() {
			w.real(c, at, c.Field.DefaultReal, f)
			return
		}
		w.number(c, o, at, n, f)
	case schema.MustBeKnown:
		if !c.names(n) {
			w.notKnown(c, o, at, n, f)
		}
	case schema.MustBeKeyOf:
		w.key(c, o, at, n, f)
	}
}

// indexes reports whether all elements are indexes below the bound, without a look at
// which is the largest where they are.
func (w *walker) indexes(c *check, o *object, count, data uint64) bool {
	bound := w.evaluate(&c.bound, o)
	if !bound.known || len(c.mayBe) > 0 && !c.minusOne {
		return false
	}
	// -1 is the greatest number without a sign: with one added it is the least.
	shift := uint64(0)
	if c.minusOne {
		shift = 1
	}
	limit := uint64(0)
	switch {
	case bound.n.High > 0:
		limit = 1<<63 - 1
	case bound.n.High == 0:
		limit = min(bound.n.Low, 1<<63-1)
	}
	var most uint64
	switch c.size {
	case 1:
		most, limit = w.most8(data, count, shift), signedLimit(c.base, limit, 8)
	case 2:
		most, limit = w.most16(data, count, shift), signedLimit(c.base, limit, 16)
	case 4:
		most, limit = w.most32(data, count, shift), signedLimit(c.base, limit, 32)
	default:
		most = w.most64(data, count, shift)
	}
	if count > 0 && most >= limit+shift {
		return false
	}
	if w.memo != nil && c.bound.kind == slotted {
		w.need(c.bound.slot, schema.Unsigned(most+1-shift)) // more than the largest index; 0 where all are -1
		if most < shift {
			w.need(c.bound.slot, schema.Integer{})
		}
	}
	return true
}

// signedLimit keeps a limit where no number that is negative seems to be below it.
func signedLimit(base schema.BaseType, limit uint64, bits uint) uint64 {
	if base.IsUnsigned() {
		return min(limit, 1<<bits-1)
	}
	return min(limit, 1<<(bits-1))
}

func (w *walker) most8(data, count, shift uint64) (most uint64) {
	for _, v := range w.b[data:][:count] {
		most = max(most, uint64(v+byte(shift)))
	}
	return most
}

func (w *walker) most16(data, count, shift uint64) (most uint64) {
	for i := range count {
		most = max(most, uint64(w.u16(data+2*i)+uint16(shift)))
	}
	return most
}

func (w *walker) most32(data, count, shift uint64) uint64 {
	var most uint32
	b := w.b[data:][:4*count]
	for len(b) >= 4 {
		v := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
		most = max(most, v+uint32(shift))
		b = b[4:]
	}
	return uint64(most)
}

func (w *walker) most64(data, count, shift uint64) (most uint64) {
	for i := range count {
		most = max(most, w.u64(data+8*i)+shift)
	}
	return most
}

// number asks a number for its conditions.
func (w *walker) number(c *check, o *object, at uint64, n schema.Integer, f *frame) {
	w.meets(c, o, at, n, f, false)
}

// meets asks a number, of a field or its length, for the conditions of a check, and tells of the
// first that it does not meet: of none where they are an interval.
func (w *walker) meets(c *check, o *object, at uint64, n schema.Integer, f *frame, length bool) {
	if c.literal {
		if n.Compare(c.least) < 0 || n.Compare(c.most) > 0 {
			w.notMet(c, nil, o, at, n, f, length)
		}
		return
	}
	for i := range c.conditions {
		d := &c.conditions[i]
		holds, known := w.holds(d, n, o)
		switch {
		case !known:
			w.unstated(c, w.missing, o, f)
			return
		case !holds:
			w.notMet(c, d, o, at, n, f, length)
			return
		}
	}
}

// real asks a float at a position, or its default where that is 0. A NaN is in no relation
// to anything.
func (w *walker) real(c *check, at uint64, def float64, f *frame) {
	x := def
	switch {
	case at == 0:
		if c.optional {
			return
		}
	case c.base == schema.Float:
		x = float64(math.Float32frombits(w.u32(at)))
	default:
		x = math.Float64frombits(w.u64(at))
	}
	for _, m := range c.mayBe {
		if x == float(m) {
			return
		}
	}
	for i := range c.conditions {
		d := &c.conditions[i]
		holds := false
		for j := range d.operands {
			holds = holds || relatesReal(d.relation, x, d.operands[j].real)
		}
		if !holds {
			w.notReal(c, d, at, x, f)
			return
		}
	}
}

func relatesReal(r schema.Relation, x, y float64) bool {
	switch r {
	case schema.EqualTo, schema.OneOf:
		return x == y
	case schema.NotEqualTo:
		return x != y && x == x
	case schema.LessThan:
		return x < y
	case schema.AtMost:
		return x <= y
	case schema.GreaterThan:
		return x > y
	case schema.AtLeast:
		return x >= y
	}
	return false
}

// names reports whether the schema names n, or all its flags.
func (c *check) names(n schema.Integer) bool {
	if c.flags != 0 {
		return n.Low&^c.flags == 0 || n.High < 0 && uint64(n.Low)<<(64-8*c.size)>>(64-8*c.size)&^c.flags == 0
	}
	k := c.known
	if last := k[len(k)-1]; n.Compare(k[0]) < 0 || n.Compare(last) > 0 {
		return false
	}
	i, j := 0, len(k)
	for i < j {
		m := int(uint(i+j) / 2)
		if k[m].Compare(n) < 0 {
			i = m + 1
		} else {
			j = m
		}
	}
	return i < len(k) && k[i] == n
}

// extents asks a struct, or the structs of a vector, whether what they describe lies in
// something.
func (w *walker) extents(c *check, o *object, at uint64, n *node, f *frame) {
	if at == 0 {
		return
	}
	pos, count, data := at, uint64(1), at
	if c.form == vector {
		pos = w.follow(at, c.wide)
		count, data = w.vector(pos, c.long)
		f.hasIndex = true
	}
	if count == 0 || !w.spend(count*c.size, n.object, pos, f) {
		return
	}
	bound := w.evaluate(&c.bound, o)
	if !bound.known {
		w.unstated(c, &c.bound, o, f)
		return
	}
	inner := frame{up: f, field: c.From}
	furthest := schema.Integer{}
	for i := range count {
		f.index = i
		s := object{pos: data + i*c.size}
		offset := w.load(s.pos+uint64(c.from.off), c.from.base)
		with := w.load(s.pos+uint64(c.with.off), c.with.base)
		if len(c.mayBe) > 0 && c.stands(offset) {
			continue
		}
		end := offset.Add(with)
		if offset.High < 0 || with.High < 0 || end.Compare(bound.n) > 0 {
			if w.notIn(c, &s, s.pos+uint64(c.from.off), offset, with, bound, &inner); w.stop {
				return
			}
			continue
		}
		furthest = larger(furthest, end)
	}
	if c.bound.kind == slotted {
		w.need(c.bound.slot, furthest)
	}
}

// extent asks an offset and a length whether they lie in something.
func (w *walker) extent(c *check, o *object, at uint64, n schema.Integer, f *frame) {
	bound := w.evaluate(&c.bound, o)
	if !bound.known {
		w.unstated(c, &c.bound, o, f)
		return
	}
	with := w.scalar(o, &c.with)
	end := n.Add(with)
	if n.High < 0 || with.High < 0 || end.Compare(bound.n) > 0 {
		w.notIn(c, o, at, n, with, bound, f)
	} else if c.bound.kind == slotted {
		w.need(c.bound.slot, end)
	}
}

// have asks the length of a vector or a string.
func (w *walker) have(c *check, o *object, at uint64, f *frame) {
	var pos uint64
	var n schema.Integer
	if at != 0 {
		pos = w.follow(at, c.wide)
		length, _ := w.vector(pos, c.long)
		n = schema.Unsigned(length)
	}
	if c.stands(n) {
		return
	}
	w.meets(c, o, pos, n, f, true)
}

// set asks whether a field is there.
func (w *walker) set(c *check, o *object, at uint64, f *frame) {
	if c.union != 0 && c.form == other {
		tag := w.field(o, place{off: c.off - 2})
		if tag == 0 || w.load(tag, c.union) == (schema.Integer{}) {
			at = 0
		}
	}
	if at == 0 {
		w.fault(&Fault{Kind: rule.NotSet, Type: c.Owner.Name, Offset: o.pos, Size: 4, Thing: rule.ThingTable}, f,
			"%s", w.absence(c))
	}
}

// satisfy asks a function.
func (w *walker) satisfy(c *check, o *object, f *frame) {
	err, known := error(nil), false
	if w.cfg.Judge != nil {
		err, known = w.cfg.Judge(c.Function, w.b, o.pos)
	}
	switch {
	case !known:
		w.fault(&Fault{Kind: rule.Unstated, Type: c.Owner.Name, Offset: o.pos, Size: 4, Thing: rule.ThingTable}, f,
			"must_satisfy asks the function %s, and no program registered it: RegisterConstraint does, and Options.SkipConstraints asks nothing", c.Function)
	case err != nil:
		w.fault(&Fault{Kind: rule.Unsatisfied, Type: c.Owner.Name, Offset: o.pos, Size: 4, Thing: rule.ThingTable}, f,
			"%s says: %v", c.Function, err)
	}
}
