package dump

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/internal/wire"
	"github.com/fbverify/go/schema"
)

// partial prints what is sound of a buffer that is not. Nothing is proved about it, so each
// read is checked, and work is bounded, since what is shared is printed each time: by
// depth, by the values and faults printed, and by the bytes of strings and vectors. What is
// not shared is never too many bytes.
func (d *Dumper) partial(w io.Writer, typ *fbverify.Type, p container.Part, b []byte, opts *fbverify.Options, several bool) error {
	if !d.AsJSON {
		d.header(w, p, typ, several)
	}
	message, _, _ := p.Framing.Message(b) // where it is wrong, what there is
	b = message[min(p.Framing.Prefix(), len(message)):]
	l := &loose{
		schema: typ.Schema(), left: 1_000_000, bytes: 16<<20 + uint64(len(b)), maxDepth: opts.MaxDepth, limit: d.Tree.Limit,
		skipUTF8: opts.SkipUTF8, style: d.Style,
	}
	if l.maxDepth == 0 {
		l.maxDepth = 64
	}
	if d.AsJSON {
		l.limit = d.JSON.Limit
		j := &jsonEmitter{w: w}
		if d.named(p, several) {
			j.head = func(path string) string { return jsonHead(p, typ, path) }
		}
		if d.Path == nil {
			j.begin("")
		}
		l.emit = j
	} else {
		l.emit = &treeEmitter{w: w, style: d.Style}
	}
	// What a path leads to counts from there, so the selection is around the limit.
	inner := l.emit
	if d.Tree.Depth > 0 {
		around := 1 // the root itself
		if d.Path != nil {
			around = 0
		}
		l.emit = &shallow{emitter: inner, depth: d.Tree.Depth + around}
	}
	if d.Path != nil {
		s, err := newSelection(d.Path.String(), typ.Root().ShortName(), typ.Root(), l.emit, inner, d.AsJSON)
		if err != nil {
			return err
		}
		l.only, l.emit = s, s
	}
	l.r = &wire.Reader{B: b}
	root, err := l.r.Root()
	if err != nil {
		l.emit.fault("", err)
	} else {
		l.table(root, typ.Root(), "", 0)
	}
	if l.only != nil && l.only.found == 0 {
		d.Warn("%s: --path selects nothing that can be read", p.Name)
	}
	return l.emit.end()
}

// emitter is what a partial dump is written to.
type emitter interface {
	open(name string, list bool, what string)
	close(list bool)
	value(name, tree, json string)
	fault(name string, err error)
	end() error
}

// loose reads with a check before each step.
type loose struct {
	schema   *schema.Schema
	r        *wire.Reader
	emit     emitter
	only     *selection // what of it is wanted; nil = all
	left     int        // values and faults that may still be printed
	bytes    uint64     // of strings and vectors that may still be
	depth    int
	maxDepth int
	limit    int
	skipUTF8 bool
	style    ui.Style
}

var errTooMuch = errors.New("it has more than a dump of damaged data may: the rest is left out")

// spent takes one of what may be printed, and reports whether there is none. The last
// says so.
func (l *loose) spent(name string) bool {
	l.left--
	if l.left == 0 {
		l.emit.fault(name, errTooMuch)
	}
	return l.left <= 0
}

// looked takes n bytes of what may be printed, and reports whether there are so many.
func (l *loose) looked(name string, n uint64) bool {
	if n > l.bytes && l.left > 1 {
		l.left = 1
		l.spent(name)
	}
	l.bytes -= min(n, l.bytes)
	return l.left > 0
}

func (l *loose) fault(name string, err error) {
	if !l.spent(name) {
		l.emit.fault(name, err)
	}
}

