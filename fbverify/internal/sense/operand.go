package sense

import "github.com/fbverify/go/schema"

// value is what a slot holds.
type value struct {
	n     schema.Integer
	at    uint64 // of the vector or the table that it is of; of one that is due, of the table
	known bool
	due   bool   // known as soon as somebody asks: see resolve
	limit uint64 // of a glance: how many indexes are below n, as far as a long says it
}

// bounds sets the limit.
func (v *value) bounds() {
	if v.known && v.n.High == 0 {
		v.limit = min(v.n.Low, 1<<63-1)
	}
}

// calculate does the arithmetic of an operand.
func calculate(n schema.Integer, arithmetic byte, by int64) schema.Integer {
	switch arithmetic {
	case '+':
		return n.Add(schema.Signed(by))
	case '-':
		return n.Add(schema.Signed(-by))
	case '*':
		return n.Times(by)
	case '/':
		return n.Divide(by)
	}
	return n
}

// evaluate returns the number that an operand stands for in the table or struct o. Where
// the verdict is to be remembered, it depends on all slots that were used: see need.
func (w *walker) evaluate(op *operand, o *object) value {
	switch op.kind {
	case literal:
		return value{n: op.n, known: true}
	case slotted:
		if w.slots[op.slot].due {
			w.resolve(op.slot)
		}
		return w.slots[op.slot]
	}
	from := *o
	if op.slot >= 0 {
		v := &w.slots[op.slot]
		if !v.known {
			return value{}
		}
		w.exactly(op.slot)
		from = w.tableAt(v.at)
	}
	v := w.along(op.steps, &from, o)
	v.n = calculate(v.n, op.arithmetic, op.by)
	return v
}

// resolve fills a slot whose table was entered. Most are asked for in few tables.
func (w *walker) resolve(slot int) {
	o := w.tableAt(w.slots[slot].at)
	w.slots[slot] = w.evaluate(w.p.slots[slot].operand, &o)
	w.slots[slot].bounds()
}

// along follows the steps of a path. What is behind an absent field has the length 0, or its
// default. here is where the fields that hold indexes are looked for.
func (w *walker) along(steps []step, from, here *object) value {
	o := *from
	for i := range steps {
		s := &steps[i]
		at := w.field(&o, s.place)
		if at == 0 {
			last := &steps[len(steps)-1]
			if last.kind == stepScalar {
				return value{n: last.def, known: true}
			}
			return value{known: true}
		}
		switch s.kind {
		case stepScalar:
			return value{n: w.load(at, s.base), at: at, known: true}
		case stepLength:
			at = w.follow(at, s.wide)
			n, _ := w.vector(at, s.long)
			return value{n: schema.Unsigned(n), at: at, known: true}
		case stepKeyed:
			at = w.follow(at, s.wide)
			return value{n: schema.Unsigned(at), at: at, known: true}
		case stepStruct:
			o = object{pos: at}
		case stepTable:
			o = w.tableAt(w.follow(at, false))
		case stepElement, stepNumber:
			n, data := w.vector(w.follow(at, s.wide), s.long)
			x := w.evaluate(s.index, here)
			if !x.known {
				return value{}
			}
			if x.n.High != 0 || x.n.Low >= n {
				return value{known: true} // an element that there is not has nothing in it
			}
			if s.kind == stepNumber {
				at = data + uint64(s.base.Size())*x.n.Low
				return value{n: w.load(at, s.base), at: at, known: true}
			}
			o = w.tableAt(w.follow(data+4*x.n.Low, false))
		}
	}
	return value{known: true}
}

// isSet reports whether the field that a path ends in is there; known is false where the
// table that it starts from is not.
func (w *walker) isSet(op *operand, o *object) (set, known bool) {
	if op.kind == slotted {
		return w.slots[op.slot].known, true // a fact, which stays as it is
	}
	from := *o
	if op.slot >= 0 {
		v := &w.slots[op.slot]
		if !v.known {
			return false, false
		}
		w.exactly(op.slot)
		from = w.tableAt(v.at)
	}
	for i := range op.steps {
		s := &op.steps[i]
		at := w.field(&from, s.place)
		switch {
		case at == 0:
			return false, true
		case i == len(op.steps)-1:
			if s.kind == stepUnion {
				tag := w.field(&from, place{off: s.off - 2})
				return tag != 0 && w.load(tag, s.tag) != schema.Integer{}, true
			}
			return true, true
		}
		switch s.kind {
		case stepStruct:
			from = object{pos: at}
		case stepTable:
			from = w.tableAt(w.follow(at, false))
		case stepElement:
			n, data := w.vector(w.follow(at, s.wide), s.long)
			x := w.evaluate(s.index, o)
			if !x.known {
				return false, false
			}
			if x.n.High != 0 || x.n.Low >= n {
				return false, true
			}
			from = w.tableAt(w.follow(data+4*x.n.Low, false))
		}
	}
	return false, true
}

// holds reports whether n is in the relation to the operands; known is false where one of
// them is not. Where the verdict is remembered, need notes for which values it stays.
func (w *walker) holds(c *condition, n schema.Integer, o *object) (holds, known bool) {
	for i := range c.operands {
		op := &c.operands[i]
		v := w.evaluate(op, o)
		if !v.known {
			w.missing = op
			return false, false
		}
		if w.memo != nil && op.kind == slotted {
			w.needFor(c.relation, op.slot, n)
		}
		if relates(c.relation, n, v.n) {
			return true, true
		}
	}
	return false, true
}

func relates(r schema.Relation, n, m schema.Integer) bool {
	switch r {
	case schema.EqualTo, schema.OneOf:
		return n == m
	case schema.NotEqualTo:
		return n != m
	case schema.LessThan:
		return n.Compare(m) < 0
	case schema.AtMost:
		return n.Compare(m) <= 0
	case schema.GreaterThan:
		return n.Compare(m) > 0
	case schema.AtLeast:
		return n.Compare(m) >= 0
	case schema.MultipleOf:
		return n.IsMultiple(m)
	}
	return false
}

// applies reports whether all tests of a check hold.
func (w *walker) applies(c *check, o *object, f *frame) bool {
	for i := range c.tests {
		t := &c.tests[i]
		if t.masked {
			if n := w.scalar(o, &t.of.steps[0].stored); n.High == 0 && n.Low < 64 {
				if t.mask>>n.Low&1 == 0 {
					return false
				}
				continue
			}
		}
		if t.relation >= schema.Set {
			set, known := w.isSet(&t.of, o)
			if !known {
				w.unstated(c, &t.of, o, f)
				return false
			}
			if set != (t.relation == schema.Set) {
				return false
			}
			continue
		}
		v := w.evaluate(&t.of, o)
		if !v.known {
			w.unstated(c, &t.of, o, f)
			return false
		}
		if t.of.kind == slotted {
			w.exactly(t.of.slot)
		}
		for j := range t.operands {
			if op := &t.operands[j]; op.kind == slotted {
				w.exactly(op.slot)
			}
		}
		holds, known := w.holds(&t.condition, v.n, o)
		if !known {
			w.unstated(c, w.missing, o, f)
			return false
		}
		if !holds {
			return false
		}
	}
	return true
}
