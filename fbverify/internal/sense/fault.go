package sense

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fbverify/go/fbverify/internal/rule"
	"github.com/fbverify/go/schema"
)

// Fault is a value that breaks a constraint; see fbverify.Error.
type Fault struct {
	Kind           rule.Kind
	Type, Path     string
	Offset, Size   uint64
	Thing, Leads   rule.Thing
	Target         int64
	Found, Allowed int64
	Detail         string
}

// The paths of all faults may take maxPaths bytes; after that, long ones are shortened.
const (
	maxPaths   = 1 << 20
	mostPath   = 256
	mostDetail = 1024
)

// fault records a fault at the place that f leads to.
func (w *walker) fault(x *Fault, f *frame, format string, args ...any) {
	if w.glances || len(*w.found) == w.cfg.MaxFaults {
		w.stop = true
		return
	}
	x.Path = w.path(f)
	x.Detail = shorten(fmt.Sprintf(format, args...), mostDetail)
	*w.found = append(*w.found, *x)
	if len(*w.found) == w.cfg.MaxFaults {
		w.stop = true
	}
}

func (w *walker) path(f *frame) string {
	b := f.append([]byte(w.p.root.object.ShortName()))
	if w.paths += len(b); w.paths > maxPaths {
		return shorten(string(b), mostPath)
	}
	return string(b)
}

// append adds the steps up to f. Frames are on the stack, and would not be if anything
// kept them.
func (f *frame) append(b []byte) []byte {
	if f == nil {
		return b
	}
	b = append(append(f.up.append(b), '.'), f.field.Name...)
	if f.hasIndex {
		b = append(strconv.AppendUint(append(b, '['), f.index, 10), ']')
	}
	return b
}

// shorten leaves out the middle of a text of more than n bytes.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	half := n / 2
	return strings.ToValidUTF8(text[:half], "") + "…" + strings.ToValidUTF8(text[len(text)-half:], "")
}

// of starts a fault of a value. Where it is a default, the table is at fault.
func (w *walker) of(kind rule.Kind, c *check, o *object, at uint64) *Fault {
	x := &Fault{Kind: kind, Type: c.Owner.Name, Offset: at, Size: c.size, Thing: rule.ThingField}
	switch {
	case at == 0:
		x.Offset, x.Size, x.Thing = o.pos, 4, rule.ThingTable
	case c.base == schema.String:
		x.Size, x.Thing = 4, rule.ThingString
	}
	return x
}

// leadsTo notes what a value should have led to.
func (x *Fault) leadsTo(v value, thing rule.Thing) *Fault {
	if v.at != 0 {
		x.Leads, x.Target = thing, int64(v.at)
	}
	return x
}

// spoken returns a number, with the name that an enum has for it, and whether it is a default.
func (c *check) spoken(n schema.Integer, at uint64) string {
	text := n.String()
	if e := c.Field.Type.Enum; e != nil && c.Kind != schema.MustHave {
		if v := e.ByValue(int64(n.Low)); v != nil {
			text += " (" + v.Name + ")"
		}
	}
	if at == 0 && c.form == single {
		text += " (the default of the absent field)"
	}
	return text
}

// besides lists the stand-ins.
func (c *check) besides() string {
	if len(c.mayBe) == 0 {
		return ""
	}
	texts := make([]string, len(c.mayBe))
	for i, n := range c.mayBe {
		texts[i] = n.String()
	}
	return ", and " + strings.Join(texts, ", ")
}

// source names where the number of an operand comes from.
func (w *walker) source(op *schema.Operand) string {
	switch op.Kind {
	case schema.Fact:
		return "the fact " + op.String()
	case schema.FieldPath:
		return op.String()
	}
	return ""
}

func (w *walker) notIndex(c *check, o *object, at uint64, n schema.Integer, bound value, f *frame) {
	x := w.of(rule.Index, c, o, at).leadsTo(bound, rule.ThingVector)
	x.Found, x.Allowed = n.Int64(), bound.n.Int64()
	allowed := "none are allowed"
	if bound.n.Compare(schema.Integer{}) > 0 {
		allowed = fmt.Sprintf("0 to %s are allowed", bound.n.Add(schema.Signed(-1)))
	}
	if c.Bound.Kind == schema.LiteralInteger {
		w.fault(x, f, "the index is %s, and %s%s", c.spoken(n, at), allowed, c.besides())
		return
	}
	w.fault(x, f, "the index is %s, and %s comes to %s: %s%s", c.spoken(n, at), w.source(&c.Bound), bound.n, allowed, c.besides())
}