// table prints the fields of a table that can be read.
func (l *loose) table(t wire.Table, o *schema.Object, name string, tag int64) {
	if l.spent(name) {
		return
	}
	if l.depth++; l.depth > l.maxDepth {
		l.fault(name, fmt.Errorf("tables nest deeper than %d here (--max-depth)", l.maxDepth))
		l.depth--
		return
	}
	what := o.ShortName()
	if tag == 0 {
		what = ""
	}
	l.emit.open(name, false, what)
	for _, f := range o.Fields {
		if !l.only.enters(f.Name) {
			continue
		}
		at, ok, err := t.Field(uint64(f.ID))
		switch {
		case err != nil:
			l.fault(f.Name, err)
		case !ok && f.Required:
			l.fault(f.Name, errors.New("required, and absent"))
		case ok && !f.Deprecated:
			l.field(t, o, f, at)
		}
	}
	l.emit.close(false)
	l.depth--
}

// field prints a present field, whose inline bytes are at `at`.
func (l *loose) field(t wire.Table, o *schema.Object, f *schema.Field, at uint64) {
	typ := f.Type
	offset := uint64(4)
	if f.Offset64 {
		offset = 8
	}
	switch {
	case typ.IsScalar() || typ.IsStruct():
		l.inline(f.Name, typ, at)
	case typ.Base == schema.Union:
		tag, err := l.tag(t, o, f, typ.Enum)
		if err != nil {
			l.fault(f.Name, err)
			return
		}
		l.member(f.Name, typ.Enum, tag, at)
	case typ.IsVector() && typ.Element == schema.Union:
		l.unions(t, o, f, at)
	default:
		pos, err := l.r.Follow(at, offset, f.Name)
		if err != nil {
			l.fault(f.Name, err)
			return
		}
		if nested, err := l.schema.NestedRoot(o, f); err == nil && nested != nil {
			if l.nested(f, nested, pos) {
				return
			}
		}
		l.target(f.Name, typ, pos)
	}
}

// tag reads the tag of a union, which stands in the field before it.
func (l *loose) tag(t wire.Table, o *schema.Object, f *schema.Field, u *schema.Enum) (int64, error) {
	if f.ID == 0 {
		return 0, errors.New("a union without a type field")
	}
	at, ok, err := t.Field(uint64(f.ID - 1))
	if err != nil || !ok {
		return 0, err
	}
	return l.tagAt(at, u)
}

func (l *loose) tagAt(at uint64, u *schema.Enum) (int64, error) {
	if u.Underlying.IsUnsigned() {
		v, err := l.r.Uint(at, uint64(u.Underlying.Size()), "the union's type")
		return int64(v), err
	}
	return l.r.Int(at, uint64(u.Underlying.Size()), "the union's type")
}

func (l *loose) member(name string, u *schema.Enum, tag int64, at uint64) {
	m := u.ByValue(tag)
	if tag == 0 || m == nil {
		return // never followed
	}
	pos, err := l.r.Follow(at, 4, name)
	if err != nil {
		l.fault(name, err)
		return
	}
	if m.Type.IsTable() {
		t, err := l.r.Table(pos)
		if err != nil {
			l.fault(name, err)
			return
		}
		l.table(t, m.Type.Object, name, tag)
		return
	}
	l.target(name, m.Type, pos)
}

func (l *loose) unions(t wire.Table, o *schema.Object, f *schema.Field, at uint64) {
	u := f.Type.Enum
	size := uint64(u.Underlying.Size())
	fail := func(err error) { l.fault(f.Name, err) }
	tagsAt, ok, err := t.Field(uint64(f.ID - 1))
	if err != nil || !ok {
		fail(errors.Join(err, errors.New("the vector of the union's types is absent")))
		return
	}
	tagsPos, err := l.r.Follow(tagsAt, 4, f.Name+"_type")
	if err != nil {
		fail(err)
		return
	}
	tags, n, err := l.r.Vector(tagsPos, 4, size, size, f.Name+"_type")
	if err != nil {
		fail(err)
		return
	}
	pos, err := l.r.Follow(at, 4, f.Name)
	if err != nil {
		fail(err)
		return
	}
	values, count, err := l.r.Vector(pos, 4, 4, 4, f.Name)
	if err != nil {
		fail(err)
		return
	}
	if !l.looked(f.Name, n*size+4*count) {
		return
	}
	l.emit.open(f.Name, true, "")
	for i := range min(n, count) {
		if !l.only.enters(index(i)) {
			continue
		}
		if l.cut(i, count) || l.spent("") {
			break
		}
		tag, err := l.tagAt(tags+i*size, u)
		if err != nil {
			l.fault(index(i), err)
			continue
		}
		if tag == 0 || u.ByValue(tag) == nil {
			l.emit.value(index(i), "(nothing that this schema knows)", "null")
			continue
		}
		l.member(index(i), u, tag, values+4*i)
	}
	l.emit.close(true)
	if n != count {
		fail(fmt.Errorf("%d types and %d values", n, count))
	}
}

