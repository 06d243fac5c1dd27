package dump

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/fbverify/go/cmd/fbinspect/internal/ui"
	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/container"
	"github.com/fbverify/go/fbverify/traverse"
	"github.com/fbverify/go/schema"
)

// partial prints what is sound of a buffer that is not, as the traversal meets it. What is
// shared is printed each time, so work is bounded: by the values and faults printed, and by
// the bytes of strings and vectors. What is not shared is never too many bytes. Alignment
// does not matter to those who read, and is among the faults that were told already.
func (d *Dumper) partial(w io.Writer, typ *fbverify.Type, p container.Part, b []byte, opts *fbverify.Options, several bool) error {
	if !d.AsJSON {
		d.header(w, p, typ, several)
	}
	options := fbverify.Options{
		MaxDepth: opts.MaxDepth, MaxTables: 1<<31 - 1, SkipUTF8: opts.SkipUTF8, SkipNullTerminator: opts.SkipNullTerminator,
		SkipAlignment: true, Framing: p.Framing,
	}
	l := &loose{
		left: 1_000_000, bytes: 16<<20 + uint64(len(b)), limit: d.Tree.Limit, style: d.Style,
	}
	message, _, err := p.Framing.Message(b)
	if err != nil { // after a prefix that is wrong there are as many bytes as there are
		l.shift = min(p.Framing.Prefix(), len(message))
		message, options.Framing = message[l.shift:], fbverify.Unframed
	}
	l.b = message
	if d.AsJSON {
		l.limit = d.JSON.Limit
		j := &jsonEmitter{w: w}
		if named := d.named(p, several); !d.Lines && (named || d.FileKey != "") {
			j.head = func(path string) string { return d.jsonHead(p, typ, path, named) }
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
	l.end(typ.Traversal(message, &options).Run(l))
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

// loose prints what a traversal tells it.
type loose struct {
	b     []byte // what is traversed
	shift int    // of its first byte in the part
	emit  emitter
	only  *selection // what of it is wanted; nil = all
	left  int        // values and faults that may still be printed
	bytes uint64     // of strings and vectors that may still be
	limit int
	style ui.Style

	stack []frame // what the traversal is in
	text  *held   // a string that the traversal has not looked into yet
	bad   bool    // it was told why there is no root
}

// frame is a buffer, a table or a vector that the traversal is in.
type frame struct {
	what traverse.What

	// Of a vector whose elements are printed one by one:
	open   bool
	unions bool
	next   int // the element that comes next
	count  int
	cut    bool // it was said that there are more than are printed

	// Of a vector that may hold a buffer: its field, and whether no buffer was met yet.
	name  string
	bytes bool
}

// held is a string whose bytes all are there.
type held struct {
	name string
	text []byte
}

var (
	errTooMuch = errors.New("it has more than a dump of damaged data may: the rest is left out")
	errUntold  = errors.New("not sound, as so much else")
)

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
func (l *loose) looked(name string, n int) bool {
	if uint64(n) > l.bytes && l.left > 1 {
		l.left = 1
		l.spent(name)
	}
	l.bytes -= min(uint64(n), l.bytes)
	return l.left > 0
}

func (l *loose) fault(name string, err error) {
	if !l.spent(name) {
		l.emit.fault(name, err)
	}
}

// top returns what the traversal is in, an empty frame where that is nothing.
func (l *loose) top() *frame {
	if n := len(l.stack); n > 0 {
		return &l.stack[n-1]
	}
	return &frame{what: traverse.Buffer}
}

// Enter prints what has no inside, and begins what has one.
func (l *loose) Enter(e *traverse.Event) traverse.Answer {
	l.flush()
	answer := l.enter(e)
	if l.left <= 0 {
		return traverse.Stop
	}
	return answer
}

func (l *loose) enter(e *traverse.Event) traverse.Answer {
	switch e.What {
	case traverse.VTable:
		return traverse.Go
	case traverse.Field:
		return l.field(e)
	case traverse.Buffer:
		if e.Sound {
			l.stack = append(l.stack, frame{what: traverse.Buffer})
		}
		return traverse.Again
	}
	if !e.Sound {
		return traverse.Skip // the fault comes next
	}
	name := ""
	switch {
	case e.Index != traverse.None:
		name = index(e.Index)
		if !l.element(e.Index) {
			return traverse.Skip
		}
	case e.Field != nil:
		if name = e.Field.Name; !l.only.enters(name) {
			return traverse.Skip
		}
	}
	switch e.What {
	case traverse.Table:
		l.table(e, name)
		return traverse.Again
	case traverse.Vector:
		return l.vector(e, name)
	case traverse.String:
		if !l.spent(name) && l.looked(name, e.Count) {
			l.text = &held{name, l.b[e.Data : e.Data+e.Count]}
		}
		return traverse.Again
	}
	l.inline(name, e.Member.Type, e.Pos)
	return traverse.Skip
}

// flush prints a string in which nothing is broken.
func (l *loose) flush() {
	if t := l.text; t != nil {
		l.text = nil
		l.emit.value(t.name, l.style.Text(ui.Text(t.text, maxText)), ui.JSONString(string(t.text)))
	}
}

// field prints what stands in a table itself.
func (l *loose) field(e *traverse.Event) traverse.Answer {
	f := e.Field
	switch {
	case f == nil || f.Deprecated:
		return traverse.Skip
	case f.Type.IsVector() && f.Type.Element == schema.Union && l.only.enters(e.Object.Fields[f.ID-1].Name):
		return traverse.Go // the types are met on the way to the values
	case !l.only.enters(f.Name):
		return traverse.Skip
	case f.Type.IsScalar() || f.Type.IsStruct():
		l.inline(f.Name, f.Type, e.Pos)
	}
	return traverse.Go
}

// table begins a table.
func (l *loose) table(e *traverse.Event, name string) {
	if l.spent(name) {
		return
	}
	what := ""
	if e.Member != nil {
		what = e.Object.ShortName()
	}
	if n := len(l.stack); n > 1 && l.stack[n-1].what == traverse.Buffer {
		vector := &l.stack[n-2]
		vector.bytes = false
		name, what = vector.name, e.Object.ShortName()
	}
	l.emit.open(name, false, what)
	l.stack = append(l.stack, frame{what: traverse.Table})
}

// vector prints a vector of numbers or structs, and begins one of anything else.
func (l *loose) vector(e *traverse.Event, name string) traverse.Answer {
	if !l.looked(name, e.Count*e.ElemSize) {
		return traverse.Stop
	}
	elem := e.Field.Type.ElementType()
	_, nested := e.Field.Attribute("nested_flatbuffer")
	switch {
	case nested:
		l.stack = append(l.stack, frame{what: traverse.Vector, name: name, bytes: true})
		return traverse.Again
	case elem.IsScalar():
		l.numbers(name, elem, e.Data, e.Count)
		return traverse.Skip
	}
	l.emit.open(name, true, "")
	l.stack = append(l.stack, frame{what: traverse.Vector, open: true, unions: e.Tags != traverse.None, count: e.Count})
	if !elem.IsStruct() {
		return traverse.Again
	}
	for i := 0; i < e.Count && l.left > 0 && !l.top().cut; i++ {
		if l.element(i) {
			l.inline(index(i), elem, e.Data+i*e.ElemSize)
		}
	}
	l.close()
	return traverse.Skip
}

// element comes to an element of the list that is open, and reports whether it is printed.
func (l *loose) element(i int) bool {
	f := l.top()
	l.skipped(f, i)
	f.next = i + 1
	return l.only.enters(index(i)) && !l.cut(f, i)
}

// skipped says of the elements before one, of which nothing was told, that there is nothing.
func (l *loose) skipped(f *frame, end int) {
	for ; f.next < end && l.left > 0 && !f.cut; f.next++ {
		name := index(f.next)
		switch {
		case !l.only.enters(name) || l.cut(f, f.next) || l.spent(name):
		case f.unions:
			l.emit.value(name, "(nothing that this schema knows)", "null")
		default:
			l.emit.fault(name, errUntold)
		}
	}
}

// cut reports whether element i is one too many, and says so once.
func (l *loose) cut(f *frame, i int) bool {
	if f.cut || l.limit <= 0 || i < l.limit || l.only != nil && l.only.inside == 0 {
		return f.cut
	}
	f.cut = true
	text := fmt.Sprintf("… %d more", f.count-i)
	l.emit.value(index(i), text, strconv.Quote(text))
	return true
}

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// Leave ends what was begun.
func (l *loose) Leave(e *traverse.Event) {
	l.flush()
	f := l.top()
	switch {
	case f.what != traverse.Vector || l.left <= 0:
	case f.open:
		l.skipped(f, f.count)
	case f.bytes: // there is no buffer in it
		l.numbers(f.name, e.Field.Type.ElementType(), e.Data, e.Count)
	}
	l.close()
}

// close ends what the traversal is in.
func (l *loose) close() {
	switch f := l.top(); {
	case f.what == traverse.Table:
		l.emit.close(false)
	case f.open:
		l.emit.close(true)
	}
	l.stack = l.stack[:len(l.stack)-1]
}

// Fault prints what is broken in the place of what could have stood there.
func (l *loose) Fault(err error) {
	f, ok := err.(*fbverify.Error)
	if !ok || ends(f.Kind) || l.left <= 0 {
		return
	}
	sentence := fmt.Sprintf("at offset %d: %s", f.Offset+l.shift, f.Detail)
	if t := l.text; t != nil && (f.Kind == fbverify.ErrNotTerminated || f.Kind == fbverify.ErrInvalidUTF8) {
		l.text = nil
		l.fault(t.name, fmt.Errorf("%s: %s", sentence, ui.Text(t.text, 200)))
		return
	}
	l.flush()
	name := f.Path[max(strings.LastIndexAny(f.Path, ".["), 0):]
	top := l.top()
	switch {
	case top.what == traverse.Buffer && len(l.stack) > 1, top.what == traverse.Vector && !top.open:
		return // no buffer: its bytes are printed as such
	case top.what == traverse.Buffer:
		name, l.bad = "", true
	case top.what == traverse.Vector && strings.HasPrefix(name, "["):
		if i, err := strconv.Atoi(strings.Trim(name, "[]")); err != nil || !l.element(i) {
			return
		}
	default:
		name = strings.TrimPrefix(name, ".")
	}
	l.fault(name, errors.New(sentence))
}

// ends reports whether a fault is none of the data but of how much of it there is.
func ends(kind fbverify.Kind) bool {
	return kind == fbverify.ErrTableLimit || kind == fbverify.ErrSizeLimit || kind == fbverify.ErrOverlap
}

// end ends what is left open by a traversal that came to an end too soon.
func (l *loose) end(err error) {
	l.flush()
	if f := (*fbverify.Error)(nil); errors.As(err, &f) && l.left > 0 {
		switch {
		case ends(f.Kind):
			l.left = 1
			l.spent("")
		case !l.bad:
			l.fault("", err)
		}
	}
	for len(l.stack) > 0 {
		l.close()
	}
}

// inline prints a scalar, a struct or an array, which lies in the buffer.
func (l *loose) inline(name string, typ schema.Type, at int) {
	if l.spent(name) {
		return
	}
	switch {
	case typ.IsStruct():
		l.emit.open(name, false, "")
		for _, f := range typ.Object.Fields {
			if l.only.enters(f.Name) {
				l.inline(f.Name, f.Type, at+f.Offset)
			}
		}
		l.emit.close(false)
	case typ.Base == schema.Array:
		elem := typ.ElementType()
		if elem.IsScalar() {
			l.numbers(name, elem, at, int(typ.FixedLength))
			return
		}
		l.emit.open(name, true, "")
		for i := range int(typ.FixedLength) {
			if l.only.enters(index(i)) {
				l.inline(index(i), elem, at+i*elem.InlineSize())
			}
		}
		l.emit.close(true)
	default:
		l.scalar(name, typ, at)
	}
}

// scalar prints a number.
func (l *loose) scalar(name string, typ schema.Type, at int) {
	text := l.number(typ, at)
	l.emit.value(name, l.style.Number(text), jsonNumber(text))
}

// numbers prints the elements of a vector or array of scalars in one line.
func (l *loose) numbers(name string, elem schema.Type, start, n int) {
	size := elem.Base.Size()
	if l.only.within(name) {
		l.emit.open(name, true, "")
		for i := range n {
			if l.only.enters(index(i)) {
				l.scalar(index(i), elem, start+i*size)
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
		if l.limit > 0 && i >= l.limit {
			more := fmt.Sprintf("… %d more", n-i)
			tree, text = append(tree, more...), strconv.AppendQuote(text, more)
			break
		}
		number := l.number(elem, start+i*size)
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

// number returns the text of a scalar: the name where it is an enum's value.
func (l *loose) number(typ schema.Type, at int) string {
	size := typ.Base.Size()
	var bytes [8]byte
	copy(bytes[:], l.b[at:at+size])
	u := binary.LittleEndian.Uint64(bytes[:])
	switch {
	case typ.Base == schema.Float:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(u))), 'g', -1, 32)
	case typ.Base == schema.Double:
		return strconv.FormatFloat(math.Float64frombits(u), 'g', -1, 64)
	case typ.Base == schema.Bool && typ.Enum == nil:
		return strconv.FormatBool(u != 0)
	}
	number := int64(u)
	if !typ.Base.IsUnsigned() {
		shift := 64 - 8*size
		number = int64(u<<shift) >> shift
	}
	if name := enumName(typ.Enum, number); name != "" {
		return name
	}
	if typ.Base.IsUnsigned() {
		return strconv.FormatUint(u, 10)
	}
	return strconv.FormatInt(number, 10)
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