func (w *walker) notIn(c *check, o *object, at uint64, n, with schema.Integer, bound value, f *frame) {
	x := w.of(rule.Extent, c, o, at)
	if c.From != nil {
		x.Size = uint64(c.base.Size())
	}
	x.Found, x.Allowed = n.Add(with).Int64(), bound.n.Int64()
	what := w.source(&c.Bound)
	switch {
	case n.High < 0:
		x.Found = n.Int64()
		w.fault(x, f, "the offset is %s, and it has to be at least 0", c.spoken(n, at))
	case with.High < 0:
		x.Found = with.Int64()
		w.fault(x, f, "the length %s is %s, and it has to be at least 0", c.With.Name, with)
	default:
		w.fault(x, f, "it reaches from %s for %s to %s, past the end of %s at %s", c.spoken(n, at), with, n.Add(with), what, bound.n)
	}
}

// want returns the condition that was not met, with the numbers that its operands came to.
func (w *walker) want(c *check, d *condition, o *object) string {
	if d == nil { // an interval
		list := make([]string, len(c.Conditions))
		for i, d := range c.Conditions {
			list[i] = d.String()
		}
		return strings.Join(list, ", ")
	}
	i := 0
	for ; &c.conditions[i] != d; i++ {
	}
	text := c.Conditions[i].String()
	for j := range d.operands {
		if c.Conditions[i].Operands[j].Kind >= schema.Fact {
			text += fmt.Sprintf(", which comes to %s", w.evaluate(&d.operands[j], o).n)
		}
	}
	return text
}

// bounding returns the number next to n that is allowed, as far as one number says it.
func (w *walker) bounding(c *check, d *condition, o *object, n schema.Integer) int64 {
	if d == nil {
		if n.Compare(c.least) < 0 {
			return c.least.Int64()
		}
		return c.most.Int64()
	}
	return w.evaluate(&d.operands[0], o).n.Int64()
}

// notMet tells of a number, of a field or its length, that does not meet a condition. It is no function
// that is passed along: what such a one is given would be on the heap.
func (w *walker) notMet(c *check, d *condition, o *object, at uint64, n schema.Integer, f *frame, length bool) {
	if length {
		w.notLength(c, d, o, at, n, f)
	} else {
		w.notAllowed(c, d, o, at, n, f)
	}
}

func (w *walker) notAllowed(c *check, d *condition, o *object, at uint64, n schema.Integer, f *frame) {
	x := w.of(rule.Value, c, o, at)
	x.Found, x.Allowed = n.Int64(), w.bounding(c, d, o, n)
	w.fault(x, f, "the value is %s, and has to be %s%s", c.spoken(n, at), w.want(c, d, o), c.besides()+c.since())
}

func (w *walker) notReal(c *check, d *condition, at uint64, v float64, f *frame) {
	x := &Fault{Kind: rule.Value, Type: c.Owner.Name, Offset: at, Size: c.size, Thing: rule.ThingField}
	w.fault(x, f, "the value is %v, and has to be %s%s", v, w.want(c, d, nil), c.besides()+c.since())
}

func (w *walker) notKnown(c *check, o *object, at uint64, n schema.Integer, f *frame) {
	x := w.of(rule.Value, c, o, at)
	x.Found = n.Int64()
	e := c.Field.Type.Enum
	what := "the value"
	if e.IsUnion {
		x.Thing, what = rule.ThingUnionType, "the type of the union"
	}
	if c.flags != 0 {
		x.Allowed = int64(c.flags)
		w.fault(x, f, "the flags %s have bits that %s does not name", n, e.Name)
		return
	}
	w.fault(x, f, "%s is %s, which %s does not name%s", what, n, e.Name, c.besides())
}