// nested prints the buffer inside a vector of bytes, and reports whether there is one
// whose root can be found.
func (l *loose) nested(f *schema.Field, root *schema.Object, pos uint64) bool {
	head := uint64(4)
	if f.Type.Base == schema.Vector64 {
		head = 8
	}
	start, n, err := l.r.Vector(pos, head, 1, 1, f.Name)
	if err != nil {
		return false
	}
	outer := l.r
	l.r = &wire.Reader{B: outer.B[start : start+n]}
	defer func() { l.r = outer }()
	t, err := l.r.Root()
	if err != nil {
		return false
	}
	l.table(t, root, f.Name, 1)
	return true
}

// target prints what an offset leads to.
func (l *loose) target(name string, typ schema.Type, pos uint64) {
	switch {
	case typ.IsTable():
		t, err := l.r.Table(pos)
		if err != nil {
			l.fault(name, err)
			return
		}
		l.table(t, typ.Object, name, 0)
	case typ.Base == schema.String:
		l.text(name, pos)
	case typ.IsStruct():
		l.inline(name, typ, pos)
	case typ.IsVector():
		l.vector(name, typ, pos)
	}
}

func (l *loose) text(name string, pos uint64) {
	if l.spent(name) {
		return
	}
	b, err := l.r.String(pos, "a string")
	if err != nil {
		l.fault(name, err)
		return
	}
	if !l.looked(name, uint64(len(b))) {
		return
	}
	if !l.skipUTF8 && !utf8.Valid(b) {
		l.fault(name, fmt.Errorf("at offset %d: a string that is not UTF-8: %s", pos, ui.Text(b, 200)))
		return
	}
	l.emit.value(name, l.style.Text(ui.Text(b, maxText)), ui.JSONString(string(b)))
}

func (l *loose) vector(name string, typ schema.Type, pos uint64) {
	head := uint64(4)
	if typ.Base == schema.Vector64 {
		head = 8
	}
	elem := typ.ElementType()
	size := uint64(elem.InlineSize())
	if size == 0 {
		return
	}
	start, n, err := l.r.Vector(pos, head, size, 1, name)
	if err != nil {
		l.fault(name, err)
		return
	}
	if !l.looked(name, n*size) {
		return
	}
	if elem.IsScalar() {
		l.numbers(name, elem, start, n)
		return
	}
	l.emit.open(name, true, "")
	for i := range n {
		if !l.only.enters(index(i)) {
			continue
		}
		if l.cut(i, n) || l.left <= 0 {
			break
		}
		at := start + i*size
		if elem.IsStruct() {
			l.inline(index(i), elem, at)
			continue
		}
		to, err := l.r.Follow(at, 4, "an element")
		if err != nil {
			l.fault(index(i), err)
			continue
		}
		l.target(index(i), elem, to)
	}
	l.emit.close(true)
}

// cut reports whether element i is one too many, and says so.
func (l *loose) cut(i, n uint64) bool {
	if l.limit <= 0 || i < uint64(l.limit) || l.only != nil && l.only.inside == 0 {
		return false
	}
	text := fmt.Sprintf("… %d more", n-i)
	l.emit.value(index(i), text, strconv.Quote(text))
	return true
}

func index(i uint64) string { return "[" + strconv.FormatUint(i, 10) + "]" }

