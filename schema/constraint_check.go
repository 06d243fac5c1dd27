package schema

import "fmt"

// measure says what an operand that ends in a field of type t is: its number, or the
// length of what it leads to.
func measure(t Type) (isLength, ok bool) {
	switch {
	case t.IsInteger():
		return false, true
	case t.IsVector() || t.Base == String:
		return true, true
	}
	return false, false
}

// value returns the type of the numbers that a constraint of values is about.
func (f *Field) value() Type {
	if f.Type.IsVector() || f.Type.Base == Array {
		return f.Type.ElementType()
	}
	return f.Type
}

// checkConstraint checks that a constraint can be asked of its field, and that something
// can meet it.
func (s *Schema) checkConstraint(c *Constraint, a *around) error {
	f, t, v := c.Field, c.Field.Type, c.Field.value()
	fail := func(format string, args ...any) error {
		return &ConstraintError{c.Kind.String(), -1, fmt.Sprintf(format, args...)}
	}
	if f.Deprecated {
		return fail("the field is deprecated: nothing reads it")
	}
	integers := v.IsInteger() && v.Base != UType
	switch c.Kind {
	case MustBeSet:
		switch {
		case c.Owner.IsStruct:
			return fail("a field of a struct is always there")
		case t.IsScalar() && !f.Optional:
			return fail("a scalar with a default is never absent to those who read it: give it \"= null\", or ask for its value with must_be")
		}
	case MustBeKnown:
		if v.Enum == nil || t.Base == UType || v.Base == UType {
			return fail("only an enum or a union has values with names, and the type here is %s", t)
		}
	case MustIndex:
		if !integers {
			return fail("only an integer, or a vector or array of integers, can be an index, and the type here is %s", t)
		}
	case MustLieIn:
		if c.From == nil && (!t.IsInteger() || t.Base == UType) {
			return fail("only an integer can be an offset into something, and the type here is %s; of structs, from: \"field\" names the offset", t)
		}
	case MustBe:
		if !integers && !v.IsFloat() {
			return fail("only numbers, and vectors and arrays of numbers, can be compared, and the type here is %s", t)
		}
	case MustHave:
		if isLength, _ := measure(t); !isLength {
			return fail("only a vector or a string has a length, and the type here is %s", t)
		}
	case MustSatisfy:
		if c.Owner.IsStruct {
			return fail("functions are asked about tables, and %s is a struct", c.Owner.Name)
		}
	case MustBeKeyOf:
		if !integers && v.Base != String {
			return fail("only an integer or a string can be looked for, and the type here is %s", t)
		}
	case MustBeSorted, MustBeUnique:
		if !t.IsVector() && t.Base != Array {
			return fail("only a vector or an array has an order, and the type here is %s", t)
		}
		by := v
		if c.By != nil {
			if by = c.By.Type; c.By.Deprecated {
				return fail("%s is deprecated: nothing reads it", c.By.Name)
			}
		} else if v.Base == Obj {
			return fail("name the field of %s that is compared", v)
		}
		if !by.IsInteger() && by.Base != String || by.Base == UType {
			return fail("integers and strings can be compared, not %s", by)
		}
	}
	for _, p := range c.bounds() {
		if err := s.checkOperand(c, p, a); err != nil {
			return err
		}
	}
	for _, t := range c.If {
		if err := a.encloses(c, t.Of); err != nil {
			return err
		}
		for _, o := range t.Operands {
			if err := s.checkOperand(c, o, a); err != nil {
				return err
			}
		}
		if t.Relation == MultipleOf && !positive(t.Operands[0]) {
			return fail("nothing is a multiple of %s", t.Operands[0])
		}
	}
	for _, o := range c.MayBe {
		base := v.Base
		switch {
		case c.Kind == MustHave:
			base = ULong
		case c.From != nil:
			base = c.From.Type.Base
		}
		if !inRange(base, o.Integer) {
			return &ConstraintError{attrMayBe, -1, fmt.Sprintf("no %s is %s", base, o)}
		}
	}
	if c.Kind == MustBe || c.Kind == MustHave {
		return s.satisfiable(c, v)
	}
	return nil
}

// bounds returns the operands that the values are held against.
func (c *Constraint) bounds() []Operand {
	if c.Bound.Kind != 0 {
		return []Operand{c.Bound}
	}
	var list []Operand
	for _, d := range c.Conditions {
		list = append(list, d.Operands...)
	}
	return list
}

func positive(o Operand) bool {
	return o.Kind != LiteralInteger && o.Kind != LiteralReal || o.Kind == LiteralInteger && o.Integer.Compare(Signed(0)) > 0
}

// inRange reports whether an integer is one of the type's.
func inRange(b BaseType, n Integer) bool {
	least, most := b.Range()
	return n.Compare(Signed(least)) >= 0 && n.Compare(Unsigned(most)) <= 0
}

// checkOperand checks that an operand is a number that can be known.
func (s *Schema) checkOperand(c *Constraint, o Operand, a *around) error {
	fail := func(format string, args ...any) error {
		return &ConstraintError{c.Kind.String(), -1, fmt.Sprintf(format, args...)}
	}
	if o.Kind == LiteralReal && !c.Field.value().IsFloat() {
		return fail("%s is no integer", o)
	}
	if o.Kind == FieldPath {
		last, end := o.Path.Last(), o.Path.End()
		if c.Kind == MustBeKeyOf && o.Path == c.Bound.Path {
			if err := keyed(c, last); err != nil || o.Arithmetic != 0 {
				return fail("%s has to be a vector of tables whose key is an integer or a string, as what is looked for is", o)
			}
		} else if _, ok := measure(end); !ok {
			return fail("%s is %s, and neither a number nor something that has a length", o.Path, end)
		}
	} else if c.Kind == MustBeKeyOf && o == c.Bound {
		return fail("keys are looked for in a vector of tables, not in %s", o)
	}
	if o.Kind != LiteralReal && c.Field.value().IsFloat() && c.Kind == MustBe && o.Kind != LiteralInteger {
		return fail("a float is compared with numbers alone, not with %s", o)
	}
	return a.encloses(c, o)
}

