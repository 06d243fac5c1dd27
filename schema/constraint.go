package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// Constraint is what the values of a field have to be besides whole: a user attribute
// that flatc and every other tool pass over, once it is declared. DESIGN.md has the
// grammar, and docs/constraints.md says how to write them.
type Constraint struct {
	Kind  ConstraintKind
	Owner *Object
	Field *Field

	// Bound is the operand of MustIndex, MustLieIn and MustBeKeyOf.
	Bound Operand

	// Conditions are those of MustBe and MustHave. All of them have to hold.
	Conditions []Condition

	// With is, of MustLieIn, the field that holds the length, and From the one that holds
	// the offset. From is nil where that is Field itself; else Field is a struct or a vector
	// of structs, and both are fields of those.
	With, From *Field

	// By is, of MustBeSorted and MustBeUnique, the field of the elements that is
	// compared; nil where the elements themselves are.
	By *Field

	// Function is, of MustSatisfy, the name of the function.
	Function string

	// MayBe are the values (of MustHave, the lengths) that pass whatever else is asked.
	MayBe []Operand

	// If are tests of the table that holds the field, or of one around it: the
	// constraint is asked only where all of them hold.
	If []Test
}

// ConstraintKind says what is asked.
type ConstraintKind uint8

// The kinds. Those of numbers hold for each element of a vector or an array, and for the
// default of a scalar that is absent; an optional scalar that is absent has no value.
const (
	MustBeSet    ConstraintKind = iota + 1 // the field is there; the type of a union is not NONE
	MustBeKnown                            // a value, or a union's type, that the schema names; of flags only those named
	MustIndex                              // a number from 0 on below Bound
	MustBe                                 // a number that meets the Conditions
	MustHave                               // a vector or string whose length does; 0 where it is absent
	MustLieIn                              // a number from 0 on that comes, with With added, to no more than Bound
	MustBeKeyOf                            // a number or string that binary search finds in the keyed vector Bound
	MustBeSorted                           // no element is less than the one before
	MustBeUnique                           // no two elements are equal
	MustSatisfy                            // a function of Go says so
)

var constraintNames = [...]string{
	MustBeSet: "must_be_set", MustBeKnown: "must_be_known", MustIndex: "must_index", MustBe: "must_be",
	MustHave: "must_have", MustLieIn: "must_lie_in", MustBeKeyOf: "must_be_key_of",
	MustBeSorted: "must_be_sorted", MustBeUnique: "must_be_unique", MustSatisfy: "must_satisfy",
}

// String returns the attribute.
func (k ConstraintKind) String() string { return constraintNames[k] }

// The attributes that say more of the others at the same field.
const (
	attrMayBe   = "may_be"   // values that pass
	attrMayHave = "may_have" // lengths that pass
	attrFrom    = "from"     // the field with the offset, where must_lie_in is of structs
	attrWith    = "with"     // the field that must_lie_in adds
)

// ConstraintAttributes returns the names of the attributes that constraints are written
// with, to be declared.
func ConstraintAttributes() []string {
	list := append([]string(nil), constraintNames[1:]...)
	return append(list, attrMayBe, attrMayHave, attrFrom, attrWith)
}

// Relation is how a number is held against operands.
type Relation uint8

// The relations.
const (
	EqualTo Relation = iota
	NotEqualTo
	LessThan
	AtMost
	GreaterThan
	AtLeast
	MultipleOf
	OneOf
	Set    // of a test: the field is there, or the fact was stated
	NotSet // of a test: the field is absent
)

var relationNames = [...]string{"==", "!=", "<", "<=", ">", ">=", "multiple of", "one of", "is set", "is not set"}

// String returns the comparison as a schema writes it.
func (r Relation) String() string { return relationNames[r] }

// Condition is a comparison with an operand, or with several of which one has to be equal.
type Condition struct {
	Relation Relation
	Operands []Operand
}

// Test is a condition for another value than the field's own.
type Test struct {
	Of Operand
	Condition
}

// OperandKind says where an operand comes from.
type OperandKind uint8

// The kinds of operands.
const (
	LiteralInteger OperandKind = iota + 1
	LiteralReal
	Fact      // what the caller of a verification states
	FieldPath // a number, or the length of a vector or a string
)

// Operand is what a number is held against.
type Operand struct {
	Kind    OperandKind
	Integer Integer // LiteralInteger
	Real    float64 // LiteralReal
	Name    string  // of a Fact, without the "@"; of a literal that names an enum's value, that name
	Path    *Path   // FieldPath

	// Arithmetic is '+', '-', '*' or '/' (rounded down) with By, or 0.
	Arithmetic byte
	By         int64
}

