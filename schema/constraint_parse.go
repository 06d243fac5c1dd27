package schema

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fbverify/go/schema/internal/words"
)

// Constraints returns what the attributes of a field of o ask of its values, nil where
// they ask nothing. The error, where there is one, is a [*ConstraintError]. The schema's
// objects have to be in order of their names, as [Schema.Check] wants them.
func (s *Schema) Constraints(o *Object, f *Field) ([]Constraint, error) {
	return s.ConstraintsOf()(o, f)
}

// ConstraintsOf returns a function that is [Schema.Constraints] for many fields of s: what has
// to be known of the whole schema is found out once. It is not for several goroutines at a
// time, and holds for as long as the schema is not changed.
func (s *Schema) ConstraintsOf() func(o *Object, f *Field) ([]Constraint, error) {
	a := &around{s: s}
	return func(o *Object, f *Field) ([]Constraint, error) { return s.constraints(o, f, a) }
}

func (s *Schema) constraints(o *Object, f *Field, a *around) ([]Constraint, error) {
	var list []Constraint
	var modifier string // one that nothing is there for yet
	uses := map[string]bool{}
	for _, attr := range f.Attributes {
		switch attr.Key {
		case attrMayBe, attrMayHave, attrFrom, attrWith:
			modifier = attr.Key
		}
		kind := ConstraintKind(max(0, slices.Index(constraintNames[1:], attr.Key)+1))
		if kind == 0 {
			continue
		}
		p := &constraintParser{s: s, owner: o, field: f, key: attr.Key, text: attr.Value}
		if p.text == "0" && kind.isFlag() {
			p.text = "" // what a .bfbs shows where there is none
		}
		more, err := p.clauses(kind)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
		switch kind {
		case MustHave:
			uses[attrMayHave] = true
		case MustLieIn:
			uses[attrMayBe], uses[attrFrom], uses[attrWith] = true, true, true
		case MustIndex, MustBe, MustBeKnown, MustBeKeyOf:
			uses[attrMayBe] = true
		}
	}
	if len(list) == 0 {
		// Somebody else's attribute of that name is none of our business.
		return nil, nil
	}
	if modifier != "" && !uses[modifier] {
		return nil, &ConstraintError{modifier, -1, "no other attribute of the field asks for it"}
	}
	if err := s.modifiers(o, f, list); err != nil {
		return nil, err
	}
	for i := range list {
		if err := s.checkConstraint(&list[i], a); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// isFlag reports whether the attribute may stand without a value.
func (k ConstraintKind) isFlag() bool {
	return k == MustBeSet || k == MustBeKnown || k == MustBeSorted || k == MustBeUnique
}

// modifiers reads may_be, may_have and with.
func (s *Schema) modifiers(o *Object, f *Field, list []Constraint) error {
	for _, key := range []string{attrMayBe, attrMayHave} {
		value, ok := f.Attribute(key)
		if !ok {
			continue
		}
		p := &constraintParser{s: s, owner: o, field: f, key: key, text: value}
		if key == attrMayBe {
			p.enum = f.Type.Enum
		}
		p.next()
		operands, err := p.operands()
		if err != nil {
			return err
		}
		if p.tok != "" {
			return p.unexpected("\"|\" or the end")
		}
		for _, op := range operands {
			if op.Kind != LiteralInteger || op.Arithmetic != 0 {
				return p.fail(0, "what may be there besides has to be numbers with \"|\" between them, or names of the enum's values")
			}
		}
		for i := range list {
			switch list[i].Kind {
			case MustHave:
				if key == attrMayHave {
					list[i].MayBe = operands
				}
			case MustIndex, MustBe, MustBeKnown, MustLieIn, MustBeKeyOf:
				if key == attrMayBe {
					list[i].MayBe = operands
				}
			}
		}
	}
	for i := range list {
		c := &list[i]
		if c.Kind != MustLieIn {
			continue
		}
		holder := o
		if _, ok := f.Attribute(attrFrom); ok {
			if v := f.value(); !v.IsStruct() || f.Type.Base == Array {
				return &ConstraintError{attrFrom, -1, fmt.Sprintf("it names a field of a struct, or of the structs of a vector, and the type here is %s", f.Type)}
			}
			holder = f.value().Object
			var err error
			if c.From, err = measured(holder, f, attrFrom); err != nil {
				return err
			}
		}
		if _, ok := f.Attribute(attrWith); !ok {
			return &ConstraintError{c.Kind.String(), -1, "with: \"field\" has to name the field that holds the length"}
		}
		var err error
		if c.With, err = measured(holder, f, attrWith); err != nil {
			return err
		}
	}
	return nil
}

// measured returns the field of holder that from or with names: an integer.
func measured(holder *Object, f *Field, key string) (*Field, error) {
	name, _ := f.Attribute(key)
	m := holder.Field(name)
	switch {
	case m == nil:
		return nil, &ConstraintError{key, 0, fmt.Sprintf("%s has no field %s%s", holder.Name, words.Quote(name), words.DidYouMean(name, holder.fieldNames()))}
	case !m.Type.IsInteger() || m.Type.Base == UType || m.Deprecated:
		return nil, &ConstraintError{key, 0, fmt.Sprintf("offsets and lengths are integers, and %s is %s", m.Name, m.Type)}
	}
	return m, nil
}

func (o *Object) fieldNames() []string {
	names := make([]string, len(o.Fields))
	for i, f := range o.Fields {
		names[i] = f.Name
	}
	return names
}

// constraintParser reads the value of one attribute.
type constraintParser struct {
	s     *Schema
	owner *Object
	field *Field
	enum  *Enum // whose values can be named
	key   string
	text  string

	tok   string // the current token, "" at the end
	start int    // where it is
	pos   int    // behind it
}

// mostClauses bounds what one attribute asks: each clause costs at each value.
const mostClauses = 64

func (p *constraintParser) fail(at int, format string, args ...any) error {
	return &ConstraintError{p.key, at, fmt.Sprintf(format, args...)}
}

func (p *constraintParser) unexpected(want string) error {
	if p.tok == "" {
		return p.fail(p.start, "found the end, expected %s", want)
	}
	return p.fail(p.start, "found %s, expected %s", words.Quote(p.tok), want)
}

// next reads a token: a word, a number, or signs.
func (p *constraintParser) next() {
	t := p.text
	for p.pos < len(t) && (t[p.pos] == ' ' || t[p.pos] == '\t' || t[p.pos] == '\n' || t[p.pos] == '\r') {
		p.pos++
	}
	p.start = p.pos
	if p.pos == len(t) {
		p.tok = ""
		return
	}
	c := t[p.pos]
	p.pos++
	switch {
	case words.IsLetter(c):
		for p.pos < len(t) && (words.IsLetter(t[p.pos]) || words.IsDigit(t[p.pos])) {
			p.pos++
		}
	case words.IsDigit(c):
		for p.pos < len(t) && (words.IsLetter(t[p.pos]) || words.IsDigit(t[p.pos]) || t[p.pos] == '.' ||
			(t[p.pos] == '-' || t[p.pos] == '+') && t[p.pos-1]|0x20 == 'e') {
			p.pos++
		}
	case (c == '=' || c == '!' || c == '<' || c == '>') && p.pos < len(t) && t[p.pos] == '=':
		p.pos++
	case c >= 0x80:
		for p.pos < len(t) && t[p.pos] >= 0x80 {
			p.pos++
		}
	}
	p.tok = t[p.start:p.pos]
}

func (p *constraintParser) take(tok string) bool {
	if p.tok != tok {
		return false
	}
	p.next()
	return true
}

// clauses reads: clause { ";" clause }. Each clause is a constraint.
func (p *constraintParser) clauses(kind ConstraintKind) ([]Constraint, error) {
	if len(p.text) > 1<<14 {
		return nil, p.fail(0, "the value has %d bytes, and %d are allowed", len(p.text), 1<<14)
	}
	p.next()
	var list []Constraint
	for {
		if len(list) == mostClauses {
			return nil, p.fail(p.start, "more than %d clauses", mostClauses)
		}
		c := Constraint{Kind: kind, Owner: p.owner, Field: p.field}
		if err := p.clause(&c); err != nil {
			return nil, err
		}
		list = append(list, c)
		switch {
		case p.tok == "":
			return list, nil
		case !p.take(";"):
			return nil, p.unexpected("\";\", \"if\" or the end")
		}
	}
}

// clause reads: what is asked [ "if" test { "," test } ].
func (p *constraintParser) clause(c *Constraint) (err error) {
	switch c.Kind {
	case MustIndex, MustLieIn, MustBeKeyOf:
		c.Bound, err = p.operand()
	case MustBe:
		p.enum = p.field.Type.Enum
		c.Conditions, err = p.conditions()
	case MustHave:
		c.Conditions, err = p.conditions()
	case MustBeSorted, MustBeUnique:
		if words.IsIdentifier(p.tok) && p.tok != "if" {
			elem := p.field.Type.ElementType()
			if elem.Base != Obj {
				return p.fail(p.start, "the elements of %s have no fields", p.field.Type)
			}
			if c.By = elem.Object.Field(p.tok); c.By == nil {
				return p.fail(p.start, "%s has no field %s%s", elem.Object.Name, words.Quote(p.tok), words.DidYouMean(p.tok, elem.Object.fieldNames()))
			}
			p.next()
		}
	case MustSatisfy:
		if !words.IsIdentifier(p.tok) {
			return p.unexpected("the name of a function")
		}
		for {
			c.Function += p.tok
			p.next()
			if !p.take(".") {
				break
			}
			c.Function += "."
			if !words.IsIdentifier(p.tok) {
				return p.unexpected("a name after the dot")
			}
		}
	}
	if err != nil || !p.take("if") {
		return err
	}
	for {
		t, err := p.test()
		if err != nil {
			return err
		}
		c.If = append(c.If, t)
		if !p.take(",") {
			return nil
		}
	}
}

// conditions reads: condition { "," condition }.
func (p *constraintParser) conditions() ([]Condition, error) {
	var list []Condition
	for {
		c, err := p.condition()
		if err != nil {
			return nil, err
		}
		if list = append(list, c); !p.take(",") {
			return list, nil
		}
	}
}

const allowedComparisons = "a comparison: ==, !=, <, <=, >, >=, \"multiple of\" or \"one of\""

// condition reads a comparison and its operands.
func (p *constraintParser) condition() (c Condition, err error) {
	switch p.tok {
	case "multiple", "one":
		c.Relation = map[string]Relation{"multiple": MultipleOf, "one": OneOf}[p.tok]
		p.next()
		if !p.take("of") {
			return c, p.unexpected("\"of\"")
		}
		if c.Relation == OneOf {
			c.Operands, err = p.operands()
			return c, err
		}
	default:
		i := slices.Index(relationNames[:MultipleOf], p.tok)
		if i < 0 {
			return c, p.unexpected(allowedComparisons)
		}
		c.Relation = Relation(i)
		p.next()
	}
	op, err := p.operand()
	c.Operands = []Operand{op}
	return c, err
}

// test reads: path ( condition | "is" [ "not" ] "set" ).
func (p *constraintParser) test() (t Test, err error) {
	enum := p.enum
	defer func() { p.enum = enum }()
	at := p.start
	p.enum = nil
	if t.Of, err = p.operand(); err != nil {
		return t, err
	}
	if t.Of.Kind != FieldPath && t.Of.Kind != Fact {
		return t, p.fail(at, "a test is of a field or a fact, not of a number")
	}
	if p.take("is") {
		t.Relation = Set
		if p.take("not") {
			t.Relation = NotSet
		}
		if !p.take("set") {
			return t, p.unexpected("\"set\" or \"not set\"")
		}
		if t.Of.Arithmetic != 0 {
			return t, p.fail(at, "only a field or a fact can be set or not")
		}
		return t, nil
	}
	if t.Of.Kind == FieldPath {
		end := t.Of.Path.End()
		if _, ok := measure(end); !ok {
			return t, p.fail(at, "%s is %s, and neither a number nor something that has a length: it can only be tested for \"is set\" or \"is not set\"", t.Of.Path.Last().Name, end)
		}
		if end.IsScalar() {
			p.enum = end.Enum
		}
	}
	t.Condition, err = p.condition()
	return t, err
}

// operands reads: operand { "|" operand }.
func (p *constraintParser) operands() ([]Operand, error) {
	var list []Operand
	for {
		o, err := p.operand()
		if err != nil {
			return nil, err
		}
		if list = append(list, o); !p.take("|") {
			return list, nil
		}
	}
}

// operand reads: ( number | "@" name | name of an enum's value | path ) [ ("+" | "-" | "*" | "/") integer ].
func (p *constraintParser) operand() (o Operand, err error) {
	switch {
	case p.tok == "@":
		p.next()
		if !words.IsIdentifier(p.tok) {
			return o, p.unexpected("the name of a fact")
		}
		o.Kind, o.Name = Fact, p.tok
		p.next()
	case p.tok == "-" || p.tok == "+" || p.tok != "" && words.IsDigit(p.tok[0]):
		if o, err = p.number(); err != nil {
			return o, err
		}
	case p.tok != "" && words.IsLetter(p.tok[0]):
		if o, err = p.named(); err != nil {
			return o, err
		}
	default:
		return o, p.unexpected("a number, \"@fact\", or a field such as \"Type.field\"")
	}
	switch p.tok {
	case "+", "-", "*", "/":
		if o.Kind != Fact && o.Kind != FieldPath {
			return o, p.unexpected("no arithmetic with a number: write the result")
		}
		o.Arithmetic = p.tok[0]
		p.next()
		n, err := strconv.ParseInt(p.tok, 10, 32)
		if err != nil || n <= 0 {
			return o, p.unexpected("a number from 1 to 2147483647")
		}
		o.By = n
		p.next()
	}
	return o, nil
}

func (p *constraintParser) number() (o Operand, err error) {
	at, text := p.start, ""
	if p.tok == "-" || p.tok == "+" {
		text = p.tok
		p.next()
	}
	text += p.tok
	if n, ok := integerOf(text); ok && p.tok != "" {
		p.next()
		return Operand{Kind: LiteralInteger, Integer: n}, nil
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(x) && p.tok != "" && words.IsDigit(p.tok[0]) {
		p.next()
		return Operand{Kind: LiteralReal, Real: x}, nil
	}
	return o, p.fail(at, "%s is no number of at most 64 bits", words.Quote(text))
}

// named reads the name of an enum's value, or a path.
func (p *constraintParser) named() (o Operand, err error) {
	if e := p.enum; e != nil {
		if v := e.Value(p.tok); v != nil {
			name := p.tok
			p.next()
			if p.tok != "." {
				return literalOf(e, v, name), nil
			}
			p.pos = p.start // no value's name has a dot behind it: read it again
			p.restart(name)
		}
	}
	path, err := p.path()
	return Operand{Kind: FieldPath, Path: path}, err
}

// restart makes a word that was read just before the current token the current one again.
func (p *constraintParser) restart(word string) {
	p.pos = strings.LastIndex(p.text[:p.start], word)
	p.next()
}

func literalOf(e *Enum, v *EnumValue, name string) Operand {
	n := Signed(v.Value)
	if e.Underlying.IsUnsigned() {
		n = Unsigned(uint64(v.Value))
	}
	return Operand{Kind: LiteralInteger, Integer: n, Name: name}
}

// path reads: [ Type "." ] field [ "[" path "]" ] { "." field [ "[" path "]" ] }.
func (p *constraintParser) path() (*Path, error) {
	return p.pathWithin(0)
}

const mostSubscripts = 4

func (p *constraintParser) pathWithin(depth int) (*Path, error) {
	path := &Path{}
	if o, end := p.typeAhead(); o != nil {
		path.Type = o
		p.pos = end
		p.next() // the dot
		p.next()
	} else {
		path.Type = p.owner
	}
	o := path.Type
	for {
		at := p.start
		if !words.IsIdentifier(p.tok) {
			return nil, p.unexpected("the name of a field")
		}
		f := o.Field(p.tok)
		if f == nil {
			what := fmt.Sprintf("%s has no field %s%s", o.Name, words.Quote(p.tok), words.DidYouMean(p.tok, o.fieldNames()))
			if len(path.Steps) == 0 && o == p.owner {
				if p.enum != nil {
					what += fmt.Sprintf(", and %s no such value", p.enum.Name)
				}
				what += "; to reach another table write \"Type.field\""
			}
			return nil, p.fail(at, "%s", what)
		}
		if f.Deprecated {
			return nil, p.fail(at, "%s.%s is deprecated: nothing reads it", o.Name, f.Name)
		}
		p.next()
		step := Step{Field: f}
		if p.take("[") {
			if e := f.Type.ElementType(); !f.Type.IsVector() || !e.IsTable() && (!e.IsInteger() || e.Base == UType) {
				return nil, p.fail(at, "only an element of a vector of tables or integers can be looked up, and %s is %s", f.Name, f.Type)
			}
			if depth == mostSubscripts {
				return nil, p.fail(at, "more than %d indexes inside one another", mostSubscripts)
			}
			if n, err := strconv.ParseUint(p.tok, 10, 31); err == nil {
				step.Fixed, step.Element = true, n
				p.next()
			} else {
				if step.Index, err = p.pathWithin(depth + 1); err != nil {
					return nil, err
				}
				if t := step.Index.End(); !t.IsInteger() {
					return nil, p.fail(at, "%s is no index: it is %s", step.Index, t)
				}
			}
			if !p.take("]") {
				return nil, p.unexpected("\"]\"")
			}
		}
		path.Steps = append(path.Steps, step)
		if p.tok != "." {
			if step.IsElement() && f.Type.Element == Obj {
				return nil, p.unexpected("a dot and a field of the element")
			}
			return path, nil
		}
		t := f.Type
		if step.IsElement() {
			t = t.ElementType()
		}
		if t.Base != Obj {
			return nil, p.fail(at, "%s is %s, and has no fields to go on to", f.Name, f.Type)
		}
		p.next()
		o = t.Object
	}
}

// typeAhead looks for the longest name of an object at the current token that has a dot
// and a word behind it, and returns where it ends.
func (p *constraintParser) typeAhead() (*Object, int) {
	rest := p.text[p.start:]
	end := 0
	for end < len(rest) && (words.IsLetter(rest[end]) || words.IsDigit(rest[end]) || rest[end] == '.') {
		end++
	}
	for name := rest[:end]; ; {
		dot := strings.LastIndexByte(name, '.')
		if dot < 0 {
			return nil, 0
		}
		name = name[:dot]
		for _, full := range words.Candidates(p.owner.Namespace(), name) {
			if o := p.s.sortedObject(full); o != nil {
				return o, p.start + len(name)
			}
		}
	}
}
