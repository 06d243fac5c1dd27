// Package walk reads every field of every table of a buffer, as a schema says,
// with a check before each read: the reference that the verifier and the views
// are held against. It shares no code with either, decides nothing in advance
// and is as slow as that makes it; only tests use it.
//
// A buffer that the verifier accepts must be one that [Message] walks through,
// since the walk fails only where an accessor of generated code would leave the
// buffer, misread an offset or hand out what the schema rules out. With
// [Options.Rules] it also refuses what the format forbids by default though no
// accessor notices, so that the verdicts of both can be compared in both
// directions, limits aside.
package walk

import (
	"fmt"
	"unicode/utf8"

	"github.com/fbverify/go/internal/wire"
	"github.com/fbverify/go/schema"
)

// Options are the exceptions and additions to a walk; the zero value and nil
// have none.
type Options struct {
	// Rules demands alignment, vtables that lie whole inside the buffer and
	// have an even size of at least 4, and vectors of unions of equal length.
	Rules bool

	SkipUTF8           bool // strings may hold any bytes
	SkipAlignment      bool // with Rules: values may stand anywhere
	SkipNullTerminator bool // strings need no NUL after them
	SkipNested         bool // nested_flatbuffer fields are plain byte vectors

	// Deprecated walks deprecated fields too. They have no accessors.
	Deprecated bool

	// Met, if it is not nil, is told of each table and string that is read, once for
	// each type that it is read as: its position from the message's first byte, and
	// its type, nil for a string. One in buffers that overlap is told for each.
	Met func(pos uint64, object *schema.Object)

	// Steps, if it is not nil, is set to how many tables, strings, elements and
	// tags the walk looked at: its work, for those who bound it.
	Steps *int
}

// Message walks the buffer as one whose root table is root, a table of s. It
// returns the first read that cannot be done, a [*Fault].
func Message(s *schema.Schema, root *schema.Object, buf []byte, opts *Options) error {
	return message(s, root, buf, opts, 0)
}

// SizePrefixed is Message for a buffer with its uint32 length before it. Its
// alignment may count from the first byte of the length, or from the first after
// it.
func SizePrefixed(s *schema.Schema, root *schema.Object, buf []byte, opts *Options) error {
	r := wire.Reader{B: buf}
	size, err := r.Uint(0, 4, "the size prefix")
	if err != nil {
		return &Fault{Path: root.Name, Err: err}
	}
	body, err := r.Bytes(4, size, "the message after the size prefix")
	if err != nil {
		return &Fault{Path: root.Name, Err: err}
	}
	fromPrefix := message(s, root, body, opts, 4)
	if fromPrefix != nil && message(s, root, body, opts, 0) == nil {
		return nil
	}
	return fromPrefix
}

// Fault is a read that cannot be done. Offsets in Err count from the first byte
// of the buffer, nested or not, that the fault is in.
type Fault struct {
	Path string // from the root: "Monster.inventory", without positions in vectors
	Err  error
}

func (f *Fault) Error() string { return f.Path + ": " + f.Err.Error() }

// Unwrap returns the read's own error.
func (f *Fault) Unwrap() error { return f.Err }

// walker holds one walk. Tables wait in todo, so that depth costs no stack.
type walker struct {
	s    *schema.Schema
	opts Options
	todo []task

	tables  map[visit]bool
	strings map[visit]bool
	slots   map[visit]uint64 // the next slot of a vector not walked, see unwalked
	buffers int              // met so far
	steps   int
}

// buffer is the message or one nested in it.
type buffer struct {
	r     *wire.Reader
	id    int
	start uint64 // in the message
}

// task is a table to be walked.
type task struct {
	buf    buffer
	pos    uint64
	object *schema.Object
	path   *path
}

// visit names something that was walked: what lies at pos of a buffer, read as what.
type visit struct {
	buf  int
	pos  uint64
	what any
}

// path is the way to a table, shared by all below it.
type path struct {
	parent *path
	name   string
}

func (p *path) String() string {
	if p.parent == nil {
		return p.name
	}
	return p.parent.String() + "." + p.name
}

func message(s *schema.Schema, root *schema.Object, buf []byte, opts *Options, shift uint64) error {
	w := &walker{s: s, tables: map[visit]bool{}, strings: map[visit]bool{}, slots: map[visit]uint64{}}
	if opts != nil {
		w.opts = *opts
	}
	if w.opts.Steps != nil {
		defer func() { *w.opts.Steps = w.steps }()
	}
	top := &path{name: root.Name}
	if err := w.open(buf, 0, shift, root, top); err != nil {
		return &Fault{top.String(), err}
	}
	for len(w.todo) > 0 {
		t := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		if f, err := w.table(t); err != nil {
			p := t.path
			if f != nil {
				p = &path{p, f.Name}
			}
			return &Fault{p.String(), err}
		}
	}
	return nil
}

// open puts the root table of a buffer, the message or a nested one that starts at
// start in it, on the list.
func (w *walker) open(b []byte, start, shift uint64, root *schema.Object, p *path) error {
	r := &wire.Reader{B: b, Rules: w.opts.Rules, SkipAlignment: w.opts.SkipAlignment, Shift: shift}
	pos, err := r.Follow(0, 4, "the root table")
	if err != nil {
		return err
	}
	w.push(task{buffer{r, w.buffers, start}, pos, root, p})
	w.buffers++
	return nil
}