func keyed(c *Constraint, last *Field) error {
	e := last.Type.ElementType()
	if last.Type.IsVector() && e.IsTable() {
		if k := e.Object.Key(); k != nil {
			looked := c.Field.value()
			if k.Type.IsInteger() && looked.IsInteger() || k.Type.Base == String && looked.Base == String {
				return nil
			}
		}
	}
	return fmt.Errorf("no keyed vector")
}

// around knows which objects can be around others: what each can hold is found out once.
type around struct {
	s     *Schema
	holds map[*Object]map[*Object]bool
	left  int // fields that may still be looked at; 0 at first
}

// encloses checks that a path starts from the owner of the constraint or from a table
// that can be around it.
func (a *around) encloses(c *Constraint, o Operand) error {
	if o.Kind != FieldPath {
		return nil
	}
	for p := []*Path{o.Path}; len(p) > 0; p = p[1:] {
		t := p[0].Type
		fail := func(format string, args ...any) error {
			return &ConstraintError{c.Kind.String(), -1, fmt.Sprintf(format, args...)}
		}
		switch {
		case t == c.Owner:
		case t.IsStruct:
			return fail("%s leads nowhere: %s is a struct, and only tables are around others", o, t.Name)
		default:
			held, ok := a.heldBy(t)
			if !ok {
				return fail("the constraints of the schema start from so many tables that it would take too long to see what is around what")
			}
			if !held[c.Owner] {
				return fail("%s leads nowhere: no %s is around a %s", o, t.Name, c.Owner.Name)
			}
		}
		for _, step := range p[0].Steps {
			if step.Index != nil {
				p = append(p, step.Index)
			}
		}
	}
	return nil
}

// How many fields may be looked at for each field of the schema, and some more: people's
// constraints start from a few tables, a hostile schema's from each.
const (
	lookedAt      = 16
	lookedAtFirst = 1 << 16
)

// heldBy returns the objects that one of the type can hold, and false where too much was
// looked at for others.
func (a *around) heldBy(from *Object) (held map[*Object]bool, ok bool) {
	if held, ok = a.holds[from]; ok {
		return held, true
	}
	if a.holds == nil {
		a.holds = map[*Object]map[*Object]bool{}
		a.left = lookedAtFirst
		for _, o := range a.s.Objects {
			a.left += lookedAt * len(o.Fields)
		}
	}
	held = map[*Object]bool{}
	todo := []*Object{from}
	for len(todo) > 0 {
		o := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		visit := func(next *Object) {
			a.left--
			if next != nil && !held[next] {
				held[next] = true
				todo = append(todo, next)
			}
		}
		for _, f := range o.Fields {
			visit(f.Type.Object)
			if f.Type.HoldsUnion() {
				for _, v := range f.Type.Enum.Values {
					visit(v.Type.Object)
				}
			}
			if nested, _ := NestedRoot(o, f, a.s.sortedObject); nested != nil {
				visit(nested)
			}
		}
		if a.left < 0 {
			return nil, false
		}
	}
	a.holds[from] = held
	return held, true
}

// satisfiable checks that the literals among the conditions leave a value that the type
// can have.
func (s *Schema) satisfiable(c *Constraint, v Type) error {
	fail := func(format string, args ...any) error {
		return &ConstraintError{c.Kind.String(), -1, fmt.Sprintf(format, args...)}
	}
	if v.IsFloat() && c.Kind == MustBe {
		for _, d := range c.Conditions {
			if d.Relation == MultipleOf {
				return fail("a float is no multiple of anything")
			}
		}
		return nil
	}
	base := v.Base
	if c.Kind == MustHave {
		base = ULong
	}
	low, high := base.Range()
	least, most := Signed(low), Unsigned(high)
	for _, d := range c.Conditions {
		o := d.Operands[0]
		if d.Relation == MultipleOf && !positive(o) {
			return fail("nothing is a multiple of %s", o)
		}
		if d.Relation == OneOf {
			for _, o := range d.Operands {
				if o.Kind == LiteralInteger && !inRange(base, o.Integer) {
					return fail("no %s is %s", base, o)
				}
			}
			continue
		}
		if o.Kind != LiteralInteger {
			continue
		}
		switch d.Relation {
		case EqualTo:
			least, most = maxInteger(least, o.Integer), minInteger(most, o.Integer)
		case LessThan:
			most = minInteger(most, o.Integer.Add(Signed(-1)))
		case AtMost:
			most = minInteger(most, o.Integer)
		case GreaterThan:
			least = maxInteger(least, o.Integer.Add(Signed(1)))
		case AtLeast:
			least = maxInteger(least, o.Integer)
		}
		if least.Compare(most) > 0 {
			return fail("no %s meets it: %s leaves none", base, d)
		}
	}
	return nil
}

func minInteger(a, b Integer) Integer {
	if a.Compare(b) < 0 {
		return a
	}
	return b
}

func maxInteger(a, b Integer) Integer {
	if a.Compare(b) > 0 {
		return a
	}
	return b
}

// constraints checks those of all fields.
func (c *checker) constraints() {
	of := c.s.ConstraintsOf()
	for _, o := range c.s.Objects {
		for _, f := range o.Fields {
			if c.full() {
				return
			}
			if _, err := of(o, f); err != nil {
				c.fail(o.Name+"."+f.Name, "%v", err)
			}
		}
	}
}
