package dynamic

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/fbverify/go/fbverify"
)

// Message is the root of a buffer together with the proof that it is sound. It
// is a small value; the zero Message has no root, and reading from it panics.
//
// The proof is about the bytes as they were: whoever holds a Message must see to
// it that they do not change, or set Options.Copy.
type Message struct {
	root  Table
	whole []byte
}

// source is a buffer that values point into.
type source struct {
	buf  []byte
	base int // position of buf[0] in the slice that the caller verified

	entries uintptr // number of positions at which two bytes of buf begin

	// view is the table that a view was opened at, and then there is no buf: where a
	// buffer begins and ends, its views do not know. Positions count from there, and
	// those of vtables may be negative.
	view unsafe.Pointer

	// nestedProven says that nested buffers were verified with this one.
	nestedProven bool
	opts         *fbverify.Options // for verifying those that were not; read only
}

// newSource returns a source of a buffer that starts at base of the verified slice.
func newSource(buf []byte, base int, nestedProven bool, opts *fbverify.Options) *source {
	return &source{buf: buf, base: base, entries: uintptr(max(len(buf)-1, 0)), nestedProven: nestedProven, opts: opts}
}

// defaults are the options of every message that was opened without any, by its
// framing, so that none of them allocates its own.
var defaults = [...]fbverify.Options{
	fbverify.Unframed:         {},
	fbverify.SizePrefixed:     {Framing: fbverify.SizePrefixed},
	fbverify.LongSizePrefixed: {Framing: fbverify.LongSizePrefixed},
}

// Root verifies buf as t and returns its root. Nil opts are the defaults. Bytes after
// a size-prefixed message are left alone, and are not part of the Message's Bytes;
// the prefix is.
func Root(t *fbverify.Type, buf []byte, opts *fbverify.Options) (Message, error) {
	buf, opts = settle(buf, opts)
	if err := t.Verify(buf, opts); err != nil {
		return Message{}, err
	}
	return open(t, buf, opts), nil
}

// RootUnchecked returns the root of a message that the caller vouches for. If it
// is not sound, reads may panic and may return anything, but they do not leave
// the slice. It panics where not even the root table lies in buf.
func RootUnchecked(t *fbverify.Type, buf []byte, framing fbverify.Framing) Message {
	return open(t, buf, &defaults[framing])
}

// settle makes the private copy that opts may ask for, and a copy of opts, which
// outlive the call.
func settle(buf []byte, opts *fbverify.Options) ([]byte, *fbverify.Options) {
	if opts == nil {
		return buf, &defaults[fbverify.Unframed]
	}
	o := *opts
	if o.Copy {
		buf = bytes.Clone(buf)
	}
	return buf, &o
}

func open(t *fbverify.Type, buf []byte, opts *fbverify.Options) Message {
	whole, _, _ := opts.Framing.Message(buf)
	prefix := opts.Framing.Prefix()
	src := newSource(whole[prefix:], prefix, !opts.NestedUnchecked, opts)
	return Message{root: rootTable(src, ObjectOf(t)), whole: whole}
}

func rootTable(src *source, o *Object) Table { return tableAt(src, o, src.follow(0)) }

// Root returns the root table.
func (m Message) Root() Table { return m.root }

// Bytes returns the verified bytes, the size prefix included where there is one.
// They must not be written to.
func (m Message) Bytes() []byte { return m.whole }

// Identifier returns the four bytes after the root offset, which are the file
// identifier if the buffer has one; "" if the buffer is too short.
func (m Message) Identifier() string {
	b := m.root.src.buf
	if len(b) < 8 {
		return ""
	}
	return string(b[4:8])
}

// Nested returns the buffer inside the bytes of a field with the attribute
// nested_flatbuffer. It was verified with the message, except when
// Options.NestedUnchecked was set: then it is verified now. It is an error if the
// field is absent or has no such attribute.
func (v Value) Nested() (Message, error) {
	if v.typ == nil || v.typ.field == nil || v.typ.field.nested == nil || v.typ != &v.typ.field.typ {
		return Message{}, fmt.Errorf("dynamic: a value of type %s holds no nested buffer", v.Type())
	}
	if v.pos < 0 {
		return Message{}, fmt.Errorf("dynamic: %s is absent", v.typ.field)
	}
	b := v.Bytes()
	if !v.src.nestedProven {
		t, err := v.typ.field.owner.model.nestedType(v.typ.field.nested.schema)
		if err != nil {
			return Message{}, err
		}
		opts := *v.src.opts
		opts.Identifier, opts.Framing = "", fbverify.Unframed
		if err := t.Verify(b, &opts); err != nil {
			return Message{}, fmt.Errorf("dynamic: nested buffer %s at offset %d: %w", v.typ.field, v.Offset(), err)
		}
	}
	src := newSource(b, v.src.base+v.pos+v.headerSize(), v.src.nestedProven, v.src.opts)
	return Message{root: rootTable(src, v.typ.field.nested), whole: b}, nil
}