// inline prints a scalar, a struct or an array.
func (l *loose) inline(name string, typ schema.Type, at uint64) {
	if l.spent(name) {
		return
	}
	switch {
	case typ.IsStruct():
		if _, err := l.r.Bytes(at, uint64(typ.Object.ByteSize), "a struct"); err != nil {
			l.fault(name, err)
			return
		}
		l.emit.open(name, false, "")
		for _, f := range typ.Object.Fields {
			if !l.only.enters(f.Name) {
				continue
			}
			l.inline(f.Name, f.Type, at+uint64(f.Offset))
		}
		l.emit.close(false)
	case typ.Base == schema.Array:
		elem := typ.ElementType()
		if elem.IsScalar() {
			l.numbers(name, elem, at, uint64(typ.FixedLength))
			return
		}
		l.emit.open(name, true, "")
		for i := range uint64(typ.FixedLength) {
			if !l.only.enters(index(i)) {
				continue
			}
			l.inline(index(i), elem, at+i*uint64(elem.InlineSize()))
		}
		l.emit.close(true)
	default:
		l.scalar(name, typ, at)
	}
}

// scalar prints a number.
func (l *loose) scalar(name string, typ schema.Type, at uint64) {
	text, err := l.number(typ, at)
	if err != nil {
		l.fault(name, err)
		return
	}
	l.emit.value(name, l.style.Number(text), jsonNumber(text))
}

// numbers prints the elements of a vector or array of scalars, of which all lie in the
// buffer, in one line.
func (l *loose) numbers(name string, elem schema.Type, start, n uint64) {
	if l.only.within(name) {
		l.emit.open(name, true, "")
		for i := range n {
			if l.only.enters(index(i)) {
				l.scalar(index(i), elem, start+i*uint64(elem.Base.Size()))
			}
		}
		l.emit.close(true)
		return
	}
	var tree, text []byte
	tree, text = append(tree, '['), append(text, '[')
	for i := range n {
		if i > 0 {
			tree, text = append(tree, ", "...), append(text, ',')
		}
		if l.limit > 0 && i >= uint64(l.limit) {
			more := fmt.Sprintf("… %d more", n-i)
			tree, text = append(tree, more...), strconv.AppendQuote(text, more)
			break
		}
		number, err := l.number(elem, start+i*uint64(elem.Base.Size()))
		if err != nil {
			l.fault(name, err)
			return
		}
		tree, text = append(tree, number...), append(text, jsonNumber(number)...)
	}
	l.emit.value(name, l.style.Number(string(append(tree, ']'))), string(append(text, ']')))
}

// jsonNumber puts quotes around what is no number in JSON: names, nan and inf.
func jsonNumber(text string) string {
	if text == "true" || text == "false" || text[0] == '-' && text[1] <= '9' || text[0] >= '0' && text[0] <= '9' {
		return text
	}
	return strconv.Quote(text)
}

// number reads a scalar and returns its text: the name where it is an enum's value.
func (l *loose) number(typ schema.Type, at uint64) (string, error) {
	size := uint64(typ.Base.Size())
	u, err := l.r.Uint(at, size, "a "+typ.Base.String())
	if err != nil {
		return "", err
	}
	switch {
	case typ.Base == schema.Float:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(u))), 'g', -1, 32), nil
	case typ.Base == schema.Double:
		return strconv.FormatFloat(math.Float64frombits(u), 'g', -1, 64), nil
	case typ.Base == schema.Bool && typ.Enum == nil:
		return strconv.FormatBool(u != 0), nil
	}
	number := int64(u)
	if !typ.Base.IsUnsigned() {
		shift := 64 - 8*size
		number = int64(u<<shift) >> shift
	}
	if name := enumName(typ.Enum, number); name != "" {
		return name, nil
	}
	if typ.Base.IsUnsigned() {
		return strconv.FormatUint(u, 10), nil
	}
	return strconv.FormatInt(number, 10), nil
}

// enumName returns the name of a value, of all flags where it has several; "" where there
// is none.
func enumName(e *schema.Enum, number int64) string {
	if e == nil {
		return ""
	}
	if v := e.ByValue(number); v != nil {
		return v.Name
	}
	if !e.BitFlags {
		return ""
	}
	var names []string
	rest := uint64(number)
	for _, v := range e.Values {
		if bits := uint64(v.Value); bits != 0 && rest&bits == bits {
			names, rest = append(names, v.Name), rest&^bits
		}
	}
	if rest != 0 {
		return ""
	}
	return strings.Join(names, " ")
}