func (w *walker) notLength(c *check, d *condition, o *object, pos uint64, n schema.Integer, f *frame) {
	x := &Fault{Kind: rule.Length, Type: c.Owner.Name, Offset: pos, Size: 4, Thing: rule.ThingVector}
	if c.form == text {
		x.Thing = rule.ThingString
	}
	found := "the length is " + n.String()
	if pos == 0 {
		x.Offset, x.Thing, found = o.pos, rule.ThingTable, "the field is absent, so that its length is 0"
	}
	x.Found, x.Allowed = n.Int64(), w.bounding(c, d, o, n)
	w.fault(x, f, "%s, and has to be %s%s", found, w.want(c, d, o), c.besides()+c.since())
}

// absence says what is not there.
func (w *walker) absence(c *check) string {
	text := "the field is absent, and has to be set"
	if c.union != 0 && c.form == other {
		text = "the type of the union is NONE, and there has to be a value"
	}
	return text + c.since()
}

// since says why something is asked, where that is so only sometimes.
func (c *check) since() string {
	if len(c.If) == 0 {
		return ""
	}
	list := make([]string, len(c.If))
	for i, t := range c.If {
		list[i] = t.String()
	}
	return ", since " + strings.Join(list, ", ")
}

func (w *walker) notSorted(c *check, pos, at uint64, before, n schema.Integer, beforeText, text []byte, f *frame) {
	x := w.ordered(rule.Order, c, pos, at)
	if c.comparesText() {
		w.fault(x, f, "%s comes after %s, and no element may be less than the one before", quote(text), quote(beforeText))
		return
	}
	x.Found, x.Allowed = n.Int64(), before.Int64()
	w.fault(x, f, "%s comes after %s, and no element may be less than the one before", n, before)
}

// ordered starts a fault of an element among others.
func (w *walker) ordered(kind rule.Kind, c *check, pos, at uint64) *Fault {
	x := &Fault{Kind: kind, Type: c.Owner.Name, Offset: at, Size: c.size, Thing: rule.ThingField}
	if c.byKey {
		x.Size = uint64(c.by.base.Size())
	}
	switch {
	case at == 0:
		x.Offset, x.Size, x.Thing = pos, 4, rule.ThingVector
	case c.comparesText():
		x.Size, x.Thing = 4, rule.ThingString
	}
	return x
}

func (w *walker) notUnique(c *check, pos, at, data, first, second uint64, f *frame) {
	x := w.ordered(rule.Duplicate, c, pos, at)
	_, n, text := w.element(c, data, second)
	if c.comparesText() {
		w.fault(x, f, "%s is there already, in element %d", quote(text), first)
		return
	}
	x.Found = n.Int64()
	w.fault(x, f, "%s is there already, in element %d", n, first)
}

func (w *walker) notKey(c *check, o *object, at uint64, n schema.Integer, wanted []byte, bound value, count uint64, f *frame) {
	x := w.of(rule.Key, c, o, at).leadsTo(bound, rule.ThingVector)
	if c.base == schema.String {
		w.fault(x, f, "the key %s is looked for among the %d of %s, and not found", quote(wanted), count, c.Bound)
		return
	}
	x.Found = n.Int64()
	w.fault(x, f, "the key %s is looked for among the %d of %s, and not found", c.spoken(n, at), count, c.Bound)
}

// quote returns a string of the buffer for a sentence.
func quote(b []byte) string {
	const most = 40
	if len(b) > most {
		return strconv.Quote(strings.ToValidUTF8(string(b[:most]), "�")) + "…"
	}
	return strconv.Quote(strings.ToValidUTF8(string(b), "�"))
}

// unstated is the fault of a number that nobody knows.
func (w *walker) unstated(c *check, op *operand, o *object, f *frame) {
	x := &Fault{Kind: rule.Unstated, Type: c.Owner.Name, Offset: o.pos, Size: 4, Thing: rule.ThingTable}
	s := &slot{name: "what is around"}
	if op.slot >= 0 {
		s = &w.p.slots[op.slot]
	}
	switch {
	case s.fact && s.operand == nil && s.owner == nil:
		w.fault(x, f, "%s needs the fact %q, and nobody stated it: Options.Facts does, and Options.SkipConstraints asks nothing", c.Kind, s.name)
	case s.fact:
		w.fault(x, f, "%s needs %s, and no such table is around: state it as the fact %q in Options.Facts, or ask nothing by Options.SkipConstraints", c.Kind, s.name, s.name)
	default:
		w.fault(x, f, "%s needs a table %s around, and there is none: Options.SkipConstraints asks nothing", c.Kind, s.name)
	}
}