func (w *walker) push(t task) {
	w.steps++
	v := visit{t.buf.id, t.pos, t.object}
	if !w.tables[v] {
		w.tables[v] = true
		if w.opts.Met != nil {
			w.opts.Met(t.buf.start+t.pos, t.object)
		}
		w.todo = append(w.todo, t)
	}
}

// table reads every field of a table. With an error comes the field, if it is
// the fault of one.
func (w *walker) table(t task) (*schema.Field, error) {
	table, err := t.buf.r.Table(t.pos)
	if err != nil {
		return nil, err
	}
	for _, f := range t.object.Fields {
		if f.Deprecated && !w.opts.Deprecated {
			continue
		}
		pos, present, err := table.Field(uint64(f.ID))
		if err != nil {
			return f, err
		}
		if union(f.Type) {
			err = w.union(t, table, f, pos, present)
		} else if present {
			err = w.field(t, f, pos)
		}
		if err == nil && f.Required && !present {
			err = fmt.Errorf("the table at offset %d lacks this required field", t.pos)
		}
		if err != nil {
			return f, err
		}
	}
	return nil, nil
}

// union reports whether the type is a union's value, or a vector of them.
func union(t schema.Type) bool { return t.Base == schema.Union || t.Element == schema.Union }

// field reads a present field at pos that is no union value.
func (w *walker) field(t task, f *schema.Field, pos uint64) error {
	switch {
	case f.Type.Base == schema.Obj && f.Type.Object.IsStruct:
		return structure(t.buf.r, f.Type.Object, pos)
	case scalarSize(f.Type.Stored()) != 0:
		_, err := t.buf.r.Uint(pos, scalarSize(f.Type.Stored()), "a number")
		return err
	}
	to, err := t.buf.r.Follow(pos, offsetSize(f), "the value")
	if err != nil {
		return err
	}
	p := &path{t.path, f.Name}
	switch f.Type.Base {
	case schema.Vector, schema.Vector64:
		return w.vector(t, f, p, to)
	case schema.Obj:
		w.push(task{t.buf, to, f.Type.Object, p})
		return nil
	case schema.String:
		_, binary := f.Attribute("may_be_binary")
		return w.text(t.buf, to, binary)
	}
	return fmt.Errorf("a field of type %s in a table", f.Type.Base)
}

func offsetSize(f *schema.Field) uint64 {
	if f.Offset64 || f.Type.Base == schema.Vector64 {
		return 8
	}
	return 4
}

// vectorHead returns the size of a vector's length.
func vectorHead(f *schema.Field) uint64 {
	if f.Type.Base == schema.Vector64 {
		return 8
	}
	return 4
}

// text reads the string at pos, of any bytes where it may be binary.
func (w *walker) text(b buffer, pos uint64, binary bool) error {
	w.steps++
	as := any(schema.String)
	if binary {
		as = "may_be_binary"
	}
	if v := (visit{b.id, pos, as}); w.strings[v] {
		return nil
	} else {
		w.strings[v] = true
		if w.opts.Met != nil {
			w.opts.Met(b.start+pos, nil)
		}
	}
	var chars []byte
	var err error
	if w.opts.SkipNullTerminator {
		var start, count uint64
		if start, count, err = b.r.Vector(pos, 4, 1, 1, "a string"); err == nil {
			chars, err = b.r.Bytes(start, count, "a string")
		}
	} else {
		chars, err = b.r.String(pos, "a string")
	}
	if err == nil && !w.opts.SkipUTF8 && !binary && !utf8.Valid(chars) {
		err = fmt.Errorf("at offset %d: a string that is not UTF-8", pos)
	}
	return err
}

// structure reads every number of the struct at pos.
func structure(r *wire.Reader, o *schema.Object, pos uint64) error {
	return structureAt(r, o, pos, uint64(o.MinAlign))
}

// structureAt is structure for one that is aligned to so many bytes, at the most.
func structureAt(r *wire.Reader, o *schema.Object, pos, most uint64) error {
	if _, err := r.Bytes(pos, uint64(o.ByteSize), "the struct "+o.Name); err != nil {
		return err
	}
	if err := r.Aligned(pos, min(most, uint64(o.MinAlign)), "the struct "+o.Name); err != nil {
		return err
	}
	if most < uint64(o.MinAlign) {
		loose := *r
		loose.Rules, r = false, &loose // its numbers need not be aligned either
	}
	for _, f := range o.Fields {
		count, element := uint64(1), f.Type.Base
		if f.Type.Base == schema.Array {
			count, element = uint64(f.Type.FixedLength), f.Type.Element
		}
		size := scalarSize(element)
		if element == schema.Obj {
			size = uint64(f.Type.Object.ByteSize)
		}
		for i := uint64(0); i < count; i++ {
			at := pos + uint64(f.Offset) + i*size
			var err error
			if element == schema.Obj {
				err = structure(r, f.Type.Object, at)
			} else {
				_, err = r.Uint(at, size, "a number of the struct "+o.Name)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// scalarSize returns the bytes of a number, 0 for everything else.
func scalarSize(b schema.BaseType) uint64 {
	switch b {
	case schema.UType, schema.Bool, schema.Byte, schema.UByte:
		return 1
	case schema.Short, schema.UShort:
		return 2
	case schema.Int, schema.UInt, schema.Float:
		return 4
	case schema.Long, schema.ULong, schema.Double:
		return 8
	}
	return 0
}