// Path leads from the nearest enclosing table of a type to a field.
type Path struct {
	Type  *Object // the owner of the constraint's field itself, or a table around it
	Steps []Step  // at least one: all but the last lead to tables or structs
}

// Step is one field of a path.
type Step struct {
	Field *Field
	Index *Path // of a vector of tables or integers: the field that holds the index of the element; nil for other fields

	// Fixed says that the element is the one with the number Element, whatever the buffer says.
	Fixed   bool
	Element uint64
}

// IsElement reports whether the step goes to an element of its field.
func (s *Step) IsElement() bool { return s.Index != nil || s.Fixed }

// Last returns the field that the path ends in.
func (p *Path) Last() *Field { return p.Steps[len(p.Steps)-1].Field }

// End returns the type of what the path ends in: of the field, or of an element of it.
func (p *Path) End() Type {
	if s := &p.Steps[len(p.Steps)-1]; s.IsElement() {
		return s.Field.Type.ElementType()
	}
	return p.Last().Type
}

// String returns the path as a schema writes it, with the last word of the type's name.
func (p *Path) String() string {
	var b strings.Builder
	b.WriteString(p.Type.ShortName())
	for _, s := range p.Steps {
		b.WriteByte('.')
		b.WriteString(s.Field.Name)
		switch {
		case s.Fixed:
			fmt.Fprintf(&b, "[%d]", s.Element)
		case s.Index != nil:
			fmt.Fprintf(&b, "[%s]", s.Index)
		}
	}
	return b.String()
}

// String returns the operand as a schema writes it.
func (o Operand) String() string {
	var text string
	switch o.Kind {
	case LiteralInteger:
		text = o.Integer.String()
		if o.Name != "" {
			text = o.Name
		}
	case LiteralReal:
		text = strconv.FormatFloat(o.Real, 'g', -1, 64)
	case Fact:
		text = "@" + o.Name
	case FieldPath:
		text = o.Path.String()
	}
	if o.Arithmetic != 0 {
		text += fmt.Sprintf(" %c %d", o.Arithmetic, o.By)
	}
	return text
}

// String returns the condition as a schema writes it.
func (c Condition) String() string {
	if len(c.Operands) == 0 {
		return c.Relation.String()
	}
	return c.Relation.String() + " " + operandList(c.Operands)
}

// String returns the test as a schema writes it.
func (t Test) String() string { return t.Of.String() + " " + t.Condition.String() }

func operandList(list []Operand) string {
	texts := make([]string, len(list))
	for i, o := range list {
		texts[i] = o.String()
	}
	return strings.Join(texts, " | ")
}

// String returns the constraint as a schema writes it: the attribute, what it asks, and
// the attributes that go with it.
func (c *Constraint) String() string {
	var value string
	switch c.Kind {
	case MustIndex, MustBeKeyOf, MustLieIn:
		value = c.Bound.String()
	case MustBe, MustHave:
		list := make([]string, len(c.Conditions))
		for i, d := range c.Conditions {
			list[i] = d.String()
		}
		value = strings.Join(list, ", ")
	case MustBeSorted, MustBeUnique:
		if c.By != nil {
			value = c.By.Name
		}
	case MustSatisfy:
		value = c.Function
	}
	if len(c.If) > 0 {
		list := make([]string, len(c.If))
		for i, t := range c.If {
			list[i] = t.String()
		}
		value = strings.TrimLeft(value+" if "+strings.Join(list, ", "), " ")
	}
	text := c.Kind.String()
	if value != "" {
		text += ": " + strconv.Quote(value)
	}
	if c.From != nil {
		text += fmt.Sprintf(", %s: %q", attrFrom, c.From.Name)
	}
	if c.With != nil {
		text += fmt.Sprintf(", %s: %q", attrWith, c.With.Name)
	}
	if len(c.MayBe) > 0 {
		key := attrMayBe
		if c.Kind == MustHave {
			key = attrMayHave
		}
		text += fmt.Sprintf(", %s: %q", key, operandList(c.MayBe))
	}
	return text
}

// ConstraintError is a mistake in a constraint.
type ConstraintError struct {
	Key    string // the attribute
	Offset int    // bytes into its value; -1 where the attribute itself is at fault
	Text   string
}

// Error returns the attribute and what is wrong with it.
func (e *ConstraintError) Error() string { return e.Key + ": " + e.Text }
